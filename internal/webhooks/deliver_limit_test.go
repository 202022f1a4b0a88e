package webhooks

import (
	"testing"
	"time"
)

func TestTheLimitOfRequestsGrowsWithSuccessAndShrinksWithFailure(t *testing.T) {
	const fast = 10 * time.Millisecond
	limit := newDeliverLimit()
	for i, step := range []struct {
		ok       bool
		took     time.Duration
		requests int
		unproven bool
	}{
		{true, fast, 2, false},
		{true, fast, 4, false},
		{true, fast, 8, false},
		{true, fast, 8, false},
		{true, time.Second, 2, true},
		{true, fast, 4, false},
		{false, fast, 1, true},
		{true, 2 * time.Second, 2, true},
		{false, 8 * time.Second, 1, true},
		{true, fast, 2, false},
	} {
		limit = limit.after(step.ok, step.took)
		if limit.requests != step.requests || limit.unproven() != step.unproven {
			t.Errorf("step %d: got %d requests, unproven %t; want %d, %t", i, limit.requests, limit.unproven(), step.requests, step.unproven)
		}
	}
	if first := newDeliverLimit(); first.requests != 1 || !first.unproven() {
		t.Errorf("a webhook starts with %d requests, unproven %t; want 1, true", first.requests, first.unproven())
	}
}
