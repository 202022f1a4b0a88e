package desk

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"recado/internal/fold"
	"recado/internal/model"
	"recado/internal/store"
)

// How long after a request or an open stream of a session its member counts as online, and then as away.
const (
	onlineFor = 2 * time.Minute
	awayFor   = 15 * time.Minute
)

// Team lists the members of the company by name.
func (d *Desk) Team(ctx context.Context, a *Principal) ([]model.Member, error) {
	if err := a.May(VerbTeam); err != nil {
		return nil, err
	}
	team, err := read(ctx, d, func(tx *store.Tx) ([]store.TeamMember, error) { return tx.Team(a.Company.ID) })
	if err != nil {
		return nil, err
	}
	return d.present(team...), nil
}

// Member gives one member of the company.
func (d *Desk) Member(ctx context.Context, a *Principal, id model.ID) (model.Member, error) {
	if err := a.May(VerbMember); err != nil {
		return model.Member{}, err
	}
	m, err := read(ctx, d, func(tx *store.Tx) (store.TeamMember, error) {
		m, found, err := tx.Member(a.Company.ID, id)
		if err == nil && !found {
			err = model.NotFound("team member")
		}
		return m, err
	})
	if err != nil {
		return model.Member{}, err
	}
	return d.present(m)[0], nil
}

// present gives members with their presence.
func (d *Desk) present(team ...store.TeamMember) []model.Member {
	now, latest := d.now(), d.seen.members()
	members := make([]model.Member, len(team))
	for i, m := range team {
		members[i] = m.Member
		members[i].Presence = presence(now, m.Chosen, m.LastSeenAt, latest[m.ID])
	}
	return members
}

// presence returns the presence of a member: offline unless they were active in a session recently, according to the database (stored,
// nil without a session) or to this node; else what they chose, or what follows from the time since then.
func presence(now time.Time, chosen string, stored *time.Time, here time.Time) string {
	if stored == nil {
		return model.PresenceOffline
	}
	if stored.After(here) {
		here = *stored
	}
	switch quiet := now.Sub(here); {
	case quiet >= awayFor:
		return model.PresenceOffline
	case chosen != "" && chosen != model.PresenceAuto:
		return chosen
	case quiet < onlineFor:
		return model.PresenceOnline
	}
	return model.PresenceAway
}

// CreateMember adds a person to the team.
func (d *Desk) CreateMember(ctx context.Context, a *Principal, in NewUser, sectors []model.ID) (model.Member, error) {
	if err := a.May(VerbCreateMember); err != nil {
		return model.Member{}, err
	}
	if err := a.mayManage(in.Role); err != nil {
		return model.Member{}, err
	}
	if err := a.mayShow(in.AccessProfile, sectors); err != nil {
		return model.Member{}, err
	}
	u, err := d.newUser(ctx, "body.", in)
	if err != nil {
		return model.Member{}, err
	}
	return writeAnswer(ctx, d, func(tx *store.Tx) (model.Member, error) {
		if err := checkSectors(tx, a, sectors); err != nil {
			return u.Member, err
		}
		if err := checkLimit(tx, a.Company.ID, store.CountMembers, "team members", d.limits.Members); err != nil {
			return u.Member, err
		}
		if err := d.checkMemberships(tx, a.Company.ID, 0, len(sectors)); err != nil {
			return u.Member, err
		}
		if fresh, err := tx.InsertUser(a.Company.ID, u); err != nil || !fresh {
			return u.Member, errOr(err, errEmailTaken(u.Email))
		}
		tx.SetMemberSectors(a.Company.ID, u.ID, sectors)
		m, _, err := tx.Member(a.Company.ID, u.ID)
		m.Presence = model.PresenceOffline
		return m.Member, err
	})
}

// mayManage reports whether the principal may add, change and remove members of a role: owners any role, others
// from manager up those below themselves. A key manages admins and owners only with the scopes that their role adds,
// because a link with which they sign in would give its holder these scopes.
func (a *Principal) mayManage(role model.Role) error {
	if err := a.need(model.RoleManager); err != nil {
		return err
	}
	if a.Role != model.RoleOwner && role.AtLeast(a.Role) {
		return model.Errorf(model.CodeInsufficientScope, "A caller with the role %s cannot manage members with the role %s.", a.Role, role)
	}
	if a.kind != KindKey || !role.AtLeast(model.RoleAdmin) {
		return nil
	}
	for _, lacking := range model.ScopesOf(role).Without(model.ScopesOf(model.RoleManager)).Without(a.Scopes).List() {
		if slices.ContainsFunc(verbs, func(v Verb) bool { return v.Scope == lacking }) { // others allow nothing yet
			return &model.Error{
				Code: model.CodeInsufficientScope,
				Message: "A key manages members with the role " + string(role) + " only if it has the scopes that this role adds to those of managers. This one lacks " +
					string(lacking) + ".",
				Fields: []model.FieldError{{Field: "scope", Message: string(lacking)}},
			}
		}
	}
	return nil
}

