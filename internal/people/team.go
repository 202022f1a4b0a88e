package people

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"recado/internal/fold"
	"recado/internal/kernel"
)

// How present a team member is.
const (
	PresenceOnline  = "online"
	PresenceAway    = "away"
	PresenceOffline = "offline"
)

// Member is one person of the team.
type Member struct {
	ID            kernel.ID            `json:"id"`
	Name          string               `json:"name"`
	Email         string               `json:"email"`
	Role          kernel.Role          `json:"role" enum:"owner,admin,manager,agent"`
	AccessProfile kernel.AccessProfile `json:"access_profile" enum:"all,sectors,own"`
	Presence      string               `json:"presence" enum:"online,away,offline"`
	Sectors       []kernel.Ref         `json:"sectors"`

	OpenAttendances int64 `json:"open_attendances" doc:"Open attendances for which the person is responsible."`

	Capacity *int64 `json:"capacity" doc:"How many open attendances distribution gives the person at most, over all sectors; null: as the sector says."`
}

// Sector is a department with its people and its queues.
type Sector struct {
	ID      kernel.ID    `json:"id"`
	Name    string       `json:"name"`
	Members []kernel.Ref `json:"members"`
	Queues  []Queue      `json:"queues"`

	HoursID *kernel.ID `json:"hours_id" doc:"Its own opening hours; null: those of the channel, or of the company."`

	Distribution Distribution `json:"distribution"`
}

// Queue is, per WhatsApp number, the open attendances of a sector without a responsible person.
type Queue struct {
	Channel         kernel.ID  `json:"channel"`
	Waiting         int64      `json:"waiting"`
	OldestWaitingAt *time.Time `json:"oldest_waiting_at"`
}

// MemberPrincipal is a member as if signed in.
func MemberPrincipal(company kernel.Company, m *kernel.MemberSight) *kernel.Principal {
	return kernel.SessionPrincipal(company, kernel.Member{User: m.User, Role: m.Role, Profile: m.Profile, Sectors: m.Sectors}, kernel.ID{}, m.Viewed, kernel.Rate{})
}

// How long after a request or an open stream of a session its member counts as online, and then as away.
const (
	onlineFor = 2 * time.Minute
	awayFor   = 15 * time.Minute
)

// Team lists the members of the company by name.
func (d *People) Team(ctx context.Context, a *kernel.Principal) ([]Member, error) {
	if err := a.May(VerbTeam); err != nil {
		return nil, err
	}
	team, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]TeamMember, error) { return findTeam(tx, a.Company.ID) })
	if err != nil {
		return nil, err
	}
	return d.present(team...), nil
}

// Member gives one member of the company.
func (d *People) Member(ctx context.Context, a *kernel.Principal, id kernel.ID) (Member, error) {
	if err := a.May(VerbMember); err != nil {
		return Member{}, err
	}
	m, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (TeamMember, error) {
		m, found, err := findMember(tx, a.Company.ID, id)
		if err == nil && !found {
			err = kernel.NotFound("team member")
		}
		return m, err
	})
	if err != nil {
		return Member{}, err
	}
	return d.present(m)[0], nil
}

// present gives members with their presence.
func (d *People) present(team ...TeamMember) []Member {
	now, latest := d.Now(), d.seen.members()
	members := make([]Member, len(team))
	for i, m := range team {
		members[i] = m.Member
		members[i].Presence = PresenceOf(now, m.Chosen, m.LastSeenAt, latest[m.ID])
	}
	return members
}

