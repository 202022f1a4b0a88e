package desk

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"recado/internal/model"
	"recado/internal/once"
	"recado/internal/store"
)

// maySeeCard is the policy on cards: none of a board outside the key's list and none of a conversation that the
// principal may not see. A private card is seen by the person who made it, its assignee, and managers and above, all
// of them signed in.
func (a *Principal) maySeeCard(c *store.Card) bool {
	switch {
	case !a.MaySeeBoard(c.BoardID) || c.Private && !a.maySeePrivateCard(c.CreatedBy, c.Assignee):
		return false
	case c.Conversation == nil || c.Hidden && c.ConversationChannel == nil:
		return !c.Hidden
	case c.Hidden:
		return a.reaches(true, *c.ConversationChannel)
	}
	return a.sees(c.ConversationAssignee, c.ConversationSector)
}

func (a *Principal) maySeePrivateCard(creator, assignee *model.ID) bool {
	return a.kind == KindSession && (a.Role.AtLeast(model.RoleManager) || same(creator, &a.User.ID) || same(assignee, &a.User.ID))
}

// Card gives one card.
func (d *Desk) Card(ctx context.Context, a *Principal, id model.ID) (model.Card, error) {
	if err := a.May(VerbCard); err != nil {
		return model.Card{}, err
	}
	return readOne(ctx, d, func(tx *store.Tx) (model.Card, error) {
		c, found, err := tx.Card(a.Company.ID, id)
		if err != nil || !found || !a.maySeeCard(&c) {
			return model.Card{}, errOr(err, model.NotFound("card"))
		}
		return c.Card, nil
	})
}

// lockCard opens a card that the principal may see, to change it.
func (d *Desk) lockCard(tx *store.Tx, a *Principal, id model.ID) (model.Card, error) {
	c, found, err := tx.LockCard(a.Company.ID, id)
	if err != nil || !found || !a.maySeeCard(&c) {
		return model.Card{}, errOr(err, model.NotFound("card"))
	}
	tx.NotBefore(c.UpdatedAt)
	return c.Card, nil
}

// NewCard is what a card is made of.
type NewCard struct {
	Board  model.ID
	Stage  *model.ID // nil: the board's first
	Before *model.ID // nil: at the end of the stage
	CardFields
}

// CardFields are the parts of a card that a caller sets. Absent ones stay as they are.
type CardFields struct {
	Title        *string
	Description  model.Optional[string]
	Priority     *string
	Labels       *[]model.ID
	DueAt        model.Optional[time.Time]
	Assignee     model.Optional[model.ID]
	Contact      model.Optional[model.ID]
	Conversation model.Optional[model.ID]
	Private      *bool
}

// CreateCard adds a card to a board.
func (d *Desk) CreateCard(ctx context.Context, a *Principal, in NewCard, once *once.Call) (model.Card, error) {
	if err := a.May(VerbCreateCard); err != nil {
		return model.Card{}, err
	}
	if err := in.check(); err != nil {
		return model.Card{}, err
	}
	return writeOnce(ctx, d, a, once, func(tx *store.Tx) (model.Card, error) {
		c := model.Card{
			ID: model.NewID(), Company: a.Company.ID, BoardID: in.Board, Priority: model.PriorityMedium, LabelIDs: []model.ID{},
			Version: 1, CreatedAt: tx.Now, UpdatedAt: tx.Now, CreatedBy: optionalID(a.User.ID),
		}
		b, found, err := tx.Board(a.Company.ID, in.Board)
		switch {
		case err != nil || !found || !a.MaySeeBoard(in.Board):
			return c, errOr(err, model.Invalid("body.board_id", "there is no such board"))
		case b.Archived:
			return c, model.Invalid("body.board_id", "is an archived board; restore it first")
		}
		stage := b.Stages[0].ID
		if in.Stage != nil {
			stage = *in.Stage
		}
		s, rank, err := d.place(tx, a, &c, stage, in.Before)
		if err != nil {
			return c, err
		}
		if err := d.fill(tx, a, &c, &in.CardFields); err != nil {
			return c, err
		}
		enter(&c, s, rank, tx.Now)
		return c, d.insertCard(tx, &c)
	})
}

