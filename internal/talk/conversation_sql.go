package talk

import (
	"slices"
	"strings"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

var conversationColumns = `
	c.id, c.company, c.channel, ` + kernel.ChannelPrivate("c") + ` AS private, c.kind, c.name, c.renamed, c.phone, c.contact,
	c.group_id, c.assignee, c.sector, c.archived, c.pinned, c.muted, c.labels, c.unread_count, c.last_inbound_at, c.last_inbound_ext,
	c.sequence, c.created_at, c.updated_at, c.unanswered, c.activity_at, c.snoozed_until, c.windowed, c.reception, c.reception_due,
	c.bot_paused_until, c.attendance, c.attendance_number, c.attendance_opened_at, c.waiting_since, c.last_id, c.last_type,
	c.last_text, c.last_direction, c.last_at, c.last_status, c.last_file_name, c.last_duration_ms, c.last_notice,
	c.survey, c.reopening, c.cases, c.picture_id, c.sla_policy, c.sla_target, c.sla_due, c.sla_state`

func scanConversation(r db.Row) Conversation {
	c := Conversation{
		ID: r.ID("id"), Company: r.ID("company"), Channel: r.ID("channel"), Private: r.Bool("private"), Kind: r.Text("kind"),
		Cases: r.Bool("cases") || r.Text("kind") != KindGroup,
		Name:  r.Text("name"), Renamed: r.Bool("renamed"), Phone: r.NullText("phone"), Contact: r.NullID("contact"),
		GroupID: r.NullText("group_id"), Assignee: r.NullID("assignee"), Sector: r.NullID("sector"), Archived: r.Bool("archived"),
		Pinned: r.Bool("pinned"), Muted: r.Bool("muted"), LabelIDs: kernel.UnpackIDs(r.Bytes("labels")), UnreadCount: r.Int("unread_count"),
		LastInboundAt: r.NullTime("last_inbound_at"), LastInboundExt: r.NullText("last_inbound_ext"), Sequence: r.Int("sequence"),
		CreatedAt: r.Time("created_at"), UpdatedAt: r.Time("updated_at"), Unanswered: r.Bool("unanswered"),
		ActivityAt: r.Time("activity_at"), SnoozedUntil: r.NullTime("snoozed_until"), Windowed: r.Bool("windowed"),
		Reception: r.NullText("reception"), ReceptionDue: r.NullTime("reception_due"), BotPausedUntil: r.NullTime("bot_paused_until"),
		Survey: r.NullID("survey"), Reopening: r.NullID("reopening"),
	}
	c.Picture = picturePath(c.ID, r.Text("picture_id"))
	if !r.Null("attendance") {
		c.Attendance = &OpenAttendance{
			ID: r.ID("attendance"), Number: r.Int("attendance_number"),
			OpenedAt: r.Time("attendance_opened_at"), WaitingSince: r.NullTime("waiting_since"), Policy: r.NullID("sla_policy"),
		}
		c.Attendance.Protocol = FormatProtocol(c.Attendance.Number)
		if !r.Null("sla_target") {
			c.Attendance.SLA = &OpenTarget{Target: r.Text("sla_target"), DueAt: r.Time("sla_due"), State: r.Text("sla_state")}
		}
	}
	if !r.Null("last_id") {
		c.LastMessage = &LastMessage{
			ID: r.ID("last_id"), Type: r.Text("last_type"), Text: r.NullText("last_text"), Direction: r.Text("last_direction"),
			CreatedAt: r.Time("last_at"), Status: r.Text("last_status"), FileName: r.NullText("last_file_name"),
			DurationSeconds: durationSeconds(r.NullInt("last_duration_ms")),
			Notice:          kernel.ReadJSON[provider.MessageNotice](r, "last_notice"),
		}
	}
	c.Erased = c.Kind == KindDirect && c.Contact == nil
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
	return lockConversation(tx, `c.company = $1 AND c.id = $2`, company, id)
}

// lockConversationWith finds and locks the channel's conversation with a contact.
func lockConversationWith(tx *kernel.Tx, company, channel, contact kernel.ID) (Conversation, bool, error) {
	return lockConversation(tx, `c.company = $1 AND c.channel = $2 AND c.contact = $3`, company, channel, contact)
}

// lockConversation finds and locks a conversation of a company by a condition whose first argument is the company.
func lockConversation(tx *kernel.Tx, condition string, company kernel.ID, args ...any) (Conversation, bool, error) {
	tx.ShareVisibility(company)
	return selectConversation(tx, `WHERE `+condition+tx.ForUpdate(), slices.Insert(args, 0, any(company))...)
}

func selectConversation(tx *kernel.Tx, where string, args ...any) (Conversation, bool, error) {
	return kernel.Row(tx, `SELECT`+conversationColumns+` FROM conversations c `+where, args, scanConversation)
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
	PartMenu                                   // the state of the reception menu and of the survey
	PartSLA                                    // the service level of the open attendance
)

// SaveConversation stores what messages, events and reading change, and the given parts. SQLite rewrites an index whenever one
// of its columns is set, changed or not, so each part has its own statement there. PostgreSQL rewrites the row with every
// statement, so it gets a single one.
func SaveConversation(tx *kernel.Tx, c *Conversation, parts ConversationParts) {
	s, sets := tx.Statement(), []string(nil)
	set := func(columns string, values ...any) {
		for i, column := range strings.Split(columns, ", ") {
			sets = append(sets, column+" = "+s.Arg(values[i]))
		}
	}
	write := func() {
		s.WriteString("UPDATE conversations SET " + strings.Join(sets, ", ") + " WHERE company = " + s.Arg(c.Company) + " AND id = " + s.Arg(c.ID))
		tx.Later(s.String(), s.Args...)
		s, sets = tx.Statement(), nil
	}
	begin := func(part ConversationParts) bool {
		if parts&part != 0 && !tx.Dialect().ConcurrentWrites() {
			write()
		}
		return parts&part != 0
	}
	at, folded := s.Arg(c.ActivityAt), s.Arg(conversationText(c))
	sets = append(sets, "activity_at = "+at, "folded = "+folded, "unindexed = unindexed OR folded <> "+folded+" OR activity_at <> "+at)
	set("unread_count, last_inbound_at, last_inbound_ext, attendance, open, unanswered, sequence, updated_at, bot_paused_until",
		c.UnreadCount, c.LastInboundAt, c.LastInboundExt, c.AttendanceID(), c.Open(), c.Unanswered, c.Sequence, c.UpdatedAt, c.BotPausedUntil)
	if m := c.LastMessage; m != nil { // it never becomes NULL again
		set("last_id, last_type, last_text, last_direction, last_at, last_status, last_file_name, last_duration_ms, last_notice",
			m.ID, m.Type, m.Text, m.Direction, m.CreatedAt, m.Status, m.FileName, durationMillis(m.DurationSeconds), kernel.WriteJSON(m.Notice))
	}
	if begin(PartInbox) {
		var number *int64
		var openedAt *time.Time
		if a := c.Attendance; a != nil {
			number, openedAt = &a.Number, &a.OpenedAt
		}
		set("attendance_number, attendance_opened_at, waiting_since, snoozed_until", number, openedAt, c.WaitingSince(), c.SnoozedUntil)
	}
	if begin(PartSettings) {
		set("name, renamed, phone, assignee, sector, archived, pinned, muted, cases",
			c.Name, c.Renamed, c.Phone, c.Assignee, c.Sector, c.Archived, c.Pinned, c.Muted, c.Kind == KindGroup && c.Cases)
	}
	if begin(PartMenu) {
		set("reception, reception_due, survey", c.Reception, c.ReceptionDue, c.Survey)
	}
	if begin(PartSLA) {
		var policy *kernel.ID
		var target, state *string
		var due *time.Time
		if a := c.Attendance; a != nil {
			if policy = a.Policy; a.SLA != nil {
				target, due, state = &a.SLA.Target, &a.SLA.DueAt, &a.SLA.State
			}
		}
		set("sla_policy, sla_target, sla_due, sla_state", policy, target, due, state)
	}
	write()
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
func conversationText(c *Conversation) string { return foldedLines(&c.Name, c.Phone, lastOf(c).Text) }

// ConversationAt is a conversation and its company.
type ConversationAt struct{ Company, ID kernel.ID }

func scanAt(r db.Row) ConversationAt { return ConversationAt{r.ID("company"), r.ID("id")} }
