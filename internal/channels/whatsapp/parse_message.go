package whatsapp

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"recado/internal/channels/provider"
)

// message is an element of messages[], message_echoes[] or of a thread of history.
type message struct {
	ID        text                 `json:"id"`
	From      text                 `json:"from"`
	FromUser  text                 `json:"from_user_id"`
	To        text                 `json:"to"`
	ToUser    text                 `json:"to_user_id"`
	FromMe    lenient[bool]        `json:"from_me"`
	GroupID   text                 `json:"group_id"`
	Subject   subject              `json:"group_subject"`
	Group     lenient[groupUpdate] `json:"group"`
	Recipient text                 `json:"recipient_type"`
	Origin    text                 `json:"origin"`
	Timestamp moment               `json:"timestamp"`
	Context   lenient[struct {
		ID      text                    `json:"id"`
		Product lenient[productContent] `json:"referred_product"`
	}] `json:"context"`
	Referral lenient[referralContent] `json:"referral"`
	History  lenient[struct {
		Status text `json:"status"`
	}] `json:"history_context"`
	messageContent
}

// messageContent is the part of a message that an edit replaces.
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
	Template    lenient[templateContent]    `json:"template"`
	Unsupported lenient[unsupportedContent] `json:"unsupported"`
	Errors      list[graphError]            `json:"errors"`
}

type editContent struct {
	OriginalID text           `json:"original_message_id"`
	Message    jsontext.Value `json:"message"` // another messageContent
}

type revokeContent struct {
	OriginalID text `json:"original_message_id"`
}

// origin describes how a message arrived.
type origin struct {
	echo    bool // sent from the phone, or by another app
	history bool
	standby bool     // another app is handling the conversation
	thread  *contact // the customer, if the message does not contain them
}

func (p *parser) message(raw []byte, from origin) {
	var m message
	if err := decode(raw, &m); err != nil {
		p.notice("message", "a message of unknown shape", raw)
		return
	}
	from.echo = from.echo || p.isOurs(m)
	p.findGroup(&m, &from)
	customer := p.customer(m, from)
	if shared := m.sharedNumber(); customer.WAID == "" && !from.echo {
		customer.WAID, customer.Phone = shared.WAID, shared.Phone
	}
	sender := provider.Sender{FromPhoneApp: from.echo, Customer: customer}
	switch {
	case m.Type == "edit" && m.Edit.value.OriginalID != "":
		p.edit(m, sender, from.history)
		return
	case m.Type == "revoke" && m.Revoke.value.OriginalID != "":
		p.add(provider.Incoming{Revoke: &provider.IncomingRevoke{
			ExternalID: string(m.Revoke.value.OriginalID), Sender: sender, At: m.Timestamp.Time, History: from.history,
		}})
		return
	case m.Type == "reaction" && m.Reaction.value.MessageID != "":
		p.add(provider.Incoming{Reaction: &provider.IncomingReaction{
			ExternalID: string(m.Reaction.value.MessageID), Emoji: Emoji(string(m.Reaction.value.Emoji)),
			Sender: sender, At: m.Timestamp.Time, History: from.history,
		}})
		return
	case m.Type == "system":
		p.system(m, raw)
		return
	case m.Type == "request_welcome":
		p.notice(string(m.Type), "a customer opened the chat and wrote nothing", raw)
		return
	case m.ID == "" || customer.IsZero() && m.GroupID == "":
		p.notice("message", "a message without an id or without a sender", raw)
		return
	}
	in := &provider.IncomingMessage{
		ExternalID: string(m.ID), FromPhoneApp: from.echo, Customer: customer, ReplyTo: string(m.Context.value.ID),
		Referral: m.Referral.value.read(), Product: m.Context.value.Product.value.read(), At: m.Timestamp.Time,
		Standby: from.standby, History: from.history,
	}
	if from.history && from.echo {
		in.Status = historyStatus(m.History.value.Status)
	}
	if m.GroupID != "" {
		in.Group = &provider.IncomingGroup{ID: string(m.GroupID), Name: m.subject()}
	}
	if !m.read(in) {
		in.Raw = bytes.Clone(raw)
	}
	p.add(provider.Incoming{Message: in})
}

// maxEmoji is the maximum length of a reaction in bytes. The longest emoji sequences have about 40.
const maxEmoji = 64

// Emoji returns the emoji of a reaction, without spaces around it and of limited length.
func Emoji(s string) string { return clip(strings.TrimSpace(s), maxEmoji) }

func (p *parser) edit(m message, sender provider.Sender, history bool) {
	var edited lenient[messageContent]
	if len(m.Edit.value.Message) > 0 {
		edited.set(m.Edit.value.Message)
	}
	var in provider.IncomingMessage
	edited.value.read(&in)
	p.add(provider.Incoming{Edit: &provider.IncomingEdit{
		ExternalID: string(m.Edit.value.OriginalID), Text: in.Text, Sender: sender, At: m.Timestamp.Time, History: history,
	}})
}

// read fills in the content of a message and reports whether it is complete.
func (m *messageContent) read(in *provider.IncomingMessage) (complete bool) {
	in.Type = string(m.Type)
	switch m.Type {
	case "text":
		in.Text = string(m.Text.value.Body)
		complete = m.Text.ok
	case "image", "video", "audio", "document", "sticker":
		complete = map[text]fileContent{
			"image": m.Image.value, "video": m.Video.value, "audio": m.Audio.value,
			"document": m.Document.value, "sticker": m.Sticker.value,
		}[m.Type].read(in)
	case "voice":
		in.Type = "audio"
		m.Voice.value.Voice.value = true
		complete = m.Voice.value.read(in)
	case "location":
		in.Text = m.Location.value.line()
	case "contacts":
		lines := make([]string, 0, len(m.Contacts))
		for _, card := range m.Contacts {
			lines = append(lines, card.line())
		}
		in.Text = strings.Join(lines, "\n")
	case "button":
		in.Text, in.Choice, in.Payload = m.Button.value.line(), m.Button.value.chosen(), string(m.Button.value.Payload)
	case "interactive":
		m.Interactive.value.read(in)
	case "order":
		in.Text = m.Order.value.line()
	case "template":
		in.Text = m.Template.value.line()
	}
	switch in.Type {
	case "location", "contacts":
		return false
	case "button", "interactive", "order", "template":
		in.Type = "text"
		if in.Text != "" {
			return false
		}
	}
	if in.Text == "" && in.Media == nil {
		in.Type, complete = "unsupported", false
		in.Text, in.Notice = m.unsupported()
	}
	return complete
}
