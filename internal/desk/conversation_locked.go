package desk

import (
	"context"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"recado/internal/model"
	"recado/internal/store"
)

// lockedConversation is one conversation locked by the transaction that changes it. A verb loads it, changes its
// fields, emits what happened, and saves it once: the row, and conversation.updated with the names of
// the fields that changed.
type lockedConversation struct {
	model.Conversation
	d      *Desk
	tx     *store.Tx
	before model.Conversation
	silent bool // raises no events: a blocked contact writes

	by     *model.Ref // who moved it to another person or queue in this transaction; nil: no person
	awaits *time.Time // when the first unanswered message of the customer came in this transaction

	filed     bool // a menu ended in this transaction: also a case that stays in the general queue is news
	signalled bool // a signal to the viewers of a private conversation is planned
}

// lock opens a conversation that the principal may see.
func (d *Desk) lock(tx *store.Tx, a *Principal, id model.ID) (*lockedConversation, error) {
	c, found, err := tx.LockConversation(a.Company.ID, id)
	if err != nil || !found || !a.MaySee(&c) {
		return nil, errOr(err, model.NotFound("conversation"))
	}
	return d.locked(tx, c), nil
}

// locked wraps a conversation that tx has locked or just inserted.
func (d *Desk) locked(tx *store.Tx, c model.Conversation) *lockedConversation {
	tx.NotBefore(c.UpdatedAt)
	return &lockedConversation{Conversation: c, d: d, tx: tx, before: c}
}

// next gives the conversation's next sequence number: of a message, an event, a line of its history.
func (t *lockedConversation) next() int64 {
	t.Sequence++
	return t.Sequence
}

// emit records an event of this conversation. data writes the members of its data object after
// "sequence", without braces. Silent conversations raise nothing, private channels a signal to their viewers.
func (t *lockedConversation) emit(kind model.EventType, data func(b []byte) ([]byte, error)) error {
	if t.Private && !t.silent {
		t.signalPrivate()
	}
	if t.Private || t.silent {
		return nil
	}
	sequence := t.next()
	return t.d.record(t.tx, store.Event{Company: t.Company, Type: kind, Conversation: &t.ID}, func(b []byte) ([]byte, error) {
		b = append(b, `{"sequence":`...)
		b = strconv.AppendInt(b, sequence, 10)
		b = append(b, ',')
		b, err := data(b)
		return append(b, '}'), err
	})
}

// emitWith records an event whose data is one noun and the conversation: message.* and attendance.*.
func (t *lockedConversation) emitWith(kind model.EventType, name string, noun any) error {
	return t.emit(kind, func(b []byte) ([]byte, error) {
		b = append(b, '"')
		b = append(b, name...)
		b = append(b, `":`...)
		b, err := model.AppendJSON(b, noun)
		if err != nil {
			return b, err
		}
		b = append(b, `,"conversation":`...)
		return model.AppendJSON(b, &t.Conversation)
	})
}

// emitUpdated records message.updated. changed names the fields of the message that are different.
func (t *lockedConversation) emitUpdated(m *model.Message, changed ...string) error {
	return t.emit(model.EventMessageUpdated, func(b []byte) ([]byte, error) {
		b = append(b, `"message":`...)
		b, err := model.AppendJSON(b, m)
		if err != nil {
			return b, err
		}
		b = append(b, `,"conversation":`...)
		if b, err = model.AppendJSON(b, &t.Conversation); err != nil {
			return b, err
		}
		b = append(b, `,"changed":`...)
		return model.AppendJSON(b, changed)
	})
}

// save writes the conversation down and raises conversation.updated if anything a reader sees changed.
func (t *lockedConversation) save() error {
	t.Unread = t.UnreadCount > 0
	changed := changedFields(&t.before, &t.Conversation)
	if t.filed && t.Attendance != nil && same(t.before.Assignee, t.Assignee) && same(t.before.Sector, t.Sector) {
		changed = append(changed, "sector")
	}
	if len(changed) > 0 {
		t.UpdatedAt = t.tx.Now
		err := t.emit(model.EventConversationUpdated, func(b []byte) ([]byte, error) {
			b = append(b, `"conversation":`...)
			b, err := model.AppendJSON(b, &t.Conversation)
			if err != nil {
				return b, err
			}
			b = append(b, `,"changed":`...)
			return model.AppendJSON(b, changed)
		})
		if err != nil {
			return err
		}
	}
	if !slices.Equal(t.before.LabelIDs, t.LabelIDs) {
		t.tx.SetConversationLabels(t.ID, t.LabelIDs)
	}
	if !same(t.before.Assignee, t.Assignee) || !same(t.before.Sector, t.Sector) {
		t.signalMoved()
	}
	if err := t.notifyQueue(); err != nil {
		return err
	}
	t.tx.SaveConversation(&t.Conversation, t.changedParts())
	t.tx.AfterCommit(t.d.wakeups.Index.Notify)
	t.before, t.filed = t.Conversation, false
	return nil
}

