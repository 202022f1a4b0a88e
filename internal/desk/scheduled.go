package desk

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"recado/internal/model"
	"recado/internal/store"
)

// NewScheduled is a message to be sent later.
type NewScheduled struct {
	ClientID      model.ID
	SendAt        time.Time
	Text          *string
	MediaID       *model.ID
	Template      *model.Template
	CancelOnReply bool
}

// ScheduledChange is what of a scheduled message is to change; nil leaves a part as it is. One of the parts of the content
// replaces the others.
type ScheduledChange struct {
	SendAt        *time.Time
	Text          *string
	MediaID       *model.ID
	Template      *model.Template
	CancelOnReply *bool
}

// ScheduledMessages lists the scheduled messages of a conversation, the last to be sent first. status "" means all. next is
// "" on the last page.
func (d *Desk) ScheduledMessages(ctx context.Context, a *Principal, conversation model.ID, status string, limit int, after string) (page []model.ScheduledMessage, next string, err error) {
	if err := a.May(VerbScheduledMessages); err != nil {
		return nil, "", err
	}
	list := "scheduled " + status + " " + conversation.String()
	var place store.ScheduledPlace
	if after != "" {
		payload, invalid := d.cursors.Open(a.Company.ID, list, after)
		if invalid != nil {
			return nil, "", invalid
		}
		place = store.ScheduledPlace{SendAt: time.UnixMilli(int64(binary.BigEndian.Uint64(payload))).UTC(), ID: model.ID(payload[8:])}
	}
	page, err = read(ctx, d, func(tx *store.Tx) ([]model.ScheduledMessage, error) {
		c, found, err := tx.Conversation(a.Company.ID, conversation)
		if err != nil || !found || !a.MaySee(&c) {
			return nil, errOr(err, model.NotFound("conversation"))
		}
		page, err := tx.Scheduled(a.Company.ID, conversation, status, place, limit+1)
		for i := range page {
			page[i].Warn(&c)
		}
		return page, err
	})
	if err == nil && len(page) > limit {
		page = page[:limit]
		last := &page[limit-1]
		next = d.cursors.Seal(a.Company.ID, list, append(binary.BigEndian.AppendUint64(nil, uint64(last.SendAt.UnixMilli())), last.ID[:]...))
	}
	return page, next, err
}

// ScheduleMessage keeps a message to be sent later in the name of the caller. Every rule of sending but that of the service
// window holds now, and all of them when it is sent. A client id that the conversation has seen gives the scheduled message
// of then, and replayed.
func (d *Desk) ScheduleMessage(ctx context.Context, a *Principal, conversation model.ID, in NewScheduled) (s model.ScheduledMessage, replayed bool, err error) {
	if err := a.May(VerbScheduleMessage); err != nil {
		return s, false, err
	}
	if in.ClientID.IsZero() {
		return s, false, model.Invalid("body.client_id", "must be a UUID that is not all zeros")
	}
	content := NewMessage{ClientID: in.ClientID, Text: in.Text, MediaID: in.MediaID, Template: in.Template}
	invalid := content.check()
	type kept struct {
		s        model.ScheduledMessage
		replayed bool
	}
	out, err := write(ctx, d, func(tx *store.Tx) (kept, error) {
		o, found, err := tx.LockOutbox(a.Company.ID, conversation, in.ClientID, a.User.ID)
		var earlier model.ScheduledMessage
		repeated := false
		if err == nil && found && a.MaySee(&o.Conversation) {
			earlier, repeated, err = tx.ScheduledWithClientID(a.Company.ID, in.ClientID)
		}
		switch {
		case err != nil:
			return kept{}, err
		case invalid != nil && !repeated: // a wrong form is refused first, unless the call repeats an earlier one
			return kept{}, invalid
		case !found || !a.MaySee(&o.Conversation):
			return kept{}, model.NotFound("conversation")
		case repeated && earlier.Conversation == conversation:
			earlier.Warn(&o.Conversation)
			return kept{earlier, true}, nil
		case repeated || o.Earlier:
			return kept{}, errScheduledClientID()
		}
		s, err := d.keepScheduled(tx, a, &o, &in, &content)
		return kept{s: s}, err
	})
	return out.s, out.replayed, err
}

