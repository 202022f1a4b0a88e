package talk

import (
	"context"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/sync/errgroup"

	"recado/internal/kernel"
)

// LockedConversation is a conversation that is locked by a transaction. A verb loads it, changes its fields, emits events and
// saves it once. Save stores the row and emits conversation.updated with the names of the changed fields.
type LockedConversation struct {
	Conversation
	d      *Talk
	Tx     *kernel.Tx
	before Conversation
	silent bool // emits no events, because the contact is blocked

	by     *kernel.Ref // who transferred it in this transaction; nil if nobody did
	awaits *time.Time  // time of the customer's first unanswered message in this transaction

	attendanceChanged bool // an attendance was reopened in this transaction, or its fields changed
	Filed             bool // a menu ended in this transaction; the members of the queue are notified even if the sector stays the same
	signalled         bool // viewers of a private conversation will be notified
}

// signalPrivate notifies the viewers of a private conversation after the commit.
func (t *LockedConversation) signalPrivate() {
	if t.signalled {
		return
	}
	t.signalled = true
	t.Tx.AfterCommit(func() {
		t.d.Signal(conversationSignal(signalPrivate, t.Company, t.ID, kernel.Audience{Seeing: t.Conversation.Visibility()}))
	})
}

// signalMoved notifies the members who can no longer see the conversation after the commit.
func (t *LockedConversation) signalMoved() {
	s := conversationSignal(signalGone, t.Company, t.ID, kernel.Audience{Seeing: t.before.Visibility(), Unless: t.Conversation.Visibility()})
	t.Tx.AfterCommit(func() { t.d.Signal(s) })
}

// pauseBot pauses bots for an hour after a message of a person.
func (t *LockedConversation) pauseBot() {
	until := t.Tx.Now.Add(time.Hour)
	if t.BotPausedUntil == nil || t.BotPausedUntil.Before(until) {
		t.BotPausedUntil = &until
	}
}

// Lock locks a conversation that the principal may see.
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

// next returns the next sequence number, for a message, an event or an assignment.
func (t *LockedConversation) next() int64 {
	t.Sequence++
	return t.Sequence
}

// member is a name and value of the data of an event.
type member struct {
	name  string
	value any
}

// eventData is an object whose members are encoded in their order.
type eventData []member

// MarshalJSONTo implements json.MarshalerTo.
func (d eventData) MarshalJSONTo(enc *jsontext.Encoder) error {
	if err := enc.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	for _, m := range d {
		if err := enc.WriteToken(jsontext.String(m.name)); err != nil {
			return err
		}
		if err := json.MarshalEncode(enc, m.value); err != nil {
			return err
		}
	}
	return enc.WriteToken(jsontext.EndObject)
}

// emit records an event of the conversation whose data are the sequence and the given members. Silent conversations emit nothing.
// Private conversations notify their viewers instead.
func (t *LockedConversation) emit(kind kernel.EventType, members ...member) error {
	if t.Private && !t.silent {
		t.signalPrivate()
	}
	if t.Private || t.silent {
		return nil
	}
	data := append(eventData{{"sequence", t.next()}}, members...)
	return t.d.Record(t.Tx, kernel.Event{Company: t.Company, Type: kind, Conversation: &t.ID}, data)
}

// emitWith records an event about a message, an attendance or a note.
func (t *LockedConversation) emitWith(kind kernel.EventType, name string, noun any) error {
	return t.emit(kind, member{name, noun}, member{"conversation", &t.Conversation})
}

// EmitAttendance records an event about an attendance with one more member in its data.
func (t *LockedConversation) EmitAttendance(kind kernel.EventType, att *Attendance, name string, value any) error {
	return t.emit(kind, member{"attendance", att}, member{"conversation", &t.Conversation}, member{name, value})
}

// emitUpdated records message.updated with the names of the changed fields.
func (t *LockedConversation) emitUpdated(m *Message, changed ...string) error {
	return t.emit(EventMessageUpdated, member{"message", m}, member{"conversation", &t.Conversation}, member{"changed", changed})
}

