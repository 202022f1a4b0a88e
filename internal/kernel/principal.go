package kernel

import (
	"bytes"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Company is a tenant. Everything else belongs to one company.
type Company struct {
	ID       ID     `json:"id"`
	Name     string `json:"name"`
	Timezone string `json:"timezone" doc:"The IANA name of the company's time zone, which determines when its days begin." example:"America/Sao_Paulo"`
}

// Ref is a reference to a team member or a sector.
type Ref struct {
	ID   ID     `json:"id"`
	Name string `json:"name"`
}

// Integration is the public part of an API key.
type Integration struct {
	ID        ID         `json:"id"`
	Name      string     `json:"name"`
	Scopes    []Scope    `json:"scopes"`
	Boards    Boards     `json:"boards" nullable:"true" doc:"The boards this key can see; null means all boards."`
	CreatedAt time.Time  `json:"created_at"`
	ExpiresAt *time.Time `json:"expires_at"`
}

// Values of Key.ActsAs.
const (
	ActsAsPerson      = "person"
	ActsAsIntegration = "integration"
)

// Rate is the rate limit of an API key.
type Rate struct {
	PerSecond int64 `json:"per_second" minimum:"1" maximum:"1000000"`
	Burst     int64 `json:"burst" minimum:"1" maximum:"1000000"`
}

// Boards lists the boards that a key may see. Nil means all of them.
type Boards []ID

// MarshalJSONTo writes null for nil.
func (b Boards) MarshalJSONTo(enc *jsontext.Encoder) error {
	return json.MarshalEncode(enc, []ID(b), json.FormatNilSliceAsNull(true))
}

// Role decides what a team member may manage.
type Role string

// Roles, from the highest to the lowest.
const (
	RoleOwner   Role = "owner"
	RoleAdmin   Role = "admin"
	RoleManager Role = "manager"
	RoleAgent   Role = "agent"
)

var roles = []Role{RoleAgent, RoleManager, RoleAdmin, RoleOwner}

// AtLeast reports whether r is the same role as other or a higher one. An unknown role is the lowest.
func (r Role) AtLeast(other Role) bool { return slices.Index(roles, r) >= slices.Index(roles, other) }

// AccessProfile decides which conversations a member, and a key that acts as that member, may see.
type AccessProfile string

// Access profiles: all conversations, those of the member's sectors or assigned to the member, only those assigned to the
// member.
const (
	AccessAll     AccessProfile = "all"
	AccessSectors AccessProfile = "sectors"
	AccessOwn     AccessProfile = "own"
)

// RefID returns the id of a reference; nil for none.
func RefID(ref *Ref) *ID {
	if ref == nil {
		return nil
	}
	return &ref.ID
}

// CompareIDs orders ids by their bytes.
func CompareIDs(a, b ID) int { return bytes.Compare(a[:], b[:]) }

// SeesTheSame reports whether two principals of a person may see the same conversations.
func (a *Principal) SeesTheSame(b *Principal) bool {
	return a.Profile == b.Profile && SameIDs(a.Sectors, b.Sectors) && SameIDs(a.Views, b.Views)
}

// SameIDs reports whether two sets are equal.
func SameIDs(a, b []ID) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(id ID) bool { return !slices.Contains(b, id) })
}

// Kind is the kind of a principal. The zero value is invalid: every verb refuses it.
type Kind uint8

// The kinds of principals.
const (
	KindKey     Kind = iota + 1 // an API key
	KindSession                 // a person who is signed in to the app
	KindSystem                  // the command line
)

// String returns the name for logs and messages.
func (k Kind) String() string { return [...]string{"none", "key", "session", "system"}[k] }

// Principal is the caller of a verb: its company, and what it may do and see. Every query of a verb is restricted to the
// company. Verbs accept only results of KeyPrincipal, SessionPrincipal and SystemPrincipal.
type Principal struct {
	kind    Kind
	Company Company
	Member
	Scopes ScopeSet
	Boards []ID // nil: all
	Views  []ID // the private channels that a session may see
	Rate   Rate

	Session ID // zero for other kinds

	// Fields of API keys.
	Key         ID
	Integration *Integration
	actsAs      string // ActsAsPerson or ActsAsIntegration
}

// Member is the person that a principal acts as.
type Member struct {
	User    Ref
	Email   string
	Role    Role
	Profile AccessProfile
	Sectors []ID
}

// KeyPrincipal returns the principal of an API key that acts for member m. The members who issued the key limit it by their
// current rights: see Principal.limit.
func KeyPrincipal(c Company, m Member, k Integration, actsAs string, rate Rate, limits ...KeyLimit) *Principal {
	a := &Principal{
		kind: KindKey, Company: c, Member: m, Scopes: NewScopeSet(k.Scopes...), Boards: k.Boards, Rate: rate, Key: k.ID, actsAs: actsAs,
	}
	for i := range limits {
		a.limit(&limits[i])
	}
	k.Scopes = a.Scopes.List()
	a.Integration = &k
	return a
}

// limit reduces the rights of a key to those of a KeyLimit: no higher role, no wider access profile and, if the member
// issued the key in person, no scope that their role lacks. If another key issued it, its scopes were checked then.
func (a *Principal) limit(l *KeyLimit) {
	if !l.Role.AtLeast(a.Role) {
		a.Role = l.Role
	}
	if l.Issuer {
		a.Scopes = a.Scopes.Without(a.Scopes.Without(ScopesOf(l.Role)))
	}
	if l.User.ID == a.User.ID {
		return
	}
	switch {
	case l.Profile == AccessAll || a.Profile == AccessOwn:
	case l.Profile == AccessOwn:
		a.Profile, a.Sectors = AccessOwn, nil
	case a.Profile == AccessAll:
		a.Profile, a.Sectors = AccessSectors, l.Sectors
	default:
		a.Sectors = slices.DeleteFunc(slices.Clone(a.Sectors), func(sector ID) bool { return !slices.Contains(l.Sectors, sector) })
	}
}

