package api

import (
	"context"
	"time"

	"recado/internal/desk"
	"recado/internal/model"
)

type listScheduledInput struct {
	AtID
	Status string `query:"status" enum:"scheduled,sent,failed,cancelled" doc:"Absent: all."`
	Limit  int    `query:"limit" minimum:"1" maximum:"100" default:"50" doc:"The maximum number of entries."`
	Cursor string `query:"cursor" doc:"The next_cursor of a page: gives the page after it."`
}

func (s *Server) listScheduled(ctx context.Context, a *desk.Principal, in *listScheduledInput) (*reply[cursorList[model.ScheduledMessage]], error) {
	id, err := pathID(in.ID, "conversation")
	if err != nil {
		return nil, err
	}
	page, next, err := s.desk.ScheduledMessages(ctx, a, id, in.Status, in.Limit, in.Cursor)
	return cursorPage(page, next), err
}

type scheduleInput struct {
	AtID
	Body struct {
		ClientID      model.ID      `json:"client_id" doc:"A UUID that you choose, one per message; the message gets it too. Sending it again returns the first."`
		SendAt        time.Time     `json:"send_at" doc:"Between 1 minute and 90 days from now."`
		Text          *string       `json:"text,omitempty" minLength:"0" maxLength:"4096" doc:"Required without media_id. With media_id it is the caption, at most 1024 characters."`
		MediaID       *model.ID     `json:"media_id,omitempty" doc:"A file from POST /media."`
		Template      *templateBody `json:"template,omitempty" doc:"Instead of text and media_id."`
		CancelOnReply bool          `json:"cancel_on_reply,omitempty" doc:"Cancel it when the customer writes before."`
	}
}

type scheduledOutput struct {
	Replayed string `header:"Idempotency-Replayed" doc:"true if this conversation already had a scheduled message with this client_id: nothing was added."`
	Body     model.ScheduledMessage
}

func (s *Server) scheduleMessage(ctx context.Context, a *desk.Principal, in *scheduleInput) (*scheduledOutput, error) {
	id, err := pathID(in.ID, "conversation")
	if err != nil {
		return nil, err
	}
	b := &in.Body
	scheduled, replayed, err := s.desk.ScheduleMessage(ctx, a, id, desk.NewScheduled{
		ClientID: b.ClientID, SendAt: b.SendAt, Text: b.Text, MediaID: b.MediaID, Template: b.Template.template(), CancelOnReply: b.CancelOnReply,
	})
	out := &scheduledOutput{Body: scheduled}
	if replayed {
		out.Replayed = "true"
	}
	return out, err
}

type updateScheduledInput struct {
	AtID
	Body struct {
		SendAt        *time.Time    `json:"send_at,omitempty" doc:"Between 1 minute and 90 days from now."`
		Text          *string       `json:"text,omitempty" minLength:"0" maxLength:"4096" doc:"Text, media_id and template together replace the content."`
		MediaID       *model.ID     `json:"media_id,omitempty"`
		Template      *templateBody `json:"template,omitempty"`
		CancelOnReply *bool         `json:"cancel_on_reply,omitempty"`
	} `required:"false"`
}

func (s *Server) updateScheduled(ctx context.Context, a *desk.Principal, in *updateScheduledInput) (*reply[model.ScheduledMessage], error) {
	id, err := pathID(in.ID, "scheduled message")
	if err != nil {
		return nil, err
	}
	b := &in.Body
	changed, err := s.desk.UpdateScheduled(ctx, a, id, desk.ScheduledChange{
		SendAt: b.SendAt, Text: b.Text, MediaID: b.MediaID, Template: b.Template.template(), CancelOnReply: b.CancelOnReply,
	})
	return &reply[model.ScheduledMessage]{changed}, err
}

func (s *Server) cancelScheduled(ctx context.Context, a *desk.Principal, in *AtID) (*none, error) {
	id, err := pathID(in.ID, "scheduled message")
	if err != nil {
		return nil, err
	}
	return &none{}, s.desk.CancelScheduled(ctx, a, id)
}
