package whatsapp

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"recado/internal/channels/provider"
)

// Event is one thing of a callback, with the number and the account it belongs to. PhoneNumberID is
// empty for what concerns a whole account.
type Event struct {
	PhoneNumberID string
	WABAID        string
	Incoming      provider.Incoming
}

// change is one entry of a callback; value keeps the provider's bytes.
type change struct {
	Field text           `json:"field"`
	Value jsontext.Value `json:"value"`
}

// value holds what the fields that this package knows carry.
type value struct {
	Metadata lenient[struct {
		DisplayPhone  text `json:"display_phone_number"`
		PhoneNumberID text `json:"phone_number_id"`
	}] `json:"metadata"`
	Contacts list[contact]        `json:"contacts"`
	Messages list[jsontext.Value] `json:"messages"`
	Echoes   list[jsontext.Value] `json:"message_echoes"`
	Statuses list[jsontext.Value] `json:"statuses"`
	Calls    list[jsontext.Value] `json:"calls"`
	Errors   list[graphError]     `json:"errors"`
	History  list[history]        `json:"history"`
	Sync     list[stateSync]      `json:"state_sync"`
	UserIDs  list[userIDUpdate]   `json:"user_id_update"`
	Groups   list[jsontext.Value] `json:"groups"`
	Standby  lenient[standby]     `json:"standby"`
}

// standby is the value of the field of that name: what passes while another app answers in a conversation.
type standby struct {
	Contacts list[contact]        `json:"contacts"`
	Messages list[jsontext.Value] `json:"messages"`
	Echoes   list[jsontext.Value] `json:"message_echoes"`
	Statuses list[jsontext.Value] `json:"statuses"`
}

// ParseCallback reads the body of a callback whose signature was found good. What it does not know it
// keeps raw, as an unsupported message or as a notice; only a body that is no callback at all is an
// error, which quotes nothing of the body. The order of the events is that of the body.
func ParseCallback(body []byte) ([]Event, error) {
	var envelope struct {
		Object text `json:"object"`
		Entry  list[struct {
			ID      text         `json:"id"`
			Changes list[change] `json:"changes"`
		}] `json:"entry"`
	}
	if err := decode(bytes.TrimPrefix(body, []byte("\uFEFF")), &envelope); err != nil {
		return nil, errors.New("the callback is not JSON")
	}
	if envelope.Object != "whatsapp_business_account" {
		return nil, errors.New("the callback is not of a WhatsApp account")
	}
	var events []Event
	for _, entry := range envelope.Entry {
		for _, c := range entry.Changes {
			p := parser{waba: string(entry.ID), field: string(c.Field), raw: c.Value}
			p.change()
			events = append(events, p.events...)
		}
	}
	return events, nil
}

// parser collects the events of one change.
type parser struct {
	waba   string
	field  string
	raw    []byte
	value  value
	events []Event
}

func (p *parser) change() {
	if err := decode(p.raw, &p.value); err != nil {
		p.notice(p.field, "the content of this callback has an unknown shape", p.raw)
		return
	}
	if p.account() || p.templateUpdate() {
		return
	}
	before := len(p.events)
	p.unfoldStandby()
	from := origin{history: p.field == "history", standby: p.field == "standby"}
	for _, raw := range p.value.Groups {
		p.group(raw)
	}
	for _, raw := range p.value.Messages {
		p.message(raw, from)
	}
	from.echo = true
	for _, raw := range p.value.Echoes {
		p.message(raw, from)
	}
	for _, raw := range p.value.Statuses {
		p.status(raw)
	}
	for _, raw := range p.value.Calls {
		p.call(raw)
	}
	for _, h := range p.value.History {
		p.history(h)
	}
	for _, s := range p.value.Sync {
		p.stateSync(s)
	}
	for _, u := range p.value.UserIDs {
		p.userIDUpdate(u)
	}
	for _, e := range p.value.Errors {
		p.notice("error", fmt.Sprintf("code %d: %s", e.Code, e.words()), nil)
	}
	if len(p.events) == before {
		p.notice(p.field, p.summary(), p.raw)
	}
}

// unfoldStandby puts the parts of a standby callback where other callbacks have them.
func (p *parser) unfoldStandby() {
	s := p.value.Standby.value
	p.value.Contacts = append(p.value.Contacts, s.Contacts...)
	p.value.Messages = append(p.value.Messages, s.Messages...)
	p.value.Echoes = append(p.value.Echoes, s.Echoes...)
	p.value.Statuses = append(p.value.Statuses, s.Statuses...)
}

// summary finds the words of an account or template callback that an operator looks for.
func (p *parser) summary() string {
	var v struct {
		Event    text `json:"event"`
		Decision text `json:"decision"`
		Template text `json:"message_template_name"`
		Reason   text `json:"reason"`
		Type     text `json:"type"`
		Alert    lenient[struct {
			Type   text `json:"alert_type"`
			Detail text `json:"alert_description"`
		}] `json:"alert_info"`
	}
	_ = decode(p.raw, &v)
	return joined(" ", string(v.Event), string(v.Decision), string(v.Template), string(v.Reason), string(v.Type),
		string(v.Alert.value.Type), string(v.Alert.value.Detail))
}

func (p *parser) add(in provider.Incoming) {
	p.events = append(p.events, Event{
		PhoneNumberID: string(p.value.Metadata.value.PhoneNumberID),
		WABAID:        p.waba,
		Incoming:      in,
	})
}

func (p *parser) notice(kind, line string, raw []byte) {
	n := p.noticeOf(kind, line, raw)
	p.add(provider.Incoming{Notice: &n})
}

// noticeOf makes a notice. Its kind and line are logged, so they hold nothing that a customer wrote and
// no phone number; raw is only stored.
func (p *parser) noticeOf(kind, line string, raw []byte) provider.IncomingNotice {
	if kind == "" {
		kind = "unknown"
	}
	if line == "" {
		line = "no details given"
	}
	return provider.IncomingNotice{Kind: clip(kind, 80), Text: clip(line, 1000), Raw: bytes.Clone(raw)}
}
