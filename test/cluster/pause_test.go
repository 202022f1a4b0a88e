package cluster

import (
	"fmt"
	"slices"
	"syscall"
	"testing"

	"recado/test/testkit"
)

// A node is stopped (SIGSTOP) while it sends messages to WhatsApp and delivers events to a webhook. Its lease expires and
// another node takes over. Then it continues (SIGCONT), still believing that it holds the lease.
func TestANodePausedBeyondItsLeaseSendsNothingAndWritesNothing(t *testing.T) {
	rounds := 2
	if full {
		rounds = 12
	}
	o := open(t, testkit.OwnCluster(t).URL)
	for round := range rounds {
		end := o.work(t)
		testkit.EventuallyWithin(t, patience, "some work", func() bool { return o.Total.Load() > int64(100*(round+1)) })
		zombie := o.sender(t)
		tap := o.lines[zombie]
		tap.hold(round%2 == 0) // alternately: responses are delayed, or requests before they reach WhatsApp
		testkit.EventuallyWithin(t, patience, "requests to WhatsApp are held", func() bool { return tap.holding() >= 4 })
		o.balancer.leave(o.nodes[zombie].URL)
		o.signal(t, zombie, syscall.SIGSTOP)
		o.takenOver(t, zombie)
		asleep := tap.sent()
		tap.release()
		ended := make(chan struct{})
		go func() { // workers with a request on the stopped node wait for it
			end()
			close(ended)
		}()
		settled := o.line.Failed(t)
		finished := o.finished(t, 500)

		o.signal(t, zombie, syscall.SIGCONT)
		<-ended
		o.nodes[zombie].WaitReady()
		o.balancer.back(o.nodes[zombie].URL)
		o.verify(t)
		for _, id := range tap.since(asleep) {
			if slices.Contains(settled, id) {
				t.Errorf("the paused node sent %s, which another node had already marked as failed", id)
			}
		}
		now := o.finished(t, 1_000_000)
		for id, before := range finished {
			if now[id] != before {
				t.Errorf("a final delivery changed: got %s, want %s", now[id], before)
			}
		}
		if t.Failed() {
			t.Fatalf("round %d; RECADO_SEED=%d", round, o.seed)
		}
	}
}

func (o *fixture) signal(t *testing.T, node int, s syscall.Signal) {
	t.Helper()
	if err := o.nodes[node].Signal(s); err != nil {
		t.Fatal(err)
	}
}

// finished returns the latest final deliveries by id, as the API shows them.
func (o *fixture) finished(t *testing.T, most int) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, d := range o.Pages(t, "/integrations/webhooks/"+o.Receiver.Webhook+"/deliveries", most) {
		if d["status"] != "pending" {
			out[d["id"].(string)] = fmt.Sprint(d)
		}
	}
	return out
}
