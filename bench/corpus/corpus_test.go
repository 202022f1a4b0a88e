package corpus

import (
	"strings"
	"testing"
)

func TestTheSameNumberGivesTheSameTexts(t *testing.T) {
	one, other := New(), New()
	other.Sentence(5)
	for n := range 100 {
		for what, texts := range map[string][2]string{
			"name":     {one.Name(n), other.Name(n)},
			"address":  {one.Address(n), other.Address(n)},
			"sentence": {one.Sentence(n), other.Sentence(n)},
			"title":    {one.Title(n), other.Title(n)},
		} {
			if texts[0] != texts[1] || texts[0] == "" {
				t.Errorf("%s %d: %q and %q", what, n, texts[0], texts[1])
			}
		}
	}
}

func TestPhonesDiffer(t *testing.T) {
	c, seen := New(), map[string]bool{}
	for n := range 300_000 {
		phone := c.Phone(n)
		if seen[phone] || len(phone) != len("+5511912345678") {
			t.Fatalf("phone %d: %q", n, phone)
		}
		seen[phone] = true
	}
}

func TestFewWordsAreInMostSentencesAndMostWordsInFew(t *testing.T) {
	c, n := New(), 20_000
	with := map[string]int{}
	for i := range n {
		text := " " + strings.ToLower(c.Sentence(i)) + " "
		for _, word := range []string{" de ", " obrigado", " pedido", " jabuticaba", " inverno"} {
			if strings.Contains(text, word) {
				with[word]++
			}
		}
	}
	for word, span := range map[string][2]float64{
		" de ": {0.3, 0.9}, " obrigado": {0.005, 0.1}, " pedido": {0.1, 0.4}, " inverno": {0.0005, 0.02}, " jabuticaba": {0.0005, 0.02},
	} {
		if part := float64(with[word]) / float64(n); part < span[0] || part > span[1] {
			t.Errorf("%q is in %.4f of the sentences, not between %v and %v", word, part, span[0], span[1])
		}
	}
}
