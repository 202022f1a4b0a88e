// Package guard is the one HTTP client for addresses that a customer chose. It refuses everything
// inside the internal network: by the text of the URL before a request, and by the resolved address before a
// socket connects. It limits the time and the bytes that a receiver can use. It only makes POST requests.
package guard

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"
)

const (
	maxURLBytes    = 2048
	maxHeaderBytes = 16 << 10
	maxBodyBytes   = 4 << 10
	maxDrainBytes  = 64 << 10
	defaultTimeout = 8 * time.Second
)

// Options are the choices of an installation; the zero value is the strict client.
type Options struct {
	// AllowInsecure is for development: plain http and internal addresses are let through.
	AllowInsecure bool

	// Timeout is the one deadline over name look-up, connection, TLS, request and answer; 8 s when zero.
	Timeout time.Duration

	// MaxIdlePerHost and MaxIdle bound the connections kept for reuse; 8 and 256 when zero. Open
	// connections are bounded by the caller alone: many customers may share one receiving host, and
	// a bound here would let a slow one use up the deadline of the others.
	MaxIdlePerHost int
	MaxIdle        int

	// RootCAs replaces the system's certificate authorities.
	RootCAs *x509.CertPool

	// UserAgent is sent when the caller's header has none.
	UserAgent string

	// Resolver replaces the pure-Go resolver of the system's name servers.
	Resolver *net.Resolver

	// Control sees every socket that passed the guard just before it connects, and may refuse it.
	// With a fake Resolver it is how tests watch the guard without sending a packet.
	Control func(ctx context.Context, network, address string, c syscall.RawConn) error
}

// Client posts to addresses of customers. It is safe for concurrent use.
type Client struct {
	insecure  bool
	timeout   time.Duration
	userAgent string
	transport *http.Transport
	own       ownAddresses
	control   func(ctx context.Context, network, address string, c syscall.RawConn) error
}

// Result is what a receiver answered. Body holds the first 4 KiB at most.
type Result struct {
	StatusCode int
	Duration   time.Duration
	Body       []byte
}

// New makes a client with its own connections.
func New(o Options) *Client {
	c := &Client{
		insecure:  o.AllowInsecure,
		timeout:   orDefault(o.Timeout, defaultTimeout),
		userAgent: orDefault(o.UserAgent, "Recado"),
		control:   o.Control,
		own:       ownAddresses{list: net.InterfaceAddrs, now: time.Now},
	}
	resolver := o.Resolver
	if resolver == nil {
		// The C library's resolver reads spellings of numbers that Go's does not.
		resolver = &net.Resolver{PreferGo: true}
	}
	dialer := &net.Dialer{Timeout: c.timeout, Resolver: resolver, ControlContext: c.checkSocket}

	// HTTP/1 alone: one connection then carries one request, so a receiver that stalls holds back
	// nothing but itself, and dropping an oversized answer costs no other request its connection.
	var protocols http.Protocols
	protocols.SetHTTP1(true)

	c.transport = &http.Transport{
		Proxy:                  nil, // a proxy would connect in place of this process, past the guard
		DialContext:            c.dialWith(dialer),
		TLSClientConfig:        &tls.Config{RootCAs: o.RootCAs, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    c.timeout,
		Protocols:              &protocols,
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxHeaderBytes,
		MaxIdleConns:           orDefault(o.MaxIdle, 256),
		MaxIdleConnsPerHost:    orDefault(o.MaxIdlePerHost, 8),
		IdleConnTimeout:        30 * time.Second,
	}
	return c
}

// Post sends body to url and waits for the whole answer within the one deadline. Its first 4 KiB are
// kept; one of more than 64 KiB is an error. Redirects are not followed: a 3xx is a status like any other. Every error is an *Error
// that may be shown to the customer. When an answer was cut short, the error comes together with
// the status already received.
func (c *Client) Post(ctx context.Context, url string, header http.Header, body []byte) (Result, error) {
	start := time.Now()
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()

	res, err := c.post(ctx, url, header, body)
	res.Duration = time.Since(start)
	if err != nil {
		return res, classify(ctx, err)
	}
	return res, nil
}

// Close drops the connections kept for reuse.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

func (c *Client) post(ctx context.Context, url string, header http.Header, body []byte) (Result, error) {
	target, err := c.CheckURL(url)
	if err != nil {
		return Result{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, target.String(), bytes.NewReader(body))
	if err != nil {
		return Result{}, err
	}
	for name, values := range header {
		req.Header[name] = values
	}
	if req.Header.Get("User-Agent") == "" {
		req.Header.Set("User-Agent", c.userAgent)
	}

	resp, err := c.transport.RoundTrip(req) // no http.Client above it: nothing here can follow a redirect
	if err != nil {
		return Result{}, err
	}
	defer resp.Body.Close()

	res := Result{StatusCode: resp.StatusCode}
	if resp.StatusCode == http.StatusSwitchingProtocols {
		return res, nil // the body is the raw connection, which no deadline covers
	}
	res.Body, err = readAnswer(resp.Body)
	return res, err
}

var answerBuffers = sync.Pool{New: func() any { return new([2 * maxBodyBytes]byte) }}

// readAnswer gives the first 4 KiB. It reads on to the end, so that the connection can serve again,
// unless that is too far away; then the answer is dropped with its connection.
func readAnswer(r io.Reader) ([]byte, error) {
	buf := answerBuffers.Get().(*[2 * maxBodyBytes]byte)
	defer answerBuffers.Put(buf)

	kept, total := 0, 0
	for {
		n, err := r.Read(buf[kept:])
		total += n
		kept = min(kept+n, maxBodyBytes)
		switch {
		case total > maxDrainBytes:
			return bytes.Clone(buf[:kept]), errTooLarge
		case err == io.EOF:
			return bytes.Clone(buf[:kept]), nil
		case err != nil:
			return bytes.Clone(buf[:kept]), err
		}
	}
}

var errTooLarge = errors.New("the answer is too large")

func orDefault[T comparable](v, fallback T) T {
	var zero T
	if v == zero {
		return fallback
	}
	return v
}
