package phone

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestNormalize(t *testing.T) {
	tests := []struct{ in, want string }{
		// Brazil, in every dress.
		{"+5511987654321", "+5511987654321"},
		{"+55 11 98765-4321", "+5511987654321"},
		{"+55 (11) 98765-4321", "+5511987654321"},
		{"(+55) 11 98765.4321", "+5511987654321"},
		{"+55 011 98765-4321", "+5511987654321"},
		{"  +55-11-98765-4321  ", "+5511987654321"},
		{"5511987654321", "+5511987654321"},
		{"11987654321", "+5511987654321"},
		{"011987654321", "+5511987654321"},
		{"(11) 98765-4321", "+5511987654321"},
		{"(55) 98765-4321", "+5555987654321"}, // area code 55, Santa Maria
		{"55987654321", "+5555987654321"},
		// The ninth digit.
		{"+551187654321", "+5511987654321"},
		{"551187654321", "+5511987654321"},
		{"1187654321", "+5511987654321"},
		{"01187654321", "+5511987654321"},
		{"+556899991234", "+5568999991234"},
		{"+551169991234", "+5511969991234"},
		{"+551177654321", "+5511977654321"},
		{"5587654321", "+5555987654321"},
		// Landlines have none.
		{"+551132654321", "+551132654321"},
		{"551132654321", "+551132654321"},
		{"1132654321", "+551132654321"},
		{"+551122654321", "+551122654321"},
		{"+551152654321", "+551152654321"},
		{"0800 727 4646", "+558007274646"},
		{"+55 0800 727 4646", "+558007274646"},
		// Not in use in Brazil.
		{"+5520987654321", ""}, // no such area code
		{"+5500987654321", ""},
		{"+551112345678", ""}, // no subscriber begins with 1
		{"+55119876543210", ""},
		{"+5511987654", ""},
		{"98765-4321", ""},
		{"987654321", ""},
		// Mexico and Argentina.
		{"+525512345678", "+525512345678"},
		{"+5215512345678", "+525512345678"},
		{"5215512345678", "+525512345678"},
		{"+5491123456789", "+5491123456789"},
		{"+541123456789", "+541123456789"},
		{"5491123456789", "+5491123456789"},
		// The world.
		{"+1 (202) 555-0123", "+12025550123"},
		{"12025550123", "+12025550123"},
		{"+15551234567", "+15551234567"}, // a range that is not in use, but the country is given
		{"15551234567", ""},              // here it is not
		{"+351 912 345 678", "+351912345678"},
		{"351912345678", "+351912345678"},
		{"+44 (0)7911 123456", "+447911123456"},
		{"+39 06 1234 5678", "+390612345678"},
		{"+49 1511 2345678", "+4915112345678"},
		{"+86 138 1234 5678", "+8613812345678"},
		{"+77011234567", "+77011234567"},
		{"+34912345678", "+34912345678"},
		{"34912345678", "+5534912345678"}, // reads as Brazilian: the price of doing without "+"
		{"+5511 34912345678", ""},
		{"+999 1234567890", ""},
		{"+0800 555 1234", ""},
		{"0055 11 98765 4321", ""},
		// What is no number.
		{"", ""},
		{" ", ""},
		{"+", ""},
		{"-", ""},
		{"()", ""},
		{"1", ""},
		{"+1", ""},
		{"+55", ""},
		{"190", ""},
		{"+1 5551234", ""},
		{"++5511987654321", ""},
		{"55+11987654321", ""},
		{"5511987654321+", ""},
		{"+5511987654321 ext. 5", ""},
		{"+5511987654321x5", ""},
		{"+5511987654321;ext=5", ""},
		{"tel:+5511987654321", ""},
		{"+1 800 FLOWERS", ""},
		{"+55119876543\x0021", ""},
		{"+5511987654321\x00", ""},
		{"+5511987654321\n", ""},
		{"\t+5511987654321", ""},
		{"+55\u00a011\u00a0987654321", ""},
		{"+５５１１９８７６５４３２１", ""},
		{"＋5511987654321", ""},
		{"+٥٥١١٩٨٧٦٥٤٣٢١", ""},
		{"\u202d+5511987654321", ""},
		{"+55/11/987654321", ""},
		{"+5511987654321,5", ""},
		{"+" + strings.Repeat("5", 16), ""},
		{"+" + strings.Repeat("1", 1000), ""},
		{strings.Repeat(" ", 1000) + "+5511987654321", ""},
	}
	for _, tt := range tests {
		got, ok := Normalize(tt.in)
		if got != tt.want || ok != (tt.want != "") {
			t.Errorf("%q gives %q, %v; want %q", tt.in, got, ok, tt.want)
		}
	}
}

