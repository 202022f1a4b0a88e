package base

import (
	"errors"
	"fmt"
	"maps"
	"time"
)

// Code is an error code of the API. Package httpserver maps codes to HTTP statuses.
type Code string

// Codes that the packages below the kernel use. Package kernel declares the others.
const (
	CodeInvalidRequest Code = "invalid_request"
	CodeNotFound       Code = "not_found"
	CodeInternal       Code = "internal"
	CodeUnavailable    Code = "unavailable"
	CodeUncertain      Code = "uncertain"
	CodeStorageFull    Code = "storage_full"
)

// Params are the parameters that a client needs to translate a code: numbers, strings and lists of strings. Durations are
// in seconds.
type Params = map[string]any

// Error is the error type for clients of the API. Message is a sentence for people.
type Error struct {
	Code       Code
	Message    string
	Params     Params
	Fields     []FieldError
	RetryAfter time.Duration
}

// FieldError describes an invalid part of a request.
type FieldError struct {
	Field   string // such as "body.phone" or "query.limit"
	Code    string // of a Rule
	Params  Params
	Message string
	Value   string // a valid value, if there is an obvious one
}

// Cause returns the params for another error that was caused by this one: the same params, and its code as "cause".
func (f FieldError) Cause() Params {
	cause := Params{"cause": f.Code}
	maps.Copy(cause, f.Params)
	return cause
}

// Error returns the text of the error.
func (e *Error) Error() string { return string(e.Code) + ": " + e.Message }

// Errorf returns an Error with a formatted message.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// StorageFull returns the error for a change that does not fit on the server's disk. Nothing was stored.
func StorageFull() *Error {
	return &Error{
		Code: CodeStorageFull, RetryAfter: 30 * time.Second,
		Message: "The disk of the server is full. Nothing was stored. Try again when there is space.",
	}
}

// NotFound returns the error for something that does not exist or that the caller may not see.
func NotFound(what string) *Error {
	return Errorf(CodeNotFound, "There is no such %s.", what)
}

// CodeOf returns the code of the Error in err's chain, or "internal".
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return CodeInternal
}
