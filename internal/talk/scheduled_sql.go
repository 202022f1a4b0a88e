package talk

import (
	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

const scheduledColumns = `
	s.id, s.client_id, s.company, s.conversation, s.status, s.send_at, s.text, s.media, s.cancel_on_reply, s.message, s.member,
	u.name AS member_name, s.key_id, s.created_at, s.updated_at, s.template, s.error_code, s.error_detail`

func scanScheduled(r db.Row) ScheduledMessage {
	s := ScheduledMessage{
		ID: r.ID("id"), ClientID: r.ID("client_id"), Company: r.ID("company"), Conversation: r.ID("conversation"), Status: r.Text("status"),
		SendAt: r.Time("send_at"), Text: r.NullText("text"), MediaID: r.NullID("media"), CancelOnReply: r.Bool("cancel_on_reply"),
		Message: r.NullID("message"), CreatedBy: kernel.Ref{ID: r.ID("member"), Name: r.Text("member_name")}, Key: r.NullID("key_id"),
		CreatedAt: r.Time("created_at"), UpdatedAt: r.Time("updated_at"), Template: kernel.ReadJSON[ScheduledTemplate](r, "template"),
	}
	if !r.Null("error_code") {
		s.Error = provider.ReadReason(r.Text("error_code"), r.Text("error_detail"))
	}
	return s
}

// ScheduledPosition is a position in the list of scheduled messages.
type ScheduledPosition struct {
	SendAt int64 // Unix milliseconds
	ID     kernel.ID
}

// listScheduled returns up to limit scheduled messages of a conversation after a position, by descending time. status "" means
// all.
func listScheduled(
	tx *kernel.Tx, company, conversation kernel.ID, status string, after ScheduledPosition, limit int,
) ([]ScheduledMessage, error) {
	q := tx.Statement()
	q.WriteString(`
		SELECT` + scheduledColumns + `
		FROM scheduled_messages s
		JOIN users u ON u.company = s.company AND u.id = s.member
		WHERE s.company = ` + q.Arg(company) + ` AND s.conversation = ` + q.Arg(conversation))
	if status != "" {
		q.And("s.status = " + q.Arg(status))
	}
	if !after.ID.IsZero() {
		q.And("(s.send_at, s.id) < (" + q.Arg(after.SendAt) + ", " + q.Arg(after.ID) + ")")
	}
	q.WriteString("\n\t\tORDER BY s.send_at DESC, s.id DESC\n\t\tLIMIT " + q.Arg(limit))
	return readRows(tx, q.String(), q.Args, scanScheduled)
}

func scheduledMessage(tx *kernel.Tx, company, id kernel.ID) (ScheduledMessage, bool, error) {
	return selectScheduled(tx, `s.company = $1 AND s.id = $2`, company, id)
}

func scheduledWithClientID(tx *kernel.Tx, company, client kernel.ID) (ScheduledMessage, bool, error) {
	return selectScheduled(tx, `s.company = $1 AND s.client_id = $2`, company, client)
}

func selectScheduled(tx *kernel.Tx, where string, args ...any) (s ScheduledMessage, found bool, err error) {
	found, err = tx.One(`
		SELECT`+scheduledColumns+`
		FROM scheduled_messages s
		JOIN users u ON u.company = s.company AND u.id = s.member
		WHERE `+where, args, func(r db.Row) { s = scanScheduled(r) })
	return s, found, err
}

func countScheduled(tx *kernel.Tx, company, conversation kernel.ID) (n int64, err error) {
	_, err = tx.One(`SELECT COUNT(*) AS total FROM scheduled_messages WHERE company = $1 AND conversation = $2 AND status = 'scheduled'`,
		[]any{company, conversation}, func(r db.Row) { n = r.Int("total") })
	return n, err
}

// insertScheduled stores a scheduled message. It returns false if the company already has one with this client id.
func insertScheduled(tx *kernel.Tx, s *ScheduledMessage) (bool, error) {
	n, err := tx.Exec(`
		INSERT INTO scheduled_messages (company, id, conversation, client_id, member, key_id, text, media, template, cancel_on_reply, send_at,
			status, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13)
		ON CONFLICT DO NOTHING`,
		s.Company, s.ID, s.Conversation, s.ClientID, s.CreatedBy.ID, s.Key, s.Text, s.MediaID, kernel.WriteJSON(s.Template),
		s.CancelOnReply, s.SendAt, s.Status, s.CreatedAt)
	return n == 1, err
}

func saveScheduled(tx *kernel.Tx, s *ScheduledMessage) {
	code, detail := s.Error.Columns()
	tx.Later(`
		UPDATE scheduled_messages
		SET text = $3, media = $4, template = $5, cancel_on_reply = $6, send_at = $7, status = $8, message = $9, error_code = $10,
			error_detail = $11, updated_at = $12
		WHERE company = $1 AND id = $2`,
		s.Company, s.ID, s.Text, s.MediaID, kernel.WriteJSON(s.Template), s.CancelOnReply, s.SendAt, s.Status, s.Message, code, detail, s.UpdatedAt)
}

// cancelOnReply cancels the scheduled messages of a conversation that are cancelled when the customer writes.
func cancelOnReply(tx *kernel.Tx, company, conversation kernel.ID) {
	tx.Later(`
		UPDATE scheduled_messages
		SET status = 'cancelled', updated_at = $3
		WHERE company = $1 AND conversation = $2 AND status = 'scheduled' AND cancel_on_reply`, company, conversation, tx.Now)
}

// Due identifies a scheduled message that is due.
type Due struct {
	Company      kernel.ID
	ID           kernel.ID
	Conversation kernel.ID
	ClientID     kernel.ID
	Member       kernel.ID
}

func dueScheduled(tx *kernel.Tx, limit int) ([]Due, error) {
	return readRows(tx, `
		SELECT /* all companies: due work */ company, id, conversation, client_id, member
		FROM scheduled_messages
		WHERE status = 'scheduled' AND send_at <= $1
		ORDER BY send_at, id
		LIMIT $2`, []any{tx.Now, limit}, func(r db.Row) Due {
		return Due{r.ID("company"), r.ID("id"), r.ID("conversation"), r.ID("client_id"), r.ID("member")}
	})
}
