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
	reason string // a more precise name, where the kind has several
	detail string
	cause  error
}

// Code returns the kind in the form of a code: refused_address.
func (e *Error) Code() string { return e.Kind.Code() }

// Params returns what a program needs beside the code: reason, where there are several.
func (e *Error) Params() kernel.Params {
	if e.reason == "" {
		return kernel.Params{}
	}
	return kernel.Params{"reason": e.reason}
}

// Code returns the kind in the form of a code: refused_address.
func (k Kind) Code() string { return strings.ReplaceAll(string(k), " ", "_") }

// Codes returns the codes of all kinds of failure, each with its reasons.
func Codes() map[string][]string {
	out := map[string][]string{KindRefusedAddress.Code(): Reasons()}
	for _, k := range []Kind{KindCancelled, KindTimeout, KindNoPublicAddress, KindHeaderTooLarge, KindBadAnswer, KindAnswerTooLarge} {
		out[k.Code()] = nil
	}
	for _, d := range tlsDetails {
		out[KindTLS.Code()] = append(out[KindTLS.Code()], d.reason)
	}
	for _, d := range connectionDetails {
		out[KindConnectionFailed.Code()] = append(out[KindConnectionFailed.Code()], d.reason)
	}
	return out
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
	kind, why := kindOf(ctx, err)
	return &Error{Kind: kind, reason: why.reason, detail: why.message, cause: err}
}

func kindOf(ctx context.Context, err error) (Kind, refusal) {
	if refused, ok := errors.AsType[*kernel.Error](err); ok {
		reason, _ := refused.Params["reason"].(string)
		return KindRefusedAddress, refusal{reason, refused.Message}
	}
	if errors.Is(err, errRefused) {
		return KindNoPublicAddress, refusal{"", detailNoPublicAddress}
	}
	if errors.Is(err, errTooLarge) {
		return KindAnswerTooLarge, refusal{"", "more than 64 KiB"}
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return KindCancelled, refusal{}
	}
	if n, ok := errors.AsType[net.Error](err); ctx.Err() != nil || ok && n.Timeout() {
		return KindTimeout, refusal{"", "no complete answer in time"}
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return KindNoPublicAddress, refusal{"", detailNoPublicAddress}
	}
	if detail, ok := tlsDetail(err); ok {
		return KindTLS, detail
	}
	// net/http has no types for these two.
	if strings.Contains(err.Error(), "response headers exceeded") {
		return KindHeaderTooLarge, refusal{"", "more than 16 KiB of header"}
	}
	if strings.Contains(err.Error(), "malformed") || strings.Contains(err.Error(), "invalid header") {
		return KindBadAnswer, refusal{"", "not an HTTP answer"}
	}
	return KindConnectionFailed, connectionDetail(err)
}

// tlsDetails are the reasons of KindTLS. The first one whose test holds applies.
var tlsDetails = []struct {
	refusal
	is func(err error) bool
}{
	{refusal{"unknown_authority", "the certificate is signed by an unknown authority"}, isA[x509.UnknownAuthorityError]},
	{refusal{"other_name", "the certificate is for another name"}, isA[x509.HostnameError]},
	{refusal{"expired", "the certificate has expired or is not yet valid"}, func(err error) bool {
		invalid, ok := errors.AsType[x509.CertificateInvalidError](err)
		return ok && invalid.Reason == x509.Expired
	}},
	{refusal{"invalid", "the certificate is not valid"}, isA[x509.CertificateInvalidError]},
	{refusal{"unverified", "the certificate could not be verified"}, isA[*tls.CertificateVerificationError]},
	{refusal{"no_tls", "the receiver does not speak TLS"}, isA[tls.RecordHeaderError]},
	{refusal{"handshake", "the handshake failed"}, func(err error) bool {
		return strings.Contains(err.Error(), "tls: ") || strings.Contains(err.Error(), "HTTP response to HTTPS client")
	}},
}

func isA[T error](err error) bool {
	_, ok := errors.AsType[T](err)
	return ok
}

func tlsDetail(err error) (refusal, bool) {
	for _, d := range tlsDetails {
		if d.is(err) {
			return d.refusal, true
		}
	}
	return refusal{}, false
}

// connectionDetails are the reasons of KindConnectionFailed.
var connectionDetails = []refusal{nobodyListens, noRoute, connectionLost}

var (
	nobodyListens  = refusal{"nobody_listens", "nothing listens there"}
	noRoute        = refusal{"no_route", "no route"}
	connectionLost = refusal{"lost", "the connection was lost"}
)

func connectionDetail(err error) refusal {
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return nobodyListens
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH):
		return noRoute
	}
	return connectionLost
}
