package boards

import (
	"context"
	"maps"
	"slices"
	"time"

	"recado/internal/fields"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/people"
	"recado/internal/talk"
)

// Card statuses. Unless a card is archived, its stage determines the status.
const (
	CardOpen      = "open"
	CardCompleted = "completed"
	CardLost      = "lost"
	CardArchived  = "archived"
)

// PriorityMedium is the default priority.
const PriorityMedium = "medium"

// Card is a piece of work on a board.
type Card struct {
	ID           kernel.ID     `json:"id"`
	BoardID      kernel.ID     `json:"board_id"`
	StageID      kernel.ID     `json:"stage_id"`
	Title        string        `json:"title"`
	Description  *string       `json:"description"`
	Priority     string        `json:"priority" enum:"low,medium,high,urgent"`
	LabelIDs     []kernel.ID   `json:"label_ids"`
	DueAt        *time.Time    `json:"due_at"`
	Assignee     *kernel.ID    `json:"assignee"`
	Contact      *kernel.ID    `json:"contact"`
	Conversation *kernel.ID    `json:"conversation"`
	Attendance   *kernel.ID    `json:"attendance"`
	Fields       fields.Values `json:"fields"`
	Private      bool          `json:"private"`
	Erased       bool          `json:"erased" doc:"Whether the person that the card is about was erased. The title is then a placeholder in English."`
	Status       string        `json:"status" enum:"open,completed,lost,archived"`
	Position     string        `json:"position" doc:"The cards of a stage are sorted by this string, byte by byte."`
	Version      int64         `json:"version"`
	CreatedAt    time.Time     `json:"created_at"`
	UpdatedAt    time.Time     `json:"updated_at"`
	CompletedAt  *time.Time    `json:"completed_at"`

	Company kernel.ID `json:"-"`
	Hidden  bool      `json:"-"` // belongs to a private channel

	CreatedBy *kernel.ID `json:"-"` // nil: the system
}

// Subject returns the subject of responses about the card.
func (c *Card) Subject() kernel.Subject { return kernel.Subject{Kind: SubjectCard, ID: c.ID} }

// MaySeeCard reports whether the principal may see a card: it must see the board and the conversation. A private card is only
// visible to its creator, its assignee, managers and above, and only if they are signed in.
func MaySeeCard(a *kernel.Principal, c *CardRow) bool {
	audience := c.privateAudience()
	switch {
	case !a.MaySeeBoard(c.BoardID), c.Private && (a.Kind() != kernel.KindSession || !audience.Includes(a)):
		return false
	case c.Conversation == nil || c.Hidden && c.ConversationChannel == nil:
		return !c.Hidden
	case c.Hidden:
		return a.Reaches(true, *c.ConversationChannel)
	}
	return a.Sees(c.ConversationAssignee, c.ConversationSector)
}

// privateCardRole is the lowest role that sees private cards of others.
const privateCardRole = kernel.RoleManager

// privateAudience returns the members who see the card if it is private.
func (c *Card) privateAudience() kernel.Audience {
	members := []kernel.ID{} // nil would mean all members
	for _, id := range []*kernel.ID{c.CreatedBy, c.Assignee} {
		if id != nil {
			members = append(members, *id)
		}
	}
	return kernel.Audience{Members: members, OrRole: privateCardRole}
}

// Card returns a card.
func (d *Boards) Card(ctx context.Context, a *kernel.Principal, id kernel.ID) (Card, error) {
	return kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) (Card, error) {
		return visibleCard(tx, a, id, findCard)
	})
}

// visibleCard returns a card that the principal may see. find is findCard or lockCard.
func visibleCard(
	tx *kernel.Tx, a *kernel.Principal, id kernel.ID, find func(tx *kernel.Tx, company, id kernel.ID) (CardRow, bool, error),
) (Card, error) {
	c, found, err := find(tx, a.Company.ID, id)
	if err != nil || !found || !MaySeeCard(a, &c) {
		return Card{}, kernel.ErrOr(err, kernel.NotFound("card"))
	}
	return c.Card, nil
}

// NewCard describes a card to create.
type NewCard struct {
	Board  kernel.ID
	Stage  *kernel.ID // nil: the first stage
	Before *kernel.ID // nil: at the end of the stage
	CardFields
}

