package store

import (
	"time"

	"github.com/go-json-experiment/json"

	"recado/internal/model"
)

// Reception gives what a channel answers by itself; it is false where nothing was ever saved.
func (tx *Tx) Reception(company, channel model.ID) (r model.Reception, found bool, err error) {
	r.Version = 1
	found, failed := tx.one(`SELECT content, version FROM receptions WHERE company = $1 AND channel = $2`, []any{company, channel}, func(row Row) {
		err = json.Unmarshal([]byte(row.Text(0)), &r)
		r.Version = row.Int(1) + 1
	})
	if failed != nil {
		err = failed
	}
	return r, found, err
}

// LockReception is Reception for a change: until the transaction ends no other one changes it.
func (tx *Tx) LockReception(company, channel model.ID) (model.Reception, error) {
	_, err := tx.one(`SELECT 1 FROM channels WHERE id = $1 AND company = $2`+tx.dialect().Lock(` FOR NO KEY UPDATE`), []any{channel, company}, func(Row) {})
	if err != nil {
		return model.Reception{}, err
	}
	r, _, err := tx.Reception(company, channel)
	return r, err
}

// SaveReception writes what a channel answers by itself, under a new version.
func (tx *Tx) SaveReception(company, channel model.ID, r *model.Reception) error {
	content, err := json.Marshal(r)
	if err != nil {
		return err
	}
	tx.later(`
		INSERT INTO receptions (company, channel, version, content, updated_at)
		VALUES ($1, $2, 1, $3, $4)
		ON CONFLICT (company, channel) DO UPDATE
		SET version = receptions.version + 1, content = excluded.content, updated_at = excluded.updated_at`,
		company, channel, string(content), tx.Now)
	tx.later(`
		UPDATE channels
		SET reception = CASE WHEN $3 THEN (SELECT version FROM receptions WHERE company = $1 AND channel = $2) END
		WHERE id = $2 AND company = $1`, company, channel, r.Enabled)
	return nil
}

// DueMenus gives up to limit conversations whose menu has got no answer in time, the longest due first.
func (tx *Tx) DueMenus(now time.Time, limit int) ([]ConversationAt, error) {
	var due []ConversationAt
	err := tx.query(`
		SELECT company, id
		FROM conversations
		WHERE reception_due <= $1
		ORDER BY reception_due
		LIMIT $2`, []any{now, limit}, func(r Row) error {
		due = append(due, ConversationAt{r.ID(0), r.ID(1)})
		return nil
	})
	return due, err
}
