package desk

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"recado/internal/model"
	"recado/internal/phone"
	"recado/internal/store"
)

// ContactFilter says which contacts a list shows; the principal's company is added here.
type ContactFilter = store.ContactFilter

// Contacts lists the company's contacts, the newest first. Contacts are the company's address book: an
// access profile narrows conversations, not them.
func (d *Desk) Contacts(ctx context.Context, a *Principal, f ContactFilter) (Page[model.Contact], error) {
	if err := a.May(VerbContacts); err != nil {
		return Page[model.Contact]{}, err
	}
	f.Company, f.Private = a.Company.ID, a.Views
	return list(ctx, d, a, f.Q, f.Offset, func(near bool) (Page[model.Contact], error) {
		f.Near = near
		reading := read[Page[model.Contact]]
		if f.Simple() {
			reading = readOne[Page[model.Contact]]
		}
		return reading(ctx, d, func(tx *store.Tx) (page Page[model.Contact], err error) {
			page.Data, page.More, err = tx.Contacts(f)
			return page, err
		})
	})
}

// Contact gives one contact.
func (d *Desk) Contact(ctx context.Context, a *Principal, id model.ID) (model.Contact, error) {
	if err := a.May(VerbContact); err != nil {
		return model.Contact{}, err
	}
	return readOne(ctx, d, func(tx *store.Tx) (model.Contact, error) {
		c, found, err := tx.Contact(a.Company.ID, id)
		if err != nil || !found || !a.knowsContact(&c) {
			return model.Contact{}, errOr(err, model.NotFound("contact"))
		}
		return c, nil
	})
}

// NewContact is what a contact is made of.
type NewContact struct {
	Name         string
	Phone        string
	BusinessName *string
	City         *string
	Channel      *model.ID
	Automation   *bool // nil: the reception answers
}

// CreateContact adds a contact. A number that reaches a contact the company has is refused with that
// one's id. Contacts of private channels are no obstacle: one that names a private channel is of that
// channel's pool, see model.Channel.Pool.
func (d *Desk) CreateContact(ctx context.Context, a *Principal, in NewContact) (model.Contact, error) {
	if err := a.May(VerbCreateContact); err != nil {
		return model.Contact{}, err
	}
	c, err := newContact(in)
	if err != nil {
		return c, err
	}
	return writeAnswer(ctx, d, func(tx *store.Tx) (model.Contact, error) {
		c := c
		c.ID, c.Company, c.Pool, c.CreatedAt, c.UpdatedAt = model.NewID(), a.Company.ID, a.Company.ID, tx.Now, tx.Now
		if c.Channel != nil {
			ch, err := d.bodyChannel(tx, a, *c.Channel)
			if err != nil {
				return c, err
			}
			c.Pool = ch.Pool()
		}
		tx.AfterCommit(d.wakeups.Index.Notify)
		tx.ShareVisibility(c.Company)
		known, found, err := tx.LockContactWithPhone(c.Company, c.Pool, *c.Phone)
		if err == nil && found && c.Public() {
			var hidden bool
			if hidden, err = d.settleHidden(tx, &known); err == nil && hidden {
				known, found, err = tx.LockContactWithPhone(c.Company, c.Pool, *c.Phone)
			}
		}
		if err == nil && !found {
			var fresh bool
			if fresh, err = tx.InsertContact(&c); err != nil || fresh {
				return c, err
			}
			known, found, err = tx.LockContactWithPhone(c.Company, c.Pool, *c.Phone) // another transaction was faster
		}
		if err != nil || !found {
			return c, errOr(err, errBusyElsewhere())
		}
		return c, errContactExists(known.ID)
	})
}

func errContactExists(known model.ID) error {
	return &model.Error{
		Code: model.CodeContactExists, Message: "There is already a contact with this phone number: " + known.String() + ".",
		Fields: []model.FieldError{{Field: "body.phone", Message: known.String()}},
	}
}

func newContact(in NewContact) (c model.Contact, err error) {
	phone, ok := phone.Normalize(in.Phone)
	if !ok {
		return c, errPhone("body.phone")
	}
	c = model.Contact{Phone: &phone, Channel: in.Channel, LabelIDs: []model.ID{}, Automation: true}
	set(&c.Automation, in.Automation)
	name, invalid := model.Name("body.name", in.Name, model.MaxName)
	if invalid != nil {
		return c, invalid
	}
	c.Name = name
	if c.BusinessName, err = optionalName("body.company", in.BusinessName); err != nil {
		return c, err
	}
	c.City, err = optionalName("body.city", in.City)
	return c, err
}