// PresenceOf returns the presence of a member: offline unless they were active in a session recently, according to the database (stored,
// nil without a session) or to this node; else what they chose, or what follows from the time since then.
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
	if err := a.May(VerbCreateMember); err != nil {
		return Member{}, err
	}
	if err := mayManage(a, in.Role); err != nil {
		return Member{}, err
	}
	if err := mayShow(a, in.AccessProfile, sectors); err != nil {
		return Member{}, err
	}
	u, err := d.newUser(ctx, "body.", in)
	if err != nil {
		return Member{}, err
	}
	return kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (Member, error) {
		if err := CheckSectors(tx, a, sectors); err != nil {
			return u.Member, err
		}
		if err := kernel.CheckLimit(tx, a.Company.ID, countMembers, "team members", d.Limit(limitMembers)); err != nil {
			return u.Member, err
		}
		if err := d.checkMemberships(tx, a.Company.ID, 0, len(sectors)); err != nil {
			return u.Member, err
		}
		if fresh, err := InsertUser(tx, a.Company.ID, u); err != nil || !fresh {
			return u.Member, kernel.ErrOr(err, errEmailTaken(u.Email))
		}
		setMemberSectors(tx, a.Company.ID, u.ID, sectors)
		m, _, err := findMember(tx, a.Company.ID, u.ID)
		m.Presence = PresenceOffline
		return m.Member, err
	})
}

// mayManage reports whether the principal may add, change and remove members of a role: owners any role, others
// from manager up those below themselves. A key manages admins and owners only with the scopes that their role adds,
// because a link with which they sign in would give its holder these scopes.
func mayManage(a *kernel.Principal, role kernel.Role) error {
	if err := a.Need(kernel.RoleManager); err != nil {
		return err
	}
	if a.Role != kernel.RoleOwner && role.AtLeast(a.Role) {
		return kernel.Errorf(kernel.CodeInsufficientScope, "A caller with the role %s cannot manage members with the role %s.", a.Role, role)
	}
	if a.Kind() != kernel.KindKey || !role.AtLeast(kernel.RoleAdmin) {
		return nil
	}
	for _, lacking := range kernel.ScopesOf(role).Without(kernel.ScopesOf(kernel.RoleManager)).Without(a.Scopes).List() {
		if slices.ContainsFunc(kernel.Verbs, func(v kernel.Verb) bool { return v.Scope == lacking }) { // others allow nothing yet
			return &kernel.Error{
				Code: kernel.CodeInsufficientScope,
				Message: "A key manages members with the role " + string(role) + " only if it has the scopes that this role adds to those of managers. This one lacks " +
					string(lacking) + ".",
				Params: kernel.Params{"scope": lacking},
				Fields: []kernel.FieldError{kernel.RuleMissingScope.At("scope", string(lacking), kernel.Params{"scope": lacking})},
			}
		}
	}
	return nil
}

// mayShow reports whether the principal may give a member this access profile, which must not be wider than its own.
func mayShow(a *kernel.Principal, profile kernel.AccessProfile, sectors []kernel.ID) error {
	beyond := func(id kernel.ID) bool { return !slices.Contains(a.Sectors, id) }
	switch {
	case a.Profile == kernel.AccessAll, profile == kernel.AccessOwn:
		return nil
	case a.Profile == profile && !slices.ContainsFunc(sectors, beyond):
		return nil
	}
	return kernel.Errorf(kernel.CodeInsufficientScope, "A caller who does not see every conversation cannot give a member a wider access profile.")
}

// CheckSectors refuses what is no sector of the company.
func CheckSectors(tx *kernel.Tx, a *kernel.Principal, sectors []kernel.ID) error {
	present, err := keepSectors(tx, a.Company.ID, sectors)
	if err != nil {
		return err
	}
	for _, id := range sectors {
		if !present[id] {
			return kernel.NoSuch("body.sector_ids", "sector")
		}
	}
	return nil
}

// MemberChange is what of a member is to change; nil leaves a part as it is.
type MemberChange struct {
	Name          *string
	Email         *string
	Role          *kernel.Role
	AccessProfile *kernel.AccessProfile
	Sectors       *[]kernel.ID
	Capacity      kernel.Optional[int64]
}

