package api

import (
	"context"
	"time"

	"recado/internal/desk"
	"recado/internal/model"
)

func (s *Server) me(ctx context.Context, a *desk.Principal, _ *none) (*reply[*model.Identity], error) {
	identity, err := s.desk.Identity(ctx, a, Version)
	return &reply[*model.Identity]{Body: identity}, err
}

func (s *Server) listKeys(ctx context.Context, a *desk.Principal, _ *none) (*reply[list[model.Key]], error) {
	keys, err := s.desk.Keys(ctx, a)
	return &reply[list[model.Key]]{list[model.Key]{keys}}, err
}

// newKey is a key together with its secret, which is shown once.
type newKey struct {
	model.Key
	Secret string `json:"key" nullable:"true" doc:"The key itself. It is only in this answer, and null when the answer is repeated for an Idempotency-Key." example:"rcd_…"`
}

func newKeyWithoutSecret(k *model.Key) *reply[newKey] { return &reply[newKey]{newKey{Key: *k}} }

type createKeyInput struct {
	Body struct {
		Name      string      `json:"name" minLength:"1" maxLength:"120"`
		Scopes    []string    `json:"scopes" minItems:"1"`
		Boards    *[]model.ID `json:"boards,omitempty" maxItems:"200" doc:"Boards the key may see; absent means all."`
		ExpiresAt *time.Time  `json:"expires_at,omitempty"`
		UserID    *model.ID   `json:"user_id,omitempty" doc:"The team member that the key acts as. Absent: that of its creator."`
		ActsAs    string      `json:"acts_as,omitempty" enum:"person,integration" doc:"Absent: person. integration: messages have no sender, are no first response, make nobody responsible and open no attendance."`
		Rate      *model.Rate `json:"rate,omitempty" doc:"Absent: the rate of the installation, or that of the issuing key if it is lower."`
	}
}

func (s *Server) createKey(ctx context.Context, a *desk.Principal, in *createKeyInput) (*reply[newKey], error) {
	scopes, err := model.ParseScopes(in.Body.Scopes)
	if err != nil {
		return nil, err
	}
	shaped(ctx, newKeyWithoutSecret)
	key, secret, failed := s.desk.CreateKey(ctx, a, desk.NewKey{
		Name: in.Body.Name, Scopes: scopes, Boards: in.Body.Boards, ExpiresAt: in.Body.ExpiresAt, User: in.Body.UserID, Rate: in.Body.Rate,
		ActsAs: in.Body.ActsAs,
	})
	return &reply[newKey]{newKey{key, secret}}, failed
}

type updateKeyInput struct {
	AtID
	Body struct {
		Name   *string `json:"name,omitempty" minLength:"1" maxLength:"120"`
		ActsAs *string `json:"acts_as,omitempty" enum:"person,integration"`
	}
}

func (s *Server) updateKey(ctx context.Context, a *desk.Principal, in *updateKeyInput) (*reply[model.Key], error) {
	id, err := pathID(in.ID, "key")
	if err != nil {
		return nil, err
	}
	key, err := s.desk.UpdateKey(ctx, a, id, desk.KeyUpdate{Name: in.Body.Name, ActsAs: in.Body.ActsAs})
	return &reply[model.Key]{key}, err
}

type rotateKeyInput struct {
	AtID
	Body *struct {
		OverlapSeconds int64 `json:"overlap_seconds,omitempty" minimum:"0" maximum:"604800" doc:"How long the old key stays valid."`
	}
}

func (s *Server) rotateKey(ctx context.Context, a *desk.Principal, in *rotateKeyInput) (*reply[newKey], error) {
	id, err := pathID(in.ID, "key")
	if err != nil {
		return nil, err
	}
	var overlap time.Duration
	if in.Body != nil {
		overlap = time.Duration(in.Body.OverlapSeconds) * time.Second
	}
	shaped(ctx, newKeyWithoutSecret)
	key, secret, err := s.desk.RotateKey(ctx, a, id, overlap)
	return &reply[newKey]{newKey{key, secret}}, err
}

func (s *Server) revokeKey(ctx context.Context, a *desk.Principal, in *AtID) (*none, error) {
	id, err := pathID(in.ID, "key")
	if err != nil {
		return nil, err
	}
	return &none{}, s.desk.RevokeKey(ctx, a, id)
}
