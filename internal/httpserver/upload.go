package httpserver

import (
	"bytes"
	"context"
	"crypto/sha256"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strconv"
	"time"

	"recado/internal/kernel"
)

// uploadTimeout is enough for the largest file. Other requests have a shorter timeout.
const uploadTimeout = 10 * time.Minute

// OpenUpload returns the uploaded file of the request of a context.
func OpenUpload(ctx context.Context) (name string, file io.Reader, err error) {
	return callFrom(ctx).openUpload()
}

func (c *call) openUpload() (name string, file io.Reader, err error) {
	form, err := newUploadForm(c.request)
	if err != nil {
		return "", nil, err
	}
	c.allowUpload()
	if name, err = form.file(); err != nil {
		return "", nil, err
	}
	if c.request.Header[headerIdempotencyKey] == nil {
		return name, form, nil
	}
	c.body = sha256.New()
	_, _ = io.WriteString(c.body, name+"\n")
	return name, io.TeeReader(io.LimitReader(form, c.route.uploadLimit+1), c.body), nil
}

// allowUpload gives the request the time of an upload.
func (c *call) allowUpload() {
	control, end := http.NewResponseController(c.writer), time.Now().Add(uploadTimeout)
	_, _ = control.SetReadDeadline(end), control.SetWriteDeadline(end.Add(time.Minute))
}

// readUpload reads the uploaded file unless the verb has read it, to compute the hash of its name and content. The hash does
// not include the boundary of the form, which changes with each attempt.
func (c *call) readUpload() error {
	if c.body != nil {
		return nil
	}
	if c.route.formFields != nil {
		_, err := c.readForm(func(_ string, _ map[string]string, file io.Reader) error {
			_, err := io.Copy(io.Discard, file)
			return err
		})
		return err
	}
	_, file, err := c.openUpload()
	if err == nil {
		_, err = io.Copy(io.Discard, file)
	}
	return err
}

// FormField is a field of a form beside the file.
type FormField struct {
	Name     string
	About    string
	Values   []string // that it may have; nil: any
	Required bool
}

// maxFormField is the maximum size of a field of a form.
const maxFormField = 64 << 10

// ReadForm reads the form of the request of a context, whose fields may be in any order. It calls store with the name and content of
// the file and the fields before it, and returns all fields that are not empty.
func ReadForm(ctx context.Context, store func(name string, before map[string]string, file io.Reader) error) (map[string]string, error) {
	return callFrom(ctx).readForm(store)
}

func (c *call) readForm(store func(name string, before map[string]string, file io.Reader) error) (map[string]string, error) {
	form, err := newUploadForm(c.request)
	if err != nil {
		return nil, err
	}
	c.allowUpload()
	hash, fields, hasFile := sha256.New(), map[string]string{}, false
	for {
		if form.part, err = form.parts.NextPart(); err == io.EOF {
			break
		}
		if err != nil {
			return nil, errFormCutShort()
		}
		switch name := form.part.FormName(); {
		case name == "file" && !hasFile:
			hasFile = true
			fileName := form.part.FileName()
			_, _ = io.WriteString(hash, fileName+"\n")
			content := io.TeeReader(io.LimitReader(wholePart{form.part}, c.route.uploadLimit+1), hash)
			if err := store(fileName, maps.Clone(fields), content); err != nil {
				return nil, err
			}
		case name == "file":
			return nil, kernel.Invalid("body.file", kernel.RuleRepeated, "send one file")
		default:
			if err := c.readField(form.part, name, fields); err != nil {
				return nil, err
			}
		}
	}
	if !form.complete() {
		return nil, errFormCutShort()
	}
	for _, field := range c.route.formFields {
		if field.Required && fields[field.Name] == "" {
			return nil, kernel.Required("body." + field.Name)
		}
	}
	if !hasFile {
		return nil, kernel.Required("body.file")
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		_, _ = io.WriteString(hash, "\n"+strconv.Quote(name)+strconv.Quote(fields[name]))
	}
	if c.request.Header[headerIdempotencyKey] != nil {
		c.body = hash
	}
	return fields, nil
}

