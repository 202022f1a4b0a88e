// Package load sends requests to an HTTP server on loopback over a fixed number of persistent connections and measures
// every response. It has no TLS, redirects, proxies or cookies, so that its own cost is low.
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

// Plan describes a run. It ends after Duration or Count requests, whichever comes first. Zero means no limit; one of them
// must be set.
type Plan struct {
	Address     string // host:port
	Connections int
	Duration    time.Duration
	Count       int

	// Rate is the number of requests per second that become due at random times, like those of independent clients,
	// whether or not earlier ones are finished. Latency counts from that time, including the wait for a free connection.
	// If it is zero, every connection sends the next request after the response.
	Rate float64

	// Request sets the i-th request of the run. The request is empty but has the memory of earlier ones, so append to
	// Header and Body. It is called concurrently.
	Request func(worker, i int, request *Request)

	// Check checks the response, which is valid only during the call. An error counts the request as failed. The default
	// accepts every 2xx.
	Check func(worker, i int, response *Response) error
}

// Result is the result of a run. Requests and Latency include only successful requests.
type Result struct {
	Requests   int
	Errors     int
	FirstError error
	Elapsed    time.Duration
	Latency    Histogram
}

// Rate returns the successful requests per second.
func (r *Result) Rate() float64 {
	if r.Elapsed <= 0 {
		return 0
	}
	return float64(r.Requests) / r.Elapsed.Seconds()
}

// Add adds other to r, as if one had run after the other.
func (r *Result) Add(other *Result) {
	r.Requests += other.Requests
	r.Errors += other.Errors
	r.Elapsed += other.Elapsed
	r.Latency.Add(&other.Latency)
	if r.FirstError == nil {
		r.FirstError = other.FirstError
	}
}

// unusedFor is the age at which an unused connection is replaced, because servers close silent connections and at a low
// rate the first request may be late.
const unusedFor = time.Second

// grace is the time for the last responses after the end of the run.
const grace = 10 * time.Second

// Run executes the plan. It counts failed requests and continues. It returns an error if the plan is invalid, the server
// cannot be reached, or ctx is done.
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

// shared is the common state of the workers.
type shared struct {
	next    atomic.Int64
	count   int64
	end     time.Time
	stopped atomic.Bool

	gap float64 // average time between requests in nanoseconds, if there is a rate
	mu  sync.Mutex
	due time.Time // when the next request is due
}

// take returns the number of the next request and, if there is a rate, when it is due.
func (s *shared) take() (i int64, due time.Time) {
	if s.gap == 0 {
		return s.next.Add(1) - 1, due
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.due = s.due.Add(time.Duration(s.gap * rand.ExpFloat64()))
	return s.next.Add(1) - 1, s.due
}

// worker owns one connection and reuses its buffers.
type worker struct {
	number int
	plan   *Plan
	conn   *conn
	guard  sync.Mutex // protects conn and expiry
	expiry time.Time
	dialed time.Time // zero after the first request

	request  Request
	response Response
	result   Result
	lost     error
}

func (w *worker) run(ctx context.Context, shared *shared) {
	last := time.Now()
	for !shared.stopped.Load() && (shared.end.IsZero() || last.Before(shared.end)) {
		i, due := shared.take()
		if shared.count > 0 && i >= shared.count || !await(ctx, due, shared.end) {
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

// await waits until due and reports whether that is before the end of the run.
func await(ctx context.Context, due, end time.Time) bool {
	if !end.IsZero() && due.After(end) {
		return false
	}
	wait := time.Until(due)
	if wait <= 0 {
		return true
	}
	select {
	case <-time.After(wait):
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
	_ = w.conn.SetDeadline(at) // the next read returns the error, too
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

// loopbackOnly rejects other addresses, so that a typo does not put load on another machine.
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
