package boards

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/rank"
	"recado/internal/talk"
)

// CardMove is the target of a move.
type CardMove struct {
	Stage   kernel.ID
	Before  *kernel.ID // another card of the stage; nil: its end
	Version int64      // that the move is based on; 0: unknown

	Closing talk.CloseInput // if the move closes an attendance
}

// MoveCard moves a card within its board and restores an archived card. Moving the card of an open attendance to Done closes the
// attendance, which requires the permissions for CloseAttendance. If the move closes none, Closing has no effect.
func (d *Boards) MoveCard(ctx context.Context, a *kernel.Principal, id kernel.ID, in CardMove) (Card, error) {
	return kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (Card, error) {
		t, err := d.lockClosing(tx, a, id, in.Stage)
		if err != nil {
			return Card{}, err
		}
		old, err := visibleCard(tx, a, id, lockCard)
		if err != nil {
			return old, err
		}
		c := old
		stage, rank, err := place(tx, a, &c, in.Stage, in.Before)
		if err = kernel.ErrOr(err, checkVersion(tx, &old, in.Version)); err != nil {
			return c, err
		}
		if err := talk.CheckReason(tx, a, in.Closing.ReasonID); err != nil {
			return c, err
		}
		closes := t != nil && old.StageID != stage.ID
		if closes {
			if err := kernel.ErrOr(a.May(talk.VerbCloseAttendance), t.MayClose(a)); err != nil {
				return c, err
			}
			c.Assignee = t.Assignee // closing would set it in a second change
		}
		enter(&c, stage, rank, tx.Now)
		d.saveCard(tx, &old, &c)
		if err := d.recordMove(tx, &old, &c, &a.User); err != nil || !closes {
			return c, err
		}
		if _, err := t.CloseBy(&a.User, in.Closing); err != nil {
			return c, err
		}
		return c, t.Save()
	})
}

