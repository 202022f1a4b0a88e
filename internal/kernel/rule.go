package kernel

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Rule says what is wrong with a value. Clients translate its code. The zero Rule is invalid.
type Rule struct{ code string }

var rules = map[string][]string{}

// NewRule declares a rule at start-up. Codes must be unique. If a code has several meanings, reasons lists the values of the
// parameter that distinguishes them: "reason", or the "format" of a malformed value.
func NewRule(code string, reasons ...string) Rule {
	if _, known := rules[code]; known {
		panic("the rule " + code + " is declared twice")
	}
	rules[code] = reasons
	return Rule{code}
}

// Rules returns the reasons of all rules by code.
func Rules() map[string][]string { return maps.Clone(rules) }

// Code returns the code of the rule.
func (r Rule) Code() string { return r.code }

// At returns the error for a field that breaks the rule. The message follows the name of the field.
func (r Rule) At(field, message string, params ...Params) FieldError {
	if r.code == "" {
		panic("an error about " + field + " has no rule")
	}
	e := FieldError{Field: field, Code: r.code, Message: message}
	for _, p := range params {
		if e.Params == nil {
			e.Params = Params{}
		}
		maps.Copy(e.Params, p)
	}
	return e
}

// Rules for values of any kind.
var (
	RuleRequired    = NewRule("required")
	RuleTooShort    = NewRule("too_short")    // min: characters
	RuleTooLong     = NewRule("too_long")     // max: characters
	RuleTooFew      = NewRule("too_few")      // min: entries
	RuleTooMany     = NewRule("too_many")     // max: entries
	RuleTooSmall    = NewRule("too_small")    // min
	RuleTooLarge    = NewRule("too_large")    // max
	RuleOutOfRange  = NewRule("out_of_range") // min, max
	RuleOneOf       = NewRule("one_of")       // values
	RuleNoSuch      = NewRule("no_such")      // noun
	RuleDuplicate   = NewRule("duplicate")
	RuleInPast      = NewRule("in_past")
	RuleWrongOrder  = NewRule("wrong_order")                                     // the end is before the beginning
	RuleNeeds       = NewRule("needs")                                           // fields: at least one of them is missing
	RuleNotTogether = NewRule("not_together")                                    // fields: only one of them, or none beside this one
	RuleNotAllowed  = NewRule("not_allowed")                                     // the field has no meaning here
	RuleExactlyOne  = NewRule("exactly_one")                                     // fields
	RuleWrongCount  = NewRule("wrong_count")                                     // min, max: entries
	RuleMalformed   = NewRule("malformed", slices.Sorted(maps.Keys(formats))...) // format
)

// formats contains the formats of values, each with the end of the sentence "must be ...".
var formats = map[string]string{
	"amount":       "a number with at most six decimals",
	"bool":         "true or false",
	"clock":        "a time of day such as 08:00, at most 24:00",
	"cnpj":         "a CNPJ with valid check digits, such as 12.ABC.345/01DE-35",
	"cpf":          "a CPF with valid check digits, such as 529.982.247-25",
	"country":      "the two capital letters of a country, such as BR, or *",
	"currency":     "the three capital letters of a currency, such as BRL",
	"day":          "a date such as 2026-12-24, or --12-25 for every year",
	"date":         "a valid date such as 2026-11-14",
	"email":        "an e-mail address",
	"emoji":        "one emoji",
	"form":         "multipart/form-data with a boundary",
	"integer":      "a whole number",
	"json":         "application/json",
	"line":         "one line without control characters.",
	"link":         "an address that begins with http:// or https://",
	"list":         "a list",
	"moment":       momentWords,
	"no_nul":       "without the character NUL.",
	"number":       "a number",
	"object":       "an object",
	"phone":        "a phone number with its country code, such as +5511912345678",
	"protocol":     "a protocol number such as ATD-123",
	"scalar":       "a text, a number, true or false",
	"string":       "a string",
	"time":         "a time such as 2026-11-15T12:00:00Z",
	"time_zone":    "an IANA time zone such as America/Sao_Paulo",
	"url":          "a valid URL",
	"url_encoding": "valid URL encoding",
	"utf8":         "UTF-8.",
	"uuid":         "a UUID",
	"value":        "of the expected form",
	"version":      `one version such as 7, "7" or W/"7"`,
	"voice":        "a voice message in Opus and Ogg; POST /media turns WebM recordings into that",
	"nonzero_uuid": "a UUID that is not all zeros",
	"assignee":     "none, me or a UUID",
	"shortcut":     "1 to 32 characters out of a-z, 0-9, _ and -.",
	"year":         "between the years 1 and 9999",
}

