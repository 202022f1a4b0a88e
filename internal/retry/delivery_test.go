package retry

import (
	"testing"
	"time"

	"recado/internal/model"
)

func TestWhatBecomesOfADeliveryAfterAnAttempt(t *testing.T) {
	for name, test := range map[string]struct {
		attempts  int
		ok, final bool
		status    string
		wait      time.Duration
	}{
		"the first succeeds":       {1, true, false, model.DeliveryDelivered, 0},
		"the last succeeds":        {6, true, false, model.DeliveryDelivered, 0},
		"the first fails":          {1, false, false, model.DeliveryPending, 30 * time.Second},
		"the second fails":         {2, false, false, model.DeliveryPending, 2 * time.Minute},
		"the third fails":          {3, false, false, model.DeliveryPending, 10 * time.Minute},
		"the fourth fails":         {4, false, false, model.DeliveryPending, time.Hour},
		"the fifth fails":          {5, false, false, model.DeliveryPending, 6 * time.Hour},
		"the last fails":           {6, false, false, model.DeliveryFailed, 0},
		"there is nothing to send": {1, false, true, model.DeliveryFailed, 0},
	} {
		status, wait := Delivery(model.DefaultRetries, test.attempts, test.ok, test.final)
		if status != test.status || wait != test.wait {
			t.Errorf("%s: got %s after %v, want %s after %v", name, status, wait, test.status, test.wait)
		}
	}
}
