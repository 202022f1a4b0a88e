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
	leastDeliveries  = 2_000                  // a second, to a receiver on the loopback
	pacedEvents      = 200                    // a second, while measuring how long they take
	mostToArrive     = 10 * time.Millisecond  // p50 from commit to arrival
	mostToArriveLate = 100 * time.Millisecond // p99
	mostBesideHung   = 1.5                    // times the p99 without an address that never answers
)

// runWebhooks sends messages and follows their events to receivers in this process, which verify every signature.
func runWebhooks(ctx context.Context, b *bench) error {
	for _, addresses := range []int{1, 20} {
		o, err := b.deliverAll(ctx, addresses)
		if err != nil {
			return err
		}
		if addresses == 1 { // as many as are sent: the sends are what bounds it
			b.addRate(*o, 0)
		} else {
			b.addRate(*o, leastDeliveries)
		}
	}
	paced, err := b.deliverPaced(ctx, "one address, 200 events a second", pacedEvents, 1, false)
	if err != nil {
		return err
	}
	b.addLatency(*paced, mostToArrive, mostToArriveLate)
	var turns [2]*outcome
	for i, hung := range []bool{false, true} {
		name := []string{"19 addresses, 20 events a second", "the same beside one that never answers"}[i]
		if turns[i], err = b.deliverPaced(ctx, name, 20, 19, hung); err != nil {
			return err
		}
	}
	b.addBeside(*turns[1], *turns[0], mostBesideHung)
	return nil
}

// deliverAll floods: 64 clients send for the time of a scenario, and every event must arrive everywhere.
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

// deliverPaced sends at a steady pace and measures from the event's time to its arrival.
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
	sent, err := load.Run(ctx, load.Plan{Address: s.address, Connections: 4, Count: count, Request: func(worker, i int, request *load.Request) {
		<-pace
		s.send(worker, i, request)
	}})
	if err != nil {
		return nil, err
	}
	if err := r.await(ctx, int64(sent.Requests*addresses)); err != nil {
		return nil, err
	}
	return r.outcome(name, time.Since(started)), nil
}

// serveReceiving is a server whose first company has that many webhooks, and one that hangs if asked for.
func (b *bench) serveReceiving(ctx context.Context, addresses int, hung bool) (*talking, *receiver, error) {
	s, err := b.serveTalk(ctx, littleTalk)
	if err != nil {
		return nil, nil, err
	}
	r, err := b.receiveFrom(ctx, s, addresses)
	if err != nil {
		return nil, nil, err
	}
	if hung {
		silent, err := net.Listen("tcp", "127.0.0.1:0") // takes connections and never answers
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

// receiveFrom gives the first company of a server that many webhooks for its sent messages.
func (b *bench) receiveFrom(ctx context.Context, s *talking, addresses int) (*receiver, error) {
	r := newReceiver()
	address, err := b.listen(r)
	if err != nil {
		return nil, err
	}
	for i := range addresses {
		if err := r.subscribe(ctx, s.servedBy, address, fmt.Sprintf("/%d", i), talk.EventMessageSent); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// register adds a webhook for events of the first company.
func (s *servedBy) register(ctx context.Context, url string, events ...kernel.EventType) (secret string, err error) {
	list, err := json.Marshal(events)
	if err != nil {
		return "", err
	}
	var made struct{ Secret string }
	err = s.call(ctx, "POST", "/integrations/webhooks", fmt.Sprintf(`{"name":"bench","url":%q,"events":%s}`, url, list), &made)
	return made.Secret, err
}

// receiver verifies deliveries and notes when they came.
type receiver struct {
	count   atomic.Int64
	arrived chan struct{}

	mu      sync.Mutex
	secrets map[string]string // by path
	latency load.Histogram
	types   map[kernel.EventType]int // how many of each were right
	wrong   int
}

func newReceiver() *receiver {
	return &receiver{secrets: map[string]string{}, arrived: make(chan struct{}, 1), types: map[kernel.EventType]int{}}
}

// subscribe has events of the first company delivered to a path. A delivery that is quicker than the answer waits for it.
func (r *receiver) subscribe(ctx context.Context, s *servedBy, address, path string, events ...kernel.EventType) (err error) {
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

// listen serves a handler of this process on the loopback until the scenario ends.
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
		err = webhooks.VerifyService(r.secret(request.URL.Path), h.Get("X-Service-Signature"), h.Get("X-Service-Timestamp"), body, now)
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

// await waits until that many deliveries have come.
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
