package desk

import (
	"fmt"

	"recado/internal/model"
	"recado/internal/rank"
	"recado/internal/store"
)

// attendanceCardOpened puts a card for a new attendance on the company's attendances board.
func (t *lockedConversation) attendanceCardOpened(att *model.Attendance) error {
	b, err := t.d.attendancesBoard(t.tx, t.Company)
	if err != nil {
		return err
	}
	c := model.Card{
		ID: model.NewID(), Company: t.Company, BoardID: b.ID, Title: att.Contact.Name + " · " + att.Protocol, Priority: model.PriorityMedium,
		Contact: att.Contact.ID, Conversation: &att.Conversation, Attendance: &att.ID, Assignee: refID(att.Responsible), Hidden: t.Private,
		Version: 1, CreatedAt: t.tx.Now, UpdatedAt: t.tx.Now,
	}
	enter(&c, attendanceStage(b, att), rank.At(c.ID), t.tx.Now)
	return t.d.insertCard(t.tx, &c)
}

// attendanceCardMoved lets the card follow: In progress when somebody is responsible, Waiting when
// nobody is, Done when the attendance is closed. by is who caused it, nil for the system. A card that
// was moved by hand meanwhile is fetched back; one that was deleted is not missed.
func (t *lockedConversation) attendanceCardMoved(att *model.Attendance, by *model.Ref) error {
	b, err := t.d.attendancesBoard(t.tx, t.Company)
	if err != nil {
		return err
	}
	was, found, err := t.tx.LockAttendanceCard(t.Company, att.ID)
	if err != nil || !found {
		return err
	}
	c := was
	c.Assignee = refID(att.Responsible)
	if s := attendanceStage(b, att); s.ID != was.StageID {
		enter(&c, s, rank.At(model.NewID()), t.tx.Now)
	}
	if !t.d.saveCard(t.tx, &was, &c) {
		return nil
	}
	return t.d.cardMoved(t.tx, &was, &c, by)
}

// attendanceStage is where the card of an attendance belongs.
func attendanceStage(b *model.Board, att *model.Attendance) model.Stage {
	switch {
	case att.ClosedAt != nil:
		return b.Stages[2]
	case att.Responsible != nil:
		return b.Stages[1]
	}
	return b.Stages[0]
}

// attendancesBoard gives the company's system board. Neither it nor its stages ever change but in name,
// so it is looked up once. Its cards rank by the moment they come, so nobody waits for a stage.
func (d *Desk) attendancesBoard(tx *store.Tx, company model.ID) (*model.Board, error) {
	if b, ok := d.systemBoards.Load(company); ok {
		return b.(*model.Board), nil
	}
	b, found, err := tx.SystemBoard(company, model.SystemAttendances)
	if err != nil || !found || len(b.Stages) != 3 {
		return nil, errOr(err, fmt.Errorf("desk: company %s has no whole attendances board", company))
	}
	d.systemBoards.Store(company, &b)
	return &b, nil
}

func refID(ref *model.Ref) *model.ID {
	if ref == nil {
		return nil
	}
	return &ref.ID
}
