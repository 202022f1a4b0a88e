package whatsapp

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"recado/internal/channels/provider"
)

type status struct {
	ID              text             `json:"id"`
	Status          text             `json:"status"`
	Timestamp       moment           `json:"timestamp"`
	RecipientType   text             `json:"recipient_type"`
	RecipientID     text             `json:"recipient_id"`
	RecipientUser   text             `json:"recipient_user_id"`
	Participant     text             `json:"recipient_participant_id"`
	ParticipantToo  text             `json:"participant_recipient_id"`
	ParticipantUser text             `json:"recipient_participant_user_id"`
	ClientID        text             `json:"biz_opaque_callback_data"`
	Errors          list[graphError] `json:"errors"`
	Pricing         lenient[pricing] `json:"pricing"`
	Conversation    lenient[struct {
		Pricing lenient[pricing] `json:"pricing"` // in groups
	}] `json:"conversation"`
}

// pricing is how Meta charges for a message. billable will be removed: the type says it too.
type pricing struct {
	Category text           `json:"category"`
	Type     text           `json:"type"`
	Billable *lenient[bool] `json:"billable"`
}

const pricingRegular = "regular"

// reported returns the pricing for the other packages, or nil without a category.
func (p pricing) reported() *provider.Pricing {
	if p.Category == "" {
		return nil
	}
	out := &provider.Pricing{Category: clip(string(p.Category), maxPricing), Type: clip(string(p.Type), maxPricing), Billable: p.Type == pricingRegular}
	if p.Billable != nil {
		out.Billable = p.Billable.value
	}
	if out.Type == "" { // before July 2025
		out.Type = "free_customer_service"
		if out.Billable {
			out.Type = pricingRegular
		}
	}
	return out
}

// maxPricing is the maximum length of a stored category, in bytes.
const maxPricing = 64

func (p *parser) status(raw jsontext.Value) {
	var s status
	if err := decode(raw, &s); err != nil || s.ID == "" {
		p.notice("status", "a status of unknown shape", raw)
		return
	}
	in := &provider.IncomingStatus{
		ExternalID: string(s.ID), ClientID: string(s.ClientID), Status: string(s.Status), At: s.Timestamp.Time,
		Pricing: cmp.Or(s.Pricing.value.reported(), s.Conversation.value.Pricing.value.reported()),
	}
	if s.RecipientType == "group" {
		in.GroupID = string(s.RecipientID)
		in.Recipient = person(cmp.Or(s.Participant, s.ParticipantToo), s.ParticipantUser)
	} else {
		in.Recipient = person(s.RecipientID, s.RecipientUser)
	}
	switch s.Status {
	case "sent", "delivered", "read":
	case "played": // a voice message that was listened to
		in.Status = "read"
	case "failed":
		var first graphError
		if len(s.Errors) > 0 {
			first = s.Errors[0]
		}
		in.Error = first.reason()
	default:
		p.notice("status", "a message is "+string(s.Status), raw)
		return
	}
	p.add(provider.Incoming{Status: in})
}

// history is a part of the messages from before the number was connected.
type history struct {
	Metadata lenient[struct {
		Phase    text `json:"phase"`
		Progress text `json:"progress"`
	}] `json:"metadata"`
	Threads list[struct {
		ID       text                 `json:"id"`
		Context  lenient[contact]     `json:"context"`
		Messages list[jsontext.Value] `json:"messages"`
	}] `json:"threads"`
	Errors list[graphError] `json:"errors"`
}

// historyStatus returns the API status of a message of the history.
func historyStatus(s text) string {
	switch strings.ToUpper(string(s)) {
	case "SENT":
		return provider.StatusSent
	case "DELIVERED":
		return provider.StatusDelivered
	case "READ", "PLAYED":
		return provider.StatusRead
	case "ERROR":
		return provider.StatusFailed
	}
	return ""
}

func (p *parser) history(h history) {
	for _, thread := range h.Threads {
		customer := thread.Context.value
		if customer.WAID == "" && customer.UserID == "" {
			customer.WAID = thread.ID
		}
		for _, raw := range thread.Messages {
			p.message(raw, origin{history: true, thread: &customer})
		}
	}
	for _, e := range h.Errors {
		n := p.noticeOf("history", fmt.Sprintf("code %d: %s", e.Code, e.words()), nil)
		if e.Code == importDeclined || e.Subcode == importDeclined {
			p.add(provider.Incoming{Import: &provider.IncomingImport{Declined: true, Notice: n}})
		} else {
			p.add(provider.Incoming{Notice: &n})
		}
	}
	if m := h.Metadata.value; m.Progress != "" {
		percent, _ := strconv.Atoi(string(m.Progress))
		p.add(provider.Incoming{Import: &provider.IncomingImport{
			Progress: min(max(percent, 0), 100),
			Notice:   p.noticeOf("history", fmt.Sprintf("phase %s is %s %% complete", m.Phase, m.Progress), nil),
		}})
	}
}

// callReport is an element of calls[]: a voice call that begins or ends.
type callReport struct {
	ID        text          `json:"id"`
	From      text          `json:"from"`
	FromUser  text          `json:"from_user_id"`
	Event     text          `json:"event"`
	Direction text          `json:"direction"`
	Timestamp moment        `json:"timestamp"`
	Duration  number        `json:"duration"`
	Media     text          `json:"media_type"`
	Video     lenient[bool] `json:"video"`
}

