package model

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// quoted shows what a caller sent inside a message: one line, printable, at most 40 characters of it.
func quoted(s string) string {
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
