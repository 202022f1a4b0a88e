package people

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"recado/internal/fold"
	"recado/internal/kernel"
)

// Values of Member.Presence.
const (
	PresenceOnline  = "online"
	PresenceAway    = "away"
	PresenceOffline = "offline"
)

// Member is a person of the team.
type Member struct {
	ID            kernel.ID            `json:"id"`
	Name          string               `json:"name"`
	Email         string               `json:"email"`
	Role          kernel.Role          `json:"role" enum:"owner,admin,manager,agent"`
	AccessProfile kernel.AccessProfile `json:"access_profile" enum:"all,sectors,own"`
	Presence      string               `json:"presence" enum:"online,away,offline"`
	Sectors       []kernel.Ref         `json:"sectors"`

	OpenAttendances int64 `json:"open_attendances" doc:"The number of open attendances assigned to the person."`

	Capacity *int64 `json:"capacity" doc:"The maximum number of open attendances that distribution assigns to the person across all sectors; null if the sector's capacity applies."`
}

// Sector is a department with its members and queues.
type Sector struct {
	ID      kernel.ID    `json:"id"`
	Name    string       `json:"name"`
	Members []kernel.Ref `json:"members"`
	Queues  []Queue      `json:"queues"`

	HoursID *kernel.ID `json:"hours_id" doc:"The sector's own opening hours; if null, the opening hours of the channel or the company apply."`

	Distribution Distribution `json:"distribution"`
}

// Queue counts the open attendances of a sector and a channel that have no responsible person.
type Queue struct {
	Channel         kernel.ID  `json:"channel"`
	Waiting         int64      `json:"waiting"`
	OldestWaitingAt *time.Time `json:"oldest_waiting_at"`
}

// MemberPrincipal returns the principal of a member as if they were signed in.
func MemberPrincipal(company kernel.Company, m *kernel.MemberSight) *kernel.Principal {
	member := kernel.Member{User: m.User, Role: m.Role, Profile: m.Profile, Sectors: m.Sectors}
	return kernel.SessionPrincipal(company, member, kernel.ID{}, m.Viewed, kernel.Rate{})
}

// How long after their last activity a member is online, and then away.
const (
	onlineFor = 2 * time.Minute
	awayFor   = 15 * time.Minute
)

// Team lists the members of the company by name.
func (d *People) Team(ctx context.Context, a *kernel.Principal) ([]Member, error) {
	team, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]TeamMember, error) { return listTeam(tx, a.Company.ID) })
	return d.withPresence(team...), err
}

// Member returns a member of the company.
func (d *People) Member(ctx context.Context, a *kernel.Principal, id kernel.ID) (Member, error) {
	m, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (TeamMember, error) { return findMember(tx, a.Company.ID, id, "") })
	return d.withPresence(m)[0], err
}

func (d *People) withPresence(team ...TeamMember) []Member {
	now, latest := d.Now(), d.seen.members()
	members := make([]Member, len(team))
	for i, m := range team {
		members[i] = m.Member
		members[i].Presence = PresenceOf(now, m.Chosen, m.LastSeenAt, latest[m.ID])
	}
	return members
}

// PresenceOf returns the presence of a member from the time of their last activity, as stored (nil without a session) and as
// seen on this node. A chosen presence applies while the member would not be offline.
func PresenceOf(now time.Time, chosen string, stored *time.Time, here time.Time) string {
	if stored == nil {
		return PresenceOffline
	}
	if stored.After(here) {
		here = *stored
	}
	switch quiet := now.Sub(here); {
	case quiet >= awayFor:
		return PresenceOffline
	case chosen != "" && chosen != PresenceAuto:
		return chosen
	case quiet < onlineFor:
		return PresenceOnline
	}
	return PresenceAway
}

// CreateMember adds a person to the team.
func (d *People) CreateMember(ctx context.Context, a *kernel.Principal, in NewUser, sectors []kernel.ID) (Member, error) {
	if err := kernel.ErrOr(mayManage(a, in.Role), mayShow(a, in.AccessProfile, sectors)); err != nil {
		return Member{}, err
	}
	u, err := d.newUser(ctx, "body.", in)
	if err != nil {
		return Member{}, err
	}
	return kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (Member, error) {
		err := cmp.Or(
			CheckSectors(tx, a, sectors),
			kernel.CheckLimit(tx, a.Company.ID, countMembers, "team members", d.Limit(limitMembers)),
			d.checkMemberships(tx, a.Company.ID, 0, len(sectors)),
		)
		if err != nil {
			return u.Member, err
		}
		if err := insertUser(tx, a.Company.ID, u); err != nil {
			return u.Member, err
		}
		setMemberSectors(tx, a.Company.ID, u.ID, sectors)
		m, err := findMember(tx, a.Company.ID, u.ID, "")
		tx.Audit(a, kernel.AuditEntry{Action: "member.created", Subject: m.subject(), Changes: memberChanges(nil, m.Member)})
		return d.withPresence(m)[0], err
	})
}

