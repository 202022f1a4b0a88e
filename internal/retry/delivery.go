// Package retry decides what becomes of a delivery, a send or a fetch after an attempt: whether it is tried
// again, and when. Each policy is a pure function.
package retry

import (
	"time"

	"recado/internal/model"
)

// Delivery decides what becomes of a delivery after an attempt with the given number: its status and, while it
// is pending, how long to wait. A failure is final if no attempt can succeed.
func Delivery(schedule model.Retries, attempts int, ok, final bool) (status string, wait time.Duration) {
	if ok {
		return model.DeliveryDelivered, 0
	}
	wait, again := schedule.Next(attempts)
	if !again || final {
		return model.DeliveryFailed, 0
	}
	return model.DeliveryPending, wait
}
