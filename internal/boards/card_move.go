package boards

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"recado/internal/kernel"
	"recado/internal/rank"
	"recado/internal/talk"
)

// CardMove says where a card goes: before another card of the stage, or to its end.
type CardMove struct {
	Stage   kernel.ID
	Before  *kernel.ID
	Version int64 // the one the move is based on; 0 when the caller named none
}

// MoveCard moves a card to a place in a stage of its board. It takes the card out of the archive. Moving the card of an
// open attendance to Done closes the attendance, for which the principal needs the same permissions as for CloseAttendance.
func (d *Boards) MoveCard(ctx context.Context, a *kernel.Principal, id kernel.ID, in CardMove) (Card, error) {
	if err := a.May(VerbMoveCard); err != nil {
		return Card{}, err
	}
	return kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (Card, error) {
		t, err := d.lockFinished(tx, a, id, in.Stage)
		if err != nil {
			return Card{}, err
		}
		was, err := d.lockCard(tx, a, id)
		if err != nil {
			return was, err
		}
		c := was
		stage, rank, err := d.place(tx, a, &c, in.Stage, in.Before)
		if err != nil {
			return c, err
		}
		if err := d.checkVersion(tx, &was, in.Version); err != nil {
			return c, err
		}
		closes := t != nil && was.StageID != stage.ID
		if closes {
			if err := kernel.ErrOr(a.May(talk.VerbCloseAttendance), t.MayClose(a)); err != nil {
				return c, err
			}
			c.Assignee = t.Assignee // as closing would set it, so that the card changes once
		}
		enter(&c, stage, rank, tx.Now)
		d.saveCard(tx, &was, &c)
		if err := d.cardMoved(tx, &was, &c, &a.User); err != nil || !closes {
			return c, err
		}
		if _, err := t.CloseAttendance(&a.User, nil); err != nil {
			return c, err
		}
		return c, t.Save()
	})
}

// lockFinished locks the conversation whose open attendance a move of the card to the stage would close. It returns nil
// where the move closes none. Conversations are locked before cards everywhere.
func (d *Boards) lockFinished(tx *kernel.Tx, a *kernel.Principal, id, stage kernel.ID) (*talk.LockedConversation, error) {
	b, err := d.attendancesBoard(tx, a.Company.ID)
	if err != nil || b.Stages[2].ID != stage {
		return nil, err
	}
	c, found, err := findCard(tx, a.Company.ID, id)
	if err != nil || !found || !MaySeeCard(a, &c) || c.Attendance == nil {
		return nil, err
	}
	att, found, err := talk.FindAttendance(tx, a.Company.ID, *c.Attendance)
	if err != nil || !found || att.ClosedAt != nil {
		return nil, err
	}
	t, err := d.talk.Lock(tx, a, att.Conversation)
	if err != nil || t.Attendance == nil || t.Attendance.ID != att.ID {
		return nil, err
	}
	return t, nil
}

// checkVersion refuses a change that is based on no version, or on one that is no longer the card's. Where a person has
// moved the card since, the refusal says who, and where to.
func (d *Boards) checkVersion(tx *kernel.Tx, c *Card, version int64) error {
	switch version {
	case c.Version:
		return nil
	case 0:
		_, err := kernel.CardVersion(nil, nil)
		return err
	}
	conflict := kernel.Errorf(kernel.CodeVersionConflict,
		"The card is at version %d by now, not %d. Fetch it again and apply the change to what it is.", c.Version, version)
	moved, err := movedSince(tx, c, version)
	if err != nil {
		return err
	}
	if moved != nil {
		conflict.Fields = []kernel.FieldError{*moved}
	}
	return conflict
}

