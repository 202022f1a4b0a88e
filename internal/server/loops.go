package server

import (
	"context"
	"log/slog"
	"time"

	"recado/internal/jobs"
	"recado/internal/kernel"
)

const (
	scheduleInterval = time.Second
	sweepInterval    = 10 * time.Second
	removalInterval  = time.Hour
	retainInterval   = time.Minute
	loopBatch        = 200
)

// Schedule does work that is due to the second: it sends scheduled messages, ends menus without a reply, and removes members
// who have stopped viewing a conversation.
type Schedule struct {
	Desk   *Desk
	Logger *slog.Logger
}

// Run runs until ctx ends.
func (s *Schedule) Run(ctx context.Context) {
	jobs.Repeat(ctx, s.Logger, "schedule", nil, scheduleInterval, func(ctx context.Context) (bool, error) {
		s.Desk.Talk.ExpireViewers()
		sent, err := s.Desk.Talk.SendScheduled(ctx, loopBatch)
		if err != nil {
			return false, err
		}
		ended, err := s.Desk.Receptionist.EndMenus(ctx, loopBatch)
		return max(sent, ended) == loopBatch, err
	})
}

// Sweep closes idle attendances, ends snoozes, and removes expired idempotency keys, files of interrupted uploads, and files
// without a reference for a day. All of that is in the database, so it survives restarts, and any number of nodes may sweep.
type Sweep struct {
	Desk   *Desk
	Logger *slog.Logger
	Now    func() time.Time // nil: time.Now

	lastRemovals time.Time
}

// Run runs until ctx ends.
func (s *Sweep) Run(ctx context.Context) {
	if s.Now == nil {
		s.Now = time.Now
	}
	jobs.Repeat(ctx, s.Logger, "sweep", nil, sweepInterval, s.step)
}

func (s *Sweep) step(ctx context.Context) (bool, error) {
	now := s.Now()
	if now.Sub(s.lastRemovals) >= removalInterval {
		if err := s.remove(ctx); err != nil {
			return false, err
		}
		s.lastRemovals = now
	}
	closed, err := s.Desk.Talk.CloseIdle(ctx, now, loopBatch)
	if err != nil {
		return false, err
	}
	woken, err := s.Desk.Talk.WakeSnoozed(ctx, now, loopBatch)
	return max(closed, woken) == loopBatch, err
}

func (s *Sweep) remove(ctx context.Context) error {
	if err := s.Desk.Talk.FinishRemovals(ctx, kernel.ID{}, nil); err != nil {
		return err
	}
	if err := s.Desk.Talk.RemoveLeftUploads(ctx); err != nil {
		return err
	}
	for _, remove := range []func(context.Context) (bool, error){s.Desk.Talk.RemoveUnattached, s.Desk.Kernel.ForgetReservations} {
		for more := true; more; {
			var err error
			if more, err = remove(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// Settle continues replays of webhooks, changes of channels between private and public, and the queues of archived channels, a
// batch of each at a time. It is a separate loop because these can take long.
type Settle struct {
	Desk   *Desk
	Logger *slog.Logger
}

// Run runs until ctx ends.
func (s *Settle) Run(ctx context.Context) {
	jobs.Repeat(ctx, s.Logger, "settle", nil, sweepInterval, func(ctx context.Context) (bool, error) {
		if err := s.Desk.Webhooks.ContinueReplays(ctx); err != nil {
			return false, err
		}
		failing, err := s.Desk.Talk.FailArchived(ctx)
		if err != nil {
			return false, err
		}
		settling, err := s.Desk.Talk.SettleChannels(ctx)
		return failing || settling, err
	})
}

// Retain deletes events, deliveries and notices after their retention period, in small steps. At the start it also reseals
// secrets with the newest key.
type Retain struct {
	Desk   *Desk
	Logger *slog.Logger
}

// Run runs until ctx ends.
func (r *Retain) Run(ctx context.Context) {
	if n, err := r.Desk.SecretKey().Reseal(ctx); err != nil && ctx.Err() == nil {
		r.Logger.Error("cannot seal secrets with the newest key", slog.Any("error", err))
	} else if n > 0 {
		r.Logger.Info("sealed secrets with the newest key", slog.Int("secrets", n))
	}
	d := r.Desk
	purges := []func(context.Context) (bool, error){
		d.Webhooks.PurgeWebhooks, d.Channels.PurgeChannels, d.Talk.PurgeTalk, d.People.PurgeSessions,
	}
	jobs.Repeat(ctx, r.Logger, "retain", nil, retainInterval, func(ctx context.Context) (more bool, err error) {
		for _, purge := range purges {
			further, err := purge(ctx)
			if err != nil {
				return false, err
			}
			more = more || further
		}
		return more, nil
	})
}