// Save stores the conversation and emits conversation.updated if a field of the API has changed.
func (t *LockedConversation) Save() error {
	if err := t.d.tell(func(o *Observer) error { return o.Saving(t, &t.before) }); err != nil {
		return err
	}
	if err := t.d.changeLabels(t.Tx, t.Company, t.ID, t.before.LabelIDs, t.LabelIDs); err != nil {
		return err
	}
	t.Unread = t.UnreadCount > 0
	changed := changedFields(&t.before, &t.Conversation)
	if t.Filed && t.Attendance != nil && kernel.Same(t.before.Assignee, t.Assignee) && kernel.Same(t.before.Sector, t.Sector) {
		changed = append(changed, "sector")
	}
	if t.attendanceChanged && !slices.Contains(changed, "attendance") {
		changed = append(changed, "attendance")
	}
	if len(changed) > 0 {
		t.UpdatedAt = t.Tx.Now
		if err := t.emit(EventConversationUpdated, member{"conversation", &t.Conversation}, member{"changed", changed}); err != nil {
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
	t.before, t.Filed, t.attendanceChanged = t.Conversation, false, false
	return nil
}

// saveProgress stores the number of the last event and the status of the last message, if they changed. It is used instead of
// Save if nothing else changed.
func (t *LockedConversation) saveProgress() {
	if t.Sequence != t.before.Sequence || lastOf(&t.Conversation).Status != lastOf(&t.before).Status {
		saveProgress(t.Tx, &t.Conversation)
		t.before.Sequence, t.before.LastMessage = t.Sequence, t.LastMessage
	}
}

// showStatus copies the status of a message to LastMessage, if it is the last one.
func (t *LockedConversation) showStatus(m *Message) {
	if last := lastOf(&t.Conversation); last.ID == m.ID {
		last.Status = m.Status
		t.LastMessage = &last
	}
}

// changedParts returns the parts of the conversation that differ from what is stored.
func (t *LockedConversation) changedParts() (parts ConversationParts) {
	a, b := &t.before, &t.Conversation
	if !kernel.Same(a.AttendanceID(), b.AttendanceID()) || !sameTime(a.WaitingSince(), b.WaitingSince()) ||
		!sameTime(a.SnoozedUntil, b.SnoozedUntil) {
		parts |= PartInbox
	}
	if a.Name != b.Name || a.Renamed != b.Renamed || !kernel.Same(a.Phone, b.Phone) || !kernel.Same(a.Assignee, b.Assignee) ||
		!kernel.Same(a.Sector, b.Sector) || a.Archived != b.Archived || a.Pinned != b.Pinned || a.Muted != b.Muted || a.Cases != b.Cases {
		parts |= PartSettings
	}
	if !kernel.Same(a.Reception, b.Reception) || a.ReceptionDue != b.ReceptionDue || !kernel.Same(a.Survey, b.Survey) {
		parts |= PartMenu
	}
	if !a.sameServiceLevel(b) {
		parts |= PartSLA
	}
	return parts
}

// changedFields returns the names of the fields of the API that differ between two states of a conversation.
func changedFields(before, after *Conversation) []string {
	var names []string
	add := func(differs bool, name string) {
		if differs {
			names = append(names, name)
		}
	}
	add(before.Name != after.Name, "name")
	add(!kernel.Same(before.Picture, after.Picture), "picture")
	add(!kernel.Same(before.Phone, after.Phone), "phone")
	add(!kernel.Same(before.Contact, after.Contact), "contact")
	add(before.Erased != after.Erased, "erased")
	add(!kernel.Same(before.Assignee, after.Assignee), "assignee")
	add(!kernel.Same(before.Sector, after.Sector), "sector")
	add(before.Archived != after.Archived, "archived")
	add(before.Pinned != after.Pinned, "pinned")
	add(before.Muted != after.Muted, "muted")
	add(before.Cases != after.Cases, "cases")
	add(!slices.Equal(before.LabelIDs, after.LabelIDs), "label_ids")
	add(before.Unread != after.Unread, "unread")
	add(before.UnreadCount != after.UnreadCount, "unread_count")
	add(!sameTime(before.SnoozedUntil, after.SnoozedUntil), "snoozed_until")
	add(!sameTime(before.BotPausedUntil, after.BotPausedUntil), "bot_paused_until")
	if before.Attendance != nil && after.Attendance != nil && before.Attendance.ID == after.Attendance.ID {
		add(!before.sameServiceLevel(after), "attendance")
	}
	add(lastOf(before).ID != lastOf(after).ID || !kernel.Same(lastOf(before).Text, lastOf(after).Text), "last_message")
	return names
}

func sameTime(a, b *time.Time) bool { return a == b || a != nil && b != nil && a.Equal(*b) }

// lastOf returns the last message, or a zero value if there is none.
func lastOf(c *Conversation) LastMessage {
	if c.LastMessage == nil {
		return LastMessage{}
	}
	return *c.LastMessage
}

// changeDue changes the conversations that a query returns and returns how many it found; see ChangeEach.
func (d *Talk) changeDue(ctx context.Context, change func(t *LockedConversation) error, sql string, args ...any) (int, error) {
	due, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]ConversationAt, error) { return kernel.Rows(tx, sql, args, scanAt) })
	if err != nil {
		return 0, err
	}
	return len(due), d.ChangeEach(ctx, due, change)
}

// ChangeEach changes conversations regardless of visibility, each in its own transaction and several concurrently, so that
// they can share commits. If one fails, the others are changed all the same.
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

// pointers returns the addresses of the elements of a list.
func pointers[T any](list []T) []*T {
	out := make([]*T, len(list))
	for i := range list {
		out[i] = &list[i]
	}
	return out
}

// shown returns the conversation with the draft of the principal, unless err is not nil.
func (t *LockedConversation) shown(a *kernel.Principal, err error) (*Conversation, error) {
	if err != nil {
		return nil, err
	}
	return &t.Conversation, addDrafts(t.Tx, a, &t.Conversation)
}
