package webhooks

import (
	"context"
	"math"
	"strings"
	"sync"
	"time"

	"recado/internal/boards"
	"recado/internal/kernel"
	"recado/internal/talk"
)

// FeedPage is a part of the company's feed.
type FeedPage struct {
	Events []FeedEvent
	Next   string // where to go on, also when there is nothing yet
	More   bool   // there are more events in the direction of the page
	Held   bool   // an event is recorded and held back for a moment: look again soon
	Still  bool   // nothing came after the place that was asked for: Next is that place

	position int64 // of Next
	id       kernel.ID
}

// FeedEvent is one event as receivers get it, and the place behind it.
type FeedEvent struct {
	Type   kernel.EventType
	Body   []byte
	Cursor string
}

const (
	feedFilter = "events"

	// What a page looks through at most, so that a filter that matches nothing costs a bounded time: without one of the
	// company's slots, and with one.
	feedWindow = 2_000
	feedBudget = 20_000
)

// FeedQuery asks for a page of the feed.
type FeedQuery struct {
	After  string          // a cursor; without one the page begins with the oldest event that is kept
	Types  kernel.EventSet // other events are left out
	Limit  int
	Newest bool // newest first: the page has the events before After, or the newest ones without it
}

// Events returns a page of the company's events. A key sees the events of conversations and boards that it may see. The
// cursor moves past the others, so a page can be short although there is more. It is short if the company reads so much of
// its feed at once that the call gets no slot to look further.
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
	var horizon int64
	err = d.Store.ReadOne(ctx, func(tx *kernel.Tx) (err error) {
		horizon, err = feedHorizon(tx)
		return err
	})
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

// feedPlace reads where a caller was: a cursor of the feed, or the id of an event that it has seen.
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
			err = kernel.Errorf(kernel.CodeInvalidCursor, "The event of this cursor does not exist or is older than 14 days. Start again without a cursor.")
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

