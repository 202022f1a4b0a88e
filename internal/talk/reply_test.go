package talk

import (
	"testing"
)

func TestVariablesOfCannedRepliesAreRendered(t *testing.T) {
	values := map[string]string{"contact.first_name": "Ana", "company": "Padaria {{x}}", "sector": ""}
	for text, want := range map[string]string{
		"":                               "",
		"Olá":                            "Olá",
		"Olá {{contact.first_name}}!":    "Olá Ana!",
		"{{ contact.first_name }}":       "Ana",
		"{{contact.first_name|cliente}}": "Ana",
		"{{sector|vendas}}":              "vendas",
		"{{sector|}}.":                   ".",
		"{{sector}}":                     "{{sector}}",
		"{{protocol}} {{company}}":       "{{protocol}} Padaria {{x}}",
		"{company} {{company":            "{company} {{company",
	} {
		if got := RenderVariables(text, values); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
		if invalid := CheckVariables("body.text", text); invalid != nil {
			t.Errorf("%q is refused: %v", text, invalid)
		}
	}
	for _, text := range []string{"{{}}", "{{contact}}", "{{contact.phone}}", "a {{name|b}} c", "{{|x}}", "{{Company}}"} {
		if CheckVariables("body.text", text) == nil {
			t.Errorf("%q is not refused", text)
		}
	}
}

func TestARenderedReplyIsRecognizedInASentMessage(t *testing.T) {
	for _, tt := range []struct {
		sent, rendered string
		want           bool
	}{
		{"Olá Ana", "Olá Ana", true},
		{"*Bia:*\nOlá Ana, tudo bem?", "Olá Ana", true},
		{"Olá Rui", "Olá Ana", false},
		{"Seu protocolo é 12. Até logo", "Seu protocolo é {{protocol}}. Até logo", true},
		{"Até logo. Seu protocolo é 12", "Seu protocolo é {{protocol}}. Até logo", false},
		{"anything", "{{protocol}}", false},
		{"anything", "", false},
	} {
		if got := ContainsRendering(tt.sent, tt.rendered); got != tt.want {
			t.Errorf("%q in %q: got %t, want %t", tt.rendered, tt.sent, got, tt.want)
		}
	}
}

func TestFirstNameIsTheFirstWordOfAName(t *testing.T) {
	for name, want := range map[string]string{"Ana Souza": "Ana", " Rui ": "Rui", "": "", "+55 11 91234-5678": "", "Élida": "Élida"} {
		if got := FirstName(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}
