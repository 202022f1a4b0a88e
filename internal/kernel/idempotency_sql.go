package kernel

import (
	"time"

	"recado/internal/kernel/db"
)

// Owner is whose an idempotency key is: an integration's (the id of its API key) or a person's.
type Owner struct{ Company, ID ID }

// Reservation is an idempotency key in use. The fingerprint tells whether two calls are the same.
type Reservation struct {
	Owner       Owner
	Key         string
	Fingerprint [32]byte
	At          time.Time // when it was made: tells it from a later one of the same key
}

// Earlier is what another call with the same key left behind.
type Earlier struct {
	Fingerprint [32]byte
	At          time.Time // when the key was reserved
	Answer      *Answer   // nil while it is pending
}

// Reserve takes a key that is free or has expired, and then sets r.At. Otherwise it tells what is there.
func (tx *Tx) Reserve(r *Reservation) (bool, Earlier, error) {
	n, err := tx.Exec(`
		INSERT INTO idempotency (company, key_id, key, fingerprint, done, created_at, expires_at)
		VALUES ($1, $2, $3, $4, FALSE, $5, $6)
		ON CONFLICT (company, key_id, key) DO UPDATE
		SET fingerprint = excluded.fingerprint, done = FALSE, status = NULL, headers = NULL, body = NULL, subject_kind = NULL, subject = NULL,
			created_at = excluded.created_at, expires_at = excluded.expires_at
		WHERE idempotency.expires_at <= excluded.created_at`,
		r.Owner.Company, r.Owner.ID, r.Key, r.Fingerprint[:], tx.Now, tx.Now.Add(IdempotencyRetention))
	if err != nil || n == 1 {
		r.At = tx.Now
		return err == nil, Earlier{}, err
	}
	var e Earlier
	_, err = tx.One(`
		SELECT fingerprint, created_at, done, status, headers, body, subject_kind, subject
		FROM idempotency
		WHERE company = $1 AND key_id = $2 AND key = $3`,
		[]any{r.Owner.Company, r.Owner.ID, r.Key}, func(row db.Row) {
			copy(e.Fingerprint[:], row.Bytes(0))
			e.At = row.Time(1)
			if row.Bool(2) {
				e.Answer = &Answer{Status: int(row.Int(3)), Headers: row.Text(4), Body: row.Bytes(5)}
				if !row.Null(6) {
					e.Answer.Subject = Subject{Kind: row.Text(6), ID: row.ID(7)}
				}
			}
		})
	return false, e, err
}

// Keep stores the answer of the call that holds the reservation, for repeats, and its fingerprint, which may be known
// better than when the key was reserved. It reports false when the reservation is no longer there.
func (tx *Tx) Keep(r Reservation, a Answer) (bool, error) {
	kind, subject := subjectColumns(a.Subject)
	n, err := tx.Exec(`
		UPDATE idempotency
		SET done = TRUE, status = $5, headers = $6, body = $7, fingerprint = $8, subject_kind = $9, subject = $10
		WHERE company = $1 AND key_id = $2 AND key = $3 AND created_at = $4 AND NOT done`,
		r.Owner.Company, r.Owner.ID, r.Key, r.At, a.Status, a.Headers, a.Body, r.Fingerprint[:], kind, subject)
	return n == 1, err
}

// Replace puts another answer in place of that which the call that holds the reservation has stored.
func (tx *Tx) Replace(r Reservation, a Answer) error {
	kind, subject := subjectColumns(a.Subject)
	_, err := tx.Exec(`
		UPDATE idempotency
		SET status = $5, headers = $6, body = $7, subject_kind = $8, subject = $9
		WHERE company = $1 AND key_id = $2 AND key = $3 AND created_at = $4 AND done`,
		r.Owner.Company, r.Owner.ID, r.Key, r.At, a.Status, a.Headers, a.Body, kind, subject)
	return err
}

// subjectColumns is a subject as it is stored; nil for none.
func subjectColumns(s Subject) (kind *string, id *ID) {
	if s.Kind == "" {
		return nil, nil
	}
	return &s.Kind, &s.ID
}

// Release frees the key of a call that left nothing behind.
func (tx *Tx) Release(r Reservation) {
	tx.Later(`DELETE FROM idempotency WHERE company = $1 AND key_id = $2 AND key = $3 AND created_at = $4 AND NOT done`, r.Owner.Company, r.Owner.ID, r.Key, r.At)
}

// ForgetReservations removes reservations that have expired, limit of them and those that expired in the same moment
// as the last.
func (tx *Tx) ForgetReservations(limit int) (int64, error) {
	return tx.Exec(forgetReservations, tx.Now, limit)
}

// A list of keys would have SQLite go through all reservations of their owners.
const forgetReservations = `
	DELETE /* all companies: what has expired */ FROM idempotency
	WHERE expires_at <= (SELECT MAX(expires_at) FROM (SELECT expires_at FROM idempotency WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2) oldest)`
