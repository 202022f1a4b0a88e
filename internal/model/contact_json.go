package model

import "strconv"

// AppendJSON writes the contact as the API shows it.
func (c *Contact) AppendJSON(b []byte) []byte {
	b = appendID(append(b, `{"id":`...), c.ID)
	b = appendString(append(b, `,"name":`...), c.Name)
	b = appendNullString(append(b, `,"phone":`...), c.Phone)
	b = appendNullString(append(b, `,"company":`...), c.BusinessName)
	b = appendNullString(append(b, `,"city":`...), c.City)
	b = appendNullID(append(b, `,"channel_id":`...), c.Channel)
	b = appendIDs(append(b, `,"label_ids":`...), c.LabelIDs)
	b = strconv.AppendBool(append(b, `,"blocked":`...), c.Blocked)
	b = appendTime(append(b, `,"created_at":`...), c.CreatedAt)
	b = appendTime(append(b, `,"updated_at":`...), c.UpdatedAt)
	return append(b, '}')
}
