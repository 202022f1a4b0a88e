package api

import (
	"context"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"recado/internal/desk"
	"recado/internal/input"
	"recado/internal/model"
)

type listAttendancesInput struct {
	Status       string         `query:"status" enum:"open,closed"`
	Assignee     string         `query:"assignee" doc:"The UUID of the responsible person, or none for attendances without one."`
	Sector       input.FilterID `query:"sector"`
	Conversation input.FilterID `query:"conversation"`
	Protocol     string         `query:"protocol" doc:"With or without the prefix and leading zeros." example:"ATD-000123"`
	From         string         `query:"from" doc:"Opened at this time or later: RFC 3339, or YYYY-MM-DD for the beginning of that day in the time zone of the company." example:"2026-11-01"`
	To           string         `query:"to" doc:"Opened before this time, in the same format." example:"2026-12-01"`
	Limit        int            `query:"limit" minimum:"1" maximum:"100" default:"30" doc:"The maximum number of entries."`
	Cursor       string         `query:"cursor" maxLength:"400" doc:"The next_cursor of the previous page, with the same filters."`
}

func (s *Server) listAttendances(ctx context.Context, a *desk.Principal, in *listAttendancesInput) (*reply[cursorList[model.Attendance]], error) {
	f := desk.AttendanceFilter{
		Status: in.Status, Unassigned: in.Assignee == "none", Sector: model.ID(in.Sector), Conversation: model.ID(in.Conversation),
		Protocol: in.Protocol, From: in.From, To: in.To, Limit: in.Limit, Cursor: in.Cursor,
	}
	if in.Assignee != "" && !f.Unassigned {
		id, ok := input.ParseFilterID(in.Assignee)
		if !ok {
			return nil, model.Invalid("query.assignee", "must be a UUID or none")
		}
		f.Responsible = id
	}
	page, next, err := s.desk.Attendances(ctx, a, f)
	return cursorPage(page, next), err
}

func (s *Server) getAttendance(ctx context.Context, a *desk.Principal, in *AtID) (*reply[*model.Attendance], error) {
	id, err := pathID(in.ID, "attendance")
	if err != nil {
		return nil, err
	}
	att, err := s.desk.Attendance(ctx, a, id)
	return &reply[*model.Attendance]{&att}, err
}

func (s *Server) currentAttendance(ctx context.Context, a *desk.Principal, in *AtID) (*reply[orNull[model.Attendance]], error) {
	id, err := pathID(in.ID, "conversation")
	if err != nil {
		return nil, err
	}
	att, err := s.desk.CurrentAttendance(ctx, a, id)
	return &reply[orNull[model.Attendance]]{orNull[model.Attendance]{att}}, err
}

func (s *Server) listAssignments(ctx context.Context, a *desk.Principal, in *AtID) (*reply[list[model.AssignmentEntry]], error) {
	id, err := pathID(in.ID, "conversation")
	if err != nil {
		return nil, err
	}
	entries, err := s.desk.Assignments(ctx, a, id)
	return &reply[list[model.AssignmentEntry]]{list[model.AssignmentEntry]{entries}}, err
}

type closeAttendanceInput struct {
	AtID
	Body struct {
		Reason string `json:"reason,omitempty" maxLength:"500"`
	} `required:"false"`
}

func (s *Server) closeAttendance(ctx context.Context, a *desk.Principal, in *closeAttendanceInput) (*reply[*model.Attendance], error) {
	id, err := pathID(in.ID, "conversation")
	if err != nil {
		return nil, err
	}
	att, err := s.desk.CloseAttendance(ctx, a, id, in.Body.Reason)
	return &reply[*model.Attendance]{&att}, err
}

// orNull is an answer whose whole body may be null.
type orNull[T any] struct{ value *T }

// Schema documents the null.
func (orNull[T]) Schema(r huma.Registry) *huma.Schema {
	return &huma.Schema{OneOf: []*huma.Schema{r.Schema(reflect.TypeFor[T](), true, ""), {Type: "null"}}}
}

func (o orNull[T]) appendJSON(b []byte) ([]byte, error) { return model.AppendJSON(b, o.value) }

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
		GraceMinutes      *int64                   `json:"grace_minutes,omitempty" minimum:"0" maximum:"120"`
		GraceForCustomers *bool                    `json:"grace_for_customers,omitempty"`
		KeepRevoked       *bool                    `json:"keep_revoked,omitempty"`
		HoursID           model.Optional[model.ID] `json:"hours_id,omitempty" required:"false" doc:"null means always open."`
	} `required:"false"`
}

func (s *Server) updateRules(ctx context.Context, a *desk.Principal, in *updateRulesInput) (*reply[model.AttendanceRules], error) {
	change := desk.RulesChange{
		Enabled: in.Body.Enabled, FirstResponder: in.Body.FirstResponderTakesOwnership, Mode: in.Body.Mode,
		GraceMinutes: in.Body.GraceMinutes, GraceForCustomers: in.Body.GraceForCustomers,
		KeepRevoked: in.Body.KeepRevoked, Hours: in.Body.HoursID,
	}
	if c := in.Body.AutoClose; c != nil {
		change.AutoClose, change.AfterMinutes = c.Enabled, c.AfterMinutes
	}
	rules, err := s.desk.UpdateAttendanceRules(ctx, a, change)
	return &reply[model.AttendanceRules]{rules}, err
}

func (s *Server) getCompany(ctx context.Context, a *desk.Principal, _ *none) (*reply[model.Company], error) {
	company, err := s.desk.Company(ctx, a)
	return &reply[model.Company]{company}, err
}

type updateCompanyInput struct {
	Body struct {
		Name     *string `json:"name,omitempty" minLength:"1" maxLength:"120"`
		Timezone *string `json:"timezone,omitempty" minLength:"1" maxLength:"64" doc:"A time zone by its IANA name."`
	} `required:"false"`
}

func (s *Server) updateCompany(ctx context.Context, a *desk.Principal, in *updateCompanyInput) (*reply[model.Company], error) {
	company, err := s.desk.UpdateCompany(ctx, a, in.Body.Name, in.Body.Timezone)
	return &reply[model.Company]{company}, err
}
