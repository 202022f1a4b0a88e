package kernel

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

func TestAppendedStringsAreEscapedAsReflectionWould(t *testing.T) {
	var every strings.Builder
	for r := range rune(0x3000) {
		every.WriteRune(r)
	}
	every.WriteString("<script>&amp;\U0001f600\ufffd\ufeff")
	for _, s := range []string{"", `"`, "\\", "é", every.String()} {
		want, err := json.Marshal(s, jsonOptions)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(AppendString(nil, s)); got != string(want) {
			t.Errorf("\n got %s\nwant %s", got, want)
		}
	}
	if got := string(AppendString(nil, "a\xffb\xc3")); got != "\"a\ufffdb\ufffd\"" {
		t.Errorf("bytes that are not UTF-8: %q", got)
	}
}
