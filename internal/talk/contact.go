package talk

import (
	"cmp"
	"context"
	"slices"
	"time"

	"recado/internal/channels"
	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/phone"
)

// Contact is a customer. Phone is null for a WhatsApp user whose number the provider withholds.
type Contact struct {
	ID           kernel.ID   `json:"id"`
	Name         string      `json:"name"`
	Phone        *string     `json:"phone" example:"+5511912345678"`
	BusinessName *string     `json:"company"`
	City         *string     `json:"city"`
	Channel      *kernel.ID  `json:"channel_id"`
	LabelIDs     []kernel.ID `json:"label_ids"`
	Blocked      bool        `json:"blocked"`
	Automation   bool        `json:"automation" doc:"Whether the reception of a channel answers this person."`
	CreatedAt    time.Time   `json:"created_at"`
	UpdatedAt    time.Time   `json:"updated_at"`

	Company kernel.ID `json:"-"`
	Pool    kernel.ID `json:"-"` // the company of a public contact, the channel of a private one: see Channel.Pool
}

// Subject is the contact.
func (c *Contact) Subject() kernel.Subject {
	return kernel.Subject{Kind: SubjectContact, ID: c.ID}
}

// Public reports whether the contact is one of the company's own, and not of a private channel.
func (c *Contact) Public() bool { return c.Pool == c.Company }

// Contacts lists the company's contacts, the newest first. Contacts are the company's address book: an
// access profile narrows conversations, not them.
func (d *Talk) Contacts(ctx context.Context, a *kernel.Principal, f contactCriteria) (kernel.Page[Contact], error) {
	if err := a.May(VerbContacts); err != nil {
		return kernel.Page[Contact]{}, err
	}
	f.Company, f.Private = a.Company.ID, a.Views
	return kernel.List(ctx, d.Kernel, a, f.Q, f.Offset, func(near bool) (kernel.Page[Contact], error) {
		f.Near = near
		reading := kernel.Read[kernel.Page[Contact]]
		if f.Simple() {
			reading = kernel.ReadOne[kernel.Page[Contact]]
		}
		return reading(ctx, d.Kernel, func(tx *kernel.Tx) (page kernel.Page[Contact], err error) {
			page.Data, page.More, err = findContacts(tx, f)
			return page, err
		})
	})
}

// Contact gives one contact.
func (d *Talk) Contact(ctx context.Context, a *kernel.Principal, id kernel.ID) (Contact, error) {
	if err := a.May(VerbContact); err != nil {
		return Contact{}, err
	}
	return kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) (Contact, error) {
		c, found, err := findContact(tx, a.Company.ID, id)
		if err != nil || !found || !knowsContact(a, &c) {
			return Contact{}, kernel.ErrOr(err, kernel.NotFound("contact"))
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
	Channel      *kernel.ID
	Automation   *bool // nil: the reception answers
}

// CreateContact adds a contact. A number that reaches a contact the company has is refused with that
// one's id. Contacts of private channels are no obstacle: one that names a private channel is of that
// channel's pool, see channels.Channel.Pool.
func (d *Talk) CreateContact(ctx context.Context, a *kernel.Principal, in NewContact) (Contact, error) {
	if err := a.May(VerbCreateContact); err != nil {
		return Contact{}, err
	}
	c, err := newContact(in)
	if err != nil {
		return c, err
	}
	return kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (Contact, error) {
		c := c
		c.ID, c.Company, c.Pool, c.CreatedAt, c.UpdatedAt = kernel.NewID(), a.Company.ID, a.Company.ID, tx.Now, tx.Now
		if c.Channel != nil {
			ch, err := d.bodyChannel(tx, a, *c.Channel)
			if err != nil {
				return c, err
			}
			c.Pool = ch.Pool()
		}
		tx.AfterCommit(d.Wakeup(WakeIndex).Notify)
		tx.ShareVisibility(c.Company)
		known, found, err := lockContactWithPhone(tx, c.Company, c.Pool, *c.Phone)
		if err == nil && found && c.Public() {
			var hidden bool
			if hidden, err = d.settleHidden(tx, &known); err == nil && hidden {
				known, found, err = lockContactWithPhone(tx, c.Company, c.Pool, *c.Phone)
			}
		}
		if err == nil && !found {
			var fresh bool
			if fresh, err = InsertContact(tx, &c); err != nil || fresh {
				return c, err
			}
			known, found, err = lockContactWithPhone(tx, c.Company, c.Pool, *c.Phone) // another transaction was faster
		}
		if err != nil || !found {
			return c, kernel.ErrOr(err, errBusyElsewhere())
		}
		return c, errContactExists(known.ID)
	})
}