// RevokedBy reports whether a key is revoked because a member who limits it has left the team.
func RevokedBy(limits []KeyLimit) bool {
	return slices.ContainsFunc(limits, func(l KeyLimit) bool { return l.Removed })
}

// SessionPrincipal returns the principal of a signed-in member, with the scopes of their role. views lists the private
// channels that they may see.
func SessionPrincipal(c Company, m Member, session ID, views []ID, rate Rate) *Principal {
	return &Principal{
		kind: KindSession, Company: c, Member: m, Scopes: ScopesOf(m.Role), Views: views, Rate: rate, Session: session,
	}
}

// SystemPrincipal returns the principal of the operator, who acts as the company's owner and may do everything.
func SystemPrincipal(c Company, owner Ref, rate Rate) *Principal {
	return &Principal{
		kind: KindSystem, Company: c, Scopes: EveryScope, Rate: rate,
		Member: Member{User: owner, Role: RoleOwner, Profile: AccessAll},
	}
}

// Kind returns the kind of the principal.
func (a *Principal) Kind() Kind { return a.kind }

// ID returns the id of the key or session.
func (a *Principal) ID() ID {
	if a.kind == KindSession {
		return a.Session
	}
	return a.Key
}

// May checks that the principal has the scope and role of a verb. The API calls it before it reads a request.
func (a *Principal) May(v Verb) error {
	switch {
	case a == nil || a.kind == 0:
		return Errorf(CodeInsufficientScope, "The request has no principal.")
	case v.SessionOnly && a.kind != KindSession:
		return Errorf(CodeSessionRequired, "API keys cannot use this operation. Sign in with POST /session.")
	case !a.Scopes.Has(v.Scope):
		return ErrScope(a, v.Scope)
	case v.Role != "":
		return a.Need(v.Role)
	}
	return nil
}

// idempotencyOwner returns the owner of the principal's idempotency keys: the integration, whose id survives a rotation of
// its key, or the person, in any session.
func (a *Principal) idempotencyOwner() (Owner, error) {
	switch a.kind {
	case KindKey:
		return Owner{a.Company.ID, a.Key}, nil
	case KindSession:
		return Owner{a.Company.ID, a.User.ID}, nil
	}
	return Owner{}, fmt.Errorf("kernel: a principal of kind %v has no idempotency keys", a.kind)
}

// ErrScope returns the error for a principal that lacks a scope.
func ErrScope(a *Principal, scope Scope) error {
	return &Error{
		Code:    CodeInsufficientScope,
		Message: "This " + a.kind.String() + " lacks the scope " + string(scope) + ".",
		Params:  Params{"scope": scope},
		Fields:  []FieldError{RuleMissingScope.At("scope", string(scope), Params{"scope": scope})},
	}
}

// ActsAsIntegration reports whether the principal is a key that sends messages as the integration and not as a person.
// These messages have no sender, do not count as replies of the team and do not open attendances.
func (a *Principal) ActsAsIntegration() bool {
	return a.kind == KindKey && a.actsAs == ActsAsIntegration
}

// MaySeeBy reports whether the principal may see a conversation of its company.
func (a *Principal) MaySeeBy(v *Visibility) bool {
	if v.Private {
		return a.Reaches(true, v.Channel)
	}
	return a.Sees(v.Assignee, v.Sector)
}

// Reaches reports whether the principal may see a channel. Public channels are visible to everyone in the company.
func (a *Principal) Reaches(private bool, channel ID) bool {
	return !private || a.kind == KindSession && slices.Contains(a.Views, channel)
}

// Sees reports whether the access profile includes conversations with the given assignee and sector.
func (a *Principal) Sees(assignee, sector *ID) bool {
	mine := assignee != nil && *assignee == a.User.ID
	switch a.Profile {
	case AccessAll:
		return true
	case AccessSectors:
		return mine || sector != nil && slices.Contains(a.Sectors, *sector)
	}
	return mine
}

// Sight returns the visibility rules of the principal for queries.
func (a *Principal) Sight() Sight {
	s := Sight{All: a.Profile == AccessAll, Member: a.User.ID, Private: a.Views}
	if a.Profile == AccessSectors {
		s.Sectors = a.Sectors
	}
	return s
}

// MaySeeBoard reports whether the key's list of boards includes a board.
func (a *Principal) MaySeeBoard(board ID) bool {
	return a.Boards == nil || slices.Contains(a.Boards, board)
}

// Need returns an error unless the member has the role or a higher one.
func (a *Principal) Need(role Role) error {
	if a.Role.AtLeast(role) {
		return nil
	}
	return Errorf(CodeInsufficientScope, "This operation requires the role %s or above; the %s has the role %s.", role, a.kind, a.Role)
}

// KeyLimit is a member whose current rights limit a key: its issuer, or the member that the issuing key acts as.
type KeyLimit struct {
	Issuer  bool // the member issued the key, or an ancestor of it, in person
	Removed bool
	MemberSight
}

// MemberSight is a member with the settings that decide which conversations they may see.
type MemberSight struct {
	User    Ref
	Role    Role
	Profile AccessProfile
	Sectors []ID
	Viewed  []ID // private channels that the member may see
}

// Visitor is a caller who has not signed in.
type Visitor struct {
	IP        netip.Addr
	UserAgent string
	Session   string // the token from the session cookie, or ""
}
