package desk

import (
	"context"

	"recado/internal/model"
	"recado/internal/store"
)

// NewTransfer says where a conversation goes: to a person (null: back to the queue), to a sector (null: to
// none), or both. An absent person means no responsible person, an absent sector the present one.
type NewTransfer struct {
	User   model.Optional[model.ID]
	Sector model.Optional[model.ID]
	Reason string
}

// Transfer hands a conversation over. Its open attendance and that one's card follow. The principal gets the
// conversation back even where handing it over took it out of their sight.
func (d *Desk) Transfer(ctx context.Context, a *Principal, id model.ID, in NewTransfer) (model.Conversation, error) {
	if err := a.May(VerbTransfer); err != nil {
		return model.Conversation{}, err
	}
	reason, invalid := reasonOf(in.Reason)
	if invalid != nil {
		return model.Conversation{}, invalid
	}
	if !in.User.Set && !in.Sector.Set {
		return model.Conversation{}, model.Invalid("body", "must have user_id, sector_id or both")
	}
	return writeAnswer(ctx, d, func(tx *store.Tx) (model.Conversation, error) {
		t, err := d.lock(tx, a, id)
		if err != nil {
			return model.Conversation{}, err
		}
		to, sector, err := t.destination(in)
		if err != nil {
			return model.Conversation{}, err
		}
		if err := t.assign(to, sector, &a.User, reason); err != nil {
			return model.Conversation{}, err
		}
		return t.answer(a, t.save())
	})
}

