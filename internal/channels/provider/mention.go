package provider

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// ReplaceMention replaces a name after each @ of a text and reports whether there is one. A letter or digit must not follow the
// name: "@Anabela" does not mention Ana.
func ReplaceMention(text, name, by string) (replaced string, found bool) {
	parts := strings.Split(text, "@"+name)
	replaced = parts[0]
	for _, rest := range parts[1:] {
		if next, _ := utf8.DecodeRuneInString(rest); unicode.In(next, unicode.L, unicode.M, unicode.N) {
			replaced += "@" + name + rest
			continue
		}
		replaced, found = replaced+"@"+by+rest, true
	}
	return replaced, found
}
