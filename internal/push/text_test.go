package push

import (
	"strings"
	"testing"
	"time"

	"recado/internal/channels/provider"
)

func TestTextsAreCutAtCharacters(t *testing.T) {
	full := strings.Repeat("a", maxText)
	for _, test := range []struct{ text, want string }{
		{"", ""},
		{full, full},
		{full + "b", full},
		{strings.Repeat("ã", maxText+5), strings.Repeat("ã", maxText)},
		{full[1:] + "👍🏽", full[1:] + "👍"},
		{full[2:] + "👩\u200d💻", full[2:] + "👩"},
	} {
		if got := shorten(test.text); got != test.want {
			t.Errorf("%q: got %q, want %q", test.text, got, test.want)
		}
	}
}

func TestEveryLanguageHasEveryText(t *testing.T) {
	for _, language := range []string{"pt-BR", "en", "es"} {
		l, known := texts[language]
		if !known || l.other == "" || l.test == "" || len(l.titles) != len(texts["en"].titles) || len(l.types) != len(texts["en"].types) {
			t.Errorf("%s lacks a text", language)
		}
	}
	l := texts["en"]
	if got := l.preview(provider.TypeImage, nil, false); got != "Photo" {
		t.Errorf("a picture: got %q, want Photo", got)
	}
	if got := l.preview(provider.TypeImage, new("look"), false); got != "look" {
		t.Errorf("a picture with a caption: got %q, want look", got)
	}
}

func TestWaitsGrowAndRespectRetryAfter(t *testing.T) {
	var o outcome
	total := time.Duration(0)
	for tries := int64(1); total < maxAge; tries++ {
		total += o.wait(tries)
		if tries > 20 {
			t.Fatalf("%d attempts in %v", tries, total)
		}
	}
	now := time.Date(2026, 11, 17, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"": 0, "120": 2 * time.Minute, "soon": 0, "-5": 0, "Tue, 17 Nov 2026 12:01:00 GMT": time.Minute, "Tue, 17 Nov 2026 11:00:00 GMT": 0,
	} {
		if got := retryAfter(text, now); got != want {
			t.Errorf("Retry-After %q: got %v, want %v", text, got, want)
		}
	}
	if o.retryAfter = time.Minute; o.wait(1) != time.Minute {
		t.Errorf("got %v, want a minute", o.wait(1))
	}
	if o.retryAfter = 1000 * time.Hour; o.wait(1) != maxPause {
		t.Errorf("got %v, want %v", o.wait(1), maxPause)
	}
}
