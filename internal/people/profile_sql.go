package people

import (
	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// Profile is what a member may change about themselves, and the secrets that this takes.
type Profile struct {
	Name, Email, Signature string
	PasswordHash           *string
	TwoFactor, Pending     []byte // sealed secrets
	Presence               string
	Preferences            string // JSON
}

// findProfile gives the profile of a present member and keeps other writers away from it until the transaction ends.
func findProfile(tx *kernel.Tx, company, member kernel.ID) (Profile, bool, error) {
	return selectProfile(tx, company, member, tx.ForUpdate())
}

// readProfile gives the profile of a present member.
func readProfile(tx *kernel.Tx, company, member kernel.ID) (Profile, bool, error) {
	return selectProfile(tx, company, member, "")
}

func selectProfile(tx *kernel.Tx, company, member kernel.ID, lock string) (p Profile, found bool, err error) {
	found, err = tx.One(`
		SELECT name, email, signature, password_hash, two_factor, two_factor_pending, presence, preferences
		FROM users
		WHERE company = $1 AND id = $2 AND removed_at IS NULL`+lock, []any{company, member}, func(r db.Row) {
		p = Profile{
			Name: r.Text(0), Email: r.Text(1), Signature: r.Text(2), PasswordHash: r.NullText(3),
			TwoFactor: r.Bytes(4), Pending: r.Bytes(5), Presence: r.Text(6), Preferences: r.Text(7),
		}
	})
	return p, found, err
}

// listPreferences gives a member's preferences as JSON.
func listPreferences(tx *kernel.Tx, company, member kernel.ID) (json string, err error) {
	_, err = tx.One(`SELECT preferences FROM users WHERE company = $1 AND id = $2`, []any{company, member}, func(r db.Row) { json = r.Text(0) })
	return json, err
}

// setPreferences replaces a member's preferences.
func setPreferences(tx *kernel.Tx, company, member kernel.ID, json string) {
	tx.Later(`UPDATE users SET preferences = $3 WHERE company = $1 AND id = $2`, company, member, json)
}

// setSignature replaces the name that signs a member's messages.
func setSignature(tx *kernel.Tx, company, member kernel.ID, signature string) {
	tx.Later(`UPDATE users SET signature = $3 WHERE company = $1 AND id = $2`, company, member, signature)
}

// setMemberPassword replaces the password hash of a member and deletes the links that could replace it again.
func setMemberPassword(tx *kernel.Tx, company, member kernel.ID, hash string) {
	tx.Later(`UPDATE users SET password_hash = $3 WHERE company = $1 AND id = $2`, company, member, hash)
	removeResetLinks(tx, company, member)
}

// setPresence stores what a member chose to be shown as.
func setPresence(tx *kernel.Tx, company, member kernel.ID, presence string) {
	tx.Later(`UPDATE users SET presence = $3 WHERE company = $1 AND id = $2`, company, member, presence)
}

// SetPendingTwoFactor stores a secret that the member has yet to confirm.
func SetPendingTwoFactor(tx *kernel.Tx, company, member kernel.ID, sealed []byte) {
	tx.Later(`UPDATE users SET two_factor_pending = $3 WHERE company = $1 AND id = $2`, company, member, sealed)
}

// SetTwoFactor switches two-factor on with a secret and recovery codes, or off with nil.
func SetTwoFactor(tx *kernel.Tx, company, member kernel.ID, sealed []byte, codes [][32]byte) {
	tx.Later(`UPDATE users SET two_factor = $3, two_factor_pending = NULL WHERE company = $1 AND id = $2`, company, member, sealed)
	tx.Later(`DELETE FROM recovery_codes WHERE company = $1 AND member = $2`, company, member)
	for _, hash := range codes {
		tx.Later(`INSERT INTO recovery_codes (company, member, hash) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, company, member, hash[:])
	}
}

// SealedMember is a member's secrets of two-factor as they are stored; nil: none.
type SealedMember struct {
	Company kernel.ID
	ID      kernel.ID
	Secret  []byte
	Pending []byte // not confirmed yet
}

// SealedMembers gives the secrets of two-factor of the members of all companies.
func SealedMembers(tx *kernel.Tx) ([]SealedMember, error) {
	var out []SealedMember
	err := tx.Query(`
		SELECT /* all companies: secrets are sealed anew with the installation's key */ company, id, two_factor, two_factor_pending
		FROM users
		WHERE two_factor IS NOT NULL OR two_factor_pending IS NOT NULL
		ORDER BY id`, nil, func(r db.Row) error {
		out = append(out, SealedMember{Company: r.ID(0), ID: r.ID(1), Secret: r.Bytes(2), Pending: r.Bytes(3)})
		return nil
	})
	return out, err
}

// ResealMember replaces a member's secrets by the same ones, sealed anew. Where one has changed meanwhile, the change
// stays.
func ResealMember(tx *kernel.Tx, m, fresh SealedMember) {
	if m.Secret != nil {
		tx.Later(`UPDATE users SET two_factor = $4 WHERE company = $1 AND id = $2 AND two_factor = $3`, m.Company, m.ID, m.Secret, fresh.Secret)
	}
	if m.Pending != nil {
		tx.Later(`UPDATE users SET two_factor_pending = $4 WHERE company = $1 AND id = $2 AND two_factor_pending = $3`, m.Company, m.ID, m.Pending, fresh.Pending)
	}
}
