package talk

import (
	"errors"
	"testing"
	"time"

	"recado/internal/channels/provider"
)

func TestRetrySendDecidesAfterAFailedAttempt(t *testing.T) {
	limited := &provider.SendError{Code: "rate_limited", Retry: true, RetryAfter: 3 * time.Second}
	away := &provider.SendError{Code: provider.CodeProviderUnavailable, Retry: true}
	awayLonger := &provider.SendError{Code: provider.CodeSendUnavailable, Retry: true, RetryAfter: 2 * time.Minute}
	offline := &provider.SendError{Code: provider.CodeSendUnavailable, Retry: true, Offline: true}
	refused := &provider.SendError{Code: "provider_busy", Retry: true}
	for name, test := range map[string]struct {
		cause    error
		attempts int
		age      time.Duration
		decision Decision
		wait     time.Duration
		code     string // of the reason
	}{
		"it is unknown whether it was sent":      {errors.New("panic"), 1, 0, Failed, 0, UncertainError().Code},
		"the response was lost":                  {&provider.SendError{Code: "no_answer", Fate: provider.Uncertain}, 1, 0, Failed, 0, UncertainError().Code},
		"the process ended":                      {errors.New("the process that was sending this message ended"), 1, 0, Failed, 0, UncertainError().Code},
		"the channel is refused":                 {&provider.SendError{Code: "token_rejected", Disconnect: true}, 1, 0, Held, 0, ""},
		"the provider is away":                   {away, 1, 0, Again, 2 * time.Second, ""},
		"the provider is away again":             {away, 2, 0, Again, 5 * time.Second, ""},
		"the provider is away for long":          {away, 5, 0, Again, time.Minute, ""},
		"the provider is away after all retries": {away, 100, 23 * time.Hour, Again, time.Minute, ""},
		"the provider says when":                 {awayLonger, 1, 0, Again, 2 * time.Minute, ""},
		"the provider was away for a day":        {away, 100, 24 * time.Hour, Failed, 0, provider.CodeProviderUnavailable},
		"there is no connection for days":        {offline, 1000, 72 * time.Hour, Again, time.Minute, ""},
		"the provider is busy":                   {refused, 4, 0, Again, time.Minute, ""},
		"the provider is busy for the last time": {refused, 6, 0, Again, 15 * time.Minute, ""},
		"the provider is busy every time":        {refused, 7, 0, Failed, 0, "provider_busy"},
		"a rate limit":                           {limited, 1, 0, Again, 3 * time.Second, ""},
		"a rate limit after all retries":         {limited, 1000, 48 * time.Hour, Again, 3 * time.Second, ""},
		"a refusal for good":                     {&provider.SendError{Code: "not_on_whatsapp"}, 1, 0, Failed, 0, "not_on_whatsapp"},
	} {
		t.Run(name, func(t *testing.T) {
			got := retrySend(test.cause, test.attempts, test.age)
			if got.Decision != test.decision || got.Wait != test.wait {
				t.Errorf("got decision %d after %v, want %d after %v", got.Decision, got.Wait, test.decision, test.wait)
			}
			if test.code == "" && got.Reason != nil || test.code != "" && (got.Reason == nil || got.Reason.Code != test.code) {
				t.Errorf("got the reason %+v, want the code %q", got.Reason, test.code)
			}
		})
	}
}
