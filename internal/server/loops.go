package server

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"recado/internal/channels"
	"recado/internal/jobs"
	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/privacy"
	"recado/internal/push"
	"recado/internal/reception"
	"recado/internal/talk"
	"recado/internal/tasks"
)

const (
	scheduleInterval = time.Second
	sweepInterval    = 10 * time.Second
	removalInterval  = time.Hour
	retainInterval   = time.Minute
	loopBatch        = 200
)

// run starts the loops. They run until ctx ends.
func (s *Server) run(ctx context.Context) {
	d, log := s.Desk, s.config.Logger
	repeat := func(name string, every time.Duration, step func(context.Context) (more bool, err error)) func(context.Context) {
		return func(ctx context.Context) { jobs.Repeat(ctx, log, name, nil, every, step) }
	}
	for _, loop := range []func(context.Context){
		(&people.Seen{Desk: d.People, Logger: log}).Run,
		(&channels.Watchdog{Desk: d.Channels, Logger: log}).Run,
		(&talk.SendLoop{
			Desk: d.Talk, Provider: s.providers, Logger: log, Lease: s.config.Lease,
		}).Run,
		(&talk.FetchLoop{Desk: d.Talk, Provider: s.providers, Logger: log}).Run,
		(&talk.Receipts{Desk: d.Talk, Provider: s.providers, Logger: log}).Run,
		(&talk.Index{Desk: d.Talk, Logger: log}).Run,
		(&channels.Templates{Desk: d.Channels, Graph: s.graph, Logger: log}).Run,
		(&channels.Imports{Desk: d.Channels, Graph: s.graph, Logger: log}).Run,
		(&reception.Distribute{Desk: d.Receptionist, Logger: log}).Run,
		repeat("sweep", sweepInterval, s.sweep()),
		repeat("settle", sweepInterval, d.settle),
		func(ctx context.Context) {
			jobs.Repeat(ctx, log, "retention", d.Kernel.Wakeup(privacy.WakeRetention).C, retainInterval, d.Privacy.Expire)
		},
		repeat("erased", retainInterval, d.Privacy.KeepList),
		repeat("schedule", scheduleInterval, d.schedule),
		repeat("service levels", scheduleInterval, d.Levels.Recompute),
		repeat("reseal", removalInterval, func(ctx context.Context) (bool, error) {
			d.reseal(ctx, log)
			return false, nil
		}),
		repeat("retain", retainInterval, d.retain),
		(&tasks.Loop{Desk: d.Tasks, Logger: log, Lease: s.config.Lease}).Run,
		(&push.Sender{Desk: d.Pushes, Logger: log}).Run,
		s.deliver.Run,
		d.Webhooks.ListenFeed,
		s.live.Run,
	} {
		s.loops.Go(func() { loop(ctx) })
	}
	if s.providers.Linked != nil {
		s.loops.Go(func() { s.providers.Linked.Run(ctx) })
	}
}

// schedule does work that is due to the second: it sends scheduled messages and surveys, fails expired held messages, ends menus
// without a reply, checks service levels, and removes members who have stopped viewing a conversation. If one of these fails, the
// others are done all the same.
func (d *Desk) schedule(ctx context.Context) (more bool, err error) {
	d.Talk.ExpireViewers()
	for _, step := range []func(context.Context, int) (int, error){
		d.Talk.SendScheduled, d.Talk.ExpireHeld, d.Receptionist.EndMenus, d.Levels.Check, d.Surveys.SendDue,
	} {
		n, failed := step(ctx, loopBatch)
		more, err = more || n == loopBatch, errors.Join(err, failed)
	}
	return more, err
}

// sweep returns a step that closes idle attendances, ends snoozes and, every hour, removes what is left over. All of that is in
// the database, so it survives restarts, and any number of nodes may sweep.
func (s *Server) sweep() func(ctx context.Context) (more bool, err error) {
	clock := s.config.Now
	if clock == nil {
		clock = time.Now
	}
	var lastRemovals time.Time
	return func(ctx context.Context) (bool, error) {
		now := clock()
		if now.Sub(lastRemovals) >= removalInterval {
			if err := s.Desk.removeLeftovers(ctx); err != nil {
				return false, err
			}
			lastRemovals = now
		}
		closed, err := s.Desk.Talk.CloseIdle(ctx, now, loopBatch)
		if err != nil {
			return false, err
		}
		woken, err := s.Desk.Talk.WakeSnoozed(ctx, now, loopBatch)
		return max(closed, woken) == loopBatch, err
	}
}

// removeLeftovers finishes removals and removes expired idempotency keys, files of interrupted uploads, and files without a reference for a day.
func (d *Desk) removeLeftovers(ctx context.Context) error {
	if err := d.Talk.FinishRemovals(ctx, kernel.ID{}, nil); err != nil {
		return err
	}
	if err := d.Fields.FinishRemovals(ctx); err != nil {
		return err
	}
	if err := d.Talk.RemoveLeftUploads(ctx); err != nil {
		return err
	}
	for _, remove := range []func(context.Context) (bool, error){d.Talk.RemoveUnattached, d.Kernel.ForgetReservations} {
		for more := true; more; {
			var err error
			if more, err = remove(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// settle counts stale reports again, and continues replays of webhooks, changes of channels between private and public, and the
// queues of archived channels, a batch of each at a time. It is a separate loop because these can take long.
func (d *Desk) settle(ctx context.Context) (more bool, err error) {
	if err := d.Reports.RebuildStale(ctx); err != nil {
		return false, err
	}
	if err := d.Webhooks.ContinueReplays(ctx); err != nil {
		return false, err
	}
	failing, err := d.Talk.FailArchived(ctx)
	if err != nil {
		return false, err
	}
	settling, err := d.Talk.SettleChannels(ctx)
	return failing || settling, err
}

// reseal seals secrets with the newest key. A secret that cannot be opened stays so, so a failure is retried only an hour later.
func (d *Desk) reseal(ctx context.Context, log *slog.Logger) {
	if n, err := d.SecretKey().Reseal(ctx); err != nil && ctx.Err() == nil {
		log.Warn("cannot seal secrets with the newest key", slog.Any("error", err))
	} else if n > 0 {
		log.Info("sealed secrets with the newest key", slog.Int("secrets", n))
	}
}

// retain deletes events, deliveries, notices and sessions after their retention period, in small steps.
func (d *Desk) retain(ctx context.Context) (more bool, err error) {
	for _, purge := range []func(context.Context) (bool, error){
		d.Webhooks.PurgeWebhooks, d.Channels.PurgeChannels, d.Talk.PurgeTalk, d.People.PurgeSessions, d.Tasks.Purge,
	} {
		further, err := purge(ctx)
		if err != nil {
			return false, err
		}
		more = more || further
	}
	return more, nil
}