const momentWords = "a moment such as 2026-11-14T23:56:54Z, with an upper-case T and Z or an offset " +
	"(in a query its + is written %2B), or a day such as 2026-11-14"

// Invalid returns the error for one field of a request. The message follows the name of the field. Decoders of values leave
// the field empty; their caller sets it.
func Invalid(field string, rule Rule, message string, params ...Params) *Error {
	e := &Error{Code: CodeInvalidRequest, Message: message, Fields: []FieldError{rule.At(field, message, params...)}}
	if field != "" {
		e.Message = field + ": " + message
	}
	return e
}

// Required returns the error for a field that is missing or empty.
func Required(field string) *Error { return Invalid(field, RuleRequired, "is required") }

// TooLong returns the error for a text with more than max characters.
func TooLong(field string, max int) *Error {
	return Invalid(field, RuleTooLong, fmt.Sprintf("must have at most %d characters", max), Params{"max": max})
}

// TooFew returns the error for a list with fewer than min entries.
func TooFew(field string, min int) *Error {
	return Invalid(field, RuleTooFew, fmt.Sprintf("must have at least %d entries", min), Params{"min": min})
}

// TooMany returns the error for a list with more than max entries.
func TooMany(field string, max int) *Error {
	return Invalid(field, RuleTooMany, fmt.Sprintf("must have at most %d entries", max), Params{"max": max})
}

// AtLeast returns the error for a number below min.
func AtLeast(field string, min int) *Error {
	return Invalid(field, RuleTooSmall, fmt.Sprintf("must be at least %d", min), Params{"min": min})
}

// Between returns the error for a number that is not between min and max.
func Between(field string, min, max int) *Error {
	return Invalid(field, RuleOutOfRange, fmt.Sprintf("must be %d to %d", min, max), Params{"min": min, "max": max})
}

// OneOf returns the error for a value that is not in a list.
func OneOf[T ~string](field string, values ...T) *Error {
	names := texts(values)
	return Invalid(field, RuleOneOf, "must be one of: "+strings.Join(names, ", "), Params{"values": names})
}

// NoSuch returns the error for a field that refers to something that does not exist or that the caller may not see. noun is
// a word such as "sector".
func NoSuch(field, noun string) *Error {
	return Invalid(field, RuleNoSuch, "there is no such "+strings.ReplaceAll(noun, "_", " "), Params{"noun": noun})
}

// ExactlyOne returns the error for a request with none or several of some fields.
func ExactlyOne(field string, fields ...string) *Error {
	last := len(fields) - 1
	message := "must have exactly one of " + strings.Join(fields[:last], ", ") + " and " + fields[last]
	return Invalid(field, RuleExactlyOne, message, Params{"fields": fields})
}

// Count returns the error for a list that does not have min to max entries.
func Count(field string, min, max int) *Error {
	return Invalid(field, RuleWrongCount, fmt.Sprintf("must have %d to %d entries", min, max), Params{"min": min, "max": max})
}

// Duplicate returns the error for a value that is already in use.
func Duplicate(field, message string) *Error { return Invalid(field, RuleDuplicate, message) }

// InPast returns the error for a time that must be in the future.
func InPast(field string) *Error { return Invalid(field, RuleInPast, "must be in the future") }

// Needs returns the error for a request that lacks one of several fields.
func Needs(field, message string, fields ...string) *Error {
	return Invalid(field, RuleNeeds, message, Params{"fields": fields})
}

// NotTogether returns the error for a field that excludes others.
func NotTogether(field, message string, fields ...string) *Error {
	return Invalid(field, RuleNotTogether, message, Params{"fields": fields})
}

// Malformed returns the error for a value that does not have the format, which must be in formats.
func Malformed(field, format string) *Error {
	words, known := formats[format]
	if !known {
		panic("there is no format " + format)
	}
	return Invalid(field, RuleMalformed, "must be "+words, Params{"format": format})
}
