package kernel

import (
	"errors"
	"time"

	"recado/internal/kernel/db"
)

// Owner is the owner of an idempotency key: an integration (the id of its API key) or a person.
type Owner struct{ Company, ID ID }

// Reservation is an idempotency key in use. The fingerprint identifies the call.
type Reservation struct {
	Owner       Owner
	Key         string
	Fingerprint [32]byte
	At          time.Time // distinguishes it from later reservations of the key
}

// Earlier is the stored state of an earlier call with the same key.
type Earlier struct {
	Fingerprint [32]byte
	Answer      *Answer // nil while it is pending
}

// Reserve reserves a key that is free or has expired and sets r.At. It returns the earlier call if the key is in use. It waits
// for uncommitted transactions that have reserved the key.
func (tx *Tx) Reserve(r *Reservation) (*Earlier, error) {
	n, err := tx.Exec(`
		INSERT INTO idempotency (company, key_id, key, fingerprint, done, created_at, expires_at)
		VALUES ($1, $2, $3, $4, FALSE, $5, $6)
		ON CONFLICT (company, key_id, key) DO UPDATE
		SET fingerprint = excluded.fingerprint, done = FALSE, status = NULL, headers = NULL, body = NULL,
			subject_kind = NULL, subject = NULL, created_at = excluded.created_at, expires_at = excluded.expires_at
		WHERE idempotency.expires_at <= excluded.created_at`,
		r.Owner.Company, r.Owner.ID, r.Key, r.Fingerprint[:], tx.Now, tx.Now.Add(IdempotencyRetention))
	if err != nil || n == 1 {
		r.At = tx.Now
		return nil, err
	}
	return tx.findReservation(r)
}

// findReservation returns nil if the key is free or has expired.
func (tx *Tx) findReservation(r *Reservation) (earlier *Earlier, err error) {
	_, err = tx.One(`
		SELECT fingerprint, done, status, headers, body, subject_kind, subject
		FROM idempotency
		WHERE company = $1 AND key_id = $2 AND key = $3 AND expires_at > $4`,
		[]any{r.Owner.Company, r.Owner.ID, r.Key, tx.Now}, func(row db.Row) {
			earlier = &Earlier{}
			copy(earlier.Fingerprint[:], row.Bytes("fingerprint"))
			if !row.Bool("done") {
				return
			}
			earlier.Answer = &Answer{Status: int(row.Int("status")), Headers: row.Text("headers"), Body: row.Bytes("body")}
			if !row.Null("subject_kind") {
				earlier.Answer.Subject = Subject{Kind: row.Text("subject_kind"), ID: row.ID("subject")}
			}
		})
	return earlier, err
}

// Keep stores the response of the call with the reservation, or replaces it. It fails if the reservation has expired, because
// the key may belong to another call.
func (tx *Tx) Keep(r Reservation, a Answer) error {
	n, err := tx.Exec(`
		UPDATE idempotency
		SET done = TRUE, status = $5, headers = $6, body = $7, subject_kind = $8, subject = $9
		WHERE company = $1 AND key_id = $2 AND key = $3 AND created_at = $4`,
		r.Owner.Company, r.Owner.ID, r.Key, r.At, a.Status, a.Headers, a.Body, TextOrNil(a.Subject.Kind), IDOrNil(a.Subject.ID))
	if err == nil && n == 0 {
		err = errors.New("kernel: an idempotency key expired during its call")
	}
	return err
}

// Release frees the key of a call without a stored response.
func (tx *Tx) Release(r Reservation) {
	tx.Later(`DELETE FROM idempotency WHERE company = $1 AND key_id = $2 AND key = $3 AND created_at = $4 AND NOT done`,
		r.Owner.Company, r.Owner.ID, r.Key, r.At)
}

// ForgetReservations deletes expired reservations: the first limit of them, and others with the same expiry time as the last.
func (tx *Tx) ForgetReservations(limit int) (int64, error) {
	return tx.Exec(forgetReservations, tx.Now, limit)
}

// With a list of keys, SQLite would scan all reservations of their owners.
const forgetReservations = `
	DELETE /* all companies: what has expired */ FROM idempotency
	WHERE expires_at <= (
		SELECT MAX(expires_at)
		FROM (SELECT expires_at FROM idempotency WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2) oldest)`
