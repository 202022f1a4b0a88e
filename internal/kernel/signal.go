package kernel

import (
	"context"
	"log/slog"

	"github.com/go-json-experiment/json"
)

// MaySeePrivateCard reports whether the principal may see a private card: its creator, its assignee, and managers may, when
// signed in.
func (a *Principal) MaySeePrivateCard(creator, assignee *ID) bool {
	return a.Kind() == KindSession && (a.Role.AtLeast(RoleManager) || Same(creator, &a.User.ID) || Same(assignee, &a.User.ID))
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

// Signal is something that live streams are told and that is stored nowhere. Every node gets every signal.
type Signal struct {
	Kind         string       `json:"kind"`
	Node         ID           `json:"node"`
	Company      ID           `json:"company,omitzero"`
	Conversation ID           `json:"conversation,omitzero"`
	Board        ID           `json:"board,omitzero"`
	Card         *PrivateCard `json:"card,omitempty"` // set where the change is one of a private card
	Is           *Visibility  `json:"is,omitempty"`   // who may see the conversation
	Was          *Visibility  `json:"was,omitempty"`  // before the change
	User         Ref          `json:"user,omitzero"`
	Activity     string       `json:"activity,omitempty"` // or the kind of a notification
	Members      []ID         `json:"members,omitempty"`  // whom it is for
	Streams      []ID         `json:"streams,omitempty"`
	Ask          bool         `json:"ask,omitempty"` // the other nodes are to say which streams they have
}

// signals passes signals on to the live streams of this node and to the other nodes.
type signals struct {
	node      ID
	receivers []func(Signal)
}

// OnSignal adds a function that gets every signal. It is called before the desk is used; the function must not block.
func (d *Kernel) OnSignal(receive func(Signal)) {
	d.signals.receivers = append(d.signals.receivers, receive)
}

// SendSignal is Signal for packages that know the Kernel as an interface.
func (d *Kernel) SendSignal(s Signal) { d.Signal(s) }

// Signal passes a signal on: to this node at once, to the others through the database.
func (d *Kernel) Signal(s Signal) {
	d.receive(s)
	if d.Store.SingleNode() {
		return
	}
	s.Node = d.signals.node
	text, err := json.Marshal(s)
	if err != nil {
		d.Log.Error("a signal cannot be encoded", slog.Any("error", err))
		return
	}
	d.Store.Notify(channelSignal, string(text))
}

func (d *Kernel) receive(s Signal) {
	for _, receive := range d.signals.receivers {
		receive(s)
	}
}

// ListenSignals receives the signals of other nodes until ctx ends.
func (d *Kernel) ListenSignals(ctx context.Context) {
	d.Store.Listen(ctx, channelSignal, func(payload string) {
		s := Signal{Kind: SignalHolders} // of all companies: signals may have been missed
		if payload != "" {
			if err := json.Unmarshal([]byte(payload), &s); err != nil || s.Node == d.signals.node {
				return
			}
		}
		d.receive(s)
	})
}

// PrivateCard is what decides who sees a private card.
type PrivateCard struct {
	CreatedBy *ID `json:"created_by,omitempty"`
	Assignee  *ID `json:"assignee,omitempty"`
}

// MaySeeChange reports whether a signal about a board concerns the principal.
func (a *Principal) MaySeeChange(s *Signal) bool {
	return a.MaySeeBoard(s.Board) && (s.Card == nil || a.MaySeePrivateCard(s.Card.CreatedBy, s.Card.Assignee))
}