// subject returns the member as the subject of an audit entry.
func (m *Member) subject() kernel.AuditSubject { return kernel.NewAuditSubject("member", m.ID, m.Name) }

// memberChanges compares two states of a member for an audit entry.
func memberChanges(before, after any) []kernel.AuditChange {
	return kernel.AuditChanges(before, after, "presence", "open_attendances")
}

// mayManage returns an error if the principal may not manage members of a role. Owners manage every role; managers and admins
// manage lower roles. For admins and owners a key needs the scopes that their role adds, because it could create a link to sign
// in as them.
func mayManage(a *kernel.Principal, role kernel.Role) error {
	if err := a.Need(kernel.RoleManager); err != nil {
		return err
	}
	if a.Role != kernel.RoleOwner && role.AtLeast(a.Role) {
		return kernel.Errorf(kernel.CodeInsufficientScope,
			"A caller with the role %s cannot manage members with the role %s.", a.Role, role)
	}
	if a.Kind() != kernel.KindKey || !role.AtLeast(kernel.RoleAdmin) {
		return nil
	}
	for _, lacking := range kernel.ScopesOf(role).Without(kernel.ScopesOf(kernel.RoleManager)).Without(a.Scopes).List() {
		// A scope without verbs allows nothing.
		if slices.ContainsFunc(kernel.Verbs, func(v kernel.Verb) bool { return v.Scope == lacking }) {
			return &kernel.Error{
				Code: kernel.CodeInsufficientScope,
				Message: "A key manages members with the role " + string(role) +
					" only if it has the scopes that this role adds to those of managers. This one lacks " + string(lacking) + ".",
				Params: kernel.Params{"scope": lacking},
				Fields: []kernel.FieldError{kernel.RuleMissingScope.At("scope", string(lacking), kernel.Params{"scope": lacking})},
			}
		}
	}
	return nil
}

// mayShow returns an error if an access profile is wider than that of the principal, who therefore may not grant it.
func mayShow(a *kernel.Principal, profile kernel.AccessProfile, sectors []kernel.ID) error {
	beyond := func(id kernel.ID) bool { return !slices.Contains(a.Sectors, id) }
	switch {
	case a.Profile == kernel.AccessAll, profile == kernel.AccessOwn:
		return nil
	case a.Profile == profile && !slices.ContainsFunc(sectors, beyond):
		return nil
	}
	return kernel.Errorf(kernel.CodeInsufficientScope,
		"A caller who cannot see all conversations cannot give a member a wider access profile.")
}

// CheckSectors returns an error unless all sectors belong to the company. It keeps them from being removed until the transaction
// ends.
func CheckSectors(tx *kernel.Tx, a *kernel.Principal, sectors []kernel.ID) error {
	present, err := presentSectors(tx, a.Company.ID, sectors, tx.ForShare())
	if err != nil || slices.ContainsFunc(sectors, func(id kernel.ID) bool { return !slices.Contains(present, id) }) {
		return kernel.ErrOr(err, kernel.NoSuch("body.sector_ids", "sector"))
	}
	return nil
}

// MemberChange lists the fields to change; nil fields stay as they are.
type MemberChange struct {
	Name          *string                `json:"name,omitempty" minLength:"1" maxLength:"120"`
	Email         *string                `json:"email,omitempty" minLength:"3" maxLength:"254"`
	Role          *kernel.Role           `json:"role,omitempty" enum:"owner,admin,manager,agent"`
	AccessProfile *kernel.AccessProfile  `json:"access_profile,omitempty" enum:"all,sectors,own"`
	SectorIDs     *[]kernel.ID           `json:"sector_ids,omitempty" maxItems:"1000" doc:"Replaces all sectors of the person."`
	Capacity      kernel.Optional[int64] `json:"capacity,omitempty" required:"false" doc:"The maximum number of open attendances that distribution assigns to the person, from 1 to 100; null to use the sector's capacity."`
}

