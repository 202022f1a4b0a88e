package httpserver

import (
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"recado/internal/kernel"
)

// CheckContentType refuses a body that is not declared as JSON, after one that is too large. Case
// does not matter in HTTP, but it does to huma, so the type is written as huma looks for it.
func CheckContentType(r *http.Request) *kernel.Error {
	const plain = "application/json"
	if given := r.Header.Get("Content-Type"); given == plain {
		return nil
	} else if kind, _, _ := mime.ParseMediaType(given); kind == plain {
		r.Header.Set("Content-Type", plain)
		return nil
	}
	n, err := io.Copy(io.Discard, io.LimitReader(r.Body, kernel.MaxBody+1))
	switch {
	case n > kernel.MaxBody:
		return ErrBodyTooLarge()
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

// BodyTooLarge reads the body of a request that is refused anyway: the size comes first among the errors.
func BodyTooLarge(r *http.Request) bool {
	n, _ := io.Copy(io.Discard, io.LimitReader(r.Body, kernel.MaxBody+1))
	return n > kernel.MaxBody
}

// CheckNoBody holds the bodies of operations that take none to the same rules: an absent one or {}.
func CheckNoBody(r *http.Request) *kernel.Error {
	body, err := io.ReadAll(io.LimitReader(r.Body, kernel.MaxBody+1))
	switch {
	case len(body) > kernel.MaxBody:
		return ErrBodyTooLarge()
	case err != nil:
		return errBodyCut()
	case len(body) == 0:
		return nil
	}
	if fault := UnmarshalJSON(body, new(any)); fault != nil {
		return formError("", []error{fault})
	}
	if fault := UnmarshalJSON(body, new(struct{})); fault != nil {
		return formError("", []error{fault})
	}
	return nil
}

// ErrBodyTooLarge refuses a body that is larger than the API takes.
func ErrBodyTooLarge() *kernel.Error {
	return kernel.Errorf(kernel.CodeBodyTooLarge, "The request body is larger than %d KiB. Send a smaller one.", kernel.MaxBody/1024)
}

// How much of a refused body is read on, so that a client that sends all of it before it reads gets the
// answer instead of a reset. After that the connection is closed.
const (
	drainBytes = 64 << 20
	drainTime  = 5 * time.Second

	// unreadBytes is what net/http reads of an unfinished body by itself before it keeps a connection.
	unreadBytes = 256 << 10
)

// requestBody counts what was read of a body.
type requestBody struct {
	io.ReadCloser
	length    int64 // -1: unknown
	read      int64
	ended     bool
	continues bool // the client sends nothing before it is told to, which the first read does
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

// Close does nothing: the rest of a body may still be read, and net/http closes it after that.
func (b *requestBody) Close() error { return nil }

// unread reports whether more is left than net/http reads by itself.
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

// prepareDrain makes an answer to a body that was not read the last one of its connection. It is called
// before the header is sent.
func (a *Answer) prepareDrain() {
	if a.body == nil || !a.body.unread() {
		return
	}
	if http.NewResponseController(a.ResponseWriter).EnableFullDuplex() != nil {
		return
	}
	a.Header()["Connection"] = []string{"close"}
	a.drains = true
}

// drain sends the answer and then reads what is left of the body, up to its bounds.
func (a *Answer) drain() {
	if !a.drains {
		return
	}
	control := http.NewResponseController(a.ResponseWriter)
	if control.Flush() != nil || control.SetReadDeadline(time.Now().Add(drainTime)) != nil {
		return
	}
	_, _ = io.CopyN(io.Discard, a.body, drainBytes)
}
