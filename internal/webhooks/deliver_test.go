package webhooks_test

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"testing"
	"time"

	"recado/internal/guard"
	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/server"
	"recado/internal/webhooks"
	"recado/test/kerneltest"
	"recado/test/servertest"
	"recado/test/testkit"
)

// node is one of several processes that deliver from one PostgreSQL database.
type node struct {
	*server.Server
	deliver *webhooks.Deliver
	cancel  context.CancelFunc
	ended   chan struct{}
}

// requestTimeout is the timeout of deliveries, long enough for a busy machine.
const requestTimeout = 3 * time.Second

func newNode(t *testing.T, url, name string, lease time.Duration) *node {
	t.Helper()
	s, err := server.Open(t.Context(), server.Config{
		DataDir: t.TempDir(), DatabaseURL: url, SecretKey: "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",
		WebhookAllowInsecure: true, WebhookTimeout: requestTimeout, Version: name,
	})
	if err != nil {
		t.Fatal(err)
	}
	n := &node{Server: s, ended: make(chan struct{})}
	posts := guard.New(guard.Options{AllowInsecure: true, Timeout: requestTimeout, UserAgent: "Recado/" + name})
	t.Cleanup(posts.Close)
	n.deliver = &webhooks.Deliver{Desk: s.Desk.Webhooks, Guard: posts, Logger: slog.New(slog.DiscardHandler), Timeout: requestTimeout, Lease: lease}
	t.Cleanup(func() {
		if n.cancel != nil {
			n.cancel()
			<-n.ended
		}
		_ = n.Stop(context.Background())
	})
	return n
}

func (n *node) start(run func(context.Context)) {
	var ctx context.Context
	ctx, n.cancel = context.WithCancel(context.Background())
	go func() {
		defer close(n.ended)
		run(ctx)
	}()
}

// watcher is a receiver that detects concurrent requests of several nodes.
type watcher struct {
	*testkit.Receiver
	hang map[string]bool // by User-Agent

	mu       sync.Mutex
	open     map[string]int // running requests by User-Agent
	together bool           // two nodes sent requests concurrently
	seen     map[string]int // delivery -> successful requests
}

func newWatcher(t *testing.T) *watcher {
	t.Helper()
	w := &watcher{hang: map[string]bool{}, open: map[string]int{}, seen: map[string]int{}}
	w.Receiver = testkit.NewReceiver(t)
	w.Answer(w.serve)
	return w
}

func (w *watcher) serve(_ http.ResponseWriter, r *http.Request) {
	who := r.UserAgent()
	w.mu.Lock()
	w.open[who]++
	for other, n := range w.open {
		w.together = w.together || other != who && n > 0
	}
	hang := w.hang[who]
	w.mu.Unlock()
	if hang {
		<-r.Context().Done()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open[who]--
	if !hang {
		w.seen[r.Header.Get("X-Service-Delivery")]++
	}
}

func (w *watcher) until(t *testing.T, what string, good func() bool) {
	t.Helper()
	testkit.Eventually(t, what, func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return good()
	})
}

// setting is a webhook on a cluster with an event to redeliver.
type setting struct {
	a, b      *node
	watcher   *watcher
	principal *kernel.Principal
	webhook   kernel.ID
	source    kernel.ID
}

func newSetting(t *testing.T, lease time.Duration) *setting {
	t.Helper()
	url := kerneltest.URL(t)
	s := &setting{a: newNode(t, url, "a", lease), b: newNode(t, url, "b", lease), watcher: newWatcher(t)}
	s.principal, _ = servertest.AddCompany(t, s.a.Desk, people.NewCompany{Name: "Padaria"})
	hook, _, err := s.a.Desk.Webhooks.CreateWebhook(t.Context(), s.principal, webhooks.NewWebhook{Name: "x", URL: s.watcher.URL, Events: []string{"message.sent"}})
	if err != nil {
		t.Fatal(err)
	}
	test, err := s.a.Desk.Webhooks.TestWebhook(t.Context(), s.principal, hook.ID)
	if err != nil {
		t.Fatalf("want err == nil; got %+v, %+v", test, err)
	}
	testkit.Equal(t, "test.Status", test.Status, webhooks.DeliveryDelivered)
	s.webhook, s.source = hook.ID, test.ID
	return s
}

func (s *setting) raise(t *testing.T, n *node, count int) (ids []string) {
	t.Helper()
	for range count {
		d, err := n.Desk.Webhooks.Redeliver(t.Context(), s.principal, s.webhook, s.source)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, d.ID.String())
	}
	return ids
}

func (s *setting) all(ids []string) func() bool {
	return func() bool {
		for _, id := range ids {
			if s.watcher.seen[id] == 0 {
				return false
			}
		}
		return true
	}
}

func TestANodeThatDiesIsReplacedWhenItsLeasesEnd(t *testing.T) {
	s := newSetting(t, 3*requestTimeout)
	s.a.start(s.a.deliver.RunUntilKilled)
	ids := s.raise(t, s.a, 20)
	s.watcher.until(t, "the first node delivers", s.all(ids))
	s.b.start(s.b.deliver.Run)
	more := s.raise(t, s.b, 20)
	s.watcher.until(t, "deliveries created on the other node are sent", s.all(more))
	for _, id := range append(ids, more...) {
		if s.watcher.seen[id] != 1 {
			t.Errorf("got %d requests for a delivery, want 1", s.watcher.seen[id])
		}
	}

	s.watcher.mu.Lock()
	s.watcher.hang["Recado/a"] = true
	s.watcher.mu.Unlock()
	last := s.raise(t, s.b, 30)
	s.watcher.until(t, "the first node has running requests", func() bool { return s.watcher.open["Recado/a"] > 0 })
	_ = s.a.Stop(context.Background()) // closes its database, so it can store nothing more
	s.a.cancel()
	s.watcher.until(t, "the second node delivers the rest", s.all(last))
	if s.watcher.together {
		t.Error("both nodes sent requests at the same time")
	}
}

func TestANodeThatStopsHandsItsLeasesOverAtOnce(t *testing.T) {
	s := newSetting(t, time.Hour) // a lease that is too long to wait for
	s.a.start(s.a.deliver.Run)
	s.watcher.until(t, "the first node delivers", s.all(s.raise(t, s.a, 5)))
	s.b.start(s.b.deliver.Run)
	s.watcher.until(t, "it keeps the lease", s.all(s.raise(t, s.b, 5)))
	s.a.cancel()
	<-s.a.ended
	s.watcher.until(t, "the second node takes over", s.all(s.raise(t, s.b, 5)))
	if s.watcher.together {
		t.Error("both nodes sent requests at the same time")
	}
}
