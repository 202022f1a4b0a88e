package talk

import (
	"context"

	"recado/internal/httpserver"
	"recado/internal/kernel"
)

type listNotesInput struct {
	httpserver.AtID
	Limit  int    `query:"limit" minimum:"1" maximum:"100" default:"30" doc:"The maximum number of entries."`
	Cursor string `query:"cursor" doc:"The next_cursor of the previous page."`
}

func (s *handlers) listNotes(ctx context.Context, a *kernel.Principal, in *listNotesInput) (*httpserver.Reply[httpserver.CursorList[Note]], error) {
	id, err := httpserver.PathID(in.ID, "conversation")
	if err != nil {
		return nil, err
	}
	page, next, err := s.verbs.Notes(ctx, a, id, in.Limit, in.Cursor)
	return httpserver.CursorPage(page, next), err
}

type createNoteInput struct {
	httpserver.AtID
	Body struct {
		ClientID kernel.ID   `json:"client_id" doc:"A UUID that you choose for each note. If you send it again, the response contains the existing note."`
		Text     string      `json:"text" minLength:"1" maxLength:"4096"`
		Mentions []kernel.ID `json:"mentions,omitempty" maxItems:"20" doc:"The members to mention. They must have access to the conversation, and each of them is notified."`
	}
}

type noteOutput struct {
	Replayed string `header:"Idempotency-Replayed" doc:"Whether the conversation already had a note with this client_id, in which case nothing was added."`
	Body     Note
}

func (s *handlers) createNote(ctx context.Context, a *kernel.Principal, in *createNoteInput) (*noteOutput, error) {
	id, err := httpserver.PathID(in.ID, "conversation")
	if err != nil {
		return nil, err
	}
	response := httpserver.Shaped(ctx, func(n *createdNote) *noteOutput { return &noteOutput{httpserver.Replayed(n.replayed), n.note} })
	note, replayed, err := s.verbs.CreateNote(ctx, a, id, NewNote(in.Body))
	return response(&createdNote{note, replayed}), err
}

type updateNoteInput struct {
	httpserver.AtID
	Body struct {
		Text     *string      `json:"text,omitempty" minLength:"1" maxLength:"4096"`
		Mentions *[]kernel.ID `json:"mentions,omitempty" maxItems:"20" doc:"Replaces all mentions."`
	} `required:"false"`
}

func (s *handlers) updateNote(ctx context.Context, a *kernel.Principal, in *updateNoteInput) (*httpserver.Reply[Note], error) {
	id, err := httpserver.PathID(in.ID, "note")
	if err != nil {
		return nil, err
	}
	note, err := s.verbs.UpdateNote(ctx, a, id, NoteChange(in.Body))
	return &httpserver.Reply[Note]{Body: note}, err
}
