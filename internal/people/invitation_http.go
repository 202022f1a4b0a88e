package people

import (
	"context"
	"net/url"

	"recado/internal/httpserver"
	"recado/internal/kernel"
)

// welcomeURL returns the link to the app's welcome page. The token is in the fragment, which browsers do not send to servers.
func welcomeURL(ctx context.Context, token string) string {
	return httpserver.PublicURL(ctx) + "/#/welcome?token=" + url.QueryEscape(token)
}

type inviteInput struct {
	Body struct {
		Email         string               `json:"email" maxLength:"254"`
		Name          string               `json:"name" minLength:"1" maxLength:"120"`
		Role          kernel.Role          `json:"role" enum:"owner,admin,manager,agent"`
		AccessProfile kernel.AccessProfile `json:"access_profile,omitempty" enum:"all,sectors,own" default:"all"`
		SectorIDs     []kernel.ID          `json:"sector_ids,omitempty" maxItems:"200"`
	}
}

func (s *handlers) invite(ctx context.Context, a *kernel.Principal, in *inviteInput) (*httpserver.Reply[Invitation], error) {
	invitation, token, err := s.verbs.Invite(ctx, a, NewInvitation(in.Body))
	link := welcomeURL(ctx, token)
	invitation.URL = &link
	return &httpserver.Reply[Invitation]{Body: invitation}, err
}

func (s *handlers) createResetLink(ctx context.Context, a *kernel.Principal, in *httpserver.AtID) (*httpserver.Reply[AccessLink], error) {
	id, err := httpserver.PathID(in.ID, "team member")
	if err != nil {
		return nil, err
	}
	link, token, err := s.verbs.ResetLink(ctx, a, id)
	link.URL = welcomeURL(ctx, token)
	return &httpserver.Reply[AccessLink]{Body: link}, err
}

type welcomeInput struct {
	Token string `query:"token" required:"true" maxLength:"200"`
}

func (s *handlers) welcome(ctx context.Context, v kernel.Visitor, in *welcomeInput) (*httpserver.Reply[Welcome], error) {
	w, err := s.verbs.Welcome(ctx, v, in.Token)
	return &httpserver.Reply[Welcome]{Body: w}, err
}

type acceptInput struct {
	Body struct {
		Token    string `json:"token" maxLength:"200"`
		Name     string `json:"name,omitempty" maxLength:"120" doc:"Defaults to the name in the invitation."`
		Password string `json:"password" doc:"Must have 10 to 256 characters."`
		Code     string `json:"code,omitempty" maxLength:"40" doc:"Required to set a new password if two-factor sign-in is on."`
	}
}

func (s *handlers) acceptWelcome(ctx context.Context, v kernel.Visitor, in *acceptInput) (*sessionReply, error) {
	session, err := s.verbs.AcceptWelcome(ctx, v, Accept(in.Body))
	return signedIn(ctx, session, 200), err
}
