package desk

import (
	"time"

	"recado/internal/model"
)

// afterDelivery decides what becomes of a delivery after an attempt, its so many-th: its status and, while it
// is pending, how long to wait. A failure is final if no attempt can succeed.
func afterDelivery(schedule model.Retries, attempts int, ok, final bool) (status string, wait time.Duration) {
	if ok {
		return model.DeliveryDelivered, 0
	}
	wait, again := schedule.Next(attempts)
	if !again || final {
		return model.DeliveryFailed, 0
	}
	return model.DeliveryPending, wait
}
