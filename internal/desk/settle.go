package desk

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"recado/internal/model"
	"recado/internal/phone"
	"recado/internal/store"
)

// A channel that becomes private or public changes who sees its history with one flag, see store.Sight. The copies of the flag that
// lists are indexed by, and the pools of contacts, follow here: as much as settleAtOnce allows before the change is
// answered, and the rest in the background. A transaction that needs one of the people earlier settles that person itself.
const (
	settleBatch  = 100
	settleAtOnce = 3 * time.Second
)

// settling is how far this node has gone through what it could not settle at first, per channel.
type settling struct {
	mu     sync.Mutex
	held   bool
	places map[model.ID]settlePlace
}

// settlePlace is a place in a round through the conversations and contacts of a channel that are in the wrong pool.
type settlePlace struct {
	conversation, contact model.ID // the last ones that were tried
	moved                 bool     // the round has moved a contact
}

func (s *settling) place(channel model.ID) (p settlePlace, held bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.places[channel], s.held
}

func (s *settling) put(channel model.ID, p settlePlace) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.places == nil {
		s.places = map[model.ID]settlePlace{}
	}
	if s.places[channel] = p; p == (settlePlace{}) {
		delete(s.places, channel)
	}
}

// HoldSettling stops the settling of channels on this node, or lets it go on. Tests use it to look at a channel that is settling.
func (d System) HoldSettling(hold bool) {
	d.settling.mu.Lock()
	defer d.settling.mu.Unlock()
	d.settling.held = hold
}

// SettleChannels does a batch for every channel that became private or public, and reports whether there is more to do now. A
// channel that fails is left for the next call.
func (d System) SettleChannels(ctx context.Context) (more bool, err error) {
	channels, err := readOne(ctx, d.Desk, func(tx *store.Tx) ([]model.ID, error) { return tx.SettlingChannels() })
	for _, id := range channels {
		further, err := d.settleSome(ctx, id)
		if err != nil {
			d.log.Warn("a channel that became private or public was not settled and will be tried again", slog.String("channel", id.String()), slog.Any("error", err))
		}
		more = more || further
	}
	return more, err
}

// settleAll settles a channel for as long as a caller can be kept waiting. What is left, the background does.
func (d *Desk) settleAll(ctx context.Context, channel model.ID) error {
	for end := time.Now().Add(settleAtOnce); time.Now().Before(end); {
		if more, err := d.settleSome(ctx, channel); err != nil || !more {
			return err
		}
	}
	return nil
}

// settleSome settles the next conversations of a channel. When there are none left it goes in rounds through what is still in the
// wrong pool: conversations of people whom messages wait for, and other contacts. It reports whether there is more to do now; a round
// that moved nobody is repeated later.
func (d *Desk) settleSome(ctx context.Context, channel model.ID) (more bool, err error) {
	at, held := d.settling.place(channel)
	if held {
		return false, nil
	}
	return write(ctx, d, func(tx *store.Tx) (bool, error) {
		tx.LockSeveral(channel)
		tx.ShareVisibilityOf(channel)
		ch, found, err := tx.AnyChannel(channel)
		if err != nil || !found || !ch.Settling {
			return false, err
		}
		conversations, err := tx.ConversationsToSettle(&ch, settleBatch)
		if err != nil {
			return false, err
		}
		for _, c := range conversations {
			if _, err := d.settleConversation(tx, &ch, c); err != nil {
				return false, err
			}
		}
		if n := len(conversations); n > 0 {
			tx.SettledTo(ch.ID, conversations[n-1].ID)
			return true, nil
		}
		next := at
		stuck, err := tx.ConversationsInWrongPool(&ch, at.conversation, settleBatch)
		if err != nil {
			return false, err
		}
		for _, c := range stuck {
			moved, err := d.settleConversation(tx, &ch, c)
			if err != nil {
				return false, err
			}
			next.conversation, next.moved = c.ID, next.moved || moved
		}
		if len(stuck) == 0 {
			contacts, err := tx.ContactsToSettle(&ch, at.contact, settleBatch)
			if err != nil {
				return false, err
			}
			for i := range contacts {
				moved, err := d.settleContact(tx, &ch, &contacts[i], nil)
				if err != nil {
					return false, err
				}
				next.contact, next.moved = contacts[i].ID, next.moved || moved
			}
		}
		switch {
		case next != at:
			tx.AfterCommit(func() { d.settling.put(channel, next) })
			return true, nil
		case at == settlePlace{}:
			_, err := tx.EndSettling(&ch)
			return false, err
		}
		tx.AfterCommit(func() { d.settling.put(channel, settlePlace{}) })
		return at.moved, nil
	})
}

