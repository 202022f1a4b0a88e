package api

import (
	"context"
	"time"

	"recado/internal/desk"
	"recado/internal/model"
)

type bulkInput struct {
	Body struct {
		IDs      []model.ID                `json:"ids" minItems:"1" maxItems:"100" doc:"Conversations."`
		Action   string                    `json:"action" enum:"read,unread,archive,unarchive,close,take,transfer,label,snooze"`
		Reason   string                    `json:"reason,omitempty" maxLength:"500" doc:"For close and transfer."`
		UserID   model.Optional[model.ID]  `json:"user_id,omitempty" doc:"For transfer; null returns the conversations to the queue."`
		SectorID model.Optional[model.ID]  `json:"sector_id,omitempty" doc:"For transfer; null means no sector."`
		Add      []model.ID                `json:"add,omitempty" maxItems:"100" doc:"For label: the labels to add. A conversation that would have more than 100 labels stays as it is, with limit_reached."`
		Remove   []model.ID                `json:"remove,omitempty" maxItems:"100" doc:"For label: the labels to remove."`
		Until    model.Optional[time.Time] `json:"until,omitempty" doc:"For snooze; null ends snoozing."`
	}
}

// bulkResult is the result for one conversation.
type bulkResult struct {
	ID     model.ID    `json:"id"`
	Status int         `json:"status" doc:"The HTTP status of the action for this conversation." example:"200"`
	Code   *model.Code `json:"code,omitempty" doc:"The error code, if the action failed."`
}

type bulkResults struct {
	Results []bulkResult `json:"results" doc:"In the order of ids."`
}

func (s *Server) bulkConversations(ctx context.Context, a *desk.Principal, in *bulkInput) (*reply[bulkResults], error) {
	b := &in.Body
	failures, err := s.desk.Bulk(ctx, a, b.IDs, desk.BulkAction{
		Action: b.Action, Reason: b.Reason, Transfer: desk.NewTransfer{User: b.UserID, Sector: b.SectorID}, Add: b.Add, Remove: b.Remove, Until: b.Until,
	})
	if err != nil {
		return nil, err
	}
	out := bulkResults{Results: make([]bulkResult, len(failures))}
	for i, failure := range failures {
		out.Results[i] = bulkResult{ID: b.IDs[i], Status: 200}
		if failure != nil {
			refused := s.problem(callFrom(ctx).requestID, failure)
			out.Results[i].Status, out.Results[i].Code = refused.status, &refused.Code
		}
	}
	return &reply[bulkResults]{out}, nil
}

func (s *Server) inboxCounts(ctx context.Context, a *desk.Principal, _ *none) (*reply[*model.InboxCounts], error) {
	counts, err := s.desk.InboxCounts(ctx, a)
	return &reply[*model.InboxCounts]{counts}, err
}

func (s *Server) listViews(ctx context.Context, a *desk.Principal, _ *none) (*reply[list[model.View]], error) {
	views, err := s.desk.Views(ctx, a)
	return &reply[list[model.View]]{list[model.View]{views}}, err
}

type createViewInput struct {
	Body struct {
		Name     string          `json:"name" minLength:"1" maxLength:"120"`
		Query    model.ViewQuery `json:"query" doc:"Filters of GET /conversations, as its query parameters are written."`
		Shared   bool            `json:"shared,omitempty" doc:"For managers and above: the whole team sees the view."`
		Position *int64          `json:"position,omitempty" minimum:"-1000000" maximum:"1000000" doc:"Absent: behind all others."`
	}
}

func (s *Server) createView(ctx context.Context, a *desk.Principal, in *createViewInput) (*reply[model.View], error) {
	view, err := s.desk.CreateView(ctx, a, desk.ViewChange{Name: &in.Body.Name, Query: &in.Body.Query, Shared: &in.Body.Shared, Position: in.Body.Position})
	return &reply[model.View]{view}, err
}

type updateViewInput struct {
	AtID
	Body struct {
		Name     *string          `json:"name,omitempty" minLength:"1" maxLength:"120"`
		Query    *model.ViewQuery `json:"query,omitempty" doc:"Replaces all filters."`
		Shared   *bool            `json:"shared,omitempty"`
		Position *int64           `json:"position,omitempty" minimum:"-1000000" maximum:"1000000"`
	} `required:"false"`
}

func (s *Server) updateView(ctx context.Context, a *desk.Principal, in *updateViewInput) (*reply[model.View], error) {
	id, err := pathID(in.ID, "view")
	if err != nil {
		return nil, err
	}
	view, err := s.desk.UpdateView(ctx, a, id, desk.ViewChange(in.Body))
	return &reply[model.View]{view}, err
}

func (s *Server) deleteView(ctx context.Context, a *desk.Principal, in *AtID) (*none, error) {
	id, err := pathID(in.ID, "view")
	if err != nil {
		return nil, err
	}
	return &none{}, s.desk.DeleteView(ctx, a, id)
}
