// Package live serves event streams. Signed-in members get signals and the events of their company that they may see;
// integrations get events only. One goroutine per company reads the feed for all its streams, and each event is encoded once.
// Sending never blocks: a stream whose client does not keep up is closed, and the client resumes after the last event it got.
package live

import (
	"context"
	"log/slog"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"recado/internal/kernel"
	"recado/internal/limits"
	"recado/internal/people"
	"recado/internal/webhooks"
)

const (
	perMember = 6      // live streams; one more ends the oldest
	perKey    = 20     // streams of events; one more is refused
	inAll     = 20_000 // streams of a node

	checkEvery     = 5 * time.Second // sessions and presence, besides the checks after signals
	checkPause     = 200 * time.Millisecond
	renewalTimeout = 5 * time.Second // of the check of an integration
	markEvery      = time.Minute     // an open stream counts as activity of its member

	burst = 200 // new streams after which memory is returned
	calm  = 20  // new streams in a second when a burst is over
)

// Hub contains the streams of a node.
type Hub struct {
	kernel   *kernel.Kernel
	people   *people.People
	webhooks *webhooks.Webhooks
	log      *slog.Logger

	check chan struct{} // due is not empty
	ready chan *Stream  // streams with something to write

	mu        sync.Mutex
	companies map[kernel.ID]*company
	count     int
	opened    int // new streams since the last call of trim
	closed    bool
	due       map[kernel.ID]bool // companies whose sessions or members changed; zero stands for all

	others  others
	serving sync.WaitGroup // one for each stream

	byKey, byCompany *limits.Concurrency[kernel.ID] // of streams of events

	heartbeat atomic.Int64 // nanoseconds between comments to silent streams; checked once a second
	writeTime atomic.Int64 // nanoseconds; the timeout of writes
}

// New returns the hub of a node. Call it before the first request.
func New(p *people.People, w *webhooks.Webhooks, log *slog.Logger) *Hub {
	h := &Hub{
		kernel: p.Kernel, people: p, webhooks: w, log: log,
		check: make(chan struct{}, 1), ready: make(chan *Stream, inAll),
		companies: map[kernel.ID]*company{}, due: map[kernel.ID]bool{},
		byKey:     limits.NewConcurrency[kernel.ID](perKey, 0),
		byCompany: limits.NewConcurrency[kernel.ID](p.Limit(webhooks.LimitStreams), 0),
	}
	h.SetTimes(14*time.Second, 10*time.Second)
	h.kernel.OnSignal(h.receive)
	return h
}

// Run forwards the signals of other nodes and runs the regular checks, until ctx ends. Then it closes all streams.
func (h *Hub) Run(ctx context.Context) {
	var loops sync.WaitGroup
	loops.Go(func() { h.kernel.ListenSignals(ctx) })
	loops.Go(func() { h.checkSessions(ctx) })
	loops.Go(func() { h.renewFollowers(ctx) })
	stop := make(chan struct{})
	defer close(stop) // after the last stream
	for range runtime.GOMAXPROCS(0) {
		go h.writeReady(stop)
	}
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	beat, mark, waiting := time.Now(), time.Now(), 0
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case now := <-tick.C:
			waiting = h.trim(waiting)
			if now.Sub(beat) >= time.Duration(h.heartbeat.Load())-time.Second {
				beat = now
				h.each(func(c *company) { c.heartbeat() })
			}
			if now.Sub(mark) >= markEvery {
				mark = now
				h.each(func(c *company) { c.markSeen() })
				h.repeatStreams()
			}
		}
	}
	loops.Wait()
	h.Close()
	h.serving.Wait()
}

// trim returns memory to the operating system after a burst of new streams, as when all browsers reconnect after a restart:
// opening a stream takes several times as much memory as a silent stream. opened is the number of new streams since memory was
// last returned, and so is the result.
func (h *Hub) trim(opened int) int {
	h.mu.Lock()
	fresh := h.opened
	h.opened = 0
	h.mu.Unlock()
	if opened += fresh; opened < burst || fresh > calm {
		return opened
	}
	go func() {
		runtime.GC() // pools are emptied by the second collection
		debug.FreeOSMemory()
	}()
	return 0
}