// optionalName checks a name that may be absent.
func optionalName(field string, name *string) (*string, error) {
	if name == nil {
		return nil, nil
	}
	clean, invalid := model.Name(field, *name, model.MaxName)
	if invalid != nil {
		return nil, invalid
	}
	return &clean, nil
}

// bodyChannel finds the channel that the body of a request names.
func (d *Desk) bodyChannel(tx *store.Tx, a *Principal, id model.ID) (model.Channel, error) {
	tx.ShareVisibility(a.Company.ID)
	ch, found, err := tx.Channel(a.Company.ID, id)
	if err != nil || !found || !a.knows(ch) {
		return model.Channel{}, errOr(err, model.Invalid("body.channel_id", "there is no such channel"))
	}
	return ch, nil
}

// ContactChange is what a member may change of a contact; what is absent stays as it is.
type ContactChange struct {
	Name         *string
	Phone        *string
	BusinessName model.Optional[string]
	City         model.Optional[string]
	LabelIDs     *[]model.ID
	Blocked      *bool
	Automation   *bool
}

// UpdateContact changes a contact. A new name shows in its conversations too, unless the team has
// given them names of their own.
func (d *Desk) UpdateContact(ctx context.Context, a *Principal, id model.ID, change ContactChange) (model.Contact, error) {
	if err := a.May(VerbUpdateContact); err != nil {
		return model.Contact{}, err
	}
	name, err := optionalName("body.name", change.Name)
	if err != nil {
		return model.Contact{}, err
	}
	businessName, err := optionalName("body.company", change.BusinessName.Pointer())
	if err != nil {
		return model.Contact{}, err
	}
	city, err := optionalName("body.city", change.City.Pointer())
	if err != nil {
		return model.Contact{}, err
	}
	if change.Phone != nil {
		number, ok := phone.Normalize(*change.Phone)
		if !ok {
			return model.Contact{}, errPhone("body.phone")
		}
		change.Phone = &number
	}
	return write(ctx, d, func(tx *store.Tx) (model.Contact, error) {
		c, found, err := tx.LockContact(a.Company.ID, id)
		if err != nil || !found || !a.knowsContact(&c) {
			return model.Contact{}, errOr(err, model.NotFound("contact"))
		}
		if change.Phone != nil && !same(c.Phone, change.Phone) {
			if err := changePhone(tx, &c, *change.Phone); err != nil {
				return model.Contact{}, err
			}
		}
		if change.LabelIDs != nil {
			if c.LabelIDs, err = d.labels(tx, a, *change.LabelIDs); err != nil {
				return model.Contact{}, err
			}
			tx.SetContactLabels(id, c.LabelIDs)
		}
		was := c.Name
		set(&c.Name, name)
		set(&c.Blocked, change.Blocked)
		set(&c.Automation, change.Automation)
		if change.BusinessName.Set {
			c.BusinessName = businessName
		}
		if change.City.Set {
			c.City = city
		}
		c.UpdatedAt = tx.Now
		tx.SaveContact(&c)
		tx.AfterCommit(d.wakeups.Index.Notify)
		return c, d.renameConversations(tx, &c, was)
	})
}

// changePhone gives a contact that is not in use another number. A contact without a name of its own is named after it.
func changePhone(tx *store.Tx, c *model.Contact, number string) error {
	used, err := tx.ContactInUse(c.Company, c.ID)
	if err != nil || used {
		return errOr(err, errContactInUse())
	}
	known, found, err := tx.LockContactWithPhone(c.Company, c.Pool, number)
	if err != nil || found && known.ID != c.ID {
		return errOr(err, errContactExists(known.ID))
	}
	if nameless(c) {
		c.Name = number
	}
	c.Phone = &number
	free, err := tx.SetPhone(c)
	if err == nil && !free { // another transaction was faster
		err = errBusyElsewhere()
	}
	return err
}

func errContactInUse() error {
	return model.Errorf(model.CodeInUse, "This contact has conversations. Its number cannot change and it cannot be deleted.")
}

