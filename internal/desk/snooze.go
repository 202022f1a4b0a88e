package desk

import (
	"context"
	"time"

	"recado/internal/model"
	"recado/internal/store"
)

// Snooze puts a conversation aside until a time, or takes it back with nil. A message of the customer or the time brings
// it back, unread.
func (d *Desk) Snooze(ctx context.Context, a *Principal, id model.ID, until *time.Time) (*model.Conversation, error) {
	if err := a.May(VerbSnooze); err != nil {
		return nil, err
	}
	if until != nil {
		at := until.UTC().Truncate(time.Millisecond)
		if !at.After(d.now()) {
			return nil, model.Invalid("body.until", "must be in the future")
		}
		until = &at
	}
	return write(ctx, d, func(tx *store.Tx) (*model.Conversation, error) {
		t, err := d.lock(tx, a, id)
		if err != nil {
			return nil, err
		}
		t.SnoozedUntil = until
		return t.saveIfChanged()
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
		return t.save()
	})
}

// MarkUnread lets a conversation that was read count as unread again.
func (d *Desk) MarkUnread(ctx context.Context, a *Principal, id model.ID) (*model.Conversation, error) {
	if err := a.May(VerbMarkUnread); err != nil {
		return nil, err
	}
	return write(ctx, d, func(tx *store.Tx) (*model.Conversation, error) {
		t, err := d.lock(tx, a, id)
		if err != nil {
			return nil, err
		}
		t.UnreadCount = max(1, t.UnreadCount)
		return t.saveIfChanged()
	})
}

// Take makes the principal responsible for a conversation. Where attendances are restricted, a member below manager
// takes over only what has no responsible person.
func (d *Desk) Take(ctx context.Context, a *Principal, id model.ID) (*model.Conversation, error) {
	if err := a.May(VerbTake); err != nil {
		return nil, err
	}
	return write(ctx, d, func(tx *store.Tx) (*model.Conversation, error) {
		t, err := d.lock(tx, a, id)
		if err != nil {
			return nil, err
		}
		if t.Assignee != nil && *t.Assignee == a.User.ID {
			return &t.Conversation, nil
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
		return &t.Conversation, t.save()
	})
}

// saveIfChanged saves the conversation unless nothing that a reader sees has changed.
func (t *lockedConversation) saveIfChanged() (*model.Conversation, error) {
	t.Unread = t.UnreadCount > 0
	if len(changedFields(&t.before, &t.Conversation)) == 0 {
		return &t.Conversation, nil
	}
	return &t.Conversation, t.save()
}
