package desk

import (
	"context"
	"strings"
	"sync"

	"recado/internal/model"
	"recado/internal/store"
)

// FeedPage is a part of the company's feed, oldest first.
type FeedPage struct {
	Events []FeedEvent
	Next   string // where to go on, also when there is nothing yet
	More   bool   // more is there already
	Still  bool   // nothing came after the place that was asked for: Next is that place
}

// FeedEvent is one event as receivers get it, and the place behind it.
type FeedEvent struct {
	Type   model.EventType
	Body   []byte
	Cursor string
}

const (
	feedFilter = "events"

	// What a page looks through at most, so that a filter that matches nothing costs a bounded time.
	feedWindow = 2_000
	feedBudget = 20_000
)

// Events gives the company's events after a cursor; without one, from the oldest that is kept. A key
// sees the events of conversations and boards it may see. The cursor moves past what it may not, so
// a page can be short while there is more.
func (d *Desk) Events(ctx context.Context, a *Principal, after string, types model.EventSet, limit int) (FeedPage, error) {
	if err := a.May(VerbEvents); err != nil {
		return FeedPage{}, err
	}
	position, id, err := d.feedPlace(ctx, a, after)
	if err != nil {
		return FeedPage{}, err
	}
	var horizon int64
	err = d.store.ReadOne(ctx, func(tx *store.Tx) (err error) {
		horizon, err = tx.FeedHorizon()
		return err
	})
	if err != nil {
		return FeedPage{}, err
	}
	return read(ctx, d, func(tx *store.Tx) (FeedPage, error) {
		return d.feedPage(tx, a, position, id, horizon, types, limit)
	})
}

// feedPlace reads where a caller was: a cursor of the feed, or the id of an event that it has seen.
func (d *Desk) feedPlace(ctx context.Context, a *Principal, after string) (position int64, id model.ID, err error) {
	if after == "" {
		return 0, id, nil
	}
	if event, ok := model.ParseID(after); ok {
		found := false
		err = d.store.ReadOne(ctx, func(tx *store.Tx) (err error) {
			position, found, err = tx.EventPosition(a.Company.ID, event)
			return err
		})
		if err == nil && !found {
			err = model.Errorf(model.CodeInvalidCursor, "There is no such event, or it is older than 14 days.")
		}
		return position, event, err
	}
	payload, invalid := d.cursors.Open(a.Company.ID, feedFilter, after)
	if invalid != nil {
		return 0, id, invalid
	}
	if position, id, invalid = model.ReadCursorIntID(payload); invalid != nil {
		return 0, id, invalid
	}
	return position, id, nil
}

func (d *Desk) feedPage(tx *store.Tx, a *Principal, position int64, id model.ID, horizon int64, types model.EventSet, limit int) (FeedPage, error) {
	page := FeedPage{Next: d.feedCursor(a, position, id)}
	place, event := position, id
	names := "," + joinTypes(types) + ","
	oldest := tx.Now.Add(-model.EventRetention)
	window := limit
	for seen := 0; len(page.Events) < limit && seen < feedBudget; window = min(4*window, feedWindow) {
		rows, full, left := 0, false, false
		err := tx.Feed(a.Company.ID, position, id, horizon, names, window, func(e store.FeedEvent) {
			rows++
			if full {
				left = true
				return
			}
			position, id = e.Position, e.ID
			if e.Body == nil || e.CreatedAt.Before(oldest) || !a.maySeeEvent(e) {
				return
			}
			page.Events = append(page.Events, FeedEvent{Type: e.Type, Body: e.Body, Cursor: d.feedCursor(a, e.Position, e.ID)})
			full = len(page.Events) == limit
		})
		if err != nil {
			return page, err
		}
		if seen += rows; seen == 0 && position > 0 {
			if ahead, err := tx.FeedAhead(position); err != nil || ahead {
				return page, errOr(err, errFeedAhead())
			}
		}
		if page.More = rows == window || left; !page.More {
			break
		}
	}
	page.Next, page.Still = d.feedCursor(a, position, id), place == position && event == id
	return page, nil
}

func errFeedAhead() error {
	return model.Errorf(model.CodeInvalidCursor, "This cursor is ahead of the feed: an older state of the database was brought back. Start again without a cursor.")
}

// MendFeed makes the feed whole after the database was moved to another server.
func (d System) MendFeed(ctx context.Context) error {
	n, err := write(ctx, d.Desk, func(tx *store.Tx) (int64, error) { return tx.MendFeed() })
	if n > 0 {
		d.log.Info("events from another database server were put in front of the feed", "events", n)
	}
	return err
}

// maySeeEvent applies the policies on conversations, boards and cards as they are now: a card that has
// been made private or deleted takes its events with it.
func (a *Principal) maySeeEvent(e store.FeedEvent) bool {
	return (e.Conversation == nil || a.MaySee(e.Conversation)) && (e.Board == nil || a.MaySeeBoard(*e.Board)) &&
		(e.Card == nil || a.maySeeCard(e.Card))
}

func (d *Desk) feedCursor(a *Principal, position int64, id model.ID) string {
	return d.cursors.Seal(a.Company.ID, feedFilter, model.CursorIntID(position, id))
}

func joinTypes(types model.EventSet) string {
	var names []string
	for _, t := range types.List() {
		names = append(names, string(t))
	}
	return strings.Join(names, ",")
}

// FeedEnd is the cursor behind everything that has happened so far.
func (d *Desk) FeedEnd(ctx context.Context, a *Principal) (string, error) {
	if err := a.May(VerbFeedEnd); err != nil {
		return "", err
	}
	return read(ctx, d, func(tx *store.Tx) (string, error) {
		position, id, err := tx.FeedEnd(a.Company.ID)
		return d.feedCursor(a, position, id), err
	})
}

// FeedChanged gives a channel that is closed at the company's next event. Ask for it before reading
// the feed, so that nothing falls between the two.
func (d *Desk) FeedChanged(_ context.Context, a *Principal) (<-chan struct{}, error) {
	if err := a.May(VerbFeedChanged); err != nil {
		return nil, err
	}
	return d.feed.next(a.Company.ID), nil
}

// ListenFeed passes on what other nodes recorded, until ctx ends.
func (d System) ListenFeed(ctx context.Context) {
	d.store.Listen(ctx, channelFeed, func(payload string) {
		if company, ok := model.ParseID(payload); ok {
			d.feed.ring(company)
		} else {
			d.feed.ringAll()
		}
	})
}

// feed wakes everybody who follows a company's events.
type feed struct {
	mu      sync.Mutex
	waiting map[model.ID]chan struct{}
}

func (f *feed) next(company model.ID) <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.waiting[company]
	if c == nil {
		if f.waiting == nil {
			f.waiting = map[model.ID]chan struct{}{}
		}
		c = make(chan struct{})
		f.waiting[company] = c
	}
	return c
}

func (f *feed) ring(company model.ID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if c := f.waiting[company]; c != nil {
		close(c)
		delete(f.waiting, company)
	}
}

func (f *feed) ringAll() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.waiting {
		close(c)
	}
	clear(f.waiting)
}
