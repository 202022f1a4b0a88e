package kernel

import (
	"math"
	"strconv"
	"strings"
	"testing"
)

func TestParseIfMatch(t *testing.T) {
	const invalid = -1
	tests := []struct {
		name  string
		lines []string
		want  int64 // 0: no version
	}{
		{"no header", nil, 0},
		{"a bare number", []string{"7"}, 7},
		{"an entity tag", []string{`"7"`}, 7},
		{"a weak entity tag", []string{`W/"7"`}, 7},
		{"surrounding spaces", []string{" \t\"7\"  "}, 7},
		{"the largest number", []string{"9223372036854775807"}, math.MaxInt64},
		{"a star names no version", []string{"*"}, 0},
		{"a star with spaces", []string{" * "}, 0},
		{"one more than the largest", []string{"9223372036854775808"}, invalid},
		{"far too large", []string{strings.Repeat("9", 100)}, invalid},
		{"an empty line", []string{""}, invalid},
		{"empty quotes", []string{`""`}, invalid},
		{"one quote", []string{`"`}, invalid},
		{"an open quote", []string{`"7`}, invalid},
		{"a quote too many", []string{`7"`}, invalid},
		{"double quotes", []string{`""7""`}, invalid},
		{"spaces within the quotes", []string{`" 7 "`}, invalid},
		{"weak without quotes", []string{"W/7"}, invalid},
		{"lower-case weak", []string{`w/"7"`}, invalid},
		{"weak twice", []string{`W/W/"7"`}, invalid},
		{"a list", []string{`"7", "8"`}, invalid},
		{"a list of one and a comma", []string{`"7",`}, invalid},
		{"a quoted star", []string{`"*"`}, invalid},
		{"text", []string{`"abc"`}, invalid},
		{"zero", []string{"0"}, invalid},
		{"negative", []string{"-7"}, invalid},
		{"signed", []string{"+7"}, invalid},
		{"leading zero", []string{"07"}, invalid},
		{"a fraction", []string{"7.0"}, invalid},
		{"an exponent", []string{"7e1"}, invalid},
		{"hexadecimal", []string{"0x7"}, invalid},
		{"digits of another script", []string{"７"}, invalid},
		{"NUL", []string{"7\x00"}, invalid},
		{"two lines", []string{`"7"`, `"7"`}, invalid},
		{"two lines, one a star", []string{"*", `"7"`}, invalid},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			version, present, err := ParseIfMatch(tt.lines)
			if tt.want == invalid {
				if err == nil || err.Code != CodeInvalidRequest || err.Fields[0].Field != "header.If-Match" || present {
					t.Errorf(`want err != nil and err.Code == CodeInvalidRequest and err.Fields[0].Field == "header.If-Match" and !present; got %+v, %+v, %+v`, version, present, err)
				}
				return
			}
			if err != nil || version != tt.want || present != (tt.want > 0) {
				t.Errorf("want err == nil and version == tt.want and present == (tt.want > 0); got %+v, %+v, %+v", version, present, err)
			}
		})
	}
}

func TestCardVersion(t *testing.T) {
	tests := []struct {
		name  string
		lines []string
		body  int64 // -99: absent
		want  int64
		code  Code
	}{
		{"from the header", []string{`"7"`}, -99, 7, ""},
		{"from the body", nil, 7, 7, ""},
		{"from both", []string{`W/"7"`}, 7, 7, ""},
		{"a star leaves it to the body", []string{"*"}, 7, 7, ""},
		{"none", nil, -99, 0, CodeVersionRequired},
		{"a star alone", []string{"*"}, -99, 0, CodeVersionRequired},
		{"two that disagree", []string{"8"}, 7, 0, CodeInvalidRequest},
		{"nonsense in the header is not saved by the body", []string{"x"}, 7, 0, CodeInvalidRequest},
		{"zero in the body", nil, 0, 0, CodeInvalidRequest},
		{"negative in the body", []string{"7"}, -1, 0, CodeInvalidRequest},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			body := &tt.body
			if tt.body == -99 {
				body = nil
			}
			got, err := CardVersion(tt.lines, body)
			if tt.code != "" {
				if err == nil || err.Code != tt.code {
					t.Errorf("error %v, want %s", err, tt.code)
				}
				return
			}
			if err != nil || got != tt.want {
				t.Errorf("want err == nil and got == tt.want; got %+v, %+v", got, err)
			}
		})
	}
}

func FuzzParseIfMatch(f *testing.F) {
	for _, s := range []string{"7", `"7"`, `W/"7"`, "*", `"7","8"`, "07", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		version, present, err := ParseIfMatch([]string{s})
		if present && (err != nil || version < 1 || !strings.Contains(s, strconv.FormatInt(version, 10))) {
			t.Errorf("%q gives %d, %v", s, version, err)
		}
	})
}
