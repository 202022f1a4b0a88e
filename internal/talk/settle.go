package talk

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"recado/internal/channels"
	"recado/internal/channels/provider"
	"recado/internal/fields"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/phone"
)

// One flag of a channel decides who may see its history; see kernel.Sight. When a channel becomes private or public, settling
// updates the copies of the flag that lists are indexed by, and the pools of its contacts. It starts in the request that
// changes the channel and continues in the background. A transaction that needs a contact earlier settles that contact itself.
const (
	settleBatch  = 100
	settleAtOnce = 3 * time.Second // of the request
)

// settling stores how far this node has got.
type settling struct {
	paused    atomic.Bool
	positions sync.Map // settlePosition by channel
}

// settlePosition is a position in a round through the conversations and contacts of a channel that are in the wrong pool.
type settlePosition struct {
	conversation, contact kernel.ID // the last ones that were tried
	moved                 bool      // the round has moved a contact
}

// HoldSettling pauses or resumes settling on this node, for tests.
func (d *Talk) HoldSettling(pause bool) { d.settling.paused.Store(pause) }

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
	if d.settling.paused.Load() {
		return false, nil
	}
	stored, _ := d.settling.positions.Load(channel)
	at, _ := stored.(settlePosition) // zero at the beginning of a round
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (bool, error) {
		tx.LockSeveral(channel)
		tx.ShareVisibility(company)
		ch, found, err := channels.FindChannel(tx, company, channel)
		if err != nil || !found || !ch.Settling {
			return false, err
		}
		conversations, err := conversationsToSettle(tx, &ch, settleBatch)
		first := len(conversations) > 0
		if err == nil && !first {
			conversations, err = conversationsInWrongPool(tx, &ch, at.conversation, settleBatch)
		}
		if err != nil {
			return false, err
		}
		next := at
		for _, c := range conversations {
			moved, err := d.settleConversation(tx, &ch, c)
			if err != nil {
				return false, err
			}
			next.conversation, next.moved = c.ID, next.moved || moved
		}
		if first {
			tx.Later(`UPDATE channels SET settled_to = $3 WHERE company = $1 AND id = $2`, company, channel, next.conversation)
			return true, nil
		}
		if len(conversations) == 0 {
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
			tx.AfterCommit(func() { d.settling.positions.Store(channel, next) })
			return true, nil
		case at == settlePosition{}:
			endSettling(tx, &ch)
			return false, nil
		}
		tx.AfterCommit(func() { d.settling.positions.Delete(channel) })
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
		tx.Later(`UPDATE contacts SET pool = $3 WHERE company = $1 AND id = $2`, ch.Company, contact.ID, ch.Pool())
		tx.Later(`UPDATE contact_identities SET pool = $3 WHERE company = $1 AND contact = $2`, ch.Company, contact.ID, ch.Pool())
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
		fields.Copy(tx, own.Company, contact.ID, own.ID)
		if err := saveContact(tx, &own); err != nil {
			return false, err
		}
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
		addFormer(tx, ch.Company, own.ID, c.ID)
	default:
		moveConversation(tx, ch.Company, c.ID, own.ID)
	}
	if err == nil {
		err = leaveChannel(tx, ch.Company, contact.ID, ch.ID, own.ID)
	}
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

func settlingChannels(tx *kernel.Tx) ([]rowAt, error) {
	return rowsAt(tx, `SELECT /* all companies: channels to settle */ company, id FROM channels WHERE settling ORDER BY company, id`)
}

// conversationsToSettle locks and returns up to limit conversations of a channel after the last settled one.
func conversationsToSettle(tx *kernel.Tx, ch *channels.Channel, limit int) ([]Conversation, error) {
	tx.ShareVisibility(ch.Company)
	return kernel.Rows(tx, `
		SELECT`+conversationColumns+`
		FROM conversations c
		WHERE c.company = $1 AND c.channel = $2
			AND c.id > COALESCE((SELECT x.settled_to FROM channels x WHERE x.company = $1 AND x.id = $2), $3)
		ORDER BY c.id
		LIMIT $4`+tx.ForUpdate(), []any{ch.Company, ch.ID, kernel.OrFirst(kernel.ID{}), limit}, scanConversation)
}

