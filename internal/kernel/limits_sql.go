package kernel

import "recado/internal/kernel/db"

// Countable is a statement that counts the rows of a company that are subject to a limit.
type Countable string

// Count runs the statement. Other transactions that count wait until the end of this one.
func (tx *Tx) Count(what Countable, company ID) (n int64, err error) {
	tx.LockCompany(company)
	_, err = tx.One("SELECT ("+string(what)+") AS total", []any{company}, func(r db.Row) { n = r.Int("total") })
	return n, err
}

// LockCompany makes other transactions that lock the company wait until the end of this one. SQLite has one writer
// and needs no locks.
func (tx *Tx) LockCompany(company ID) {
	tx.ShareVisibility(company)
	if tx.Dialect().ConcurrentWrites() {
		tx.Later(`SELECT id FROM companies WHERE id = $1 FOR NO KEY UPDATE`, company)
	}
}

// CheckLimit returns an error if the company has reached the limit. See Count for concurrent transactions.
func CheckLimit(tx *Tx, company ID, what Countable, plural string, limit int64) error {
	n, err := tx.Count(what, company)
	if err == nil && n >= limit {
		err = LimitReached(plural, limit)
	}
	return err
}

// CheckGrowth returns an error if a change from before to after rows exceeds the company's limit.
func CheckGrowth(tx *Tx, company ID, what Countable, plural string, limit int64, before, after int) error {
	n, err := tx.Count(what, company)
	if err == nil && after > before && n+int64(after-before) > limit {
		err = LimitReached(plural, limit)
	}
	return err
}
