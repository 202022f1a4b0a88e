// Package whatsapp is a client of Meta's WhatsApp Cloud API: it sends messages, fetches media, parses callbacks and respects
// Meta's rate limits. It stores nothing.
package whatsapp

import (
	"bytes"
	"cmp"
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

// The defaults of a Client.
const (
	DefaultBaseURL = "https://graph.facebook.com"
	DefaultVersion = "v25.0"

	callTimeout   = 30 * time.Second
	uploadTimeout = 10 * time.Minute
	maxResponse   = 1 << 20
)

// Client makes the requests of one WhatsApp number. Its errors are *provider.SendError and depend on Meta's error code, not on
// the HTTP status. It is safe for concurrent use.
type Client struct {
	BaseURL       string // "": DefaultBaseURL
	Version       string // "": DefaultVersion
	PhoneNumberID string
	Token         string
	HTTP          *http.Client // nil: http.DefaultClient; its redirect policy is not used
}

// call is one request to the Graph API.
type call struct {
	method string
	path   []string // unescaped segments after the version
	query  url.Values
	body   io.Reader
	length int64 // of body; -1: unknown
	kind   string
	header http.Header // additional, may be nil
	sends  bool        // without a response it is uncertain whether a message was sent

	// late is called when there is a connection and nothing has been sent. If it returns true the request is cancelled. It may be
	// nil.
	late func() bool
}

// errLate ends a request that was cancelled because it is late.
var errLate = errors.New("whatsapp: the request is late")

// promptBody is the body of a request that is cancelled if it is late. net/http sends the headers with the body, so that
// nothing has been sent when the body is first read.
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

// prompt makes a request check whether it is late.
func prompt(req *http.Request, late func() bool) {
	open := req.GetBody
	req.Body = promptBody{req.Body, late}
	req.GetBody = func() (io.ReadCloser, error) {
		body, err := open()
		return promptBody{body, late}, err
	}
}

// callJSON sends in as JSON and decodes the response into out. Either may be nil.
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
		// A second connection is used only if nothing was sent on the first.
		GetConn: func(string) { wrote.Store(false) },
		// From the first byte of a header on it is uncertain whether Meta got the request.
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
	for name, values := range r.header {
		req.Header[name] = values
	}
	if r.late != nil {
		prompt(req, r.late)
	}
	req.Header.Set("Accept", "application/json")
	c.sign(req)

	resp, err := c.transport().Do(req)
	if errors.Is(err, errLate) {
		return &provider.SendError{
			Code: "unavailable", Message: "The message was not sent because it had waited too long.", Retry: true,
		}
	}
	if err != nil {
		return noResponse(err, r.sends && wrote.Load())
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxResponse))
	if err != nil {
		return noResponse(err, r.sends)
	}
	if failure := judgeResponse(resp, body, r.sends); failure != nil {
		return failure
	}
	if out == nil {
		return nil
	}
	if err := decode(body, out); err != nil {
		return unreadable(err, r.sends)
	}
	return nil
}

// address returns the URL of a request. An id is always a single path segment, so that a stored id cannot send the token
// elsewhere.
func (c *Client) address(path []string, query url.Values) (string, error) {
	base, err := c.base()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(strings.TrimRight(base.String(), "/"))
	for _, segment := range append([]string{cmp.Or(c.Version, DefaultVersion)}, path...) {
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
	base, err := url.Parse(cmp.Or(c.BaseURL, DefaultBaseURL))
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

// transport returns an HTTP client without redirects, so that the token is sent only to the configured address.
func (c *Client) transport() *http.Client {
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	if c.HTTP != nil {
		client.Transport, client.Jar, client.Timeout = c.HTTP.Transport, c.HTTP.Jar, c.HTTP.Timeout
	}
	return &client
}

func refuse(code, message string, cause error) *provider.SendError {
	return &provider.SendError{Code: code, Message: message, Cause: cause}
}

// Number is the state of a WhatsApp number at Meta.
type Number struct {
	ID           string
	DisplayPhone string // as Meta formats it: +55 11 91234-5678
	VerifiedName string
	Status       string // CONNECTED: it can send and receive
	Quality      string // GREEN YELLOW RED NA UNKNOWN
	Throughput   string // STANDARD HIGH
}

// Phone returns the number in E.164, or "" if it is unknown.
func (n Number) Phone() string { return e164(n.DisplayPhone) }

// Number returns the state of the number. It also verifies the credentials: for a token that Meta rejects it returns an error
// with Disconnect set and Meta's own text in ProviderText.
func (c *Client) Number(ctx context.Context) (Number, error) {
	var result struct {
		ID           text `json:"id"`
		DisplayPhone text `json:"display_phone_number"`
		VerifiedName text `json:"verified_name"`
		Status       text `json:"status"`
		Quality      text `json:"quality_rating"`
		Throughput   lenient[struct {
			Level text `json:"level"`
		}] `json:"throughput"`
	}
	err := c.callJSON(ctx, call{
		method: http.MethodGet,
		path:   []string{c.PhoneNumberID},
		query: url.Values{
			"fields": {"id,display_phone_number,verified_name,status,quality_rating,throughput"},
		},
	}, nil, &result)
	if e, ok := errors.AsType[*provider.SendError](err); ok && (e.ProviderCode == 100 || e.ProviderCode == 803) {
		e.Code, e.Message = "number_unknown", "Meta does not know this phone number id, or the access token has no access to it."
	}
	return Number{
		ID: string(result.ID), DisplayPhone: string(result.DisplayPhone), VerifiedName: string(result.VerifiedName),
		Status: string(result.Status), Quality: string(result.Quality),
		Throughput: string(result.Throughput.value.Level),
	}, err
}

// SubscribeApp makes Meta send the callbacks of an account to the app of the token. It removes an address that is set for the
// whole account, so call it before SetCallback.
func (c *Client) SubscribeApp(ctx context.Context, wabaID string) error {
	return c.callJSON(ctx, call{method: http.MethodPost, path: []string{wabaID, "subscribed_apps"}}, nil, nil)
}

// SetCallback sets the address of the callbacks of this number; "" removes it. Meta makes the handshake with that address
// before this call returns.
func (c *Client) SetCallback(ctx context.Context, address, verifyToken string) error {
	config := map[string]any{"override_callback_uri": address}
	if address != "" {
		config["verify_token"] = verifyToken
	}
	return c.callJSON(ctx, call{method: http.MethodPost, path: []string{c.PhoneNumberID}},
		map[string]any{"webhook_configuration": config}, nil)
}

// e164 returns an international phone number in E.164, or "".
func e164(s string) string {
	digits := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
	if len(digits) < 7 || len(digits) > 15 {
		return ""
	}
	return "+" + digits
}
