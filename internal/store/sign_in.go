package store

import (
	"time"

	"recado/internal/fold"
	"recado/internal/model"
)

// Candidate is a member with an e-mail address that is used to sign in.
type Candidate struct {
	Company      model.Company
	Member       model.ID
	PasswordHash *string
	TwoFactor    []byte // the sealed secret; nil: off
}

// maxCandidates bounds the passwords that one sign-in compares.
const maxCandidates = 20

// Candidates finds the present members of any company with an e-mail address, or of one company unless that is zero.
func (tx *Tx) Candidates(email string, company model.ID) ([]Candidate, error) {
	var found []Candidate
	err := tx.query(`
		SELECT c.id, c.name, c.timezone, u.id, u.password_hash, u.two_factor
		FROM users u
		JOIN companies c ON c.id = u.company
		WHERE u.email_folded = $1 AND u.removed_at IS NULL
		ORDER BY u.id
		LIMIT $2`, []any{fold.Text(email), maxCandidates}, func(r Row) error {
		if company.IsZero() || company == r.ID(0) {
			found = append(found, Candidate{
				Company: model.Company{ID: r.ID(0), Name: r.Text(1), Timezone: r.Text(2)},
				Member:  r.ID(3), PasswordHash: r.NullText(4), TwoFactor: r.Bytes(5),
			})
		}
		return nil
	})
	return found, err
}

// Failures is how often something failed in a row, and when it last did.
type Failures struct {
	Count int64
	Last  time.Time
}

// SignInFailures gives the failures of each subject.
func (tx *Tx) SignInFailures(subjects ...[32]byte) ([]Failures, error) {
	out := make([]Failures, len(subjects))
	for i, subject := range subjects {
		if _, err := tx.one(`SELECT failures, last_at FROM sign_in_failures WHERE subject = $1`, []any{subject[:]}, func(r Row) {
			out[i] = Failures{Count: r.Int(0), Last: r.Time(1)}
		}); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// CountSignInFailure adds a failure to a subject, or starts again at one where the last is older than forget.
func (tx *Tx) CountSignInFailure(subject [32]byte, forget time.Duration) {
	tx.later(`
		INSERT INTO sign_in_failures (subject, failures, last_at)
		VALUES ($1, 1, $2)
		ON CONFLICT (subject) DO UPDATE
		SET failures = CASE WHEN sign_in_failures.last_at < $3 THEN 1 ELSE sign_in_failures.failures + 1 END, last_at = $2`,
		subject[:], tx.Now, tx.Now.Add(-forget))
}

// ClearSignInFailures forgets the failures of a subject.
func (tx *Tx) ClearSignInFailures(subject [32]byte) {
	tx.later(`DELETE FROM sign_in_failures WHERE subject = $1`, subject[:])
}

// UseTwoFactorStep accepts a time step of a member, and reports false when it or a later one was accepted before.
func (tx *Tx) UseTwoFactorStep(company, member model.ID, step int64) (bool, error) {
	n, err := tx.exec(`UPDATE users SET two_factor_step = $3 WHERE company = $1 AND id = $2 AND two_factor_step < $3`, company, member, step)
	return n == 1, err
}

// UseRecoveryCode accepts a recovery code of a member once.
func (tx *Tx) UseRecoveryCode(company, member model.ID, hash [32]byte) (bool, error) {
	n, err := tx.exec(`DELETE FROM recovery_codes WHERE company = $1 AND member = $2 AND hash = $3`, company, member, hash[:])
	return n == 1, err
}

// SetSetupToken replaces the token with which the first company is made.
func (tx *Tx) SetSetupToken(hash [32]byte) {
	tx.later(`DELETE FROM setup_tokens`)
	tx.later(`INSERT INTO setup_tokens (hash) VALUES ($1)`, hash[:])
}

// KnowsSetupToken reports whether this is the token with which the first company is made.
func (tx *Tx) KnowsSetupToken(hash [32]byte) (bool, error) {
	return tx.one(`SELECT 1 FROM setup_tokens WHERE hash = $1`, []any{hash[:]}, func(Row) {})
}

// UseSetupToken removes the token and reports whether it was there.
func (tx *Tx) UseSetupToken(hash [32]byte) (bool, error) {
	n, err := tx.exec(`DELETE FROM setup_tokens WHERE hash = $1`, hash[:])
	return n == 1, err
}

// HasCompany reports whether the installation has a company.
func (tx *Tx) HasCompany() (bool, error) {
	return tx.one(`SELECT 1 FROM companies LIMIT 1`, nil, func(Row) {})
}

// UncountSignInFailure takes one failure of a subject back, and the time of the last one where none came since.
func (tx *Tx) UncountSignInFailure(subject [32]byte, before Failures) {
	tx.later(`
		UPDATE sign_in_failures
		SET failures = failures - 1, last_at = CASE WHEN failures = $2 THEN $3 ELSE last_at END
		WHERE subject = $1 AND failures > 0`, subject[:], before.Count+1, before.Last)
}
