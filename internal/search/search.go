// Package search finds the rows of a list that contain a text, and keeps the trigram index that it reads. It knows no filter
// and no column of a list; its caller passes them as a List.
package search

import (
	"strconv"
	"time"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// Noun is a table that is searched. It has a column folded with its live text, a flag unindexed for rows whose
// text or moment the trigram index does not have yet, and the index itself beside it.
type Noun struct {
	Table    string // conversations
	Entries  string // conversation_search: num, company, subject, folded
	Trigrams string // the full-text table over the entries, where the engine needs one
	Pending  string // the partial index over unindexed rows
	Moment   string // the column by which its list is ordered, the newest first; without one the order is by id
}

// The nouns that are searched.
var (
	Conversations = Noun{"conversations", "conversation_search", "conversation_trigrams", "conversations_unindexed", "activity_at"}
	Contacts      = Noun{"contacts", "contact_search", "contact_trigrams", "contacts_unindexed", ""}
	Cards         = Noun{"cards", "card_search", "card_trigrams", "cards_unindexed", ""}
)

// Budget is what one search may cost. It is a variable so that tests can lower it.
var Budget = struct {
	FirstPass int           // rows of the list that are read before the index
	Index     int           // entries of the index
	List      int           // rows of the list, when the index was of no use
	Time      time.Duration // for the statements of a search
}{FirstPass: 150, Index: 10_000, List: 10_000, Time: time.Second}

// trigramIndex is the index of one noun, in the form that the engine of the transaction has.
type trigramIndex interface {
	// update brings the entries of at most n rows up to date and gives how many it did.
	update(n int) (int, error)
	// forget removes the entry of a row that is being deleted.
	forget(company, id kernel.ID) error
	// scan starts to read the entries that may contain the text of a plan.
	scan(p *Plan) (indexScan, error)
}

func indexOf(tx *db.Tx, noun *Noun) trigramIndex {
	if tx.Dialect().FullTextTables() {
		return &fullText{tx, noun}
	}
	return &columnIndex{tx, noun}
}

// Update brings the trigram index up to date for at most n rows of all nouns, and gives how many it did. Several
// nodes may do so at once.
func Update(tx *db.Tx, n int) (done int, err error) {
	for _, noun := range []*Noun{&Conversations, &Contacts, &Cards} {
		rows, err := indexOf(tx, noun).update(n - done)
		if done += rows; err != nil || done >= n {
			return done, err
		}
	}
	return done, nil
}

// Forget removes a row that is being deleted from the index.
func Forget(tx *db.Tx, noun *Noun, company, id kernel.ID) error {
	return indexOf(tx, noun).forget(company, id)
}

// rowAt is a row and its company.
type rowAt struct{ company, id kernel.ID }

// rowsAt runs a query of companies and ids.
func rowsAt(tx *db.Tx, sql string, args ...any) (rows []rowAt, err error) {
	err = tx.Query(sql, args, func(r db.Row) error {
		rows = append(rows, rowAt{r.ID(0), r.ID(1)})
		return nil
	})
	return rows, err
}

// listed is a query of rows that are known already: the columns company and id.
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

// recordsOf is a WITH clause for a blob of records of the same size, on SQLite: at has a row for each, with the place i where it begins.
func recordsOf(arg string, size int) string {
	step := strconv.Itoa(size)
	return "WITH RECURSIVE at (i) AS (SELECT 1 WHERE length(" + arg + ") > 0 UNION ALL SELECT i + " + step + " FROM at WHERE i + " + step + " < length(" + arg + "))"
}

// indexScan reads entries of an index in the order of the list.
type indexScan interface {
	// next gives the rows of the next n entries or fewer.
	next(n int) ([]kernel.ID, error)
	position() *progress
}

// progress is how far a scan has come.
type progress struct {
	looked    int   // entries so far
	ended     bool  // there are no more
	exhausted bool  // the budget is used up
	reached   place // no entry to come stands before this place
}

func (p *progress) position() *progress { return p }

// take gives how many of n entries the budget still allows, and counts them.
func (p *progress) take(n int) int {
	n = min(n, Budget.Index-p.looked)
	p.looked += n
	p.exhausted = p.exhausted || p.looked >= Budget.Index
	return n
}
