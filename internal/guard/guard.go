// Package guard is the HTTP client for addresses chosen by customers. It refuses internal addresses: by the text of the
// URL before a request, and by the resolved address before a socket connects. It limits the time and the size of
// responses. It only sends POST requests.
package guard

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
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

// Options configure a Client. The zero value is strict.
type Options struct {
	// AllowInsecure permits plain http and internal addresses, for development.
	AllowInsecure bool

	// Timeout limits a request from name resolution to the end of the response; 8 s when zero.
	Timeout time.Duration

	// MaxIdlePerHost limits the connections kept for reuse; 8 when zero. Open connections are limited only by the
	// caller: customers may share a host, and a slow one must not use up the deadline of others.
	MaxIdlePerHost int

	// RootCAs replaces the certificate authorities of the system.
	RootCAs *x509.CertPool

	// UserAgent is sent when the caller's header has none.
	UserAgent string

	// Resolver replaces the pure-Go resolver.
	Resolver *net.Resolver

	// Control is called for every socket that passed the guard before it connects. It can refuse the connection,
	// so that tests need not send packets.
	Control func(ctx context.Context, network, address string, c syscall.RawConn) error
}

// Client sends POST requests to addresses of customers. It is safe for concurrent use.
type Client struct {
	insecure  bool
	timeout   time.Duration
	userAgent string
	transport *http.Transport
	own       ownAddresses
	control   func(ctx context.Context, network, address string, c syscall.RawConn) error
}

// Result is a response. Body contains at most the first 4 KiB.
type Result struct {
	StatusCode int
	Duration   time.Duration
	Body       []byte
}

// New returns a client with its own connection pool.
func New(o Options) *Client {
	c := &Client{
		insecure:  o.AllowInsecure,
		timeout:   cmp.Or(o.Timeout, defaultTimeout),
		userAgent: cmp.Or(o.UserAgent, "Recado"),
		control:   o.Control,
		own:       ownAddresses{list: net.InterfaceAddrs, now: time.Now},
	}
	resolver := o.Resolver
	if resolver == nil {
		// The resolver of the C library accepts unusual spellings of IP addresses.
		resolver = &net.Resolver{PreferGo: true}
	}
	dialer := &net.Dialer{Timeout: c.timeout, Resolver: resolver, ControlContext: c.checkSocket}

	// With HTTP/1, a stalled receiver or a dropped response affects no other request.
	var protocols http.Protocols
	protocols.SetHTTP1(true)

	c.transport = &http.Transport{
		Proxy:                  nil, // a proxy would bypass the guard
		DialContext:            c.dialWith(dialer),
		TLSClientConfig:        &tls.Config{RootCAs: o.RootCAs, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    c.timeout,
		Protocols:              &protocols,
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxHeaderBytes,
		MaxIdleConns:           256,
		MaxIdleConnsPerHost:    cmp.Or(o.MaxIdlePerHost, 8),
		IdleConnTimeout:        30 * time.Second,
	}
	return c
}

// Post sends body to url and reads the whole response within the timeout. A response over 64 KiB is an error.
// Redirects are not followed. Every error is an *Error that may be shown to the customer. If the response was
// incomplete, the Result contains the status in addition to the error.
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

// Close closes idle connections.
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
	maps.Copy(req.Header, header)
	if req.Header.Get("User-Agent") == "" {
		req.Header.Set("User-Agent", c.userAgent)
	}

	resp, err := c.transport.RoundTrip(req) // unlike http.Client, it never follows redirects
	if err != nil {
		return Result{}, err
	}
	defer resp.Body.Close()

	res := Result{StatusCode: resp.StatusCode}
	if resp.StatusCode == http.StatusSwitchingProtocols {
		return res, nil // the body is the raw connection, without a deadline
	}
	res.Body, err = readBody(resp.Body)
	return res, err
}

var errTooLarge = errors.New("the response is too large")

// readBody returns the first 4 KiB. It reads the rest, up to a limit, so that the connection can be reused.
func readBody(r io.Reader) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r, maxDrainBytes+1))
	if len(body) > maxDrainBytes {
		err = errTooLarge
	}
	return bytes.Clone(body[:min(len(body), maxBodyBytes)]), err
}
