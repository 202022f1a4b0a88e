package webhooks

import (
	"context"
	"math"
	"strings"

	"recado/internal/boards"
	"recado/internal/kernel"
	"recado/internal/talk"
)

// FeedPage is a page of the company's feed.
type FeedPage struct {
	Events []FeedEvent
	Next   string // the cursor of the next page, even if there are no more events yet
	More   bool   // there are more events in the direction of the page
	Still  bool   // there is no event after the requested cursor, and Next is that cursor

	position int64 // of Next
	id       kernel.ID
}

// FeedEvent is one event as receivers get it, and the cursor after it.
type FeedEvent struct {
	Type   kernel.EventType
	Body   []byte
	Cursor string
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
	if err := a.May(VerbEvents); err != nil {
		return FeedPage{}, err
	}
	position, id, err := d.feedPlace(ctx, a, q.After)
	if err != nil {
		return FeedPage{}, err
	}
	if q.Newest && q.After == "" {
		position, id = math.MaxInt64, kernel.MaxID
	}
	horizon, err := kernel.ReadOne(ctx, d.Kernel, feedHorizon)
	if err != nil {
		return FeedPage{}, err
	}
	page, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (FeedPage, error) {
		return d.feedPage(tx, a, q, position, id, horizon, q.Limit, feedWindow)
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
		return d.feedPage(tx, a, q, page.position, page.id, horizon, feedWindow, feedBudget-feedWindow)
	})
	further.Events, further.Still = append(page.Events, further.Events...), false
	return further, err
}

// feedPlace parses a cursor of the feed, which can also be the id of an event.
func (d *Webhooks) feedPlace(ctx context.Context, a *kernel.Principal, after string) (position int64, id kernel.ID, err error) {
	if after == "" {
		return 0, id, nil
	}
	if event, ok := kernel.ParseID(after); ok {
		found := false
		err = d.Store.ReadOne(ctx, func(tx *kernel.Tx) (err error) {
			position, found, err = eventPosition(tx, a.Company.ID, event)
			return err
		})
		if err == nil && !found {
			err = kernel.Errorf(kernel.CodeInvalidCursor,
				"The event of this cursor does not exist or is older than 14 days. Start again without a cursor.")
		}
		return position, event, err
	}
	payload, invalid := d.Cursors.Open(a.Company.ID, feedFilter, after)
	if invalid != nil {
		return 0, id, invalid
	}
	if position, id, invalid = kernel.ReadIntID(payload); invalid != nil {
		return 0, id, invalid
	}
	return position, id, nil
}

// feedPage scans up to budget events from a place on for those of the query. The first statement reads window of them.
func (d *Webhooks) feedPage(
	tx *kernel.Tx, a *kernel.Principal, q FeedQuery, position int64, id kernel.ID, horizon int64, window, budget int,
) (FeedPage, error) {
	var page FeedPage
	start, startID := position, id
	find := findFeed
	if q.Newest {
		find = findFeedBefore
	}
	names := "," + joinTypes(q.Types) + ","
	oldest := tx.Now.Add(-EventRetention)
	for seen := 0; len(page.Events) < q.Limit && seen < budget; window = min(4*window, feedWindow) {
		window = min(window, budget-seen)
		rows, full, left := 0, false, false
		err := find(tx, a.Company.ID, position, id, horizon, names, window, func(e FeedRow) {
			rows++
			if full {
				left = true
				return
			}
			position, id = e.Position, e.ID
			if e.Body == nil || e.CreatedAt.Before(oldest) || !maySeeEvent(a, e) {
				return
			}
			page.Events = append(page.Events, FeedEvent{Type: e.Type, Body: e.Body, Cursor: d.feedCursor(a, e.Position, e.ID)})
			full = len(page.Events) == q.Limit
		})
		if err != nil {
			return page, err
		}
		if seen += rows; seen == 0 && position > 0 && !q.Newest {
			if ahead, err := feedAhead(tx, position); err != nil || ahead {
				return page, kernel.ErrOr(err, errFeedAhead())
			}
		}
		if page.More = rows == window || left; !page.More {
			break
		}
	}
	page.Next, page.position, page.id = d.feedCursor(a, position, id), position, id
	page.Still = start == position && startID == id
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

func (d *Webhooks) feedCursor(a *kernel.Principal, position int64, id kernel.ID) string {
	return d.Cursors.Seal(a.Company.ID, feedFilter, kernel.IntID(position, id))
}

func joinTypes(types kernel.EventSet) string {
	var names []string
	for _, t := range types.List() {
		names = append(names, string(t))
	}
	return strings.Join(names, ",")
}
