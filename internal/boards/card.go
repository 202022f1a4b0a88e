package boards

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/talk"
)

// Card statuses: open, in a winning stage, in a losing stage, archived.
const (
	CardOpen      = "open"
	CardCompleted = "completed"
	CardLost      = "lost"
	CardArchived  = "archived"
)

// PriorityMedium is the priority of a card for which none was chosen; the others are in the enum of Card.
const PriorityMedium = "medium"

// Card is one piece of work on a board.
type Card struct {
	ID           kernel.ID   `json:"id"`
	BoardID      kernel.ID   `json:"board_id"`
	StageID      kernel.ID   `json:"stage_id"`
	Title        string      `json:"title"`
	Description  *string     `json:"description"`
	Priority     string      `json:"priority" enum:"low,medium,high,urgent"`
	LabelIDs     []kernel.ID `json:"label_ids"`
	DueAt        *time.Time  `json:"due_at"`
	Assignee     *kernel.ID  `json:"assignee"`
	Contact      *kernel.ID  `json:"contact"`
	Conversation *kernel.ID  `json:"conversation"`
	Attendance   *kernel.ID  `json:"attendance"`
	Private      bool        `json:"private"`
	Status       string      `json:"status" enum:"open,completed,lost,archived"`
	Position     string      `json:"position" doc:"Cards of a stage stand in the bytewise order of this text."`
	Version      int64       `json:"version"`
	CreatedAt    time.Time   `json:"created_at"`
	UpdatedAt    time.Time   `json:"updated_at"`
	CompletedAt  *time.Time  `json:"completed_at"`

	Company kernel.ID `json:"-"`
	Hidden  bool      `json:"-"` // of a private channel

	CreatedBy *kernel.ID `json:"-"` // nil: the system
}

// Subject is the card.
func (c *Card) Subject() kernel.Subject { return kernel.Subject{Kind: SubjectCard, ID: c.ID} }

// MaySeeCard is the policy on cards: none of a board outside the key's list and none of a conversation that the
// principal may not see. A private card is seen by the person who made it, its assignee, and managers and above, all
// of them signed in.
func MaySeeCard(a *kernel.Principal, c *CardRow) bool {
	switch {
	case !a.MaySeeBoard(c.BoardID) || c.Private && !maySeePrivateCard(a, c.CreatedBy, c.Assignee):
		return false
	case c.Conversation == nil || c.Hidden && c.ConversationChannel == nil:
		return !c.Hidden
	case c.Hidden:
		return a.Reaches(true, *c.ConversationChannel)
	}
	return a.Sees(c.ConversationAssignee, c.ConversationSector)
}

// privateCardRole is the role from which on members see private cards of others.
const privateCardRole = kernel.RoleManager

// privateCardMembers returns the members who see a private card whatever their role is. The result is not nil.
func privateCardMembers(creator, assignee *kernel.ID) []kernel.ID {
	members := []kernel.ID{}
	for _, id := range []*kernel.ID{creator, assignee} {
		if id != nil {
			members = append(members, *id)
		}
	}
	return members
}

// maySeePrivateCard reports whether the principal is signed in and is the creator or the assignee of a private card, or has
// the role to see it.
func maySeePrivateCard(a *kernel.Principal, creator, assignee *kernel.ID) bool {
	to := kernel.Audience{Members: privateCardMembers(creator, assignee), OrRole: privateCardRole}
	return a.Kind() == kernel.KindSession && to.Includes(a)
}

// Card gives one card.
func (d *Boards) Card(ctx context.Context, a *kernel.Principal, id kernel.ID) (Card, error) {
	if err := a.May(VerbCard); err != nil {
		return Card{}, err
	}
	return kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) (Card, error) {
		c, found, err := findCard(tx, a.Company.ID, id)
		if err != nil || !found || !MaySeeCard(a, &c) {
			return Card{}, kernel.ErrOr(err, kernel.NotFound("card"))
		}
		return c.Card, nil
	})
}

// lockCard opens a card that the principal may see, to change it.
func (d *Boards) lockCard(tx *kernel.Tx, a *kernel.Principal, id kernel.ID) (Card, error) {
	c, found, err := lockCard(tx, a.Company.ID, id)
	if err != nil || !found || !MaySeeCard(a, &c) {
		return Card{}, kernel.ErrOr(err, kernel.NotFound("card"))
	}
	tx.NotBefore(c.UpdatedAt)
	return c.Card, nil
}

