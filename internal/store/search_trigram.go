package store

import (
	"slices"
	"strings"
	"unicode"
)

// An index follows the lists of all trigrams that it is asked for, so one that every text has costs much and
// tells nothing. Of each needle it is therefore asked for the rarest only. What comes out may not hold the
// needle: that is checked on the text itself.

// ftsQuery is the search in the language of SQLite's full-text index.
func (w *walk) ftsQuery() string {
	each := make([]string, len(w.text.needles))
	for i, needle := range w.text.needles {
		var quoted []string
		chosen, _ := w.sample.telling(trigrams(needle))
		for _, gram := range chosen {
			quoted = append(quoted, `"`+strings.ReplaceAll(gram, `"`, `""`)+`"`)
		}
		each[i] = "(" + strings.Join(quoted, " AND ") + ")"
	}
	return strings.Join(each, " OR ")
}

// like is the search as a condition that PostgreSQL's index understands.
func (w *walk) like(s *statement) string {
	each := make([]string, len(w.text.needles))
	for i, needle := range w.text.needles {
		var all []string
		chosen, _ := w.sample.telling(wordTrigrams(needle))
		for _, gram := range chosen {
			all = append(all, "folded LIKE "+s.arg("%"+gram+"%"))
		}
		each[i] = strings.Join(all, " AND ")
	}
	return "((" + strings.Join(each, ") OR (") + "))"
}

// wordTrigrams gives those that pg_trgm can do something with: three characters of a word, or the beginning
// of one after a space. None of them means anything to LIKE.
func wordTrigrams(text string) []string {
	var all []string
	runes := []rune(text)
	for i := range max(0, len(runes)-2) {
		gram := string(runes[i : i+3])
		if (hasTrigram(gram) || beginsWord(gram)) && !slices.Contains(all, gram) {
			all = append(all, gram)
		}
	}
	return all
}

// beginsWord reports whether a text has only words and spaces, and the beginning of a word.
func beginsWord(text string) bool {
	begins, was := false, rune(0)
	for _, r := range text {
		wordly := unicode.IsLetter(r) || unicode.IsDigit(r)
		if !wordly && r != ' ' {
			return false
		}
		begins = begins || wordly && was == ' '
		was = r
	}
	return begins
}

// trigrams gives the characters of a text by threes: first those that do not overlap, but for the last, and
// then those between, which say nearly the same unless they are rarer.
func trigrams(text string) []string {
	runes := []rune(text)
	var all []string
	for _, first := range []int{0, 1, 2} {
		for i := first; i < len(runes); i += 3 {
			from := min(i, len(runes)-3)
			if gram := string(runes[from : from+3]); !slices.Contains(all, gram) {
				all = append(all, gram)
			}
		}
	}
	return all
}
