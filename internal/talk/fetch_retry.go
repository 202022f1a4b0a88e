package talk

import (
	"errors"
	"time"

	"recado/internal/blob"
	"recado/internal/channels/provider"
	"recado/internal/kernel"
)

const (
	fetchFor       = 7 * 24 * time.Hour // WhatsApp keeps files for this long
	fetchFirstWait = 5 * time.Second
	fetchLongest   = time.Hour
	fetchTries     = 4 // a refusal or a wrong hash is final after this many
)

// retryFetch returns how long to wait after a number of failed tries to fetch a file of the given age. It reports false if the
// file is given up.
func retryFetch(cause error, tries int64, age time.Duration) (wait time.Duration, again bool) {
	if errors.Is(cause, blob.ErrTooLarge) || kernel.CodeOf(cause) == kernel.CodeLimitReached {
		return 0, false
	}
	if refused, ok := errors.AsType[*provider.SendError](cause); ok {
		switch {
		case refused.Code == "media_unavailable", refused.Code == string(kernel.CodeMediaTooLarge):
			return 0, false
		case tries >= fetchTries && (refused.Code == "media_corrupt" || !refused.Retry && !refused.Disconnect):
			return 0, false
		}
	}
	wait = min(fetchLongest, fetchFirstWait<<min(2*(tries-1), 20))
	return wait, age+wait <= fetchFor
}
