package desk

import (
	"context"
	"time"

	"recado/internal/model"
	"recado/internal/store"
)

// status takes a report about a message that was sent. The provider's id names it, or the id that we
// gave along; a report about neither waits for its message.
func (in *inboundBatch) status(s *model.IncomingStatus) error {
	at := moment(s.At, in.tx.Now)
	conversation, found, err := in.tx.ConversationOfExternalID(in.channel.ID, s.ExternalID)
	if err != nil {
		return err
	}
	ours, isOurs := model.ParseID(s.ClientID)
	if !found && isOurs {
		if conversation, found, err = in.tx.ConversationOfMessage(in.channel.ID, ours); err != nil {
			return err
		}
	}
	if !found {
		in.tx.ParkStatus(in.channel.ID, s.ExternalID, store.EarlyStatus{Status: s.Status, Error: s.Error, At: at})
		return nil
	}
	t, err := in.locked(conversation)
	if err != nil || t == nil {
		return err
	}
	m, found, err := in.tx.MessageWithExternalID(in.channel.ID, s.ExternalID)
	if err == nil && !found && isOurs {
		m, _, found, err = in.tx.Message(in.channel.Company, ours)
	}
	if err != nil || !found {
		return err
	}
	return in.report(t, &m, s.ExternalID, store.EarlyStatus{Status: s.Status, Error: s.Error, At: at})
}

// locked opens a conversation of the channel by its id.
func (in *inboundBatch) locked(conversation model.ID) (*batchConversation, error) {
	if t := in.conversations[conversation]; t != nil {
		return t, nil
	}
	c, found, err := in.tx.LockConversation(in.channel.Company, conversation)
	if err != nil || !found {
		return nil, err
	}
	return in.hold(in.d.locked(in.tx, c)), nil
}

// report applies a status to a message of a locked conversation: forwards only. The message learns its
// external id; message.sent is raised once, when it is first known to have left, and message.updated when its
// status changes otherwise.
func (in *inboundBatch) report(t *batchConversation, m *model.Message, external string, s store.EarlyStatus) error {
	had := m.Left()
	learned, err := in.learns(m, external)
	if err != nil {
		return err
	}
	advanced := m.Advance(s.Status, s.At, s.Error)
	if learned {
		m.ExternalID = &external
	}
	if !learned && !advanced {
		return nil
	}
	in.tx.SaveMessageStatus(m)
	if !had {
		in.tx.DeleteSend(m.ID)
	}
	if had || !m.Left() {
		if !advanced {
			return nil
		}
		t.silent = false
		return t.emitUpdated(m, "status")
	}
	t.changed, t.loud, t.silent = true, true, false
	return t.emitWith(model.EventMessageSent, "message", m)
}

// learns reports whether an external id is news about a message. One that another message has is not
// believed: it would be the provider's mistake.
func (in *inboundBatch) learns(m *model.Message, external string) (bool, error) {
	if m.ExternalID != nil || external == "" || m.Direction != model.Outbound {
		return false, nil
	}
	_, taken, err := in.tx.ConversationOfExternalID(in.channel.ID, external)
	return !taken, err
}

// settleEarly applies the reports that came before their message knew its external id.
func (in *inboundBatch) settleEarly(t *batchConversation, m *model.Message) error {
	if m.ExternalID == nil {
		return nil
	}
	early, err := in.tx.TakeEarlyStatuses(in.channel.ID, *m.ExternalID)
	for _, s := range early {
		if err == nil {
			err = in.report(t, m, *m.ExternalID, s)
		}
	}
	return err
}

// How long a report waits for a message that this desk may never have sent, and a change for a message that
// may never come: WhatsApp repeats a callback for seven days.
const (
	earlyStatusLife = 24 * time.Hour
	earlyChangeLife = 7 * 24 * time.Hour
)

// SettleEarly applies reports and changes whose message learned its external id at the very moment they
// were put aside, and forgets those that have waited for too long.
func (d System) SettleEarly(ctx context.Context) error {
	var matches []store.EarlyMatch
	var stale bool
	_, err := read(ctx, d.Desk, func(tx *store.Tx) (_ struct{}, err error) {
		if matches, err = tx.EarlyMatches(receiveAtOnce); err != nil {
			return struct{}{}, err
		}
		changed, err := tx.EarlyChangeMatches(receiveAtOnce)
		if err != nil {
			return struct{}{}, err
		}
		matches = append(matches, changed...)
		if stale, err = tx.HasEarlyStatuses(tx.Now.Add(-earlyStatusLife)); err == nil && !stale {
			stale, err = tx.HasEarlyChanges(tx.Now.Add(-earlyChangeLife))
		}
		return struct{}{}, err
	})
	if err != nil || len(matches) == 0 && !stale {
		return err
	}
	for _, one := range matches { // each by itself: it locks its conversation
		if err := d.store.Write(ctx, func(tx *store.Tx) error { return d.settleMatch(tx, one) }); err != nil {
			return err
		}
	}
	_, err = write(ctx, d.Desk, func(tx *store.Tx) (struct{}, error) {
		tx.DropEarlyStatuses(tx.Now.Add(-earlyStatusLife))
		tx.DropEarlyChanges(tx.Now.Add(-earlyChangeLife))
		return struct{}{}, nil
	})
	return err
}

func (d *Desk) settleMatch(tx *store.Tx, one store.EarlyMatch) error {
	ch, found, err := tx.AnyChannel(one.Channel)
	if err != nil || !found {
		return err
	}
	in := d.inboundBatch(tx, ch)
	t, err := in.locked(one.Conversation)
	if err != nil || t == nil {
		return err
	}
	m, found, err := tx.MessageWithExternalID(ch.ID, one.ExternalID)
	if err != nil || !found {
		return err
	}
	if err := in.settleEarly(t, &m); err != nil {
		return err
	}
	if err := in.settleChanges(t, &m); err != nil {
		return err
	}
	return in.finish()
}
