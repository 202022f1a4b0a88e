package kernel

import (
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Time is the layout of every time in the API.
const Time = "2006-01-02T15:04:05.000Z"

// EncodeJSON returns v as JSON of the API: times in UTC with milliseconds, nil lists as [], the keys of maps sorted. Bytes
// that are not UTF-8 become U+FFFD. Both responses and events use it.
func EncodeJSON(v any) ([]byte, error) { return json.Marshal(v, jsonOptions) }

var jsonOptions = json.JoinOptions(
	json.WithMarshalers(json.JoinMarshalers(
		json.MarshalToFunc(func(enc *jsontext.Encoder, t time.Time) error {
			b := append(enc.AvailableBuffer(), '"')
			return enc.WriteValue(append(t.UTC().AppendFormat(b, Time), '"'))
		}),
		json.MarshalToFunc(func(enc *jsontext.Encoder, id ID) error {
			b := append(enc.AvailableBuffer(), '"')
			return enc.WriteValue(append(id.AppendText(b), '"'))
		}),
	)),
	json.Deterministic(true),
	jsontext.AllowInvalidUTF8(true),
	jsontext.EscapeForHTML(false),
)
