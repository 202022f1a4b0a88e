package whatsapp

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"recado/internal/channels/provider"
)

// graphError is the error object of a response or, with a title instead of user texts, of a callback.
type graphError struct {
	Code      number                  `json:"code"`
	Subcode   number                  `json:"error_subcode"`
	Message   text                    `json:"message"`
	Title     text                    `json:"title"`
	UserText  text                    `json:"error_user_msg"`
	Transient lenient[bool]           `json:"is_transient"`
	Data      lenient[graphErrorData] `json:"error_data"`
}

type graphErrorData struct {
	Details text             `json:"details"`
	Blames  list[list[text]] `json:"blame_field_specs"` // the paths of the invalid fields
}

// field returns the field that Meta found invalid, as it names it: a path, or the message if there is none.
func (g graphError) field() string {
	if paths := g.Data.value.Blames; len(paths) > 0 {
		names := make([]string, len(paths[0]))
		for i, name := range paths[0] {
			names[i] = string(name)
		}
		return strings.Join(names, ".")
	}
	return string(g.Message)
}

// words returns Meta's own text, the most specific one first.
func (g graphError) words() string {
	return clip(string(cmp.Or(g.Data.value.Details, g.UserText, g.Message, g.Title)), 500)
}

func (g graphError) reason() *provider.Reason {
	e := provider.SendError{Code: "not_delivered", Message: refusal(g), ProviderCode: int(g.Code), ProviderText: g.words()}
	// A missing code is 0, which in a response means a rejected token.
	if m, ok := meaningOf(int(g.Code)); ok && g.Code != 0 && m.class != doubtful {
		e.Code, e.Message, e.Detail = m.code, m.message, details[int(g.Code)]
	}
	return new(e.Reason())
}

func refusal(g graphError) string {
	message := "WhatsApp did not deliver the message"
	if words := g.words(); words != "" {
		message += ": " + strings.TrimRight(words, ".")
	}
	if g.Code == 0 {
		return message + "."
	}
	return message + " (code " + strconv.Itoa(int(g.Code)) + ")."
}

// judgeResponse returns nil for a success, or the error of the response. sends reports whether the request sends a message, so
// that its fate can be uncertain.
func judgeResponse(resp *http.Response, body []byte, sends bool) *provider.SendError {
	var envelope struct {
		Error *graphError `json:"error"`
	}
	if decode(body, &envelope) == nil && envelope.Error != nil {
		e := judge(*envelope.Error, resp.StatusCode >= 500, sends)
		if e.Retry {
			e.RetryAfter = max(e.RetryAfter, retryAfter(resp.Header))
		}
		return e
	}
	if resp.StatusCode/100 == 2 {
		return nil
	}
	cause := errors.New("HTTP " + resp.Status + ": " + clip(strings.TrimSpace(string(body)), 200))
	if resp.StatusCode == http.StatusRequestTimeout || resp.StatusCode >= 500 {
		return noResponse(cause, sends)
	}
	// A proxy rejected the request before Meta got it.
	return refuse("unavailable", "The server at the address of the WhatsApp API is not WhatsApp.", cause)
}

// judge converts an error of Meta.
func judge(g graphError, serverFault, sends bool) *provider.SendError {
	code := int(g.Code)
	e := &provider.SendError{
		ProviderCode: code, ProviderText: g.words(), ProviderSubcode: int(g.Subcode), ProviderField: g.field(),
	}
	m, known := meaningOf(code)
	switch {
	case !known && (serverFault || g.Transient.value):
		m = meaning{"uncertain", doubt, doubtful, 0}
	case !known:
		m = meaning{"provider_refused", refusal(g), permanent, 0}
	}
	e.Code, e.Message, e.Detail = m.code, m.message, details[code]
	switch m.class {
	case permanent:
		e.Retry = g.Transient.value
	case passing:
		e.Retry, e.RetryAfter = true, m.wait
	case doubtful:
		if sends {
			e.Fate = provider.Uncertain
			break
		}
		e.Code, e.Message, e.Retry = "unavailable", unavailable, true
	case operator:
		e.Disconnect = true
	}
	return e
}

const unavailable = "WhatsApp cannot be reached at the moment."

// noResponse returns the error of a request without a usable response.
func noResponse(cause error, inDoubt bool) *provider.SendError {
	if inDoubt {
		return &provider.SendError{Code: "uncertain", Message: doubt, Fate: provider.Uncertain, Cause: cause}
	}
	e := &provider.SendError{Code: provider.CodeSendUnavailable, Message: unavailable, Retry: true, Cause: cause}
	if errors.Is(cause, context.Canceled) {
		e.Message = "Sending was interrupted before it began."
	}
	return e
}

// unreadable returns the error of a successful response without the expected content.
func unreadable(cause error, sends bool) *provider.SendError {
	if sends {
		return &provider.SendError{
			Code: "uncertain", Fate: provider.Uncertain, Cause: cause,
			Message: "WhatsApp accepted the message but returned no id.",
		}
	}
	return refuse("unavailable", "WhatsApp's response could not be read.", cause)
}