// DeleteContact deletes a contact that has no conversation. Cards that name it stay without a contact.
func (d *Desk) DeleteContact(ctx context.Context, a *Principal, id model.ID) error {
	if err := a.May(VerbDeleteContact); err != nil {
		return err
	}
	return d.store.Write(ctx, func(tx *store.Tx) error {
		c, found, err := tx.LockContact(a.Company.ID, id)
		if err != nil || !found || !a.knowsContact(&c) {
			return errOr(err, model.NotFound("contact"))
		}
		used, err := tx.ContactInUse(c.Company, c.ID)
		if err != nil || used {
			return errOr(err, errContactInUse())
		}
		cards, err := tx.CardsOfContact(c.Company, c.ID)
		if err != nil {
			return err
		}
		for _, id := range cards {
			was, found, err := tx.LockCard(c.Company, id)
			if err != nil {
				return err
			}
			if card := was; found {
				card.Contact = nil
				d.saveCard(tx, &was.Card, &card.Card)
			}
		}
		return tx.DeleteContact(c.Company, c.ID)
	})
}

// renameConversations lets a contact's new name show in its conversations.
func (d *Desk) renameConversations(tx *store.Tx, c *model.Contact, was string) error {
	if c.Name == was {
		return nil
	}
	ids, err := tx.ConversationsOf(c.Company, c.ID)
	if err != nil {
		return err
	}
	for _, id := range ids {
		conversation, found, err := tx.LockConversation(c.Company, id)
		if err != nil {
			return err
		}
		if !found || conversation.Renamed {
			continue
		}
		t := d.locked(tx, conversation)
		t.Name = c.Name
		if err := t.save(); err != nil {
			return err
		}
	}
	return nil
}

// closeReasonMerged is why an attendance closes whose conversation is joined with one that has another.
const closeReasonMerged = "The conversation was joined with another one of the same customer."

// join makes one contact of several that turned out to be the same person, the oldest of them, and reports
// whether it did. What the inbound batch holds is saved before.
func (in *inboundBatch) join(known []store.KnownAs, p model.Person) (bool, error) {
	contacts, err := in.samePerson(known, p)
	if err != nil || len(contacts) < 2 {
		return false, err
	}
	if err := in.finish(); err != nil {
		return false, err
	}
	clear(in.conversations)
	clear(in.people)
	in.order = nil
	in.tx.LockSeveral(in.channel.ID)
	joined := false
	for _, gone := range contacts[1:] {
		done, err := in.d.mergeContacts(in.tx, contacts[0].ID, gone.ID, in.channel.Company)
		if err != nil {
			return false, err
		}
		joined = joined || done
	}
	return joined, nil
}

// samePerson gives those of the contacts that the identities of a person lead to, the oldest first, which may be
// joined: none has a number or a user id that contradicts, and all are of the pool of the channel.
// Where the provider reports that a person changed identity, user ids and the previous number are proof, and a
// contact with the new number alone may be that of its previous holder.
func (in *inboundBatch) samePerson(known []store.KnownAs, p model.Person) ([]model.Contact, error) {
	var out []model.Contact
	moved := p.PreviousUserID != "" || p.PreviousWAID != ""
	phones, named := 0, 0
	for _, k := range known {
		c := k.Contact
		proven := k.Kind == store.IdentityUser || k.Value == p.PreviousWAID
		if moved && !proven || slices.ContainsFunc(out, func(o model.Contact) bool { return o.ID == c.ID }) {
			continue
		}
		out = append(out, c)
		if moved {
			continue
		}
		hasUserID, err := in.tx.ContactHasUserID(c.Company, c.ID)
		if err != nil {
			return nil, err
		}
		if c.Phone != nil {
			phones++
		}
		if hasUserID {
			named++
		}
	}
	if phones > 1 || named > 1 {
		return nil, nil
	}
	slices.SortFunc(out, func(a, b model.Contact) int { return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), compareIDs(a.ID, b.ID)) })
	return out, nil
}

// mergeContacts moves everything of one contact to another of the same company and deletes it. While messages
// of either wait to be sent nothing happens and it reports false: the next message tries again.
func (d *Desk) mergeContacts(tx *store.Tx, keepID, goneID, company model.ID) (bool, error) {
	pair := []model.ID{keepID, goneID}
	slices.SortFunc(pair, compareIDs)
	both := map[model.ID]model.Contact{}
	for _, id := range pair {
		c, found, err := tx.LockContact(company, id)
		if err != nil || !found {
			return false, err
		}
		both[id] = c
	}
	keep, gone := both[keepID], both[goneID]
	kept, err := tx.LockConversationsOf(company, keep.ID)
	if err != nil {
		return false, err
	}
	moving, err := tx.LockConversationsOf(company, gone.ID)
	if err != nil {
		return false, err
	}
	for _, c := range slices.Concat(kept, moving) {
		if waits, err := tx.HasSends(c.ID); err != nil || waits {
			return false, err
		}
	}
	combine(&keep, &gone)
	for _, c := range moving {
		at := slices.IndexFunc(kept, func(k model.Conversation) bool { return k.Channel == c.Channel })
		if at < 0 {
			err = d.moveConversation(tx, c, &keep)
		} else {
			err = d.joinConversations(tx, kept[at], c, &keep)
		}
		if err != nil {
			return false, err
		}
	}
	if err := tx.ReplaceContact(company, gone.ID, keep.ID); err != nil {
		return false, err
	}
	tx.NameContact(&keep) // with the number, which the other contact no longer has
	tx.SaveContact(&keep)
	tx.SetContactLabels(keep.ID, keep.LabelIDs)
	tx.AfterCommit(d.wakeups.Index.Notify)
	return true, nil
}

