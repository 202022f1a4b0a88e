package store

import "recado/internal/model"

// Countable is a statement that counts what a company may have a limited number of.
type Countable string

// What is counted.
const (
	CountKeys        Countable = `SELECT COUNT(*) FROM keys WHERE company = $1 AND revoked_at IS NULL`
	CountMembers     Countable = `SELECT COUNT(*) FROM users WHERE company = $1 AND removed_at IS NULL`
	CountSectors     Countable = `SELECT COUNT(*) FROM sectors WHERE company = $1 AND removed_at IS NULL`
	CountMemberships Countable = `SELECT COUNT(*) FROM sectors s JOIN sector_members m ON m.sector = s.id WHERE s.company = $1 AND s.removed_at IS NULL`
	CountChannels    Countable = `SELECT COUNT(*) FROM channels WHERE company = $1 AND NOT private`
	CountLabels      Countable = `SELECT COUNT(*) FROM labels WHERE company = $1`
	CountBoards      Countable = `SELECT COUNT(*) FROM boards WHERE company = $1`
	CountWebhooks    Countable = `SELECT COUNT(*) FROM webhooks WHERE company = $1`
)

// Count gives how many of something a company has. No other transaction that counts can add one before
// this one ends.
func (tx *Tx) Count(what Countable, company model.ID) (int64, error) {
	tx.LockCompany(company)
	var n int64
	_, err := tx.one(string(what), []any{company}, func(r Row) { n = r.Int(0) })
	return n, err
}

// LockCompany keeps other transactions that count or lock waiting until the end of this one. SQLite has one
// writer and needs no locks.
func (tx *Tx) LockCompany(company model.ID) {
	if tx.dialect().ConcurrentWrites() {
		tx.later(`SELECT id FROM companies WHERE id = $1 FOR NO KEY UPDATE`, company)
	}
}
