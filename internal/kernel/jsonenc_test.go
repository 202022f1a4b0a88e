package kernel

import (
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// texts are what conversations hold, and what a quoting function may get wrong.
var texts = []string{
	"", "Bom dia! O pão de queijo de hoje já saiu?", "Rua das Laranjeiras, 45", "linha 1\nlinha \"2\"\t\\", "<script>&amp;\u2028\u2029\x7f\x00\x1f\U0001f600\ufffd\ufeff",
	"a\xffb\xc3", strings.Repeat("Olá, tudo bem? ", 60),
}

func TestStringsAreQuotedAsTheEncoderQuotesThem(t *testing.T) {
	for _, s := range texts {
		want, err := json.Marshal(s, jsontext.EscapeForHTML(false), jsontext.AllowInvalidUTF8(true))
		if err != nil {
			t.Fatal(err)
		}
		if got := string(AppendString(nil, s)); got != string(want) {
			t.Errorf("%q: got %s, want %s", s, got, want)
		}
	}
}

func BenchmarkTime(b *testing.B) {
	at := time.UnixMilli(1_793_750_214_123)
	out := make([]byte, 0, 64)
	b.Run("own", func(b *testing.B) {
		for b.Loop() {
			out = AppendTime(out[:0], at)
		}
	})
	b.Run("AppendFormat", func(b *testing.B) {
		for b.Loop() {
			out = append(at.UTC().AppendFormat(append(out[:0], '"'), Time), '"')
		}
	})
}
