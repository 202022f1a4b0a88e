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
		KindCancelled, KindTimeout, KindNoPublicAddress, KindHeaderTooLarge, KindBadAnswer, KindAnswerTooLarge,
	} {
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
		return KindTimeout, refusal{"", "no complete response in time"}
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return KindNoPublicAddress, refusal{"", detailNoPublicAddress}
	}
	for _, d := range tlsDetails {
		if d.matches(err) {
			return KindTLS, d.refusal
		}
	}
	// net/http has no types for these two.
	if strings.Contains(err.Error(), "response headers exceeded") {
		return KindHeaderTooLarge, refusal{"", "more than 16 KiB of header"}
	}
	if strings.Contains(err.Error(), "malformed") || strings.Contains(err.Error(), "invalid header") {
		return KindBadAnswer, refusal{"", "not an HTTP response"}
	}
	return KindConnectionFailed, connectionDetail(err)
}

// tlsDetails are the reasons of KindTLS. The first match applies.
var tlsDetails = []struct {
	refusal
	matches func(err error) bool
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

// connectionDetails are the reasons of KindConnectionFailed.
var connectionDetails = []refusal{nobodyListens, noRoute, connectionLost}

var (
	nobodyListens  = refusal{"nobody_listens", "the connection was refused"}
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
