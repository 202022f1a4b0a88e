package store

import (
	"encoding/binary"
	"strings"
	"time"

	"recado/internal/db"
	"recado/internal/fold"
	"recado/internal/model"
)

const conversationColumns = `
	c.id, c.company, c.channel, ` + conversationPrivate + `, c.kind, c.name, c.renamed, c.phone, c.contact, c.group_id,
	c.assignee, c.sector, c.archived, c.pinned, c.muted, c.labels, c.unread_count,
	c.last_id, c.last_type, c.last_text, c.last_direction, c.last_at,
	c.last_inbound_at, c.last_inbound_ext, c.attendance, c.sequence, c.created_at, c.updated_at, c.unanswered, c.activity_at,
	c.attendance_number, c.attendance_opened_at, c.waiting_since, c.snoozed_until, c.windowed,
	c.last_status, c.last_file_name, c.last_duration_ms, c.reception, c.reception_due, c.bot_paused_until, c.last_notice`

// conversationWidth is the number of conversationColumns: where a statement's own columns begin.
var conversationWidth = strings.Count(conversationColumns, ",") + 1

func scanConversation(r Row) model.Conversation {
	c := model.Conversation{
		ID: r.ID(0), Company: r.ID(1), Channel: r.ID(2), Private: r.Bool(3), Kind: r.Text(4), Name: r.Text(5), Renamed: r.Bool(6),
		Phone: r.NullText(7), Contact: r.NullID(8), GroupID: r.NullText(9), Assignee: r.NullID(10), Sector: r.NullID(11),
		Archived: r.Bool(12), Pinned: r.Bool(13), Muted: r.Bool(14), LabelIDs: unpackIDs(r.Bytes(15)), UnreadCount: r.Int(16),
		LastInboundAt: r.NullTime(22), LastInboundExt: r.NullText(23), Sequence: r.Int(25),
		CreatedAt: r.Time(26), UpdatedAt: r.Time(27), Unanswered: r.Bool(28), ActivityAt: r.Time(29), SnoozedUntil: r.NullTime(33), Windowed: r.Bool(34),
		Reception: r.NullText(38), ReceptionDue: r.NullTime(39), BotPausedUntil: r.NullTime(40),
	}
	if !r.Null(24) {
		c.Attendance = &model.OpenAttendance{
			ID: r.ID(24), Number: r.Int(30), Protocol: model.FormatProtocol(r.Int(30)), OpenedAt: r.Time(31), WaitingSince: r.NullTime(32),
		}
	}
	c.FindWindow()
	c.Unread = c.UnreadCount > 0
	if !r.Null(17) {
		c.LastMessage = &model.LastMessage{
			ID: r.ID(17), Type: r.Text(18), Text: r.NullText(19), Direction: r.Text(20), CreatedAt: r.Time(21),
			Status: r.Text(35), FileName: r.NullText(36), DurationSeconds: durationSeconds(r.NullInt(37)),
			Notice: readJSON[model.MessageNotice](r, 41),
		}
	}
	return c
}

// Conversation gives one conversation of the company, private ones included: the caller checks who
// may see it.
func (tx *Tx) Conversation(company, id model.ID) (model.Conversation, bool, error) {
	return tx.conversation(`WHERE c.id = $1 AND c.company = $2`, id, company)
}

// LockSeveral comes before the locks of a transaction that locks several conversations of a channel, in
// whatever order: two such transactions take turns, and one that locks a single conversation waits for
// none that waits for it. Without concurrent writes it does nothing.
func (tx *Tx) LockSeveral(channel model.ID) {
	if tx.dialect().ConcurrentWrites() {
		tx.later(`SELECT pg_advisory_xact_lock($1)`, int64(binary.BigEndian.Uint64(channel[8:])))
	}
}

// LockConversation is Conversation, and keeps every other writer away from it until the end of the
// transaction.
func (tx *Tx) LockConversation(company, id model.ID) (model.Conversation, bool, error) {
	tx.ShareVisibility(company)
	return tx.conversation(`WHERE c.id = $1 AND c.company = $2`+tx.forUpdate(), id, company)
}

// LockConversationWith finds and locks the channel's conversation with a contact.
func (tx *Tx) LockConversationWith(company, channel, contact model.ID) (model.Conversation, bool, error) {
	tx.ShareVisibility(company)
	return tx.conversation(`WHERE c.channel = $1 AND c.contact = $2 AND c.company = $3`+tx.forUpdate(), channel, contact, company)
}

