// Package live has the open event streams: those of signed-in members, with the events of their company that they may see
// and with signals, and those of integrations, with events only. One goroutine per company reads its feed for all of its
// streams, and each event is encoded once. Sending never waits: a stream whose client does not keep up is closed, and the
// client resumes with the id of the last event that it got.
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

	checkEvery     = 5 * time.Second // sessions and presence, beside the checks that signals ask for
	checkPause     = 200 * time.Millisecond
	renewalTimeout = 5 * time.Second // of the check of one integration
	markEvery      = time.Minute     // an open stream counts as activity of its member

	burst = 200 // streams whose opening takes memory worth giving back
	calm  = 20  // streams opened in a second after which a burst is over
)

// Hub has the streams of a node.
type Hub struct {
	desk   *Sources
	system *Sources
	log    *slog.Logger
	check  chan struct{} // due has companies
	ready  chan *Stream  // that have something to write

	mu        sync.Mutex
	companies map[kernel.ID]*company
	count     int
	opened    int // streams since the last look of trim
	closed    bool
	due       map[kernel.ID]bool // companies whose sessions or members changed; zero stands for all

	others  others
	serving sync.WaitGroup // streams that were added and not removed yet

	byKey, byCompany *limits.Concurrency[kernel.ID] // of streams of events

	heartbeat atomic.Int64 // nanoseconds between comments to silent streams; the loop looks once a second
	writeTime atomic.Int64 // nanoseconds for a client to read what was written
}

// New makes the hub of a desk, before the desk is used.
func New(d *Sources, log *slog.Logger) *Hub {
	h := &Hub{
		desk: d, system: d, log: log, check: make(chan struct{}, 1), ready: make(chan *Stream, inAll), companies: map[kernel.ID]*company{}, due: map[kernel.ID]bool{},
		byKey:     limits.NewConcurrency[kernel.ID](perKey, 0),
		byCompany: limits.NewConcurrency[kernel.ID](d.Limit(webhooks.LimitStreams), 0),
	}
	h.SetTimes(14*time.Second, 10*time.Second)
	h.system.OnSignal(h.receive)
	return h
}

// Run passes on the signals of other nodes and does the regular checks, until ctx ends.
func (h *Hub) Run(ctx context.Context) {
	var loops sync.WaitGroup
	loops.Go(func() { h.system.ListenSignals(ctx) })
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

// trim gives memory back to the operating system after many streams were opened at once, as when all browsers come back
// after a restart: opening a stream takes several times as much as a silent one keeps. opened is the number of streams
// since memory was last given back, and so is the result.
func (h *Hub) trim(opened int) int {
	h.mu.Lock()
	fresh := h.opened
	h.opened = 0
	h.mu.Unlock()
	if opened += fresh; opened < burst || fresh > calm {
		return opened
	}
	go func() {
		runtime.GC() // pools keep what they hold until the second collection
		debug.FreeOSMemory()
	}()
	return 0
}

// SetTimes sets how often a silent stream gets a heartbeat, and how long a client may take to read what was written. It is
// for tests.
func (h *Hub) SetTimes(heartbeat, write time.Duration) {
	h.heartbeat.Store(int64(heartbeat))
	h.writeTime.Store(int64(write))
}

// Close ends every stream: a server that stops does not wait for clients that never leave.
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

// company gives the company with that id if it has streams here.
func (h *Hub) company(id kernel.ID) *company {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.companies[id]
}

// add counts a stream, in a company that the caller then locks for itself.
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
		c = newCompany(h, of)
		h.companies[of.ID] = c
	}
	h.count++
	h.opened++
	h.serving.Add(1) // under the lock, so never after Close
	s.company = c
	c.add(s)
	return nil
}

// remove forgets a stream, and its company with the last one.
func (h *Hub) remove(s *Stream) {
	h.mu.Lock()
	h.count--
	if s.company.remove(s) == 0 {
		delete(h.companies, s.company.of.ID)
		s.company.stop()
	}
	h.mu.Unlock()
	if s.renewal == nil {
		h.tellStreams(s.company, s.person, false)
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

// checkSoon has the sessions of a company's streams looked at; zero means all companies.
func (h *Hub) checkSoon(company kernel.ID) {
	h.mu.Lock()
	h.due[company] = true
	h.mu.Unlock()
	select {
	case h.check <- struct{}{}:
	default:
	}
}

// takeDue gives the companies that are to be looked at, and forgets them.
func (h *Hub) takeDue() map[kernel.ID]bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	due := h.due
	h.due = map[kernel.ID]bool{}
	return due
}

// checkSessions ends the streams of sessions that ended, and tells of presence that changed.
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
				h.log.Warn("the sessions of live streams could not be looked at", slog.Any("error", err))
				h.checkSoon(c.of.ID)
			}
		})
		select { // several changes at once share a check
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

// oldest returns the streams that are too many for one member, oldest first.
func oldest(ids []kernel.ID) []kernel.ID {
	slices.SortFunc(ids, func(a, b kernel.ID) int { return slices.Compare(a[:], b[:]) })
	return ids[:max(0, len(ids)-perMember)]
}
