package model

import (
	"strconv"

	"recado/internal/jsonenc"
)

// AppendJSON writes the attendance as the API shows it, or null.
func (a *Attendance) AppendJSON(b []byte) []byte {
	if a == nil {
		return append(b, "null"...)
	}
	b = appendID(append(b, `{"id":`...), a.ID)
	b = jsonenc.AppendString(append(b, `,"protocol":`...), a.Protocol)
	b = jsonenc.AppendString(append(b, `,"status":`...), a.Status)
	b = appendID(append(b, `,"conversation":`...), a.Conversation)
	b = appendID(append(b, `,"channel":`...), a.Channel)
	b = appendNullID(append(b, `,"contact":{"id":`...), a.Contact.ID)
	b = jsonenc.AppendString(append(b, `,"name":`...), a.Contact.Name)
	b = jsonenc.AppendNullString(append(b, `,"phone":`...), a.Contact.Phone)
	b = appendNullRef(append(b, `},"responsible":`...), a.Responsible)
	b = appendNullID(append(b, `,"sector":`...), a.Sector)
	b = jsonenc.AppendTime(append(b, `,"opened_at":`...), a.OpenedAt)
	b = jsonenc.AppendString(append(b, `,"opened_by":`...), a.OpenedBy)
	b = jsonenc.AppendNullTime(append(b, `,"first_response_at":`...), a.FirstResponseAt)
	if b = append(b, `,"first_response_seconds":`...); a.FirstResponseSeconds == nil {
		b = append(b, "null"...)
	} else {
		b = strconv.AppendInt(b, *a.FirstResponseSeconds, 10)
	}
	b = jsonenc.AppendNullTime(append(b, `,"closed_at":`...), a.ClosedAt)
	b = appendNullRef(append(b, `,"closed_by":`...), a.ClosedBy)
	b = jsonenc.AppendNullString(append(b, `,"close_reason":`...), a.CloseReason)
	return append(b, '}')
}
