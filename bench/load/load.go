// Package load drives one HTTP server on the loopback over a fixed number of kept-alive connections and
// measures every answer. It has no TLS, redirects, proxies or cookies, so that it costs little itself.
package load

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// Plan is one run. It is over after Duration or after Count requests, whichever comes first; zero means
// no limit, and one of the two must be set.
type Plan struct {
	Address     string // host:port
	Connections int
	Duration    time.Duration
	Count       int

	// Rate makes the run an open one: so many requests a second come due, at random moments as those of independent
	// callers do, whether or not earlier ones have been answered. A request's time counts from its moment, so one that
	// had to wait for a free connection shows it. Zero: every connection asks again as soon as it has its answer.
	Rate float64

	// Request fills in the i-th request of the run. The request is empty but keeps the memory of the
	// worker's earlier ones, so appending to its Header and Body allocates nothing. Workers call it at the same time.
	Request func(worker, i int, request *Request)

	// Check judges the answer; an error counts the request as failed. Without it every 2xx is right.
	// The response is only valid during the call.
	Check func(worker, i int, response *Response) error
}

// Result is what a run measured. Requests counts those that passed their check, and only their times are in Latency.
type Result struct {
	Requests   int
	Errors     int
	FirstError error
	Elapsed    time.Duration
	Latency    Histogram
}

// Rate is the number of good answers in a second.
func (r *Result) Rate() float64 {
	if r.Elapsed <= 0 {
		return 0
	}
	return float64(r.Requests) / r.Elapsed.Seconds()
}

// Add makes r the sum of both, as if one had run after the other.
func (r *Result) Add(other *Result) {
	r.Requests += other.Requests
	r.Errors += other.Errors
	r.Elapsed += other.Elapsed
	r.Latency.Add(&other.Latency)
	if r.FirstError == nil {
		r.FirstError = other.FirstError
	}
}

// unusedFor is how long a connection stands without a first request before it is made anew: servers close those
// that stay silent, and at a low rate the first request of the last connection may be late.
const unusedFor = time.Second

// grace is how long an answer may take once the run is over, before its connection counts as hung.
const grace = 10 * time.Second

// Run carries out the plan. A failed request is counted and the run goes on; an error means that the
// plan is wrong, that the server cannot be reached, or that ctx ended.
func Run(ctx context.Context, plan Plan) (*Result, error) {
	if plan.Connections <= 0 || plan.Request == nil || (plan.Duration <= 0 && plan.Count <= 0) {
		return nil, errors.New("load: a plan needs connections, requests, and a duration or a count")
	}
	if err := loopbackOnly(plan.Address); err != nil {
		return nil, err
	}
	if plan.Check == nil {
		plan.Check = successful
	}

	workers := make([]*worker, plan.Connections)
	for n := range workers {
		workers[n] = &worker{number: n, plan: &plan}
		if err := workers[n].dial(ctx); err != nil {
			closeAll(workers[:n])
			return nil, err
		}
	}
	defer closeAll(workers)

	shared := &shared{count: int64(plan.Count)}
	start := time.Now()
	if plan.Rate > 0 {
		shared.gap, shared.due = float64(time.Second)/plan.Rate, start
	}
	if plan.Duration > 0 {
		shared.end = start.Add(plan.Duration)
		for _, w := range workers {
			w.expire(shared.end.Add(grace))
		}
	}
	stop := context.AfterFunc(ctx, func() {
		shared.stopped.Store(true)
		for _, w := range workers {
			w.expire(time.Now())
		}
	})
	defer stop()

	var running sync.WaitGroup
	for _, w := range workers {
		running.Go(func() { w.run(ctx, shared) })
	}
	running.Wait()

	result := &Result{Elapsed: time.Since(start)}
	var lost error
	for _, w := range workers {
		result.Add(&w.result)
		lost = errors.Join(lost, w.lost)
	}
	if ctx.Err() != nil {
		return result, ctx.Err()
	}
	return result, lost
}

