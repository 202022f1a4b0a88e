package kernel

import (
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// JSONAppender is a noun that writes itself as JSON faster than reflection would. What it writes is
// what AppendJSON would write of the same value without it.
type JSONAppender interface {
	AppendJSON(b []byte) []byte
}

// AppendJSON appends v as the API shows it: times in UTC with milliseconds, empty lists as [].
// Answers and the stored bytes of events both come from here, so they cannot differ.
func AppendJSON(b []byte, v any) ([]byte, error) {
	if a, ok := v.(JSONAppender); ok {
		return a.AppendJSON(b), nil
	}
	out, err := json.Marshal(v, jsonOptions)
	return append(b, out...), err
}

var jsonOptions = json.JoinOptions(
	json.WithMarshalers(json.JoinMarshalers(
		json.MarshalToFunc(func(enc *jsontext.Encoder, t time.Time) error {
			var buf [26]byte
			b := append(buf[:0], '"')
			b = t.UTC().AppendFormat(b, Time)
			return enc.WriteValue(append(b, '"'))
		}),
		json.MarshalToFunc(func(enc *jsontext.Encoder, a JSONAppender) error {
			return enc.WriteValue(a.AppendJSON(nil))
		}),
	)),
	jsontext.EscapeForHTML(false),
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

// AppendID writes an id as a JSON string.
func AppendID(b []byte, id ID) []byte {
	return append(id.AppendText(append(b, '"')), '"')
}

// AppendNullInt writes a number, or null.
func AppendNullInt(b []byte, n *int64) []byte {
	if n == nil {
		return append(b, "null"...)
	}
	return strconv.AppendInt(b, *n, 10)
}

// AppendNullFloat writes a number, or null.
func AppendNullFloat(b []byte, n *float64) []byte {
	if n == nil {
		return append(b, "null"...)
	}
	return strconv.AppendFloat(b, *n, 'f', -1, 64)
}

// AppendNullID writes an id, or null.
func AppendNullID(b []byte, id *ID) []byte {
	if id == nil {
		return append(b, "null"...)
	}
	return AppendID(b, *id)
}

// AppendIDs writes a list of ids.
func AppendIDs(b []byte, ids []ID) []byte {
	b = append(b, '[')
	for i, id := range ids {
		if i > 0 {
			b = append(b, ',')
		}
		b = AppendID(b, id)
	}
	return append(b, ']')
}

// AppendNullRef writes a reference with id and name, or null.
func AppendNullRef(b []byte, ref *Ref) []byte {
	if ref == nil {
		return append(b, "null"...)
	}
	b = AppendID(append(b, `{"id":`...), ref.ID)
	b = AppendString(append(b, `,"name":`...), ref.Name)
	return append(b, '}')
}
