package store

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"recado/internal/model"
)

// A noun that is searched has a column folded with its live text, a flag unindexed for rows whose
// text the trigram index does not know yet, and the index itself beside it.
type searched struct {
	table    string // conversations
	index    string // conversation_search: subject, company, folded
	trigrams string // SQLite's full-text table over the index
	pending  string // the partial index over unindexed rows
}

var (
	conversationSearch = searched{"conversations", "conversation_search", "conversation_trigrams", "conversations_unindexed"}
	contactSearch      = searched{"contacts", "contact_search", "contact_trigrams", "contacts_unindexed"}
	cardSearch         = searched{"cards", "card_search", "card_trigrams", "cards_unindexed"}
)

const (
	// newest is how far back a text is looked for that the trigram index cannot find: one or two
	// characters, or only signs.
	newest = 10_000
	// candidates is how many rows of the index are read before a text counts as common.
	candidates = 1000
	// matches bounds the entries of SQLite's index that are read for it, those of all companies.
	matches = 10_000
)

// search is a text to look for, and what is known of how common it is. The zero search finds all.
type search struct {
	noun    *searched
	company model.ID
	needles []string // folded; a row matches with any of them
	rare    bool     // candidates gives every row that can match, and they are few
	bounded bool     // no index can find it: look among the newest rows only
}

// find prepares a search for q among one noun of a company. A caller then reads the rows of candidates
// if the search is rare, and else walks the order of its list until the page is full; check is the
// condition that decides, on the live text, in both cases.
func (tx *Tx) find(noun *searched, company model.ID, q string) (search, error) {
	found := search{noun: noun, company: company, needles: needles(q)}
	if len(found.needles) == 0 {
		return search{}, nil
	}
	for _, needle := range found.needles {
		found.bounded = found.bounded || !hasTrigram(needle)
	}
	if found.bounded {
		return found, nil
	}
	var err error
	found.rare, err = tx.isRare(&found)
	return found, err
}

// needles gives what is looked for: the folded text and, when it may be part of a phone number, its
// digits alone, because numbers are stored without signs between them.
func needles(q string) []string {
	text := model.Fold(strings.TrimSpace(q))
	if text == "" {
		return nil
	}
	digits := strings.Map(func(r rune) rune {
		if strings.ContainsRune(" -.()", r) {
			return -1
		}
		return r
	}, text)
	if digits != text && strings.Trim(digits, "+0123456789") == "" && strings.Trim(digits, "+") != "" {
		return []string{text, digits}
	}
	return []string{text}
}

// hasTrigram reports whether three letters or digits stand side by side: both engines index those.
func hasTrigram(text string) bool {
	run := 0
	for _, r := range text {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			run = 0
		} else if run++; run == 3 {
			return true
		}
	}
	return false
}

// check adds the condition that the live text holds one of the needles.
func (found search) check(tx *Tx, s *statement, column string) {
	if len(found.needles) > 0 {
		s.and(found.contains(tx, s, column))
	}
}

func (found search) contains(tx *Tx, s *statement, column string) string {
	position := "strpos"
	if tx.SQLite() {
		position = "instr"
	}
	each := make([]string, len(found.needles))
	for i, needle := range found.needles {
		each[i] = position + "(" + column + ", " + s.arg(needle) + ") > 0"
	}
	return "(" + strings.Join(each, " OR ") + ")"
}

// isRare reports whether the index and the rows not yet in it hold few candidates.
func (tx *Tx) isRare(found *search) (bool, error) {
	s := tx.statement()
	indexed := found.indexed(tx, s)
	count := "SELECT COUNT(*) AS n FROM (SELECT 1 AS one FROM (" + indexed + ") ids LIMIT " + s.arg(candidates+1) + ") counted"
	pending := "SELECT COUNT(*) AS n FROM (SELECT 1 AS one FROM (" + found.pending(tx, s) + ") ids LIMIT " + s.arg(candidates+1) + ") counted"
	seen := "SELECT 0 AS n"
	if tx.SQLite() {
		seen = "SELECT COUNT(*) AS n FROM (" + found.matches(s) + ") counted"
	}
	rare := false
	_, err := tx.one("SELECT ("+count+"), ("+pending+"), ("+seen+")", s.args, func(r Row) {
		rare = r.Int(0) <= candidates && r.Int(1) <= candidates && r.Int(2) < matches
	})
	return rare, err
}

// candidates is the subset of rows that may match: those the index knows, and those it does not know
// as they are now.
func (found search) candidates(tx *Tx) subset {
	return func(s *statement) string {
		return found.indexed(tx, s) + " UNION " + found.pending(tx, s)
	}
}

func (found search) pending(tx *Tx, s *statement) string {
	return "SELECT id FROM " + found.noun.table + tx.indexedBy(found.noun.pending) +
		" WHERE unindexed AND company = " + s.arg(found.company) + " AND " + found.contains(tx, s, "folded")
}

func (found search) indexed(tx *Tx, s *statement) string {
	if tx.SQLite() {
		return "SELECT x.subject AS id FROM (" + found.matches(s) + ") f CROSS JOIN " + found.noun.index +
			" x ON x.num = f.rowid WHERE x.company = " + s.arg(found.company)
	}
	each := make([]string, len(found.needles))
	for i, needle := range found.needles {
		each[i] = "folded LIKE " + s.arg("%"+likeEscaper.Replace(needle)+"%")
	}
	return "SELECT subject AS id FROM " + found.noun.index + " WHERE company = " + s.arg(found.company) + " AND (" + strings.Join(each, " OR ") + ")"
}

var likeEscaper = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// matches is a look into SQLite's full-text index.
func (found search) matches(s *statement) string {
	each := make([]string, len(found.needles))
	for i, needle := range found.needles {
		each[i] = "(" + strings.Join(trigrams(needle), " AND ") + ")"
	}
	return "SELECT rowid FROM " + found.noun.trigrams + " WHERE " + found.noun.trigrams + " MATCH " + s.arg(strings.Join(each, " OR ")) + " LIMIT " + s.arg(matches)
}

// trigrams gives every three neighbouring characters of a text once, quoted for a full-text query.
func trigrams(text string) []string {
	var all []string
	seen := map[string]bool{}
	starts := make([]int, 0, 3)
	for i, r := range text {
		if len(starts) == 3 {
			starts = append(starts[:0], starts[1:]...)
		}
		starts = append(starts, i)
		if len(starts) < 3 {
			continue
		}
		gram := text[starts[0] : i+utf8.RuneLen(r)]
		if !seen[gram] {
			seen[gram] = true
			all = append(all, `"`+strings.ReplaceAll(gram, `"`, `""`)+`"`)
		}
	}
	return all
}
