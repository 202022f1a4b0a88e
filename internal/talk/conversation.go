package talk

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"recado/internal/channels"
	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/phone"
)

// The kinds of conversation.
const (
	KindDirect = "direct"
	KindGroup  = "group"
)

// Which conversations a list shows. What is waiting is also open.
const (
	ListOpen    = "open"    // an attendance is open, or there are unread messages and it is not muted
	ListWaiting = "waiting" // an attendance is open and no person is responsible
	ListClosed  = "closed"  // not open
)

// Conversation is the thread between one channel and one contact, or one group.
type Conversation struct {
	ID          kernel.ID    `json:"id"`
	Kind        string       `json:"kind" enum:"direct,group"`
	Name        string       `json:"name"`
	Phone       *string      `json:"phone"`
	Contact     *kernel.ID   `json:"contact"`
	Channel     kernel.ID    `json:"channel"`
	Assignee    *kernel.ID   `json:"assignee"`
	Sector      *kernel.ID   `json:"sector"`
	Archived    bool         `json:"archived"`
	Pinned      bool         `json:"pinned"`
	Muted       bool         `json:"muted"`
	LabelIDs    []kernel.ID  `json:"label_ids"`
	Unread      bool         `json:"unread"`
	UnreadCount int64        `json:"unread_count"`
	LastMessage *LastMessage `json:"last_message"`

	Attendance      *OpenAttendance `json:"attendance" doc:"The open attendance."`
	WindowExpiresAt *time.Time      `json:"window_expires_at" doc:"When the 24 hours after the customer's last message end, after which WhatsApp takes templates only; a time in the past where the customer never wrote. null where the channel has no such window."`
	SnoozedUntil    *time.Time      `json:"snoozed_until"`
	BotPausedUntil  *time.Time      `json:"bot_paused_until" doc:"Until when bots are to be silent: an hour from the last message of a person, or as it was set."`

	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`

	// Draft is nil for API keys and in events; what it points to is nil for a person without a draft.
	Draft **Draft `json:"draft,omitzero" null:"true" doc:"What the signed-in person has begun to write, or null. Answers to API keys and events do not have it."`

	Company        kernel.ID  `json:"-"`
	Private        bool       `json:"-"` // of a private channel
	GroupID        *string    `json:"-"` // the provider's id of the group
	Renamed        bool       `json:"-"` // the team chose the name: the contact's no longer shows
	Unanswered     bool       `json:"-"` // the open attendance has had no response yet
	Windowed       bool       `json:"-"` // the provider has a 24-hour service window
	LastInboundAt  *time.Time `json:"-"` // opens the 24-hour service window
	LastInboundExt *string    `json:"-"` // external id of the customer's latest message
	ActivityAt     time.Time  `json:"-"` // when the newest message arrived, by which lists are ordered
	Sequence       int64      `json:"-"` // grows with every event and message of the conversation
	Reception      *string    `json:"-"` // the state of the menu of the open attendance, as JSON; nil: no menu runs
	ReceptionDue   *time.Time `json:"-"` // when the menu ends without an answer
}

// Visibility gives what decides who may see the conversation.
func (c *Conversation) Visibility() *kernel.Visibility {
	return &kernel.Visibility{Channel: c.Channel, Private: c.Private, Assignee: c.Assignee, Sector: c.Sector}
}

// Subject is the conversation.
func (c *Conversation) Subject() kernel.Subject {
	return kernel.Subject{Kind: SubjectConversation, ID: c.ID}
}

// OpenAttendance is what a conversation tells of its open attendance, whose responsible person is the
// conversation's assignee.
type OpenAttendance struct {
	ID           kernel.ID  `json:"id"`
	Protocol     string     `json:"protocol" example:"ATD-000123"`
	OpenedAt     time.Time  `json:"opened_at"`
	WaitingSince *time.Time `json:"waiting_since" doc:"When the customer's oldest unanswered message came; null when the team wrote last."`

	Number int64 `json:"-"`
}

// Open reports whether the conversation is one that needs the team: an attendance is open, or there are
// unread messages and it is not muted.
func (c *Conversation) Open() bool { return c.Attendance != nil || c.UnreadCount > 0 && !c.Muted }

// FindWindow sets WindowExpiresAt.
func (c *Conversation) FindWindow() {
	if !c.Windowed {
		return
	}
	end := c.CreatedAt
	if c.LastInboundAt != nil {
		end = c.LastInboundAt.Add(ServiceWindow)
	}
	c.WindowExpiresAt = &end
}

// AttendanceID is the id of the open attendance, or nil.
func (c *Conversation) AttendanceID() *kernel.ID {
	if c.Attendance == nil {
		return nil
	}
	return &c.Attendance.ID
}

// WaitingSince is when the customer's oldest unanswered message of the open attendance came, or nil.
func (c *Conversation) WaitingSince() *time.Time {
	if c.Attendance == nil {
		return nil
	}
	return c.Attendance.WaitingSince
}

// SetWaiting changes WaitingSince of the open attendance, where there is one. Copies of the conversation keep theirs.
func (c *Conversation) SetWaiting(since *time.Time) {
	if c.Attendance != nil {
		changed := *c.Attendance
		changed.WaitingSince = since
		c.Attendance = &changed
	}
}

// LastMessage is what lists show of a conversation's newest message.
type LastMessage struct {
	ID        kernel.ID `json:"id"`
	Type      string    `json:"type" enum:"text,image,audio,video,document,sticker,location,contacts,interactive,unsupported"`
	Text      *string   `json:"text"`
	Direction string    `json:"direction" enum:"inbound,outbound"`
	CreatedAt time.Time `json:"created_at"`

	Status          string   `json:"status" enum:"queued,sent,delivered,read,failed,received"`
	FileName        *string  `json:"file_name" doc:"The name of its file; null where it has none."`
	DurationSeconds *float64 `json:"duration_seconds" doc:"How long its file plays; null where that is unknown."`

	Notice *provider.MessageNotice `json:"notice" doc:"The notice of the message; null where it has none."`
}

// AssignmentEntry is a change of the responsible person, the sector or both, newest first in lists.
type AssignmentEntry struct {
	ID         kernel.ID   `json:"id"`
	Action     string      `json:"action" enum:"took_over,received,handed_back,moved"`
	User       *kernel.Ref `json:"user" doc:"Whom the entry concerns; null for moved."`
	By         *kernel.Ref `json:"by"`
	Sector     *kernel.ID  `json:"sector" doc:"The sector afterwards."`
	SectorFrom *kernel.ID  `json:"sector_from" doc:"The sector before, where the entry changed the sector; otherwise null."`
	SectorTo   *kernel.ID  `json:"sector_to" doc:"The new sector, where the entry changed the sector; otherwise null."`
	Reason     *string     `json:"reason"`
	CreatedAt  time.Time   `json:"created_at"`
}

// The actions of an AssignmentEntry.
const (
	ActionTookOver   = "took_over"
	ActionReceived   = "received"
	ActionHandedBack = "handed_back"
	ActionMoved      = "moved" // to another sector, while the responsible person stays the same
)

// Conversations lists what the principal may see; see findConversations for the order. cursor is the Next of the page
// before, or "".
func (d *Talk) Conversations(ctx context.Context, a *kernel.Principal, f conversationCriteria, cursor string) (kernel.Page[Conversation], error) {
	if err := a.May(VerbConversations); err != nil {
		return kernel.Page[Conversation]{}, err
	}
	f.Company, f.Sight = a.Company.ID, a.Sight()
	place := conversationCursor{d.Cursors, f}
	if cursor != "" {
		if err := place.open(&f, cursor); err != nil {
			return kernel.Page[Conversation]{}, err
		}
	}
	return kernel.List(ctx, d.Kernel, a, f.Q, f.Offset, func(near bool) (kernel.Page[Conversation], error) {
		f.Near = near
		reading := kernel.Read[kernel.Page[Conversation]]
		if f.Simple() && a.Kind() != kernel.KindSession {
			reading = kernel.ReadOne[kernel.Page[Conversation]]
		}
		return reading(ctx, d.Kernel, func(tx *kernel.Tx) (page kernel.Page[Conversation], err error) {
			page.Data, page.More, err = findConversations(tx, f)
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
func (d *Talk) Conversation(ctx context.Context, a *kernel.Principal, id kernel.ID) (*Conversation, error) {
	if err := a.May(VerbConversation); err != nil {
		return nil, err
	}
	reading := kernel.ReadOne[*Conversation]
	if a.Kind() == kernel.KindSession {
		reading = kernel.Read[*Conversation] // the draft is a second statement
	}
	return reading(ctx, d.Kernel, func(tx *kernel.Tx) (*Conversation, error) {
		c, found, err := FindConversation(tx, a.Company.ID, id)
		if err != nil || !found || !MaySee(a, &c) {
			return nil, kernel.ErrOr(err, kernel.NotFound("conversation"))
		}
		return &c, addDrafts(tx, a, &c)
	})
}

// ConversationChange is what a member may change of a conversation; nil leaves a field as it is.
type ConversationChange struct {
	Archived, Pinned, Muted *bool
	Name                    *string
	LabelIDs                *[]kernel.ID
}

// UpdateConversation changes flags, name and labels.
func (d *Talk) UpdateConversation(ctx context.Context, a *kernel.Principal, id kernel.ID, change ConversationChange) (*Conversation, error) {
	if err := a.May(VerbUpdateConversation); err != nil {
		return nil, err
	}
	if change.Name != nil {
		name, invalid := kernel.Name("body.name", *change.Name, kernel.MaxName)
		if invalid != nil {
			return nil, invalid
		}
		change.Name = &name
	}
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (*Conversation, error) {
		t, err := d.Lock(tx, a, id)
		if err != nil {
			return nil, err
		}
		kernel.Set(&t.Archived, change.Archived)
		kernel.Set(&t.Pinned, change.Pinned)
		kernel.Set(&t.Muted, change.Muted)
		if change.Name != nil {
			t.Name, t.Renamed = *change.Name, true
		}
		if change.LabelIDs != nil {
			if t.LabelIDs, err = d.KnownLabels(tx, a, *change.LabelIDs); err != nil {
				return nil, err
			}
		}
		if t.Renamed == t.before.Renamed && len(changedFields(&t.before, &t.Conversation)) == 0 {
			return t.shown(a, nil)
		}
		return t.shown(a, t.Save())
	})
}

// KnownLabels checks the label_ids of a request: each is a label of the company, and counts once.
func (d *Talk) KnownLabels(tx *kernel.Tx, a *kernel.Principal, ids []kernel.ID) ([]kernel.ID, error) {
	unique := make([]kernel.ID, 0, len(ids))
	for _, id := range ids {
		if !slices.Contains(unique, id) {
			unique = append(unique, id)
		}
	}
	missing, err := missingLabels(tx, a.Company.ID, unique)
	if err != nil || len(missing) == 0 {
		return unique, err
	}
	invalid := &kernel.Error{Code: kernel.CodeInvalidRequest, Message: "body.label_ids: some of the labels do not exist."}
	for i, id := range ids {
		if slices.Contains(missing, id) {
			invalid.Fields = append(invalid.Fields, kernel.NoSuch(kernel.Indexed("body.label_ids", i), "label").Fields[0])
		}
	}
	return nil, invalid
}

// MarkRead sets the unread count of a conversation to zero and lets the customer know where the
// provider can show it.
func (d *Talk) MarkRead(ctx context.Context, a *kernel.Principal, id kernel.ID) (*Conversation, error) {
	if err := a.May(VerbMarkRead); err != nil {
		return nil, err
	}
	return kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (*Conversation, error) {
		t, err := d.Lock(tx, a, id)
		if err != nil {
			return nil, err
		}
		if t.UnreadCount == 0 {
			return t.shown(a, nil)
		}
		t.UnreadCount = 0
		d.markReadAtProvider(t)
		return t.shown(a, t.Save())
	})
}

// conversationCursor seals places in the list of a filter. A search is continued by the number of rows that were shown,
// every other list behind its last row, whatever has moved meanwhile.
type conversationCursor struct {
	key    kernel.CursorKey
	filter conversationCriteria
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
func (c conversationCursor) after(f *conversationCriteria, page []Conversation) string {
	if f.Q != "" {
		return c.key.Seal(f.Company, c.name(), kernel.Int(int64(f.Offset+len(page))))
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
func (c conversationCursor) open(f *conversationCriteria, text string) error {
	payload, invalid := c.key.Open(f.Company, c.name(), text)
	if invalid != nil {
		return invalid
	}
	if f.Q != "" {
		skip, invalid := kernel.ReadInt(payload)
		if invalid != nil {
			return invalid
		}
		f.Offset = int(skip)
		return nil
	}
	f.After = &ConversationPlace{
		Waiting: int64(binary.BigEndian.Uint64(payload)), At: int64(binary.BigEndian.Uint64(payload[8:])),
		Pinned: payload[16] == 1, ID: kernel.ID(payload[17:]),
	}
	return nil
}

// NewConversation says with whom a conversation is opened: a phone or a contact.
type NewConversation struct {
	Channel kernel.ID
	Phone   *string
	Contact *kernel.ID
	Name    *string // of a new contact, and of a new conversation
}

// Opened is the channel's conversation with a person, and whether it is new.
type Opened struct {
	Conversation *Conversation
	Created      bool
}

// OpenConversation gives the channel's conversation with a phone or a contact and makes it if there is
// none. Either way the team has started it, which opens an attendance unless the caller is an integration.
func (d *Talk) OpenConversation(ctx context.Context, a *kernel.Principal, in NewConversation) (Opened, error) {
	if err := a.May(VerbOpenConversation); err != nil {
		return Opened{}, err
	}
	if (in.Phone == nil) == (in.Contact == nil) {
		return Opened{}, kernel.ExactlyOne("body", "phone", "contact_id")
	}
	name, err := optionalName("body.name", in.Name)
	if err != nil {
		return Opened{}, err
	}
	var person provider.Person
	if in.Phone != nil {
		phone, ok := phone.Normalize(*in.Phone)
		if !ok {
			return Opened{}, channels.ErrPhone("body.phone")
		}
		person.Phone = phone
		if name != nil {
			person.Name = *name
		}
	}
	return kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (Opened, error) {
		channel, err := d.bodyChannel(tx, a, in.Channel)
		if err != nil {
			return Opened{}, err
		}
		if channel.ArchivedAt != nil {
			return Opened{}, channels.ErrChannelArchived()
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
		c, err := t.shown(a, t.Save())
		return Opened{c, created}, err
	})
}

// contactToOpen gives the contact of a new conversation, one of the channel's pool. Where the caller names a public contact for a
// private channel, it is the one with the same number there: the customer's answer finds that one, and a public contact never
// belongs to a private conversation.
func (d *Talk) contactToOpen(tx *kernel.Tx, a *kernel.Principal, channel channels.Channel, person provider.Person, id *kernel.ID) (Contact, error) {
	if id == nil {
		return d.contactFor(tx, channel, person, nil)
	}
	c, found, err := findContact(tx, channel.Company, *id)
	switch {
	case err != nil || !found || !knowsContact(a, &c) || !c.Public() && c.Pool != channel.ID:
		return c, kernel.ErrOr(err, kernel.NoSuch("body.contact_id", "contact"))
	case c.Pool == channel.Pool():
		return c, nil
	case c.Phone == nil:
		return c, kernel.Invalid("body.contact_id", ruleNoPhone, "has no phone number, without which a private channel cannot reach the person")
	}
	return d.contactFor(tx, channel, provider.Person{Name: c.Name, Phone: *c.Phone}, nil)
}

// startedBy opens the attendance of a conversation that a member starts. A member with a limited access
// profile becomes responsible for a new conversation. One that exists outside of the profile is refused,
// except to managers and above where it has no responsible person. An integration opens no attendance and never becomes responsible.
func (t *LockedConversation) startedBy(a *kernel.Principal, created bool) error {
	if a.ActsAsIntegration() {
		if !MaySee(a, &t.Conversation) {
			return kernel.Errorf(kernel.CodeNotVisible, "The access profile of this key's member does not cover the conversation, and an integration does not become responsible for it.")
		}
		return nil
	}
	if !MaySee(a, &t.Conversation) {
		if !created && !a.Role.AtLeast(kernel.RoleManager) {
			return kernel.Errorf(kernel.CodeNotVisible,
				"This channel has a conversation with this contact that you may not see. A manager can transfer it to you.")
		}
		if t.Assignee != nil {
			return kernel.Errorf(kernel.CodeAttendanceRestricted, "Another member is responsible for the conversation with this contact. Ask that member or a manager.")
		}
		if err := t.Assign(&a.User, t.Sector, &a.User, nil); err != nil {
			return err
		}
	}
	return t.openAttendance(OpenedByTeam)
}

// Snooze puts a conversation aside until a time, or takes it back with nil. A message of the customer or the time brings
// it back, unread.
func (d *Talk) Snooze(ctx context.Context, a *kernel.Principal, id kernel.ID, until *time.Time) (*Conversation, error) {
	if err := a.May(VerbSnooze); err != nil {
		return nil, err
	}
	if until != nil {
		at, invalid := kernel.Future("body.until", *until, d.Now())
		if invalid != nil {
			return nil, invalid
		}
		until = &at
	}
	return kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (*Conversation, error) {
		t, err := d.Lock(tx, a, id)
		if err != nil {
			return nil, err
		}
		t.SnoozedUntil = until
		return t.shown(a, t.saveIfChanged())
	})
}

// WakeSnoozed brings back up to limit conversations whose time has come, and gives how many it looked at. Any number of
// nodes may do this at the same time.
func (d *Talk) WakeSnoozed(ctx context.Context, now time.Time, limit int) (int, error) {
	due, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]ConversationAt, error) { return dueSnoozes(tx, now, limit) })
	if err != nil {
		return 0, err
	}
	return len(due), d.ChangeEach(ctx, due, func(t *LockedConversation) error {
		if t.SnoozedUntil == nil || t.SnoozedUntil.After(now) {
			return nil
		}
		t.SnoozedUntil, t.UnreadCount = nil, max(1, t.UnreadCount)
		if err := t.notifyHolder(NotifySnoozeEnded, nil); err != nil {
			return err
		}
		return t.Save()
	})
}

// MarkUnread lets a conversation that was read count as unread again.
func (d *Talk) MarkUnread(ctx context.Context, a *kernel.Principal, id kernel.ID) (*Conversation, error) {
	if err := a.May(VerbMarkUnread); err != nil {
		return nil, err
	}
	return kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (*Conversation, error) {
		t, err := d.Lock(tx, a, id)
		if err != nil {
			return nil, err
		}
		t.UnreadCount = max(1, t.UnreadCount)
		return t.shown(a, t.saveIfChanged())
	})
}

// Take makes the principal responsible for a conversation. Where attendances are restricted, a member below manager
// takes over only what has no responsible person.
func (d *Talk) Take(ctx context.Context, a *kernel.Principal, id kernel.ID) (*Conversation, error) {
	if err := a.May(VerbTake); err != nil {
		return nil, err
	}
	return kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (*Conversation, error) {
		t, err := d.Lock(tx, a, id)
		if err != nil {
			return nil, err
		}
		if t.Assignee != nil && *t.Assignee == a.User.ID {
			return t.shown(a, nil)
		}
		if err := t.restrict(a, func(people.AttendanceRules) bool { return t.Assignee == nil }); err != nil {
			return nil, err
		}
		if _, present, err := people.KeepUser(tx, t.Company, a.User.ID); err != nil || !present {
			return nil, kernel.ErrOr(err, kernel.NotFound("team member"))
		}
		if err := t.Assign(&a.User, t.Sector, &a.User, nil); err != nil {
			return nil, err
		}
		return t.shown(a, t.Save())
	})
}

// saveIfChanged saves the conversation unless nothing that a reader sees has changed.
func (t *LockedConversation) saveIfChanged() error {
	t.Unread = t.UnreadCount > 0
	if len(changedFields(&t.before, &t.Conversation)) == 0 {
		return nil
	}
	return t.Save()
}

// checkConversation reports an error when the principal may not see a conversation.
func checkConversation(tx *kernel.Tx, a *kernel.Principal, id kernel.ID) error {
	c, found, err := FindConversation(tx, a.Company.ID, id)
	if err != nil || !found || !MaySee(a, &c) {
		return kernel.ErrOr(err, kernel.NotFound("conversation"))
	}
	return nil
}

// SetBot says until when bots are silent in a conversation; nil lets them answer again.
func (d *Talk) SetBot(ctx context.Context, a *kernel.Principal, id kernel.ID, pausedUntil *time.Time) (*Conversation, error) {
	if err := a.May(VerbSetBot); err != nil {
		return nil, err
	}
	if pausedUntil != nil {
		at, invalid := kernel.Future("body.paused_until", *pausedUntil, d.Now())
		if invalid != nil {
			return nil, invalid
		}
		pausedUntil = &at
	}
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (*Conversation, error) {
		t, err := d.Lock(tx, a, id)
		if err != nil {
			return nil, err
		}
		t.BotPausedUntil = pausedUntil
		return t.shown(a, t.saveIfChanged())
	})
}

// botPause is how long a message of a person keeps bots silent.
const botPause = time.Hour

// MaySee is the one policy on conversations, and on all that belongs to them: those of a private channel for its
// viewers, whatever their access profile, and public ones within the member's access profile. Its other forms are sight for
// queries, maySeeEvent for the feed, maySeeCard for cards and knowsContact for contacts.
func MaySee(a *kernel.Principal, c *Conversation) bool {
	return c.Company == a.Company.ID && a.MaySeeBy(c.Visibility())
}

// memberSees is MaySee for a member who does not make the call.
func memberSees(m *kernel.MemberSight, c *Conversation) bool {
	return MaySee(people.MemberPrincipal(kernel.Company{ID: c.Company}, m), c)
}
