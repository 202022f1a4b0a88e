package people

import (
	"context"
	"net/url"

	"recado/internal/httpserver"
	"recado/internal/kernel"
)

// welcomeURL is the page of the app that a link opens. The token stands behind the #, which no server or log sees.
func welcomeURL(ctx context.Context, token string) string {
	return httpserver.PublicURL(ctx) + "/#/welcome?token=" + url.QueryEscape(token)
}

func (s *handlers) listInvitations(ctx context.Context, a *kernel.Principal, _ *httpserver.None) (*httpserver.Reply[httpserver.List[Invitation]], error) {
	invitations, err := s.verbs.Invitations(ctx, a)
	return &httpserver.Reply[httpserver.List[Invitation]]{Body: httpserver.List[Invitation]{Data: invitations}}, err
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
	b := in.Body
	made, token, err := s.verbs.Invite(ctx, a, NewInvitation{
		Email: b.Email, Name: b.Name, Role: b.Role, AccessProfile: b.AccessProfile, Sectors: b.SectorIDs,
	})
	link := welcomeURL(ctx, token)
	made.URL = &link
	return &httpserver.Reply[Invitation]{Body: made}, err
}

func (s *handlers) cancelInvitation(ctx context.Context, a *kernel.Principal, in *httpserver.AtID) (*httpserver.None, error) {
	id, err := httpserver.PathID(in.ID, "invitation")
	if err != nil {
		return nil, err
	}
	return &httpserver.None{}, s.verbs.CancelInvitation(ctx, a, id)
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
		Name     string `json:"name,omitempty" maxLength:"120" doc:"Absent: the name in the invitation."`
		Password string `json:"password" doc:"10 to 256 characters."`
		Code     string `json:"code,omitempty" maxLength:"40" doc:"Required for a new password with two-factor sign-in."`
	}
}

func (s *handlers) acceptWelcome(ctx context.Context, v kernel.Visitor, in *acceptInput) (*sessionReply, error) {
	made, err := s.verbs.AcceptWelcome(ctx, v, Accept(in.Body))
	if err != nil {
		return nil, err
	}
	return signedIn(ctx, made, 200), nil
}