// readField reads a field of a form.
func (c *call) readField(part io.Reader, name string, into map[string]string) error {
	at := "body." + printable(name)
	i := slices.IndexFunc(c.route.formFields, func(f FormField) bool { return f.Name == name })
	if i < 0 {
		return kernel.Invalid(at, kernel.RuleUnknown, "unknown field")
	}
	content, err := io.ReadAll(io.LimitReader(part, maxFormField+1))
	if err != nil {
		return errFormCutShort()
	}
	if len(content) > maxFormField {
		return kernel.TooLong(at, maxFormField)
	}
	text, invalid := kernel.OptionalText(at, string(content), maxFormField)
	if invalid != nil {
		return invalid
	}
	if _, repeated := into[name]; repeated {
		return kernel.Invalid(at, kernel.RuleRepeated, "send it once")
	}
	if values := c.route.formFields[i].Values; text != "" && values != nil && !slices.Contains(values, text) {
		return kernel.OneOf(at, values...)
	}
	if text != "" {
		into[name] = text
	}
	return nil
}

func errFormCutShort() error {
	return kernel.Invalid("body", kernel.RuleCutShort, "the form ended early; send it again")
}

// wholePart is a part of a form whose end is not mistaken for the end of a truncated form.
type wholePart struct{ part *multipart.Part }

// Read reads the content of the part.
func (p wholePart) Read(b []byte) (int, error) {
	n, err := p.part.Read(b)
	if err != nil && err != io.EOF {
		err = kernel.Invalid("body.file", kernel.RuleCutShort, "the upload ended early; send it again")
	}
	return n, err
}

// describeUpload describes the request body of an upload.
func describeUpload(op map[string]any, fields []FormField) {
	properties, required := map[string]any{"file": map[string]any{"type": "string", "format": "binary"}}, []string{}
	for _, f := range fields {
		schema := map[string]any{"type": "string", "description": f.About}
		if f.Values != nil {
			schema["enum"] = f.Values
		}
		properties[f.Name] = schema
		if f.Required {
			required = append(required, f.Name)
		}
	}
	op["requestBody"] = map[string]any{
		"required": true,
		"content": map[string]any{"multipart/form-data": map[string]any{"schema": map[string]any{
			"type": "object", "required": append(required, "file"), "additionalProperties": false, "properties": properties,
		}}},
	}
}

// uploadForm is a multipart form with one part, the file. Read returns io.EOF only after the whole request has arrived and the
// form is complete, so that truncated forms fail before the file is stored.
type uploadForm struct {
	parts *multipart.Reader
	part  *multipart.Part
	body  *tail
	close []byte // the last line of the form
	ended bool
}

func newUploadForm(r *http.Request) (*uploadForm, error) {
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	boundary := params["boundary"]
	if err != nil || kind != "multipart/form-data" || boundary == "" || len(boundary) > 70 {
		return nil, kernel.Malformed("header.Content-Type", "form")
	}
	body := &tail{r: r.Body}
	return &uploadForm{parts: multipart.NewReader(body, boundary), body: body, close: []byte("--" + boundary + "--")}, nil
}

// file finds the part and returns the name of its file.
func (f *uploadForm) file() (name string, err error) {
	f.part, err = f.parts.NextPart()
	switch {
	case err == io.EOF: // a wrapped EOF means that the form was truncated
		return "", kernel.Required("body.file")
	case err != nil:
		return "", errFormCutShort()
	case f.part.FormName() != "file":
		return "", kernel.Invalid("body."+printable(f.part.FormName()), kernel.RuleUnknown, "unknown field; send one field, file")
	}
	return f.part.FileName(), nil
}

// Read reads the content of the file.
func (f *uploadForm) Read(b []byte) (int, error) {
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
			return n, kernel.Invalid("body."+printable(extra.FormName()), kernel.RuleUnknown, "send one file and no other field")
		}
	}
	if err != io.EOF || !f.complete() {
		return n, kernel.Invalid("body.file", kernel.RuleCutShort, "the upload ended early; send it again")
	}
	f.ended = true
	return n, io.EOF
}

// complete reads the rest of the request, which may be white space, and reports whether the form ended with its last line.
// multipart.Reader does not notice if a form is truncated after a part.
func (f *uploadForm) complete() bool {
	rest, err := io.ReadAll(io.LimitReader(f.body, tailBytes))
	return err == nil && len(rest) < tailBytes && bytes.HasSuffix(bytes.TrimRight(f.body.last, " \t\r\n"), f.close)
}

// tailBytes is more than the longest last line of a form, with some white space.
const tailBytes = 256

// tail is a reader that keeps the last bytes.
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
