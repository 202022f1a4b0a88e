package store

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strings"

	"recado/internal/model"
)

// indexScan reads the entries of an index that may contain a text, in the order of the list.
type indexScan struct {
	*searchPlan
	looked    int   // entries so far
	ended     bool  // there are no more
	exhausted bool  // the budget is
	reached   place // no entry to come stands before this place
	num       int64 // SQLite: the entries to come stand below it

	hits []place // PostgreSQL: the entries to come
}

func newIndexScan(p *searchPlan) (*indexScan, error) {
	scan := &indexScan{searchPlan: p, num: math.MaxInt64}
	if !p.tx.SQLite() {
		return scan, scan.readHits()
	}
	if p.after.IsZero() || p.after == afterAll {
		return scan, nil
	}
	_, err := p.tx.one(`SELECT COALESCE(MAX(num), 0) FROM `+p.noun.index, nil, func(r Row) {
		if r.Int(0) < numsEnd {
			scan.num = numOf(p.after.Time().UnixMilli()) + numsRoom
		}
	})
	return scan, err
}

// next gives the rows of the next n entries or fewer.
func (scan *indexScan) next(n int) (ids []model.ID, err error) {
	n = min(n, indexBudget-scan.looked)
	if scan.tx.SQLite() {
		ids, err = scan.nextEntries(n)
	} else {
		ids = scan.nextHits(n)
	}
	scan.looked += n
	scan.exhausted = scan.exhausted || scan.looked >= indexBudget
	return ids, err
}

// nextEntries reads SQLite's full-text table, which gives the newest entries first.
func (scan *indexScan) nextEntries(n int) (ids []model.ID, err error) {
	s := scan.tx.statement()
	s.WriteString("SELECT x.num, x.subject, x.company = " + s.arg(scan.company) + " AND " + scan.text.contains(scan.tx, s, "x.folded") +
		" FROM " + scan.noun.trigrams + " f CROSS JOIN " + scan.noun.index + " x ON x.num = f.rowid" +
		" WHERE f." + scan.noun.trigrams + " MATCH " + s.arg(scan.text.ftsQuery(scan.company)) + " AND f.rowid < " + s.arg(scan.num) +
		" ORDER BY f.rowid DESC LIMIT " + s.arg(n) + " + 0") // of a mere argument SQLite wants to know the value, and plans anew for each
	rows := 0
	err = scan.tx.query(s.String(), s.args, func(r Row) error {
		rows, scan.num = rows+1, r.Int(0)
		if r.Bool(2) {
			ids = append(ids, r.ID(1))
		}
		return nil
	})
	scan.ended = rows < n
	scan.reached = scan.beforeNum()
	return ids, err
}

// beforeNum is a place that no entry below num stands before: the numbers of one millisecond are in no order.
func (scan *indexScan) beforeNum() place {
	moment := scan.num/numsEach + 1
	if scan.noun.moment != "" {
		return place{moment: moment}
	}
	var first model.ID // of that millisecond
	binary.BigEndian.PutUint64(first[:], uint64(min(moment, 1<<48-1))<<16)
	return place{id: first}
}

// readHits reads all entries with the text from PostgreSQL, whose index is in no order, unless they are too many.
func (scan *indexScan) readHits() error {
	s := scan.tx.statement()
	s.WriteString("SELECT num, subject FROM " + scan.noun.index + " WHERE company = " + s.arg(scan.company) + " AND " + scan.text.like(s))
	if !scan.after.IsZero() && scan.after != afterAll {
		s.and("subject < " + s.arg(scan.after))
	}
	s.WriteString(" LIMIT " + s.arg(indexBudget+1))
	err := scan.tx.query(s.String(), s.args, func(r Row) error {
		scan.hits = append(scan.hits, place{moment: r.Int(0), id: r.ID(1)})
		return nil
	})
	if scan.exhausted = len(scan.hits) > indexBudget; scan.exhausted {
		scan.hits = nil // not even the newest are known
	}
	slices.SortFunc(scan.hits, before)
	return err
}

func (scan *indexScan) nextHits(n int) (ids []model.ID) {
	for _, hit := range scan.hits[:min(n, len(scan.hits))] {
		ids = append(ids, hit.id)
		scan.reached = hit
	}
	scan.hits = scan.hits[len(ids):]
	scan.ended = len(scan.hits) == 0
	return ids
}

// like is the search as a condition that PostgreSQL's index understands.
func (text search) like(s *statement) string {
	each := make([]string, len(text.needles))
	for i, needle := range text.needles {
		each[i] = "folded LIKE " + s.arg("%"+likeEscapes.Replace(needle)+"%")
	}
	return "(" + strings.Join(each, " OR ") + ")"
}

var likeEscapes = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// companyTag ends every text in SQLite's full-text index, which all companies share: three characters for private
// use that a search asks for too, so that entries of other companies neither cost it anything nor use up its budget.
// Two companies with one tag are as improbable as harmless, because the company of an entry is checked.
func companyTag(company model.ID) string {
	const first, count = 0xE000, 6400
	random := binary.BigEndian.Uint64(company[8:])
	return string([]rune{first + rune(random%count), first + rune(random/count%count), first + rune(random/count/count%count)})
}

// ftsQuery is the search in the language of SQLite's full-text index: the trigrams of each needle and the tag of the
// company. The tag comes last, because the index goes from entry to entry of what comes first.
func (text search) ftsQuery(company model.ID) string {
	each := make([]string, len(text.needles))
	for i, needle := range text.needles {
		var quoted []string
		for _, gram := range rarestTrigrams(needle) {
			quoted = append(quoted, `"`+strings.ReplaceAll(gram, `"`, `""`)+`"`)
		}
		each[i] = "(" + strings.Join(quoted, " AND ") + ")"
	}
	return "(" + strings.Join(each, " OR ") + `) AND "` + companyTag(company) + `"`
}

// mostTrigrams is how many trigrams of a needle the index is asked for: each costs, and the first few tell most.
const mostTrigrams = 3

// rarestTrigrams cuts a text into trigrams and gives those that are probably the rarest, judged by their letters.
// What the index finds by them may not contain the text, so that is checked.
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

// commonness is higher for trigrams with letters that are frequent in Portuguese.
func commonness(gram string) (sum int) {
	for _, r := range gram {
		if at := strings.IndexRune(" aeosrindtumclpvgqbfhz", r); at >= 0 {
			sum += 22 - at
		}
	}
	return sum
}
