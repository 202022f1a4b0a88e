package simulator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Delivery says how webhooks go out.
type Delivery struct {
	Batch     int  `json:"batch,omitempty"`     // updates in one request at most; 1 when zero, up to 1,000
	Parallel  int  `json:"parallel,omitempty"`  // requests at a time; 1 when zero
	Duplicate int  `json:"duplicate,omitempty"` // how many more times every request is sent, byte for byte
	Reorder   bool `json:"reorder,omitempty"`   // the latest update first
	// WrongSignature is how many of the next requests first come with a signature that is not theirs.
	WrongSignature int `json:"wrong_signature,omitempty"`
}

// update is one change for a webhook.
type update struct {
	target target
	waba   string
	field  string
	value  any
}

// target is where webhooks go and how they are signed.
type target struct{ url, secret string }

// post is a webhook request that must be answered 200.
type post struct {
	target  target
	body    []byte
	updates int
	tries   int
	waited  time.Duration // as Meta would have waited
	copies  int
	forge   bool
}

// emitter sends webhooks until they are answered 200 or given up, in the background.
type emitter struct {
	options Options
	now     func() time.Time

	mu      sync.Mutex
	wake    *sync.Cond
	how     Delivery
	updates []update
	ready   []*post
	alive   int // posts that are neither answered nor given up
	running int // workers
	busy    int // workers at work
	owed    int // messages answered whose statuses are still to be added
	paused  bool
	closed  bool
	epoch   int // of resets
	given   []string
	log     []Attempt
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
	e.how = d
	for ; e.running < d.Parallel && !e.closed; e.running++ {
		go e.work(e.running)
	}
	e.wake.Broadcast()
}

func (e *emitter) add(u update) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.updates = append(e.updates, u)
	e.wake.Broadcast()
}

// promise makes drain wait for updates that are about to be added, until the returned function is
// called.
func (e *emitter) promise() (fulfil func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.owed++
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.owed--
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

// reset drops what is waiting. Requests under way end without an entry in the log.
func (e *emitter) reset() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.updates, e.ready, e.given, e.log, e.alive = nil, nil, nil, nil, 0
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
	for len(e.updates)+e.alive+e.busy+e.owed > 0 {
		if ctx.Err() != nil {
			return fmt.Errorf("%d updates and %d requests are still on their way: %w", len(e.updates), e.alive, ctx.Err())
		}
		if e.closed {
			return errors.New("the simulator is closed")
		}
		e.wake.Wait()
	}
	if len(e.given) > 0 {
		return fmt.Errorf("%d webhooks were given up, the first to %s", len(e.given), e.given[0])
	}
	return nil
}

// work is one worker. Its place says whether it is still wanted.
func (e *emitter) work(place int) {
	for {
		e.mu.Lock()
		for !e.closed && (e.paused || place >= e.how.Parallel || len(e.ready)+len(e.updates) == 0) {
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
			e.settle(p, attempt)
		}
		e.wake.Broadcast()
		e.mu.Unlock()
	}
}

// take gives a request whose time has come again, or makes one of updates that follow each other for
// the same target.
func (e *emitter) take() *post {
	if len(e.ready) > 0 {
		p := e.ready[0]
		e.ready = e.ready[1:]
		return p
	}
	waiting, n := e.updates, 1
	if e.how.Reorder {
		last := len(waiting)
		for n < min(last, e.how.Batch) && waiting[last-1-n].target == waiting[last-1].target {
			n++
		}
		chosen := slices.Clone(waiting[last-n:])
		slices.Reverse(chosen)
		e.updates = waiting[:last-n]
		return e.newPost(chosen[0].target, callback(chosen), n)
	}
	for n < min(len(waiting), e.how.Batch) && waiting[n].target == waiting[0].target {
		n++
	}
	e.updates = waiting[n:]
	return e.newPost(waiting[0].target, callback(waiting[:n]), n)
}

func (e *emitter) newPost(t target, body []byte, updates int) *post {
	p := &post{target: t, body: body, updates: updates, copies: e.how.Duplicate}
	if e.how.WrongSignature > 0 {
		e.how.WrongSignature--
		p.forge = true
	}
	e.alive++
	return p
}
