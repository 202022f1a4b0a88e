package talk

import (
	"context"
	"slices"
	"time"

	"recado/internal/channels"
	"recado/internal/channels/provider"
	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/people"
)

// The kinds of notifications.
const (
	NotifyAssigned      = "assigned"             // another person made the member responsible
	NotifyMentioned     = "mentioned"            // a note names the member
	NotifyWaiting       = "waiting"              // a conversation entered the queue of one of the member's sectors
	NotifySnoozeEnded   = "snooze_ended"         // a conversation for which the member is responsible came back
	NotifyMessageFailed = "message_failed"       // a message of the member could not be sent
	NotifySLAWarning    = "sla_warning"          // a target of the service level is nearly due
	NotifySLABreached   = "sla_breached"         // a target of the service level was missed
	NotifyBudgetWarning = "budget_warning"       // the budget of the month is nearly used up
	NotifyDisconnected  = "channel_disconnected" // WhatsApp ended the link of a number
)

// NotificationRetention is the time after which notifications are deleted.
const NotificationRetention = 30 * 24 * time.Hour

// Notification informs a member of something that happened in a conversation or in the company.
type Notification struct {
	ID           kernel.ID   `json:"id"`
	Kind         string      `json:"kind" enum:"assigned,mentioned,waiting,snooze_ended,message_failed,sla_warning,sla_breached,budget_warning,channel_disconnected"`
	Conversation *kernel.Ref `json:"conversation" doc:"null for the kinds budget_warning and channel_disconnected."`
	By           *kernel.Ref `json:"by" doc:"The person who caused the notification; null if it was the system or a customer."`
	Entry        *kernel.ID  `json:"entry" doc:"The note that contains the mention, or the message that failed: pass it to the timeline as around. The channel of channel_disconnected. null for other kinds."`
	CreatedAt    time.Time   `json:"created_at"`
	ReadAt       *time.Time  `json:"read_at"`
}

// Notifications lists the caller's notifications of the last 30 days, newest first, and counts the unread ones. It leaves
// out conversations that the caller may not see now. next is "" on the last page.
func (d *Talk) Notifications(ctx context.Context, a *kernel.Principal, unread bool, limit int, after string) (page []Notification, count int64, next string, err error) {
	list, before := "notifications "+a.User.ID.String(), kernel.MaxID
	if after != "" {
		payload, invalid := d.Cursors.Open(a.Company.ID, list, after)
		if invalid != nil {
			return nil, 0, "", invalid
		}
		before = kernel.ID(payload)
	}
	page, err = kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (page []Notification, err error) {
		since := tx.Now.Add(-NotificationRetention)
		if count, err = unreadNotifications(tx, a.Company.ID, a.User.ID, a.Sight(), since); err != nil {
			return nil, err
		}
		return listNotifications(tx, a.Company.ID, a.User.ID, a.Sight(), unread, before, since, limit+1)
	})
	if err == nil && len(page) > limit {
		page = page[:limit]
		next = d.Cursors.Seal(a.Company.ID, list, page[limit-1].ID[:])
	}
	return page, count, next, err
}

// ReadNotifications marks notifications of the caller as read: those with the given ids, or all. Unknown ids are ignored.
func (d *Talk) ReadNotifications(ctx context.Context, a *kernel.Principal, ids []kernel.ID, all bool) error {
	if all == (len(ids) > 0) {
		return kernel.ExactlyOne("body", "ids", "all")
	}
	_, err := kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (struct{}, error) {
		n, err := readNotifications(tx, a.Company.ID, a.User.ID, ids, all)
		if n > 0 {
			tx.AfterCommit(func() {
				d.Signal(notificationSignal(a.Company.ID, nil, notificationsRead, []kernel.ID{a.User.ID}))
			})
		}
		return struct{}{}, err
	})
	return err
}

const (
	notificationsRead = "read" // the kind of the signal that a member has read notifications
	signalMembers     = 100    // the members of one signal, because the size of messages between nodes is limited
)

