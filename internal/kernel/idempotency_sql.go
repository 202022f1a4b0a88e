package kernel

import (
	"errors"
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
	Answer      *Answer // nil while it is pending
}

// Reserve takes a key that is free or has expired, and sets r.At. It returns nil then, and otherwise what is there. It waits for
// a transaction that has taken the key and is not committed.
func (tx *Tx) Reserve(r *Reservation) (*Earlier, error) {
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
		return nil, err
	}
	return tx.findReservation(r)
}

// findReservation returns what is stored for a key; nil if it is free or has expired.
func (tx *Tx) findReservation(r *Reservation) (earlier *Earlier, err error) {
	_, err = tx.One(`
		SELECT fingerprint, done, status, headers, body, subject_kind, subject
		FROM idempotency
		WHERE company = $1 AND key_id = $2 AND key = $3 AND expires_at > $4`,
		[]any{r.Owner.Company, r.Owner.ID, r.Key, tx.Now}, func(row db.Row) {
			earlier = &Earlier{}
			copy(earlier.Fingerprint[:], row.Bytes(0))
			if row.Bool(1) {
				earlier.Answer = &Answer{Status: int(row.Int(2)), Headers: row.Text(3), Body: row.Bytes(4)}
				if !row.Null(5) {
					earlier.Answer.Subject = Subject{Kind: row.Text(5), ID: row.ID(6)}
				}
			}
		})
	return earlier, err
}

// Keep stores the answer of the call that holds the reservation, in place of one that it has stored before. The reservation must
// still be there: after it has expired, the key may belong to another call.
func (tx *Tx) Keep(r Reservation, a Answer) error {
	kind, subject := subjectColumns(a.Subject)
	n, err := tx.Exec(`
		UPDATE idempotency
		SET done = TRUE, status = $5, headers = $6, body = $7, subject_kind = $8, subject = $9
		WHERE company = $1 AND key_id = $2 AND key = $3 AND created_at = $4`,
		r.Owner.Company, r.Owner.ID, r.Key, r.At, a.Status, a.Headers, a.Body, kind, subject)
	if err == nil && n == 0 {
		err = errors.New("kernel: an idempotency key expired during its call")
	}
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
