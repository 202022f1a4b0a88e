package desk

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"recado/internal/model"
	"recado/internal/store"
)

// The kinds of signals.
const (
	SignalActivity = "activity" // a member views a conversation, types in it or left it
	SignalMoved    = "moved"    // a conversation has another responsible person or sector
	SignalPrivate  = "private"  // something changed in a private conversation
	SignalHolders  = "holders"  // a session, a member or a sector changed
	SignalStreams  = "streams"  // the live streams that a member has on a node
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
	Kind         string     `json:"kind"`
	Node         model.ID   `json:"node"`
	Company      model.ID   `json:"company,omitzero"`
	Conversation model.ID   `json:"conversation,omitzero"`
	Is           *Sighting  `json:"is,omitempty"`
	Was          *Sighting  `json:"was,omitempty"`
	User         model.Ref  `json:"user,omitzero"`
	Activity     string     `json:"activity,omitempty"`
	Streams      []model.ID `json:"streams,omitempty"`
	Ask          bool       `json:"ask,omitempty"` // the other nodes say which streams they have
}

// Sighting is what decides who sees a conversation.
type Sighting struct {
	Channel  model.ID  `json:"channel"`
	Private  bool      `json:"private,omitempty"`
	Assignee *model.ID `json:"assignee,omitempty"`
	Sector   *model.ID `json:"sector,omitempty"`
}

func sightingOf(c *model.Conversation) *Sighting {
	return &Sighting{Channel: c.Channel, Private: c.Private, Assignee: c.Assignee, Sector: c.Sector}
}

// MaySight is MaySee for what a signal says of a conversation of the principal's company.
func (a *Principal) MaySight(s *Sighting) bool {
	return (!s.Private || slices.Contains(a.Views, s.Channel)) && a.sees(s.Assignee, s.Sector)
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

// Signal passes a signal on: to this node at once, to the others through the database.
func (d System) Signal(s Signal) { d.signal(s) }

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
		s := Signal{Kind: SignalHolders} // signals may have been missed
		if payload != "" {
			if err := json.Unmarshal([]byte(payload), &s); err != nil || s.Node == d.signals.node {
				return
			}
		}
		if s.Kind == SignalHolders {
			d.keys.clear()
			d.sessions.clear()
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
	if err != nil || !d.signals.news(a.User.ID, id, kind, d.now()) {
		return err
	}
	d.signal(Signal{Kind: SignalActivity, Company: a.Company.ID, Conversation: id, Is: sightingOf(&c), User: a.User, Activity: kind})
	return nil
}

// news reports whether an activity is to be passed on, and notes that it is.
func (s *signals) news(member, conversation model.ID, kind string, now time.Time) bool {
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

// signalMoved tells the live streams, once the change is durable, that a conversation may have left the sight of some.
func (t *lockedConversation) signalMoved() {
	s := Signal{Kind: SignalMoved, Company: t.Company, Conversation: t.ID, Is: sightingOf(&t.Conversation), Was: sightingOf(&t.before)}
	t.tx.AfterCommit(func() { t.d.signal(s) })
}

// signalPrivate tells the viewers of a private conversation, once the change is durable, to fetch it.
func (t *lockedConversation) signalPrivate() {
	if t.signalled {
		return
	}
	t.signalled = true
	t.tx.AfterCommit(func() {
		t.d.signal(Signal{Kind: SignalPrivate, Company: t.Company, Conversation: t.ID, Is: sightingOf(&t.Conversation)})
	})
}
