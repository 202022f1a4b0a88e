package load

import (
	"bytes"
	"io"
	"net/http"
	"time"
)

// Request is one call of a server.
type Request struct {
	Method, Path string // from /v1 on
	Header       map[string]string
	Body         []byte
	Repeatable   bool // doing it twice is the same as once
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
