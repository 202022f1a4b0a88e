package desk

import (
	"context"
	"fmt"
	"slices"

	"recado/internal/model"
	"recado/internal/store"
)

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
	Company model.Company
	Member
	Scopes model.ScopeSet
	Boards []model.ID // nil: all
	Views  []model.ID // the private channels that it may see; keys see none
	Rate   model.Rate

	Key     model.ID // of a key
	Session model.ID // of a session

	integration *model.Integration // of a key
	actsAs      string             // of a key: model.ActsAsPerson or model.ActsAsIntegration
}

// Bind gives a context in which the transactions of this principal's calls run. Of the connections, one company has at
// most half at a time while others are active, so that these find free ones. The API binds every call.
func (a *Principal) Bind(ctx context.Context) context.Context {
	return store.ForCompany(ctx, a.Company.ID)
}

// Member is the person a principal acts as.
type Member struct {
	User    model.Ref
	Email   string
	Role    model.Role
	Profile model.AccessProfile
	Sectors []model.ID
}

// KeyPrincipal is the holder of an API key, with the key's rate. Whatever the member m has become since the key was issued,
// the key is worth no more than its limits: see Principal.limit.
func KeyPrincipal(c model.Company, m Member, k model.Key, limits ...store.KeyLimit) *Principal {
	a := &Principal{
		kind: KindKey, Company: c, Member: m, Scopes: model.NewScopeSet(k.Scopes...), Boards: k.Boards, Rate: k.Rate, Key: k.ID, actsAs: k.ActsAs,
	}
	for i := range limits {
		a.limit(&limits[i])
	}
	a.integration = &model.Integration{
		ID: k.ID, Name: k.Name, Scopes: a.Scopes.List(), Boards: k.Boards, CreatedAt: k.CreatedAt, ExpiresAt: k.ExpiresAt,
	}
	return a
}

// limit reduces a key to what a member may do and see now who issued it, or whom the key acts as that issued it: no higher
// role, no wider access profile and, for a person who issued it, no scope that their role lacks. The scopes of a key that
// issued others were granted to it and do not depend on its member.
func (a *Principal) limit(l *store.KeyLimit) {
	if !l.Role.AtLeast(a.Role) {
		a.Role = l.Role
	}
	if l.Issuer {
		a.Scopes = a.Scopes.Without(a.Scopes.Without(model.ScopesOf(l.Role)))
	}
	if l.User.ID == a.User.ID {
		return
	}
	switch {
	case l.Profile == model.AccessAll || a.Profile == model.AccessOwn:
	case l.Profile == model.AccessOwn:
		a.Profile, a.Sectors = model.AccessOwn, nil
	case a.Profile == model.AccessAll:
		a.Profile, a.Sectors = model.AccessSectors, l.Sectors
	default:
		a.Sectors = slices.DeleteFunc(slices.Clone(a.Sectors), func(sector model.ID) bool { return !slices.Contains(l.Sectors, sector) })
	}
}

// revokedBy reports whether a member whose rights limit a key has left the team, and the key has ended with that.
func revokedBy(limits []store.KeyLimit) bool {
	return slices.ContainsFunc(limits, func(l store.KeyLimit) bool { return l.Removed })
}

// SessionPrincipal is a member who is signed in. Their role decides on the scopes; views are the private
// channels that they may see.
func SessionPrincipal(c model.Company, m Member, session model.ID, views []model.ID, rate model.Rate) *Principal {
	return &Principal{
		kind: KindSession, Company: c, Member: m, Scopes: model.ScopesOf(m.Role), Views: views, Rate: rate, Session: session,
	}
}

// SystemPrincipal is the operator of the installation, who acts as the company's owner and may do everything.
func SystemPrincipal(c model.Company, owner model.Ref, rate model.Rate) *Principal {
	return &Principal{
		kind: KindSystem, Company: c, Scopes: model.EveryScope, Rate: rate,
		Member: Member{User: owner, Role: model.RoleOwner, Profile: model.AccessAll},
	}
}

// Kind says what the principal is: a key, a session or the command line.
func (a *Principal) Kind() Kind { return a.kind }

// ID names the key or the session of the principal.
func (a *Principal) ID() model.ID {
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
		return model.Errorf(model.CodeInsufficientScope, "This call has no principal.")
	case v.SessionOnly && a.kind != KindSession:
		return model.Errorf(model.CodeSessionRequired, "An API key cannot make this call. Sign in with POST /session.")
	case !a.Scopes.Has(v.Scope):
		return errScope(a, v.Scope)
	case v.Role != "":
		return a.need(v.Role)
	}
	return nil
}

