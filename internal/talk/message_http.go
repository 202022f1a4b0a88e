package talk

import (
	"context"

	"recado/internal/channels"
	"recado/internal/channels/provider"
	"recado/internal/httpserver"
	"recado/internal/kernel"
)

type listMessagesInput struct {
	httpserver.AtID
	Limit  int    `query:"limit" minimum:"1" maximum:"100" default:"30" doc:"The maximum number of entries."`
	Before string `query:"before" doc:"The before value of a page. Returns the messages that precede it."`
	After  string `query:"after" doc:"The after value of a page. Returns the messages that follow it; if there are more than limit, the oldest of them."`
}

func (s *handlers) listMessages(ctx context.Context, a *kernel.Principal, in *listMessagesInput) (*httpserver.Reply[*MessagePage], error) {
	id, err := httpserver.PathID(in.ID, "conversation")
	if err != nil {
		return nil, err
	}
	page, err := s.verbs.Messages(ctx, a, id, MessageQuery{Limit: in.Limit, Before: in.Before, After: in.After})
	return &httpserver.Reply[*MessagePage]{Body: page}, err
}

func (s *handlers) getMessage(ctx context.Context, a *kernel.Principal, in *httpserver.AtID) (*httpserver.Reply[*Message], error) {
	return httpserver.ByID("message", s.verbs.Message)(ctx, a, in)
}

type searchMessagesInput struct {
	Q            string              `query:"q" required:"true" minLength:"2" maxLength:"100" doc:"The text to search for."`
	Conversation httpserver.FilterID `query:"conversation"`
	Contact      httpserver.FilterID `query:"contact" doc:"Searches only conversations with this contact."`
	Channel      httpserver.FilterID `query:"channel"`
	User         httpserver.FilterID `query:"user" doc:"Returns only messages sent by this member."`
	Direction    string              `query:"direction" enum:"inbound,outbound"`
	Type         string              `query:"type" enum:"text,image,audio,video,document,sticker,location,contacts,interactive,unsupported"`
	From         string              `query:"from" doc:"Returns only messages written at or after this time: an RFC 3339 time, or YYYY-MM-DD for the start of that day in the company's time zone." example:"2026-11-01"`
	To           string              `query:"to" doc:"Returns only messages written before this time, in the same format." example:"2026-12-01"`
	Limit        int                 `query:"limit" minimum:"1" maximum:"100" default:"30" doc:"The maximum number of entries."`
	Cursor       string              `query:"cursor" maxLength:"400" doc:"The next_cursor of the previous page, with the same filters."`
}

func (s *handlers) searchMessages(ctx context.Context, a *kernel.Principal, in *searchMessagesInput) (*httpserver.Reply[httpserver.CursorList[FoundMessage]], error) {
	page, next, err := s.verbs.SearchMessages(ctx, a, MessageFilter{
		Q: in.Q, Conversation: kernel.ID(in.Conversation), Contact: kernel.ID(in.Contact), Channel: kernel.ID(in.Channel),
		User: kernel.ID(in.User), Direction: in.Direction, Type: in.Type, From: in.From, To: in.To, Limit: in.Limit, Cursor: in.Cursor,
	})
	return httpserver.CursorPage(page, next), err
}

type reactInput struct {
	httpserver.AtID
	Body struct {
		Emoji string `json:"emoji" minLength:"1" maxLength:"32" doc:"The reaction, a single emoji." example:"👍"`
	}
}

func (s *handlers) react(ctx context.Context, a *kernel.Principal, in *reactInput) (*httpserver.Reply[*Message], error) {
	id, err := httpserver.PathID(in.ID, "message")
	if err != nil {
		return nil, err
	}
	m, err := s.verbs.React(ctx, a, id, in.Body.Emoji)
	return &httpserver.Reply[*Message]{Body: m}, err
}

func (s *handlers) removeReaction(ctx context.Context, a *kernel.Principal, in *httpserver.AtID) (*httpserver.None, error) {
	id, err := httpserver.PathID(in.ID, "message")
	if err != nil {
		return nil, err
	}
	return &httpserver.None{}, s.verbs.RemoveReaction(ctx, a, id)
}

