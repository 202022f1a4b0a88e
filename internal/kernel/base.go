package kernel

import (
	"time"

	"recado/internal/kernel/base"
)

// What the database needs too is declared in package base.
type (
	// ID identifies everything that is stored.
	ID = base.ID
	// Code names what went wrong in the words of the API.
	Code = base.Code
	// Error is the one error type that reaches a caller.
	Error = base.Error
	// FieldError says what is wrong with one part of a request.
	FieldError = base.FieldError
	// Params are what a program needs beside a code.
	Params = base.Params
)

// MaxID is greater than every other id.
var MaxID = base.MaxID

// The codes that the database uses too.
const (
	CodeInvalidRequest = base.CodeInvalidRequest
	CodeNotFound       = base.CodeNotFound
	CodeInternal       = base.CodeInternal
	CodeUnavailable    = base.CodeUnavailable
	CodeUncertain      = base.CodeUncertain
	CodeStorageFull    = base.CodeStorageFull
)

// NewID returns a new id. Ids sort by the time at which they were made.
func NewID() ID { return base.NewID() }

// NewIDAt returns a new id of another time.
func NewIDAt(t time.Time) ID { return base.NewIDAt(t) }

// FirstIDOf returns the least id of a time.
func FirstIDOf(t time.Time) ID { return base.FirstIDOf(t) }

// ParseID reads the text form of an id.
func ParseID(s string) (ID, bool) { return base.ParseID(s) }

// Errorf returns an Error with a formatted message.
func Errorf(code Code, format string, args ...any) *Error { return base.Errorf(code, format, args...) }

// StorageFull returns the error for a change that the disk of the server has no room for.
func StorageFull() *Error { return base.StorageFull() }

// NotFound returns the error for what does not exist and for what the caller may not know of.
func NotFound(what string) *Error { return base.NotFound(what) }

// CodeOf returns the code of the Error in err's chain, or "internal".
func CodeOf(err error) Code { return base.CodeOf(err) }
