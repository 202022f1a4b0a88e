package talk

import (
	"context"
	"net/http"

	"recado/internal/channels/provider"
	"recado/internal/httpserver"
	"recado/internal/kernel"
)

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
	return kernel.AppendJSON(nil, &draft)
}

type saveDraftInput struct {
	httpserver.AtID
	Body struct {
		Text    string                  `json:"text" minLength:"0" maxLength:"4096"`
		ReplyTo kernel.Optional[string] `json:"reply_to_external_id,omitempty" doc:"The external_id of a message of this conversation to quote."`
	}
}

func (s *handlers) putDraft(ctx context.Context, a *kernel.Principal, in *saveDraftInput) (*httpserver.Reply[Draft], error) {
	id, err := httpserver.PathID(in.ID, "conversation")
	if err != nil {
		return nil, err
	}
	draft, err := s.verbs.SaveDraft(ctx, a, id, in.Body.Text, in.Body.ReplyTo.Pointer())
	return &httpserver.Reply[Draft]{Body: draft}, err
}

func (s *handlers) deleteDraft(ctx context.Context, a *kernel.Principal, in *httpserver.AtID) (*httpserver.None, error) {
	id, err := httpserver.PathID(in.ID, "conversation")
	if err != nil {
		return nil, err
	}
	return &httpserver.None{}, s.verbs.DeleteDraft(ctx, a, id)
}
