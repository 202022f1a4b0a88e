package desk

import (
	"context"
	"slices"

	"recado/internal/model"
	"recado/internal/store"
)

// Notifications lists what the caller was told in the last 30 days about conversations that they may see now, the newest
// first, and counts what is unread. next is ""
// on the last page.
func (d *Desk) Notifications(ctx context.Context, a *Principal, unread bool, limit int, after string) (page []model.Notification, count int64, next string, err error) {
	if err := a.May(VerbNotifications); err != nil {
		return nil, 0, "", err
	}
	list, before := "notifications "+a.User.ID.String(), model.MaxID
	if after != "" {
		payload, invalid := d.cursors.Open(a.Company.ID, list, after)
		if invalid != nil {
			return nil, 0, "", invalid
		}
		before = model.ID(payload)
	}
	page, err = read(ctx, d, func(tx *store.Tx) (page []model.Notification, err error) {
		since := tx.Now.Add(-model.NotificationRetention)
		if count, err = tx.UnreadNotifications(a.Company.ID, a.User.ID, a.sight(), since); err != nil {
			return nil, err
		}
		return tx.Notifications(a.Company.ID, a.User.ID, a.sight(), unread, before, since, limit+1)
	})
	if err == nil && len(page) > limit {
		page = page[:limit]
		next = d.cursors.Seal(a.Company.ID, list, page[limit-1].ID[:])
	}
	return page, count, next, err
}

// ReadNotifications marks notifications of the caller as read: those with the ids, or all. Ids of no notification change
// nothing.
func (d *Desk) ReadNotifications(ctx context.Context, a *Principal, ids []model.ID, all bool) error {
	if err := a.May(VerbReadNotifications); err != nil {
		return err
	}
	if all == (len(ids) > 0) {
		return model.Invalid("body", "must have ids or all, and not both")
	}
	_, err := writeAnswer(ctx, d, func(tx *store.Tx) (struct{}, error) {
		n, err := tx.ReadNotifications(a.Company.ID, a.User.ID, ids, all)
		if n > 0 {
			tx.AfterCommit(func() {
				d.signal(Signal{Kind: SignalNotification, Company: a.Company.ID, Members: []model.ID{a.User.ID}, Activity: notificationsRead})
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
func (t *lockedConversation) notify(kind string, by *model.Ref, entry *model.ID, members ...model.ID) {
	var told []model.ID
	for _, member := range members {
		if by != nil && by.ID == member {
			continue
		}
		t.tx.InsertNotification(t.Company, member, t.ID, kind, refID(by), entry)
		told = append(told, member)
	}
	if len(told) == 0 {
		return
	}
	t.tx.AfterCommit(func() {
		for some := range slices.Chunk(told, signalMembers) {
			t.d.signal(Signal{Kind: SignalNotification, Company: t.Company, Conversation: t.ID, Members: some, Activity: kind})
		}
	})
}

// notifyAssigned tells a person who becomes responsible for the conversation in a sector.
func (t *lockedConversation) notifyAssigned(to *model.Ref, sector *model.ID, by *model.Ref) error {
	given := *t
	given.Assignee, given.Sector = &to.ID, sector // as they will see it
	return given.notifyIfSeen(model.NotifyAssigned, by, nil, to.ID)
}

// notifyHolder tells the responsible person, if there is one who may see the conversation.
func (t *lockedConversation) notifyHolder(kind string, entry *model.ID) error {
	if t.Assignee == nil {
		return nil
	}
	return t.notifyIfSeen(kind, nil, entry, *t.Assignee)
}

// notifyIfSeen is notify for one member, unless they have left the team or may not see the conversation.
func (t *lockedConversation) notifyIfSeen(kind string, by *model.Ref, entry *model.ID, member model.ID) error {
	if by != nil && by.ID == member {
		return nil
	}
	members, err := t.tx.KeepMemberSights(t.Company, []model.ID{member})
	if m := members[member]; err == nil && m != nil && memberSees(m, &t.Conversation) {
		t.notify(kind, by, entry, member)
	}
	return err
}

// notifyQueue tells the members of a sector, once the conversation is saved, that it has entered the queue. Private
// conversations are in no queue.
func (t *lockedConversation) notifyQueue() error {
	queue := queueOf(&t.Conversation)
	if queue == nil || same(queue, queueOf(&t.before)) || t.Private || t.silent {
		return nil
	}
	t.tx.AfterCommit(t.d.wakeups.Distribute.Notify)
	members, err := t.tx.SectorWatchers(t.Company, *queue)
	t.notify(model.NotifyWaiting, t.by, nil, members...)
	return err
}

// queueOf is the sector in whose queue a conversation is, if any: its attendance is open and has no responsible person, and no
// menu asks the customer where it belongs.
func queueOf(c *model.Conversation) *model.ID {
	if c.Attendance == nil || c.Assignee != nil || c.Reception != nil {
		return nil
	}
	return c.Sector
}

// notifyFailed tells of a message that could not be sent: the person who wrote it in the app, and for a message of an
// integration the responsible person.
func (t *lockedConversation) notifyFailed(m *model.Message) error {
	if m.Origin == model.OriginApp && m.SentBy != nil {
		return t.notifyIfSeen(model.NotifyMessageFailed, nil, &m.ID, m.SentBy.ID)
	}
	return t.notifyHolder(model.NotifyMessageFailed, &m.ID)
}
