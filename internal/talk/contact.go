package talk

import (
	"cmp"
	"context"
	"slices"
	"time"

	"recado/internal/channels"
	"recado/internal/channels/provider"
	"recado/internal/fields"
	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/phone"
	"recado/internal/search"
)

// Contact is a customer. Phone is nil if the provider withholds the number of a WhatsApp user.
type Contact struct {
	ID           kernel.ID     `json:"id"`
	Name         string        `json:"name"`
	Phone        *string       `json:"phone" example:"+5511912345678"`
	BusinessName *string       `json:"company"`
	City         *string       `json:"city"`
	Channel      *kernel.ID    `json:"channel_id"`
	LabelIDs     []kernel.ID   `json:"label_ids"`
	Blocked      bool          `json:"blocked"`
	Automation   bool          `json:"automation" doc:"Whether the reception of a channel replies to this person."`
	OptedOut     bool          `json:"opted_out" doc:"Whether the contact gets no automatic messages, surveys and templates of the category marketing."`
	OptedOutAt   *time.Time    `json:"opted_out_at" doc:"When the contact opted out; null if it has not."`
	Fields       fields.Values `json:"fields"`
	CreatedAt    time.Time     `json:"created_at"`
	UpdatedAt    time.Time     `json:"updated_at"`

	Company kernel.ID `json:"-"`
	Pool    kernel.ID `json:"-"` // the company of a public contact, the channel of a private one; see Channel.Pool

	optChangedAt *time.Time // when OptedOut last changed
}

// Subject returns the contact as a subject.
func (c *Contact) Subject() kernel.Subject {
	return kernel.Subject{Kind: SubjectContact, ID: c.ID}
}

// Public reports whether the contact does not belong to a private channel.
func (c *Contact) Public() bool { return c.Pool == c.Company }

// Contacts lists the company's contacts, newest first. Access profiles do not restrict contacts.
func (d *Talk) Contacts(ctx context.Context, a *kernel.Principal, f contactCriteria) (kernel.Page[Contact], error) {
	f.Company, f.Private = a.Company.ID, a.Views
	return kernel.List(ctx, d.Kernel, a, f.Q, f.Offset, func(near bool) (kernel.Page[Contact], error) {
		f.Near = near
		return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (page kernel.Page[Contact], err error) {
			if f.fields, err = fields.NewFilter(tx, f.Company, fields.EntityContact, f.Fields); err != nil {
				return page, err
			}
			page.Data, page.More, err = findContacts(tx, f)
			return page, err
		})
	})
}

// Contact returns a contact that the principal may see.
func (d *Talk) Contact(ctx context.Context, a *kernel.Principal, id kernel.ID) (Contact, error) {
	return kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) (Contact, error) { return visibleContact(tx, a, id, findContact) })
}

// visibleContact returns a contact found by findContact or lockContact, or an error if the principal may not see it.
func visibleContact(
	tx *kernel.Tx, a *kernel.Principal, id kernel.ID, find func(tx *kernel.Tx, company, id kernel.ID) (Contact, bool, error),
) (Contact, error) {
	c, found, err := find(tx, a.Company.ID, id)
	if err != nil || !found || !knowsContact(a, &c) {
		return Contact{}, kernel.ErrOr(err, kernel.NotFound("contact"))
	}
	return c, nil
}

// NewContact is the input of CreateContact.
type NewContact struct {
	Name         string       `json:"name" minLength:"1" maxLength:"120"`
	Phone        string       `json:"phone" minLength:"1" maxLength:"64" doc:"The phone number with country code. A number without one is interpreted as Brazilian if possible. Spaces, dashes, dots and brackets between digits are ignored." example:"+55 11 91234-5678"`
	BusinessName *string      `json:"company,omitempty" minLength:"1" maxLength:"120"`
	City         *string      `json:"city,omitempty" minLength:"1" maxLength:"120"`
	Channel      *kernel.ID   `json:"channel_id,omitempty" doc:"The WhatsApp number this contact belongs to."`
	Automation   *bool        `json:"automation,omitempty" doc:"Whether the reception of a channel replies to this person. Defaults to true."`
	Fields       fields.Input `json:"fields,omitempty"`
}

