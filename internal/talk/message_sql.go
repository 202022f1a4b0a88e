package talk

import (
	"time"

	"github.com/go-json-experiment/json"

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
	m.reactions, m.referral, m.product, m.interactive, m.choice, m.voice, m.notice, m.form, m.standby`

const messageFile = `
		LEFT JOIN media d ON d.company = m.company AND d.id = m.media`

func scanMessage(r db.Row) Message {
	m := Message{
		Seq: r.Int("seq"), ID: r.ID("id"), ClientID: r.NullID("client_id"), Conversation: r.ID("conversation"),
		Company: r.ID("company"), Channel: r.ID("channel"), Direction: r.Text("direction"), Origin: r.Text("origin"),
		Type: r.Text("type"), Text: r.NullText("text"), ReplyTo: r.NullText("reply_to"), ExternalID: r.NullText("external_id"),
		Status: r.Text("status"),
	}
	if !r.Null("error_code") {
		m.Error = provider.ReadReason(r.Text("error_code"), r.Text("error_detail"))
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
	if !r.Null("reactions") {
		m.Reactions = readReactions(r.Text("reactions"))
	}
	m.Referral, m.Product = kernel.ReadJSON[provider.Referral](r, "referral"), kernel.ReadJSON[provider.Product](r, "product")
	m.Interactive, m.Choice = kernel.ReadJSON[provider.Interactive](r, "interactive"), kernel.ReadJSON[provider.Choice](r, "choice")
	m.Voice = r.Bool("voice")
	m.Notice, m.Form = kernel.ReadJSON[provider.MessageNotice](r, "notice"), kernel.ReadJSON[provider.Form](r, "form")
	m.Standby = r.Bool("standby")
	return m
}

// visibilityColumns returns the columns of a conversation c that decide who may see it, besides its channel.
func visibilityColumns() string {
	return kernel.ChannelPrivate("c") + ` AS channel_private, c.assignee, c.sector`
}

func scanVisibility(r db.Row) kernel.Visibility {
	return kernel.Visibility{
		Private: r.Bool("channel_private"), Assignee: r.NullID("assignee"), Sector: r.NullID("sector"), Channel: r.ID("channel"),
	}
}

// messagesBefore returns up to limit messages of a conversation with a smaller sequence number, newest first, and the
// visibility of the conversation. If there are none, the company may not have the conversation at all.
func messagesBefore(tx *kernel.Tx, company, conversation kernel.ID, seq int64, limit int) ([]Message, kernel.Visibility, error) {
	page, _, v, err := messagePage(tx, `m.seq < $3 ORDER BY m.seq DESC`, company, conversation, seq, limit)
	return page, v, err
}

// messagesAfter is messagesBefore for greater sequence numbers, oldest first. It also reports whether there are older messages.
func messagesAfter(tx *kernel.Tx, company, conversation kernel.ID, seq int64, limit int) ([]Message, bool, kernel.Visibility, error) {
	return messagePage(tx, `m.seq > $3 ORDER BY m.seq`, company, conversation, seq, limit)
}

func messagePage(
	tx *kernel.Tx, which string, company, conversation kernel.ID, seq int64, limit int,
) (page []Message, older bool, v kernel.Visibility, err error) {
	page = make([]Message, 0, limit)
	err = tx.Query(`
		SELECT`+messageColumns+`, `+visibilityColumns()+`,
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

// visibility returns the visibility of a conversation and reports whether it has a message up to a sequence number.
func visibility(tx *kernel.Tx, company, conversation kernel.ID, seq int64) (v kernel.Visibility, older, found bool, err error) {
	found, err = tx.One(`
		SELECT `+visibilityColumns()+`, c.channel,
			EXISTS (SELECT 1 FROM messages o WHERE o.company = $1 AND o.conversation = $2 AND o.seq <= $3) AS has_older
		FROM conversations c
		WHERE c.company = $1 AND c.id = $2`, []any{company, conversation, seq}, func(r db.Row) {
		v, older = scanVisibility(r), r.Bool("has_older")
	})
	return v, older, found, err
}

func findMessage(tx *kernel.Tx, company, id kernel.ID) (Message, kernel.Visibility, bool, error) {
	return selectMessage(tx, `m.company = $1 AND m.id = $2`, company, id)
}

func messageWithClientID(tx *kernel.Tx, company, client kernel.ID) (Message, bool, error) {
	m, _, found, err := selectMessage(tx, `m.company = $1 AND m.client_id = $2`, company, client)
	return m, found, err
}

func messageWithExternalID(tx *kernel.Tx, company, channel kernel.ID, external string) (Message, bool, error) {
	m, _, found, err := selectMessage(tx, `m.company = $1 AND m.channel = $2 AND m.external_id = $3`, company, channel, external)
	return m, found, err
}

func selectMessage(tx *kernel.Tx, where string, args ...any) (m Message, v kernel.Visibility, found bool, err error) {
	found, err = tx.One(`
		SELECT`+messageColumns+`, `+visibilityColumns()+`
		FROM messages m
		JOIN conversations c ON c.company = m.company AND c.id = m.conversation`+messageFile+`
		WHERE `+where, args, func(r db.Row) {
		m, v = scanMessage(r), scanVisibility(r)
		m.Private = v.Private
	})
	return m, v, found, err
}

func conversationOfExternalID(tx *kernel.Tx, company, channel kernel.ID, external string) (kernel.ID, bool, error) {
	var conversation kernel.ID
	found, err := tx.One(`SELECT conversation FROM messages WHERE company = $1 AND channel = $2 AND external_id = $3`,
		[]any{company, channel, external}, func(r db.Row) { conversation = r.ID("conversation") })
	return conversation, found, err
}

func conversationOfMessage(tx *kernel.Tx, company, channel, id kernel.ID) (conversation kernel.ID, found bool, err error) {
	found, err = tx.One(`SELECT conversation FROM messages WHERE company = $1 AND id = $2 AND channel = $3`,
		[]any{company, id, channel}, func(r db.Row) { conversation = r.ID("conversation") })
	return conversation, found, err
}

// MessageExtras are the parts of a message that are stored and never shown.
type MessageExtras struct {
	Template *string // JSON
	Raw      *string // the provider's JSON
}

// insertMessage adds a message. It adds nothing and reports false if the company already has a message with that client id, or
// the channel one with that external id.
func insertMessage(tx *kernel.Tx, m *Message, extras MessageExtras) (bool, error) {
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
		extras.Template, m.ReplyTo, m.ExternalID, m.Status, code, detail, kernel.RefID(m.SentBy), author, extras.Raw, m.CreatedAt,
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

func hasExternalID(tx *kernel.Tx, company, conversation, channel kernel.ID, external string) (bool, error) {
	return tx.One(`SELECT 1 FROM messages WHERE company = $1 AND channel = $2 AND external_id = $3 AND conversation = $4`,
		[]any{company, channel, external, conversation}, func(db.Row) {})
}

// saveMessageContent stores the content of a message after an edit, a deletion or the arrival of its file.
func saveMessageContent(tx *kernel.Tx, m *Message) {
	tx.Later(`
		UPDATE messages
		SET type = $4, text = $5, media = $6, edited_at = $7, revoked_at = $8, interactive = $9, choice = $10, voice = $11,
			referral = $12, product = $13, notice = $14, form = $15
		WHERE company = $1 AND conversation = $2 AND seq = $3`,
		m.Company, m.Conversation, m.Seq, m.Type, m.Text, m.MediaID, m.EditedAt, m.RevokedAt, kernel.WriteJSON(m.Interactive),
		kernel.WriteJSON(m.Choice), m.Voice, kernel.WriteJSON(m.Referral), kernel.WriteJSON(m.Product), kernel.WriteJSON(m.Notice),
		kernel.WriteJSON(m.Form))
	textChanged(tx, m)
}

// eraseMessageExtras removes what insertMessage stored as extras.
func eraseMessageExtras(tx *kernel.Tx, m *Message) {
	tx.Later(`UPDATE messages SET template = NULL, raw = NULL WHERE company = $1 AND conversation = $2 AND seq = $3`,
		m.Company, m.Conversation, m.Seq)
}

func saveReactions(tx *kernel.Tx, m *Message) {
	tx.Later(`UPDATE messages SET reactions = $4 WHERE company = $1 AND conversation = $2 AND seq = $3`,
		m.Company, m.Conversation, m.Seq, writeReactions(m.Reactions))
}

// historySeq returns a free sequence number for a message of the imported history: before everything that arrived live,
// ordered by the second in which the message was written, then by arrival.
func historySeq(tx *kernel.Tx, company, conversation kernel.ID, written time.Time) (int64, error) {
	first := historyBegin + written.Unix()*historyEach
	seq := first
	_, err := tx.One(`SELECT MAX(seq) AS highest FROM messages WHERE company = $1 AND conversation = $2 AND seq >= $3 AND seq < $4`,
		[]any{company, conversation, first, first + historyEach}, func(r db.Row) {
			if highest := r.NullInt("highest"); highest != nil {
				seq = *highest + 1
			}
		})
	return seq, err
}

// The sequence numbers of imported history. All are negative: the year 5138 is below 1e11 seconds.
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

// readReactions decodes what writeReactions encoded. It returns an empty list for a text that cannot be decoded.
func readReactions(text string) Reactions {
	var all []storedReaction
	_ = json.Unmarshal([]byte(text), &all)
	rs := make(Reactions, len(all))
	for i, r := range all {
		rs[i] = Reaction{Emoji: r.Emoji, By: r.By, User: r.User, Contact: r.Contact, At: time.UnixMilli(r.At).UTC()}
	}
	return rs
}
