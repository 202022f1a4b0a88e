package api

import (
	"context"

	"recado/internal/desk"
	"recado/internal/model"
)

func (s *Server) getRules(ctx context.Context, a *desk.Principal, _ *none) (*reply[model.AttendanceRules], error) {
	rules, err := s.desk.AttendanceRules(ctx, a)
	return &reply[model.AttendanceRules]{rules}, err
}

type updateRulesInput struct {
	Body struct {
		Enabled                      *bool   `json:"enabled,omitempty"`
		FirstResponderTakesOwnership *bool   `json:"first_responder_takes_ownership,omitempty"`
		Mode                         *string `json:"mode,omitempty" enum:"restricted,liberal"`
		AutoClose                    *struct {
			Enabled      *bool  `json:"enabled,omitempty"`
			AfterMinutes *int64 `json:"after_minutes,omitempty" minimum:"1" maximum:"525600"`
		} `json:"auto_close,omitempty"`
	} `required:"false"`
}

func (s *Server) updateRules(ctx context.Context, a *desk.Principal, in *updateRulesInput) (*reply[model.AttendanceRules], error) {
	change := desk.RulesChange{
		Enabled: in.Body.Enabled, FirstResponder: in.Body.FirstResponderTakesOwnership, Mode: in.Body.Mode,
	}
	if c := in.Body.AutoClose; c != nil {
		change.AutoClose, change.AfterMinutes = c.Enabled, c.AfterMinutes
	}
	rules, err := s.desk.UpdateAttendanceRules(ctx, a, change)
	return &reply[model.AttendanceRules]{rules}, err
}
