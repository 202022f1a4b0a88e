package talk

import (
	"errors"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
)

// sendRetries are the delays before each further attempt to send a message that was certainly not sent. Later messages of the
// conversation wait too.
var sendRetries = kernel.Retries{2 * time.Second, 5 * time.Second, 15 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute}

const (
	maxUnreachable = 24 * time.Hour // a message fails if its provider cannot be reached for so long
	maxSendPause   = time.Minute    // between attempts
)

// Decision is what to do with a message after a failed attempt.
type Decision int

// The decisions.
const (
	Failed Decision = iota // it fails permanently
	Again                  // it is retried after a delay
	Held                   // it waits until its channel is connected again
)

// NextSend is a decision with its details.
type NextSend struct {
	Decision Decision
	Wait     time.Duration    // of Again
	Reason   *provider.Reason // of Failed
}

// retrySend decides what to do with a message of the given age after a failed attempt. If cause is not a *provider.SendError, the
// message may have been sent, so it is never sent again.
func retrySend(cause error, attempts int, age time.Duration) NextSend {
	failure, known := errors.AsType[*provider.SendError](cause)
	if !known || failure.Fate == provider.Uncertain {
		return NextSend{Reason: UncertainError()}
	}
	wait, again := sendRetries.Next(attempts)
	switch {
	case failure.Disconnect:
		return NextSend{Decision: Held}
	case failure.Unreachable() && age < maxUnreachable:
		if !again {
			wait = maxSendPause
		}
		return NextSend{Decision: Again, Wait: max(min(wait, maxSendPause), failure.RetryAfter)}
	case failure.Unreachable():
		reason := failure.Reason()
		reason.Message = "The provider could not be reached for 24 hours. The message was not sent."
		return NextSend{Reason: &reason}
	case failure.Retry && (again || failure.Code == string(kernel.CodeRateLimited)): // rate limits are retried forever
		return NextSend{Decision: Again, Wait: max(wait, failure.RetryAfter, time.Second)}
	}
	reason := failure.Reason()
	return NextSend{Reason: &reason}
}

// retryReaction is retrySend for a reaction. One that may have been sent is retried, because sending it twice is harmless.
func retryReaction(cause error, attempts int, age time.Duration) NextSend {
	next := retrySend(cause, attempts, age)
	if next.Decision == Failed && next.Reason.Code == ErrorUncertain {
		if wait, again := sendRetries.Next(attempts); again {
			return NextSend{Decision: Again, Wait: wait}
		}
	}
	return next
}
