package simulator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Delivery configures how webhooks are sent.
type Delivery struct {
	Batch     int  `json:"batch,omitempty"`     // most updates in one request; 1 when zero, at most 1,000
	Parallel  int  `json:"parallel,omitempty"`  // concurrent requests; 1 when zero
	Duplicate int  `json:"duplicate,omitempty"` // how many identical copies of every request follow
	Reorder   bool `json:"reorder,omitempty"`   // the latest update first
	// WrongSignature is how many of the next requests are first sent with an invalid signature.
	WrongSignature int `json:"wrong_signature,omitempty"`
}

// update is one change for a webhook.
type update struct {
	target target
	waba   string
	field  string
	value  any
}

type target struct{ url, secret string }

// post is a webhook request. It is repeated until the response is 200.
type post struct {
	target  target
	body    []byte
	updates int
	tries   int
	waited  time.Duration // as Meta would have waited
	copies  int
	forge   bool
}

// emitter sends webhooks in the background until they succeed or are given up.
type emitter struct {
	options Options
	now     func() time.Time

	mu        sync.Mutex
	wake      *sync.Cond
	delivery  Delivery
	updates   []update
	ready     []*post
	pending   int // posts that neither succeeded nor were given up
	workers   int
	busy      int // workers that are sending
	expected  int // calls of expectUpdates that are not done
	paused    bool
	closed    bool
	epoch     int      // number of resets
	abandoned []string // addresses
	log       []Attempt
}

func newEmitter(options Options, now func() time.Time) *emitter {
	e := &emitter{options: options, now: now}
	e.wake = sync.NewCond(&e.mu)
	e.configure(options.Delivery)
	return e
}

func (e *emitter) configure(d Delivery) {
	d.Batch = min(max(1, d.Batch), 1000)
	d.Parallel = min(max(1, d.Parallel), 64)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.delivery = d
	for ; e.workers < d.Parallel && !e.closed; e.workers++ {
		go e.work(e.workers)
	}
	e.wake.Broadcast()
}

func (e *emitter) add(u update) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.updates = append(e.updates, u)
	e.wake.Broadcast()
}

// expectUpdates makes drain wait for updates that are about to be added, until done is called.
func (e *emitter) expectUpdates() (done func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.expected++
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.expected--
		e.wake.Broadcast()
	}
}

func (e *emitter) addRaw(t target, body []byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ready = append(e.ready, e.newPost(t, body, 1))
	e.wake.Broadcast()
}

func (e *emitter) pause(on bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.paused = on
	e.wake.Broadcast()
}

func (e *emitter) close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
	e.wake.Broadcast()
}

// reset drops all updates and requests. Requests being sent are not logged.
func (e *emitter) reset() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.updates, e.ready, e.abandoned, e.log, e.pending = nil, nil, nil, nil, 0
	e.paused = false
	e.epoch++
	e.wake.Broadcast()
}

func (e *emitter) drain(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.wake.Broadcast()
	})
	defer stop()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.paused = false
	e.wake.Broadcast()
	for len(e.updates)+e.pending+e.busy+e.expected > 0 {
		if ctx.Err() != nil {
			return fmt.Errorf("%d updates and %d requests are still pending: %w", len(e.updates), e.pending, ctx.Err())
		}
		if e.closed {
			return errors.New("the simulator is closed")
		}
		e.wake.Wait()
	}
	if len(e.abandoned) > 0 {
		return fmt.Errorf("%d webhooks were given up, the first to %s", len(e.abandoned), e.abandoned[0])
	}
	return nil
}

// work runs one worker. Workers whose index exceeds the configured parallelism are idle.
func (e *emitter) work(index int) {
	for {
		e.mu.Lock()
		for !e.closed && (e.paused || index >= e.delivery.Parallel || len(e.ready)+len(e.updates) == 0) {
			e.wake.Wait()
		}
		if e.closed {
			e.mu.Unlock()
			return
		}
		p, epoch := e.take(), e.epoch
		e.busy++
		e.mu.Unlock()

		attempt := e.attempt(p)

		e.mu.Lock()
		e.busy--
		if epoch == e.epoch {
			e.finish(p, attempt)
		}
		e.wake.Broadcast()
		e.mu.Unlock()
	}
}

// take returns a request that is ready, or creates one from successive updates for the same target.
func (e *emitter) take() *post {
	if len(e.ready) > 0 {
		p := e.ready[0]
		e.ready = e.ready[1:]
		return p
	}
	if e.delivery.Reorder {
		slices.Reverse(e.updates)
		defer func() { slices.Reverse(e.updates) }()
	}
	queue, n := e.updates, 1
	for n < min(len(queue), e.delivery.Batch) && queue[n].target == queue[0].target {
		n++
	}
	e.updates = queue[n:]
	return e.newPost(queue[0].target, callback(queue[:n]), n)
}

func (e *emitter) newPost(t target, body []byte, updates int) *post {
	p := &post{target: t, body: body, updates: updates, copies: e.delivery.Duplicate}
	if e.delivery.WrongSignature > 0 {
		e.delivery.WrongSignature--
		p.forge = true
	}
	e.pending++
	return p
}
