package store

import (
	"time"

	"recado/internal/db"
	"recado/internal/fold"
	"recado/internal/model"
)

// TeamMember is a present member of the company and when they were last active.
type TeamMember struct {
	model.Member
	LastSeenAt *time.Time // in a session that has not ended; nil: there is none
	Chosen     string     // the presence that the member chose; model.PresenceAuto: none
}

// seenInSession is when a member u was last active in a session; null without one.
const seenInSession = `(SELECT MAX(s.last_seen_at) FROM sessions s WHERE s.company = u.company AND s.member = u.id)`

const memberColumns = `u.id, u.name, u.email, u.role, u.access_profile, ` + seenInSession + `, u.presence,
	(SELECT COUNT(*) FROM attendances a WHERE a.company = u.company AND a.responsible = u.id AND a.closed_at IS NULL AND NOT a.private AND NOT ` + attendancePrivate + `), u.capacity`

func scanMember(r Row) TeamMember {
	return TeamMember{Member: model.Member{
		ID: r.ID(0), Name: r.Text(1), Email: r.Text(2), Role: model.Role(r.Text(3)), AccessProfile: model.AccessProfile(r.Text(4)), Sectors: []model.Ref{},
		OpenAttendances: r.Int(7), Capacity: r.NullInt(8),
	}, LastSeenAt: r.NullTime(5), Chosen: r.Text(6)}
}

// Team lists the present members of the company with their sectors, by name.
func (tx *Tx) Team(company model.ID) ([]TeamMember, error) {
	var team []TeamMember
	err := tx.query(`SELECT `+memberColumns+` FROM users u WHERE u.company = $1 AND u.removed_at IS NULL ORDER BY u.name, u.id`,
		[]any{company}, func(r Row) error {
			team = append(team, scanMember(r))
			return nil
		})
	if err != nil {
		return nil, err
	}
	place := make(map[model.ID]int, len(team))
	for i := range team {
		place[team[i].ID] = i
	}
	return team, tx.memberships(company, func(sector model.Ref, member model.ID) {
		if i, ok := place[member]; ok {
			team[i].Sectors = append(team[i].Sectors, sector)
		}
	})
}

// memberships goes through the company's sectors by name, and the members of each.
func (tx *Tx) memberships(company model.ID, each func(sector model.Ref, member model.ID)) error {
	return tx.query(`
		SELECT s.id, s.name, m.member
		FROM sectors s
		JOIN sector_members m ON m.sector = s.id
		WHERE s.company = $1 AND s.removed_at IS NULL
		ORDER BY s.folded, s.id`, []any{company}, func(r Row) error {
		each(model.Ref{ID: r.ID(0), Name: r.Text(1)}, r.ID(2))
		return nil
	})
}

// Member gives a present member of the company with their sectors.
func (tx *Tx) Member(company, id model.ID) (TeamMember, bool, error) {
	return tx.member(company, id, "")
}

// LockMember is Member, and keeps every other writer away from them until the end of the transaction.
func (tx *Tx) LockMember(company, id model.ID) (TeamMember, bool, error) {
	return tx.member(company, id, tx.forUpdate())
}

func (tx *Tx) member(company, id model.ID, lock string) (TeamMember, bool, error) {
	var m TeamMember
	found, err := tx.one(`SELECT `+memberColumns+` FROM users u WHERE u.company = $1 AND u.id = $2 AND u.removed_at IS NULL`+lock,
		[]any{company, id}, func(r Row) { m = scanMember(r) })
	if err != nil || !found {
		return m, false, err
	}
	err = tx.query(`
		SELECT s.id, s.name
		FROM sector_members m
		JOIN sectors s ON s.id = m.sector
		WHERE m.member = $1 AND s.removed_at IS NULL
		ORDER BY s.folded, s.id`, []any{id}, func(r Row) error {
		m.Sectors = append(m.Sectors, model.Ref{ID: r.ID(0), Name: r.Text(1)})
		return nil
	})
	return m, true, err
}

// LockOwners gives the present owners of the company and keeps them owners until the end of the transaction.
func (tx *Tx) LockOwners(company model.ID) ([]model.ID, error) {
	return tx.ids(`SELECT id FROM users WHERE company = $1 AND role = 'owner' AND removed_at IS NULL ORDER BY id`+tx.forUpdate(), company)
}

// UpdateMember writes name, e-mail address, role and access profile of a member. It reports false, and the
// transaction has failed, when another member has the e-mail address.
func (tx *Tx) UpdateMember(company model.ID, m model.Member) (bool, error) {
	_, err := tx.exec(`
		UPDATE users
		SET name = $3, email = $4, email_folded = $5, role = $6, access_profile = $7, capacity = $8
		WHERE company = $1 AND id = $2`,
		company, m.ID, m.Name, m.Email, fold.Text(m.Email), m.Role, m.AccessProfile, m.Capacity)
	if db.IsUnique(err, "users_email", "users.company, users.email_folded") {
		return false, nil
	}
	return err == nil, err
}

