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

// indexPostgres does a batch in one statement. Rows that somebody is changing wait for the next one.
func (tx *Tx) indexPostgres(noun *searched, n int) (int, error) {
	done, err := tx.exec(`
		WITH batch AS MATERIALIZED (
			SELECT id, company, folded
			FROM `+noun.table+`
			WHERE unindexed
			ORDER BY id
			LIMIT $1
			FOR NO KEY UPDATE SKIP LOCKED
		), known AS (
			INSERT INTO `+noun.index+` AS x (subject, company, folded)
			SELECT id, company, folded FROM batch
			ON CONFLICT (subject) DO UPDATE SET folded = excluded.folded
			WHERE x.folded <> excluded.folded
		)
		UPDATE `+noun.table+` t
		SET unindexed = FALSE
		FROM batch
		WHERE t.id = batch.id`, n)
	return int(done), err
}

// indexSQLite does a batch row by row: the full-text table keeps no text of its own, so what an entry
// said has to be told to it for it to forget the entry.
func (tx *Tx) indexSQLite(noun *searched, n int) (int, error) {
	type row struct {
		id, company model.ID
		folded      string
	}
	var batch []row
	err := tx.query(`SELECT id, company, folded FROM `+noun.table+` INDEXED BY `+noun.pending+` WHERE unindexed LIMIT $1`, []any{n},
		func(r Row) error {
			batch = append(batch, row{r.ID(0), r.ID(1), r.Text(2)})
			return nil
		})
	for _, r := range batch {
		if err != nil {
			return 0, err
		}
		var num int64
		var was string
		known, failed := tx.one(`SELECT num, folded FROM `+noun.index+` WHERE subject = $1`, []any{r.id}, func(r Row) { num, was = r.Int(0), r.Text(1) })
		switch {
		case failed != nil:
			return 0, failed
		case !known:
			_, err = tx.one(`INSERT INTO `+noun.index+` (subject, company, folded) VALUES ($1, $2, $3) RETURNING num`,
				[]any{r.id, r.company, r.folded}, func(r Row) { num = r.Int(0) })
			tx.later(`INSERT INTO `+noun.trigrams+` (rowid, folded) VALUES ($1, $2)`, num, r.folded)
		case was != r.folded:
			tx.forgetTrigrams(noun, num, was)
			tx.later(`UPDATE `+noun.index+` SET folded = $2 WHERE num = $1`, num, r.folded)
			tx.later(`INSERT INTO `+noun.trigrams+` (rowid, folded) VALUES ($1, $2)`, num, r.folded)
		}
		tx.later(`UPDATE `+noun.table+` SET unindexed = FALSE WHERE id = $1`, r.id)
	}
	return len(batch), err
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
		tx.forgetTrigrams(noun, num, was)
	}
	tx.later(`DELETE FROM `+noun.index+` WHERE subject = $1`, id)
	return nil
}

func (tx *Tx) forgetTrigrams(noun *searched, num int64, was string) {
	tx.later(`INSERT INTO `+noun.trigrams+` (`+noun.trigrams+`, rowid, folded) VALUES ('delete', $1, $2)`, num, was)
}
