package desk

import (
	"context"
	"fmt"
	"math"
	"slices"

	"recado/internal/cursor"
	"recado/internal/model"
	"recado/internal/store"
)

// NewNote is what a member writes to the team.
type NewNote struct {
	ClientID model.ID
	Text     string
	Mentions []model.ID
}

// NoteChange is what of a note is to change; nil leaves a part as it is.
type NoteChange struct {
	Text     *string
	Mentions *[]model.ID
}

// Notes lists the notes of a conversation that the principal may see, the newest first. next is "" on the last page.
func (d *Desk) Notes(ctx context.Context, a *Principal, conversation model.ID, limit int, after string) (page []model.Note, next string, err error) {
	if err := a.May(VerbNotes); err != nil {
		return nil, "", err
	}
	list, before := "notes "+conversation.String(), int64(math.MaxInt64)
	if after != "" {
		payload, invalid := d.cursors.Open(a.Company.ID, list, after)
		if invalid == nil {
			before, invalid = cursor.ReadInt(payload)
		}
		if invalid != nil {
			return nil, "", invalid
		}
	}
	page, err = read(ctx, d, func(tx *store.Tx) ([]model.Note, error) {
		c, found, err := tx.Conversation(a.Company.ID, conversation)
		if err != nil || !found || !a.MaySee(&c) {
			return nil, errOr(err, model.NotFound("conversation"))
		}
		return tx.Notes(a.Company.ID, conversation, before, limit+1)
	})
	if err == nil && len(page) > limit {
		page = page[:limit]
		next = d.cursors.Seal(a.Company.ID, list, cursor.Int(page[limit-1].Seq))
	}
	return page, next, err
}

// CreateNote adds a note to a conversation and tells those whom it mentions. A client id that the conversation has seen
// gives the note of then, as it is now, and replayed.
func (d *Desk) CreateNote(ctx context.Context, a *Principal, conversation model.ID, in NewNote) (note model.Note, replayed bool, err error) {
	if err := a.May(VerbCreateNote); err != nil {
		return model.Note{}, false, err
	}
	if in.ClientID.IsZero() {
		return model.Note{}, false, model.Invalid("body.client_id", "must be a UUID that is not all zeros")
	}
	_, invalid := model.Text("body.text", in.Text, model.MaxText)
	type written struct {
		note     model.Note
		replayed bool
	}
	out, err := write(ctx, d, func(tx *store.Tx) (written, error) {
		t, err := d.lock(tx, a, conversation)
		var earlier model.Note
		repeated := false
		if err == nil {
			earlier, repeated, err = tx.NoteWithClientID(a.Company.ID, in.ClientID)
		}
		switch {
		case invalid != nil && !repeated: // a wrong form is refused first, unless the call repeats an earlier one
			return written{}, invalid
		case err != nil:
			return written{}, err
		case repeated:
			return written{earlier, true}, sameConversation(&earlier, conversation)
		}
		n, err := t.writeNote(a, &in)
		return written{note: n}, err
	})
	return out.note, out.replayed, err
}

// sameConversation refuses a client id that belongs to a note in another conversation.
func sameConversation(earlier *model.Note, conversation model.ID) error {
	if earlier.Conversation == conversation {
		return nil
	}
	return model.Errorf(model.CodeClientIDConflict, "This client_id belongs to a note in another conversation. Send a new one.")
}

func (t *lockedConversation) writeNote(a *Principal, in *NewNote) (model.Note, error) {
	mentions, err := t.mentioned(in.Mentions)
	if err != nil {
		return model.Note{}, err
	}
	n := model.Note{
		ID: model.NewID(), ClientID: in.ClientID, Company: t.Company, Conversation: t.ID, Attendance: t.AttendanceID(), Text: in.Text,
		Mentions: mentions, Author: a.User, Seq: t.next(), CreatedAt: t.tx.Now,
	}
	fresh, err := t.tx.InsertNote(&n)
	if err != nil || !fresh { // the same client id won a race in another conversation
		return n, errOr(err, sameConversation(&model.Note{}, t.ID))
	}
	t.notify(model.NotifyMentioned, &a.User, &n.ID, refIDs(mentions)...)
	err = t.emitWith(model.EventNoteCreated, "note", &n)
	t.saveProgress()
	return n, err
}

