package desk

import (
	"bytes"
	"context"
	"slices"
	"time"

	"recado/internal/model"
	"recado/internal/store"
)

// FeedPlace is a place in a company's feed: behind one event and before the next.
type FeedPlace struct {
	Position int64
	ID       model.ID
}

// After reports whether p lies behind q.
func (p FeedPlace) After(q FeedPlace) bool {
	return p.Position > q.Position || p.Position == q.Position && bytes.Compare(p.ID[:], q.ID[:]) > 0
}

// LiveEvent is an event of the feed, with what decides who sees it.
type LiveEvent struct {
	event  store.FeedEvent
	Cursor string
}

// Type names what happened.
func (e *LiveEvent) Type() model.EventType { return e.event.Type }

// Body is the event as all receivers get it.
func (e *LiveEvent) Body() []byte { return e.event.Body }

// Place is the place behind the event.
func (e *LiveEvent) Place() FeedPlace { return FeedPlace{e.event.Position, e.event.ID} }

// VisibleTo reports whether the principal may see the event now.
func (e *LiveEvent) VisibleTo(a *Principal) bool {
	return e.event.Body != nil && a.maySeeEvent(e.event)
}

// Live says where in the feed a live stream of the caller begins: behind cursor, or at the feed's end
// without one. usable is false for a cursor that is malformed, or older than the events that are kept; the
// place is the feed's end then.
func (d *Desk) Live(ctx context.Context, a *Principal, cursor string) (place FeedPlace, usable bool, err error) {
	if err := a.May(VerbLive); err != nil {
		return FeedPlace{}, false, err
	}
	if cursor != "" {
		place, usable, err = d.resume(ctx, a, cursor)
		if err != nil || usable {
			return place, usable, err
		}
	}
	place, err = read(ctx, d, func(tx *store.Tx) (FeedPlace, error) {
		position, _, err := tx.FeedEnd(a.Company.ID)
		return FeedPlace{position, d.endOfNow()}, err
	})
	return place, cursor == "", err
}

// resume reads a cursor and reports whether everything after it is still in the feed.
func (d *Desk) resume(ctx context.Context, a *Principal, cursor string) (FeedPlace, bool, error) {
	position, id, err := d.feedPlace(ctx, a, cursor)
	switch {
	case model.CodeOf(err) == model.CodeInvalidCursor:
		return FeedPlace{}, false, nil
	case err != nil:
		return FeedPlace{}, false, err
	case id.Time().Before(d.now().Add(-model.EventRetention)):
		return FeedPlace{}, false, nil
	}
	ahead, err := readOne(ctx, d, func(tx *store.Tx) (bool, error) { return tx.FeedAhead(position) })
	return FeedPlace{position, id}, !ahead, err
}

// endOfNow is behind the ids of all events that exist. Unlike the greatest id it tells when it was made, so
// that a cursor made of it can be too old.
func (d *Desk) endOfNow() model.ID {
	now := time.Now()
	if rules := d.now(); rules.After(now) {
		now = rules
	}
	id, ms := model.Nobody, now.Add(time.Minute).UnixMilli()
	for i := range 6 {
		id[i] = byte(ms >> (40 - 8*i))
	}
	return id
}

// LiveEvents reads the company's events after a place, whoever may see them: at most limit, oldest first.
func (d System) LiveEvents(ctx context.Context, company model.ID, after FeedPlace, limit int) ([]LiveEvent, error) {
	horizon, err := readOne(ctx, d.Desk, func(tx *store.Tx) (int64, error) { return tx.FeedHorizon() })
	if err != nil {
		return nil, err
	}
	names := "," + joinTypes(model.EveryEvent) + ","
	return readOne(ctx, d.Desk, func(tx *store.Tx) (events []LiveEvent, err error) {
		err = tx.Feed(company, after.Position, after.ID, horizon, names, limit, func(e store.FeedEvent) {
			events = append(events, LiveEvent{e, d.LiveCursor(company, FeedPlace{e.Position, e.ID})})
		})
		return events, err
	})
}

