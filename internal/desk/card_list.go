package desk

import (
	"context"
	"slices"
	"strings"
	"time"

	"recado/internal/model"
	"recado/internal/store"
)

// CardFilter says which cards a list shows. Zero values filter nothing.
type CardFilter struct {
	Board    model.ID
	Q        string
	Priority string
	Label    model.ID
	Due      string // one of the Due constants, or ""
	Zone     string // the time zone in which Due is meant
	Status   string // one of a card's, or StatusAll
	Limit    int
	Cursor   string
}

// What the filters of a list of cards say beside the values of the cards themselves.
const (
	DueAny     = "any"
	DueToday   = "today"
	DueWeek    = "week" // the next seven days with today
	DueOverdue = "overdue"
	DueNone    = "none"

	StatusAll = "all"
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
		copy(query.After[:], payload)
	}
	if len(query.Statuses) == 0 || query.Boards != nil && len(query.Boards) == 0 {
		return nil, "", nil
	}
	release, err := d.searchSlot(ctx, a, f.Q, 0)
	if err != nil {
		return nil, "", err
	}
	defer release()
	look := d.store.Read
	if query.Boards != nil && query.Simple() {
		look = d.store.ReadOne
	}
	more := false
	err = look(ctx, func(tx *store.Tx) (err error) {
		if query.Boards == nil {
			if query.Boards, err = tx.BoardIDs(a.Company.ID); err != nil {
				return err
			}
			query.Boards = slices.DeleteFunc(query.Boards, func(id model.ID) bool { return !a.MaySeeBoard(id) })
		}
		page, more, err = tx.Cards(query)
		return err
	})
	if err == nil && more {
		last := page[len(page)-1].ID
		next = d.cursors.Seal(a.Company.ID, f.name(), last[:])
	}
	return page, next, err
}

// query puts the filter into the words of the store. Boards stays nil where all that are in use are meant.
func (f *CardFilter) query(a *Principal, now time.Time) (store.CardFilter, error) {
	out := store.CardFilter{
		Company: a.Company.ID, Statuses: []string{f.Status},
		Q: f.Q, Priority: f.Priority, Label: f.Label, Sight: a.sight(), Limit: f.Limit,
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
	return strings.Join([]string{"cards", f.Board.String(), f.Priority, f.Label.String(), f.Due, f.Zone, f.Status, f.Q}, "\n")
}
