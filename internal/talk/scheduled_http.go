package talk

import (
	"context"
	"time"

	"recado/internal/channels"
	"recado/internal/httpserver"
	"recado/internal/kernel"
)

type listScheduledInput struct {
	httpserver.AtID
	Status string `query:"status" enum:"scheduled,sent,failed,cancelled" doc:"Returns only scheduled messages with this status. Defaults to all."`
	Limit  int    `query:"limit" minimum:"1" maximum:"100" default:"50" doc:"The maximum number of entries."`
	Cursor string `query:"cursor" doc:"The next_cursor of the previous page."`
}

func (s *handlers) listScheduled(ctx context.Context, a *kernel.Principal, in *listScheduledInput) (*httpserver.Reply[httpserver.CursorList[ScheduledMessage]], error) {
	id, err := httpserver.PathID(in.ID, "conversation")
	if err != nil {
		return nil, err
	}
	page, next, err := s.verbs.ScheduledMessages(ctx, a, id, in.Status, in.Limit, in.Cursor)
	return httpserver.CursorPage(page, next), err
}

type scheduleInput struct {
	httpserver.AtID
	Body struct {
		ClientID      kernel.ID              `json:"client_id" doc:"A UUID that you choose for each message, also used as the client_id of the message. If you send it again, the response contains the existing scheduled message."`
		SendAt        time.Time              `json:"send_at" doc:"The time to send the message, between 1 minute and 90 days from now."`
		Text          *string                `json:"text,omitempty" minLength:"0" maxLength:"4096" doc:"The text. Required unless media_id is sent; with media_id, this is the caption, at most 1024 characters."`
		MediaID       *kernel.ID             `json:"media_id,omitempty" doc:"The id of a file uploaded with POST /media."`
		Template      *channels.TemplateBody `json:"template,omitempty" doc:"The template to send instead of text or media_id."`
		CancelOnReply bool                   `json:"cancel_on_reply,omitempty" doc:"Whether to cancel the message if the customer writes before it is sent."`
	}
}

type scheduledOutput struct {
	Replayed string `header:"Idempotency-Replayed" doc:"Whether the conversation already had a scheduled message with this client_id, in which case nothing was added."`
	Body     ScheduledMessage
}

func (s *handlers) scheduleMessage(ctx context.Context, a *kernel.Principal, in *scheduleInput) (*scheduledOutput, error) {
	id, err := httpserver.PathID(in.ID, "conversation")
	if err != nil {
		return nil, err
	}
	response := httpserver.Shaped(ctx, func(c *createdScheduled) *scheduledOutput {
		return &scheduledOutput{httpserver.Replayed(c.replayed), c.message}
	})
	b := &in.Body
	scheduled, replayed, err := s.verbs.ScheduleMessage(ctx, a, id, NewScheduled{
		ClientID: b.ClientID, SendAt: b.SendAt, Text: b.Text, MediaID: b.MediaID, Template: b.Template.Template(), CancelOnReply: b.CancelOnReply,
	})
	return response(&createdScheduled{scheduled, replayed}), err
}

type updateScheduledInput struct {
	httpserver.AtID
	Body struct {
		SendAt        *time.Time             `json:"send_at,omitempty" doc:"The time to send the message, between 1 minute and 90 days from now."`
		Text          *string                `json:"text,omitempty" minLength:"0" maxLength:"4096" doc:"text, media_id and template together replace the content of the message."`
		MediaID       *kernel.ID             `json:"media_id,omitempty"`
		Template      *channels.TemplateBody `json:"template,omitempty"`
		CancelOnReply *bool                  `json:"cancel_on_reply,omitempty"`
	} `required:"false"`
}

func (s *handlers) updateScheduled(ctx context.Context, a *kernel.Principal, in *updateScheduledInput) (*httpserver.Reply[ScheduledMessage], error) {
	id, err := httpserver.PathID(in.ID, "scheduled message")
	if err != nil {
		return nil, err
	}
	b := &in.Body
	changed, err := s.verbs.UpdateScheduled(ctx, a, id, ScheduledChange{
		SendAt: b.SendAt, Text: b.Text, MediaID: b.MediaID, Template: b.Template.Template(), CancelOnReply: b.CancelOnReply,
	})
	return &httpserver.Reply[ScheduledMessage]{Body: changed}, err
}