// SetMemberSectors replaces the sectors a member belongs to.
func (tx *Tx) SetMemberSectors(company, member model.ID, sectors []model.ID) {
	tx.later(`DELETE FROM sector_members WHERE member = $1`, member)
	s := tx.statement()
	s.WriteString(`
		INSERT INTO sector_members (sector, member, company)
		SELECT s.id, u.id, u.company
		FROM users u, sectors s
		WHERE u.company = ` + s.Arg(company) + ` AND u.id = ` + s.Arg(member) + ` AND s.company = u.company AND s.id IN (` + db.Listed(sectors)(s) + `)
		ON CONFLICT DO NOTHING`)
	tx.later(s.String(), s.Args...)
}

// RemoveMember takes a member off the team and ends the keys that act as them, and those that these issued,
// as well as the links and invitations that they or these keys issued.
// What they are responsible for stays theirs for the moment: see Orphans. The company must be locked.
func (tx *Tx) RemoveMember(company, id model.ID) error {
	tx.later(`UPDATE users SET removed_at = $3 WHERE company = $1 AND id = $2`, company, id, tx.Now)
	tx.later(`UPDATE keys SET revoked_at = $3 WHERE company = $1 AND (member = $2 OR issuer = $2) AND revoked_at IS NULL`, company, id, tx.Now)
	tx.later(`DELETE FROM sector_members WHERE member = $1`, id)
	tx.later(`DELETE FROM channel_viewers WHERE company = $1 AND member = $2`, company, id)
	tx.RemoveResetLinks(company, id)
	tx.RemoveIssued(company, id)
	tx.DeleteOwnViews(company, id)
	tx.deleteOwnTalk(company, id)
	return tx.revokeIssued(company)
}

// Orphans gives up to limit conversations whose responsible person or sector is gone; of one company,
// or of all when it is zero.
func (tx *Tx) Orphans(company model.ID, limit int) ([]ConversationAt, error) {
	var out []ConversationAt
	for _, from := range []string{
		"users o JOIN conversations c ON c.company = o.company AND c.assignee = o.id",
		"sectors o JOIN conversations c ON c.company = o.company AND c.sector = o.id",
	} {
		s := tx.statement()
		s.WriteString("SELECT c.company, c.id FROM " + from + " WHERE o.removed_at IS NOT NULL")
		if !company.IsZero() {
			s.And("o.company = " + s.Arg(company))
		}
		s.WriteString(" LIMIT " + s.Arg(limit))
		err := tx.query(s.String(), s.Args, func(r Row) error {
			out = append(out, ConversationAt{r.ID(0), r.ID(1)})
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

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
	return tx.memberSights(company, ids, tx.forShare())
}

// MemberSight gives a present member of the company; nil where there is none.
func (tx *Tx) MemberSight(company, id model.ID) (*MemberSight, error) {
	found, err := tx.memberSights(company, []model.ID{id}, "")
	return found[id], err
}

func (tx *Tx) memberSights(company model.ID, ids []model.ID, lock string) (map[model.ID]*MemberSight, error) {
	found := make(map[model.ID]*MemberSight, len(ids))
	s := tx.statement()
	s.WriteString(`SELECT id, name, role, access_profile FROM users WHERE company = ` + s.Arg(company) +
		` AND removed_at IS NULL AND id IN (` + db.Listed(ids)(s) + `) ORDER BY id` + lock)
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
			m.Viewed, err = tx.ids(`SELECT channel FROM channel_viewers WHERE company = $1 AND member = $2 AND NOT pending`, company, id)
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
// their links and sessions, and reports whether there is such a member.
func (tx *Tx) SetPassword(company model.ID, email, hash string) (bool, error) {
	n, err := tx.exec(`
		UPDATE users
		SET password_hash = $3
		WHERE company = $1 AND email_folded = $2 AND removed_at IS NULL`,
		company, fold.Text(email), hash)
	tx.later(`DELETE FROM reset_links WHERE company = $1 AND member IN (SELECT id FROM users WHERE company = $1 AND email_folded = $2)`, company, fold.Text(email))
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

// deleteOwnTalk removes what belongs to a member alone: drafts, notifications, and canned replies with their renderings.
func (tx *Tx) deleteOwnTalk(company, member model.ID) {
	for _, table := range []string{"drafts", "notifications", "reply_renderings"} {
		tx.later(`DELETE FROM `+table+` WHERE company = $1 AND member = $2`, company, member)
	}
	tx.later(`DELETE FROM replies WHERE company = $1 AND owner = $2`, company, member)
}
