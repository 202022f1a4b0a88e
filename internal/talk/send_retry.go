package talk

import (
	"errors"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
)

// sendRetries is how long a message that certainly did not go out waits before each further attempt.
// The messages after it in its conversation wait with it.
var sendRetries = kernel.Retries{2 * time.Second, 5 * time.Second, 15 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute}

// A message waits this long for a provider that cannot be reached at all: what is not sent within a day
// of being written is rarely still wanted, and the service window has closed by then.
const (
	maxUnreachable = 24 * time.Hour
	maxSendPause   = time.Minute // between attempts, at most
)

// Decision is what becomes of a message after an attempt that did not succeed.
type Decision int

// The decisions.
const (
	Failed Decision = iota // permanently
	Again                  // after a wait
	Held                   // until its channel is connected again
)

// NextSend is the decision of Send.
type NextSend struct {
	Decision Decision
	Wait     time.Duration    // of Again
	Reason   *provider.Reason // of Failed
}

// retrySend decides what becomes of a message of the given age after an attempt with the given number. A cause that
// is not a *provider.SendError does not say whether the message was sent: such a message is never sent again.
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
	case failure.Retry && (again || failure.Code == string(kernel.CodeRateLimited)): // rate limits are retried without a limit
		return NextSend{Decision: Again, Wait: max(wait, failure.RetryAfter, time.Second)}
	}
	reason := failure.Reason()
	return NextSend{Reason: &reason}
}

// retryReaction is retrySend for a reaction. One that may have been sent is sent again, because a repeat changes nothing.
func retryReaction(cause error, attempts int, age time.Duration) NextSend {
	next := retrySend(cause, attempts, age)
	if next.Decision == Failed && next.Reason.Code == ErrorUncertain {
		if wait, again := sendRetries.Next(attempts); again {
			return NextSend{Decision: Again, Wait: wait}
		}
	}
	return next
}