// LockGroup finds and locks the channel's conversation with a group.
func (tx *Tx) LockGroup(company, channel model.ID, group string) (model.Conversation, bool, error) {
	tx.ShareVisibility(company)
	return tx.conversation(`WHERE c.channel = $1 AND c.group_id = $2 AND c.company = $3`+tx.forUpdate(), channel, group, company)
}

func (tx *Tx) conversation(where string, args ...any) (model.Conversation, bool, error) {
	var c model.Conversation
	found, err := tx.one(`SELECT`+conversationColumns+` FROM conversations c `+where, args, func(r Row) { c = scanConversation(r) })
	return c, found, err
}

// forUpdate locks the rows a SELECT finds.
func (tx *Tx) forUpdate() string { return tx.dialect().Lock(` FOR UPDATE`) }

// InsertConversation adds a conversation and reports false when the channel has one with that contact
// or group already.
func (tx *Tx) InsertConversation(c *model.Conversation) (bool, error) {
	n, err := tx.exec(`
		INSERT INTO conversations (id, company, channel, private, kind, name, renamed, phone, contact, group_id,
			archived, pinned, muted, unanswered, unread_count, sequence, activity_at, folded, unindexed, created_at, updated_at, windowed)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, FALSE, FALSE, FALSE, FALSE, 0, $11, $12, $13, TRUE, $12, $12, $14)
		ON CONFLICT DO NOTHING`,
		c.ID, c.Company, c.Channel, c.Private, c.Kind, c.Name, c.Renamed, c.Phone, c.Contact, c.GroupID,
		c.Sequence, c.CreatedAt, conversationText(c), c.Windowed)
	c.ActivityAt = c.CreatedAt
	return n == 1, err
}

// ConversationParts are groups of columns of a conversation that change together, and seldom.
type ConversationParts uint8

// The parts of a conversation that SaveConversation writes besides what messages, events and reading change.
const (
	// PartInbox is what places the conversation in an inbox: since when the customer waits, what is shown of the open
	// attendance, and snoozing.
	PartInbox ConversationParts = 1 << iota
	// PartSettings are its names, its responsible person and sector, and what people set on it, except its labels.
	PartSettings
	// PartMenu is the state of the menu that asks the customer.
	PartMenu
)

// SaveConversation writes what messages, events and reading change of a conversation, and the parts. SQLite rewrites an
// index whenever one of its columns is named, changed or not; there each part has a statement of its own. PostgreSQL
// writes the row anew with every statement, so it gets one.
func (tx *Tx) SaveConversation(c *model.Conversation, parts ConversationParts) {
	u := conversationUpdate{tx: tx, of: c, apart: !tx.dialect().ConcurrentWrites()}
	u.begin()
	u.activity(c)
	if parts&PartInbox != 0 {
		u.inbox(c)
	}
	if parts&PartSettings != 0 {
		u.next()
		u.set("name", c.Name).set("renamed", c.Renamed).set("phone", c.Phone).set("assignee", c.Assignee).set("sector", c.Sector)
		u.set("archived", c.Archived).set("pinned", c.Pinned).set("muted", c.Muted)
	}
	if parts&PartMenu != 0 {
		u.next()
		u.set("reception", c.Reception).set("reception_due", c.ReceptionDue)
	}
	u.write()
}

// conversationUpdate puts together the statements that save a conversation.
type conversationUpdate struct {
	tx      *Tx
	of      *model.Conversation
	apart   bool // each part is a statement
	s       *statement
	columns int
}

// begin begins a statement.
func (u *conversationUpdate) begin() {
	u.s, u.columns = u.tx.statement(), 0
	u.s.WriteString("UPDATE conversations SET ")
}

// set adds a column and its value.
func (u *conversationUpdate) set(column string, v any) *conversationUpdate {
	u.assign(column, u.s.Arg(v))
	return u
}

// assign adds a column and the expression that it becomes.
func (u *conversationUpdate) assign(column, to string) {
	if u.columns++; u.columns > 1 {
		u.s.WriteString(", ")
	}
	u.s.WriteString(column + " = " + to)
}

// next begins a part.
func (u *conversationUpdate) next() {
	if u.apart {
		u.write()
		u.begin()
	}
}

// write ends the statement.
func (u *conversationUpdate) write() {
	u.s.WriteString(" WHERE company = " + u.s.Arg(u.of.Company) + " AND id = " + u.s.Arg(u.of.ID))
	u.tx.later(u.s.String(), u.s.Args...)
}

