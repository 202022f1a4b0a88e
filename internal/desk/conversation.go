package desk

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"recado/internal/cursor"
	"recado/internal/model"
	"recado/internal/phone"
	"recado/internal/store"
)

// ConversationFilter says which conversations a list shows; the principal's company and access profile
// are added here.
type ConversationFilter = store.ConversationFilter

// Page is a part of a list.
type Page[T any] struct {
	Data []T
	More bool
	Next string // the cursor of the next page, in lists that have one; "" on the last page
}

// Conversations lists what the principal may see; see store.Tx.Conversations for the order. cursor is the Next of the page
// before, or "".
func (d *Desk) Conversations(ctx context.Context, a *Principal, f ConversationFilter, cursor string) (Page[model.Conversation], error) {
	if err := a.May(VerbConversations); err != nil {
		return Page[model.Conversation]{}, err
	}
	f.Company, f.Sight = a.Company.ID, a.sight()
	place := conversationCursor{d.cursors, f}
	if cursor != "" {
		if err := place.open(&f, cursor); err != nil {
			return Page[model.Conversation]{}, err
		}
	}
	return list(ctx, d, a, f.Q, f.Offset, func(near bool) (Page[model.Conversation], error) {
		f.Near = near
		reading := read[Page[model.Conversation]]
		if f.Simple() && a.kind != KindSession {
			reading = readOne[Page[model.Conversation]]
		}
		return reading(ctx, d, func(tx *store.Tx) (page Page[model.Conversation], err error) {
			page.Data, page.More, err = tx.Conversations(f)
			if page.More && err == nil {
				page.Next = place.after(&f, page.Data)
			}
			if err == nil {
				err = addDrafts(tx, a, pointers(page.Data)...)
			}
			return page, err
		})
	})
}

// Conversation gives one conversation that the principal may see.
func (d *Desk) Conversation(ctx context.Context, a *Principal, id model.ID) (*model.Conversation, error) {
	if err := a.May(VerbConversation); err != nil {
		return nil, err
	}
	reading := readOne[*model.Conversation]
	if a.kind == KindSession {
		reading = read[*model.Conversation] // the draft is a second statement
	}
	return reading(ctx, d, func(tx *store.Tx) (*model.Conversation, error) {
		c, found, err := tx.Conversation(a.Company.ID, id)
		if err != nil || !found || !a.MaySee(&c) {
			return nil, errOr(err, model.NotFound("conversation"))
		}
		return &c, addDrafts(tx, a, &c)
	})
}

// ConversationChange is what a member may change of a conversation; nil leaves a field as it is.
type ConversationChange struct {
	Archived, Pinned, Muted *bool
	Name                    *string
	LabelIDs                *[]model.ID
}

// UpdateConversation changes flags, name and labels.
func (d *Desk) UpdateConversation(ctx context.Context, a *Principal, id model.ID, change ConversationChange) (*model.Conversation, error) {
	if err := a.May(VerbUpdateConversation); err != nil {
		return nil, err
	}
	if change.Name != nil {
		name, invalid := model.Name("body.name", *change.Name, model.MaxName)
		if invalid != nil {
			return nil, invalid
		}
		change.Name = &name
	}
	return write(ctx, d, func(tx *store.Tx) (*model.Conversation, error) {
		t, err := d.lock(tx, a, id)
		if err != nil {
			return nil, err
		}
		set(&t.Archived, change.Archived)
		set(&t.Pinned, change.Pinned)
		set(&t.Muted, change.Muted)
		if change.Name != nil {
			t.Name, t.Renamed = *change.Name, true
		}
		if change.LabelIDs != nil {
			if t.LabelIDs, err = d.labels(tx, a, *change.LabelIDs); err != nil {
				return nil, err
			}
		}
		if t.Renamed == t.before.Renamed && len(changedFields(&t.before, &t.Conversation)) == 0 {
			return t.shown(a, nil)
		}
		return t.shown(a, t.save())
	})
}

// labels checks the label_ids of a request: each is a label of the company, and counts once.
func (d *Desk) labels(tx *store.Tx, a *Principal, ids []model.ID) ([]model.ID, error) {
	unique := make([]model.ID, 0, len(ids))
	for _, id := range ids {
		if !slices.Contains(unique, id) {
			unique = append(unique, id)
		}
	}
	missing, err := tx.MissingLabels(a.Company.ID, unique)
	if err != nil || len(missing) == 0 {
		return unique, err
	}
	invalid := &model.Error{Code: model.CodeInvalidRequest, Message: "body.label_ids: some of the labels do not exist."}
	for i, id := range ids {
		if slices.Contains(missing, id) {
			invalid.Fields = append(invalid.Fields, model.FieldError{Field: indexed("body.label_ids", i), Message: "there is no such label"})
		}
	}
	return nil, invalid
}

