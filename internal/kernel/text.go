package kernel

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// IsAlphanumeric reports whether c is an ASCII letter or digit.
func IsAlphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}

// Quoted quotes untrusted text for a message: one line, printable, at most 40 characters.
func Quoted(s string) string {
	const max = 40
	if utf8.RuneCountInString(s) <= max {
		return strconv.Quote(s)
	}
	return strconv.Quote(string([]rune(s)[:max]) + "...")
}

// texts converts names to strings.
func texts[T ~string](names []T) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = string(name)
	}
	return out
}

// storedNames parses names that are separated by spaces.
func storedNames[T ~string](text string) (names []T) {
	for name := range strings.FieldsSeq(text) {
		names = append(names, T(name))
	}
	return names
}

// unknownName returns the error for a name that is not one of all.
func unknownName[T ~string](field, noun, name string, all []T) *Error {
	message := "there is no " + noun + " " + Quoted(name) + "; the " + noun + "s are " + strings.Join(texts(all), ", ") + "."
	return Invalid(field, RuleNoSuch, message, Params{"noun": noun, "value": name})
}

// Name checks a name and trims it. A name is one line of 1 to max characters and not blank.
func Name(field, s string, max int) (string, *Error) {
	s = strings.TrimSpace(s)
	if err := checkText(field, s, len(s), false); err != nil {
		return "", err
	}
	if strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' }) {
		return "", Malformed(field, "line")
	}
	return s, checkText(field, s, max, true)
}

// CleanName validates and trims a name in a request as Name does. A nil name stays nil.
func CleanName(field string, name **string) error {
	if *name == nil {
		return nil
	}
	clean, invalid := Name(field, **name, MaxName)
	if invalid != nil {
		return invalid
	}
	*name = &clean
	return nil
}

// Text checks a text of 1 to max characters that is not blank. It does not trim the text.
func Text(field, s string, max int) (string, *Error) { return s, checkText(field, s, max, true) }

// OptionalText is Text for a text that may be empty or blank.
func OptionalText(field, s string, max int) (string, *Error) {
	return s, checkText(field, s, max, false)
}

// checkText checks the length of a text. It refuses text that PostgreSQL or JSON cannot represent.
func checkText(field, s string, max int, required bool) *Error {
	switch {
	case !utf8.ValidString(s):
		return Malformed(field, "utf8")
	case strings.IndexByte(s, 0) >= 0:
		return Malformed(field, "no_nul")
	case required && !strings.ContainsFunc(s, isVisible):
		return Invalid(field, RuleRequired, "must not be blank.")
	case utf8.RuneCountInString(s) > max:
		return TooLong(field, max)
	}
	return nil
}

// isVisible returns false for spaces and for invisible characters such as the zero-width space.
func isVisible(r rune) bool { return !unicode.IsSpace(r) && !unicode.In(r, unicode.Cf, unicode.Cc) }

// Positive parses a decimal number from 1 to the largest int64, digits only.
func Positive(s string) (int64, bool) {
	n, err := strconv.ParseUint(s, 10, 63)
	if err != nil {
		return 0, false
	}
	return int64(n), n > 0
}

// Indexed returns the name of an element of a list in a request: body.label_ids[2].
func Indexed(field string, i int) string { return field + "[" + strconv.Itoa(i) + "]" }

// CleanText removes from a provider's text what PostgreSQL or JSON cannot represent.
func CleanText(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "")
}
