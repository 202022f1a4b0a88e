package talk

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"recado/internal/channels"
	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/phone"
)

// contactFor returns the contact of a person in the pool of a channel, creating it on first use. Concurrent calls, on any node,
// return the same contact. The person's phone must be normalized; see normalizePhones. The error is errErased if the person was
// erased after at, unless at is zero.
func (d *Talk) contactFor(tx *kernel.Tx, channel channels.Channel, p provider.Person, at time.Time, join joiner) (Contact, error) {
	c, found, err := d.knownContact(tx, channel, p, join)
	if err != nil || found && !at.Before(c.CreatedAt) {
		return c, err
	}
	if erased, err := d.erasedSince(tx, &channel, p, at); err != nil || erased {
		return c, kernel.ErrOr(err, errErased)
	}
	if found {
		return c, nil
	}
	if p.Name == "" {
		if p.Name, err = addressBookName(tx, channel.Company, channel.ID, p.UserID, phone.Key(p.WAID)); err != nil {
			return c, err
		}
	}
	c = Contact{
		ID: kernel.NewID(), Company: channel.Company, Name: personName(p), Phone: kernel.TextOrNil(p.Phone), Channel: &channel.ID,
		LabelIDs: []kernel.ID{}, Automation: true, Pool: channel.Pool(), CreatedAt: tx.Now, UpdatedAt: tx.Now,
	}
	inserted, err := InsertContact(tx, &c)
	for _, id := range identitiesOf(p) {
		if err != nil || !inserted {
			break
		}
		var linked int64
		if linked, err = tx.Exec(linkIdentity, c.Company, c.ID, id.kind, id.value); err == nil && linked == 0 {
			inserted = false
			forgetContact(tx, c.Company, c.ID)
		}
	}
	if err != nil {
		return c, err
	}
	if inserted {
		tx.AfterCommit(d.Wakeup(WakeIndex).Notify)
		return c, nil
	}
	c, found, err = d.knownContact(tx, channel, p, nil) // another transaction was faster and has committed
	if err != nil || !found {
		return c, kernel.ErrOr(err, errBusyElsewhere())
	}
	return c, nil
}

// errBusyElsewhere is returned when a concurrent transaction has just removed a row that this one had found.
func errBusyElsewhere() error {
	return kernel.Errorf(kernel.CodeUnavailable, "Another request is changing this at the moment. Try again.")
}

// joiner merges contacts of the same person and reports whether it did.
type joiner func(known []KnownAs, p provider.Person) (bool, error)

// knownContact finds a contact by user id, WhatsApp id or phone, in this order, and completes it with what is new about the
// person. If there are several, join may merge them, unless it is nil.
func (d *Talk) knownContact(tx *kernel.Tx, channel channels.Channel, p provider.Person, join joiner) (Contact, bool, error) {
	find := func() ([]KnownAs, error) {
		userIDs, waIDs := [2]string{p.UserID, p.PreviousUserID}, [2]string{p.WAID, p.PreviousWAID}
		return contactsKnownAs(tx, channel.Company, channel.Pool(), userIDs, waIDs, phone.Key(p.Phone))
	}
	known, err := d.settledContacts(tx, &channel, p, find)
	different := func(k KnownAs) bool { return k.Contact.ID != known[0].Contact.ID }
	if err == nil && join != nil && slices.ContainsFunc(known, different) {
		var joined bool
		if joined, err = join(known, p); err == nil && joined {
			known, err = find()
		}
	}
	if err != nil || len(known) == 0 {
		return Contact{}, false, err
	}
	c := known[0].Contact
	for _, id := range identitiesOf(p) {
		if !slices.ContainsFunc(known, func(k KnownAs) bool { return k.Kind == id.kind && k.Value == id.value }) {
			tx.Later(linkIdentity, c.Company, c.ID, id.kind, id.value)
		}
	}
	phoneTaken := slices.ContainsFunc(known, func(k KnownAs) bool { return k.Kind == "phone" })
	err = d.completeContact(tx, &c, p, phoneTaken)
	return c, true, err
}

// settledContacts calls find after moving the contacts of the person to the right pools, if the privacy of a channel has changed.
func (d *Talk) settledContacts(tx *kernel.Tx, channel *channels.Channel, p provider.Person, find func() ([]KnownAs, error)) ([]KnownAs, error) {
	moved := false
	if channel.Settling {
		var err error
		if moved, err = d.settlePerson(tx, channel, p); err != nil {
			return nil, err
		}
	}
	known, err := find()
	for i := range known {
		if err != nil || channel.Private {
			break
		}
		var hidden bool
		hidden, err = d.settleHidden(tx, &known[i].Contact)
		moved = moved || hidden
	}
	if err != nil || !moved {
		return known, err
	}
	return find()
}