// notify stores a notification for each of the members except the one who caused it. entry is the note or message that it
// is about, or nil.
func (t *LockedConversation) notify(kind string, by *kernel.Ref, entry *kernel.ID, members ...kernel.ID) {
	notified := t.d.storeNotifications(t.Tx, t.Company, &t.ID, kind, by, entry, members)
	for i := range t.d.observers {
		if len(notified) > 0 {
			t.d.observers[i].Notified(t, kind, entry, notified)
		}
	}
}

// storeNotifications stores a notification for each of the members except the one who caused it, and returns those members.
// conversation is nil if it is about the company.
func (d *Talk) storeNotifications(tx *kernel.Tx, company kernel.ID, conversation *kernel.ID, kind string, by *kernel.Ref, entry *kernel.ID, members []kernel.ID) (notified []kernel.ID) {
	for _, member := range members {
		if by != nil && by.ID == member {
			continue
		}
		tx.Later(`
			INSERT INTO notifications (company, member, id, kind, conversation, by_member, entry, created_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
			company, member, kernel.NewID(), kind, conversation, kernel.RefID(by), entry, tx.Now)
		notified = append(notified, member)
	}
	if len(notified) == 0 {
		return nil
	}
	tx.AfterCommit(func() {
		for batch := range slices.Chunk(notified, signalMembers) {
			d.Signal(notificationSignal(company, conversation, kind, batch))
		}
	})
	return notified
}

// notifyAssigned notifies a member who becomes responsible for the conversation.
func (t *LockedConversation) notifyAssigned(to *kernel.Ref, sector *kernel.ID, by *kernel.Ref) error {
	assigned := *t
	assigned.Assignee, assigned.Sector = &to.ID, sector
	_, err := assigned.notifyIfSeen(NotifyAssigned, by, nil, to.ID)
	return err
}

// notifyHolder notifies the responsible member, if any.
func (t *LockedConversation) notifyHolder(kind string, entry *kernel.ID) error {
	if t.Assignee == nil {
		return nil
	}
	_, err := t.notifyIfSeen(kind, nil, entry, *t.Assignee)
	return err
}

// notifyIfSeen notifies a member who may see the conversation and has not left the team. It reports whether the member was notified.
func (t *LockedConversation) notifyIfSeen(kind string, by *kernel.Ref, entry *kernel.ID, member kernel.ID) (seen bool, err error) {
	members, err := people.KeepMemberSights(t.Tx, t.Company, []kernel.ID{member})
	m := members[member]
	if seen = err == nil && m != nil && memberSees(m, &t.Conversation); seen {
		t.notify(kind, by, entry, member)
	}
	return seen, err
}

// notifyQueue notifies the members of a sector who may see its queue if the conversation has entered it. Private conversations
// have no queue.
func (t *LockedConversation) notifyQueue() error {
	queue := QueueOf(&t.Conversation)
	if queue == nil || kernel.Same(queue, QueueOf(&t.before)) || t.Private || t.silent {
		return nil
	}
	t.Tx.AfterCommit(t.d.Wakeup(people.WakeDistribute).Notify)
	return t.notifySector(NotifyWaiting, t.by, *queue)
}

// notifySector notifies the members of a sector who may see its queue.
func (t *LockedConversation) notifySector(kind string, by *kernel.Ref, sector kernel.ID) error {
	members, err := t.Tx.IDs(`
		SELECT u.id
		FROM sector_members m
		JOIN users u ON u.company = m.company AND u.id = m.member
		WHERE m.company = $1 AND m.sector = $2 AND u.removed_at IS NULL AND u.access_profile <> 'own'
		ORDER BY m.member`, t.Company, sector)
	t.notify(kind, by, nil, members...)
	return err
}

// AnnounceTarget announces that a target of the service level of the attendance is nearly due or, if breached is set, was missed.
// It notifies the responsible member, or the members of the sector if there is none.
func (t *LockedConversation) AnnounceTarget(att *Attendance, target string, breached bool) error {
	event, kind := EventSLAWarning, NotifySLAWarning
	if breached {
		event, kind = EventSLABreached, NotifySLABreached
	}
	err := t.emit(event, member{"attendance", att}, member{"conversation", &t.Conversation}, member{"target", target})
	switch responsible := kernel.RefID(att.Responsible); {
	case err != nil || t.silent:
		return err
	case responsible != nil:
		_, err := t.notifyIfSeen(kind, nil, nil, *responsible)
		return err
	case att.Sector == nil || t.Private:
		return nil
	}
	return t.notifySector(kind, nil, *att.Sector)
}

// QueueOf returns the sector whose queue contains the conversation, or nil. A conversation is in the queue if its attendance is
// open, nobody is responsible, and no menu is waiting for the customer to choose.
func QueueOf(c *Conversation) *kernel.ID {
	if c.Attendance == nil || c.Assignee != nil || c.Reception != nil {
		return nil
	}
	return c.Sector
}

// notifyFailed notifies the member who wrote a message in the app that it could not be sent. For a message of an integration it
// notifies the responsible member.
func (t *LockedConversation) notifyFailed(m *Message) error {
	if m.Origin == provider.OriginApp && m.SentBy != nil {
		_, err := t.notifyIfSeen(NotifyMessageFailed, nil, &m.ID, m.SentBy.ID)
		return err
	}
	return t.notifyHolder(NotifyMessageFailed, &m.ID)
}

// PurgeTalk deletes a batch of old notifications and renderings and reports whether there are more.
func (d *Talk) PurgeTalk(ctx context.Context) (more bool, err error) {
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (more bool, err error) {
		for _, old := range []struct {
			table, key string
			kept       time.Duration
		}{
			{"notifications", "company, member, id", NotificationRetention},
			{"reply_renderings", "company, member, conversation, reply", RenderingRetention},
		} {
			n, err := tx.Exec(`
				DELETE /* all companies: purge by age */ FROM `+old.table+`
				WHERE (`+old.key+`) IN (SELECT `+old.key+` FROM `+old.table+` WHERE created_at < $1 ORDER BY created_at LIMIT $2)`,
				tx.Now.Add(-old.kept), kernel.PurgeStep)
			if err != nil {
				return false, err
			}
			more = more || n >= kernel.PurgeStep
		}
		return more, nil
	})
}

type listNotificationsInput struct {
	Unread string `query:"unread" enum:"true,false,1,0" doc:"Set to true to return only unread notifications."`
	Limit  int    `query:"limit" minimum:"1" maximum:"100" default:"30" doc:"The maximum number of entries."`
	Cursor string `query:"cursor" doc:"The next_cursor of the previous page."`
}

type notificationList struct {
	Data        []Notification `json:"data"`
	NextCursor  *string        `json:"next_cursor" doc:"Pass it as cursor to get the next page; null on the last page."`
	UnreadCount int64          `json:"unread_count" doc:"The number of unread notifications, including those not on this page."`
}

func (s *handlers) listNotifications(ctx context.Context, a *kernel.Principal, in *listNotificationsInput) (*httpserver.Reply[notificationList], error) {
	page, unread, next, err := s.verbs.Notifications(ctx, a, httpserver.IsTrue(in.Unread), in.Limit, in.Cursor)
	return httpserver.Body(notificationList{Data: page, NextCursor: kernel.TextOrNil(next), UnreadCount: unread}, err)
}

type readNotificationsInput struct {
	Body struct {
		IDs []kernel.ID `json:"ids,omitempty" maxItems:"100"`
		All bool        `json:"all,omitempty" doc:"Set to true to mark all notifications as read. Cannot be combined with ids."`
	}
}

func (s *handlers) readNotifications(ctx context.Context, a *kernel.Principal, in *readNotificationsInput) (*httpserver.None, error) {
	return &httpserver.None{}, s.verbs.ReadNotifications(ctx, a, in.Body.IDs, in.Body.All)
}

// listNotifications returns up to limit notifications of a member with ids below before, created after since, about the company
// or conversations in sight, newest first.
func listNotifications(tx *kernel.Tx, company, member kernel.ID, sight kernel.Sight, unread bool, before kernel.ID, since time.Time, limit int) ([]Notification, error) {
	s := tx.Statement()
	s.WriteString(`
		SELECT n.id, n.kind, n.conversation, c.name, n.created_at, n.read_at, n.entry, n.by_member, u.name AS by_name
		FROM notifications n
		LEFT JOIN conversations c ON c.company = n.company AND c.id = n.conversation
		LEFT JOIN users u ON u.company = n.company AND u.id = n.by_member
		WHERE n.company = ` + s.Arg(company) + ` AND n.member = ` + s.Arg(member) + ` AND n.id < ` + s.Arg(before) + ` AND n.created_at > ` + s.Arg(since))
	s.And(aboutSeen(s, sight))
	if unread {
		s.And("n.read_at IS NULL")
	}
	s.WriteString("\n\t\tORDER BY n.id DESC\n\t\tLIMIT " + s.Arg(limit))
	return kernel.Rows(tx, s.String(), s.Args, func(r db.Row) Notification {
		return Notification{
			ID: r.ID("id"), Kind: r.Text("kind"), Conversation: scanRef(r, "conversation", "name"),
			CreatedAt: r.Time("created_at"), ReadAt: r.NullTime("read_at"), Entry: r.NullID("entry"), By: scanRef(r, "by_member", "by_name"),
		}
	})
}

// aboutSeen returns the condition that a notification n is about the company or about a conversation c in sight.
func aboutSeen(s *db.Statement, sight kernel.Sight) string {
	return "(n.conversation IS NULL OR c.id IS NOT NULL AND (" + sight.Conversations(s, "c") + "))"
}

// unreadNotifications counts the unread notifications of a member, created after since, about the company or conversations in
// sight.
func unreadNotifications(tx *kernel.Tx, company, member kernel.ID, sight kernel.Sight, since time.Time) (n int64, err error) {
	s := tx.Statement()
	s.WriteString(`
		SELECT COUNT(*) AS total
		FROM notifications n
		LEFT JOIN conversations c ON c.company = n.company AND c.id = n.conversation
		WHERE n.company = ` + s.Arg(company) + ` AND n.member = ` + s.Arg(member) + ` AND n.read_at IS NULL AND n.created_at > ` + s.Arg(since))
	s.And(aboutSeen(s, sight))
	_, err = tx.One(s.String(), s.Args, func(r db.Row) { n = r.Int("total") })
	return n, err
}

// readNotifications marks notifications of a member as read, those with the ids or all, and returns how many changed.
func readNotifications(tx *kernel.Tx, company, member kernel.ID, ids []kernel.ID, all bool) (int64, error) {
	s := tx.Statement()
	s.WriteString(`UPDATE notifications SET read_at = ` + s.Arg(tx.Now) + ` WHERE company = ` + s.Arg(company) + ` AND member = ` + s.Arg(member) + ` AND read_at IS NULL`)
	if !all {
		s.And("id IN (" + db.Listed(ids)(s) + ")")
	}
	return tx.Exec(s.String(), s.Args...)
}

// warnOwners notifies the owners, or the viewers of a private channel, that WhatsApp ended the link of a number.
func (d *Talk) warnOwners(tx *kernel.Tx, ch *channels.Channel, _ provider.Reason) error {
	members, err := tx.IDs(`
		SELECT u.id
		FROM users u
		WHERE u.company = $1 AND u.removed_at IS NULL
			AND (NOT $3 AND u.role = 'owner' OR $3 AND EXISTS (
				SELECT 1 FROM channel_viewers v WHERE v.company = u.company AND v.channel = $2 AND v.member = u.id))
		ORDER BY u.id`, ch.Company, ch.ID, ch.Private)
	d.NotifyCompany(tx, ch.Company, NotifyDisconnected, &ch.ID, members...)
	return err
}