// NewCard is what a card is made of.
type NewCard struct {
	Board  kernel.ID
	Stage  *kernel.ID // nil: the board's first
	Before *kernel.ID // nil: at the end of the stage
	CardFields
}

// CardFields are the parts of a card that a caller sets. Absent ones stay as they are.
type CardFields struct {
	Title        *string
	Description  kernel.Optional[string]
	Priority     *string
	Labels       *[]kernel.ID
	DueAt        kernel.Optional[time.Time]
	Assignee     kernel.Optional[kernel.ID]
	Contact      kernel.Optional[kernel.ID]
	Conversation kernel.Optional[kernel.ID]
	Private      *bool
}

// CreateCard adds a card to a board.
func (d *Boards) CreateCard(ctx context.Context, a *kernel.Principal, in NewCard) (Card, error) {
	if err := a.May(VerbCreateCard); err != nil {
		return Card{}, err
	}
	if err := in.check(); err != nil {
		return Card{}, err
	}
	return kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (Card, error) {
		c := Card{
			ID: kernel.NewID(), Company: a.Company.ID, BoardID: in.Board, Priority: PriorityMedium, LabelIDs: []kernel.ID{},
			Version: 1, CreatedAt: tx.Now, UpdatedAt: tx.Now, CreatedBy: kernel.IDOrNil(a.User.ID),
		}
		b, found, err := FindBoard(tx, a.Company.ID, in.Board)
		switch {
		case err != nil || !found || !a.MaySeeBoard(in.Board):
			return c, kernel.ErrOr(err, kernel.NoSuch("body.board_id", "board"))
		case b.Archived:
			return c, kernel.Invalid("body.board_id", kernel.RuleArchived, "is an archived board; restore it first")
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
func (d *Boards) insertCard(tx *kernel.Tx, c *Card) error {
	InsertCard(tx, c)
	tx.AfterCommit(d.Wakeup(talk.WakeIndex).Notify)
	err := d.emitCard(tx, EventCardCreated, c, nil)
	if err != nil || c.Status != CardCompleted {
		return err
	}
	return d.emitCard(tx, EventCardCompleted, c, nil)
}

// CardChange is what can change about a card without moving it.
type CardChange struct {
	CardFields
	Archived *bool
	Version  int64 // the one the change is based on; 0 when the caller named none
}

// UpdateCard changes a card. A change that leaves it as it was leaves its version too.
func (d *Boards) UpdateCard(ctx context.Context, a *kernel.Principal, id kernel.ID, in CardChange) (Card, error) {
	if err := a.May(VerbUpdateCard); err != nil {
		return Card{}, err
	}
	if err := in.check(); err != nil {
		return Card{}, err
	}
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (Card, error) {
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
func (d *Boards) archive(tx *kernel.Tx, c *Card, archived bool) error {
	switch {
	case archived:
		c.Status = CardArchived
	case c.Status == CardArchived:
		s, _, err := lockStage(tx, c.Company, c.StageID)
		if err != nil {
			return err
		}
		enter(c, s.Stage, c.Position, tx.Now)
	}
	return nil
}

// DeleteCard removes a card permanently. Version 0 means any version.
func (d *Boards) DeleteCard(ctx context.Context, a *kernel.Principal, id kernel.ID, version int64) error {
	if err := a.May(VerbDeleteCard); err != nil {
		return err
	}
	_, err := kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (struct{}, error) {
		c, err := d.lockCard(tx, a, id)
		if err == nil && version != 0 {
			err = d.checkVersion(tx, &c, version)
		}
		if err == nil {
			d.signalCard(tx, &c, true)
			err = deleteCard(tx, a.Company.ID, id)
		}
		return struct{}{}, err
	})
	return err
}

// check looks at the form alone, and cleans it.
func (f *CardFields) check() error {
	if f.Title != nil {
		title, invalid := kernel.Name("body.title", *f.Title, kernel.MaxName)
		if invalid != nil {
			return invalid
		}
		f.Title = &title
	}
	if f.Description.Set {
		if _, invalid := kernel.OptionalText("body.description", f.Description.Value, MaxDescription); invalid != nil {
			return invalid
		}
	}
	if due := f.DueAt.Pointer(); due != nil {
		at := due.UTC().Truncate(time.Millisecond)
		if at.Year() < 1 || at.Year() > 9999 {
			return kernel.Malformed("body.due_at", "year")
		}
		f.DueAt.Value = at
	}
	return nil
}

// fill sets the fields of a card. What they name must be there for the principal to see, unless the card
// names it already.
func (d *Boards) fill(tx *kernel.Tx, a *kernel.Principal, c *Card, f *CardFields) error {
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
		labels, err := d.talk.KnownLabels(tx, a, *f.Labels)
		if err != nil {
			return err
		}
		c.LabelIDs = labels
	}
	tx.ShareVisibility(a.Company.ID)
	for _, link := range []struct {
		field string
		to    **kernel.ID
		value kernel.Optional[kernel.ID]
		known func(id kernel.ID) (bool, error)
	}{
		{"assignee", &c.Assignee, f.Assignee, func(id kernel.ID) (bool, error) {
			_, found, err := people.UserRef(tx, a.Company.ID, id)
			return found, err
		}},
		{"contact", &c.Contact, f.Contact, func(id kernel.ID) (bool, error) { return publicContact(tx, a.Company.ID, id) }},
		{"conversation", &c.Conversation, f.Conversation, func(id kernel.ID) (bool, error) {
			v, found, err := talk.FindConversation(tx, a.Company.ID, id)
			c.Hidden = found && v.Private
			return found && talk.MaySee(a, &v), err
		}},
	} {
		if link.field == "conversation" && link.value.Set && c.Hidden && !kernel.Same(link.value.Pointer(), c.Conversation) {
			return kernel.Invalid("body.conversation", ruleKeepsLink, "a card of a private number keeps its conversation")
		}
		if id := link.value.Pointer(); id != nil && !kernel.Same(id, *link.to) {
			if found, err := link.known(*id); err != nil || !found {
				return kernel.ErrOr(err, kernel.NoSuch("body."+link.field, link.field))
			}
		}
		if link.value.Set {
			*link.to = link.value.Pointer()
		}
	}
	return nil
}

// saveCard stores a changed card with its next version, and reports false when nothing changed.
func (d *Boards) saveCard(tx *kernel.Tx, was, c *Card) bool {
	if sameCard(was, c) {
		return false
	}
	c.Version, c.UpdatedAt = was.Version+1, tx.Now
	saveCard(tx, was, c)
	tx.AfterCommit(d.Wakeup(talk.WakeIndex).Notify)
	if was.StageID == c.StageID {
		d.signalCard(tx, c, was.Private)
	}
	return true
}

func sameCard(a, b *Card) bool {
	return a.StageID == b.StageID && a.Position == b.Position && a.Title == b.Title && kernel.Same(a.Description, b.Description) &&
		a.Priority == b.Priority && slices.Equal(a.LabelIDs, b.LabelIDs) && sameMoment(a.DueAt, b.DueAt) && kernel.Same(a.Assignee, b.Assignee) &&
		kernel.Same(a.Contact, b.Contact) && kernel.Same(a.Conversation, b.Conversation) && a.Private == b.Private && a.Hidden == b.Hidden && a.Status == b.Status
}

func sameMoment(a, b *time.Time) bool {
	return a == b || a != nil && b != nil && a.Equal(*b)
}

// CardFilter says which cards a list shows. Zero values filter nothing.
type CardFilter struct {
	Board        kernel.ID
	Stage        kernel.ID
	Sort         string // SortPosition, or "" for the newest first
	Q            string
	Priority     string
	Label        kernel.ID
	Assignee     kernel.ID
	Conversation kernel.ID
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
func (d *Boards) Cards(ctx context.Context, a *kernel.Principal, f CardFilter) (page []Card, next string, err error) {
	if err := a.May(VerbCards); err != nil {
		return nil, "", err
	}
	query, err := f.query(a, d.Now())
	if err != nil {
		return nil, "", err
	}
	if f.Cursor != "" {
		payload, invalid := d.Cursors.Open(a.Company.ID, f.name(), f.Cursor)
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
	found, err := kernel.List(ctx, d.Kernel, a, f.Q, 0, func(bool) (found kernel.Page[Card], err error) {
		look := d.Store.Read
		if query.Boards != nil && query.Simple() {
			look = d.Store.ReadOne
		}
		err = look(ctx, func(tx *kernel.Tx) (err error) {
			if query.Boards == nil {
				if query.Boards, err = boardIDs(tx, a.Company.ID); err != nil {
					return err
				}
				query.Boards = slices.DeleteFunc(query.Boards, func(id kernel.ID) bool { return !a.MaySeeBoard(id) })
			}
			found.Data, found.More, err = listCards(tx, query)
			return err
		})
		return found, err
	})
	page = found.Data
	if err == nil && found.More {
		next = d.Cursors.Seal(a.Company.ID, f.name(), f.placeOf(&page[len(page)-1]))
	}
	return page, next, err
}

// placeOf is the place of a card in the list, for cursors.
func (f *CardFilter) placeOf(c *Card) []byte {
	if f.Sort != SortPosition {
		return c.ID[:]
	}
	return append(append(c.ID[:], c.StageID[:]...), c.Position...)
}

// unseenCards says which cards that keys do not see are listed for the principal; see maySeeCard.
func unseenCards(a *kernel.Principal) *UnseenCards {
	if a.Kind() != kernel.KindSession {
		return nil
	}
	return &UnseenCards{AllPrivate: a.Role.AtLeast(kernel.RoleManager), Member: a.User.ID, Channels: a.Views}
}

// query converts the filter to that of the store. Boards stays nil where all that are in use are meant.
func (f *CardFilter) query(a *kernel.Principal, now time.Time) (cardCriteria, error) {
	out := cardCriteria{
		Company: a.Company.ID, Statuses: []string{f.Status},
		Q: f.Q, Priority: f.Priority, Label: f.Label, Assignee: f.Assignee, Unassigned: f.Unassigned, Conversation: f.Conversation, Sight: a.Sight(), Limit: f.Limit,
		Stage: f.Stage, ByPosition: f.Sort == SortPosition, Unseen: unseenCards(a),
	}
	if f.Status == StatusAll {
		out.Statuses = []string{CardOpen, CardCompleted, CardLost, CardArchived}
	}
	if !f.Board.IsZero() {
		out.Boards = []kernel.ID{}
		if a.MaySeeBoard(f.Board) {
			out.Boards = append(out.Boards, f.Board)
		}
	}
	zone, invalid := kernel.LoadZone("query.tz", f.Zone)
	if invalid != nil {
		return out, invalid
	}
	today := kernel.DateOf(now, zone)
	switch f.Due {
	case DueToday:
		out.DueFrom, out.DueBefore = startOf(today, zone), startOf(today.Next(), zone)
	case DueWeek:
		out.DueFrom, out.DueBefore = startOf(today, zone), startOf(today.AddDays(7), zone)
	case DueOverdue:
		out.DueBefore = &now
		if f.Status == StatusAll {
			out.Statuses = out.Statuses[:1]
		} else if f.Status != CardOpen {
			out.Statuses = nil
		}
	case DueNone:
		out.Undue = true
	}
	return out, nil
}

func startOf(day kernel.Date, zone *time.Location) *time.Time {
	start := day.StartOfDay(zone)
	return &start
}

// name tells lists apart for their cursors.
func (f *CardFilter) name() string {
	return strings.Join([]string{"cards", f.Board.String(), f.Stage.String(), f.Sort, f.Priority, f.Label.String(), f.Assignee.String(), strconv.FormatBool(f.Unassigned), f.Conversation.String(), f.Due, f.Zone, f.Status, f.Q}, "\n")
}

// forgetContact takes a contact off the cards that name it.
func (d *Boards) forgetContact(tx *kernel.Tx, c *talk.Contact) error {
	cards, err := cardsOfContact(tx, c.Company, c.ID)
	if err != nil {
		return err
	}
	for _, id := range cards {
		was, found, err := lockCard(tx, c.Company, id)
		if err != nil {
			return err
		}
		if card := was; found {
			card.Contact = nil
			d.saveCard(tx, &was.Card, &card.Card)
		}
	}
	return nil
}

// checkCard reports an error when the principal may not see a card. A card that was deleted is not hidden from those who saw
// it. Keys create private cards, and see them in no other answer.
func checkCard(tx *kernel.Tx, a *kernel.Principal, id kernel.ID) error {
	c, found, err := findCard(tx, a.Company.ID, id)
	if err != nil || !found {
		return err
	}
	if a.Kind() == kernel.KindKey && kernel.Same(c.CreatedBy, &a.User.ID) {
		c.Private = false
	}
	if !MaySeeCard(a, &c) {
		return kernel.NotFound("card")
	}
	return nil
}

// signalCard tells of a change of a card that no event tells of. The viewers of a private conversation learn of its cards
// by signalPrivate.
func (d *Boards) signalCard(tx *kernel.Tx, c *Card, wasPrivate bool) {
	switch {
	case c.Hidden:
	case c.Private && wasPrivate:
		d.signalBoard(tx, c.Company, c.BoardID, kernel.Audience{Members: privateCardMembers(c.CreatedBy, c.Assignee), OrRole: privateCardRole})
	default:
		d.signalBoard(tx, c.Company, c.BoardID, kernel.Audience{})
	}
}
