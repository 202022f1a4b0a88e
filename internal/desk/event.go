package desk

import (
	"context"
	"math"
	"strings"
	"sync"
	"time"

	"recado/internal/cursor"
	"recado/internal/jsonenc"
	"recado/internal/model"
	"recado/internal/store"
)

// record stores an event with the exact bytes that receivers get, in the transaction of the change
// it tells of. data writes the event's data object.
func (d *Desk) record(tx *store.Tx, e store.Event, data func(b []byte) ([]byte, error)) (err error) {
	e.ID = model.NewID()
	if e.Body, err = eventBody(e.ID, e.Company, e.Type, tx.Now, data); err != nil {
		return err
	}
	webhooks, err := tx.InsertEvent(e)
	if err != nil {
		return err
	}
	tx.AfterCommit(func() {
		d.feed.notify(e.Company)
		d.store.Notify(channelFeed, e.Company.String())
		if len(webhooks) > 0 {
			d.announce(webhooks...)
		}
	})
	return nil
}

// eventBody is an event as every receiver gets it.
func eventBody(id, company model.ID, kind model.EventType, at time.Time, data func(b []byte) ([]byte, error)) ([]byte, error) {
	b := make([]byte, 0, 2048)
	b = append(b, `{"id":"`...)
	b = id.AppendText(b)
	b = append(b, `","type":"`...)
	b = append(b, kind...)
	b = append(b, `","created_at":"`...)
	b = at.UTC().AppendFormat(b, jsonenc.Time)
	b = append(b, `","tenant_id":"`...)
	b = company.AppendText(b)
	b = append(b, `","data":`...)
	b, err := data(b)
	return append(b, '}'), err
}

// The names under which nodes of one PostgreSQL wake each other.
const (
	channelDeliver = "recado_deliver"
	channelSend    = "recado_send"
	channelFeed    = "recado_feed"
	channelSignal  = "recado_signal"
)

// FeedPage is a part of the company's feed.
type FeedPage struct {
	Events []FeedEvent
	Next   string // where to go on, also when there is nothing yet
	More   bool   // there are more events in the direction of the page
	Held   bool   // an event is recorded and held back for a moment: look again soon
	Still  bool   // nothing came after the place that was asked for: Next is that place

	position int64 // of Next
	id       model.ID
}

// FeedEvent is one event as receivers get it, and the place behind it.
type FeedEvent struct {
	Type   model.EventType
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
	After  string         // a cursor; without one the page begins with the oldest event that is kept
	Types  model.EventSet // other events are left out
	Limit  int
	Newest bool // newest first: the page has the events before After, or the newest ones without it
}

// Events returns a page of the company's events. A key sees the events of conversations and boards that it may see. The
// cursor moves past the others, so a page can be short although there is more. It is short if the company reads so much of
// its feed at once that the call gets no slot to look further.
func (d *Desk) Events(ctx context.Context, a *Principal, q FeedQuery) (FeedPage, error) {
	if err := a.May(VerbEvents); err != nil {
		return FeedPage{}, err
	}
	position, id, err := d.feedPlace(ctx, a, q.After)
	if err != nil {
		return FeedPage{}, err
	}
	if q.Newest && q.After == "" {
		position, id = math.MaxInt64, model.MaxID
	}
	var horizon int64
	err = d.store.ReadOne(ctx, func(tx *store.Tx) (err error) {
		horizon, err = tx.FeedHorizon()
		return err
	})
	if err != nil {
		return FeedPage{}, err
	}
	page, err := read(ctx, d, func(tx *store.Tx) (FeedPage, error) {
		return d.feedPage(tx, a, q, position, id, horizon, q.Limit, feedWindow)
	})
	if err != nil || !page.More || len(page.Events) == q.Limit {
		return page, err
	}
	release, err := d.feeds.begin(ctx, a)
	if model.CodeOf(err) == model.CodeRateLimited {
		return page, nil
	}
	if err != nil {
		return FeedPage{}, err
	}
	defer release()
	q.Limit -= len(page.Events)
	further, err := read(ctx, d, func(tx *store.Tx) (FeedPage, error) {
		return d.feedPage(tx, a, q, page.position, page.id, horizon, feedWindow, feedBudget-feedWindow)
	})
	further.Events, further.Still = append(page.Events, further.Events...), false
	return further, err
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
			err = model.Errorf(model.CodeInvalidCursor, "The event of this cursor does not exist or is older than 14 days. Start again without a cursor.")
		}
		return position, event, err
	}
	payload, invalid := d.cursors.Open(a.Company.ID, feedFilter, after)
	if invalid != nil {
		return 0, id, invalid
	}
	if position, id, invalid = cursor.ReadIntID(payload); invalid != nil {
		return 0, id, invalid
	}
	return position, id, nil
}

