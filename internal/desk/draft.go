package desk

import (
	"context"

	"recado/internal/model"
	"recado/internal/store"
)

// SaveDraft keeps what the caller has begun to write in a conversation. The last one written counts.
func (d *Desk) SaveDraft(ctx context.Context, a *Principal, conversation model.ID, text string, replyTo *string) (model.Draft, error) {
	if err := a.May(VerbSaveDraft); err != nil {
		return model.Draft{}, err
	}
	check := model.Text
	if replyTo != nil {
		check = model.OptionalText // a quotation alone is a draft too
	}
	if _, invalid := check("body.text", text, model.MaxText); invalid != nil {
		return model.Draft{}, invalid
	}
	return write(ctx, d, func(tx *store.Tx) (model.Draft, error) {
		c, found, err := tx.Conversation(a.Company.ID, conversation)
		if err != nil || !found || !a.MaySee(&c) {
			return model.Draft{}, errOr(err, model.NotFound("conversation"))
		}
		if replyTo != nil {
			if found, err = tx.HasExternalID(conversation, c.Channel, *replyTo); err != nil || !found {
				return model.Draft{}, errOr(err, errReplyTo())
			}
		}
		draft := model.Draft{Text: text, ReplyTo: replyTo, UpdatedAt: tx.Now}
		tx.SaveDraft(a.Company.ID, a.User.ID, conversation, &draft)
		d.signalDraft(tx, a, conversation)
		return draft, nil
	})
}

// DeleteDraft removes the caller's draft of a conversation, if there is one.
func (d *Desk) DeleteDraft(ctx context.Context, a *Principal, conversation model.ID) error {
	if err := a.May(VerbDeleteDraft); err != nil {
		return err
	}
	_, err := write(ctx, d, func(tx *store.Tx) (struct{}, error) {
		c, found, err := tx.Conversation(a.Company.ID, conversation)
		if err != nil || !found || !a.MaySee(&c) {
			return struct{}{}, errOr(err, model.NotFound("conversation"))
		}
		return struct{}{}, d.dropDraft(tx, a, conversation)
	})
	return err
}

// dropDraft removes the draft of a person.
func (d *Desk) dropDraft(tx *store.Tx, a *Principal, conversation model.ID) error {
	dropped, err := tx.DeleteDraft(a.Company.ID, a.User.ID, conversation)
	if dropped {
		d.signalDraft(tx, a, conversation)
	}
	return err
}

// signalDraft tells the other streams of the person, once the change is durable, that the draft is different.
func (d *Desk) signalDraft(tx *store.Tx, a *Principal, conversation model.ID) {
	s := Signal{Kind: SignalDraft, Company: a.Company.ID, Conversation: conversation, User: a.User}
	tx.AfterCommit(func() { d.signal(s) })
}

// addDrafts gives conversations that a person is shown the drafts of that person. Keys have none.
func addDrafts(tx *store.Tx, a *Principal, conversations ...*model.Conversation) error {
	if a.kind != KindSession {
		return nil
	}
	ids := make([]model.ID, len(conversations))
	for i, c := range conversations {
		ids[i] = c.ID
	}
	drafts, err := tx.Drafts(a.Company.ID, a.User.ID, ids)
	for _, c := range conversations {
		c.Personal, c.Draft = true, drafts[c.ID]
	}
	return err
}

// pointers gives the addresses of the elements of a list.
func pointers[T any](list []T) []*T {
	out := make([]*T, len(list))
	for i := range list {
		out[i] = &list[i]
	}
	return out
}

// answer does what shown does, for verbs that give a conversation by value.
func (t *lockedConversation) answer(a *Principal, err error) (model.Conversation, error) {
	if _, err := t.shown(a, err); err != nil {
		return model.Conversation{}, err
	}
	return t.Conversation, nil
}

// shown gives a conversation as the answer to a principal, with the draft of a person.
func (t *lockedConversation) shown(a *Principal, err error) (*model.Conversation, error) {
	if err != nil {
		return nil, err
	}
	return &t.Conversation, addDrafts(t.tx, a, &t.Conversation)
}