// insertCard adds a card and records its event.
func (d *Desk) insertCard(tx *store.Tx, c *model.Card) error {
	tx.InsertCard(c)
	tx.AfterCommit(d.wakeups.Index.Notify)
	err := d.emitCard(tx, model.EventCardCreated, c, nil)
	if err != nil || c.Status != model.CardCompleted {
		return err
	}
	return d.emitCard(tx, model.EventCardCompleted, c, nil)
}

// CardChange is what can change about a card without moving it.
type CardChange struct {
	CardFields
	Archived *bool
	Version  int64 // the one the change is based on; 0 when the caller named none
}

// UpdateCard changes a card. A change that leaves it as it was leaves its version too.
func (d *Desk) UpdateCard(ctx context.Context, a *Principal, id model.ID, in CardChange) (model.Card, error) {
	if err := a.May(VerbUpdateCard); err != nil {
		return model.Card{}, err
	}
	if err := in.check(); err != nil {
		return model.Card{}, err
	}
	return write(ctx, d, func(tx *store.Tx) (model.Card, error) {
		was, err := d.lockCard(tx, a, id)
		if err != nil {
			return was, err
		}
		c := was
		if err := d.fill(tx, a, &c, &in.CardFields); err != nil {
			return c, err
		}
		if err := d.checkVersion(tx, &was, in.Version); err != nil {
			return c, err
		}
		if in.Archived != nil {
			if err := d.archive(tx, &c, *in.Archived); err != nil {
				return c, err
			}
		}
		d.saveCard(tx, &was, &c)
		return c, nil
	})
}

// archive puts a card into the archive, or takes it out: then its stage says what status it has.
func (d *Desk) archive(tx *store.Tx, c *model.Card, archived bool) error {
	switch {
	case archived:
		c.Status = model.CardArchived
	case c.Status == model.CardArchived:
		s, _, err := tx.LockStage(c.Company, c.StageID)
		if err != nil {
			return err
		}
		enter(c, s.Stage, c.Position, tx.Now)
	}
	return nil
}

// DeleteCard removes a card permanently. Version 0 means any version.
func (d *Desk) DeleteCard(ctx context.Context, a *Principal, id model.ID, version int64) error {
	if err := a.May(VerbDeleteCard); err != nil {
		return err
	}
	_, err := write(ctx, d, func(tx *store.Tx) (struct{}, error) {
		c, err := d.lockCard(tx, a, id)
		if err == nil && version != 0 {
			err = d.checkVersion(tx, &c, version)
		}
		if err == nil {
			d.signalCard(tx, &c, true)
			err = tx.DeleteCard(a.Company.ID, id)
		}
		return struct{}{}, err
	})
	return err
}

// check looks at the form alone, and cleans it.
func (f *CardFields) check() error {
	if f.Title != nil {
		title, invalid := model.Name("body.title", *f.Title, model.MaxName)
		if invalid != nil {
			return invalid
		}
		f.Title = &title
	}
	if f.Description.Set {
		if _, invalid := model.OptionalText("body.description", f.Description.Value, model.MaxDescription); invalid != nil {
			return invalid
		}
	}
	if due := f.DueAt.Pointer(); due != nil {
		at := due.UTC().Truncate(time.Millisecond)
		if at.Year() < 1 || at.Year() > 9999 {
			return model.Invalid("body.due_at", "must be between the years 1 and 9999")
		}
		f.DueAt.Value = at
	}
	return nil
}