// feedPage looks through up to budget events from a place on for those of the query, first through window at once.
func (d *Desk) feedPage(
	tx *store.Tx, a *Principal, q FeedQuery, position int64, id model.ID, horizon int64, window, budget int,
) (FeedPage, error) {
	feed := tx.Feed
	if q.Newest {
		feed = tx.FeedBack
	}
	page := FeedPage{Next: d.feedCursor(a, position, id)}
	place, event := position, id
	names := "," + joinTypes(q.Types) + ","
	oldest := tx.Now.Add(-model.EventRetention)
	for seen := 0; len(page.Events) < q.Limit && seen < budget; window = min(4*window, feedWindow) {
		window = min(window, budget-seen)
		rows, full, left := 0, false, false
		err := feed(a.Company.ID, position, id, horizon, names, window, func(e store.FeedEvent) {
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
			full = len(page.Events) == q.Limit
		})
		if err != nil {
			return page, err
		}
		if seen += rows; seen == 0 && position > 0 && !q.Newest {
			if ahead, err := tx.FeedAhead(position); err != nil || ahead {
				return page, errOr(err, errFeedAhead())
			}
		}
		if page.More = rows == window || left; !page.More {
			break
		}
	}
	page.Next, page.Still, page.position, page.id = d.feedCursor(a, position, id), place == position && event == id, position, id
	held, err := tx.FeedHeld(a.Company.ID, horizon)
	page.Held = held
	return page, err
}

func errFeedAhead() error {
	return model.Errorf(model.CodeInvalidCursor, "This cursor is ahead of the feed because an older database was restored. Start again without a cursor.")
}

// maySeeEvent applies the policies on conversations, boards and cards as they are now: a card that has
// been made private or deleted takes its events with it.
func (a *Principal) maySeeEvent(e store.FeedEvent) bool {
	return a.Scopes.Has(e.Type.Scope()) && (e.Conversation == nil || a.MaySee(e.Conversation)) && (e.Board == nil || a.MaySeeBoard(*e.Board)) &&
		(e.Card == nil || !e.Card.Private && !e.Card.Hidden && a.maySeeCard(e.Card))
}

func (d *Desk) feedCursor(a *Principal, position int64, id model.ID) string {
	return d.cursors.Seal(a.Company.ID, feedFilter, cursor.IntID(position, id))
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
			d.feed.notify(company)
		} else {
			d.feed.notifyAll()
		}
	})
}

// feed wakes the callers that follow the events of a company.
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

func (f *feed) notify(company model.ID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if c := f.waiting[company]; c != nil {
		close(c)
		delete(f.waiting, company)
	}
}

func (f *feed) notifyAll() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.waiting {
		close(c)
	}
	clear(f.waiting)
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
	company  model.ID
	position int64
	id       model.ID
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
	store.FeedEvent
	out FeedEvent
}

// Follow is Events for a caller that has read the feed to its end and waits for what comes: it shares one
// read with the others of the company that are at the same place. changed is what FeedChanged gave before;
// a read that began at or after fresh, and after the last event that was announced, is new enough.
func (d *Desk) Follow(ctx context.Context, a *Principal, after string, types model.EventSet, changed <-chan struct{}, fresh time.Time) (FeedPage, error) {
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
		if types.Has(e.Type) && a.maySeeEvent(e.FeedEvent) {
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
func (d *Desk) readFollowed(ctx context.Context, a *Principal, position int64, id model.ID) (rows []followed, held bool, err error) {
	var horizon int64
	err = d.store.ReadOne(ctx, func(tx *store.Tx) (err error) {
		horizon, err = tx.FeedHorizon()
		return err
	})
	if err != nil {
		return nil, false, err
	}
	names := "," + joinTypes(model.EveryEvent) + ","
	rows, err = read(ctx, d, func(tx *store.Tx) (rows []followed, err error) {
		err = tx.Feed(a.Company.ID, position, id, horizon, names, followPage, func(e store.FeedEvent) {
			rows = append(rows, followed{e, FeedEvent{Type: e.Type, Body: e.Body, Cursor: d.feedCursor(a, e.Position, e.ID)}})
		})
		if err == nil && len(rows) == 0 && position > 0 {
			if ahead, err := tx.FeedAhead(position); err != nil || ahead {
				return nil, errOr(err, errFeedAhead())
			}
		}
		if err == nil {
			held, err = tx.FeedHeld(a.Company.ID, horizon)
		}
		return rows, err
	})
	return rows, held, err
}
