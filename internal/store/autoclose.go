package store

import (
	"bytes"
	"time"

	"recado/internal/model"
)

// StaleSchedules gives the companies whose open attendances are to be scheduled again, because their
// rule of automatic closing has changed.
func (tx *Tx) StaleSchedules() ([]model.ID, error) {
	return tx.ids(`SELECT id FROM companies WHERE checks_stale`)
}

// ScheduleFresh says that the company's open attendances are scheduled by the rule as it is.
func (tx *Tx) ScheduleFresh(company model.ID) {
	tx.later(`UPDATE companies SET checks_stale = FALSE WHERE id = $1`, company)
}

// ScheduleChecks says of up to limit open attendances of the company when each is next looked at for
// automatic closing: the minutes of the rule after its conversation's last message, or never when there is no
// automatic closing. It goes from the newest to the oldest and starts behind the one that was opened at
// openedAt and has the id after; it gives the last one it came to, or zero when there are no more.
func (tx *Tx) ScheduleChecks(company model.ID, rule model.AutoClose, openedAt time.Time, after model.ID, limit int) (time.Time, model.ID, error) {
	n := 0
	err := tx.query(`
		UPDATE attendances
		SET check_at = CASE WHEN $5 THEN $6 + (
			SELECT CASE WHEN c.last_at > attendances.opened_at THEN c.last_at ELSE attendances.opened_at END
			FROM conversations c
			WHERE c.id = attendances.conversation) END
		WHERE id IN (
			SELECT id
			FROM attendances
			WHERE company = $1 AND closed_at IS NULL AND (opened_at, id) < ($2, $3)
			ORDER BY opened_at DESC, id DESC
			LIMIT $4)
		RETURNING opened_at, id`,
		[]any{company, openedAt, after, limit, rule.Enabled, rule.AfterMinutes * 60_000}, func(r Row) error {
			at, id := r.Time(0), r.ID(1)
			if n++; at.Before(openedAt) || at.Equal(openedAt) && bytes.Compare(id[:], after[:]) < 0 {
				openedAt, after = at, id
			}
			return nil
		})
	if err != nil || n < limit {
		return time.Time{}, model.ID{}, err
	}
	return openedAt, after, nil
}

// ScheduleCheck says when one attendance is next looked at; nil means never.
func (tx *Tx) ScheduleCheck(id model.ID, at *time.Time) {
	tx.later(`UPDATE attendances SET check_at = $2 WHERE id = $1`, id, at)
}

// DueChecks gives up to limit conversations whose open attendance is to be looked at by now, the longest
// due first.
func (tx *Tx) DueChecks(now time.Time, limit int) ([]ConversationAt, error) {
	var due []ConversationAt
	err := tx.query(`
		SELECT company, conversation
		FROM attendances
		WHERE check_at <= $1
		ORDER BY check_at
		LIMIT $2`, []any{now, limit}, func(r Row) error {
		due = append(due, ConversationAt{r.ID(0), r.ID(1)})
		return nil
	})
	return due, err
}
