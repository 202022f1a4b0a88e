package api_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"recado/internal/servertest"
)

// wireRequest is a request as its bytes are sent.
type wireRequest struct {
	method, path string // below the host
	key          string // "": no Authorization
	contentType  string
	body         []byte

	idempotencyKey string
}

// wireAnswer is an answer as a strict reader of HTTP/1.1 takes it from a connection.
type wireAnswer struct {
	status int
	header http.Header
	body   []byte
}

// call is a request of the company's key below /v1 with a JSON body, if there is one.
func call(c *servertest.Company, method, path, body string) wireRequest {
	r := wireRequest{method: method, path: "/v1" + path, key: c.Secret(), body: []byte(body)}
	if body != "" {
		r.contentType = "application/json"
	}
	return r
}

// bytes are what is sent; id comes back in the answer.
func (r wireRequest) bytes(id string, last bool) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: desk.example\r\nX-Request-Id: %s\r\n", r.method, r.path, id)
	if r.key != "" {
		fmt.Fprintf(&b, "Authorization: Bearer %s\r\n", r.key)
	}
	if r.contentType != "" {
		fmt.Fprintf(&b, "Content-Type: %s\r\n", r.contentType)
	}
	if r.idempotencyKey != "" {
		fmt.Fprintf(&b, "Idempotency-Key: %s\r\n", r.idempotencyKey)
	}
	if len(r.body) > 0 {
		fmt.Fprintf(&b, "Content-Length: %d\r\n", len(r.body))
	}
	if last {
		b.WriteString("Connection: close\r\n")
	}
	b.WriteString("\r\n")
	b.Write(r.body)
	return b.Bytes()
}

// exchange sends the requests on one connection, all at once or each after the answer to the one before,
// and reads exactly as many answers: each has the id of its request, its length is what its header says,
// and after the last one there is not a byte more.
func exchange(t testing.TB, w *servertest.World, pipelined bool, requests ...wireRequest) []wireAnswer {
	t.Helper()
	conn := dial(t, w)
	defer func() { _ = conn.Close() }()
	id := func(i int) string { return fmt.Sprintf("wire-%d", i) }
	send := func(from, to int) {
		for i := from; i < to; i++ {
			if _, err := conn.Write(requests[i].bytes(id(i), i == len(requests)-1)); err != nil {
				t.Errorf("sending request %d: %v", i, err)
				return
			}
		}
	}
	if pipelined {
		go send(0, len(requests))
	}
	reader := bufio.NewReader(conn)
	answers := make([]wireAnswer, len(requests))
	for i, r := range requests {
		if !pipelined {
			send(i, i+1)
		}
		a, err := readAnswer(reader, r.method)
		if err != nil {
			t.Fatalf("%s %s: the answer is not HTTP/1.1: %v", r.method, r.path, err)
		}
		if got := a.header.Get("X-Request-Id"); got != id(i) {
			t.Fatalf("%s %s: request id %q, want %q", r.method, r.path, got, id(i))
		}
		answers[i] = a
	}
	if rest, err := io.ReadAll(reader); err != nil || len(rest) > 0 {
		t.Fatalf("%d bytes after the last answer (%v): %.200q", len(rest), err, rest)
	}
	return answers
}

// dial opens a connection to the server.
func dial(t testing.TB, w *servertest.World) *net.TCPConn {
	t.Helper()
	conn, err := net.Dial("tcp", w.Addr())
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	return conn.(*net.TCPConn)
}

var (
	statusLine = regexp.MustCompile(`^HTTP/1\.1 ([1-5][0-9][0-9]) [ -~]*$`)
	headerLine = regexp.MustCompile("^([!#$%&'*+.^_`|~0-9A-Za-z-]+): ([\t -~]*)$")
)

// readAnswer takes one answer and accepts nothing that HTTP/1.1 does not allow.
func readAnswer(r *bufio.Reader, method string) (a wireAnswer, err error) {
	line, err := readLine(r)
	if err != nil {
		return a, err
	}
	match := statusLine.FindStringSubmatch(line)
	if match == nil {
		return a, fmt.Errorf("status line %q", line)
	}
	a.status, _ = strconv.Atoi(match[1])
	a.header = http.Header{}
	for {
		if line, err = readLine(r); err != nil {
			return a, err
		}
		if line == "" {
			break
		}
		match := headerLine.FindStringSubmatch(line)
		if match == nil {
			return a, fmt.Errorf("header line %q", line)
		}
		a.header.Add(match[1], match[2])
	}
	lengths, codings := a.header["Content-Length"], a.header["Transfer-Encoding"]
	switch {
	case method == http.MethodHead || a.status == http.StatusNoContent || a.status == http.StatusNotModified:
		return a, nil
	case len(lengths) == 1 && len(codings) == 0:
		n, err := strconv.Atoi(lengths[0])
		if err != nil {
			return a, err
		}
		a.body = make([]byte, n)
		_, err = io.ReadFull(r, a.body)
		return a, err
	case len(lengths) == 0 && len(codings) == 1 && codings[0] == "chunked":
		for {
			chunk, err := readChunk(r)
			if err != nil || len(chunk) == 0 {
				return a, err
			}
			a.body = append(a.body, chunk...)
		}
	}
	return a, fmt.Errorf("no clear length: %v", a.header)
}

// readChunk takes one chunk; the last one is empty.
func readChunk(r *bufio.Reader) ([]byte, error) {
	line, err := readLine(r)
	if err != nil {
		return nil, err
	}
	n, err := strconv.ParseUint(line, 16, 31)
	if err != nil {
		return nil, fmt.Errorf("chunk size %q", line)
	}
	chunk := make([]byte, n)
	if _, err := io.ReadFull(r, chunk); err != nil {
		return nil, err
	}
	if end, err := readLine(r); err != nil || end != "" {
		return nil, fmt.Errorf("after a chunk: %q, %w", end, err)
	}
	return chunk, nil
}

// readLine takes a line that ends in CR and LF and has neither inside.
func readLine(r *bufio.Reader) (string, error) {
	line, err := r.ReadString('\n')
	if err != nil {
		return line, err
	}
	text, ok := strings.CutSuffix(line, "\r\n")
	if !ok || strings.ContainsRune(text, '\r') {
		return text, errors.New("a line does not end in CR LF: " + strconv.Quote(line))
	}
	return text, nil
}
