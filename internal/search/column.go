package search

import (
	"slices"
	"strings"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// columnIndex is the index on PostgreSQL: a trigram index on the text column of the entries.
type columnIndex struct {
	tx   *db.Tx
	noun *Noun
}

// update indexes a batch. It locks the rows only at the end. Rows that have changed meanwhile, or that another transaction is
// changing, stay unindexed.
func (x *columnIndex) update(n int) (int, error) {
	rows, err := rowsAt(x.tx, `
		SELECT /* all companies: texts to index */ company, id
		FROM `+x.noun.Table+`
		WHERE unindexed
		ORDER BY company, id
		LIMIT $1`, n)
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	num := x.noun.moment()
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
		return 0, err // the next batch would contain the same rows
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

// unlocked locks and returns the rows that no other transaction has locked. Waiting for the others could cause a deadlock.
func (x *columnIndex) unlocked(rows []rowAt) ([]rowAt, error) {
	s := x.tx.Statement()
	s.WriteString(`
		SELECT t.company, t.id
		FROM (` + listed(x.tx, s, rows) + `) batch
		JOIN ` + x.noun.Table + ` t ON t.company = batch.company AND t.id = batch.id
		FOR NO KEY UPDATE OF t SKIP LOCKED`)
	return rowsAt(x.tx, s.String(), s.Args...)
}

// scan reads all entries with the text, because the index has no order.
func (x *columnIndex) scan(p *Plan) (*indexScan, error) {
	var hits []position // the remaining entries
	s := x.tx.Statement()
	s.WriteString("SELECT num, subject FROM " + x.noun.Entries + " WHERE company = " + s.Arg(p.Company) + " AND " + p.Text.like(s))
	if !p.After.IsZero() {
		s.And("subject < " + s.Arg(p.After))
	}
	s.WriteString(" LIMIT " + s.Arg(Budget.Index+1))
	err := x.tx.Query(s.String(), s.Args, func(r db.Row) error {
		hits = append(hits, position{moment: r.Int("num"), id: r.ID("subject")})
		return nil
	})
	if err != nil || len(hits) > Budget.Index {
		return nil, err
	}
	slices.SortFunc(hits, comparePositions)
	scan := &indexScan{}
	scan.next = func(n int) (ids []kernel.ID, err error) {
		for _, hit := range hits[:min(n, len(hits))] {
			ids = append(ids, hit.id)
			scan.reached = hit
		}
		hits = hits[len(ids):]
		scan.ended = len(hits) == 0
		return ids, nil
	}
	return scan, nil
}

// like returns a condition that the trigram index supports: the column folded contains the text.
func (text Text) like(s *db.Statement) string {
	return text.anyOf(func(needle string) string { return "folded LIKE " + s.Arg("%"+likeEscapes.Replace(needle)+"%") })
}

var likeEscapes = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)
