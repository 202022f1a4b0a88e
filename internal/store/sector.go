package store

import (
	"recado/internal/model"
)

// KeepSector reports whether the company has a sector, and keeps it from being removed until the end of
// the transaction.
func (tx *Tx) KeepSector(company, id model.ID) (bool, error) {
	return tx.one(`SELECT 1 FROM sectors WHERE company = $1 AND id = $2 AND removed_at IS NULL`+tx.forShare(), []any{company, id}, func(Row) {})
}

// IsSectorMember reports whether a person belongs to a sector.
func (tx *Tx) IsSectorMember(sector, member model.ID) (bool, error) {
	return tx.one(`SELECT 1 FROM sector_members WHERE sector = $1 AND member = $2`, []any{sector, member}, func(Row) {})
}
