package api

import (
	"context"

	"recado/internal/desk"
	"recado/internal/model"
)

type listNotificationsInput struct {
	Unread string `query:"unread" enum:"true,false,1,0" doc:"true: only those that are unread. false filters nothing."`
	Limit  int    `query:"limit" minimum:"1" maximum:"100" default:"30" doc:"The maximum number of entries."`
	Cursor string `query:"cursor" doc:"The next_cursor of a page: gives the page after it."`
}

type notificationList struct {
	Data        []model.Notification `json:"data"`
	NextCursor  *string              `json:"next_cursor" doc:"Send it as cursor to get the next page; null on the last page."`
	UnreadCount int64                `json:"unread_count" doc:"Of all notifications, not only those of this page."`
}

func (s *Server) listNotifications(ctx context.Context, a *desk.Principal, in *listNotificationsInput) (*reply[notificationList], error) {
	page, unread, next, err := s.desk.Notifications(ctx, a, isTrue(in.Unread), in.Limit, in.Cursor)
	out := notificationList{Data: page, UnreadCount: unread}
	if next != "" {
		out.NextCursor = &next
	}
	return &reply[notificationList]{out}, err
}

type readNotificationsInput struct {
	Body struct {
		IDs []model.ID `json:"ids,omitempty" maxItems:"100"`
		All bool       `json:"all,omitempty" doc:"Instead of ids."`
	}
}

func (s *Server) readNotifications(ctx context.Context, a *desk.Principal, in *readNotificationsInput) (*none, error) {
	return &none{}, s.desk.ReadNotifications(ctx, a, in.Body.IDs, in.Body.All)
}
