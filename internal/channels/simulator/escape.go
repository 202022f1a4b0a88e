package simulator

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// escaped writes JSON in pure ASCII as Meta does: what lies outside is \uXXXX in lower case, beyond
// the first plane a pair of them.
func escaped(v any) []byte {
	var plain bytes.Buffer
	enc := json.NewEncoder(&plain)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(fmt.Sprintf("simulator: %v", err)) // only maps, slices, strings and raw JSON come here
	}
	return escapeASCII(bytes.TrimSuffix(plain.Bytes(), []byte("\n")))
}

func escapeASCII(b []byte) []byte {
	out := make([]byte, 0, len(b)+len(b)/4)
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		switch {
		case r < utf8.RuneSelf:
			out = append(out, b[0])
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		b = b[size:]
	}
	return out
}
