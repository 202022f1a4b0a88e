package whatsapp_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"recado/internal/channels/provider"
	"recado/internal/channels/simulator"
)

// TestNoMessageIsReceivedTwice sends with every fault and follows the errors: it retries if Retry is set or after the channel was
// fixed, and never if the fate is uncertain.
func TestNoMessageIsReceivedTwice(t *testing.T) {
	sim, client := connect(t, simulator.Options{Window: "off", NoLimits: true, Delivery: simulator.Delivery{Batch: 20, Parallel: 2, Duplicate: 1}})
	b := open(t, sim)
	every := 11
	for _, preset := range simulator.Presets() {
		if strings.HasPrefix(preset, "timeout") {
			continue // as a reset, but slow
		}
		if err := sim.AddFault(simulator.Fault{Preset: preset, Every: every}); err != nil {
			t.Fatal(err)
		}
		every += 6
	}
	const n, workers = 600, 4
	fates := make([]string, n)
	var wg sync.WaitGroup
	for worker := range workers {
		wg.Go(func() {
			for i := worker; i < n; i += workers {
				fates[i] = persist(t, client.Send, fmt.Sprintf("c%03d", i))
			}
		})
	}
	wg.Wait()
	drain(t, sim)

	if repeated := sim.Repeated(); len(repeated) > 0 {
		t.Errorf("sent more than once: %v", repeated)
	}
	accepted := map[string]bool{}
	for _, m := range sim.Ledger("") {
		accepted[m.ClientID] = true
	}
	count := map[string]int{}
	for i, fate := range fates {
		id := fmt.Sprintf("c%03d", i)
		count[fate]++
		switch {
		case fate != "sent" && fate != "uncertain" && fate != "refused":
			t.Errorf("%s: %s", id, fate)
		case fate == "sent" && !accepted[id], fate == "refused" && accepted[id]:
			t.Errorf("%s is called %s, accepted: %t", id, fate, accepted[id])
		case accepted[id] && len(b.statuses[id]) == 0:
			t.Errorf("%s was accepted and no status tells", id)
		}
	}
	if count["sent"] < n/2 || count["uncertain"] == 0 || count["refused"] == 0 {
		t.Errorf("the faults did not bite: %v", count)
	}
}

func persist(t *testing.T, send func(context.Context, provider.Outgoing) (provider.SendResult, error), clientID string) string {
	for range 50 {
		_, err := send(t.Context(), hello(clientID))
		if err == nil {
			return "sent"
		}
		e, ok := errors.AsType[*provider.SendError](err)
		switch {
		case !ok:
			return "error of another kind: " + err.Error()
		case e.Fate == provider.Uncertain:
			return "uncertain"
		case !e.Retry && !e.Disconnect:
			return "refused"
		}
	}
	return "never sent"
}
