package testkit

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// WireRequest is a request to be sent as raw bytes.
type WireRequest struct {
	Method, Path string // below the host
	Key          string // API key; no Authorization header when empty
	ContentType  string
	Body         []byte

	IdempotencyKey string
	Header         string // additional lines, each ending in \r\n
}

// WireAnswer is a response, parsed strictly as HTTP/1.1.
type WireAnswer struct {
	Status int
	Header http.Header
	Body   []byte
}

// WireCall returns a request below /v1 with an API key and, if body is not empty, a JSON body.
func WireCall(key, method, path, body string) WireRequest {
	r := WireRequest{Method: method, Path: "/v1" + path, Key: key, Body: []byte(body)}
	if body != "" {
		r.ContentType = "application/json"
	}
	return r
}

// Bytes returns the request as it is sent. The response repeats the id. The last request closes the connection.
func (r WireRequest) Bytes(id string, last bool) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: desk.example\r\nX-Request-Id: %s\r\n", r.Method, r.Path, id)
	if r.Key != "" {
		fmt.Fprintf(&b, "Authorization: Bearer %s\r\n", r.Key)
	}
	if r.ContentType != "" {
		fmt.Fprintf(&b, "Content-Type: %s\r\n", r.ContentType)
	}
	if r.IdempotencyKey != "" {
		fmt.Fprintf(&b, "Idempotency-Key: %s\r\n", r.IdempotencyKey)
	}
	b.WriteString(r.Header)
	if len(r.Body) > 0 {
		fmt.Fprintf(&b, "Content-Length: %d\r\n", len(r.Body))
	}
	if last {
		b.WriteString("Connection: close\r\n")
	}
	b.WriteString("\r\n")
	b.Write(r.Body)
	return b.Bytes()
}

// Exchange sends requests on one connection, pipelined or one after the other, and returns the responses. It fails
// the test unless each response has the id of its request and the length in its header, and nothing follows the last.
func Exchange(t testing.TB, addr string, pipelined bool, requests ...WireRequest) []WireAnswer {
	t.Helper()
	conn := Dial(t, addr)
	defer func() { _ = conn.Close() }()
	id := func(i int) string { return fmt.Sprintf("wire-%d", i) }
	send := func(from, to int) {
		for i := from; i < to; i++ {
			if _, err := conn.Write(requests[i].Bytes(id(i), i == len(requests)-1)); err != nil {
				t.Errorf("sending request %d: %v", i, err)
				return
			}
		}
	}
	if pipelined {
		go send(0, len(requests))
	}
	reader := bufio.NewReader(conn)
	answers := make([]WireAnswer, len(requests))
	for i, r := range requests {
		if !pipelined {
			send(i, i+1)
		}
		a, err := ReadAnswer(reader, r.Method)
		if err != nil {
			t.Fatalf("%s %s: the response is not HTTP/1.1: %v", r.Method, r.Path, err)
		}
		if got := a.Header.Get("X-Request-Id"); got != id(i) {
			t.Fatalf("%s %s: request id %q, want %q", r.Method, r.Path, got, id(i))
		}
		answers[i] = a
	}
	if rest, err := io.ReadAll(reader); err != nil || len(rest) > 0 {
		t.Fatalf("%d bytes after the last response (%v): %.200q", len(rest), err, rest)
	}
	return answers
}

// Dial opens a connection to the server with a deadline after Patience.
func Dial(t testing.TB, addr string) *net.TCPConn {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.SetDeadline(time.Now().Add(Patience))
	return conn.(*net.TCPConn)
}

var (
	statusLine = regexp.MustCompile(`^HTTP/1\.1 ([1-5][0-9][0-9]) [ -~]*$`)
	headerLine = regexp.MustCompile("^([!#$%&'*+.^_`|~0-9A-Za-z-]+): ([\t -~]*)$")
)

// ReadHead reads the status line and the header of a response. It rejects everything that HTTP/1.1 does not allow.
func ReadHead(r *bufio.Reader) (a WireAnswer, err error) {
	line, err := ReadLine(r)
	if err != nil {
		return a, err
	}
	match := statusLine.FindStringSubmatch(line)
	if match == nil {
		return a, fmt.Errorf("status line %q", line)
	}
	a.Status, _ = strconv.Atoi(match[1])
	a.Header = http.Header{}
	for {
		if line, err = ReadLine(r); err != nil {
			return a, err
		}
		if line == "" {
			return a, nil
		}
		match := headerLine.FindStringSubmatch(line)
		if match == nil {
			return a, fmt.Errorf("header line %q", line)
		}
		a.Header.Add(match[1], match[2])
	}
}

// ReadAnswer reads one response. It rejects everything that HTTP/1.1 does not allow.
func ReadAnswer(r *bufio.Reader, method string) (WireAnswer, error) {
	a, err := ReadHead(r)
	if err != nil {
		return a, err
	}
	lengths, codings := a.Header["Content-Length"], a.Header["Transfer-Encoding"]
	switch {
	case method == http.MethodHead || a.Status == http.StatusNoContent || a.Status == http.StatusNotModified:
		return a, nil
	case len(lengths) == 1 && len(codings) == 0:
		n, err := strconv.Atoi(lengths[0])
		if err != nil {
			return a, err
		}
		a.Body = make([]byte, n)
		_, err = io.ReadFull(r, a.Body)
		return a, err
	case len(lengths) == 0 && len(codings) == 1 && codings[0] == "chunked":
		for {
			chunk, err := ReadChunk(r)
			if err != nil || len(chunk) == 0 {
				return a, err
			}
			a.Body = append(a.Body, chunk...)
		}
	}
	return a, fmt.Errorf("no clear length: %v", a.Header)
}

// ReadChunk reads one chunk; the last one is empty.
func ReadChunk(r *bufio.Reader) ([]byte, error) {
	line, err := ReadLine(r)
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
	if end, err := ReadLine(r); err != nil || end != "" {
		return nil, fmt.Errorf("after a chunk: %q, %w", end, err)
	}
	return chunk, nil
}

// ReadLine reads a line that ends in CR LF and contains neither.
func ReadLine(r *bufio.Reader) (string, error) {
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

// FreeAddress returns a loopback address without a listener, which no other test gets until t ends. The system does not use its port
// for outgoing connections, so that it is still free when a killed server starts again.
func FreeAddress(t testing.TB) string {
	t.Helper()
	for range 100 {
		port := 10_000 + rand.IntN(10_000)
		lock, err := os.OpenFile(filepath.Join(os.TempDir(), fmt.Sprintf("recado-test-port-%d", port)), os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil { // of another user
			continue
		}
		addr := fmt.Sprintf("127.0.0.1:%d", port)
		if syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil && isFree(addr) {
			t.Cleanup(func() { _ = lock.Close() })
			return addr
		}
		_ = lock.Close()
	}
	t.Fatal("no port is free")
	return ""
}

func isFree(addr string) bool {
	l, err := net.Listen("tcp", addr)
	if err == nil {
		_ = l.Close()
	}
	return err == nil
}
