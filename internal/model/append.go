package model

import (
	"strconv"
	"time"
	"unicode/utf8"
)

// The small parts of which the AppendJSON methods are made. Each writes what AppendJSON would.

// appendString writes a JSON string with the shortest escapes; bytes that are not UTF-8 become U+FFFD.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				b = append(append(b, s[from:i]...), "\ufffd"...)
				from = i + 1
			}
			i += size
			continue
		case c < ' ' || c == '"' || c == '\\':
			b = appendEscaped(append(b, s[from:i]...), c)
			from = i + 1
		}
		i++
	}
	return append(append(b, s[from:]...), '"')
}

func appendEscaped(b []byte, c byte) []byte {
	const hexDigits = "0123456789abcdef"
	switch c {
	case '"', '\\':
		return append(b, '\\', c)
	case '\b':
		return append(b, '\\', 'b')
	case '\f':
		return append(b, '\\', 'f')
	case '\n':
		return append(b, '\\', 'n')
	case '\r':
		return append(b, '\\', 'r')
	case '\t':
		return append(b, '\\', 't')
	}
	return append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

func appendNullString(b []byte, s *string) []byte {
	if s == nil {
		return append(b, "null"...)
	}
	return appendString(b, *s)
}

func appendID(b []byte, id ID) []byte {
	return append(id.AppendText(append(b, '"')), '"')
}

func appendNullInt(b []byte, n *int64) []byte {
	if n == nil {
		return append(b, "null"...)
	}
	return strconv.AppendInt(b, *n, 10)
}

func appendNullID(b []byte, id *ID) []byte {
	if id == nil {
		return append(b, "null"...)
	}
	return appendID(b, *id)
}

func appendIDs(b []byte, ids []ID) []byte {
	b = append(b, '[')
	for i, id := range ids {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendID(b, id)
	}
	return append(b, ']')
}

func appendNullRef(b []byte, ref *Ref) []byte {
	if ref == nil {
		return append(b, "null"...)
	}
	b = appendID(append(b, `{"id":`...), ref.ID)
	b = appendString(append(b, `,"name":`...), ref.Name)
	return append(b, '}')
}

func appendTime(b []byte, t time.Time) []byte {
	t = t.UTC()
	year, month, day := t.Date()
	if year < 0 || year > 9999 {
		return append(t.AppendFormat(append(b, '"'), JSONTime), '"')
	}
	hour, minute, second := t.Clock()
	milli := t.Nanosecond() / 1e6
	return append(b, '"',
		digit(year/1000), digit(year/100), digit(year/10), digit(year), '-',
		digit(int(month)/10), digit(int(month)), '-', digit(day/10), digit(day), 'T',
		digit(hour/10), digit(hour), ':', digit(minute/10), digit(minute), ':', digit(second/10), digit(second), '.',
		digit(milli/100), digit(milli/10), digit(milli), 'Z', '"')
}

// digit gives the last decimal digit of n.
func digit(n int) byte { return byte('0' + n%10) }

func appendNullTime(b []byte, t *time.Time) []byte {
	if t == nil {
		return append(b, "null"...)
	}
	return appendTime(b, *t)
}
