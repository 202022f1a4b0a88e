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
	"slices"
	"strings"
	"syscall"
	"time"

	"recado/internal/kernel"
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
	Header     http.Header
	Duration   time.Duration
	Body       []byte
}

// New returns a client with its own connection pool.
func New(o Options) *Client {
	c := &Client{
		insecure: o.AllowInsecure, timeout: cmp.Or(o.Timeout, defaultTimeout), userAgent: cmp.Or(o.UserAgent, "Recado"),
		control: o.Control, own: ownAddresses{list: net.InterfaceAddrs, now: time.Now},
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
		Proxy: nil, // a proxy would bypass the guard
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			if !c.insecure {
				address = absolute(address)
			}
			return dialer.DialContext(ctx, network, address)
		},
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

	res := Result{StatusCode: resp.StatusCode, Header: resp.Header}
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

// Kind is the class of a failure, the first words of its text.
type Kind string

// All kinds of failure.
const (
	KindCancelled        Kind = "cancelled"
	KindTimeout          Kind = "timeout"
	KindRefusedAddress   Kind = "refused address"
	KindNoPublicAddress  Kind = "no public address"
	KindConnectionFailed Kind = "connection failed"
	KindTLS              Kind = "tls"
	KindHeaderTooLarge   Kind = "header too large"
	KindBadAnswer        Kind = "bad answer"
	KindAnswerTooLarge   Kind = "answer too large"
)

// Error is a failed request. Its text may be shown to the customer and does not reveal the internal network; the
// wrapped cause, for the log, may.
type Error struct {
	Kind   Kind
	reason string // set if the kind has several reasons
	detail string
	cause  error
}

// Code returns the code of the kind, such as refused_address.
func (e *Error) Code() string { return e.Kind.Code() }

// Params returns the reason, if the kind has several.
func (e *Error) Params() kernel.Params {
	if e.reason == "" {
		return kernel.Params{}
	}
	return kernel.Params{"reason": e.reason}
}

// Code returns the kind as a code, such as refused_address.
func (k Kind) Code() string { return strings.ReplaceAll(string(k), " ", "_") }

// Codes returns the reasons of each code.
func Codes() map[string][]string {
	out := map[string][]string{KindRefusedAddress.Code(): Reasons()}
	for _, k := range []Kind{
		KindCancelled, KindTimeout, KindNoPublicAddress, KindAnswerTooLarge,
	} {
		out[k.Code()] = nil
	}
	for _, f := range failures {
		out[f.kind.Code()] = append(out[f.kind.Code()], strings.Fields(f.reason)...)
	}
	return out
}

// Error returns the text of the error.
func (e *Error) Error() string {
	if e.detail == "" {
		return string(e.Kind)
	}
	return string(e.Kind) + ": " + e.detail
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.cause }

// detailNoPublicAddress is the text for a name that does not exist, cannot be resolved, or resolves to an internal
// address. Different texts would reveal which internal names exist.
const detailNoPublicAddress = "the name does not lead to a public address"

func classify(ctx context.Context, err error) *Error {
	failed := func(kind Kind, reason, detail string) *Error {
		return &Error{Kind: kind, reason: reason, detail: detail, cause: err}
	}
	if refused, ok := errors.AsType[*kernel.Error](err); ok {
		reason, _ := refused.Params["reason"].(string)
		return failed(KindRefusedAddress, reason, refused.Message)
	}
	timeout, ok := errors.AsType[net.Error](err)
	switch {
	case errors.Is(err, errRefused):
		return failed(KindNoPublicAddress, "", detailNoPublicAddress)
	case errors.Is(err, errTooLarge):
		return failed(KindAnswerTooLarge, "", "more than 64 KiB")
	case errors.Is(ctx.Err(), context.Canceled):
		return failed(KindCancelled, "", "")
	case ctx.Err() != nil || ok && timeout.Timeout():
		return failed(KindTimeout, "", "no complete response in time")
	case isA[*net.DNSError](err):
		return failed(KindNoPublicAddress, "", detailNoPublicAddress)
	}
	i := slices.IndexFunc(failures, func(f failure) bool { return f.matches(err) })
	return failed(failures[i].kind, failures[i].reason, failures[i].detail)
}

type failure struct {
	kind           Kind
	reason, detail string
	matches        func(err error) bool
}

// failures are the failures of a connection and of a response. The first match applies, and the last one always matches.
var failures = []failure{
	{KindTLS, "unknown_authority", "the certificate is signed by an unknown authority", isA[x509.UnknownAuthorityError]},
	{KindTLS, "other_name", "the certificate is for another name", isA[x509.HostnameError]},
	{KindTLS, "expired", "the certificate has expired or is not yet valid", func(err error) bool {
		invalid, ok := errors.AsType[x509.CertificateInvalidError](err)
		return ok && invalid.Reason == x509.Expired
	}},
	{KindTLS, "invalid", "the certificate is not valid", isA[x509.CertificateInvalidError]},
	{KindTLS, "unverified", "the certificate could not be verified", isA[*tls.CertificateVerificationError]},
	{KindTLS, "no_tls", "the receiver does not speak TLS", isA[tls.RecordHeaderError]},
	{KindTLS, "handshake", "the handshake failed", says("tls: ", "HTTP response to HTTPS client")},
	// net/http has no types for these two.
	{KindHeaderTooLarge, "", "more than 16 KiB of header", says("response headers exceeded")},
	{KindBadAnswer, "", "not an HTTP response", says("malformed", "invalid header")},
	{KindConnectionFailed, "nobody_listens", "the connection was refused", is(syscall.ECONNREFUSED)},
	{KindConnectionFailed, "no_route", "no route", is(syscall.ENETUNREACH, syscall.EHOSTUNREACH)},
	{KindConnectionFailed, "lost", "the connection was lost", says("")},
}

// says matches errors that contain one of the texts.
func says(texts ...string) func(err error) bool {
	return func(err error) bool {
		return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(err.Error(), text) })
	}
}

func is(targets ...error) func(err error) bool {
	return func(err error) bool {
		return slices.ContainsFunc(targets, func(target error) bool { return errors.Is(err, target) })
	}
}

func isA[T error](err error) bool {
	_, ok := errors.AsType[T](err)
	return ok
}
