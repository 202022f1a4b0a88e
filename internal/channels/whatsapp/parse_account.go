package whatsapp

import (
	"slices"
	"strings"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
)

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

// removal returns the reason why the app was removed.
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
