package talk

import (
	"context"
	"math"
	"slices"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/people"
)

// Note is what a member writes to the team in a conversation. It is never sent to a customer.
type Note struct {
	ID           kernel.ID    `json:"id"`
	ClientID     kernel.ID    `json:"client_id"`
	Conversation kernel.ID    `json:"conversation"`
	Attendance   *kernel.ID   `json:"attendance" doc:"The attendance that was open when it was written."`
	Text         string       `json:"text"`
	Mentions     []kernel.Ref `json:"mentions" doc:"The members whom it is meant for. Each gets a notification."`
	Author       kernel.Ref   `json:"author"`
	CreatedAt    time.Time    `json:"created_at"`
	EditedAt     *time.Time   `json:"edited_at"`

	Company kernel.ID `json:"-"`
	Seq     int64     `json:"-"` // its place among the messages of the conversation
}

// Subject is the conversation of the note.
func (n *Note) Subject() kernel.Subject {
	return kernel.Subject{Kind: SubjectConversation, ID: n.Conversation}
}

// MaxMentions is how many members a note may mention.
const MaxMentions = 20

// NewNote is what a member writes to the team.
type NewNote struct {
	ClientID kernel.ID
	Text     string
	Mentions []kernel.ID
}

// NoteChange is what of a note is to change; nil leaves a part as it is.
type NoteChange struct {
	Text     *string
	Mentions *[]kernel.ID
}

// Notes lists the notes of a conversation that the principal may see, the newest first. next is "" on the last page.
func (d *Talk) Notes(ctx context.Context, a *kernel.Principal, conversation kernel.ID, limit int, after string) (page []Note, next string, err error) {
	if err := a.May(VerbNotes); err != nil {
		return nil, "", err
	}
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
		c, found, err := FindConversation(tx, a.Company.ID, conversation)
		if err != nil || !found || !MaySee(a, &c) {
			return nil, kernel.ErrOr(err, kernel.NotFound("conversation"))
		}
		return listNotes(tx, a.Company.ID, conversation, before, limit+1)
	})
	if err == nil && len(page) > limit {
		page = page[:limit]
		next = d.Cursors.Seal(a.Company.ID, list, kernel.Int(page[limit-1].Seq))
	}
	return page, next, err
}

// CreateNote adds a note to a conversation and tells those whom it mentions. A client id that the conversation has seen
// gives the note of then, as it is now, and replayed.
func (d *Talk) CreateNote(ctx context.Context, a *kernel.Principal, conversation kernel.ID, in NewNote) (note Note, replayed bool, err error) {
	if err := a.May(VerbCreateNote); err != nil {
		return Note{}, false, err
	}
	if in.ClientID.IsZero() {
		return Note{}, false, kernel.Malformed("body.client_id", "nonzero_uuid")
	}
	_, invalid := kernel.Text("body.text", in.Text, provider.MaxText)
	out, err := kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (writtenNote, error) {
		t, err := d.Lock(tx, a, conversation)
		var earlier Note
		repeated := false
		if err == nil {
			earlier, repeated, err = noteWithClientID(tx, a.Company.ID, in.ClientID)
		}
		switch {
		case invalid != nil && !repeated: // a wrong form is refused first, unless the call repeats an earlier one
			return writtenNote{}, invalid
		case err != nil:
			return writtenNote{}, err
		case repeated:
			return writtenNote{earlier, true}, sameConversation(&earlier, conversation)
		}
		n, err := t.writeNote(a, &in)
		return writtenNote{note: n}, err
	})
	return out.note, out.replayed, err
}

// writtenNote is a note that is stored, now or by an earlier call.
type writtenNote struct {
	note     Note
	replayed bool
}

// sameConversation refuses a client id that belongs to a note in another conversation.
func sameConversation(earlier *Note, conversation kernel.ID) error {
	if earlier.Conversation == conversation {
		return nil
	}
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
	fresh, err := insertNote(t.Tx, &n)
	if err != nil || !fresh { // the same client id won a race in another conversation
		return n, kernel.ErrOr(err, sameConversation(&Note{}, t.ID))
	}
	t.notify(NotifyMentioned, &a.User, &n.ID, refIDs(mentions)...)
	err = t.emitWith(EventNoteCreated, "note", &n)
	t.saveProgress()
	return n, err
}

// mentioned finds the members whom a note names, each once. A person who may not see the conversation is refused like one
// who does not exist.
func (t *LockedConversation) mentioned(ids []kernel.ID) ([]kernel.Ref, error) {
	refs := []kernel.Ref{}
	if len(ids) == 0 {
		return refs, nil
	}
	if len(ids) > MaxMentions {
		return nil, kernel.TooMany("body.mentions", MaxMentions)
	}
	members, err := people.KeepMemberSights(t.Tx, t.Company, ids)
	if err != nil {
		return nil, err
	}
	invalid := &kernel.Error{Code: kernel.CodeInvalidRequest, Message: "body.mentions: some of the people are not members who may see this conversation."}
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

// UpdateNote changes a note of the principal's own. Those whom it mentions anew are told.
func (d *Talk) UpdateNote(ctx context.Context, a *kernel.Principal, id kernel.ID, in NoteChange) (Note, error) {
	if err := a.May(VerbUpdateNote); err != nil {
		return Note{}, err
	}
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
			t.notify(NotifyMentioned, &a.User, &n.ID, slices.DeleteFunc(refIDs(n.Mentions), func(id kernel.ID) bool { return slices.Contains(before, id) })...)
		}
		kernel.Set(&n.Text, in.Text)
		n.EditedAt = &tx.Now
		saveNote(tx, &n)
		t.signalNotes()
		return n, nil
	})
}

// DeleteNote removes a note: its author, or managers and above.
func (d *Talk) DeleteNote(ctx context.Context, a *kernel.Principal, id kernel.ID) error {
	if err := a.May(VerbDeleteNote); err != nil {
		return err
	}
	_, err := kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (struct{}, error) {
		n, t, err := d.lockNote(tx, a, id)
		if err != nil {
			return struct{}{}, err
		}
		if n.Author.ID != a.User.ID && !a.Role.AtLeast(kernel.RoleManager) {
			return struct{}{}, kernel.Errorf(kernel.CodeInsufficientRole, "Only its author and members with the role manager or above may delete a note.")
		}
		deleteNote(tx, a.Company.ID, id)
		t.signalNotes()
		return struct{}{}, nil
	})
	return err
}

// lockNote opens a note and its conversation, which the principal may see.
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
	n, found, err = findNote(tx, a.Company.ID, id) // it may have changed before the lock
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

// signalNotes tells the live streams, once the change is durable, that a note was changed or deleted.
func (t *LockedConversation) signalNotes() {
	s := conversationSignal(signalNotes, t.Company, t.ID, kernel.Audience{Seeing: t.Conversation.Visibility(), Scope: people.ScopeNotesRead})
	t.Tx.AfterCommit(func() { t.d.Signal(s) })
}
