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

// fullTextScan reads a full-text table, which gives the newest entries first.
type fullTextScan struct {
	progress
	*Plan
	num int64 // the entries to come stand below it
}

func (x *fullText) scan(p *Plan) (indexScan, error) {
	scan := &fullTextScan{Plan: p, num: math.MaxInt64}
	if p.After.IsZero() {
		return scan, nil
	}
	_, err := p.Tx.One(`SELECT /* all companies: they share the numbers */ COALESCE(MAX(num), 0) FROM `+p.Noun.Entries, nil, func(r db.Row) {
		if r.Int(0) < numsEnd {
			scan.num = numOf(p.After.Time().UnixMilli()) + numsSpan
		}
	})
	return scan, err
}

func (scan *fullTextScan) next(n int) (ids []kernel.ID, err error) {
	n = scan.take(n)
	s := scan.Tx.Statement()
	s.WriteString("SELECT x.num, x.subject, x.company = " + s.Arg(scan.Company) + " AND " + scan.Text.Contains(s, "x.folded") +
		" FROM " + scan.Noun.Trigrams + " f CROSS JOIN " + scan.Noun.Entries + " x ON x.num = f.rowid" +
		" WHERE f." + scan.Noun.Trigrams + " MATCH " + s.Arg(scan.Text.ftsQuery(scan.Company)) + " AND f.rowid < " + s.Arg(scan.num) +
		" ORDER BY f.rowid DESC LIMIT " + s.Arg(n) + " + 0") // SQLite makes a new plan for each value of an argument that stands alone
	rows := 0
	err = scan.Tx.Query(s.String(), s.Args, func(r db.Row) error {
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
func (scan *fullTextScan) beforeNum() place {
	moment := scan.num/numsEach + 1
	if scan.Noun.Moment != "" {
		return place{moment: moment}
	}
	var first kernel.ID // of that millisecond
	binary.BigEndian.PutUint64(first[:], uint64(min(moment, 1<<48-1))<<16)
	return place{id: first}
}

// companyTag ends every text in SQLite's full-text index, which all companies share: three characters for private
// use that a search asks for too, so that entries of other companies neither cost it anything nor use up its budget.
// Two companies with the same tag are improbable and do no harm, because the company of an entry is checked.
func companyTag(company kernel.ID) string {
	const first, count = 0xE000, 6400
	random := binary.BigEndian.Uint64(company[8:])
	return string([]rune{first + rune(random%count), first + rune(random/count%count), first + rune(random/count/count%count)})
}

// ftsQuery is the search in the language of SQLite's full-text index: the trigrams of each needle and the tag of the
// company. The tag is last, because the index is read along the first term.
func (text Text) ftsQuery(company kernel.ID) string {
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

// mostTrigrams is how many trigrams of a needle the index is asked for: each costs time, and the first few exclude most.
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