// SetTimes sets the interval of heartbeats to silent streams, and the timeout of writes. It is for tests.
func (h *Hub) SetTimes(heartbeat, write time.Duration) {
	h.heartbeat.Store(int64(heartbeat))
	h.writeTime.Store(int64(write))
}

// Close ends all streams, because clients would never close them.
func (h *Hub) Close() {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.each(func(c *company) { c.endAll() })
}

// each calls f for every company with streams.
func (h *Hub) each(f func(c *company)) {
	h.mu.Lock()
	all := make([]*company, 0, len(h.companies))
	for _, c := range h.companies {
		all = append(all, c)
	}
	h.mu.Unlock()
	for _, c := range all {
		f(c)
	}
}

// company returns the company with the id, or nil if it has no streams on this node.
func (h *Hub) company(id kernel.ID) *company {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.companies[id]
}

// add adds a stream to its company, or returns an error if there are too many.
func (h *Hub) add(s *Stream, of kernel.Company) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed || h.count >= inAll {
		refused := kernel.Errorf(kernel.CodeRateLimited, "This server has as many live streams as it can serve. Try again in a moment.")
		refused.RetryAfter = 5 * time.Second
		return refused
	}
	c := h.companies[of.ID]
	if c == nil {
		c = &company{hub: h, of: of}
		c.ctx, c.stop = context.WithCancel(context.Background())
		h.companies[of.ID] = c
	}
	h.count++
	h.opened++
	h.serving.Add(1) // while mu is held, so never after Close
	s.company = c
	c.mu.Lock()
	c.streams = append(c.streams, s)
	c.mu.Unlock()
	return nil
}

// remove removes a stream, and its company if it was the last one.
func (h *Hub) remove(s *Stream) {
	h.mu.Lock()
	h.count--
	if s.company.remove(s) == 0 {
		delete(h.companies, s.company.of.ID)
		s.company.stop()
	}
	h.mu.Unlock()
	if s.renewal == nil {
		h.reportStreams(s.company, s.person, false)
	} else {
		s.leave()
	}
	h.serving.Done()
}

// receive sends a signal to the streams of its audience.
func (h *Hub) receive(s kernel.Signal) {
	switch s.Kind {
	case people.SignalHolders, people.SignalPresence, kernel.SignalMissed:
		h.checkSoon(s.Company)
		return
	case signalStreams:
		h.learnStreams(s)
		return
	}
	c := h.company(s.Company)
	if c == nil || s.Quiet {
		return
	}
	f := frame(s.Kind, s.Data)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, stream := range c.streams {
		if stream.renewal == nil && s.To.Includes(stream.principal) {
			stream.push(f)
		}
	}
}

// checkSoon schedules a check of a company's sessions; zero means all companies.
func (h *Hub) checkSoon(company kernel.ID) {
	h.mu.Lock()
	h.due[company] = true
	h.mu.Unlock()
	select {
	case h.check <- struct{}{}:
	default:
	}
}

// takeDue returns the companies to check and resets the list.
func (h *Hub) takeDue() map[kernel.ID]bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	due := h.due
	h.due = map[kernel.ID]bool{}
	return due
}

// checkSessions ends the streams of sessions that have ended, and sends changes of presence.
func (h *Hub) checkSessions(ctx context.Context) {
	all := time.NewTicker(checkEvery)
	defer all.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-h.check:
		case <-all.C:
			h.checkSoon(kernel.ID{})
		}
		due := h.takeDue()
		h.each(func(c *company) {
			if !due[c.of.ID] && !due[kernel.ID{}] {
				return
			}
			if err := c.refresh(ctx); err != nil && ctx.Err() == nil {
				h.log.Warn("cannot check the sessions of live streams", slog.Any("error", err))
				h.checkSoon(c.of.ID)
			}
		})
		select { // several changes share a check
		case <-ctx.Done():
			return
		case <-time.After(checkPause):
		}
	}
}

// renewFollowers checks the rights of the streams of integrations every second.
func (h *Hub) renewFollowers(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			h.each(func(c *company) { c.renewFollowers(ctx) })
		}
	}
}

// oldest returns the streams beyond the limit of one member, oldest first.
func oldest(ids []kernel.ID) []kernel.ID {
	slices.SortFunc(ids, func(a, b kernel.ID) int { return slices.Compare(a[:], b[:]) })
	return ids[:max(0, len(ids)-perMember)]
}
