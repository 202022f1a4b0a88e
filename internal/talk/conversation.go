package talk

import (
	"context"
	"slices"
	"time"

	"recado/internal/channels"
	"recado/internal/channels/provider"
	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/phone"
)

// The kinds of conversation.
const (
	KindDirect = "direct"
	KindGroup  = "group"
)

// The statuses by which lists are filtered. Conversations that are waiting are also open.
const (
	ListOpen    = "open"    // an attendance is open, or there are unread messages and it is not muted
	ListWaiting = "waiting" // an attendance is open and nobody is responsible
	ListClosed  = "closed"  // not open
)

// ListAtRisk filters lists by service level: a target that is not met is nearly due or was missed.
const ListAtRisk = "at_risk"

// Conversation is the thread between one channel and one contact, or one group.
type Conversation struct {
	ID          kernel.ID    `json:"id"`
	Kind        string       `json:"kind" enum:"direct,group"`
	Name        string       `json:"name"`
	Picture     *string      `json:"picture" doc:"The path of the picture of the group, relative to the base URL of the API; null if there is none. It changes whenever the picture does." example:"/conversations/01a1dd9b-fad4-7003-a934-f67da22447e0/picture?v=1748736000"`
	Phone       *string      `json:"phone"`
	Contact     *kernel.ID   `json:"contact"`
	Erased      bool         `json:"erased" doc:"Whether the person was erased. The name is then a placeholder in English, and contact and phone are null."`
	Channel     kernel.ID    `json:"channel"`
	Assignee    *kernel.ID   `json:"assignee"`
	Sector      *kernel.ID   `json:"sector"`
	Archived    bool         `json:"archived"`
	Pinned      bool         `json:"pinned"`
	Muted       bool         `json:"muted"`
	Cases       bool         `json:"cases" doc:"Whether messages open cases. Groups open none unless this is set; other conversations always do."`
	LabelIDs    []kernel.ID  `json:"label_ids"`
	Unread      bool         `json:"unread"`
	UnreadCount int64        `json:"unread_count"`
	LastMessage *LastMessage `json:"last_message"`

	Attendance      *OpenAttendance `json:"attendance" doc:"The open attendance."`
	WindowExpiresAt *time.Time      `json:"window_expires_at" doc:"The end of the 24-hour window after the customer's last message. After that, WhatsApp accepts only templates. A time in the past if the customer has never written; null if the channel has no such window."`
	SnoozedUntil    *time.Time      `json:"snoozed_until"`
	BotPausedUntil  *time.Time      `json:"bot_paused_until" doc:"The time until which bots are paused: an hour after the last message from a person, or the time that was set."`

	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`

	// Draft is nil for API keys and in events. It points to nil for a person without a draft.
	Draft **Draft `json:"draft,omitzero" null:"true" doc:"The draft of the signed-in person, or null. Not included in responses to API keys or in events."`

	Company        kernel.ID  `json:"-"`
	Private        bool       `json:"-"` // of a private channel
	GroupID        *string    `json:"-"` // the provider's id of the group
	Renamed        bool       `json:"-"` // the team chose the name, which replaces that of the contact
	Unanswered     bool       `json:"-"` // the open attendance has had no response yet
	Windowed       bool       `json:"-"` // the provider has a 24-hour service window
	LastInboundAt  *time.Time `json:"-"` // opens the 24-hour service window
	LastInboundExt *string    `json:"-"` // external id of the customer's latest message
	ActivityAt     time.Time  `json:"-"` // when the newest message arrived; lists are ordered by it
	Sequence       int64      `json:"-"` // grows with every event and message of the conversation
	Reception      *string    `json:"-"` // the state of the reception menu as JSON, or nil if no menu is running
	ReceptionDue   *time.Time `json:"-"` // when the menu times out
	Reopening      *kernel.ID `json:"-"` // the message with the last reopening template; nil: there are no held messages
	Survey         *kernel.ID `json:"-"` // the attendance whose survey waits for a rating or a comment
}

// Visibility returns the attributes that decide who may see the conversation.
func (c *Conversation) Visibility() *kernel.Visibility {
	return &kernel.Visibility{Channel: c.Channel, Private: c.Private, Assignee: c.Assignee, Sector: c.Sector}
}

// Subject returns the conversation as a subject.
func (c *Conversation) Subject() kernel.Subject {
	return kernel.Subject{Kind: SubjectConversation, ID: c.ID}
}

// OpenAttendance is the part of the open attendance that conversations show. Its responsible person is the assignee of the
// conversation.
type OpenAttendance struct {
	ID           kernel.ID   `json:"id"`
	Protocol     string      `json:"protocol" example:"ATD-000123"`
	OpenedAt     time.Time   `json:"opened_at"`
	WaitingSince *time.Time  `json:"waiting_since" doc:"The time of the customer's oldest unanswered message; null if the last message is from the team."`
	SLA          *OpenTarget `json:"sla" doc:"The most urgent target of the service level that is not met: of those with the worst state, the one that is due first; null if there is none."`

	Number int64      `json:"-"`
	Policy *kernel.ID `json:"-"` // of the service level
}

// OpenTarget is the most urgent target of a service level.
type OpenTarget struct {
	Target string    `json:"target" enum:"first,next,resolution"`
	DueAt  time.Time `json:"due_at"`
	State  string    `json:"state" enum:"pending,warned,breached"`
}

// Values of OpenTarget.Target.
const (
	TargetFirst      = "first"
	TargetNext       = "next"
	TargetResolution = "resolution"
)

// Open reports whether an attendance is open, or there are unread messages and the conversation is not muted.
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

// AttendanceID returns the id of the open attendance, or nil.
func (c *Conversation) AttendanceID() *kernel.ID {
	if c.Attendance == nil {
		return nil
	}
	return &c.Attendance.ID
}

// WaitingSince returns the time of the customer's oldest unanswered message in the open attendance, or nil.
func (c *Conversation) WaitingSince() *time.Time {
	if c.Attendance == nil {
		return nil
	}
	return c.Attendance.WaitingSince
}

// SetWaiting sets WaitingSince of the open attendance, if there is one. Copies of the conversation are not affected.
func (c *Conversation) SetWaiting(since *time.Time) {
	if c.Attendance != nil {
		changed := *c.Attendance
		changed.WaitingSince = since
		c.Attendance = &changed
	}
}

// sameServiceLevel reports whether the open attendances of two states of a conversation have the same policy and most urgent target.
func (c *Conversation) sameServiceLevel(other *Conversation) bool {
	var a, b OpenAttendance
	kernel.Set(&a, c.Attendance)
	kernel.Set(&b, other.Attendance)
	return kernel.Same(a.Policy, b.Policy) && kernel.Same(a.SLA, b.SLA)
}

// SetServiceLevel sets the policy and the most urgent target of the open attendance, if there is one. Copies of the conversation
// are not affected.
func (c *Conversation) SetServiceLevel(policy *kernel.ID, target *OpenTarget) {
	if c.Attendance != nil {
		changed := *c.Attendance
		changed.Policy, changed.SLA = policy, target
		c.Attendance = &changed
	}
}

// LastMessage is the part of the newest message that lists of conversations show.
type LastMessage struct {
	ID        kernel.ID `json:"id"`
	Type      string    `json:"type" enum:"text,image,audio,video,document,sticker,location,contacts,interactive,unsupported"`
	Text      *string   `json:"text"`
	Direction string    `json:"direction" enum:"inbound,outbound"`
	CreatedAt time.Time `json:"created_at"`

	Status          string   `json:"status" enum:"held,queued,sent,delivered,read,failed,received"`
	FileName        *string  `json:"file_name" doc:"The name of the file; null if the message has none."`
	DurationSeconds *float64 `json:"duration_seconds" doc:"The duration of the file; null if unknown."`

	Notice *provider.MessageNotice `json:"notice" doc:"The notice of the message; null if it has none."`
}

// AssignmentEntry is a change of the responsible person, the sector or both, newest first in lists.
type AssignmentEntry struct {
	ID         kernel.ID   `json:"id"`
	Action     string      `json:"action" enum:"took_over,received,handed_back,moved"`
	User       *kernel.Ref `json:"user" doc:"The person the conversation was assigned to or taken from; null for moved."`
	By         *kernel.Ref `json:"by"`
	Sector     *kernel.ID  `json:"sector" doc:"The sector after the change."`
	SectorFrom *kernel.ID  `json:"sector_from" doc:"The previous sector, if the entry changed the sector; otherwise null."`
	SectorTo   *kernel.ID  `json:"sector_to" doc:"The new sector, if the entry changed the sector; otherwise null."`
	Reason     *string     `json:"reason"`
	Cause      *Cause      `json:"cause" doc:"Why the server made the change by itself; null if a person made it."`
	CreatedAt  time.Time   `json:"created_at"`
}

// The actions of an AssignmentEntry.
const (
	ActionTookOver   = "took_over"
	ActionReceived   = "received"
	ActionHandedBack = "handed_back"
	ActionMoved      = "moved" // to another sector, while the responsible person stays the same
)

// Conversations lists the conversations that the principal may see, in the order of findConversations. cursor is Next of the
// previous page, or "".
func (d *Talk) Conversations(ctx context.Context, a *kernel.Principal, f conversationCriteria, cursor string) (kernel.Page[Conversation], error) {
	f.Company, f.Sight = a.Company.ID, a.Sight()
	if cursor != "" {
		payload, invalid := d.Cursors.Open(f.Company, f.cursorName(), cursor)
		if invalid != nil {
			return kernel.Page[Conversation]{}, invalid
		}
		if at := kernel.FromJSON[conversationsCursor](string(payload)); at != nil {
			f.Offset, f.After = at.Offset, at.After
		}
	}
	return kernel.List(ctx, d.Kernel, a, f.Q, f.Offset, func(near bool) (kernel.Page[Conversation], error) {
		f.Near = near
		return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (page kernel.Page[Conversation], err error) {
			if page.Data, page.More, err = findConversations(tx, f); err != nil {
				return page, err
			}
			if page.More {
				next := conversationsCursor{Offset: f.Offset + len(page.Data)}
				if f.Q == "" {
					next = conversationsCursor{After: new(f.positionOf(&page.Data[len(page.Data)-1]))}
				}
				page.Next = d.Cursors.Seal(f.Company, f.cursorName(), []byte(*kernel.WriteJSON(&next)))
			}
			return page, addDrafts(tx, a, pointers(page.Data)...)
		})
	})
}

// Conversation returns a conversation that the principal may see.
func (d *Talk) Conversation(ctx context.Context, a *kernel.Principal, id kernel.ID) (*Conversation, error) {
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (*Conversation, error) {
		c, err := visibleConversation(tx, a, id)
		if err != nil {
			return nil, err
		}
		return &c, addDrafts(tx, a, &c)
	})
}

// changeConversation locks a conversation that the principal may see, changes it and returns it.
func (d *Talk) changeConversation(
	ctx context.Context, a *kernel.Principal, id kernel.ID, change func(t *LockedConversation) error,
) (*Conversation, error) {
	return kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (*Conversation, error) {
		t, err := d.Lock(tx, a, id)
		if err != nil {
			return nil, err
		}
		return t.shown(a, change(t))
	})
}

// ConversationChange lists the fields to change; nil fields stay as they are.
type ConversationChange struct {
	Archived *bool        `json:"archived,omitempty"`
	Pinned   *bool        `json:"pinned,omitempty"`
	Muted    *bool        `json:"muted,omitempty"`
	Cases    *bool        `json:"cases,omitempty" doc:"Whether messages of a group open cases. Only for groups."`
	Name     *string      `json:"name,omitempty" minLength:"1" maxLength:"120"`
	LabelIDs *[]kernel.ID `json:"label_ids,omitempty" maxItems:"100" doc:"Replaces all labels of the conversation."`
}

// UpdateConversation changes the flags, name and labels of a conversation.
func (d *Talk) UpdateConversation(ctx context.Context, a *kernel.Principal, id kernel.ID, change ConversationChange) (*Conversation, error) {
	if err := kernel.CleanName("body.name", &change.Name); err != nil {
		return nil, err
	}
	return d.changeConversation(ctx, a, id, func(t *LockedConversation) (err error) {
		kernel.Set(&t.Archived, change.Archived)
		kernel.Set(&t.Pinned, change.Pinned)
		kernel.Set(&t.Muted, change.Muted)
		if change.Cases != nil && t.Kind != KindGroup {
			return kernel.Invalid("body.cases", kernel.RuleNotAllowed, "is only for groups")
		}
		kernel.Set(&t.Cases, change.Cases)
		if change.Name != nil {
			t.Name, t.Renamed = *change.Name, true
		}
		if change.LabelIDs != nil {
			if t.LabelIDs, err = d.KnownLabels(t.Tx, a, *change.LabelIDs); err != nil {
				return err
			}
		}
		if t.Renamed != t.before.Renamed {
			return t.Save()
		}
		return t.saveIfChanged()
	})
}

// KnownLabels validates the label_ids of a request and returns them without duplicates. All must be labels of the company.
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

// MarkRead sets the unread count of a conversation to zero and sends a read receipt to the customer if the provider supports it.
func (d *Talk) MarkRead(ctx context.Context, a *kernel.Principal, id kernel.ID) (*Conversation, error) {
	return d.changeConversation(ctx, a, id, func(t *LockedConversation) error {
		if t.UnreadCount == 0 {
			return nil
		}
		if err := d.markReadAtProvider(t); err != nil {
			return err
		}
		t.UnreadCount = 0
		return t.Save()
	})
}

// cursorName identifies the list that a cursor belongs to.
func (f conversationCriteria) cursorName() string {
	f.Limit, f.Offset, f.After, f.Near, f.Sight = 0, 0, nil, false, kernel.Sight{}
	return "conversations2 " + *kernel.WriteJSON(&f)
}

// conversationsCursor is where the next page starts. In a search it is the number of rows so far. In other lists it is the
// position of the last row, so that the next page continues there regardless of changes in between.
type conversationsCursor struct {
	Offset int
	After  *conversationPosition
}

// NewConversation is the input of OpenConversation. Either Phone or Contact is set.
type NewConversation struct {
	Channel kernel.ID  `json:"channel_id"`
	Phone   *string    `json:"phone,omitempty" minLength:"1" maxLength:"64" example:"+55 11 91234-5678"`
	Contact *kernel.ID `json:"contact_id,omitempty"`
	Name    *string    `json:"name,omitempty" minLength:"1" maxLength:"120" doc:"The name for the contact and the conversation, if they are new."`
}

// Opened is the result of OpenConversation.
type Opened struct {
	Conversation *Conversation
	Created      bool
}

// OpenConversation returns the channel's conversation with a phone or a contact, creating it if there is none. It opens an
// attendance, unless the caller is an integration.
func (d *Talk) OpenConversation(ctx context.Context, a *kernel.Principal, in NewConversation) (Opened, error) {
	if (in.Phone == nil) == (in.Contact == nil) {
		return Opened{}, kernel.ExactlyOne("body", "phone", "contact_id")
	}
	if err := kernel.CleanName("body.name", &in.Name); err != nil {
		return Opened{}, err
	}
	var person provider.Person
	if in.Phone != nil {
		phone, ok := phone.Normalize(*in.Phone)
		if !ok {
			return Opened{}, channels.ErrPhone("body.phone")
		}
		person.Phone = phone
		kernel.Set(&person.Name, in.Name)
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
		if created && in.Name != nil && *in.Name != t.Name {
			t.Name, t.Renamed = *in.Name, true
			t.before.Name = t.Name // nobody has seen another name
		}
		if err := t.startedBy(a, created); err != nil {
			return Opened{}, err
		}
		c, err := t.shown(a, t.Save())
		return Opened{c, created}, err
	})
}

// contactToOpen returns the contact of a new conversation, which is always in the channel's pool. If the caller names a public
// contact for a private channel, it is the contact with the same number in the pool of that channel.
func (d *Talk) contactToOpen(tx *kernel.Tx, a *kernel.Principal, channel channels.Channel, person provider.Person, id *kernel.ID) (Contact, error) {
	if id == nil {
		return d.contactFor(tx, channel, person, time.Time{}, nil)
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
	return d.contactFor(tx, channel, provider.Person{Name: c.Name, Phone: *c.Phone}, time.Time{}, nil)
}

// startedBy opens the attendance of a conversation that a member starts. A member whose access profile does not include a new
// conversation becomes responsible for it. An existing one is refused, unless nobody is responsible and the member is at least a
// manager. An integration opens no attendance and never becomes responsible.
func (t *LockedConversation) startedBy(a *kernel.Principal, created bool) error {
	if a.ActsAsIntegration() {
		if !MaySee(a, &t.Conversation) {
			return kernel.Errorf(kernel.CodeNotVisible, "The access profile of this key's member does not cover the conversation, and an integration cannot be made responsible for it.")
		}
		return nil
	}
	if !MaySee(a, &t.Conversation) {
		if !created && !a.Role.AtLeast(kernel.RoleManager) {
			return kernel.Errorf(kernel.CodeNotVisible,
				"This channel has a conversation with this contact that you cannot see. A manager can transfer it to you.")
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

// Snooze snoozes a conversation until a time; nil ends snoozing. The conversation returns as unread at that time, or as soon as the customer writes.
func (d *Talk) Snooze(ctx context.Context, a *kernel.Principal, id kernel.ID, until *time.Time) (*Conversation, error) {
	until, err := d.optionalFuture("body.until", until)
	if err != nil {
		return nil, err
	}
	return d.changeConversation(ctx, a, id, func(t *LockedConversation) error {
		t.SnoozedUntil = until
		return t.saveIfChanged()
	})
}

// optionalFuture validates a time that may be nil and must be in the future.
func (d *Talk) optionalFuture(field string, at *time.Time) (*time.Time, error) {
	if at == nil {
		return nil, nil
	}
	valid, invalid := kernel.Future(field, *at, d.Now())
	if invalid != nil {
		return nil, invalid
	}
	return &valid, nil
}

// WakeSnoozed ends the snoozing of up to limit conversations whose time has come and returns how many it found. Several nodes
// may run it concurrently.
func (d *Talk) WakeSnoozed(ctx context.Context, now time.Time, limit int) (int, error) {
	wake := func(t *LockedConversation) error {
		if t.SnoozedUntil == nil || t.SnoozedUntil.After(now) {
			return nil
		}
		t.SnoozedUntil, t.UnreadCount = nil, max(1, t.UnreadCount)
		if err := t.notifyHolder(NotifySnoozeEnded, nil); err != nil {
			return err
		}
		return t.Save()
	}
	return d.changeDue(ctx, wake, `
		SELECT /* all companies: due work */ company, id
		FROM conversations
		WHERE snoozed_until <= $1
		ORDER BY snoozed_until
		LIMIT $2`, now, limit)
}

// MarkUnread marks a conversation as unread.
func (d *Talk) MarkUnread(ctx context.Context, a *kernel.Principal, id kernel.ID) (*Conversation, error) {
	return d.changeConversation(ctx, a, id, func(t *LockedConversation) error {
		t.UnreadCount = max(1, t.UnreadCount)
		return t.saveIfChanged()
	})
}

// Take makes the principal responsible for a conversation. If attendances are restricted, members below manager can only take
// conversations without a responsible person.
func (d *Talk) Take(ctx context.Context, a *kernel.Principal, id kernel.ID) (*Conversation, error) {
	return d.changeConversation(ctx, a, id, func(t *LockedConversation) error {
		if t.Assignee != nil && *t.Assignee == a.User.ID {
			return nil
		}
		if err := t.restrict(a, func(people.AttendanceRules) bool { return t.Assignee == nil }); err != nil {
			return err
		}
		if _, present, err := people.KeepUser(t.Tx, t.Company, a.User.ID); err != nil || !present {
			return kernel.ErrOr(err, kernel.NotFound("team member"))
		}
		return t.assignAndSave(&a.User, t.Sector, &a.User, nil)
	})
}

// saveIfChanged saves the conversation if a field of the API has changed.
func (t *LockedConversation) saveIfChanged() error {
	t.Unread = t.UnreadCount > 0
	if len(changedFields(&t.before, &t.Conversation)) == 0 {
		return nil
	}
	return t.Save()
}

// visibleConversation returns a conversation, or an error if the principal may not see it.
func visibleConversation(tx *kernel.Tx, a *kernel.Principal, id kernel.ID) (Conversation, error) {
	c, found, err := FindConversation(tx, a.Company.ID, id)
	if err != nil || !found || !MaySee(a, &c) {
		return c, kernel.ErrOr(err, kernel.NotFound("conversation"))
	}
	return c, nil
}

// checkConversation returns an error if the principal may not see a conversation.
func checkConversation(tx *kernel.Tx, a *kernel.Principal, id kernel.ID) error {
	_, err := visibleConversation(tx, a, id)
	return err
}

// SetBot pauses bots in a conversation until a time; nil resumes them.
func (d *Talk) SetBot(ctx context.Context, a *kernel.Principal, id kernel.ID, pausedUntil *time.Time) (*Conversation, error) {
	pausedUntil, err := d.optionalFuture("body.paused_until", pausedUntil)
	if err != nil {
		return nil, err
	}
	return d.changeConversation(ctx, a, id, func(t *LockedConversation) error {
		t.BotPausedUntil = pausedUntil
		return t.saveIfChanged()
	})
}

// MaySee reports whether a principal may see a conversation and everything in it. Conversations of a private channel are
// visible to its viewers, regardless of their access profiles; public ones to members whose access profile includes them. The
// same policy is implemented by kernel.Sight for queries, maySeeEvent for the feed, maySeeCard for cards and knowsContact for
// contacts.
func MaySee(a *kernel.Principal, c *Conversation) bool {
	return c.Company == a.Company.ID && a.MaySeeBy(c.Visibility())
}

// memberSees is MaySee for a member other than the caller.
func memberSees(m *kernel.MemberSight, c *Conversation) bool {
	return MaySee(people.MemberPrincipal(kernel.Company{ID: c.Company}, m), c)
}

type listConversationsInput struct {
	httpserver.Page
	Cursor   string              `query:"cursor" doc:"The next_cursor of the previous page, with the same filters. Returns the next page regardless of changes in between. Cannot be combined with offset."`
	Q        string              `query:"q" maxLength:"200" doc:"Returns conversations whose name, phone or last message contains this text. Case, accents and surrounding spaces are ignored. If the text has no three consecutive letters or digits, or is too common for the search index, only the newest 10,000 conversations are searched."`
	Archived string              `query:"archived" enum:"true,false,1,0" doc:"Returns only archived (true) or unarchived (false) conversations. Defaults to both."`
	Unread   string              `query:"unread" enum:"true,false,1,0" doc:"Set to true to return only conversations with unread messages. false has no effect."`
	Kind     string              `query:"kind" enum:"direct,group"`
	Channel  httpserver.FilterID `query:"channel" doc:"Returns only conversations of this WhatsApp number."`
	Assignee string              `query:"assignee" doc:"The UUID of a person, \"me\" for the caller (or the person an API key acts as), or \"none\"."`
	Sector   httpserver.FilterID `query:"sector"`
	Label    httpserver.FilterID `query:"label"`
	Contact  httpserver.FilterID `query:"contact" doc:"Returns only conversations with this contact."`
	Status   string              `query:"status" enum:"open,waiting,closed" doc:"open: an attendance is open, or the conversation has unread messages and is not muted. waiting: an attendance is open and has no responsible person. closed: not open."`
	Snoozed  string              `query:"snoozed" enum:"true,false,1,0" doc:"Returns only snoozed (true) or only other (false) conversations. By default, snoozed conversations are omitted only with the status open or waiting."`
	SLA      string              `query:"sla" enum:"warned,breached,at_risk" doc:"Returns only conversations whose attendance.sla has this state. at_risk: warned or breached."`
	Sort     string              `query:"sort" enum:"newest,oldest_waiting,sla_due" default:"newest" doc:"newest sorts by newest message, with pinned conversations first unless status is given. oldest_waiting returns conversations whose customer is waiting for an answer first, the longest wait first, then the others by newest message. sla_due returns conversations with a target of a service level first, the earliest due_at first, then the others by newest message."`
}

// conversationList is a page of a list that supports both offsets and cursors.
type conversationList struct {
	Data       []Conversation `json:"data"`
	Limit      int            `json:"limit"`
	Offset     int            `json:"offset"`
	HasMore    bool           `json:"has_more"`
	NextCursor *string        `json:"next_cursor" doc:"Pass it as cursor to get the next page; null on the last page."`
}

func (s *handlers) listConversations(ctx context.Context, a *kernel.Principal, in *listConversationsInput) (*httpserver.Reply[conversationList], error) {
	if in.Cursor != "" && httpserver.RequestFrom(ctx).URL.Query().Has("offset") {
		return nil, kernel.NotTogether("query.cursor", "send either cursor or offset, not both", "cursor", "offset")
	}
	f := conversationCriteria{
		Status: in.Status, Snoozed: httpserver.BoolOrNil(in.Snoozed), OldestWaiting: in.Sort == "oldest_waiting",
		SLA: in.SLA, SLADue: in.Sort == "sla_due",
		Q: in.Q, Archived: httpserver.BoolOrNil(in.Archived), Unread: httpserver.IsTrue(in.Unread), Kind: in.Kind,
		Channel: kernel.ID(in.Channel), Sector: kernel.ID(in.Sector), Label: kernel.ID(in.Label), Contact: kernel.ID(in.Contact), Limit: in.Limit, Offset: in.Offset,
	}
	var err error
	if f.Assignee, f.Unassigned, err = AssigneeFilter(a, in.Assignee); err != nil {
		return nil, err
	}
	page, err := s.verbs.Conversations(ctx, a, f, in.Cursor)
	return httpserver.Body(conversationList{page.Data, in.Limit, in.Offset, page.More, kernel.TextOrNil(page.Next)}, err)
}

// AssigneeFilter parses the query parameter assignee: the id of a person, "me" or "none".
func AssigneeFilter(a *kernel.Principal, text string) (person kernel.ID, none bool, err error) {
	switch text {
	case "":
		return kernel.ID{}, false, nil
	case "none":
		return kernel.ID{}, true, nil
	case "me":
		return a.User.ID, false, nil
	}
	id, ok := httpserver.ParseFilterID(text)
	if !ok {
		return kernel.ID{}, false, kernel.Malformed("query.assignee", "assignee")
	}
	return id, false, nil
}

type openConversationInput struct {
	Body struct{ NewConversation }
}

func (s *handlers) openConversation(ctx context.Context, a *kernel.Principal, in *openConversationInput) (*httpserver.Located[*Conversation], error) {
	response := httpserver.Shaped(ctx, func(o *Opened) *httpserver.Located[*Conversation] {
		out := &httpserver.Located[*Conversation]{Status: 200, Body: o.Conversation}
		if o.Created {
			out.Status, out.Location = 201, httpserver.At(ctx, "/conversations/"+o.Conversation.ID.String())
		}
		return out
	})
	opened, err := s.verbs.OpenConversation(ctx, a, in.Body.NewConversation)
	if err != nil {
		return nil, err
	}
	return response(&opened), nil
}

type updateConversationInput struct {
	httpserver.AtID
	Body struct{ ConversationChange } `required:"false"`
}

func (s *handlers) updateConversation(ctx context.Context, a *kernel.Principal, in *updateConversationInput) (*httpserver.Reply[*Conversation], error) {
	return httpserver.Body(s.verbs.UpdateConversation(ctx, a, kernel.ID(in.ID), in.Body.ConversationChange))
}

type snoozeInput struct {
	httpserver.AtID
	Body struct {
		Until kernel.Optional[time.Time] `json:"until" doc:"null ends snoozing."`
	}
}

func (s *handlers) snoozeConversation(ctx context.Context, a *kernel.Principal, in *snoozeInput) (*httpserver.Reply[*Conversation], error) {
	return httpserver.Body(s.verbs.Snooze(ctx, a, kernel.ID(in.ID), in.Body.Until.Pointer()))
}

type activityInput struct {
	httpserver.AtID
	Body struct {
		Kind string `json:"kind" enum:"viewing,typing,left"`
	}
}

func (s *handlers) postActivity(ctx context.Context, a *kernel.Principal, in *activityInput) (*httpserver.None, error) {
	return &httpserver.None{}, s.verbs.Activity(ctx, a, kernel.ID(in.ID), in.Body.Kind)
}