// CreateContact creates a contact in the pool of its channel; see channels.Channel.Pool. If the pool already has a contact with
// that number, it returns an error with the id of that contact.
func (d *Talk) CreateContact(ctx context.Context, a *kernel.Principal, in NewContact) (Contact, error) {
	number, ok := phone.Normalize(in.Phone)
	if !ok {
		return Contact{}, channels.ErrPhone("body.phone")
	}
	name := &in.Name
	if err := cleanNames(&name, &in.BusinessName, &in.City); err != nil {
		return Contact{}, err
	}
	return kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (Contact, error) {
		c := Contact{
			ID: kernel.NewID(), Company: a.Company.ID, Pool: a.Company.ID, Name: *name, Phone: &number, BusinessName: in.BusinessName,
			City: in.City, Channel: in.Channel, LabelIDs: []kernel.ID{}, Automation: true, CreatedAt: tx.Now, UpdatedAt: tx.Now,
		}
		kernel.Set(&c.Automation, in.Automation)
		if c.Channel != nil {
			ch, err := d.bodyChannel(tx, a, *c.Channel)
			if err != nil {
				return c, err
			}
			c.Pool = ch.Pool()
		}
		tx.AfterCommit(d.Wakeup(WakeIndex).Notify)
		tx.ShareVisibility(c.Company)
		existing, found, err := lockContactWithPhone(tx, c.Company, c.Pool, *c.Phone)
		if err == nil && found && c.Public() {
			var hidden bool
			if hidden, err = d.settleHidden(tx, &existing); err == nil && hidden {
				existing, found, err = lockContactWithPhone(tx, c.Company, c.Pool, *c.Phone)
			}
		}
		if err == nil && !found {
			var inserted bool
			if inserted, err = InsertContact(tx, &c); err == nil && inserted && len(in.Fields) > 0 {
				if c.Fields, err = fields.Write(tx, c.Company, fields.EntityContact, c.ID, nil, in.Fields); err == nil {
					err = saveContact(tx, &c)
				}
			}
			if err != nil || inserted {
				return c, err
			}
			existing, found, err = lockContactWithPhone(tx, c.Company, c.Pool, *c.Phone) // another transaction was faster
		}
		if err != nil || !found {
			return c, kernel.ErrOr(err, errBusyElsewhere())
		}
		return c, errContactExists(existing.ID)
	})
}

func errContactExists(id kernel.ID) error {
	return &kernel.Error{
		Code: kernel.CodeContactExists, Message: "There is already a contact with this phone number: " + id.String() + ".",
		Params: kernel.Params{"id": id},
		Fields: []kernel.FieldError{ruleContactExists.At("body.phone", id.String(), kernel.Params{"id": id})},
	}
}

// cleanNames validates and trims the names in a request; see kernel.CleanName.
func cleanNames(name, business, city **string) error {
	return cmp.Or(kernel.CleanName("body.name", name), kernel.CleanName("body.company", business), kernel.CleanName("body.city", city))
}

// bodyChannel returns the channel that the body of a request refers to.
func (d *Talk) bodyChannel(tx *kernel.Tx, a *kernel.Principal, id kernel.ID) (channels.Channel, error) {
	tx.ShareVisibility(a.Company.ID)
	ch, found, err := channels.FindChannel(tx, a.Company.ID, id)
	if err != nil || !found || !channels.Knows(a, ch) {
		return channels.Channel{}, kernel.ErrOr(err, kernel.NoSuch("body.channel_id", "channel"))
	}
	return ch, nil
}

// ContactChange lists the fields to change; absent fields stay as they are.
type ContactChange struct {
	Name         *string                 `json:"name,omitempty" minLength:"1" maxLength:"120"`
	Phone        *string                 `json:"phone,omitempty" minLength:"1" maxLength:"64" doc:"The phone number. It can be changed only while the contact has no conversations."`
	BusinessName kernel.Optional[string] `json:"company,omitempty" required:"false" doc:"null removes the value."`
	City         kernel.Optional[string] `json:"city,omitempty" required:"false" doc:"null removes the value."`
	LabelIDs     *[]kernel.ID            `json:"label_ids,omitempty" maxItems:"100" doc:"Replaces all labels of the contact."`
	Blocked      *bool                   `json:"blocked,omitempty" doc:"Whether the contact is blocked. Messages from a blocked contact are stored without a notification, and no messages can be sent to it."`
	Automation   *bool                   `json:"automation,omitempty" doc:"Whether the reception of a channel replies to this person."`
	OptedOut     *bool                   `json:"opted_out,omitempty" doc:"Whether the contact gets no automatic messages, surveys and templates of the category marketing. No confirmation is sent."`
	Fields       fields.Input            `json:"fields,omitempty"`
}

