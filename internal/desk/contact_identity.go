package desk

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"recado/internal/model"
	"recado/internal/phone"
	"recado/internal/store"
)

// contactFor finds the contact of a person whom a channel reports, or makes one. Concurrent calls,
// on any node, get the same contact. Contacts of private channels are kept apart: see
// model.Channel.Pool. The person's phone has its usual spelling: see normalizePhones.
func (d *Desk) contactFor(tx *store.Tx, channel model.Channel, p model.Person, join joiner) (model.Contact, error) {
	c, found, err := d.knownContact(tx, channel, p, join)
	if err != nil || found {
		return c, err
	}
	if p.Name == "" {
		if p.Name, err = tx.AddressBookName(channel.ID, p.UserID, phone.Key(p.WAID)); err != nil {
			return c, err
		}
	}
	c = model.Contact{
		ID: model.NewID(), Company: channel.Company, Name: personName(p), Phone: optional(p.Phone), Channel: &channel.ID,
		LabelIDs: []model.ID{}, Automation: true, Pool: channel.Pool(), CreatedAt: tx.Now, UpdatedAt: tx.Now,
	}
	fresh, err := tx.InsertContact(&c)
	if err != nil {
		return c, err
	}
	for _, id := range identitiesOf(p) {
		if !fresh {
			break
		}
		if fresh, err = tx.InsertIdentity(c.Company, c.Pool, id.kind, id.value, c.ID); err != nil {
			return c, err
		}
		if !fresh {
			tx.ForgetContact(c.Company, c.ID)
		}
	}
	if fresh {
		tx.AfterCommit(d.wakeups.Index.Notify)
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
	return model.Errorf(model.CodeUnavailable, "Another call is changing this at the moment. Try again.")
}

// joiner makes one contact of several that are the same person, and reports whether it did.
type joiner func(known []store.KnownAs, p model.Person) (bool, error)

// knownContact finds a contact by user id, then WhatsApp id, then phone, and adds to it what it did
// not know of the person. Where that leads to several contacts, join may make one of them; nil never does.
func (d *Desk) knownContact(tx *store.Tx, channel model.Channel, p model.Person, join joiner) (model.Contact, bool, error) {
	find := func() ([]store.KnownAs, error) {
		return tx.ContactsKnownAs(channel.Company, channel.Pool(), [2]string{p.UserID, p.PreviousUserID}, [2]string{p.WAID, p.PreviousWAID}, phone.Key(p.Phone))
	}
	known, err := d.settled(tx, &channel, p, find)
	if err == nil && join != nil && several(known) {
		var joined bool
		if joined, err = join(known, p); err == nil && joined {
			known, err = find()
		}
	}
	if err != nil || len(known) == 0 {
		return model.Contact{}, false, err
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
			tx.LinkIdentity(c.Company, id.kind, id.value, c.ID)
		}
	}
	d.completeContact(tx, &c, p, phoneFree)
	return c, true, nil
}

