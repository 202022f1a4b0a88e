package kernel

import "recado/internal/kernel/db"

// Countable is a statement that counts what a company may have a limited number of.
type Countable string

// Count returns how many of something a company has. No other transaction that counts can add one before
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
