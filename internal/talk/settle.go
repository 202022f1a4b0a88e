package talk

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"recado/internal/channels"
	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/phone"
)

// One flag of a channel decides who may see its history; see kernel.Sight. When a channel becomes private or public, settling
// updates the copies of the flag that lists are indexed by, and the pools of its contacts. It starts in the request that
// changes the channel and continues in the background. A transaction that needs a contact earlier settles that contact itself.
const (
	settleBatch  = 100
	settleAtOnce = 3 * time.Second // of the request
)

// settling stores how far this node has got, per channel.
type settling struct {
	mu        sync.Mutex
	paused    bool
	positions map[kernel.ID]settlePosition
}

// settlePosition is a position in a round through the conversations and contacts of a channel that are in the wrong pool.
type settlePosition struct {
	conversation, contact kernel.ID // the last ones that were tried
	moved                 bool      // the round has moved a contact
}

func (s *settling) position(channel kernel.ID) (p settlePosition, paused bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.positions[channel], s.paused
}

func (s *settling) setPosition(channel kernel.ID, p settlePosition) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.positions == nil {
		s.positions = map[kernel.ID]settlePosition{}
	}
	if s.positions[channel] = p; p == (settlePosition{}) {
		delete(s.positions, channel)
	}
}

// HoldSettling pauses or resumes settling on this node, for tests.
func (d *Talk) HoldSettling(pause bool) {
	d.settling.mu.Lock()
	defer d.settling.mu.Unlock()
	d.settling.paused = pause
}

// SettleChannels settles a batch of every channel that became private or public and reports whether there is more to do now. A
// channel that fails is retried by the next call.
func (d *Talk) SettleChannels(ctx context.Context) (more bool, err error) {
	channels, err := kernel.ReadOne(ctx, d.Kernel, settlingChannels)
	for _, ch := range channels {
		more = d.settleSome(ctx, ch.company, ch.id) || more
	}
	return more, err
}

// settleFirst settles a channel that just became private or public, for a limited time.
func (d *Talk) settleFirst(ctx context.Context, company, channel kernel.ID) {
	for end := time.Now().Add(settleAtOnce); time.Now().Before(end) && d.settleSome(ctx, company, channel); {
	}
}

// settleSome settles a batch of a channel and reports whether there is more to do now. It logs errors.
func (d *Talk) settleSome(ctx context.Context, company, channel kernel.ID) bool {
	more, err := d.settleBatchOf(ctx, company, channel)
	if err != nil {
		d.Log.Warn("settling a channel failed and will be retried", slog.String("channel", channel.String()), slog.Any("error", err))
	}
	return more
}

// settleBatchOf settles the next conversations of a channel. When all are done, it goes in rounds through what is still in the wrong
// pool: conversations whose contacts could not be moved because of queued messages, and other contacts. It reports whether there
// is more to do now; a round that moved no contact is repeated later.
func (d *Talk) settleBatchOf(ctx context.Context, company, channel kernel.ID) (more bool, err error) {
	at, paused := d.settling.position(channel)
	if paused {
		return false, nil
	}
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (bool, error) {
		tx.LockSeveral(channel)
		tx.ShareVisibility(company)
		ch, found, err := channels.FindChannel(tx, company, channel)
		if err != nil || !found || !ch.Settling {
			return false, err
		}
		conversations, err := conversationsToSettle(tx, &ch, settleBatch)
		if err != nil {
			return false, err
		}
		for _, c := range conversations {
			if _, err := d.settleConversation(tx, &ch, c); err != nil {
				return false, err
			}
		}
		if n := len(conversations); n > 0 {
			settledTo(tx, &ch, conversations[n-1].ID)
			return true, nil
		}
		next := at
		stuck, err := conversationsInWrongPool(tx, &ch, at.conversation, settleBatch)
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
			contacts, err := contactsToSettle(tx, &ch, at.contact, settleBatch)
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
			tx.AfterCommit(func() { d.settling.setPosition(channel, next) })
			return true, nil
		case at == settlePosition{}:
			endSettling(tx, &ch)
			return false, nil
		}
		tx.AfterCommit(func() { d.settling.setPosition(channel, settlePosition{}) })
		return at.moved, nil
	})
}

// settleConversation makes a locked conversation and everything in it as private as its channel. It returns false if queued
// messages keep its contact in the wrong pool.
func (d *Talk) settleConversation(tx *kernel.Tx, ch *channels.Channel, c Conversation) (bool, error) {
	settleConversation(tx, ch.Company, c.ID, ch.Private)
	if c.Contact == nil {
		return true, nil
	}
	contact, found, err := lockContact(tx, ch.Company, *c.Contact)
	if err != nil || !found {
		return false, err
	}
	return d.settleContact(tx, ch, &contact, &c)
}