// saveProgress stores the number of the last event and how far the last message came where nothing else of the conversation
// changed.
func (t *lockedConversation) saveProgress() {
	if t.Sequence != t.before.Sequence || lastStatus(&t.Conversation) != lastStatus(&t.before) {
		t.tx.SaveProgress(&t.Conversation)
		t.before.Sequence, t.before.LastMessage = t.Sequence, t.LastMessage
	}
}

// showStatus makes the status of a message the one that lists show, where they show the message.
func (t *lockedConversation) showStatus(m *model.Message) {
	if lastID(&t.Conversation) == m.ID {
		last := *t.LastMessage
		last.Status = m.Status
		t.LastMessage = &last
	}
}

// changedParts names the parts of the conversation that differ from what is stored.
func (t *lockedConversation) changedParts() (parts store.ConversationParts) {
	if placed(&t.before) != placed(&t.Conversation) {
		parts |= store.PartInbox
	}
	if !settled(&t.before, &t.Conversation) {
		parts |= store.PartSettings
	}
	if !same(t.before.Reception, t.Reception) || t.before.ReceptionDue != t.ReceptionDue {
		parts |= store.PartMenu
	}
	return parts
}

// settled reports whether nothing differs but what messages, events and reading change.
func settled(was, is *model.Conversation) bool {
	return was.Name == is.Name && was.Renamed == is.Renamed && same(was.Phone, is.Phone) && same(was.Assignee, is.Assignee) &&
		same(was.Sector, is.Sector) && was.Archived == is.Archived && was.Pinned == is.Pinned && was.Muted == is.Muted
}

// place is what store.PartInbox covers.
type place struct {
	attendance      model.ID
	waiting, snooze int64
}

func placed(c *model.Conversation) place {
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
func changedFields(was, is *model.Conversation) []string {
	var names []string
	note := func(differs bool, name string) {
		if differs {
			names = append(names, name)
		}
	}
	note(was.Name != is.Name, "name")
	note(!same(was.Phone, is.Phone), "phone")
	note(!same(was.Assignee, is.Assignee), "assignee")
	note(!same(was.Sector, is.Sector), "sector")
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

func lastID(c *model.Conversation) model.ID {
	if c.LastMessage == nil {
		return model.ID{}
	}
	return c.LastMessage.ID
}

func lastStatus(c *model.Conversation) string {
	if c.LastMessage == nil {
		return ""
	}
	return c.LastMessage.Status
}

func lastText(c *model.Conversation) string {
	if c.LastMessage == nil || c.LastMessage.Text == nil {
		return ""
	}
	return *c.LastMessage.Text
}

// changeEach changes conversations, regardless of visibility, each in a transaction of its own, a few at a
// time: where commits are shared, several cost little more than one. One that fails keeps no other from
// being changed.
func (d *Desk) changeEach(ctx context.Context, conversations []store.ConversationAt, change func(t *lockedConversation) error) error {
	var g errgroup.Group
	g.SetLimit(8)
	for _, at := range conversations {
		g.Go(func() error {
			return d.store.Write(ctx, func(tx *store.Tx) error {
				c, found, err := tx.LockConversation(at.Company, at.ID)
				if err != nil || !found {
					return err
				}
				return change(d.locked(tx, c))
			})
		})
	}
	return g.Wait()
}

// addDrafts gives conversations that a person is shown the drafts of that person. Keys have none.
func addDrafts(tx *store.Tx, a *Principal, conversations ...*model.Conversation) error {
	if a.kind != KindSession {
		return nil
	}
	ids := make([]model.ID, len(conversations))
	for i, c := range conversations {
		ids[i] = c.ID
	}
	drafts, err := tx.Drafts(a.Company.ID, a.User.ID, ids)
	for _, c := range conversations {
		c.Personal, c.Draft = true, drafts[c.ID]
	}
	return err
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
func (t *lockedConversation) answer(a *Principal, err error) (model.Conversation, error) {
	if _, err := t.shown(a, err); err != nil {
		return model.Conversation{}, err
	}
	return t.Conversation, nil
}

// shown gives a conversation as the answer to a principal, with the draft of a person.
func (t *lockedConversation) shown(a *Principal, err error) (*model.Conversation, error) {
	if err != nil {
		return nil, err
	}
	return &t.Conversation, addDrafts(t.tx, a, &t.Conversation)
}
