package api

import (
	"context"
	"net/url"

	"recado/internal/desk"
	"recado/internal/model"
)

// welcomeURL is the page of the app that a link opens. The token stands behind the #, which no server or log sees.
func (s *Server) welcomeURL(token string) string {
	return s.public + "/#/welcome?token=" + url.QueryEscape(token)
}

func (s *Server) listInvitations(ctx context.Context, a *desk.Principal, _ *none) (*reply[list[model.Invitation]], error) {
	invitations, err := s.desk.Invitations(ctx, a)
	return &reply[list[model.Invitation]]{list[model.Invitation]{invitations}}, err
}

type inviteInput struct {
	Body struct {
		Email         string              `json:"email" maxLength:"254"`
		Name          string              `json:"name" minLength:"1" maxLength:"120"`
		Role          model.Role          `json:"role" enum:"owner,admin,manager,agent"`
		AccessProfile model.AccessProfile `json:"access_profile,omitempty" enum:"all,sectors,own" default:"all"`
		SectorIDs     []model.ID          `json:"sector_ids,omitempty" maxItems:"200"`
	}
}

func (s *Server) invite(ctx context.Context, a *desk.Principal, in *inviteInput) (*reply[model.Invitation], error) {
	b := in.Body
	made, token, err := s.desk.Invite(ctx, a, desk.NewInvitation{
		Email: b.Email, Name: b.Name, Role: b.Role, AccessProfile: b.AccessProfile, Sectors: b.SectorIDs,
	})
	link := s.welcomeURL(token)
	made.URL = &link
	return &reply[model.Invitation]{made}, err
}

func (s *Server) cancelInvitation(ctx context.Context, a *desk.Principal, in *AtID) (*none, error) {
	id, err := pathID(in.ID, "invitation")
	if err != nil {
		return nil, err
	}
	return &none{}, s.desk.CancelInvitation(ctx, a, id)
}

func (s *Server) resetLink(ctx context.Context, a *desk.Principal, in *AtID) (*reply[model.AccessLink], error) {
	id, err := pathID(in.ID, "team member")
	if err != nil {
		return nil, err
	}
	link, token, err := s.desk.ResetLink(ctx, a, id)
	link.URL = s.welcomeURL(token)
	return &reply[model.AccessLink]{link}, err
}

type welcomeInput struct {
	Token string `query:"token" required:"true" maxLength:"200"`
}

func (s *Server) welcome(ctx context.Context, v desk.Visitor, in *welcomeInput) (*reply[model.Welcome], error) {
	w, err := s.desk.System().Welcome(ctx, v, in.Token)
	return &reply[model.Welcome]{w}, err
}

type acceptInput struct {
	Body struct {
		Token    string `json:"token" maxLength:"200"`
		Name     string `json:"name,omitempty" maxLength:"120" doc:"Absent: the name in the invitation."`
		Password string `json:"password" doc:"10 to 256 characters."`
		Code     string `json:"code,omitempty" maxLength:"40" doc:"Required for a new password with two-factor sign-in."`
	}
}

func (s *Server) acceptWelcome(ctx context.Context, v desk.Visitor, in *acceptInput) (*sessionReply, error) {
	made, err := s.desk.System().AcceptWelcome(ctx, v, desk.Accept(in.Body))
	if err != nil {
		return nil, err
	}
	return s.signedIn(ctx, made, 200), nil
}
