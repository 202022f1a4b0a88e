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

// Plan finds the rows of a list that contain a text, in three steps, each only if the one before did not
// fill the page: the newest rows of the list, the entries of the trigram index, and again the list up to the
// budget. The index cannot help with a text that has no trigram, with one that very many entries have although
// few of them are in the list, and while very many rows wait to be indexed. Then matches older than the newest
// Budget.List rows of the list may be missing; of the newer ones none is.
type Plan struct {
	Tx   *db.Tx
	List List
	Noun *Noun
	Text Text
	Want int // rows from the beginning of the list

	Company kernel.ID
	After   kernel.ID // in a list by id: only rows behind this one, unless it is zero

	found []place // the first of the list among those read so far
}

// List is a list that can be searched. Its statements give the id of each row, whether it is one of the
// list that contains the text and, where the list is not ordered by id, whether it is pinned and its moment.
type List interface {
	// Among asks for the rows of a subset, in any order.
	Among(of db.Subset, text Text) *db.Statement
	// Newest asks for about the first n rows along the order of the list, rows that a filter excludes included,
	// so that no more are read. Each of the statements gives at most share of them, in order.
	Newest(n int, text Text) (all []*db.Statement, share int)
	// Pinned gives the rows that stand before all others whatever their moment, and false when they are many.
	Pinned() ([]kernel.ID, bool, error)
}

// place is where a row stands in a list.
type place struct {
	pinned bool
	moment int64
	id     kernel.ID
}

// before orders places as lists do: pinned ones, then the newest.
func before(a, b place) int {
	if a.pinned != b.pinned {
		if a.pinned {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(b.moment, a.moment), slices.Compare(b.id[:], a.id[:]))
}

// Run gives the ids of the page from offset on, at most limit of them.
func (p *Plan) Run(offset, limit int) ([]kernel.ID, error) {
	if err := p.search(); err != nil {
		return nil, tooSlow(err)
	}
	var ids []kernel.ID
	rest := p.found[min(offset, len(p.found)):]
	for _, found := range rest[:min(limit, len(rest))] {
		ids = append(ids, found.id)
	}
	return ids, nil
}

func (p *Plan) search() error {
	// The first rows of a list are few and follow an index: neither a limit nor a plan of their own would pay.
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

// tooSlow is the error of a search whose time was over.
func tooSlow(err error) error {
	if db.TimedOut(err) {
		return &kernel.Error{
			Code: kernel.CodeUnavailable, RetryAfter: 2 * time.Second,
			Message: "The search took too long. Repeat it later, with a longer text or with more filters.",
		}
	}
	return err
}

// readList reads the first n rows of the list. Done means that found is complete.
func (p *Plan) readList(n int) (done bool, err error) {
	var reached *place // the rows of the list were read down to here
	statements, share := p.List.Newest(n, p.Text)
	for _, s := range statements {
		rows, matches := 0, 0
		var last place
		err := p.Tx.Query(s.String(), s.Args, func(r db.Row) error {
			rows, last = rows+1, p.placeOf(r)
			if !r.Bool(1) {
				return nil
			}
			p.found = append(p.found, last)
			if matches++; matches == p.Want {
				rows = share // as if it ended here
				return errEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			return false, err
		}
		if rows >= share && (reached == nil || before(last, *reached) < 0) {
			reached = &last
		}
	}
	p.sort()
	return reached == nil || p.filledBy(*reached), nil
}

// filledBy reports whether the page is full of rows that do not stand behind a place.
func (p *Plan) filledBy(reached place) bool {
	return len(p.found) >= p.Want && before(p.found[p.Want-1], reached) <= 0
}

// readIndex reads what the index leads to, in the order of the list.
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
	if err != nil || scan.position().exhausted {
		return false, err
	}
	for n := p.Want + p.Want/4; ; n *= 4 {
		ids, err := scan.next(n)
		if err != nil {
			return false, err
		}
		if err := p.keep(ids); err != nil {
			return false, err
		}
		at := scan.position()
		if at.ended || p.filledBy(at.reached) {
			return true, nil
		}
		if at.exhausted {
			return false, nil
		}
	}
}

// changed gives the rows that contain the text and whose entries in the index are missing or old, and false when
// there are too many such rows to read.
func (p *Plan) changed() (ids []kernel.ID, few bool, err error) {
	s := p.Tx.Statement()
	s.WriteString("SELECT id, " + p.Text.Contains(s, "folded") + " FROM " + p.Noun.Table + p.Tx.Dialect().IndexedBy(p.Noun.Pending) +
		" WHERE unindexed AND company = " + s.Arg(p.Company) + " LIMIT " + s.Arg(Budget.Index+1))
	rows := 0
	err = p.Tx.Query(s.String(), s.Args, func(r db.Row) error {
		if rows++; r.Bool(1) {
			ids = append(ids, r.ID(0))
		}
		return nil
	})
	return ids, rows <= Budget.Index, err
}

// keep adds those of the rows that belong to the list and contain the text.
func (p *Plan) keep(ids []kernel.ID) error {
	if len(ids) == 0 {
		return nil
	}
	s := p.List.Among(db.Listed(ids), p.Text)
	err := p.Tx.Query(s.String(), s.Args, func(r db.Row) error {
		if r.Bool(1) {
			p.found = append(p.found, p.placeOf(r))
		}
		return nil
	})
	p.sort()
	return err
}

func (p *Plan) placeOf(r db.Row) place {
	at := place{id: r.ID(0)}
	if p.Noun.Moment != "" {
		at.pinned, at.moment = r.Bool(2), r.Int(3)
	}
	return at
}

// sort orders what was found; some rows are found twice.
func (p *Plan) sort() {
	slices.SortFunc(p.found, before)
	p.found = slices.Compact(p.found)
}
