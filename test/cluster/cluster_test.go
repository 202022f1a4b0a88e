// Package cluster runs three real servers on one PostgreSQL, kills, pauses, starves and replaces them
// under mixed load, and has the crew compare what they show with what they had answered.
package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"recado/internal/whatsapp/simulator"
	"recado/test/binary"
	"recado/test/crew"
)

const (
	nodes     = 3
	clerks    = 4
	pace      = 20 * time.Millisecond
	customers = 120 // more than a number may write to in a while
	lease     = 3 * time.Second
	takeover  = lease + 12*time.Second // a paused transaction holds its locks for 3 seconds, and the machine may be busy
)

// full is set for the long run.
var full = os.Getenv("RECADO_FULL") != ""

// office is a company on several servers, with everybody who works there.
type office struct {
	*crew.Crew
	nodes    []*binary.Process
	balancer *balancer
	sim      *simulator.Simulator
	line     *crew.Line
	lines    []*tap // each node's way to WhatsApp
	seed     uint64
	database string

	mayDeadlock int64 // how often transactions may have waited for each other

	mu        sync.Mutex
	delivered map[string]int // webhook deliveries by the brand of the node
}

// open starts the first node on a database, with a demo, and then the others beside it.
func open(t *testing.T, database string, args ...string) *office {
	t.Helper()
	t.Parallel() // they wait for leases most of the time
	o := &office{database: database, delivered: map[string]int{}, seed: uint64(time.Now().UnixNano())}
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
			"--webhook-timeout", "1s", "--webhook-retries", "1s,1s,1s,1s,1s,1s,1s,1s",
		}, append(args, demoFor(i)...)...)...)
		p.Start()
		o.nodes = append(o.nodes, p)
		o.balancer.add(p.URL)
	}
	demo := o.nodes[0].Demo
	o.Crew = crew.Hire(t, crew.Options{Door: o.balancer, Demo: demo, Dir: dir, Database: database, Clerks: clerks, Pace: pace, Seed: o.seed})
	o.Receiver.OnDelivery(func(brand, _ string) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.delivered[brand]++
	})
	o.line = crew.OpenLine(t, o.sim, numbers, o.balancer, demo.Companies[0].APIKey, customers)
	return o
}

func brand(node int) string { return fmt.Sprintf("Node%d", node) }

func demoFor(node int) []string {
	if node == 0 {
		return []string{"--demo"}
	}
	return nil
}

// work starts everybody; the given function ends it and waits.
func (o *office) work(t *testing.T) (end func()) {
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

// customers has somebody write to the WhatsApp number every now and then, through its signed callback.
func (o *office) customers(t *testing.T, stop <-chan struct{}) {
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

// verify is everything that has to hold once nobody works any more.
func (o *office) verify(t *testing.T) {
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
func (o *office) ask(t *testing.T, sql string, out any) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
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
func (o *office) deliveries(node int) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.delivered[brand(node)]
}

// sender waits for the node that sends through WhatsApp next.
func (o *office) sender(t *testing.T) int {
	t.Helper()
	return o.grows(t, "somebody sends through WhatsApp", takeover, -1, func(node int) int { return o.lines[node].sent() })
}

// courier waits for the node that delivers to the webhook next.
func (o *office) courier(t *testing.T) int {
	t.Helper()
	return o.grows(t, "somebody delivers events", takeover, -1, o.deliveries)
}

// grows waits until a count goes up for a node but one, and tells for which.
func (o *office) grows(t *testing.T, what string, most time.Duration, but int, count func(node int) int) int {
	t.Helper()
	var before [nodes]int
	for i := range before {
		before[i] = count(i)
	}
	found := -1
	crew.WaitFor(t, what, most, func() bool {
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
func (o *office) takenOver(t *testing.T, from int) {
	t.Helper()
	began := time.Now()
	o.grows(t, "another node to send through WhatsApp", takeover, from, func(node int) int { return o.lines[node].sent() })
	sending := time.Since(began)
	o.grows(t, "another node to deliver events", takeover, from, o.deliveries)
	t.Logf("taken over from node %d: sending after %v, webhooks after %v (or less)", from, sending.Round(time.Millisecond), time.Since(began).Round(time.Millisecond))
}

// tap is a node's way to the simulated WhatsApp. It counts what passes and can hold it back.
type tap struct {
	*httptest.Server
	mu       sync.Mutex
	messages []string      // by id, as they came
	gate     chan struct{} // while not nil, sends wait for it to be closed
	after    bool          // with the answer; otherwise before WhatsApp sees them
	held     int
}

func newTap(t *testing.T, sim http.Handler) *tap {
	p := &tap{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/messages") {
			sim.ServeHTTP(w, r)
			return
		}
		p.pass(w, r, sim)
	}))
	t.Cleanup(func() {
		p.release()
		p.CloseClientConnections()
		p.Close()
	})
	return p
}

// pass lets a message through and notes whose it was.
func (p *tap) pass(w http.ResponseWriter, r *http.Request, sim http.Handler) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	var m struct {
		ID string `json:"biz_opaque_callback_data"`
	}
	_ = json.Unmarshal(body, &m)
	p.mu.Lock()
	p.messages = append(p.messages, m.ID)
	gate, after := p.gate, p.after
	if gate != nil {
		p.held++
	}
	p.mu.Unlock()
	if gate != nil && !after {
		<-gate
	}
	answer := httptest.NewRecorder()
	sim.ServeHTTP(answer, r)
	if gate != nil && after {
		<-gate
	}
	maps.Copy(w.Header(), answer.Header())
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes())
}

// hold keeps messages back, on their way or with their answers, until release.
func (p *tap) hold(after bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gate, p.after, p.held = make(chan struct{}), after, 0
}

func (p *tap) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gate != nil {
		close(p.gate)
		p.gate = nil
	}
}

func (p *tap) holding() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.held
}

func (p *tap) sent() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.messages)
}

// since gives the messages that passed after the first n.
func (p *tap) since(n int) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.messages[n:])
}
