package store

import (
	"math"

	"recado/internal/model"
)

// walk goes through the entries of an index that may hold a text, the newest first.
type walk struct {
	tx      *Tx
	noun    *searched
	company model.ID
	text    search
	sample  *sample

	looked int  // entries so far
	ended  bool // there are none to come

	// The entries to come stand below these. On PostgreSQL nums repeat, and of a list by id they are all the same.
	num     int64
	subject model.ID
	floor   int64 // on SQLite: and not below this num
}

// start begins above all entries or, in a list by id, at those beyond a row.
func (w *walk) start(after model.ID) (err error) {
	w.num, w.subject = math.MaxInt64, afterAll
	if w.sample, err = w.tx.sampleOf(w.noun); err != nil || after.IsZero() || after == afterAll {
		return err
	}
	w.subject = after
	if !w.tx.SQLite() {
		return nil
	}
	_, err = w.tx.one(`SELECT COALESCE(MAX(num), 0) FROM `+w.noun.index, nil, func(r Row) {
		if r.Int(0) < numsEnd {
			w.num = numOf(after.Time().UnixMilli()) + numsRoom
		}
	})
	return err
}

// passed reports whether none of the entries to come can stand before a place of the list. On PostgreSQL they
// come in the order of the list; on SQLite those of a millisecond may not.
func (w *walk) passed(p place) bool {
	if w.tx.SQLite() {
		return p.pinned || w.momentOf(p) > w.num/numsEach
	}
	return before(p, place{moment: w.num, id: w.subject}) <= 0
}

// endAt ends the walk after the entries that may stand before a place.
func (w *walk) endAt(p place) {
	if w.tx.SQLite() && !p.pinned {
		w.floor = numOf(w.momentOf(p)) // no num is below that of the moment
	}
}

// momentOf gives the moment of a row by which its entry was numbered.
func (w *walk) momentOf(p place) int64 {
	if w.noun.moment == "" {
		return p.id.Time().UnixMilli()
	}
	return p.moment
}

// candidates is about how many entries the trigrams lead to, as far as that is known, and their part of all. A few
// texts of the sample may be chance.
func (w *walk) candidates() (n float64, part float64) {
	for _, needle := range w.text.needles {
		_, each := w.sample.telling(w.grams(needle))
		part += each
	}
	return max(0, part-4.0/sampleTexts) * float64(w.sample.rows), part
}

func (w *walk) grams(needle string) []string {
	if w.tx.SQLite() {
		return trigrams(needle)
	}
	return wordTrigrams(needle)
}

// next gives the rows of the next n entries or fewer that the trigrams lead to.
func (w *walk) next(n int) ([]model.ID, error) {
	s := w.tx.statement()
	if w.tx.SQLite() {
		s.WriteString("SELECT x.num, x.subject, x.company = " + s.arg(w.company) + " AND " + w.text.contains(w.tx, s, "x.folded") +
			" FROM " + w.noun.trigrams + " f CROSS JOIN " + w.noun.index + " x ON x.num = f.rowid" +
			" WHERE f." + w.noun.trigrams + " MATCH " + s.arg(w.ftsQuery()) + " AND f.rowid < " + s.arg(w.num) + " AND f.rowid >= " + s.arg(w.floor) +
			" ORDER BY f.rowid DESC")
		return w.read(s, n)
	}
	// PostgreSQL's index knows no order. OFFSET 0 keeps it from following the order in the hope to meet some soon.
	s.WriteString("SELECT num, subject, TRUE FROM (SELECT num, subject FROM " + w.noun.index +
		" WHERE company = " + s.arg(w.company) + " AND " + w.like(s) + " AND " + w.text.contains(w.tx, s, "folded") + w.below(s) + " OFFSET 0) found" + w.order())
	return w.read(s, n)
}

// scan gives the next n rows that hold the text or fewer, without the help of trigrams.
func (w *walk) scan(n int) ([]model.ID, error) {
	s := w.tx.statement()
	s.WriteString("SELECT num, subject, TRUE FROM " + w.noun.index +
		" WHERE company = " + s.arg(w.company) + " AND " + w.text.contains(w.tx, s, "folded") + w.below(s) + w.order())
	return w.read(s, n)
}

// below keeps to the entries to come.
func (w *walk) below(s *statement) string {
	switch {
	case w.tx.SQLite():
		return " AND num < " + s.arg(w.num) + " AND num >= " + s.arg(w.floor)
	case w.noun.moment == "":
		return " AND subject < " + s.arg(w.subject)
	}
	return " AND (num, subject) < (" + s.arg(w.num) + ", " + s.arg(w.subject) + ")"
}

func (w *walk) order() string {
	switch {
	case w.tx.SQLite():
		return " ORDER BY num DESC"
	case w.noun.moment == "":
		return " ORDER BY subject DESC"
	}
	return " ORDER BY num DESC, subject DESC"
}

// read runs a query for num, subject and whether it is one to give.
func (w *walk) read(s *statement, n int) (ids []model.ID, err error) {
	s.WriteString(" LIMIT " + s.arg(n) + " + 0") // of a mere argument SQLite wants to know the value, and plans anew for each
	rows := 0
	err = w.tx.query(s.String(), s.args, func(r Row) error {
		rows++
		w.num, w.subject = r.Int(0), r.ID(1)
		if r.Bool(2) {
			ids = append(ids, w.subject)
		}
		return nil
	})
	w.looked += rows
	w.ended = rows < n
	return ids, err
}
