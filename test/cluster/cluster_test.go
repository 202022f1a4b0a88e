// Package cluster runs three real servers on one PostgreSQL database. It kills, pauses and replaces them under mixed
// load, stops the database, and compares the data afterwards with the responses that clients got.
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
	workers   = 2
	pace      = 40 * time.Millisecond
	customers = 120 // more than the rate limit of a number allows at once
	lease     = 3 * time.Second
	patience  = 3 * time.Minute
)

func TestMain(m *testing.M) { binary.Main(m) }

// full is set for the long form of the tests.
var full = os.Getenv("RECADO_FULL") != ""

// fixture is a company on several servers, with the load on them.
type fixture struct {
	*load.Load
	nodes    []*binary.Process
	balancer *balancer
	sim      *simulator.Simulator
	line     *load.Line
	lines    []*tap // each node's connection to WhatsApp
	seed     uint64
	database string

	mayDeadlock int64 // how many deadlocks are acceptable

	mu        sync.Mutex
	delivered map[string]int // webhook deliveries by the brand of the node
}

// open starts the first node on a database, with a demo, and then the others. Tests with load run one after the other, so
// that the machine keeps up with it.
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

// work starts all workers. The returned function stops them and waits.
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

// customers sends simulated messages to the WhatsApp number at intervals, through its signed callback.
func (o *fixture) customers(t *testing.T, stop <-chan struct{}) {
	tick := time.NewTicker(100 * time.Millisecond)
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

// verify checks everything that must hold after all workers have stopped.
func (o *fixture) verify(t *testing.T) {
	t.Helper()
	sent, failed := o.line.Verify(t)
	o.Verify(t)
	o.HearsEverything(t)
	var deadlocks int64
	o.ask(t, "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()", &deadlocks)
	if deadlocks > o.mayDeadlock+2 { // each costs a second; an occasional one is retried
		t.Errorf("got %d deadlocks, want at most %d", deadlocks, o.mayDeadlock+2)
	}
	t.Logf("%d operations, %d of them without an answer, %d repeated, %d events, %d messages through WhatsApp, failed %v; %s",
		o.Total.Load(), o.Lost.Load(), o.balancer.repeats.Load(), o.Receiver.Count(), sent, failed, o.balancer.tally())
}

// ask runs a query that returns one number.
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

// deliveries returns the number of webhook deliveries that a node has made.
func (o *fixture) deliveries(node int) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.delivered[brand(node)]
}

// sender waits for the next send and returns the node that made it.
func (o *fixture) sender(t *testing.T) int {
	t.Helper()
	return o.grows(t, "messages are sent through WhatsApp", patience, -1, func(node int) int { return o.lines[node].sent() })
}

// courier waits for the next webhook delivery and returns the node that made it.
func (o *fixture) courier(t *testing.T) int {
	t.Helper()
	return o.grows(t, "events are delivered", patience, -1, o.deliveries)
}

// grows waits until a count increases for any node except one, and returns that node.
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

// takenOver waits until another node sends and delivers.
func (o *fixture) takenOver(t *testing.T, from int) {
	t.Helper()
	began := time.Now()
	o.grows(t, "another node to send through WhatsApp", patience, from, func(node int) int { return o.lines[node].sent() })
	sending := time.Since(began)
	o.grows(t, "another node to deliver events", patience, from, o.deliveries)
	t.Logf("taken over from node %d: sending after %v, webhooks after %v (or less)", from, sending.Round(time.Millisecond), time.Since(began).Round(time.Millisecond))
}