// keepScheduled checks a new scheduled message and stores it.
func (d *Desk) keepScheduled(tx *store.Tx, a *Principal, o *store.Outbox, in *NewScheduled, content *NewMessage) (model.ScheduledMessage, error) {
	s := model.ScheduledMessage{
		ID: model.NewID(), ClientID: in.ClientID, Company: a.Company.ID, Conversation: o.Conversation.ID, Status: model.ScheduledWaiting,
		SendAt: in.SendAt.UTC().Truncate(time.Millisecond), Text: in.Text, MediaID: in.MediaID, Template: model.NewScheduledTemplate(in.Template),
		CancelOnReply: in.CancelOnReply, CreatedBy: a.User, CreatedAt: tx.Now, UpdatedAt: tx.Now,
	}
	if a.kind == KindKey {
		s.Key = &a.Key
	}
	if err := d.checkScheduled(tx, a, o, &s, content); err != nil {
		return s, err
	}
	n, err := tx.CountScheduled(a.Company.ID, s.Conversation)
	if err != nil {
		return s, err
	}
	if n >= model.MaxScheduled {
		return s, model.LimitReached("scheduled messages in one conversation", model.MaxScheduled)
	}
	if fresh, err := tx.InsertScheduled(&s); err != nil || !fresh { // the same client id won a race in another conversation
		return s, errOr(err, errScheduledClientID())
	}
	d.signalScheduled(tx, &o.Conversation)
	return s, nil
}

func errScheduledClientID() error {
	return model.Errorf(model.CodeClientIDConflict, "This client_id belongs to another message. Send a new one.")
}

// checkScheduled applies the limits of time, the rules of sending that hold already, and what the content refers to.
func (d *Desk) checkScheduled(tx *store.Tx, a *Principal, o *store.Outbox, s *model.ScheduledMessage, content *NewMessage) error {
	if ahead := s.SendAt.Sub(tx.Now); ahead < model.MinSchedule || ahead > model.MaxSchedule {
		return model.Invalid("body.send_at", "must be between 1 minute and 90 days from now")
	}
	t := d.locked(tx, o.Conversation)
	m := &model.Message{Conversation: t.ID, Company: t.Company, Channel: t.Channel, Text: content.Text}
	if _, err := d.fillMessage(tx, a, m, o, content); err != nil {
		return err
	}
	if err := sign(m, a, o, content); err != nil {
		return err
	}
	if err := mayWrite(t, a, o); err != nil {
		return err
	}
	s.Warn(&t.Conversation)
	return nil
}

// UpdateScheduled changes a message that is not sent yet: only the person in whose name it goes out may.
func (d *Desk) UpdateScheduled(ctx context.Context, a *Principal, id model.ID, in ScheduledChange) (model.ScheduledMessage, error) {
	if err := a.May(VerbUpdateScheduled); err != nil {
		return model.ScheduledMessage{}, err
	}
	return write(ctx, d, func(tx *store.Tx) (model.ScheduledMessage, error) {
		s, o, err := d.lockScheduled(tx, a, id)
		if err != nil {
			return s, err
		}
		if s.CreatedBy.ID != a.User.ID {
			return s, model.Errorf(model.CodeInsufficientRole, "Only the person who scheduled a message may change it.")
		}
		if in.SendAt != nil {
			s.SendAt = in.SendAt.UTC().Truncate(time.Millisecond)
		}
		set(&s.CancelOnReply, in.CancelOnReply)
		if in.Text != nil || in.MediaID != nil || in.Template != nil {
			s.Text, s.MediaID, s.Template = in.Text, in.MediaID, model.NewScheduledTemplate(in.Template)
		}
		content := scheduledContent(&s)
		if invalid := content.check(); invalid != nil {
			return s, invalid
		}
		if err := d.checkScheduled(tx, a, o, &s, &content); err != nil {
			return s, err
		}
		s.UpdatedAt = tx.Now
		d.signalScheduled(tx, &o.Conversation)
		return s, tx.SaveScheduled(&s)
	})
}

