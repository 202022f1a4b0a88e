package fold

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestFold(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"the empty text stays", "", ""},
		{"folded text stays", "joao 123", "joao 123"},
		{"case is removed", "JOAO Silva", "joao silva"},
		{"accents are removed", "São João, coração, você, ÀÉÎÕÜ", "sao joao, coracao, voce, aeiou"},
		{"composed and decomposed are equal", "Joa\u0303o", "joao"},
		{"spaces stay", "  a\tb\n c\u00a0d ", "  a\tb\n c\u00a0d "},
		{"sharp s becomes ss", "Straße STRASSE", "strasse strasse"},
		{"capital sharp s too", "STRAẞE", "strasse"},
		{"Turkish letters become Latin ones", "İstanbul Iğdır", "istanbul igdır"},
		{"Greek loses accents and final sigma", "Ὀδυσσεύς", "οδυσσευσ"},
		{"Cyrillic", "ЁЛКА", "елка"},
		{"Vietnamese", "Nguyễn Thị Ánh", "nguyen thi anh"},
		{"Hangul stays composed", "한국", "한국"},
		{"Japanese voicing marks are accents too", "ガ", "カ"},
		{"emoji stay", "Olá 👋🏽", "ola 👋🏽"},
		{"Kelvin and Ångström signs are letters", "\u212a\u212b", "ka"},
		{"a lone accent is removed", "\u0301", ""},
		{"letters with a stroke stay", "Łódź Øre Đ", "łodz øre đ"},
		{"invalid bytes are replaced", "a\xffb", "a\ufffdb"},
		{"NUL stays", "A\x00b", "a\x00b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Text(tt.in); got != tt.want {
				t.Errorf("%q folds to %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestTheTableAgreesWithFoldAny(t *testing.T) {
	for r := range rune(latinEnd) {
		s := "É" + string(r) + "x" // the É avoids the ASCII case
		if Text(s) != foldAny(s) {
			t.Errorf("%q folds to %q with the table and to %q without", s, Text(s), foldAny(s))
		}
	}
}

func TestFoldedRunesDoNotChangeAgain(t *testing.T) {
	for r := range rune(0x30000) { // there are no letters beyond
		if !utf8.ValidRune(r) {
			continue
		}
		once := Text(string(r))
		if Text(once) != once {
			t.Fatalf("%U folds to %+q and then to %+q", r, once, Text(once))
		}
	}
}

func FuzzFold(f *testing.F) {
	for _, s := range []string{"São João", "İ", "ΐ\u0345", "a\xff\u0301", "ᾳ", "\u1fb7", "ǰ", "각", "\u0345\u0301"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once := Text(s)
		if twice := Text(once); twice != once {
			t.Errorf("%+q folds to %+q and then to %+q", s, once, twice)
		}
		if !utf8.ValidString(once) {
			t.Errorf("%+q folds to %+q", s, once)
		}
		if Text(strings.ToUpper("é")+s) != Text("e"+s) && utf8.ValidString(s) {
			t.Errorf("an accent before %+q changes the rest", s)
		}
	})
}