// CardFields are the fields of a card that a caller sets. Absent fields stay as they are.
type CardFields struct {
	Title        *string                    `json:"-"` // only a new card requires it, so requests declare it separately
	Description  kernel.Optional[string]    `json:"description,omitempty" doc:"At most 10,000 characters."`
	Priority     *string                    `json:"priority,omitempty" enum:"low,medium,high,urgent"`
	Labels       *[]kernel.ID               `json:"label_ids,omitempty" maxItems:"100"`
	DueAt        kernel.Optional[time.Time] `json:"due_at,omitempty"`
	Assignee     kernel.Optional[kernel.ID] `json:"assignee,omitempty" doc:"The team member the card is assigned to."`
	Contact      kernel.Optional[kernel.ID] `json:"contact,omitempty"`
	Conversation kernel.Optional[kernel.ID] `json:"conversation,omitempty"`
	Private      *bool                      `json:"private,omitempty" doc:"API keys cannot see private cards. When an API key makes a card private, this response is the last one that contains it."`
	Fields       fields.Input               `json:"fields,omitempty"`
}

// CreateCard adds a card to a board.
func (d *Boards) CreateCard(ctx context.Context, a *kernel.Principal, in NewCard) (Card, error) {
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
		kernel.Set(&stage, in.Stage)
		s, rank, err := place(tx, a, &c, stage, in.Before)
		if err = kernel.ErrOr(err, d.fill(tx, a, &c, &in.CardFields)); err != nil {
			return c, err
		}
		enter(&c, s, rank, tx.Now)
		return c, d.insertCard(tx, &c)
	})
}

// insertCard stores a new card and records its events.
func (d *Boards) insertCard(tx *kernel.Tx, c *Card) error {
	InsertCard(tx, c)
	tx.AfterCommit(d.Wakeup(talk.WakeIndex).Notify)
	return d.record(tx, EventCardCreated, c, cardEvent{c})
}

// CardChange lists what to change without moving the card.
type CardChange struct {
	CardFields
	Archived *bool
	Version  int64 // that the change is based on; 0: unknown
}

// UpdateCard changes a card. The version stays the same if nothing changes.
func (d *Boards) UpdateCard(ctx context.Context, a *kernel.Principal, id kernel.ID, in CardChange) (Card, error) {
	if err := in.check(); err != nil {
		return Card{}, err
	}
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (Card, error) {
		old, err := visibleCard(tx, a, id, lockCard)
		if err != nil {
			return old, err
		}
		c := old
		if err := kernel.ErrOr(d.fill(tx, a, &c, &in.CardFields), checkVersion(tx, &old, in.Version)); err != nil {
			return c, err
		}
		switch {
		case in.Archived == nil:
		case *in.Archived:
			c.Status = CardArchived
		case c.Status == CardArchived: // restore the status of its stage
			s, _, err := lockStage(tx, c.Company, c.StageID)
			if err != nil {
				return c, err
			}
			enter(&c, s.Stage, c.Position, tx.Now)
		}
		d.saveCard(tx, &old, &c)
		return c, nil
	})
}

// DeleteCard deletes a card permanently. Version 0 means any version.
func (d *Boards) DeleteCard(ctx context.Context, a *kernel.Principal, id kernel.ID, version int64) error {
	return d.Store.Write(ctx, func(tx *kernel.Tx) error {
		c, err := visibleCard(tx, a, id, lockCard)
		if err == nil && version != 0 {
			err = checkVersion(tx, &c, version)
		}
		if err != nil {
			return err
		}
		// The title often has the name of a customer.
		deleted := kernel.AuditEntry{
			Action: "card.deleted", Subject: kernel.NewAuditSubject("card", c.ID, ""), Board: c.BoardID,
			Changes: []kernel.AuditChange{{Field: "board_id", From: c.BoardID}, {Field: "stage_id", From: c.StageID}},
		}
		if c.Hidden && c.Conversation != nil {
			_, err := tx.One(`SELECT channel FROM conversations WHERE company = $1 AND id = $2`, []any{c.Company, *c.Conversation},
				func(r db.Row) { deleted.Channel = r.ID("channel") })
			if err != nil {
				return err
			}
		}
		tx.Audit(a, deleted)
		d.signalCard(tx, &c, true)
		return deleteCard(tx, a.Company.ID, id)
	})
}

