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

// Run ends with ctx.
func (f *FeedLoop) Run(ctx context.Context) {
	f.Desk.ListenFeed(ctx)
}

// FeedPlace is a place in a company's feed: behind one event and before the next.
type FeedPlace struct {
	Position int64
	ID       kernel.ID
}

// After reports whether p lies behind q.
func (p FeedPlace) After(q FeedPlace) bool {
	return p.Position > q.Position || p.Position == q.Position && bytes.Compare(p.ID[:], q.ID[:]) > 0
}

// LiveEvent is an event of the feed, with what decides who sees it.
type LiveEvent struct {
	event  FeedRow
	Cursor string
}

// VisibleTo reports whether the principal may see the event now.
func (e *LiveEvent) VisibleTo(a *kernel.Principal) bool {
	return e.event.Body != nil && maySeeEvent(a, e.event)
}

// Place is the place behind the event.
func (e *LiveEvent) Place() FeedPlace { return FeedPlace{e.event.Position, e.event.ID} }

// Body is the event as all receivers get it.
func (e *LiveEvent) Body() []byte { return e.event.Body }

// Type names what happened.
func (e *LiveEvent) Type() kernel.EventType { return e.event.Type }

// Live says where in the feed a live stream of the caller begins: behind cursor, or at the feed's end
// without one. usable is false for a cursor that is malformed, or older than the events that are kept; the
// place is the feed's end then.
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

// resume reads a cursor and reports whether everything after it is still in the feed.
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

// endOfNow is behind the ids of all events that exist. Unlike the greatest id it tells when it was made, so
// that a cursor made of it can be too old.
func (d *Webhooks) endOfNow() kernel.ID {
	now := time.Now()
	if rules := d.Now(); rules.After(now) {
		now = rules
	}
	id, ms := kernel.MaxID, now.Add(time.Minute).UnixMilli()
	for i := range 6 {
		id[i] = byte(ms >> (40 - 8*i))
	}
	return id
}

// LiveEvents reads the company's events after a place, regardless of who may see them: at most limit, oldest first.
func (d *Webhooks) LiveEvents(ctx context.Context, company kernel.ID, after FeedPlace, limit int) ([]LiveEvent, error) {
	horizon, err := kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) (int64, error) { return feedHorizon(tx) })
	if err != nil {
		return nil, err
	}
	names := "," + joinTypes(kernel.EveryEvent) + ","
	return kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) (events []LiveEvent, err error) {
		err = findFeed(tx, company, after.Position, after.ID, horizon, names, limit, func(e FeedRow) {
			events = append(events, LiveEvent{e, d.LiveCursor(company, FeedPlace{e.Position, e.ID})})
		})
		return events, err
	})
}

// LiveCursor is a place in the text form that clients get.
func (d *Webhooks) LiveCursor(company kernel.ID, p FeedPlace) string {
	return d.Cursors.Seal(company, feedFilter, kernel.IntID(p.Position, p.ID))
}

// LiveChanged gives a channel that is closed at the company's next event. Ask for it before reading the
// feed, so that nothing falls between the two.
func (d *Webhooks) LiveChanged(company kernel.ID) <-chan struct{} { return d.NextEvent(company) }
