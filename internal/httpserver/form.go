package httpserver

import (
	"bytes"
	"io"
	"mime"
	"mime/multipart"
	"net/http"

	"recado/internal/kernel"
)

// Form is an upload: a multipart form with one part, the file. Reading it gives the file's bytes, and
// their end only once the whole request has arrived and the form is complete: one that breaks off
// anywhere, or holds more than it may, fails before anything of it is kept.
type Form struct {
	parts *multipart.Reader
	part  *multipart.Part
	body  *tail
	close []byte // the line that ends a form
	ended bool
}

// NewForm reads the boundary of the form from the header of a request.
func NewForm(r *http.Request) (*Form, error) {
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	boundary := params["boundary"]
	if err != nil || kind != "multipart/form-data" || boundary == "" || len(boundary) > 70 {
		return nil, kernel.Malformed("header.Content-Type", "form")
	}
	body := &tail{r: r.Body}
	return &Form{parts: multipart.NewReader(body, boundary), body: body, close: []byte("--" + boundary + "--")}, nil
}

// File finds the part and gives the name of the file in it.
func (f *Form) File() (name string, err error) {
	f.part, err = f.parts.NextPart()
	switch {
	case err == io.EOF: // wrapped, it means that the form was cut
		return "", kernel.Required("body.file")
	case err != nil:
		return "", kernel.Invalid("body", kernel.RuleCutShort, "the form ended early; send it again")
	case f.part.FormName() != "file":
		return "", kernel.Invalid("body."+Printable(f.part.FormName()), kernel.RuleUnknown, "unknown field; send one field, file")
	}
	return f.part.FileName(), nil
}

// Read gives the bytes of the file that File found.
func (f *Form) Read(b []byte) (int, error) {
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
			return n, kernel.Invalid("body."+Printable(extra.FormName()), kernel.RuleUnknown, "send one file and no other field")
		}
	}
	if err != io.EOF || !f.complete() {
		return n, kernel.Invalid("body.file", kernel.RuleCutShort, "the upload ended early; send it again")
	}
	f.ended = true
	return n, io.EOF
}

// complete reads what is left of the request, which may be white space, and reports whether it came to
// its end with the line that ends a form: the parts alone do not tell a form that was cut after one.
func (f *Form) complete() bool {
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
