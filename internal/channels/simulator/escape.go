package simulator

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// asciiJSON encodes JSON in ASCII as Meta does, with lower-case \uXXXX escapes.
func asciiJSON(v any) []byte {
	var plain bytes.Buffer
	enc := json.NewEncoder(&plain)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(fmt.Sprintf("simulator: %v", err)) // callers pass only maps, slices, strings and raw JSON
	}
	var out []byte
	for _, r := range strings.TrimSuffix(plain.String(), "\n") {
		if r < utf8.RuneSelf {
			out = append(out, byte(r))
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			out = fmt.Appendf(out, `\u%04x`, unit)
		}
	}
	return out
}
