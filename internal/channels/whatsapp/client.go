// Package whatsapp is a client of Meta's WhatsApp Cloud API: it sends, fetches media, parses callbacks and keeps to Meta's
// limits. It stores nothing.
package whatsapp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"

	"recado/internal/channels/provider"
)

// What a Client uses when its fields are empty.
const (
	DefaultBaseURL = "https://graph.facebook.com"
	DefaultVersion = "v25.0"

	callTimeout   = 30 * time.Second
	uploadTimeout = 10 * time.Minute
	maxAnswer     = 1 << 20
)

// Client acts for one WhatsApp number. Every error it returns is a *provider.SendError, judged by the
// code that Meta put in it and never by the HTTP status. It is safe for concurrent use.
type Client struct {
	BaseURL       string // DefaultBaseURL when empty
	Version       string // DefaultVersion when empty
	PhoneNumberID string
	Token         string
	HTTP          *http.Client // http.DefaultClient when nil; its redirect policy is not used
}

// call is one request to the Graph API.
type call struct {
	method string
	path   []string // unescaped segments after the version
	query  url.Values
	body   io.Reader
	length int64 // of body; -1 when unknown
	kind   string
	sends  bool // whether an answer that does not arrive leaves a message in doubt

	// late is asked when the connection is there and nothing has been sent; true keeps the call back. nil: it may always
	// be made.
	late func() bool
}

// errLate ends a call that was kept back.
var errLate = errors.New("whatsapp: a call was kept back")

// promptBody is the body of a call that is kept back when it is late. net/http sends the headers with the body, so that
// nothing has left when the body is first read.
type promptBody struct {
	io.ReadCloser
	late func() bool
}

func (b promptBody) Read(p []byte) (int, error) {
	if b.late() {
		return 0, errLate
	}
	return b.ReadCloser.Read(p)
}

// prompt lets a request ask whether it is late.
func prompt(req *http.Request, late func() bool) {
	open := req.GetBody
	req.Body = promptBody{req.Body, late}
	req.GetBody = func() (io.ReadCloser, error) {
		body, err := open()
		return promptBody{body, late}, err
	}
}

// callJSON sends in as JSON and decodes the answer into out. Either may be nil.
func (c *Client) callJSON(ctx context.Context, r call, in, out any) error {
	if in != nil {
		body, err := json.Marshal(in, json.Deterministic(true))
		if err != nil {
			return refuse("invalid_request", "The message cannot be written as JSON.", err)
		}
		r.body, r.length, r.kind = bytes.NewReader(body), int64(len(body)), "application/json"
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	return c.do(ctx, r, out)
}

func (c *Client) do(ctx context.Context, r call, out any) error {
	address, err := c.address(r.path, r.query)
	if err != nil {
		return err
	}
	var wrote atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		// A second connection is tried only where the first one took nothing.
		GetConn: func(string) { wrote.Store(false) },
		// The first byte of a header may reach the other side: from here on nothing is certain.
		WroteHeaderField: func(string, []string) { wrote.Store(true) },
		WroteHeaders:     func() { wrote.Store(true) },
	})
	req, err := http.NewRequestWithContext(ctx, r.method, address, r.body)
	if err != nil {
		return refuse("invalid_request", "The address of the WhatsApp API is not usable.", err)
	}
	if r.body != nil {
		req.ContentLength = r.length
		req.Header.Set("Content-Type", r.kind)
	}
	if r.late != nil {
		prompt(req, r.late)
	}
	req.Header.Set("Accept", "application/json")
	c.sign(req)

	resp, err := c.transport().Do(req)
	if errors.Is(err, errLate) {
		return &provider.SendError{Code: "unavailable", Message: "The message was kept back: it had waited too long on its way out.", Retry: true}
	}
	if err != nil {
		return unanswered(err, r.sends && wrote.Load())
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return unanswered(err, r.sends)
	}
	if failure := judgeAnswer(resp, answer, r.sends); failure != nil {
		return failure
	}
	if out == nil {
		return nil
	}
	if err := decode(answer, out); err != nil {
		return unreadable(err, r.sends)
	}
	return nil
}

// address puts an address together. An id is one path segment whatever it holds, so that a stored id
// cannot lead the token elsewhere.
func (c *Client) address(path []string, query url.Values) (string, error) {
	base, err := c.base()
	if err != nil {
		return "", err
	}
	version := c.Version
	if version == "" {
		version = DefaultVersion
	}
	var b strings.Builder
	b.WriteString(strings.TrimRight(base.String(), "/"))
	for _, segment := range append([]string{version}, path...) {
		if !plainSegment(segment) {
			return "", refuse("invalid_request", fmt.Sprintf("%q cannot be an id of the WhatsApp API.", segment), nil)
		}
		b.WriteByte('/')
		b.WriteString(url.PathEscape(segment))
	}
	if len(query) > 0 {
		b.WriteByte('?')
		b.WriteString(query.Encode())
	}
	return b.String(), nil
}

func plainSegment(s string) bool {
	return s != "" && s != "." && s != ".." && len(s) <= 512 && !strings.ContainsAny(s, "/\\\x00")
}

func (c *Client) base() (*url.URL, error) {
	address := c.BaseURL
	if address == "" {
		address = DefaultBaseURL
	}
	base, err := url.Parse(address)
	if err != nil || base.Host == "" || (base.Scheme != "https" && base.Scheme != "http") ||
		base.User != nil || base.RawQuery != "" || base.Fragment != "" {
		return nil, refuse("invalid_request", "The address of the WhatsApp API is not usable.", err)
	}
	return base, nil
}

func (c *Client) sign(req *http.Request) {
	req.Header.Set("Authorization", "Bearer "+c.Token)
	req.Header.Set("User-Agent", "recado")
}

// transport is the client's own, without redirects: the token is sent to the configured address only.
func (c *Client) transport() *http.Client {
	own := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	if c.HTTP != nil {
		own.Transport, own.Jar, own.Timeout = c.HTTP.Transport, c.HTTP.Jar, c.HTTP.Timeout
	}
	return &own
}

func refuse(code, message string, cause error) *provider.SendError {
	return &provider.SendError{Code: code, Message: message, Cause: cause}
}