func settleConversation(tx *kernel.Tx, company, id kernel.ID, private bool) {
	tx.Later(`UPDATE conversations SET private = $3 WHERE company = $1 AND id = $2 AND private <> $3`, company, id, private)
	tx.Later(`UPDATE attendances SET private = $3 WHERE company = $1 AND conversation = $2 AND private <> $3`, company, id, private)
	tx.Later(`UPDATE cards SET hidden = $3 WHERE company = $1 AND conversation = $2 AND hidden <> $3`, company, id, private)
	tx.Later(`
		UPDATE card_labels
		SET status = COALESCE((SELECT k.status FROM cards k WHERE k.company = $1 AND k.id = card_labels.subject AND NOT k.private AND NOT k.hidden), '')
		WHERE company = $1 AND subject IN (SELECT k.id FROM cards k WHERE k.company = $1 AND k.conversation = $2)`, company, id)
}

// conversationsInWrongPool locks and returns up to limit conversations of a channel, after the given one, whose contacts are in
// the wrong pool.
func conversationsInWrongPool(tx *kernel.Tx, ch *channels.Channel, after kernel.ID, limit int) ([]Conversation, error) {
	return kernel.Rows(tx, `
		SELECT`+conversationColumns+`
		FROM conversations c
		JOIN contacts ct ON ct.company = c.company AND ct.id = c.contact
		WHERE c.company = $1 AND c.channel = $2 AND c.id > $3 AND ct.pool <> $4
		ORDER BY c.id
		LIMIT $5`+tx.Dialect().Lock(` FOR UPDATE OF c`), []any{ch.Company, ch.ID, kernel.OrFirst(after), ch.Pool(), limit}, scanConversation)
}

// contactsToSettle returns up to limit contacts of a channel, after the given one, that are in the wrong pool.
func contactsToSettle(tx *kernel.Tx, ch *channels.Channel, after kernel.ID, limit int) ([]Contact, error) {
	where := `ct.pool = $2`
	if ch.Private {
		where = `ct.pool = $1 AND ct.channel = $2`
	}
	return kernel.Rows(tx, `
		SELECT`+contactColumns+`
		FROM contacts ct
		WHERE ct.company = $1 AND `+where+` AND ct.id > $3
		ORDER BY ct.id
		LIMIT $4`, []any{ch.Company, ch.ID, kernel.OrFirst(after), limit}, scanContact)
}

// endSettling ends the settling of a channel, unless one of its conversations has a contact in another pool.
func endSettling(tx *kernel.Tx, ch *channels.Channel) {
	tx.Later(`
		UPDATE channels
		SET settling = FALSE, settled_to = NULL
		WHERE company = $1 AND id = $2 AND NOT EXISTS (
			SELECT 1
			FROM conversations c
			JOIN contacts ct ON ct.company = c.company AND ct.id = c.contact
			WHERE c.company = $1 AND c.channel = $2 AND ct.pool <> $3)`, ch.Company, ch.ID, ch.Pool())
}

// knownElsewhere reports whether a contact has a conversation through another channel, or a card without a conversation.
func knownElsewhere(tx *kernel.Tx, company, contact, channel kernel.ID) (bool, error) {
	return tx.One(`
		SELECT 1 WHERE EXISTS (SELECT 1 FROM conversations c WHERE c.company = $1 AND c.contact = $2 AND c.channel <> $3)
			OR EXISTS (SELECT 1 FROM cards k WHERE k.company = $1 AND k.contact = $2 AND k.conversation IS NULL)`,
		[]any{company, contact, channel}, func(db.Row) {})
}

// contactsLike returns the contacts of a pool that have the phone number or an identity of a contact of another pool.
func contactsLike(tx *kernel.Tx, c *Contact, pool kernel.ID) ([]kernel.ID, error) {
	key := ""
	if c.Phone != nil {
		key = phone.Key(*c.Phone)
	}
	return tx.IDs(`
		SELECT o.contact
		FROM contact_identities i
		JOIN contact_identities o ON o.company = i.company AND o.pool = $3 AND o.kind = i.kind AND o.value = i.value
		WHERE i.company = $1 AND i.contact = $2 AND o.contact <> $2
		UNION
		SELECT id FROM contacts WHERE company = $1 AND pool = $3 AND phone_key = $4 AND id <> $2
		ORDER BY 1`, c.Company, c.ID, pool, key)
}