type sendMessageInput struct {
	httpserver.AtID
	Body struct {
		ClientID    kernel.ID              `json:"client_id" doc:"A UUID that you choose for each message. If you send it again, the response contains the existing message and nothing is sent."`
		Text        *string                `json:"text,omitempty" minLength:"0" maxLength:"4096" doc:"The text. Required unless media_id is sent; with media_id, this is the caption, at most 1024 characters."`
		MediaID     *kernel.ID             `json:"media_id,omitempty" doc:"The id of a file uploaded with POST /media."`
		ReplyTo     *string                `json:"reply_to_external_id,omitempty" minLength:"1" maxLength:"512" doc:"The external_id of a message of this conversation to quote."`
		Interactive *interactiveBody       `json:"interactive,omitempty" doc:"A message with buttons or a list, instead of text or media_id. The text of the message is generated from it."`
		Voice       *bool                  `json:"voice,omitempty" doc:"Whether to send the file, which must be Opus in Ogg, as a voice message."`
		Template    *channels.TemplateBody `json:"template,omitempty" doc:"The template to send instead of text or media_id. WhatsApp accepts only templates if the customer's last message is more than 24 hours old."`
	}
}

type interactiveBody struct {
	Body    string        `json:"body" minLength:"1" maxLength:"4096" doc:"At most 1024 characters with buttons, 4096 with a list."`
	Header  *string       `json:"header,omitempty" minLength:"1" maxLength:"60"`
	Footer  *string       `json:"footer,omitempty" minLength:"1" maxLength:"60"`
	Buttons *[]choiceBody `json:"buttons,omitempty" minItems:"1" maxItems:"3" doc:"The buttons. Exactly one of buttons and list is required."`
	List    *listBody     `json:"list,omitempty"`
}

type choiceBody struct {
	ID    string `json:"id" minLength:"1" maxLength:"256"`
	Title string `json:"title" minLength:"1" maxLength:"20"`
}

type listBody struct {
	Button   string        `json:"button" minLength:"1" maxLength:"20" doc:"The label of the button that opens the list."`
	Sections []sectionBody `json:"sections" minItems:"1" maxItems:"10" doc:"The sections may have at most 10 rows in total."`
}

type sectionBody struct {
	Title *string   `json:"title,omitempty" minLength:"1" maxLength:"24" doc:"The title of the section. Required if there are several sections."`
	Rows  []rowBody `json:"rows" minItems:"1" maxItems:"10"`
}

type rowBody struct {
	ID          string  `json:"id" minLength:"1" maxLength:"200"`
	Title       string  `json:"title" minLength:"1" maxLength:"24"`
	Description *string `json:"description,omitempty" minLength:"1" maxLength:"72"`
}

func (in *interactiveBody) interactive() *provider.Interactive {
	if in == nil {
		return nil
	}
	out := &provider.Interactive{Body: in.Body, Header: in.Header, Footer: in.Footer}
	if in.Buttons != nil {
		out.Buttons = []provider.Choice{}
		for _, b := range *in.Buttons {
			out.Buttons = append(out.Buttons, provider.Choice(b))
		}
	}
	if in.List == nil {
		return out
	}
	out.List = &provider.InteractiveList{Button: in.List.Button, Sections: []provider.InteractiveSection{}}
	for _, section := range in.List.Sections {
		rows := []provider.InteractiveRow{}
		for _, row := range section.Rows {
			rows = append(rows, provider.InteractiveRow(row))
		}
		out.List.Sections = append(out.List.Sections, provider.InteractiveSection{Title: section.Title, Rows: rows})
	}
	return out
}

type sendMessageOutput struct {
	Replayed string `header:"Idempotency-Replayed" doc:"Whether the conversation already had a message with this client_id, in which case nothing was sent."`
	Body     *Message
}

func (s *handlers) sendMessage(ctx context.Context, a *kernel.Principal, in *sendMessageInput) (*sendMessageOutput, error) {
	id, err := httpserver.PathID(in.ID, "conversation")
	if err != nil {
		return nil, err
	}
	respond := httpserver.Shaped(ctx, func(m *accepted) *sendMessageOutput {
		return &sendMessageOutput{httpserver.Replayed(m.replayed), m.message}
	})
	m, replayed, err := s.verbs.SendMessage(ctx, a, id, NewMessage{
		ClientID: in.Body.ClientID, Text: in.Body.Text, MediaID: in.Body.MediaID, ReplyTo: in.Body.ReplyTo,
		Template: in.Body.Template.Template(), Interactive: in.Body.Interactive.interactive(),
		Voice: in.Body.Voice != nil && *in.Body.Voice,
	})
	return respond(&accepted{m, replayed}), err
}
