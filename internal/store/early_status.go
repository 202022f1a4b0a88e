package store

import (
	"time"

	"recado/internal/model"
)

// EarlyStatus is a report about a message that is not known by that external id yet.
type EarlyStatus struct {
	Status string
	Error  *model.MessageError
	At     time.Time
}

// ParkStatus keeps a report until its message learns its external id.
func (tx *Tx) ParkStatus(channel model.ID, external string, s EarlyStatus) {
	var code, reason *string
	if s.Error != nil {
		code, reason = &s.Error.Code, &s.Error.Message
	}
	tx.later(`
		INSERT INTO early_statuses (channel, external_id, status, error_code, error_message, at, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT DO NOTHING`, channel, external, s.Status, code, reason, s.At, tx.Now)
}

// TakeEarlyStatuses gives the parked reports about a message, the earliest first, and removes them.
func (tx *Tx) TakeEarlyStatuses(channel model.ID, external string) ([]EarlyStatus, error) {
	var out []EarlyStatus
	err := tx.query(`
		SELECT status, error_code, error_message, at
		FROM early_statuses
		WHERE channel = $1 AND external_id = $2
		ORDER BY at`, []any{channel, external}, func(r Row) error {
		s := EarlyStatus{Status: r.Text(0), At: r.Time(3)}
		if !r.Null(1) {
			s.Error = &model.MessageError{Code: r.Text(1), Message: r.Text(2)}
		}
		out = append(out, s)
		return nil
	})
	if len(out) > 0 {
		tx.later(`DELETE FROM early_statuses WHERE channel = $1 AND external_id = $2`, channel, external)
	}
	return out, err
}

// EarlyMatch is a parked report whose message has learned its external id meanwhile.
type EarlyMatch struct {
	Channel      model.ID
	ExternalID   string
	Conversation model.ID
}

// EarlyMatches finds such reports.
func (tx *Tx) EarlyMatches(limit int) ([]EarlyMatch, error) {
	var out []EarlyMatch
	err := tx.query(`
		SELECT DISTINCT e.channel, e.external_id, m.conversation
		FROM early_statuses e
		JOIN messages m ON m.channel = e.channel AND m.external_id = e.external_id
		LIMIT $1`, []any{limit}, func(r Row) error {
		out = append(out, EarlyMatch{r.ID(0), r.Text(1), r.ID(2)})
		return nil
	})
	return out, err
}

// HasEarlyStatuses reports whether something was parked before a moment.
func (tx *Tx) HasEarlyStatuses(before time.Time) (bool, error) {
	return tx.one(`SELECT 1 FROM early_statuses WHERE created_at < $1 LIMIT 1`, []any{before}, func(Row) {})
}

// DropEarlyStatuses forgets reports about messages that never came: sent by others with the same number.
func (tx *Tx) DropEarlyStatuses(before time.Time) {
	tx.later(`DELETE FROM early_statuses WHERE created_at < $1`, before)
}
