package search

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// errEnough ends a query whose remaining rows are not needed.
var errEnough = errors.New("search: enough rows")

// Plan finds the rows of a list that contain a text. It reads the newest rows of the list; if they do not fill the page, the
// entries of the trigram index; and if that is not possible, more rows of the list. The index cannot be used for a text
// without a trigram, for a text in very many entries of which few are in the list, and while very many rows are unindexed. Then
// matches that are older than the newest Budget.List rows may be missing.
type Plan struct {
	Tx   *db.Tx
	List List
	Noun *Noun
	Text Text
	Want int // rows from the beginning of the list

	Company kernel.ID
	After   kernel.ID // in a list ordered by id: only rows after this one, unless it is zero

	found []position // matches so far, in the order of the list
}

// List is a list that can be searched. Its statements have the columns id and matches, which says whether the row belongs to the
// list and contains the text. If the list is not ordered by id, they also have the columns pinned and moment.
type List interface {
	// Among returns a statement for the rows of a subset, in any order.
	Among(of db.Subset, text Text) *db.Statement
	// Newest returns statements for about the first n rows in the order of the list, including rows that a filter excludes. Each
	// returns at most share rows, in order.
	Newest(n int, text Text) (all []*db.Statement, share int)
	// Pinned returns the rows that come before all others whatever their moment, and false if there are many.
	Pinned() ([]kernel.ID, bool, error)
}

// position is the position of a row in a list.
type position struct {
	pinned bool
	moment int64
	id     kernel.ID
}

// comparePositions orders positions as lists do: pinned rows first, then by descending moment and id.
func comparePositions(a, b position) int {
	if a.pinned != b.pinned {
		if a.pinned {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(b.moment, a.moment), kernel.CompareIDs(b.id, a.id))
}

// Run returns the ids of at most limit rows from offset on.
func (p *Plan) Run(offset, limit int) ([]kernel.ID, error) {
	if err := p.search(); err != nil {
		return nil, TooSlow(err)
	}
	var ids []kernel.ID
	rest := p.found[min(offset, len(p.found)):]
	for _, found := range rest[:min(limit, len(rest))] {
		ids = append(ids, found.id)
	}
	return ids, nil
}

func (p *Plan) search() error {
	// The first pass is fast, so it has no time limit.
	if done, err := p.readList(Budget.FirstPass); err != nil || done {
		return err
	}
	defer p.Tx.LimitTime(Budget.Time)()
	if !p.Text.short {
		if done, err := p.readIndex(); err != nil || done {
			return err
		}
	}
	_, err := p.readList(Budget.List)
	return err
}

// TooSlow replaces a timeout by the error for the caller.
func TooSlow(err error) error {
	if db.TimedOut(err) {
		return &kernel.Error{
			Code: kernel.CodeUnavailable, RetryAfter: 2 * time.Second,
			Message: "The search took too long. Try again later, or use a longer text or more filters.",
		}
	}
	return err
}

// readList reads the first n rows of the list. It returns true if the page is complete.
func (p *Plan) readList(n int) (done bool, err error) {
	var reached *position // all rows of the list up to here were read
	statements, share := p.List.Newest(n, p.Text)
	for _, s := range statements {
		rows, count := 0, 0
		var last position
		err := p.Tx.Query(s.String(), s.Args, func(r db.Row) error {
			row, matches := p.scan(r)
			rows, last = rows+1, row
			if !matches {
				return nil
			}
			p.found = append(p.found, row)
			if count++; count == p.Want {
				rows = share // there may be more
				return errEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			return false, err
		}
		if rows >= share && (reached == nil || comparePositions(last, *reached) < 0) {
			reached = &last
		}
	}
	p.sort()
	return reached == nil || p.filledBy(*reached), nil
}

// filledBy reports whether the page is full of rows up to a position.
func (p *Plan) filledBy(reached position) bool {
	return len(p.found) >= p.Want && comparePositions(p.found[p.Want-1], reached) <= 0
}

// readIndex reads the entries of the index. It returns true if the page is complete.
func (p *Plan) readIndex() (done bool, err error) {
	pinned, few, err := p.List.Pinned()
	if err != nil || !few {
		return false, err
	}
	changed, few, err := p.changed()
	if err != nil || !few {
		return false, err
	}
	if err := p.keep(append(pinned, changed...)); err != nil {
		return false, err
	}
	scan, err := indexOf(p.Tx, p.Noun).scan(p)
	if err != nil || scan == nil {
		return false, err
	}
	for n, left := p.Want+p.Want/4, Budget.Index; left > 0; n *= 4 {
		n = min(n, left)
		left -= n
		ids, err := scan.next(n)
		if err == nil {
			err = p.keep(ids)
		}
		if err != nil || scan.ended || p.filledBy(scan.reached) {
			return err == nil, err
		}
	}
	return false, nil
}

// changed returns the unindexed rows that contain the text, and false if there are too many unindexed rows to read.
func (p *Plan) changed() (ids []kernel.ID, few bool, err error) {
	s := p.Tx.Statement()
	s.WriteString(`
		SELECT id, ` + p.Text.Contains(s, "folded") + ` AS matches
		FROM ` + p.Noun.Table + p.Tx.Dialect().IndexedBy(p.Noun.Pending) + `
		WHERE unindexed AND company = ` + s.Arg(p.Company) + `
		LIMIT ` + s.Arg(Budget.Index+1))
	rows := 0
	err = p.Tx.Query(s.String(), s.Args, func(r db.Row) error {
		rows++
		if id := r.ID("id"); r.Bool("matches") {
			ids = append(ids, id)
		}
		return nil
	})
	return ids, rows <= Budget.Index, err
}

// keep adds the rows that belong to the list and contain the text.
func (p *Plan) keep(ids []kernel.ID) error {
	if len(ids) == 0 {
		return nil
	}
	s := p.List.Among(db.Listed(ids), p.Text)
	err := p.Tx.Query(s.String(), s.Args, func(r db.Row) error {
		if row, matches := p.scan(r); matches {
			p.found = append(p.found, row)
		}
		return nil
	})
	p.sort()
	return err
}

// scan reads a row of a statement of List.
func (p *Plan) scan(r db.Row) (row position, matches bool) {
	row.id, matches = r.ID("id"), r.Bool("matches")
	if p.Noun.Moment != "" {
		row.pinned, row.moment = r.Bool("pinned"), r.Int("moment")
	}
	return row, matches
}

// sort orders the matches and removes duplicates.
func (p *Plan) sort() {
	slices.SortFunc(p.found, comparePositions)
	p.found = slices.Compact(p.found)
}
