package httpserver

import (
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"recado/internal/kernel"
)

// checkContentType refuses a body that is too large or not declared as JSON. It normalizes the header, because huma compares it
// case-sensitively.
func checkContentType(r *http.Request) *kernel.Error {
	const plain = "application/json"
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind == plain {
		r.Header.Set("Content-Type", plain)
		return nil
	}
	n, err := io.Copy(io.Discard, io.LimitReader(r.Body, kernel.MaxBody+1))
	switch {
	case n > kernel.MaxBody:
		return errBodyTooLarge()
	case n > 0:
		return kernel.Malformed("header.Content-Type", "json")
	case err != nil:
		return errBodyCut()
	}
	return nil
}

func errBodyCut() *kernel.Error {
	return kernel.Errorf(kernel.CodeInvalidRequest, "The request body ended early. Send it again.")
}

// bodyTooLarge reads the body of a refused request, because its size is the first error to report.
func bodyTooLarge(r *http.Request) bool {
	n, _ := io.Copy(io.Discard, io.LimitReader(r.Body, kernel.MaxBody+1))
	return n > kernel.MaxBody
}

// readBody reads a body up to the maximum size.
func readBody(r *http.Request) ([]byte, *kernel.Error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, kernel.MaxBody+1))
	switch {
	case len(body) > kernel.MaxBody:
		return nil, errBodyTooLarge()
	case err != nil:
		return nil, errBodyCut()
	}
	return body, nil
}

// checkNoBody checks the body of an operation that takes none. It may be absent or {}.
func checkNoBody(r *http.Request) *kernel.Error {
	body, invalid := readBody(r)
	if invalid != nil || len(body) == 0 {
		return invalid
	}
	for _, v := range []any{new(any), new(struct{})} {
		if err := UnmarshalJSON(body, v); err != nil {
			return formError("", []error{err})
		}
	}
	return nil
}

func errBodyTooLarge() *kernel.Error {
	return kernel.Errorf(kernel.CodeBodyTooLarge, "The request body is larger than %d KiB. Send a smaller one.", kernel.MaxBody/1024)
}

// The rest of a refused body is read up to these limits, because a client that sends all of it before it reads would otherwise
// get a connection reset instead of the response. Then the connection is closed.
const (
	drainBytes = 64 << 20
	drainTime  = 5 * time.Second

	// unreadBytes is the amount that net/http reads from an unfinished body before it reuses a connection.
	unreadBytes = 256 << 10
)

// requestBody counts the bytes that were read.
type requestBody struct {
	io.ReadCloser
	length    int64 // -1: unknown
	read      int64
	ended     bool
	continues bool // the client waits for 100 Continue, which the first read sends
}

func newRequestBody(r *http.Request) *requestBody {
	return &requestBody{
		ReadCloser: r.Body, length: r.ContentLength, ended: r.Body == http.NoBody,
		continues: strings.EqualFold(r.Header.Get("Expect"), "100-continue"),
	}
}

func (b *requestBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.read += int64(n)
	b.ended = b.ended || err != nil
	return n, err
}

// Close does nothing: the rest of the body may still be read, and net/http closes it.
func (b *requestBody) Close() error { return nil }

// unread reports whether more is left than net/http reads.
func (b *requestBody) unread() bool {
	switch {
	case b.ended, b.continues && b.read == 0:
		return false
	case b.length >= 0:
		return b.length-b.read > unreadBytes
	}
	_, _ = io.CopyN(io.Discard, b, unreadBytes)
	return !b.ended
}

// prepareDrain closes the connection after the response if the body was not read. It must be called before the header is sent.
func (a *response) prepareDrain() {
	if a.body == nil || !a.body.unread() {
		return
	}
	if http.NewResponseController(a.ResponseWriter).EnableFullDuplex() != nil {
		return
	}
	a.Header()["Connection"] = []string{"close"}
	a.drains = true
}

// drain sends the response and then reads the rest of the body, within limits.
func (a *response) drain() {
	if !a.drains {
		return
	}
	control := http.NewResponseController(a.ResponseWriter)
	if control.Flush() != nil || control.SetReadDeadline(time.Now().Add(drainTime)) != nil {
		return
	}
	_, _ = io.CopyN(io.Discard, a.body, drainBytes)
}
