package cluster

import (
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"recado/internal/kernel"
	"recado/test/load"
	"recado/test/testkit"
)

// PostgreSQL is stopped in two ways: SIGINT closes all connections and shuts down cleanly, SIGQUIT exits like a crash.
// Its configuration turns synchronous commits off, so Recado has to turn them on itself.
func TestWithoutPostgreSQLEveryResponseIsA503AndAfterwardsWorkContinues(t *testing.T) {
	rounds := 2
	if full {
		rounds = 12
	}
	database := testkit.OwnCluster(t)
	o := open(t, database.URL)
	pids := o.pids()
	for round := range rounds {
		end := o.work(t)
		testkit.EventuallyWithin(t, patience, "some work", func() bool { return o.Total.Load() > int64(100*(round+1)) })
		o.sender(t)
		if err := database.Stop([]syscall.Signal{syscall.SIGINT, syscall.SIGQUIT}[round%2]); err != nil {
			t.Fatal(err)
		}
		o.unavailable(t)
		if err := database.Start(); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		for _, node := range o.nodes {
			node.WaitReady()
		}
		ready := time.Since(began)
		o.sender(t)
		o.courier(t)
		t.Logf("ready again after %v, sending and delivering after %v", ready.Round(time.Millisecond), time.Since(began).Round(time.Millisecond))
		end()
		o.verify(t)
		if now := o.pids(); now != pids {
			t.Errorf("a server was restarted: got the processes %v, want %v", now, pids)
		}
		if t.Failed() {
			t.Fatalf("round %d; RECADO_SEED=%d", round, o.seed)
		}
	}
}

// unavailable sends a variety of requests to every node while the database is down.
func (o *fixture) unavailable(t *testing.T) {
	t.Helper()
	demo := o.nodes[0].Demo.Companies[0]
	request := func(method, path string, body any, headers ...string) load.Request {
		return load.NewRequest(demo.APIKey, method, path, body, headers...)
	}
	calls := []load.Request{
		{Method: "GET", Path: "/readyz"},
		request("GET", "/conversations", nil),
		request("GET", "/events", nil),
		request("GET", "/reports/attendance", nil),
		request("POST", "/channels/"+demo.Channel+"/simulate", `{"from": "+5511999990000", "text": "never"}`),
		request("POST", "/conversations", `{"channel_id": "`+demo.Channel+`", "phone": "+5511999990000"}`),
		request("POST", "/kanban/cards", `{"title": "never", "board_id": "`+demo.Board+`"}`, "Idempotency-Key", kernel.NewID().String()),
		request("POST", "/labels", `{"name": "never", "color": "#112233"}`),
	}
	for i, node := range o.nodes {
		for _, r := range calls {
			a, err := load.Send(node.URL, r)
			switch {
			case err != nil || a.Status != http.StatusServiceUnavailable:
				t.Errorf("node %d: %s %s: got %v %d %s, want 503", i, r.Method, r.Path, err, a.Status, a.Body)
			case !strings.HasPrefix(r.Path, "/readyz"):
				o.balancer.proper(r, a)
			}
		}
		if a, err := load.Send(node.URL, load.Request{Method: "GET", Path: "/healthz"}); err != nil || a.Status != http.StatusOK {
			t.Errorf("node %d: /healthz: got %v %d, want 200", i, err, a.Status)
		}
	}
}

func (o *fixture) pids() (pids [nodes]int) {
	for i, node := range o.nodes {
		pids[i] = node.PID()
	}
	return pids
}
