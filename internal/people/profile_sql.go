package people

import (
	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// Profile is a member's own data with the secrets that protect it.
type Profile struct {
	Email              string
	PasswordHash       *string
	TwoFactor, Pending []byte // sealed secrets
}

// findProfile finds the profile of a member. The lock applies to the member.
func findProfile(tx *kernel.Tx, company, member kernel.ID, lock string) (Profile, bool, error) {
	return kernel.Row(tx, `
		SELECT email, password_hash, two_factor, two_factor_pending
		FROM users
		WHERE company = $1 AND id = $2 AND removed_at IS NULL`+lock, []any{company, member}, func(r db.Row) Profile {
		return Profile{r.Text("email"), r.NullText("password_hash"), r.Bytes("two_factor"), r.Bytes("two_factor_pending")}
	})
}

// setMemberPassword replaces the password hash of a member and deletes their reset links.
func setMemberPassword(tx *kernel.Tx, company, member kernel.ID, hash string) {
	tx.Later(`UPDATE users SET password_hash = $3 WHERE company = $1 AND id = $2`, company, member, hash)
	removeResetLinks(tx, company, member)
}

// SetPendingTwoFactor stores a secret that the member has not confirmed yet.
func SetPendingTwoFactor(tx *kernel.Tx, company, member kernel.ID, sealed []byte) {
	tx.Later(`UPDATE users SET two_factor_pending = $3 WHERE company = $1 AND id = $2`, company, member, sealed)
}

// SetTwoFactor turns two-factor on with a secret and recovery codes, or off with nil.
func SetTwoFactor(tx *kernel.Tx, company, member kernel.ID, sealed []byte, codes [][32]byte) {
	tx.Later(`UPDATE users SET two_factor = $3, two_factor_pending = NULL WHERE company = $1 AND id = $2`, company, member, sealed)
	tx.Later(`DELETE FROM recovery_codes WHERE company = $1 AND member = $2`, company, member)
	for _, hash := range codes {
		tx.Later(`INSERT INTO recovery_codes (company, member, hash) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
			company, member, hash[:])
	}
}

// SealedMember has a member's sealed two-factor secrets; nil: none.
type SealedMember struct {
	Company kernel.ID
	ID      kernel.ID
	Name    string
	Secret  []byte
	Pending []byte // not confirmed yet
}

// SealedMembers returns the two-factor secrets of the members of all companies.
func SealedMembers(tx *kernel.Tx) ([]SealedMember, error) {
	return kernel.Rows(tx, `
		SELECT /* all companies: secrets are sealed again with the installation's key */ company, id, name, two_factor, two_factor_pending
		FROM users
		WHERE two_factor IS NOT NULL OR two_factor_pending IS NOT NULL
		ORDER BY id`, nil, func(r db.Row) SealedMember {
		return SealedMember{r.ID("company"), r.ID("id"), r.Text("name"), r.Bytes("two_factor"), r.Bytes("two_factor_pending")}
	})
}

// ResealMember stores a member's secrets sealed again, unless they have changed.
func ResealMember(tx *kernel.Tx, m, fresh SealedMember) {
	tx.Later(`UPDATE users SET two_factor = $4 WHERE company = $1 AND id = $2 AND two_factor = $3`,
		m.Company, m.ID, m.Secret, fresh.Secret)
	tx.Later(`UPDATE users SET two_factor_pending = $4 WHERE company = $1 AND id = $2 AND two_factor_pending = $3`,
		m.Company, m.ID, m.Pending, fresh.Pending)
}
