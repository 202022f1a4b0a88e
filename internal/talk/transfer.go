package talk

import (
	"context"

	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/people"
)

// NewTransfer is the destination of a conversation: a member (null or absent: nobody), a sector (null: none, absent: the
// current one), or both.
type NewTransfer struct {
	User   kernel.Optional[kernel.ID] `json:"user_id,omitempty" doc:"The new responsible person; null returns the conversation to the queue."`
	Sector kernel.Optional[kernel.ID] `json:"sector_id,omitempty" doc:"The new sector; null means none. Without user_id, the conversation is added to the queue of that sector."`
	Reason string                     `json:"reason,omitempty" maxLength:"500"`
}

type transferInput struct {
	httpserver.AtID
	Body struct{ NewTransfer } `required:"false"`
}

func (s *handlers) transfer(ctx context.Context, a *kernel.Principal, in *transferInput) (*httpserver.Reply[*Conversation], error) {
	return httpserver.Body(s.verbs.Transfer(ctx, a, kernel.ID(in.ID), in.Body.NewTransfer))
}

// Transfer assigns a conversation, its open attendance and its card to a member or a sector. It returns the conversation even if
// the principal may not see it any more.
func (d *Talk) Transfer(ctx context.Context, a *kernel.Principal, id kernel.ID, in NewTransfer) (*Conversation, error) {
	reason, invalid := reasonOf(in.Reason)
	if invalid != nil {
		return nil, invalid
	}
	if !in.User.Set && !in.Sector.Set {
		return nil, errNoDestination()
	}
	return d.changeConversation(ctx, a, id, func(t *LockedConversation) error {
		to, sector, err := t.destination(in)
		if err != nil {
			return err
		}
		return t.assignAndSave(to, sector, &a.User, reason)
	})
}

func errNoDestination() error {
	return kernel.Needs("body", "must have user_id, sector_id or both", "user_id", "sector_id")
}

// destination returns the member and the sector of a transfer, and locks them.
func (t *LockedConversation) destination(in NewTransfer) (to *kernel.Ref, sector *kernel.ID, err error) {
	if id := in.User.Pointer(); id != nil {
		ref, found, err := people.KeepUser(t.Tx, t.Company, *id)
		if err != nil || !found {
			return nil, nil, kernel.ErrOr(err, kernel.NoSuch("body.user_id", "team_member"))
		}
		to = &ref
	}
	if !in.Sector.Set {
		return to, t.Sector, nil
	}
	sector = in.Sector.Pointer()
	if err := t.keepSector(sector); err != nil || sector == nil || to == nil {
		return to, sector, err
	}
	member, err := people.IsSectorMember(t.Tx, t.Company, *sector, to.ID)
	if err == nil && !member {
		err = kernel.Errorf(kernel.CodeNotASectorMember, "%s is not a member of this sector. Choose a member, or leave user_id out.", to.Name)
	}
	return to, sector, err
}

func (t *LockedConversation) keepSector(sector *kernel.ID) error {
	if sector == nil {
		return nil
	}
	found, err := people.KeepSector(t.Tx, t.Company, *sector)
	if err == nil && !found {
		err = kernel.NoSuch("body.sector_id", "sector")
	}
	return err
}

// SetSector changes the sector of a conversation; null means none. The responsible member stays, even if they do not belong to
// the sector. An absent sector changes nothing.
func (d *Talk) SetSector(
	ctx context.Context, a *kernel.Principal, id kernel.ID, to kernel.Optional[kernel.ID], reason string,
) (*Conversation, error) {
	trimmed, invalid := reasonOf(reason)
	if invalid != nil {
		return nil, invalid
	}
	return d.changeConversation(ctx, a, id, func(t *LockedConversation) error {
		sector := to.Pointer()
		if err := t.keepSector(sector); err != nil || !to.Set || kernel.Same(sector, t.Sector) {
			return err
		}
		holder, err := t.holder()
		if err != nil {
			return err
		}
		return t.assignAndSave(holder, sector, &a.User, trimmed)
	})
}

