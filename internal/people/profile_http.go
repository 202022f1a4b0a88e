package people

import (
	"context"

	"recado/internal/httpserver"
	"recado/internal/kernel"
)

type profileInput struct {
	Body struct {
		Name     *string `json:"name,omitempty" minLength:"1" maxLength:"120"`
		Email    *string `json:"email,omitempty" maxLength:"254"`
		Password *struct {
			Current string `json:"current" maxLength:"1024"`
			New     string `json:"new" doc:"Must have 10 to 256 characters."`
		} `json:"password,omitempty" doc:"Changing the password ends all other sessions."`
		Language  *string `json:"language,omitempty" enum:"pt-BR,en,es"`
		Signature *string `json:"signature,omitempty" maxLength:"120"`
	}
}

func (s *handlers) updateProfile(ctx context.Context, a *kernel.Principal, in *profileInput) (*httpserver.Reply[Session], error) {
	b := &in.Body
	session, err := s.verbs.UpdateProfile(ctx, a, httpserver.Visitor(ctx), ProfileChange{
		Name: b.Name, Email: b.Email, Password: (*PasswordChange)(b.Password), Language: b.Language, Signature: b.Signature,
	})
	return &httpserver.Reply[Session]{Body: session}, err
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

func (s *handlers) updatePreferences(ctx context.Context, a *kernel.Principal, in *preferencesInput) (*httpserver.Reply[Preferences], error) {
	preferences, err := s.verbs.UpdatePreferences(ctx, a, PreferencesChange(in.Body))
	return &httpserver.Reply[Preferences]{Body: preferences}, err
}

type passwordInput struct {
	Body struct {
		Password string `json:"password" maxLength:"1024"`
	}
}

func (s *handlers) beginTwoFactor(ctx context.Context, a *kernel.Principal, in *passwordInput) (*httpserver.Reply[TwoFactorSecret], error) {
	secret, err := s.verbs.BeginTwoFactor(ctx, a, httpserver.Visitor(ctx), in.Body.Password)
	return &httpserver.Reply[TwoFactorSecret]{Body: secret}, err
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
