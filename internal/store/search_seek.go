package store

import (
	"cmp"
	"slices"

	"recado/internal/model"
)

// seek looks for the rows of a list that hold a text, when reading the list until the page is full may
// take long: the text may be rare, or only old rows have it. It goes by turns through the newest rows of the
// list and through the index, further each time, because the one is quick where the filters let little
// through and the other where few rows hold the text. When neither comes to an end, the whole list is left.
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
	found   []place    // of those that the walk has given: the first of the list
	begun   bool
	barred  bool // the index is of no use
}

// seekable is a list that can be asked for some of its rows. The statement gives the id of each row, whether
// the text is in it and, where the list does not go by id, whether it is pinned and its moment. All filters
// have been applied but the text.
type seekable interface {
	// among asks for those of a subset, in any order.
	among(s *statement, of subset, text search)
	// first asks for the beginning of the list, in its order.
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
// other.
type turn struct{ rows, entries int }

const (
	glance     = 150 // where a common text is soon found
	fewMatches = 4000
	look       = 4000
	allMatches = 16_000
)

var turns = []turn{{glance, fewMatches}, {look, allMatches}}

// try takes a turn. Done means that found holds the first rows of the list, as many as wanted or all.
func (k *seek) try(t turn) (done bool, err error) {
	if !k.text.indexed() {
		return false, nil
	}
	if t.rows > 0 {
		if done, err := k.readList(t.rows); err != nil || done {
			return done, err
		}
	}
	return k.readIndex(t.entries)
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
func (k *seek) readList(n int) (bool, error) {
	s := k.tx.statement()
	k.list.first(s, n, k.text)
	holding, rows, err := k.read(s)
	if err != nil || rows >= n && len(holding) < k.want {
		return false, err
	}
	k.found = holding
	return true, nil
}

// readIndex goes on through the index until it has looked at n entries.
func (k *seek) readIndex(n int) (bool, error) {
	w := &k.walk
	if err := k.begin(); err != nil || k.barred {
		return false, err
	}
	if known, err := w.upTo(n); err != nil || !known {
		return false, err
	}
	for chunk := k.want + k.want/4; w.looked < n; chunk *= 4 {
		ids, err := w.next(min(chunk, n-w.looked))
		if err != nil {
			return false, err
		}
		if err := k.keep(append(ids, k.apart...)); err != nil {
			return false, err
		}
		k.apart = nil
		if w.ended || len(k.found) >= k.want && k.settled(k.found[k.want-1]) {
			return true, nil
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
	if err != nil || len(changed) > fewMatches {
		k.barred = true
		return err
	}
	k.apart = append(pinned, changed...)
	k.walk = walk{tx: k.tx, noun: k.noun, company: k.company, text: k.text, after: k.after}
	return k.walk.start()
}

// changed gives the rows that hold the text and that the index does not know as they are now.
func (k *seek) changed() ([]model.ID, error) {
	s := k.tx.statement()
	s.WriteString("SELECT id FROM " + k.noun.table + k.tx.indexedBy(k.noun.pending) + " WHERE unindexed AND company = " + s.arg(k.company))
	k.text.check(k.tx, s, "folded")
	s.WriteString(" LIMIT " + s.arg(fewMatches+1))
	return k.tx.ids(s.String(), s.args...)
}

// keep adds those of the rows that belong to the list and hold the text.
func (k *seek) keep(ids []model.ID) error {
	if len(ids) == 0 {
		return nil
	}
	s := k.tx.statement()
	k.list.among(s, listed(ids), k.text)
	holding, _, err := k.read(s)
	if err != nil {
		return err
	}
	k.found = append(k.found, holding...)
	slices.SortFunc(k.found, before)
	k.found = slices.Compact(k.found)
	k.found = k.found[:min(k.want, len(k.found))]
	return nil
}

// settled reports whether nothing that the walk has not given yet can stand before the place.
func (k *seek) settled(p place) bool {
	if k.noun.moment == "" {
		p.moment = p.id.Time().UnixMilli()
	}
	return p.pinned || p.moment > k.walk.moment
}

// read gives the places of the rows that hold the text, and how many rows there were in all.
func (k *seek) read(s *statement) (holding []place, rows int, err error) {
	err = k.tx.query(s.String(), s.args, func(r Row) error {
		if rows++; !r.Bool(1) {
			return nil
		}
		p := place{id: r.ID(0)}
		if k.noun.moment != "" {
			p.pinned, p.moment = r.Bool(2), r.Int(3)
		}
		holding = append(holding, p)
		return nil
	})
	return holding, rows, err
}
