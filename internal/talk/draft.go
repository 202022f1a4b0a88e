package talk

import (
	"context"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
)

// Draft is an answer that a person has begun to write in a conversation. Only that person sees it.
type Draft struct {
	Text      string    `json:"text"`
	ReplyTo   *string   `json:"reply_to_external_id" doc:"The external_id of the message that it quotes."`
	UpdatedAt time.Time `json:"updated_at"`
}

// SaveDraft keeps what the caller has begun to write in a conversation. The last one written counts.
func (d *Talk) SaveDraft(ctx context.Context, a *kernel.Principal, conversation kernel.ID, text string, replyTo *string) (Draft, error) {
	if err := a.May(VerbSaveDraft); err != nil {
		return Draft{}, err
	}
	return d.saveDraft(ctx, a, conversation, text, replyTo)
}

// SuggestDraft leaves a draft to the person whom a key acts as: what an assistant wrote for them to look at and send.
func (d *Talk) SuggestDraft(ctx context.Context, a *kernel.Principal, conversation kernel.ID, text string, replyTo *string) (Draft, error) {
	if err := a.May(VerbSuggestDraft); err != nil {
		return Draft{}, err
	}
	return d.saveDraft(ctx, a, conversation, text, replyTo)
}

func (d *Talk) saveDraft(ctx context.Context, a *kernel.Principal, conversation kernel.ID, text string, replyTo *string) (Draft, error) {
	check := kernel.Text
	if replyTo != nil {
		check = kernel.OptionalText // a quotation alone is a draft too
	}
	if _, invalid := check("body.text", text, provider.MaxText); invalid != nil {
		return Draft{}, invalid
	}
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (Draft, error) {
		c, found, err := FindConversation(tx, a.Company.ID, conversation)
		if err != nil || !found || !MaySee(a, &c) {
			return Draft{}, kernel.ErrOr(err, kernel.NotFound("conversation"))
		}
		if replyTo != nil {
			if found, err = hasExternalID(tx, a.Company.ID, conversation, c.Channel, *replyTo); err != nil || !found {
				return Draft{}, kernel.ErrOr(err, errReplyTo())
			}
		}
		draft := Draft{Text: text, ReplyTo: replyTo, UpdatedAt: tx.Now}
		saveDraft(tx, a.Company.ID, a.User.ID, conversation, &draft)
		d.signalDraft(tx, a, conversation)
		return draft, nil
	})
}

// DeleteDraft removes the caller's draft of a conversation, if there is one.
func (d *Talk) DeleteDraft(ctx context.Context, a *kernel.Principal, conversation kernel.ID) error {
	if err := a.May(VerbDeleteDraft); err != nil {
		return err
	}
	_, err := kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (struct{}, error) {
		c, found, err := FindConversation(tx, a.Company.ID, conversation)
		if err != nil || !found || !MaySee(a, &c) {
			return struct{}{}, kernel.ErrOr(err, kernel.NotFound("conversation"))
		}
		return struct{}{}, d.dropDraft(tx, a, conversation)
	})
	return err
}

// dropDraft removes the draft of a person.
func (d *Talk) dropDraft(tx *kernel.Tx, a *kernel.Principal, conversation kernel.ID) error {
	dropped, err := deleteDraft(tx, a.Company.ID, a.User.ID, conversation)
	if dropped {
		d.signalDraft(tx, a, conversation)
	}
	return err
}

// signalDraft tells the other streams of the person, once the change is durable, that the draft is different.
func (d *Talk) signalDraft(tx *kernel.Tx, a *kernel.Principal, conversation kernel.ID) {
	s := conversationSignal(signalDraft, a.Company.ID, conversation, kernel.Audience{Members: []kernel.ID{a.User.ID}})
	tx.AfterCommit(func() { d.Signal(s) })
}

// addDrafts gives conversations that a person is shown the drafts of that person. Keys have none.
func addDrafts(tx *kernel.Tx, a *kernel.Principal, conversations ...*Conversation) error {
	if a.Kind() != kernel.KindSession {
		return nil
	}
	ids := make([]kernel.ID, len(conversations))
	for i, c := range conversations {
		ids[i] = c.ID
	}
	drafts, err := listDrafts(tx, a.Company.ID, a.User.ID, ids)
	for _, c := range conversations {
		c.Draft = new(drafts[c.ID])
	}
	return err
}