// movedSince says who moved a card to the stage it is in, where that happened after a version and is one of the
// latest events of the company.
func movedSince(tx *kernel.Tx, c *Card, version int64) (*kernel.FieldError, error) {
	body, found, err := lastCardMove(tx, c.Company, c.ID)
	if err != nil || !found {
		return nil, err
	}
	var event struct {
		Data struct {
			Card struct {
				Version int64 `json:"version"`
			} `json:"card"`
			To kernel.ID   `json:"to_stage_id"`
			By *kernel.Ref `json:"moved_by"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &event); err != nil {
		return nil, fmt.Errorf("boards: the event of a moved card: %w", err)
	}
	move := &event.Data
	if move.By == nil || move.Card.Version <= version || move.To != c.StageID {
		return nil, nil
	}
	b, _, err := FindBoard(tx, c.Company, c.BoardID)
	if err != nil {
		return nil, err
	}
	for _, s := range b.Stages {
		if s.ID == c.StageID {
			moved := ruleMoved.At("card", move.By.Name+" moved it to "+s.Name, kernel.Params{"name": move.By.Name, "stage": s.Name})
			return &moved, nil
		}
	}
	return nil, nil
}

// enter puts a card into a stage, which decides its status.
func enter(c *Card, s Stage, rank string, now time.Time) {
	entered := c.StageID != s.ID
	c.StageID, c.Position = s.ID, rank
	switch s.Kind {
	case StageWon:
		c.Status = CardCompleted
		if entered || c.CompletedAt == nil {
			c.CompletedAt = &now
		}
		return
	case StageLost:
		c.Status = CardLost
	default:
		c.Status = CardOpen
	}
	c.CompletedAt = nil
}

// cardMoved records the events of a card that changed its stage. by is nil for the system.
func (d *Boards) cardMoved(tx *kernel.Tx, was, c *Card, by *kernel.Ref) error {
	if was.StageID == c.StageID {
		return nil
	}
	err := d.emitCard(tx, EventCardMoved, c, func(b []byte) ([]byte, error) {
		b = was.StageID.AppendText(append(b, `,"from_stage_id":"`...))
		b = c.StageID.AppendText(append(b, `","to_stage_id":"`...))
		return kernel.AppendJSON(append(b, `","moved_by":`...), by)
	})
	if err != nil || c.Status != CardCompleted {
		return err
	}
	return d.emitCard(tx, EventCardCompleted, c, nil)
}

// emitCard records an event of a card. Cards that no key may see have no events.
func (d *Boards) emitCard(tx *kernel.Tx, kind kernel.EventType, c *Card, more func(b []byte) ([]byte, error)) error {
	if c.Private || c.Hidden {
		d.signalCard(tx, c, true)
		return nil
	}
	e := kernel.Event{Company: c.Company, Type: kind, Conversation: c.Conversation, Board: &c.BoardID, Card: &c.ID}
	return d.Record(tx, e, func(b []byte) ([]byte, error) {
		b, err := kernel.AppendJSON(append(b, `{"card":`...), c)
		if err == nil && more != nil {
			b, err = more(b)
		}
		return append(b, '}'), err
	})
}

// place locks a stage of the card's board and finds a rank in it: before another card that the principal
// may see, or at the end. While the stage is locked no other card can get the same rank.
func (d *Boards) place(tx *kernel.Tx, a *kernel.Principal, c *Card, stage kernel.ID, before *kernel.ID) (Stage, string, error) {
	s, found, err := lockStage(tx, a.Company.ID, stage)
	if err != nil || !found || s.Board != c.BoardID {
		return s.Stage, "", kernel.ErrOr(err, kernel.NoSuch("body.stage_id", "stage"))
	}
	at, err := d.rankIn(tx, a, c, s.ID, before)
	if err == nil && len(at) > rank.Long {
		if err = d.spread(tx, a.Company.ID, s.ID, c.ID, at); err == nil {
			at, err = d.rankIn(tx, a, c, s.ID, before)
		}
	}
	return s.Stage, at, err
}

// rankIn finds the rank. A card that is there already keeps its own.
func (d *Boards) rankIn(tx *kernel.Tx, a *kernel.Principal, c *Card, stage kernel.ID, before *kernel.ID) (string, error) {
	var previous, next string
	var err error
	if before == nil {
		previous, err = lastRank(tx, a.Company.ID, stage, c.ID)
	} else {
		card, found, failed := findCard(tx, a.Company.ID, *before)
		if failed != nil || !found || !MaySeeCard(a, &card) || card.StageID != stage || card.ID == c.ID {
			return "", kernel.ErrOr(failed, kernel.NoSuch("body.before_card_id", "card"))
		}
		next = card.Position
		previous, err = rankBefore(tx, a.Company.ID, stage, c.ID, next)
	}
	if err != nil {
		return "", err
	}
	if c.StageID == stage && c.Position > previous && (next == "" || c.Position < next) {
		return c.Position, nil
	}
	return rank.Between(previous, next)
}