func errContactExists(known kernel.ID) error {
	return &kernel.Error{
		Code: kernel.CodeContactExists, Message: "There is already a contact with this phone number: " + known.String() + ".",
		Params: kernel.Params{"id": known},
		Fields: []kernel.FieldError{ruleContactExists.At("body.phone", known.String(), kernel.Params{"id": known})},
	}
}

func newContact(in NewContact) (c Contact, err error) {
	phone, ok := phone.Normalize(in.Phone)
	if !ok {
		return c, channels.ErrPhone("body.phone")
	}
	c = Contact{Phone: &phone, Channel: in.Channel, LabelIDs: []kernel.ID{}, Automation: true}
	kernel.Set(&c.Automation, in.Automation)
	name, invalid := kernel.Name("body.name", in.Name, kernel.MaxName)
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
	clean, invalid := kernel.Name(field, *name, kernel.MaxName)
	if invalid != nil {
		return nil, invalid
	}
	return &clean, nil
}

// bodyChannel finds the channel that the body of a request names.
func (d *Talk) bodyChannel(tx *kernel.Tx, a *kernel.Principal, id kernel.ID) (channels.Channel, error) {
	tx.ShareVisibility(a.Company.ID)
	ch, found, err := channels.FindChannel(tx, a.Company.ID, id)
	if err != nil || !found || !channels.Knows(a, ch) {
		return channels.Channel{}, kernel.ErrOr(err, kernel.NoSuch("body.channel_id", "channel"))
	}
	return ch, nil
}

// ContactChange is what a member may change of a contact; what is absent stays as it is.
type ContactChange struct {
	Name         *string
	Phone        *string
	BusinessName kernel.Optional[string]
	City         kernel.Optional[string]
	LabelIDs     *[]kernel.ID
	Blocked      *bool
	Automation   *bool
}

// UpdateContact changes a contact. A new name shows in its conversations too, unless the team has
// given them names of their own.
func (d *Talk) UpdateContact(ctx context.Context, a *kernel.Principal, id kernel.ID, change ContactChange) (Contact, error) {
	if err := a.May(VerbUpdateContact); err != nil {
		return Contact{}, err
	}
	name, err := optionalName("body.name", change.Name)
	if err != nil {
		return Contact{}, err
	}
	businessName, err := optionalName("body.company", change.BusinessName.Pointer())
	if err != nil {
		return Contact{}, err
	}
	city, err := optionalName("body.city", change.City.Pointer())
	if err != nil {
		return Contact{}, err
	}
	if change.Phone != nil {
		number, ok := phone.Normalize(*change.Phone)
		if !ok {
			return Contact{}, channels.ErrPhone("body.phone")
		}
		change.Phone = &number
	}
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (Contact, error) {
		c, found, err := lockContact(tx, a.Company.ID, id)
		if err != nil || !found || !knowsContact(a, &c) {
			return Contact{}, kernel.ErrOr(err, kernel.NotFound("contact"))
		}
		if change.Phone != nil && !kernel.Same(c.Phone, change.Phone) {
			if err := changePhone(tx, &c, *change.Phone); err != nil {
				return Contact{}, err
			}
		}
		if change.LabelIDs != nil {
			if c.LabelIDs, err = d.KnownLabels(tx, a, *change.LabelIDs); err != nil {
				return Contact{}, err
			}
			setContactLabels(tx, c.Company, id, c.LabelIDs)
		}
		was := c.Name
		kernel.Set(&c.Name, name)
		kernel.Set(&c.Blocked, change.Blocked)
		kernel.Set(&c.Automation, change.Automation)
		if change.BusinessName.Set {
			c.BusinessName = businessName
		}
		if change.City.Set {
			c.City = city
		}
		c.UpdatedAt = tx.Now
		saveContact(tx, &c)
		tx.AfterCommit(d.Wakeup(WakeIndex).Notify)
		return c, d.renameConversations(tx, &c, was)
	})
}

