package httpserver

import (
	"context"
	"crypto/sha256"
	"io"
	"net/http"
	"time"
)

// uploadTime is how long the largest file may take: longer than any other request, and still an end.
const uploadTime = 10 * time.Minute

// OpenUpload begins to read the uploaded file of the request of a context.
func OpenUpload(ctx context.Context) (name string, file io.Reader, err error) {
	return callFrom(ctx).openUpload()
}

// openUpload begins to read the form of an upload, and gives it the time that the largest file may take.
func (c *call) openUpload() (name string, file io.Reader, err error) {
	form, err := NewForm(c.request)
	if err != nil {
		return "", nil, err
	}
	control, end := http.NewResponseController(c.writer), time.Now().Add(uploadTime)
	_, _ = control.SetReadDeadline(end), control.SetWriteDeadline(end.Add(time.Minute))
	if name, err = form.File(); err != nil {
		return "", nil, err
	}
	if c.request.Header[headerIdempotencyKey] == nil {
		return name, form, nil
	}
	c.body = sha256.New()
	_, _ = io.WriteString(c.body, name+"\n")
	return name, io.TeeReader(io.LimitReader(form, c.route.uploadLimit+1), c.body), nil
}

// readUpload reads the uploaded file unless the verb has, so that c.body has its name and its bytes: the boundary of the form
// changes with each attempt.
func (c *call) readUpload() error {
	if c.body != nil {
		return nil
	}
	_, file, err := c.openUpload()
	if err == nil {
		_, err = io.Copy(io.Discard, file)
	}
	return err
}

// describeUpload documents the body of an operation that takes a file.
func describeUpload(op map[string]any) {
	op["requestBody"] = map[string]any{
		"required": true,
		"content": map[string]any{"multipart/form-data": map[string]any{"schema": map[string]any{
			"type": "object", "required": []string{"file"}, "additionalProperties": false,
			"properties": map[string]any{"file": map[string]any{"type": "string", "format": "binary"}},
		}}},
	}
}
