package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

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

const (
	snippetLength = 160 // in UTF-16 units
	snippetBefore = 60  // characters before the match
)

// Snippet returns the part of a message around the first match, on one line, and the start and length of the match in it, in
// UTF-16 units. Both are zero if the match cannot be located.
func (text Text) Snippet(message string) (snippet string, match [2]int) {
	start, end := text.locate(message)
	from, to := window(message, start)
	if end = min(end, to); start < from || start > to {
		start, end = from, from
	}
	head, tail := "", ""
	if from > 0 {
		head = "…"
	}
	if to < len(message) {
		tail = "…"
	}
	match = [2]int{units(head) + units(message[from:start]), units(message[start:max(start, end)])}
	if match[1] == 0 {
		match[0] = 0
	}
	return oneLine.Replace(head + message[from:to] + tail), match
}

// locate returns the range of the first match in a message. It folds each character separately to find its original position.
func (text Text) locate(message string) (start, end int) {
	needle := text.needles[0]
	var folded strings.Builder
	var groups []int // offsets of the characters
	var ends []int   // of the folded characters
	for at := 0; at < len(message); {
		size := group(message[at:])
		folded.WriteString(fold.Text(message[at : at+size]))
		groups, ends = append(groups, at), append(ends, folded.Len())
		at += size
	}
	first := strings.Index(folded.String(), needle)
	if first < 0 {
		return 0, 0
	}
	last := first + len(needle)
	start, end = -1, len(message)
	for i, at := range groups {
		if start < 0 && ends[i] > first {
			start = at
		}
		if ends[i] >= last {
			if i+1 < len(groups) {
				end = groups[i+1]
			}
			break
		}
	}
	return max(start, 0), end
}

// group returns the length of the first character including its combining marks.
func group(s string) int {
	_, size := utf8.DecodeRuneInString(s)
	for size < len(s) {
		r, n := utf8.DecodeRuneInString(s[size:])
		if !unicode.Is(unicode.Mn, r) {
			break
		}
		size += n
	}
	return size
}

// window returns the range of a message to show for a match at start. It begins at a word if possible.
func window(message string, start int) (from, to int) {
	if units(message) <= snippetLength {
		return 0, len(message)
	}
	from = start
	for n := 0; from > 0 && n < snippetBefore; n++ {
		_, size := utf8.DecodeLastRuneInString(message[:from])
		from -= size
	}
	if space := strings.IndexAny(message[from:start], " \n\t"); from > 0 && space >= 0 && space < start-from {
		from += space + 1
	}
	room := snippetLength - 2 // for an ellipsis at both ends
	for to = from; to < len(message); {
		r, size := utf8.DecodeRuneInString(message[to:])
		if room -= len(utf16.AppendRune(nil, r)); room < 0 {
			break
		}
		to += size
	}
	return from, to
}

func units(s string) int { return len(utf16.Encode([]rune(s))) }

var oneLine = strings.NewReplacer("\n", " ", "\r", " ", "\t", " ") // does not change the length
