package search

import (
	"cmp"
	"slices"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// fullText is SQLite's full-text table over the entries, which is written beside them.
type fullText struct {
	tx   *db.Tx
	noun *Noun
}

// The num of an entry is made of the moment by which its row is listed, so that the entries that
// hold a text come out newest first. In a millisecond numsEach of them fit; what does not
// fit takes the next free num, and nearly always one within numsSpan. Only when these are taken too, as
// after an import that gave everything the same moment, does it go beyond numsEnd, before all others.
// Either way a num is never below numOf the row's moment.
const (
	numsEach = 16
	numsSpan = 4096
	numsEnd  = 1 << 60
)

func numOf(moment int64) int64 { return moment * numsEach }

// unindexed is a row whose entry in the index is missing or old.
type unindexed struct {
	rowAt
	folded string
	moment int64
	num    *int64 // of the old entry
}

// update indexes a batch. The full-text table keeps no text of its own: to remove an entry, it has to be given the
// text that the entry had. It writes to the disk whenever another statement comes between and whenever a num is less
// than the one before, so all removals and then all additions are made one after the other and in order.
func (x *fullText) update(n int) (int, error) {
	batch, err := x.unindexed(n)
	if err != nil || len(batch) == 0 {
		return 0, err
	}
	rows := make([]rowAt, len(batch))
	for i := range batch {
		rows[i] = batch[i].rowAt
	}
	entries := func(s *db.Statement) string {
		return ` FROM (` + listed(x.tx, s, rows) + `) batch CROSS JOIN ` + x.noun.Entries + ` x ON x.company = batch.company AND x.subject = batch.id ORDER BY x.num`
	}
	s := x.tx.Statement()
	s.WriteString(`INSERT INTO ` + x.noun.Trigrams + ` (` + x.noun.Trigrams + `, rowid, folded) SELECT 'delete', x.num, x.folded` + entries(s))
	x.tx.Later(s.String(), s.Args...)
	free := freeNums{fullText: x}
	for _, row := range batch {
		num, err := free.take(row)
		if err != nil {
			return 0, err
		}
		x.tx.Later(`
			INSERT INTO `+x.noun.Entries+` (num, company, subject, folded)
			VALUES ($1, $2, $3, $4)
			ON CONFLICT (company, subject) DO UPDATE SET num = excluded.num, folded = excluded.folded`, num, row.company, row.id, row.folded+companyTag(row.company))
	}
	s = x.tx.Statement()
	s.WriteString(`INSERT INTO ` + x.noun.Trigrams + ` (rowid, folded) SELECT x.num, x.folded` + entries(s))
	x.tx.Later(s.String(), s.Args...)
	s = x.tx.Statement()
	s.WriteString(`UPDATE ` + x.noun.Table + ` SET unindexed = FALSE WHERE (company, id) IN (` + listed(x.tx, s, rows) + `)`)
	_, err = x.tx.Exec(s.String(), s.Args...)
	return len(batch), err
}

// unindexed gives a batch of rows in the order of their nums to be.
func (x *fullText) unindexed(n int) (batch []unindexed, err error) {
	moment := "0"
	if x.noun.Moment != "" {
		moment = "t." + x.noun.Moment
	}
	err = x.tx.Query(`
		SELECT /* all companies: texts to index */ t.company, t.id, t.folded, x.num, `+moment+`
		FROM `+x.noun.Table+` t`+x.tx.Dialect().IndexedBy(x.noun.Pending)+`
		LEFT JOIN `+x.noun.Entries+` x ON x.company = t.company AND x.subject = t.id
		WHERE t.unindexed
		ORDER BY t.company, t.id
		LIMIT $1`, []any{n}, func(r db.Row) error {
		row := unindexed{rowAt{r.ID(0), r.ID(1)}, r.Text(2), r.Int(4), r.NullInt(3)}
		if x.noun.Moment == "" {
			row.moment = row.id.Time().UnixMilli()
		}
		batch = append(batch, row)
		return nil
	})
	slices.SortFunc(batch, func(a, b unindexed) int {
		return cmp.Or(cmp.Compare(a.moment, b.moment), slices.Compare(a.id[:], b.id[:]))
	})
	return batch, err
}

// freeNums finds nums for the rows of a batch. Those from..to-1 are known to be free.
type freeNums struct {
	*fullText
	from, to int64
}

// take gives a num for a row: its old one, if it is still right, or the first free one.
func (f *freeNums) take(row unindexed) (int64, error) {
	first := numOf(row.moment)
	end := first + numsSpan
	if row.num != nil && *row.num >= first && *row.num < end {
		return *row.num, nil
	}
	if f.from = max(f.from, first); f.from >= f.to {
		if err := f.find(end); err != nil {
			return 0, err
		}
	}
	if f.from >= end {
		return f.beyond()
	}
	f.from++
	return f.from - 1, nil
}

// find looks for free nums between from and end.
func (f *freeNums) find(end int64) error {
	f.to = end
	err := f.tx.Query(`SELECT /* all companies: they share the numbers */ num FROM `+f.noun.Entries+` WHERE num >= $1 AND num < $2 ORDER BY num`, []any{f.from, end}, func(r db.Row) error {
		if num := r.Int(0); num > f.from {
			f.to = num
			return errEnough
		}
		f.from++
		return nil
	})
	if err == errEnough {
		err = nil
	}
	return err
}

func (f *freeNums) beyond() (num int64, err error) {
	_, err = f.tx.One(`SELECT /* all companies: they share the numbers */ COALESCE(MAX(num), 0) FROM `+f.noun.Entries, nil, func(r db.Row) { num = max(numsEnd, r.Int(0)+1) })
	return num, err
}

// forget removes the entry of a row.
func (x *fullText) forget(company, id kernel.ID) error {
	var num int64
	var was string
	known, err := x.tx.One(`SELECT num, folded FROM `+x.noun.Entries+` WHERE company = $1 AND subject = $2`, []any{company, id}, func(r db.Row) { num, was = r.Int(0), r.Text(1) })
	if err != nil || !known {
		return err
	}
	x.tx.Later(`INSERT INTO `+x.noun.Trigrams+` (`+x.noun.Trigrams+`, rowid, folded) VALUES ('delete', $1, $2)`, num, was)
	x.tx.Later(`DELETE FROM `+x.noun.Entries+` WHERE company = $1 AND subject = $2`, company, id)
	return nil
}