// retryAfter returns how long to wait before a retry: from Retry-After in seconds, or from Meta's usage header in minutes.
func retryAfter(h http.Header) time.Duration {
	var wait time.Duration
	if s, err := strconv.Atoi(h.Get("Retry-After")); err == nil && s > 0 {
		wait = time.Duration(min(s, 24*3600)) * time.Second
	}
	var usage map[string][]struct {
		Minutes number `json:"estimated_time_to_regain_access"`
	}
	if decode([]byte(h.Get("X-Business-Use-Case-Usage")), &usage) == nil {
		for _, entries := range usage {
			for _, entry := range entries {
				wait = max(wait, time.Duration(min(max(entry.Minutes, 0), 24*60))*time.Minute)
			}
		}
	}
	return wait
}

// class is what an error code means for a message.
type class int

const (
	permanent class = iota // rejected; a retry would be rejected too
	passing                // rejected before anything was done; may be retried
	doubtful               // may have been sent in spite of the error
	operator               // rejected until a person fixes the account
)

// meaning is how this package handles one of Meta's codes.
type meaning struct {
	code    string
	message string
	class   class
	wait    time.Duration
}

// meanings has every code of Meta for requests and failed statuses.
var meanings = map[int]meaning{
	0:   {"token_rejected", tokenRejected, operator, 0},
	1:   {"uncertain", doubt, doubtful, 0},
	2:   {"uncertain", doubt, doubtful, 0},
	3:   {"permission_missing", permissionMissing, operator, 0},
	4:   {"rate_limited", "WhatsApp limits the request rate of this app; the message waits.", passing, time.Minute},
	10:  {"permission_missing", permissionMissing, operator, 0},
	33:  {"number_unavailable", "This WhatsApp number no longer exists at Meta.", operator, 0},
	100: {"invalid_request", "WhatsApp found a part of the message invalid.", permanent, 0},
	190: {"token_rejected", tokenRejected, operator, 0},
	368: {"account_restricted", "Meta restricted this WhatsApp account for breaking its policies.", operator, 0},
	613: {"rate_limited", "WhatsApp limits how often this may be done; the message waits.", passing, time.Minute},
	803: {"not_found", "WhatsApp does not know what the message refers to.", permanent, 0},

	2200: {"callback_unreachable", "Meta called the callback address and did not get the expected response. The address must be public, use HTTPS and know the verify token.", permanent, 0},

	80007: {"rate_limited", "WhatsApp limits the request rate of this account; the message waits.", passing, time.Minute},

	130403: {"contact_blocked", "This number has blocked the customer on WhatsApp.", permanent, 0},
	130429: {"rate_limited", "This number sends faster than WhatsApp allows; the message waits.", passing, time.Second},
	130472: {"not_delivered", "WhatsApp withheld the message as part of an experiment of its own.", permanent, 0},
	130497: {"country_restricted", "WhatsApp does not let this business write to that country.", permanent, 0},
	130501: {"type_not_supported", "WhatsApp does not accept this kind of message here.", permanent, 0},

	131000: {"uncertain", doubt, doubtful, 0},
	131005: {"permission_missing", permissionMissing, operator, 0},
	131008: {"invalid_request", "A part of the message that WhatsApp requires is missing.", permanent, 0},
	131009: {"invalid_request", "WhatsApp found a part of the message invalid.", permanent, 0},
	131016: {"uncertain", doubt, doubtful, 0},
	131020: {"group_empty", "The group has no other participants.", permanent, 0},
	131021: {"recipient_is_sender", "A number cannot write to itself.", permanent, 0},
	131026: {"not_on_whatsapp", "The message cannot reach this person: the number has no WhatsApp, or an app too old, or has not accepted WhatsApp's terms.", permanent, 0},
	131030: {"recipient_not_allowed", "A test number may write only to the recipients listed in Meta's dashboard.", permanent, 0},
	131031: {"account_restricted", "Meta locked this WhatsApp account.", operator, 0},
	131037: {"name_not_approved", "Meta has not approved the display name of this number yet.", operator, 0},
	131041: {"group_unknown", "WhatsApp does not know this group.", permanent, 0},
	131042: {"payment_required", "Meta stopped sending because of a payment problem on this account.", operator, 0},
	131045: {"number_not_registered", notRegistered, operator, 0},
	131047: {"service_window_closed", "More than 24 hours have passed since the customer last wrote; only a template can be sent.", permanent, 0},
	131048: {"account_restricted", "Meta limits this number because customers reported or blocked it.", operator, 0},
	131049: {"marketing_limited", "WhatsApp withheld the message: this person got many marketing messages lately. Try again in a day or more.", permanent, 0},
	131050: {"marketing_refused", "This person asked for no more marketing messages from this business.", permanent, 0},
	131051: {"type_not_supported", "WhatsApp does not support this kind of message.", permanent, 0},
	131052: {"media_unavailable", "WhatsApp could not provide the file.", permanent, 0},
	131053: {"media_rejected", "WhatsApp did not accept the file: its kind, its size or its content is not allowed.", permanent, 0},
	131055: {"marketing_not_allowed", marketingNotAllowed, permanent, 0},
	131056: {"rate_limited", "Too many messages to this person in a short time; the message waits.", passing, 6 * time.Second},
	131057: {"rate_limited", "WhatsApp is raising the limits of this number; the message waits a moment.", passing, time.Minute},
	131060: {"message_unavailable", "WhatsApp does not provide this message.", permanent, 0},
	131062: {"phone_required", "This kind of message needs the customer's phone number.", permanent, 0},
	131063: {"marketing_not_allowed", marketingNotAllowed, permanent, 0},
	131064: {"rate_limited", "WhatsApp limits this number for a while because of wrongly categorised templates.", passing, time.Hour},
	131207: {"group_suspended", "WhatsApp suspended this group.", permanent, 0},
	131208: {"rate_limited", "WhatsApp limits how often this group may be written to; the message waits.", passing, time.Minute},
	131215: {"group_not_allowed", "This number may not use groups.", permanent, 0},

	132000: {"template_invalid", templateInvalid, permanent, 0},
	132001: {"template_not_found", "There is no approved template of that name in that language.", permanent, 0},
	132005: {"template_invalid", "The template's text becomes too long with these values.", permanent, 0},
	132007: {"template_rejected", "The template's text breaks WhatsApp's policies.", permanent, 0},
	132008: {"template_invalid", templateInvalid, permanent, 0},
	132012: {"template_invalid", templateInvalid, permanent, 0},
	132015: {"template_paused", "WhatsApp paused this template because of its low quality.", permanent, 0},
	132016: {"template_disabled", "WhatsApp disabled this template for good because of its low quality.", permanent, 0},
	132018: {"template_invalid", templateInvalid, permanent, 0},
	132068: {"flow_blocked", "The flow of this template is blocked.", permanent, 0},
	132069: {"rate_limited", "The flow of this template is slowed down; the message waits.", passing, time.Hour},

	133000: {"number_not_registered", notRegistered, operator, 0},
	133004: {"uncertain", doubt, doubtful, 0},
	133005: {"number_not_registered", "The number's two-step PIN is wrong.", operator, 0},
	133006: {"number_not_registered", "The number must be verified at Meta first.", operator, 0},
	133008: {"number_not_registered", "The two-step PIN was wrong too often; wait before trying again.", operator, 0},
	133009: {"number_not_registered", "The two-step PIN was tried too fast; wait before trying again.", operator, 0},
	133010: {"number_not_registered", notRegistered, operator, 0},
	133015: {"number_not_registered", "The number was deleted minutes ago; it can be registered again shortly.", operator, 0},
	133016: {"number_not_registered", "The number was registered too often; Meta locked registration for 72 hours.", operator, 0},

	134100: {"marketing_not_allowed", marketingNotAllowed, permanent, 0},
	134101: {"rate_limited", "Meta is still preparing this template; the message waits.", passing, 10 * time.Minute},
	134102: {"template_not_found", "Meta cannot use this template for now.", permanent, 0},
	135000: {"invalid_request", "WhatsApp refused the message without giving a reason.", permanent, 0},
	137000: {"identity_changed", "The customer's security code changed since the message was written.", permanent, 0},
}