// UpdateContact changes a contact. A new name is also shown in its conversations, unless the team has renamed them.
func (d *Talk) UpdateContact(ctx context.Context, a *kernel.Principal, id kernel.ID, change ContactChange) (Contact, error) {
	name, businessName, city := change.Name, change.BusinessName.Pointer(), change.City.Pointer()
	if err := cleanNames(&name, &businessName, &city); err != nil {
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
		c, err := visibleContact(tx, a, id, lockContact)
		if err != nil {
			return Contact{}, err
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
		oldName := c.Name
		kernel.Set(&c.Name, name)
		kernel.Set(&c.Blocked, change.Blocked)
		kernel.Set(&c.Automation, change.Automation)
		if change.OptedOut != nil {
			if c.optOut(tx, a, *change.OptedOut) {
				if err := d.failUnwanted(tx, &c, nil); err != nil {
					return Contact{}, err
				}
			}
		}
		if change.BusinessName.Set {
			c.BusinessName = businessName
		}
		if change.City.Set {
			c.City = city
		}
		if c.Fields, err = fields.Write(tx, c.Company, fields.EntityContact, c.ID, c.Fields, change.Fields); err != nil {
			return Contact{}, err
		}
		c.UpdatedAt = tx.Now
		if err := saveContact(tx, &c); err != nil {
			return Contact{}, err
		}
		tx.AfterCommit(d.Wakeup(WakeIndex).Notify)
		if c.Name == oldName {
			return c, nil
		}
		return c, d.renameConversations(tx, &c)
	})
}

// changePhone changes the number of a contact that is not in use, and its name if that was the number.
func changePhone(tx *kernel.Tx, c *Contact, number string) error {
	used, err := contactInUse(tx, c.Company, c.ID)
	if err != nil || used {
		return kernel.ErrOr(err, errContactInUse())
	}
	existing, found, err := lockContactWithPhone(tx, c.Company, c.Pool, number)
	if err != nil || found && existing.ID != c.ID {
		return kernel.ErrOr(err, errContactExists(existing.ID))
	}
	if nameless(c) {
		c.Name = number
	}
	c.Phone = &number
	_, err = tx.Exec(`UPDATE contacts SET phone = $3, phone_key = $4 WHERE company = $1 AND id = $2`, c.Company, c.ID, number, phone.Key(number))
	if db.IsUnique(err) { // another transaction was faster
		return errBusyElsewhere()
	}
	tx.Later(`DELETE FROM contact_identities WHERE company = $1 AND contact = $2 AND kind = 'wa_id'`, c.Company, c.ID)
	return err
}

func errContactInUse() error {
	return kernel.Errorf(kernel.CodeInUse, "This contact has conversations. Its number cannot change and it cannot be deleted.")
}

// PrivateChannel returns the private channel that the contact belongs to, or zero.
func (c *Contact) PrivateChannel() kernel.ID {
	if c.Public() {
		return kernel.ID{}
	}
	return c.Pool
}

// DeleteContact deletes a contact without conversations. Its cards remain without a contact.
func (d *Talk) DeleteContact(ctx context.Context, a *kernel.Principal, id kernel.ID) error {
	return d.Store.Write(ctx, func(tx *kernel.Tx) error {
		c, err := visibleContact(tx, a, id, lockContact)
		if err != nil {
			return err
		}
		used, err := contactInUse(tx, c.Company, c.ID)
		if err != nil || used {
			return kernel.ErrOr(err, errContactInUse())
		}
		if err := d.tell(func(o *Observer) error { return o.ContactDeleted(tx, &c) }); err != nil {
			return err
		}
		tx.Later(`UPDATE audit SET subject_name = '' WHERE company = $1 AND subject = $2`, c.Company, c.ID) // nobody can erase the person later
		tx.Audit(a, kernel.AuditEntry{Action: "contact.deleted", Subject: kernel.NewAuditSubject("contact", c.ID, ""), Channel: c.PrivateChannel()})
		tx.Later(`DELETE FROM contact_labels WHERE company = $1 AND subject = $2`, c.Company, c.ID)
		fields.Forget(tx, c.Company, c.ID)
		forgetContact(tx, c.Company, c.ID)
		return search.Forget(tx.Tx, &search.Contacts, c.Company, c.ID)
	})
}

// renameConversations gives the conversations of a contact its new name.
func (d *Talk) renameConversations(tx *kernel.Tx, c *Contact) error {
	conversations, err := lockConversationsOf(tx, c.Company, c.ID)
	for _, conversation := range conversations {
		if t := d.Locked(tx, conversation); err == nil && !t.Renamed {
			t.Name = c.Name
			err = t.Save()
		}
	}
	return err
}