type setSectorInput struct {
	httpserver.AtID
	Body struct {
		SectorID kernel.Optional[kernel.ID] `json:"sector_id,omitempty" doc:"The new sector; null means no sector. If omitted, the sector does not change."`
		Reason   string                     `json:"reason,omitempty" maxLength:"500"`
	} `required:"false"`
}

func (s *handlers) setSector(ctx context.Context, a *kernel.Principal, in *setSectorInput) (*httpserver.Reply[*Conversation], error) {
	return httpserver.Body(s.verbs.SetSector(ctx, a, kernel.ID(in.ID), in.Body.SectorID, in.Body.Reason))
}

// Assign changes the responsible member, which may be nil, and the sector of a conversation. If one of them changes, it adds an
// entry to the history: took over if members assign themselves, received if somebody else assigns them, handed back if nobody
// is responsible any more, and moved if only the sector changes. by is nil for the system.
func (t *LockedConversation) Assign(to *kernel.Ref, sector *kernel.ID, by *kernel.Ref, reason *string) error {
	t.EndMenu()
	changesPerson, changesSector := !kernel.Same(t.Assignee, kernel.RefID(to)), !kernel.Same(t.Sector, sector)
	if !changesPerson && !changesSector {
		return nil
	}
	entry := AssignmentEntry{Action: ActionReceived, User: to, By: by, Sector: sector, Reason: reason, Cause: CauseOf(by, reason)}
	if changesSector {
		entry.SectorFrom, entry.SectorTo = t.Sector, sector
	}
	switch {
	case !changesPerson:
		entry.Action, entry.User = ActionMoved, nil
	case to == nil:
		holder, err := t.holder()
		if err != nil {
			return err
		}
		entry.Action, entry.User = ActionHandedBack, holder
	case by != nil && to.ID == by.ID:
		entry.Action = ActionTookOver
	}
	t.note(&entry)
	t.by = by
	if entry.Action == ActionReceived {
		if err := t.notifyAssigned(to, sector, by); err != nil {
			return err
		}
	}
	if t.Attendance == nil {
		t.Assignee, t.Sector = kernel.RefID(to), sector
		return nil
	}
	att, err := t.openOne()
	if err != nil {
		return err
	}
	return t.move(att, to, sector, by)
}

func (t *LockedConversation) assignAndSave(to *kernel.Ref, sector *kernel.ID, by *kernel.Ref, reason *string) error {
	if err := t.Assign(to, sector, by, reason); err != nil {
		return err
	}
	return t.Save()
}

// holder returns the responsible member, who may have left the team, or nil.
func (t *LockedConversation) holder() (*kernel.Ref, error) {
	if t.Assignee == nil {
		return nil, nil
	}
	ref, found, err := people.RemovedOrPresentUserRef(t.Tx, t.Company, *t.Assignee)
	if err != nil || !found {
		return nil, err
	}
	return &ref, nil
}

// move assigns the conversation and its open attendance to a member and a sector, and notifies observers.
func (t *LockedConversation) move(att *Attendance, to *kernel.Ref, sector *kernel.ID, by *kernel.Ref) error {
	before := *att
	t.Assignee, t.Sector = kernel.RefID(to), sector
	att.Responsible, att.Sector = to, sector
	saveAttendance(t.Tx, att)
	return t.d.tell(func(o *Observer) error { return o.Moved(t, &before, att, by) })
}

