package model

import (
	"strconv"

	"recado/internal/jsonenc"
)

// AppendJSON writes the card as the API shows it.
func (c *Card) AppendJSON(b []byte) []byte {
	b = appendID(append(b, `{"id":`...), c.ID)
	b = appendID(append(b, `,"board_id":`...), c.BoardID)
	b = appendID(append(b, `,"stage_id":`...), c.StageID)
	b = jsonenc.AppendString(append(b, `,"title":`...), c.Title)
	b = jsonenc.AppendNullString(append(b, `,"description":`...), c.Description)
	b = jsonenc.AppendString(append(b, `,"priority":`...), c.Priority)
	b = appendIDs(append(b, `,"label_ids":`...), c.LabelIDs)
	b = jsonenc.AppendNullTime(append(b, `,"due_at":`...), c.DueAt)
	b = appendNullID(append(b, `,"assignee":`...), c.Assignee)
	b = appendNullID(append(b, `,"contact":`...), c.Contact)
	b = appendNullID(append(b, `,"conversation":`...), c.Conversation)
	b = appendNullID(append(b, `,"attendance":`...), c.Attendance)
	b = strconv.AppendBool(append(b, `,"private":`...), c.Private)
	b = jsonenc.AppendString(append(b, `,"status":`...), c.Status)
	b = jsonenc.AppendString(append(b, `,"position":`...), c.Position)
	b = strconv.AppendInt(append(b, `,"version":`...), c.Version, 10)
	b = jsonenc.AppendTime(append(b, `,"created_at":`...), c.CreatedAt)
	b = jsonenc.AppendTime(append(b, `,"updated_at":`...), c.UpdatedAt)
	b = jsonenc.AppendNullTime(append(b, `,"completed_at":`...), c.CompletedAt)
	return append(b, '}')
}
