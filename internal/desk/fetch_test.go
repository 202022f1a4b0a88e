package desk

import (
	"testing"
	"time"

	"recado/internal/model"
)

func TestWhenAFileIsGivenUp(t *testing.T) {
	now := time.Unix(1_790_000_000, 0)
	for name, test := range map[string]struct {
		cause error
		tries int64
		again bool
	}{
		"WhatsApp does not have it":        {&model.SendError{Code: "media_unavailable"}, 0, false},
		"it is too large":                  {&model.SendError{Code: "media_too_large"}, 0, false},
		"its hash is wrong":                {&model.SendError{Code: "media_corrupt", Retry: true}, 0, true},
		"its hash is wrong every time":     {&model.SendError{Code: "media_corrupt", Retry: true}, 3, false},
		"WhatsApp cannot be reached":       {&model.SendError{Code: "unavailable", Retry: true}, 9, true},
		"the token is refused":             {&model.SendError{Code: "token_rejected", Disconnect: true}, 9, true},
		"WhatsApp refuses for good reason": {&model.SendError{Code: "provider_refused"}, 3, false},
	} {
		f := Fetch{Media: model.Media{CreatedAt: now}, Tries: test.tries}
		if again := nextFetch(f, test.cause, now) != nil; again != test.again {
			t.Errorf("%s: tried again %t, want %t", name, again, test.again)
		}
	}
}
