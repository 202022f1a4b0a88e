package model

import (
	"strconv"

	"recado/internal/jsonenc"
)

// AppendJSON writes the conversation as the API shows it.
func (c *Conversation) AppendJSON(b []byte) []byte {
	b = appendID(append(b, `{"id":`...), c.ID)
	b = jsonenc.AppendString(append(b, `,"kind":`...), c.Kind)
	b = jsonenc.AppendString(append(b, `,"name":`...), c.Name)
	b = jsonenc.AppendNullString(append(b, `,"phone":`...), c.Phone)
	b = appendNullID(append(b, `,"contact":`...), c.Contact)
	b = appendID(append(b, `,"channel":`...), c.Channel)
	b = appendNullID(append(b, `,"assignee":`...), c.Assignee)
	b = appendNullID(append(b, `,"sector":`...), c.Sector)
	b = strconv.AppendBool(append(b, `,"archived":`...), c.Archived)
	b = strconv.AppendBool(append(b, `,"pinned":`...), c.Pinned)
	b = strconv.AppendBool(append(b, `,"muted":`...), c.Muted)
	b = appendIDs(append(b, `,"label_ids":`...), c.LabelIDs)
	b = strconv.AppendBool(append(b, `,"unread":`...), c.Unread)
	b = strconv.AppendInt(append(b, `,"unread_count":`...), c.UnreadCount, 10)
	b = c.LastMessage.AppendJSON(append(b, `,"last_message":`...))
	b = c.Attendance.AppendJSON(append(b, `,"attendance":`...))
	b = jsonenc.AppendNullTime(append(b, `,"window_expires_at":`...), c.WindowExpiresAt)
	b = jsonenc.AppendNullTime(append(b, `,"snoozed_until":`...), c.SnoozedUntil)
	b = jsonenc.AppendNullTime(append(b, `,"bot_paused_until":`...), c.BotPausedUntil)
	b = jsonenc.AppendTime(append(b, `,"created_at":`...), c.CreatedAt)
	b = jsonenc.AppendTime(append(b, `,"updated_at":`...), c.UpdatedAt)
	if c.Personal {
		b = c.Draft.AppendJSON(append(b, `,"draft":`...))
	}
	return append(b, '}')
}

// AppendJSON writes the open attendance, or null.
func (a *OpenAttendance) AppendJSON(b []byte) []byte {
	if a == nil {
		return append(b, "null"...)
	}
	b = appendID(append(b, `{"id":`...), a.ID)
	b = jsonenc.AppendString(append(b, `,"protocol":`...), a.Protocol)
	b = jsonenc.AppendTime(append(b, `,"opened_at":`...), a.OpenedAt)
	b = jsonenc.AppendNullTime(append(b, `,"waiting_since":`...), a.WaitingSince)
	return append(b, '}')
}

// AppendJSON writes the last message, or null.
func (m *LastMessage) AppendJSON(b []byte) []byte {
	if m == nil {
		return append(b, "null"...)
	}
	b = appendID(append(b, `{"id":`...), m.ID)
	b = jsonenc.AppendString(append(b, `,"type":`...), m.Type)
	b = jsonenc.AppendNullString(append(b, `,"text":`...), m.Text)
	b = jsonenc.AppendString(append(b, `,"direction":`...), m.Direction)
	b = jsonenc.AppendTime(append(b, `,"created_at":`...), m.CreatedAt)
	b = jsonenc.AppendString(append(b, `,"status":`...), m.Status)
	b = jsonenc.AppendNullString(append(b, `,"file_name":`...), m.FileName)
	b = appendNullFloat(append(b, `,"duration_seconds":`...), m.DurationSeconds)
	b = m.Notice.AppendJSON(append(b, `,"notice":`...))
	return append(b, '}')
}