// LiveCursor is a place in the text form that clients get.
func (d System) LiveCursor(company model.ID, p FeedPlace) string {
	return d.cursors.Seal(company, feedFilter, model.CursorIntID(p.Position, p.ID))
}

// LiveChanged gives a channel that is closed at the company's next event. Ask for it before reading the
// feed, so that nothing falls between the two.
func (d System) LiveChanged(company model.ID) <-chan struct{} { return d.feed.next(company) }

// LiveState is what the live streams of a company depend on beside events.
type LiveState struct {
	Sessions map[model.ID]*Principal // that have not ended
	Presence map[model.ID]Presence
}

// Presence is how a member is shown.
type Presence struct {
	Name  string
	Shown string
}

// LiveState reads who is signed in to a company at this moment and how its members are shown.
func (d System) LiveState(ctx context.Context, c model.Company) (LiveState, error) {
	state := LiveState{Sessions: map[model.ID]*Principal{}, Presence: map[model.ID]Presence{}}
	now, latest := d.now(), d.seen.members()
	_, err := read(ctx, d.Desk, func(tx *store.Tx) (struct{}, error) {
		team, err := tx.Team(c.ID)
		if err != nil {
			return struct{}{}, err
		}
		members := make(map[model.ID]Member, len(team))
		for _, m := range team {
			sectors := make([]model.ID, len(m.Sectors))
			for i, s := range m.Sectors {
				sectors[i] = s.ID
			}
			members[m.ID] = Member{User: model.Ref{ID: m.ID, Name: m.Name}, Email: m.Email, Role: m.Role, Profile: m.AccessProfile, Sectors: sectors}
			state.Presence[m.ID] = Presence{m.Name, shownPresence(m.Chosen, presence(now, m.LastSeenAt, latest[m.ID]))}
		}
		views, err := tx.Viewers(c.ID)
		if err != nil {
			return struct{}{}, err
		}
		return struct{}{}, tx.LiveSessions(c.ID, func(s model.SignedIn, member model.ID) {
			if m, present := members[member]; present && now.Before(model.SessionEnd(s.CreatedAt, s.LastSeenAt)) {
				state.Sessions[s.ID] = SessionPrincipal(c, m, s.ID, views[member], d.rate)
			}
		})
	})
	return state, err
}

// LiveSession looks one session up, without memory: nil when it has ended.
func (d System) LiveSession(ctx context.Context, company, session model.ID) (*Principal, error) {
	h, err := read(ctx, d.Desk, func(tx *store.Tx) (*store.SessionHolder, error) {
		h, found, err := tx.SessionOf(company, session)
		if err != nil || !found {
			return nil, err
		}
		return &h, nil
	})
	if err != nil || h == nil || !d.now().Before(model.SessionEnd(h.Session.CreatedAt, h.Session.LastSeenAt)) {
		return nil, err
	}
	return d.principalOf(h), nil
}

// principalOf is the person who holds a session.
func (d *Desk) principalOf(h *store.SessionHolder) *Principal {
	member := Member{
		User: model.Ref{ID: h.Member.ID, Name: h.Member.Name}, Email: h.Member.Email, Role: h.Member.Role,
		Profile: h.Member.AccessProfile, Sectors: h.Sectors,
	}
	return SessionPrincipal(h.Company, member, h.Session.ID, h.Viewed, d.rate)
}

// MarkLive notes that a session has an open stream: its member is active.
func (d System) MarkLive(session, member model.ID) {
	d.seen.mark(KindSession, session, member, d.now())
}

// SeesTheSame reports whether two principals of one person may see the same things.
func (a *Principal) SeesTheSame(b *Principal) bool {
	return a.Profile == b.Profile && sameIDs(a.Sectors, b.Sectors) && sameIDs(a.Views, b.Views)
}

// sameIDs compares two sets.
func sameIDs(a, b []model.ID) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(id model.ID) bool { return !slices.Contains(b, id) })
}
