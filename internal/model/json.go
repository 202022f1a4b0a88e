package model

import (
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"recado/internal/jsonenc"
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
			b = t.UTC().AppendFormat(b, jsonenc.Time)
			return enc.WriteValue(append(b, '"'))
		}),
		json.MarshalToFunc(func(enc *jsontext.Encoder, a JSONAppender) error {
			return enc.WriteValue(a.AppendJSON(nil))
		}),
	)),
	jsontext.EscapeForHTML(false),
)
