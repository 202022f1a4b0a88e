package kernel

import (
	"bytes"
	"context"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Company is one tenant. Everything else belongs to exactly one company.
type Company struct {
	ID       ID     `json:"id"`
	Name     string `json:"name"`
	Timezone string `json:"timezone" doc:"IANA name of the time zone in which this company's days begin." example:"America/Sao_Paulo"`
}

// Ref is how a team member or a sector appears inside another noun.
type Ref struct {
	ID   ID     `json:"id"`
	Name string `json:"name"`
}

// Integration is one API key's public side: what it is called and what it may do.
type Integration struct {
	ID        ID         `json:"id"`
	Name      string     `json:"name"`
	Scopes    []Scope    `json:"scopes"`
	Boards    Boards     `json:"boards" nullable:"true" doc:"Boards this key may see; null means all of them."`
	CreatedAt time.Time  `json:"created_at"`
	ExpiresAt *time.Time `json:"expires_at"`
}

// Values of Key.ActsAs.
const (
	ActsAsPerson      = "person"
	ActsAsIntegration = "integration"
)

// Rate is how often one key may call.
type Rate struct {
	PerSecond int64 `json:"per_second" minimum:"1" maximum:"1000000"`
	Burst     int64 `json:"burst" minimum:"1" maximum:"1000000"`
}

// Boards are the boards a key may see. Nil, which JSON shows as null, means all of them.
type Boards []ID

// MarshalJSONTo writes null for nil.
func (b Boards) MarshalJSONTo(enc *jsontext.Encoder) error {
	return json.MarshalEncode(enc, []ID(b), json.FormatNilSliceAsNull(true))
}

// Role is what a team member may manage.
type Role string

// Roles, from the most to the least powerful.
const (
	RoleOwner   Role = "owner"
	RoleAdmin   Role = "admin"
	RoleManager Role = "manager"
	RoleAgent   Role = "agent"
)

// AtLeast reports whether r is as powerful as other, or more.
func (r Role) AtLeast(other Role) bool { return r.rank() >= other.rank() }

func (r Role) rank() int {
	switch r {
	case RoleOwner:
		return 4
	case RoleAdmin:
		return 3
	case RoleManager:
		return 2
	case RoleAgent:
		return 1
	}
	return 0
}

// AccessProfile says which conversations a member, and a key that acts as that member, may see.
type AccessProfile string

// The three access profiles: everything; the member's sectors and what is assigned to them; only
// what is assigned to them.
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

// SeesTheSame reports whether two principals of one person may see the same things.
func (a *Principal) SeesTheSame(b *Principal) bool {
	return a.Profile == b.Profile && SameIDs(a.Sectors, b.Sectors) && SameIDs(a.Views, b.Views)
}

// SameIDs compares two sets.
func SameIDs(a, b []ID) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(id ID) bool { return !slices.Contains(b, id) })
}

// Kind says what a principal is. The zero value is no kind: every verb refuses it.
type Kind uint8

// The kinds of principals.
const (
	KindKey     Kind = iota + 1 // an integration with its API key
	KindSession                 // a person who is signed in to the app
	KindSystem                  // the command line
)

// String gives the name for logs and messages.
func (k Kind) String() string {
	switch k {
	case KindKey:
		return "key"
	case KindSession:
		return "session"
	case KindSystem:
		return "system"
	}
	return "none"
}

// Principal is who makes a call: for which company, and what they may do and see. Every
// query of a verb is bound to its company. Only KeyPrincipal, SessionPrincipal and SystemPrincipal make one
// that a verb accepts.
type Principal struct {
	kind    Kind
	Company Company
	Member
	Scopes ScopeSet
	Boards []ID // nil: all
	Views  []ID // the private channels that it may see; keys see none
	Rate   Rate

	Key     ID // of a key
	Session ID // of a session

	Integration *Integration // of a key
	actsAs      string       // of a key: ActsAsPerson or ActsAsIntegration
}

// Bind gives a context in which the transactions of this principal's calls run. Of the connections, one company has at
// most half at a time while others are active, so that these find free ones. The API binds every call.
func (a *Principal) Bind(ctx context.Context) context.Context {
	return ForCompany(ctx, a.Company.ID)
}

// Member is the person a principal acts as.
type Member struct {
	User    Ref
	Email   string
	Role    Role
	Profile AccessProfile
	Sectors []ID
}

// KeyPrincipal is the holder of an API key, with the key's rate. Whatever the member m has become since the key was issued,
// the key is worth no more than its limits: see Principal.limit.
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

// limit reduces a key to what a member may do and see now who issued it, or whom the key acts as that issued it: no higher
// role, no wider access profile and, for a person who issued it, no scope that their role lacks. The scopes of a key that
// issued others were granted to it and do not depend on its member.
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

// RevokedBy reports whether a member whose rights limit a key has left the team, and the key has ended with that.
func RevokedBy(limits []KeyLimit) bool {
	return slices.ContainsFunc(limits, func(l KeyLimit) bool { return l.Removed })
}

