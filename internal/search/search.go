// Package search finds the rows of a list that contain a text, and maintains the trigram index for that. The caller passes the
// filters and columns of the list as a List.
package search

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// Noun is a table that can be searched. Its column folded contains the text; its column unindexed marks rows whose text or moment
// is not in the trigram index yet.
type Noun struct {
	Table    string // conversations
	Entries  string // conversation_search: num, company, subject, folded
	Trigrams string // SQLite's full-text table for the entries
	Pending  string // the partial index of unindexed rows
	Moment   string // the column by which its list is ordered, newest first; "" means by id
}

// moment returns the expression for the moment of a row t, 0 for a list that is ordered by id.
func (n *Noun) moment() string {
	if n.Moment == "" {
		return "0"
	}
	return "t." + n.Moment
}

// The nouns that can be searched.
var (
	Conversations = Noun{"conversations", "conversation_search", "conversation_trigrams", "conversations_unindexed", "activity_at"}
	Contacts      = Noun{"contacts", "contact_search", "contact_trigrams", "contacts_unindexed", ""}
	Cards         = Noun{"cards", "card_search", "card_trigrams", "cards_unindexed", ""}
)

// Budget limits the cost of one search. Tests lower it.
var Budget = struct {
	FirstPass int           // rows of the list that are read before the index
	Index     int           // entries of the index
	List      int           // rows of the list if the index cannot be used
	Time      time.Duration // of the statements of a search
}{FirstPass: 150, Index: 10_000, List: 10_000, Time: time.Second}

// trigramIndex is the index of one noun.
type trigramIndex interface {
	// update updates the entries of at most n rows and returns how many it updated.
	update(n int) (int, error)
	// scan starts to read the entries that may contain the text of a plan. It returns nil if there are too many.
	scan(p *Plan) (*indexScan, error)
}

func indexOf(tx *db.Tx, noun *Noun) trigramIndex {
	if tx.Dialect().FullTextTables() {
		return &fullText{tx, noun}
	}
	return &columnIndex{tx, noun}
}

// pgIndexKey is the advisory lock of the index.
const pgIndexKey = db.LockKey + 1

// lockIndex waits until no other transaction changes the index. Otherwise the slower of two could write an older text, or that of
// a deleted row. SQLite has one writer anyway.
func lockIndex(tx *db.Tx) {
	if !tx.Dialect().FullTextTables() {
		tx.Later(`SELECT pg_advisory_xact_lock($1)`, pgIndexKey)
	}
}

// Update updates the trigram index for at most n rows of all nouns and returns how many it updated. Several nodes may call it
// concurrently.
func Update(tx *db.Tx, n int) (done int, err error) {
	lockIndex(tx)
	for _, noun := range []*Noun{&Conversations, &Contacts, &Cards} {
		rows, err := indexOf(tx, noun).update(n - done)
		if done += rows; err != nil || done >= n {
			return done, err
		}
	}
	return done, nil
}

// Forget deletes a row from the index.
func Forget(tx *db.Tx, noun *Noun, company, id kernel.ID) error {
	lockIndex(tx)
	if tx.Dialect().FullTextTables() {
		tx.Later(`
			INSERT INTO `+noun.Trigrams+` (`+noun.Trigrams+`, rowid, folded)
			SELECT 'delete', num, folded FROM `+noun.Entries+` WHERE company = $1 AND subject = $2`, company, id)
	}
	tx.Later(`DELETE FROM `+noun.Entries+` WHERE company = $1 AND subject = $2`, company, id)
	return nil
}

// tidyPages is the number of pages of the index that Tidy writes.
const tidyPages = 200

// Tidy removes deleted entries from SQLite's full-text index, which otherwise keeps their trigrams until it merges its segments. It
// does a part of the work. after is the result of the previous call; the result is empty at the end.
func Tidy(tx *db.Tx, after string) (next string, err error) {
	if !tx.Dialect().FullTextTables() {
		return "", nil
	}
	tables := []string{Conversations.Trigrams, Contacts.Trigrams, Cards.Trigrams, "message_trigrams"}
	table, begun := strings.CutSuffix(cmp.Or(after, tables[0]), " begun")
	pages := int64(tidyPages)
	if !begun {
		pages = -pages // begins to merge all segments into one
	}
	changes := func() (n int64, err error) {
		_, err = tx.One(`SELECT total_changes() AS n`, nil, func(r db.Row) { n = r.Int("n") })
		return n, err
	}
	before, err := changes()
	if err != nil {
		return "", err
	}
	if _, err := tx.Exec(`INSERT INTO `+table+` (`+table+`, rank) VALUES ('merge', $1)`, pages); err != nil {
		return "", err
	}
	done, err := changes()
	if err != nil || done-before >= 2 {
		return table + " begun", err
	}
	if i := slices.Index(tables, table); i+1 < len(tables) {
		return tables[i+1], nil
	}
	return "", nil
}

// rowAt identifies a row by its company and id.
type rowAt struct{ company, id kernel.ID }

// rowsAt runs a query with the columns company and id.
func rowsAt(tx *db.Tx, sql string, args ...any) (rows []rowAt, err error) {
	err = tx.Query(sql, args, func(r db.Row) error {
		rows = append(rows, rowAt{r.ID("company"), r.ID("id")})
		return nil
	})
	return rows, err
}

// listed returns a query for the given rows, with the columns company and id.
func listed(tx *db.Tx, s *db.Statement, rows []rowAt) string {
	if tx.Dialect().FullTextTables() {
		packed := make([]byte, 0, 32*len(rows))
		for _, row := range rows {
			packed = append(append(packed, row.company[:]...), row.id[:]...)
		}
		arg := s.Arg(packed)
		return recordsOf(arg, 32) + " SELECT substr(" + arg + ", i, 16) AS company, substr(" + arg + ", i + 16, 16) AS id FROM at"
	}
	companies, ids := make([]kernel.ID, len(rows)), make([]kernel.ID, len(rows))
	for i, row := range rows {
		companies[i], ids[i] = row.company, row.id
	}
	return "SELECT unnest(CAST(" + s.Arg(companies) + " AS UUID[])) AS company, unnest(CAST(" + s.Arg(ids) + " AS UUID[])) AS id"
}

// recordsOf returns a WITH clause of SQLite for a blob of records of the same size: at has a row for each, with its offset i.
func recordsOf(arg string, size int) string {
	step := strconv.Itoa(size)
	return "WITH RECURSIVE at (i) AS (SELECT 1 WHERE length(" + arg + ") > 0 UNION ALL SELECT i + " + step +
		" FROM at WHERE i + " + step + " < length(" + arg + "))"
}

// indexScan reads entries of an index in the order of the list.
type indexScan struct {
	next    func(n int) ([]kernel.ID, error) // returns the matching rows of the next n entries or fewer
	ended   bool                             // there are no more
	reached position                         // no remaining entry comes before this position
}
