package work

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"recado/internal/desk"
	"recado/internal/model"
)

const (
	sendSlots = 64 // calls to providers under way at once
	sendEach  = 16 // of one channel

	sendPoll   = time.Second           // behind the bell, and for retries
	sendRest   = time.Second           // after the database failed
	sendLease  = 20 * time.Second      // of a lane, renewed while calls are under way; the default
	sendIdle   = 5 * time.Second       // without work, before a lane ends
	sendPace   = 50 * time.Millisecond // between looks at a provider that has no room, so that some gathers
	sendGrace  = 10 * time.Second      // for calls under way when the server stops
	sendTries  = 3                     // at writing results when the server stops
	sendSettle = 5 * time.Second       // between looks for reports that missed their message
)

// Provider gives the sender of a channel: what is known about reaching it right now.
type Provider interface {
	For(ctx context.Context, channel model.ID) (Sender, error)
	// Room says how many messages the channel may send at this moment, and how long until one more
	// fits. What does not fit stays in the queue, where a crash cannot put it in doubt.
	Room(channel model.ID) (n int, wait time.Duration)
}

// Sender hands one message to a provider, once. Its errors are *model.SendError; any other means that
// nobody knows whether the message went out.
type Sender interface {
	Send(ctx context.Context, out model.Outgoing) (model.SendResult, error)
}

// Send brings queued messages to their providers. Each channel with something due gets a lane: one
// goroutine, on one node, that marks messages as being sent, hands them over outside of any
// transaction, and writes down what came of them. Order is kept within a conversation; conversations
// and channels do not wait for each other.
type Send struct {
	Desk     desk.System
	Provider Provider
	Logger   *slog.Logger
	Lease    time.Duration // of a lane; default: 20 seconds

	owner   model.ID
	settled time.Time
	foreign map[model.ID]time.Time // lanes of other nodes, believed until then
	running sync.WaitGroup
	calls   context.Context // of calls: outlives Run's by the grace

	mu      sync.Mutex
	free    int
	starved bool
	lanes   map[model.ID]*sendLane
}

// Run ends with ctx: calls under way get a while to finish, and what came of them is written.
func (s *Send) Run(ctx context.Context) {
	if s.Lease <= 0 {
		s.Lease = sendLease
	}
	s.owner, s.free, s.lanes, s.foreign = model.NewID(), sendSlots, map[model.ID]*sendLane{}, map[model.ID]time.Time{}
	calls, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	s.calls = calls

	var beside sync.WaitGroup
	beside.Go(func() { s.Desk.ListenSend(ctx) })
	begun := false
	repeat(ctx, s.Logger, "send", s.Desk.Bells().Send.C, sendPoll, func(ctx context.Context) (bool, error) {
		if !begun {
			if err := s.Desk.BeginSending(ctx); err != nil {
				return false, err
			}
			begun = true
		}
		return false, s.step(ctx)
	})
	grace := time.AfterFunc(sendGrace, cancel)
	defer grace.Stop()
	s.running.Wait()
	beside.Wait()
	s.leave(ctx)
}

// leave lets other nodes take over at once.
func (s *Send) leave(ctx context.Context) {
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	if err := s.Desk.ReleaseLeases(last, s.owner); err != nil {
		s.Logger.Warn("the sending lanes were not given up; other nodes wait for their leases to end", slog.Any("error", err))
	}
}

// step starts or wakes a lane for every channel that has something due.
func (s *Send) step(ctx context.Context) error {
	now := time.Now()
	if now.Sub(s.settled) >= sendSettle {
		if err := s.Desk.SettleEarly(ctx); err != nil {
			return err
		}
		s.settled = now
	}
	channels, err := s.Desk.ChannelsToSend(ctx)
	if err != nil {
		return err
	}
	for _, channel := range channels {
		if s.wake(channel) || now.Before(s.foreign[channel]) {
			continue
		}
		asked := time.Now()
		held, taken, err := s.Desk.TakeSendLease(ctx, channel, s.owner, s.Lease)
		if err != nil {
			return err
		}
		if !taken {
			s.foreign[channel] = now.Add(sendPoll)
			continue
		}
		delete(s.foreign, channel)
		s.start(ctx, held, asked.Add(s.Lease))
	}
	return nil
}

// wake tells a running lane to look, and reports whether there is one.
func (s *Send) wake(channel model.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.lanes[channel]
	if l != nil {
		l.ring()
	}
	return l != nil
}

func (s *Send) start(ctx context.Context, held desk.Lease, until time.Time) {
	l := &sendLane{
		s: s, held: held, bell: make(chan struct{}, 1), results: make(chan desk.SendDone, sendEach), busy: map[model.ID]struct{}{},
	}
	l.until.Store(&until)
	s.mu.Lock()
	s.lanes[held.Subject] = l
	s.mu.Unlock()
	s.running.Go(func() { l.run(ctx) })
}

// take reserves up to n slots for calls.
func (s *Send) take(n int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	got := min(n, s.free)
	s.free -= got
	s.starved = s.starved || got < n
	return got
}

// give returns slots, and wakes the lanes when one of them had too few.
func (s *Send) give(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free += n
	if !s.starved || n == 0 {
		return
	}
	s.starved = false
	for _, l := range s.lanes {
		l.ring()
	}
}
