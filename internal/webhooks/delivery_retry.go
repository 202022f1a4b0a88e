package webhooks

import (
	"time"

	"recado/internal/kernel"
)

// nextAttempt decides what becomes of a delivery after an attempt with the given number: its status and, while it
// is pending, how long to wait. A failure is final if no attempt can succeed.
func nextAttempt(schedule kernel.Retries, attempts int, ok, final bool) (status string, wait time.Duration) {
	if ok {
		return DeliveryDelivered, 0
	}
	wait, again := schedule.Next(attempts)
	if !again || final {
		return DeliveryFailed, 0
	}
	return DeliveryPending, wait
}
