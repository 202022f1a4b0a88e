package desk

import (
	"context"
	"sync"
	"time"

	"recado/internal/model"
	"recado/internal/store"
)

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

// feedRead is what follows a place, once done is closed. Nobody changes it after that.
type feedRead struct {
	began   time.Time
	changed <-chan struct{} // of the feed when the read began; closed at the next event
	done    chan struct{}
	rows    []followed
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
		r.rows, r.err = d.readFollowed(ctx, a, position, id)
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
	page := FeedPage{Next: after, Still: len(r.rows) == 0, More: len(r.rows) == followPage}
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

// readFollowed reads the events after a place, of every type and regardless of visibility.
func (d *Desk) readFollowed(ctx context.Context, a *Principal, position int64, id model.ID) (rows []followed, err error) {
	var horizon int64
	err = d.store.ReadOne(ctx, func(tx *store.Tx) (err error) {
		horizon, err = tx.FeedHorizon()
		return err
	})
	if err != nil {
		return nil, err
	}
	names := "," + joinTypes(model.EveryEvent) + ","
	return read(ctx, d, func(tx *store.Tx) ([]followed, error) {
		var rows []followed
		err := tx.Feed(a.Company.ID, position, id, horizon, names, followPage, func(e store.FeedEvent) {
			rows = append(rows, followed{e, FeedEvent{Type: e.Type, Body: e.Body, Cursor: d.feedCursor(a, e.Position, e.ID)}})
		})
		if err == nil && len(rows) == 0 && position > 0 {
			if ahead, err := tx.FeedAhead(position); err != nil || ahead {
				return nil, errOr(err, errFeedAhead())
			}
		}
		return rows, err
	})
}
