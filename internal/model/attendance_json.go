package model

import "strconv"

// AppendJSON writes the attendance as the API shows it, or null.
func (a *Attendance) AppendJSON(b []byte) []byte {
	if a == nil {
		return append(b, "null"...)
	}
	b = appendID(append(b, `{"id":`...), a.ID)
	b = appendString(append(b, `,"protocol":`...), a.Protocol)
	b = appendString(append(b, `,"status":`...), a.Status)
	b = appendID(append(b, `,"conversation":`...), a.Conversation)
	b = appendID(append(b, `,"channel":`...), a.Channel)
	b = appendNullID(append(b, `,"contact":{"id":`...), a.Contact.ID)
	b = appendString(append(b, `,"name":`...), a.Contact.Name)
	b = appendNullString(append(b, `,"phone":`...), a.Contact.Phone)
	b = appendNullRef(append(b, `},"responsible":`...), a.Responsible)
	b = appendNullID(append(b, `,"sector":`...), a.Sector)
	b = appendTime(append(b, `,"opened_at":`...), a.OpenedAt)
	b = appendString(append(b, `,"opened_by":`...), a.OpenedBy)
	b = appendNullTime(append(b, `,"first_response_at":`...), a.FirstResponseAt)
	if b = append(b, `,"first_response_seconds":`...); a.FirstResponseSeconds == nil {
		b = append(b, "null"...)
	} else {
		b = strconv.AppendInt(b, *a.FirstResponseSeconds, 10)
	}
	b = appendNullTime(append(b, `,"closed_at":`...), a.ClosedAt)
	b = appendNullRef(append(b, `,"closed_by":`...), a.ClosedBy)
	b = appendNullString(append(b, `,"close_reason":`...), a.CloseReason)
	return append(b, '}')
}