// settleContact moves a contact to the pool of a channel. c is the channel's locked conversation with the contact, or nil. It
// returns false if queued messages prevent that.
func (d *Talk) settleContact(tx *kernel.Tx, ch *channels.Channel, contact *Contact, c *Conversation) (bool, error) {
	stored, err := storedPool(tx, contact)
	if err != nil || stored == ch.Pool() {
		return true, err
	}
	twins, err := contactsLike(tx, contact, ch.Pool())
	if err != nil {
		return false, err
	}
	if ch.Private {
		elsewhere := !kernel.Same(contact.Channel, &ch.ID)
		if !elsewhere {
			elsewhere, err = knownElsewhere(tx, ch.Company, contact.ID, ch.ID)
		}
		if err != nil {
			return false, err
		}
		if elsewhere {
			return d.splitContact(tx, ch, contact, c, twins)
		}
	}
	if len(twins) == 0 {
		moveContact(tx, contact, ch.Pool())
		return true, nil
	}
	return d.mergeContacts(tx, twins[0], contact.ID, ch.Company)
}

// splitContact keeps a contact in the company's pool that is also known through other channels. What came through the private
// channel moves to a separate contact in the pool of that channel.
func (d *Talk) splitContact(tx *kernel.Tx, ch *channels.Channel, contact *Contact, c *Conversation, twins []kernel.ID) (bool, error) {
	if c == nil {
		forgetChannelOfContact(tx, ch.Company, contact.ID, ch.ID)
		return true, nil
	}
	own := *contact
	if len(twins) > 0 {
		twin, found, err := lockContact(tx, ch.Company, twins[0])
		if err != nil || !found {
			return false, err
		}
		own = twin
	} else {
		own.ID, own.Channel, own.Pool = kernel.NewID(), &ch.ID, ch.ID
		if inserted, err := InsertContact(tx, &own); err != nil || !inserted {
			return false, kernel.ErrOr(err, errBusyElsewhere())
		}
		setContactLabels(tx, own.Company, own.ID, own.LabelIDs)
		copyIdentities(tx, ch.Company, contact.ID, own.ID, ch.ID)
		tx.AfterCommit(d.Wakeup(WakeIndex).Notify)
	}
	other, found, err := lockConversationWith(tx, ch.Company, ch.ID, own.ID)
	switch {
	case err != nil:
		return false, err
	case found:
		for _, id := range []kernel.ID{other.ID, c.ID} {
			if hasQueue, err := hasSends(tx, ch.Company, id); err != nil || hasQueue {
				return false, err
			}
		}
		err = d.joinConversations(tx, other, *c, &own)
	default:
		moveConversation(tx, ch.Company, c.ID, own.ID)
	}
	leaveChannel(tx, ch.Company, contact.ID, ch.ID, own.ID)
	return true, err
}

// settlePerson settles the contacts that a person has in the previous pool of a settling channel. It reports whether there were
// any.
func (d *Talk) settlePerson(tx *kernel.Tx, ch *channels.Channel, p provider.Person) (bool, error) {
	previous := ch.ID
	if ch.Private {
		previous = ch.Company
	}
	known, err := contactsKnownAs(tx, ch.Company, previous, [2]string{p.UserID, p.PreviousUserID}, [2]string{p.WAID, p.PreviousWAID}, phone.Key(p.Phone))
	if err != nil {
		return false, err
	}
	var seen []kernel.ID
	for i := range known {
		contact := &known[i].Contact
		if slices.Contains(seen, contact.ID) {
			continue
		}
		seen = append(seen, contact.ID)
		if _, err := d.settleEither(tx, ch, contact); err != nil {
			return false, err
		}
	}
	return len(seen) > 0, nil
}

// settleEither settles the channel's conversation with a contact or, if there is none, the contact. It returns false if queued
// messages prevent the latter.
func (d *Talk) settleEither(tx *kernel.Tx, ch *channels.Channel, contact *Contact) (bool, error) {
	c, found, err := lockConversationWith(tx, ch.Company, ch.ID, contact.ID)
	if err != nil {
		return false, err
	}
	if found {
		_, err := d.settleConversation(tx, ch, c)
		return true, err
	}
	return d.settleContact(tx, ch, contact, nil)
}

// settleHidden settles a contact that is still in the company's pool although its channel has become private. It reports
// whether it settled the contact.
func (d *Talk) settleHidden(tx *kernel.Tx, contact *Contact) (bool, error) {
	if contact.Public() || contact.Channel == nil {
		return false, nil
	}
	ch, found, err := channels.FindChannel(tx, contact.Company, *contact.Channel)
	if err != nil || !found || !ch.Settling {
		return false, err
	}
	return d.settleEither(tx, &ch, contact)
}