// nameless reports whether the name of a contact is only a placeholder.
func nameless(c *Contact) bool {
	return c.Phone != nil && c.Name == *c.Phone || c.Phone == nil && c.Name == namelessPerson
}

// completeContact sets the name and the number of a contact if they are missing, or the number if the person has changed it.
func (d *Talk) completeContact(tx *kernel.Tx, c *Contact, p provider.Person, phoneTaken bool) error {
	moved := p.PreviousWAID != "" || p.PreviousUserID != ""
	newPhone := p.Phone != "" && !phoneTaken && (c.Phone == nil || moved && *c.Phone != p.Phone)
	switch name := cleanPersonName(p.Name); {
	case nameless(c) && name != "":
		c.Name = name
	case nameless(c) && newPhone:
		c.Name = p.Phone
	case !newPhone:
		return nil
	}
	if newPhone {
		c.Phone = &p.Phone
	}
	if len(c.Fields) > 0 { // read them again, because the contact was not locked
		locked, _, err := lockContact(tx, c.Company, c.ID)
		if err != nil {
			return err
		}
		c.Fields = locked.Fields
	}
	tx.AfterCommit(d.Wakeup(WakeIndex).Notify)
	return nameContact(tx, c)
}

// conversationWith locks and returns the channel's conversation with a contact, creating it on first use.
func (d *Talk) conversationWith(tx *kernel.Tx, channel channels.Channel, contact Contact) (t *LockedConversation, created bool, err error) {
	lock := func() (Conversation, bool, error) {
		return lockConversationWith(tx, channel.Company, channel.ID, contact.ID)
	}
	t, created, err = d.lockOrInsert(tx, lock, func() (c Conversation, err error) {
		var found bool
		contact, found, err = selectContact(tx, `WHERE ct.company = $1 AND ct.id = $2`+tx.ForShare(), channel.Company, contact.ID)
		if err != nil || !found {
			return c, kernel.ErrOr(err, errBusyElsewhere())
		}
		c = newConversation(tx, channel, KindDirect)
		c.Name, c.Phone, c.Contact = contact.Name, contact.Phone, &contact.ID
		return c, nil
	})
	if err == nil {
		t.follow(&contact)
	}
	return t, created, err
}

// lockOrInsert locks a conversation, or inserts a new one if lock finds none. A concurrent transaction may insert it first.
func (d *Talk) lockOrInsert(
	tx *kernel.Tx, lock func() (Conversation, bool, error), build func() (Conversation, error),
) (t *LockedConversation, created bool, err error) {
	c, found, err := lock()
	if err == nil && !found {
		if c, err = build(); err != nil {
			return nil, false, err
		}
		if created, err = InsertConversation(tx, &c); err == nil && !created {
			c, found, err = lock()
		}
	}
	if err != nil || !found && !created {
		return nil, false, kernel.ErrOr(err, errBusyElsewhere())
	}
	return d.Locked(tx, c), created, nil
}

// groupConversation locks and returns the channel's conversation with a group, creating it on first use.
func (d *Talk) groupConversation(tx *kernel.Tx, channel channels.Channel, group provider.IncomingGroup) (t *LockedConversation, created bool, err error) {
	lock := func() (Conversation, bool, error) { return lockGroup(tx, channel, group.ID) }
	return d.lockOrInsert(tx, lock, func() (Conversation, error) {
		c := newConversation(tx, channel, KindGroup)
		c.GroupID, c.Name = &group.ID, cmp.Or(cleanPersonName(group.Name), unnamedGroup)
		return c, nil
	})
}

// lockGroup locks and returns the channel's conversation with a group.
func lockGroup(tx *kernel.Tx, channel channels.Channel, group string) (Conversation, bool, error) {
	return lockConversation(tx, `c.company = $1 AND c.channel = $2 AND c.group_id = $3`, channel.Company, channel.ID, group)
}

// unnamedGroup is the name of a group whose name is unknown.
const unnamedGroup = "Group"

