package webhooks

import (
	"testing"
	"time"

	"recado/internal/kernel"
)

func TestAFailedDeliveryIsRetriedUntilItsLastAttempt(t *testing.T) {
	for name, test := range map[string]struct {
		attempts  int
		ok, final bool
		status    string
		wait      time.Duration
	}{
		"the first succeeds":       {1, true, false, DeliveryDelivered, 0},
		"the last succeeds":        {6, true, false, DeliveryDelivered, 0},
		"the first fails":          {1, false, false, DeliveryPending, 30 * time.Second},
		"the second fails":         {2, false, false, DeliveryPending, 2 * time.Minute},
		"the third fails":          {3, false, false, DeliveryPending, 10 * time.Minute},
		"the fourth fails":         {4, false, false, DeliveryPending, time.Hour},
		"the fifth fails":          {5, false, false, DeliveryPending, 6 * time.Hour},
		"the last fails":           {6, false, false, DeliveryFailed, 0},
		"there is nothing to send": {1, false, true, DeliveryFailed, 0},
	} {
		status, wait := nextAttempt(kernel.DefaultRetries, test.attempts, test.ok, test.final)
		if status != test.status || wait != test.wait {
			t.Errorf("%s: got %s after %v, want %s after %v", name, status, wait, test.status, test.wait)
		}
	}
}
