package kernel

import (
	"testing"
	"time"
)

func TestEncodeJSON(t *testing.T) {
	at := time.Date(2026, 11, 17, 23, 59, 58, 987_654_321, time.FixedZone("", -3*3600))
	for name, c := range map[string]struct {
		value any
		want  string
	}{
		"a time is in UTC with milliseconds": {at, `"2026-11-18T02:59:58.987Z"`},
		"a nil pointer is null":              {(*time.Time)(nil), `null`},
		"a nil list is empty":                {[]ID(nil), `[]`},
		"nil boards are null":                {Boards(nil), `null`},
		"no boards are an empty list":        {Boards{}, `[]`},
		"the members of a map are in order":  {map[string]any{"c": 1, "a": "x", "b": nil}, `{"a":"x","b":null,"c":1}`},
		"text is escaped as little as can be": {
			"é<&>\"\\\n\x00\u2028\U0001f600", "\"é<&>\\\"\\\\\\n\\u0000\u2028\U0001f600\"",
		},
		"bytes that are not UTF-8 are replaced": {"a\xffb\xc3", "\"a\ufffdb\ufffd\""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := EncodeJSON(c.value)
			if err != nil || string(got) != c.want {
				t.Errorf("got %s, %v; want %s", got, err, c.want)
			}
		})
	}
}