// fill sets the fields of a card. What they name must be there for the principal to see, unless the card
// names it already.
func (d *Desk) fill(tx *store.Tx, a *Principal, c *model.Card, f *CardFields) error {
	if f.Title != nil {
		c.Title = *f.Title
	}
	if f.Description.Set {
		c.Description = f.Description.Pointer()
	}
	if f.Priority != nil {
		c.Priority = *f.Priority
	}
	if f.DueAt.Set {
		c.DueAt = f.DueAt.Pointer()
	}
	if f.Private != nil {
		c.Private = *f.Private
	}
	if f.Labels != nil && !slices.Equal(*f.Labels, c.LabelIDs) {
		labels, err := d.labels(tx, a, *f.Labels)
		if err != nil {
			return err
		}
		c.LabelIDs = labels
	}
	tx.ShareVisibility(a.Company.ID)
	for _, link := range []struct {
		field string
		to    **model.ID
		value model.Optional[model.ID]
		known func(id model.ID) (bool, error)
	}{
		{"assignee", &c.Assignee, f.Assignee, func(id model.ID) (bool, error) {
			_, found, err := tx.UserRef(a.Company.ID, id)
			return found, err
		}},
		{"contact", &c.Contact, f.Contact, func(id model.ID) (bool, error) { return tx.PublicContact(a.Company.ID, id) }},
		{"conversation", &c.Conversation, f.Conversation, func(id model.ID) (bool, error) {
			talk, found, err := tx.Conversation(a.Company.ID, id)
			c.Hidden = found && talk.Private
			return found && a.MaySee(&talk), err
		}},
	} {
		if link.field == "conversation" && link.value.Set && c.Hidden && !same(link.value.Pointer(), c.Conversation) {
			return model.Invalid("body.conversation", "a card of a private number keeps its conversation")
		}
		if id := link.value.Pointer(); id != nil && !same(id, *link.to) {
			if found, err := link.known(*id); err != nil || !found {
				return errOr(err, model.Invalid("body."+link.field, "there is no such "+link.field))
			}
		}
		if link.value.Set {
			*link.to = link.value.Pointer()
		}
	}
	return nil
}

// saveCard stores a changed card with its next version, and reports false when nothing changed.
func (d *Desk) saveCard(tx *store.Tx, was, c *model.Card) bool {
	if sameCard(was, c) {
		return false
	}
	c.Version, c.UpdatedAt = was.Version+1, tx.Now
	tx.SaveCard(was, c)
	tx.AfterCommit(d.wakeups.Index.Notify)
	if was.StageID == c.StageID {
		d.signalCard(tx, c, was.Private)
	}
	return true
}

func sameCard(a, b *model.Card) bool {
	return a.StageID == b.StageID && a.Position == b.Position && a.Title == b.Title && same(a.Description, b.Description) &&
		a.Priority == b.Priority && slices.Equal(a.LabelIDs, b.LabelIDs) && sameMoment(a.DueAt, b.DueAt) && same(a.Assignee, b.Assignee) &&
		same(a.Contact, b.Contact) && same(a.Conversation, b.Conversation) && a.Private == b.Private && a.Hidden == b.Hidden && a.Status == b.Status
}

func sameMoment(a, b *time.Time) bool {
	return a == b || a != nil && b != nil && a.Equal(*b)
}

// CardFilter says which cards a list shows. Zero values filter nothing.
type CardFilter struct {
	Board        model.ID
	Stage        model.ID
	Sort         string // SortPosition, or "" for the newest first
	Q            string
	Priority     string
	Label        model.ID
	Assignee     model.ID
	Conversation model.ID
	Unassigned   bool
	Due          string // one of the Due constants, or ""
	Zone         string // the time zone in which Due is meant
	Status       string // one of a card's, or StatusAll
	Limit        int
	Cursor       string
}

// What the filters of a list of cards say beside the values of the cards themselves.
const (
	DueToday   = "today"
	DueWeek    = "week" // the next seven days with today
	DueOverdue = "overdue"
	DueNone    = "none"

	StatusAll = "all"

	SortPosition = "position" // in the order of the columns of a board
)

