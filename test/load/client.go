package load

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"testing"
	"time"
)

// Request is one call of a server.
type Request struct {
	Method, Path string // from /v1 on
	Header       map[string]string
	Body         []byte
	Repeatable   bool // doing it twice is the same as once
}

// NewRequest is a call below /v1 with a key, unless that is "". A body is a text of JSON, or any value to encode; headers are
// name, value, name, value.
func NewRequest(key, method, path string, body any, headers ...string) Request {
	r := Request{Method: method, Path: "/v1" + path, Header: map[string]string{}}
	if key != "" {
		r.Header["Authorization"] = "Bearer " + key
	}
	if text, ok := body.(string); ok {
		r.Body = []byte(text)
	} else if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			panic(err)
		}
		r.Body = encoded
	}
	if len(r.Body) > 0 {
		r.Header["Content-Type"] = "application/json"
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header[headers[i]] = headers[i+1]
	}
	fields, _ := body.(map[string]any)
	r.Repeatable = method == "GET" || r.Header["Idempotency-Key"] != "" || fields["client_id"] != nil
	return r
}

// Answer is what a server said.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// API sends calls to a server. It reports false when no answer came, or one that leaves the outcome open.
type API interface {
	Call(r Request) (Answer, bool)
}

// Must makes a call that has to succeed, and gives its decoded answer.
func Must(t testing.TB, api API, r Request) map[string]any {
	t.Helper()
	a, ok := api.Call(r)
	if !ok || a.Status >= 300 {
		t.Fatalf("%s %s: %d %s", r.Method, r.Path, a.Status, a.Body)
	}
	return decode(a.Body)
}

// Single is the API of one server, which may be dead: it tries once. A 503 leaves the outcome open.
type Single string

// Call makes the request.
func (s Single) Call(r Request) (Answer, bool) {
	a, err := Send(string(s), r)
	return a, err == nil && a.Status != http.StatusServiceUnavailable
}

var client = &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 16}}

// Send makes one attempt at a request. The error means that no answer, or only a part of one, came.
func Send(url string, r Request) (Answer, error) {
	var body io.Reader
	if r.Body != nil {
		body = bytes.NewReader(r.Body)
	}
	req, err := http.NewRequest(r.Method, url+r.Path, body)
	if err != nil {
		panic(err)
	}
	for name, value := range r.Header {
		req.Header.Set(name, value)
	}
	resp, err := client.Do(req)
	if err != nil {
		return Answer{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return Answer{}, err
	}
	if resp.Close { // net/http takes the header away
		resp.Header.Set("Connection", "close")
	}
	return Answer{resp.StatusCode, resp.Header, raw}, nil
}