// details distinguishes the codes of Meta that have the same code here.
var details = map[int]string{
	368:    "policies",
	131031: "locked",
	131048: "reported",
	133005: "pin_wrong",
	133006: "unverified",
	133008: "pin_blocked",
	133009: "pin_too_fast",
	133015: "deleted_lately",
	133016: "registered_too_often",
}

// Codes returns the codes of this package's errors, each with its details.
func Codes() map[string][]string {
	out := map[string][]string{
		"provider_refused": nil, "not_delivered": nil, "number_unknown": nil, "media_corrupt": nil, provider.CodeSendUnavailable: nil,
	}
	for code, m := range meanings {
		out[m.code] = append(out[m.code], strings.Fields(details[code])...)
	}
	for _, all := range out {
		slices.Sort(all)
	}
	return out
}

// Messages of several codes.
const (
	doubt               = "WhatsApp failed without reporting whether the message was sent. It was not retried, so that the customer does not receive it twice."
	tokenRejected       = "Meta refuses the access token of this number. Connect the channel again with a new token."
	permissionMissing   = "The access token lacks a required permission. Connect the channel with a token that has it."
	notRegistered       = "The number is not registered with WhatsApp's Cloud API."
	marketingNotAllowed = "Marketing templates cannot be sent this way."
	templateInvalid     = "The values do not fit the template: their number, their names or their format is wrong."
)

// meaningOf returns the meaning of a code. Codes 200 to 299 have the same meaning.
func meaningOf(code int) (meaning, bool) {
	if code >= 200 && code <= 299 {
		code = 10
	}
	m, ok := meanings[code]
	return m, ok
}
