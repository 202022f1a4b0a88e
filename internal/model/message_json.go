package model

import (
	"slices"
	"strconv"
)

// AppendJSON writes the message as the API shows it.
func (m *Message) AppendJSON(b []byte) []byte {
	b = appendID(append(b, `{"id":`...), m.ID)
	b = appendNullID(append(b, `,"client_id":`...), m.ClientID)
	b = appendID(append(b, `,"conversation":`...), m.Conversation)
	b = appendString(append(b, `,"direction":`...), m.Direction)
	b = appendString(append(b, `,"origin":`...), m.Origin)
	b = appendString(append(b, `,"type":`...), m.Type)
	b = appendNullString(append(b, `,"text":`...), m.Text)
	b = appendNullID(append(b, `,"media_id":`...), m.MediaID)
	b = m.Media.AppendJSON(append(b, `,"media":`...))
	b = appendNullString(append(b, `,"reply_to_external_id":`...), m.ReplyTo)
	b = appendNullString(append(b, `,"external_id":`...), m.ExternalID)
	b = appendString(append(b, `,"status":`...), m.Status)
	if b = append(b, `,"error":`...); m.Error == nil {
		b = append(b, "null"...)
	} else {
		b = appendString(append(b, `{"code":`...), m.Error.Code)
		b = append(appendString(append(b, `,"message":`...), m.Error.Message), '}')
	}
	b = appendNullRef(append(b, `,"sent_by":`...), m.SentBy)
	b = appendTime(append(b, `,"created_at":`...), m.CreatedAt)
	b = appendNullTime(append(b, `,"sent_at":`...), m.SentAt)
	b = appendNullTime(append(b, `,"delivered_at":`...), m.DeliveredAt)
	b = appendNullTime(append(b, `,"read_at":`...), m.ReadAt)
	return append(b, '}')
}

// AppendJSON writes what a message shows of its file, or null.
func (m *MessageMedia) AppendJSON(b []byte) []byte {
	if m == nil {
		return append(b, "null"...)
	}
	b = appendID(append(b, `{"id":`...), m.ID)
	b = appendString(append(b, `,"mime_type":`...), m.MimeType)
	b = appendString(append(b, `,"file_name":`...), m.FileName)
	b = strconv.AppendInt(append(b, `,"size":`...), m.Size, 10)
	return append(b, '}')
}

// AppendJSON writes a page of messages.
func (p *MessagePage) AppendJSON(b []byte) []byte {
	b = append(slices.Grow(b, 128+768*len(p.Data)), `{"data":[`...)
	for i := range p.Data {
		if i > 0 {
			b = append(b, ',')
		}
		b = p.Data[i].AppendJSON(b)
	}
	b = appendNullString(append(b, `],"before":`...), p.Before)
	b = appendNullString(append(b, `,"after":`...), p.After)
	return append(b, '}')
}
