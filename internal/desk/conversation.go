package desk

import (
	"context"
	"slices"

	"recado/internal/model"
	"recado/internal/store"
)

// ConversationFilter says which conversations a list shows; the principal's company and access profile
// are added here.
type ConversationFilter = store.ConversationFilter

// Page is a part of a list.
type Page[T any] struct {
	Data []T
	More bool
	Next string // the cursor of the next page, in lists that have one; "" on the last page
}

// Conversations lists what the principal may see; see store.Tx.Conversations for the order. cursor is the Next of the page
// before, or "".
func (d *Desk) Conversations(ctx context.Context, a *Principal, f ConversationFilter, cursor string) (Page[model.Conversation], error) {
	if err := a.May(VerbConversations); err != nil {
		return Page[model.Conversation]{}, err
	}
	f.Company, f.Sight = a.Company.ID, a.sight()
	place := conversationCursor{d.cursors, f}
	if cursor != "" {
		if err := place.open(&f, cursor); err != nil {
			return Page[model.Conversation]{}, err
		}
	}
	release, err := d.searchSlot(ctx, a, f.Q, f.Offset)
	if err != nil {
		return Page[model.Conversation]{}, err
	}
	defer release()
	reading := read[Page[model.Conversation]]
	if f.Simple() {
		reading = readOne[Page[model.Conversation]]
	}
	return reading(ctx, d, func(tx *store.Tx) (page Page[model.Conversation], err error) {
		page.Data, page.More, err = tx.Conversations(f)
		if page.More && err == nil {
			page.Next = place.after(&f, page.Data)
		}
		return page, err
	})
}

// Conversation gives one conversation that the principal may see.
func (d *Desk) Conversation(ctx context.Context, a *Principal, id model.ID) (*model.Conversation, error) {
	if err := a.May(VerbConversation); err != nil {
		return nil, err
	}
	return readOne(ctx, d, func(tx *store.Tx) (*model.Conversation, error) {
		c, found, err := tx.Conversation(a.Company.ID, id)
		if err != nil || !found || !a.MaySee(&c) {
			return nil, errOr(err, model.NotFound("conversation"))
		}
		return &c, nil
	})
}

// ConversationChange is what a member may change of a conversation; nil leaves a field as it is.
type ConversationChange struct {
	Archived, Pinned, Muted *bool
	Name                    *string
	LabelIDs                *[]model.ID
}

// UpdateConversation changes flags, name and labels.
func (d *Desk) UpdateConversation(ctx context.Context, a *Principal, id model.ID, change ConversationChange) (*model.Conversation, error) {
	if err := a.May(VerbUpdateConversation); err != nil {
		return nil, err
	}
	if change.Name != nil {
		name, invalid := model.Name("body.name", *change.Name, model.MaxName)
		if invalid != nil {
			return nil, invalid
		}
		change.Name = &name
	}
	return write(ctx, d, func(tx *store.Tx) (*model.Conversation, error) {
		t, err := d.lock(tx, a, id)
		if err != nil {
			return nil, err
		}
		set(&t.Archived, change.Archived)
		set(&t.Pinned, change.Pinned)
		set(&t.Muted, change.Muted)
		if change.Name != nil {
			t.Name, t.Renamed = *change.Name, true
		}
		if change.LabelIDs != nil {
			if t.LabelIDs, err = d.labels(tx, a, *change.LabelIDs); err != nil {
				return nil, err
			}
		}
		if t.Renamed == t.before.Renamed && len(changedFields(&t.before, &t.Conversation)) == 0 {
			return &t.Conversation, nil
		}
		return &t.Conversation, t.save()
	})
}

// labels checks the label_ids of a request: each is a label of the company, and counts once.
func (d *Desk) labels(tx *store.Tx, a *Principal, ids []model.ID) ([]model.ID, error) {
	unique := make([]model.ID, 0, len(ids))
	for _, id := range ids {
		if !slices.Contains(unique, id) {
			unique = append(unique, id)
		}
	}
	missing, err := tx.MissingLabels(a.Company.ID, unique)
	if err != nil || len(missing) == 0 {
		return unique, err
	}
	invalid := &model.Error{Code: model.CodeInvalidRequest, Message: "body.label_ids: names labels that do not exist."}
	for i, id := range ids {
		if slices.Contains(missing, id) {
			invalid.Fields = append(invalid.Fields, model.FieldError{Field: indexed("body.label_ids", i), Message: "there is no such label"})
		}
	}
	return nil, invalid
}

// MarkRead sets the unread count of a conversation to zero and lets the customer know where the
// provider can show it.
func (d *Desk) MarkRead(ctx context.Context, a *Principal, id model.ID) (*model.Conversation, error) {
	if err := a.May(VerbMarkRead); err != nil {
		return nil, err
	}
	return write(ctx, d, func(tx *store.Tx) (*model.Conversation, error) {
		t, err := d.lock(tx, a, id)
		if err != nil {
			return nil, err
		}
		if t.UnreadCount == 0 {
			return &t.Conversation, nil
		}
		t.UnreadCount = 0
		d.markReadAtProvider(t)
		return &t.Conversation, t.save()
	})
}
