package store

import (
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
	ids, err := tx.ids(`SELECT id FROM `+noun.table+` WHERE unindexed ORDER BY id LIMIT $1`, n)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	s := tx.statement()
	s.WriteString(`
		INSERT INTO ` + noun.index + ` AS x (subject, company, folded)
		SELECT t.id, t.company, t.folded
		FROM (` + listed(ids)(s) + `) batch
		JOIN ` + noun.table + ` t ON t.id = batch.id
		ON CONFLICT (subject) DO UPDATE SET folded = excluded.folded
		WHERE x.folded <> excluded.folded`)
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
		WHERE t.id = batch.id AND t.folded = x.folded`)
	tx.later(s.String(), s.args...)
	return found, nil
}

// unlocked locks those of the rows that nobody is changing. Whoever changes many conversations takes them in an
// order of its own, so to wait for one of them while holding others would end in a deadlock.
func (tx *Tx) unlocked(noun *searched, ids []model.ID) ([]model.ID, error) {
	s := tx.statement()
	s.WriteString(`SELECT t.id FROM (` + listed(ids)(s) + `) batch JOIN ` + noun.table + ` t ON t.id = batch.id FOR NO KEY UPDATE OF t SKIP LOCKED`)
	return tx.ids(s.String(), s.args...)
}

// pgIndexKey names the advisory lock of the one node that indexes.
const pgIndexKey = pgLockKey + 1

// indexSQLite does a batch in four statements, which all see the same rows. The full-text table keeps no
// text of its own: what an entry said is told to it for it to forget the entry. It writes whenever
// another statement comes between, so all that it forgets and all that it learns go to it at once.
func (tx *Tx) indexSQLite(noun *searched, n int) (int, error) {
	batch := `(
		SELECT id, company, folded
		FROM ` + noun.table + ` INDEXED BY ` + noun.pending + `
		WHERE unindexed
		ORDER BY id
		LIMIT $1)`
	tx.later(`
		INSERT INTO `+noun.trigrams+` (`+noun.trigrams+`, rowid, folded)
		SELECT 'delete', x.num, x.folded
		FROM `+batch+` b
		CROSS JOIN `+noun.index+` x ON x.subject = b.id`, n)
	tx.later(`
		INSERT INTO `+noun.index+` (subject, company, folded)
		SELECT id, company, folded
		FROM `+batch+`
		WHERE TRUE
		ON CONFLICT (subject) DO UPDATE SET folded = excluded.folded`, n)
	tx.later(`
		INSERT INTO `+noun.trigrams+` (rowid, folded)
		SELECT x.num, x.folded
		FROM `+batch+` b
		CROSS JOIN `+noun.index+` x ON x.subject = b.id`, n)
	done, err := tx.exec(`
		UPDATE `+noun.table+`
		SET unindexed = FALSE
		WHERE id IN (SELECT id FROM `+batch+`)`, n)
	return int(done), err
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