// copyIdentities copies the identities of a contact to a contact of the same person in another pool.
func copyIdentities(tx *kernel.Tx, company, from, to, pool kernel.ID) {
	tx.Later(`
		INSERT INTO contact_identities (company, pool, kind, value, contact)
		SELECT company, $4, kind, value, $3
		FROM contact_identities
		WHERE company = $1 AND contact = $2
		ON CONFLICT DO NOTHING`, company, from, to, pool)
}

// leaveChannel moves messages, reactions and cards of a channel from a contact to the contact of the same person in the pool of the
// channel.
func leaveChannel(tx *kernel.Tx, company, contact, channel, to kernel.ID) error {
	tx.Later(`UPDATE messages SET author = $4 WHERE company = $1 AND author = $2 AND channel = $3`, company, contact, channel, to)
	tx.Later(`
		UPDATE cards
		SET contact = $4
		WHERE company = $1 AND contact = $2
			AND conversation IN (SELECT c.id FROM conversations c WHERE c.company = $1 AND c.channel = $3 AND c.contact IN ($2, $4))`,
		company, contact, channel, to)
	forgetChannelOfContact(tx, company, contact, channel)
	return moveReactions(tx, company, contact, channel, to)
}

// moveReactions makes the reactions of a contact, and of those that were merged into it, in the groups of a channel those of another
// contact.
func moveReactions(tx *kernel.Tx, company, contact, channel, to kernel.ID) error {
	former, err := FormerIDs(tx, company, contact)
	if err != nil {
		return err
	}
	for _, id := range append(former, contact) {
		const theirs = `company = $1 AND channel = $2 AND reactions IS NOT NULL AND reactions LIKE $3`
		args := []any{company, channel, "%" + id.String() + "%"}
		groups, err := tx.IDs(`SELECT DISTINCT conversation FROM messages WHERE `+theirs+` ORDER BY conversation`, args...)
		if err != nil {
			return err
		}
		for _, group := range groups {
			if _, _, err := LockConversation(tx, company, group); err != nil {
				return err
			}
		}
		if len(groups) > 0 {
			tx.Later(`UPDATE messages SET reactions = replace(reactions, $4, $5) WHERE `+theirs, append(args, id.String(), to.String())...)
		}
	}
	return nil
}

// forgetChannelOfContact replaces the channel of a contact by another one through which it is known, or by none.
func forgetChannelOfContact(tx *kernel.Tx, company, contact, channel kernel.ID) {
	tx.Later(`
		UPDATE contacts
		SET channel = (SELECT c.channel FROM conversations c WHERE c.company = $1 AND c.contact = $2 AND c.channel <> $3 ORDER BY c.id LIMIT 1)
		WHERE company = $1 AND id = $2 AND channel = $3`, company, contact, channel)
}

// storedPool returns the pool in which a contact is stored. While its channel is settling, the contact may belong to another one.
func storedPool(tx *kernel.Tx, c *Contact) (pool kernel.ID, err error) {
	_, err = tx.One(`SELECT pool FROM contacts WHERE company = $1 AND id = $2`, []any{c.Company, c.ID}, func(r db.Row) { pool = r.ID("pool") })
	return pool, err
}

// mediaVersion changes when a channel through which a file was sent or received becomes private or public.
func mediaVersion(tx *kernel.Tx, company, media kernel.ID) (version int64, err error) {
	_, err = tx.One(`
		SELECT CAST(COALESCE(SUM(x.privacy_version), 0) AS BIGINT) AS version
		FROM channels x
		WHERE x.company = $1 AND x.id IN (
			SELECT m.channel FROM messages m WHERE m.company = $1 AND m.media = $2
			UNION
			SELECT d.channel FROM media d WHERE d.company = $1 AND d.id = $2)`,
		[]any{company, media}, func(r db.Row) { version = r.Int("version") })
	return version, err
}
