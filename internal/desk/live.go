package desk

import (
	"bytes"
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"recado/internal/cursor"
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
	id, ms := model.MaxID, now.Add(time.Minute).UnixMilli()
	for i := range 6 {
		id[i] = byte(ms >> (40 - 8*i))
	}
	return id
}

// LiveEvents reads the company's events after a place, regardless of who may see them: at most limit, oldest first.
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
	return d.cursors.Seal(company, feedFilter, cursor.IntID(p.Position, p.ID))
}

// LiveChanged gives a channel that is closed at the company's next event. Ask for it before reading the
// feed, so that nothing falls between the two.
func (d System) LiveChanged(company model.ID) <-chan struct{} { return d.feed.next(company) }

// LivePeople is what the live streams of a company depend on beside events.
type LivePeople struct {
	Sessions map[model.ID]*Principal // that have not ended
	Presence map[model.ID]Presence
}

// Presence is how a member is shown.
type Presence struct {
	Name  string
	Shown string
}

// LiveState reads who is signed in to a company at this moment and how its members are shown.
func (d System) LiveState(ctx context.Context, c model.Company) (LivePeople, error) {
	state := LivePeople{Sessions: map[model.ID]*Principal{}, Presence: map[model.ID]Presence{}}
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
			state.Presence[m.ID] = Presence{m.Name, presence(now, m.Chosen, m.LastSeenAt, latest[m.ID])}
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

// LiveSession reads one session from the database, past the cache: nil when it has ended.
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
	d.seen.markSession(session, member, d.now())
}

// SeesTheSame reports whether two principals of one person may see the same things.
func (a *Principal) SeesTheSame(b *Principal) bool {
	return a.Profile == b.Profile && sameIDs(a.Sectors, b.Sectors) && sameIDs(a.Views, b.Views)
}

// sameIDs compares two sets.
func sameIDs(a, b []model.ID) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(id model.ID) bool { return !slices.Contains(b, id) })
}

// The kinds of signals.
const (
	SignalActivity = "activity" // a member views a conversation, types in it or left it
	SignalMoved    = "moved"    // a conversation has another responsible person or sector
	SignalPrivate  = "private"  // something changed in a private conversation
	SignalHolders  = "holders"  // a session, a member or a sector changed
	SignalPresence = "presence" // a member is to be shown differently
	SignalStreams  = "streams"  // the live streams that a member has on a node
	SignalBoard    = "board"    // a board, a stage or a card changed without an event of the feed
	SignalNotes    = "notes"    // a note was changed or deleted
	SignalDraft    = "draft"    // a person's draft is different

	SignalScheduled = "scheduled" // the scheduled messages of a conversation are different

	SignalNotification = "notification" // members have a new notification, or have read some
)

// The kinds of activity.
const (
	ActivityViewing = "viewing"
	ActivityTyping  = "typing"
	ActivityLeft    = "left"
)

// activityRepeat is how soon the same activity again is not passed on.
const activityRepeat = 2 * time.Second

// Signal is something that live streams are told and that is stored nowhere. Every node gets every signal.
type Signal struct {
	Kind         string            `json:"kind"`
	Node         model.ID          `json:"node"`
	Company      model.ID          `json:"company,omitzero"`
	Conversation model.ID          `json:"conversation,omitzero"`
	Board        model.ID          `json:"board,omitzero"`
	Card         *PrivateCard      `json:"card,omitempty"` // set where the change is one of a private card
	Is           *model.Visibility `json:"is,omitempty"`   // who may see the conversation
	Was          *model.Visibility `json:"was,omitempty"`  // before the change
	User         model.Ref         `json:"user,omitzero"`
	Activity     string            `json:"activity,omitempty"` // or the kind of a notification
	Members      []model.ID        `json:"members,omitempty"`  // whom it is for
	Streams      []model.ID        `json:"streams,omitempty"`
	Ask          bool              `json:"ask,omitempty"` // the other nodes are to say which streams they have
}

// signals passes signals on to the live streams of this node and to the other nodes.
type signals struct {
	node    model.ID
	receive func(Signal) // nil: there are no live streams

	mu     sync.Mutex
	latest map[activityOf]time.Time // when an activity was last passed on
}

type activityOf struct {
	member, conversation model.ID
	kind                 string
}

// OnSignal names the function that gets every signal. It is called before the desk is used, and must not block.
func (d System) OnSignal(receive func(Signal)) { d.signals.receive = receive }

// SendSignal passes a signal on: to this node at once, to the others through the database.
func (d System) SendSignal(s Signal) { d.signal(s) }

func (d *Desk) signal(s Signal) {
	d.receive(s)
	if d.store.SingleNode() {
		return
	}
	s.Node = d.signals.node
	text, err := json.Marshal(s)
	if err != nil {
		d.log.Error("a signal cannot be encoded", slog.Any("error", err))
		return
	}
	d.store.Notify(channelSignal, string(text))
}

