package desk

import (
	"context"

	"recado/internal/model"
	"recado/internal/store"
)

// NewConversation says with whom a conversation is opened: a phone or a contact.
type NewConversation struct {
	Channel model.ID
	Phone   *string
	Contact *model.ID
	Name    *string // of a new contact, and of a new conversation
}

// Opened is the channel's conversation with somebody, and whether it is new.
type Opened struct {
	Conversation *model.Conversation
	Created      bool
}

// OpenConversation gives the channel's conversation with a phone or a contact and makes it if there is
// none. Either way the team has started it, which opens an attendance.
func (d *Desk) OpenConversation(ctx context.Context, a *Principal, in NewConversation) (Opened, error) {
	if err := a.May(VerbOpenConversation); err != nil {
		return Opened{}, err
	}
	if (in.Phone == nil) == (in.Contact == nil) {
		return Opened{}, model.Invalid("body", "must have exactly one of phone and contact_id")
	}
	name, err := optionalName("body.name", in.Name)
	if err != nil {
		return Opened{}, err
	}
	var person model.Person
	if in.Phone != nil {
		phone, ok := model.NormalizePhone(*in.Phone)
		if !ok {
			return Opened{}, errPhone("body.phone")
		}
		person.Phone = phone
		if name != nil {
			person.Name = *name
		}
	}
	return write(ctx, d, func(tx *store.Tx) (Opened, error) {
		channel, err := d.bodyChannel(tx, a, in.Channel)
		if err != nil {
			return Opened{}, err
		}
		contact, err := d.contactToOpen(tx, a, channel, person, in.Contact)
		if err != nil {
			return Opened{}, err
		}
		t, created, err := d.threadWith(tx, channel, contact)
		if err != nil {
			return Opened{}, err
		}
		if created && name != nil && *name != t.Name {
			t.Name, t.Renamed = *name, true
			t.before.Name = t.Name // nobody has seen it under another
		}
		if err := t.startedBy(a, created); err != nil {
			return Opened{}, err
		}
		return Opened{&t.Conversation, created}, t.save()
	})
}

func (d *Desk) contactToOpen(tx *store.Tx, a *Principal, channel model.Channel, person model.Person, id *model.ID) (model.Contact, error) {
	if id == nil {
		return d.contactFor(tx, channel, person, nil)
	}
	c, found, err := tx.Contact(channel.Company, *id)
	if err != nil || !found || !a.knowsContact(&c) || !c.Public() && c.Pool != channel.ID {
		return c, errOr(err, model.Invalid("body.contact_id", "there is no such contact"))
	}
	return c, nil
}

// startedBy opens the attendance of a conversation that a member starts. A member with a limited access
// profile becomes responsible for a new conversation. One that exists outside of the profile is refused,
// except to managers and above where it has no responsible person.
func (t *lockedConversation) startedBy(a *Principal, created bool) error {
	if !a.MaySee(&t.Conversation) {
		if !created && !a.Role.AtLeast(model.RoleManager) {
			return model.Errorf(model.CodeNotVisible,
				"This channel has a conversation with this contact that you may not see. A manager can transfer it to you.")
		}
		if t.Assignee != nil {
			return model.Errorf(model.CodeAttendanceRestricted, "Another member is responsible for the conversation with this contact.")
		}
		if err := t.assign(&a.User, t.Sector, &a.User, nil); err != nil {
			return err
		}
	}
	return t.openAttendance(a)
}
