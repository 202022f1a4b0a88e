package store

import (
	"cmp"
	"slices"

	"recado/internal/db"
	"recado/internal/model"
)

// IndexText brings the trigram index up to date for at most n rows of conversations, contacts and
// cards, and gives how many it did. Several nodes may do so at once.
func (tx *Tx) IndexText(n int) (done int, err error) {
	for _, noun := range []*searched{&conversationSearch, &contactSearch, &cardSearch} {
		index := tx.indexPostgres
		if tx.SQLite() {
			index = tx.indexSQLite
		}
		rows, err := index(noun, n-done)
		if done += rows; err != nil || done >= n {
			return done, err
		}
	}
	return done, nil
}

// indexPostgres does a batch on one node at a time: of two, the slower could put back an older text.
// The rows themselves are locked only at the end, for a moment, and those that have changed meanwhile, or
// are being changed, stay unindexed.
func (tx *Tx) indexPostgres(noun *searched, n int) (int, error) {
	mine := false
	_, err := tx.one(`SELECT pg_try_advisory_xact_lock($1)`, []any{pgIndexKey}, func(r Row) { mine = r.Bool(0) })
	if err != nil || !mine {
		return 0, err
	}
	ids, err := tx.ids(`SELECT id FROM `+noun.table+` WHERE unindexed ORDER BY company, id LIMIT $1`, n)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	num := "0" // the subject itself is the order
	if noun.moment != "" {
		num = "t." + noun.moment
	}
	s := tx.statement()
	s.WriteString(`
		INSERT INTO ` + noun.index + ` AS x (num, subject, company, folded)
		SELECT ` + num + `, t.id, t.company, t.folded
		FROM (` + listed(ids)(s) + `) batch
		JOIN ` + noun.table + ` t ON t.id = batch.id
		ON CONFLICT (subject) DO UPDATE SET num = excluded.num, folded = excluded.folded
		WHERE x.num <> excluded.num OR x.folded <> excluded.folded`)
	tx.later(s.String(), s.args...)
	found := len(ids)
	if ids, err = tx.unlocked(noun, ids); err != nil || len(ids) == 0 {
		return found, err
	}
	s = tx.statement()
	s.WriteString(`
		UPDATE ` + noun.table + ` t
		SET unindexed = FALSE
		FROM (` + listed(ids)(s) + `) batch
		JOIN ` + noun.index + ` x ON x.subject = batch.id
		WHERE t.id = batch.id AND t.folded = x.folded AND x.num = ` + num)
	tx.later(s.String(), s.args...)
	return found, nil
}

// unlocked locks those of the rows that no other transaction is changing. A transaction that changes many
// conversations locks them in its own order, so waiting for one while holding others could end in a deadlock.
func (tx *Tx) unlocked(noun *searched, ids []model.ID) ([]model.ID, error) {
	s := tx.statement()
	s.WriteString(`SELECT t.id FROM (` + listed(ids)(s) + `) batch JOIN ` + noun.table + ` t ON t.id = batch.id FOR NO KEY UPDATE OF t SKIP LOCKED`)
	return tx.ids(s.String(), s.args...)
}

// pgIndexKey names the advisory lock of the one node that indexes.
const pgIndexKey = db.LockKey + 1

// On SQLite the num of an entry is made of the moment by which its row is listed, so that the entries that
// hold a text come out newest first. In a millisecond there is place for numsEach of them; what does not
// fit takes the next free num, and nearly always one within numsRoom. Only when these are taken too, as
// after an import that gave everything the same moment, does it go beyond numsEnd, before all others.
// Either way a num is never below numOf the row's moment.
const (
	numsEach = 16
	numsRoom = 4096
	numsEnd  = 1 << 60
)

func numOf(moment int64) int64 { return moment * numsEach }

// unindexed is a row whose entry in the index is missing or old.
type unindexed struct {
	id, company model.ID
	folded      string
	moment      int64
	num         *int64 // of the old entry
}

