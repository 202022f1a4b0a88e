package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"recado/bench/load"
	"recado/internal/kernel"
	"recado/internal/talk"
	"recado/internal/webhooks"
)

const (
	minDeliveries   = 2_000                  // a second
	pacedEvents     = 200                    // a second, for latencies
	maxToArrive     = 10 * time.Millisecond  // p50 from commit to arrival
	maxToArriveLate = 100 * time.Millisecond // p99
	maxBesideHung   = 1.5                    // times the p99 without an address that never responds
)

// runWebhooks sends messages and waits for their events at receivers in this process, which verify the signatures.
func runWebhooks(ctx context.Context, b *bench) error {
	for _, addresses := range []int{1, 20} {
		o, err := b.deliverAll(ctx, addresses)
		if err != nil {
			return err
		}
		if addresses == 1 { // limited by the sends
			b.addRate(*o, 0)
		} else {
			b.addRate(*o, minDeliveries)
		}
	}
	paced, err := b.deliverPaced(ctx, "one address, 200 events a second", pacedEvents, 1, false)
	if err != nil {
		return err
	}
	b.addLatency(*paced, maxToArrive, maxToArriveLate)
	var turns [2]*outcome
	for i, hung := range []bool{false, true} {
		name := []string{"19 addresses, 20 events a second", "the same beside one that never answers"}[i]
		if turns[i], err = b.deliverPaced(ctx, name, 20, 19, hung); err != nil {
			return err
		}
	}
	b.addBeside(*turns[1], *turns[0], maxBesideHung)
	return nil
}

// deliverAll sends as fast as possible and waits until every event has arrived at every address.
func (b *bench) deliverAll(ctx context.Context, addresses int) (*outcome, error) {
	s, r, err := b.serveReceiving(ctx, addresses, false)
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("deliveries to %d address(es) while sending", addresses)
	recorded := b.profiling(ctx, s.process, name, b.total/3)
	started, before := time.Now(), s.cpuTime()
	sent, err := load.Run(ctx, load.Plan{Address: s.address, Connections: b.conns, Duration: b.total / 3, Request: s.send})
	if err != nil {
		return nil, err
	}
	if err := r.await(ctx, int64(sent.Requests*addresses)); err != nil {
		return nil, err
	}
	o := r.outcome(name, time.Since(started))
	o.cpu, o.memory = s.cpuTime()-before, s.resident()
	return o, recorded()
}

// deliverPaced sends at a constant rate and measures the time from event to arrival.
func (b *bench) deliverPaced(ctx context.Context, name string, perSecond, addresses int, hung bool) (*outcome, error) {
	s, r, err := b.serveReceiving(ctx, addresses, hung)
	if err != nil {
		return nil, err
	}
	started := time.Now()
	tick := time.NewTicker(time.Second / time.Duration(perSecond))
	defer tick.Stop()
	count := int(b.total.Seconds()) * perSecond / 2
	pace := make(chan struct{})
	go func() {
		for range count {
			<-tick.C
			pace <- struct{}{}
		}
	}()
	sent, err := load.Run(ctx, load.Plan{
		Address: s.address, Connections: 4, Count: count,
		Request: func(worker, i int, request *load.Request) {
			<-pace
			s.send(worker, i, request)
		},
	})
	if err != nil {
		return nil, err
	}
	if err := r.await(ctx, int64(sent.Requests*addresses)); err != nil {
		return nil, err
	}
	return r.outcome(name, time.Since(started)), nil
}

// serveReceiving starts a server whose first company has that many webhooks and, if hung is set, one that never responds.
func (b *bench) serveReceiving(ctx context.Context, addresses int, hung bool) (*talkServer, *receiver, error) {
	s, err := b.serveTalk(ctx, smallTalk)
	if err != nil {
		return nil, nil, err
	}
	r, err := b.receiveFrom(ctx, s, addresses)
	if err != nil {
		return nil, nil, err
	}
	if hung {
		silent, err := net.Listen("tcp", "127.0.0.1:0") // accepts connections and never responds
		if err != nil {
			return nil, nil, err
		}
		b.onClose(func() { _ = silent.Close() })
		if _, err := s.register(ctx, "http://"+silent.Addr().String()+"/", talk.EventMessageSent); err != nil {
			return nil, nil, err
		}
	}
	return s, r, nil
}