// UpdateMember changes a member. Members may change their own name and e-mail address. Everything else requires a role above
// the member's old and new role. The last owner stays an owner. A change of what the member may do or see deletes their reset
// links, and a lower role the links that they issued.
func (d *People) UpdateMember(ctx context.Context, a *kernel.Principal, id kernel.ID, in MemberChange) (Member, error) {
	if err := in.check(); err != nil {
		return Member{}, err
	}
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (Member, error) {
		owners, err := lockOwners(tx, a.Company.ID)
		if err != nil {
			return Member{}, err
		}
		m, err := findMember(tx, a.Company.ID, id, tx.ForUpdate())
		if err = kernel.ErrOr(err, in.allowed(a, m.Member)); err != nil {
			return m.Member, err
		}
		if in.SectorIDs != nil {
			err := kernel.ErrOr(CheckSectors(tx, a, *in.SectorIDs),
				d.checkMemberships(tx, a.Company.ID, len(m.Sectors), len(*in.SectorIDs)))
			if err != nil {
				return m.Member, err
			}
			setMemberSectors(tx, a.Company.ID, id, *in.SectorIDs)
		}
		if in.Role != nil && *in.Role != kernel.RoleOwner && isOnly(owners, id) {
			return m.Member, errLastOwner("body.role")
		}
		before := m.Member
		role, profile, sectors := in.powers(m.Member)
		if role != m.Role || profile != m.AccessProfile || !kernel.SameIDs(sectors, refIDs(m.Sectors)) {
			removeResetLinks(tx, a.Company.ID, id)
		}
		if !role.AtLeast(m.Role) {
			if err := removeIssued(tx, a, id); err != nil {
				return m.Member, err
			}
		}
		kernel.Set(&m.Name, in.Name)
		kernel.Set(&m.Email, in.Email)
		m.Role, m.AccessProfile = role, profile
		if in.Capacity.Set {
			m.Capacity = in.Capacity.Pointer()
			tx.AfterCommit(d.Wakeup(WakeDistribute).Notify)
		}
		if err := updateMember(tx, a.Company.ID, m.Member); err != nil {
			return m.Member, err
		}
		d.ForgetHolders(tx, a.Company.ID)
		m, err = findMember(tx, a.Company.ID, id, "")
		tx.AuditUpdate(a, kernel.AuditEntry{Action: "member.updated", Subject: m.subject(), Changes: memberChanges(before, m.Member)})
		return d.withPresence(m)[0], err
	})
}

// check validates a change and trims its text.
func (in *MemberChange) check() error {
	if err := kernel.CleanName("body.name", &in.Name); err != nil {
		return err
	}
	if in.Email != nil {
		email := strings.TrimSpace(*in.Email)
		if !plausibleEmail(email) {
			return kernel.Malformed("body.email", "email")
		}
		in.Email = &email
	}
	if c := in.Capacity.Pointer(); c != nil && (*c < 1 || *c > MaxCapacity) {
		return kernel.Between("body.capacity", 1, MaxCapacity)
	}
	return nil
}

// powers returns role, access profile and sectors of a member after the change.
func (in *MemberChange) powers(m Member) (kernel.Role, kernel.AccessProfile, []kernel.ID) {
	role, profile, sectors := m.Role, m.AccessProfile, refIDs(m.Sectors)
	kernel.Set(&role, in.Role)
	kernel.Set(&profile, in.AccessProfile)
	kernel.Set(&sectors, in.SectorIDs)
	return role, profile, sectors
}

// allowed returns an error if the principal may not make this change. Only a principal who sees as much as the member may
// change their e-mail address, role and access profile.
func (in *MemberChange) allowed(a *kernel.Principal, m Member) error {
	if m.ID == a.User.ID && in.Role == nil && in.AccessProfile == nil && in.SectorIDs == nil && !in.Capacity.Set {
		return nil
	}
	if err := mayManage(a, m.Role); err != nil {
		return err
	}
	if m.ID != a.User.ID && (in.Email != nil || in.Role != nil || in.AccessProfile != nil) {
		if err := seesAsMuch(a, m); err != nil {
			return err
		}
	}
	role, profile, sectors := in.powers(m)
	err := mayManage(a, role)
	if err != nil || in.AccessProfile == nil && in.SectorIDs == nil {
		return err
	}
	return mayShow(a, profile, sectors)
}

// seesAsMuch returns an error if a member has a wider access profile than the principal, who could sign in as the member after
// changing their e-mail address.
func seesAsMuch(a *kernel.Principal, m Member) error {
	if mayShow(a, m.AccessProfile, refIDs(m.Sectors)) == nil {
		return nil
	}
	return kernel.Errorf(kernel.CodeInsufficientScope, "This member has a wider access profile than the caller.")
}