// Cards lists the cards that the principal may see, the newest first. A page continues where the one before
// it ended, whatever was added or removed meanwhile. Without a board it shows those in use; the cards of
// an archived one are listed when it is named. next is "" on the last page.
func (d *Desk) Cards(ctx context.Context, a *Principal, f CardFilter) (page []model.Card, next string, err error) {
	if err := a.May(VerbCards); err != nil {
		return nil, "", err
	}
	query, err := f.query(a, d.now())
	if err != nil {
		return nil, "", err
	}
	if f.Cursor != "" {
		payload, invalid := d.cursors.Open(a.Company.ID, f.name(), f.Cursor)
		if invalid != nil {
			return nil, "", invalid
		}
		place, rest := payload[:len(query.After)], payload[len(query.After):]
		copy(query.After[:], place)
		if len(rest) >= len(query.AfterStage) {
			copy(query.AfterStage[:], rest)
			query.AfterRank = string(rest[len(query.AfterStage):])
		}
	}
	if len(query.Statuses) == 0 || query.Boards != nil && len(query.Boards) == 0 {
		return nil, "", nil
	}
	found, err := list(ctx, d, a, f.Q, 0, func(bool) (found Page[model.Card], err error) {
		look := d.store.Read
		if query.Boards != nil && query.Simple() {
			look = d.store.ReadOne
		}
		err = look(ctx, func(tx *store.Tx) (err error) {
			if query.Boards == nil {
				if query.Boards, err = tx.BoardIDs(a.Company.ID); err != nil {
					return err
				}
				query.Boards = slices.DeleteFunc(query.Boards, func(id model.ID) bool { return !a.MaySeeBoard(id) })
			}
			found.Data, found.More, err = tx.Cards(query)
			return err
		})
		return found, err
	})
	page = found.Data
	if err == nil && found.More {
		next = d.cursors.Seal(a.Company.ID, f.name(), f.placeOf(&page[len(page)-1]))
	}
	return page, next, err
}

// placeOf is the place of a card in the list, for cursors.
func (f *CardFilter) placeOf(c *model.Card) []byte {
	if f.Sort != SortPosition {
		return c.ID[:]
	}
	return append(append(c.ID[:], c.StageID[:]...), c.Position...)
}

// unseenCards says which cards that keys do not see are listed for the principal; see maySeeCard.
func (a *Principal) unseenCards() *store.UnseenCards {
	if a.kind != KindSession {
		return nil
	}
	return &store.UnseenCards{AllPrivate: a.Role.AtLeast(model.RoleManager), Member: a.User.ID, Channels: a.Views}
}

// query converts the filter to that of the store. Boards stays nil where all that are in use are meant.
func (f *CardFilter) query(a *Principal, now time.Time) (store.CardFilter, error) {
	out := store.CardFilter{
		Company: a.Company.ID, Statuses: []string{f.Status},
		Q: f.Q, Priority: f.Priority, Label: f.Label, Assignee: f.Assignee, Unassigned: f.Unassigned, Conversation: f.Conversation, Sight: a.sight(), Limit: f.Limit,
		Stage: f.Stage, ByPosition: f.Sort == SortPosition, Unseen: a.unseenCards(),
	}
	if f.Status == StatusAll {
		out.Statuses = []string{model.CardOpen, model.CardCompleted, model.CardLost, model.CardArchived}
	}
	if !f.Board.IsZero() {
		out.Boards = []model.ID{}
		if a.MaySeeBoard(f.Board) {
			out.Boards = append(out.Boards, f.Board)
		}
	}
	zone, invalid := model.LoadZone("query.tz", f.Zone)
	if invalid != nil {
		return out, invalid
	}
	today := model.DateOf(now, zone)
	switch f.Due {
	case DueToday:
		out.DueFrom, out.DueBefore = startOf(today, zone), startOf(today.Next(), zone)
	case DueWeek:
		out.DueFrom, out.DueBefore = startOf(today, zone), startOf(today.AddDays(7), zone)
	case DueOverdue:
		out.DueBefore = &now
		if f.Status == StatusAll {
			out.Statuses = out.Statuses[:1]
		} else if f.Status != model.CardOpen {
			out.Statuses = nil
		}
	case DueNone:
		out.Undue = true
	}
	return out, nil
}

func startOf(day model.Date, zone *time.Location) *time.Time {
	start := day.StartOfDay(zone)
	return &start
}

// name tells lists apart for their cursors.
func (f *CardFilter) name() string {
	return strings.Join([]string{"cards", f.Board.String(), f.Stage.String(), f.Sort, f.Priority, f.Label.String(), f.Assignee.String(), strconv.FormatBool(f.Unassigned), f.Conversation.String(), f.Due, f.Zone, f.Status, f.Q}, "\n")
}
