package httpserver

import (
	"context"
	"crypto/sha256"
	"io"
	"net/http"
	"time"
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
	control, end := http.NewResponseController(c.writer), time.Now().Add(uploadTimeout)
	_, _ = control.SetReadDeadline(end), control.SetWriteDeadline(end.Add(time.Minute))
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

// readUpload reads the uploaded file unless the verb has read it, to compute the hash of its name and content. The hash does
// not include the boundary of the form, which changes with each attempt.
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

// describeUpload describes the request body of an upload.
func describeUpload(op map[string]any) {
	op["requestBody"] = map[string]any{
		"required": true,
		"content": map[string]any{"multipart/form-data": map[string]any{"schema": map[string]any{
			"type": "object", "required": []string{"file"}, "additionalProperties": false,
			"properties": map[string]any{"file": map[string]any{"type": "string", "format": "binary"}},
		}}},
	}
}
