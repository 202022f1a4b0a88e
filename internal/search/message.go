package search

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"recado/internal/fold"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// Messages are too many for a second copy of their texts beside each. Those whose text the index does not have wait in
// the table messages_unindexed. SQLite's index holds trigrams alone, and the number of an entry is the first half of the
// message's id, so that entries come out newest first; the few messages that share it share the entry. PostgreSQL's has
// the folded texts. What an index leads to is only a candidate: the message's own text is looked at.

// NewMessageText gives the text that a caller looks for in messages, and false when nothing of it is left to look for.
func NewMessageText(q string) (Text, bool) {
	needle := fold.Text(strings.TrimSpace(q))
	return Text{needles: []string{needle}, short: !hasTrigram(needle)}, needle != ""
}

// UpdateMessages brings the index of messages up to date for at most n of those that wait, and gives how many it did.
// Several nodes may do so at once. A change of a message that is taken here waits for the end of the transaction, or was made before.
func UpdateMessages(tx *db.Tx, n int) (int, error) {
	batch, err := rowsAt(tx, `
		WITH batch AS MATERIALIZED (
			SELECT /* all companies: texts to index */ company, id
			FROM messages_unindexed
			ORDER BY company, id
			LIMIT $1`+tx.Dialect().Lock(` FOR UPDATE SKIP LOCKED`)+`
		)
		DELETE FROM messages_unindexed
		WHERE (company, id) IN (SELECT company, id FROM batch)
		RETURNING company, id`, n)
	if err != nil || len(batch) == 0 {
		return 0, err
	}
	if tx.Dialect().FullTextTables() {
		err = updateMessageTrigrams(tx, batch)
	} else {
		err = updateMessageTexts(tx, batch)
	}
	return len(batch), err
}

// updateMessageTrigrams writes the entries of a batch, in the order of their numbers and with one statement, as SQLite's
// full-text index wants it. An entry that exists may be shared with messages of any company.
func updateMessageTrigrams(tx *db.Tx, batch []rowAt) error {
	nums := make([]int64, 0, len(batch))
	var packed []byte
	for _, m := range batch {
		num := messageNum(m.id)
		nums = append(nums, num)
		packed = appendIDsOfNum(append(packed, m.company[:]...), num)
		packed = fmt.Appendf(packed, "%019d", num)
	}
	slices.Sort(nums)
	nums = slices.Compact(nums)
	texts := make(map[int64]string, len(nums))
	err := tx.Query(recordsOf("$1", 16+32+19)+`,
		batch (company, first, last, num) AS (
			SELECT substr($1, i, 16), substr($1, i + 16, 16), substr($1, i + 32, 16), CAST(substr($1, i + 48, 19) AS INTEGER)
			FROM at
		)
		SELECT m.id, m.company, m.text
		FROM (
			SELECT company, first, last FROM batch
			UNION
			SELECT o.id, b.first, b.last
			FROM batch b
			CROSS JOIN companies o
			WHERE EXISTS (SELECT 1 FROM message_trigrams_docsize d WHERE d.id = b.num)
		) b
		CROSS JOIN messages m INDEXED BY messages_id ON m.company = b.company AND m.id BETWEEN b.first AND b.last`, []any{packed}, func(r db.Row) error {
		if text := r.NullText(2); text != nil {
			texts[messageNum(r.ID(0))] += fold.Text(*text) + companyTag(r.ID(1))
		}
		return nil
	})
	if err != nil {
		return err
	}
	entries := make([][2]any, len(nums))
	for i, num := range nums {
		entries[i] = [2]any{num, texts[num]}
	}
	list, err := json.Marshal(entries)
	if err != nil {
		return err
	}
	tx.Later(`INSERT OR REPLACE INTO message_trigrams (rowid, folded) SELECT value ->> 0, value ->> 1 FROM json_each($1)`, string(list))
	return nil
}

