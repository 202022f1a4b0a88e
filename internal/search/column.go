package search

import (
	"slices"
	"strings"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// columnIndex is PostgreSQL's trigram index over the text column of the entries.
type columnIndex struct {
	tx   *db.Tx
	noun *Noun
}

// update does a batch on one node at a time: of two, the slower could put back an older text.
// The rows themselves are locked only at the end, for a moment, and those that have changed meanwhile, or
// are being changed, stay unindexed.
func (x *columnIndex) update(n int) (int, error) {
	mine := false
	_, err := x.tx.One(`SELECT pg_try_advisory_xact_lock($1)`, []any{pgIndexKey}, func(r db.Row) { mine = r.Bool(0) })
	if err != nil || !mine {
		return 0, err
	}
	rows, err := rowsAt(x.tx, `SELECT /* all companies: texts to index */ company, id FROM `+x.noun.Table+` WHERE unindexed ORDER BY company, id LIMIT $1`, n)
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	num := "0" // the subject itself is the order
	if x.noun.Moment != "" {
		num = "t." + x.noun.Moment
	}
	s := x.tx.Statement()
	s.WriteString(`
		INSERT INTO ` + x.noun.Entries + ` AS x (num, company, subject, folded)
		SELECT ` + num + `, t.company, t.id, t.folded
		FROM (` + listed(x.tx, s, rows) + `) batch
		JOIN ` + x.noun.Table + ` t ON t.company = batch.company AND t.id = batch.id
		ON CONFLICT (company, subject) DO UPDATE SET num = excluded.num, folded = excluded.folded
		WHERE x.num <> excluded.num OR x.folded <> excluded.folded`)
	x.tx.Later(s.String(), s.Args...)
	found := len(rows)
	if rows, err = x.unlocked(rows); err != nil || len(rows) == 0 {
		return 0, err // asking again at once would find the same rows
	}
	s = x.tx.Statement()
	s.WriteString(`
		UPDATE ` + x.noun.Table + ` t
		SET unindexed = FALSE
		FROM (` + listed(x.tx, s, rows) + `) batch
		JOIN ` + x.noun.Entries + ` x ON x.company = batch.company AND x.subject = batch.id
		WHERE t.company = batch.company AND t.id = batch.id AND t.folded = x.folded AND x.num = ` + num)
	x.tx.Later(s.String(), s.Args...)
	return found, nil
}

// unlocked locks those of the rows that no other transaction is changing. A transaction that changes many
// conversations locks them in its own order, so waiting for one while holding others could end in a deadlock.
func (x *columnIndex) unlocked(rows []rowAt) ([]rowAt, error) {
	s := x.tx.Statement()
	s.WriteString(`
		SELECT t.company, t.id
		FROM (` + listed(x.tx, s, rows) + `) batch
		JOIN ` + x.noun.Table + ` t ON t.company = batch.company AND t.id = batch.id
		FOR NO KEY UPDATE OF t SKIP LOCKED`)
	return rowsAt(x.tx, s.String(), s.Args...)
}

// pgIndexKey names the advisory lock of the one node that indexes.
const pgIndexKey = db.LockKey + 1

// forget removes the entry of a row.
func (x *columnIndex) forget(company, id kernel.ID) error {
	x.tx.Later(`DELETE FROM `+x.noun.Entries+` WHERE company = $1 AND subject = $2`, company, id)
	return nil
}

// columnScan is a scan of an index that is in no order: all hits are read at its start.
type columnScan struct {
	progress
	hits []place // the entries to come
}

// scan reads all entries with the text, unless they are too many.
func (x *columnIndex) scan(p *Plan) (indexScan, error) {
	scan := &columnScan{}
	s := x.tx.Statement()
	s.WriteString("SELECT num, subject FROM " + x.noun.Entries + " WHERE company = " + s.Arg(p.Company) + " AND " + p.Text.like(s))
	if !p.After.IsZero() {
		s.And("subject < " + s.Arg(p.After))
	}
	s.WriteString(" LIMIT " + s.Arg(Budget.Index+1))
	err := x.tx.Query(s.String(), s.Args, func(r db.Row) error {
		scan.hits = append(scan.hits, place{moment: r.Int(0), id: r.ID(1)})
		return nil
	})
	if scan.exhausted = len(scan.hits) > Budget.Index; scan.exhausted {
		scan.hits = nil // not even the newest are known
	}
	slices.SortFunc(scan.hits, before)
	return scan, err
}

func (scan *columnScan) next(n int) (ids []kernel.ID, err error) {
	for _, hit := range scan.hits[:min(scan.take(n), len(scan.hits))] {
		ids = append(ids, hit.id)
		scan.reached = hit
	}
	scan.hits = scan.hits[len(ids):]
	scan.ended = len(scan.hits) == 0
	return ids, nil
}

// like is the text as a condition that the trigram index supports.
func (text Text) like(s *db.Statement) string {
	each := make([]string, len(text.needles))
	for i, needle := range text.needles {
		each[i] = "folded LIKE " + s.Arg("%"+likeEscapes.Replace(needle)+"%")
	}
	return "(" + strings.Join(each, " OR ") + ")"
}

var likeEscapes = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)
