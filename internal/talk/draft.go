package talk

import (
	"context"
	"net/http"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// Draft is an unsent message of a person in a conversation. Only that person can see it.
type Draft struct {
	Text      string    `json:"text"`
	ReplyTo   *string   `json:"reply_to_external_id" doc:"The external_id of the quoted message."`
	UpdatedAt time.Time `json:"updated_at"`
}

// SaveDraft replaces the caller's draft in a conversation.
func (d *Talk) SaveDraft(ctx context.Context, a *kernel.Principal, conversation kernel.ID, text string, replyTo *string) (Draft, error) {
	check := kernel.Text
	if replyTo != nil {
		check = kernel.OptionalText // a quote without text is a draft too
	}
	if _, invalid := check("body.text", text, provider.MaxText); invalid != nil {
		return Draft{}, invalid
	}
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (Draft, error) {
		c, err := visibleConversation(tx, a, conversation)
		if err == nil {
			err = checkReplyTo(tx, &c, replyTo)
		}
		if err != nil {
			return Draft{}, err
		}
		draft := Draft{Text: text, ReplyTo: replyTo, UpdatedAt: tx.Now}
		tx.Later(`
			INSERT INTO drafts (company, member, conversation, text, reply_to, updated_at)
			VALUES ($1, $2, $3, $4, $5, $6)
			ON CONFLICT (company, member, conversation) DO UPDATE
			SET text = excluded.text, reply_to = excluded.reply_to, updated_at = excluded.updated_at`,
			a.Company.ID, a.User.ID, conversation, text, replyTo, tx.Now)
		d.signalDraft(tx, a, conversation)
		return draft, nil
	})
}

// SuggestDraft saves a draft for the person that an API key acts as, who can review and send it.
func (d *Talk) SuggestDraft(ctx context.Context, a *kernel.Principal, conversation kernel.ID, text string, replyTo *string) (Draft, error) {
	return d.SaveDraft(ctx, a, conversation, text, replyTo)
}

// DeleteDraft deletes the caller's draft in a conversation, if there is one.
func (d *Talk) DeleteDraft(ctx context.Context, a *kernel.Principal, conversation kernel.ID) error {
	return d.Store.Write(ctx, func(tx *kernel.Tx) error {
		if err := checkConversation(tx, a, conversation); err != nil {
			return err
		}
		return d.dropDraft(tx, a, conversation)
	})
}

// dropDraft deletes the caller's draft in a conversation.
func (d *Talk) dropDraft(tx *kernel.Tx, a *kernel.Principal, conversation kernel.ID) error {
	dropped, err := tx.Exec(`DELETE FROM drafts WHERE company = $1 AND member = $2 AND conversation = $3`,
		a.Company.ID, a.User.ID, conversation)
	if dropped > 0 {
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
	if a.Kind() != kernel.KindSession || len(conversations) == 0 {
		return nil
	}
	ids := make([]kernel.ID, len(conversations))
	for i, c := range conversations {
		ids[i] = c.ID
	}
	s, drafts := tx.Statement(), map[kernel.ID]*Draft{}
	s.WriteString(`
		SELECT conversation, text, reply_to, updated_at
		FROM drafts
		WHERE company = ` + s.Arg(a.Company.ID) + ` AND member = ` + s.Arg(a.User.ID) + ` AND conversation IN (` + db.Listed(ids)(s) + `)`)
	err := tx.Query(s.String(), s.Args, func(r db.Row) error {
		drafts[r.ID("conversation")] = &Draft{Text: r.Text("text"), ReplyTo: r.NullText("reply_to"), UpdatedAt: r.Time("updated_at")}
		return nil
	})
	for _, c := range conversations {
		c.Draft = new(drafts[c.ID])
	}
	return err
}

// draftTool returns the tool save_draft. It has no counterpart in the API, where only sessions have drafts: a key cannot read
// the drafts of the person that it acts as, but it can save one.
func (s *handlers) draftTool() httpserver.OwnTool {
	return httpserver.OwnTool{
		Tool: httpserver.Tool{
			Name: "save_draft", Effect: httpserver.Changes,
			About: "The person the key acts as sees the text in the message box of the conversation and decides whether to send it. " +
				"It replaces an existing draft.",
		},
		Title: "Save a draft", Verb: VerbSuggestDraft, Call: s.suggestDraft,
		Schema: map[string]any{
			"type": "object", "additionalProperties": false, "required": []string{"conversation_id", "text"},
			"properties": map[string]any{
				"conversation_id":      map[string]any{"type": "string", "description": "The conversation.", "format": "uuid"},
				"text":                 map[string]any{"type": "string", "description": "The text of the reply.", "minLength": 1, "maxLength": provider.MaxText},
				"reply_to_external_id": map[string]any{"type": "string", "description": "The external_id of a message of this conversation to quote."},
			},
		},
	}
}

func (s *handlers) suggestDraft(ctx context.Context, a *kernel.Principal, arguments []byte) ([]byte, error) {
	var in struct {
		Conversation string                  `json:"conversation_id"`
		Text         *string                 `json:"text"`
		ReplyTo      kernel.Optional[string] `json:"reply_to_external_id"`
	}
	if err := httpserver.UnmarshalJSON(arguments, &in); err != nil {
		return nil, httpserver.Cause(http.StatusBadRequest, "", []error{err})
	}
	if in.Text == nil {
		return nil, kernel.Required("text")
	}
	conversation, ok := kernel.ParseID(in.Conversation)
	if !ok {
		return nil, kernel.NotFound("conversation")
	}
	draft, err := s.verbs.SuggestDraft(ctx, a, conversation, *in.Text, in.ReplyTo.Pointer())
	if err != nil {
		return nil, err
	}
	return kernel.EncodeJSON(&draft)
}

type saveDraftInput struct {
	httpserver.AtID
	Body struct {
		Text    string                  `json:"text" minLength:"0" maxLength:"4096"`
		ReplyTo kernel.Optional[string] `json:"reply_to_external_id,omitempty" doc:"The external_id of a message of this conversation to quote."`
	}
}

func (s *handlers) putDraft(ctx context.Context, a *kernel.Principal, in *saveDraftInput) (*httpserver.Reply[Draft], error) {
	return httpserver.Body(s.verbs.SaveDraft(ctx, a, kernel.ID(in.ID), in.Body.Text, in.Body.ReplyTo.Pointer()))
}
