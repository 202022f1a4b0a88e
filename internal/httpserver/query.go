package httpserver

import (
	"errors"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"

	"recado/internal/kernel"
)

// checkQuery refuses query strings that url.ParseQuery would change or drop: unknown or repeated names, invalid escapes,
// semicolons, signs before numbers, invalid UTF-8 and NUL. known contains the valid names; the value is true for numbers. more may be nil.
func checkQuery(raw string, known map[string]bool, more *family) *kernel.Error {
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
		case !ok && !more.includes(name):
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

var urlEncoding = kernel.Params{"format": "url_encoding"}

func readable(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

var isDecimal = regexp.MustCompile(`^-?[0-9]{1,18}$`).MatchString

// FilterID is an id that filters a list. Any UUID is valid. The zero UUID matches nothing, whereas a zero kernel.ID would mean
// that there is no filter.
type FilterID kernel.ID

// UnmarshalText parses a query parameter.
func (f *FilterID) UnmarshalText(text []byte) error {
	id, ok := ParseFilterID(string(text))
	if !ok {
		return errors.New("must be a UUID")
	}
	*f = FilterID(id)
	return nil
}

// ParseFilterID parses a FilterID.
func ParseFilterID(text string) (kernel.ID, bool) {
	id, ok := kernel.ParseID(text)
	if ok && id.IsZero() {
		id[15] = 1 // an id that is never generated
	}
	return id, ok
}

// Date parses a query parameter that is a date. It returns nil if it is absent.
func Date(field, text string) (*kernel.Date, error) {
	return parsed(field, "date", text, kernel.ParseDate)
}

// ID parses a query parameter that is an id. It returns nil if it is absent.
func ID(field, text string) (*kernel.ID, error) { return parsed(field, "uuid", text, kernel.ParseID) }

func parsed[T any](field, format, text string, parse func(text string) (T, bool)) (*T, error) {
	if text == "" {
		return nil, nil
	}
	value, ok := parse(text)
	if !ok {
		return nil, kernel.Malformed(field, format)
	}
	return &value, nil
}

var unprintable = regexp.MustCompile(`[^0-9A-Za-z_.:/+=@-]+`)

// printable removes all characters but visible ASCII that needs no quoting.
func printable(s string) string { return unprintable.ReplaceAllString(s, "") }
