package store

import (
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"recado/internal/model"
)

// sample tells how common trigrams are in an index, and whose entries it holds. It may be old and it may
// err: it decides what a search costs, never what it finds.
type sample struct {
	taken     time.Time
	rows      int64 // of the whole index; known on PostgreSQL only
	texts     int   // in the sample
	companies map[model.ID]int
	having    [1 << 15]uint16 // texts with a trigram, by its hash
}

const (
	sampleTexts = 1024
	sampleSpots = 256 // of a large index
	sampleLife  = time.Minute
)

// samples are kept for all transactions of a store.
type samples struct {
	mu     sync.Mutex
	of     map[*searched]*sample
	taking map[*searched]bool
}

// sampleOf gives the sample that is kept and, once in a while, takes a new one.
func (tx *Tx) sampleOf(noun *searched) (*sample, error) {
	kept := tx.samples
	kept.mu.Lock()
	was := kept.of[noun]
	if was != nil && (kept.taking[noun] || tx.Now.Sub(was.taken).Abs() < sampleLife) {
		kept.mu.Unlock()
		return was, nil
	}
	if kept.of == nil {
		kept.of, kept.taking = map[*searched]*sample{}, map[*searched]bool{}
	}
	kept.taking[noun] = true
	kept.mu.Unlock()

	fresh := &sample{taken: tx.Now, companies: map[model.ID]int{}}
	err := tx.takeSample(fresh, noun)
	kept.mu.Lock()
	defer kept.mu.Unlock()
	kept.taking[noun] = false
	if err == nil {
		kept.of[noun] = fresh
	}
	return fresh, err
}

func (tx *Tx) takeSample(s *sample, noun *searched) error {
	texts := make([]string, 0, sampleTexts)
	add := func(r Row) error {
		s.companies[r.ID(0)]++
		texts = append(texts, r.Text(1))
		return nil
	}
	take := tx.samplePostgres
	if tx.SQLite() {
		take = tx.sampleSQLite
	}
	if err := take(s, noun, add); err != nil {
		return err
	}
	s.count(texts)
	return nil
}

// sampleSQLite looks at a few entries at many places of the index.
func (tx *Tx) sampleSQLite(_ *sample, noun *searched, add func(r Row) error) error {
	var first, last int64
	large, err := tx.one(`SELECT num FROM `+noun.index+` ORDER BY num LIMIT 1 OFFSET $1`, []any{sampleTexts}, func(Row) {})
	if err != nil {
		return err
	}
	if !large {
		return tx.query(`SELECT company, folded FROM `+noun.index, nil, add)
	}
	_, err = tx.one(`SELECT MIN(num), (SELECT MAX(num) FROM `+noun.index+` WHERE num < $1) FROM `+noun.index, []any{numsEnd}, func(r Row) {
		first, last = r.Int(0), r.Int(1)
	})
	for range sampleSpots {
		if err != nil {
			return err
		}
		spot := first + rand.Int64N(max(1, last-first))
		err = tx.query(`SELECT company, folded FROM `+noun.index+` WHERE num >= $1 ORDER BY num LIMIT $2`, []any{spot, sampleTexts / sampleSpots}, add)
	}
	return err
}

// samplePostgres looks at some blocks of the table.
func (tx *Tx) samplePostgres(s *sample, noun *searched, add func(r Row) error) error {
	_, err := tx.one(`SELECT CAST(reltuples AS BIGINT) FROM pg_class WHERE oid = to_regclass($1)`, []any{noun.index}, func(r Row) { s.rows = r.Int(0) })
	if err != nil {
		return err
	}
	if s.rows <= sampleTexts {
		return tx.query(`SELECT company, folded FROM `+noun.index+` LIMIT $1`, []any{sampleTexts}, add)
	}
	part := float64(sampleTexts) / float64(s.rows)
	blocks := min(1, 8*part) // entries of a block are alike: of many blocks a few each
	return tx.query(`SELECT company, folded FROM `+noun.index+` TABLESAMPLE SYSTEM (CAST($1 AS DOUBLE PRECISION)) WHERE random() < $2 LIMIT $3`,
		[]any{100 * blocks, part / blocks, 2 * sampleTexts}, add)
}

// count notes how many of the texts have each trigram.
func (s *sample) count(texts []string) {
	s.texts = len(texts)
	var last [len(s.having)]uint16 // the text that had it last
	var runes []rune
	for i, text := range texts {
		runes = append(runes[:0], []rune(text)...)
		for k := range max(0, len(runes)-2) {
			slot := gramSlot(runes[k : k+3])
			if last[slot] != uint16(i+1) {
				last[slot] = uint16(i + 1)
				s.having[slot]++
			}
		}
	}
}

// gramSlot is a hash of a trigram.
func gramSlot(gram []rune) int {
	h := uint32(2166136261)
	for _, r := range gram {
		h = (h ^ uint32(r)) * 16777619
	}
	return int((h ^ h>>15) % uint32(len(sample{}.having)))
}

// telling gives the rarest of the trigrams, at most mostGrams, and the part of all texts that has the first.
// None is given that is much more common than the first: to follow its list costs more than it saves.
func (s *sample) telling(grams []string) (chosen []string, part float64) {
	having := func(gram string) int { return int(s.having[gramSlot([]rune(gram))]) }
	slices.SortStableFunc(grams, func(a, b string) int { return having(a) - having(b) })
	most := muchMore * max(1, having(grams[0]))
	for _, gram := range grams[:min(len(grams), mostGrams)] {
		if having(gram) <= most {
			chosen = append(chosen, gram)
		}
	}
	return chosen, float64(having(grams[0])) / float64(max(1, s.texts))
}

const (
	mostGrams = 3
	muchMore  = 4
)

// mostlyOf reports whether a large part of the index is the company's.
func (s *sample) mostlyOf(company model.ID) bool { return 4*s.companies[company] >= s.texts }
