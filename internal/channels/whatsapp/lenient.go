package whatsapp

import (
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Meta writes the same field sometimes as a string and sometimes as a number, and adds shapes without notice. These types
// decode what they can and keep the zero value for the rest, so that one odd field does not lose the whole message.

// leniently accepts JSON that Meta may send and the strict defaults would reject.
var leniently = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

func decode(b []byte, v any) error { return json.Unmarshal(b, v, leniently) }

// text is a string, or a number as it was written, without NUL, which PostgreSQL cannot store.
type text string

func (t *text) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if kind := dec.PeekKind(); kind != '"' && kind != '0' {
		return dec.SkipValue()
	}
	token, err := dec.ReadToken()
	if err != nil {
		return err
	}
	*t = text(strings.ReplaceAll(token.String(), "\x00", ""))
	return nil
}

// number is a whole number, or a string that contains one.
type number int64

func (n *number) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	var t text
	if err := t.UnmarshalJSONFrom(dec); err != nil {
		return err
	}
	if i, err := strconv.ParseInt(string(t), 10, 64); err == nil {
		*n = number(i)
	} else if f, err := strconv.ParseFloat(string(t), 64); err == nil && math.Abs(f) < 1<<53 {
		*n = number(f)
	}
	return nil
}

// moment is a Unix time in seconds or milliseconds. It is zero if there is none.
type moment struct{ time.Time }

func (m *moment) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	var n number
	if err := n.UnmarshalJSONFrom(dec); err != nil {
		return err
	}
	const latestSeconds = 100_000_000_000 // the year 5138 in seconds, March 1973 in milliseconds
	switch {
	case n <= 0:
	case n < latestSeconds:
		m.Time = time.Unix(int64(n), 0).UTC()
	case n < latestSeconds*1000:
		m.Time = time.UnixMilli(int64(n)).UTC()
	}
	return nil
}

// lenient is a value of the expected shape, or the zero value.
type lenient[T any] struct {
	value T
	ok    bool
}

func (l *lenient[T]) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	raw, err := dec.ReadValue()
	if err != nil {
		return err
	}
	l.set(raw)
	return nil
}

func (l *lenient[T]) set(raw jsontext.Value) {
	var v T
	if raw.Kind() != 'n' && decode(raw, &v) == nil {
		l.value, l.ok = v, true
	}
}

// list has the elements of an array that have the expected shape. A single object counts as a list of one.
type list[T any] []T

func (l *list[T]) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	switch dec.PeekKind() {
	case '{':
		return l.element(dec)
	case '[':
	default:
		return dec.SkipValue()
	}
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	for dec.PeekKind() != ']' {
		if err := l.element(dec); err != nil {
			return err
		}
	}
	_, err := dec.ReadToken()
	return err
}

func (l *list[T]) element(dec *jsontext.Decoder) error {
	var e lenient[T]
	if err := e.UnmarshalJSONFrom(dec); err != nil {
		return err
	}
	if e.ok {
		*l = append(*l, e.value)
	}
	return nil
}

// clip returns at most n bytes of s, without splitting a character.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