// mentioned finds the members whom a note names, each once. A person who may not see the conversation is refused like one
// who does not exist.
func (t *lockedConversation) mentioned(ids []model.ID) ([]model.Ref, error) {
	refs := []model.Ref{}
	if len(ids) == 0 {
		return refs, nil
	}
	if len(ids) > model.MaxMentions {
		return nil, model.Invalid("body.mentions", fmt.Sprintf("must have at most %d entries", model.MaxMentions))
	}
	members, err := t.tx.KeepMemberSights(t.Company, ids)
	if err != nil {
		return nil, err
	}
	invalid := &model.Error{Code: model.CodeInvalidRequest, Message: "body.mentions: some of the people are not members who may see this conversation."}
	for i, id := range ids {
		m := members[id]
		switch {
		case m == nil || !memberSees(m, &t.Conversation):
			invalid.Fields = append(invalid.Fields, model.FieldError{Field: indexed("body.mentions", i), Message: "there is no such team member who may see this conversation"})
		case !slices.Contains(refs, m.User):
			refs = append(refs, m.User)
		}
	}
	if len(invalid.Fields) > 0 {
		return nil, invalid
	}
	return refs, nil
}

// UpdateNote changes a note of the principal's own. Those whom it mentions anew are told.
func (d *Desk) UpdateNote(ctx context.Context, a *Principal, id model.ID, in NoteChange) (model.Note, error) {
	if err := a.May(VerbUpdateNote); err != nil {
		return model.Note{}, err
	}
	if in.Text != nil {
		if _, invalid := model.Text("body.text", *in.Text, model.MaxText); invalid != nil {
			return model.Note{}, invalid
		}
	}
	return write(ctx, d, func(tx *store.Tx) (model.Note, error) {
		n, t, err := d.lockNote(tx, a, id)
		if err != nil {
			return n, err
		}
		if n.Author.ID != a.User.ID {
			return n, model.Errorf(model.CodeInsufficientRole, "Only its author may change a note.")
		}
		if in == (NoteChange{}) {
			return n, nil
		}
		if in.Mentions != nil {
			before := refIDs(n.Mentions)
			if n.Mentions, err = t.mentioned(*in.Mentions); err != nil {
				return n, err
			}
			t.notify(model.NotifyMentioned, &a.User, &n.ID, slices.DeleteFunc(refIDs(n.Mentions), func(id model.ID) bool { return slices.Contains(before, id) })...)
		}
		set(&n.Text, in.Text)
		n.EditedAt = &tx.Now
		tx.SaveNote(&n)
		t.signalNotes()
		return n, nil
	})
}

// DeleteNote removes a note: its author, or managers and above.
func (d *Desk) DeleteNote(ctx context.Context, a *Principal, id model.ID) error {
	if err := a.May(VerbDeleteNote); err != nil {
		return err
	}
	_, err := write(ctx, d, func(tx *store.Tx) (struct{}, error) {
		n, t, err := d.lockNote(tx, a, id)
		if err != nil {
			return struct{}{}, err
		}
		if n.Author.ID != a.User.ID && !a.Role.AtLeast(model.RoleManager) {
			return struct{}{}, model.Errorf(model.CodeInsufficientRole, "Only its author and members with the role manager or above may delete a note.")
		}
		tx.DeleteNote(a.Company.ID, id)
		t.signalNotes()
		return struct{}{}, nil
	})
	return err
}

// lockNote opens a note and its conversation, which the principal may see.
func (d *Desk) lockNote(tx *store.Tx, a *Principal, id model.ID) (model.Note, *lockedConversation, error) {
	n, found, err := tx.Note(a.Company.ID, id)
	if err != nil || !found {
		return n, nil, errOr(err, model.NotFound("note"))
	}
	t, err := d.lock(tx, a, n.Conversation)
	if model.CodeOf(err) == model.CodeNotFound {
		err = model.NotFound("note")
	}
	if err != nil {
		return n, nil, err
	}
	n, found, err = tx.Note(a.Company.ID, id) // it may have changed before the lock
	if err == nil && !found {
		err = model.NotFound("note")
	}
	return n, t, err
}

func refIDs(refs []model.Ref) []model.ID {
	ids := make([]model.ID, len(refs))
	for i, ref := range refs {
		ids[i] = ref.ID
	}
	return ids
}
