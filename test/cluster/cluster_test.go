// Package cluster runs three real servers on one PostgreSQL, kills, pauses, starves and replaces them
// under mixed load, and compares what they show with what they answered.
package cluster

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"recado/internal/channels/simulator"
	"recado/test/binary"
	"recado/test/load"
	"recado/test/testkit"
)

const (
	nodes     = 3
	workers   = 4
	pace      = 20 * time.Millisecond
	customers = 120 // more than a number may write to in a while
	lease     = 3 * time.Second
	takeover  = lease + 12*time.Second // a paused transaction holds its locks for 3 seconds, and the machine may be busy
	patience  = 2 * time.Minute        // for what only has to happen at all
)

func TestMain(m *testing.M) { binary.Main(m) }

// full is set for the long run.
var full = os.Getenv("RECADO_FULL") != ""

// fixture is a company on several servers, with the load that runs against them.
type fixture struct {
	*load.Load
	nodes    []*binary.Process
	balancer *balancer
	sim      *simulator.Simulator
	line     *load.Line
	lines    []*tap // each node's way to WhatsApp
	seed     uint64
	database string

	mayDeadlock int64 // how often transactions may have waited for each other

	mu        sync.Mutex
	delivered map[string]int // webhook deliveries by the brand of the node
}

// open starts the first node on a database, with a demo, and then the others beside it. The tests run at the same time, because they wait for
// leases most of it.
func open(t *testing.T, database string, args ...string) *fixture {
	t.Helper()
	o := &fixture{database: database, delivered: map[string]int{}, seed: uint64(time.Now().UnixNano())}
	if given, err := strconv.ParseUint(os.Getenv("RECADO_SEED"), 10, 64); err == nil {
		o.seed = given
	}
	t.Logf("RECADO_SEED=%d", o.seed)
	t.Cleanup(func() {
		for i, p := range o.nodes {
			if p.Kill(); t.Failed() {
				t.Logf("node %d said: %.4000s", i, p.Log())
			}
		}
	})
	numbers := []simulator.Number{{ID: "200000000000001", Phone: "5511900000000", Name: "Loja"}}
	o.sim = simulator.New(simulator.Options{Numbers: numbers, Delivery: simulator.Delivery{Batch: 20, Parallel: 4}})
	t.Cleanup(o.sim.Close)
	o.balancer = &balancer{t: t}
	front := o.balancer.front(t)
	dir := t.TempDir()
	for i := range nodes {
		tap := newTap(t, o.sim)
		o.lines = append(o.lines, tap)
		p := binary.New(t, dir, append([]string{
			"--database-url", database, "--public-url", front, "--brand", brand(i), "--whatsapp-base-url", tap.URL, "--lease", lease.String(),
		}, slices.Concat(load.Patient, args, demoFor(i))...)...)
		p.Start()
		o.nodes = append(o.nodes, p)
		o.balancer.add(p.URL)
	}
	demo := o.nodes[0].Demo
	o.Load = load.Start(t, load.Options{API: o.balancer, Demo: demo, Dir: dir, Database: database, Workers: workers, Pace: pace, Seed: o.seed})
	o.Receiver.OnDelivery(func(brand, _ string) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.delivered[brand]++
	})
	o.line = load.OpenLine(t, o.sim, numbers, o.balancer, demo.Companies[0].APIKey, customers)
	return o
}

func brand(node int) string { return fmt.Sprintf("Node%d", node) }

func demoFor(node int) []string {
	if node == 0 {
		return []string{"--demo"}
	}
	return nil
}

// work starts all workers; the returned function ends them and waits.
func (o *fixture) work(t *testing.T) (end func()) {
	t.Helper()
	stop := make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() { o.Work(stop) })
	all.Go(func() { o.line.SendAll(t, 4, 1_000_000, 200*time.Millisecond, stop) })
	all.Go(func() { o.customers(t, stop) })
	end = sync.OnceFunc(func() {
		close(stop)
		all.Wait()
	})
	t.Cleanup(end)
	return end
}

// customers simulates messages to the WhatsApp number every now and then, through its signed callback.
func (o *fixture) customers(t *testing.T, stop <-chan struct{}) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-stop:
			return
		case <-tick.C:
		}
		_, err := o.sim.Receive(simulator.Inbound{Number: "200000000000001", Customer: fmt.Sprintf("55119%08d", 70000000+n%customers), Text: "oi?"})
		if err != nil {
			t.Error(err)
		}
	}
}

// verify is everything that has to hold after all workers have ended.
func (o *fixture) verify(t *testing.T) {
	t.Helper()
	sent, failed := o.line.Verify(t)
	o.Verify(t)
	o.HearsEverything(t)
	var deadlocks int64
	o.ask(t, "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()", &deadlocks)
	if deadlocks > o.mayDeadlock+2 { // each costs a second; one now and then is mended by a repeat
		t.Errorf("%d transactions waited for each other", deadlocks)
	}
	t.Logf("%d operations, %d of them without an answer, %d repeated, %d events, %d messages through WhatsApp, failed %v; %s",
		o.Total.Load(), o.Lost.Load(), o.balancer.repeats.Load(), o.Receiver.Count(), sent, failed, o.balancer.tally())
}

// ask puts one question to the database.
func (o *fixture) ask(t *testing.T, sql string, out any) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	conn, err := pgx.Connect(ctx, o.database)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	if err := conn.QueryRow(ctx, sql).Scan(out); err != nil {
		t.Fatal(err)
	}
}

// deliveries is how many webhook deliveries a node has made.
func (o *fixture) deliveries(node int) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.delivered[brand(node)]
}

// sender waits for the node that sends through WhatsApp next.
func (o *fixture) sender(t *testing.T) int {
	t.Helper()
	return o.grows(t, "messages are sent through WhatsApp", patience, -1, func(node int) int { return o.lines[node].sent() })
}

// courier waits for the node that delivers to the webhook next.
func (o *fixture) courier(t *testing.T) int {
	t.Helper()
	return o.grows(t, "events are delivered", patience, -1, o.deliveries)
}

// grows waits until a count goes up for a node but one, and tells for which.
func (o *fixture) grows(t *testing.T, what string, most time.Duration, but int, count func(node int) int) int {
	t.Helper()
	var before [nodes]int
	for i := range before {
		before[i] = count(i)
	}
	found := -1
	testkit.EventuallyWithin(t, most, what, func() bool {
		for i := range before {
			if i != but && count(i) > before[i] {
				found = i
			}
		}
		return found >= 0
	})
	return found
}

// takenOver waits until another node than this one sends and delivers.
func (o *fixture) takenOver(t *testing.T, from int) {
	t.Helper()
	began := time.Now()
	o.grows(t, "another node to send through WhatsApp", takeover, from, func(node int) int { return o.lines[node].sent() })
	sending := time.Since(began)
	o.grows(t, "another node to deliver events", takeover, from, o.deliveries)
	t.Logf("taken over from node %d: sending after %v, webhooks after %v (or less)", from, sending.Round(time.Millisecond), time.Since(began).Round(time.Millisecond))
}
