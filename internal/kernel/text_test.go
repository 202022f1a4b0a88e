package kernel

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestName(t *testing.T) {
	tests := []struct{ name, in, want, wrong string }{
		{"a plain name", "Ana", "Ana", ""},
		{"spaces around it go", " \t Ana Lúcia\n", "Ana Lúcia", ""},
		{"other spaces too", "\u00a0Ana\u3000", "Ana", ""},
		{"characters count, not bytes", strings.Repeat("é", 120), strings.Repeat("é", 120), ""},
		{"spaces around it do not count", strings.Repeat("a", 120) + "   ", strings.Repeat("a", 120), ""},
		{"an emoji of several parts", "👩🏽‍💻", "👩🏽‍💻", ""},
		{"one character too many", strings.Repeat("é", 121), "", "at most 120"},
		{"empty", "", "", "blank"},
		{"blank", " \t\n", "", "blank"},
		{"nothing to see", "\u200b\u2060", "", "blank"},
		{"a line break", "Ana\nLúcia", "", "one line"},
		{"a line separator", "Ana\u2028Lúcia", "", "one line"},
		{"a tab inside", "Ana\tLúcia", "", "one line"},
		{"a control character", "Ana\x1b[31m", "", "one line"},
		{"a C1 control character", "Ana\u0085x", "", "one line"},
		{"delete", "Ana\x7f", "", "one line"},
		{"NUL", "Ana\x00", "", "NUL"},
		{"not UTF-8", "Ana\xff", "", "UTF-8"},
		{"a surrogate", "Ana\xed\xa0\x80", "", "UTF-8"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Name("body.name", tt.in, MaxName)
			checkTextResult(t, got, err, tt.want, tt.wrong, "body.name")
		})
	}
}

func TestText(t *testing.T) {
	tests := []struct{ name, in, wrong string }{
		{"stays exactly as it is", "  olá\n\tmundo  ", ""},
		{"as long as allowed", strings.Repeat("ã", 4096), ""},
		{"too long", strings.Repeat("ã", 4097), "at most 4096"},
		{"empty", "", "blank"},
		{"blank", " \n\t\u00a0", "blank"},
		{"nothing to see", "\u200d\ufeff", "blank"},
		{"NUL", "a\x00b", "NUL"},
		{"not UTF-8", "\xc3", "UTF-8"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Text("body.text", tt.in, 4096)
			checkTextResult(t, got, err, tt.in, tt.wrong, "body.text")
		})
	}
}

func TestOptionalText(t *testing.T) {
	tests := []struct{ name, in, wrong string }{
		{"empty", "", ""},
		{"blank", " \n", ""},
		{"as long as allowed", strings.Repeat("ã", 500), ""},
		{"too long", strings.Repeat("ã", 501), "at most 500"},
		{"NUL", "\x00", "NUL"},
		{"not UTF-8", "\xc3", "UTF-8"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := OptionalText("body.reason", tt.in, 500)
			checkTextResult(t, got, err, tt.in, tt.wrong, "body.reason")
		})
	}
}

func checkTextResult(t *testing.T, got string, err *Error, want, wrong, field string) {
	t.Helper()
	if wrong == "" {
		if err != nil || got != want {
			t.Errorf("want err == nil and got == want; got %+v, %+v", got, err)
		}
		return
	}
	if err == nil || err.Code != CodeInvalidRequest || err.Fields[0].Field != field || !strings.Contains(err.Message, wrong) {
		t.Errorf("%q, %v; want an error about %s", got, err, wrong)
	}
}

func FuzzName(f *testing.F) {
	f.Add(" Ana ")
	f.Add("\xff\u2028")
	f.Fuzz(func(t *testing.T, s string) {
		got, err := Name("f", s, 20)
		if err != nil {
			return
		}
		if n := utf8.RuneCountInString(got); n < 1 || n > 20 || !utf8.ValidString(got) || strings.ContainsAny(got, "\x00\n") {
			t.Errorf("%q passes as %q", s, got)
		}
		if again, err := Name("f", got, 20); err != nil || again != got {
			t.Errorf("%q is accepted, then gives %q, %v", got, again, err)
		}
	})
}