// spread gives the cards around a place in a locked stage new and shorter ranks, in the same order. It
// extends to both sides until it finds short ranks to fit between, so its cost depends on
// the number of long ranks and not on the size of the stage.
func (d *Boards) spread(tx *kernel.Tx, company, stage, moving kernel.ID, at string) error {
	for reach := 64; ; reach *= 4 {
		before, err := rankedBefore(tx, company, stage, moving, at, reach+1)
		if err != nil {
			return err
		}
		after, err := rankedFrom(tx, company, stage, moving, at, reach+1)
		if err != nil {
			return err
		}
		before, low := upTo(before, reach)
		after, high := upTo(after, reach)
		if max(len(low), len(high)) > rank.Long/2 {
			continue
		}
		slices.Reverse(before)
		for _, p := range append(before, after...) {
			was := p.Rank
			if p.Rank, err = rank.Between(low, high); err != nil {
				return err
			}
			if low = p.Rank; p.Rank != was {
				setRank(tx, company, p)
			}
		}
		return nil
	}
}

// upTo gives the first reach places and the rank of the one behind them, "" where there is none.
func upTo(places []Ranked, reach int) ([]Ranked, string) {
	if len(places) <= reach {
		return places, ""
	}
	return places[:reach], places[reach].Rank
}

// followCases keeps the cards of cases on the attendances board where the cases are.
func (d *Boards) followCases() talk.Observer {
	return talk.Observer{
		Opened: d.attendanceCardOpened,
		Moved: func(t *talk.LockedConversation, _, att *talk.Attendance, by *kernel.Ref) error {
			return d.attendanceCardMoved(t, att, by)
		},
		Closed:         d.attendanceCardMoved,
		ContactDeleted: d.forgetContact,
	}
}

// attendanceCardOpened puts a card for a new attendance on the company's attendances board.
func (d *Boards) attendanceCardOpened(t *talk.LockedConversation, att *talk.Attendance) error {
	b, err := d.attendancesBoard(t.Tx, t.Company)
	if err != nil {
		return err
	}
	c := Card{
		ID: kernel.NewID(), Company: t.Company, BoardID: b.ID, Title: att.Contact.Name + " · " + att.Protocol, Priority: PriorityMedium,
		Contact: att.Contact.ID, Conversation: &att.Conversation, Attendance: &att.ID, Assignee: kernel.RefID(att.Responsible), Hidden: t.Private,
		Version: 1, CreatedAt: t.Tx.Now, UpdatedAt: t.Tx.Now,
	}
	enter(&c, attendanceStage(b, att), rank.At(c.ID), t.Tx.Now)
	return d.insertCard(t.Tx, &c)
}

// attendanceCardMoved lets the card follow: In progress when there is a responsible person, Waiting when
// there is none, Done when the attendance is closed. by is who caused it, nil for the system. A card that
// was moved by hand meanwhile is moved too; a deleted card stays deleted.
func (d *Boards) attendanceCardMoved(t *talk.LockedConversation, att *talk.Attendance, by *kernel.Ref) error {
	b, err := d.attendancesBoard(t.Tx, t.Company)
	if err != nil {
		return err
	}
	was, found, err := lockAttendanceCard(t.Tx, t.Company, att.ID)
	if err != nil || !found {
		return err
	}
	c := was
	c.Assignee = kernel.RefID(att.Responsible)
	if s := attendanceStage(b, att); s.ID != was.StageID {
		enter(&c, s, rank.At(kernel.NewID()), t.Tx.Now)
	}
	if !d.saveCard(t.Tx, &was, &c) {
		return nil
	}
	return d.cardMoved(t.Tx, &was, &c, by)
}

// attendanceStage is where the card of an attendance belongs.
func attendanceStage(b *Board, att *talk.Attendance) Stage {
	switch {
	case att.ClosedAt != nil:
		return b.Stages[2]
	case att.Responsible != nil:
		return b.Stages[1]
	}
	return b.Stages[0]
}

// attendancesBoard gives the company's system board. Neither it nor its stages ever change but in name,
// so it is looked up once. Its cards rank by the moment they come, so no transaction waits for a stage.
func (d *Boards) attendancesBoard(tx *kernel.Tx, company kernel.ID) (*Board, error) {
	if b, ok := d.systemBoards.Load(company); ok {
		return b.(*Board), nil
	}
	b, found, err := systemBoard(tx, company, SystemAttendances)
	if err != nil || !found || len(b.Stages) != 3 {
		return nil, kernel.ErrOr(err, fmt.Errorf("boards: company %s has no whole attendances board", company))
	}
	d.systemBoards.Store(company, &b)
	return &b, nil
}
