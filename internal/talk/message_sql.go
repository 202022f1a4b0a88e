package talk

import (
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// A message is read together with its file, its sender and its author. Every column of a page costs PostgreSQL and the
// server time for each of its messages, so a page leaves out what all messages of a conversation share, and what few messages
// have is one column. Names and files are read in subqueries, for the messages that have them: PostgreSQL joins small tables by
// comparing each of their rows with each message.
const (
	pageColumns = `
	m.seq, m.id, m.client_id, m.direction, m.origin, m.type, m.text, m.reply_to, m.external_id, m.status, m.error_code,
	m.error_detail, m.sent_by, CASE WHEN m.sent_by IS NOT NULL THEN (SELECT u.name FROM users u WHERE u.company = m.company AND u.id = m.sent_by) END,
	m.author, CASE WHEN m.author IS NOT NULL THEN (SELECT w.name FROM contacts w WHERE w.company = m.company AND w.id = m.author) END,
	m.created_at, m.sent_at, m.delivered_at, m.read_at, m.edited_at, m.revoked_at,
	m.media, CASE WHEN m.media IS NOT NULL THEN (
		SELECT d.size` + newLine + `COALESCE(CAST(d.width AS TEXT), '')` + newLine + `COALESCE(CAST(d.height AS TEXT), '')` + newLine +
		`COALESCE(CAST(d.duration_ms AS TEXT), '')` + newLine + `d.mime_type` + newLine + `d.file_name
		FROM media d WHERE d.company = m.company AND d.id = m.media) END,
	CASE WHEN m.voice OR m.standby OR COALESCE(m.reactions, m.referral, m.product, m.interactive, m.choice, m.notice, m.form) IS NOT NULL THEN
		COALESCE(m.reactions, '')` + newLine + `COALESCE(m.referral, '')` + newLine + `COALESCE(m.product, '')` + newLine +
		`COALESCE(m.interactive, '')` + newLine + `COALESCE(m.choice, '')` + newLine + `CASE WHEN m.voice THEN 'voice' ELSE '' END` + newLine +
		`COALESCE(m.notice, '')` + newLine + `COALESCE(m.form, '')` + newLine + `CASE WHEN m.standby THEN 'standby' ELSE '' END END,
	m.integration, CASE WHEN m.integration IS NOT NULL THEN (SELECT k.name FROM keys k WHERE k.company = m.company AND k.id = m.integration) END`
	newLine        = " || '\n' || " // JSON has none
	pageWidth      = 27
	messageColumns = pageColumns + `, m.conversation, m.company, m.channel`
	messageWidth   = pageWidth + 3
)

// scanMessage reads messageColumns, the first ones of r.
func scanMessage(r db.Row, m *Message) {
	m.Conversation, m.Company, m.Channel = r.ID(pageWidth), r.ID(pageWidth+1), r.ID(pageWidth+2)
	scanPaged(r, m)
}

// scanPaged reads pageColumns, the first ones of r.
func scanPaged(r db.Row, m *Message) {
	m.Seq, m.ID, m.ClientID, m.Direction, m.Origin, m.Type = r.Int(0), r.ID(1), r.NullID(2), r.Text(3), r.Text(4), r.Text(5)
	m.Text, m.ReplyTo, m.ExternalID, m.Status = r.NullText(6), r.NullText(7), r.NullText(8), r.Text(9)
	if !r.Null(10) {
		m.Error = provider.ReadReason(r.Text(10), r.Text(11))
	}
	if !r.Null(12) {
		m.SentBy = &kernel.Ref{ID: r.ID(12), Name: r.Text(13)}
	}
	if !r.Null(14) {
		m.Author = scanAuthor(r, 14, 15)
	}
	m.CreatedAt, m.SentAt, m.DeliveredAt = r.Time(16), r.NullTime(17), r.NullTime(18)
	m.ReadAt, m.EditedAt, m.RevokedAt = r.NullTime(19), r.NullTime(20), r.NullTime(21)
	m.MediaID = r.NullID(22)
	if !r.Null(23) {
		m.Media = scanFile(*m.MediaID, r.Text(23))
	}
	if !r.Null(24) {
		scanDetails(r.Text(24), m)
	}
	if !r.Null(25) {
		m.Integration = &kernel.Ref{ID: r.ID(25), Name: r.Text(26)}
	}
}

// scanFile reads a file of a message: a line for its size, width, height, duration, type and name. The name may have several.
func scanFile(id kernel.ID, text string) *MessageMedia {
	var line [6]string
	copy(line[:], strings.SplitN(text, "\n", len(line)))
	size, _ := strconv.ParseInt(line[0], 10, 64)
	return &MessageMedia{
		ID: id, Size: size, Width: lineInt(line[1]), Height: lineInt(line[2]), DurationSeconds: durationSeconds(lineInt(line[3])),
		MimeType: line[4], FileName: line[5],
	}
}

// lineInt reads a line that is empty or a number of the database.
func lineInt(line string) *int64 {
	if n, err := strconv.ParseInt(line, 10, 64); err == nil {
		return &n
	}
	return nil
}

// scanDetails reads what few messages have, each on a line: JSON, or a word for what is true.
func scanDetails(text string, m *Message) {
	var line [9]string
	copy(line[:], strings.Split(text, "\n"))
	if line[0] != "" {
		m.Reactions = readReactions(line[0])
	}
	m.Referral, m.Product = kernel.FromJSON[provider.Referral](line[1]), kernel.FromJSON[provider.Product](line[2])
	m.Interactive, m.Choice, m.Voice = kernel.FromJSON[provider.Interactive](line[3]), kernel.FromJSON[provider.Choice](line[4]), line[5] != ""
	m.Notice, m.Form, m.Standby = kernel.FromJSON[provider.MessageNotice](line[6]), kernel.FromJSON[provider.Form](line[7]), line[8] != ""
}

// scanVisibility reads the four columns from at on: private, assignee, sector, channel.
func scanVisibility(r db.Row, at int) kernel.Visibility {
	return kernel.Visibility{Private: r.Bool(at), Assignee: r.NullID(at + 1), Sector: r.NullID(at + 2), Channel: r.ID(at + 3)}
}

// messagesBefore reads up to limit messages of a conversation with a smaller sequence number, newest
// first, and what decides who may see them. Where there are none it does not say whether the company
// has the conversation.
func messagesBefore(tx *kernel.Tx, company, conversation kernel.ID, seq int64, limit int) ([]Message, kernel.Visibility, error) {
	page := make([]Message, 0, limit)
	var v kernel.Visibility
	err := tx.Query(`
		SELECT`+pageColumns+`, `+kernel.ChannelPrivate("c")+`, c.assignee, c.sector, c.channel
		FROM conversations c
		JOIN messages m ON m.company = c.company AND m.conversation = c.id
		WHERE c.company = $1 AND c.id = $2 AND m.company = $1 AND m.conversation = $2 AND m.seq < $3
		ORDER BY m.seq DESC
		LIMIT $4`,
		[]any{company, conversation, seq, limit}, func(r db.Row) error {
			if len(page) == 0 {
				v = scanVisibility(r, pageWidth)
			}
			page = append(page, Message{Conversation: conversation, Company: company, Channel: v.Channel, Private: v.Private})
			scanPaged(r, &page[len(page)-1])
			return nil
		})
	return page, v, err
}

// messagesAfter is MessagesBefore for greater sequence numbers, oldest first. It also reports whether
// the conversation has a message that is not greater.
func messagesAfter(tx *kernel.Tx, company, conversation kernel.ID, seq int64, limit int) (page []Message, older bool, v kernel.Visibility, err error) {
	page = make([]Message, 0, limit)
	err = tx.Query(`
		SELECT`+pageColumns+`, `+kernel.ChannelPrivate("c")+`, c.assignee, c.sector, c.channel,
			EXISTS (SELECT 1 FROM messages o WHERE o.company = $1 AND o.conversation = $2 AND o.seq <= $3)
		FROM conversations c
		JOIN messages m ON m.company = c.company AND m.conversation = c.id
		WHERE c.company = $1 AND c.id = $2 AND m.company = $1 AND m.conversation = $2 AND m.seq > $3
		ORDER BY m.seq
		LIMIT $4`,
		[]any{company, conversation, seq, limit}, func(r db.Row) error {
			if len(page) == 0 {
				v, older = scanVisibility(r, pageWidth), r.Bool(pageWidth+4)
			}
			page = append(page, Message{Conversation: conversation, Company: company, Channel: v.Channel, Private: v.Private})
			scanPaged(r, &page[len(page)-1])
			return nil
		})
	return page, older, v, err
}

// visibility gives what decides who may see a conversation of the company, and whether it holds a message
// up to a sequence number.
func visibility(tx *kernel.Tx, company, conversation kernel.ID, seq int64) (v kernel.Visibility, older, found bool, err error) {
	found, err = tx.One(`
		SELECT `+kernel.ChannelPrivate("c")+`, c.assignee, c.sector, c.channel,
			EXISTS (SELECT 1 FROM messages o WHERE o.company = $1 AND o.conversation = $2 AND o.seq <= $3)
		FROM conversations c
		WHERE c.company = $1 AND c.id = $2`, []any{company, conversation, seq}, func(r db.Row) {
		v, older = scanVisibility(r, 0), r.Bool(4)
	})
	return v, older, found, err
}

// findMessage gives one message of the company and what decides who may see it.
func findMessage(tx *kernel.Tx, company, id kernel.ID) (Message, kernel.Visibility, bool, error) {
	return selectMessage(tx, `WHERE m.company = $1 AND m.id = $2`, company, id)
}

// messageWithClientID finds the message that the company sent under a client id.
func messageWithClientID(tx *kernel.Tx, company, client kernel.ID) (Message, kernel.Visibility, bool, error) {
	return selectMessage(tx, `WHERE m.company = $1 AND m.client_id = $2`, company, client)
}

// messageWithExternalID finds a channel's message by the provider's id.
func messageWithExternalID(tx *kernel.Tx, company, channel kernel.ID, external string) (Message, bool, error) {
	m, _, found, err := selectMessage(tx, `WHERE m.company = $1 AND m.channel = $2 AND m.external_id = $3`, company, channel, external)
	return m, found, err
}

func selectMessage(tx *kernel.Tx, where string, args ...any) (m Message, v kernel.Visibility, found bool, err error) {
	found, err = tx.One(`
		SELECT`+messageColumns+`, `+kernel.ChannelPrivate("c")+`, c.assignee, c.sector, c.channel
		FROM messages m
		JOIN conversations c ON c.company = m.company AND c.id = m.conversation
		`+where, args, func(r db.Row) {
		scanMessage(r, &m)
		v = scanVisibility(r, messageWidth)
		m.Private = v.Private
	})
	return m, v, found, err
}

// conversationOfExternalID tells which conversation holds a channel's message with that external id.
func conversationOfExternalID(tx *kernel.Tx, company, channel kernel.ID, external string) (conversation kernel.ID, found bool, err error) {
	found, err = tx.One(`SELECT conversation FROM messages WHERE company = $1 AND channel = $2 AND external_id = $3`, []any{company, channel, external},
		func(r db.Row) { conversation = r.ID(0) })
	return conversation, found, err
}

// conversationOfMessage tells which conversation of a channel holds a message.
func conversationOfMessage(tx *kernel.Tx, company, channel, id kernel.ID) (conversation kernel.ID, found bool, err error) {
	found, err = tx.One(`SELECT conversation FROM messages WHERE company = $1 AND id = $2 AND channel = $3`, []any{company, id, channel},
		func(r db.Row) { conversation = r.ID(0) })
	return conversation, found, err
}

// MessageExtras are the parts of a message that are stored and never shown.
type MessageExtras struct {
	Template *string // JSON
	Raw      *string // the provider's JSON
}

// insertMessage adds a message. It reports false, and adds nothing, when the company has one with that
// client id or the channel one with that external id.
func insertMessage(tx *kernel.Tx, m *Message, extras MessageExtras) (bool, error) {
	code, detail := m.Error.Columns()
	var sentBy *kernel.ID
	if m.SentBy != nil {
		sentBy = &m.SentBy.ID
	}
	var author *kernel.ID
	if m.Author != nil {
		author = m.Author.ID
	}
	var integration *kernel.ID
	if m.Integration != nil {
		integration = &m.Integration.ID
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
		extras.Template, m.ReplyTo, m.ExternalID, m.Status, code, detail, sentBy, author, extras.Raw, m.CreatedAt, m.SentAt,
		m.DeliveredAt, m.ReadAt, m.EditedAt, m.RevokedAt, writeReactions(m.Reactions), kernel.WriteJSON(m.Referral), kernel.WriteJSON(m.Product),
		kernel.WriteJSON(m.Interactive), kernel.WriteJSON(m.Choice), m.Voice, kernel.WriteJSON(m.Notice), kernel.WriteJSON(m.Form), m.Standby, integration)
	if n == 1 && m.Text != nil {
		tx.Later(`INSERT INTO messages_unindexed (company, id) VALUES ($1, $2)`, m.Company, m.ID)
	}
	return n == 1, err
}

// saveMessageStatus writes down how far a message got and what the provider calls it.
func saveMessageStatus(tx *kernel.Tx, m *Message) {
	code, detail := m.Error.Columns()
	tx.Later(`
		UPDATE messages
		SET status = $4, error_code = $5, error_detail = $6, external_id = $7, sent_at = $8, delivered_at = $9, read_at = $10
		WHERE company = $1 AND conversation = $2 AND seq = $3`,
		m.Company, m.Conversation, m.Seq, m.Status, code, detail, m.ExternalID, m.SentAt, m.DeliveredAt, m.ReadAt)
}

// hasExternalID reports whether a conversation holds a message with that external id.
func hasExternalID(tx *kernel.Tx, company, conversation, channel kernel.ID, external string) (bool, error) {
	return tx.One(`SELECT 1 FROM messages WHERE company = $1 AND channel = $2 AND external_id = $3 AND conversation = $4`,
		[]any{company, channel, external, conversation}, func(db.Row) {})
}

// saveMessageContent writes down what an edit, a deletion or a file that followed made of a message.
func saveMessageContent(tx *kernel.Tx, m *Message) {
	tx.Later(`
		UPDATE messages
		SET type = $4, text = $5, media = $6, edited_at = $7, revoked_at = $8, interactive = $9, choice = $10, voice = $11,
			referral = $12, product = $13, notice = $14, form = $15
		WHERE company = $1 AND conversation = $2 AND seq = $3`,
		m.Company, m.Conversation, m.Seq, m.Type, m.Text, m.MediaID, m.EditedAt, m.RevokedAt, kernel.WriteJSON(m.Interactive), kernel.WriteJSON(m.Choice), m.Voice,
		kernel.WriteJSON(m.Referral), kernel.WriteJSON(m.Product), kernel.WriteJSON(m.Notice), kernel.WriteJSON(m.Form))
	textChanged(tx, m)
}

// eraseMessageSource removes what is stored of a message and never shown: its template and the provider's JSON.
func eraseMessageSource(tx *kernel.Tx, m *Message) {
	tx.Later(`UPDATE messages SET template = NULL, raw = NULL WHERE company = $1 AND conversation = $2 AND seq = $3`, m.Company, m.Conversation, m.Seq)
}

// saveReactions writes down the reactions to a message.
func saveReactions(tx *kernel.Tx, m *Message) {
	tx.Later(`UPDATE messages SET reactions = $4 WHERE company = $1 AND conversation = $2 AND seq = $3`, m.Company, m.Conversation, m.Seq, writeReactions(m.Reactions))
}

// historySeq gives a free place in a conversation for a message of the imported history: before everything
// that arrived live, ordered by the time at which it was written, then by arrival.
func historySeq(tx *kernel.Tx, company, conversation kernel.ID, written time.Time) (int64, error) {
	first := historyBegin + written.Unix()*historyEach
	seq := first
	_, err := tx.One(`SELECT MAX(seq) FROM messages WHERE company = $1 AND conversation = $2 AND seq >= $3 AND seq < $4`,
		[]any{company, conversation, first, first + historyEach}, func(r db.Row) {
			if last := r.NullInt(0); last != nil {
				seq = *last + 1
			}
		})
	return seq, err
}

// The places of imported history. All are negative: the year 5138 is below 1e11 seconds.
const (
	historyBegin = -(int64(1) << 60)
	historyEach  = int64(1) << 20 // messages of one second
)

// scanAuthor reads who wrote a message of a group.
func scanAuthor(r db.Row, id, name int) *MessageAuthor {
	a := &MessageAuthor{}
	if !r.Null(name) {
		a.ID, a.Name = r.NullID(id), r.Text(name)
	}
	return a
}

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

// readReactions is for what writeReactions wrote; it gives nothing where that cannot be read.
func readReactions(written string) Reactions {
	var all []storedReaction
	_ = json.Unmarshal([]byte(written), &all)
	rs := make(Reactions, len(all))
	for i, r := range all {
		rs[i] = Reaction{Emoji: r.Emoji, By: r.By, User: r.User, Contact: r.Contact, At: time.UnixMilli(r.At).UTC()}
	}
	return rs
}
