package store

import (
	"recado/internal/model"
)

// InsertAssignment adds a line to the history of a conversation's responsible persons. seq is its place
// among all that happened in the conversation.
func (tx *Tx) InsertAssignment(company, conversation model.ID, attendance *model.ID, seq int64, e *model.AssignmentEntry) {
	tx.later(`
		INSERT INTO assignments (conversation, seq, id, company, attendance, action, member, by_member, sector, reason, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
		conversation, seq, e.ID, company, attendance, e.Action, refID(e.User), refID(e.By), e.Sector, e.Reason, e.CreatedAt)
}

// maxAssignments is how much of a conversation's history is shown.
const maxAssignments = 1000

// Assignments gives the newest 1000 lines of the history of a conversation's responsible persons, the
// newest first.
func (tx *Tx) Assignments(company, conversation model.ID) ([]model.AssignmentEntry, error) {
	var out []model.AssignmentEntry
	err := tx.query(`
		SELECT e.id, e.action, e.member, u.name, e.by_member, b.name, e.sector, e.reason, e.created_at
		FROM assignments e
		LEFT JOIN users u ON u.id = e.member
		LEFT JOIN users b ON b.id = e.by_member
		WHERE e.conversation = $1 AND e.company = $2
		ORDER BY e.seq DESC
		LIMIT $3`, []any{conversation, company, maxAssignments}, func(r Row) error {
		out = append(out, model.AssignmentEntry{
			ID: r.ID(0), Action: r.Text(1), User: scanRef(r, 2), By: scanRef(r, 4), Sector: r.NullID(6), Reason: r.NullText(7), CreatedAt: r.Time(8),
		})
		return nil
	})
	return out, err
}
