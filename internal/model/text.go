package model

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Name checks a name and gives it without the spaces around it: one line of 1 to most characters that
// shows something.
func Name(field, s string, most int) (string, *Error) {
	if err := checkText(field, s); err != nil {
		return "", err
	}
	s = strings.TrimSpace(s)
	for _, r := range s {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return "", Invalid(field, "must be one line without control characters.")
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
		return Invalid(field, "must be UTF-8.")
	}
	if strings.IndexByte(s, 0) >= 0 {
		return Invalid(field, "must not contain the character NUL.")
	}
	return nil
}

func checkLength(field, s string, most int, visible bool) *Error {
	if visible && isBlank(s) {
		return Invalid(field, "must not be blank.")
	}
	if len(s) > most && utf8.RuneCountInString(s) > most {
		return Invalid(field, fmt.Sprintf("must have at most %d characters.", most))
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
