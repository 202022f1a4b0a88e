package api

import (
	"context"

	"recado/internal/desk"
	"recado/internal/model"
)

type profileInput struct {
	Body struct {
		Name     *string `json:"name,omitempty" minLength:"1" maxLength:"120"`
		Email    *string `json:"email,omitempty" maxLength:"254"`
		Password *struct {
			Current string `json:"current" maxLength:"1024"`
			New     string `json:"new" doc:"10 to 256 characters."`
		} `json:"password,omitempty" doc:"A new password ends all other sessions."`
		Language  *string `json:"language,omitempty" enum:"pt-BR,en,es"`
		Signature *string `json:"signature,omitempty" maxLength:"120"`
	}
}

func (s *Server) updateProfile(ctx context.Context, a *desk.Principal, in *profileInput) (*reply[model.Session], error) {
	change := desk.ProfileChange{Name: in.Body.Name, Email: in.Body.Email, Language: in.Body.Language, Signature: in.Body.Signature}
	if in.Body.Password != nil {
		change.Password = &desk.PasswordChange{Current: in.Body.Password.Current, New: in.Body.Password.New}
	}
	session, err := s.desk.UpdateProfile(ctx, a, s.visitor(callFrom(ctx).request), change)
	return &reply[model.Session]{session}, err
}

type presenceInput struct {
	Body struct {
		Presence string `json:"presence" enum:"auto,online,away,offline" doc:"auto follows activity: online within 2 minutes of a request or while a live stream is open, away within 15."`
	}
}

type presenceReply struct {
	Body struct {
		Presence string `json:"presence" enum:"online,away,offline" doc:"What others see."`
	}
}

func (s *Server) setPresence(ctx context.Context, a *desk.Principal, in *presenceInput) (*presenceReply, error) {
	var out presenceReply
	var err error
	out.Body.Presence, err = s.desk.SetPresence(ctx, a, in.Body.Presence)
	return &out, err
}

func (s *Server) getPreferences(ctx context.Context, a *desk.Principal, _ *none) (*reply[model.Preferences], error) {
	preferences, err := s.desk.Preferences(ctx, a)
	return &reply[model.Preferences]{preferences}, err
}

type preferencesInput struct {
	Body struct {
		Language  *string `json:"language,omitempty" enum:"pt-BR,en,es"`
		Theme     *string `json:"theme,omitempty" enum:"system,light,dark"`
		SendWith  *string `json:"send_with,omitempty" enum:"enter,ctrl_enter"`
		MarkRead  *string `json:"mark_read,omitempty" enum:"opening,answering"`
		Sound     *string `json:"sound,omitempty" enum:"none,chime,drop"`
		Notify    *string `json:"notify,omitempty" enum:"mine_and_queues,everything,nothing"`
		Shortcuts *bool   `json:"shortcuts,omitempty"`
		Sign      *bool   `json:"sign,omitempty"`
	}
}

func (s *Server) updatePreferences(ctx context.Context, a *desk.Principal, in *preferencesInput) (*reply[model.Preferences], error) {
	preferences, err := s.desk.UpdatePreferences(ctx, a, desk.PreferencesChange(in.Body))
	return &reply[model.Preferences]{preferences}, err
}

type passwordInput struct {
	Body struct {
		Password string `json:"password" maxLength:"1024"`
	}
}

func (s *Server) beginTwoFactor(ctx context.Context, a *desk.Principal, in *passwordInput) (*reply[desk.TwoFactorSecret], error) {
	secret, err := s.desk.BeginTwoFactor(ctx, a, s.visitor(callFrom(ctx).request), in.Body.Password)
	return &reply[desk.TwoFactorSecret]{secret}, err
}

type codeInput struct {
	Body struct {
		Code string `json:"code" maxLength:"40"`
	}
}

type recoveryReply struct {
	Body struct {
		Codes []string `json:"recovery_codes" nullable:"true" doc:"Each works once instead of a code. They are only in this answer, and null when it is repeated for an Idempotency-Key."`
	}
}

func (s *Server) confirmTwoFactor(ctx context.Context, a *desk.Principal, in *codeInput) (*recoveryReply, error) {
	var out recoveryReply
	var err error
	shaped(ctx, func(*[]string) *recoveryReply { return &recoveryReply{} }) // without the codes, which are secret
	out.Body.Codes, err = s.desk.ConfirmTwoFactor(ctx, a, s.visitor(callFrom(ctx).request), in.Body.Code)
	return &out, err
}

type disableInput struct {
	Body struct {
		Password string `json:"password" maxLength:"1024"`
		Code     string `json:"code" maxLength:"40" doc:"Six digits, or a recovery code."`
	}
}

func (s *Server) disableTwoFactor(ctx context.Context, a *desk.Principal, in *disableInput) (*none, error) {
	return &none{}, s.desk.DisableTwoFactor(ctx, a, s.visitor(callFrom(ctx).request), in.Body.Password, in.Body.Code)
}