// SessionPrincipal is a member who is signed in. Their role decides on the scopes; views are the private
// channels that they may see.
func SessionPrincipal(c Company, m Member, session ID, views []ID, rate Rate) *Principal {
	return &Principal{
		kind: KindSession, Company: c, Member: m, Scopes: ScopesOf(m.Role), Views: views, Rate: rate, Session: session,
	}
}

// SystemPrincipal is the operator of the installation, who acts as the company's owner and may do everything.
func SystemPrincipal(c Company, owner Ref, rate Rate) *Principal {
	return &Principal{
		kind: KindSystem, Company: c, Scopes: EveryScope, Rate: rate,
		Member: Member{User: owner, Role: RoleOwner, Profile: AccessAll},
	}
}

// Kind says what the principal is: a key, a session or the command line.
func (a *Principal) Kind() Kind { return a.kind }

// ID names the key or the session of the principal.
func (a *Principal) ID() ID {
	if a.kind == KindSession {
		return a.Session
	}
	return a.Key
}

// May is the permission check of a verb: the scope and the role that it takes. The API makes it before it
// reads a request, and the verb makes it again, because the API is not the only caller.
func (a *Principal) May(v Verb) error {
	switch {
	case a == nil || a.kind == 0:
		return Errorf(CodeInsufficientScope, "This call has no principal.")
	case v.SessionOnly && a.kind != KindSession:
		return Errorf(CodeSessionRequired, "An API key cannot make this call. Sign in with POST /session.")
	case !a.Scopes.Has(v.Scope):
		return ErrScope(a, v.Scope)
	case v.Role != "":
		return a.Need(v.Role)
	}
	return nil
}

// idempotencyOwner says whose idempotency keys a principal uses: the integration's, which a rotation of its
// key leaves as they are, or the person's, in whichever session.
func (a *Principal) idempotencyOwner() (Owner, error) {
	switch a.kind {
	case KindKey:
		return Owner{a.Company.ID, a.Key}, nil
	case KindSession:
		return Owner{a.Company.ID, a.User.ID}, nil
	}
	return Owner{}, fmt.Errorf("kernel: a principal of kind %v has no idempotency keys", a.kind)
}

// ErrScope refuses a principal that lacks a scope.
func ErrScope(a *Principal, scope Scope) error {
	return &Error{
		Code:    CodeInsufficientScope,
		Message: "This " + a.kind.String() + " lacks the scope " + string(scope) + ".",
		Params:  Params{"scope": scope},
		Fields:  []FieldError{RuleMissingScope.At("scope", string(scope), Params{"scope": scope})},
	}
}

// ActsAsIntegration reports whether the principal is a key whose messages are those of the integration and of no person:
// they have no sender, are no answer of the team and open no attendance.
func (a *Principal) ActsAsIntegration() bool {
	return a.kind == KindKey && a.actsAs == ActsAsIntegration
}

// MaySeeBy is MaySee for a conversation of the principal's company of which only the visibility is known.
func (a *Principal) MaySeeBy(v *Visibility) bool {
	if v.Private {
		return a.Reaches(true, v.Channel)
	}
	return a.Sees(v.Assignee, v.Sector)
}

// Reaches reports whether what belongs to a channel exists for the principal.
func (a *Principal) Reaches(private bool, channel ID) bool {
	return !private || a.kind == KindSession && slices.Contains(a.Views, channel)
}

// Sees reports whether the access profile of the principal includes what is assigned to a person and a sector.
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

// Sight is MaySee for queries.
func (a *Principal) Sight() Sight {
	s := Sight{All: a.Profile == AccessAll, Member: a.User.ID, Private: a.Views}
	if a.Profile == AccessSectors {
		s.Sectors = a.Sectors
	}
	return s
}

// MaySeeBoard reports whether the key's list of boards allows a board.
func (a *Principal) MaySeeBoard(board ID) bool {
	return a.Boards == nil || slices.Contains(a.Boards, board)
}

// Need checks the role of the member.
func (a *Principal) Need(role Role) error {
	if a.Role.AtLeast(role) {
		return nil
	}
	return Errorf(CodeInsufficientScope, "This call needs the role %s or above; the %s has the role %s.", role, a.kind, a.Role)
}

// KeyLimit is a member whose present rights limit a key: the one who issued it, or one whom a key acts as that issued it.
type KeyLimit struct {
	Issuer  bool // they issued the key, or one that it descends from, in person
	Removed bool
	MemberSight
}

// MemberSight is a present member with what decides which conversations they may see.
type MemberSight struct {
	User    Ref
	Role    Role
	Profile AccessProfile
	Sectors []ID
	Viewed  []ID // the private channels that the member may see
}

// Visitor is a caller who has not signed in.
type Visitor struct {
	IP        netip.Addr
	UserAgent string
	Session   string // the token of the cookie that came with the request; "" without one
}
