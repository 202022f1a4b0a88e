package search

import (
	"cmp"
	"slices"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// fullText is the index on SQLite: a full-text table beside the entries.
type fullText struct {
	tx   *db.Tx
	noun *Noun
}

// The num of an entry is derived from the moment by which its row is listed, so that the full-text table returns the newest
// entries first. A millisecond has numsEach numbers. If they are taken, an entry gets the next free number within numsSpan. If
// these are taken too, for example after an import in which all rows have the same moment, it gets a number beyond numsEnd,
// before all others. A num is never below numOf of the row's moment.
const (
	numsEach = 16
	numsSpan = 4096
	numsEnd  = 1 << 60
)

func numOf(moment int64) int64 { return moment * numsEach }

// unindexed is a row whose entry in the index is missing or outdated.
type unindexed struct {
	rowAt
	folded string
	moment int64
	num    *int64 // of the old entry
}

// update indexes a batch. The full-text table does not store the texts: to delete an entry, the statement must contain its text.
// The table is flushed to disk whenever another statement is run and whenever a num is smaller than the one before. Therefore
// one statement deletes all old entries and one adds all new entries, in order.
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
		return `
			FROM (` + listed(x.tx, s, rows) + `) batch
			CROSS JOIN ` + x.noun.Entries + ` x ON x.company = batch.company AND x.subject = batch.id
			ORDER BY x.num`
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
			ON CONFLICT (company, subject) DO UPDATE SET num = excluded.num, folded = excluded.folded`,
			num, row.company, row.id, row.folded+companyTag(row.company))
	}
	s = x.tx.Statement()
	s.WriteString(`INSERT INTO ` + x.noun.Trigrams + ` (rowid, folded) SELECT x.num, x.folded` + entries(s))
	x.tx.Later(s.String(), s.Args...)
	s = x.tx.Statement()
	s.WriteString(`UPDATE ` + x.noun.Table + ` SET unindexed = FALSE WHERE (company, id) IN (` + listed(x.tx, s, rows) + `)`)
	_, err = x.tx.Exec(s.String(), s.Args...)
	return len(batch), err
}

// unindexed returns a batch of rows in the order of their future nums.
func (x *fullText) unindexed(n int) (batch []unindexed, err error) {
	err = x.tx.Query(`
		SELECT /* all companies: texts to index */ t.company, t.id, t.folded, `+x.noun.moment()+` AS moment, x.num
		FROM `+x.noun.Table+` t`+x.tx.Dialect().IndexedBy(x.noun.Pending)+`
		LEFT JOIN `+x.noun.Entries+` x ON x.company = t.company AND x.subject = t.id
		WHERE t.unindexed
		ORDER BY t.company, t.id
		LIMIT $1`, []any{n}, func(r db.Row) error {
		row := unindexed{rowAt{r.ID("company"), r.ID("id")}, r.Text("folded"), r.Int("moment"), r.NullInt("num")}
		if x.noun.Moment == "" {
			row.moment = row.id.Time().UnixMilli()
		}
		batch = append(batch, row)
		return nil
	})
	slices.SortFunc(batch, func(a, b unindexed) int {
		return cmp.Or(cmp.Compare(a.moment, b.moment), kernel.CompareIDs(a.id, b.id))
	})
	return batch, err
}

// freeNums assigns nums to the rows of a batch. The numbers from..to-1 are free.
type freeNums struct {
	*fullText
	from, to int64
}

// take returns the num of a row: the old one if it is still correct, or the first free one.
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

// find searches for free nums between from and end.
func (f *freeNums) find(end int64) error {
	f.to = end
	err := f.tx.Query(`
		SELECT /* all companies: they share the numbers */ num
		FROM `+f.noun.Entries+`
		WHERE num >= $1 AND num < $2
		ORDER BY num`, []any{f.from, end}, func(r db.Row) error {
		if num := r.Int("num"); num > f.from {
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

// beyond returns the first free num after numsEnd.
func (f *freeNums) beyond() (int64, error) {
	last, err := f.lastNum()
	return max(numsEnd, last+1), err
}

// lastNum returns the greatest num of all entries, or 0.
func (x *fullText) lastNum() (num int64, err error) {
	_, err = x.tx.One(`SELECT /* all companies: they share the numbers */ COALESCE(MAX(num), 0) AS num FROM `+x.noun.Entries, nil,
		func(r db.Row) { num = r.Int("num") })
	return num, err
}

func (x *fullText) forget(company, id kernel.ID) error {
	x.tx.Later(`
		INSERT INTO `+x.noun.Trigrams+` (`+x.noun.Trigrams+`, rowid, folded)
		SELECT 'delete', num, folded FROM `+x.noun.Entries+` WHERE company = $1 AND subject = $2`, company, id)
	x.tx.Later(`DELETE FROM `+x.noun.Entries+` WHERE company = $1 AND subject = $2`, company, id)
	return nil
}
