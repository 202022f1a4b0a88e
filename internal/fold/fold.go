// Package fold gives the form in which texts are searched and compared.
package fold

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Text gives the form in which text is searched: letters without case and accents, so that "JOÃO" and
// "joao" are equal, and "Straße" and "STRASSE". Spaces and punctuation stay. Folding what is folded
// changes nothing; bytes that are not UTF-8 become U+FFFD.
func Text(s string) string {
	highest := rune(0)
	upper := false
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			upper = upper || c >= 'A' && c <= 'Z'
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		highest = max(highest, r)
		i += size
	}
	switch {
	case highest == 0 && !upper:
		return s
	case highest == 0:
		return strings.ToLower(s)
	case highest < latinEnd:
		return foldLatin(s)
	}
	return foldAny(s)
}

// latinEnd ends the blocks in which no rune changes its neighbours, so that each can be folded by table.
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
	b := make([]byte, 0, len(s)+len(s)/4)
	for _, r := range s {
		b = append(b, table[r]...)
	}
	return string(b)
}

// foldAny repeats a pass until nothing changes: removing a mark may leave letters that compose and fold
// anew. Two passes are enough for nearly all text, and each one that changes anything shortens the
// marks or the cases left to fold.
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
