package store

import (
	"slices"
	"strings"
	"unicode"

	"recado/internal/model"
)

// A noun that is searched has a column folded with its live text, a flag unindexed for rows whose
// text or moment the trigram index does not know yet, and the index itself beside it.
type searched struct {
	table    string // conversations
	index    string // conversation_search: num, subject, company, folded
	trigrams string // SQLite's full-text table over the index
	pending  string // the partial index over unindexed rows
	moment   string // the column by which its list goes, the newest first; without one it goes by id
}

var (
	conversationSearch = searched{"conversations", "conversation_search", "conversation_trigrams", "conversations_unindexed", "activity_at"}
	contactSearch      = searched{"contacts", "contact_search", "contact_trigrams", "contacts_unindexed", ""}
	cardSearch         = searched{"cards", "card_search", "card_trigrams", "cards_unindexed", ""}
)

// search is a text to look for. The zero search finds all.
type search struct {
	needles []string // folded; a row matches with any of them
	short   bool     // without three letters or digits in a row, so that no index can find it
}

func newSearch(q string) search {
	text := search{needles: Needles(q)}
	for _, needle := range text.needles {
		text.short = text.short || !hasTrigram(needle)
	}
	return text
}

// Needles gives what is looked for: the folded text and, when it may be part of a phone number, its
// digits alone, because numbers are stored without signs between them.
func Needles(q string) []string {
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
		if !isWordRune(r) {
			run = 0
		} else if run++; run == 3 {
			return true
		}
	}
	return false
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// check adds the condition that the live text contains one of the needles.
func (text search) check(tx *Tx, s *statement, column string) {
	if len(text.needles) > 0 {
		s.and(text.contains(tx, s, column))
	}
}

func (text search) contains(tx *Tx, s *statement, column string) string {
	position := "strpos"
	if tx.SQLite() {
		position = "instr"
	}
	each := make([]string, len(text.needles))
	for i, needle := range text.needles {
		each[i] = position + "(" + column + ", " + s.arg(needle) + ") > 0"
	}
	return "(" + strings.Join(each, " OR ") + ")"
}

// listed is a subset of ids that are known already.
func listed(ids []model.ID) subset {
	return func(s *statement) string {
		if s.lite && len(ids) <= 128 {
			return s.values(ids)
		}
		packed := s.arg(packIDs(ids))
		if s.lite {
			return "WITH RECURSIVE at (i) AS (SELECT 1 WHERE length(" + packed + ") > 0 UNION ALL SELECT i + 16 FROM at WHERE i + 16 < length(" + packed + "))" +
				" SELECT substr(" + packed + ", i, 16) AS id FROM at"
		}
		packed = "CAST(" + packed + " AS BYTEA)"
		return "SELECT CAST(encode(substr(" + packed + ", i, 16), 'hex') AS UUID) AS id FROM generate_series(1, octet_length(" + packed + "), 16) at (i)"
	}
}

// values is a short list, which SQLite reads faster when each has a placeholder. Their number is rounded up
// with some that are NULL, so that few texts are prepared.
func (s *statement) values(ids []model.ID) string {
	n := 16
	for n < len(ids) {
		n *= 2
	}
	var b strings.Builder
	b.WriteString("SELECT column1 AS id FROM (VALUES ")
	for i := range n {
		var id model.ID
		if i < len(ids) {
			id = ids[i]
		}
		b.WriteString("(" + s.arg(id) + "),")
	}
	return strings.TrimSuffix(b.String(), ",") + ")"
}
