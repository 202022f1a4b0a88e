package talk

import (
	"context"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
)

// Draft is an unsent message of a person in a conversation. Only that person can see it.
type Draft struct {
	Text      string    `json:"text"`
	ReplyTo   *string   `json:"reply_to_external_id" doc:"The external_id of the quoted message."`
	UpdatedAt time.Time `json:"updated_at"`
}

// SaveDraft replaces the caller's draft in a conversation.
func (d *Talk) SaveDraft(ctx context.Context, a *kernel.Principal, conversation kernel.ID, text string, replyTo *string) (Draft, error) {
	if err := a.May(VerbSaveDraft); err != nil {
		return Draft{}, err
	}
	return d.saveDraft(ctx, a, conversation, text, replyTo)
}

// SuggestDraft saves a draft for the person that an API key acts as, who can review and send it.
func (d *Talk) SuggestDraft(ctx context.Context, a *kernel.Principal, conversation kernel.ID, text string, replyTo *string) (Draft, error) {
	if err := a.May(VerbSuggestDraft); err != nil {
		return Draft{}, err
	}
	return d.saveDraft(ctx, a, conversation, text, replyTo)
}

func (d *Talk) saveDraft(ctx context.Context, a *kernel.Principal, conversation kernel.ID, text string, replyTo *string) (Draft, error) {
	check := kernel.Text
	if replyTo != nil {
		check = kernel.OptionalText // a quote without text is a draft too
	}
	if _, invalid := check("body.text", text, provider.MaxText); invalid != nil {
		return Draft{}, invalid
	}
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (Draft, error) {
		c, err := visibleConversation(tx, a, conversation)
		if err != nil {
			return Draft{}, err
		}
		if replyTo != nil {
			if found, err := hasExternalID(tx, a.Company.ID, conversation, c.Channel, *replyTo); err != nil || !found {
				return Draft{}, kernel.ErrOr(err, errReplyTo())
			}
		}
		draft := Draft{Text: text, ReplyTo: replyTo, UpdatedAt: tx.Now}
		saveDraft(tx, a.Company.ID, a.User.ID, conversation, &draft)
		d.signalDraft(tx, a, conversation)
		return draft, nil
	})
}

// DeleteDraft deletes the caller's draft in a conversation, if there is one.
func (d *Talk) DeleteDraft(ctx context.Context, a *kernel.Principal, conversation kernel.ID) error {
	if err := a.May(VerbDeleteDraft); err != nil {
		return err
	}
	return d.Store.Write(ctx, func(tx *kernel.Tx) error {
		if err := checkConversation(tx, a, conversation); err != nil {
			return err
		}
		return d.dropDraft(tx, a, conversation)
	})
}

// dropDraft deletes the caller's draft in a conversation.
func (d *Talk) dropDraft(tx *kernel.Tx, a *kernel.Principal, conversation kernel.ID) error {
	dropped, err := deleteDraft(tx, a.Company.ID, a.User.ID, conversation)
	if dropped {
		d.signalDraft(tx, a, conversation)
	}
	return err
}

// signalDraft notifies the other streams of the person after the commit that the draft has changed.
func (d *Talk) signalDraft(tx *kernel.Tx, a *kernel.Principal, conversation kernel.ID) {
	s := conversationSignal(signalDraft, a.Company.ID, conversation, kernel.Audience{Members: []kernel.ID{a.User.ID}})
	tx.AfterCommit(func() { d.Signal(s) })
}

// addDrafts adds the drafts of the principal to conversations. API keys have none.
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
