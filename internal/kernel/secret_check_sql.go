package kernel

import (
	"recado/internal/kernel/db"
)

// secretCheckID is the id of the only row.
const secretCheckID = 1

// SecretCheck gives the value by which a secret key is checked, and false when none was stored yet.
func (tx *Tx) SecretCheck() (sealed []byte, found bool, err error) {
	found, err = tx.One(`
		SELECT sealed
		FROM secret_check
		WHERE id = $1`, []any{int64(secretCheckID)}, func(r db.Row) { sealed = r.Bytes(0) })
	return sealed, found, err
}

// InsertSecretCheck stores the first check value, and reports false when there is one already.
func (tx *Tx) InsertSecretCheck(sealed []byte) (bool, error) {
	n, err := tx.Exec(`
		INSERT INTO secret_check (id, sealed)
		VALUES ($1, $2)
		ON CONFLICT DO NOTHING`, int64(secretCheckID), sealed)
	return n == 1, err
}

// ReplaceSecretCheck replaces the check value. Where another process has replaced old meanwhile, its value stays.
func (tx *Tx) ReplaceSecretCheck(old, sealed []byte) {
	tx.Later(`
		UPDATE secret_check
		SET sealed = $3
		WHERE id = $1 AND sealed = $2`, int64(secretCheckID), old, sealed)
}
