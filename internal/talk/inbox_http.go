package talk

import (
	"context"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"recado/internal/httpserver"
	"recado/internal/kernel"
)

type bulkInput struct {
	Body struct {
		IDs      []kernel.ID                `json:"ids" minItems:"1" maxItems:"100" doc:"The ids of the conversations."`
		Action   string                     `json:"action" enum:"read,unread,archive,unarchive,close,take,transfer,label,snooze"`
		Reason   string                     `json:"reason,omitempty" maxLength:"500" doc:"The reason, for close and transfer."`
		UserID   kernel.Optional[kernel.ID] `json:"user_id,omitempty" doc:"The new responsible person, for transfer; null returns the conversations to the queue."`
		SectorID kernel.Optional[kernel.ID] `json:"sector_id,omitempty" doc:"The new sector, for transfer; null means no sector."`
		Add      []kernel.ID                `json:"add,omitempty" maxItems:"100" doc:"The labels to add, for label. A conversation that would exceed 100 labels is not changed and gets the code limit_reached."`
		Remove   []kernel.ID                `json:"remove,omitempty" maxItems:"100" doc:"The labels to remove, for label."`
		Until    kernel.Optional[time.Time] `json:"until,omitempty" doc:"The time until which to snooze, for snooze. null ends snoozing."`
	}
}

type bulkResult struct {
	ID     kernel.ID    `json:"id"`
	Status int          `json:"status" doc:"The HTTP status code of the action for this conversation." example:"200"`
	Code   *kernel.Code `json:"code,omitempty" doc:"The error code, if the action failed."`
}

type bulkResults struct {
	Results []bulkResult `json:"results" doc:"The results, in the order of ids."`
}

func (s *handlers) bulkConversations(ctx context.Context, a *kernel.Principal, in *bulkInput) (*httpserver.Reply[bulkResults], error) {
	b := &in.Body
	failures, err := s.verbs.Bulk(ctx, a, b.IDs, BulkAction{
		Action: b.Action, Reason: b.Reason, Transfer: NewTransfer{User: b.UserID, Sector: b.SectorID},
		Add: b.Add, Remove: b.Remove, Until: b.Until,
	})
	if err != nil {
		return nil, err
	}
	out := bulkResults{Results: make([]bulkResult, len(failures))}
	for i, failure := range failures {
		out.Results[i] = bulkResult{ID: b.IDs[i], Status: 200}
		if failure != nil {
			status, code := httpserver.RefusalOf(ctx, failure)
			out.Results[i].Status, out.Results[i].Code = status, &code
		}
	}
	return &httpserver.Reply[bulkResults]{Body: out}, nil
}

func (s *handlers) inboxCounts(ctx context.Context, a *kernel.Principal, _ *httpserver.None) (*httpserver.Reply[*InboxCounts], error) {
	counts, err := s.verbs.InboxCounts(ctx, a)
	return &httpserver.Reply[*InboxCounts]{Body: counts}, err
}

type viewFlagSchema struct{}

func (viewFlagSchema) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{AnyOf: []*huma.Schema{{Type: huma.TypeBoolean}, {Type: huma.TypeString, Enum: []any{"true", "false", "1", "0"}}}}
}

func (s *handlers) listViews(ctx context.Context, a *kernel.Principal, _ *httpserver.None) (*httpserver.Reply[httpserver.List[View]], error) {
	views, err := s.verbs.Views(ctx, a)
	return &httpserver.Reply[httpserver.List[View]]{Body: httpserver.List[View]{Data: views}}, err
}

type createViewInput struct {
	Body struct {
		Name     string    `json:"name" minLength:"1" maxLength:"120"`
		Query    ViewQuery `json:"query" doc:"The filters of the view, with the names and values of the query parameters of GET /conversations."`
		Shared   bool      `json:"shared,omitempty" doc:"Whether the whole team sees the view. Requires the role manager or above."`
		Position *int64    `json:"position,omitempty" minimum:"-1000000" maximum:"1000000" doc:"Defaults to the last position."`
	}
}

func (s *handlers) createView(ctx context.Context, a *kernel.Principal, in *createViewInput) (*httpserver.Reply[View], error) {
	b := &in.Body
	view, err := s.verbs.CreateView(ctx, a, ViewChange{Name: &b.Name, Query: &b.Query, Shared: &b.Shared, Position: b.Position})
	return &httpserver.Reply[View]{Body: view}, err
}

type updateViewInput struct {
	httpserver.AtID
	Body struct {
		Name     *string    `json:"name,omitempty" minLength:"1" maxLength:"120"`
		Query    *ViewQuery `json:"query,omitempty" doc:"Replaces all filters."`
		Shared   *bool      `json:"shared,omitempty"`
		Position *int64     `json:"position,omitempty" minimum:"-1000000" maximum:"1000000"`
	} `required:"false"`
}

func (s *handlers) updateView(ctx context.Context, a *kernel.Principal, in *updateViewInput) (*httpserver.Reply[View], error) {
	id, err := httpserver.PathID(in.ID, "view")
	if err != nil {
		return nil, err
	}
	view, err := s.verbs.UpdateView(ctx, a, id, ViewChange(in.Body))
	return &httpserver.Reply[View]{Body: view}, err
}

func (s *handlers) deleteView(ctx context.Context, a *kernel.Principal, in *httpserver.AtID) (*httpserver.None, error) {
	id, err := httpserver.PathID(in.ID, "view")
	if err != nil {
		return nil, err
	}
	return &httpserver.None{}, s.verbs.DeleteView(ctx, a, id)
}
