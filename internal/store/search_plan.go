package store

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"recado/internal/db"
	"recado/internal/model"
)

// What one search may cost. Lower in tests.
var (
	firstPass   = 150         // rows of the list that are read before the index is asked
	indexBudget = 10_000      // entries of the index
	listBudget  = 10_000      // rows of the list, when the index was of no use
	searchTime  = time.Second // for the statements of a search
)

// searchPlan finds the rows of a list that contain a text, in three steps, each only if the one before did not
// fill the page: the newest rows of the list, the entries of the trigram index, and again the list up to the
// budget. The index cannot help with a text that has no trigram, with one that very many entries have although
// few of them are in the list, and while very many rows wait to be indexed. Then matches older than the newest
// listBudget rows of the list may be missing; of the newer ones none is.
type searchPlan struct {
	tx   *Tx
	list searchList
	noun *searched
	text search
	want int // rows from the beginning of the list

	company model.ID
	after   model.ID // in a list by id: only rows beyond this one

	found []place // the first of the list among those read so far
}

// searchList is a list that can be searched. Its statements give the id of each row, whether it is one of the
// list that contains the text and, where the list is not ordered by id, whether it is pinned and its moment.
type searchList interface {
	// among asks for the rows of a subset, in any order.
	among(of subset, text search) *statement
	// newest asks for about the first n rows along the order of the list, rows that a filter excludes included,
	// so that no more are read. Each of the statements gives at most share of them, in order.
	newest(n int, text search) (all []*statement, share int)
	// pinned gives the rows that stand before all others whatever their moment, and false when they are many.
	pinned() ([]model.ID, bool, error)
}

// place is where a row stands in a list.
type place struct {
	pinned bool
	moment int64
	id     model.ID
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

// run gives the ids of the page from offset on, at most limit of them.
func (p *searchPlan) run(offset, limit int) ([]model.ID, error) {
	stop := p.tx.on.LimitTime(searchTime)
	err := p.search()
	stop()
	if err != nil {
		return nil, tooSlow(err)
	}
	var ids []model.ID
	rest := p.found[min(offset, len(p.found)):]
	for _, found := range rest[:min(limit, len(rest))] {
		ids = append(ids, found.id)
	}
	return ids, nil
}

func (p *searchPlan) search() error {
	if done, err := p.readList(firstPass); err != nil || done {
		return err
	}
	if !p.text.short {
		if done, err := p.readIndex(); err != nil || done {
			return err
		}
	}
	_, err := p.readList(listBudget)
	return err
}

// tooSlow is what the caller of a search gets to know when its time was over.
func tooSlow(err error) error {
	if db.TimedOut(err) {
		return &model.Error{
			Code: model.CodeUnavailable, RetryAfter: 2 * time.Second,
			Message: "The search took too long. Repeat it later, with a longer text or with more filters.",
		}
	}
	return err
}

// readList reads the first n rows of the list. Done means that found is complete.
func (p *searchPlan) readList(n int) (done bool, err error) {
	var reached *place // the rows of the list were read down to here
	statements, share := p.list.newest(n, p.text)
	for _, s := range statements {
		rows, matches := 0, 0
		var last place
		err := p.tx.query(s.String(), s.args, func(r Row) error {
			rows, last = rows+1, p.placeOf(r)
			if !r.Bool(1) {
				return nil
			}
			p.found = append(p.found, last)
			if matches++; matches == p.want {
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
func (p *searchPlan) filledBy(reached place) bool {
	return len(p.found) >= p.want && before(p.found[p.want-1], reached) <= 0
}

// readIndex reads what the index leads to, in the order of the list.
func (p *searchPlan) readIndex() (done bool, err error) {
	pinned, few, err := p.list.pinned()
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
	scan, err := newIndexScan(p)
	if err != nil || scan.exhausted {
		return false, err
	}
	for n := p.want + p.want/4; ; n *= 4 {
		ids, err := scan.next(n)
		if err != nil {
			return false, err
		}
		if err := p.keep(ids); err != nil {
			return false, err
		}
		if scan.ended || p.filledBy(scan.reached) {
			return true, nil
		}
		if scan.exhausted {
			return false, nil
		}
	}
}

// changed gives the rows that contain the text and that the index does not know as they are now, and false when
// there are too many such rows to look at.
func (p *searchPlan) changed() (ids []model.ID, few bool, err error) {
	s := p.tx.statement()
	s.WriteString("SELECT id, " + p.text.contains(p.tx, s, "folded") + " FROM " + p.noun.table + p.tx.indexedBy(p.noun.pending) +
		" WHERE unindexed AND company = " + s.arg(p.company) + " LIMIT " + s.arg(indexBudget+1))
	rows := 0
	err = p.tx.query(s.String(), s.args, func(r Row) error {
		if rows++; r.Bool(1) {
			ids = append(ids, r.ID(0))
		}
		return nil
	})
	return ids, rows <= indexBudget, err
}

// keep adds those of the rows that belong to the list and contain the text.
func (p *searchPlan) keep(ids []model.ID) error {
	if len(ids) == 0 {
		return nil
	}
	s := p.list.among(listed(ids), p.text)
	err := p.tx.query(s.String(), s.args, func(r Row) error {
		if r.Bool(1) {
			p.found = append(p.found, p.placeOf(r))
		}
		return nil
	})
	p.sort()
	return err
}

func (p *searchPlan) placeOf(r Row) place {
	at := place{id: r.ID(0)}
	if p.noun.moment != "" {
		at.pinned, at.moment = r.Bool(2), r.Int(3)
	}
	return at
}

// sort orders what was found; some rows are found twice.
func (p *searchPlan) sort() {
	slices.SortFunc(p.found, before)
	p.found = slices.Compact(p.found)
}
