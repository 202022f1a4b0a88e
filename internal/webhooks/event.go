package webhooks

import (
	"bytes"
	"context"
	"math"
	"strings"
	"time"

	"recado/internal/boards"
	"recado/internal/kernel"
	"recado/internal/talk"
)

// FeedPlace is a place in a company's feed: after one event and before the next.
type FeedPlace struct {
	Position int64
	ID       kernel.ID
}

// After reports whether p is after q.
func (p FeedPlace) After(q FeedPlace) bool {
	return p.Position > q.Position || p.Position == q.Position && bytes.Compare(p.ID[:], q.ID[:]) > 0
}

// FeedPage is a page of the company's feed.
type FeedPage struct {
	Events [][]byte // as receivers get them
	Next   string   // the cursor of the next page, even if there are no more events yet
	More   bool     // there are more events in the direction of the page
	Still  bool     // there is no event after the requested cursor, and Next is that cursor

	place FeedPlace // of Next
}

const (
	feedFilter = "events"

	// The number of events that a page scans at most, so that a filter without matches costs a limited time: without one of
	// the company's slots, and with one.
	feedWindow = 2_000
	feedBudget = 20_000
)

// FeedQuery describes a page of the feed.
type FeedQuery struct {
	After  string          // a cursor; "": from the oldest event on
	Types  kernel.EventSet // other events are left out
	Limit  int
	Newest bool // newest first: the events before After, or the newest ones if it is ""
}

// Events returns a page of the company's events that the principal may see. The cursor moves past the others, so a page can be
// short although there are more. It is also short if the company reads so much of its feed that the call gets no slot.
func (d *Webhooks) Events(ctx context.Context, a *kernel.Principal, q FeedQuery) (FeedPage, error) {
	place, err := d.feedPlace(ctx, a, q.After)
	if err != nil {
		return FeedPage{}, err
	}
	if q.Newest && q.After == "" {
		place = FeedPlace{math.MaxInt64, kernel.MaxID}
	}
	horizon, err := kernel.ReadOne(ctx, d.Kernel, feedHorizon)
	if err != nil {
		return FeedPage{}, err
	}
	page, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (FeedPage, error) {
		return d.feedPage(tx, a, q, place, horizon, q.Limit, feedWindow)
	})
	if err != nil || !page.More || len(page.Events) == q.Limit {
		return page, err
	}
	release, err := d.feeds.Begin(ctx, a)
	if kernel.CodeOf(err) == kernel.CodeRateLimited {
		return page, nil
	}
	if err != nil {
		return FeedPage{}, err
	}
	defer release()
	q.Limit -= len(page.Events)
	further, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (FeedPage, error) {
		return d.feedPage(tx, a, q, page.place, horizon, feedWindow, feedBudget-feedWindow)
	})
	further.Events, further.Still = append(page.Events, further.Events...), false
	return further, err
}

// feedPlace parses a cursor of the feed, which can also be the id of an event.
func (d *Webhooks) feedPlace(ctx context.Context, a *kernel.Principal, after string) (place FeedPlace, err error) {
	if after == "" {
		return place, nil
	}
	if event, ok := kernel.ParseID(after); ok {
		found := false
		err = d.Store.ReadOne(ctx, func(tx *kernel.Tx) (err error) {
			place.Position, found, err = eventPosition(tx, a.Company.ID, event)
			return err
		})
		if err == nil && !found {
			err = kernel.Errorf(kernel.CodeInvalidCursor,
				"The event of this cursor does not exist or is older than 14 days. Start again without a cursor.")
		}
		place.ID = event
		return place, err
	}
	payload, invalid := d.Cursors.Open(a.Company.ID, feedFilter, after)
	if invalid == nil {
		place.Position, place.ID, invalid = kernel.ReadIntID(payload)
	}
	if invalid != nil {
		return FeedPlace{}, invalid
	}
	return place, nil
}

