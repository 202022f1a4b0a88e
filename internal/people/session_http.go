package people

import (
	"context"
	"net/url"
	"time"

	"recado/internal/httpserver"
	"recado/internal/kernel"
)

// sessionReply is a new session with its cookie.
type sessionReply struct {
	Status    int
	SetCookie string `header:"Set-Cookie" doc:"The session cookie: HttpOnly, SameSite=Lax, and Secure over https."`
	Body      Session
}

func signedIn(ctx context.Context, session NewSession, status int) *sessionReply {
	return &sessionReply{Status: status, SetCookie: httpserver.SessionCookie(ctx, session.Token, session.Expires), Body: session.Session}
}

type setupReply struct {
	Body struct {
		Needed bool       `json:"needed" doc:"Whether the installation has no company yet."`
		Demo   *DemoLogin `json:"demo,omitempty" doc:"The login of the demo. Returned only by a demo installation to callers on the same machine, while the password is unchanged."`
	}
}

// DemoLogin is the login of a demo.
type DemoLogin struct {
	Email    string `json:"email"`
	Password string `json:"password"`
}

// Setup serves GET /setup.
type Setup struct {
	people *People
	login  *DemoLogin
	known  KnownLogin
}

// NewSetup returns the handler of GET /setup.
func NewSetup(people *People) *Setup { return &Setup{people: people} }

// ShowDemo shows the login of a demo to callers on this machine until its password changes. Call it before the first request.
func (s *Setup) ShowDemo(ctx context.Context, login DemoLogin) (err error) {
	s.login = &login
	s.known, err = s.people.KnownLogin(ctx, login.Email, login.Password)
	return err
}

func (s *Setup) get(ctx context.Context, _ kernel.Visitor, _ *httpserver.None) (*setupReply, error) {
	var out setupReply
	var err error
	if out.Body.Needed, err = s.people.SetupNeeded(ctx); err != nil || s.login == nil || !httpserver.IsLocal(ctx) {
		return &out, err
	}
	valid, err := s.people.StillKnown(ctx, s.known)
	if valid {
		out.Body.Demo = s.login
	}
	return &out, err
}

type setupInput struct {
	Body struct{ NewInstallation }
}

func (s *handlers) setUp(ctx context.Context, v kernel.Visitor, in *setupInput) (*sessionReply, error) {
	session, err := s.verbs.SetUp(ctx, v, in.Body.NewInstallation)
	return signedIn(ctx, session, 201), err
}

type signInInput struct {
	Body struct{ Credentials }
}

func (s *handlers) signIn(ctx context.Context, v kernel.Visitor, in *signInInput) (*sessionReply, error) {
	session, err := s.verbs.SignIn(ctx, v, in.Body.Credentials)
	return signedIn(ctx, session, 200), err
}

// noCookie is a response without a body that removes the cookie.
type noCookie struct {
	SetCookie string `header:"Set-Cookie" doc:"Removes the session cookie."`
}

func (s *handlers) signOut(ctx context.Context, a *kernel.Principal, _ *httpserver.None) (*noCookie, error) {
	return &noCookie{httpserver.SessionCookie(ctx, "", time.Time{})}, s.verbs.SignOut(ctx, a)
}

func (s *handlers) endOtherSessions(ctx context.Context, a *kernel.Principal, _ *httpserver.None) (*httpserver.None, error) {
	return &httpserver.None{}, s.verbs.EndOtherSessions(ctx, a)
}

// welcomeURL returns the link to the app's welcome page. The token is in the fragment, which browsers do not send to servers.
func welcomeURL(ctx context.Context, token string) string {
	return httpserver.PublicURL(ctx) + "/#/welcome?token=" + url.QueryEscape(token)
}

type inviteInput struct {
	Body struct{ NewInvitation }
}

func (s *handlers) invite(ctx context.Context, a *kernel.Principal, in *inviteInput) (*httpserver.Reply[Invitation], error) {
	invitation, token, err := s.verbs.Invite(ctx, a, in.Body.NewInvitation)
	link := welcomeURL(ctx, token)
	invitation.URL = &link
	return &httpserver.Reply[Invitation]{Body: invitation}, err
}

