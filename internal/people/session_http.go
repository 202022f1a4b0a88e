package people

import (
	"context"
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
	needed, err := s.people.SetupNeeded(ctx)
	if err != nil {
		return nil, err
	}
	out.Body.Needed = needed
	if s.login != nil && httpserver.IsLocal(ctx) {
		valid, err := s.people.StillKnown(ctx, s.known)
		if err != nil {
			return nil, err
		}
		if valid {
			out.Body.Demo = s.login
		}
	}
	return &out, nil
}

type setupInput struct {
	Body struct {
		Token    string `json:"token" maxLength:"200" doc:"The token in the link printed by recado serve."`
		Company  string `json:"company" minLength:"1" maxLength:"120"`
		Timezone string `json:"timezone" maxLength:"60" example:"America/Sao_Paulo"`
		Name     string `json:"name" minLength:"1" maxLength:"120" doc:"The name of the owner."`
		Email    string `json:"email" maxLength:"254"`
		Password string `json:"password" doc:"Must have 10 to 256 characters."`
	}
}

func (s *handlers) setUp(ctx context.Context, v kernel.Visitor, in *setupInput) (*sessionReply, error) {
	session, err := s.verbs.SetUp(ctx, v, NewInstallation(in.Body))
	return signedIn(ctx, session, 201), err
}

type signInInput struct {
	Body struct {
		Email    string     `json:"email" maxLength:"254"`
		Password string     `json:"password" maxLength:"1024"`
		Code     string     `json:"code,omitempty" maxLength:"40" doc:"The six-digit code or a recovery code, if two-factor sign-in is on."`
		Company  *kernel.ID `json:"company,omitempty" doc:"The company to sign in to. Required if the e-mail address belongs to several companies; see 409 company_required."`
	}
}

func (s *handlers) signIn(ctx context.Context, v kernel.Visitor, in *signInInput) (*sessionReply, error) {
	session, err := s.verbs.SignIn(ctx, v, Credentials(in.Body))
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
