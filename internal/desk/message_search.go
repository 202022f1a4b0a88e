package desk

import (
	"context"
	"fmt"
	"strings"

	"recado/internal/cursor"
	"recado/internal/fold"
	"recado/internal/model"
	"recado/internal/store"
)

// MessageFilter chooses messages of a search. Zero values choose all, but the text must be given.
type MessageFilter struct {
	Q            string
	Conversation model.ID
	Contact      model.ID
	Channel      model.ID
	User         model.ID // who sent it
	Direction    string
	Type         string
	From         string // RFC 3339, or a day of the company's: written then or later
	To           string // likewise: written before
	Limit        int
	Cursor       string
}

// SearchMessages finds the messages that contain a text, of those that the principal may see, the newest first. next is ""
// on the last page.
func (d *Desk) SearchMessages(ctx context.Context, a *Principal, f MessageFilter) (page []model.FoundMessage, next string, err error) {
	if err := a.May(VerbSearchMessages); err != nil {
		return nil, "", err
	}
	if fold.Text(strings.TrimSpace(f.Q)) == "" {
		return nil, "", model.Invalid("query.q", "must contain something to look for")
	}
	in := store.MessageFilter{
		Company: a.Company.ID, Sight: a.sight(), Q: f.Q, Conversation: f.Conversation, Contact: f.Contact, Channel: f.Channel,
		User: f.User, Direction: f.Direction, Type: f.Type, Limit: f.Limit,
	}
	if in.From, in.Before, err = a.period(f.From, f.To); err != nil {
		return nil, "", err
	}
	name := f.name()
	if f.Cursor != "" {
		payload, invalid := d.cursors.Open(a.Company.ID, name, f.Cursor)
		if invalid == nil {
			_, in.After, invalid = cursor.ReadIntID(payload)
		}
		if invalid != nil {
			return nil, "", invalid
		}
	}
	release, err := d.searchSlot(ctx, a, f.Q, 0)
	if err != nil {
		return nil, "", err
	}
	defer release()
	found, err := read(ctx, d, func(tx *store.Tx) (store.FoundMessages, error) { return tx.SearchMessages(in) })
	if err == nil && !found.Next.IsZero() {
		next = d.cursors.Seal(a.Company.ID, name, cursor.IntID(0, found.Next))
	}
	return found.Data, next, err
}

// name tells the list that a cursor belongs to from all others.
func (f *MessageFilter) name() string {
	return fmt.Sprintf("found messages %q %s %s %s %s %s %s %q %q", f.Q, f.Conversation, f.Contact, f.Channel, f.User, f.Direction, f.Type, f.From, f.To)
}