// MarkRead sets the unread count of a conversation to zero and lets the customer know where the
// provider can show it.
func (d *Desk) MarkRead(ctx context.Context, a *Principal, id model.ID) (*model.Conversation, error) {
	if err := a.May(VerbMarkRead); err != nil {
		return nil, err
	}
	return writeAnswer(ctx, d, func(tx *store.Tx) (*model.Conversation, error) {
		t, err := d.lock(tx, a, id)
		if err != nil {
			return nil, err
		}
		if t.UnreadCount == 0 {
			return t.shown(a, nil)
		}
		t.UnreadCount = 0
		d.markReadAtProvider(t)
		return t.shown(a, t.save())
	})
}

// conversationCursor seals places in the list of a filter. A search is continued by the number of rows that were shown,
// every other list behind its last row, whatever has moved meanwhile.
type conversationCursor struct {
	key    cursor.Key
	filter ConversationFilter
}

// name is equal for filters of the same list.
func (c conversationCursor) name() string {
	f := &c.filter
	flag := func(b *bool) string {
		if b == nil {
			return ""
		}
		return fmt.Sprint(*b)
	}
	return fmt.Sprintf("conversations %q %s %t %q %s %s %t %s %s %s %q %s %t",
		f.Q, flag(f.Archived), f.Unread, f.Kind, f.Channel, f.Assignee, f.Unassigned, f.Sector, f.Label, f.Contact, f.Status, flag(f.Snoozed), f.OldestWaiting)
}

// after gives the cursor of the page behind one that is not the last.
func (c conversationCursor) after(f *ConversationFilter, page []model.Conversation) string {
	if f.Q != "" {
		return c.key.Seal(f.Company, c.name(), cursor.Int(int64(f.Offset+len(page))))
	}
	p := f.PlaceOf(&page[len(page)-1])
	b := binary.BigEndian.AppendUint64(nil, uint64(p.Waiting))
	b = binary.BigEndian.AppendUint64(b, uint64(p.At))
	pinned := byte(0)
	if p.Pinned {
		pinned = 1
	}
	return c.key.Seal(f.Company, c.name(), append(append(b, pinned), p.ID[:]...))
}

// open lets a filter continue at a cursor.
func (c conversationCursor) open(f *ConversationFilter, text string) error {
	payload, invalid := c.key.Open(f.Company, c.name(), text)
	if invalid != nil {
		return invalid
	}
	if f.Q != "" {
		skip, invalid := cursor.ReadInt(payload)
		if invalid != nil {
			return invalid
		}
		f.Offset = int(skip)
		return nil
	}
	f.After = &store.ConversationPlace{
		Waiting: int64(binary.BigEndian.Uint64(payload)), At: int64(binary.BigEndian.Uint64(payload[8:])),
		Pinned: payload[16] == 1, ID: model.ID(payload[17:]),
	}
	return nil
}

// NewConversation says with whom a conversation is opened: a phone or a contact.
type NewConversation struct {
	Channel model.ID
	Phone   *string
	Contact *model.ID
	Name    *string // of a new contact, and of a new conversation
}

// Opened is the channel's conversation with a person, and whether it is new.
type Opened struct {
	Conversation *model.Conversation
	Created      bool
}

// OpenConversation gives the channel's conversation with a phone or a contact and makes it if there is
// none. Either way the team has started it, which opens an attendance unless the caller is an integration.
func (d *Desk) OpenConversation(ctx context.Context, a *Principal, in NewConversation) (Opened, error) {
	if err := a.May(VerbOpenConversation); err != nil {
		return Opened{}, err
	}
	if (in.Phone == nil) == (in.Contact == nil) {
		return Opened{}, model.Invalid("body", "must have exactly one of phone and contact_id")
	}
	name, err := optionalName("body.name", in.Name)
	if err != nil {
		return Opened{}, err
	}
	var person model.Person
	if in.Phone != nil {
		phone, ok := phone.Normalize(*in.Phone)
		if !ok {
			return Opened{}, errPhone("body.phone")
		}
		person.Phone = phone
		if name != nil {
			person.Name = *name
		}
	}
	return writeAnswer(ctx, d, func(tx *store.Tx) (Opened, error) {
		channel, err := d.bodyChannel(tx, a, in.Channel)
		if err != nil {
			return Opened{}, err
		}
		if channel.ArchivedAt != nil {
			return Opened{}, errChannelArchived()
		}
		contact, err := d.contactToOpen(tx, a, channel, person, in.Contact)
		if err != nil {
			return Opened{}, err
		}
		t, created, err := d.conversationWith(tx, channel, contact)
		if err != nil {
			return Opened{}, err
		}
		if created && name != nil && *name != t.Name {
			t.Name, t.Renamed = *name, true
			t.before.Name = t.Name // it was never visible under another name
		}
		if err := t.startedBy(a, created); err != nil {
			return Opened{}, err
		}
		c, err := t.shown(a, t.save())
		return Opened{c, created}, err
	})
}

