package fields

import (
	"strconv"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestDocumentNumbers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ kind, in, want string }{
		{TypeCPF, "529.982.247-25", "52998224725"},
		{TypeCPF, "52998224725", "52998224725"},
		{TypeCPF, "111.444.777-35", "11144477735"},
		{TypeCPF, "529.982.247-24", ""},
		{TypeCPF, "529.982.247-15", ""},
		{TypeCPF, "111.111.111-11", ""},
		{TypeCPF, "000.000.000-00", ""},
		{TypeCPF, "5299822472", ""},
		{TypeCPF, "529982247250", ""},
		{TypeCPF, "5299822472X", ""},
		{TypeCPF, "٥٢٩٩٨٢٢٤٧٢٥", ""},
		{TypeCNPJ, "11.222.333/0001-81", "11222333000181"},
		{TypeCNPJ, "11222333000181", "11222333000181"},
		{TypeCNPJ, "11.222.333/0001-80", ""},
		{TypeCNPJ, "00.000.000/0000-00", ""},
		{TypeCNPJ, "1122233300018", ""},
		{TypeCNPJ, "12.ABC.345/01DE-35", "12ABC34501DE35"}, // the example of the Receita Federal
		{TypeCNPJ, "12.abc.345/01de-35", "12ABC34501DE35"},
		{TypeCNPJ, "12ABC34501DE36", ""},
		{TypeCNPJ, "12ABC34501DE3A", ""},
		{TypeCNPJ, "12ÁBC34501DE35", ""},
	} {
		f := &Field{Type: c.kind}
		got, invalid := f.readText("fields.x", c.in)
		if c.want == "" {
			if invalid == nil {
				t.Errorf("%s %q is accepted as %v", c.kind, c.in, got)
			}
			continue
		}
		if invalid != nil || got != c.want {
			t.Errorf("%s %q: got %v, %v, want %s", c.kind, c.in, got, invalid, c.want)
		}
	}
}

// TestCheckDigitsAgreeWithTheRule computes the check digits of alphanumeric numbers step by step, as the Receita Federal explains
// them: the values of the characters times the weights 5 4 3 2 9 8 7 6 5 4 3 2.
func TestCheckDigitsAgreeWithTheRule(t *testing.T) {
	t.Parallel()
	digit := func(text string, weights []int) int {
		sum := 0
		for i, w := range weights {
			sum += (int(text[i]) - 48) * w
		}
		if rest := sum % 11; rest > 1 {
			return 11 - rest
		}
		return 0
	}
	first := []int{5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2}
	second := append([]int{6}, first...)
	for _, root := range []string{"12ABC34501DE", "ZZZZZZZZZZZZ", "A00000000000", "9B8C7D6E5F4G", "112223330001"} {
		number := root + strconv.Itoa(digit(root, first))
		number += strconv.Itoa(digit(number, second))
		if got, ok := normalCNPJ(number); !ok || got != number {
			t.Errorf("%s is refused", number)
		}
		wrong := number[:13] + strconv.Itoa((int(number[13]-'0')+1)%10)
		if _, ok := normalCNPJ(wrong); ok {
			t.Errorf("%s is accepted", wrong)
		}
	}
}

func TestValuesHaveTheTypeOfTheirField(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind, in string
		want     any // nil: refused
	}{
		{TypeText, `"Olá\nmundo"`, "Olá\nmundo"},
		{TypeText, `7`, nil},
		{TypeText, `" "`, nil},
		{TypeNumber, `-1.50`, -1.5},
		{TypeNumber, `-0`, 0.0},
		{TypeNumber, `1e400`, nil},
		{TypeNumber, `"7"`, nil},
		{TypeDate, `"2024-02-29"`, "2024-02-29"},
		{TypeDate, `"2023-02-29"`, nil},
		{TypeDate, `"29/02/2024"`, nil},
		{TypeBool, `false`, false},
		{TypeBool, `"false"`, nil},
		{TypeChoice, `"Gold"`, "Gold"},
		{TypeChoice, `"gold"`, nil},
		{TypeLink, `"https://example.com/a?b=c"`, "https://example.com/a?b=c"},
		{TypeLink, `"http://example.com"`, "http://example.com"},
		{TypeLink, `"ftp://example.com"`, nil},
		{TypeLink, `"javascript:alert(1)"`, nil},
		{TypeLink, `"https://"`, nil},
		{TypeLink, `"https://exa mple.com"`, nil},
		{TypeCPF, `52998224725`, nil},
		{TypeText, `{}`, nil},
		{TypeText, `[]`, nil},
	} {
		f := &Field{Type: c.kind, Options: []string{"Gold"}}
		got, invalid := f.read("fields.x", jsontext.Value(c.in), nil)
		if (invalid != nil) != (c.want == nil) || invalid == nil && got != c.want {
			t.Errorf("%s %s: got %v, %v, want %v", c.kind, c.in, got, invalid, c.want)
		}
	}
}

func TestFormat(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind  string
		value any
		want  string
	}{
		{TypeDate, "1990-05-17", "17/05/1990"},
		{TypeCPF, "52998224725", "529.982.247-25"},
		{TypeCNPJ, "12ABC34501DE35", "12.ABC.345/01DE-35"},
		{TypeNumber, 1234.5, "1234.5"},
		{TypeNumber, 1e21, "1000000000000000000000"},
		{TypeText, "a", "a"},
	} {
		if got := (&Field{Type: c.kind}).Format(c.value); got != c.want {
			t.Errorf("%s %v: got %s, want %s", c.kind, c.value, got, c.want)
		}
	}
}
