package provider

import "testing"

func TestReplaceMention(t *testing.T) {
	for _, test := range []struct {
		text, want string
		found      bool
	}{
		{"@Ana", "@1", true},
		{"Oi @Ana, e @Ana Lima", "Oi @1, e @1 Lima", true},
		{"@Anabela e @Ana", "@Anabela e @1", true},
		{"@Anabela", "@Anabela", false},
		{"@Anaí @Ana2 @Ana\u0301", "@Anaí @Ana2 @Ana\u0301", false},
		{"Ana", "Ana", false},
	} {
		if got, found := ReplaceMention(test.text, "Ana", "1"); got != test.want || found != test.found {
			t.Errorf("ReplaceMention(%q) = %q, %t, want %q, %t", test.text, got, found, test.want, test.found)
		}
	}
}
