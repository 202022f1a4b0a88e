package people

import (
	"slices"
	"time"

	"recado/internal/fold"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// TeamMember is a member with the data that determines their presence.
type TeamMember struct {
	Member
	LastSeenAt *time.Time // in a session; nil without one
	Chosen     string     // the presence that the member chose, or PresenceAuto
}

// SeenInSession is an expression: when a member u was last active in a session, or NULL without one.
const SeenInSession = `(SELECT MAX(s.last_seen_at) FROM sessions s WHERE s.company = u.company AND s.member = u.id)`

var memberColumns = `
	u.id, u.name, u.email, u.role, u.access_profile, u.capacity, u.presence, ` + SeenInSession + ` AS last_seen_at,
	(SELECT COUNT(*) FROM attendances a WHERE a.company = u.company AND a.responsible = u.id AND a.closed_at IS NULL
		AND NOT a.private AND NOT ` + kernel.ChannelPrivate("a") + `) AS open_attendances`

func scanMember(r db.Row) TeamMember {
	return TeamMember{
		Member: Member{
			ID: r.ID("id"), Name: r.Text("name"), Email: r.Text("email"), Role: kernel.Role(r.Text("role")),
			AccessProfile: kernel.AccessProfile(r.Text("access_profile")), Sectors: []kernel.Ref{},
			OpenAttendances: r.Int("open_attendances"), Capacity: r.NullInt("capacity"),
		},
		Chosen: r.Text("presence"), LastSeenAt: r.NullTime("last_seen_at"),
	}
}

// listTeam lists the members of the company by name, with their sectors.
func listTeam(tx *kernel.Tx, company kernel.ID) ([]TeamMember, error) {
	team, err := kernel.Rows(tx, `
		SELECT`+memberColumns+`
		FROM users u
		WHERE u.company = $1 AND u.removed_at IS NULL
		ORDER BY u.name, u.id`, []any{company}, scanMember)
	if err != nil {
		return nil, err
	}
	members := map[kernel.ID]*TeamMember{}
	for i := range team {
		members[team[i].ID] = &team[i]
	}
	return team, tx.Query(`
		SELECT s.id, s.name, m.member
		FROM sectors s
		JOIN sector_members m ON m.company = s.company AND m.sector = s.id
		WHERE s.company = $1 AND s.removed_at IS NULL
		ORDER BY s.folded, s.id`, []any{company}, func(r db.Row) error {
		sector := scanRef(r)
		if m := members[r.ID("member")]; m != nil {
			m.Sectors = append(m.Sectors, sector)
		}
		return nil
	})
}

// findMember finds a member of the company with their sectors. The lock applies to the member.
func findMember(tx *kernel.Tx, company, id kernel.ID, lock string) (TeamMember, error) {
	m, err := kernel.Find(tx, "team member", `
		SELECT`+memberColumns+`
		FROM users u
		WHERE u.company = $1 AND u.id = $2 AND u.removed_at IS NULL`+lock, []any{company, id}, scanMember)
	if err == nil {
		m.Sectors, err = sectorsOf(tx, company, id)
	}
	return m, err
}

// sectorsOf returns the sectors that a member belongs to, by name.
func sectorsOf(tx *kernel.Tx, company, member kernel.ID) ([]kernel.Ref, error) {
	return kernel.Rows(tx, `
		SELECT s.id, s.name
		FROM sector_members m
		JOIN sectors s ON s.company = m.company AND s.id = m.sector
		WHERE m.company = $1 AND m.member = $2 AND s.removed_at IS NULL
		ORDER BY s.folded, s.id`, []any{company, member}, scanRef)
}

// memberSectors returns the ids of the sectors that a member belongs to.
func memberSectors(tx *kernel.Tx, company, member kernel.ID) ([]kernel.ID, error) {
	return tx.IDs(`SELECT sector FROM sector_members WHERE company = $1 AND member = $2`, company, member)
}

// lockOwners returns the owners of the company and locks them.
func lockOwners(tx *kernel.Tx, company kernel.ID) ([]kernel.ID, error) {
	return tx.IDs(`
		SELECT id
		FROM users
		WHERE company = $1 AND role = 'owner' AND removed_at IS NULL
		ORDER BY id`+tx.ForUpdate(), company)
}

// updateMember stores a member. It returns an error if another member has the e-mail address.
func updateMember(tx *kernel.Tx, company kernel.ID, m Member) error {
	_, err := tx.Exec(`
		UPDATE users
		SET name = $3, email = $4, email_folded = $5, role = $6, access_profile = $7, capacity = $8
		WHERE company = $1 AND id = $2`,
		company, m.ID, m.Name, m.Email, fold.Text(m.Email), m.Role, m.AccessProfile, m.Capacity)
	if db.IsUnique(err, "users_email", "users.company, users.email_folded") {
		return errEmailTaken(m.Email)
	}
	return err
}

// setMemberSectors replaces the sectors of a member.
func setMemberSectors(tx *kernel.Tx, company, member kernel.ID, sectors []kernel.ID) {
	tx.Later(`DELETE FROM sector_members WHERE company = $1 AND member = $2`, company, member)
	insertMemberships(tx, company, sectors, []kernel.ID{member})
}

// removeMember removes a member, their keys and the keys issued by these, and all links and invitations that any of them issued.
// Conversations of the member are reassigned later: see Orphans. The company must be locked.
func removeMember(tx *kernel.Tx, a *kernel.Principal, id kernel.ID) error {
	company := a.Company.ID
	tx.Later(`UPDATE users SET removed_at = $3 WHERE company = $1 AND id = $2`, company, id, tx.Now)
	tx.Later(`DELETE FROM sector_members WHERE company = $1 AND member = $2`, company, id)
	tx.Later(`DELETE FROM channel_viewers WHERE company = $1 AND member = $2`, company, id)
	removeResetLinks(tx, company, id)
	if err := removeIssued(tx, a, id); err != nil {
		return err
	}
	if _, err := revokeKeys(tx, a, `(member = $3 OR issuer = $3)`, id); err != nil {
		return err
	}
	return revokeIssued(tx, a)
}

// User is a team member with their password hash.
type User struct {
	Member
	PasswordHash *string
}

// InsertUser stores a team member. It reports false if another member of the company has the e-mail address.
func InsertUser(tx *kernel.Tx, company kernel.ID, u User) (bool, error) {
	n, err := tx.Exec(`
		INSERT INTO users (id, company, name, email, email_folded, password_hash, role, access_profile, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
		ON CONFLICT DO NOTHING`,
		u.ID, company, u.Name, u.Email, fold.Text(u.Email), u.PasswordHash, u.Role, u.AccessProfile, tx.Now)
	return n == 1, err
}

// InsertFormer stores a person who has left the team, so that imported messages and notes can name them. They cannot sign in.
func InsertFormer(tx *kernel.Tx, company, id kernel.ID, name string) {
	email := id.String() + "@former.invalid"
	tx.Later(`
		INSERT INTO users (id, company, name, email, email_folded, role, access_profile, created_at, removed_at)
		VALUES ($1, $2, $3, $4, $4, $5, $6, $7, $7)`, id, company, name, email, kernel.RoleAgent, kernel.AccessOwn, tx.Now)
}

// insertUser is InsertUser with an error if another member has the e-mail address.
func insertUser(tx *kernel.Tx, company kernel.ID, u User) error {
	inserted, err := InsertUser(tx, company, u)
	if err != nil || !inserted {
		return kernel.ErrOr(err, errEmailTaken(u.Email))
	}
	return nil
}

// UserRef finds a member of the company.
func UserRef(tx *kernel.Tx, company, id kernel.ID) (kernel.Ref, bool, error) {
	return selectRef(tx, `id = $2 AND removed_at IS NULL`, company, id)
}

// KeepUser is UserRef and keeps the member from being removed until the transaction ends.
func KeepUser(tx *kernel.Tx, company, id kernel.ID) (kernel.Ref, bool, error) {
	return selectRef(tx, `id = $2 AND removed_at IS NULL`+tx.ForShare(), company, id)
}

// RemovedOrPresentUserRef finds a member, even if they were removed, for history and reports.
func RemovedOrPresentUserRef(tx *kernel.Tx, company, id kernel.ID) (kernel.Ref, bool, error) {
	return selectRef(tx, `id = $2`, company, id)
}

func selectRef(tx *kernel.Tx, condition string, args ...any) (kernel.Ref, bool, error) {
	return kernel.Row(tx, `SELECT id, name FROM users WHERE company = $1 AND `+condition, args, scanRef)
}

func scanRef(r db.Row) kernel.Ref { return kernel.Ref{ID: r.ID("id"), Name: r.Text("name")} }

// keepUsers finds the members among ids and keeps them from being removed until the transaction ends.
func keepUsers(tx *kernel.Tx, company kernel.ID, ids []kernel.ID) ([]kernel.Ref, error) {
	s := tx.Statement()
	s.WriteString(`
		SELECT id, name
		FROM users
		WHERE company = ` + s.Arg(company) + ` AND removed_at IS NULL AND id IN (` + db.Listed(ids)(s) + `)
		ORDER BY id` + tx.ForShare())
	return kernel.Rows(tx, s.String(), s.Args, scanRef)
}

// UserNames returns the names of members of the company, including removed ones.
func UserNames(tx *kernel.Tx, company kernel.ID, ids []kernel.ID) (map[kernel.ID]string, error) {
	names := make(map[kernel.ID]string, len(ids))
	s := tx.Statement()
	s.WriteString(`SELECT id, name FROM users WHERE company = ` + s.Arg(company) + ` AND id IN (` + db.Listed(ids)(s) + `)`)
	err := tx.Query(s.String(), s.Args, func(r db.Row) error {
		names[r.ID("id")] = r.Text("name")
		return nil
	})
	return names, err
}

// KeepMemberSights finds members of the company and keeps them from being removed until the transaction ends.
func KeepMemberSights(tx *kernel.Tx, company kernel.ID, ids []kernel.ID) (map[kernel.ID]*kernel.MemberSight, error) {
	return memberSights(tx, company, ids, tx.ForShare())
}

func memberSights(tx *kernel.Tx, company kernel.ID, ids []kernel.ID, lock string) (map[kernel.ID]*kernel.MemberSight, error) {
	found := make(map[kernel.ID]*kernel.MemberSight, len(ids))
	s := tx.Statement()
	s.WriteString(`
		SELECT id, name, role, access_profile
		FROM users
		WHERE company = ` + s.Arg(company) + ` AND removed_at IS NULL AND id IN (` + db.Listed(ids)(s) + `)
		ORDER BY id` + lock)
	err := tx.Query(s.String(), s.Args, func(r db.Row) error {
		m := scanSight(r)
		found[m.User.ID] = &m
		return nil
	})
	for id, m := range found {
		if err == nil {
			m.Sectors, err = memberSectors(tx, company, id)
		}
		if err == nil {
			m.Viewed, err = viewedChannels(tx, company, id)
		}
	}
	return found, err
}

func scanSight(r db.Row) kernel.MemberSight {
	return kernel.MemberSight{
		User: scanRef(r), Role: kernel.Role(r.Text("role")), Profile: kernel.AccessProfile(r.Text("access_profile")),
	}
}

// userByEmail finds the member of the company with an e-mail address.
func userByEmail(tx *kernel.Tx, company kernel.ID, email string) (kernel.Ref, bool, error) {
	return selectRef(tx, `email_folded = $2 AND removed_at IS NULL`, company, fold.Text(email))
}

// MemberPowers finds a member with name, role and access profile.
func MemberPowers(tx *kernel.Tx, company, id kernel.ID) (kernel.MemberSight, bool, error) {
	return kernel.Row(tx, `SELECT id, name, role, access_profile FROM users WHERE company = $1 AND id = $2 AND removed_at IS NULL`,
		[]any{company, id}, scanSight)
}

// listPeople lists the members of one company, or of all if it is zero.
func listPeople(tx *kernel.Tx, company kernel.ID) ([]Person, error) {
	people, err := kernel.Rows(tx, `
		SELECT /* all companies: the operator's list */ c.id AS company, c.name AS company_name, c.timezone,
			u.id, u.name, u.email, u.role, u.two_factor IS NOT NULL AS has_two_factor
		FROM users u
		JOIN companies c ON c.id = u.company
		WHERE u.removed_at IS NULL
		ORDER BY c.name, c.id, u.email_folded, u.id`, nil, func(r db.Row) Person {
		return Person{
			Company: scanCompany(r), ID: r.ID("id"), Name: r.Text("name"), Email: r.Text("email"), Role: kernel.Role(r.Text("role")),
			TwoFactor: r.Bool("has_two_factor"),
		}
	})
	return slices.DeleteFunc(people, func(p Person) bool { return !company.IsZero() && company != p.Company.ID }), err
}
