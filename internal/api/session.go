package api

import (
	"context"
	"time"

	"recado/internal/desk"
	"recado/internal/model"
)

// sessionReply is a session, and the cookie that belongs to it where it is new.
type sessionReply struct {
	Status    int
	SetCookie string `header:"Set-Cookie" doc:"The cookie of the session: HttpOnly, SameSite=Lax, Secure over https."`
	Body      model.Session
}

// signedIn answers with a new session and its cookie.
func (s *Server) signedIn(ctx context.Context, made desk.NewSession, status int) *sessionReply {
	return &sessionReply{Status: status, SetCookie: s.site.SessionCookie(callFrom(ctx).request, made.Token, made.Expires), Body: made.Session}
}

type setupReply struct {
	Body struct {
		Needed bool       `json:"needed" doc:"True while this installation has no company."`
		Demo   *DemoLogin `json:"demo,omitempty" doc:"The login of the demo; only in a demo, for callers on the same machine as the server, and while the password is unchanged."`
	}
}

// DemoLogin is the login of a demo.
type DemoLogin struct {
	Email    string `json:"email"`
	Password string `json:"password"`
}

func (s *Server) getSetup(ctx context.Context, _ desk.Visitor, _ *none) (*setupReply, error) {
	var out setupReply
	needed, err := s.desk.System().SetupNeeded(ctx)
	if err != nil {
		return nil, err
	}
	out.Body.Needed = needed
	if s.demo != nil && s.site.Local(callFrom(ctx).request) {
		valid, err := s.desk.System().StillKnown(ctx, s.demoLogin)
		if err != nil {
			return nil, err
		}
		if valid {
			out.Body.Demo = s.demo
		}
	}
	return &out, nil
}

type setupInput struct {
	Body struct {
		Token    string `json:"token" maxLength:"200" doc:"From the link that recado serve prints."`
		Company  string `json:"company" minLength:"1" maxLength:"120"`
		Timezone string `json:"timezone" maxLength:"60" example:"America/Sao_Paulo"`
		Name     string `json:"name" minLength:"1" maxLength:"120" doc:"The name of the owner."`
		Email    string `json:"email" maxLength:"254"`
		Password string `json:"password" doc:"10 to 256 characters."`
	}
}

func (s *Server) setUp(ctx context.Context, v desk.Visitor, in *setupInput) (*sessionReply, error) {
	made, err := s.desk.System().SetUp(ctx, v, desk.NewInstallation(in.Body))
	if err != nil {
		return nil, err
	}
	return s.signedIn(ctx, made, 201), nil
}

type signInInput struct {
	Body struct {
		Email    string    `json:"email" maxLength:"254"`
		Password string    `json:"password" maxLength:"1024"`
		Code     string    `json:"code,omitempty" maxLength:"40" doc:"With two-factor sign-in: six digits, or a recovery code."`
		Company  *model.ID `json:"company,omitempty" doc:"Required if the address belongs to several companies: see 409 company_required."`
	}
}

func (s *Server) signIn(ctx context.Context, v desk.Visitor, in *signInInput) (*sessionReply, error) {
	made, err := s.desk.System().SignIn(ctx, v, desk.Credentials(in.Body))
	if err != nil {
		return nil, err
	}
	return s.signedIn(ctx, made, 200), nil
}

func (s *Server) getSession(ctx context.Context, a *desk.Principal, _ *none) (*reply[model.Session], error) {
	session, err := s.desk.Session(ctx, a)
	return &reply[model.Session]{session}, err
}

// noCookie is an answer without a body that removes the cookie.
type noCookie struct {
	SetCookie string `header:"Set-Cookie" doc:"Removes the cookie of the session."`
}

func (s *Server) signOut(ctx context.Context, a *desk.Principal, _ *none) (*noCookie, error) {
	return &noCookie{s.site.SessionCookie(callFrom(ctx).request, "", time.Time{})}, s.desk.SignOut(ctx, a)
}

func (s *Server) listSessions(ctx context.Context, a *desk.Principal, _ *none) (*reply[list[model.SignedIn]], error) {
	sessions, err := s.desk.Sessions(ctx, a)
	return &reply[list[model.SignedIn]]{list[model.SignedIn]{sessions}}, err
}

func (s *Server) endSession(ctx context.Context, a *desk.Principal, in *AtID) (*none, error) {
	id, err := pathID(in.ID, "session")
	if err != nil {
		return nil, err
	}
	return &none{}, s.desk.EndSession(ctx, a, id)
}

func (s *Server) endOtherSessions(ctx context.Context, a *desk.Principal, _ *none) (*none, error) {
	return &none{}, s.desk.EndOtherSessions(ctx, a)
}

func (s *Server) endMemberSessions(ctx context.Context, a *desk.Principal, in *AtID) (*none, error) {
	id, err := pathID(in.ID, "team member")
	if err != nil {
		return nil, err
	}
	return &none{}, s.desk.EndMemberSessions(ctx, a, id)
}