// RemoveMember removes a member from the team. Their keys end at once on this node and within a second on others. Their
// attendances return to the queue. The only viewer of a private channel cannot be removed by somebody who may choose its viewers.
// Others must not learn of the channel: then the first owner becomes its viewer.
func (d *People) RemoveMember(ctx context.Context, a *kernel.Principal, id kernel.ID) error {
	err := d.Store.Write(ctx, func(tx *kernel.Tx) error {
		tx.LockCompany(a.Company.ID)
		owners, err := lockOwners(tx, a.Company.ID) // before the member, as in UpdateMember
		if err != nil {
			return err
		}
		m, err := findMember(tx, a.Company.ID, id, tx.ForUpdate())
		if err = kernel.ErrOr(err, mayManage(a, m.Role)); err != nil {
			return err
		}
		if isOnly(owners, id) {
			return errLastOwner("path.id")
		}
		if err := auditLeaving(tx, a, id); err != nil {
			return err
		}
		if err := keepViewer(tx, a, m.Member, owners); err != nil {
			return err
		}
		tx.Audit(a, kernel.AuditEntry{Action: "member.removed", Subject: m.subject(), Changes: memberChanges(m.Member, nil)})
		if _, err := endSessions(tx, a.Company.ID, id); err != nil {
			return err
		}
		d.ForgetHolders(tx, a.Company.ID)
		if err := removeMember(tx, a, id); err != nil {
			return err
		}
		for _, o := range d.observers {
			if o.MemberRemoved != nil {
				if err := o.MemberRemoved(tx, a.Company.ID, id); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return d.notifyRemoved(ctx, a.Company.ID, &a.User)
}

// keepViewer makes the first other owner a viewer of the private channels that only the member sees. It returns an error if there
// is no such owner or if the principal may choose the viewers.
func keepViewer(tx *kernel.Tx, a *kernel.Principal, m Member, owners []kernel.ID) error {
	id := m.ID
	viewed, err := kernel.Rows(tx, `SELECT ch.id, ch.name`+viewedOnlyBy+` ORDER BY ch.id`, []any{a.Company.ID, id}, scanRef)
	if err != nil || len(viewed) == 0 {
		return err
	}
	owner := slices.IndexFunc(owners, func(o kernel.ID) bool { return o != id })
	if owner < 0 || a.May(VerbPrivateChannels) == nil {
		return kernel.Invalid("path.id", ruleOnlyViewer, "is the only viewer of a private channel: choose another one first")
	}
	tx.Later(`
		INSERT INTO channel_viewers (company, channel, member)
		SELECT v.company, v.channel, $3`+viewedOnlyBy+`
		ON CONFLICT DO NOTHING`, a.Company.ID, id, owners[owner])
	heir, _, err := selectRef(tx, `id = $2`, a.Company.ID, owners[owner])
	for _, ch := range viewed {
		tx.Audit(a, kernel.AuditEntry{
			Action: "channel.updated", Subject: kernel.NewAuditSubject("channel", ch.ID, ch.Name), Channel: ch.ID,
			Changes: []kernel.AuditChange{{Field: "viewers", From: []string{m.Name}, To: []string{heir.Name}}},
		})
	}
	return err
}

func isOnly(owners []kernel.ID, id kernel.ID) bool { return len(owners) == 1 && owners[0] == id }

func errLastOwner(field string) error {
	return kernel.Invalid(field, ruleOnlyOwner, "is the only owner of the company; make another member an owner first")
}

// SetPassword sets the password of the member of a company with an e-mail address and ends their sessions, for the operator.
func (d *People) SetPassword(ctx context.Context, company kernel.ID, email, password string) error {
	hash, err := d.hashPassword(ctx, company, "password", password)
	if err != nil {
		return err
	}
	return d.Store.Write(ctx, func(tx *kernel.Tx) error {
		u, found, err := userByEmail(tx, company, strings.TrimSpace(email))
		if err != nil || !found {
			return kernel.ErrOr(err, kernel.NotFound("team member"))
		}
		setMemberPassword(tx, company, u.ID, *hash)
		_, err = endSessions(tx, company, u.ID)
		tx.Audit(nil, kernel.AuditEntry{
			Action: "password.changed", Company: company, Actor: kernel.AuditOperator(), Subject: kernel.NewAuditSubject("member", u.ID, u.Name),
		})
		return err
	})
}

// hashPassword validates and hashes a new password. Hashing is expensive: check permissions first.
func (d *People) hashPassword(ctx context.Context, company kernel.ID, field, text string) (*string, error) {
	if n := utf8.RuneCountInString(text); n < MinPassword || n > MaxPassword {
		params := kernel.Params{"min": MinPassword, "max": MaxPassword}
		return nil, kernel.Invalid(field, ruleWrongLength, "must have 10 to 256 characters", params)
	}
	hash, err := d.passwords.Hash(ctx, company, text)
	return &hash, err
}

// Person is a team member with their company, as the operator sees them.
type Person struct {
	Company   kernel.Company
	ID        kernel.ID
	Name      string
	Email     string
	Role      kernel.Role
	TwoFactor bool
}

// People lists the members of one company, or of all if it is zero.
func (d *People) People(ctx context.Context, company kernel.ID) ([]Person, error) {
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]Person, error) { return listPeople(tx, company) })
}

// FindPerson finds the member with an e-mail address. If it belongs to several companies, company must name one of them.
func (d *People) FindPerson(ctx context.Context, email string, company kernel.ID) (Person, error) {
	people, err := d.People(ctx, company)
	people = slices.DeleteFunc(people, func(p Person) bool { return fold.Text(p.Email) != fold.Text(email) })
	switch {
	case err != nil || len(people) == 0:
		return Person{}, kernel.ErrOr(err, kernel.NotFound("team member"))
	case len(people) == 1:
		return people[0], nil
	}
	return Person{}, kernel.Errorf(kernel.CodeCompanyRequired, "This address belongs to several companies. Name one of them.")
}

// SwitchTwoFactorOff turns two-factor off for a member who lost the device and the recovery codes.
func (d *People) SwitchTwoFactorOff(ctx context.Context, p Person) error {
	return d.Store.Write(ctx, func(tx *kernel.Tx) error {
		if p.TwoFactor {
			tx.Audit(nil, kernel.AuditEntry{
				Action: "two_factor.disabled", Company: p.Company.ID, Actor: kernel.AuditOperator(),
				Subject: kernel.NewAuditSubject("member", p.ID, p.Name),
			})
		}
		SetTwoFactor(tx, p.Company.ID, p.ID, nil, nil)
		d.ForgetHolders(tx, p.Company.ID)
		return nil
	})
}

// NewUser describes a team member to create.
type NewUser struct {
	Name          string
	Email         string
	Password      string // "": cannot sign in to the app
	Role          kernel.Role
	AccessProfile kernel.AccessProfile
}

// CreateUser adds a team member, for the operator.
func (d *People) CreateUser(ctx context.Context, company kernel.ID, in NewUser) (Member, error) {
	u, err := d.newUser(ctx, "", in)
	if err != nil {
		return Member{}, err
	}
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (Member, error) {
		if _, found, err := Company(tx, company); err != nil || !found {
			return u.Member, kernel.ErrOr(err, kernel.NotFound("company"))
		}
		tx.Audit(nil, kernel.AuditEntry{
			Action: "member.created", Company: company, Actor: kernel.AuditOperator(), Subject: u.subject(), Changes: memberChanges(nil, u.Member),
		})
		return u.Member, insertUser(tx, company, u)
	})
}

