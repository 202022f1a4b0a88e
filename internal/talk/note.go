package talk

import (
	"context"
	"math"
	"slices"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/people"
)

// Note is an internal comment of a member in a conversation. It is never sent to a customer.
type Note struct {
	ID           kernel.ID    `json:"id"`
	ClientID     kernel.ID    `json:"client_id"`
	Conversation kernel.ID    `json:"conversation"`
	Attendance   *kernel.ID   `json:"attendance" doc:"The attendance that was open when the note was written."`
	Text         string       `json:"text"`
	Mentions     []kernel.Ref `json:"mentions" doc:"The members mentioned in the note. Each of them is notified."`
	Author       kernel.Ref   `json:"author"`
	CreatedAt    time.Time    `json:"created_at"`
	EditedAt     *time.Time   `json:"edited_at"`

	Company kernel.ID `json:"-"`
	Seq     int64     `json:"-"` // shared with the messages of the conversation
}

// Subject returns the conversation of the note.
func (n *Note) Subject() kernel.Subject {
	return kernel.Subject{Kind: SubjectConversation, ID: n.Conversation}
}

// MaxMentions is the number of members that a note may mention.
const MaxMentions = 20

// NewNote is a note to create.
type NewNote struct {
	ClientID kernel.ID   `json:"client_id" doc:"A UUID that you choose for each note. If you send it again, the response contains the existing note."`
	Text     string      `json:"text" minLength:"1" maxLength:"4096"`
	Mentions []kernel.ID `json:"mentions,omitempty" maxItems:"20" doc:"The members to mention. They must have access to the conversation, and each of them is notified."`
}

// NoteChange lists the fields of a note to change; nil fields stay as they are.
type NoteChange struct {
	Text     *string      `json:"text,omitempty" minLength:"1" maxLength:"4096"`
	Mentions *[]kernel.ID `json:"mentions,omitempty" maxItems:"20" doc:"Replaces all mentions."`
}

// Notes lists the notes of a conversation, newest first. next is "" on the last page.
func (d *Talk) Notes(
	ctx context.Context, a *kernel.Principal, conversation kernel.ID, limit int, after string,
) (page []Note, next string, err error) {
	list, before := "notes "+conversation.String(), int64(math.MaxInt64)
	if after != "" {
		payload, invalid := d.Cursors.Open(a.Company.ID, list, after)
		if invalid == nil {
			before, invalid = kernel.ReadInt(payload)
		}
		if invalid != nil {
			return nil, "", invalid
		}
	}
	page, err = kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]Note, error) {
		if _, err := visibleConversation(tx, a, conversation); err != nil {
			return nil, err
		}
		return listNotes(tx, a.Company.ID, conversation, before, limit+1)
	})
	if err == nil && len(page) > limit {
		page = page[:limit]
		next = d.Cursors.Seal(a.Company.ID, list, kernel.Int(page[limit-1].Seq))
	}
	return page, next, err
}

// CreateNote adds a note to a conversation and notifies the members it mentions. If the conversation already has a note
// with this client id, CreateNote returns that note, and replayed is true.
func (d *Talk) CreateNote(
	ctx context.Context, a *kernel.Principal, conversation kernel.ID, in NewNote,
) (note Note, replayed bool, err error) {
	if in.ClientID.IsZero() {
		return Note{}, false, kernel.Malformed("body.client_id", "nonzero_uuid")
	}
	_, invalid := kernel.Text("body.text", in.Text, provider.MaxText)
	out, err := kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (createdNote, error) {
		t, err := d.Lock(tx, a, conversation)
		var earlier Note
		found := false
		if err == nil {
			earlier, found, err = noteWithClientID(tx, a.Company.ID, in.ClientID)
		}
		switch {
		case invalid != nil && !found: // validation errors come first, except for a repeated request
			return createdNote{}, invalid
		case err != nil:
			return createdNote{}, err
		case found && earlier.Conversation != conversation:
			return createdNote{}, errNoteClientID()
		case found:
			return createdNote{earlier, true}, nil
		}
		n, err := t.writeNote(a, &in)
		return createdNote{note: n}, err
	})
	return out.note, out.replayed, err
}

