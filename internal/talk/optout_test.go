package talk

import "testing"

func TestKeywordsAreRecognised(t *testing.T) {
	for _, text := range []string{"SAIR", "sair", " Sair \n", "Parar", "PARÁR", "stop", "STOP!!!", "Sair.", "*SAIR*", "“Stop”…", "\u200eSAIR"} {
		if out, found := optKeyword(text); !out || !found {
			t.Errorf("%q: got %t, %t, want a keyword that opts out", text, out, found)
		}
	}
	for _, text := range []string{"VOLTAR", "voltar!", "Start", "stärt"} {
		if out, found := optKeyword(text); out || !found {
			t.Errorf("%q: got %t, %t, want a keyword that ends opting out", text, out, found)
		}
	}
	for _, text := range []string{"", "!", "sair agora", "quero sair", "não parar", "stopp", "sairia", "SAIR 1", "s a i r", "STOP 👍"} {
		if _, found := optKeyword(text); found {
			t.Errorf("%q is a keyword, want none", text)
		}
	}
}
