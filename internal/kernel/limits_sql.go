package kernel

import "recado/internal/kernel/db"

// Countable is a statement that counts what a company may have a limited number of.
type Countable string

// What is counted.
const (
	CountKeys        Countable = `SELECT COUNT(*) FROM keys WHERE company = $1 AND revoked_at IS NULL`
	CountMembers     Countable = `SELECT COUNT(*) FROM users WHERE company = $1 AND removed_at IS NULL`
	CountInvitations Countable = `SELECT COUNT(*) FROM invitations WHERE company = $1`
	CountSectors     Countable = `SELECT COUNT(*) FROM sectors WHERE company = $1 AND removed_at IS NULL`
	CountMemberships Countable = `SELECT COUNT(*) FROM sectors s JOIN sector_members m ON m.company = s.company AND m.sector = s.id WHERE s.company = $1 AND s.removed_at IS NULL`
	CountChannels    Countable = `SELECT COUNT(*) FROM channels WHERE company = $1 AND NOT private AND archived_at IS NULL`
	CountPrivate     Countable = `SELECT COUNT(*) FROM channels WHERE company = $1 AND private AND archived_at IS NULL`
	CountViewers     Countable = `SELECT COUNT(*) FROM channel_viewers WHERE company = $1`
	CountLabels      Countable = `SELECT COUNT(*) FROM labels WHERE company = $1 AND name <> ''`
	CountBoards      Countable = `SELECT COUNT(*) FROM boards WHERE company = $1`
	CountSharedViews Countable = `SELECT COUNT(*) FROM views WHERE company = $1 AND shared`
	CountHours       Countable = `SELECT COUNT(*) FROM hours WHERE company = $1`
	CountWebhooks    Countable = `SELECT COUNT(*) FROM webhooks WHERE company = $1`
)

// Count gives how many of something a company has. No other transaction that counts can add one before
// this one ends.
func (tx *Tx) Count(what Countable, company ID) (int64, error) {
	tx.LockCompany(company)
	var n int64
	_, err := tx.One(string(what), []any{company}, func(r db.Row) { n = r.Int(0) })
	return n, err
}

// LockCompany keeps other transactions that count or lock waiting until the end of this one. SQLite has one
// writer and needs no locks.
func (tx *Tx) LockCompany(company ID) {
	tx.ShareVisibility(company)
	if tx.Dialect().ConcurrentWrites() {
		tx.Later(`SELECT id FROM companies WHERE id = $1 FOR NO KEY UPDATE`, company)
	}
}

// CheckLimit refuses when the company has limit of what is counted already. No other transaction can add
// one before this one ends.
func CheckLimit(tx *Tx, company ID, what Countable, plural string, limit int64) error {
	n, err := tx.Count(what, company)
	if err == nil && n >= limit {
		err = LimitReached(plural, limit)
	}
	return err
}

// CheckGrowth refuses a change of a part from before to after that takes the whole beyond the company's limit.
func CheckGrowth(tx *Tx, company ID, what Countable, plural string, limit int64, before, after int) error {
	n, err := tx.Count(what, company)
	if err == nil && after > before && n+int64(after-before) > limit {
		err = LimitReached(plural, limit)
	}
	return err
}
