package talk

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"recado/internal/channels"
	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/phone"
)

// contactFor finds the contact of a person whom a channel reports, or makes one. Concurrent calls,
// on any node, get the same contact. Contacts of private channels are kept apart: see
// channels.Channel.Pool. The person's phone has its usual spelling: see normalizePhones.
func (d *Talk) contactFor(tx *kernel.Tx, channel channels.Channel, p provider.Person, join joiner) (Contact, error) {
	c, found, err := d.knownContact(tx, channel, p, join)
	if err != nil || found {
		return c, err
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
	fresh, err := InsertContact(tx, &c)
	if err != nil {
		return c, err
	}
	for _, id := range identitiesOf(p) {
		if !fresh {
			break
		}
		if fresh, err = insertIdentity(tx, c.Company, c.Pool, id.kind, id.value, c.ID); err != nil {
			return c, err
		}
		if !fresh {
			forgetContact(tx, c.Company, c.ID)
		}
	}
	if fresh {
		tx.AfterCommit(d.Wakeup(WakeIndex).Notify)
		return c, nil
	}
	c, found, err = d.knownContact(tx, channel, p, nil) // another transaction was faster and has committed
	if err == nil && !found {
		err = errBusyElsewhere()
	}
	return c, err
}

// errBusyElsewhere is the refusal when another transaction has just removed what this one had found.
func errBusyElsewhere() error {
	return kernel.Errorf(kernel.CodeUnavailable, "Another call is changing this at the moment. Try again.")
}

// joiner makes one contact of several that are the same person, and reports whether it did.
type joiner func(known []KnownAs, p provider.Person) (bool, error)

// knownContact finds a contact by user id, then WhatsApp id, then phone, and adds to it what it did
// not know of the person. Where that leads to several contacts, join may make one of them; nil never does.
func (d *Talk) knownContact(tx *kernel.Tx, channel channels.Channel, p provider.Person, join joiner) (Contact, bool, error) {
	find := func() ([]KnownAs, error) {
		return contactsKnownAs(tx, channel.Company, channel.Pool(), [2]string{p.UserID, p.PreviousUserID}, [2]string{p.WAID, p.PreviousWAID}, phone.Key(p.Phone))
	}
	known, err := d.settled(tx, &channel, p, find)
	if err == nil && join != nil && several(known) {
		var joined bool
		if joined, err = join(known, p); err == nil && joined {
			known, err = find()
		}
	}
	if err != nil || len(known) == 0 {
		return Contact{}, false, err
	}
	c := known[0].Contact
	phoneFree := true
	linked := map[identity]bool{}
	for _, k := range known {
		linked[identity{k.Kind, k.Value}] = true
		phoneFree = phoneFree && k.Kind != "phone"
	}
	for _, id := range identitiesOf(p) {
		if !linked[id] {
			linkIdentity(tx, c.Company, id.kind, id.value, c.ID)
		}
	}
	d.completeContact(tx, &c, p, phoneFree)
	return c, true, nil
}

// settled finds the contacts of a person after all of them that a change of privacy has yet to move are in their pools.
func (d *Talk) settled(tx *kernel.Tx, channel *channels.Channel, p provider.Person, find func() ([]KnownAs, error)) ([]KnownAs, error) {
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

// several reports whether identities lead to different contacts.
func several(known []KnownAs) bool {
	return slices.ContainsFunc(known, func(k KnownAs) bool { return k.Contact.ID != known[0].Contact.ID })
}

// nameless reports whether the name of a contact was never given.
func nameless(c *Contact) bool {
	return c.Phone != nil && c.Name == *c.Phone || c.Phone == nil && c.Name == namelessPerson
}

// completeContact gives a contact the number it lacks, or the new one of a person who changed theirs,
// and the name it lacks.
func (d *Talk) completeContact(tx *kernel.Tx, c *Contact, p provider.Person, phoneFree bool) {
	moved := p.PreviousWAID != "" || p.PreviousUserID != ""
	learned := p.Phone != "" && phoneFree && (c.Phone == nil || moved && *c.Phone != p.Phone)
	if name := cleanPersonName(p.Name); nameless(c) && name != "" {
		c.Name = name
	} else if nameless(c) && learned {
		c.Name = p.Phone
	} else if !learned {
		return
	}
	if learned {
		c.Phone = &p.Phone
	}
	nameContact(tx, c)
	tx.AfterCommit(d.Wakeup(WakeIndex).Notify)
}

// conversationWith opens the channel's conversation with a contact, locked, and makes it if there is none.
func (d *Talk) conversationWith(tx *kernel.Tx, channel channels.Channel, contact Contact) (t *LockedConversation, created bool, err error) {
	c, found, err := lockConversationWith(tx, channel.Company, channel.ID, contact.ID)
	if err == nil && !found {
		var known bool
		if contact, known, err = keepContact(tx, channel.Company, contact.ID); err != nil || !known {
			return nil, false, kernel.ErrOr(err, errBusyElsewhere())
		}
		c = newConversation(tx, channel, KindDirect)
		c.Name, c.Phone, c.Contact = contact.Name, contact.Phone, &contact.ID
		if created, err = InsertConversation(tx, &c); err == nil && !created {
			c, found, err = lockConversationWith(tx, channel.Company, channel.ID, contact.ID)
		}
	}
	if err != nil || !found && !created {
		return nil, false, kernel.ErrOr(err, errBusyElsewhere())
	}
	t = d.Locked(tx, c)
	if !created { // the contact may have a new name or number since
		t.Phone = contact.Phone
		if !t.Renamed {
			t.Name = contact.Name
		}
	}
	return t, created, nil
}

// groupConversation is conversationWith for a group.
func (d *Talk) groupConversation(tx *kernel.Tx, channel channels.Channel, group provider.IncomingGroup) (t *LockedConversation, created bool, err error) {
	name := cleanPersonName(group.Name)
	c, found, err := lockGroup(tx, channel.Company, channel.ID, group.ID)
	if err == nil && !found {
		c = newConversation(tx, channel, KindGroup)
		c.GroupID, c.Name = &group.ID, name
		if name == "" {
			c.Name = unnamedGroup
		}
		if created, err = InsertConversation(tx, &c); err == nil && !created {
			c, found, err = lockGroup(tx, channel.Company, channel.ID, group.ID)
		}
	}
	if err != nil || !found && !created {
		return nil, false, kernel.ErrOr(err, errBusyElsewhere())
	}
	return d.Locked(tx, c), created, nil
}

// unnamedGroup is the name of a group whose name is not known.
const unnamedGroup = "Group"

// group takes the name of a group. A group that the desk does not know yet becomes a conversation.
func (in *InboundBatch) group(g *provider.IncomingGroup) error {
	t, _, err := in.d.groupConversation(in.Tx, in.Channel, *g)
	if err != nil {
		return err
	}
	held := in.hold(t)
	held.nameGroup(*g)
	held.changed, held.emits = true, true
	return nil
}

// nameGroup gives a group the name that the provider reports, unless the team gave it one.
func (t *LockedConversation) nameGroup(g provider.IncomingGroup) {
	if name := cleanPersonName(g.Name); name != "" && !t.Renamed && (!g.Created || t.Name == unnamedGroup) {
		t.Name = name
	}
}

func newConversation(tx *kernel.Tx, channel channels.Channel, kind string) Conversation {
	c := Conversation{
		ID: kernel.NewID(), Company: channel.Company, Channel: channel.ID, Private: channel.Private, Kind: kind,
		Windowed: channel.Provider != channels.ProviderSandbox, LabelIDs: []kernel.ID{}, CreatedAt: tx.Now, UpdatedAt: tx.Now,
	}
	c.FindWindow()
	return c
}

// identity is one thing a provider knows a person by, beside the phone.
type identity struct{ kind, value string }

func identitiesOf(p provider.Person) []identity {
	ids := make([]identity, 0, 2)
	if p.UserID != "" {
		ids = append(ids, identity{IdentityUser, p.UserID})
	}
	if p.WAID != "" {
		ids = append(ids, identity{IdentityWA, p.WAID})
	}
	return ids
}

// normalizePhones gives people their numbers in the usual spelling; "" where the provider withholds one. Reading a
// foreign number takes long, so this belongs before the transaction: on SQLite every writer waits for that.
func normalizePhones(items []provider.Incoming) []provider.Incoming {
	out := slices.Clone(items)
	for i, item := range items {
		switch {
		case item.Message != nil:
			m := *item.Message
			m.Customer.Phone = personPhone(m.Customer)
			out[i].Message = &m
		case item.Identity != nil:
			id := *item.Identity
			id.Person.Phone = personPhone(id.Person)
			out[i].Identity = &id
		case item.Edit != nil:
			e := *item.Edit
			e.Sender.Customer.Phone = personPhone(e.Sender.Customer)
			out[i].Edit = &e
		case item.Revoke != nil:
			r := *item.Revoke
			r.Sender.Customer.Phone = personPhone(r.Sender.Customer)
			out[i].Revoke = &r
		case item.Reaction != nil:
			r := *item.Reaction
			r.Sender.Customer.Phone = personPhone(r.Sender.Customer)
			out[i].Reaction = &r
		}
	}
	return out
}

// personPhone takes a WhatsApp id for the number itself, as WhatsApp writes it.
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

// namelessPerson is the name of a person of whom only an opaque id is known.
const namelessPerson = "WhatsApp user"

func personName(p provider.Person) string {
	for _, name := range []string{p.Name, p.Username} {
		if name = cleanPersonName(name); name != "" {
			return name
		}
	}
	return cmp.Or(p.Phone, namelessPerson)
}

// cleanPersonName makes one short line of the name that a person uses.
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

// identity takes a change of number or id, or an entry of the phone's address book. A name from there is for
// people who have none; where there is no contact yet it is kept for the day there is one.
func (in *InboundBatch) identity(i *provider.IncomingIdentity) error {
	p := i.Person
	if i.Removed {
		forgetAddressBookName(in.Tx, in.Channel.Company, in.Channel.ID, p.UserID, phone.Key(p.WAID))
		return nil
	}
	_, found, err := in.d.knownContact(in.Tx, in.Channel, p, in.join)
	if err != nil || found || !i.AddressBook {
		return err
	}
	if name := cleanPersonName(p.Name); name != "" {
		keepAddressBookName(in.Tx, in.Channel.Company, in.Channel.ID, p.UserID, phone.Key(p.WAID), name)
	}
	return nil
}

// account takes what the provider did to a whole account: the company's channels of that account show it.
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
			channels.SetChannelStatus(in.Tx, in.Channel.Company, id, channels.ChannelDisconnected, &a.Reason)
		default:
			channels.RestrictChannel(in.Tx, in.Channel.Company, id, a.Reason, kernel.TimeOrNil(a.Until))
		}
	}
	return nil
}
