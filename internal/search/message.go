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

// The table messages_unindexed contains the messages that are not in the index yet. SQLite's index contains only trigrams, not a
// copy of the texts. The number of an entry is the first half of the message's id, so that the newest entries come first; the few
// messages with the same number share an entry. PostgreSQL's index contains the folded texts. An index only returns candidates:
// the caller must check the text of the message.

// NewMessageText returns the Text for a query in messages, which must not be empty.
func NewMessageText(q string) Text {
	needle := fold.Text(strings.TrimSpace(q))
	return Text{needles: []string{needle}, short: !hasTrigram(needle)}
}

// UpdateMessages indexes at most n unindexed messages and returns how many it indexed. Several nodes may call it concurrently: a
// transaction that changes one of the messages has ended before or waits for this one.
func UpdateMessages(tx *db.Tx, n int) (int, error) {
	lockIndex(tx)
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

// updateMessageTrigrams writes the entries of a batch ordered by number and with one statement, which SQLite's full-text index
// needs to be fast. An existing entry may be shared with messages of any company.
func updateMessageTrigrams(tx *db.Tx, batch []rowAt) error {
	nums := make([]int64, 0, len(batch))
	var packed []byte
	for _, m := range batch {
		num := messageNum(m.id)
		first, last := idsOfNum(num)
		nums = append(nums, num)
		packed = append(append(append(packed, m.company[:]...), first[:]...), last[:]...)
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
		id, company := r.ID("id"), r.ID("company")
		if text := r.NullText("text"); text != nil {
			texts[messageNum(id)] += fold.Text(*text) + companyTag(company)
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

// updateMessageTexts writes the entries of a batch and deletes those of messages that have no text any more.
func updateMessageTexts(tx *db.Tx, batch []rowAt) error {
	withoutText := make(map[rowAt]bool, len(batch))
	for _, m := range batch {
		withoutText[m] = true
	}
	var texts [][3]string
	s := tx.Statement()
	s.WriteString("SELECT m.company, m.id, m.text " + tx.FromSubset("ids.company", listed(tx, s, batch), "messages", "m"))
	err := tx.Query(s.String(), s.Args, func(r db.Row) error {
		m := rowAt{r.ID("company"), r.ID("id")}
		if text := r.NullText("text"); text != nil {
			texts = append(texts, [3]string{m.company.String(), m.id.String(), fold.Text(*text)})
			delete(withoutText, m)
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
	for m := range withoutText {
		tx.Later(`DELETE FROM message_search WHERE company = $1 AND subject = $2`, m.company, m.id)
	}
	return nil
}

// messageNum returns the number of a message's entry: the milliseconds of its id and the twelve random bits after them.
func messageNum(id kernel.ID) int64 {
	first := binary.BigEndian.Uint64(id[:8])
	return int64(first>>16<<12 | first&0xfff)
}

// idsOfNum returns the first and the last id with a number.
func idsOfNum(num int64) (first, last kernel.ID) {
	half := uint64(num)>>12<<16 | 0x7000 | uint64(num)&0xfff
	binary.BigEndian.PutUint64(first[:8], half)
	binary.BigEndian.PutUint64(last[:8], half)
	binary.BigEndian.PutUint64(last[8:], math.MaxUint64)
	return first, last
}

// MessageScan reads the candidates for a text from the index of messages, newest first.
type MessageScan struct {
	tx      *db.Tx
	company kernel.ID
	text    Text
	left    int // entries that it may still read
	next    func(n int) (db.Subset, error)

	Before kernel.ID // the remaining candidates have smaller ids
	Ended  bool      // there are no more
}

// shortBudget is the number of entries to read on SQLite for a text that the index cannot find.
const shortBudget = 2_000

// ScanMessages starts to read the candidates of a company with ids below before.
func ScanMessages(tx *db.Tx, company kernel.ID, text Text, before kernel.ID) (*MessageScan, error) {
	scan := &MessageScan{tx: tx, company: company, text: text, left: Budget.Index, Before: before}
	if scan.next = scan.nextTexts; tx.Dialect().FullTextTables() {
		scan.next = scan.nextTrigrams
		if text.short {
			scan.left = shortBudget
		}
	} else if !text.short {
		return scan, scan.list()
	}
	return scan, nil
}

// Exhausted reports whether the scan has used up its budget. Another scan can continue from Before.
func (scan *MessageScan) Exhausted() bool { return scan.left <= 0 }

// Next returns the candidates among the next n entries or fewer.
func (scan *MessageScan) Next(n int) (db.Subset, error) {
	n = min(n, scan.left)
	scan.left -= n
	return scan.next(n)
}

// nextTrigrams reads SQLite's index. The entry with the number of Before may also contain messages that come later.
func (scan *MessageScan) nextTrigrams(n int) (db.Subset, error) {
	query := `"` + companyTag(scan.company) + `"`
	if !scan.text.short {
		query = scan.text.ftsQuery(scan.company)
	}
	var packed []byte // the first and the last id of each entry
	count, before := 0, scan.Before
	err := scan.tx.Query(`
		SELECT rowid
		FROM message_trigrams
		WHERE message_trigrams MATCH $1 AND rowid <= $2
		ORDER BY rowid DESC
		LIMIT $3 + 0`, []any{query, messageNum(before), n}, func(r db.Row) error {
		first, last := idsOfNum(r.Int("rowid"))
		packed = append(append(packed, first[:]...), last[:]...)
		count, scan.Before = count+1, first
		return nil
	})
	scan.Ended = count < n
	return func(s *db.Statement) string {
		arg := s.Arg(packed)
		return "SELECT id FROM (" + recordsOf(arg, 32) +
			" SELECT n.id AS id FROM at CROSS JOIN messages n INDEXED BY messages_id" +
			" ON n.company = " + s.Arg(scan.company) + " AND n.id BETWEEN substr(" + arg + ", i, 16) AND substr(" + arg + ", i + 16, 16)" +
			") WHERE id < " + s.Arg(before)
	}, err
}

// list reads all entries of PostgreSQL's index with the text, unless there are too many. Then Next reads the newest entries, of
// which many match.
func (scan *MessageScan) list() error {
	s := scan.tx.Statement()
	s.WriteString("SELECT subject FROM message_search WHERE company = " + s.Arg(scan.company) + " AND " + scan.text.like(s) +
		" AND subject < " + s.Arg(scan.Before) + " LIMIT " + strconv.Itoa(Budget.Index+1))
	ids, err := scan.tx.IDs(s.String(), s.Args...)
	if err != nil || len(ids) > Budget.Index {
		return err
	}
	slices.SortFunc(ids, func(a, b kernel.ID) int { return kernel.CompareIDs(b, a) })
	scan.next = func(n int) (db.Subset, error) {
		hits := ids[:min(n, len(ids))]
		ids = ids[len(hits):]
		if scan.Ended = len(ids) == 0; !scan.Ended {
			scan.Before = hits[len(hits)-1]
		}
		return db.Listed(hits), nil
	}
	return nil
}

// textsAtOnce is the number of entries of PostgreSQL's index that nextTexts reads.
const textsAtOnce = 1_000

// nextTexts reads the newest entries of PostgreSQL's index. n was already subtracted from the budget.
func (scan *MessageScan) nextTexts(n int) (db.Subset, error) {
	scan.left -= max(0, textsAtOnce-n)
	s := scan.tx.Statement()
	s.WriteString(`
		SELECT subject, ` + scan.text.Contains(s, "folded") + ` AS matches
		FROM message_search
		WHERE company = ` + s.Arg(scan.company) + ` AND subject < ` + s.Arg(scan.Before) + `
		ORDER BY subject DESC
		LIMIT ` + strconv.Itoa(textsAtOnce))
	var hits []kernel.ID
	rows := 0
	err := scan.tx.Query(s.String(), s.Args, func(r db.Row) error {
		rows, scan.Before = rows+1, r.ID("subject")
		if r.Bool("matches") {
			hits = append(hits, scan.Before)
		}
		return nil
	})
	scan.Ended = rows < textsAtOnce
	return db.Listed(hits), err
}

// WaitingMessages returns the newest unindexed messages of a company that contain a text and have ids below before.
func WaitingMessages(tx *db.Tx, company kernel.ID, text Text, before kernel.ID) (ids []kernel.ID, err error) {
	err = tx.Query(`
		SELECT u.id, m.text
		FROM messages_unindexed u
		JOIN messages m ON m.company = u.company AND m.id = u.id
		WHERE u.company = $1 AND u.id < $2
		ORDER BY u.id DESC
		LIMIT $3`, []any{company, before, Budget.List}, func(r db.Row) error {
		id := r.ID("id")
		if m := r.NullText("text"); m != nil && text.In(fold.Text(*m)) {
			ids = append(ids, id)
		}
		return nil
	})
	return ids, err
}

// lateArrival is the maximum delay of a message. WhatsApp repeats callbacks for seven days.
const lateArrival = 8 * 24 * time.Hour

// BeforeTime returns an id that is greater than those of all messages written before a time.
func BeforeTime(t time.Time) kernel.ID { return kernel.FirstIDOf(t.Add(lateArrival)) }
