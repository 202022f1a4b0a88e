package webhooks

import (
	"time"

	"recado/internal/kernel"
)

// nextAttempt returns the status of a delivery after an attempt with the given number and, while it is pending, the time until
// the next one. A final failure is not retried.
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
