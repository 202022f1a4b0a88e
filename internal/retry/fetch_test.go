package retry

import (
	"errors"
	"testing"
	"time"

	"recado/internal/blob"
	"recado/internal/model"
)

func TestWhenAFileIsGivenUp(t *testing.T) {
	const day = 24 * time.Hour
	for name, test := range map[string]struct {
		cause error
		tries int64
		age   time.Duration
		wait  time.Duration // 0: not tried again
	}{
		"WhatsApp does not have it":           {&model.SendError{Code: "media_unavailable"}, 1, 0, 0},
		"WhatsApp calls it too large":         {&model.SendError{Code: "media_too_large"}, 1, 0, 0},
		"it is too large":                     {blob.ErrTooLarge, 1, 0, 0},
		"the company's files are too many":    {model.Errorf(model.CodeLimitReached, ""), 1, 0, 0},
		"its hash is wrong":                   {&model.SendError{Code: "media_corrupt", Retry: true}, 1, 0, 5 * time.Second},
		"its hash is wrong again":             {&model.SendError{Code: "media_corrupt", Retry: true}, 3, 0, 80 * time.Second},
		"its hash is wrong every time":        {&model.SendError{Code: "media_corrupt", Retry: true}, 4, 0, 0},
		"WhatsApp cannot be reached":          {&model.SendError{Code: "unavailable", Retry: true}, 10, 0, time.Hour},
		"the token is refused":                {&model.SendError{Code: "token_rejected", Disconnect: true}, 10, 0, time.Hour},
		"WhatsApp refuses for good reason":    {&model.SendError{Code: "provider_refused"}, 4, 0, 0},
		"WhatsApp refuses for the first time": {&model.SendError{Code: "provider_refused"}, 1, 0, 5 * time.Second},
		"the disk fails":                      {errors.New("disk full"), 2, 0, 20 * time.Second},
		"a week has nearly passed":            {errors.New("disk full"), 10, 7*day - time.Hour, time.Hour},
		"a week has passed":                   {errors.New("disk full"), 10, 7*day - time.Hour + 1, 0},
	} {
		wait, again := Fetch(test.cause, test.tries, test.age)
		if again != (test.wait > 0) || again && wait != test.wait {
			t.Errorf("%s: tried again %t after %v, want %t after %v", name, again, wait, test.wait > 0, test.wait)
		}
	}
}