// receiveFrom creates webhooks of the first company for its sent messages.
func (b *bench) receiveFrom(ctx context.Context, s *talkServer, addresses int) (*receiver, error) {
	r := newReceiver()
	address, err := b.listen(r)
	if err != nil {
		return nil, err
	}
	for i := range addresses {
		if err := r.subscribe(ctx, s.testServer, address, fmt.Sprintf("/%d", i), talk.EventMessageSent); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// register creates a webhook of the first company.
func (s *testServer) register(ctx context.Context, url string, events ...kernel.EventType) (secret string, err error) {
	list, err := json.Marshal(events)
	if err != nil {
		return "", err
	}
	var made struct{ Secret string }
	body := fmt.Sprintf(`{"name":"bench","url":%q,"events":%s}`, url, list)
	err = s.call(ctx, "POST", "/integrations/webhooks", body, &made)
	return made.Secret, err
}

// receiver verifies deliveries and records their latencies.
type receiver struct {
	count   atomic.Int64
	arrived chan struct{}

	mu      sync.Mutex
	secrets map[string]string // by path
	latency load.Histogram
	types   map[kernel.EventType]int // valid deliveries
	wrong   int
}

func newReceiver() *receiver {
	return &receiver{secrets: map[string]string{}, arrived: make(chan struct{}, 1), types: map[kernel.EventType]int{}}
}

// subscribe creates a webhook for a path. Deliveries wait until its secret is known.
func (r *receiver) subscribe(ctx context.Context, s *testServer, address, path string, events ...kernel.EventType) (err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.secrets[path], err = s.register(ctx, address+path, events...)
	return err
}

func (r *receiver) secret(path string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.secrets[path]
}

// listen serves a handler on loopback until the scenario ends.
func (b *bench) listen(handler http.Handler) (address string, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	web := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = web.Serve(l) }()
	b.onClose(func() { _ = web.Close() })
	return "http://" + l.Addr().String(), nil
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	now := time.Now()
	body, err := io.ReadAll(request.Body)
	var event struct {
		Type      kernel.EventType `json:"type"`
		CreatedAt time.Time        `json:"created_at"`
	}
	if err == nil {
		err = json.Unmarshal(body, &event)
	}
	if err == nil {
		h := request.Header
		signature, timestamp := h.Get("X-Service-Signature"), h.Get("X-Service-Timestamp")
		err = webhooks.VerifyService(r.secret(request.URL.Path), signature, timestamp, body, now)
	}
	r.mu.Lock()
	if err != nil {
		r.wrong++
	} else {
		r.latency.Record(max(0, now.Sub(event.CreatedAt)))
		r.types[event.Type]++
	}
	r.mu.Unlock()
	r.count.Add(1)
	select {
	case r.arrived <- struct{}{}:
	default:
	}
}

// await waits until that many deliveries have arrived.
func (r *receiver) await(ctx context.Context, want int64) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	for r.count.Load() < want {
		select {
		case <-r.arrived:
		case <-ctx.Done():
			return fmt.Errorf("%d of %d deliveries arrived: %w", r.count.Load(), want, ctx.Err())
		}
	}
	return nil
}

func (r *receiver) outcome(name string, took time.Duration) *outcome {
	r.mu.Lock()
	defer r.mu.Unlock()
	return &outcome{
		name: name, p99s: []time.Duration{r.latency.Quantile(0.99)},
		result: load.Result{Requests: int(r.count.Load()) - r.wrong, Errors: r.wrong, Elapsed: took, Latency: r.latency},
	}
}