// group stores the name, the members and the picture of a group, creating its conversation on first use, but not if all that is
// known is who has left.
func (in *InboundBatch) group(g *provider.IncomingGroup) error {
	if g.Name == "" && g.Members == nil && g.Picture == nil {
		if _, found, err := lockGroup(in.Tx, in.Channel, g.ID); err != nil || !found {
			return err
		}
	}
	t, _, err := in.d.groupConversation(in.Tx, in.Channel, *g)
	if err != nil {
		return err
	}
	entry := in.hold(t)
	entry.nameGroup(*g)
	if g.Members != nil {
		known, err := in.withoutErased(g.Members)
		if err != nil {
			return err
		}
		members := make([]storedMember, len(known))
		for i, m := range known {
			members[i] = storedMember{Phone: m.Person.Phone, WAID: m.Person.WAID, UserID: m.Person.UserID, Name: m.Person.Name, Role: m.Role}
		}
		in.Tx.Later(`UPDATE conversations SET members = $3 WHERE company = $1 AND id = $2`, t.Company, t.ID, kernel.WriteJSON(&members))
	}
	if len(g.Left) > 0 {
		if err := in.removeMembers(t, g.Left); err != nil {
			return err
		}
	}
	if p := g.Picture; p != nil {
		entry.Picture = picturePath(t.ID, p.ID)
		in.Tx.Later(`UPDATE conversations SET picture_id = $3, picture = $4 WHERE company = $1 AND id = $2`, t.Company, t.ID, kernel.TextOrNil(p.ID), p.Image)
	}
	entry.changed, entry.emits = true, entry.emits || !g.History
	return nil
}

// withoutErased returns the members of a group without those who were erased and have no contact again.
func (in *InboundBatch) withoutErased(members []provider.GroupMember) (left []provider.GroupMember, err error) {
	company, pool := in.Channel.Company, in.Channel.Pool()
	var all []Identity
	for _, m := range members {
		all = append(all, knownAs(m.Person)...)
	}
	if erased, err := in.d.listedAt(in.Tx, company, pool, all); err != nil || erased == nil {
		return members, err
	}
	for _, m := range members {
		p := m.Person
		erased, err := in.d.erasedAt(in.Tx, company, pool, knownAs(p))
		if err != nil {
			return nil, err
		}
		if erased != nil {
			contacts, err := contactsKnownAs(in.Tx, company, pool, [2]string{p.UserID}, [2]string{p.WAID}, phone.Key(p.Phone))
			if err != nil {
				return nil, err
			}
			if len(contacts) == 0 {
				continue
			}
		}
		left = append(left, m)
	}
	return left, nil
}

// nameGroup sets the name of a group to the one that the provider reports, unless the team renamed it.
func (t *LockedConversation) nameGroup(g provider.IncomingGroup) {
	if name := cleanPersonName(g.Name); name != "" && !t.Renamed && (!g.Created || t.Name == unnamedGroup) {
		t.Name = name
	}
}

func newConversation(tx *kernel.Tx, channel channels.Channel, kind string) Conversation {
	c := Conversation{
		ID: kernel.NewID(), Company: channel.Company, Channel: channel.ID, Private: channel.Private, Kind: kind, Cases: kind != KindGroup,
		Windowed: channel.Provider == channels.ProviderWhatsApp, LabelIDs: []kernel.ID{}, CreatedAt: tx.Now, UpdatedAt: tx.Now,
	}
	c.FindWindow()
	return c
}

// identity is an identifier of a person at a provider, other than the phone.
type identity struct{ kind, value string }

func identitiesOf(p provider.Person) []identity {
	var ids []identity
	if p.UserID != "" {
		ids = append(ids, identity{IdentityUser, p.UserID})
	}
	if p.WAID != "" {
		ids = append(ids, identity{IdentityWA, p.WAID})
	}
	return ids
}

// normalizePhones returns a copy of the items in which the phones are in E.164 format, or "" if the provider withholds them.
// Call it before the transaction: parsing a foreign number is slow, and on SQLite all writers would wait.
func normalizePhones(items []provider.Incoming) []provider.Incoming {
	out := slices.Clone(items)
	for i := range out {
		var p *provider.Person
		switch item := &out[i]; {
		case item.Message != nil:
			item.Message = new(*item.Message)
			p = &item.Message.Customer
		case item.Identity != nil:
			item.Identity = new(*item.Identity)
			p = &item.Identity.Person
		case item.Edit != nil:
			item.Edit = new(*item.Edit)
			p = &item.Edit.Sender.Customer
		case item.Revoke != nil:
			item.Revoke = new(*item.Revoke)
			p = &item.Revoke.Sender.Customer
		case item.Reaction != nil:
			item.Reaction = new(*item.Reaction)
			p = &item.Reaction.Sender.Customer
		default:
			continue
		}
		p.Phone = personPhone(*p)
	}
	return out
}

