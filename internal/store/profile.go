package store

import "recado/internal/model"

// Profile is what a member may change about themselves, and the secrets that this takes.
type Profile struct {
	Name, Email, Signature string
	PasswordHash           *string
	TwoFactor, Pending     []byte // sealed secrets
	Presence               string
	Preferences            string // JSON
}

// Profile gives the profile of a present member and keeps other writers away from it until the transaction ends.
func (tx *Tx) Profile(company, member model.ID) (Profile, bool, error) {
	return tx.profile(company, member, tx.forUpdate())
}

// ReadProfile gives the profile of a present member.
func (tx *Tx) ReadProfile(company, member model.ID) (Profile, bool, error) {
	return tx.profile(company, member, "")
}

func (tx *Tx) profile(company, member model.ID, lock string) (p Profile, found bool, err error) {
	found, err = tx.one(`
		SELECT name, email, signature, password_hash, two_factor, two_factor_pending, presence, preferences
		FROM users
		WHERE company = $1 AND id = $2 AND removed_at IS NULL`+lock, []any{company, member}, func(r Row) {
		p = Profile{
			Name: r.Text(0), Email: r.Text(1), Signature: r.Text(2), PasswordHash: r.NullText(3),
			TwoFactor: r.Bytes(4), Pending: r.Bytes(5), Presence: r.Text(6), Preferences: r.Text(7),
		}
	})
	return p, found, err
}

// Preferences gives a member's preferences as JSON.
func (tx *Tx) Preferences(company, member model.ID) (json string, err error) {
	_, err = tx.one(`SELECT preferences FROM users WHERE company = $1 AND id = $2`, []any{company, member}, func(r Row) { json = r.Text(0) })
	return json, err
}

// SetPreferences replaces a member's preferences.
func (tx *Tx) SetPreferences(company, member model.ID, json string) {
	tx.later(`UPDATE users SET preferences = $3 WHERE company = $1 AND id = $2`, company, member, json)
}

// SetSignature replaces the name that signs a member's messages.
func (tx *Tx) SetSignature(company, member model.ID, signature string) {
	tx.later(`UPDATE users SET signature = $3 WHERE company = $1 AND id = $2`, company, member, signature)
}

// SetMemberPassword replaces the password hash of a member and deletes the links that could replace it again.
func (tx *Tx) SetMemberPassword(company, member model.ID, hash string) {
	tx.later(`UPDATE users SET password_hash = $3 WHERE company = $1 AND id = $2`, company, member, hash)
	tx.RemoveResetLinks(company, member)
}

// SetPresence stores what a member chose to be shown as.
func (tx *Tx) SetPresence(company, member model.ID, presence string) {
	tx.later(`UPDATE users SET presence = $3 WHERE company = $1 AND id = $2`, company, member, presence)
}

// SetPendingTwoFactor stores a secret that the member has yet to confirm.
func (tx *Tx) SetPendingTwoFactor(company, member model.ID, sealed []byte) {
	tx.later(`UPDATE users SET two_factor_pending = $3 WHERE company = $1 AND id = $2`, company, member, sealed)
}

// SetTwoFactor switches two-factor on with a secret and recovery codes, or off with nil.
func (tx *Tx) SetTwoFactor(company, member model.ID, sealed []byte, codes [][32]byte) {
	tx.later(`UPDATE users SET two_factor = $3, two_factor_pending = NULL WHERE company = $1 AND id = $2`, company, member, sealed)
	tx.later(`DELETE FROM recovery_codes WHERE company = $1 AND member = $2`, company, member)
	for _, hash := range codes {
		tx.later(`INSERT INTO recovery_codes (company, member, hash) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, company, member, hash[:])
	}
}

// SealedMember is a member's secrets of two-factor as they are stored; nil: none.
type SealedMember struct {
	Company model.ID
	ID      model.ID
	Secret  []byte
	Pending []byte // not confirmed yet
}

// SealedMembers gives the secrets of two-factor of the members of all companies.
func (tx *Tx) SealedMembers() ([]SealedMember, error) {
	var out []SealedMember
	err := tx.query(`
		SELECT company, id, two_factor, two_factor_pending
		FROM users
		WHERE two_factor IS NOT NULL OR two_factor_pending IS NOT NULL
		ORDER BY id`, nil, func(r Row) error {
		out = append(out, SealedMember{Company: r.ID(0), ID: r.ID(1), Secret: r.Bytes(2), Pending: r.Bytes(3)})
		return nil
	})
	return out, err
}

// ResealMember replaces a member's secrets by the same ones, sealed anew. Where one has changed meanwhile, the change
// stays.
func (tx *Tx) ResealMember(m, fresh SealedMember) {
	if m.Secret != nil {
		tx.later(`UPDATE users SET two_factor = $4 WHERE company = $1 AND id = $2 AND two_factor = $3`, m.Company, m.ID, m.Secret, fresh.Secret)
	}
	if m.Pending != nil {
		tx.later(`UPDATE users SET two_factor_pending = $4 WHERE company = $1 AND id = $2 AND two_factor_pending = $3`, m.Company, m.ID, m.Pending, fresh.Pending)
	}
}
