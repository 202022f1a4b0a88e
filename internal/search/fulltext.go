package search

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strings"

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
		last, err := f.lastNum()
		return max(numsEnd, last+1), err
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

// lastNum returns the greatest num of all entries, or 0.
func (x *fullText) lastNum() (num int64, err error) {
	_, err = x.tx.One(`SELECT /* all companies: they share the numbers */ COALESCE(MAX(num), 0) AS num FROM `+x.noun.Entries, nil,
		func(r db.Row) { num = r.Int("num") })
	return num, err
}

// scan reads the full-text table, which returns the newest entries first.
func (x *fullText) scan(p *Plan) (*indexScan, error) {
	below := int64(math.MaxInt64) // the nums of the remaining entries
	if !p.After.IsZero() {
		last, err := x.lastNum()
		if err != nil {
			return nil, err
		}
		if last < numsEnd {
			below = numOf(p.After.Time().UnixMilli()) + numsSpan
		}
	}
	scan := &indexScan{}
	scan.next = func(n int) (ids []kernel.ID, err error) {
		s := x.tx.Statement()
		s.WriteString(`
			SELECT x.num, x.subject, x.company = ` + s.Arg(p.Company) + ` AND ` + p.Text.Contains(s, "x.folded") + ` AS matches
			FROM ` + x.noun.Trigrams + ` f
			CROSS JOIN ` + x.noun.Entries + ` x ON x.num = f.rowid
			WHERE f.` + x.noun.Trigrams + ` MATCH ` + s.Arg(p.Text.ftsQuery(p.Company)) + ` AND f.rowid < ` + s.Arg(below) + `
			ORDER BY f.rowid DESC
			LIMIT ` + s.Arg(n) + ` + 0`) // without + 0, SQLite prepares a new plan for each value
		rows := 0
		err = x.tx.Query(s.String(), s.Args, func(r db.Row) error {
			rows, below = rows+1, r.Int("num")
			if id := r.ID("subject"); r.Bool("matches") {
				ids = append(ids, id)
			}
			return nil
		})
		scan.ended, scan.reached = rows < n, x.bound(below)
		return ids, err
	}
	return scan, nil
}

// bound returns a position that no entry with a smaller num comes before. The nums of one millisecond are not ordered.
func (x *fullText) bound(num int64) position {
	moment := num/numsEach + 1
	if x.noun.Moment != "" {
		return position{moment: moment}
	}
	var first kernel.ID // of that millisecond
	binary.BigEndian.PutUint64(first[:], uint64(min(moment, 1<<48-1))<<16)
	return position{id: first}
}

// companyTag returns the suffix of every text of a company in SQLite's full-text index: three characters of the private use area.
// All companies share the index. Searches also match the suffix, so that they do not read entries of other companies. In the
// unlikely case that two companies have the same tag, searches are slower but correct, because they check the company.
func companyTag(company kernel.ID) string {
	const first, count = 0xE000, 6400
	random := binary.BigEndian.Uint64(company[8:])
	return string([]rune{first + rune(random%count), first + rune(random/count%count), first + rune(random/count/count%count)})
}

// ftsQuery returns a query in the syntax of SQLite's full-text index: the trigrams of each needle and the tag of the company. The
// tag is last, because the index is read in the order of the first term.
func (text Text) ftsQuery(company kernel.ID) string {
	return text.anyOf(func(needle string) string {
		var quoted []string
		for _, gram := range rarestTrigrams(needle) {
			quoted = append(quoted, `"`+strings.ReplaceAll(gram, `"`, `""`)+`"`)
		}
		return "(" + strings.Join(quoted, " AND ") + ")"
	}) + ` AND "` + companyTag(company) + `"`
}

// mostTrigrams is the number of trigrams of a needle in a query. Each costs time, and the first few exclude most entries.
const mostTrigrams = 3

// rarestTrigrams splits a text into trigrams and returns those that are probably the rarest, judged by their letters. An entry with
// these trigrams may not contain the text, so the caller must check it.
func rarestTrigrams(text string) []string {
	runes := []rune(text)
	var all []string
	for i := 0; i < len(runes); i += 3 {
		from := min(i, len(runes)-3)
		if gram := string(runes[from : from+3]); !slices.Contains(all, gram) {
			all = append(all, gram)
		}
	}
	slices.SortStableFunc(all, func(a, b string) int { return cmp.Compare(commonness(a), commonness(b)) })
	return all[:min(mostTrigrams, len(all))]
}

// commonness returns a higher number for trigrams with letters that are frequent in Portuguese.
func commonness(gram string) (sum int) {
	for _, r := range gram {
		if at := strings.IndexRune(" aeosrindtumclpvgqbfhz", r); at >= 0 {
			sum += 22 - at
		}
	}
	return sum
}