// call parses a call. A customer's call that has ended becomes a message; other calls become notices.
func (p *parser) call(raw jsontext.Value) {
	var c callReport
	var single struct {
		Status text `json:"status"`
	}
	if decode(raw, &c) != nil || decode(raw, &single) != nil || c.ID == "" {
		p.notice("call", "a call of unknown shape", raw)
		return
	}
	customer := p.customer(message{From: c.From, FromUser: c.FromUser}, origin{})
	if c.Event != "terminate" || c.Direction != "USER_INITIATED" || customer.IsZero() {
		p.notice("call", joined(" ", string(c.Event), string(c.Direction)), raw)
		return
	}
	completed := strings.EqualFold(string(single.Status), "completed") || single.Status == "" && c.Duration > 0
	line, notice := c.words(completed)
	p.add(provider.Incoming{Message: &provider.IncomingMessage{
		ExternalID: string(c.ID), Customer: customer, Type: provider.TypeUnsupported, Text: line, Notice: notice, At: c.Timestamp.Time,
	}})
}

func (c callReport) words(completed bool) (string, *provider.MessageNotice) {
	video := c.Video.value || strings.EqualFold(string(c.Media), "video")
	switch {
	case !completed && video:
		return "Missed video call", notice(provider.NoticeMissedVideoCall)
	case !completed:
		return "Missed voice call", notice(provider.NoticeMissedVoiceCall)
	}
	line, n := "Voice call", notice(provider.NoticeVoiceCall)
	if video {
		line, n = "Video call", notice(provider.NoticeVideoCall)
	}
	if c.Duration > 0 {
		line = fmt.Sprintf("%s (%v)", line, time.Duration(c.Duration)*time.Second)
		n.Params = map[string]any{"duration_seconds": int64(c.Duration)}
	}
	return line, n
}

// groupUpdate is an element of groups[], or the group of a message.
type groupUpdate struct {
	ID         text             `json:"group_id"`
	OwnID      text             `json:"id"`
	Type       text             `json:"type"`
	Subject    subject          `json:"subject"`
	NewSubject subject          `json:"group_subject"`
	Name       text             `json:"name"`
	Errors     list[graphError] `json:"errors"`
}

// subject is the name of a group: a string, or an object that also reports whether its change succeeded.
type subject string

// UnmarshalJSON leaves the subject empty if its change failed.
func (s *subject) UnmarshalJSON(b []byte) error {
	var plain text
	if len(b) > 0 && b[0] == '"' {
		_ = decode(b, &plain)
	}
	change := struct {
		Text       text           `json:"text"`
		Successful *lenient[bool] `json:"update_successful"`
	}{}
	if len(b) > 0 && b[0] == '{' && decode(b, &change) == nil && (change.Successful == nil || change.Successful.value) {
		plain = change.Text
	}
	*s = subject(plain)
	return nil
}

func (g groupUpdate) subject() string {
	for _, name := range []string{string(g.NewSubject), string(g.Subject), string(g.Name)} {
		if name = strings.TrimSpace(name); name != "" {
			return clip(name, maxSubject)
		}
	}
	return ""
}

// maxSubject is the maximum length of a stored name of a group, in bytes. WhatsApp allows 128 characters.
const maxSubject = 512

// group parses an update of a group. Updates without a name become notices.
func (p *parser) group(raw jsontext.Value) {
	var g groupUpdate
	if decode(raw, &g) != nil {
		p.notice("group", "a group update of unknown shape", raw)
		return
	}
	id, name := cmp.Or(g.ID, g.OwnID), g.subject()
	if id == "" || name == "" || g.Type == "group_create" && len(g.Errors) > 0 {
		p.notice(p.field, string(g.Type), raw)
		return
	}
	p.add(provider.Incoming{Group: &provider.IncomingGroup{ID: string(id), Name: name, Created: g.Type == "group_create"}})
}

// subject returns the name of the group of a message.
func (m *message) subject() string {
	if m.Subject != "" {
		return clip(strings.TrimSpace(string(m.Subject)), maxSubject)
	}
	return m.Group.value.subject()
}

// findGroup sets the group of a message from other fields than group_id: the receiver of a message of the team, or the id of a
// thread of history.
func (p *parser) findGroup(m *message, from *origin) {
	m.GroupID = cmp.Or(m.GroupID, m.Group.value.ID, m.Group.value.OwnID)
	switch {
	case m.GroupID != "":
	case from.thread != nil && isGroup(from.thread.WAID):
		m.GroupID = from.thread.WAID
		from.thread = nil
	case from.echo && (m.Recipient == "group" || isGroup(m.To)):
		m.GroupID = m.To
	}
	if from.echo && m.GroupID != "" {
		m.To, m.ToUser = "", ""
	}
}

// isGroup reports whether an address belongs to a group: it has more digits than a phone number, or the format of WhatsApp's
// apps.
func isGroup(address text) bool {
	if strings.HasSuffix(string(address), "@g.us") {
		return true
	}
	const longestPhone = 15
	return len(address) > longestPhone && strings.Trim(string(address), "0123456789") == ""
}