// newUser validates a new team member. Errors name fields with a prefix such as "body.".
func (d *People) newUser(ctx context.Context, prefix string, in NewUser) (User, error) {
	name, invalid := kernel.Name(prefix+"name", in.Name, kernel.MaxName)
	if invalid != nil {
		return User{}, invalid
	}
	email := strings.TrimSpace(in.Email)
	if !plausibleEmail(email) {
		return User{}, kernel.Malformed(prefix+"email", "email")
	}
	u := User{Member: Member{
		ID: kernel.NewID(), Name: name, Email: email, Role: in.Role, AccessProfile: in.AccessProfile, Presence: PresenceOffline,
		Sectors: []kernel.Ref{},
	}}
	if in.Password == "" {
		return u, nil
	}
	var err error
	u.PasswordHash, err = d.hashPassword(ctx, u.ID, prefix+"password", in.Password)
	return u, err
}

// plausibleEmail reports whether s has one @ with text on both sides and no spaces.
func plausibleEmail(s string) bool {
	local, domain, found := strings.Cut(s, "@")
	return found && local != "" && strings.Contains(domain, ".") && !strings.ContainsAny(s, " \t\r\n<>\"\x00") &&
		!strings.Contains(domain, "@") && len(s) <= 254
}

func errEmailTaken(email string) error {
	return kernel.Errorf(kernel.CodeNameTaken, "The e-mail address %s belongs to another member. Use another one.", email)
}

// LastSeen returns when members were last active on this node, which may not be stored yet.
func (d *People) LastSeen() map[kernel.ID]time.Time { return d.seen.members() }
