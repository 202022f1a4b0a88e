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
	// Rule names what is wrong with a value.
	Rule = base.Rule
	// Params are what a program needs beside a code.
	Params = base.Params
)

// The rules that values of every kind share.
var (
	RuleRequired   = base.RuleRequired
	RuleTooShort   = base.RuleTooShort
	RuleTooFew     = base.RuleTooFew
	RuleTooSmall   = base.RuleTooSmall
	RuleTooLarge   = base.RuleTooLarge
	RuleOneOf      = base.RuleOneOf
	RuleTooLong    = base.RuleTooLong
	RuleTooMany    = base.RuleTooMany
	RuleOutOfRange = base.RuleOutOfRange
	RuleNoSuch     = base.RuleNoSuch
	RuleDuplicate  = base.RuleDuplicate
	RuleWrongOrder = base.RuleWrongOrder
	RuleNotAllowed = base.RuleNotAllowed
	RuleMalformed  = base.RuleMalformed
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

// NewRule declares a rule, once for each code, with the values of the parameter reason.
func NewRule(code string, reasons ...string) Rule { return base.NewRule(code, reasons...) }

// Rules returns the codes of all rules, each with its reasons.
func Rules() map[string][]string { return base.Rules() }

// Invalid returns an error about one field of a request.
func Invalid(field string, rule Rule, message string, params ...Params) *Error {
	return base.Invalid(field, rule, message, params...)
}

// OneOf returns the error of a value that is none of a few.
func OneOf[T ~string](field string, values ...T) *Error { return base.OneOf(field, values...) }

// Required returns the error of a field that is missing or empty.
func Required(field string) *Error { return base.Required(field) }

// TooShort returns the error of a text with fewer than min characters.
func TooShort(field string, min int) *Error { return base.TooShort(field, min) }

// TooLong returns the error of a text with more than max characters.
func TooLong(field string, max int) *Error { return base.TooLong(field, max) }

// TooFew returns the error of a list with fewer than min entries.
func TooFew(field string, min int) *Error { return base.TooFew(field, min) }

// TooMany returns the error of a list with more than max entries.
func TooMany(field string, max int) *Error { return base.TooMany(field, max) }

// AtLeast returns the error of a number below min.
func AtLeast(field string, min int) *Error { return base.AtLeast(field, min) }

// AtMost returns the error of a number above max.
func AtMost(field string, max int) *Error { return base.AtMost(field, max) }

// Between returns the error of a number that is not from min to max.
func Between(field string, min, max int) *Error { return base.Between(field, min, max) }

// NoSuch returns the error of a field that refers to nothing that the caller may know of. The noun is a word such as
// "sector".
func NoSuch(field, noun string) *Error { return base.NoSuch(field, noun) }

// ExactlyOne returns the error of a request with none or several of some fields.
func ExactlyOne(field string, fields ...string) *Error { return base.ExactlyOne(field, fields...) }

// Count returns the error of a list that does not have min to max entries.
func Count(field string, min, max int) *Error { return base.Count(field, min, max) }

// Duplicate returns the error of a value that another one has, which the message says.
func Duplicate(field, message string) *Error { return base.Duplicate(field, message) }

// InPast returns the error of a time that must be in the future.
func InPast(field string) *Error { return base.InPast(field) }

// Needs returns the error of a request that lacks one of several fields.
func Needs(field, message string, fields ...string) *Error {
	return base.Needs(field, message, fields...)
}

// NotTogether returns the error of a field that excludes others.
func NotTogether(field, message string, fields ...string) *Error {
	return base.NotTogether(field, message, fields...)
}

// Malformed returns the error of a value that does not have one of the Formats.
func Malformed(field, format string) *Error { return base.Malformed(field, format) }

// StorageFull returns the error for a change that the disk of the server has no room for.
func StorageFull() *Error { return base.StorageFull() }

// NotFound returns the error for what does not exist and for what the caller may not know of.
func NotFound(what string) *Error { return base.NotFound(what) }

// CodeOf returns the code of the Error in err's chain, or "internal".
func CodeOf(err error) Code { return base.CodeOf(err) }