// closeReasonMerged is the close reason of the second open attendance when two conversations are joined.
const closeReasonMerged = "The conversation was joined with another one of the same customer."

// join merges contacts that turned out to be the same person into the oldest of them and reports whether it did. It saves the
// pending changes of the batch first.
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
		merged, err := in.d.mergeContacts(in.Tx, contacts[0].ID, gone.ID, in.Channel.Company)
		if err != nil {
			return false, err
		}
		joined = joined || merged
	}
	return joined, nil
}

// samePerson returns the known contacts that can be merged, oldest first: at most one has a number, at most one a user id of Meta,
// and at most one a LID. If the provider reports a changed identity, only contacts found by a user id or the previous number count:
// the new number may have belonged to someone else.
func (in *InboundBatch) samePerson(known []KnownAs, p provider.Person) ([]Contact, error) {
	var out []Contact
	moved := p.PreviousUserID != "" || p.PreviousWAID != ""
	phones, lids, userIDs := 0, 0, 0
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
		ids, err := kernel.Rows(in.Tx, `SELECT value FROM contact_identities WHERE company = $1 AND contact = $2 AND kind = 'user_id'`,
			[]any{c.Company, c.ID}, func(r db.Row) string { return r.Text("value") })
		if err != nil {
			return nil, err
		}
		if c.Phone != nil {
			phones++
		}
		if slices.ContainsFunc(ids, isLID) {
			lids++
		}
		if slices.ContainsFunc(ids, func(id string) bool { return !isLID(id) }) {
			userIDs++
		}
	}
	if phones > 1 || lids > 1 || userIDs > 1 {
		return nil, nil
	}
	slices.SortFunc(out, func(a, b Contact) int { return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), kernel.CompareIDs(a.ID, b.ID)) })
	return out, nil
}

// mergeContacts moves everything from one contact to another of the same company and deletes the first. If messages of either
// are queued, it does nothing and returns false; the next message tries again.
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
		if queued, err := hasSends(tx, company, c.ID); err != nil || queued {
			return false, err
		}
	}
	combine(&keep, &gone)
	former := []kernel.ID{gone.ID}
	for _, c := range moving {
		i := slices.IndexFunc(kept, func(k Conversation) bool { return k.Channel == c.Channel })
		if i < 0 {
			err = d.moveConversation(tx, c, &keep)
		} else {
			former = append(former, c.ID)
			err = d.joinConversations(tx, kept[i], c, &keep)
		}
		if err != nil {
			return false, err
		}
	}
	keepFormer(tx, company, gone.ID, keep.ID, former)
	if err := replaceContact(tx, company, gone.ID, keep.ID); err != nil {
		return false, err
	}
	if err := nameContact(tx, &keep); err != nil { // now the number is free
		return false, err
	}
	if err := saveContact(tx, &keep); err != nil {
		return false, err
	}
	setContactLabels(tx, company, keep.ID, keep.LabelIDs)
	tx.AfterCommit(d.Wakeup(WakeIndex).Notify)
	return true, nil
}

// combine adds the data of another contact to a contact.
func combine(keep, gone *Contact) {
	if nameless(keep) && !nameless(gone) {
		keep.Name = gone.Name
	}
	keep.Phone = cmp.Or(keep.Phone, gone.Phone)
	if keep.Name == namelessPerson && keep.Phone != nil {
		keep.Name = *keep.Phone
	}
	keep.BusinessName, keep.City = cmp.Or(keep.BusinessName, gone.BusinessName), cmp.Or(keep.City, gone.City)
	keep.LabelIDs, keep.Fields = unite(keep.LabelIDs, gone.LabelIDs), keep.Fields.With(gone.Fields)
	keep.Blocked = keep.Blocked || gone.Blocked
	keep.Automation = keep.Automation && gone.Automation
	if gone.OptedOut && !keep.OptedOut {
		keep.OptedOut, keep.OptedOutAt, keep.optChangedAt = true, gone.OptedOutAt, gone.optChangedAt
	}
}

// unite returns the ids of both lists without duplicates.
func unite(a, b []kernel.ID) []kernel.ID {
	all := slices.Concat(a, b)
	slices.SortFunc(all, kernel.CompareIDs)
	return slices.Compact(all)
}

