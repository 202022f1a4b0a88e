package talk

import "testing"

func TestIsOneAcceptsExactlyOneEmoji(t *testing.T) {
	for _, s := range []string{"👍", "❤", "❤️", "👍🏽", "👩‍👩‍👧‍👦", "🇧🇷", "1️⃣", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🏳️‍🌈", "‼️", "😂", "🙏🏿", "✅", "™️"} {
		if !IsOne(s) {
			t.Errorf("IsOne(%q) is false", s)
		}
	}
	for _, s := range []string{"", "a", "ok", "👍👍", "👍 ", " 👍", "1", "+", "$", "€", "🇧", "👍a", "\u200d", "👍\u200d", "\ufe0f", "é", "<3", ":)", "\x00"} {
		if IsOne(s) {
			t.Errorf("IsOne(%q) is true", s)
		}
	}
}
