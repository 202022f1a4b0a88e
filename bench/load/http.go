package load

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
)

// Request is one request with a JSON body. Host, Content-Type and Content-Length are added.
type Request struct {
	Method string
	Path   string
	Header []byte // complete lines, each with "\r\n"; see Set
	Body   []byte
}

// Set appends a header line.
func (r *Request) Set(name, value string) {
	r.Header = fmt.Appendf(r.Header, "%s: %s\r\n", name, value)
}

func (r *Request) reset() {
	r.Method, r.Path = "GET", "/"
	r.Header = r.Header[:0]
	r.Body = r.Body[:0]
}

// Response is a complete response.
type Response struct {
	Status int
	Body   []byte
	Close  bool // the server closes the connection
}

const largest = 64 << 20 // bytes of a response

// conn is a minimal HTTP/1.1 client: one request at a time, and bodies of known length or in chunks. The standard client
// does more work for every request, which would hide the difference between two servers on shared cores.
type conn struct {
	net.Conn
	reader *bufio.Reader
	out    []byte
}

func dial(ctx context.Context, address string) (*conn, error) {
	var dialer net.Dialer
	c, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("load: %w", err)
	}
	return &conn{Conn: c, reader: bufio.NewReaderSize(c, 16<<10)}, nil
}

func (c *conn) exchange(host string, request *Request, response *Response) error {
	out := fmt.Appendf(c.out[:0], "%s %s HTTP/1.1\r\nHost: %s\r\n", request.Method, request.Path, host)
	out = append(out, request.Header...)
	if len(request.Body) > 0 {
		out = append(out, "Content-Type: application/json\r\n"...)
	}
	if len(request.Body) > 0 || (request.Method != "GET" && request.Method != "HEAD") {
		out = fmt.Appendf(out, "Content-Length: %d\r\n", len(request.Body))
	}
	out = append(out, "\r\n"...)
	out = append(out, request.Body...)
	c.out = out
	if _, err := c.Write(out); err != nil {
		return err
	}
	for {
		if err := c.read(request.Method, response); err != nil {
			return err
		}
		if response.Status >= 200 {
			return nil
		}
	}
}

func (c *conn) read(method string, response *Response) error {
	line, err := c.reader.ReadSlice('\n')
	if err != nil {
		return err
	}
	if len(line) < 12 || !bytes.HasPrefix(line, []byte("HTTP/1.")) {
		return fmt.Errorf("not an HTTP response: %q", line)
	}
	response.Status, err = strconv.Atoi(string(line[9:12]))
	if err != nil {
		return fmt.Errorf("not a status line: %q", line)
	}
	response.Close = line[7] == '0'

	length, chunked, err := c.readHeader(response)
	if err != nil {
		return err
	}
	response.Body = response.Body[:0]
	switch {
	case method == "HEAD", response.Status < 200, response.Status == 204, response.Status == 304:
		return nil
	case chunked:
		return c.readChunks(response)
	case length >= 0:
		return c.readBytes(response, length)
	default:
		response.Close = true
		rest, err := io.ReadAll(io.LimitReader(c.reader, largest))
		response.Body = append(response.Body, rest...)
		return err
	}
}

func (c *conn) readHeader(response *Response) (length int, chunked bool, err error) {
	length = -1
	for {
		line, err := c.reader.ReadSlice('\n')
		if err != nil {
			return 0, false, err
		}
		if len(bytes.TrimRight(line, "\r\n")) == 0 {
			return length, chunked, nil
		}
		if value, ok := headerValue(line, "Content-Length"); ok {
			length, err = strconv.Atoi(string(value))
			if err != nil || length < 0 {
				return 0, false, fmt.Errorf("bad Content-Length %q", value)
			}
		} else if value, ok := headerValue(line, "Transfer-Encoding"); ok {
			chunked = bytes.EqualFold(value, []byte("chunked"))
		} else if value, ok := headerValue(line, "Connection"); ok && bytes.EqualFold(value, []byte("close")) {
			response.Close = true
		}
	}
}

func (c *conn) readChunks(response *Response) error {
	for {
		line, err := c.reader.ReadSlice('\n')
		if err != nil {
			return err
		}
		digits, _, _ := bytes.Cut(bytes.TrimSpace(line), []byte(";"))
		size, err := strconv.ParseUint(string(digits), 16, 31)
		if err != nil {
			return fmt.Errorf("bad chunk size %q", line)
		}
		if size == 0 {
			return c.skipTrailer()
		}
		if err := c.readBytes(response, int(size)); err != nil {
			return err
		}
		if line, err = c.reader.ReadSlice('\n'); err != nil {
			return err
		}
		if len(bytes.TrimRight(line, "\r\n")) != 0 {
			return errors.New("chunk longer than announced")
		}
	}
}

func (c *conn) skipTrailer() error {
	for {
		line, err := c.reader.ReadSlice('\n')
		if err != nil || len(bytes.TrimRight(line, "\r\n")) == 0 {
			return err
		}
	}
}

func (c *conn) readBytes(response *Response, count int) error {
	start := len(response.Body)
	if count > largest-start {
		return fmt.Errorf("a response of more than %d bytes", largest)
	}
	response.Body = slices.Grow(response.Body, count)[:start+count]
	_, err := io.ReadFull(c.reader, response.Body[start:])
	return err
}

func headerValue(line []byte, name string) ([]byte, bool) {
	if len(line) <= len(name) || line[len(name)] != ':' || !strings.EqualFold(string(line[:len(name)]), name) {
		return nil, false
	}
	return bytes.TrimSpace(line[len(name)+1:]), true
}
