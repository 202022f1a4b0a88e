package people

import (
	"time"

	"recado/internal/fold"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// TeamMember is a present member of the company and when they were last active.
type TeamMember struct {
	Member
	LastSeenAt *time.Time // in a session that has not ended; nil: there is none
	Chosen     string     // the presence that the member chose; PresenceAuto: none
}

// SeenInSession is when a member u was last active in a session; null without one.
const SeenInSession = `(SELECT MAX(s.last_seen_at) FROM sessions s WHERE s.company = u.company AND s.member = u.id)`

var memberColumns = `u.id, u.name, u.email, u.role, u.access_profile, ` + SeenInSession + `, u.presence,
	(SELECT COUNT(*) FROM attendances a WHERE a.company = u.company AND a.responsible = u.id AND a.closed_at IS NULL AND NOT a.private AND NOT ` + kernel.ChannelPrivate("a") + `), u.capacity`

func scanMember(r db.Row) TeamMember {
	return TeamMember{Member: Member{
		ID: r.ID(0), Name: r.Text(1), Email: r.Text(2), Role: kernel.Role(r.Text(3)), AccessProfile: kernel.AccessProfile(r.Text(4)), Sectors: []kernel.Ref{},
		OpenAttendances: r.Int(7), Capacity: r.NullInt(8),
	}, LastSeenAt: r.NullTime(5), Chosen: r.Text(6)}
}

// findTeam lists the present members of the company with their sectors, by name.
func findTeam(tx *kernel.Tx, company kernel.ID) ([]TeamMember, error) {
	var team []TeamMember
	err := tx.Query(`SELECT `+memberColumns+` FROM users u WHERE u.company = $1 AND u.removed_at IS NULL ORDER BY u.name, u.id`,
		[]any{company}, func(r db.Row) error {
			team = append(team, scanMember(r))
			return nil
		})
	if err != nil {
		return nil, err
	}
	place := make(map[kernel.ID]int, len(team))
	for i := range team {
		place[team[i].ID] = i
	}
	return team, memberships(tx, company, func(sector kernel.Ref, member kernel.ID) {
		if i, ok := place[member]; ok {
			team[i].Sectors = append(team[i].Sectors, sector)
		}
	})
}

// memberships goes through the company's sectors by name, and the members of each.
func memberships(tx *kernel.Tx, company kernel.ID, each func(sector kernel.Ref, member kernel.ID)) error {
	return tx.Query(`
		SELECT s.id, s.name, m.member
		FROM sectors s
		JOIN sector_members m ON m.company = s.company AND m.sector = s.id
		WHERE s.company = $1 AND s.removed_at IS NULL
		ORDER BY s.folded, s.id`, []any{company}, func(r db.Row) error {
		each(kernel.Ref{ID: r.ID(0), Name: r.Text(1)}, r.ID(2))
		return nil
	})
}

// findMember gives a present member of the company with their sectors.
func findMember(tx *kernel.Tx, company, id kernel.ID) (TeamMember, bool, error) {
	return selectMember(tx, company, id, "")
}

// lockMember is Member, and keeps every other writer away from them until the end of the transaction.
func lockMember(tx *kernel.Tx, company, id kernel.ID) (TeamMember, bool, error) {
	return selectMember(tx, company, id, tx.ForUpdate())
}

func selectMember(tx *kernel.Tx, company, id kernel.ID, lock string) (TeamMember, bool, error) {
	var m TeamMember
	found, err := tx.One(`SELECT `+memberColumns+` FROM users u WHERE u.company = $1 AND u.id = $2 AND u.removed_at IS NULL`+lock,
		[]any{company, id}, func(r db.Row) { m = scanMember(r) })
	if err != nil || !found {
		return m, false, err
	}
	err = eachSectorOf(tx, company, id, func(sector kernel.Ref) { m.Sectors = append(m.Sectors, sector) })
	return m, true, err
}

// eachSectorOf goes through the sectors that a member belongs to, by name.
func eachSectorOf(tx *kernel.Tx, company, member kernel.ID, each func(sector kernel.Ref)) error {
	return tx.Query(`
		SELECT s.id, s.name
		FROM sector_members m
		JOIN sectors s ON s.company = m.company AND s.id = m.sector
		WHERE m.company = $1 AND m.member = $2 AND s.removed_at IS NULL
		ORDER BY s.folded, s.id`, []any{company, member}, func(r db.Row) error {
		each(kernel.Ref{ID: r.ID(0), Name: r.Text(1)})
		return nil
	})
}

// memberSectors returns the ids of the sectors that a member belongs to.
func memberSectors(tx *kernel.Tx, company, member kernel.ID) ([]kernel.ID, error) {
	return tx.IDs(`SELECT sector FROM sector_members WHERE company = $1 AND member = $2`, company, member)
}

// lockOwners gives the present owners of the company and keeps them owners until the end of the transaction.
func lockOwners(tx *kernel.Tx, company kernel.ID) ([]kernel.ID, error) {
	return tx.IDs(`SELECT id FROM users WHERE company = $1 AND role = 'owner' AND removed_at IS NULL ORDER BY id`+tx.ForUpdate(), company)
}

// updateMember writes name, e-mail address, role and access profile of a member. It reports false, and the
// transaction has failed, when another member has the e-mail address.
func updateMember(tx *kernel.Tx, company kernel.ID, m Member) (bool, error) {
	_, err := tx.Exec(`
		UPDATE users
		SET name = $3, email = $4, email_folded = $5, role = $6, access_profile = $7, capacity = $8
		WHERE company = $1 AND id = $2`,
		company, m.ID, m.Name, m.Email, fold.Text(m.Email), m.Role, m.AccessProfile, m.Capacity)
	if db.IsUnique(err, "users_email", "users.company, users.email_folded") {
		return false, nil
	}
	return err == nil, err
}

// setMemberSectors replaces the sectors a member belongs to.
func setMemberSectors(tx *kernel.Tx, company, member kernel.ID, sectors []kernel.ID) {
	tx.Later(`DELETE FROM sector_members WHERE company = $1 AND member = $2`, company, member)
	s := tx.Statement()
	s.WriteString(`
		INSERT INTO sector_members (company, sector, member)
		SELECT u.company, s.id, u.id
		FROM users u, sectors s
		WHERE u.company = ` + s.Arg(company) + ` AND u.id = ` + s.Arg(member) + ` AND s.company = u.company AND s.id IN (` + db.Listed(sectors)(s) + `)
		ON CONFLICT DO NOTHING`)
	tx.Later(s.String(), s.Args...)
}

// removeMember takes a member off the team and ends the keys that act as them, and those that these issued,
// as well as the links and invitations that they or these keys issued.
// What they are responsible for stays theirs for the moment: see Orphans. The company must be locked.
func removeMember(tx *kernel.Tx, company, id kernel.ID) error {
	tx.Later(`UPDATE users SET removed_at = $3 WHERE company = $1 AND id = $2`, company, id, tx.Now)
	tx.Later(`UPDATE keys SET revoked_at = $3 WHERE company = $1 AND (member = $2 OR issuer = $2) AND revoked_at IS NULL`, company, id, tx.Now)
	tx.Later(`DELETE FROM sector_members WHERE company = $1 AND member = $2`, company, id)
	tx.Later(`DELETE FROM channel_viewers WHERE company = $1 AND member = $2`, company, id)
	removeResetLinks(tx, company, id)
	removeIssued(tx, company, id)
	return revokeIssued(tx, company)
}

// User is a team member with what the API does not show.
type User struct {
	Member
	PasswordHash *string
}

// InsertUser adds a team member. It reports false when another member of the company has the e-mail address.
func InsertUser(tx *kernel.Tx, company kernel.ID, u User) (bool, error) {
	n, err := tx.Exec(`
		INSERT INTO users (id, company, name, email, email_folded, password_hash, role, access_profile, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
		ON CONFLICT DO NOTHING`,
		u.ID, company, u.Name, u.Email, fold.Text(u.Email), u.PasswordHash, u.Role, u.AccessProfile, tx.Now)
	return n == 1, err
}

// UserRef finds a present member of the company.
func UserRef(tx *kernel.Tx, company, id kernel.ID) (kernel.Ref, bool, error) {
	var ref kernel.Ref
	found, err := tx.One(`SELECT id, name FROM users WHERE company = $1 AND id = $2 AND removed_at IS NULL`, []any{company, id}, func(r db.Row) {
		ref = kernel.Ref{ID: r.ID(0), Name: r.Text(1)}
	})
	return ref, found, err
}

// KeepUser is UserRef, and keeps the member from being removed until the end of the transaction.
func KeepUser(tx *kernel.Tx, company, id kernel.ID) (kernel.Ref, bool, error) {
	var ref kernel.Ref
	found, err := tx.One(`SELECT id, name FROM users WHERE company = $1 AND id = $2 AND removed_at IS NULL`+tx.ForShare(), []any{company, id}, func(r db.Row) {
		ref = kernel.Ref{ID: r.ID(0), Name: r.Text(1)}
	})
	return ref, found, err
}

// keepUsers is KeepUser for several members in one query; the result has those that are present.
func keepUsers(tx *kernel.Tx, company kernel.ID, ids []kernel.ID) (map[kernel.ID]kernel.Ref, error) {
	found := make(map[kernel.ID]kernel.Ref, len(ids))
	s := tx.Statement()
	s.WriteString(`SELECT id, name FROM users WHERE company = ` + s.Arg(company) + ` AND removed_at IS NULL AND id IN (` + db.Listed(ids)(s) + `) ORDER BY id` + tx.ForShare())
	err := tx.Query(s.String(), s.Args, func(r db.Row) error {
		found[r.ID(0)] = kernel.Ref{ID: r.ID(0), Name: r.Text(1)}
		return nil
	})
	return found, err
}

// UserNames gives the names of members of the company, also of those who have left.
func UserNames(tx *kernel.Tx, company kernel.ID, ids []kernel.ID) (map[kernel.ID]string, error) {
	names := make(map[kernel.ID]string, len(ids))
	s := tx.Statement()
	s.WriteString(`SELECT id, name FROM users WHERE company = ` + s.Arg(company) + ` AND id IN (` + db.Listed(ids)(s) + `)`)
	err := tx.Query(s.String(), s.Args, func(r db.Row) error {
		names[r.ID(0)] = r.Text(1)
		return nil
	})
	return names, err
}

// KeepMemberSights gives present members of the company and keeps them from being removed until the end of the
// transaction.
func KeepMemberSights(tx *kernel.Tx, company kernel.ID, ids []kernel.ID) (map[kernel.ID]*kernel.MemberSight, error) {
	return memberSights(tx, company, ids, tx.ForShare())
}

// memberSight gives a present member of the company; nil where there is none.
func memberSight(tx *kernel.Tx, company, id kernel.ID) (*kernel.MemberSight, error) {
	found, err := memberSights(tx, company, []kernel.ID{id}, "")
	return found[id], err
}

func memberSights(tx *kernel.Tx, company kernel.ID, ids []kernel.ID, lock string) (map[kernel.ID]*kernel.MemberSight, error) {
	found := make(map[kernel.ID]*kernel.MemberSight, len(ids))
	s := tx.Statement()
	s.WriteString(`SELECT id, name, role, access_profile FROM users WHERE company = ` + s.Arg(company) +
		` AND removed_at IS NULL AND id IN (` + db.Listed(ids)(s) + `) ORDER BY id` + lock)
	err := tx.Query(s.String(), s.Args, func(r db.Row) error {
		found[r.ID(0)] = &kernel.MemberSight{
			User: kernel.Ref{ID: r.ID(0), Name: r.Text(1)}, Role: kernel.Role(r.Text(2)), Profile: kernel.AccessProfile(r.Text(3)),
		}
		return nil
	})
	for id, m := range found {
		if err == nil {
			m.Sectors, err = memberSectors(tx, company, id)
		}
		if err == nil {
			m.Viewed, err = tx.IDs(`SELECT channel FROM channel_viewers WHERE company = $1 AND member = $2 AND NOT pending`, company, id)
		}
	}
	return found, err
}

// RemovedOrPresentUserRef also finds people who have left, for history and reports.
func RemovedOrPresentUserRef(tx *kernel.Tx, company, id kernel.ID) (kernel.Ref, bool, error) {
	var ref kernel.Ref
	found, err := tx.One(`SELECT id, name FROM users WHERE company = $1 AND id = $2`, []any{company, id}, func(r db.Row) {
		ref = kernel.Ref{ID: r.ID(0), Name: r.Text(1)}
	})
	return ref, found, err
}

// ownerOf gives the company's first owner.
func ownerOf(tx *kernel.Tx, company kernel.ID) (kernel.Ref, bool, error) {
	var ref kernel.Ref
	found, err := tx.One(`
		SELECT id, name
		FROM users
		WHERE company = $1 AND role = 'owner' AND removed_at IS NULL
		ORDER BY id
		LIMIT 1`, []any{company}, func(r db.Row) {
		ref = kernel.Ref{ID: r.ID(0), Name: r.Text(1)}
	})
	return ref, found, err
}

// userByEmail finds the present member of the company with that e-mail address.
func userByEmail(tx *kernel.Tx, company kernel.ID, email string) (u User, found bool, err error) {
	found, err = tx.One(`
		SELECT id, name, email, password_hash, role, access_profile
		FROM users
		WHERE company = $1 AND email_folded = $2 AND removed_at IS NULL`, []any{company, fold.Text(email)}, func(r db.Row) {
		u.ID, u.Name, u.Email, u.PasswordHash = r.ID(0), r.Text(1), r.Text(2), r.NullText(3)
		u.Role, u.AccessProfile = kernel.Role(r.Text(4)), kernel.AccessProfile(r.Text(5))
	})
	return u, found, err
}

// setPassword replaces the password hash of the present member of the company with that e-mail address, ends
// their links and sessions, and reports whether there is such a member.
func setPassword(tx *kernel.Tx, company kernel.ID, email, hash string) (bool, error) {
	n, err := tx.Exec(`
		UPDATE users
		SET password_hash = $3
		WHERE company = $1 AND email_folded = $2 AND removed_at IS NULL`,
		company, fold.Text(email), hash)
	tx.Later(`DELETE FROM reset_links WHERE company = $1 AND member IN (SELECT id FROM users WHERE company = $1 AND email_folded = $2)`, company, fold.Text(email))
	tx.Later(`DELETE FROM sessions WHERE company = $1 AND member IN (SELECT id FROM users WHERE company = $1 AND email_folded = $2)`, company, fold.Text(email))
	return n == 1, err
}

// MemberPowers gives a present member's name, role and access profile.
func MemberPowers(tx *kernel.Tx, company, id kernel.ID) (Member, bool, error) {
	var m Member
	found, err := tx.One(`SELECT id, name, role, access_profile FROM users WHERE company = $1 AND id = $2 AND removed_at IS NULL`,
		[]any{company, id}, func(r db.Row) {
			m = Member{ID: r.ID(0), Name: r.Text(1), Role: kernel.Role(r.Text(2)), AccessProfile: kernel.AccessProfile(r.Text(3))}
		})
	return m, found, err
}

// Person is a present team member with the company.
type personRow struct {
	Company   kernel.Company
	ID        kernel.ID
	Name      string
	Email     string
	Role      kernel.Role
	TwoFactor bool
}

// findPeople lists the present members of all companies, or of one unless that is zero.
func findPeople(tx *kernel.Tx, company kernel.ID) ([]personRow, error) {
	var people []personRow
	err := tx.Query(`
		SELECT /* all companies: the operator's list */ c.id, c.name, c.timezone, u.id, u.name, u.email, u.role, u.two_factor IS NOT NULL
		FROM users u
		JOIN companies c ON c.id = u.company
		WHERE u.removed_at IS NULL
		ORDER BY c.name, c.id, u.email_folded, u.id`, nil, func(r db.Row) error {
		if company.IsZero() || company == r.ID(0) {
			people = append(people, personRow{
				Company: kernel.Company{ID: r.ID(0), Name: r.Text(1), Timezone: r.Text(2)},
				ID:      r.ID(3), Name: r.Text(4), Email: r.Text(5), Role: kernel.Role(r.Text(6)), TwoFactor: r.Bool(7),
			})
		}
		return nil
	})
	return people, err
}
