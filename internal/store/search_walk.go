package store

import (
	"errors"
	"math"
	"slices"

	"recado/internal/model"
)

// walk goes through the entries of an index that may hold a text, the newest first.
type walk struct {
	tx      *Tx
	noun    *searched
	company model.ID
	text    search
	after   model.ID // none of these rows nor newer ones are asked for

	looked int   // entries so far
	moment int64 // the entries to come are not newer than this
	ended  bool  // there are none to come

	sample []string // texts of the index
	num    int64    // on SQLite: the one to come has less
	loaded []place  // on PostgreSQL: those to come
}

func (w *walk) start() error {
	w.num, w.moment = math.MaxInt64, math.MaxInt64
	order := ""
	if w.tx.SQLite() {
		order = " ORDER BY num DESC"
	}
	newest := int64(0)
	err := w.tx.query(`SELECT folded, num FROM `+w.noun.index+order+` LIMIT 48`, nil, func(r Row) error {
		w.sample = append(w.sample, r.Text(0))
		newest = max(newest, r.Int(1))
		return nil
	})
	if !w.after.IsZero() && w.after != afterAll && newest < numsEnd {
		w.num = numOf(w.after.Time().UnixMilli()) + numsRoom
	}
	return err
}

// upTo prepares for n entries in all. It reports false when there are more and their order is not known.
func (w *walk) upTo(n int) (bool, error) {
	if w.tx.SQLite() {
		return true, nil
	}
	return w.load(n)
}

// next gives the rows of the next n entries or fewer.
func (w *walk) next(n int) (ids []model.ID, err error) {
	if w.tx.SQLite() {
		return w.match(n)
	}
	n = min(n, len(w.loaded))
	for _, p := range w.loaded[:n] {
		ids = append(ids, p.id)
		w.moment = p.moment
	}
	w.loaded = w.loaded[n:]
	w.looked += n
	w.ended = len(w.loaded) == 0
	return ids, nil
}

// match asks SQLite's index, which has them in order.
func (w *walk) match(n int) (ids []model.ID, err error) {
	s := w.tx.statement()
	s.WriteString("SELECT x.num, x.subject, x.company = " + s.arg(w.company) + " AND " + w.text.contains(w.tx, s, "x.folded") +
		" FROM " + w.noun.trigrams + " f CROSS JOIN " + w.noun.index + " x ON x.num = f.rowid" +
		" WHERE f." + w.noun.trigrams + " MATCH " + s.arg(w.text.ftsQuery(w.sample)) + " AND f.rowid < " + s.arg(w.num) +
		" ORDER BY f.rowid DESC LIMIT " + s.arg(n))
	rows := 0
	err = w.tx.query(s.String(), s.args, func(r Row) error {
		rows++
		w.num = r.Int(0)
		if r.Bool(2) {
			ids = append(ids, r.ID(1))
		}
		return nil
	})
	w.looked += rows
	w.ended = rows < n
	w.moment = w.num / numsEach
	return ids, err
}

// load asks PostgreSQL's index, which knows no order: all entries are read, if they are few, and sorted.
func (w *walk) load(n int) (few bool, err error) {
	s := w.tx.statement()
	s.WriteString("SELECT num, subject, " + w.text.contains(w.tx, s, "folded") + " FROM " + w.noun.index +
		" WHERE company = " + s.arg(w.company) + " AND " + w.text.like(s, "folded", w.sample))
	if w.noun.moment == "" && !w.after.IsZero() {
		s.and("subject < " + s.arg(w.after))
	}
	s.WriteString(" LIMIT " + s.arg(n+1))
	w.loaded = w.loaded[:0]
	rows := 0
	err = w.tx.query(s.String(), s.args, func(r Row) error {
		if rows++; rows > n {
			return errEnough
		}
		if !r.Bool(2) {
			return nil
		}
		p := place{moment: r.Int(0), id: r.ID(1)}
		if w.noun.moment == "" {
			p.moment = p.id.Time().UnixMilli()
		}
		w.loaded = append(w.loaded, p)
		return nil
	})
	if errors.Is(err, errEnough) {
		return false, nil
	}
	slices.SortFunc(w.loaded, before)
	return true, err
}
