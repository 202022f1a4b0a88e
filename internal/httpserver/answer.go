package httpserver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// answer keeps an HTTP answer in memory.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func newAnswer() *answer { return &answer{header: http.Header{}, status: http.StatusOK} }

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(status int) { a.status = status }

func (a *answer) Write(b []byte) (int, error) { return a.body.Write(b) }

// result is the answer of an operation as the result of a tool: the same JSON, as text and in structured form. That must be
// an object, so a bare list gets the name data, which other lists have too; null has only the text.
func (a *answer) result() *sdk.CallToolResult {
	body := bytes.TrimSpace(a.body.Bytes())
	switch {
	case len(body) == 0: // 204
		body = []byte("{}")
	case body[0] == '[':
		body = fmt.Appendf(nil, `{"data":%s}`, body)
	}
	r := &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(body)}}, IsError: a.status >= 400}
	if body[0] == '{' {
		r.StructuredContent = json.RawMessage(body)
	}
	return r
}

// Answer holds the header back until the body comes, so that a JSON answer, which is written at once, can
// carry its length. Pages are written in pieces.
type Answer struct {
	http.ResponseWriter
	status int
	sent   bool
	body   *requestBody
	drains bool

	accepts []string // the encodings that the client takes

	// Secret says that the body shows a secret and is not compressed.
	Secret bool
	// Conditional says that a JSON body with status 200 gets an ETag, and that a client which has it already gets 304.
	Conditional bool
	known       []string // the tags that the client has
}

// NewAnswer wraps the answer to a request. The handler reads the body of the request from Body.
func NewAnswer(w http.ResponseWriter, r *http.Request) *Answer {
	return &Answer{ResponseWriter: w, body: newRequestBody(r), accepts: r.Header["Accept-Encoding"], known: r.Header["If-None-Match"]}
}

// Body is the body of the request.
func (a *Answer) Body() io.ReadCloser { return a.body }

// Status is the status of the answer; 0 before there is one.
func (a *Answer) Status() int { return a.status }

// Sent reports whether the header was sent, after which nothing can replace the answer.
func (a *Answer) Sent() bool { return a.sent }

// Finish sends an answer without a body, and reads what is left of the body of the request within bounds.
func (a *Answer) Finish() {
	a.send()
	a.drain()
}

// WriteHeader keeps the first status until the header is sent.
func (a *Answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

// Write sends the header before the first bytes.
func (a *Answer) Write(b []byte) (int, error) {
	written := len(b)
	if !a.sent {
		if h := a.Header(); h["Content-Length"] == nil && len(b) > 0 && h.Get("Content-Type") == "application/json" {
			if a.Conditional && a.unchanged(b) {
				a.send()
				return written, nil
			}
			b = a.compressed(b)
			h["Content-Length"] = []string{strconv.Itoa(len(b))}
		}
		a.send()
	}
	if n, err := a.ResponseWriter.Write(b); err != nil {
		return min(n, written), err
	}
	return written, nil
}

// Flush sends what there is: an answer that flushes is a stream and has no length.
func (a *Answer) Flush() {
	a.send()
	if f, ok := a.ResponseWriter.(http.Flusher); ok {
		f.Flush()
	}
}

// Hijack hands the connection over; the answer is the caller's from then on.
func (a *Answer) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffered, err := http.NewResponseController(a.ResponseWriter).Hijack()
	if err == nil {
		a.sent, a.status = true, http.StatusOK
	}
	return conn, buffered, err
}

// Unwrap lets http.ResponseController reach the connection.
func (a *Answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

func (a *Answer) send() {
	if a.sent {
		return
	}
	a.sent = true
	if a.status == 0 {
		a.status = http.StatusOK
	}
	a.prepareDrain()
	a.ResponseWriter.WriteHeader(a.status)
}