// UpdateMember changes a member. Members may change their own name and e-mail address; the rest takes a role
// above the member's, and above the one they are given. There is always an owner.
func (d *People) UpdateMember(ctx context.Context, a *kernel.Principal, id kernel.ID, in MemberChange) (Member, error) {
	if err := a.May(VerbUpdateMember); err != nil {
		return Member{}, err
	}
	if err := in.check(); err != nil {
		return Member{}, err
	}
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (Member, error) {
		owners, err := lockOwners(tx, a.Company.ID)
		if err != nil {
			return Member{}, err
		}
		m, found, err := lockMember(tx, a.Company.ID, id)
		if err != nil || !found {
			return m.Member, kernel.ErrOr(err, kernel.NotFound("team member"))
		}
		if err := in.allowed(a, m.Member); err != nil {
			return m.Member, err
		}
		if in.AccessProfile != nil || in.Sectors != nil {
			profile, sectors := in.sight(m.Member)
			if err := mayShow(a, profile, sectors); err != nil {
				return m.Member, err
			}
		}
		if in.Sectors != nil {
			if err := CheckSectors(tx, a, *in.Sectors); err != nil {
				return m.Member, err
			}
			if err := d.checkMemberships(tx, a.Company.ID, len(m.Sectors), len(*in.Sectors)); err != nil {
				return m.Member, err
			}
			setMemberSectors(tx, a.Company.ID, id, *in.Sectors)
		}
		if in.Role != nil && *in.Role != kernel.RoleOwner && isOnly(owners, id) {
			return m.Member, errLastOwner("body.role")
		}
		in.endLinks(tx, a.Company.ID, m.Member)
		kernel.Set(&m.Name, in.Name)
		kernel.Set(&m.Email, in.Email)
		kernel.Set(&m.Role, in.Role)
		kernel.Set(&m.AccessProfile, in.AccessProfile)
		if in.Capacity.Set {
			m.Capacity = in.Capacity.Pointer()
			tx.AfterCommit(d.Wakeup(WakeDistribute).Notify)
		}
		if free, err := updateMember(tx, a.Company.ID, m.Member); err != nil || !free {
			return m.Member, kernel.ErrOr(err, errEmailTaken(m.Email))
		}
		d.ForgetHolders(tx, a.Company.ID)
		m, _, err = findMember(tx, a.Company.ID, id)
		m.Presence = PresenceOf(tx.Now, m.Chosen, m.LastSeenAt, d.seen.members()[id])
		return m.Member, err
	})
}

// endLinks deletes the links that a change of a member makes worth more or less: the member's own reset links, and what
// the member issued with a role that is now lower.
func (in *MemberChange) endLinks(tx *kernel.Tx, company kernel.ID, m Member) {
	role, profile, sectors := m.Role, m.AccessProfile, sectorIDs(m)
	kernel.Set(&role, in.Role)
	kernel.Set(&profile, in.AccessProfile)
	kernel.Set(&sectors, in.Sectors)
	if role != m.Role || profile != m.AccessProfile || !kernel.SameIDs(sectors, sectorIDs(m)) {
		removeResetLinks(tx, company, m.ID)
	}
	if !role.AtLeast(m.Role) {
		removeIssued(tx, company, m.ID)
	}
}

// check checks the form of a change and cleans its text.
func (in *MemberChange) check() error {
	if in.Name != nil {
		name, invalid := kernel.Name("body.name", *in.Name, kernel.MaxName)
		if invalid != nil {
			return invalid
		}
		in.Name = &name
	}
	if in.Email != nil {
		email := strings.TrimSpace(*in.Email)
		if !plausibleEmail(email) {
			return kernel.Malformed("body.email", "email")
		}
		in.Email = &email
	}
	return checkCapacity(in.Capacity)
}

// sight is what the member will see after the change.
func (in *MemberChange) sight(m Member) (kernel.AccessProfile, []kernel.ID) {
	kernel.Set(&m.AccessProfile, in.AccessProfile)
	if in.Sectors != nil {
		return m.AccessProfile, *in.Sectors
	}
	return m.AccessProfile, sectorIDs(m)
}