// check validates and normalizes the fields without the database.
func (f *CardFields) check() error {
	if err := kernel.CleanName("body.title", &f.Title); err != nil {
		return err
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

// fill sets the fields of a card. The principal must be able to see what they refer to, unless the card refers to it already.
func (d *Boards) fill(tx *kernel.Tx, a *kernel.Principal, c *Card, f *CardFields) error {
	kernel.Set(&c.Title, f.Title)
	kernel.Set(&c.Priority, f.Priority)
	kernel.Set(&c.Private, f.Private)
	if f.Description.Set {
		c.Description = f.Description.Pointer()
	}
	if f.DueAt.Set {
		c.DueAt = f.DueAt.Pointer()
	}
	if f.Labels != nil && !slices.Equal(*f.Labels, c.LabelIDs) {
		labels, err := d.talk.KnownLabels(tx, a, *f.Labels)
		if err != nil {
			return err
		}
		c.LabelIDs = labels
	}
	var err error
	if c.Fields, err = fields.Write(tx, c.Company, fields.EntityCard, c.ID, c.Fields, f.Fields); err != nil {
		return err
	}
	tx.ShareVisibility(a.Company.ID)
	err = setLink(&c.Assignee, f.Assignee, "assignee", func(id kernel.ID) (bool, error) {
		_, found, err := people.UserRef(tx, a.Company.ID, id)
		return found, err
	})
	if err != nil {
		return err
	}
	err = setLink(&c.Contact, f.Contact, "contact", func(id kernel.ID) (bool, error) {
		return publicContact(tx, a.Company.ID, id)
	})
	if err != nil {
		return err
	}
	if f.Conversation.Set && c.Hidden && !kernel.Same(f.Conversation.Pointer(), c.Conversation) {
		return kernel.Invalid("body.conversation", ruleKeepsLink, "a card of a private number keeps its conversation")
	}
	return setLink(&c.Conversation, f.Conversation, "conversation", func(id kernel.ID) (bool, error) {
		v, found, err := talk.FindConversation(tx, a.Company.ID, id)
		c.Hidden = found && v.Private
		return found && talk.MaySee(a, &v), err
	})
}

// setLink sets a reference of a card if the request has the field. visible is called for a new value.
func setLink(link **kernel.ID, to kernel.Optional[kernel.ID], field string, visible func(id kernel.ID) (bool, error)) error {
	if !to.Set {
		return nil
	}
	if id := to.Pointer(); id != nil && !kernel.Same(id, *link) {
		if found, err := visible(*id); err != nil || !found {
			return kernel.ErrOr(err, kernel.NoSuch("body."+field, field))
		}
	}
	*link = to.Pointer()
	return nil
}

// saveCard stores a card with its next version if it has changed.
func (d *Boards) saveCard(tx *kernel.Tx, old, c *Card) {
	if sameCard(old, c) {
		return
	}
	c.Version, c.UpdatedAt = old.Version+1, tx.Now
	c.Erased = old.Erased && c.Title == old.Title
	saveCard(tx, old, c)
	tx.AfterCommit(d.Wakeup(talk.WakeIndex).Notify)
	if old.StageID == c.StageID {
		d.signalCard(tx, c, old.Private)
	}
}

func sameCard(a, b *Card) bool {
	return a.StageID == b.StageID && a.Position == b.Position && a.Title == b.Title && kernel.Same(a.Description, b.Description) &&
		a.Priority == b.Priority && slices.Equal(a.LabelIDs, b.LabelIDs) && kernel.Same(a.DueAt, b.DueAt) &&
		kernel.Same(a.Assignee, b.Assignee) && kernel.Same(a.Contact, b.Contact) && kernel.Same(a.Conversation, b.Conversation) &&
		a.Private == b.Private && a.Hidden == b.Hidden && a.Status == b.Status && maps.Equal(a.Fields, b.Fields)
}

// CardFilter selects the cards of a list. Zero values do not filter.
type CardFilter struct {
	Board        kernel.ID
	Stage        kernel.ID
	Sort         string // SortPosition, or "" for newest first
	Q            string
	Priority     string
	Label        kernel.ID
	Assignee     kernel.ID
	Conversation kernel.ID
	Unassigned   bool
	Due          string            // one of the Due constants, or ""
	Zone         string            // the time zone of Due
	Status       string            // of a card, or StatusAll
	Fields       map[string]string // see fields.Query
	Limit        int
	Cursor       string
}

// Values of CardFilter.
const (
	DueToday   = "today"
	DueWeek    = "week" // seven days including today
	DueOverdue = "overdue"
	DueNone    = "none"

	StatusAll = "all"

	SortPosition = "position" // in the order of the columns of a board
)

// Cards lists the cards that the principal may see, newest first. Without a board in the filter, the list excludes archived
// boards. next is the cursor of the next page, or "" on the last page.
func (d *Boards) Cards(ctx context.Context, a *kernel.Principal, f CardFilter) (page []Card, next string, err error) {
	query, err := f.query(a, d.Now())
	if err != nil {
		return nil, "", err
	}
	if f.Cursor != "" {
		payload, invalid := d.Cursors.Open(a.Company.ID, f.name(), f.Cursor)
		if invalid != nil {
			return nil, "", invalid
		}
		rest := payload[copy(query.After[:], payload):]
		query.AfterRank = string(rest[copy(query.AfterStage[:], rest):])
	}
	if len(query.Statuses) == 0 || query.Boards != nil && len(query.Boards) == 0 {
		return nil, "", nil
	}
	found, err := kernel.List(ctx, d.Kernel, a, f.Q, 0, func(bool) (kernel.Page[Card], error) {
		return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (found kernel.Page[Card], err error) {
			if query.Boards == nil {
				query.Boards, err = tx.IDs(`SELECT id FROM boards WHERE company = $1 AND NOT archived ORDER BY id`, a.Company.ID)
				if err != nil {
					return found, err
				}
				query.Boards = slices.DeleteFunc(query.Boards, func(id kernel.ID) bool { return !a.MaySeeBoard(id) })
			}
			if query.fields, err = fields.NewFilter(tx, a.Company.ID, fields.EntityCard, f.Fields); err != nil {
				return found, err
			}
			found.Data, found.More, err = listCards(tx, query)
			return found, err
		})
	})
	page = found.Data
	if err == nil && found.More {
		last := page[len(page)-1]
		payload := last.ID[:]
		if f.Sort == SortPosition {
			payload = slices.Concat(payload, last.StageID[:], []byte(last.Position))
		}
		next = d.Cursors.Seal(a.Company.ID, f.name(), payload)
	}
	return page, next, err
}

// unseenCards returns which of the cards that keys do not see the principal sees, as in MaySeeCard.
func unseenCards(a *kernel.Principal) *UnseenCards {
	if a.Kind() != kernel.KindSession {
		return nil
	}
	return &UnseenCards{AllPrivate: a.Role.AtLeast(privateCardRole), Member: a.User.ID, Channels: a.Views}
}

// query converts the filter for listCards. Boards is nil if the filter has no board.
func (f *CardFilter) query(a *kernel.Principal, now time.Time) (cardCriteria, error) {
	out := cardCriteria{
		CardFilter: *f, Company: a.Company.ID, Statuses: []string{f.Status}, Sight: a.Sight(), Unseen: unseenCards(a),
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
		out.DueFrom, out.DueBefore = new(today.StartOfDay(zone)), new(today.Next().StartOfDay(zone))
	case DueWeek:
		out.DueFrom, out.DueBefore = new(today.StartOfDay(zone)), new(today.AddDays(7).StartOfDay(zone))
	case DueOverdue:
		out.DueBefore = &now
		out.Statuses = slices.DeleteFunc(out.Statuses, func(status string) bool { return status != CardOpen })
	case DueNone:
		out.Undue = true
	}
	return out, nil
}

// name identifies the list in its cursors.
func (f CardFilter) name() string {
	f.Limit, f.Cursor = 0, ""
	return "cards" + *kernel.WriteJSON(&f)
}

// forgetContact removes a deleted contact from its cards.
func (d *Boards) forgetContact(tx *kernel.Tx, c *talk.Contact) error {
	cards, err := tx.IDs(`SELECT id FROM cards WHERE company = $1 AND contact = $2 ORDER BY id`, c.Company, c.ID)
	for _, id := range cards {
		old, found, err := lockCard(tx, c.Company, id)
		if err != nil {
			return err
		}
		if card := old.Card; found {
			card.Contact = nil
			d.saveCard(tx, &old.Card, &card)
		}
	}
	return err
}

// checkCard returns an error if the principal may not see a card. It allows a deleted card, and a private card that the key
// itself created, for the repeated response to its creation.
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

// signalCard notifies live streams of a change of a card without an event. For the cards of a private conversation,
// signalPrivate notifies its viewers.
func (d *Boards) signalCard(tx *kernel.Tx, c *Card, wasPrivate bool) {
	switch {
	case c.Hidden:
	case c.Private && wasPrivate:
		d.signalBoard(tx, c.Company, c.BoardID, c.privateAudience())
	default:
		d.signalBoard(tx, c.Company, c.BoardID, kernel.Audience{})
	}
}
