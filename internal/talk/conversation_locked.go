package talk

import (
	"context"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"recado/internal/kernel"
)

// LockedConversation is one conversation locked by the transaction that changes it. A verb loads it, changes its
// fields, emits what happened, and saves it once: the row, and conversation.updated with the names of
// the fields that changed.
type LockedConversation struct {
	Conversation
	d      *Talk
	Tx     *kernel.Tx
	before Conversation
	silent bool // raises no events: a blocked contact writes

	by     *kernel.Ref // who moved it to another person or queue in this transaction; nil: no person
	awaits *time.Time  // when the first unanswered message of the customer came in this transaction

	Filed     bool // a menu ended in this transaction: also a case that stays in the general queue is news
	signalled bool // a signal to the viewers of a private conversation is planned
}

// signalPrivate tells the viewers of a private conversation, once the change is durable, to fetch it.
func (t *LockedConversation) signalPrivate() {
	if t.signalled {
		return
	}
	t.signalled = true
	t.Tx.AfterCommit(func() {
		t.d.Signal(conversationSignal(signalPrivate, t.Company, t.ID, kernel.Audience{Seeing: t.Conversation.Visibility()}))
	})
}

// signalMoved tells members, once the change is durable, that they can no longer see the conversation.
func (t *LockedConversation) signalMoved() {
	s := conversationSignal(signalGone, t.Company, t.ID, kernel.Audience{Seeing: t.before.Visibility(), Unless: t.Conversation.Visibility()})
	t.Tx.AfterCommit(func() { t.d.Signal(s) })
}

// pauseBot keeps bots silent after a message of a person.
func (t *LockedConversation) pauseBot() {
	until := t.Tx.Now.Add(botPause)
	if t.BotPausedUntil == nil || t.BotPausedUntil.Before(until) {
		t.BotPausedUntil = &until
	}
}

// Lock opens a conversation that the principal may see.
func (d *Talk) Lock(tx *kernel.Tx, a *kernel.Principal, id kernel.ID) (*LockedConversation, error) {
	c, found, err := LockConversation(tx, a.Company.ID, id)
	if err != nil || !found || !MaySee(a, &c) {
		return nil, kernel.ErrOr(err, kernel.NotFound("conversation"))
	}
	return d.Locked(tx, c), nil
}

// Locked wraps a conversation that tx has locked or just inserted.
func (d *Talk) Locked(tx *kernel.Tx, c Conversation) *LockedConversation {
	tx.NotBefore(c.UpdatedAt)
	return &LockedConversation{Conversation: c, d: d, Tx: tx, before: c}
}

// next gives the conversation's next sequence number: of a message, an event, a line of its history.
func (t *LockedConversation) next() int64 {
	t.Sequence++
	return t.Sequence
}

// emit records an event of this conversation. data writes the members of its data object after
// "sequence", without braces. Silent conversations raise nothing, private channels a signal to their viewers.
func (t *LockedConversation) emit(kind kernel.EventType, data func(b []byte) ([]byte, error)) error {
	if t.Private && !t.silent {
		t.signalPrivate()
	}
	if t.Private || t.silent {
		return nil
	}
	sequence := t.next()
	return t.d.Record(t.Tx, kernel.Event{Company: t.Company, Type: kind, Conversation: &t.ID}, func(b []byte) ([]byte, error) {
		b = append(b, `{"sequence":`...)
		b = strconv.AppendInt(b, sequence, 10)
		b = append(b, ',')
		b, err := data(b)
		return append(b, '}'), err
	})
}

// emitWith records an event whose data is one noun and the conversation: message.* and attendance.*.
func (t *LockedConversation) emitWith(kind kernel.EventType, name string, noun any) error {
	return t.emit(kind, func(b []byte) ([]byte, error) {
		b = append(b, '"')
		b = append(b, name...)
		b = append(b, `":`...)
		b, err := kernel.AppendJSON(b, noun)
		if err != nil {
			return b, err
		}
		b = append(b, `,"conversation":`...)
		return kernel.AppendJSON(b, &t.Conversation)
	})
}

// emitUpdated records message.updated. changed names the fields of the message that are different.
func (t *LockedConversation) emitUpdated(m *Message, changed ...string) error {
	return t.emit(EventMessageUpdated, func(b []byte) ([]byte, error) {
		b = append(b, `"message":`...)
		b, err := kernel.AppendJSON(b, m)
		if err != nil {
			return b, err
		}
		b = append(b, `,"conversation":`...)
		if b, err = kernel.AppendJSON(b, &t.Conversation); err != nil {
			return b, err
		}
		b = append(b, `,"changed":`...)
		return kernel.AppendJSON(b, changed)
	})
}

// Save writes the conversation down and raises conversation.updated if anything a reader sees changed.
func (t *LockedConversation) Save() error {
	t.Unread = t.UnreadCount > 0
	changed := changedFields(&t.before, &t.Conversation)
	if t.Filed && t.Attendance != nil && kernel.Same(t.before.Assignee, t.Assignee) && kernel.Same(t.before.Sector, t.Sector) {
		changed = append(changed, "sector")
	}
	if len(changed) > 0 {
		t.UpdatedAt = t.Tx.Now
		err := t.emit(EventConversationUpdated, func(b []byte) ([]byte, error) {
			b = append(b, `"conversation":`...)
			b, err := kernel.AppendJSON(b, &t.Conversation)
			if err != nil {
				return b, err
			}
			b = append(b, `,"changed":`...)
			return kernel.AppendJSON(b, changed)
		})
		if err != nil {
			return err
		}
	}
	if !slices.Equal(t.before.LabelIDs, t.LabelIDs) {
		SetConversationLabels(t.Tx, t.Company, t.ID, t.LabelIDs)
	}
	if !kernel.Same(t.before.Assignee, t.Assignee) || !kernel.Same(t.before.Sector, t.Sector) {
		t.signalMoved()
	}
	if err := t.notifyQueue(); err != nil {
		return err
	}
	SaveConversation(t.Tx, &t.Conversation, t.changedParts())
	t.Tx.AfterCommit(t.d.Wakeup(WakeIndex).Notify)
	t.before, t.Filed = t.Conversation, false
	return nil
}