// createdNote is the result of CreateNote.
type createdNote struct {
	note     Note
	replayed bool
}

func errNoteClientID() error {
	return kernel.Errorf(kernel.CodeClientIDConflict, "This client_id belongs to a note in another conversation. Send a new one.")
}

func (t *LockedConversation) writeNote(a *kernel.Principal, in *NewNote) (Note, error) {
	mentions, err := t.mentioned(in.Mentions)
	if err != nil {
		return Note{}, err
	}
	n := Note{
		ID: kernel.NewID(), ClientID: in.ClientID, Company: t.Company, Conversation: t.ID, Attendance: t.AttendanceID(), Text: in.Text,
		Mentions: mentions, Author: a.User, Seq: t.next(), CreatedAt: t.Tx.Now,
	}
	// A concurrent request may have used the client id in another conversation.
	if inserted, err := insertNote(t.Tx, &n); err != nil || !inserted {
		return n, kernel.ErrOr(err, errNoteClientID())
	}
	t.notify(NotifyMentioned, &a.User, &n.ID, refIDs(mentions)...)
	err = t.emitWith(EventNoteCreated, "note", &n)
	t.saveProgress()
	return n, err
}

// mentioned returns the members with the given ids, without duplicates. A member who may not see the conversation is
// treated as nonexistent.
func (t *LockedConversation) mentioned(ids []kernel.ID) ([]kernel.Ref, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	if len(ids) > MaxMentions {
		return nil, kernel.TooMany("body.mentions", MaxMentions)
	}
	members, err := people.KeepMemberSights(t.Tx, t.Company, ids)
	if err != nil {
		return nil, err
	}
	var refs []kernel.Ref
	invalid := &kernel.Error{
		Code: kernel.CodeInvalidRequest, Message: "body.mentions: some of the people are not members with access to this conversation.",
	}
	for i, id := range ids {
		m := members[id]
		switch {
		case m == nil || !memberSees(m, &t.Conversation):
			invalid.Fields = append(invalid.Fields, kernel.NoSuch(kernel.Indexed("body.mentions", i), "team_member").Fields[0])
		case !slices.Contains(refs, m.User):
			refs = append(refs, m.User)
		}
	}
	if len(invalid.Fields) > 0 {
		return nil, invalid
	}
	return refs, nil
}

// UpdateNote changes a note that the principal wrote and notifies newly mentioned members.
func (d *Talk) UpdateNote(ctx context.Context, a *kernel.Principal, id kernel.ID, in NoteChange) (Note, error) {
	if in.Text != nil {
		if _, invalid := kernel.Text("body.text", *in.Text, provider.MaxText); invalid != nil {
			return Note{}, invalid
		}
	}
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (Note, error) {
		n, t, err := d.lockNote(tx, a, id)
		if err != nil {
			return n, err
		}
		if n.Author.ID != a.User.ID {
			return n, kernel.Errorf(kernel.CodeInsufficientRole, "Only its author may change a note.")
		}
		if in == (NoteChange{}) {
			return n, nil
		}
		if in.Mentions != nil {
			before := refIDs(n.Mentions)
			if n.Mentions, err = t.mentioned(*in.Mentions); err != nil {
				return n, err
			}
			added := slices.DeleteFunc(refIDs(n.Mentions), func(id kernel.ID) bool { return slices.Contains(before, id) })
			t.notify(NotifyMentioned, &a.User, &n.ID, added...)
		}
		kernel.Set(&n.Text, in.Text)
		n.EditedAt = &tx.Now
		saveNote(tx, &n)
		t.signalNotes()
		return n, nil
	})
}

