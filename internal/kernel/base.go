package kernel

import (
	"time"

	"recado/internal/kernel/base"
)

// These types are declared in package base because package db uses them too.
type (
	// ID identifies everything that is stored.
	ID = base.ID
	// Code is an error code of the API.
	Code = base.Code
	// Error is the error type for clients of the API.
	Error = base.Error
	// FieldError describes an invalid part of a request.
	FieldError = base.FieldError
	// Params are the parameters of an error code.
	Params = base.Params
)

// MaxID is greater than every other id.
var MaxID = base.MaxID

// Codes that package db uses too.
const (
	CodeInvalidRequest = base.CodeInvalidRequest
	CodeNotFound       = base.CodeNotFound
	CodeInternal       = base.CodeInternal
	CodeUnavailable    = base.CodeUnavailable
	CodeUncertain      = base.CodeUncertain
	CodeStorageFull    = base.CodeStorageFull
)

// NewID returns a new id. Ids sort by creation time.
func NewID() ID { return base.NewID() }

// NewIDAt returns a new id that sorts as if it had been created at t.
func NewIDAt(t time.Time) ID { return base.NewIDAt(t) }

// FirstIDOf returns the smallest id of the millisecond of t.
func FirstIDOf(t time.Time) ID { return base.FirstIDOf(t) }

// ParseID parses the text form of an id.
func ParseID(s string) (ID, bool) { return base.ParseID(s) }

// Errorf returns an Error with a formatted message.
func Errorf(code Code, format string, args ...any) *Error { return base.Errorf(code, format, args...) }

// StorageFull returns the error for a change that does not fit on the server's disk.
func StorageFull() *Error { return base.StorageFull() }

// NotFound returns the error for something that does not exist or that the caller may not see.
func NotFound(what string) *Error { return base.NotFound(what) }

// CodeOf returns the code of the Error in err's chain, or "internal".
func CodeOf(err error) Code { return base.CodeOf(err) }
