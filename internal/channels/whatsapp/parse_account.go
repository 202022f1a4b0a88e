package whatsapp

import (
	"strings"
	"time"

	"recado/internal/channels/provider"
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

// removals says why an app was removed from an account, by the reason that Meta gives.
var removals = map[text]string{
	"PRIMARY_INACTIVITY":   "Meta disconnected the number because the WhatsApp Business app on its phone was not opened for about two weeks. Open the app, then connect the channel again.",
	"COMPANION_INACTIVITY": "Meta disconnected the number because it was not used through the Cloud API for about a month. Connect the channel again.",
	"BUSINESS_DOWNGRADE":   "The number was moved from the WhatsApp Business app to the ordinary WhatsApp app. Move it back, then connect the channel again.",
	"CHANGE_NUMBER":        "The WhatsApp Business app on the phone changed to another number. Connect the channel again.",
	"USER_RE_REGISTERED":   "The number was registered on the phone again. Connect the channel again.",
}

// removal is the sentence for the team about an app that was removed.
func (u accountUpdate) removal() string {
	if why := removals[u.Disconnection.value.Reason]; why != "" {
		return why
	}
	if u.Disconnection.value.Reason != "" {
		return "This app was removed from the WhatsApp account. Connect the channel again."
	}
	return "The business removed this app from its WhatsApp account. Connect the channel again."
}

// account reads a restriction of the account. It reports false for what is only a notice.
func (p *parser) account() bool {
	var u accountUpdate
	if p.field != "account_update" || decode(p.raw, &u) != nil {
		return false
	}
	in := &provider.IncomingAccount{WABAID: p.waba, Phone: e164(string(u.Phone))}
	if id := u.WABA.value.ID; id != "" { // the entry then names the business, not the account
		in.WABAID = string(id)
	}
	switch u.Event {
	case "DISABLED_UPDATE":
		u.ban(in)
	case "ACCOUNT_RESTRICTION":
		u.restriction(in)
	case "PARTNER_REMOVED":
		in.Disconnect, in.Text = true, u.removal()
	case "ACCOUNT_OFFBOARDED":
		in.Disconnect, in.Text = true, "The number was taken off the Cloud API. Connect the channel again."
	case "ACCOUNT_DELETED":
		in.Disconnect, in.Text = true, "This WhatsApp account was deleted at Meta."
	case "ACCOUNT_RECONNECTED":
		in.Lifted, in.Text = true, "The number is linked to the Cloud API again. Connect the channel again."
	default:
		return false
	}
	in.Notice = p.noticeOf(p.field, p.summary(), p.raw)
	p.add(provider.Incoming{Account: in})
	return true
}

// ban reads the three steps of a ban: announced, in force, lifted.
func (u accountUpdate) ban(in *provider.IncomingAccount) {
	date := ""
	if u.Ban.value.Date != "" {
		date = " (" + clip(string(u.Ban.value.Date), 40) + ")"
	}
	switch u.Ban.value.State {
	case "REINSTATE":
		in.Lifted, in.Text = true, "Meta reinstated this WhatsApp account. Connect the channel again."
	case "SCHEDULE_FOR_DISABLE":
		in.Text = "Meta is going to disable this WhatsApp account" + date + "."
	default:
		in.Disconnect, in.Text = true, "Meta disabled this WhatsApp account"+date+"."
	}
}

// restriction reads what an account may not do now. Nothing is left of a restriction that was lifted.
func (u accountUpdate) restriction(in *provider.IncomingAccount) {
	if len(u.Restrictions) == 0 {
		in.Unrestricted, in.Text = true, "Meta lifted the restrictions of this WhatsApp account."
		return
	}
	var kinds []string
	for _, r := range u.Restrictions {
		kind := strings.ToLower(strings.ReplaceAll(string(r.Type), "_", " "))
		if !r.Expiration.IsZero() {
			kind = joined(" ", kind, "until "+r.Expiration.Format(time.DateOnly))
			if r.Expiration.After(in.Until) {
				in.Until = r.Expiration.Time
			}
		}
		kinds = append(kinds, clip(kind, 100))
	}
	in.Text = joined(": ", "Meta restricted this WhatsApp account", joined(", ", kinds...)) + "."
}