func (s *handlers) createResetLink(ctx context.Context, a *kernel.Principal, in *httpserver.AtID) (*httpserver.Reply[AccessLink], error) {
	link, token, err := s.verbs.ResetLink(ctx, a, kernel.ID(in.ID))
	link.URL = welcomeURL(ctx, token)
	return &httpserver.Reply[AccessLink]{Body: link}, err
}

type welcomeInput struct {
	Token string `query:"token" required:"true" maxLength:"200"`
}

func (s *handlers) welcome(ctx context.Context, v kernel.Visitor, in *welcomeInput) (*httpserver.Reply[Welcome], error) {
	return httpserver.Body(s.verbs.Welcome(ctx, v, in.Token))
}

type acceptInput struct {
	Body struct{ Accept }
}

func (s *handlers) acceptWelcome(ctx context.Context, v kernel.Visitor, in *acceptInput) (*sessionReply, error) {
	session, err := s.verbs.AcceptWelcome(ctx, v, in.Body.Accept)
	return signedIn(ctx, session, 200), err
}

type profileInput struct {
	Body struct{ ProfileChange }
}

func (s *handlers) updateProfile(ctx context.Context, a *kernel.Principal, in *profileInput) (*httpserver.Reply[Session], error) {
	return httpserver.Body(s.verbs.UpdateProfile(ctx, a, httpserver.Visitor(ctx), in.Body.ProfileChange))
}

type presenceInput struct {
	Body struct {
		Presence string `json:"presence" enum:"auto,online,away,offline" doc:"auto derives the presence from activity: online within 2 minutes of a request or while a live stream is open, away within 15 minutes."`
	}
}

type presenceReply struct {
	Body struct {
		Presence string `json:"presence" enum:"online,away,offline" doc:"The presence shown to other members."`
	}
}

func (s *handlers) setPresence(ctx context.Context, a *kernel.Principal, in *presenceInput) (*presenceReply, error) {
	var out presenceReply
	var err error
	out.Body.Presence, err = s.verbs.SetPresence(ctx, a, in.Body.Presence)
	return &out, err
}

type preferencesInput struct {
	Body struct{ PreferencesChange }
}

func (s *handlers) updatePreferences(ctx context.Context, a *kernel.Principal, in *preferencesInput) (*httpserver.Reply[Preferences], error) {
	return httpserver.Body(s.verbs.UpdatePreferences(ctx, a, in.Body.PreferencesChange))
}

type passwordInput struct {
	Body struct {
		Password string `json:"password" maxLength:"1024"`
	}
}

func (s *handlers) beginTwoFactor(ctx context.Context, a *kernel.Principal, in *passwordInput) (*httpserver.Reply[TwoFactorSecret], error) {
	return httpserver.Body(s.verbs.BeginTwoFactor(ctx, a, httpserver.Visitor(ctx), in.Body.Password))
}

type codeInput struct {
	Body struct {
		Code string `json:"code" maxLength:"40"`
	}
}

type recoveryReply struct {
	Body struct {
		Codes []string `json:"recovery_codes" nullable:"true" doc:"Recovery codes. Each can be used once in place of a code. They are returned only in this response, and null in a response replayed for an Idempotency-Key."`
	}
}

func (s *handlers) confirmTwoFactor(ctx context.Context, a *kernel.Principal, in *codeInput) (*recoveryReply, error) {
	var out recoveryReply
	var err error
	httpserver.Shaped(ctx, func(*[]string) *recoveryReply { return &recoveryReply{} }) // the codes are secret
	out.Body.Codes, err = s.verbs.ConfirmTwoFactor(ctx, a, httpserver.Visitor(ctx), in.Body.Code)
	return &out, err
}

type disableInput struct {
	Body struct {
		Password string `json:"password" maxLength:"1024"`
		Code     string `json:"code" maxLength:"40" doc:"The six-digit code, or a recovery code."`
	}
}

func (s *handlers) disableTwoFactor(ctx context.Context, a *kernel.Principal, in *disableInput) (*httpserver.None, error) {
	return &httpserver.None{}, s.verbs.DisableTwoFactor(ctx, a, httpserver.Visitor(ctx), in.Body.Password, in.Body.Code)
}
