package whatsapp

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"recado/internal/channels/provider"
)

// Event is one item of a callback, with its number and account. PhoneNumberID is empty for items about a whole account.
type Event struct {
	PhoneNumberID string
	WABAID        string
	Incoming      provider.Incoming
}

// change is one entry of a callback.
type change struct {
	Field text           `json:"field"`
	Value jsontext.Value `json:"value"`
}

// value has the known fields of a change.
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

// standby has the items that arrive while another app is handling a conversation.
type standby struct {
	Contacts list[contact]        `json:"contacts"`
	Messages list[jsontext.Value] `json:"messages"`
	Echoes   list[jsontext.Value] `json:"message_echoes"`
	Statuses list[jsontext.Value] `json:"statuses"`
}

// ParseCallback parses the body of a callback with a valid signature. Unknown items become unsupported messages or notices with
// the raw JSON. It returns an error only for a body that is no callback; the error contains nothing of the body. The events are
// in the order of the body.
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

// unfoldStandby moves the items of a standby callback to where other callbacks have them.
func (p *parser) unfoldStandby() {
	s := p.value.Standby.value
	p.value.Contacts = append(p.value.Contacts, s.Contacts...)
	p.value.Messages = append(p.value.Messages, s.Messages...)
	p.value.Echoes = append(p.value.Echoes, s.Echoes...)
	p.value.Statuses = append(p.value.Statuses, s.Statuses...)
}

// summary describes an account or template callback for the operator.
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

// noticeOf returns a notice. Its kind and line are logged, so they must contain no text of customers and no phone number; raw
// is only stored.
func (p *parser) noticeOf(kind, line string, raw []byte) provider.IncomingNotice {
	return provider.IncomingNotice{
		Kind: clip(cmp.Or(kind, "unknown"), 80), Text: clip(cmp.Or(line, "no details given"), 1000), Raw: bytes.Clone(raw),
	}
}