// updateMessageTexts writes the entries of a batch, and deletes those of messages that have no text any more.
func updateMessageTexts(tx *db.Tx, batch []rowAt) error {
	gone := make(map[rowAt]bool, len(batch)) // the messages without a text
	for _, m := range batch {
		gone[m] = true
	}
	var texts [][3]string
	s := tx.Statement()
	s.WriteString("SELECT m.company, m.id, m.text " + tx.Dialect().FromSubset("ids.company", listed(tx, s, batch), "messages", "m"))
	err := tx.Query(s.String(), s.Args, func(r db.Row) error {
		if text := r.NullText(2); text != nil {
			texts = append(texts, [3]string{r.ID(0).String(), r.ID(1).String(), fold.Text(*text)})
			delete(gone, rowAt{r.ID(0), r.ID(1)})
		}
		return nil
	})
	if err != nil {
		return err
	}
	list, err := json.Marshal(texts)
	if err != nil {
		return err
	}
	tx.Later(`
		INSERT INTO message_search (company, subject, folded)
		SELECT CAST(v ->> 0 AS UUID), CAST(v ->> 1 AS UUID), v ->> 2
		FROM jsonb_array_elements(CAST($1 AS JSONB)) v
		ON CONFLICT (company, subject) DO UPDATE SET folded = excluded.folded`, string(list))
	for m := range gone {
		tx.Later(`DELETE FROM message_search WHERE company = $1 AND subject = $2`, m.company, m.id)
	}
	return nil
}

// messageNum is the number of a message's entry: the time of its id to the millisecond, and the twelve bits after it.
func messageNum(id kernel.ID) int64 {
	first := binary.BigEndian.Uint64(id[:8])
	return int64(first>>16<<12 | first&0xfff)
}

// idsOfNum gives the first and the last id that have a number.
func idsOfNum(num int64) (first, last kernel.ID) {
	half := uint64(num)>>12<<16 | 0x7000 | uint64(num)&0xfff
	binary.BigEndian.PutUint64(first[:8], half)
	binary.BigEndian.PutUint64(last[:8], half)
	binary.BigEndian.PutUint64(last[8:], math.MaxUint64)
	return first, last
}

// appendIDsOfNum appends the first and the last id that have a number.
func appendIDsOfNum(b []byte, num int64) []byte {
	first, last := idsOfNum(num)
	return append(append(b, first[:]...), last[:]...)
}

// messagesWithNums is the subset of the company's messages of some entries, on SQLite.
func messagesWithNums(s *db.Statement, company kernel.ID, nums []int64) string {
	packed := make([]byte, 0, 32*len(nums))
	for _, num := range nums {
		packed = appendIDsOfNum(packed, num)
	}
	arg := s.Arg(packed)
	return recordsOf(arg, 32) +
		" SELECT n.id AS id FROM at CROSS JOIN messages n INDEXED BY messages_id" +
		" ON n.company = " + s.Arg(company) + " AND n.id BETWEEN substr(" + arg + ", i, 16) AND substr(" + arg + ", i + 16, 16)"
}

// MessageScan reads the candidates for a text from the index of messages, newest first.
type MessageScan struct {
	tx      *db.Tx
	company kernel.ID
	text    Text
	left    int         // entries that it may still read
	hits    []kernel.ID // candidates to come, where the index gave them all at once
	listed  bool        // hits are all there are

	Before kernel.ID // the candidates to come have smaller ids
	Ended  bool      // there are no more
}

// shortBudget is how many entries are read for a text that no index can find: the text of each message is looked at.
const shortBudget = 2_000

// ScanMessages starts to read the candidates of a company that have smaller ids than before.
func ScanMessages(tx *db.Tx, company kernel.ID, text Text, before kernel.ID) (*MessageScan, error) {
	scan := &MessageScan{tx: tx, company: company, text: text, left: Budget.Index, Before: before}
	if tx.Dialect().FullTextTables() {
		if text.short {
			scan.left = shortBudget
		}
		return scan, nil
	}
	if text.short {
		return scan, nil
	}
	return scan, scan.list()
}

// Exhausted reports whether the scan has read what it may. A later one goes on from Before.
func (scan *MessageScan) Exhausted() bool { return scan.left <= 0 }

// Next gives the candidates among the next n entries or fewer.
func (scan *MessageScan) Next(n int) (db.Subset, error) {
	n = min(n, scan.left)
	scan.left -= n
	switch {
	case scan.listed:
		return scan.nextListed(n), nil
	case scan.tx.Dialect().FullTextTables():
		return scan.nextTrigrams(n)
	}
	return scan.nextTexts(n)
}