// CancelScheduled cancels a message that is not sent yet: the person who scheduled it, the responsible person, or managers
// and above.
func (d *Desk) CancelScheduled(ctx context.Context, a *Principal, id model.ID) error {
	if err := a.May(VerbCancelScheduled); err != nil {
		return err
	}
	_, err := write(ctx, d, func(tx *store.Tx) (struct{}, error) {
		s, o, err := d.lockScheduled(tx, a, id)
		if err != nil {
			return struct{}{}, err
		}
		if s.CreatedBy.ID != a.User.ID && !same(o.Conversation.Assignee, &a.User.ID) && !a.Role.AtLeast(model.RoleManager) {
			return struct{}{}, model.Errorf(model.CodeInsufficientRole,
				"Only the person who scheduled a message, the responsible person and members with the role manager or above may cancel it.")
		}
		s.Status, s.UpdatedAt = model.ScheduledCancelled, tx.Now
		d.signalScheduled(tx, &o.Conversation)
		return struct{}{}, tx.SaveScheduled(&s)
	})
	return err
}

// lockScheduled opens a message that is not sent yet, in a conversation that the principal may see.
func (d *Desk) lockScheduled(tx *store.Tx, a *Principal, id model.ID) (s model.ScheduledMessage, o *store.Outbox, err error) {
	s, found, err := tx.ScheduledMessage(a.Company.ID, id)
	if err != nil || !found {
		return s, nil, errOr(err, model.NotFound("scheduled message"))
	}
	box, found, err := tx.LockOutbox(a.Company.ID, s.Conversation, s.ClientID, a.User.ID)
	if err != nil || !found || !a.MaySee(&box.Conversation) {
		return s, nil, errOr(err, model.NotFound("scheduled message"))
	}
	s, found, err = tx.ScheduledMessage(a.Company.ID, id) // it may have been sent before the lock
	if err != nil || !found {
		return s, nil, errOr(err, model.NotFound("scheduled message"))
	}
	if s.Status != model.ScheduledWaiting {
		return s, nil, model.Errorf(model.CodeNotScheduled, "This message is not scheduled any more: it is %s.", s.Status)
	}
	return s, &box, nil
}

// scheduledContent is the message that a scheduled one becomes.
func scheduledContent(s *model.ScheduledMessage) NewMessage {
	return NewMessage{ClientID: s.ClientID, Text: s.Text, MediaID: s.MediaID, Template: s.Template.Template()}
}

// signalScheduled tells the live streams, once the change is durable, that the scheduled messages of a conversation are
// different.
func (d *Desk) signalScheduled(tx *store.Tx, c *model.Conversation) {
	s := Signal{Kind: SignalScheduled, Company: c.Company, Conversation: c.ID, Is: c.Visibility()}
	tx.AfterCommit(func() { d.signal(s) })
}