// destination finds the person and the sector that a transfer names.
func (t *lockedConversation) destination(in NewTransfer) (to *model.Ref, sector *model.ID, err error) {
	if id := in.User.Pointer(); id != nil {
		ref, found, err := t.tx.KeepUser(t.Company, *id)
		if err != nil || !found {
			return nil, nil, errOr(err, model.Invalid("body.user_id", "there is no such team member"))
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
	member, err := t.tx.IsSectorMember(*sector, to.ID)
	if err == nil && !member {
		err = model.Errorf(model.CodeNotASectorMember, "%s is not a member of this sector. Choose a member, or leave user_id out.", to.Name)
	}
	return to, sector, err
}

func (t *lockedConversation) keepSector(sector *model.ID) error {
	if sector == nil {
		return nil
	}
	found, err := t.tx.KeepSector(t.Company, *sector)
	if err == nil && !found {
		err = model.Invalid("body.sector_id", "there is no such sector")
	}
	return err
}

// SetSector puts a conversation into a sector, or into none, and leaves the responsible person as they
// are, member of it or not. An absent sector changes nothing.
func (d *Desk) SetSector(ctx context.Context, a *Principal, id model.ID, to model.Optional[model.ID], reason string) (model.Conversation, error) {
	if err := a.May(VerbSetSector); err != nil {
		return model.Conversation{}, err
	}
	why, invalid := reasonOf(reason)
	if invalid != nil {
		return model.Conversation{}, invalid
	}
	return write(ctx, d, func(tx *store.Tx) (model.Conversation, error) {
		t, err := d.lock(tx, a, id)
		if err != nil {
			return model.Conversation{}, err
		}
		sector := to.Pointer()
		if err := t.keepSector(sector); err != nil {
			return model.Conversation{}, err
		}
		if !to.Set || same(sector, t.Sector) {
			return t.answer(a, nil)
		}
		holder, err := t.holder()
		if err != nil {
			return model.Conversation{}, err
		}
		if err := t.assign(holder, sector, &a.User, why); err != nil {
			return model.Conversation{}, err
		}
		return t.answer(a, t.save())
	})
}

// assign makes to, which may be nil, responsible for the conversation in a sector. The history gets an entry if the
// responsible person or the sector changes: took over when they did it themselves, received when another person did, handed
// back when there is no responsible person any more, moved when only the sector changes. by is nil for the system.
func (t *lockedConversation) assign(to *model.Ref, sector *model.ID, by *model.Ref, reason *string) error {
	t.endMenu()
	changesPerson, changesSector := !same(t.Assignee, refID(to)), !same(t.Sector, sector)
	if !changesPerson && !changesSector {
		return nil
	}
	entry := model.AssignmentEntry{Action: model.ActionReceived, User: to, By: by, Sector: sector, Reason: reason}
	if changesSector {
		entry.SectorFrom, entry.SectorTo = t.Sector, sector
	}
	switch {
	case !changesPerson:
		entry.Action, entry.User = model.ActionMoved, nil
	case to == nil:
		holder, err := t.holder()
		if err != nil {
			return err
		}
		entry.Action, entry.User = model.ActionHandedBack, holder
	case by != nil && to.ID == by.ID:
		entry.Action = model.ActionTookOver
	}
	t.note(&entry)
	t.by = by
	if entry.Action == model.ActionReceived {
		if err := t.notifyAssigned(to, sector, by); err != nil {
			return err
		}
	}
	if t.Attendance == nil {
		t.Assignee, t.Sector = refID(to), sector
		return nil
	}
	att, err := t.openOne()
	if err != nil {
		return err
	}
	return t.move(att, to, sector, by)
}

// holder is who is responsible for the conversation now.
func (t *lockedConversation) holder() (*model.Ref, error) {
	if t.Assignee == nil {
		return nil, nil
	}
	ref, found, err := t.tx.RemovedOrPresentUserRef(t.Company, *t.Assignee)
	if err != nil || !found {
		return nil, err
	}
	return &ref, nil
}

// move lets the open attendance and its card follow the conversation to a person and a sector.
func (t *lockedConversation) move(att *model.Attendance, to *model.Ref, sector *model.ID, by *model.Ref) error {
	before := *att
	t.Assignee, t.Sector = refID(to), sector
	att.Responsible, att.Sector = to, sector
	t.tx.SaveAttendance(att)
	if err := t.attendanceCardMoved(att, by); err != nil {
		return err
	}
	return t.d.reportMoved(t.tx, &before, att)
}

// note adds an entry to the history of the conversation, with its id and time.
func (t *lockedConversation) note(e *model.AssignmentEntry) {
	t.UpdatedAt = t.tx.Now
	e.ID, e.CreatedAt = model.NewID(), t.tx.Now
	t.tx.InsertAssignment(t.Company, t.ID, t.AttendanceID(), t.next(), e)
}

// Assignments gives the history of a conversation's responsible persons, the newest first.
func (d *Desk) Assignments(ctx context.Context, a *Principal, conversation model.ID) ([]model.AssignmentEntry, error) {
	if err := a.May(VerbAssignments); err != nil {
		return nil, err
	}
	return read(ctx, d, func(tx *store.Tx) ([]model.AssignmentEntry, error) {
		c, found, err := tx.Conversation(a.Company.ID, conversation)
		if err != nil || !found || !a.MaySee(&c) {
			return nil, errOr(err, model.NotFound("conversation"))
		}
		return tx.Assignments(a.Company.ID, conversation)
	})
}

// removalBatch is how many uses of what was removed are looked for, or changed in one transaction, at a time.
const removalBatch = 200

// FinishRemovals takes people and sectors that were removed off the conversations that still name them, and labels off
// what still carries them. The verb that removes one does this at once; after a crash in between, the sweep does it. company
// zero means all, by is nil for the system.
func (d System) FinishRemovals(ctx context.Context, company model.ID, by *model.Ref) error {
	labels, err := read(ctx, d.Desk, func(tx *store.Tx) ([]model.ID, error) { return tx.RemovedLabels(company) })
	if err != nil {
		return err
	}
	for _, label := range labels {
		if err := d.takeOffLabel(ctx, label); err != nil {
			return err
		}
	}
	for {
		orphans, err := read(ctx, d.Desk, func(tx *store.Tx) ([]store.ConversationAt, error) { return tx.Orphans(company, removalBatch) })
		if err != nil || len(orphans) == 0 {
			return err
		}
		if err := d.changeEach(ctx, orphans, func(t *lockedConversation) error { return t.release(by) }); err != nil {
			return err
		}
	}
}

// release hands the conversation back from a person who is gone, and takes it out of a sector that is.
func (t *lockedConversation) release(by *model.Ref) error {
	holder, sector := (*model.Ref)(nil), t.Sector
	if t.Assignee != nil {
		ref, present, err := t.tx.UserRef(t.Company, *t.Assignee)
		if err != nil {
			return err
		}
		if present {
			holder = &ref
		}
	}
	if sector != nil {
		exists, err := t.tx.SectorExists(t.Company, *sector)
		if err != nil {
			return err
		}
		if !exists {
			sector = nil
		}
	}
	if same(refID(holder), t.Assignee) && same(sector, t.Sector) {
		return nil
	}
	if err := t.assign(holder, sector, by, nil); err != nil {
		return err
	}
	return t.save()
}
