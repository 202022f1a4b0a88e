package httpserver

import (
	"errors"
	"net/url"
	"strings"
	"unicode/utf8"

	"recado/internal/kernel"
)

// CheckQuery refuses a query string that the standard parser would alter or drop: unknown or repeated
// names, bad escapes, semicolons, signs before numbers, bad UTF-8 and NUL. known says which names
// exist and which of them are numbers.
func CheckQuery(raw string, known map[string]bool) *kernel.Error {
	if raw == "" {
		return nil
	}
	if strings.Contains(raw, ";") {
		return kernel.Invalid("query", kernel.RuleMalformed, "a semicolon must be written as %3B", urlEncoding)
	}
	seen := make(map[string]bool, 8)
	for pair := range strings.SplitSeq(raw, "&") {
		rawName, rawValue, _ := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(rawName)
		if err != nil || !readable(name) {
			return kernel.Invalid("query", kernel.RuleMalformed, "a parameter name is not a valid URL encoding", urlEncoding)
		}
		isNumber, ok := known[name]
		field := "query." + shorten(name)
		switch {
		case name == "":
			return kernel.Invalid("query", kernel.RuleUnknown, "a parameter has no name")
		case !ok:
			return kernel.Invalid(field, kernel.RuleUnknown, "unknown query parameter")
		case seen[name]:
			return kernel.Invalid(field, kernel.RuleRepeated, "must be sent only once")
		}
		seen[name] = true
		value, err := url.QueryUnescape(rawValue)
		switch {
		case err != nil || !readable(value):
			return kernel.Invalid(field, kernel.RuleMalformed, "is not a valid URL encoding", urlEncoding)
		case value == "" && name != "q":
			return kernel.Invalid(field, kernel.RuleRequired, "must not be empty")
		case isNumber && !isDecimal(value):
			return kernel.Malformed(field, "integer")
		}
	}
	return nil
}

// urlEncoding is the format of what a query must be.
var urlEncoding = kernel.Params{"format": "url_encoding"}

func readable(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

func isDecimal(s string) bool {
	digits := strings.TrimPrefix(s, "-")
	if digits == "" || len(digits) > 18 {
		return false
	}
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return false
		}
	}
	return true
}

// FilterID is an id that a list is narrowed to. Any UUID is one, the zero UUID too: as a kernel.ID it would
// mean no filter and give the whole list, where an id that names nothing gives an empty one.
type FilterID kernel.ID

// UnmarshalText reads a query parameter.
func (f *FilterID) UnmarshalText(text []byte) error {
	id, ok := ParseFilterID(string(text))
	if !ok {
		return errors.New("must be a UUID")
	}
	*f = FilterID(id)
	return nil
}

// ParseFilterID reads an id that a list is narrowed to.
func ParseFilterID(text string) (kernel.ID, bool) {
	id, ok := kernel.ParseID(text)
	if ok && id.IsZero() {
		id[15] = 1 // also an id that is never generated
	}
	return id, ok
}

// Date reads a query parameter that is a date; nil where it is absent.
func Date(field, text string) (*kernel.Date, error) {
	if text == "" {
		return nil, nil
	}
	day, ok := kernel.ParseDate(text)
	if !ok {
		return nil, kernel.Malformed(field, "date")
	}
	return &day, nil
}

// ID reads a query parameter that is an id; nil where it is absent.
func ID(field, text string) (*kernel.ID, error) {
	if text == "" {
		return nil, nil
	}
	id, ok := kernel.ParseID(text)
	if !ok {
		return nil, kernel.Malformed(field, "uuid")
	}
	return &id, nil
}

// Printable keeps visible ASCII that needs no quoting anywhere.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= '0' && r <= '9', r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', strings.ContainsRune("-_.:/+=@", r):
			return r
		}
		return -1
	}, s)
}
