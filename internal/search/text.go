package search

import (
	"slices"
	"strings"
	"unicode"

	"recado/internal/fold"
	"recado/internal/kernel/db"
	"recado/internal/phone"
)

// Text is a text to search for. All rows match the zero Text.
type Text struct {
	needles []string // folded; a row that contains one of them matches
	short   bool     // a needle has no trigram, so that the index cannot be used
}

// NewText returns the Text for a query.
func NewText(q string) Text {
	all := needles(q)
	return Text{needles: all, short: slices.ContainsFunc(all, func(needle string) bool { return !hasTrigram(needle) })}
}

// needles returns the folded query and, if it may be part of a phone number, its digits, because phone numbers are stored without
// separators.
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
		// A complete Brazilian mobile number without the ninth digit is stored with it.
		if phone, ok := phone.Normalize(digits); ok && !slices.Contains(all, phone) && !strings.Contains(phone, digits) {
			all = append(all, phone)
		}
	}
	return all
}

// hasTrigram reports whether a text contains three adjacent letters or digits, which both databases index.
func hasTrigram(text string) bool {
	run := 0
	for _, r := range text {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			run = 0
		} else if run++; run == 3 {
			return true
		}
	}
	return false
}

// IsEmpty reports whether all rows match.
func (text Text) IsEmpty() bool { return len(text.needles) == 0 }

// In reports whether a folded text matches.
func (text Text) In(folded string) bool {
	return text.IsEmpty() || slices.ContainsFunc(text.needles, func(needle string) bool { return strings.Contains(folded, needle) })
}

// Check adds the condition that a column with folded text matches.
func (text Text) Check(s *db.Statement, column string) {
	if !text.IsEmpty() {
		s.And(text.Contains(s, column))
	}
}

// Contains returns the condition that a column with folded text matches. The text must not be empty.
func (text Text) Contains(s *db.Statement, column string) string {
	return text.anyOf(func(needle string) string { return s.Contains(column, needle) })
}

// anyOf joins the conditions for the needles with OR.
func (text Text) anyOf(condition func(needle string) string) string {
	conditions := make([]string, len(text.needles))
	for i, needle := range text.needles {
		conditions[i] = condition(needle)
	}
	return "(" + strings.Join(conditions, " OR ") + ")"
}
