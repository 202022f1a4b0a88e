package simulator

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestMedia(t *testing.T) {
	g := serve(t, Options{})
	file := &File{Bytes: []byte("0123456789"), MimeType: "application/pdf", Name: "a.pdf"}
	if _, err := g.Receive(Inbound{Customer: "551188887777", Type: "document", File: file}); err != nil {
		t.Fatal(err)
	}
	g.drained()
	var id string
	for id = range g.files {
		break
	}
	_, found := g.call("GET", "/v25.0/"+id, "")
	address := strings.TrimPrefix(found["url"].(string), g.url)
	fetch := func(token, part string) (int, string) {
		req, _ := http.NewRequestWithContext(t.Context(), "GET", g.url+address, nil)
		req.Header.Set("Authorization", "Bearer "+token)
		if part != "" {
			req.Header.Set("Range", part)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(body)
	}
	if status, _ := fetch("wrong", ""); status != 401 {
		t.Errorf("with a wrong token: %d", status)
	}
	if status, body := fetch(DefaultToken, "bytes=2-4"); status != 206 || body != "234" {
		t.Errorf("a range: %d %q", status, body)
	}
	g.Advance(5 * time.Minute)
	if status, _ := fetch(DefaultToken, ""); status != 404 {
		t.Errorf("after five minutes: %d", status)
	}
	if status, out := g.call("GET", "/v25.0/"+id+"?phone_number_id=999", ""); status != 400 || code(out) != 100.0 {
		t.Errorf("by another number: %d %v", status, out)
	}
	g.Advance(7 * 24 * time.Hour)
	if status, out := g.call("GET", "/v25.0/"+id, ""); status != 400 || code(out) != 100.0 {
		t.Errorf("after seven days: %d %v", status, out)
	}
}