// combine adds to a contact what only the other one says.
func combine(keep, gone *model.Contact) {
	if nameless(keep) && !nameless(gone) {
		keep.Name = gone.Name
	}
	keep.Phone = cmp.Or(keep.Phone, gone.Phone)
	if keep.Name == namelessPerson && keep.Phone != nil {
		keep.Name = *keep.Phone
	}
	keep.BusinessName, keep.City = cmp.Or(keep.BusinessName, gone.BusinessName), cmp.Or(keep.City, gone.City)
	keep.LabelIDs = unite(keep.LabelIDs, gone.LabelIDs)
	keep.Blocked = keep.Blocked || gone.Blocked
	keep.Automation = keep.Automation && gone.Automation
}

func compareIDs(a, b model.ID) int { return bytes.Compare(a[:], b[:]) }

// unite gives the labels of both.
func unite(a, b []model.ID) []model.ID {
	all := slices.Concat(a, b)
	slices.SortFunc(all, compareIDs)
	return slices.Compact(all)
}

// moveConversation gives a conversation to another contact.
func (d *Desk) moveConversation(tx *store.Tx, c model.Conversation, to *model.Contact) error {
	t := d.locked(tx, c)
	tx.MoveConversation(t.Company, t.ID, to.ID)
	t.Contact = &to.ID
	t.follow(to)
	return t.save()
}

// follow takes over name and number of the contact.
func (t *lockedConversation) follow(c *model.Contact) {
	t.Phone = c.Phone
	if !t.Renamed {
		t.Name = c.Name
	}
}

// keepEarlierWait has the customer wait since the earlier of the times in two conversations that are joined.
func (t *lockedConversation) keepEarlierWait(other *lockedConversation) {
	theirs, own := other.WaitingSince(), t.WaitingSince()
	if theirs != nil && (own == nil || theirs.Before(*own)) {
		t.SetWaiting(theirs)
	}
}

// joinConversations makes one of two conversations of a channel with the same person. Of two open attendances
// that of the conversation that goes is closed.
func (d *Desk) joinConversations(tx *store.Tx, keep, gone model.Conversation, contact *model.Contact) error {
	into, from := d.locked(tx, keep), d.locked(tx, gone)
	if into.Attendance != nil && from.Attendance != nil {
		into.keepEarlierWait(from)
		reason := closeReasonMerged
		if _, err := from.closeAttendance(nil, &reason); err != nil {
			return err
		}
	}
	base := max(into.Sequence, from.Sequence)
	last, err := tx.JoinConversations(keep.Company, &into.Conversation, from.ID, base)
	if err != nil {
		return err
	}
	into.Sequence = last
	if into.Attendance == nil {
		into.Attendance, into.Unanswered = from.Attendance, from.Unanswered
	}
	if into.Assignee == nil && from.Attendance != nil {
		into.Assignee = from.Assignee
	}
	into.Sector = cmp.Or(into.Sector, from.Sector)
	into.UnreadCount += from.UnreadCount
	into.LabelIDs = unite(into.LabelIDs, from.LabelIDs)
	into.Archived, into.Pinned, into.Muted = into.Archived && from.Archived, into.Pinned || from.Pinned, into.Muted && from.Muted
	if from.LastMessage != nil && (into.LastMessage == nil || from.ActivityAt.After(into.ActivityAt)) {
		into.LastMessage, into.ActivityAt = from.LastMessage, from.ActivityAt
	}
	if from.LastInboundAt != nil && (into.LastInboundAt == nil || from.LastInboundAt.After(*into.LastInboundAt)) {
		into.LastInboundAt, into.LastInboundExt = from.LastInboundAt, from.LastInboundExt
		into.FindWindow()
	}
	into.SnoozedUntil = nil
	into.follow(contact)
	return into.save()
}
