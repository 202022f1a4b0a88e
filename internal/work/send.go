package work

import (
	"context"
	"errors"
	"fmt"
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
	sendLease  = 20 * time.Second      // of a lane, renewed while calls are under way
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
	Desk     *desk.Desk
	Provider Provider
	Logger   *slog.Logger

	owner   model.ID
	settled time.Time
	running sync.WaitGroup
	calls   context.Context // of calls: outlives Run's by the grace

	mu      sync.Mutex
	free    int
	starved bool
	lanes   map[model.ID]*sendLane
	foreign map[model.ID]time.Time // lanes of other nodes, believed until then
}

// Run ends with ctx: calls under way get a while to finish, and what came of them is written.
func (s *Send) Run(ctx context.Context) {
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
	if err := s.Desk.LeaveLanes(last, s.owner); err != nil {
		s.Logger.Warn("the sending lanes were not given up; other nodes wait for their leases to end", slog.Any("error", err))
	}
}

// step starts or wakes a lane for every channel that has something due.
func (s *Send) step(ctx context.Context) error {
	now := time.Now()
	if now.Sub(s.settled) >= sendSettle {
		if err := s.Desk.SettleEarlyStatuses(ctx); err != nil {
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
		held, taken, err := s.Desk.TakeSendLane(ctx, channel, s.owner, sendLease)
		if err != nil {
			return err
		}
		if !taken {
			s.foreign[channel] = now.Add(sendPoll)
			continue
		}
		delete(s.foreign, channel)
		s.start(ctx, held)
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

func (s *Send) start(ctx context.Context, held desk.Lane) {
	l := &sendLane{s: s, held: held, bell: make(chan struct{}, 1), results: make(chan desk.SendDone, sendEach)}
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

// sendLane sends for one channel.
type sendLane struct {
	s       *Send
	held    desk.Lane
	bell    chan struct{}
	results chan desk.SendDone
	busy    int             // calls under way
	done    []desk.SendDone // results that are not written yet
	next    *time.Time      // when something is due
	pace    time.Duration   // until the provider has room for more
}

func (l *sendLane) ring() {
	select {
	case l.bell <- struct{}{}:
	default:
	}
}

// run works until there is nothing to do for a while, the lane is lost, or ctx ends; it returns only
// after every call has ended and its result was written, or could not be.
func (l *sendLane) run(ctx context.Context) {
	for failures := 0; ; {
		held, err := l.advance(ctx)
		if failures++; err == nil {
			failures = 0
		} else {
			l.s.Logger.Warn("sending waits for the database", slog.Any("error", err))
		}
		settled := l.busy == 0 && len(l.done) == 0
		stopping := ctx.Err() != nil && (settled || l.busy == 0 && failures >= sendTries)
		lost := !held && settled
		if (stopping || lost || l.wait(ctx, err != nil)) && l.end(stopping || lost) {
			return
		}
	}
}

// end takes the lane off the list, unless it was just told to look.
func (l *sendLane) end(always bool) bool {
	l.s.mu.Lock()
	defer l.s.mu.Unlock()
	if len(l.bell) > 0 && !always {
		return false
	}
	delete(l.s.lanes, l.held.Subject)
	return true
}

// advance writes results and starts new calls, in one transaction.
func (l *sendLane) advance(ctx context.Context) (held bool, err error) {
	room, most, pace := 0, 0, time.Duration(0)
	if ctx.Err() == nil {
		most, pace = l.s.Provider.Room(l.held.Subject)
		room = l.s.take(min(most, sendEach-l.busy))
	}
	writing, cancel := context.WithTimeout(context.WithoutCancel(ctx), sendLease/2)
	defer cancel()
	step, err := l.s.Desk.SendStep(writing, l.held, l.s.owner, sendLease, l.done, room)
	if err != nil {
		l.s.give(room)
		return true, err
	}
	l.done, l.next, l.pace = nil, step.Next, 0
	if len(step.Jobs) == most { // there may be more than the provider has room for
		l.pace = max(pace, sendPace)
	}
	l.s.give(room - len(step.Jobs))
	for _, job := range step.Jobs {
		l.busy++
		go func() { l.results <- l.call(job) }()
	}
	return step.Held, nil
}

// wait returns when there is something to do. It reports true when the lane has been idle for long
// enough to end.
func (l *sendLane) wait(ctx context.Context, failed bool) (idle bool) {
	pause := sendIdle
	stopped := ctx.Done()
	switch {
	case failed:
		pause = sendRest
	case l.next != nil:
		pause = min(max(l.next.Sub(l.s.Desk.Now()), 10*time.Millisecond), pause)
	}
	if l.pace > 0 && !failed {
		pause = min(pause, l.pace)
	}
	if ctx.Err() != nil {
		stopped = nil
	}
	bell := l.bell
	if failed { // nothing new helps before the database does
		bell = nil
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case r := <-l.results:
		l.collect(r)
	case <-bell:
	case <-stopped:
	case <-timer.C:
		return l.busy == 0 && len(l.done) == 0 && l.next == nil && l.pace == 0 && !failed
	}
	return false
}

// collect takes a result and all others that are there by now, so that they share a transaction.
func (l *sendLane) collect(r desk.SendDone) {
	for {
		l.done = append(l.done, r)
		l.busy--
		l.s.give(1)
		select {
		case r = <-l.results:
		default:
			return
		}
	}
}

// call hands one message over. A panic leaves its fate unknown.
func (l *sendLane) call(job desk.SendJob) (done desk.SendDone) {
	done.Job = job
	defer func() {
		if p := recover(); p != nil {
			done.Err = fmt.Errorf("work: panic while sending: %v", p)
		}
	}()
	sender, err := l.s.Provider.For(l.s.calls, l.held.Subject)
	if err != nil {
		if _, known := errors.AsType[*model.SendError](err); !known {
			err = &model.SendError{Code: model.CodeProviderUnavailable, Message: "The provider of this channel cannot be used at the moment.", Retry: true, Cause: err}
		}
		done.Err = err
		return done
	}
	done.Result, done.Err = sender.Send(l.s.calls, job.Out)
	return done
}
