package kernel

import "recado/internal/kernel/db"

// secretCheckID is the id of the only row.
const secretCheckID = 1

// SecretCheck returns the sealed value that shows whether the secret key is right. It returns false if none is stored.
func (tx *Tx) SecretCheck() (sealed []byte, found bool, err error) {
	found, err = tx.One(`
		SELECT sealed
		FROM secret_check
		WHERE id = $1`, []any{int64(secretCheckID)}, func(r db.Row) { sealed = r.Bytes("sealed") })
	return sealed, found, err
}

// InsertSecretCheck stores the first check value. It returns false if there is one already.
func (tx *Tx) InsertSecretCheck(sealed []byte) (bool, error) {
	n, err := tx.Exec(`
		INSERT INTO secret_check (id, sealed)
		VALUES ($1, $2)
		ON CONFLICT DO NOTHING`, int64(secretCheckID), sealed)
	return n == 1, err
}

// ReplaceSecretCheck replaces the check value, unless another process has replaced old in the meantime.
func (tx *Tx) ReplaceSecretCheck(old, sealed []byte) {
	tx.Later(`
		UPDATE secret_check
		SET sealed = $3
		WHERE id = $1 AND sealed = $2`, int64(secretCheckID), old, sealed)
}