// feedPage scans up to budget events from a place on for those of the query. The first statement reads window of them.
func (d *Webhooks) feedPage(
	tx *kernel.Tx, a *kernel.Principal, q FeedQuery, place FeedPlace, horizon int64, window, budget int,
) (FeedPage, error) {
	var page FeedPage
	start, sql := place, selectFeed
	if q.Newest {
		sql = selectFeedBefore
	}
	oldest := tx.Now.Add(-kernel.EventRetention)
	for seen := 0; len(page.Events) < q.Limit && seen < budget; window = min(4*window, feedWindow) {
		window = min(window, budget-seen)
		rows, full, left := 0, false, false
		err := readFeed(tx, sql, a.Company.ID, place, horizon, q.Types, window, func(e FeedRow) {
			rows++
			if full {
				left = true
				return
			}
			place = e.FeedPlace
			if e.Body == nil || e.CreatedAt.Before(oldest) || !maySeeEvent(a, e) {
				return
			}
			page.Events = append(page.Events, e.Body)
			full = len(page.Events) == q.Limit
		})
		if err != nil {
			return page, err
		}
		if seen += rows; seen == 0 && place.Position > 0 && !q.Newest {
			if ahead, err := feedAhead(tx, place.Position); err != nil || ahead {
				return page, kernel.ErrOr(err, errFeedAhead())
			}
		}
		if page.More = rows == window || left; !page.More {
			break
		}
	}
	page.Next, page.place, page.Still = d.LiveCursor(a.Company.ID, place), place, place == start
	return page, nil
}

func errFeedAhead() error {
	return kernel.Errorf(kernel.CodeInvalidCursor,
		"This cursor is ahead of the feed because an older database was restored. Start again without a cursor.")
}

// maySeeEvent applies the current permissions on conversations, boards and cards: the events of a card that was deleted or made
// private are hidden.
func maySeeEvent(a *kernel.Principal, e FeedRow) bool {
	return a.Scopes.Has(e.Type.Scope()) && (e.Conversation == nil || talk.MaySee(a, e.Conversation)) &&
		(e.Board == nil || a.MaySeeBoard(*e.Board)) &&
		(e.Card == nil || !e.Card.Private && !e.Card.Hidden && boards.MaySeeCard(a, e.Card))
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
func (e *LiveEvent) Place() FeedPlace { return e.event.FeedPlace }

// Body returns the event as receivers get it.
func (e *LiveEvent) Body() []byte { return e.event.Body }

// Type returns the type of the event.
func (e *LiveEvent) Type() kernel.EventType { return e.event.Type }

// Live returns where in the feed a live stream of the caller begins: after cursor, or at the end of the feed if cursor is "".
// If the cursor is malformed or older than the events that are kept, usable is false and the place is the end of the feed.
func (d *Webhooks) Live(ctx context.Context, a *kernel.Principal, cursor string) (place FeedPlace, usable bool, err error) {
	if cursor != "" {
		place, err = d.placeAfter(ctx, a, cursor)
		usable = err == nil && !place.ID.Time().Before(d.Now().Add(-kernel.EventRetention))
		if usable || err != nil && kernel.CodeOf(err) != kernel.CodeInvalidCursor {
			return place, usable, err
		}
	}
	place, err = kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (FeedPlace, error) { return feedEnd(tx, a.Company.ID) })
	place.ID = d.endOfNow()
	return place, cursor == "", err
}

// placeAfter parses a cursor and checks that the feed has reached it.
func (d *Webhooks) placeAfter(ctx context.Context, a *kernel.Principal, cursor string) (FeedPlace, error) {
	place, err := d.feedPlace(ctx, a, cursor)
	if err != nil {
		return FeedPlace{}, err
	}
	ahead, err := kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) (bool, error) { return feedAhead(tx, place.Position) })
	if err != nil || ahead {
		return FeedPlace{}, kernel.ErrOr(err, errFeedAhead())
	}
	return place, nil
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
		return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (FeedPlace, error) { return feedEnd(tx, a.Company.ID) })
	}
	return d.placeAfter(ctx, a, after)
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
	return kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) (events []LiveEvent, err error) {
		oldest := tx.Now.Add(-kernel.EventRetention)
		err = readFeed(tx, selectFeed, company, after, horizon, kernel.EveryEvent, limit, func(e FeedRow) {
			if e.CreatedAt.Before(oldest) {
				e.Body = nil
			}
			events = append(events, LiveEvent{e, d.LiveCursor(company, e.FeedPlace)})
		})
		return events, err
	})
}

// LiveCursor returns the cursor of a place for clients.
func (d *Webhooks) LiveCursor(company kernel.ID, p FeedPlace) string {
	return d.Cursors.Seal(company, feedFilter, kernel.IntID(p.Position, p.ID))
}

// typeNames returns the names of the types for readFeed, separated and surrounded by commas.
func typeNames(types kernel.EventSet) string {
	var names strings.Builder
	for _, t := range types.List() {
		names.WriteString("," + string(t))
	}
	return names.String() + ","
}
