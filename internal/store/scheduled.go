package store

import (
	"encoding/json"
	"time"

	"recado/internal/model"
)

const scheduledColumns = `
	s.id, s.client_id, s.conversation, s.status, s.send_at, s.text, s.media, s.template, s.cancel_on_reply, s.message, s.error_code,
	s.error_message, u.id, u.name, s.created_at, s.updated_at, s.key_id, s.company`

func scanScheduled(r Row) (model.ScheduledMessage, error) {
	s := model.ScheduledMessage{
		ID: r.ID(0), ClientID: r.ID(1), Conversation: r.ID(2), Status: r.Text(3), SendAt: r.Time(4), Text: r.NullText(5), MediaID: r.NullID(6),
		CancelOnReply: r.Bool(8), Message: r.NullID(9), CreatedBy: model.Ref{ID: r.ID(12), Name: r.Text(13)}, CreatedAt: r.Time(14),
		UpdatedAt: r.Time(15), Key: r.NullID(16), Company: r.ID(17),
	}
	if !r.Null(10) {
		s.Error = &model.MessageError{Code: r.Text(10), Message: r.Text(11)}
	}
	if r.Null(7) {
		return s, nil
	}
	s.Template = &model.ScheduledTemplate{}
	return s, json.Unmarshal([]byte(r.Text(7)), s.Template)
}

// ScheduledPlace is a place in the list of scheduled messages.
type ScheduledPlace struct {
	SendAt time.Time
	ID     model.ID
}

// Scheduled lists up to limit scheduled messages of a conversation after a place, the last to be sent first. status "" means
// all.
func (tx *Tx) Scheduled(company, conversation model.ID, status string, after ScheduledPlace, limit int) ([]model.ScheduledMessage, error) {
	q := tx.statement()
	q.WriteString(`
		SELECT` + scheduledColumns + `
		FROM scheduled_messages s
		JOIN users u ON u.id = s.member
		WHERE s.company = ` + q.Arg(company) + ` AND s.conversation = ` + q.Arg(conversation))
	if status != "" {
		q.And("s.status = " + q.Arg(status))
	}
	if !after.ID.IsZero() {
		q.And("(s.send_at, s.id) < (" + q.Arg(after.SendAt) + ", " + q.Arg(after.ID) + ")")
	}
	q.WriteString("\n\t\tORDER BY s.send_at DESC, s.id DESC\n\t\tLIMIT " + q.Arg(limit))
	out := make([]model.ScheduledMessage, 0, limit)
	err := tx.query(q.String(), q.Args, func(r Row) error {
		s, err := scanScheduled(r)
		out = append(out, s)
		return err
	})
	return out, err
}

// ScheduledMessage finds a scheduled message of the company. Its conversation is locked by those who change it.
func (tx *Tx) ScheduledMessage(company, id model.ID) (model.ScheduledMessage, bool, error) {
	return tx.scheduled(`s.company = $1 AND s.id = $2`, company, id)
}

// ScheduledWithClientID finds the scheduled message that the company made under a client id.
func (tx *Tx) ScheduledWithClientID(company, client model.ID) (model.ScheduledMessage, bool, error) {
	return tx.scheduled(`s.company = $1 AND s.client_id = $2`, company, client)
}

func (tx *Tx) scheduled(where string, args ...any) (s model.ScheduledMessage, found bool, err error) {
	found, one := tx.one(`
		SELECT`+scheduledColumns+`
		FROM scheduled_messages s
		JOIN users u ON u.id = s.member
		WHERE `+where, args, func(r Row) { s, err = scanScheduled(r) })
	if one != nil {
		err = one
	}
	return s, found, err
}

// CountScheduled counts the messages of a conversation that are yet to be sent.
func (tx *Tx) CountScheduled(company, conversation model.ID) (n int64, err error) {
	_, err = tx.one(`SELECT COUNT(*) FROM scheduled_messages WHERE company = $1 AND conversation = $2 AND status = 'scheduled'`,
		[]any{company, conversation}, func(r Row) { n = r.Int(0) })
	return n, err
}

// InsertScheduled adds a scheduled message. It reports false when the company has one with that client id.
func (tx *Tx) InsertScheduled(s *model.ScheduledMessage) (bool, error) {
	template, err := scheduledTemplate(s)
	if err != nil {
		return false, err
	}
	n, err := tx.exec(`
		INSERT INTO scheduled_messages (company, id, conversation, client_id, member, key_id, text, media, template, cancel_on_reply, send_at,
			status, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13)
		ON CONFLICT DO NOTHING`,
		s.Company, s.ID, s.Conversation, s.ClientID, s.CreatedBy.ID, s.Key, s.Text, s.MediaID, template, s.CancelOnReply, s.SendAt, s.Status, s.CreatedAt)
	return n == 1, err
}

// SaveScheduled writes a changed scheduled message.
func (tx *Tx) SaveScheduled(s *model.ScheduledMessage) error {
	template, err := scheduledTemplate(s)
	if err != nil {
		return err
	}
	var code, reason *string
	if s.Error != nil {
		code, reason = &s.Error.Code, &s.Error.Message
	}
	tx.later(`
		UPDATE scheduled_messages
		SET text = $3, media = $4, template = $5, cancel_on_reply = $6, send_at = $7, status = $8, message = $9, error_code = $10,
			error_message = $11, updated_at = $12
		WHERE company = $1 AND id = $2`,
		s.Company, s.ID, s.Text, s.MediaID, template, s.CancelOnReply, s.SendAt, s.Status, s.Message, code, reason, s.UpdatedAt)
	return nil
}

func scheduledTemplate(s *model.ScheduledMessage) (*string, error) {
	if s.Template == nil {
		return nil, nil
	}
	raw, err := json.Marshal(s.Template)
	text := string(raw)
	return &text, err
}

// CancelOnReply cancels the scheduled messages of a conversation that wait for the customer's silence.
func (tx *Tx) CancelOnReply(company, conversation model.ID) {
	tx.later(`
		UPDATE scheduled_messages
		SET status = 'cancelled', updated_at = $3
		WHERE conversation = $2 AND company = $1 AND status = 'scheduled' AND cancel_on_reply`, company, conversation, tx.Now)
}

// Due is a scheduled message whose time has come.
type Due struct {
	Company      model.ID
	ID           model.ID
	Conversation model.ID
	ClientID     model.ID
	Member       model.ID
}

// DueScheduled lists up to limit scheduled messages whose time has come, the earliest first.
func (tx *Tx) DueScheduled(limit int) ([]Due, error) {
	var out []Due
	err := tx.query(`
		SELECT company, id, conversation, client_id, member
		FROM scheduled_messages
		WHERE status = 'scheduled' AND send_at <= $1
		ORDER BY send_at, id
		LIMIT $2`, []any{tx.Now, limit}, func(r Row) error {
		out = append(out, Due{r.ID(0), r.ID(1), r.ID(2), r.ID(3), r.ID(4)})
		return nil
	})
	return out, err
}
