package api

import (
	"bytes"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
	"time"

	"recado/internal/model"
)

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
func (a *answer) prepareDrain() {
	if a.body == nil || !a.body.unread() {
		return
	}
	if http.NewResponseController(a.ResponseWriter).EnableFullDuplex() != nil {
		return
	}
	a.Header()["Connection"] = closeHeader
	a.drains = true
}

// drain sends the answer and then reads what is left of the body, up to its bounds.
func (a *answer) drain() {
	if !a.drains {
		return
	}
	control := http.NewResponseController(a.ResponseWriter)
	if control.Flush() != nil || control.SetReadDeadline(time.Now().Add(drainTime)) != nil {
		return
	}
	_, _ = io.CopyN(io.Discard, a.body, drainBytes)
}

// checkContentType refuses a body that is not declared as JSON; its size is told before its form. Case
// does not matter in HTTP, but it does to huma, so the type is written as huma looks for it.
func checkContentType(r *http.Request) *model.Error {
	const plain = "application/json"
	if given := r.Header.Get("Content-Type"); given == plain {
		return nil
	} else if kind, _, _ := mime.ParseMediaType(given); kind == plain {
		r.Header.Set("Content-Type", plain)
		return nil
	}
	n, err := io.Copy(io.Discard, io.LimitReader(r.Body, model.MaxBody+1))
	switch {
	case n > model.MaxBody:
		return errBodyTooLarge()
	case n > 0:
		return model.Invalid("header.Content-Type", "must be application/json")
	case err != nil:
		return errBodyCut()
	}
	return nil
}

func errBodyCut() *model.Error {
	return model.Errorf(model.CodeInvalidRequest, "The request body ended early. Send it again.")
}

// bodyTooLarge reads the body of a request that is refused anyway: its size is told before its form.
func bodyTooLarge(r *http.Request) bool {
	n, _ := io.Copy(io.Discard, io.LimitReader(r.Body, model.MaxBody+1))
	return n > model.MaxBody
}

// checkNoBody holds the bodies of operations that take none to the same rules: an absent one or {}.
func checkNoBody(r *http.Request) *model.Error {
	body, err := io.ReadAll(io.LimitReader(r.Body, model.MaxBody+1))
	switch {
	case len(body) > model.MaxBody:
		return errBodyTooLarge()
	case err != nil:
		return errBodyCut()
	case len(body) == 0:
		return nil
	}
	if fault := jsonFormat.Unmarshal(body, new(any)); fault != nil {
		return formError("", []error{fault})
	}
	if fault := jsonFormat.Unmarshal(body, new(struct{})); fault != nil {
		return formError("", []error{fault})
	}
	return nil
}

// form is an upload: a multipart form with one part, the file. Reading it gives the file's bytes, and
// their end only once the whole request has arrived and the form is complete: one that breaks off
// anywhere, or holds more than it may, fails before anything of it is kept.
type form struct {
	parts *multipart.Reader
	part  *multipart.Part
	body  *tail
	close []byte // the line that ends a form
	ended bool
}

func newForm(r *http.Request) (*form, error) {
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	boundary := params["boundary"]
	if err != nil || kind != "multipart/form-data" || boundary == "" || len(boundary) > 70 {
		return nil, model.Invalid("header.Content-Type", "must be multipart/form-data with a boundary")
	}
	body := &tail{r: r.Body}
	return &form{parts: multipart.NewReader(body, boundary), body: body, close: []byte("--" + boundary + "--")}, nil
}

// file finds the part and gives the name of the file in it.
func (f *form) file() (name string, err error) {
	f.part, err = f.parts.NextPart()
	switch {
	case err == io.EOF: // wrapped, it means that the form was cut
		return "", model.Invalid("body.file", "is required")
	case err != nil:
		return "", model.Invalid("body", "the form ended early; send it again")
	case f.part.FormName() != "file":
		return "", model.Invalid("body."+printable(f.part.FormName()), "unknown field; send one field, file")
	}
	return f.part.FileName(), nil
}

func (f *form) Read(b []byte) (int, error) {
	if f.ended {
		return 0, io.EOF
	}
	n, err := f.part.Read(b)
	if err == nil {
		return n, nil
	}
	if err == io.EOF {
		var extra *multipart.Part
		if extra, err = f.parts.NextPart(); err == nil {
			return n, model.Invalid("body."+printable(extra.FormName()), "send one file and no other field")
		}
	}
	if err != io.EOF || !f.complete() {
		return n, model.Invalid("body.file", "the upload ended early; send it again")
	}
	f.ended = true
	return n, io.EOF
}

// complete reads what is left of the request, which may be white space, and reports whether it came to
// its end with the line that ends a form: the parts alone do not tell a form that was cut after one.
func (f *form) complete() bool {
	rest, err := io.ReadAll(io.LimitReader(f.body, tailBytes))
	return err == nil && len(rest) < tailBytes && bytes.HasSuffix(bytes.TrimRight(f.body.last, " \t\r\n"), f.close)
}

// tailBytes holds the longest line that ends a form, and some white space.
const tailBytes = 256

// tail remembers the last bytes that were read.
type tail struct {
	r    io.Reader
	last []byte
}

func (t *tail) Read(b []byte) (int, error) {
	n, err := t.r.Read(b)
	t.last = append(t.last, b[max(0, n-tailBytes):n]...)
	if over := len(t.last) - tailBytes; over > 0 {
		t.last = append(t.last[:0], t.last[over:]...)
	}
	return n, err
}
