package store

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"unicode"

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
	// fewMatches is how many rows of the index may hold a text that counts as rare.
	fewMatches = 1000
	// otherMatches is how many rows of other companies are passed over while looking for them.
	otherMatches = 20_000
)

// search is a text to look for, and what is known of how common it is. The zero search finds all.
type search struct {
	needles []string   // folded; a row matches with any of them
	rare    bool       // ids holds every row that can match
	ids     []model.ID // of the company
	bounded bool       // no index can find it: look among the newest rows only
}

// find prepares a search for q among one noun of a company. A caller then reads the rows of candidates
// if the search is rare, and else walks the order of its list until the page is full; check is the
// condition that decides, on the live text, in both cases.
func (tx *Tx) find(noun *searched, company model.ID, q string) (search, error) {
	found := search{needles: needles(q)}
	for _, needle := range found.needles {
		found.bounded = found.bounded || !hasTrigram(needle)
	}
	if len(found.needles) == 0 || found.bounded {
		return found, nil
	}
	changed, few, err := tx.changedMatches(noun, company, found)
	if err != nil || !few {
		return found, err
	}
	known, few, err := tx.knownMatches(noun, company, found)
	found.rare, found.ids = few, append(changed, known...)
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
	all := []string{text}
	if strings.Trim(digits, "+0123456789") == "" && strings.Trim(digits, "+") != "" {
		if digits != text {
			all = append(all, digits)
		}
		// A whole Brazilian mobile number without its ninth digit is stored with it.
		if phone, ok := model.NormalizePhone(digits); ok && !slices.Contains(all, phone) && !strings.Contains(phone, digits) {
			all = append(all, phone)
		}
	}
	return all
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

// candidates is the subset of rows that may match a rare text.
func (found search) candidates(tx *Tx) subset {
	slices.SortFunc(found.ids, func(a, b model.ID) int { return bytes.Compare(a[:], b[:]) })
	return listed(slices.Compact(found.ids))
}

// listed is a subset of ids that are known already.
func listed(ids []model.ID) subset {
	return func(s *statement) string {
		packed := s.arg(packIDs(ids))
		if s.lite {
			return "WITH RECURSIVE at (i) AS (SELECT 1 WHERE length(" + packed + ") > 0 UNION ALL SELECT i + 16 FROM at WHERE i + 16 < length(" + packed + "))" +
				" SELECT substr(" + packed + ", i, 16) AS id FROM at"
		}
		packed = "CAST(" + packed + " AS BYTEA)"
		return "SELECT CAST(encode(substr(" + packed + ", i, 16), 'hex') AS UUID) AS id FROM generate_series(1, octet_length(" + packed + "), 16) at (i)"
	}
}

// changedMatches gives the rows that hold the text and that the index does not know as they are now.
func (tx *Tx) changedMatches(noun *searched, company model.ID, found search) (ids []model.ID, few bool, err error) {
	s := tx.statement()
	s.WriteString("SELECT id FROM " + noun.table + tx.indexedBy(noun.pending) + " WHERE unindexed AND company = " + s.arg(company))
	found.check(tx, s, "folded")
	s.WriteString(" LIMIT " + s.arg(fewMatches+1))
	ids, err = tx.ids(s.String(), s.args...)
	return ids, len(ids) <= fewMatches, err
}

// knownMatches gives the rows that hold the text as the index knows them.
func (tx *Tx) knownMatches(noun *searched, company model.ID, found search) (ids []model.ID, few bool, err error) {
	s := tx.statement()
	if tx.SQLite() {
		s.WriteString("SELECT x.subject, x.company FROM " + noun.trigrams + " f CROSS JOIN " + noun.index + " x ON x.num = f.rowid" +
			" WHERE f." + noun.trigrams + " MATCH " + s.arg(found.ftsQuery()))
		found.check(tx, s, "x.folded")
	} else {
		each := make([]string, len(found.needles))
		for i, needle := range found.needles {
			each[i] = "folded LIKE " + s.arg("%"+likeEscaper.Replace(needle)+"%")
		}
		s.WriteString("SELECT subject, company FROM " + noun.index +
			" WHERE company = " + s.arg(company) + " AND (" + strings.Join(each, " OR ") + ") LIMIT " + s.arg(fewMatches+1))
	}
	others := 0
	err = tx.query(s.String(), s.args, func(r Row) error {
		if r.ID(1) == company {
			ids = append(ids, r.ID(0))
		} else {
			others++
		}
		if len(ids) > fewMatches || others > otherMatches {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return ids, len(ids) <= fewMatches && others <= otherMatches, err
}

var likeEscaper = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// ftsQuery is the search in the language of SQLite's full-text index.
func (found search) ftsQuery() string {
	each := make([]string, len(found.needles))
	for i, needle := range found.needles {
		each[i] = "(" + strings.Join(trigrams(needle), " AND ") + ")"
	}
	return strings.Join(each, " OR ")
}

// trigrams gives the characters of a text by threes, quoted for a full-text query. They do not overlap,
// but for the last: each costs a look at all that have it, and those between say nearly the same.
func trigrams(text string) []string {
	runes := []rune(text)
	var all []string
	for i := 0; i < len(runes); i += 3 {
		from := min(i, len(runes)-3)
		gram := `"` + strings.ReplaceAll(string(runes[from:from+3]), `"`, `""`) + `"`
		if !slices.Contains(all, gram) {
			all = append(all, gram)
		}
	}
	return all
}
