package servertest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"recado/test/testkit"
)

// Client calls the API with one key.
type Client struct {
	base    string // ends in /v1
	key     string
	cookie  string // name=value of a session, instead of a key
	checker *checker
}

// Answer is a response.
type Answer struct {
	Status int
	Header http.Header
	Raw    []byte
	t      *testing.T
}

// NewClient returns a client of a server in another process. Its responses are not compared with the OpenAPI document.
func NewClient(url, key string) *Client { return &Client{base: url + "/v1", key: key} }

// Base returns the address of the API.
func (c *Client) Base() string { return c.base }

// Secret returns the API key.
func (c *Client) Secret() string { return c.key }

// On returns a client with the same key for the node of another client.
func (c *Client) On(node *Client) *Client {
	return &Client{base: node.base, key: c.key, cookie: c.cookie, checker: c.checker}
}

// Visitor returns a client of the same server without a key or session.
func (c *Client) Visitor() *Client { return &Client{base: c.base, checker: c.checker} }

// WithSession returns a client of the same server with the session cookie of a response.
func (c *Client) WithSession(t *testing.T, a *Answer) *Client {
	t.Helper()
	cookie, _, _ := strings.Cut(a.Header.Get("Set-Cookie"), ";")
	if cookie == "" {
		t.Fatalf("the response sets no cookie: %d %s", a.Status, a.Raw)
	}
	return &Client{base: c.base, cookie: cookie, checker: c.checker}
}

// Enter sets the password of a member through a reset link and returns a client with their session. The client's key
// must be allowed to manage the team.
func (c *Client) Enter(t *testing.T, member, password string) *Client {
	t.Helper()
	link := c.Post(t, "/team/"+member+"/reset-link", nil).OK(200).Text("url")
	_, token, _ := strings.Cut(link, "token=")
	return c.WithSession(t, c.Visitor().Post(t, "/welcome", map[string]string{"token": token, "password": password}).OK(200))
}

// SignIn returns a client with a new session.
func (c *Client) SignIn(t *testing.T, email, password string) *Client {
	t.Helper()
	return c.WithSession(t, c.Visitor().Post(t, "/session", map[string]string{"email": email, "password": password}).OK(200))
}

// As returns a client of the same server with another key.
func (c *Client) As(key string) *Client {
	return &Client{base: c.base, key: key, checker: c.checker}
}

func (c *Client) at(url string) *Client {
	return &Client{base: url + "/v1", key: c.key, checker: c.checker}
}

// Get sends a GET request. In all methods the path is relative to /v1, and a body may be JSON text, bytes, an io.Reader,
// or any value to encode.
func (c *Client) Get(t *testing.T, path string) *Answer { return c.Do(t, "GET", path, nil) }

// Post sends a POST request; headers are name, value, name, value.
func (c *Client) Post(t *testing.T, path string, body any, headers ...string) *Answer {
	return c.Do(t, "POST", path, body, headers...)
}

// Patch sends a PATCH request.
func (c *Client) Patch(t *testing.T, path string, body any, headers ...string) *Answer {
	return c.Do(t, "PATCH", path, body, headers...)
}

// Put sends a PUT request.
func (c *Client) Put(t *testing.T, path string, body any) *Answer { return c.Do(t, "PUT", path, body) }

// Upload uploads a file; headers are name, value, name, value.
func (c *Client) Upload(t *testing.T, name string, content []byte, headers ...string) *Answer {
	t.Helper()
	form, kind := testkit.FileForm(name, string(content))
	return c.Post(t, "/media", form, append(headers, "Content-Type", kind)...)
}

// Delete sends a DELETE request.
func (c *Client) Delete(t *testing.T, path string, headers ...string) *Answer {
	return c.Do(t, "DELETE", path, nil, headers...)
}

// Do sends any request; headers are name, value, name, value.
func (c *Client) Do(t *testing.T, method, path string, body any, headers ...string) *Answer {
	t.Helper()
	var reader io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		reader = strings.NewReader(b)
	case []byte:
		reader = bytes.NewReader(b)
	case io.Reader:
		reader = b
	default:
		encoded, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		reader = bytes.NewReader(encoded)
	}
	r, err := http.NewRequest(method, c.base+path, reader)
	if err != nil {
		t.Fatal(err)
	}
	c.Sign(r)
	if reader != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return c.Send(t, r)
}

// Sign adds the key or the session to a request.
func (c *Client) Sign(r *http.Request) {
	if c.key != "" {
		r.Header.Set("Authorization", "Bearer "+c.key)
	}
	if c.cookie != "" {
		r.Header.Set("Cookie", c.cookie)
		r.Header.Set("Sec-Fetch-Site", "same-origin") // as browsers do
	}
}

// Send sends a request and checks the response against the OpenAPI document.
func (c *Client) Send(t *testing.T, r *http.Request) *Answer {
	t.Helper()
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	c.Check(t, r, resp, raw)
	return &Answer{Status: resp.StatusCode, Header: resp.Header, Raw: raw, t: t}
}

// Check checks a response that the test received itself against the OpenAPI document.
func (c *Client) Check(t *testing.T, r *http.Request, resp *http.Response, raw []byte) {
	t.Helper()
	c.checker.check(t, r, resp, raw)
}

// OK fails the test unless the response has this status.
func (a *Answer) OK(status int) *Answer {
	a.t.Helper()
	if a.Status != status {
		a.t.Fatalf("status %d, want %d: %s", a.Status, status, a.Raw)
	}
	return a
}

// Fails fails the test unless the response is an error with this status and code.
func (a *Answer) Fails(status int, code string) *Answer {
	a.t.Helper()
	a.OK(status)
	if got := a.Text("code"); got != code {
		a.t.Fatalf("code %q, want %q: %s", got, code, a.Raw)
	}
	return a
}

// Into decodes the body.
func (a *Answer) Into(v any) {
	a.t.Helper()
	if err := json.Unmarshal(a.Raw, v); err != nil {
		a.t.Fatalf("%v: %s", err, a.Raw)
	}
}

// At returns the value at a path of field names and list indexes in the body, or nil.
func (a *Answer) At(path ...any) any {
	a.t.Helper()
	var v any
	a.Into(&v)
	for _, step := range path {
		switch s := step.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[s]
		case int:
			l, _ := v.([]any)
			if s >= len(l) {
				return nil
			}
			v = l[s]
		}
	}
	return v
}

// Text returns the string at a path, or "".
func (a *Answer) Text(path ...any) string {
	a.t.Helper()
	s, _ := a.At(path...).(string)
	return s
}

// Int returns the number at a path, or 0.
func (a *Answer) Int(path ...any) int {
	a.t.Helper()
	f, _ := a.At(path...).(float64)
	return int(f)
}

// ID returns the "id" of the body. It fails the test if there is none.
func (a *Answer) ID() string {
	a.t.Helper()
	id := a.Text("id")
	if id == "" {
		a.t.Fatalf("no id: %s", a.Raw)
	}
	return id
}

// List returns the list at a path; "data" without a path. It fails the test if there is none.
func (a *Answer) List(path ...any) []any {
	a.t.Helper()
	if len(path) == 0 {
		path = []any{"data"}
	}
	l, ok := a.At(path...).([]any)
	if !ok {
		a.t.Fatalf("no list at %v: %s", path, a.Raw)
	}
	return l
}
