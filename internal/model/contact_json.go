package model

import (
	"strconv"

	"recado/internal/jsonenc"
)

// AppendJSON writes the contact as the API shows it.
func (c *Contact) AppendJSON(b []byte) []byte {
	b = appendID(append(b, `{"id":`...), c.ID)
	b = jsonenc.AppendString(append(b, `,"name":`...), c.Name)
	b = jsonenc.AppendNullString(append(b, `,"phone":`...), c.Phone)
	b = jsonenc.AppendNullString(append(b, `,"company":`...), c.BusinessName)
	b = jsonenc.AppendNullString(append(b, `,"city":`...), c.City)
	b = appendNullID(append(b, `,"channel_id":`...), c.Channel)
	b = appendIDs(append(b, `,"label_ids":`...), c.LabelIDs)
	b = strconv.AppendBool(append(b, `,"blocked":`...), c.Blocked)
	b = strconv.AppendBool(append(b, `,"automation":`...), c.Automation)
	b = jsonenc.AppendTime(append(b, `,"created_at":`...), c.CreatedAt)
	b = jsonenc.AppendTime(append(b, `,"updated_at":`...), c.UpdatedAt)
	return append(b, '}')
}
