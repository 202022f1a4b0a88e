package store

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"recado/internal/model"
)

// seek looks for the rows of a list that hold a text, when reading the list until the page is full may
// take long: the text may be rare, or only old rows have it. It goes by turns through the newest rows of the
// list and through the index, further each time, because the one is quick where the filters let little
// through and the other where few rows hold the text. When neither comes to an end, the texts of the index are
// read one by one, and the whole list only if most of the index is of other companies or of no use.
type seek struct {
	tx   *Tx
	list seekable
	noun *searched
	text search
	want int // rows from the beginning of the list

	company model.ID
	after   model.ID // of a list by id: only rows beyond this one
	walk    walk
	apart   []model.ID // rows that the index cannot give in their place
	found   []place    // the first of the list, of those that were met
	chunk   int        // entries to take next
	begun   bool
	barred  bool // the index is of no use
}

// seekable is a list that can be asked for some of its rows. The statement gives the id of each row, whether
// it is one with the text and, where the list does not go by id, whether it is pinned and its moment.
type seekable interface {
	// among asks for those of a subset that pass the filters, in any order.
	among(s *statement, of subset, text search)
	// first asks for the first n rows along the order of the list. Those that a filter keeps out are among them,
	// as rows without the text: so it never looks at more.
	first(s *statement, n int, text search)
	// pinned gives rows that stand before all others whatever their moment, and false when they are many.
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

// turn is how many rows of the list and entries of the index to look at; the one costs about as much as the
// other. In the last turn all texts of the index are read if need be.
type turn struct {
	rows, entries int
	last          bool
}

const (
	glance     = 150 // where a common text is soon found
	fewMatches = 4000
	look       = 4000
	allMatches = 16_000

	mostChanged = 4000 // rows that the index does not know as they are
	common      = 0.25 // a trigram that this part of all texts has is not worth following
)

var turns = []turn{{glance, fewMatches, false}, {look, allMatches, true}}

// try takes a turn. Done means that found holds the first rows of the list, as many as wanted or all.
func (k *seek) try(t turn) (done bool, err error) {
	switch {
	case len(k.text.needles) == 0:
		return false, nil
	case k.text.bounded:
		return k.readNewest()
	case t.rows > 0:
		if done, err := k.readList(t.rows); err != nil || done {
			return done, err
		}
	}
	if done, err := k.readIndex(t.entries); err != nil || done || !t.last {
		return done, err
	}
	return k.scanIndex()
}

// readNewest is for a text that no index can find: what lies beyond the newest rows is not looked at.
func (k *seek) readNewest() (bool, error) {
	for _, n := range []int{glance, 4 * glance, look, newest} {
		if done, err := k.readList(n); err != nil || done {
			return done, err
		}
	}
	return true, nil
}

// ids are the rows found from offset on, at most limit of them.
func (k *seek) ids(offset, limit int) (ids []model.ID, more bool) {
	rest := k.found[min(offset, len(k.found)):]
	for _, p := range rest[:min(limit, len(rest))] {
		ids = append(ids, p.id)
	}
	return ids, len(rest) > limit
}

// readList looks at the newest rows.
func (k *seek) readList(n int) (done bool, err error) {
	s := k.tx.statement()
	k.list.first(s, n, k.text)
	holding, rows, err := k.read(s, k.want)
	k.add(holding)
	return rows < n || len(holding) >= k.want, err
}

// readIndex goes on through what the trigrams lead to until it has looked at n entries.
func (k *seek) readIndex(n int) (bool, error) {
	if err := k.begin(); err != nil || k.barred {
		return false, err
	}
	// SQLite gives the newest first. PostgreSQL has to look at all of them before it gives one.
	if all, part := k.walk.candidates(); part > common || all > allMatches {
		return false, nil
	}
	return k.follow(n, k.walk.next)
}

// scanIndex goes on through the texts of the index. When very many hold the text and are not of the list, it is the
// list that has few.
func (k *seek) scanIndex() (bool, error) {
	if k.barred || !k.walk.sample.mostlyOf(k.company) {
		return false, nil
	}
	return k.follow(k.walk.looked+fewMatches, k.walk.scan)
}

// follow takes entries until the page is full, there are no more, or it has looked at n. PostgreSQL mostly begins anew
// each time, so it is not asked often.
func (k *seek) follow(n int, next func(n int) ([]model.ID, error)) (bool, error) {
	w, growth := &k.walk, 16
	if k.tx.SQLite() {
		growth = 4
	}
	for ; w.looked < n; k.chunk = min(growth*k.chunk, allMatches) {
		ids, err := next(min(k.chunk, n-w.looked))
		if err != nil {
			return false, err
		}
		if err := k.keep(append(ids, k.apart...)); err != nil {
			return false, err
		}
		k.apart = nil
		if w.ended {
			return true, nil
		}
		if len(k.found) >= k.want {
			last := k.found[k.want-1]
			if w.passed(last) {
				return true, nil
			}
			w.endAt(last)
		}
	}
	return false, nil
}

// begin notes the rows that the index cannot give in their place, unless they are many.
func (k *seek) begin() error {
	if k.begun {
		return nil
	}
	k.begun = true
	pinned, few, err := k.list.pinned()
	if err != nil || !few {
		k.barred = true
		return err
	}
	changed, err := k.changed()
	if err != nil || len(changed) > mostChanged {
		k.barred = true
		return err
	}
	k.apart, k.chunk = append(pinned, changed...), k.want+k.want/4
	k.walk = walk{tx: k.tx, noun: k.noun, company: k.company, text: k.text}
	return k.walk.start(k.after)
}

// changed gives the rows that hold the text and that the index does not know as they are now.
func (k *seek) changed() ([]model.ID, error) {
	s := k.tx.statement()
	s.WriteString("SELECT id FROM " + k.noun.table + k.tx.indexedBy(k.noun.pending) + " WHERE unindexed AND company = " + s.arg(k.company))
	k.text.check(k.tx, s, "folded")
	s.WriteString(" LIMIT " + s.arg(mostChanged+1))
	return k.tx.ids(s.String(), s.args...)
}

// keep adds those of the rows that belong to the list and hold the text.
func (k *seek) keep(ids []model.ID) error {
	if len(ids) == 0 {
		return nil
	}
	s := k.tx.statement()
	k.list.among(s, listed(ids), k.text)
	holding, _, err := k.read(s, math.MaxInt)
	if err != nil {
		return err
	}
	k.add(holding)
	return nil
}

func (k *seek) add(holding []place) {
	k.found = append(k.found, holding...)
	slices.SortFunc(k.found, before)
	k.found = slices.Compact(k.found)
	k.found = k.found[:min(k.want, len(k.found))]
}

// read gives the places of the rows that hold the text, up to so many, and how many rows it has seen.
func (k *seek) read(s *statement, most int) (holding []place, rows int, err error) {
	err = k.tx.query(s.String(), s.args, func(r Row) error {
		if rows++; !r.Bool(1) {
			return nil
		}
		p := place{id: r.ID(0)}
		if k.noun.moment != "" {
			p.pinned, p.moment = r.Bool(2), r.Int(3)
		}
		if holding = append(holding, p); len(holding) >= most {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return holding, rows, err
}