// changePhone gives a contact that is not in use another number. A contact without a name of its own is named after it.
func changePhone(tx *kernel.Tx, c *Contact, number string) error {
	used, err := contactInUse(tx, c.Company, c.ID)
	if err != nil || used {
		return kernel.ErrOr(err, errContactInUse())
	}
	known, found, err := lockContactWithPhone(tx, c.Company, c.Pool, number)
	if err != nil || found && known.ID != c.ID {
		return kernel.ErrOr(err, errContactExists(known.ID))
	}
	if nameless(c) {
		c.Name = number
	}
	c.Phone = &number
	free, err := setPhone(tx, c)
	if err == nil && !free { // another transaction was faster
		err = errBusyElsewhere()
	}
	return err
}

func errContactInUse() error {
	return kernel.Errorf(kernel.CodeInUse, "This contact has conversations. Its number cannot change and it cannot be deleted.")
}

// DeleteContact deletes a contact that has no conversation. Cards that name it stay without a contact.
func (d *Talk) DeleteContact(ctx context.Context, a *kernel.Principal, id kernel.ID) error {
	if err := a.May(VerbDeleteContact); err != nil {
		return err
	}
	return d.Store.Write(ctx, func(tx *kernel.Tx) error {
		c, found, err := lockContact(tx, a.Company.ID, id)
		if err != nil || !found || !knowsContact(a, &c) {
			return kernel.ErrOr(err, kernel.NotFound("contact"))
		}
		used, err := contactInUse(tx, c.Company, c.ID)
		if err != nil || used {
			return kernel.ErrOr(err, errContactInUse())
		}
		if err := d.tell(func(o *Observer) error { return o.ContactDeleted(tx, &c) }); err != nil {
			return err
		}
		return deleteContact(tx, c.Company, c.ID)
	})
}

// renameConversations lets a contact's new name show in its conversations.
func (d *Talk) renameConversations(tx *kernel.Tx, c *Contact, was string) error {
	if c.Name == was {
		return nil
	}
	ids, err := conversationsOf(tx, c.Company, c.ID)
	if err != nil {
		return err
	}
	for _, id := range ids {
		conversation, found, err := LockConversation(tx, c.Company, id)
		if err != nil {
			return err
		}
		if !found || conversation.Renamed {
			continue
		}
		t := d.Locked(tx, conversation)
		t.Name = c.Name
		if err := t.Save(); err != nil {
			return err
		}
	}
	return nil
}

// closeReasonMerged is why an attendance closes whose conversation is joined with one that has another.
const closeReasonMerged = "The conversation was joined with another one of the same customer."

