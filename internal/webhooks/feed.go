package webhooks

import (
	"bytes"
	"context"
	"time"

	"recado/internal/kernel"
)

// FeedLoop wakes this node's live streams for events that other nodes recorded.
type FeedLoop struct {
	Desk *Webhooks
}

// Run listens until ctx ends.
func (f *FeedLoop) Run(ctx context.Context) {
	f.Desk.ListenFeed(ctx)
}

// FeedPlace is a place in a company's feed: after one event and before the next.
type FeedPlace struct {
	Position int64
	ID       kernel.ID
}

// After reports whether p is after q.
func (p FeedPlace) After(q FeedPlace) bool {
	return p.Position > q.Position || p.Position == q.Position && bytes.Compare(p.ID[:], q.ID[:]) > 0
}

// LiveEvent is an event of the feed with the fields that decide who may see it.
type LiveEvent struct {
	event  FeedRow
	Cursor string
}

// VisibleTo reports whether the principal may see the event now.
func (e *LiveEvent) VisibleTo(a *kernel.Principal) bool {
	return e.event.Body != nil && maySeeEvent(a, e.event)
}

// Place returns the place after the event.
func (e *LiveEvent) Place() FeedPlace { return FeedPlace{e.event.Position, e.event.ID} }

// Body returns the event as receivers get it.
func (e *LiveEvent) Body() []byte { return e.event.Body }

// Type returns the type of the event.
func (e *LiveEvent) Type() kernel.EventType { return e.event.Type }

// Live returns where in the feed a live stream of the caller begins: after cursor, or at the end of the feed if cursor is "".
// If the cursor is malformed or older than the events that are kept, usable is false and the place is the end of the feed.
func (d *Webhooks) Live(ctx context.Context, a *kernel.Principal, cursor string) (place FeedPlace, usable bool, err error) {
	if err := a.May(VerbLive); err != nil {
		return FeedPlace{}, false, err
	}
	if cursor != "" {
		place, usable, err = d.resume(ctx, a, cursor)
		if err != nil || usable {
			return place, usable, err
		}
	}
	place, err = kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (FeedPlace, error) {
		position, _, err := feedEnd(tx, a.Company.ID)
		return FeedPlace{position, d.endOfNow()}, err
	})
	return place, cursor == "", err
}

// resume parses a cursor and reports whether all events after it are still in the feed.
func (d *Webhooks) resume(ctx context.Context, a *kernel.Principal, cursor string) (FeedPlace, bool, error) {
	position, id, err := d.feedPlace(ctx, a, cursor)
	switch {
	case kernel.CodeOf(err) == kernel.CodeInvalidCursor:
		return FeedPlace{}, false, nil
	case err != nil:
		return FeedPlace{}, false, err
	case id.Time().Before(d.Now().Add(-EventRetention)):
		return FeedPlace{}, false, nil
	}
	ahead, err := kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) (bool, error) { return feedAhead(tx, position) })
	return FeedPlace{position, id}, !ahead, err
}

// endOfNow returns an id after those of all existing events. Unlike kernel.MaxID it contains the time, so that a cursor with it
// can expire.
func (d *Webhooks) endOfNow() kernel.ID {
	now := time.Now()
	if clock := d.Now(); clock.After(now) {
		now = clock
	}
	id, ms := kernel.MaxID, now.Add(time.Minute).UnixMilli()
	for i := range 6 {
		id[i] = byte(ms >> (40 - 8*i))
	}
	return id
}

// FeedStart returns where a stream of the feed begins: after a cursor, or at the end of the feed if it is "".
func (d *Webhooks) FeedStart(ctx context.Context, a *kernel.Principal, after string) (FeedPlace, error) {
	if err := a.May(VerbFeedStart); err != nil {
		return FeedPlace{}, err
	}
	if after == "" {
		return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (FeedPlace, error) {
			position, id, err := feedEnd(tx, a.Company.ID)
			return FeedPlace{position, id}, err
		})
	}
	position, id, err := d.feedPlace(ctx, a, after)
	if err != nil {
		return FeedPlace{}, err
	}
	ahead, err := kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) (bool, error) { return feedAhead(tx, position) })
	if err != nil || ahead {
		return FeedPlace{}, kernel.ErrOr(err, errFeedAhead())
	}
	return FeedPlace{position, id}, nil
}

// PastEvents is LiveEvents for a stream that is far behind. It waits while many other streams of the company are.
func (d *Webhooks) PastEvents(ctx context.Context, company kernel.ID, after FeedPlace, limit int) ([]LiveEvent, error) {
	release, err := d.catchUps.Acquire(ctx, company)
	if err != nil {
		return nil, err
	}
	defer release()
	return d.LiveEvents(ctx, company, after, limit)
}

// LiveEvents returns up to limit events of the company after a place, oldest first, regardless of who may see them.
func (d *Webhooks) LiveEvents(ctx context.Context, company kernel.ID, after FeedPlace, limit int) ([]LiveEvent, error) {
	horizon, err := kernel.ReadOne(ctx, d.Kernel, feedHorizon)
	if err != nil {
		return nil, err
	}
	names := "," + joinTypes(kernel.EveryEvent) + ","
	return kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) (events []LiveEvent, err error) {
		oldest := tx.Now.Add(-EventRetention)
		err = findFeed(tx, company, after.Position, after.ID, horizon, names, limit, func(e FeedRow) {
			if e.CreatedAt.Before(oldest) {
				e.Body = nil
			}
			events = append(events, LiveEvent{e, d.LiveCursor(company, FeedPlace{e.Position, e.ID})})
		})
		return events, err
	})
}

// LiveCursor returns the cursor of a place for clients.
func (d *Webhooks) LiveCursor(company kernel.ID, p FeedPlace) string {
	return d.Cursors.Seal(company, feedFilter, kernel.IntID(p.Position, p.ID))
}

// LiveChanged returns a channel that is closed at the company's next event. Call it before reading the feed, so that no event is
// missed in between.
func (d *Webhooks) LiveChanged(company kernel.ID) <-chan struct{} { return d.NextEvent(company) }
