package search

import (
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"recado/internal/fold"
)

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