// mayShow reports whether the principal may give a member this access profile, which must not be wider than its own.
func (a *Principal) mayShow(profile model.AccessProfile, sectors []model.ID) error {
	beyond := func(id model.ID) bool { return !slices.Contains(a.Sectors, id) }
	switch {
	case a.Profile == model.AccessAll, profile == model.AccessOwn:
		return nil
	case a.Profile == profile && !slices.ContainsFunc(sectors, beyond):
		return nil
	}
	return model.Errorf(model.CodeInsufficientScope, "A caller who does not see every conversation cannot give a member a wider access profile.")
}

// checkSectors refuses what is no sector of the company.
func checkSectors(tx *store.Tx, a *Principal, sectors []model.ID) error {
	present, err := tx.KeepSectors(a.Company.ID, sectors)
	if err != nil {
		return err
	}
	for _, id := range sectors {
		if !present[id] {
			return model.Invalid("body.sector_ids", "there is no such sector: "+id.String())
		}
	}
	return nil
}

// MemberChange is what of a member is to change; nil leaves a part as it is.
type MemberChange struct {
	Name          *string
	Email         *string
	Role          *model.Role
	AccessProfile *model.AccessProfile
	Sectors       *[]model.ID
	Capacity      model.Optional[int64]
}

// UpdateMember changes a member. Members may change their own name and e-mail address; the rest takes a role
// above the member's, and above the one they are given. There is always an owner.
func (d *Desk) UpdateMember(ctx context.Context, a *Principal, id model.ID, in MemberChange) (model.Member, error) {
	if err := a.May(VerbUpdateMember); err != nil {
		return model.Member{}, err
	}
	if err := in.check(); err != nil {
		return model.Member{}, err
	}
	return write(ctx, d, func(tx *store.Tx) (model.Member, error) {
		owners, err := tx.LockOwners(a.Company.ID)
		if err != nil {
			return model.Member{}, err
		}
		m, found, err := tx.LockMember(a.Company.ID, id)
		if err != nil || !found {
			return m.Member, errOr(err, model.NotFound("team member"))
		}
		if err := in.allowed(a, m.Member); err != nil {
			return m.Member, err
		}
		if in.AccessProfile != nil || in.Sectors != nil {
			if err := a.mayShow(in.sight(m.Member)); err != nil {
				return m.Member, err
			}
		}
		if in.Sectors != nil {
			if err := checkSectors(tx, a, *in.Sectors); err != nil {
				return m.Member, err
			}
			if err := d.checkMemberships(tx, a.Company.ID, len(m.Sectors), len(*in.Sectors)); err != nil {
				return m.Member, err
			}
			tx.SetMemberSectors(a.Company.ID, id, *in.Sectors)
		}
		if in.Role != nil && *in.Role != model.RoleOwner && isOnly(owners, id) {
			return m.Member, errLastOwner("body.role")
		}
		in.endLinks(tx, a.Company.ID, m.Member)
		set(&m.Name, in.Name)
		set(&m.Email, in.Email)
		set(&m.Role, in.Role)
		set(&m.AccessProfile, in.AccessProfile)
		if in.Capacity.Set {
			m.Capacity = in.Capacity.Pointer()
			tx.AfterCommit(d.wakeups.Distribute.Notify)
		}
		if free, err := tx.UpdateMember(a.Company.ID, m.Member); err != nil || !free {
			return m.Member, errOr(err, errEmailTaken(m.Email))
		}
		d.forgetHolders(tx, a.Company.ID)
		m, _, err = tx.Member(a.Company.ID, id)
		m.Presence = presence(tx.Now, m.Chosen, m.LastSeenAt, d.seen.members()[id])
		return m.Member, err
	})
}

// endLinks deletes the links that a change of a member makes worth more or less: the member's own reset links, and what
// the member issued with a role that is now lower.
func (in *MemberChange) endLinks(tx *store.Tx, company model.ID, m model.Member) {
	role, profile, sectors := m.Role, m.AccessProfile, sectorIDs(m)
	set(&role, in.Role)
	set(&profile, in.AccessProfile)
	set(&sectors, in.Sectors)
	if role != m.Role || profile != m.AccessProfile || !sameIDs(sectors, sectorIDs(m)) {
		tx.RemoveResetLinks(company, m.ID)
	}
	if !role.AtLeast(m.Role) {
		tx.RemoveIssued(company, m.ID)
	}
}