// personPhone returns the phone of a person, or the number in the WhatsApp id, in E.164 format if it is valid.
func personPhone(p provider.Person) string {
	digits := cmp.Or(p.Phone, p.WAID)
	if digits == "" {
		return ""
	}
	if digits[0] != '+' {
		digits = "+" + digits
	}
	if e164, ok := phone.Normalize(digits); ok {
		return e164
	}
	return digits
}

// namelessPerson is the name of a person without a name and a number.
const namelessPerson = "WhatsApp user"

func personName(p provider.Person) string {
	for _, name := range []string{p.Name, p.Username} {
		if name = cleanPersonName(name); name != "" {
			return name
		}
	}
	return cmp.Or(p.Phone, namelessPerson)
}

// cleanPersonName returns a name as a single line of limited length, or "" if it is not a valid name.
func cleanPersonName(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r == utf8.RuneError {
			return ' '
		}
		return r
	}, name)
	if utf8.RuneCountInString(name) > kernel.MaxName {
		name = string([]rune(name)[:kernel.MaxName])
	}
	name = strings.TrimSpace(name)
	if _, invalid := kernel.Name("name", name, kernel.MaxName); invalid != nil {
		return ""
	}
	return name
}

// identity handles a change of number or id, or an entry of the phone's address book. The name of an entry is used for a contact
// without a name. If there is no contact yet, one is created without an event if the number is known to be used in the WhatsApp
// Business app; otherwise the name is stored.
func (in *InboundBatch) identity(i *provider.IncomingIdentity) error {
	p := i.Person
	if i.Removed {
		in.Tx.Later(`
			DELETE FROM address_book
			WHERE company = $1 AND channel = $2 AND (kind = 'user_id' AND value = $3 OR kind = 'wa_id' AND value = $4)`,
			in.Channel.Company, in.Channel.ID, p.UserID, phone.Key(p.WAID))
		return nil
	}
	if i.AddressBook && in.Channel.Coexistence && cleanPersonName(p.Name) != "" {
		_, err := in.d.contactFor(in.Tx, in.Channel, p, i.At, in.join)
		if errors.Is(err, errErased) {
			err = nil
		}
		return err
	}
	c, found, err := in.d.knownContact(in.Tx, in.Channel, p, in.join)
	switch {
	case err != nil:
		return err
	case found:
		return in.follow(&c, i.History)
	case !i.AddressBook:
		return nil
	}
	if erased, err := in.d.erasedSince(in.Tx, &in.Channel, p, i.At); err != nil || erased {
		return err
	}
	if name := cleanPersonName(p.Name); name != "" {
		keepAddressBookName(in.Tx, in.Channel.Company, in.Channel.ID, p.UserID, phone.Key(p.WAID), name)
	}
	return nil
}

// follow shows the name of a contact in its conversation, unless the team has renamed that.
func (in *InboundBatch) follow(c *Contact, silent bool) error {
	conversation, found, err := lockConversationWith(in.Tx, c.Company, in.Channel.ID, c.ID)
	if err != nil || !found {
		return err
	}
	if t := in.hold(in.d.Locked(in.Tx, conversation)); !t.Renamed && t.Name != c.Name {
		t.follow(c)
		t.changed, t.emits = true, t.emits || !silent
	}
	return nil
}

// account applies a restriction of an account, or its end, to the company's channels of that account.
func (in *InboundBatch) account(a *provider.IncomingAccount) error {
	ids, err := channels.ChannelsOfAccount(in.Tx, in.Channel.Company, a.WABAID, phone.Key(a.Phone))
	if err != nil {
		return err
	}
	for _, id := range ids {
		switch {
		case a.Lifted:
			channels.LiftRestriction(in.Tx, in.Channel.Company, id, a.Reason)
		case a.Unrestricted:
			channels.EndRestriction(in.Tx, in.Channel.Company, id)
		case a.Disconnect:
			channels.RestrictChannel(in.Tx, in.Channel.Company, id, a.Reason, nil)
			ch, _, err := channels.FindChannel(in.Tx, in.Channel.Company, id)
			if err != nil {
				return err
			}
			if ch.Status == channels.ChannelConnected {
				channels.AuditDisconnected(in.Tx, ch.Company, id, ch.Name, nil, a.Reason)
			}
			channels.SetChannelStatus(in.Tx, in.Channel.Company, id, channels.ChannelDisconnected, &a.Reason)
		default:
			channels.RestrictChannel(in.Tx, in.Channel.Company, id, a.Reason, kernel.TimeOrNil(a.Until))
		}
	}
	return nil
}