// note adds an entry to the assignment history of the conversation.
func (t *LockedConversation) note(e *AssignmentEntry) {
	t.UpdatedAt = t.Tx.Now
	e.ID, e.CreatedAt = kernel.NewID(), t.Tx.Now
	t.Tx.Later(`
		INSERT INTO assignments (company, conversation, seq, id, attendance, action, member, by_member, sector, reason, created_at, sector_from, sector_to)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
		t.Company, t.ID, t.next(), e.ID, t.AttendanceID(), e.Action, kernel.RefID(e.User), kernel.RefID(e.By), e.Sector, e.Reason, e.CreatedAt,
		e.SectorFrom, e.SectorTo)
}

// Assignments lists the assignment history of a conversation, newest first.
func (d *Talk) Assignments(ctx context.Context, a *kernel.Principal, conversation kernel.ID) ([]AssignmentEntry, error) {
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]AssignmentEntry, error) {
		if _, err := visibleConversation(tx, a, conversation); err != nil {
			return nil, err
		}
		return listAssignments(tx, a.Company.ID, conversation)
	})
}

// removalBatch is the number of rows from which a deleted member, sector or label is removed at a time.
const removalBatch = 200

// FinishRemovals removes deleted members and sectors from conversations, and deleted labels from everything that has them. Verbs
// that delete one call it; after a crash the sweep does. A zero company means all. by is nil for the system.
func (d *Talk) FinishRemovals(ctx context.Context, company kernel.ID, by *kernel.Ref) error {
	labels, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]rowAt, error) { return removedLabels(tx, company) })
	if err != nil {
		return err
	}
	for _, label := range labels {
		if err := d.takeOffLabel(ctx, label); err != nil {
			return err
		}
	}
	for {
		orphans, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]ConversationAt, error) { return orphans(tx, company, removalBatch) })
		if err != nil || len(orphans) == 0 {
			return err
		}
		if err := d.ChangeEach(ctx, orphans, func(t *LockedConversation) error { return t.release(by) }); err != nil {
			return err
		}
	}
}

// deleteOwn deletes the personal data of a member who is removed.
func deleteOwn(tx *kernel.Tx, company, member kernel.ID) error {
	for _, table := range []string{"drafts", "notifications", "reply_renderings"} {
		tx.Later(`DELETE FROM `+table+` WHERE company = $1 AND member = $2`, company, member)
	}
	tx.Later(`DELETE FROM replies WHERE company = $1 AND owner = $2`, company, member)
	tx.Later(`DELETE FROM views WHERE company = $1 AND owner = $2 AND NOT shared`, company, member)
	return nil
}

// release unassigns a conversation from a removed member and a deleted sector.
func (t *LockedConversation) release(by *kernel.Ref) error {
	holder, sector := (*kernel.Ref)(nil), t.Sector
	if t.Assignee != nil {
		ref, present, err := people.UserRef(t.Tx, t.Company, *t.Assignee)
		if err != nil {
			return err
		}
		if present {
			holder = &ref
		}
	}
	if sector != nil {
		exists, err := people.SectorExists(t.Tx, t.Company, *sector)
		if err != nil {
			return err
		}
		if !exists {
			sector = nil
		}
	}
	if kernel.Same(kernel.RefID(holder), t.Assignee) && kernel.Same(sector, t.Sector) {
		return nil
	}
	return t.assignAndSave(holder, sector, by, nil)
}

// orphans returns up to limit conversations whose responsible member was removed, and as many whose sector was deleted. A zero
// company means all.
func orphans(tx *kernel.Tx, company kernel.ID, limit int) (orphans []ConversationAt, err error) {
	for _, from := range []string{
		"users o JOIN conversations c ON c.company = o.company AND c.assignee = o.id",
		"sectors o JOIN conversations c ON c.company = o.company AND c.sector = o.id",
	} {
		s := tx.Statement()
		if company.IsZero() {
			s.WriteString("SELECT /* all companies: what a crash left */ c.company, c.id FROM " + from + " WHERE o.removed_at IS NOT NULL")
		} else {
			s.WriteString("SELECT c.company, c.id FROM " + from + " WHERE o.company = " + s.Arg(company) + " AND o.removed_at IS NOT NULL")
		}
		s.WriteString(" LIMIT " + s.Arg(limit))
		found, err := kernel.Rows(tx, s.String(), s.Args, scanAt)
		if err != nil {
			return nil, err
		}
		orphans = append(orphans, found...)
	}
	return orphans, nil
}