// feedPage looks through up to budget events from a place on for those of the query, first through window at once.
func (d *Webhooks) feedPage(
	tx *kernel.Tx, a *kernel.Principal, q FeedQuery, position int64, id kernel.ID, horizon int64, window, budget int,
) (FeedPage, error) {
	page := FeedPage{Next: d.feedCursor(a, position, id)}
	place, event := position, id
	names := "," + joinTypes(q.Types) + ","
	oldest := tx.Now.Add(-EventRetention)
	for seen := 0; len(page.Events) < q.Limit && seen < budget; window = min(4*window, feedWindow) {
		window = min(window, budget-seen)
		rows, full, left := 0, false, false
		err := feedFrom(tx, q.Newest, a.Company.ID, position, id, horizon, names, window, func(e FeedRow) {
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
	page.Next, page.Still, page.position, page.id = d.feedCursor(a, position, id), place == position && event == id, position, id
	held, err := feedHeld(tx, a.Company.ID, horizon)
	page.Held = held
	return page, err
}

func errFeedAhead() error {
	return kernel.Errorf(kernel.CodeInvalidCursor, "This cursor is ahead of the feed because an older database was restored. Start again without a cursor.")
}

// maySeeEvent applies the policies on conversations, boards and cards as they are now: a card that has
// been made private or deleted takes its events with it.
func maySeeEvent(a *kernel.Principal, e FeedRow) bool {
	return a.Scopes.Has(e.Type.Scope()) && (e.Conversation == nil || talk.MaySee(a, e.Conversation)) && (e.Board == nil || a.MaySeeBoard(*e.Board)) &&
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

// FeedEnd is the cursor behind everything that has happened so far.
func (d *Webhooks) FeedEnd(ctx context.Context, a *kernel.Principal) (string, error) {
	if err := a.May(VerbFeedEnd); err != nil {
		return "", err
	}
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (string, error) {
		position, id, err := feedEnd(tx, a.Company.ID)
		return d.feedCursor(a, position, id), err
	})
}

// FeedChanged gives a channel that is closed at the company's next event. Ask for it before reading
// the feed, so that nothing falls between the two.
func (d *Webhooks) FeedChanged(_ context.Context, a *kernel.Principal) (<-chan struct{}, error) {
	if err := a.May(VerbFeedChanged); err != nil {
		return nil, err
	}
	return d.NextEvent(a.Company.ID), nil
}

const (
	followPage    = 50               // events that one read for followers gives
	followTimeout = 10 * time.Second // of that read
	followKept    = time.Second      // how long it serves those who come to the same place
)

// followers shares reads of the feed among the streams of a company: those who have read up to the same
// event get the next ones from one read, encoded once.
type followers struct {
	mu    sync.Mutex
	reads map[feedPoint]*feedRead
}

// feedPoint is a place in the feed of a company.
type feedPoint struct {
	company  kernel.ID
	position int64
	id       kernel.ID
}

// feedRead is what follows a place, once done is closed. It does not change after that.
type feedRead struct {
	began   time.Time
	changed <-chan struct{} // of the feed when the read began; closed at the next event
	done    chan struct{}
	rows    []followed
	held    bool // an event is held back for a moment
	err     error
}

// followed is an event with what decides who sees it, and the form in which all get it.
type followed struct {
	FeedRow
	out FeedEvent
}

// Follow is Events for a caller that has read the feed to its end and waits for what comes: it shares one
// read with the others of the company that are at the same place. changed is what FeedChanged gave before;
// a read that began at or after fresh, and after the last event that was announced, is new enough.
func (d *Webhooks) Follow(ctx context.Context, a *kernel.Principal, after string, types kernel.EventSet, changed <-chan struct{}, fresh time.Time) (FeedPage, error) {
	if err := a.May(VerbFollow); err != nil {
		return FeedPage{}, err
	}
	position, id, err := d.feedPlace(ctx, a, after)
	if err != nil {
		return FeedPage{}, err
	}
	r, mine := d.followers.join(feedPoint{a.Company.ID, position, id}, changed, fresh)
	if mine {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), followTimeout) // others wait for it too
		r.rows, r.held, r.err = d.readFollowed(ctx, a, position, id)
		cancel()
		close(r.done)
	}
	select {
	case <-r.done:
	case <-ctx.Done():
		return FeedPage{}, ctx.Err()
	}
	if r.err != nil {
		return FeedPage{}, r.err
	}
	page := FeedPage{Next: after, Still: len(r.rows) == 0, More: len(r.rows) == followPage, Held: r.held}
	for i := range r.rows {
		e := &r.rows[i]
		page.Next = e.out.Cursor
		if types.Has(e.Type) && maySeeEvent(a, e.FeedRow) {
			page.Events = append(page.Events, e.out)
		}
	}
	return page, nil
}

// join gives a read that is new enough, or a new one that the caller is to make.
func (f *followers) join(at feedPoint, changed <-chan struct{}, fresh time.Time) (r *feedRead, mine bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if r := f.reads[at]; r != nil && r.changed == changed && !r.began.Before(fresh) && time.Since(r.began) < followKept {
		return r, false
	}
	if f.reads == nil {
		f.reads = map[feedPoint]*feedRead{}
	}
	for point, r := range f.reads {
		if time.Since(r.began) >= followKept {
			delete(f.reads, point)
		}
	}
	r = &feedRead{began: time.Now(), changed: changed, done: make(chan struct{})}
	f.reads[at] = r
	return r, true
}

// readFollowed reads the events after a place, of every type and regardless of visibility, and reports whether more
// are held back.
func (d *Webhooks) readFollowed(ctx context.Context, a *kernel.Principal, position int64, id kernel.ID) (rows []followed, held bool, err error) {
	var horizon int64
	err = d.Store.ReadOne(ctx, func(tx *kernel.Tx) (err error) {
		horizon, err = feedHorizon(tx)
		return err
	})
	if err != nil {
		return nil, false, err
	}
	names := "," + joinTypes(kernel.EveryEvent) + ","
	rows, err = kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (rows []followed, err error) {
		err = findFeed(tx, a.Company.ID, position, id, horizon, names, followPage, func(e FeedRow) {
			rows = append(rows, followed{e, FeedEvent{Type: e.Type, Body: e.Body, Cursor: d.feedCursor(a, e.Position, e.ID)}})
		})
		if err == nil && len(rows) == 0 && position > 0 {
			if ahead, err := feedAhead(tx, position); err != nil || ahead {
				return nil, kernel.ErrOr(err, errFeedAhead())
			}
		}
		if err == nil {
			held, err = feedHeld(tx, a.Company.ID, horizon)
		}
		return rows, err
	})
	return rows, held, err
}