// contactToOpen gives the contact of a new conversation, one of the channel's pool. Where the caller names a public contact for a
// private channel, it is the one with the same number there: the customer's answer finds that one, and a public contact never
// belongs to a private conversation.
func (d *Desk) contactToOpen(tx *store.Tx, a *Principal, channel model.Channel, person model.Person, id *model.ID) (model.Contact, error) {
	if id == nil {
		return d.contactFor(tx, channel, person, nil)
	}
	c, found, err := tx.Contact(channel.Company, *id)
	switch {
	case err != nil || !found || !a.knowsContact(&c) || !c.Public() && c.Pool != channel.ID:
		return c, errOr(err, model.Invalid("body.contact_id", "there is no such contact"))
	case c.Pool == channel.Pool():
		return c, nil
	case c.Phone == nil:
		return c, model.Invalid("body.contact_id", "has no phone number, without which a private channel cannot reach the person")
	}
	return d.contactFor(tx, channel, model.Person{Name: c.Name, Phone: *c.Phone}, nil)
}

// startedBy opens the attendance of a conversation that a member starts. A member with a limited access
// profile becomes responsible for a new conversation. One that exists outside of the profile is refused,
// except to managers and above where it has no responsible person. An integration opens no attendance and never becomes responsible.
func (t *lockedConversation) startedBy(a *Principal, created bool) error {
	if a.ActsAsIntegration() {
		if !a.MaySee(&t.Conversation) {
			return model.Errorf(model.CodeNotVisible, "The access profile of this key's member does not cover the conversation, and an integration does not become responsible for it.")
		}
		return nil
	}
	if !a.MaySee(&t.Conversation) {
		if !created && !a.Role.AtLeast(model.RoleManager) {
			return model.Errorf(model.CodeNotVisible,
				"This channel has a conversation with this contact that you may not see. A manager can transfer it to you.")
		}
		if t.Assignee != nil {
			return model.Errorf(model.CodeAttendanceRestricted, "Another member is responsible for the conversation with this contact. Ask that member or a manager.")
		}
		if err := t.assign(&a.User, t.Sector, &a.User, nil); err != nil {
			return err
		}
	}
	return t.openAttendance(model.OpenedByTeam)
}

// Snooze puts a conversation aside until a time, or takes it back with nil. A message of the customer or the time brings
// it back, unread.
func (d *Desk) Snooze(ctx context.Context, a *Principal, id model.ID, until *time.Time) (*model.Conversation, error) {
	if err := a.May(VerbSnooze); err != nil {
		return nil, err
	}
	if until != nil {
		at, invalid := model.Future("body.until", *until, d.now())
		if invalid != nil {
			return nil, invalid
		}
		until = &at
	}
	return writeAnswer(ctx, d, func(tx *store.Tx) (*model.Conversation, error) {
		t, err := d.lock(tx, a, id)
		if err != nil {
			return nil, err
		}
		t.SnoozedUntil = until
		return t.shown(a, t.saveIfChanged())
	})
}

// WakeSnoozed brings back up to limit conversations whose time has come, and gives how many it looked at. Any number of
// nodes may do this at the same time.
func (d System) WakeSnoozed(ctx context.Context, now time.Time, limit int) (int, error) {
	due, err := read(ctx, d.Desk, func(tx *store.Tx) ([]store.ConversationAt, error) { return tx.DueSnoozes(now, limit) })
	if err != nil {
		return 0, err
	}
	return len(due), d.changeEach(ctx, due, func(t *lockedConversation) error {
		if t.SnoozedUntil == nil || t.SnoozedUntil.After(now) {
			return nil
		}
		t.SnoozedUntil, t.UnreadCount = nil, max(1, t.UnreadCount)
		if err := t.notifyHolder(model.NotifySnoozeEnded, nil); err != nil {
			return err
		}
		return t.save()
	})
}

// MarkUnread lets a conversation that was read count as unread again.
func (d *Desk) MarkUnread(ctx context.Context, a *Principal, id model.ID) (*model.Conversation, error) {
	if err := a.May(VerbMarkUnread); err != nil {
		return nil, err
	}
	return writeAnswer(ctx, d, func(tx *store.Tx) (*model.Conversation, error) {
		t, err := d.lock(tx, a, id)
		if err != nil {
			return nil, err
		}
		t.UnreadCount = max(1, t.UnreadCount)
		return t.shown(a, t.saveIfChanged())
	})
}

