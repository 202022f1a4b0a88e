package work

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"sync/atomic"
	"time"

	"recado/internal/desk"
	"recado/internal/model"
)

// sendLane sends for one channel.
type sendLane struct {
	s       *Send
	held    desk.Lease
	bell    chan struct{}
	results chan desk.SendDone
	busy    map[model.ID]struct{} // messages whose calls are under way
	done    []desk.SendDone       // results that are not written yet
	next    *time.Time            // when something is due
	pace    time.Duration         // until the provider has room for more
	doubt   bool                  // the last step may have marked messages that this lane never got

	// The end of the lease by this machine's clock. A process that slept past it must not send what it
	// had marked before: the next owner has settled that by now.
	until atomic.Pointer[time.Time]
}

func (l *sendLane) expired() bool { return time.Now().After(*l.until.Load()) }

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
		settled := len(l.busy) == 0 && len(l.done) == 0
		stopping := ctx.Err() != nil && (settled || len(l.busy) == 0 && failures >= sendTries)
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
		room = l.s.take(min(most, sendEach-len(l.busy)))
	}
	writing, cancel := context.WithTimeout(context.WithoutCancel(ctx), l.s.Lease/2)
	defer cancel()
	started := time.Now()
	step, err := l.step(writing, room)
	if err != nil {
		l.s.give(room)
		return true, err
	}
	if step.Held {
		until := started.Add(l.s.Lease)
		l.until.Store(&until)
	}
	l.done, l.next, l.pace = nil, step.Next, 0
	if len(step.Jobs) == most { // there may be more than the provider has room for
		l.pace = max(pace, sendPace)
	}
	l.s.give(room - len(step.Jobs))
	for _, job := range step.Jobs {
		l.busy[job.Message()] = struct{}{}
		go func() { l.results <- l.call(job) }()
	}
	return step.Held, nil
}

// step is one SendStep. One whose commit got no answer may have marked messages as being sent that
// nobody here sends; they go back to the queue first.
func (l *sendLane) step(ctx context.Context, room int) (desk.SendStep, error) {
	if l.doubt {
		inHand := maps.Clone(l.busy)
		for _, d := range l.done {
			inHand[d.Job.Message()] = struct{}{}
		}
		if err := l.s.Desk.ReclaimSends(ctx, l.held, l.s.owner, inHand); err != nil {
			return desk.SendStep{}, err
		}
		l.doubt = false
	}
	step, err := l.s.Desk.SendStep(ctx, l.held, l.s.owner, l.s.Lease, l.done, room)
	l.doubt = model.CodeOf(err) == model.CodeUncertain
	return step, err
}

// wait returns when there is something to do. It reports true when the lane has been idle for long
// enough to end.
func (l *sendLane) wait(ctx context.Context, failed bool) (idle bool) {
	pause := min(sendIdle, l.s.Lease/3) // the lease is renewed in time
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
		return len(l.busy) == 0 && len(l.done) == 0 && l.next == nil && l.pace == 0 && !failed
	}
	return false
}

// collect takes a result and all others that are there by now, so that they share a transaction.
func (l *sendLane) collect(r desk.SendDone) {
	for {
		l.done = append(l.done, r)
		delete(l.busy, r.Job.Message())
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
	job.Out.Expired = l.expired
	done.Result, done.Err = sender.Send(l.s.calls, job.Out)
	return done
}