// saveProgress stores the number of the last event and how far the last message came where nothing else of the conversation
// changed.
func (t *LockedConversation) saveProgress() {
	if t.Sequence != t.before.Sequence || lastStatus(&t.Conversation) != lastStatus(&t.before) {
		saveProgress(t.Tx, &t.Conversation)
		t.before.Sequence, t.before.LastMessage = t.Sequence, t.LastMessage
	}
}

// showStatus makes the status of a message the one that lists show, where they show the message.
func (t *LockedConversation) showStatus(m *Message) {
	if lastID(&t.Conversation) == m.ID {
		last := *t.LastMessage
		last.Status = m.Status
		t.LastMessage = &last
	}
}

// changedParts names the parts of the conversation that differ from what is stored.
func (t *LockedConversation) changedParts() (parts ConversationParts) {
	if placed(&t.before) != placed(&t.Conversation) {
		parts |= PartInbox
	}
	if !settled(&t.before, &t.Conversation) {
		parts |= PartSettings
	}
	if !kernel.Same(t.before.Reception, t.Reception) || t.before.ReceptionDue != t.ReceptionDue {
		parts |= PartMenu
	}
	return parts
}

// settled reports whether nothing differs but what messages, events and reading change.
func settled(was, is *Conversation) bool {
	return was.Name == is.Name && was.Renamed == is.Renamed && kernel.Same(was.Phone, is.Phone) && kernel.Same(was.Assignee, is.Assignee) &&
		kernel.Same(was.Sector, is.Sector) && was.Archived == is.Archived && was.Pinned == is.Pinned && was.Muted == is.Muted
}

// place is what PartInbox covers.
type place struct {
	attendance      kernel.ID
	waiting, snooze int64
}

func placed(c *Conversation) place {
	var p place
	if c.Attendance != nil {
		p.attendance = c.Attendance.ID
	}
	if since := c.WaitingSince(); since != nil {
		p.waiting = since.UnixMilli()
	}
	if c.SnoozedUntil != nil {
		p.snooze = c.SnoozedUntil.UnixMilli()
	}
	return p
}

// changedFields names, in the API's words, what differs between two states of a conversation.
func changedFields(was, is *Conversation) []string {
	var names []string
	note := func(differs bool, name string) {
		if differs {
			names = append(names, name)
		}
	}
	note(was.Name != is.Name, "name")
	note(!kernel.Same(was.Phone, is.Phone), "phone")
	note(!kernel.Same(was.Assignee, is.Assignee), "assignee")
	note(!kernel.Same(was.Sector, is.Sector), "sector")
	note(was.Archived != is.Archived, "archived")
	note(was.Pinned != is.Pinned, "pinned")
	note(was.Muted != is.Muted, "muted")
	note(!slices.Equal(was.LabelIDs, is.LabelIDs), "label_ids")
	note(was.Unread != is.Unread, "unread")
	note(was.UnreadCount != is.UnreadCount, "unread_count")
	note(placed(was).snooze != placed(is).snooze, "snoozed_until")
	note(!sameTime(was.BotPausedUntil, is.BotPausedUntil), "bot_paused_until")
	note(lastID(was) != lastID(is) || lastText(was) != lastText(is), "last_message")
	return names
}

func sameTime(a, b *time.Time) bool { return a == b || a != nil && b != nil && a.Equal(*b) }

func lastID(c *Conversation) kernel.ID {
	if c.LastMessage == nil {
		return kernel.ID{}
	}
	return c.LastMessage.ID
}

func lastStatus(c *Conversation) string {
	if c.LastMessage == nil {
		return ""
	}
	return c.LastMessage.Status
}

func lastText(c *Conversation) string {
	if c.LastMessage == nil || c.LastMessage.Text == nil {
		return ""
	}
	return *c.LastMessage.Text
}

// ChangeEach changes conversations, regardless of visibility, each in a transaction of its own, a few at a
// time: where commits are shared, several cost little more than one. One that fails keeps no other from
// being changed.
func (d *Talk) ChangeEach(ctx context.Context, conversations []ConversationAt, change func(t *LockedConversation) error) error {
	var g errgroup.Group
	g.SetLimit(8)
	for _, at := range conversations {
		g.Go(func() error {
			return d.Store.Write(ctx, func(tx *kernel.Tx) error {
				c, found, err := LockConversation(tx, at.Company, at.ID)
				if err != nil || !found {
					return err
				}
				return change(d.Locked(tx, c))
			})
		})
	}
	return g.Wait()
}

// pointers gives the addresses of the elements of a list.
func pointers[T any](list []T) []*T {
	out := make([]*T, len(list))
	for i := range list {
		out[i] = &list[i]
	}
	return out
}

// answer does what shown does, for verbs that give a conversation by value.
func (t *LockedConversation) answer(a *kernel.Principal, err error) (Conversation, error) {
	if _, err := t.shown(a, err); err != nil {
		return Conversation{}, err
	}
	return t.Conversation, nil
}

// shown gives a conversation as the answer to a principal, with the draft of a person.
func (t *LockedConversation) shown(a *kernel.Principal, err error) (*Conversation, error) {
	if err != nil {
		return nil, err
	}
	return &t.Conversation, addDrafts(t.Tx, a, &t.Conversation)
}
