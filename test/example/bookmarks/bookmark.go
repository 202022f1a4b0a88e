// Package bookmarks lets members bookmark conversations until their case is closed. It is the example in
// docs/contributing.md.
package bookmarks

import (
	"context"
	"embed"
	"io/fs"
	"time"

	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/server"
	"recado/internal/talk"
)

// ScopeBookmarks is the permission to read and create bookmarks. All members have it.
var ScopeBookmarks = kernel.RegisterScope("bookmarks", kernel.RoleAgent)

// EventCreated reports a new bookmark.
var EventCreated = kernel.RegisterEvent(kernel.EventInfo{
	Type: "bookmark.created", Order: 100, Scope: ScopeBookmarks,
	Description: "A member bookmarked a conversation.",
})

// The verbs of bookmarks.
var (
	VerbBookmarks = kernel.Listed(kernel.Verb{Name: "Bookmarks", Scope: ScopeBookmarks})
	VerbCreate    = kernel.Listed(kernel.Verb{Name: "Create", Scope: ScopeBookmarks})
)

//go:embed schema
var files embed.FS

func init() {
	schema, err := fs.Sub(files, "schema")
	if err != nil {
		panic(err) // the folder is embedded
	}
	kernel.RegisterSchema(schema)
}

// Bookmark is a conversation that a member wants to find again.
type Bookmark struct {
	ID           kernel.ID `json:"id"`
	Conversation kernel.ID `json:"conversation"`
	Note         string    `json:"note"`
	CreatedAt    time.Time `json:"created_at"`
}

// Bookmarks implements the verbs of the package.
type Bookmarks struct{ *kernel.Kernel }

// New returns the verbs. When a case is closed, its bookmarks are deleted.
func New(d *server.Desk) *Bookmarks {
	d.Talk.Observe(talk.Observer{Closed: func(t *talk.LockedConversation, _ *talk.Attendance, _ *kernel.Ref) error {
		deleteBookmarks(t.Tx, t.Company, t.ID)
		return nil
	}})
	return &Bookmarks{d.Kernel}
}

// Create adds a bookmark for a conversation that the caller may see.
func (b *Bookmarks) Create(ctx context.Context, a *kernel.Principal, conversation kernel.ID, note string) (Bookmark, error) {
	return kernel.WriteAnswer(ctx, b.Kernel, func(tx *kernel.Tx) (Bookmark, error) {
		bookmark := Bookmark{ID: kernel.NewID(), Conversation: conversation, Note: note, CreatedAt: tx.Now}
		if err := b.CheckSubject(tx, a, kernel.Subject{Kind: talk.SubjectConversation, ID: conversation}); err != nil {
			return bookmark, err
		}
		insertBookmark(tx, a, &bookmark)
		event := kernel.Event{Company: a.Company.ID, Type: EventCreated, Conversation: &conversation}
		return bookmark, b.Record(tx, event, map[string]any{"bookmark": bookmark})
	})
}

// Bookmarks returns the caller's bookmarks, newest first.
func (b *Bookmarks) Bookmarks(ctx context.Context, a *kernel.Principal) ([]Bookmark, error) {
	return kernel.ReadOne(ctx, b.Kernel, func(tx *kernel.Tx) ([]Bookmark, error) { return listBookmarks(tx, a) })
}

// HTTP returns the routes and events of the package.
func (b *Bookmarks) HTTP() httpserver.Capability {
	return httpserver.Capability{
		Tags: []httpserver.Tag{{Name: "bookmarks", Description: "Conversations that people keep at hand."}},
		Routes: []*httpserver.Route{
			httpserver.Get("/bookmarks", VerbBookmarks, "List your bookmarks", b.list),
			httpserver.Post("/bookmarks", VerbCreate, "Bookmark a conversation", b.create,
				httpserver.Created, httpserver.Fails(kernel.CodeNotFound),
				httpserver.Example(`{"conversation": "01a1e7e7-6a7a-71ec-861b-cb556c55c547", "note": "Call back on Monday."}`)),
		},
		Events: []httpserver.Event{{Type: EventCreated, Data: []httpserver.EventPart{httpserver.EventNoun("bookmark", "Bookmark")}}},
	}
}