// moveConversation assigns a conversation to another contact.
func (d *Talk) moveConversation(tx *kernel.Tx, c Conversation, to *Contact) error {
	t := d.Locked(tx, c)
	moveConversation(tx, t.Company, t.ID, to.ID)
	t.Contact = &to.ID
	t.follow(to)
	return t.Save()
}

// follow copies the name and number of the contact.
func (t *LockedConversation) follow(c *Contact) {
	t.Phone = c.Phone
	if !t.Renamed {
		t.Name = c.Name
	}
}

// joinConversations merges two conversations of a channel with the same person. If both have an open attendance, it closes the
// second.
func (d *Talk) joinConversations(tx *kernel.Tx, keep, gone Conversation, contact *Contact) error {
	into, from := d.Locked(tx, keep), d.Locked(tx, gone)
	if into.Attendance != nil && from.Attendance != nil {
		if since := into.WaitingSince(); since == nil || from.WaitingSince() != nil && from.WaitingSince().Before(*since) {
			into.SetWaiting(from.WaitingSince())
		}
		if err := from.CloseAttendance(closeReasonMerged); err != nil {
			return err
		}
	}
	// The attendances of both first have the labels of the conversation that stays, whose labels Save then changes.
	if err := d.changeLabels(tx, keep.Company, gone.ID, gone.LabelIDs, keep.LabelIDs); err != nil {
		return err
	}
	last, err := joinConversations(tx, keep.Company, &into.Conversation, from.ID, max(into.Sequence, from.Sequence))
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
	into.SnoozedUntil, into.Survey = nil, cmp.Or(into.Survey, from.Survey)
	into.follow(contact)
	return into.Save()
}

// checkContact returns an error if the principal may not see a contact.
func checkContact(tx *kernel.Tx, a *kernel.Principal, id kernel.ID) error {
	_, err := visibleContact(tx, a, id, findContact)
	return err
}

// knowsContact reports whether the principal may see a contact: public ones, and those of private channels that it may see.
func knowsContact(a *kernel.Principal, c *Contact) bool { return c.Public() || a.Reaches(true, c.Pool) }

type listContactsInput struct {
	httpserver.Page
	Q       string              `query:"q" maxLength:"200" doc:"Returns contacts whose name, phone or custom fields contain this text. Case, accents and surrounding spaces are ignored. If the text has no three consecutive letters or digits, or is too common for the search index, only the newest 10,000 contacts are searched."`
	Label   httpserver.FilterID `query:"label"`
	Channel httpserver.FilterID `query:"channel" doc:"Returns only contacts with this channel_id."`

	OptedOut string `query:"opted_out" enum:"true,false,1,0" doc:"Returns only contacts that have opted out (true) or have not (false). Defaults to both."`

	after kernel.ID // see Follow
}

// Follow makes a CSV continue after a contact, because large offsets are slow. Searches need offsets, but find few contacts.
func (in *listContactsInput) Follow(last any) {
	if in.Q != "" {
		in.Offset += in.Limit
		return
	}
	in.after = last.(*Contact).ID
}

func (s *handlers) listContacts(ctx context.Context, a *kernel.Principal, in *listContactsInput) (*httpserver.Reply[httpserver.OffsetList[Contact]], error) {
	page, err := s.verbs.Contacts(ctx, a, contactCriteria{Fields: fields.Query(ctx), Q: in.Q, After: in.after, Label: kernel.ID(in.Label), Channel: kernel.ID(in.Channel), OptedOut: httpserver.BoolOrNil(in.OptedOut), Limit: in.Limit, Offset: in.Offset})
	return httpserver.Body(httpserver.OffsetPage(in.Page, page), err)
}

type createContactInput struct {
	Body struct{ NewContact }
}

func (s *handlers) createContact(ctx context.Context, a *kernel.Principal, in *createContactInput) (*httpserver.Located[Contact], error) {
	response := httpserver.Shaped(ctx, func(c *Contact) *httpserver.Located[Contact] {
		return &httpserver.Located[Contact]{Status: 201, Location: httpserver.At(ctx, "/contacts/"+c.ID.String()), Body: *c}
	})
	c, err := s.verbs.CreateContact(ctx, a, in.Body.NewContact)
	return response(&c), err
}

type updateContactInput struct {
	httpserver.AtID
	Body struct{ ContactChange } `required:"false"`
}

func (s *handlers) updateContact(ctx context.Context, a *kernel.Principal, in *updateContactInput) (*httpserver.Reply[Contact], error) {
	return httpserver.Body(s.verbs.UpdateContact(ctx, a, kernel.ID(in.ID), in.Body.ContactChange))
}
