package whatsapp

import (
	"cmp"
	"fmt"
	"strings"

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
}

func (p *parser) status(raw []byte) {
	var s status
	if err := decode(raw, &s); err != nil || s.ID == "" {
		p.notice("status", "a status of unknown shape", raw)
		return
	}
	in := &provider.IncomingStatus{
		ExternalID: string(s.ID),
		ClientID:   string(s.ClientID),
		Status:     string(s.Status),
		At:         s.Timestamp.Time,
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
		p.notice("history", fmt.Sprintf("code %d: %s", e.Code, e.words()), nil)
	}
	if m := h.Metadata.value; m.Progress != "" {
		p.notice("history", fmt.Sprintf("phase %s is %s %% complete", m.Phase, m.Progress), nil)
	}
}
