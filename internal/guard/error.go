package guard

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"strings"
	"syscall"

	"recado/internal/kernel"
)

// Kind is the class of a failure, in the words at the beginning of its text.
type Kind string

// Every kind of failure.
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

// Error is a failed request. Its text is short and tells the customer nothing about the internal network;
// the cause behind it, for the log, may.
type Error struct {
	Kind   Kind
	detail string
	cause  error
}

// Error gives the text of the error.
func (e *Error) Error() string {
	if e.detail == "" {
		return string(e.Kind)
	}
	return string(e.Kind) + ": " + e.detail
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.cause }

// detailNoPublicAddress is the one text for a name that does not exist, cannot be looked up, or leads to an
// internal network: different texts would let a customer find out which names exist there.
const detailNoPublicAddress = "the name does not lead to a public address"

func classify(ctx context.Context, err error) *Error {
	kind, detail := kindOf(ctx, err)
	return &Error{Kind: kind, detail: detail, cause: err}
}

func kindOf(ctx context.Context, err error) (Kind, string) {
	if refusal, ok := errors.AsType[*kernel.Error](err); ok {
		return KindRefusedAddress, refusal.Message
	}
	if errors.Is(err, errRefused) {
		return KindNoPublicAddress, detailNoPublicAddress
	}
	if errors.Is(err, errTooLarge) {
		return KindAnswerTooLarge, "more than 64 KiB"
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return KindCancelled, ""
	}
	if n, ok := errors.AsType[net.Error](err); ctx.Err() != nil || ok && n.Timeout() {
		return KindTimeout, "no complete answer in time"
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return KindNoPublicAddress, detailNoPublicAddress
	}
	if detail, ok := tlsDetail(err); ok {
		return KindTLS, detail
	}
	// net/http has no types for these two.
	if strings.Contains(err.Error(), "response headers exceeded") {
		return KindHeaderTooLarge, "more than 16 KiB of header"
	}
	if strings.Contains(err.Error(), "malformed") || strings.Contains(err.Error(), "invalid header") {
		return KindBadAnswer, "not an HTTP answer"
	}
	return KindConnectionFailed, connectionDetail(err)
}

func tlsDetail(err error) (string, bool) {
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return "the certificate is signed by an unknown authority", true
	}
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return "the certificate is for another name", true
	}
	if invalid, ok := errors.AsType[x509.CertificateInvalidError](err); ok {
		if invalid.Reason == x509.Expired {
			return "the certificate has expired or is not yet valid", true
		}
		return "the certificate is not valid", true
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return "the certificate could not be verified", true
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return "the receiver does not speak TLS", true
	}
	if strings.Contains(err.Error(), "tls: ") || strings.Contains(err.Error(), "HTTP response to HTTPS client") {
		return "the handshake failed", true
	}
	return "", false
}

func connectionDetail(err error) string {
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nothing listens there"
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH):
		return "no route"
	}
	return "the connection was lost"
}
