package kernel

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// IsAlphanumeric reports whether c is an ASCII letter or digit.
func IsAlphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}

// Quoted shows what a caller sent inside a message: one line, printable, at most 40 characters of it.
func Quoted(s string) string {
	const most = 40
	if utf8.RuneCountInString(s) <= most {
		return strconv.Quote(s)
	}
	return strconv.Quote(string([]rune(s[:min(len(s), 4*most)])[:most]) + "...")
}

// joined lists names with commas between them.
func joined[T ~string](names []T) string {
	var b strings.Builder
	for i, name := range names {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(string(name))
	}
	return b.String()
}

// unknownName returns the error of a name that is none of those that exist.
func unknownName[T ~string](field, noun, name string, all []T) *Error {
	return Invalid(field, RuleNoSuch, "there is no "+noun+" "+Quoted(name)+"; the "+noun+"s are "+joined(all)+".", Params{"noun": noun, "value": name})
}

// Name checks a name and gives it without the spaces around it: one line of 1 to most characters that
// shows something.
func Name(field, s string, most int) (string, *Error) {
	if err := checkText(field, s); err != nil {
		return "", err
	}
	s = strings.TrimSpace(s)
	for _, r := range s {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return "", Malformed(field, "line")
		}
	}
	return s, checkLength(field, s, most, true)
}

// Text checks what is sent to people or kept for them: 1 to most characters, not all of them blank. It is
// left exactly as it is.
func Text(field, s string, most int) (string, *Error) {
	if err := checkText(field, s); err != nil {
		return "", err
	}
	return s, checkLength(field, s, most, true)
}

// OptionalText checks text that may be empty or blank: a caption, a reason, a description.
func OptionalText(field, s string, most int) (string, *Error) {
	if err := checkText(field, s); err != nil {
		return "", err
	}
	return s, checkLength(field, s, most, false)
}

// checkText refuses what a database or a JSON document could not hold.
func checkText(field, s string) *Error {
	if !utf8.ValidString(s) {
		return Malformed(field, "utf8")
	}
	if strings.IndexByte(s, 0) >= 0 {
		return Malformed(field, "no_nul")
	}
	return nil
}

func checkLength(field, s string, most int, visible bool) *Error {
	if visible && isBlank(s) {
		return Invalid(field, RuleRequired, "must not be blank.")
	}
	if len(s) > most && utf8.RuneCountInString(s) > most {
		return TooLong(field, most)
	}
	return nil
}

// isBlank reports whether nothing of s shows: only spaces and characters without a shape, such as the
// zero-width space.
func isBlank(s string) bool {
	for _, r := range s {
		if !unicode.IsSpace(r) && !unicode.In(r, unicode.Cf, unicode.Cc) {
			return false
		}
	}
	return true
}

// Positive reads a decimal number from 1 to the largest int64, digits only.
func Positive(s string) (int64, bool) {
	var n int64
	for i := range len(s) {
		c := s[i]
		if c < '0' || c > '9' || n > (math.MaxInt64-int64(c-'0'))/10 {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, n > 0
}

// Indexed names one element of a list in a request: body.label_ids[2].
func Indexed(field string, i int) string { return field + "[" + strconv.Itoa(i) + "]" }

// CleanText makes sure that a database and a JSON document can hold what a provider sent.
func CleanText(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "")
}
