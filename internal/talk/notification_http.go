package talk

import (
	"context"

	"recado/internal/httpserver"
	"recado/internal/kernel"
)

type listNotificationsInput struct {
	Unread string `query:"unread" enum:"true,false,1,0" doc:"Set to true to return only unread notifications."`
	Limit  int    `query:"limit" minimum:"1" maximum:"100" default:"30" doc:"The maximum number of entries."`
	Cursor string `query:"cursor" doc:"The next_cursor of the previous page."`
}

type notificationList struct {
	Data        []Notification `json:"data"`
	NextCursor  *string        `json:"next_cursor" doc:"Pass it as cursor to get the next page; null on the last page."`
	UnreadCount int64          `json:"unread_count" doc:"The number of unread notifications, including those not on this page."`
}

func (s *handlers) listNotifications(ctx context.Context, a *kernel.Principal, in *listNotificationsInput) (*httpserver.Reply[notificationList], error) {
	page, unread, next, err := s.verbs.Notifications(ctx, a, httpserver.IsTrue(in.Unread), in.Limit, in.Cursor)
	out := notificationList{Data: page, UnreadCount: unread}
	if next != "" {
		out.NextCursor = &next
	}
	return &httpserver.Reply[notificationList]{Body: out}, err
}

type readNotificationsInput struct {
	Body struct {
		IDs []kernel.ID `json:"ids,omitempty" maxItems:"100"`
		All bool        `json:"all,omitempty" doc:"Set to true to mark all notifications as read. Cannot be combined with ids."`
	}
}

func (s *handlers) readNotifications(ctx context.Context, a *kernel.Principal, in *readNotificationsInput) (*httpserver.None, error) {
	return &httpserver.None{}, s.verbs.ReadNotifications(ctx, a, in.Body.IDs, in.Body.All)
}