// lockClosing locks the conversation whose open attendance a move of a card to a stage would close. It returns nil if the move
// closes none. Every transaction locks conversations before cards.
func (d *Boards) lockClosing(tx *kernel.Tx, a *kernel.Principal, id, stage kernel.ID) (*talk.LockedConversation, error) {
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

// checkVersion returns an error if a change is not based on the current version of a card. If a person has moved the card since,
// the error says who and where.
func checkVersion(tx *kernel.Tx, c *Card, version int64) error {
	switch version {
	case c.Version:
		return nil
	case 0:
		_, err := kernel.CardVersion(nil, nil)
		return err
	}
	conflict := kernel.Errorf(kernel.CodeVersionConflict,
		"The card is now at version %d, not %d. Fetch it again and reapply the change.", c.Version, version)
	moved, err := movedSince(tx, c, version)
	conflict.Fields = moved
	return kernel.ErrOr(err, conflict)
}

// recentEvents is how many of a company's latest events movedSince searches. There is no index by card.
const recentEvents = 500

// movedSince returns who moved a card to its stage after a version, if that is one of the latest events of the company.
func movedSince(tx *kernel.Tx, c *Card, version int64) ([]kernel.FieldError, error) {
	body, found, err := kernel.Row(tx, `
		SELECT e.body
		FROM (SELECT position, id, type, card, body FROM events WHERE company = $1 ORDER BY position DESC, id DESC LIMIT $2) e
		WHERE e.card = $3 AND e.type = $4
		ORDER BY e.position DESC, e.id DESC
		LIMIT 1`, []any{c.Company, recentEvents, c.ID, EventCardMoved}, func(r db.Row) []byte { return r.Bytes("body") })
	if err != nil || !found {
		return nil, err
	}
	var event struct {
		Data cardMovedEvent `json:"data"`
	}
	if err := json.Unmarshal(body, &event); err != nil {
		return nil, fmt.Errorf("boards: decode the event of a moved card: %w", err)
	}
	move := &event.Data
	if move.By == nil || move.Card == nil || move.Card.Version <= version || move.To != c.StageID {
		return nil, nil
	}
	b, _, err := FindBoard(tx, c.Company, c.BoardID)
	if err != nil {
		return nil, err
	}
	for _, s := range b.Stages {
		if s.ID == c.StageID {
			params := kernel.Params{"name": move.By.Name, "stage": s.Name}
			return []kernel.FieldError{ruleMoved.At("card", move.By.Name+" moved it to "+s.Name, params)}, nil
		}
	}
	return nil, nil
}

// enter puts a card into a stage and sets its status.
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

// cardEvent is the data of an event about a card.
type cardEvent struct {
	Card *Card `json:"card"`
}

// cardMovedEvent is the data of EventCardMoved.
type cardMovedEvent struct {
	Card *Card       `json:"card"`
	From kernel.ID   `json:"from_stage_id"`
	To   kernel.ID   `json:"to_stage_id"`
	By   *kernel.Ref `json:"moved_by"` // nil: the system
}

// recordMove records the events of a card if its stage has changed.
func (d *Boards) recordMove(tx *kernel.Tx, old, c *Card, by *kernel.Ref) error {
	if old.StageID == c.StageID {
		return nil
	}
	return d.record(tx, EventCardMoved, c, cardMovedEvent{c, old.StageID, c.StageID, by})
}

// record records an event about a card that entered a stage and, if that completed the card, EventCardCompleted. Cards that no
// key may see have no events.
func (d *Boards) record(tx *kernel.Tx, kind kernel.EventType, c *Card, data any) error {
	if c.Private || c.Hidden {
		d.signalCard(tx, c, true)
		return nil
	}
	e := kernel.Event{Company: c.Company, Type: kind, Conversation: c.Conversation, Board: &c.BoardID, Card: &c.ID}
	if err := d.Record(tx, e, data); err != nil || c.Status != CardCompleted {
		return err
	}
	e.Type = EventCardCompleted
	return d.Record(tx, e, cardEvent{c})
}

// place locks a stage of the card's board and returns a rank in it: before another card that the principal may see, or at the
// end. No other card can get the same rank while the stage is locked.
func place(tx *kernel.Tx, a *kernel.Principal, c *Card, stage kernel.ID, before *kernel.ID) (Stage, string, error) {
	s, found, err := lockStage(tx, a.Company.ID, stage)
	if err != nil || !found || s.Board != c.BoardID {
		return s.Stage, "", kernel.ErrOr(err, kernel.NoSuch("body.stage_id", "stage"))
	}
	position, err := rankIn(tx, a, c, s.ID, before)
	if err == nil && len(position) > rank.Long {
		if err = spread(tx, a.Company.ID, s.ID, c.ID, position); err == nil {
			position, err = rankIn(tx, a, c, s.ID, before)
		}
	}
	return s.Stage, position, err
}

// rankIn returns a rank in a stage. A card that is already there keeps its rank.
func rankIn(tx *kernel.Tx, a *kernel.Principal, c *Card, stage kernel.ID, before *kernel.ID) (string, error) {
	var previous, next string
	var err error
	if before == nil {
		previous, err = lastRank(tx, a.Company.ID, stage, c.ID)
	} else {
		card, found, err := findCard(tx, a.Company.ID, *before)
		if err != nil || !found || !MaySeeCard(a, &card) || card.StageID != stage || card.ID == c.ID {
			return "", kernel.ErrOr(err, kernel.NoSuch("body.before_card_id", "card"))
		}
		next = card.Position
		earlier, err := ranksBefore(tx, a.Company.ID, stage, c.ID, next, 1)
		if err != nil {
			return "", err
		}
		if len(earlier) > 0 {
			previous = earlier[0].Rank
		}
	}
	if err != nil {
		return "", err
	}
	if c.StageID == stage && c.Position > previous && (next == "" || c.Position < next) {
		return c.Position, nil
	}
	return rank.Between(previous, next)
}

// spread gives the cards around a position in a locked stage shorter ranks in the same order. It extends to both sides until it
// finds short ranks to fit between, so its cost depends on the number of long ranks and not on the size of the stage.
func spread(tx *kernel.Tx, company, stage, moving kernel.ID, position string) error {
	for reach := 64; ; reach *= 4 {
		before, err := ranksBefore(tx, company, stage, moving, position, reach+1)
		if err != nil {
			return err
		}
		after, err := selectRanks(tx, `rank >= $4 ORDER BY rank`, company, stage, moving, position, reach+1)
		if err != nil {
			return err
		}
		before, low := splitRanks(before, reach)
		after, high := splitRanks(after, reach)
		if max(len(low), len(high)) > rank.Long/2 {
			continue
		}
		slices.Reverse(before)
		for _, p := range append(before, after...) {
			if low, err = rank.Between(low, high); err != nil {
				return err
			}
			if p.Rank != low {
				// Clients see the rank, so the version changes too.
				tx.Later(`UPDATE cards SET rank = $3, version = version + 1 WHERE company = $1 AND id = $2`, company, p.Card, low)
			}
		}
		return nil
	}
}

// splitRanks returns the first n ranks and the one after these, or "" if there are no more.
func splitRanks(ranks []Ranked, n int) ([]Ranked, string) {
	if len(ranks) <= n {
		return ranks, ""
	}
	return ranks[:n], ranks[n].Rank
}

// followCases returns the observer that moves the cards of attendances.
func (d *Boards) followCases() talk.Observer {
	return talk.Observer{
		Opened: d.attendanceOpened,
		Moved: func(t *talk.LockedConversation, _, att *talk.Attendance, by *kernel.Ref) error {
			return d.attendanceMoved(t, att, by)
		},
		Closed: d.attendanceMoved,
		Reopened: func(t *talk.LockedConversation, _, att *talk.Attendance, by *kernel.Ref) error {
			return d.attendanceMoved(t, att, by)
		},
		ContactDeleted: d.forgetContact,
	}
}

// attendanceOpened creates the card of a new attendance.
func (d *Boards) attendanceOpened(t *talk.LockedConversation, att *talk.Attendance) error {
	b, err := d.attendancesBoard(t.Tx, t.Company)
	if err != nil {
		return err
	}
	c := Card{
		ID: kernel.NewID(), Company: t.Company, BoardID: b.ID, Title: att.Contact.Name + " · " + att.Protocol,
		Priority: PriorityMedium, Contact: att.Contact.ID, Conversation: &att.Conversation, Attendance: &att.ID,
		Assignee: kernel.RefID(att.Responsible), Hidden: t.Private, Version: 1, CreatedAt: t.Tx.Now, UpdatedAt: t.Tx.Now,
	}
	enter(&c, attendanceStage(b, att), rank.At(c.ID), t.Tx.Now)
	return d.insertCard(t.Tx, &c)
}

// attendanceMoved moves the card of a changed attendance to the stage where it belongs, even if a person has moved it elsewhere.
// A deleted card stays deleted. by is nil for the system.
func (d *Boards) attendanceMoved(t *talk.LockedConversation, att *talk.Attendance, by *kernel.Ref) error {
	b, err := d.attendancesBoard(t.Tx, t.Company)
	if err != nil {
		return err
	}
	old, found, err := lockAttendanceCard(t.Tx, t.Company, att.ID)
	if err != nil || !found {
		return err
	}
	c := old
	c.Assignee = kernel.RefID(att.Responsible)
	if s := attendanceStage(b, att); s.ID != old.StageID {
		enter(&c, s, rank.At(kernel.NewID()), t.Tx.Now)
	}
	d.saveCard(t.Tx, &old, &c)
	return d.recordMove(t.Tx, &old, &c, by)
}

// attendanceStage returns the stage of an attendance: Done if it is closed, In progress if it has a responsible person, or
// Waiting.
func attendanceStage(b *Board, att *talk.Attendance) Stage {
	switch {
	case att.ClosedAt != nil:
		return b.Stages[2]
	case att.Responsible != nil:
		return b.Stages[1]
	}
	return b.Stages[0]
}

// attendancesBoard returns the company's board for attendances. It is cached, because nothing but its name can change. Its cards
// are ranked by time, so that no transaction has to lock a stage.
func (d *Boards) attendancesBoard(tx *kernel.Tx, company kernel.ID) (*Board, error) {
	if b, ok := d.systemBoards.Load(company); ok {
		return b.(*Board), nil
	}
	found, err := selectBoards(tx, `b.system = $2`, company, SystemAttendances)
	if err != nil || len(found) == 0 || len(found[0].Stages) != 3 {
		return nil, kernel.ErrOr(err, fmt.Errorf("boards: the attendances board of company %s is missing or incomplete", company))
	}
	d.systemBoards.Store(company, &found[0])
	return &found[0], nil
}
