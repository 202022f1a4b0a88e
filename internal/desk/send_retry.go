package desk

import (
	"errors"
	"time"

	"recado/internal/model"
)

// sendRetries is how long a message that certainly did not go out waits before each further attempt.
// The messages after it in its conversation wait with it.
var sendRetries = model.Retries{2 * time.Second, 5 * time.Second, 15 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute}

// A message waits this long for a provider that cannot be reached at all: what is not sent within a day
// of being written is rarely still wanted, and the service window has closed by then.
const (
	sendPatience = 24 * time.Hour
	sendLull     = time.Minute // between attempts, at most
)

// sendFate is what becomes of a message after an attempt that brought no answer of success.
type sendFate int

const (
	sendFailed sendFate = iota // for good
	sendAgain                  // after a wait
	sendHeld                   // when its channel is connected again
)

// sendNext is the decision of nextSend.
type sendNext struct {
	fate   sendFate
	wait   time.Duration       // of sendAgain
	reason *model.MessageError // of sendFailed
}

// nextSend decides what becomes of a message after an attempt, its so many-th, when the message is so old. A
// cause that is no *model.SendError leaves open whether the message went out: it is never sent again.
func nextSend(cause error, attempts int, age time.Duration) sendNext {
	failure, known := errors.AsType[*model.SendError](cause)
	if !known || failure.Fate == model.Uncertain {
		return sendNext{reason: model.UncertainError()}
	}
	wait, again := sendRetries.Next(attempts)
	switch {
	case failure.Disconnect:
		return sendNext{fate: sendHeld}
	case failure.Unreachable() && age < sendPatience:
		if !again {
			wait = sendLull
		}
		return sendNext{fate: sendAgain, wait: max(min(wait, sendLull), failure.RetryAfter)}
	case failure.Unreachable():
		reason := failure.MessageError()
		reason.Message = "The provider could not be reached for 24 hours. The message was not sent."
		return sendNext{reason: &reason}
	case failure.Retry && (again || failure.Code == string(model.CodeRateLimited)): // rate limits are retried without a limit
		return sendNext{fate: sendAgain, wait: max(wait, failure.RetryAfter, time.Second)}
	}
	reason := failure.MessageError()
	return sendNext{reason: &reason}
}
