package store

import (
	"recado/internal/model"
)

// User is a team member with what the API does not show.
type User struct {
	model.Member
	PasswordHash *string
}

// InsertUser adds a team member. It reports false when another member of the company has the e-mail address.
func (tx *Tx) InsertUser(company model.ID, u User) (bool, error) {
	n, err := tx.exec(`
		INSERT INTO users (id, company, name, email, email_folded, password_hash, role, access_profile, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
		ON CONFLICT DO NOTHING`,
		u.ID, company, u.Name, u.Email, model.Fold(u.Email), u.PasswordHash, u.Role, u.AccessProfile, tx.Now)
	return n == 1, err
}

// UserRef finds a present member of the company.
func (tx *Tx) UserRef(company, id model.ID) (model.Ref, bool, error) {
	var ref model.Ref
	found, err := tx.one(`SELECT id, name FROM users WHERE company = $1 AND id = $2 AND removed_at IS NULL`, []any{company, id}, func(r Row) {
		ref = model.Ref{ID: r.ID(0), Name: r.Text(1)}
	})
	return ref, found, err
}

// KeepUser is UserRef, and keeps the member from being removed until the end of the transaction.
func (tx *Tx) KeepUser(company, id model.ID) (model.Ref, bool, error) {
	var ref model.Ref
	found, err := tx.one(`SELECT id, name FROM users WHERE company = $1 AND id = $2 AND removed_at IS NULL`+tx.forShare(), []any{company, id}, func(r Row) {
		ref = model.Ref{ID: r.ID(0), Name: r.Text(1)}
	})
	return ref, found, err
}

// forShare keeps the rows a SELECT finds as they are.
func (tx *Tx) forShare() string { return tx.dialect().Lock(` FOR SHARE`) }

// RemovedOrPresentUserRef also finds people who have left, for history and reports.
func (tx *Tx) RemovedOrPresentUserRef(company, id model.ID) (model.Ref, bool, error) {
	var ref model.Ref
	found, err := tx.one(`SELECT id, name FROM users WHERE company = $1 AND id = $2`, []any{company, id}, func(r Row) {
		ref = model.Ref{ID: r.ID(0), Name: r.Text(1)}
	})
	return ref, found, err
}

// OwnerOf gives the company's first owner.
func (tx *Tx) OwnerOf(company model.ID) (model.Ref, bool, error) {
	var ref model.Ref
	found, err := tx.one(`
		SELECT id, name
		FROM users
		WHERE company = $1 AND role = 'owner' AND removed_at IS NULL
		ORDER BY id
		LIMIT 1`, []any{company}, func(r Row) {
		ref = model.Ref{ID: r.ID(0), Name: r.Text(1)}
	})
	return ref, found, err
}

// UserByEmail finds the present member of the company with that e-mail address.
func (tx *Tx) UserByEmail(company model.ID, email string) (u User, found bool, err error) {
	found, err = tx.one(`
		SELECT id, name, email, password_hash, role, access_profile
		FROM users
		WHERE company = $1 AND email_folded = $2 AND removed_at IS NULL`, []any{company, model.Fold(email)}, func(r Row) {
		u.ID, u.Name, u.Email, u.PasswordHash = r.ID(0), r.Text(1), r.Text(2), r.NullText(3)
		u.Role, u.AccessProfile = model.Role(r.Text(4)), model.AccessProfile(r.Text(5))
	})
	return u, found, err
}

// SetPassword replaces the password hash of the present member of the company with that e-mail address, ends
// their sessions, and reports whether there is such a member.
func (tx *Tx) SetPassword(company model.ID, email, hash string) (bool, error) {
	n, err := tx.exec(`
		UPDATE users
		SET password_hash = $3
		WHERE company = $1 AND email_folded = $2 AND removed_at IS NULL`,
		company, model.Fold(email), hash)
	tx.later(`DELETE FROM sessions WHERE company = $1 AND member IN (SELECT id FROM users WHERE company = $1 AND email_folded = $2)`, company, model.Fold(email))
	return n == 1, err
}

// MemberPowers gives a present member's name, role and access profile.
func (tx *Tx) MemberPowers(company, id model.ID) (model.Member, bool, error) {
	var m model.Member
	found, err := tx.one(`SELECT id, name, role, access_profile FROM users WHERE company = $1 AND id = $2 AND removed_at IS NULL`,
		[]any{company, id}, func(r Row) {
			m = model.Member{ID: r.ID(0), Name: r.Text(1), Role: model.Role(r.Text(2)), AccessProfile: model.AccessProfile(r.Text(3))}
		})
	return m, found, err
}