// join makes one contact of several that turned out to be the same person, the oldest of them, and reports
// whether it did. What the inbound batch holds is saved before.
func (in *InboundBatch) join(known []KnownAs, p provider.Person) (bool, error) {
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
	in.Tx.LockSeveral(in.Channel.ID)
	joined := false
	for _, gone := range contacts[1:] {
		done, err := in.d.mergeContacts(in.Tx, contacts[0].ID, gone.ID, in.Channel.Company)
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
func (in *InboundBatch) samePerson(known []KnownAs, p provider.Person) ([]Contact, error) {
	var out []Contact
	moved := p.PreviousUserID != "" || p.PreviousWAID != ""
	phones, named := 0, 0
	for _, k := range known {
		c := k.Contact
		proven := k.Kind == IdentityUser || k.Value == p.PreviousWAID
		if moved && !proven || slices.ContainsFunc(out, func(o Contact) bool { return o.ID == c.ID }) {
			continue
		}
		out = append(out, c)
		if moved {
			continue
		}
		hasUserID, err := contactHasUserID(in.Tx, c.Company, c.ID)
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
	slices.SortFunc(out, func(a, b Contact) int { return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), kernel.CompareIDs(a.ID, b.ID)) })
	return out, nil
}

// mergeContacts moves everything of one contact to another of the same company and deletes it. While messages
// of either wait to be sent nothing happens and it reports false: the next message tries again.
func (d *Talk) mergeContacts(tx *kernel.Tx, keepID, goneID, company kernel.ID) (bool, error) {
	pair := []kernel.ID{keepID, goneID}
	slices.SortFunc(pair, kernel.CompareIDs)
	both := map[kernel.ID]Contact{}
	for _, id := range pair {
		c, found, err := lockContact(tx, company, id)
		if err != nil || !found {
			return false, err
		}
		both[id] = c
	}
	keep, gone := both[keepID], both[goneID]
	kept, err := lockConversationsOf(tx, company, keep.ID)
	if err != nil {
		return false, err
	}
	moving, err := lockConversationsOf(tx, company, gone.ID)
	if err != nil {
		return false, err
	}
	for _, c := range slices.Concat(kept, moving) {
		if waits, err := hasSends(tx, company, c.ID); err != nil || waits {
			return false, err
		}
	}
	combine(&keep, &gone)
	for _, c := range moving {
		at := slices.IndexFunc(kept, func(k Conversation) bool { return k.Channel == c.Channel })
		if at < 0 {
			err = d.moveConversation(tx, c, &keep)
		} else {
			err = d.joinConversations(tx, kept[at], c, &keep)
		}
		if err != nil {
			return false, err
		}
	}
	if err := replaceContact(tx, company, gone.ID, keep.ID); err != nil {
		return false, err
	}
	nameContact(tx, &keep) // with the number, which the other contact no longer has
	saveContact(tx, &keep)
	setContactLabels(tx, company, keep.ID, keep.LabelIDs)
	tx.AfterCommit(d.Wakeup(WakeIndex).Notify)
	return true, nil
}

// combine adds to a contact what only the other one says.
func combine(keep, gone *Contact) {
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

// unite gives the labels of both.
func unite(a, b []kernel.ID) []kernel.ID {
	all := slices.Concat(a, b)
	slices.SortFunc(all, kernel.CompareIDs)
	return slices.Compact(all)
}

// moveConversation gives a conversation to another contact.
func (d *Talk) moveConversation(tx *kernel.Tx, c Conversation, to *Contact) error {
	t := d.Locked(tx, c)
	moveConversation(tx, t.Company, t.ID, to.ID)
	t.Contact = &to.ID
	t.follow(to)
	return t.Save()
}

// follow takes over name and number of the contact.
func (t *LockedConversation) follow(c *Contact) {
	t.Phone = c.Phone
	if !t.Renamed {
		t.Name = c.Name
	}
}

// keepEarlierWait has the customer wait since the earlier of the times in two conversations that are joined.
func (t *LockedConversation) keepEarlierWait(other *LockedConversation) {
	theirs, own := other.WaitingSince(), t.WaitingSince()
	if theirs != nil && (own == nil || theirs.Before(*own)) {
		t.SetWaiting(theirs)
	}
}

// joinConversations makes one of two conversations of a channel with the same person. Of two open attendances
// that of the conversation that goes is closed.
func (d *Talk) joinConversations(tx *kernel.Tx, keep, gone Conversation, contact *Contact) error {
	into, from := d.Locked(tx, keep), d.Locked(tx, gone)
	if into.Attendance != nil && from.Attendance != nil {
		into.keepEarlierWait(from)
		reason := closeReasonMerged
		if _, err := from.CloseAttendance(nil, &reason); err != nil {
			return err
		}
	}
	base := max(into.Sequence, from.Sequence)
	last, err := joinConversations(tx, keep.Company, &into.Conversation, from.ID, base)
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
	return into.Save()
}

// checkContact reports an error when the principal may not see a contact.
func checkContact(tx *kernel.Tx, a *kernel.Principal, id kernel.ID) error {
	c, found, err := findContact(tx, a.Company.ID, id)
	if err != nil || !found || !knowsContact(a, &c) {
		return kernel.ErrOr(err, kernel.NotFound("contact"))
	}
	return nil
}

// knowsContact reports whether a contact exists for the principal: the company's own, and those of the private
// channels that it sees.
func knowsContact(a *kernel.Principal, c *Contact) bool { return c.Public() || a.Reaches(true, c.Pool) }