// settleConversation makes a locked conversation, and all that belongs to it, as private as its channel. It reports false when
// messages that wait to be sent keep its contact in the wrong pool.
func (d *Desk) settleConversation(tx *store.Tx, ch *model.Channel, c model.Conversation) (bool, error) {
	tx.SettleConversation(ch.Company, c.ID, ch.Private)
	if c.Contact == nil {
		return true, nil
	}
	contact, found, err := tx.LockContact(ch.Company, *c.Contact)
	if err != nil || !found {
		return false, err
	}
	return d.settleContact(tx, ch, &contact, &c)
}

// settleContact moves a contact to the pool of a channel that became private or public. c is the locked conversation of the channel
// with the contact, if there is one. It reports false when messages that wait to be sent prevent it.
func (d *Desk) settleContact(tx *store.Tx, ch *model.Channel, contact *model.Contact, c *model.Conversation) (bool, error) {
	stored, err := tx.StoredPool(contact)
	if err != nil || stored == ch.Pool() {
		return true, err
	}
	twins, err := tx.ContactsLike(contact, ch.Pool())
	if err != nil {
		return false, err
	}
	if ch.Private {
		elsewhere := contact.Channel == nil || *contact.Channel != ch.ID
		if !elsewhere {
			if elsewhere, err = tx.KnownElsewhere(ch.Company, contact.ID, ch.ID); err != nil {
				return false, err
			}
		}
		if elsewhere {
			return d.splitContact(tx, ch, contact, c, twins)
		}
	}
	if len(twins) == 0 {
		tx.MoveContact(contact, ch.Pool())
		return true, nil
	}
	return d.mergeContacts(tx, twins[0], contact.ID, ch.Company)
}

// splitContact leaves a contact that is known elsewhere in the company's pool, and gives what came from a private channel
// to a contact of that channel's own.
func (d *Desk) splitContact(tx *store.Tx, ch *model.Channel, contact *model.Contact, c *model.Conversation, twins []model.ID) (bool, error) {
	if c == nil {
		tx.ForgetChannelOfContact(ch.Company, contact.ID, ch.ID)
		return true, nil
	}
	own := *contact
	if len(twins) > 0 {
		twin, found, err := tx.LockContact(ch.Company, twins[0])
		if err != nil || !found {
			return false, err
		}
		own = twin
	} else {
		own.ID, own.Channel, own.Pool = model.NewID(), &ch.ID, ch.ID
		if fresh, err := tx.InsertContact(&own); err != nil || !fresh {
			return false, errOr(err, errBusyElsewhere())
		}
		tx.SetContactLabels(own.ID, own.LabelIDs)
		tx.CopyIdentities(ch.Company, contact.ID, own.ID, ch.ID)
		tx.AfterCommit(d.wakeups.Index.Notify)
	}
	other, found, err := tx.LockConversationWith(ch.Company, ch.ID, own.ID)
	switch {
	case err != nil:
		return false, err
	case found:
		for _, id := range []model.ID{other.ID, c.ID} {
			if waits, err := tx.HasSends(id); err != nil || waits {
				return false, err
			}
		}
		err = d.joinConversations(tx, other, *c, &own)
	default:
		tx.MoveConversation(ch.Company, c.ID, own.ID)
	}
	tx.LeaveChannel(ch.Company, contact.ID, ch.ID, own.ID)
	return true, err
}

// settlePerson settles, before a person is looked for in the pool of a settling channel, the contacts that the person has in the
// pool of before. It reports whether there were any.
func (d *Desk) settlePerson(tx *store.Tx, ch *model.Channel, p model.Person) (bool, error) {
	before := ch.ID
	if ch.Private {
		before = ch.Company
	}
	known, err := tx.ContactsKnownAs(ch.Company, before, [2]string{p.UserID, p.PreviousUserID}, [2]string{p.WAID, p.PreviousWAID}, phone.Key(p.Phone))
	if err != nil {
		return false, err
	}
	var seen []model.ID
	for i := range known {
		contact := &known[i].Contact
		if slices.Contains(seen, contact.ID) {
			continue
		}
		seen = append(seen, contact.ID)
		c, found, err := tx.LockConversationWith(ch.Company, ch.ID, contact.ID)
		switch {
		case err != nil:
			return false, err
		case found:
			_, err = d.settleConversation(tx, ch, c)
		default:
			_, err = d.settleContact(tx, ch, contact, nil)
		}
		if err != nil {
			return false, err
		}
	}
	return len(seen) > 0, nil
}

// settleHidden settles the contact that a search in the company's pool found though its channel is private by now. It reports
// whether it did.
func (d *Desk) settleHidden(tx *store.Tx, contact *model.Contact) (bool, error) {
	if contact.Public() || contact.Channel == nil {
		return false, nil
	}
	ch, found, err := tx.Channel(contact.Company, *contact.Channel)
	if err != nil || !found || !ch.Settling {
		return false, err
	}
	c, found, err := tx.LockConversationWith(ch.Company, ch.ID, contact.ID)
	if err != nil {
		return false, err
	}
	if found {
		_, err := d.settleConversation(tx, &ch, c)
		return true, err
	}
	return d.settleContact(tx, &ch, contact, nil)
}
