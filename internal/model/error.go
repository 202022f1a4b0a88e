package model

import (
	"errors"
	"fmt"
	"time"
)

// Code names what went wrong in the words of the API. HTTP statuses belong to package api alone.
type Code string

// Every code a caller may meet.
const (
	CodeInvalidRequest       Code = "invalid_request"
	CodeInvalidJSON          Code = "invalid_json"
	CodeInvalidCursor        Code = "invalid_cursor"
	CodeIdempotencyRequired  Code = "idempotency_key_required"
	CodeIdempotencyInvalid   Code = "idempotency_key_invalid"
	CodeURLNotAllowed        Code = "url_not_allowed"
	CodeMediaTypeNotAllowed  Code = "media_type_not_allowed"
	CodeKeyMissing           Code = "key_missing"
	CodeKeyInvalid           Code = "key_invalid"
	CodeKeyExpired           Code = "key_expired"
	CodeKeyRevoked           Code = "key_revoked"
	CodeSessionMissing       Code = "session_missing"
	CodeLoginFailed          Code = "login_failed"
	CodeCodeRequired         Code = "code_required"
	CodeCodeInvalid          Code = "code_invalid"
	CodeInsufficientScope    Code = "insufficient_scope"
	CodeInsufficientRole     Code = "insufficient_role"
	CodeSessionRequired      Code = "session_required"
	CodeSessionChanged       Code = "session_changed"
	CodeCrossOrigin          Code = "cross_origin"
	CodeNotFound             Code = "not_found"
	CodeMethodNotAllowed     Code = "method_not_allowed"
	CodeVersionConflict      Code = "version_conflict"
	CodeIdempotencyConflict  Code = "idempotency_conflict"
	CodeIdempotencyPending   Code = "idempotency_pending"
	CodeClientIDConflict     Code = "client_id_conflict"
	CodeContactExists        Code = "contact_exists"
	CodeAttendanceNotOpen    Code = "attendance_not_open"
	CodeAttendanceRestricted Code = "attendance_restricted"
	CodeNotVisible           Code = "not_visible"
	CodeCompanyRequired      Code = "company_required"
	CodeTwoFactorActive      Code = "two_factor_active"
	CodeContactBlocked       Code = "contact_blocked"
	CodeChannelArchived      Code = "channel_archived"
	CodeChannelDisconnected  Code = "channel_disconnected"
	CodeServiceWindowClosed  Code = "service_window_closed"
	CodeMessageNotSent       Code = "message_not_sent"
	CodeTemplateUnavailable  Code = "template_unavailable"
	CodeNotScheduled         Code = "not_scheduled"
	CodeNotASectorMember     Code = "not_a_sector_member"
	CodeWebhookLimit         Code = "webhook_limit"
	CodeLimitReached         Code = "limit_reached"
	CodeStageNotEmpty        Code = "stage_not_empty"
	CodeInUse                Code = "in_use"
	CodeNameTaken            Code = "name_taken"
	CodeBodyTooLarge         Code = "body_too_large"
	CodeMediaTooLarge        Code = "media_too_large"
	CodeVersionRequired      Code = "version_required"
	CodeRateLimited          Code = "rate_limited"
	CodeInternal             Code = "internal"
	CodeUnavailable          Code = "unavailable"
	CodeUncertain            Code = "uncertain"
	CodeStorageFull          Code = "storage_full"
)

// Error is the one error type that reaches a caller. Message is a sentence a person can act on.
type Error struct {
	Code       Code
	Message    string
	Params     map[string]any // what a program needs beside the code
	Fields     []FieldError
	RetryAfter time.Duration
}

// FieldError says what is wrong with one part of a request: "body.phone", "query.limit".
type FieldError struct {
	Field   string
	Message string
	Value   string // to give instead, where there is a choice
}

// Error gives the text of the error.
func (e *Error) Error() string { return string(e.Code) + ": " + e.Message }

// Errorf makes an Error with a formatted message.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Invalid is a 400 about one field, or about the whole request when field is empty.
func Invalid(field, message string) *Error {
	e := &Error{Code: CodeInvalidRequest, Message: message}
	if field != "" {
		e.Message = field + ": " + message
		e.Fields = []FieldError{{Field: field, Message: message}}
	}
	return e
}

// StorageFull is the error for a change that the disk of the server has no room for. Nothing of it is stored.
func StorageFull() *Error {
	return &Error{Code: CodeStorageFull, Message: "The disk of the server is full. Nothing was stored. Try again when there is space.", RetryAfter: 30 * time.Second}
}

// NotFound is the answer for what does not exist and for what the caller may not know of.
func NotFound(what string) *Error {
	return Errorf(CodeNotFound, "There is no such %s.", what)
}

// CodeOf gives the code of the Error in err's chain, or "internal".
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return CodeInternal
}
