package search

import (
	"slices"
	"strings"
	"unicode"

	"recado/internal/fold"
	"recado/internal/kernel/db"
	"recado/internal/phone"
)

// Text is a text to look for. The zero text is in all rows.
type Text struct {
	needles []string // folded; a row matches with any of them
	short   bool     // without three letters or digits in a row, so that no index can find it
}

// NewText gives the text that a caller typed.
func NewText(q string) Text {
	text := Text{needles: needles(q)}
	for _, needle := range text.needles {
		text.short = text.short || !hasTrigram(needle)
	}
	return text
}

// needles gives what is searched for: the folded text and, when it may be part of a phone number, its
// digits alone, because numbers are stored without signs between them.
func needles(q string) []string {
	text := fold.Text(strings.TrimSpace(q))
	if text == "" {
		return nil
	}
	digits := strings.Map(func(r rune) rune {
		if strings.ContainsRune(" -.()", r) {
			return -1
		}
		return r
	}, text)
	all := []string{text}
	if strings.Trim(digits, "+0123456789") == "" && strings.Trim(digits, "+") != "" {
		if digits != text {
			all = append(all, digits)
		}
		// A whole Brazilian mobile number without its ninth digit is stored with it.
		if phone, ok := phone.Normalize(digits); ok && !slices.Contains(all, phone) && !strings.Contains(phone, digits) {
			all = append(all, phone)
		}
	}
	return all
}

// hasTrigram reports whether three letters or digits stand side by side: both engines index those.
func hasTrigram(text string) bool {
	run := 0
	for _, r := range text {
		if !isWordRune(r) {
			run = 0
		} else if run++; run == 3 {
			return true
		}
	}
	return false
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// IsEmpty reports whether the text is in all rows.
func (text Text) IsEmpty() bool { return len(text.needles) == 0 }

// In reports whether a folded text contains the text.
func (text Text) In(folded string) bool {
	return text.IsEmpty() || slices.ContainsFunc(text.needles, func(needle string) bool { return strings.Contains(folded, needle) })
}

// Check adds the condition that the live text in a column contains the text.
func (text Text) Check(s *db.Statement, column string) {
	if !text.IsEmpty() {
		s.And(text.Contains(s, column))
	}
}

// Contains is the condition that a column contains the text, which must not be empty.
func (text Text) Contains(s *db.Statement, column string) string {
	each := make([]string, len(text.needles))
	for i, needle := range text.needles {
		each[i] = s.Contains(column, needle)
	}
	return "(" + strings.Join(each, " OR ") + ")"
}
