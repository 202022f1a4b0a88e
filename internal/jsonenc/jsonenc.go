// Package jsonenc appends JSON values without reflection, with the bytes that the API's encoder writes.
package jsonenc

import (
	"time"
	"unicode/utf8"
)

// AppendString writes a JSON string with the shortest escapes; bytes that are not UTF-8 become U+FFFD.
func AppendString(b []byte, s string) []byte {
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

// AppendNullString writes a JSON string, or null.
func AppendNullString(b []byte, s *string) []byte {
	if s == nil {
		return append(b, "null"...)
	}
	return AppendString(b, *s)
}

// Time is the layout of every time in the API.
const Time = "2006-01-02T15:04:05.000Z"

// AppendTime writes a time in the layout Time.
func AppendTime(b []byte, t time.Time) []byte {
	t = t.UTC()
	year, month, day := t.Date()
	if year < 0 || year > 9999 {
		return append(t.AppendFormat(append(b, '"'), Time), '"')
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

// AppendNullTime writes a time, or null.
func AppendNullTime(b []byte, t *time.Time) []byte {
	if t == nil {
		return append(b, "null"...)
	}
	return AppendTime(b, *t)
}
