package testkit

import (
	"bytes"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
)

// Serve starts a server with the handler until the test ends and returns its URL.
func Serve(t testing.TB, handler http.Handler) string {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL
}

// Form returns a form with fields, a file after them, and the content type of the form.
func Form(fields url.Values, file, content string) (form []byte, contentType string) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for name, values := range fields {
		for _, value := range values {
			_ = w.WriteField(name, value)
		}
	}
	part, _ := w.CreateFormFile("file", file)
	_, _ = io.WriteString(part, content)
	_ = w.Close()
	return b.Bytes(), w.FormDataContentType()
}

// FileForm returns the form of an upload with these files (name, content, name, content) and its content type.
func FileForm(namesAndContents ...string) (form []byte, contentType string) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for i := 0; i < len(namesAndContents); i += 2 {
		part, _ := w.CreateFormFile("file", namesAndContents[i])
		_, _ = io.WriteString(part, namesAndContents[i+1])
	}
	_ = w.Close()
	return b.Bytes(), w.FormDataContentType()
}
