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
	c.id, c.company, c.channel, ` + kernel.ChannelPrivate("c") + ` AS private, c.kind, c.name, c.renamed, c.phone, c.contact,
	c.group_id, c.assignee, c.sector, c.archived, c.pinned, c.muted, c.labels, c.unread_count, c.last_inbound_at, c.last_inbound_ext,
	c.sequence, c.created_at, c.updated_at, c.unanswered, c.activity_at, c.snoozed_until, c.windowed, c.reception, c.reception_due,
	c.bot_paused_until, c.attendance, c.attendance_number, c.attendance_opened_at, c.waiting_since, c.last_id, c.last_type,
	c.last_text, c.last_direction, c.last_at, c.last_status, c.last_file_name, c.last_duration_ms, c.last_notice`

func scanConversation(r db.Row) Conversation {
	c := Conversation{
		ID: r.ID("id"), Company: r.ID("company"), Channel: r.ID("channel"), Private: r.Bool("private"), Kind: r.Text("kind"),
		Name: r.Text("name"), Renamed: r.Bool("renamed"), Phone: r.NullText("phone"), Contact: r.NullID("contact"),
		GroupID: r.NullText("group_id"), Assignee: r.NullID("assignee"), Sector: r.NullID("sector"), Archived: r.Bool("archived"),
		Pinned: r.Bool("pinned"), Muted: r.Bool("muted"), LabelIDs: kernel.UnpackIDs(r.Bytes("labels")), UnreadCount: r.Int("unread_count"),
		LastInboundAt: r.NullTime("last_inbound_at"), LastInboundExt: r.NullText("last_inbound_ext"), Sequence: r.Int("sequence"),
		CreatedAt: r.Time("created_at"), UpdatedAt: r.Time("updated_at"), Unanswered: r.Bool("unanswered"),
		ActivityAt: r.Time("activity_at"), SnoozedUntil: r.NullTime("snoozed_until"), Windowed: r.Bool("windowed"),
		Reception: r.NullText("reception"), ReceptionDue: r.NullTime("reception_due"), BotPausedUntil: r.NullTime("bot_paused_until"),
	}
	if !r.Null("attendance") {
		c.Attendance = &OpenAttendance{
			ID: r.ID("attendance"), Number: r.Int("attendance_number"),
			OpenedAt: r.Time("attendance_opened_at"), WaitingSince: r.NullTime("waiting_since"),
		}
		c.Attendance.Protocol = FormatProtocol(c.Attendance.Number)
	}
	if !r.Null("last_id") {
		c.LastMessage = &LastMessage{
			ID: r.ID("last_id"), Type: r.Text("last_type"), Text: r.NullText("last_text"), Direction: r.Text("last_direction"),
			CreatedAt: r.Time("last_at"), Status: r.Text("last_status"), FileName: r.NullText("last_file_name"),
			DurationSeconds: durationSeconds(r.NullInt("last_duration_ms")),
			Notice:          kernel.ReadJSON[provider.MessageNotice](r, "last_notice"),
		}
	}
	c.FindWindow()
	c.Unread = c.UnreadCount > 0
	return c
}

// FindConversation returns a conversation of the company, private or not. The caller checks who may see it.
func FindConversation(tx *kernel.Tx, company, id kernel.ID) (Conversation, bool, error) {
	return selectConversation(tx, `WHERE c.company = $1 AND c.id = $2`, company, id)
}

// LockConversation is FindConversation with an exclusive lock until the end of the transaction.
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

// InsertConversation inserts a conversation. It returns false if the channel already has one with that contact or group.
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

// ConversationParts is a set of groups of columns that seldom change.
type ConversationParts uint8

// The parts that SaveConversation stores on request.
const (
	PartInbox    ConversationParts = 1 << iota // the open attendance, since when the customer waits, and snoozing
	PartSettings                               // names, responsible person, sector and flags, without labels
	PartMenu                                   // the state of the reception menu
)

// SaveConversation stores what messages, events and reading change, and the given parts. SQLite rewrites an index whenever one
// of its columns is set, changed or not, so each part has its own statement there. PostgreSQL rewrites the row with every
// statement, so it gets a single one.
func SaveConversation(tx *kernel.Tx, c *Conversation, parts ConversationParts) {
	s := &conversationUpdate{Statement: tx.Statement(), tx: tx, c: c}
	s.setActivity()
	if parts&PartInbox != 0 {
		s.nextPart()
		var number *int64
		var openedAt *time.Time
		if a := c.Attendance; a != nil {
			number, openedAt = &a.Number, &a.OpenedAt
		}
		s.set("attendance_number", number).set("attendance_opened_at", openedAt)
		s.set("waiting_since", c.WaitingSince()).set("snoozed_until", c.SnoozedUntil)
	}
	if parts&PartSettings != 0 {
		s.nextPart()
		s.set("name", c.Name).set("renamed", c.Renamed).set("phone", c.Phone).set("assignee", c.Assignee).set("sector", c.Sector)
		s.set("archived", c.Archived).set("pinned", c.Pinned).set("muted", c.Muted)
	}
	if parts&PartMenu != 0 {
		s.nextPart()
		s.set("reception", c.Reception).set("reception_due", c.ReceptionDue)
	}
	s.write()
}

// conversationUpdate builds the statements of SaveConversation.
type conversationUpdate struct {
	*db.Statement
	tx   *kernel.Tx
	c    *Conversation
	sets []string
}

func (s *conversationUpdate) set(column string, v any) *conversationUpdate {
	s.sets = append(s.sets, column+" = "+s.Arg(v))
	return s
}

func (s *conversationUpdate) nextPart() {
	if !s.tx.Dialect().ConcurrentWrites() {
		s.write()
	}
}

func (s *conversationUpdate) write() {
	where := " WHERE company = " + s.Arg(s.c.Company) + " AND id = " + s.Arg(s.c.ID)
	s.WriteString("UPDATE conversations SET " + strings.Join(s.sets, ", ") + where)
	s.tx.Later(s.String(), s.Args...)
	s.Statement, s.sets = s.tx.Statement(), nil
}

func (s *conversationUpdate) setActivity() {
	c := s.c
	at, folded := s.Arg(c.ActivityAt), s.Arg(conversationText(c))
	s.sets = append(s.sets, "activity_at = "+at, "folded = "+folded,
		"unindexed = unindexed OR folded <> "+folded+" OR activity_at <> "+at)
	s.set("unread_count", c.UnreadCount).set("last_inbound_at", c.LastInboundAt).set("last_inbound_ext", c.LastInboundExt)
	s.set("attendance", c.AttendanceID()).set("open", c.Open()).set("unanswered", c.Unanswered).set("sequence", c.Sequence)
	s.set("updated_at", c.UpdatedAt).set("bot_paused_until", c.BotPausedUntil)
	if m := c.LastMessage; m != nil { // it never becomes NULL again
		s.set("last_id", m.ID).set("last_type", m.Type).set("last_text", m.Text).set("last_direction", m.Direction)
		s.set("last_at", m.CreatedAt).set("last_status", m.Status).set("last_file_name", m.FileName).set("last_duration_ms", durationMillis(m.DurationSeconds))
		s.set("last_notice", kernel.WriteJSON(m.Notice))
	}
}

// saveProgress stores the number of the last event and the status of the last message.
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

// conversationText returns the text that searches match: name, phone and last message, folded.
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