func TestBrazilianMobile(t *testing.T) {
	t.Run("what is read without the library is what the library gives", func(t *testing.T) {
		quick := 0
		check := func(digits string) {
			got, ok := brazilianMobile(digits)
			if !ok {
				return
			}
			quick++
			if want, valid := lookUp(digits, true); !valid || got != want {
				t.Errorf("%s gives %s, the library %q, %v", digits, got, want, valid)
			}
		}
		random := rand.New(rand.NewPCG(3, 9))
		for area := range 100 {
			for head := 0; head < 1000; head += 20 { // the first digits of every subscriber
				check(fmt.Sprintf("55%02d9%03d%05d", area, head, random.IntN(1e5)))
				check(fmt.Sprintf("55%02d%03d%05d", area, head, random.IntN(1e5)))
			}
		}
		if want := 67*50 + 67*20; quick != want { // areas in use
			t.Errorf("%d numbers were read so, not %d", quick, want)
		}
	})
	t.Run("no area is missing", func(t *testing.T) {
		for area := 10; area < 100; area++ {
			digits := fmt.Sprintf("55%d987654321", area)
			_, quick := brazilianMobile(digits)
			if _, valid := lookUp(digits, true); quick != valid {
				t.Errorf("area %d: %v, the library %v", area, quick, valid)
			}
		}
	})
	t.Run("numbers of all shapes are read as the library alone would", func(t *testing.T) {
		random := rand.New(rand.NewPCG(5, 11))
		for range 4_000 {
			digits := []string{"", "", "55", "55", "5511", "52", "1"}[random.IntN(7)]
			for range 7 + random.IntN(8) {
				digits += string(rune('0' + random.IntN(10)))
			}
			strict := random.IntN(2) == 0
			got, ok := parse(digits, strict)
			if want, valid := lookUp(digits, strict); got != want || ok != valid {
				t.Errorf("%s gives %q, %v; the library %q, %v", digits, got, ok, want, valid)
			}
		}
	})
}

func TestKey(t *testing.T) {
	t.Run("is the same for every spelling of one person's number", func(t *testing.T) {
		for _, same := range [][]string{
			{"+5511987654321", "5511987654321", "+551187654321", "551187654321"},
			{"+5568999991234", "556899991234"},
			{"+525512345678", "5215512345678", "+5215512345678"},
			{"+541123456789", "5491123456789", "+5491123456789"},
			{"+551132654321", "551132654321"},
			{"+12025550123", "12025550123"},
		} {
			for _, phone := range same {
				if Key(phone) != Key(same[0]) {
					t.Errorf("%s and %s differ: %s, %s", phone, same[0], Key(phone), Key(same[0]))
				}
			}
		}
	})
	t.Run("differs for different people", func(t *testing.T) {
		seen := map[string]string{}
		for _, phone := range []string{
			"+5511987654321", "+5511887654321", "+551132654321", "+5511932654321", "+5521987654321",
			"+525512345678", "+541123456789", "+12025550123",
		} {
			if first, dup := seen[Key(phone)]; dup {
				t.Errorf("%s and %s have one key", first, phone)
			}
			seen[Key(phone)] = phone
		}
	})
	t.Run("takes any text", func(t *testing.T) {
		for _, s := range []string{"", "x", "55\xff", strings.Repeat("é", 6)} {
			if got := Key(s); got != s {
				t.Errorf("%q has the key %q", s, got)
			}
		}
	})
}

func FuzzNormalize(f *testing.F) {
	for _, s := range []string{"+5511987654321", "1187654321", "5215512345678", "(11) 3265-4321", "12025550123", "+", "００", "0800 727 4646"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		e164, ok := Normalize(s)
		if !ok {
			if e164 != "" {
				t.Errorf("%q is refused and yet gives %q", s, e164)
			}
			return
		}
		if len(e164) < 5 || len(e164) > 18 || e164[0] != '+' || strings.Trim(e164[1:], "0123456789") != "" {
			t.Errorf("%q gives %q", s, e164)
		}
		if again, ok := Normalize(e164); !ok || again != e164 {
			t.Errorf("%q gives %q, and that gives %q, %v", s, e164, again, ok)
		}
		if key := Key(e164); Key(key) != key {
			t.Errorf("the key of %q is not stable", e164)
		}
	})
}

func BenchmarkNormalize(b *testing.B) {
	for _, bb := range []struct{ name, number string }{
		{"mobile", "+5511987654321"},
		{"mobile as people write it", "+55 11 98765-4321"},
		{"mobile without its ninth digit", "+551187654321"},
		{"landline", "+551132654321"},
		{"abroad", "+351912345678"},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Normalize(bb.number)
			}
		})
	}
}