// DeleteNote deletes a note. Its author may, and managers and above.
func (d *Talk) DeleteNote(ctx context.Context, a *kernel.Principal, id kernel.ID) error {
	return d.Store.Write(ctx, func(tx *kernel.Tx) error {
		n, t, err := d.lockNote(tx, a, id)
		if err != nil {
			return err
		}
		if n.Author.ID != a.User.ID && !a.Role.AtLeast(kernel.RoleManager) {
			return kernel.Errorf(kernel.CodeInsufficientRole,
				"Only its author and members with the role manager or above may delete a note.")
		}
		deleteNote(tx, a.Company.ID, id)
		tx.Audit(a, kernel.AuditEntry{
			Action: "note.deleted", Subject: kernel.NewAuditSubject("note", n.ID, ""), Channel: t.Channel,
			Changes: []kernel.AuditChange{{Field: "author", From: n.Author.Name}},
		})
		t.signalNotes()
		return nil
	})
}

// NoteText returns the text of a note to a member who may read notes and see its conversation.
func NoteText(tx *kernel.Tx, a *kernel.Principal, id kernel.ID) (text string, found bool, err error) {
	n, found, err := findNote(tx, a.Company.ID, id)
	if err != nil || !found || !a.Scopes.Has(people.ScopeNotesRead) {
		return "", false, err
	}
	if _, err := visibleConversation(tx, a, n.Conversation); err != nil {
		return "", false, err
	}
	return n.Text, true, nil
}

// lockNote locks the conversation of a note and returns both.
func (d *Talk) lockNote(tx *kernel.Tx, a *kernel.Principal, id kernel.ID) (Note, *LockedConversation, error) {
	n, found, err := findNote(tx, a.Company.ID, id)
	if err != nil || !found {
		return n, nil, kernel.ErrOr(err, kernel.NotFound("note"))
	}
	t, err := d.Lock(tx, a, n.Conversation)
	if kernel.CodeOf(err) == kernel.CodeNotFound {
		err = kernel.NotFound("note")
	}
	if err != nil {
		return n, nil, err
	}
	n, found, err = findNote(tx, a.Company.ID, id) // it may have changed before the conversation was locked
	if err == nil && !found {
		err = kernel.NotFound("note")
	}
	return n, t, err
}

func refIDs(refs []kernel.Ref) []kernel.ID {
	ids := make([]kernel.ID, len(refs))
	for i, ref := range refs {
		ids[i] = ref.ID
	}
	return ids
}

// signalNotes notifies live streams after the commit that a note was changed or deleted.
func (t *LockedConversation) signalNotes() {
	s := conversationSignal(signalNotes, t.Company, t.ID, kernel.Audience{Seeing: t.Conversation.Visibility(), Scope: people.ScopeNotesRead})
	t.Tx.AfterCommit(func() { t.d.Signal(s) })
}

type listNotesInput struct {
	httpserver.AtID
	Limit  int    `query:"limit" minimum:"1" maximum:"100" default:"30" doc:"The maximum number of entries."`
	Cursor string `query:"cursor" doc:"The next_cursor of the previous page."`
}

func (s *handlers) listNotes(ctx context.Context, a *kernel.Principal, in *listNotesInput) (*httpserver.Reply[httpserver.CursorList[Note]], error) {
	page, next, err := s.verbs.Notes(ctx, a, kernel.ID(in.ID), in.Limit, in.Cursor)
	return httpserver.CursorPage(page, next), err
}

type createNoteInput struct {
	httpserver.AtID
	Body struct{ NewNote }
}

type noteOutput struct {
	Replayed string `header:"Idempotency-Replayed" doc:"Whether the conversation already had a note with this client_id, in which case nothing was added."`
	Body     Note
}

func (s *handlers) createNote(ctx context.Context, a *kernel.Principal, in *createNoteInput) (*noteOutput, error) {
	response := httpserver.Shaped(ctx, func(n *createdNote) *noteOutput { return &noteOutput{httpserver.Replayed(n.replayed), n.note} })
	note, replayed, err := s.verbs.CreateNote(ctx, a, kernel.ID(in.ID), in.Body.NewNote)
	return response(&createdNote{note, replayed}), err
}

type updateNoteInput struct {
	httpserver.AtID
	Body struct{ NoteChange } `required:"false"`
}

func (s *handlers) updateNote(ctx context.Context, a *kernel.Principal, in *updateNoteInput) (*httpserver.Reply[Note], error) {
	return httpserver.Body(s.verbs.UpdateNote(ctx, a, kernel.ID(in.ID), in.Body.NoteChange))
}
