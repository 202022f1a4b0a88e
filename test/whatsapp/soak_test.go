package whatsapp_test

import (
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"recado/internal/channels/simulator"
	"recado/test/binary"
	"recado/test/kerneltest"
	"recado/test/load"
	"recado/test/testkit"
)

// TestSoak sends messages through a simulated WhatsApp that fails one call in twenty, in every known way, while the server
// is killed repeatedly. With RECADO_FULL it sends 10,000 messages and kills the server 20 times on each engine.
func TestSoak(t *testing.T) {
	t.Parallel()
	plan := soakPlan{customers: 100, each: 10, kills: 4}
	if os.Getenv("RECADO_FULL") != "" {
		plan = soakPlan{customers: 500, each: 20, kills: 20}
	}
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		plan.run(t)
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		// A killed node holds its numbers until its lease expires. The second kill of each pair happens while the next node
		// is waiting for that.
		plan := plan
		plan.pairs = true
		plan.run(t, "--database-url", kerneltest.URL(t), "--lease", "4s", "--webhook-timeout", "1s")
	})
}

type soakPlan struct {
	customers, each, kills int
	pairs                  bool // kill twice in a row
}

// soakFaults does not include faults that stop a whole number on purpose: rejected tokens, unpaid bills, and limits that
// last for a minute.
var soakFaults = []string{
	"timeout_after_accept", "timeout_before_accept", "reset_after_accept", "reset_before_accept",
	"html_502", "html_502_after_accept", "unknown_500", "unknown_500_after_accept", "overloaded_503",
	"went_wrong_500", "went_wrong_after_accept", "unavailable_500", "throttled_400", "throttled_429",
	"pair_limited", "not_on_whatsapp", "answer_cut_after_accept", "empty_answer_after_accept",
}

// soakNumbers share the load, because each may send 80 messages a second.
const soakNumbers = 4

func (plan soakPlan) run(t *testing.T, args ...string) {
	sim, graph := startSimulator(t, simulator.Options{
		Hold: 300 * time.Millisecond, Delivery: simulator.Delivery{Batch: 50, Parallel: 4}, Numbers: plan.numbers(),
	})
	p := binary.Serve(t, t.TempDir(), append(args, "--whatsapp-base-url", graph)...)
	line := load.OpenLine(t, sim, plan.numbers(), load.Single(p.URL), p.Demo.Companies[0].APIKey, plan.customers)
	for i, preset := range soakFaults {
		must(t, sim.AddFault(simulator.Fault{Preset: preset, Every: 300 + 11*i}))
	}
	total := plan.customers * plan.each
	stop := make(chan struct{})
	var sending sync.WaitGroup
	sending.Go(func() { line.SendAll(t, 12, total, 0, stop) })
	t.Cleanup(func() { // if the test fails before everything is sent
		close(stop)
		sending.Wait()
	})
	plan.strike(t, sim, p, total)
	sending.Wait()
	if line.Accepted() != total {
		t.Fatalf("got %d accepted messages, want %d", line.Accepted(), total)
	}
	sim.ClearFaults()
	delivered, failed := line.Verify(t)
	t.Logf("%d messages, %d kills: %d delivered, failed %v", total, plan.kills, delivered, failed)
}

func (plan soakPlan) numbers() []simulator.Number {
	out := make([]simulator.Number, soakNumbers)
	for i := range out {
		out[i] = simulator.Number{ID: fmt.Sprintf("20000000000000%d", i+1), Phone: fmt.Sprintf("551190000000%d", i), Name: "Soak"}
	}
	return out
}

// strike kills the server at regular intervals while messages are being sent.
func (plan soakPlan) strike(t *testing.T, sim *simulator.Simulator, p *binary.Process, total int) {
	t.Helper()
	moments := plan.kills
	if plan.pairs {
		moments /= 2
	}
	for i := range moments {
		testkit.EventuallyWithin(t, 5*time.Minute, fmt.Sprintf("part %d of the messages", i+1), func() bool {
			return sim.Calls("messages") >= total*(i+1)/(moments+2)
		})
		p.Kill()
		p.Start()
		if plan.pairs {
			p.Kill()
			p.Start()
		}
	}
}
