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

// fullTextScan reads a full-text table, which returns the newest entries first.
type fullTextScan struct {
	progress
	*Plan
	num int64 // the remaining entries have smaller ones
}

func (x *fullText) scan(p *Plan) (indexScan, error) {
	scan := &fullTextScan{Plan: p, num: math.MaxInt64}
	if p.After.IsZero() {
		return scan, nil
	}
	last, err := x.lastNum()
	if last < numsEnd {
		scan.num = numOf(p.After.Time().UnixMilli()) + numsSpan
	}
	return scan, err
}

func (scan *fullTextScan) next(n int) (ids []kernel.ID, err error) {
	n = scan.take(n)
	s := scan.Tx.Statement()
	s.WriteString(`
		SELECT x.num, x.subject, x.company = ` + s.Arg(scan.Company) + ` AND ` + scan.Text.Contains(s, "x.folded") + ` AS matches
		FROM ` + scan.Noun.Trigrams + ` f
		CROSS JOIN ` + scan.Noun.Entries + ` x ON x.num = f.rowid
		WHERE f.` + scan.Noun.Trigrams + ` MATCH ` + s.Arg(scan.Text.ftsQuery(scan.Company)) + ` AND f.rowid < ` + s.Arg(scan.num) + `
		ORDER BY f.rowid DESC
		LIMIT ` + s.Arg(n) + ` + 0`) // without + 0, SQLite prepares a new plan for each value
	rows := 0
	err = scan.Tx.Query(s.String(), s.Args, func(r db.Row) error {
		rows, scan.num = rows+1, r.Int("num")
		if id := r.ID("subject"); r.Bool("matches") {
			ids = append(ids, id)
		}
		return nil
	})
	scan.ended = rows < n
	scan.reached = scan.bound()
	return ids, err
}

// bound returns a position that no remaining entry comes before. The numbers of one millisecond are not ordered.
func (scan *fullTextScan) bound() position {
	moment := scan.num/numsEach + 1
	if scan.Noun.Moment != "" {
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
