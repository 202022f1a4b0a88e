package model

import (
	"time"

	"recado/internal/jsonenc"
)

// Draft is an answer that a person has begun to write in a conversation. Only that person sees it.
type Draft struct {
	Text      string    `json:"text"`
	ReplyTo   *string   `json:"reply_to_external_id" doc:"The external_id of the message that it quotes."`
	UpdatedAt time.Time `json:"updated_at"`
}

// AppendJSON writes the draft, or null.
func (d *Draft) AppendJSON(b []byte) []byte {
	if d == nil {
		return append(b, "null"...)
	}
	b = jsonenc.AppendString(append(b, `{"text":`...), d.Text)
	b = jsonenc.AppendNullString(append(b, `,"reply_to_external_id":`...), d.ReplyTo)
	b = jsonenc.AppendTime(append(b, `,"updated_at":`...), d.UpdatedAt)
	return append(b, '}')
}
