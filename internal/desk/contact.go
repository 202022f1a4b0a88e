package desk

import (
	"context"

	"recado/internal/model"
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
	f.Company = a.Company.ID
	release, err := d.searchSlot(ctx, a, f.Q, f.Offset)
	if err != nil {
		return Page[model.Contact]{}, err
	}
	defer release()
	reading := read[Page[model.Contact]]
	if f.Simple() {
		reading = readOne[Page[model.Contact]]
	}
	return reading(ctx, d, func(tx *store.Tx) (page Page[model.Contact], err error) {
		page.Data, page.More, err = tx.Contacts(f)
		return page, err
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
}

// CreateContact adds a contact. A number that reaches a contact the company has is refused with that
// one's id. Contacts of private channels are no obstacle.
func (d *Desk) CreateContact(ctx context.Context, a *Principal, in NewContact) (model.Contact, error) {
	if err := a.May(VerbCreateContact); err != nil {
		return model.Contact{}, err
	}
	c, err := newContact(in)
	if err != nil {
		return c, err
	}
	return write(ctx, d, func(tx *store.Tx) (model.Contact, error) {
		c := c
		c.ID, c.Company, c.Pool, c.CreatedAt, c.UpdatedAt = model.NewID(), a.Company.ID, a.Company.ID, tx.Now, tx.Now
		if c.Channel != nil {
			if _, err := d.bodyChannel(tx, a, *c.Channel); err != nil {
				return c, err
			}
		}
		tx.AfterCommit(d.wakeups.Index.Notify)
		known, found, err := tx.LockContactWithPhone(c.Company, c.Pool, *c.Phone)
		if err == nil && !found {
			var fresh bool
			if fresh, err = tx.InsertContact(&c); err != nil || fresh {
				return c, err
			}
			known, found, err = tx.LockContactWithPhone(c.Company, c.Pool, *c.Phone) // somebody else was faster
		}
		if err != nil || !found {
			return c, errOr(err, errBusyElsewhere())
		}
		return c, &model.Error{
			Code: model.CodeContactExists, Message: "There is a contact with this phone number already: " + known.ID.String() + ".",
			Fields: []model.FieldError{{Field: "body.phone", Message: known.ID.String()}},
		}
	})
}

func newContact(in NewContact) (c model.Contact, err error) {
	phone, ok := model.NormalizePhone(in.Phone)
	if !ok {
		return c, errPhone("body.phone")
	}
	c = model.Contact{Phone: &phone, Channel: in.Channel, LabelIDs: []model.ID{}}
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
	ch, found, err := tx.Channel(a.Company.ID, id)
	if err != nil || !found || !a.knows(ch) {
		return model.Channel{}, errOr(err, model.Invalid("body.channel_id", "there is no such channel"))
	}
	return ch, nil
}

// ContactChange is what a member may change of a contact; what is absent stays as it is.
type ContactChange struct {
	Name         *string
	BusinessName model.Optional[string]
	City         model.Optional[string]
	LabelIDs     *[]model.ID
	Blocked      *bool
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
	return write(ctx, d, func(tx *store.Tx) (model.Contact, error) {
		c, found, err := tx.LockContact(a.Company.ID, id)
		if err != nil || !found || !a.knowsContact(&c) {
			return model.Contact{}, errOr(err, model.NotFound("contact"))
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
		if change.BusinessName.Set {
			c.BusinessName = businessName
		}
		if change.City.Set {
			c.City = city
		}
		c.UpdatedAt = tx.Now
		tx.SaveContact(&c)
		tx.AfterCommit(d.wakeups.Index.Notify)
		return c, d.renameThreads(tx, &c, was)
	})
}

// renameThreads lets a contact's new name show in its conversations.
func (d *Desk) renameThreads(tx *store.Tx, c *model.Contact, was string) error {
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