// Take makes the principal responsible for a conversation. Where attendances are restricted, a member below manager
// takes over only what has no responsible person.
func (d *Desk) Take(ctx context.Context, a *Principal, id model.ID) (*model.Conversation, error) {
	if err := a.May(VerbTake); err != nil {
		return nil, err
	}
	return writeAnswer(ctx, d, func(tx *store.Tx) (*model.Conversation, error) {
		t, err := d.lock(tx, a, id)
		if err != nil {
			return nil, err
		}
		if t.Assignee != nil && *t.Assignee == a.User.ID {
			return t.shown(a, nil)
		}
		if err := t.restrict(a, func(model.AttendanceRules) bool { return t.Assignee == nil }); err != nil {
			return nil, err
		}
		if _, present, err := tx.KeepUser(t.Company, a.User.ID); err != nil || !present {
			return nil, errOr(err, model.NotFound("team member"))
		}
		if err := t.assign(&a.User, t.Sector, &a.User, nil); err != nil {
			return nil, err
		}
		return t.shown(a, t.save())
	})
}

// saveIfChanged saves the conversation unless nothing that a reader sees has changed.
func (t *lockedConversation) saveIfChanged() error {
	t.Unread = t.UnreadCount > 0
	if len(changedFields(&t.before, &t.Conversation)) == 0 {
		return nil
	}
	return t.save()
}

// SaveDraft keeps what the caller has begun to write in a conversation. The last one written counts.
func (d *Desk) SaveDraft(ctx context.Context, a *Principal, conversation model.ID, text string, replyTo *string) (model.Draft, error) {
	if err := a.May(VerbSaveDraft); err != nil {
		return model.Draft{}, err
	}
	return d.saveDraft(ctx, a, conversation, text, replyTo)
}

// SuggestDraft leaves a draft to the person whom a key acts as: what an assistant wrote for them to look at and send.
func (d *Desk) SuggestDraft(ctx context.Context, a *Principal, conversation model.ID, text string, replyTo *string) (model.Draft, error) {
	if err := a.May(VerbSuggestDraft); err != nil {
		return model.Draft{}, err
	}
	return d.saveDraft(ctx, a, conversation, text, replyTo)
}

func (d *Desk) saveDraft(ctx context.Context, a *Principal, conversation model.ID, text string, replyTo *string) (model.Draft, error) {
	check := model.Text
	if replyTo != nil {
		check = model.OptionalText // a quotation alone is a draft too
	}
	if _, invalid := check("body.text", text, model.MaxText); invalid != nil {
		return model.Draft{}, invalid
	}
	return write(ctx, d, func(tx *store.Tx) (model.Draft, error) {
		c, found, err := tx.Conversation(a.Company.ID, conversation)
		if err != nil || !found || !a.MaySee(&c) {
			return model.Draft{}, errOr(err, model.NotFound("conversation"))
		}
		if replyTo != nil {
			if found, err = tx.HasExternalID(conversation, c.Channel, *replyTo); err != nil || !found {
				return model.Draft{}, errOr(err, errReplyTo())
			}
		}
		draft := model.Draft{Text: text, ReplyTo: replyTo, UpdatedAt: tx.Now}
		tx.SaveDraft(a.Company.ID, a.User.ID, conversation, &draft)
		d.signalDraft(tx, a, conversation)
		return draft, nil
	})
}

// DeleteDraft removes the caller's draft of a conversation, if there is one.
func (d *Desk) DeleteDraft(ctx context.Context, a *Principal, conversation model.ID) error {
	if err := a.May(VerbDeleteDraft); err != nil {
		return err
	}
	_, err := write(ctx, d, func(tx *store.Tx) (struct{}, error) {
		c, found, err := tx.Conversation(a.Company.ID, conversation)
		if err != nil || !found || !a.MaySee(&c) {
			return struct{}{}, errOr(err, model.NotFound("conversation"))
		}
		return struct{}{}, d.dropDraft(tx, a, conversation)
	})
	return err
}

// dropDraft removes the draft of a person.
func (d *Desk) dropDraft(tx *store.Tx, a *Principal, conversation model.ID) error {
	dropped, err := tx.DeleteDraft(a.Company.ID, a.User.ID, conversation)
	if dropped {
		d.signalDraft(tx, a, conversation)
	}
	return err
}

// signalDraft tells the other streams of the person, once the change is durable, that the draft is different.
func (d *Desk) signalDraft(tx *store.Tx, a *Principal, conversation model.ID) {
	s := Signal{Kind: SignalDraft, Company: a.Company.ID, Conversation: conversation, User: a.User}
	tx.AfterCommit(func() { d.signal(s) })
}