// check checks the form of a change and cleans its text.
func (in *MemberChange) check() error {
	if in.Name != nil {
		name, invalid := model.Name("body.name", *in.Name, model.MaxName)
		if invalid != nil {
			return invalid
		}
		in.Name = &name
	}
	if in.Email != nil {
		email := strings.TrimSpace(*in.Email)
		if !plausibleEmail(email) {
			return model.Invalid("body.email", "must be an e-mail address")
		}
		in.Email = &email
	}
	return checkCapacity(in.Capacity)
}

// sight is what the member will see after the change.
func (in *MemberChange) sight(m model.Member) (model.AccessProfile, []model.ID) {
	set(&m.AccessProfile, in.AccessProfile)
	if in.Sectors != nil {
		return m.AccessProfile, *in.Sectors
	}
	return m.AccessProfile, sectorIDs(m)
}

// allowed reports whether the principal may make this change to a member. Only a member who sees as much may
// change e-mail address, role and access profile of another.
func (in *MemberChange) allowed(a *Principal, m model.Member) error {
	if m.ID == a.User.ID && in.Role == nil && in.AccessProfile == nil && in.Sectors == nil && !in.Capacity.Set {
		return nil
	}
	if err := a.mayManage(m.Role); err != nil {
		return err
	}
	if m.ID != a.User.ID && (in.Email != nil || in.Role != nil || in.AccessProfile != nil) {
		if err := a.seesAsMuch(m); err != nil {
			return err
		}
	}
	if in.Role == nil {
		return nil
	}
	return a.mayManage(*in.Role)
}

// seesAsMuch refuses a member with a wider access profile than the principal's: a principal that changes how a member
// signs in could sign in as that member.
func (a *Principal) seesAsMuch(m model.Member) error {
	if a.mayShow(m.AccessProfile, sectorIDs(m)) == nil {
		return nil
	}
	return model.Errorf(model.CodeInsufficientScope, "This member has a wider access profile than the caller.")
}

func sectorIDs(m model.Member) []model.ID {
	ids := make([]model.ID, len(m.Sectors))
	for i, s := range m.Sectors {
		ids[i] = s.ID
	}
	return ids
}

// RemoveMember takes a member off the team. Keys that act as them end at once here and within a second on
// other nodes; what they were responsible for goes back to its queue. The only viewer of a private channel is refused to
// those who choose its viewers. Others must not learn of the channel: the first owner becomes its viewer.
func (d *Desk) RemoveMember(ctx context.Context, a *Principal, id model.ID) error {
	if err := a.May(VerbRemoveMember); err != nil {
		return err
	}
	_, err := write(ctx, d, func(tx *store.Tx) (struct{}, error) {
		tx.LockCompany(a.Company.ID)
		owners, err := tx.LockOwners(a.Company.ID) // before the member, as in UpdateMember
		if err != nil {
			return struct{}{}, err
		}
		m, found, err := tx.LockMember(a.Company.ID, id)
		if err != nil || !found {
			return struct{}{}, errOr(err, model.NotFound("team member"))
		}
		if err := a.mayManage(m.Role); err != nil {
			return struct{}{}, err
		}
		if isOnly(owners, id) {
			return struct{}{}, errLastOwner("path.id")
		}
		if err := a.keepViewer(tx, id, owners); err != nil {
			return struct{}{}, err
		}
		tx.EndSessions(a.Company.ID, id)
		d.forgetHolders(tx, a.Company.ID)
		return struct{}{}, tx.RemoveMember(a.Company.ID, id)
	})
	if err != nil {
		return err
	}
	return d.System().FinishRemovals(ctx, a.Company.ID, &a.User)
}

// keepViewer lets the first other owner see the private channels that only the member sees. A company without an owner, which only the
// operator can make, has no such viewer.
func (a *Principal) keepViewer(tx *store.Tx, id model.ID, owners []model.ID) error {
	last, err := tx.IsLastViewer(a.Company.ID, id)
	if err != nil || !last {
		return err
	}
	owner := slices.IndexFunc(owners, func(o model.ID) bool { return o != id })
	if owner < 0 || a.May(VerbPrivateChannels) == nil {
		return model.Invalid("path.id", "is the only viewer of a private channel: choose another one first")
	}
	tx.ReplaceLastViewer(a.Company.ID, id, owners[owner])
	return nil
}

