package base

import (
	"errors"
	"fmt"
	"maps"
	"time"
)

// Code names what went wrong in the words of the API. Only package httpserver knows HTTP statuses.
type Code string

// The codes that the database uses too; package kernel has the others.
const (
	CodeInvalidRequest Code = "invalid_request"
	CodeNotFound       Code = "not_found"
	CodeInternal       Code = "internal"
	CodeUnavailable    Code = "unavailable"
	CodeUncertain      Code = "uncertain"
	CodeStorageFull    Code = "storage_full"
)

// Params are what a program needs beside a code to put it into words: numbers, strings and lists of strings. Durations
// are seconds.
type Params = map[string]any

// Error is the one error type that reaches a caller. Message is a sentence a person can act on.
type Error struct {
	Code       Code
	Message    string
	Params     Params // what a program needs beside the code
	Fields     []FieldError
	RetryAfter time.Duration
}

// FieldError says what is wrong with one part of a request: "body.phone", "query.limit".
type FieldError struct {
	Field   string
	Code    string // of a Rule
	Params  Params
	Message string
	Value   string // to give instead, where there is a choice
}

// Cause returns the params for an error with another code that was caused by this one: its own params, and its code as "cause".
func (f FieldError) Cause() Params {
	cause := Params{"cause": f.Code}
	maps.Copy(cause, f.Params)
	return cause
}

// Error returns the text of the error.
func (e *Error) Error() string { return string(e.Code) + ": " + e.Message }

// Errorf makes an Error with a formatted message.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
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
