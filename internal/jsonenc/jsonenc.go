// Package jsonenc appends JSON values without reflection, with the bytes that the API's encoder writes.
package jsonenc

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// AppendString writes a JSON string with the shortest escapes; bytes that are not UTF-8 become U+FFFD.
func AppendString(b []byte, s string) []byte {
	b, _ = jsontext.AppendQuote(b, s) // the error only says that there were such bytes
	return b
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
