package talk

import (
	"encoding/json"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

const scheduledColumns = `
	s.id, s.client_id, s.conversation, s.status, s.send_at, s.text, s.media, s.template, s.cancel_on_reply, s.message, s.error_code,
	s.error_detail, u.id, u.name, s.created_at, s.updated_at, s.key_id, s.company`

func scanScheduled(r db.Row) (ScheduledMessage, error) {
	s := ScheduledMessage{
		ID: r.ID(0), ClientID: r.ID(1), Conversation: r.ID(2), Status: r.Text(3), SendAt: r.Time(4), Text: r.NullText(5), MediaID: r.NullID(6),
		CancelOnReply: r.Bool(8), Message: r.NullID(9), CreatedBy: kernel.Ref{ID: r.ID(12), Name: r.Text(13)}, CreatedAt: r.Time(14),
		UpdatedAt: r.Time(15), Key: r.NullID(16), Company: r.ID(17),
	}
	if !r.Null(10) {
		s.Error = provider.ReadReason(r.Text(10), r.Text(11))
	}
	if r.Null(7) {
		return s, nil
	}
	s.Template = &ScheduledTemplate{}
	return s, json.Unmarshal([]byte(r.Text(7)), s.Template)
}

// ScheduledPlace is a place in the list of scheduled messages.
type ScheduledPlace struct {
	SendAt time.Time
	ID     kernel.ID
}

// findScheduled lists up to limit scheduled messages of a conversation after a place, the last to be sent first. status "" means
// all.
func findScheduled(tx *kernel.Tx, company, conversation kernel.ID, status string, after ScheduledPlace, limit int) ([]ScheduledMessage, error) {
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
	out := make([]ScheduledMessage, 0, limit)
	err := tx.Query(q.String(), q.Args, func(r db.Row) error {
		s, err := scanScheduled(r)
		out = append(out, s)
		return err
	})
	return out, err
}

// scheduledMessage finds a scheduled message of the company. Its conversation is locked by those who change it.
func scheduledMessage(tx *kernel.Tx, company, id kernel.ID) (ScheduledMessage, bool, error) {
	return selectScheduled(tx, `s.company = $1 AND s.id = $2`, company, id)
}

// scheduledWithClientID finds the scheduled message that the company made under a client id.
func scheduledWithClientID(tx *kernel.Tx, company, client kernel.ID) (ScheduledMessage, bool, error) {
	return selectScheduled(tx, `s.company = $1 AND s.client_id = $2`, company, client)
}

func selectScheduled(tx *kernel.Tx, where string, args ...any) (s ScheduledMessage, found bool, err error) {
	found, one := tx.One(`
		SELECT`+scheduledColumns+`
		FROM scheduled_messages s
		JOIN users u ON u.company = s.company AND u.id = s.member
		WHERE `+where, args, func(r db.Row) { s, err = scanScheduled(r) })
	if one != nil {
		err = one
	}
	return s, found, err
}

// countScheduled counts the messages of a conversation that are yet to be sent.
func countScheduled(tx *kernel.Tx, company, conversation kernel.ID) (n int64, err error) {
	_, err = tx.One(`SELECT COUNT(*) FROM scheduled_messages WHERE company = $1 AND conversation = $2 AND status = 'scheduled'`,
		[]any{company, conversation}, func(r db.Row) { n = r.Int(0) })
	return n, err
}

// insertScheduled adds a scheduled message. It reports false when the company has one with that client id.
func insertScheduled(tx *kernel.Tx, s *ScheduledMessage) (bool, error) {
	template, err := scheduledTemplate(s)
	if err != nil {
		return false, err
	}
	n, err := tx.Exec(`
		INSERT INTO scheduled_messages (company, id, conversation, client_id, member, key_id, text, media, template, cancel_on_reply, send_at,
			status, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13)
		ON CONFLICT DO NOTHING`,
		s.Company, s.ID, s.Conversation, s.ClientID, s.CreatedBy.ID, s.Key, s.Text, s.MediaID, template, s.CancelOnReply, s.SendAt, s.Status, s.CreatedAt)
	return n == 1, err
}

// saveScheduled writes a changed scheduled message.
func saveScheduled(tx *kernel.Tx, s *ScheduledMessage) error {
	template, err := scheduledTemplate(s)
	if err != nil {
		return err
	}
	code, detail := s.Error.Columns()
	tx.Later(`
		UPDATE scheduled_messages
		SET text = $3, media = $4, template = $5, cancel_on_reply = $6, send_at = $7, status = $8, message = $9, error_code = $10,
			error_detail = $11, updated_at = $12
		WHERE company = $1 AND id = $2`,
		s.Company, s.ID, s.Text, s.MediaID, template, s.CancelOnReply, s.SendAt, s.Status, s.Message, code, detail, s.UpdatedAt)
	return nil
}

func scheduledTemplate(s *ScheduledMessage) (*string, error) {
	if s.Template == nil {
		return nil, nil
	}
	raw, err := json.Marshal(s.Template)
	text := string(raw)
	return &text, err
}

// cancelOnReply cancels the scheduled messages of a conversation that wait for the customer's silence.
func cancelOnReply(tx *kernel.Tx, company, conversation kernel.ID) {
	tx.Later(`
		UPDATE scheduled_messages
		SET status = 'cancelled', updated_at = $3
		WHERE company = $1 AND conversation = $2 AND status = 'scheduled' AND cancel_on_reply`, company, conversation, tx.Now)
}

// Due is a scheduled message whose time has come.
type Due struct {
	Company      kernel.ID
	ID           kernel.ID
	Conversation kernel.ID
	ClientID     kernel.ID
	Member       kernel.ID
}

// dueScheduled lists up to limit scheduled messages whose time has come, the earliest first.
func dueScheduled(tx *kernel.Tx, limit int) ([]Due, error) {
	var out []Due
	err := tx.Query(`
		SELECT /* all companies: due work */ company, id, conversation, client_id, member
		FROM scheduled_messages
		WHERE status = 'scheduled' AND send_at <= $1
		ORDER BY send_at, id
		LIMIT $2`, []any{tx.Now, limit}, func(r db.Row) error {
		out = append(out, Due{r.ID(0), r.ID(1), r.ID(2), r.ID(3), r.ID(4)})
		return nil
	})
	return out, err
}
