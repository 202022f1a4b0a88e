package whatsapp

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
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
	items
	Calls   list[jsontext.Value] `json:"calls"`
	Errors  list[graphError]     `json:"errors"`
	History list[history]        `json:"history"`
	Sync    list[stateSync]      `json:"state_sync"`
	UserIDs list[userIDUpdate]   `json:"user_id_update"`
	Groups  list[jsontext.Value] `json:"groups"`
	Standby lenient[items]       `json:"standby"` // while another app is handling the conversation
}

// items are the parts of a callback about messages.
type items struct {
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
	each(p.value.Groups, p.group)
	each(p.value.Messages, func(raw jsontext.Value) { p.message(raw, from) })
	from.echo = true
	each(p.value.Echoes, func(raw jsontext.Value) { p.message(raw, from) })
	each(p.value.Statuses, p.status)
	each(p.value.Calls, p.call)
	each(p.value.History, p.history)
	each(p.value.Sync, p.stateSync)
	each(p.value.UserIDs, p.userIDUpdate)
	each(p.value.Errors, func(e graphError) { p.notice("error", fmt.Sprintf("code %d: %s", e.Code, e.words()), nil) })
	if len(p.events) == before {
		p.notice(p.field, p.summary(), p.raw)
	}
}

func each[T any](all list[T], do func(T)) {
	for _, one := range all {
		do(one)
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
		PhoneNumberID: string(p.value.Metadata.value.PhoneNumberID), WABAID: p.waba, Incoming: in,
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

// accountUpdate is the value of an account_update.
type accountUpdate struct {
	Event text `json:"event"`
	Phone text `json:"phone_number"`
	Ban   lenient[struct {
		State text `json:"waba_ban_state"`
		Date  text `json:"waba_ban_date"`
	}] `json:"ban_info"`
	Restrictions list[struct {
		Type       text   `json:"restriction_type"`
		Expiration moment `json:"expiration"`
	}] `json:"restriction_info"`
	WABA lenient[struct {
		ID text `json:"waba_id"`
	}] `json:"waba_info"`
	Disconnection lenient[struct {
		Reason text `json:"reason"`
	}] `json:"disconnection_info"`
}

// removals are the reasons why an app was removed from an account, by Meta's reason.
var removals = map[text]struct{ reason, message string }{
	"PRIMARY_INACTIVITY": {"phone_inactive", "Meta disconnected the number because the WhatsApp Business app on its phone was " +
		"not opened for about two weeks. Open the app, then connect the channel again."},
	"COMPANION_INACTIVITY": {"unused", "Meta disconnected the number because it was not used through the Cloud API for about a " +
		"month. Connect the channel again."},
	"BUSINESS_DOWNGRADE": {"moved_to_whatsapp", "The number was moved from the WhatsApp Business app to the ordinary WhatsApp " +
		"app. Move it back, then connect the channel again."},
	"CHANGE_NUMBER": {"number_changed", "The WhatsApp Business app on the phone changed to another number. Connect the " +
		"channel again."},
	"USER_RE_REGISTERED": {"registered_again", "The number was registered on the phone again. Connect the channel again."},
	"":                   {"by_business", "The business removed this app from its WhatsApp account. Connect the channel again."},
}

func (u accountUpdate) removal() provider.Reason {
	if r, ok := removals[u.Disconnection.value.Reason]; ok {
		return provider.NewReason("app_removed", r.message, kernel.Params{"reason": r.reason})
	}
	return provider.NewReason("app_removed", "This app was removed from the WhatsApp account. Connect the channel again.")
}

// AccountCodes returns the codes of account updates, each with its reasons.
func AccountCodes() map[string][]string {
	out := map[string][]string{
		"offboarded": nil, "account_deleted": nil, "relinked": nil, "reinstated": nil, "disable_scheduled": nil,
		"account_disabled": nil, "restricted": nil,
	}
	for _, r := range removals {
		out["app_removed"] = append(out["app_removed"], r.reason)
	}
	slices.Sort(out["app_removed"])
	return out
}

// account parses a restriction of the account. It reports false for other updates, which become notices.
func (p *parser) account() bool {
	var u accountUpdate
	if p.field != "account_update" || decode(p.raw, &u) != nil {
		return false
	}
	in := &provider.IncomingAccount{WABAID: p.waba, Phone: e164(string(u.Phone))}
	if id := u.WABA.value.ID; id != "" { // the id of the entry is then that of the business
		in.WABAID = string(id)
	}
	switch u.Event {
	case "DISABLED_UPDATE":
		u.ban(in)
	case "ACCOUNT_RESTRICTION":
		u.restriction(in)
	case "PARTNER_REMOVED":
		in.Disconnect, in.Reason = true, u.removal()
	case "ACCOUNT_OFFBOARDED":
		in.Disconnect, in.Reason = true, provider.NewReason("offboarded",
			"The number was taken off the Cloud API. Connect the channel again.")
	case "ACCOUNT_DELETED":
		in.Disconnect, in.Reason = true, provider.NewReason("account_deleted", "This WhatsApp account was deleted at Meta.")
	case "ACCOUNT_RECONNECTED":
		in.Lifted, in.Reason = true, provider.NewReason("relinked",
			"The number is linked to the Cloud API again. Connect the channel again.")
	default:
		return false
	}
	in.Notice = p.noticeOf(p.field, p.summary(), p.raw)
	p.add(provider.Incoming{Account: in})
	return true
}

// ban parses the steps of a ban: announced, in force, lifted.
func (u accountUpdate) ban(in *provider.IncomingAccount) {
	date, params := "", kernel.Params{}
	if u.Ban.value.Date != "" {
		params["date"] = clip(string(u.Ban.value.Date), 40)
		date = " (" + clip(string(u.Ban.value.Date), 40) + ")"
	}
	switch u.Ban.value.State {
	case "REINSTATE":
		in.Lifted, in.Reason = true, provider.NewReason("reinstated",
			"Meta reinstated this WhatsApp account. Connect the channel again.")
	case "SCHEDULE_FOR_DISABLE":
		in.Reason = provider.NewReason("disable_scheduled", "Meta is going to disable this WhatsApp account"+date+".", params)
	default:
		in.Disconnect, in.Reason = true, provider.NewReason("account_disabled",
			"Meta disabled this WhatsApp account"+date+".", params)
	}
}

// restriction parses the restrictions of an account. An empty list means that they are lifted.
func (u accountUpdate) restriction(in *provider.IncomingAccount) {
	if len(u.Restrictions) == 0 {
		in.Unrestricted = true
		return
	}
	var kinds, words []string
	for _, r := range u.Restrictions {
		kind := clip(strings.ToLower(string(r.Type)), 100)
		kinds = append(kinds, kind)
		word := strings.ReplaceAll(kind, "_", " ")
		if !r.Expiration.IsZero() {
			word = joined(" ", word, "until "+r.Expiration.Format(time.DateOnly))
			if r.Expiration.After(in.Until) {
				in.Until = r.Expiration.Time
			}
		}
		words = append(words, word)
	}
	params := kernel.Params{"restrictions": kinds}
	if !in.Until.IsZero() {
		params["until"] = in.Until.Format(time.DateOnly)
	}
	in.Reason = provider.NewReason("restricted",
		joined(": ", "Meta restricted this WhatsApp account", joined(", ", words...))+".", params)
}