// allowed reports whether the principal may make this change to a member. Only a member who sees as much may
// change e-mail address, role and access profile of another.
func (in *MemberChange) allowed(a *kernel.Principal, m Member) error {
	if m.ID == a.User.ID && in.Role == nil && in.AccessProfile == nil && in.Sectors == nil && !in.Capacity.Set {
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
	if in.Role == nil {
		return nil
	}
	return mayManage(a, *in.Role)
}

// seesAsMuch refuses a member with a wider access profile than the principal's: a principal that changes how a member
// signs in could sign in as that member.
func seesAsMuch(a *kernel.Principal, m Member) error {
	if mayShow(a, m.AccessProfile, sectorIDs(m)) == nil {
		return nil
	}
	return kernel.Errorf(kernel.CodeInsufficientScope, "This member has a wider access profile than the caller.")
}

func sectorIDs(m Member) []kernel.ID {
	ids := make([]kernel.ID, len(m.Sectors))
	for i, s := range m.Sectors {
		ids[i] = s.ID
	}
	return ids
}

// RemoveMember takes a member off the team. Keys that act as them end at once here and within a second on
// other nodes; what they were responsible for goes back to its queue. The only viewer of a private channel is refused to
// those who choose its viewers. Others must not learn of the channel: the first owner becomes its viewer.
func (d *People) RemoveMember(ctx context.Context, a *kernel.Principal, id kernel.ID) error {
	if err := a.May(VerbRemoveMember); err != nil {
		return err
	}
	_, err := kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (struct{}, error) {
		tx.LockCompany(a.Company.ID)
		owners, err := lockOwners(tx, a.Company.ID) // before the member, as in UpdateMember
		if err != nil {
			return struct{}{}, err
		}
		m, found, err := lockMember(tx, a.Company.ID, id)
		if err != nil || !found {
			return struct{}{}, kernel.ErrOr(err, kernel.NotFound("team member"))
		}
		if err := mayManage(a, m.Role); err != nil {
			return struct{}{}, err
		}
		if isOnly(owners, id) {
			return struct{}{}, errLastOwner("path.id")
		}
		if err := keepViewer(a, tx, id, owners); err != nil {
			return struct{}{}, err
		}
		endSessions(tx, a.Company.ID, id)
		d.ForgetHolders(tx, a.Company.ID)
		if err := removeMember(tx, a.Company.ID, id); err != nil {
			return struct{}{}, err
		}
		for _, o := range d.observers {
			if o.MemberRemoved != nil {
				if err := o.MemberRemoved(tx, a.Company.ID, id); err != nil {
					return struct{}{}, err
				}
			}
		}
		return struct{}{}, nil
	})
	if err != nil {
		return err
	}
	return d.removed(ctx, a.Company.ID, &a.User)
}

// keepViewer lets the first other owner see the private channels that only the member sees. A company without an owner, which only the
// operator can make, has no such viewer.
func keepViewer(a *kernel.Principal, tx *kernel.Tx, id kernel.ID, owners []kernel.ID) error {
	last, err := isLastViewer(tx, a.Company.ID, id)
	if err != nil || !last {
		return err
	}
	owner := slices.IndexFunc(owners, func(o kernel.ID) bool { return o != id })
	if owner < 0 || a.May(VerbPrivateChannels) == nil {
		return kernel.Invalid("path.id", ruleOnlyViewer, "is the only viewer of a private channel: choose another one first")
	}
	replaceLastViewer(tx, a.Company.ID, id, owners[owner])
	return nil
}

func isOnly(owners []kernel.ID, id kernel.ID) bool { return len(owners) == 1 && owners[0] == id }

func errLastOwner(field string) error {
	return kernel.Invalid(field, ruleOnlyOwner, "is the only owner of the company; make another member an owner first")
}

// SetPassword gives the member of a company with that e-mail address a new password. It is for the operator:
// no call of the API sets the password of another person.
func (d *People) SetPassword(ctx context.Context, company kernel.ID, email, password string) error {
	hash, err := d.hashPassword(ctx, company, "password", password)
	if err != nil {
		return err
	}
	_, err = kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (struct{}, error) {
		found, err := setPassword(tx, company, strings.TrimSpace(email), *hash)
		if err == nil && !found {
			err = kernel.NotFound("team member")
		}
		return struct{}{}, err
	})
	return err
}