func (d *Desk) receive(s Signal) {
	if d.signals.receive != nil {
		d.signals.receive(s)
	}
}

// ListenSignals receives the signals of other nodes until ctx ends.
func (d System) ListenSignals(ctx context.Context) {
	d.store.Listen(ctx, channelSignal, func(payload string) {
		s := Signal{Kind: SignalHolders} // of all companies: signals may have been missed
		if payload != "" {
			if err := json.Unmarshal([]byte(payload), &s); err != nil || s.Node == d.signals.node {
				return
			}
		}
		if s.Kind == SignalHolders {
			d.forget(s.Company)
		}
		d.receive(s)
	})
}

// Activity tells the live streams what the caller does in a conversation. The same again within two seconds
// is not passed on.
func (d *Desk) Activity(ctx context.Context, a *Principal, id model.ID, kind string) error {
	if err := a.May(VerbActivity); err != nil {
		return err
	}
	c, err := readOne(ctx, d, func(tx *store.Tx) (model.Conversation, error) {
		c, found, err := tx.Conversation(a.Company.ID, id)
		if err != nil || !found || !a.MaySee(&c) {
			return c, errOr(err, model.NotFound("conversation"))
		}
		return c, nil
	})
	if err != nil || !d.signals.toPassOn(a.User.ID, id, kind, d.now()) {
		return err
	}
	d.signal(Signal{Kind: SignalActivity, Company: a.Company.ID, Conversation: id, Is: c.Visibility(), User: a.User, Activity: kind})
	return nil
}

// toPassOn reports whether an activity is to be passed on, and notes that it is.
func (s *signals) toPassOn(member, conversation model.ID, kind string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := func(kind string) activityOf { return activityOf{member, conversation, kind} }
	if last, known := s.latest[of(kind)]; known && now.Sub(last) < activityRepeat {
		return false
	}
	if s.latest == nil {
		s.latest = map[activityOf]time.Time{}
	}
	for old, last := range s.latest {
		if now.Sub(last) >= activityRepeat {
			delete(s.latest, old)
		}
	}
	if kind == ActivityLeft {
		delete(s.latest, of(ActivityViewing))
		delete(s.latest, of(ActivityTyping))
	} else {
		delete(s.latest, of(ActivityLeft))
	}
	s.latest[of(kind)] = now
	return true
}

// signalMoved tells the live streams, once the change is durable, that some members may no longer see a conversation.
func (t *lockedConversation) signalMoved() {
	s := Signal{Kind: SignalMoved, Company: t.Company, Conversation: t.ID, Is: t.Conversation.Visibility(), Was: t.before.Visibility()}
	t.tx.AfterCommit(func() { t.d.signal(s) })
}

// signalPrivate tells the viewers of a private conversation, once the change is durable, to fetch it.
func (t *lockedConversation) signalPrivate() {
	if t.signalled {
		return
	}
	t.signalled = true
	t.tx.AfterCommit(func() {
		t.d.signal(Signal{Kind: SignalPrivate, Company: t.Company, Conversation: t.ID, Is: t.Conversation.Visibility()})
	})
}

// PrivateCard is what decides who sees a private card.
type PrivateCard struct {
	CreatedBy *model.ID `json:"created_by,omitempty"`
	Assignee  *model.ID `json:"assignee,omitempty"`
}

// MaySeeChange reports whether a signal about a board concerns the principal.
func (a *Principal) MaySeeChange(s *Signal) bool {
	return a.MaySeeBoard(s.Board) && (s.Card == nil || a.maySeePrivateCard(s.Card.CreatedBy, s.Card.Assignee))
}

// signalBoard tells the live streams, once the change is durable, to fetch a board again.
func (d *Desk) signalBoard(tx *store.Tx, company, board model.ID, card *PrivateCard) {
	tx.AfterCommit(func() { d.signal(Signal{Kind: SignalBoard, Company: company, Board: board, Card: card}) })
}

// signalCard tells of a change of a card that no event tells of. The viewers of a private conversation learn of its cards
// by signalPrivate.
func (d *Desk) signalCard(tx *store.Tx, c *model.Card, wasPrivate bool) {
	switch {
	case c.Hidden:
	case c.Private && wasPrivate:
		d.signalBoard(tx, c.Company, c.BoardID, &PrivateCard{CreatedBy: c.CreatedBy, Assignee: c.Assignee})
	default:
		d.signalBoard(tx, c.Company, c.BoardID, nil)
	}
}

// signalNotes tells the live streams, once the change is durable, that a note was changed or deleted.
func (t *lockedConversation) signalNotes() {
	s := Signal{Kind: SignalNotes, Company: t.Company, Conversation: t.ID, Is: t.Conversation.Visibility()}
	t.tx.AfterCommit(func() { t.d.signal(s) })
}