// nextTrigrams reads SQLite's index. It may have entries with the number of Before, of which some are before it.
func (scan *MessageScan) nextTrigrams(n int) (db.Subset, error) {
	query := `"` + companyTag(scan.company) + `"`
	if !scan.text.short {
		query = scan.text.ftsQuery(scan.company)
	}
	var nums []int64
	err := scan.tx.Query(`
		SELECT rowid
		FROM message_trigrams
		WHERE message_trigrams MATCH $1 AND rowid <= $2
		ORDER BY rowid DESC
		LIMIT $3 + 0`, []any{query, messageNum(scan.Before), n}, func(r db.Row) error {
		nums = append(nums, r.Int(0))
		return nil
	})
	before := scan.Before
	if scan.Ended = len(nums) < n; !scan.Ended {
		scan.Before, _ = idsOfNum(nums[len(nums)-1])
	}
	return func(s *db.Statement) string {
		return "SELECT id FROM (" + messagesWithNums(s, scan.company, nums) + ") WHERE id < " + s.Arg(before)
	}, err
}

// list reads all entries of PostgreSQL's index that have the text, unless they are too many: then the newest entries are
// read, among which there are many of them.
func (scan *MessageScan) list() error {
	s := scan.tx.Statement()
	s.WriteString("SELECT subject FROM message_search WHERE company = " + s.Arg(scan.company) + " AND " + scan.text.like(s) +
		" AND subject < " + s.Arg(scan.Before) + " LIMIT " + strconv.Itoa(Budget.Index+1))
	ids, err := scan.tx.IDs(s.String(), s.Args...)
	if err != nil || len(ids) > Budget.Index {
		return err
	}
	slices.SortFunc(ids, func(a, b kernel.ID) int { return slices.Compare(b[:], a[:]) })
	scan.hits, scan.listed = ids, true
	return nil
}

func (scan *MessageScan) nextListed(n int) db.Subset {
	hits := scan.hits[:min(n, len(scan.hits))]
	scan.hits = scan.hits[len(hits):]
	if scan.Ended = len(scan.hits) == 0; !scan.Ended {
		scan.Before = hits[len(hits)-1]
	}
	return db.Listed(hits)
}

// textsAtOnce is how many entries of PostgreSQL's index are read at once where they are read along the list.
const textsAtOnce = 1_000

func (scan *MessageScan) nextTexts(n int) (db.Subset, error) {
	scan.left -= max(0, textsAtOnce-n)
	n = textsAtOnce
	s := scan.tx.Statement()
	s.WriteString("SELECT subject, " + scan.text.Contains(s, "folded") + " FROM message_search WHERE company = " + s.Arg(scan.company) +
		" AND subject < " + s.Arg(scan.Before) + " ORDER BY subject DESC LIMIT " + strconv.Itoa(textsAtOnce))
	var hits []kernel.ID
	rows := 0
	err := scan.tx.Query(s.String(), s.Args, func(r db.Row) error {
		rows, scan.Before = rows+1, r.ID(0)
		if r.Bool(1) {
			hits = append(hits, r.ID(0))
		}
		return nil
	})
	scan.Ended = rows < n
	return db.Listed(hits), err
}

// WaitingMessages gives the newest messages of a company that contain a text, have smaller ids than before, and wait to
// be indexed.
func WaitingMessages(tx *db.Tx, company kernel.ID, text Text, before kernel.ID) (ids []kernel.ID, err error) {
	err = tx.Query(`
		SELECT u.id, m.text
		FROM messages_unindexed u
		JOIN messages m ON m.company = u.company AND m.id = u.id
		WHERE u.company = $1 AND u.id < $2
		ORDER BY u.id DESC
		LIMIT $3`, []any{company, before, Budget.List}, func(r db.Row) error {
		if m := r.NullText(1); m != nil && text.In(fold.Text(*m)) {
			ids = append(ids, r.ID(0))
		}
		return nil
	})
	return ids, err
}

// MessageTime limits the time of the statements of a search until stop is called; see Plan.Run for the error.
func MessageTime(tx *db.Tx) (stop func(error) error) {
	ended := tx.LimitTime(Budget.Time)
	return func(err error) error {
		ended()
		return tooSlow(err)
	}
}

// lateArrival is how much later than it was written a message may arrive: WhatsApp repeats callbacks for seven days.
const lateArrival = 8 * 24 * time.Hour

// BeforeTime gives an id that is greater than those of all messages written before a time.
func BeforeTime(t time.Time) kernel.ID { return kernel.FirstIDOf(t.Add(lateArrival)) }
