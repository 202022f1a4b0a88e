package whatsapp

import (
	"fmt"
	"strings"
	"time"

	"recado/internal/channels/provider"
)

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