func (u *conversationUpdate) activity(c *model.Conversation) {
	var lastID *model.ID
	var lastType, lastDirection, lastStatus *string
	var lastText, lastFile *string
	var lastAt *time.Time
	var lastDuration *int64
	var lastNotice *string
	if m := c.LastMessage; m != nil {
		lastID, lastType, lastText, lastDirection, lastAt = &m.ID, &m.Type, m.Text, &m.Direction, &m.CreatedAt
		lastStatus, lastFile, lastDuration = &m.Status, m.FileName, durationMillis(m.DurationSeconds)
		lastNotice = writeJSON(m.Notice)
	}
	at, folded := u.s.Arg(c.ActivityAt), u.s.Arg(conversationText(c))
	u.assign("activity_at", at)
	u.assign("folded", folded)
	u.assign("unindexed", "unindexed OR folded <> "+folded+" OR activity_at <> "+at)
	u.set("unread_count", c.UnreadCount).set("last_id", lastID).set("last_type", lastType).set("last_text", lastText)
	u.set("last_direction", lastDirection).set("last_at", lastAt).set("last_status", lastStatus).set("last_file_name", lastFile)
	u.set("last_duration_ms", lastDuration).set("last_notice", lastNotice).set("last_inbound_at", c.LastInboundAt).set("last_inbound_ext", c.LastInboundExt)
	u.set("attendance", c.AttendanceID()).set("open", c.Open()).set("unanswered", c.Unanswered).set("sequence", c.Sequence)
	u.set("updated_at", c.UpdatedAt).set("bot_paused_until", c.BotPausedUntil)
}

func (u *conversationUpdate) inbox(c *model.Conversation) {
	var number *int64
	var openedAt *time.Time
	if a := c.Attendance; a != nil {
		number, openedAt = &a.Number, &a.OpenedAt
	}
	u.next()
	u.set("attendance_number", number).set("attendance_opened_at", openedAt)
	u.set("waiting_since", c.WaitingSince()).set("snoozed_until", c.SnoozedUntil)
}

// SaveProgress writes the number of a conversation's last event and the status of its last message.
func (tx *Tx) SaveProgress(c *model.Conversation) {
	var status *string
	if c.LastMessage != nil {
		status = &c.LastMessage.Status
	}
	tx.later(`UPDATE conversations SET sequence = $3, last_status = $4 WHERE company = $1 AND id = $2`, c.Company, c.ID, c.Sequence, status)
}

// SetConversationLabels replaces the labels of a conversation.
func (tx *Tx) SetConversationLabels(id model.ID, labels []model.ID) {
	tx.later(`UPDATE conversations SET labels = $2 WHERE id = $1`, id, packIDs(labels))
	tx.setLabels("conversation_labels", id, labels)
}

// conversationText is what a search looks at: name, phone and last message, folded.
func conversationText(c *model.Conversation) string {
	text := c.Name
	if c.Phone != nil {
		text += "\n" + *c.Phone
	}
	if c.LastMessage != nil && c.LastMessage.Text != nil {
		text += "\n" + *c.LastMessage.Text
	}
	return fold.Text(text)
}

// ConversationAt is a conversation and its company.
type ConversationAt struct{ Company, ID model.ID }

// SaveDraft replaces the draft of a member in a conversation.
func (tx *Tx) SaveDraft(company, member, conversation model.ID, d *model.Draft) {
	tx.later(`
		INSERT INTO drafts (company, member, conversation, text, reply_to, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (company, member, conversation) DO UPDATE
		SET text = excluded.text, reply_to = excluded.reply_to, updated_at = excluded.updated_at`,
		company, member, conversation, d.Text, d.ReplyTo, d.UpdatedAt)
}

// DeleteDraft removes the draft of a member in a conversation and reports whether there was one.
func (tx *Tx) DeleteDraft(company, member, conversation model.ID) (bool, error) {
	n, err := tx.exec(`DELETE FROM drafts WHERE company = $1 AND member = $2 AND conversation = $3`, company, member, conversation)
	return n > 0, err
}

// Drafts gives the drafts of a member in some conversations.
func (tx *Tx) Drafts(company, member model.ID, conversations []model.ID) (map[model.ID]*model.Draft, error) {
	drafts := map[model.ID]*model.Draft{}
	if len(conversations) == 0 {
		return drafts, nil
	}
	s := tx.statement()
	s.WriteString(`SELECT conversation, text, reply_to, updated_at FROM drafts WHERE company = ` + s.Arg(company) + ` AND member = ` + s.Arg(member) +
		` AND conversation IN (` + db.Listed(conversations)(s) + `)`)
	err := tx.query(s.String(), s.Args, func(r Row) error {
		drafts[r.ID(0)] = &model.Draft{Text: r.Text(1), ReplyTo: r.NullText(2), UpdatedAt: r.Time(3)}
		return nil
	})
	return drafts, err
}
