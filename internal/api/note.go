package api

import (
	"context"

	"recado/internal/desk"
	"recado/internal/model"
)

type listNotesInput struct {
	AtID
	Limit  int    `query:"limit" minimum:"1" maximum:"100" default:"30" doc:"The maximum number of entries."`
	Cursor string `query:"cursor" doc:"The next_cursor of a page: gives the page after it."`
}

func (s *Server) listNotes(ctx context.Context, a *desk.Principal, in *listNotesInput) (*reply[cursorList[model.Note]], error) {
	id, err := pathID(in.ID, "conversation")
	if err != nil {
		return nil, err
	}
	page, next, err := s.desk.Notes(ctx, a, id, in.Limit, in.Cursor)
	return cursorPage(page, next), err
}

type createNoteInput struct {
	AtID
	Body struct {
		ClientID model.ID   `json:"client_id" doc:"A UUID that you choose, one per note. Sending it again returns the first note."`
		Text     string     `json:"text" minLength:"1" maxLength:"4096"`
		Mentions []model.ID `json:"mentions,omitempty" maxItems:"20" doc:"Members who may see the conversation. Each gets a notification."`
	}
}

type noteOutput struct {
	Replayed string `header:"Idempotency-Replayed" doc:"true if this conversation already had a note with this client_id: nothing was added."`
	Body     model.Note
}

func (s *Server) createNote(ctx context.Context, a *desk.Principal, in *createNoteInput) (*noteOutput, error) {
	id, err := pathID(in.ID, "conversation")
	if err != nil {
		return nil, err
	}
	note, replayed, err := s.desk.CreateNote(ctx, a, id, desk.NewNote{ClientID: in.Body.ClientID, Text: in.Body.Text, Mentions: in.Body.Mentions})
	out := &noteOutput{Body: note}
	if replayed {
		out.Replayed = "true"
	}
	return out, err
}

type updateNoteInput struct {
	AtID
	Body struct {
		Text     *string     `json:"text,omitempty" minLength:"1" maxLength:"4096"`
		Mentions *[]model.ID `json:"mentions,omitempty" maxItems:"20" doc:"Replaces all mentions."`
	} `required:"false"`
}

func (s *Server) updateNote(ctx context.Context, a *desk.Principal, in *updateNoteInput) (*reply[model.Note], error) {
	id, err := pathID(in.ID, "note")
	if err != nil {
		return nil, err
	}
	note, err := s.desk.UpdateNote(ctx, a, id, desk.NoteChange(in.Body))
	return &reply[model.Note]{note}, err
}

func (s *Server) deleteNote(ctx context.Context, a *desk.Principal, in *AtID) (*none, error) {
	id, err := pathID(in.ID, "note")
	if err != nil {
		return nil, err
	}
	return &none{}, s.desk.DeleteNote(ctx, a, id)
}