// shared is what the workers of a run agree on.
type shared struct {
	next    atomic.Int64
	count   int64
	end     time.Time
	stopped atomic.Bool

	gap float64 // between two requests of an open run, on average, in nanoseconds
	mu  sync.Mutex
	due time.Time // the moment of the next one
}

// take gives the number of the next request and, in an open run, its moment.
func (s *shared) take() (i int64, due time.Time) {
	if s.gap == 0 {
		return s.next.Add(1) - 1, due
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.due = s.due.Add(time.Duration(s.gap * rand.ExpFloat64()))
	return s.next.Add(1) - 1, s.due
}

// worker owns one connection and everything that it reuses from request to request.
type worker struct {
	number int
	plan   *Plan
	conn   *conn
	guard  sync.Mutex // conn and expiry, which the end of the context sets from outside
	expiry time.Time
	dialed time.Time // zero once the connection was used

	timer    *time.Timer
	request  Request
	response Response
	result   Result
	lost     error
}

func (w *worker) run(ctx context.Context, shared *shared) {
	last := time.Now()
	for !shared.stopped.Load() && (shared.end.IsZero() || last.Before(shared.end)) {
		i, due := shared.take()
		if shared.count > 0 && i >= shared.count || !w.await(ctx, due, shared.end) {
			return
		}
		if !w.dialed.IsZero() && time.Since(w.dialed) > unusedFor {
			if w.lost = w.dial(ctx); w.lost != nil {
				return
			}
		}
		w.dialed = time.Time{}
		w.request.reset()
		w.plan.Request(w.number, int(i), &w.request)

		sent := due
		if due.IsZero() {
			sent = time.Now()
		}
		err := w.conn.exchange(w.plan.Address, &w.request, &w.response)
		last = time.Now()
		broken := err != nil
		if err == nil {
			err = w.plan.Check(w.number, int(i), &w.response)
		}
		switch {
		case err == nil:
			w.result.Requests++
			w.result.Latency.Record(last.Sub(sent))
		case shared.stopped.Load():
			return
		default:
			w.result.Errors++
			if w.result.FirstError == nil {
				w.result.FirstError = fmt.Errorf("%s %s: %w", w.request.Method, w.request.Path, err)
			}
		}
		if broken || w.response.Close {
			if w.lost = w.dial(ctx); w.lost != nil {
				return
			}
		}
	}
}

// await waits for a moment, and reports whether it comes before the run is over.
func (w *worker) await(ctx context.Context, due, end time.Time) bool {
	if !end.IsZero() && due.After(end) {
		return false
	}
	wait := time.Until(due)
	if wait <= 0 {
		return true
	}
	if w.timer == nil {
		w.timer = time.NewTimer(wait)
	} else {
		w.timer.Reset(wait)
	}
	select {
	case <-w.timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func (w *worker) dial(ctx context.Context) error {
	fresh, err := dial(ctx, w.plan.Address)
	if err != nil {
		return err
	}
	w.guard.Lock()
	defer w.guard.Unlock()
	if w.conn != nil {
		w.conn.Close()
	}
	w.conn, w.dialed = fresh, time.Now()
	return fresh.SetDeadline(w.expiry)
}

func (w *worker) expire(at time.Time) {
	w.guard.Lock()
	defer w.guard.Unlock()
	w.expiry = at
	// The error would come again with the next read, where it is counted.
	_ = w.conn.SetDeadline(at)
}

func closeAll(workers []*worker) {
	for _, w := range workers {
		w.guard.Lock()
		w.conn.Close()
		w.guard.Unlock()
	}
}

func successful(_, _ int, response *Response) error {
	if response.Status < 200 || response.Status > 299 {
		return fmt.Errorf("status %d: %.200s", response.Status, response.Body)
	}
	return nil
}

// loopbackOnly refuses other addresses, so that a mistyped one does not put load on another machine.
func loopbackOnly(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("load: %w", err)
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return fmt.Errorf("load: %s is not a loopback address", host)
	}
	return nil
}