// SendScheduled sends up to limit scheduled messages whose time has come, and gives how many it looked at. Each is sent and
// marked as sent in one transaction, with its conversation locked: any number of nodes may do this at the same time, and a
// crash loses none and sends none twice.
func (d System) SendScheduled(ctx context.Context, limit int) (int, error) {
	due, err := read(ctx, d.Desk, func(tx *store.Tx) ([]store.Due, error) { return tx.DueScheduled(limit) })
	if err != nil {
		return 0, err
	}
	byConversation := map[model.ID][]store.Due{} // in the order of their times
	for _, s := range due {
		byConversation[s.Conversation] = append(byConversation[s.Conversation], s)
	}
	var g errgroup.Group
	g.SetLimit(8)
	for _, some := range byConversation {
		g.Go(func() error {
			for _, s := range some {
				if err := d.sendOneScheduled(d.Bind(ctx, s.Company), s); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return len(due), g.Wait()
}

// sendOneScheduled sends a message, or notes why that cannot be. What may be different a moment later is left as it is.
func (d *Desk) sendOneScheduled(ctx context.Context, due store.Due) error {
	err := d.store.Write(ctx, func(tx *store.Tx) error { return d.sendScheduled(tx, due) })
	refused, known := errors.AsType[*model.Error](err)
	if !known || slices.Contains([]model.Code{model.CodeUnavailable, model.CodeUncertain, model.CodeRateLimited, model.CodeStorageFull}, refused.Code) {
		return err
	}
	return d.store.Write(ctx, func(tx *store.Tx) error {
		return d.failScheduled(tx, due, &model.MessageError{Code: string(refused.Code), Message: refused.Message})
	})
}

// sendScheduled sends a message in the name of the person or key that scheduled it, with all the rules that hold now.
func (d *Desk) sendScheduled(tx *store.Tx, due store.Due) error {
	o, s, err := lockDue(tx, due)
	if err != nil || s == nil {
		return err
	}
	if tx.Now.Sub(s.SendAt) > model.ScheduleLate {
		return model.Errorf(model.ErrorTooLate, "It was due more than an hour ago, while the server did not run.")
	}
	a, err := d.scheduler(tx, s)
	if err != nil {
		return err
	}
	if err := a.May(VerbSendMessage); err != nil {
		return err
	}
	if !a.MaySee(&o.Conversation) {
		return model.Errorf(model.CodeNotVisible, "%s may not see this conversation any more.", a.User.Name)
	}
	var sent accepted
	if o.Earlier {
		sent, err = d.sentBefore(tx, a, s.Conversation, s.ClientID)
	} else {
		content := scheduledContent(s)
		sent, err = d.send(tx, a, o, &content)
	}
	if err != nil {
		return err
	}
	s.Status, s.Message, s.UpdatedAt = model.ScheduledSent, &sent.message.ID, tx.Now
	d.signalScheduled(tx, &o.Conversation)
	return tx.SaveScheduled(s)
}

// lockDue opens a scheduled message that is still due, and its conversation; nil when another node or a person was faster.
func lockDue(tx *store.Tx, due store.Due) (*store.Outbox, *model.ScheduledMessage, error) {
	o, found, err := tx.LockOutbox(due.Company, due.Conversation, due.ClientID, due.Member)
	if err != nil || !found {
		return nil, nil, err
	}
	s, found, err := tx.ScheduledMessage(due.Company, due.ID)
	if err != nil || !found || s.Status != model.ScheduledWaiting || s.SendAt.After(tx.Now) || s.Conversation != due.Conversation {
		return nil, nil, err
	}
	return &o, &s, nil
}

// scheduler is the principal in whose name a message is sent, as it is now.
func (d *Desk) scheduler(tx *store.Tx, s *model.ScheduledMessage) (*Principal, error) {
	members, err := tx.KeepMemberSights(s.Company, []model.ID{s.CreatedBy.ID})
	if err != nil {
		return nil, err
	}
	m := members[s.CreatedBy.ID]
	if m == nil {
		return nil, model.Errorf(model.ErrorSenderRemoved, "%s has left the team.", s.CreatedBy.Name)
	}
	company := model.Company{ID: s.Company}
	if s.Key == nil {
		return memberPrincipal(company, m), nil
	}
	key, _, found, err := tx.Key(s.Company, *s.Key)
	if err != nil {
		return nil, err
	}
	limits, err := tx.KeyLimits(s.Company, *s.Key)
	switch {
	case err != nil:
		return nil, err
	case !found || key.RevokedAt != nil || revokedBy(limits):
		return nil, model.Errorf(model.CodeKeyRevoked, "The API key that scheduled it was revoked.")
	case key.ExpiresAt != nil && !tx.Now.Before(*key.ExpiresAt):
		return nil, model.Errorf(model.CodeKeyExpired, "The API key that scheduled it has expired.")
	}
	return KeyPrincipal(company, Member{User: m.User, Role: m.Role, Profile: m.Profile, Sectors: m.Sectors}, key, limits...), nil
}

// failScheduled notes why a message was not sent and tells the person who scheduled it.
func (d *Desk) failScheduled(tx *store.Tx, due store.Due, why *model.MessageError) error {
	o, s, err := lockDue(tx, due)
	if err != nil || s == nil {
		return err
	}
	s.Status, s.Error, s.UpdatedAt = model.ScheduledFailed, why, tx.Now
	t := d.locked(tx, o.Conversation)
	if s.Key == nil {
		err = t.notifyIfSeen(model.NotifyMessageFailed, nil, nil, s.CreatedBy.ID)
	} else {
		err = t.notifyHolder(model.NotifyMessageFailed, nil)
	}
	if err != nil {
		return err
	}
	d.signalScheduled(tx, &o.Conversation)
	return tx.SaveScheduled(s)
}
