package talk

import (
	"context"
	"slices"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/people"
)

// The kinds of notifications.
const (
	NotifyAssigned      = "assigned"       // another person made the member responsible
	NotifyMentioned     = "mentioned"      // a note names the member
	NotifyWaiting       = "waiting"        // a conversation entered the queue of one of the member's sectors
	NotifySnoozeEnded   = "snooze_ended"   // a conversation for which the member is responsible came back
	NotifyMessageFailed = "message_failed" // a message of the member could not be sent
)

// NotificationRetention is how long notifications are kept.
const NotificationRetention = 30 * 24 * time.Hour

// Notification tells a member of something in a conversation.
type Notification struct {
	ID           kernel.ID   `json:"id"`
	Kind         string      `json:"kind" enum:"assigned,mentioned,waiting,snooze_ended,message_failed"`
	Conversation kernel.Ref  `json:"conversation"`
	By           *kernel.Ref `json:"by" doc:"The person who caused it; null for the system and for customers."`
	Entry        *kernel.ID  `json:"entry" doc:"The note of a mention, or the message that failed: the timeline takes it as around. Null for other kinds."`
	CreatedAt    time.Time   `json:"created_at"`
	ReadAt       *time.Time  `json:"read_at"`
}

// Notifications lists what the caller was told in the last 30 days about conversations that they may see now, the newest
// first, and counts what is unread. next is ""
// on the last page.
func (d *Talk) Notifications(ctx context.Context, a *kernel.Principal, unread bool, limit int, after string) (page []Notification, count int64, next string, err error) {
	if err := a.May(VerbNotifications); err != nil {
		return nil, 0, "", err
	}
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

// ReadNotifications marks notifications of the caller as read: those with the ids, or all. Ids of no notification change
// nothing.
func (d *Talk) ReadNotifications(ctx context.Context, a *kernel.Principal, ids []kernel.ID, all bool) error {
	if err := a.May(VerbReadNotifications); err != nil {
		return err
	}
	if all == (len(ids) > 0) {
		return kernel.ExactlyOne("body", "ids", "all")
	}
	_, err := kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (struct{}, error) {
		n, err := readNotifications(tx, a.Company.ID, a.User.ID, ids, all)
		if n > 0 {
			tx.AfterCommit(func() {
				d.Signal(notificationSignal(a.Company.ID, kernel.ID{}, notificationsRead, []kernel.ID{a.User.ID}))
			})
		}
		return struct{}{}, err
	})
	return err
}

const (
	// notificationsRead is the kind of the signal when a person has read notifications.
	notificationsRead = "read"

	// signalMembers is how many members one signal names at most: what nodes tell each other has a limit of length.
	signalMembers = 100
)

// notify adds a notification for members, except for the person who caused it, in the transaction of the cause. entry is
// the note or the message that it tells of, if any.
func (t *LockedConversation) notify(kind string, by *kernel.Ref, entry *kernel.ID, members ...kernel.ID) {
	var told []kernel.ID
	for _, member := range members {
		if by != nil && by.ID == member {
			continue
		}
		insertNotification(t.Tx, t.Company, member, t.ID, kind, kernel.RefID(by), entry)
		told = append(told, member)
	}
	if len(told) == 0 {
		return
	}
	t.Tx.AfterCommit(func() {
		for some := range slices.Chunk(told, signalMembers) {
			t.d.Signal(notificationSignal(t.Company, t.ID, kind, some))
		}
	})
}

// notifyAssigned tells a person who becomes responsible for the conversation in a sector.
func (t *LockedConversation) notifyAssigned(to *kernel.Ref, sector *kernel.ID, by *kernel.Ref) error {
	given := *t
	given.Assignee, given.Sector = &to.ID, sector // as they will see it
	return given.notifyIfSeen(NotifyAssigned, by, nil, to.ID)
}

// notifyHolder tells the responsible person, if there is one who may see the conversation.
func (t *LockedConversation) notifyHolder(kind string, entry *kernel.ID) error {
	if t.Assignee == nil {
		return nil
	}
	return t.notifyIfSeen(kind, nil, entry, *t.Assignee)
}

// notifyIfSeen is notify for one member, unless they have left the team or may not see the conversation.
func (t *LockedConversation) notifyIfSeen(kind string, by *kernel.Ref, entry *kernel.ID, member kernel.ID) error {
	if by != nil && by.ID == member {
		return nil
	}
	members, err := people.KeepMemberSights(t.Tx, t.Company, []kernel.ID{member})
	if m := members[member]; err == nil && m != nil && memberSees(m, &t.Conversation) {
		t.notify(kind, by, entry, member)
	}
	return err
}

// notifyQueue tells the members of a sector, once the conversation is saved, that it has entered the queue. Private
// conversations are in no queue.
func (t *LockedConversation) notifyQueue() error {
	queue := QueueOf(&t.Conversation)
	if queue == nil || kernel.Same(queue, QueueOf(&t.before)) || t.Private || t.silent {
		return nil
	}
	t.Tx.AfterCommit(t.d.Wakeup(people.WakeDistribute).Notify)
	members, err := sectorWatchers(t.Tx, t.Company, *queue)
	t.notify(NotifyWaiting, t.by, nil, members...)
	return err
}

// QueueOf is the sector in whose queue a conversation is, if any: its attendance is open and has no responsible person, and no
// menu asks the customer where it belongs.
func QueueOf(c *Conversation) *kernel.ID {
	if c.Attendance == nil || c.Assignee != nil || c.Reception != nil {
		return nil
	}
	return c.Sector
}

// notifyFailed tells of a message that could not be sent: the person who wrote it in the app, and for a message of an
// integration the responsible person.
func (t *LockedConversation) notifyFailed(m *Message) error {
	if m.Origin == provider.OriginApp && m.SentBy != nil {
		return t.notifyIfSeen(NotifyMessageFailed, nil, &m.ID, m.SentBy.ID)
	}
	return t.notifyHolder(NotifyMessageFailed, &m.ID)
}

// PurgeTalk deletes old notifications and renderings, and reports whether there are more.
func (d *Talk) PurgeTalk(ctx context.Context) (more bool, err error) {
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (bool, error) {
		notifications, err := purgeNotifications(tx, tx.Now.Add(-NotificationRetention), kernel.PurgeStep)
		if err != nil {
			return false, err
		}
		renderings, err := purgeRenderings(tx, tx.Now.Add(-RenderingRetention), kernel.PurgeStep)
		return notifications >= kernel.PurgeStep || renderings >= kernel.PurgeStep, err
	})
}
