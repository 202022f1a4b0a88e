package talk

import (
	"errors"
	"testing"
	"time"

	"recado/internal/blob"
	"recado/internal/channels/provider"
	"recado/internal/kernel"
)

func TestAFailedFetchIsRetriedOrGivenUp(t *testing.T) {
	const day = 24 * time.Hour
	for name, test := range map[string]struct {
		cause error
		tries int64
		age   time.Duration
		wait  time.Duration // 0: not tried again
	}{
		"WhatsApp does not have it":           {&provider.SendError{Code: "media_unavailable"}, 1, 0, 0},
		"WhatsApp calls it too large":         {&provider.SendError{Code: "media_too_large"}, 1, 0, 0},
		"it is too large":                     {blob.ErrTooLarge, 1, 0, 0},
		"the company's files are too many":    {kernel.Errorf(kernel.CodeLimitReached, ""), 1, 0, 0},
		"its hash is wrong":                   {&provider.SendError{Code: "media_corrupt", Retry: true}, 1, 0, 5 * time.Second},
		"its hash is wrong again":             {&provider.SendError{Code: "media_corrupt", Retry: true}, 3, 0, 80 * time.Second},
		"its hash is wrong every time":        {&provider.SendError{Code: "media_corrupt", Retry: true}, 4, 0, 0},
		"WhatsApp cannot be reached":          {&provider.SendError{Code: "unavailable", Retry: true}, 10, 0, time.Hour},
		"the token is refused":                {&provider.SendError{Code: "token_rejected", Disconnect: true}, 10, 0, time.Hour},
		"WhatsApp refuses for good reason":    {&provider.SendError{Code: "provider_refused"}, 4, 0, 0},
		"WhatsApp refuses for the first time": {&provider.SendError{Code: "provider_refused"}, 1, 0, 5 * time.Second},
		"the disk fails":                      {errors.New("disk full"), 2, 0, 20 * time.Second},
		"other files come first":              {&provider.SendError{Code: "unavailable", Retry: true, RetryAfter: time.Second, Offline: true}, 10, 8 * day, 5 * time.Second},
		"a week has nearly passed":            {errors.New("disk full"), 10, 7*day - time.Hour, time.Hour},
		"a week has passed":                   {errors.New("disk full"), 10, 7*day - time.Hour + 1, 0},
	} {
		wait, again := retryFetch(test.cause, test.tries, test.age)
		if again != (test.wait > 0) || again && wait != test.wait {
			t.Errorf("%s: tried again %t after %v, want %t after %v", name, again, wait, test.wait > 0, test.wait)
		}
	}
}