// settled finds the contacts of a person after all of them that a change of privacy has yet to move are in their pools.
func (d *Desk) settled(tx *store.Tx, channel *model.Channel, p model.Person, find func() ([]store.KnownAs, error)) ([]store.KnownAs, error) {
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
func several(known []store.KnownAs) bool {
	return slices.ContainsFunc(known, func(k store.KnownAs) bool { return k.Contact.ID != known[0].Contact.ID })
}

// nameless reports whether the name of a contact was never given.
func nameless(c *model.Contact) bool {
	return c.Phone != nil && c.Name == *c.Phone || c.Phone == nil && c.Name == namelessPerson
}

// completeContact gives a contact the number it lacks, or the new one of a person who changed theirs,
// and the name it lacks.
func (d *Desk) completeContact(tx *store.Tx, c *model.Contact, p model.Person, phoneFree bool) {
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
	tx.NameContact(c)
	tx.AfterCommit(d.wakeups.Index.Notify)
}

// conversationWith opens the channel's conversation with a contact, locked, and makes it if there is none.
func (d *Desk) conversationWith(tx *store.Tx, channel model.Channel, contact model.Contact) (t *lockedConversation, created bool, err error) {
	c, found, err := tx.LockConversationWith(channel.Company, channel.ID, contact.ID)
	if err == nil && !found {
		var known bool
		if contact, known, err = tx.KeepContact(channel.Company, contact.ID); err != nil || !known {
			return nil, false, errOr(err, errBusyElsewhere())
		}
		c = newConversation(tx, channel, model.KindDirect)
		c.Name, c.Phone, c.Contact = contact.Name, contact.Phone, &contact.ID
		if created, err = tx.InsertConversation(&c); err == nil && !created {
			c, found, err = tx.LockConversationWith(channel.Company, channel.ID, contact.ID)
		}
	}
	if err != nil || !found && !created {
		return nil, false, errOr(err, errBusyElsewhere())
	}
	t = d.locked(tx, c)
	if !created { // the contact may have a new name or number since
		t.Phone = contact.Phone
		if !t.Renamed {
			t.Name = contact.Name
		}
	}
	return t, created, nil
}

// groupConversation is conversationWith for a group.
func (d *Desk) groupConversation(tx *store.Tx, channel model.Channel, group model.IncomingGroup) (t *lockedConversation, created bool, err error) {
	name := cleanPersonName(group.Name)
	c, found, err := tx.LockGroup(channel.Company, channel.ID, group.ID)
	if err == nil && !found {
		c = newConversation(tx, channel, model.KindGroup)
		c.GroupID, c.Name = &group.ID, name
		if name == "" {
			c.Name = unnamedGroup
		}
		if created, err = tx.InsertConversation(&c); err == nil && !created {
			c, found, err = tx.LockGroup(channel.Company, channel.ID, group.ID)
		}
	}
	if err != nil || !found && !created {
		return nil, false, errOr(err, errBusyElsewhere())
	}
	return d.locked(tx, c), created, nil
}

// unnamedGroup is the name of a group whose name is not known.
const unnamedGroup = "Group"

// group takes the name of a group. A group that the desk does not know yet becomes a conversation.
func (in *inboundBatch) group(g *model.IncomingGroup) error {
	t, _, err := in.d.groupConversation(in.tx, in.channel, *g)
	if err != nil {
		return err
	}
	held := in.hold(t)
	held.nameGroup(*g)
	held.changed, held.emits = true, true
	return nil
}

// nameGroup gives a group the name that the provider reports, unless the team gave it one.
func (t *lockedConversation) nameGroup(g model.IncomingGroup) {
	if name := cleanPersonName(g.Name); name != "" && !t.Renamed && (!g.Created || t.Name == unnamedGroup) {
		t.Name = name
	}
}

func newConversation(tx *store.Tx, channel model.Channel, kind string) model.Conversation {
	c := model.Conversation{
		ID: model.NewID(), Company: channel.Company, Channel: channel.ID, Private: channel.Private, Kind: kind,
		Windowed: channel.Provider != model.ProviderSandbox, LabelIDs: []model.ID{}, CreatedAt: tx.Now, UpdatedAt: tx.Now,
	}
	c.FindWindow()
	return c
}

// identity is one thing a provider knows a person by, beside the phone.
type identity struct{ kind, value string }

func identitiesOf(p model.Person) []identity {
	ids := make([]identity, 0, 2)
	if p.UserID != "" {
		ids = append(ids, identity{store.IdentityUser, p.UserID})
	}
	if p.WAID != "" {
		ids = append(ids, identity{store.IdentityWA, p.WAID})
	}
	return ids
}

// normalizePhones gives people their numbers in the usual spelling; "" where the provider withholds one. Reading a
// foreign number takes long, so this belongs before the transaction: on SQLite every writer waits for that.
func normalizePhones(items []model.Incoming) []model.Incoming {
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
func personPhone(p model.Person) string {
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

func personName(p model.Person) string {
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
	if utf8.RuneCountInString(name) > model.MaxName {
		name = string([]rune(name)[:model.MaxName])
	}
	name = strings.TrimSpace(name)
	if _, invalid := model.Name("name", name, model.MaxName); invalid != nil {
		return ""
	}
	return name
}

// identity takes a change of number or id, or an entry of the phone's address book. A name from there is for
// people who have none; where there is no contact yet it is kept for the day there is one.
func (in *inboundBatch) identity(i *model.IncomingIdentity) error {
	p := i.Person
	if i.Removed {
		in.tx.ForgetAddressBookName(in.channel.ID, p.UserID, phone.Key(p.WAID))
		return nil
	}
	_, found, err := in.d.knownContact(in.tx, in.channel, p, in.join)
	if err != nil || found || !i.AddressBook {
		return err
	}
	if name := cleanPersonName(p.Name); name != "" {
		in.tx.KeepAddressBookName(in.channel.ID, p.UserID, phone.Key(p.WAID), name)
	}
	return nil
}

// account takes what the provider did to a whole account: the company's channels of that account show it.
func (in *inboundBatch) account(a *model.IncomingAccount) error {
	channels, err := in.tx.ChannelsOfAccount(in.channel.Company, a.WABAID, phone.Key(a.Phone))
	if err != nil {
		return err
	}
	for _, id := range channels {
		switch {
		case a.Lifted:
			in.tx.LiftRestriction(in.channel.Company, id, a.Text)
		case a.Unrestricted:
			in.tx.EndRestriction(in.channel.Company, id)
		case a.Disconnect:
			in.tx.RestrictChannel(in.channel.Company, id, a.Text, nil)
			in.tx.SetChannelStatus(in.channel.Company, id, model.ChannelDisconnected, &a.Text)
		default:
			in.tx.RestrictChannel(in.channel.Company, id, a.Text, optionalTime(a.Until))
		}
	}
	return nil
}
