package whatsapp

import (
	"fmt"
	"strings"
	"time"

	"recado/internal/model"
)

// callReport is an element of calls[]: a voice call that begins or ends.
type callReport struct {
	ID        text   `json:"id"`
	From      text   `json:"from"`
	FromUser  text   `json:"from_user_id"`
	Event     text   `json:"event"`
	Direction text   `json:"direction"`
	Timestamp moment `json:"timestamp"`
	Duration  number `json:"duration"`
}

// call makes a message of a customer's call that has ended, so that it stays visible. Calls of the team
// and calls that begin are notices.
func (p *parser) call(raw []byte) {
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
	line := "Missed voice call"
	if completed := strings.EqualFold(string(single.Status), "completed"); completed || single.Status == "" && c.Duration > 0 {
		line = "Voice call"
		if c.Duration > 0 {
			line = fmt.Sprintf("Voice call (%v)", time.Duration(c.Duration)*time.Second)
		}
	}
	p.add(model.Incoming{Message: &model.IncomingMessage{
		ExternalID: string(c.ID), Customer: customer, Type: model.TypeUnsupported, Text: line, At: c.Timestamp.Time,
	}})
}
