// Package fold removes case and accents from text, for search and comparison.
package fold

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Text returns text without case and accents: "JOÃO" and "joao" become equal, as do "Straße" and "STRASSE". Spaces and
// punctuation stay. Folded text does not change when folded again. Invalid UTF-8 becomes U+FFFD.
func Text(s string) string {
	highest := rune(0)
	for _, r := range s {
		highest = max(highest, r)
	}
	switch {
	case highest < utf8.RuneSelf:
		return strings.ToLower(s)
	case highest < latinEnd:
		return foldLatin(s)
	}
	return foldAny(s)
}

// latinEnd is the end of the blocks whose runes can be folded one by one.
const latinEnd = 0x180

var latinFolds = sync.OnceValue(func() *[latinEnd]string {
	var table [latinEnd]string
	for r := range rune(latinEnd) {
		table[r] = foldAny(string(r))
	}
	return &table
})

func foldLatin(s string) string {
	table := latinFolds()
	var b strings.Builder
	for _, r := range s {
		b.WriteString(table[r])
	}
	return b.String()
}

// foldAny repeats a pass until nothing changes, because removing a mark may leave letters that compose and fold again.
// Two passes are usually enough.
func foldAny(s string) string {
	for range 8 {
		folded := foldPass(s)
		if folded == s {
			break
		}
		s = folded
	}
	return s
}

func foldPass(s string) string {
	s = norm.NFD.String(cases.Fold().String(strings.ToValidUTF8(s, "\ufffd")))
	s = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, s)
	return norm.NFC.String(s)
}
