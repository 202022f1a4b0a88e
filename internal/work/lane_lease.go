package work

import (
	"context"
	"log/slog"
	"time"
)

// take enters the lane. On SQLite nobody else can be in it.
func (l *lane) take(ctx context.Context) bool {
	if ctx.Err() != nil {
		return false
	}
	if l.d.Desk.SingleNode() {
		return true
	}
	for ctx.Err() == nil {
		started := time.Now()
		held, taken, err := l.d.Desk.TakeLease(ctx, l.webhook, l.d.node, l.d.Lease)
		switch {
		case err != nil:
			l.troubled(ctx, "a lane cannot be taken", err)
		case !taken:
			l.passOn()
			return false
		default:
			l.mu.Lock()
			l.held, l.takenAt, l.until, l.lost = held, started, started.Add(l.d.Lease), false
			l.mu.Unlock()
			return true
		}
	}
	return false
}

// passOn lets the node that is in the lane know of work that came up here.
func (l *lane) passOn() {
	l.d.mu.Lock()
	defer l.d.mu.Unlock()
	l.d.foreign[l.webhook] = time.Now().Add(laneForeign)
	delete(l.d.lanes, l.webhook)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.tell {
		l.d.Desk.TellDue(l.webhook)
	}
}

// renewed notes whether the lane was still this node's at a moment after it was taken.
func (l *lane) renewed(epoch int64, asked, until time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.takenAt.IsZero() || l.takenAt.After(asked):
		return
	case epoch == l.held.Epoch:
		l.until = until
	default:
		l.lost = true
		l.cancel()
	}
	l.ring()
}

// leave gives the lane up and reports whether the goroutine may end: not if work came up meanwhile.
func (l *lane) leave(ctx context.Context) bool {
	l.mu.Lock()
	held, in := l.held, !l.takenAt.IsZero() && !l.lost
	l.takenAt = time.Time{}
	l.mu.Unlock()
	if ctx.Err() != nil {
		return l.remove() // all lanes are given up together
	}
	if in {
		if err := l.d.Desk.ReleaseLease(ctx, held, l.d.node); err != nil {
			l.d.Logger.Warn("a lane was not given up", slog.Any("error", err))
		}
	}
	l.d.mu.Lock()
	defer l.d.mu.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.more && !l.lost {
		return false
	}
	delete(l.d.lanes, l.webhook)
	return true
}

func (l *lane) remove() bool {
	l.d.mu.Lock()
	defer l.d.mu.Unlock()
	if l.d.lanes[l.webhook] == l {
		delete(l.d.lanes, l.webhook)
	}
	return true
}