// idempotencyOwner says whose idempotency keys a principal uses: the integration's, which a rotation of its
// key leaves as they are, or the person's, in whichever session.
func (a *Principal) idempotencyOwner() (store.Owner, error) {
	switch a.kind {
	case KindKey:
		return store.Owner(a.Key), nil
	case KindSession:
		return store.Owner(a.User.ID), nil
	}
	return store.Owner{}, fmt.Errorf("desk: a principal of kind %v has no idempotency keys", a.kind)
}

// errScope refuses a principal that lacks a scope.
func errScope(a *Principal, scope model.Scope) error {
	return &model.Error{
		Code:    model.CodeInsufficientScope,
		Message: "This " + a.kind.String() + " lacks the scope " + string(scope) + ".",
		Fields:  []model.FieldError{{Field: "scope", Message: string(scope)}},
	}
}

// origin is that of the messages that the principal sends.
func (a *Principal) origin() string {
	if a.kind == KindKey {
		return model.OriginAPI
	}
	return model.OriginApp
}

// ActsAsIntegration reports whether the principal is a key whose messages are those of the integration and of no person:
// they have no sender, are no answer of the team and open no attendance.
func (a *Principal) ActsAsIntegration() bool {
	return a.kind == KindKey && a.actsAs == model.ActsAsIntegration
}

// signs sets who sent a message: the integration, and the member unless the integration acts for itself.
func (a *Principal) signs(m *model.Message) {
	if a.kind == KindKey {
		m.Integration = &model.Ref{ID: a.Key, Name: a.integration.Name}
	}
	if !a.ActsAsIntegration() {
		m.SentBy = &model.Ref{ID: a.User.ID, Name: a.User.Name}
	}
}

// Identity answers GET /me.
func (d *Desk) Identity(_ context.Context, a *Principal, apiVersion string) (*model.Identity, error) {
	if err := a.May(VerbIdentity); err != nil {
		return nil, err
	}
	return &model.Identity{
		Integration: a.integration,
		User:        model.IdentityUser{ID: a.User.ID, Name: a.User.Name, Email: a.Email, Role: a.Role},
		Company:     a.Company,
		APIVersion:  apiVersion,
	}, nil
}

// MaySee is the one policy on conversations, and on all that belongs to them: those of a private channel for its
// viewers, whatever their access profile, and public ones within the member's access profile. Its other forms are sight for
// queries, maySeeEvent for the feed, maySeeCard for cards and knowsContact for contacts.
func (a *Principal) MaySee(c *model.Conversation) bool {
	return c.Company == a.Company.ID && a.MaySeeBy(c.Visibility())
}

// MaySeeBy is MaySee for a conversation of the principal's company of which only the visibility is known.
func (a *Principal) MaySeeBy(v *model.Visibility) bool {
	if v.Private {
		return a.reaches(true, v.Channel)
	}
	return a.sees(v.Assignee, v.Sector)
}

// memberSees is MaySee for a member who does not make the call.
func memberSees(m *store.MemberSight, c *model.Conversation) bool {
	return memberPrincipal(model.Company{ID: c.Company}, m).MaySee(c)
}

// memberPrincipal is a member as if signed in.
func memberPrincipal(company model.Company, m *store.MemberSight) *Principal {
	return SessionPrincipal(company, Member{User: m.User, Role: m.Role, Profile: m.Profile, Sectors: m.Sectors}, model.ID{}, m.Viewed, model.Rate{})
}

// reaches reports whether what belongs to a channel exists for the principal.
func (a *Principal) reaches(private bool, channel model.ID) bool {
	return !private || a.kind == KindSession && slices.Contains(a.Views, channel)
}

// knowsContact reports whether a contact exists for the principal: the company's own, and those of the private
// channels that it sees.
func (a *Principal) knowsContact(c *model.Contact) bool { return c.Public() || a.reaches(true, c.Pool) }

func (a *Principal) sees(assignee, sector *model.ID) bool {
	mine := assignee != nil && *assignee == a.User.ID
	switch a.Profile {
	case model.AccessAll:
		return true
	case model.AccessSectors:
		return mine || sector != nil && slices.Contains(a.Sectors, *sector)
	}
	return mine
}

// sight is MaySee for queries.
func (a *Principal) sight() store.Sight {
	s := store.Sight{All: a.Profile == model.AccessAll, Member: a.User.ID, Private: a.Views}
	if a.Profile == model.AccessSectors {
		s.Sectors = a.Sectors
	}
	return s
}

// MaySeeBoard reports whether the key's list of boards allows a board.
func (a *Principal) MaySeeBoard(board model.ID) bool {
	return a.Boards == nil || slices.Contains(a.Boards, board)
}

// need checks the role of the member.
func (a *Principal) need(role model.Role) error {
	if a.Role.AtLeast(role) {
		return nil
	}
	return model.Errorf(model.CodeInsufficientScope, "This call needs the role %s or above; the %s has the role %s.", role, a.kind, a.Role)
}
