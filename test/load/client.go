package load

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"testing"
	"time"
)

// Request is an API request.
type Request struct {
	Method, Path string // from /v1 on
	Header       map[string]string
	Body         []byte
	Repeatable   bool // whether it is idempotent
}

// NewRequest returns a request below /v1 with a key, if it is not empty. A body is JSON text or any value to encode;
// headers are name, value, name, value.
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

// Answer is a response.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// API sends requests to a server. It returns false if there is no response or the outcome is unknown.
type API interface {
	Call(r Request) (Answer, bool)
}

// Must sends a request that must succeed and returns the decoded response.
func Must(t testing.TB, api API, r Request) map[string]any {
	t.Helper()
	a, ok := api.Call(r)
	if !ok || a.Status >= 300 {
		t.Fatalf("%s %s: %d %s", r.Method, r.Path, a.Status, a.Body)
	}
	return decode(a.Body)
}

// Single is the API of one server, which may be down. It does not retry. After a 503 the outcome is unknown.
type Single string

// Call sends the request.
func (s Single) Call(r Request) (Answer, bool) {
	a, err := Send(string(s), r)
	return a, err == nil && a.Status != http.StatusServiceUnavailable
}

var client = &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 16}}

// Send sends a request once. The error means that there was no complete response.
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
	if resp.Close { // net/http removes the header
		resp.Header.Set("Connection", "close")
	}
	return Answer{resp.StatusCode, resp.Header, raw}, nil
}
