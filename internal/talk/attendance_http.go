package talk

import (
	"context"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/people"
)

type listAttendancesInput struct {
	Status       string              `query:"status" enum:"open,closed"`
	Assignee     string              `query:"assignee" doc:"The UUID of the responsible person, or none for attendances without a responsible person."`
	Sector       httpserver.FilterID `query:"sector"`
	Conversation httpserver.FilterID `query:"conversation"`
	Protocol     string              `query:"protocol" doc:"The protocol number, with or without the prefix and leading zeros." example:"ATD-000123"`
	From         string              `query:"from" doc:"Returns only attendances opened at or after this time: an RFC 3339 time, or YYYY-MM-DD for the start of that day in the company's time zone." example:"2026-11-01"`
	To           string              `query:"to" doc:"Returns only attendances opened before this time, in the same format." example:"2026-12-01"`
	Limit        int                 `query:"limit" minimum:"1" maximum:"100" default:"30" doc:"The maximum number of entries."`
	Cursor       string              `query:"cursor" maxLength:"400" doc:"The next_cursor of the previous page, with the same filters."`
}

func (s *handlers) listAttendances(ctx context.Context, a *kernel.Principal, in *listAttendancesInput) (*httpserver.Reply[httpserver.CursorList[Attendance]], error) {
	f := AttendanceFilter{
		Status: in.Status, Unassigned: in.Assignee == "none", Sector: kernel.ID(in.Sector), Conversation: kernel.ID(in.Conversation),
		Protocol: in.Protocol, From: in.From, To: in.To, Limit: in.Limit, Cursor: in.Cursor,
	}
	if in.Assignee != "" && !f.Unassigned {
		id, ok := httpserver.ParseFilterID(in.Assignee)
		if !ok {
			return nil, kernel.Malformed("query.assignee", "assignee")
		}
		f.Responsible = id
	}
	page, next, err := s.verbs.Attendances(ctx, a, f)
	return httpserver.CursorPage(page, next), err
}

func (s *handlers) getAttendance(ctx context.Context, a *kernel.Principal, in *httpserver.AtID) (*httpserver.Reply[Attendance], error) {
	return replyAt(ctx, a, in, "attendance", s.verbs.Attendance)
}

func (s *handlers) currentAttendance(ctx context.Context, a *kernel.Principal, in *httpserver.AtID) (*httpserver.Reply[orNull[Attendance]], error) {
	id, err := httpserver.PathID(in.ID, "conversation")
	if err != nil {
		return nil, err
	}
	att, err := s.verbs.CurrentAttendance(ctx, a, id)
	return &httpserver.Reply[orNull[Attendance]]{Body: orNull[Attendance]{att}}, err
}

func (s *handlers) listAssignments(ctx context.Context, a *kernel.Principal, in *httpserver.AtID) (*httpserver.Reply[httpserver.List[AssignmentEntry]], error) {
	id, err := httpserver.PathID(in.ID, "conversation")
	if err != nil {
		return nil, err
	}
	entries, err := s.verbs.Assignments(ctx, a, id)
	return &httpserver.Reply[httpserver.List[AssignmentEntry]]{Body: httpserver.List[AssignmentEntry]{Data: entries}}, err
}

type closeAttendanceInput struct {
	httpserver.AtID
	Body struct {
		Reason string `json:"reason,omitempty" maxLength:"500"`
	} `required:"false"`
}

func (s *handlers) closeAttendance(ctx context.Context, a *kernel.Principal, in *closeAttendanceInput) (*httpserver.Reply[*Attendance], error) {
	id, err := httpserver.PathID(in.ID, "conversation")
	if err != nil {
		return nil, err
	}
	att, err := s.verbs.CloseAttendance(ctx, a, id, in.Body.Reason)
	return &httpserver.Reply[*Attendance]{Body: &att}, err
}

// orNull is a response body that may be null.
type orNull[T any] struct{ value *T }

// Schema returns the schema of T or null.
func (orNull[T]) Schema(r huma.Registry) *huma.Schema {
	return &huma.Schema{OneOf: []*huma.Schema{r.Schema(reflect.TypeFor[T](), true, ""), {Type: "null"}}}
}

// MarshalJSONTo writes the value or null.
func (o orNull[T]) MarshalJSONTo(enc *jsontext.Encoder) error {
	return json.MarshalEncode(enc, o.value)
}

func (s *handlers) getRules(ctx context.Context, a *kernel.Principal, _ *httpserver.None) (*httpserver.Reply[people.AttendanceRules], error) {
	rules, err := s.verbs.AttendanceRules(ctx, a)
	return &httpserver.Reply[people.AttendanceRules]{Body: rules}, err
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
		GraceMinutes      *int64                     `json:"grace_minutes,omitempty" minimum:"0" maximum:"120"`
		GraceForCustomers *bool                      `json:"grace_for_customers,omitempty"`
		KeepRevoked       *bool                      `json:"keep_revoked,omitempty"`
		HoursID           kernel.Optional[kernel.ID] `json:"hours_id,omitempty" required:"false" doc:"null means always open."`
	} `required:"false"`
}

func (s *handlers) updateRules(ctx context.Context, a *kernel.Principal, in *updateRulesInput) (*httpserver.Reply[people.AttendanceRules], error) {
	change := RulesChange{
		Enabled: in.Body.Enabled, FirstResponder: in.Body.FirstResponderTakesOwnership, Mode: in.Body.Mode,
		GraceMinutes: in.Body.GraceMinutes, GraceForCustomers: in.Body.GraceForCustomers,
		KeepRevoked: in.Body.KeepRevoked, Hours: in.Body.HoursID,
	}
	if c := in.Body.AutoClose; c != nil {
		change.AutoClose, change.AfterMinutes = c.Enabled, c.AfterMinutes
	}
	rules, err := s.verbs.UpdateAttendanceRules(ctx, a, change)
	return &httpserver.Reply[people.AttendanceRules]{Body: rules}, err
}