// hashPassword checks a new password of a member of the company and hashes it, which is expensive: the caller has checked first that
// the principal may set it.
func (d *People) hashPassword(ctx context.Context, company kernel.ID, field, text string) (*string, error) {
	if n := utf8.RuneCountInString(text); n < MinPassword || n > MaxPassword {
		return nil, kernel.Invalid(field, ruleWrongLength, "must have 10 to 256 characters", kernel.Params{"min": MinPassword, "max": MaxPassword})
	}
	hash, err := d.passwords.Hash(ctx, company, text)
	return &hash, err
}

// Person is a team member with the company, as the operator sees them.
type Person struct {
	Company   kernel.Company
	ID        kernel.ID
	Name      string
	Email     string
	Role      kernel.Role
	TwoFactor bool
}

// People lists the present members of all companies, or of one unless that is zero.
func (d *People) People(ctx context.Context, company kernel.ID) ([]Person, error) {
	rows, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]personRow, error) { return findPeople(tx, company) })
	people := make([]Person, len(rows))
	for i, p := range rows {
		people[i] = Person(p)
	}
	return people, err
}

// FindPerson gives the member with an e-mail address. An address that belongs to several companies needs one of them.
func (d *People) FindPerson(ctx context.Context, email string, company kernel.ID) (Person, error) {
	people, err := d.People(ctx, company)
	if err != nil {
		return Person{}, err
	}
	var found []Person
	for _, p := range people {
		if fold.Text(p.Email) == fold.Text(email) {
			found = append(found, p)
		}
	}
	switch len(found) {
	case 0:
		return Person{}, kernel.NotFound("team member")
	case 1:
		return found[0], nil
	}
	return Person{}, kernel.Errorf(kernel.CodeCompanyRequired, "This address belongs to several companies. Name one of them.")
}

// SwitchTwoFactorOff lets a member who lost the device and the recovery codes sign in without a code.
func (d *People) SwitchTwoFactorOff(ctx context.Context, p Person) error {
	_, err := kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (struct{}, error) {
		SetTwoFactor(tx, p.Company.ID, p.ID, nil, nil)
		d.ForgetHolders(tx, p.Company.ID)
		return struct{}{}, nil
	})
	return err
}

// NewUser is what a team member starts with.
type NewUser struct {
	Name          string
	Email         string
	Password      string // "": cannot sign in to the app
	Role          kernel.Role
	AccessProfile kernel.AccessProfile
}

// CreateUser adds a team member. It is for the operator; the API adds members with CreateMember.
func (d *People) CreateUser(ctx context.Context, company kernel.ID, in NewUser) (Member, error) {
	u, err := d.newUser(ctx, "", in)
	if err != nil {
		return Member{}, err
	}
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (Member, error) {
		if _, found, err := Company(tx, company); err != nil || !found {
			return u.Member, kernel.ErrOr(err, kernel.NotFound("company"))
		}
		if fresh, err := InsertUser(tx, company, u); err != nil || !fresh {
			return u.Member, kernel.ErrOr(err, errEmailTaken(u.Email))
		}
		return u.Member, nil
	})
}

// newUser checks and completes a team member; prefix names the fields, as in "body.".
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
		ID: kernel.NewID(), Name: name, Email: email, Role: in.Role, AccessProfile: in.AccessProfile, Presence: PresenceOffline, Sectors: []kernel.Ref{},
	}}
	if in.Password == "" {
		return u, nil
	}
	var err error
	u.PasswordHash, err = d.hashPassword(ctx, u.ID, prefix+"password", in.Password) // only of the operator and of the set-up
	return u, err
}

// plausibleEmail requires one @ with text on both sides and no spaces. Only a message can prove more.
func plausibleEmail(s string) bool {
	local, domain, found := strings.Cut(s, "@")
	return found && local != "" && strings.Contains(domain, ".") && !strings.ContainsAny(s, " \t\r\n<>\"\x00") &&
		!strings.Contains(domain, "@") && len(s) <= 254
}

func errEmailTaken(email string) error {
	return kernel.Errorf(kernel.CodeNameTaken, "The e-mail address %s belongs to another member. Use another one.", email)
}

// LastSeen returns when members were last active on this node, as far as that is not stored yet.
func (d *People) LastSeen() map[kernel.ID]time.Time { return d.seen.members() }
