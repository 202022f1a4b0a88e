package talk

import (
	"strings"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/fold"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

var conversationColumns = `
	c.id, c.company, c.channel, ` + kernel.ChannelPrivate("c") + `, c.kind, c.name, c.renamed, c.phone, c.contact, c.group_id,
	c.assignee, c.sector, c.archived, c.pinned, c.muted, c.labels, c.unread_count,
	c.last_id, c.last_type, c.last_text, c.last_direction, c.last_at,
	c.last_inbound_at, c.last_inbound_ext, c.attendance, c.sequence, c.created_at, c.updated_at, c.unanswered, c.activity_at,
	c.attendance_number, c.attendance_opened_at, c.waiting_since, c.snoozed_until, c.windowed,
	c.last_status, c.last_file_name, c.last_duration_ms, c.reception, c.reception_due, c.bot_paused_until, c.last_notice`

// conversationWidth is the number of conversationColumns: where a statement's own columns begin.
var conversationWidth = strings.Count(conversationColumns, ",") + 1

func scanConversation(r db.Row) Conversation {
	c := Conversation{
		ID: r.ID(0), Company: r.ID(1), Channel: r.ID(2), Private: r.Bool(3), Kind: r.Text(4), Name: r.Text(5), Renamed: r.Bool(6),
		Phone: r.NullText(7), Contact: r.NullID(8), GroupID: r.NullText(9), Assignee: r.NullID(10), Sector: r.NullID(11),
		Archived: r.Bool(12), Pinned: r.Bool(13), Muted: r.Bool(14), LabelIDs: kernel.UnpackIDs(r.Bytes(15)), UnreadCount: r.Int(16),
		LastInboundAt: r.NullTime(22), LastInboundExt: r.NullText(23), Sequence: r.Int(25),
		CreatedAt: r.Time(26), UpdatedAt: r.Time(27), Unanswered: r.Bool(28), ActivityAt: r.Time(29), SnoozedUntil: r.NullTime(33), Windowed: r.Bool(34),
		Reception: r.NullText(38), ReceptionDue: r.NullTime(39), BotPausedUntil: r.NullTime(40),
	}
	if !r.Null(24) {
		c.Attendance = &OpenAttendance{
			ID: r.ID(24), Number: r.Int(30), Protocol: FormatProtocol(r.Int(30)), OpenedAt: r.Time(31), WaitingSince: r.NullTime(32),
		}
	}
	c.FindWindow()
	c.Unread = c.UnreadCount > 0
	if !r.Null(17) {
		c.LastMessage = &LastMessage{
			ID: r.ID(17), Type: r.Text(18), Text: r.NullText(19), Direction: r.Text(20), CreatedAt: r.Time(21),
			Status: r.Text(35), FileName: r.NullText(36), DurationSeconds: durationSeconds(r.NullInt(37)),
			Notice: kernel.ReadJSON[provider.MessageNotice](r, 41),
		}
	}
	return c
}

// FindConversation gives one conversation of the company, private ones included: the caller checks who
// may see it.
func FindConversation(tx *kernel.Tx, company, id kernel.ID) (Conversation, bool, error) {
	return selectConversation(tx, `WHERE c.company = $1 AND c.id = $2`, company, id)
}

// LockConversation is Conversation, and keeps every other writer away from it until the end of the
// transaction.
func LockConversation(tx *kernel.Tx, company, id kernel.ID) (Conversation, bool, error) {
	tx.ShareVisibility(company)
	return selectConversation(tx, `WHERE c.company = $1 AND c.id = $2`+tx.ForUpdate(), company, id)
}

// lockConversationWith finds and locks the channel's conversation with a contact.
func lockConversationWith(tx *kernel.Tx, company, channel, contact kernel.ID) (Conversation, bool, error) {
	tx.ShareVisibility(company)
	return selectConversation(tx, `WHERE c.company = $1 AND c.channel = $2 AND c.contact = $3`+tx.ForUpdate(), company, channel, contact)
}

// lockGroup finds and locks the channel's conversation with a group.
func lockGroup(tx *kernel.Tx, company, channel kernel.ID, group string) (Conversation, bool, error) {
	tx.ShareVisibility(company)
	return selectConversation(tx, `WHERE c.company = $1 AND c.channel = $2 AND c.group_id = $3`+tx.ForUpdate(), company, channel, group)
}

func selectConversation(tx *kernel.Tx, where string, args ...any) (Conversation, bool, error) {
	var c Conversation
	found, err := tx.One(`SELECT`+conversationColumns+` FROM conversations c `+where, args, func(r db.Row) { c = scanConversation(r) })
	return c, found, err
}

// InsertConversation adds a conversation and reports false when the channel has one with that contact
// or group already.
func InsertConversation(tx *kernel.Tx, c *Conversation) (bool, error) {
	n, err := tx.Exec(`
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
func SaveConversation(tx *kernel.Tx, c *Conversation, parts ConversationParts) {
	u := conversationUpdate{tx: tx, of: c, apart: !tx.Dialect().ConcurrentWrites()}
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
	tx      *kernel.Tx
	of      *Conversation
	apart   bool // each part is a statement
	s       *db.Statement
	columns int
}

// begin begins a statement.
func (u *conversationUpdate) begin() {
	u.s, u.columns = u.tx.Statement(), 0
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
	u.tx.Later(u.s.String(), u.s.Args...)
}

func (u *conversationUpdate) activity(c *Conversation) {
	var lastID *kernel.ID
	var lastType, lastDirection, lastStatus *string
	var lastText, lastFile *string
	var lastAt *time.Time
	var lastDuration *int64
	var lastNotice *string
	if m := c.LastMessage; m != nil {
		lastID, lastType, lastText, lastDirection, lastAt = &m.ID, &m.Type, m.Text, &m.Direction, &m.CreatedAt
		lastStatus, lastFile, lastDuration = &m.Status, m.FileName, durationMillis(m.DurationSeconds)
		lastNotice = kernel.WriteJSON(m.Notice)
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

func (u *conversationUpdate) inbox(c *Conversation) {
	var number *int64
	var openedAt *time.Time
	if a := c.Attendance; a != nil {
		number, openedAt = &a.Number, &a.OpenedAt
	}
	u.next()
	u.set("attendance_number", number).set("attendance_opened_at", openedAt)
	u.set("waiting_since", c.WaitingSince()).set("snoozed_until", c.SnoozedUntil)
}

// saveProgress writes the number of a conversation's last event and the status of its last message.
func saveProgress(tx *kernel.Tx, c *Conversation) {
	var status *string
	if c.LastMessage != nil {
		status = &c.LastMessage.Status
	}
	tx.Later(`UPDATE conversations SET sequence = $3, last_status = $4 WHERE company = $1 AND id = $2`, c.Company, c.ID, c.Sequence, status)
}

// SetConversationLabels replaces the labels of a conversation.
func SetConversationLabels(tx *kernel.Tx, company, id kernel.ID, labels []kernel.ID) {
	tx.Later(`UPDATE conversations SET labels = $3 WHERE company = $1 AND id = $2`, company, id, kernel.PackIDs(labels))
	setLabels(tx, "conversation_labels", company, id, labels)
}

// conversationText is what a search looks at: name, phone and last message, folded.
func conversationText(c *Conversation) string {
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
type ConversationAt struct{ Company, ID kernel.ID }
