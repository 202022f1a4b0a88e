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

// A channel that becomes private or public changes who sees its history with one flag, see kernel.Sight. The copies of the flag that
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
	places map[kernel.ID]settlePlace
}

// settlePlace is a place in a round through the conversations and contacts of a channel that are in the wrong pool.
type settlePlace struct {
	conversation, contact kernel.ID // the last ones that were tried
	moved                 bool      // the round has moved a contact
}

func (s *settling) place(channel kernel.ID) (p settlePlace, held bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.places[channel], s.held
}

func (s *settling) put(channel kernel.ID, p settlePlace) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.places == nil {
		s.places = map[kernel.ID]settlePlace{}
	}
	if s.places[channel] = p; p == (settlePlace{}) {
		delete(s.places, channel)
	}
}

// HoldSettling stops the settling of channels on this node, or lets it go on. Tests use it to look at a channel that is settling.
func (d *Talk) HoldSettling(hold bool) {
	d.settling.mu.Lock()
	defer d.settling.mu.Unlock()
	d.settling.held = hold
}

// SettleChannels does a batch for every channel that became private or public, and reports whether there is more to do now. A
// channel that fails is left for the next call.
func (d *Talk) SettleChannels(ctx context.Context) (more bool, err error) {
	channels, err := kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) ([]rowAt, error) { return settlingChannels(tx) })
	for _, ch := range channels {
		further, err := d.settleSome(ctx, ch.company, ch.id)
		if err != nil {
			d.Log.Warn("a channel that became private or public was not settled and will be tried again", slog.String("channel", ch.id.String()), slog.Any("error", err))
		}
		more = more || further
	}
	return more, err
}

// settleFirst settles a channel whose privacy was just changed. What fails or takes longer is left to the background.
func (d *Talk) settleFirst(ctx context.Context, company, channel kernel.ID) {
	if err := d.settleAll(ctx, company, channel); err != nil {
		d.Log.Warn("a number that became private or public is not settled yet", slog.String("channel", channel.String()), slog.Any("error", err))
	}
}

// settleAll settles a channel for as long as a caller can be kept waiting. What is left, the background does.
func (d *Talk) settleAll(ctx context.Context, company, channel kernel.ID) error {
	for end := time.Now().Add(settleAtOnce); time.Now().Before(end); {
		if more, err := d.settleSome(ctx, company, channel); err != nil || !more {
			return err
		}
	}
	return nil
}

// settleSome settles the next conversations of a channel. When there are none left it goes in rounds through what is still in the
// wrong pool: conversations of people whom messages wait for, and other contacts. It reports whether there is more to do now; a round
// that moved nobody is repeated later.
func (d *Talk) settleSome(ctx context.Context, company, channel kernel.ID) (more bool, err error) {
	at, held := d.settling.place(channel)
	if held {
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
			tx.AfterCommit(func() { d.settling.put(channel, next) })
			return true, nil
		case at == settlePlace{}:
			_, err := endSettling(tx, &ch)
			return false, err
		}
		tx.AfterCommit(func() { d.settling.put(channel, settlePlace{}) })
		return at.moved, nil
	})
}

// settleConversation makes a locked conversation, and all that belongs to it, as private as its channel. It reports false when
// messages that wait to be sent keep its contact in the wrong pool.
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

// settleContact moves a contact to the pool of a channel that became private or public. c is the locked conversation of the channel
// with the contact, if there is one. It reports false when messages that wait to be sent prevent it.
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
		elsewhere := contact.Channel == nil || *contact.Channel != ch.ID
		if !elsewhere {
			if elsewhere, err = knownElsewhere(tx, ch.Company, contact.ID, ch.ID); err != nil {
				return false, err
			}
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

// splitContact leaves a contact that is known elsewhere in the company's pool, and gives what came from a private channel
// to a contact of that channel's own.
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
		if fresh, err := InsertContact(tx, &own); err != nil || !fresh {
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
			if waits, err := hasSends(tx, ch.Company, id); err != nil || waits {
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

// settlePerson settles, before a person is looked for in the pool of a settling channel, the contacts that the person has in the
// pool of before. It reports whether there were any.
func (d *Talk) settlePerson(tx *kernel.Tx, ch *channels.Channel, p provider.Person) (bool, error) {
	before := ch.ID
	if ch.Private {
		before = ch.Company
	}
	known, err := contactsKnownAs(tx, ch.Company, before, [2]string{p.UserID, p.PreviousUserID}, [2]string{p.WAID, p.PreviousWAID}, phone.Key(p.Phone))
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
		c, found, err := lockConversationWith(tx, ch.Company, ch.ID, contact.ID)
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
func (d *Talk) settleHidden(tx *kernel.Tx, contact *Contact) (bool, error) {
	if contact.Public() || contact.Channel == nil {
		return false, nil
	}
	ch, found, err := channels.FindChannel(tx, contact.Company, *contact.Channel)
	if err != nil || !found || !ch.Settling {
		return false, err
	}
	c, found, err := lockConversationWith(tx, ch.Company, ch.ID, contact.ID)
	if err != nil {
		return false, err
	}
	if found {
		_, err := d.settleConversation(tx, &ch, c)
		return true, err
	}
	return d.settleContact(tx, &ch, contact, nil)
}