// indexSQLite does a batch. The full-text table keeps no text of its own: what an entry said is told to it
// for it to forget the entry. It writes whenever another statement comes between and whenever a num is
// less than the one before, so all that it forgets and all that it learns go to it at once and in order.
func (tx *Tx) indexSQLite(noun *searched, n int) (int, error) {
	batch, err := tx.unindexed(noun, n)
	if err != nil || len(batch) == 0 {
		return 0, err
	}
	ids := make([]model.ID, len(batch))
	for i := range batch {
		ids[i] = batch[i].id
	}
	entries := func(s *statement) string {
		return ` FROM (` + listed(ids)(s) + `) ids CROSS JOIN ` + noun.index + ` x ON x.subject = ids.id ORDER BY x.num`
	}
	s := tx.statement()
	s.WriteString(`INSERT INTO ` + noun.trigrams + ` (` + noun.trigrams + `, rowid, folded) SELECT 'delete', x.num, x.folded` + entries(s))
	tx.later(s.String(), s.args...)
	free := freeNums{tx: tx, noun: noun}
	for _, row := range batch {
		num, err := free.take(row)
		if err != nil {
			return 0, err
		}
		tx.later(`
			INSERT INTO `+noun.index+` (num, subject, company, folded)
			VALUES ($1, $2, $3, $4)
			ON CONFLICT (subject) DO UPDATE SET num = excluded.num, folded = excluded.folded`, num, row.id, row.company, row.folded+companyTag(row.company))
	}
	s = tx.statement()
	s.WriteString(`INSERT INTO ` + noun.trigrams + ` (rowid, folded) SELECT x.num, x.folded` + entries(s))
	tx.later(s.String(), s.args...)
	s = tx.statement()
	s.WriteString(`UPDATE ` + noun.table + ` SET unindexed = FALSE WHERE id IN (` + listed(ids)(s) + `)`)
	_, err = tx.exec(s.String(), s.args...)
	return len(batch), err
}

// unindexed gives a batch of rows in the order of their nums to be.
func (tx *Tx) unindexed(noun *searched, n int) (batch []unindexed, err error) {
	moment := "0"
	if noun.moment != "" {
		moment = "t." + noun.moment
	}
	err = tx.query(`
		SELECT t.id, t.company, t.folded, x.num, `+moment+`
		FROM `+noun.table+` t INDEXED BY `+noun.pending+`
		LEFT JOIN `+noun.index+` x ON x.subject = t.id
		WHERE t.unindexed
		ORDER BY t.company, t.id
		LIMIT $1`, []any{n}, func(r Row) error {
		row := unindexed{r.ID(0), r.ID(1), r.Text(2), r.Int(4), r.NullInt(3)}
		if noun.moment == "" {
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
	tx       *Tx
	noun     *searched
	from, to int64
}

// take gives a num for a row: its old one, if it is still right, or the first free one.
func (f *freeNums) take(row unindexed) (int64, error) {
	first := numOf(row.moment)
	end := first + numsRoom
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
	err := f.tx.query(`SELECT num FROM `+f.noun.index+` WHERE num >= $1 AND num < $2 ORDER BY num`, []any{f.from, end}, func(r Row) error {
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
	_, err = f.tx.one(`SELECT COALESCE(MAX(num), 0) FROM `+f.noun.index, nil, func(r Row) { num = max(numsEnd, r.Int(0)+1) })
	return num, err
}

// forgetText takes a row that is being deleted out of the index.
func (tx *Tx) forgetText(noun *searched, id model.ID) error {
	if tx.SQLite() {
		var num int64
		var was string
		known, err := tx.one(`SELECT num, folded FROM `+noun.index+` WHERE subject = $1`, []any{id}, func(r Row) { num, was = r.Int(0), r.Text(1) })
		if err != nil || !known {
			return err
		}
		tx.later(`INSERT INTO `+noun.trigrams+` (`+noun.trigrams+`, rowid, folded) VALUES ('delete', $1, $2)`, num, was)
	}
	tx.later(`DELETE FROM `+noun.index+` WHERE subject = $1`, id)
	return nil
}
