package desk

import (
	"encoding/binary"
	"fmt"

	"recado/internal/model"
	"recado/internal/store"
)

// conversationCursor seals places in the list of a filter. A search is continued by the number of rows that were shown,
// every other list behind its last row, whatever has moved meanwhile.
type conversationCursor struct {
	key    model.CursorKey
	filter ConversationFilter
}

// name is equal for filters of the same list.
func (c conversationCursor) name() string {
	f := &c.filter
	flag := func(b *bool) string {
		if b == nil {
			return ""
		}
		return fmt.Sprint(*b)
	}
	return fmt.Sprintf("conversations %q %s %t %q %s %s %t %s %s %q %s %t",
		f.Q, flag(f.Archived), f.Unread, f.Kind, f.Channel, f.Assignee, f.Unassigned, f.Sector, f.Label, f.Status, flag(f.Snoozed), f.OldestWaiting)
}

// after gives the cursor of the page behind one that is not the last.
func (c conversationCursor) after(f *ConversationFilter, page []model.Conversation) string {
	if f.Q != "" {
		return c.key.Seal(f.Company, c.name(), model.CursorInt(int64(f.Offset+len(page))))
	}
	p := f.PlaceOf(&page[len(page)-1])
	b := binary.BigEndian.AppendUint64(nil, uint64(p.Waiting))
	b = binary.BigEndian.AppendUint64(b, uint64(p.At))
	pinned := byte(0)
	if p.Pinned {
		pinned = 1
	}
	return c.key.Seal(f.Company, c.name(), append(append(b, pinned), p.ID[:]...))
}

// open lets a filter continue at a cursor.
func (c conversationCursor) open(f *ConversationFilter, cursor string) error {
	payload, invalid := c.key.Open(f.Company, c.name(), cursor)
	if invalid != nil {
		return invalid
	}
	if f.Q != "" {
		skip, invalid := model.ReadCursorInt(payload)
		if invalid != nil {
			return invalid
		}
		f.Offset = int(skip)
		return nil
	}
	f.After = &store.ConversationPlace{
		Waiting: int64(binary.BigEndian.Uint64(payload)), At: int64(binary.BigEndian.Uint64(payload[8:])),
		Pinned: payload[16] == 1, ID: model.ID(payload[17:]),
	}
	return nil
}
