package store

import (
	"recado/internal/db"
	"recado/internal/fold"
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
		u.ID, company, u.Name, u.Email, fold.Text(u.Email), u.PasswordHash, u.Role, u.AccessProfile, tx.Now)
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

// KeepUsers is KeepUser for several members in one query; the result has those that are present.
func (tx *Tx) KeepUsers(company model.ID, ids []model.ID) (map[model.ID]model.Ref, error) {
	found := make(map[model.ID]model.Ref, len(ids))
	s := tx.statement()
	s.WriteString(`SELECT id, name FROM users WHERE company = ` + s.Arg(company) + ` AND removed_at IS NULL AND id IN (` + db.Listed(ids)(s) + `) ORDER BY id` + tx.forShare())
	err := tx.query(s.String(), s.Args, func(r Row) error {
		found[r.ID(0)] = model.Ref{ID: r.ID(0), Name: r.Text(1)}
		return nil
	})
	return found, err
}

// userNames gives the names of members of the company, also of those who have left.
func (tx *Tx) userNames(company model.ID, ids []model.ID) (map[model.ID]string, error) {
	names := make(map[model.ID]string, len(ids))
	s := tx.statement()
	s.WriteString(`SELECT id, name FROM users WHERE company = ` + s.Arg(company) + ` AND id IN (` + db.Listed(ids)(s) + `)`)
	err := tx.query(s.String(), s.Args, func(r Row) error {
		names[r.ID(0)] = r.Text(1)
		return nil
	})
	return names, err
}

// MemberSight is a present member with what decides which conversations they may see.
type MemberSight struct {
	User    model.Ref
	Role    model.Role
	Profile model.AccessProfile
	Sectors []model.ID
	Viewed  []model.ID // the private channels that the member may see
}

// KeepMemberSights gives present members of the company and keeps them from being removed until the end of the
// transaction.
func (tx *Tx) KeepMemberSights(company model.ID, ids []model.ID) (map[model.ID]*MemberSight, error) {
	found := make(map[model.ID]*MemberSight, len(ids))
	s := tx.statement()
	s.WriteString(`SELECT id, name, role, access_profile FROM users WHERE company = ` + s.Arg(company) +
		` AND removed_at IS NULL AND id IN (` + db.Listed(ids)(s) + `) ORDER BY id` + tx.forShare())
	err := tx.query(s.String(), s.Args, func(r Row) error {
		found[r.ID(0)] = &MemberSight{
			User: model.Ref{ID: r.ID(0), Name: r.Text(1)}, Role: model.Role(r.Text(2)), Profile: model.AccessProfile(r.Text(3)),
		}
		return nil
	})
	for id, m := range found {
		if err == nil {
			m.Sectors, err = tx.ids(`SELECT sector FROM sector_members WHERE member = $1`, id)
		}
		if err == nil {
			m.Viewed, err = tx.ids(`SELECT channel FROM channel_viewers WHERE company = $1 AND member = $2`, company, id)
		}
	}
	return found, err
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
		WHERE company = $1 AND email_folded = $2 AND removed_at IS NULL`, []any{company, fold.Text(email)}, func(r Row) {
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
		company, fold.Text(email), hash)
	tx.later(`DELETE FROM sessions WHERE company = $1 AND member IN (SELECT id FROM users WHERE company = $1 AND email_folded = $2)`, company, fold.Text(email))
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

// Person is a present team member with the company.
type Person struct {
	Company   model.Company
	ID        model.ID
	Name      string
	Email     string
	Role      model.Role
	TwoFactor bool
}

// People lists the present members of all companies, or of one unless that is zero.
func (tx *Tx) People(company model.ID) ([]Person, error) {
	var people []Person
	err := tx.query(`
		SELECT c.id, c.name, c.timezone, u.id, u.name, u.email, u.role, u.two_factor IS NOT NULL
		FROM users u
		JOIN companies c ON c.id = u.company
		WHERE u.removed_at IS NULL
		ORDER BY c.name, c.id, u.email_folded, u.id`, nil, func(r Row) error {
		if company.IsZero() || company == r.ID(0) {
			people = append(people, Person{
				Company: model.Company{ID: r.ID(0), Name: r.Text(1), Timezone: r.Text(2)},
				ID:      r.ID(3), Name: r.Text(4), Email: r.Text(5), Role: model.Role(r.Text(6)), TwoFactor: r.Bool(7),
			})
		}
		return nil
	})
	return people, err
}

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

// SetMemberPassword replaces the password hash of a member.
func (tx *Tx) SetMemberPassword(company, member model.ID, hash string) {
	tx.later(`UPDATE users SET password_hash = $3 WHERE company = $1 AND id = $2`, company, member, hash)
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
