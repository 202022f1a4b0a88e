package bookmarks

import (
	"context"

	"recado/internal/httpserver"
	"recado/internal/kernel"
)

func (b *Bookmarks) list(ctx context.Context, a *kernel.Principal, _ *httpserver.None) (*httpserver.Reply[httpserver.List[Bookmark]], error) {
	all, err := b.Bookmarks(ctx, a)
	return &httpserver.Reply[httpserver.List[Bookmark]]{Body: httpserver.List[Bookmark]{Data: all}}, err
}

type createInput struct {
	Body struct {
		Conversation kernel.ID `json:"conversation"`
		Note         string    `json:"note" maxLength:"500"`
	}
}

func (b *Bookmarks) create(ctx context.Context, a *kernel.Principal, in *createInput) (*httpserver.Reply[Bookmark], error) {
	bookmark, err := b.Create(ctx, a, in.Body.Conversation, in.Body.Note)
	return &httpserver.Reply[Bookmark]{Body: bookmark}, err
}
