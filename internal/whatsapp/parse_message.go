package whatsapp

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"recado/internal/model"
)

// message is an element of messages[], message_echoes[] or of a thread of history.
type message struct {
	ID        text   `json:"id"`
	From      text   `json:"from"`
	FromUser  text   `json:"from_user_id"`
	To        text   `json:"to"`
	ToUser    text   `json:"to_user_id"`
	GroupID   text   `json:"group_id"`
	Timestamp moment `json:"timestamp"`
	Context   lenient[struct {
		ID text `json:"id"`
	}] `json:"context"`
	messageContent
}

// messageContent is the part of a message that an edit carries anew.
type messageContent struct {
	Type        text                        `json:"type"`
	Text        lenient[textContent]        `json:"text"`
	Image       lenient[fileContent]        `json:"image"`
	Video       lenient[fileContent]        `json:"video"`
	Audio       lenient[fileContent]        `json:"audio"`
	Voice       lenient[fileContent]        `json:"voice"`
	Document    lenient[fileContent]        `json:"document"`
	Sticker     lenient[fileContent]        `json:"sticker"`
	Location    lenient[locationContent]    `json:"location"`
	Contacts    list[cardContent]           `json:"contacts"`
	Button      lenient[buttonContent]      `json:"button"`
	Interactive lenient[interactiveContent] `json:"interactive"`
	Reaction    lenient[reactionContent]    `json:"reaction"`
	Order       lenient[orderContent]       `json:"order"`
	System      lenient[systemContent]      `json:"system"`
	Edit        lenient[editContent]        `json:"edit"`
	Revoke      lenient[revokeContent]      `json:"revoke"`
}

type editContent struct {
	OriginalID text           `json:"original_message_id"`
	Message    jsontext.Value `json:"message"` // another messageContent
}

type revokeContent struct {
	OriginalID text `json:"original_message_id"`
}

// origin says how a message reached us.
type origin struct {
	echo    bool // typed on the phone
	history bool
	thread  *contact // the customer, where the message does not say
}

func (p *parser) message(raw []byte, from origin) {
	var m message
	if err := decode(raw, &m); err != nil {
		p.notice("message", "a message of unknown shape", raw)
		return
	}
	customer := p.customer(m, from)
	switch {
	case m.Type == "edit" && m.Edit.value.OriginalID != "":
		p.edit(m, from)
		return
	case m.Type == "revoke" && m.Revoke.value.OriginalID != "":
		p.add(model.Incoming{Revoke: &model.IncomingRevoke{
			ExternalID: string(m.Revoke.value.OriginalID), FromPhoneApp: from.echo, At: m.Timestamp.Time,
		}})
		return
	case m.Type == "system":
		p.system(m, raw)
		return
	case m.Type == "request_welcome" || m.Type == "media_placeholder":
		// The first says that a chat was opened, nothing was written. The second stands for a file of
		// the past that comes, if at all, in a later callback under the same id.
		p.notice(string(m.Type), string(m.ID), nil)
		return
	case m.ID == "" || customer.IsZero() && m.GroupID == "":
		p.notice("message", "a message without an id or without a sender", raw)
		return
	}
	in := &model.IncomingMessage{
		ExternalID:   string(m.ID),
		FromPhoneApp: from.echo,
		Customer:     customer,
		ReplyTo:      string(m.Context.value.ID),
		At:           m.Timestamp.Time,
		History:      from.history,
	}
	if m.GroupID != "" {
		in.Group = &model.IncomingGroup{ID: string(m.GroupID)}
	}
	if !m.read(in) {
		in.Raw = bytes.Clone(raw)
	}
	p.add(model.Incoming{Message: in})
}

func (p *parser) edit(m message, from origin) {
	var now lenient[messageContent]
	if len(m.Edit.value.Message) > 0 {
		now.set(m.Edit.value.Message)
	}
	var in model.IncomingMessage
	now.value.read(&in)
	p.add(model.Incoming{Edit: &model.IncomingEdit{
		ExternalID:   string(m.Edit.value.OriginalID),
		Text:         in.Text,
		FromPhoneApp: from.echo,
		At:           m.Timestamp.Time,
	}})
}

// read fills in what the message says and reports whether that is all there is to it.
func (m *messageContent) read(in *model.IncomingMessage) (complete bool) {
	in.Type = string(m.Type)
	switch m.Type {
	case "text":
		in.Text = string(m.Text.value.Body)
		complete = m.Text.ok
	case "image":
		complete = m.Image.value.read(in)
	case "video":
		complete = m.Video.value.read(in)
	case "audio":
		complete = m.Audio.value.read(in)
	case "voice":
		in.Type = "audio"
		m.Voice.value.Voice.value = true
		complete = m.Voice.value.read(in)
	case "document":
		complete = m.Document.value.read(in)
	case "sticker":
		complete = m.Sticker.value.read(in)
	case "location":
		in.Text = m.Location.value.line()
	case "contacts":
		lines := make([]string, 0, len(m.Contacts))
		for _, card := range m.Contacts {
			lines = append(lines, card.line())
		}
		in.Text = strings.Join(lines, "\n")
	case "button":
		in.Text = joined("", string(m.Button.value.Text))
	case "interactive":
		in.Text = m.Interactive.value.line()
	case "order":
		in.Text = m.Order.value.line()
	case "reaction":
		in.Reaction = true
		in.Text, in.ReplyTo = string(m.Reaction.value.Emoji), string(m.Reaction.value.MessageID)
		complete = in.ReplyTo != ""
	}
	switch in.Type {
	case "location", "contacts":
		return false
	case "button", "interactive", "order", "reaction":
		in.Type = "text"
		if in.Text != "" || in.Reaction {
			return complete
		}
	}
	if in.Text == "" && in.Media == nil {
		in.Type, complete = "unsupported", false
	}
	return complete
}
