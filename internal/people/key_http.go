package people

import (
	"context"
	"time"

	"recado/internal/httpserver"
	"recado/internal/kernel"
)

// newKey is a key with its secret, which is shown once.
type newKey struct {
	Key
	Secret string `json:"key" nullable:"true" doc:"The API key. It is returned only in this response, and null in a response replayed for an Idempotency-Key." example:"rcd_…"`
}

func newKeyWithoutSecret(k *Key) *httpserver.Reply[newKey] {
	return &httpserver.Reply[newKey]{Body: newKey{Key: *k}}
}

type createKeyInput struct {
	Body struct {
		Name      string       `json:"name" minLength:"1" maxLength:"120"`
		Scopes    []string     `json:"scopes" minItems:"1"`
		Boards    *[]kernel.ID `json:"boards,omitempty" maxItems:"200" doc:"The boards the key can see. Defaults to all boards."`
		ExpiresAt *time.Time   `json:"expires_at,omitempty"`
		UserID    *kernel.ID   `json:"user_id,omitempty" doc:"The team member the key acts as. Defaults to the creator of the key."`
		ActsAs    string       `json:"acts_as,omitempty" enum:"person,integration" doc:"Defaults to person. With integration, messages sent with the key have no sender, do not count as a first response, do not make anyone responsible and do not open an attendance."`
		Rate      *kernel.Rate `json:"rate,omitempty" doc:"Defaults to the rate of the installation, or to the rate of the issuing key if that is lower."`
	}
}

func (s *handlers) createKey(ctx context.Context, a *kernel.Principal, in *createKeyInput) (*httpserver.Reply[newKey], error) {
	scopes, err := kernel.ParseScopes(in.Body.Scopes)
	if err != nil {
		return nil, err
	}
	httpserver.Shaped(ctx, newKeyWithoutSecret)
	b := &in.Body
	key, secret, failed := s.verbs.CreateKey(ctx, a, NewKey{
		Name: b.Name, Scopes: scopes, Boards: b.Boards, ExpiresAt: b.ExpiresAt, User: b.UserID, Rate: b.Rate, ActsAs: b.ActsAs,
	})
	return &httpserver.Reply[newKey]{Body: newKey{key, secret}}, failed
}

type updateKeyInput struct {
	httpserver.AtID
	Body struct{ KeyUpdate }
}

func (s *handlers) updateKey(ctx context.Context, a *kernel.Principal, in *updateKeyInput) (*httpserver.Reply[Key], error) {
	return httpserver.Body(s.verbs.UpdateKey(ctx, a, kernel.ID(in.ID), in.Body.KeyUpdate))
}

type rotateKeyInput struct {
	httpserver.AtID
	Body *struct {
		OverlapSeconds int64 `json:"overlap_seconds,omitempty" minimum:"0" maximum:"604800" doc:"The number of seconds the old key remains valid."`
	}
}

func (s *handlers) rotateKey(ctx context.Context, a *kernel.Principal, in *rotateKeyInput) (*httpserver.Reply[newKey], error) {
	var overlap time.Duration
	if in.Body != nil {
		overlap = time.Duration(in.Body.OverlapSeconds) * time.Second
	}
	httpserver.Shaped(ctx, newKeyWithoutSecret)
	key, secret, err := s.verbs.RotateKey(ctx, a, kernel.ID(in.ID), overlap)
	return &httpserver.Reply[newKey]{Body: newKey{key, secret}}, err
}
