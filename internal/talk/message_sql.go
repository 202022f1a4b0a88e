package talk

import (
	"time"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// messageColumns are the columns of a message m and of its file d; see messageFile.
const messageColumns = `
	m.seq, m.id, m.client_id, m.conversation, m.company, m.channel, m.direction, m.origin, m.type, m.text, m.reply_to, m.external_id,
	m.status, m.error_code, m.error_detail,
	m.sent_by, (SELECT u.name FROM users u WHERE u.company = m.company AND u.id = m.sent_by) AS sent_by_name,
	m.author, (SELECT w.name FROM contacts w WHERE w.company = m.company AND w.id = m.author) AS author_name,
	m.integration, (SELECT k.name FROM keys k WHERE k.company = m.company AND k.id = m.integration) AS integration_name,
	m.created_at, m.sent_at, m.delivered_at, m.read_at, m.edited_at, m.revoked_at,
	m.media, d.mime_type, d.file_name, d.size, d.width, d.height, d.duration_ms,
	m.reactions, m.referral, m.product, m.interactive, m.choice, m.voice, m.notice, m.form, m.standby,
	m.cost_category, m.cost_type, m.cost_billable, m.cost_amount, m.cost_currency, m.cost_day, m.cost_sector, m.cost_attendance`

const messageFile = `
		LEFT JOIN media d ON d.company = m.company AND d.id = m.media`

func scanMessage(r db.Row) Message {
	m := Message{
		Seq: r.Int("seq"), ID: r.ID("id"), ClientID: r.NullID("client_id"), Conversation: r.ID("conversation"),
		Company: r.ID("company"), Channel: r.ID("channel"), Direction: r.Text("direction"), Origin: r.Text("origin"),
		Type: r.Text("type"), Text: r.NullText("text"), ReplyTo: r.NullText("reply_to"), ExternalID: r.NullText("external_id"),
		Status: r.Text("status"), Error: scanReason(r),
	}
	if !r.Null("sent_by") {
		m.SentBy = &kernel.Ref{ID: r.ID("sent_by"), Name: r.Text("sent_by_name")}
	}
	if !r.Null("author") {
		m.Author = &MessageAuthor{}
		if !r.Null("author_name") { // the contact still exists
			m.Author.ID, m.Author.Name = r.NullID("author"), r.Text("author_name")
		}
	}
	if !r.Null("integration") {
		m.Integration = &kernel.Ref{ID: r.ID("integration"), Name: r.Text("integration_name")}
	}
	m.CreatedAt, m.SentAt, m.DeliveredAt = r.Time("created_at"), r.NullTime("sent_at"), r.NullTime("delivered_at")
	m.ReadAt, m.EditedAt, m.RevokedAt = r.NullTime("read_at"), r.NullTime("edited_at"), r.NullTime("revoked_at")
	m.MediaID = r.NullID("media")
	if !r.Null("mime_type") {
		m.Media = &MessageMedia{
			ID: *m.MediaID, MimeType: r.Text("mime_type"), FileName: r.Text("file_name"), Size: r.Int("size"),
			Width: r.NullInt("width"), Height: r.NullInt("height"), DurationSeconds: durationSeconds(r.NullInt("duration_ms")),
		}
	}
	m.Reactions = scanReactions(r)
	m.Referral, m.Product = kernel.ReadJSON[provider.Referral](r, "referral"), kernel.ReadJSON[provider.Product](r, "product")
	m.Interactive, m.Choice = kernel.ReadJSON[provider.Interactive](r, "interactive"), kernel.ReadJSON[provider.Choice](r, "choice")
	m.Voice = r.Bool("voice")
	m.Notice, m.Form = kernel.ReadJSON[provider.MessageNotice](r, "notice"), kernel.ReadJSON[provider.Form](r, "form")
	m.Standby = r.Bool("standby")
	m.Cost, m.releasedIn = scanCost(r), r.NullID("cost_attendance")
	return m
}

// scanReason reads the columns error_code and error_detail.
func scanReason(r db.Row) *provider.Reason {
	if r.Null("error_code") {
		return nil
	}
	return provider.ReadReason(r.Text("error_code"), r.Text("error_detail"))
}

// visibilityColumns are the columns of a conversation c that decide who may see it, besides its channel.
var visibilityColumns = kernel.ChannelPrivate("c") + ` AS channel_private, c.assignee, c.sector`

func scanVisibility(r db.Row) kernel.Visibility {
	return kernel.Visibility{
		Private: r.Bool("channel_private"), Assignee: r.NullID("assignee"), Sector: r.NullID("sector"), Channel: r.ID("channel"),
	}
}

// messagePage returns up to limit messages of a conversation next to a sequence number: older ones, newest first, or newer ones,
// oldest first. It reports whether there are messages up to that number, and returns the visibility of the conversation. If there
// are no messages, the company may not have the conversation at all.
func messagePage(
	tx *kernel.Tx, company, conversation kernel.ID, seq int64, newer bool, limit int,
) (page []Message, older bool, v kernel.Visibility, err error) {
	which := `m.seq < $3 ORDER BY m.seq DESC`
	if newer {
		which = `m.seq > $3 ORDER BY m.seq`
	}
	page = make([]Message, 0, limit)
	err = tx.Query(`
		SELECT`+messageColumns+`, `+visibilityColumns+`,
			EXISTS (SELECT 1 FROM messages o WHERE o.company = $1 AND o.conversation = $2 AND o.seq <= $3) AS has_older
		FROM conversations c
		JOIN messages m ON m.company = c.company AND m.conversation = c.id`+messageFile+`
		WHERE c.company = $1 AND c.id = $2 AND m.company = $1 AND m.conversation = $2 AND `+which+`
		LIMIT $4`, []any{company, conversation, seq, limit}, func(r db.Row) error {
		m := scanMessage(r)
		if len(page) == 0 {
			v, older = scanVisibility(r), r.Bool("has_older")
		}
		m.Private = v.Private
		page = append(page, m)
		return nil
	})
	return page, older, v, err
}

func findMessage(tx *kernel.Tx, company, id kernel.ID) (Message, kernel.Visibility, bool, error) {
	return selectMessage(tx, `m.company = $1 AND m.id = $2`, company, id)
}

func selectMessage(tx *kernel.Tx, where string, args ...any) (m Message, v kernel.Visibility, found bool, err error) {
	found, err = tx.One(`
		SELECT`+messageColumns+`, `+visibilityColumns+`
		FROM messages m
		JOIN conversations c ON c.company = m.company AND c.id = m.conversation`+messageFile+`
		WHERE `+where, args, func(r db.Row) {
		m, v = scanMessage(r), scanVisibility(r)
		m.Private = v.Private
	})
	return m, v, found, err
}

// insertMessage adds a message. It adds nothing and reports false if the company already has a message with that client id, or
// the channel one with that external id.
func insertMessage(tx *kernel.Tx, m *Message) (bool, error) {
	code, detail := m.Error.Columns()
	var author *kernel.ID
	if m.Author != nil {
		author = m.Author.ID
	}
	n, err := tx.ExecWithEvents(m.Company, `
		INSERT INTO messages (conversation, seq, id, company, channel, private, client_id, direction, origin, type, text, media,
			template, reply_to, external_id, status, error_code, error_detail, sent_by, author, raw, created_at, sent_at,
			delivered_at, read_at, edited_at, revoked_at, reactions, referral, product, interactive, choice, voice,
			notice, form, standby, integration)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25,
			$26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36, $37)
		ON CONFLICT DO NOTHING`,
		m.Conversation, m.Seq, m.ID, m.Company, m.Channel, m.Private, m.ClientID, m.Direction, m.Origin, m.Type, m.Text, m.MediaID,
		m.template, m.ReplyTo, m.ExternalID, m.Status, code, detail, kernel.RefID(m.SentBy), author, m.raw, m.CreatedAt,
		m.SentAt, m.DeliveredAt, m.ReadAt, m.EditedAt, m.RevokedAt, writeReactions(m.Reactions), kernel.WriteJSON(m.Referral),
		kernel.WriteJSON(m.Product), kernel.WriteJSON(m.Interactive), kernel.WriteJSON(m.Choice), m.Voice, kernel.WriteJSON(m.Notice),
		kernel.WriteJSON(m.Form), m.Standby, kernel.RefID(m.Integration))
	if n == 1 && m.Text != nil {
		tx.Later(`INSERT INTO messages_unindexed (company, id) VALUES ($1, $2)`, m.Company, m.ID)
	}
	return n == 1, err
}

func saveMessageStatus(tx *kernel.Tx, m *Message) {
	code, detail := m.Error.Columns()
	tx.Later(`
		UPDATE messages
		SET status = $4, error_code = $5, error_detail = $6, external_id = $7, sent_at = $8, delivered_at = $9, read_at = $10
		WHERE company = $1 AND conversation = $2 AND seq = $3`,
		m.Company, m.Conversation, m.Seq, m.Status, code, detail, m.ExternalID, m.SentAt, m.DeliveredAt, m.ReadAt)
}

// checkReplyTo returns an error if a conversation has no message with an external id, unless the id is nil.
func checkReplyTo(tx *kernel.Tx, c *Conversation, external *string) error {
	if external == nil {
		return nil
	}
	found, err := tx.One(`SELECT 1 FROM messages WHERE company = $1 AND channel = $2 AND external_id = $3 AND conversation = $4`,
		[]any{c.Company, c.Channel, *external, c.ID}, func(db.Row) {})
	if err != nil || !found {
		return kernel.ErrOr(err, kernel.NoSuch("body.reply_to_external_id", "message"))
	}
	return nil
}

// saveMessageContent stores the content of a message after an edit, a deletion or the arrival of its file.
func saveMessageContent(tx *kernel.Tx, m *Message) {
	tx.Later(`
		UPDATE messages
		SET type = $4, text = $5, media = $6, edited_at = $7, revoked_at = $8, interactive = $9, choice = $10, voice = $11,
			referral = $12, product = $13, notice = $14, form = $15, reply_to = $16
		WHERE company = $1 AND conversation = $2 AND seq = $3`,
		m.Company, m.Conversation, m.Seq, m.Type, m.Text, m.MediaID, m.EditedAt, m.RevokedAt, kernel.WriteJSON(m.Interactive),
		kernel.WriteJSON(m.Choice), m.Voice, kernel.WriteJSON(m.Referral), kernel.WriteJSON(m.Product), kernel.WriteJSON(m.Notice),
		kernel.WriteJSON(m.Form), m.ReplyTo)
	tx.Later(`
		INSERT INTO messages_unindexed (company, id)
		VALUES ($1, $2)
		ON CONFLICT (company, id) DO UPDATE SET id = excluded.id`, m.Company, m.ID)
}

func saveReactions(tx *kernel.Tx, m *Message) {
	tx.Later(`UPDATE messages SET reactions = $4 WHERE company = $1 AND conversation = $2 AND seq = $3`,
		m.Company, m.Conversation, m.Seq, writeReactions(m.Reactions))
}

// historySeq returns a free sequence number for a message of the imported history, ordered by the second in which the message was
// written, then by arrival: in the gap that makeRoomForHistory left, or before everything that arrived live.
func (t *LockedConversation) historySeq(written time.Time) (int64, error) {
	first := written.Unix() * historyEach
	if first+historyEach <= t.Sequence {
		var began time.Time
		_, err := t.Tx.One(`SELECT created_at FROM messages WHERE company = $1 AND conversation = $2 AND seq >= 0 ORDER BY seq LIMIT 1`,
			[]any{t.Company, t.ID}, func(r db.Row) { began = r.Time("created_at") })
		if err != nil {
			return 0, err
		}
		if began.IsZero() || written.Before(began) {
			first += historyBegin
		}
	} else {
		first += historyBegin
	}
	seq := first
	_, err := t.Tx.One(`SELECT MAX(seq) AS highest FROM messages WHERE company = $1 AND conversation = $2 AND seq >= $3 AND seq < $4`,
		[]any{t.Company, t.ID, first, first + historyEach}, func(r db.Row) {
			if highest := r.NullInt("highest"); highest != nil {
				seq = *highest + 1
			}
		})
	return seq, err
}

// makeRoomForHistory leaves a gap in the sequence numbers of the conversations of a number that is linked again, for the messages that
// the phone sent and received meanwhile and that its history brings.
func makeRoomForHistory(tx *kernel.Tx, company, channel kernel.ID) {
	tx.Later(`
		UPDATE conversations
		SET sequence = $3
		WHERE company = $1 AND id IN (
			SELECT id
			FROM conversations
			WHERE company = $1 AND channel = $2 AND sequence > 0 AND sequence < $3
			ORDER BY id`+tx.ForUpdate()+`)`, company, channel, (tx.Now.Unix()+1)*historyEach)
}

// The sequence numbers of imported history. Those from historyBegin are negative: the year 5138 is below 1e11 seconds.
const (
	historyBegin = -(int64(1) << 60)
	historyEach  = int64(1) << 20 // messages per second
)

// storedReaction is a reaction in the column reactions.
type storedReaction struct {
	Emoji   string      `json:"emoji,omitempty"`
	By      string      `json:"by"`
	User    *kernel.Ref `json:"user,omitempty"`
	Contact *kernel.ID  `json:"contact,omitempty"`
	At      int64       `json:"at"`
}

func writeReactions(rs Reactions) *string {
	if len(rs) == 0 {
		return nil
	}
	all := make([]storedReaction, len(rs))
	for i, r := range rs {
		all[i] = storedReaction{r.Emoji, r.By, r.User, r.Contact, r.At.UnixMilli()}
	}
	return kernel.WriteJSON(&all)
}

// scanReactions decodes what writeReactions encoded.
func scanReactions(row db.Row) (rs Reactions) {
	if all := kernel.ReadJSON[[]storedReaction](row, "reactions"); all != nil {
		for _, r := range *all {
			rs = append(rs, Reaction{Emoji: r.Emoji, By: r.By, User: r.User, Contact: r.Contact, At: time.UnixMilli(r.At).UTC()})
		}
	}
	return rs
}
