package mcp

import (
	"encoding/json"
	"net/http"

	"recado/internal/desk"
	"recado/internal/input"
	"recado/internal/model"
)

// draftArguments are those of save_draft.
type draftArguments struct {
	Conversation string                 `json:"conversation_id"`
	Text         *string                `json:"text"`
	ReplyTo      model.Optional[string] `json:"reply_to_external_id"`
}

// draft is the only tool that is no operation of the API, where drafts are for sessions: a key cannot see what a person
// has begun to write, but it may leave the person that it acts as a text to look at and send.
func (h *Handler) draft() *tool {
	text := func(about string, more ...any) map[string]any {
		out := map[string]any{"type": "string", "description": about}
		for i := 0; i+1 < len(more); i += 2 {
			out[more[i].(string)] = more[i+1]
		}
		return out
	}
	return &tool{
		name: "save_draft", verb: desk.VerbSuggestDraft, serve: h.saveDraft,
		described: describe("save_draft", "Leave a draft of an answer",
			"The person whom the key acts as finds the text in the message box of the conversation and decides whether to send it. It replaces the draft that is there.", changes,
			map[string]any{
				"type": "object", "additionalProperties": false, "required": []string{"conversation_id", "text"},
				"properties": map[string]any{
					"conversation_id":      text("The conversation.", "format", "uuid"),
					"text":                 text("The text of the answer.", "minLength", 1, "maxLength", model.MaxText),
					"reply_to_external_id": text("The external_id of a message of this conversation to quote."),
				},
			}, map[string]any{"type": "object"}),
	}
}

func (h *Handler) saveDraft(w http.ResponseWriter, from *incoming, arguments map[string]json.RawMessage) {
	if !h.api.Spend(w, from.request, from.holder) {
		return
	}
	answer, err := h.suggest(from, arguments)
	if err != nil {
		h.api.Refuse(w, from.request, err)
		return
	}
	_, _ = w.Write(answer)
}

func (h *Handler) suggest(from *incoming, arguments map[string]json.RawMessage) ([]byte, error) {
	if err := from.holder.May(desk.VerbSuggestDraft); err != nil {
		return nil, err
	}
	raw, err := json.Marshal(arguments)
	if err != nil {
		return nil, model.Errorf(model.CodeInvalidJSON, "The arguments are not valid JSON.")
	}
	var in draftArguments
	if err := input.UnmarshalJSON(raw, &in); err != nil {
		return nil, input.Cause(http.StatusBadRequest, "", []error{err})
	}
	if in.Text == nil {
		return nil, model.Invalid("text", "is required")
	}
	conversation, ok := model.ParseID(in.Conversation)
	if !ok {
		return nil, model.NotFound("conversation")
	}
	draft, err := h.desk.SuggestDraft(from.request.Context(), from.holder, conversation, *in.Text, in.ReplyTo.Pointer())
	if err != nil {
		return nil, err
	}
	return model.AppendJSON(nil, &draft)
}