func isOnly(owners []model.ID, id model.ID) bool { return len(owners) == 1 && owners[0] == id }

func errLastOwner(field string) error {
	return model.Invalid(field, "is the only owner of the company; make another member an owner first")
}

// SetPassword gives the member of a company with that e-mail address a new password. It is for the operator:
// no call of the API sets the password of another person.
func (d System) SetPassword(ctx context.Context, company model.ID, email, password string) error {
	hash, err := d.hashPassword(ctx, company, "password", password)
	if err != nil {
		return err
	}
	_, err = write(ctx, d.Desk, func(tx *store.Tx) (struct{}, error) {
		found, err := tx.SetPassword(company, strings.TrimSpace(email), *hash)
		if err == nil && !found {
			err = model.NotFound("team member")
		}
		return struct{}{}, err
	})
	return err
}

// hashPassword checks a new password of a member of the company and hashes it, which is expensive: the caller has checked first that
// the principal may set it.
func (d *Desk) hashPassword(ctx context.Context, company model.ID, field, text string) (*string, error) {
	if n := utf8.RuneCountInString(text); n < model.MinPassword || n > model.MaxPassword {
		return nil, model.Invalid(field, "must have 10 to 256 characters")
	}
	hash, err := d.passwords.Hash(ctx, company, text)
	return &hash, err
}

// Person is a team member with the company, as the operator sees them.
type Person struct {
	Company   model.Company
	ID        model.ID
	Name      string
	Email     string
	Role      model.Role
	TwoFactor bool
}

// People lists the present members of all companies, or of one unless that is zero.
func (d System) People(ctx context.Context, company model.ID) ([]Person, error) {
	rows, err := read(ctx, d.Desk, func(tx *store.Tx) ([]store.Person, error) { return tx.People(company) })
	people := make([]Person, len(rows))
	for i, p := range rows {
		people[i] = Person(p)
	}
	return people, err
}

// FindPerson gives the member with an e-mail address. An address that belongs to several companies needs one of them.
func (d System) FindPerson(ctx context.Context, email string, company model.ID) (Person, error) {
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
		return Person{}, model.NotFound("team member")
	case 1:
		return found[0], nil
	}
	return Person{}, model.Errorf(model.CodeCompanyRequired, "This address belongs to several companies. Name one of them.")
}

// SwitchTwoFactorOff lets a member who lost the device and the recovery codes sign in without a code.
func (d System) SwitchTwoFactorOff(ctx context.Context, p Person) error {
	_, err := write(ctx, d.Desk, func(tx *store.Tx) (struct{}, error) {
		tx.SetTwoFactor(p.Company.ID, p.ID, nil, nil)
		d.forgetHolders(tx, p.Company.ID)
		return struct{}{}, nil
	})
	return err
}

// NewUser is what a team member starts with.
type NewUser struct {
	Name          string
	Email         string
	Password      string // "": cannot sign in to the app
	Role          model.Role
	AccessProfile model.AccessProfile
}

// CreateUser adds a team member. It is for the operator; the API adds members with CreateMember.
func (d System) CreateUser(ctx context.Context, company model.ID, in NewUser) (model.Member, error) {
	u, err := d.newUser(ctx, "", in)
	if err != nil {
		return model.Member{}, err
	}
	return write(ctx, d.Desk, func(tx *store.Tx) (model.Member, error) {
		if _, found, err := tx.Company(company); err != nil || !found {
			return u.Member, errOr(err, model.NotFound("company"))
		}
		if fresh, err := tx.InsertUser(company, u); err != nil || !fresh {
			return u.Member, errOr(err, errEmailTaken(u.Email))
		}
		return u.Member, nil
	})
}

// newUser checks and completes a team member; prefix names the fields, as in "body.".
func (d *Desk) newUser(ctx context.Context, prefix string, in NewUser) (store.User, error) {
	name, invalid := model.Name(prefix+"name", in.Name, model.MaxName)
	if invalid != nil {
		return store.User{}, invalid
	}
	email := strings.TrimSpace(in.Email)
	if !plausibleEmail(email) {
		return store.User{}, model.Invalid(prefix+"email", "must be an e-mail address")
	}
	u := store.User{Member: model.Member{
		ID: model.NewID(), Name: name, Email: email, Role: in.Role, AccessProfile: in.AccessProfile, Presence: model.PresenceOffline, Sectors: []model.Ref{},
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
	return model.Errorf(model.CodeNameTaken, "The e-mail address %s belongs to another member. Use another one.", email)
}
