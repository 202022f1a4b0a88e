package store

import (
	"math"
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
	sampleSpots = 128
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
	if kept == nil {
		kept = &samples{}
	}
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

	var fresh *sample
	defer func() {
		kept.mu.Lock()
		defer kept.mu.Unlock()
		kept.taking[noun] = false
		if fresh != nil {
			kept.of[noun] = fresh
		}
	}()
	taken := &sample{taken: tx.Now, companies: map[model.ID]int{}}
	if err := tx.takeSample(taken, noun); err != nil {
		return nil, err
	}
	fresh = taken
	return fresh, nil
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

// sampleSQLite takes the newest entries and, of a large index, as many from all of its time, a few at each spot.
func (tx *Tx) sampleSQLite(_ *sample, noun *searched, add func(r Row) error) error {
	rows, last := 0, int64(math.MaxInt64)
	err := tx.query(`SELECT company, folded, num FROM `+noun.index+` ORDER BY num DESC LIMIT $1`, []any{sampleTexts / 2}, func(r Row) error {
		rows, last = rows+1, r.Int(2)
		return add(r)
	})
	if err != nil || rows < sampleTexts/2 {
		return err
	}
	var first int64
	if _, err := tx.one(`SELECT MIN(num) FROM `+noun.index, nil, func(r Row) { first = r.Int(0) }); err != nil {
		return err
	}
	spots := make([]int64, sampleSpots)
	for i := range spots {
		spots[i] = first + rand.Int64N(max(1, min(last, numsEnd)-first))
	}
	slices.Sort(spots)
	next := first
	for _, spot := range spots {
		err := tx.query(`SELECT company, folded, num FROM `+noun.index+` WHERE num >= $1 AND num < $2 ORDER BY num LIMIT $3`,
			[]any{max(spot, next), last, sampleTexts / 2 / sampleSpots}, func(r Row) error {
				next = r.Int(2) + 1
				return add(r)
			})
		if err != nil {
			return err
		}
	}
	return nil
}

// samplePostgres looks at some blocks of the table.
func (tx *Tx) samplePostgres(s *sample, noun *searched, add func(r Row) error) error {
	_, err := tx.one(`SELECT CAST(reltuples AS BIGINT) FROM pg_class WHERE oid = to_regclass($1)`, []any{noun.index}, func(r Row) { s.rows = max(0, r.Int(0)) })
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
	grams = slices.Clone(grams)
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
