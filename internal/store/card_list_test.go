package store

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"recado/internal/model"
)

// cabinet is a company's boards with cards of every sort.
type cabinet struct {
	company        model.ID
	boards, labels []model.ID
	talks          []model.ID // with the first member, with the second sector, with nobody
	members        []model.ID
	sectors        []model.ID
	now            time.Time
	all            []model.Card
}

func newCabinet(t *testing.T, s *Store) *cabinet {
	t.Helper()
	w := &cabinet{company: model.NewID(), labels: newIDs(3), members: newIDs(2), sectors: newIDs(2), now: time.UnixMilli(1_800_000_000_000).UTC()}
	mustWrite(t, s, func(tx *Tx) error {
		tx.InsertCompany(model.Company{ID: w.company, Name: "Town", Timezone: model.DefaultZone}, model.AttendanceRules{Mode: model.ModeLiberal})
		for i, label := range w.labels {
			if _, err := tx.InsertLabel(w.company, model.Label{ID: label, Name: strconv.Itoa(i), Color: "#000000"}); err != nil {
				return err
			}
		}
		for i := range 3 {
			w.boards = append(w.boards, model.NewID())
			tx.InsertBoard(w.company, model.Board{ID: w.boards[i], Name: strconv.Itoa(i), Stages: []model.Stage{{ID: w.boards[i], Name: "All", Kind: model.StageOpen}}})
			contact := model.NewID()
			c := model.Conversation{ID: model.NewID(), Company: w.company, Channel: w.boards[i], Kind: model.KindDirect, Contact: &contact, CreatedAt: w.now, UpdatedAt: w.now}
			if _, err := tx.InsertConversation(&c); err != nil {
				return err
			}
			switch i {
			case 0:
				c.Assignee = &w.members[0]
			case 1:
				c.Sector = &w.sectors[1]
			}
			tx.SaveConversation(&c)
			w.talks = append(w.talks, c.ID)
		}
		return nil
	})
	return w
}

var cardStatuses = []string{model.CardOpen, model.CardCompleted, model.CardLost, model.CardArchived}

// card makes up a card. Most are open and public.
func (w *cabinet) card(random *rand.Rand, board model.ID) model.Card {
	words := []string{"João", "ANA", "Straße", "100%", "a_b", "pão de queijo", "Zoë", `back\slash`, "x"}
	c := model.Card{
		ID: model.NewID(), Company: w.company, BoardID: board, StageID: board, Title: words[random.IntN(len(words))] + " " + words[random.IntN(len(words))],
		Priority: []string{"low", "medium", "high", "urgent"}[random.IntN(4)], Status: cardStatuses[max(0, random.IntN(8)-4)],
		Private: random.IntN(10) == 0, Hidden: random.IntN(10) == 0, Position: "V", Version: 1, CreatedAt: w.now, UpdatedAt: w.now,
	}
	if random.IntN(3) > 0 {
		c.DueAt = ptr(w.now.Add(time.Duration(random.IntN(20)-10) * 24 * time.Hour))
	}
	if random.IntN(2) == 0 {
		c.Description = ptr("about " + words[random.IntN(len(words))])
	}
	for _, label := range w.labels {
		if random.IntN(3) == 0 {
			c.LabelIDs = append(c.LabelIDs, label)
		}
	}
	if i := random.IntN(6); i < len(w.talks) {
		c.Conversation = &w.talks[i]
	}
	return c
}

// change turns a card into another one, as edits, moves and deletions do.
func (w *cabinet) change(t *testing.T, s *Store, random *rand.Rand, n int) {
	t.Helper()
	mustWrite(t, s, func(tx *Tx) error {
		for range n {
			i := random.IntN(len(w.all))
			was := w.all[i]
			if random.IntN(5) == 0 {
				w.all = slices.Delete(w.all, i, i+1)
				if err := tx.DeleteCard(w.company, was.ID); err != nil {
					return err
				}
				continue
			}
			c := w.card(random, was.BoardID)
			c.ID, c.Hidden = was.ID, was.Hidden
			tx.SaveCard(&was, &c)
			w.all[i] = c
		}
		return nil
	})
}

// lists is the list in plain Go.
func (w *cabinet) lists(f CardFilter) (ids []model.ID, more bool) {
	for _, c := range w.all {
		if w.shows(&f, &c) {
			ids = append(ids, c.ID)
		}
	}
	slices.SortFunc(ids, func(a, b model.ID) int { return slices.Compare(b[:], a[:]) })
	if len(ids) > f.Limit {
		return ids[:f.Limit], true
	}
	return ids, false
}

func (w *cabinet) shows(f *CardFilter, c *model.Card) bool {
	switch {
	case c.Private || c.Hidden, !slices.Contains(f.Boards, c.BoardID), !slices.Contains(f.Statuses, c.Status),
		f.Priority != "" && c.Priority != f.Priority,
		!f.Label.IsZero() && !slices.Contains(c.LabelIDs, f.Label),
		f.Undue && c.DueAt != nil,
		(f.DueFrom != nil || f.DueBefore != nil) && c.DueAt == nil,
		f.DueFrom != nil && c.DueAt.Before(*f.DueFrom),
		f.DueBefore != nil && !c.DueAt.Before(*f.DueBefore),
		!f.After.IsZero() && slices.Compare(c.ID[:], f.After[:]) >= 0:
		return false
	}
	if c.Conversation != nil && !f.Sight.All {
		mine := *c.Conversation == w.talks[0] && f.Sight.Member == w.members[0]
		ours := *c.Conversation == w.talks[1] && slices.Contains(f.Sight.Sectors, w.sectors[1])
		if !mine && !ours {
			return false
		}
	}
	wanted := needles(f.Q)
	return len(wanted) == 0 || slices.ContainsFunc(wanted, func(n string) bool { return strings.Contains(model.Fold(cardText(c)), n) })
}

func TestCardsListsWhatTheFiltersLetThrough(t *testing.T) {
	eachDesk(t, func(t *testing.T, s *Store) {
		random := rand.New(rand.NewPCG(8, 8))
		w := newCabinet(t, s)
		mustWrite(t, s, func(tx *Tx) error {
			for range 200 {
				c := w.card(random, w.boards[random.IntN(3)])
				tx.InsertCard(&c)
				w.all = append(w.all, c)
			}
			return nil
		})
		texts := []string{"", "", "", "joao", "ana", "strasse", "100%", "a_b", "%", "_", `k\s`, "x", "zo", "about pão", "nobody", "  "}
		for round := range 4 {
			for range 200 {
				f := CardFilter{
					Company: w.company, Boards: w.boards[:1+random.IntN(3)], Statuses: cardStatuses[:1+random.IntN(4)], Q: texts[random.IntN(len(texts))],
					Priority: []string{"", "", "", "low", "urgent"}[random.IntN(5)], Limit: 1 + random.IntN(20), Sight: Sight{All: true},
				}
				if random.IntN(3) == 0 {
					f.Label = w.labels[random.IntN(3)]
				}
				switch random.IntN(6) {
				case 0:
					f.Undue = true
				case 1:
					f.DueBefore = ptr(w.now)
				case 2:
					f.DueFrom, f.DueBefore = ptr(w.now), ptr(w.now.Add(72*time.Hour))
				}
				switch random.IntN(3) {
				case 0:
					f.Sight = Sight{Member: w.members[random.IntN(2)]}
				case 1:
					f.Sight = Sight{Member: w.members[0], Sectors: w.sectors}
				}
				if random.IntN(2) == 0 {
					f.After = w.all[random.IntN(len(w.all))].ID
				}
				want, wantMore := w.lists(f)
				mustRead(t, s, func(tx *Tx) error {
					page, more, err := tx.Cards(f)
					if err != nil {
						return err
					}
					var got []model.ID
					for i := range page {
						got = append(got, page[i].ID)
					}
					if !slices.Equal(got, want) || more != wantMore {
						t.Fatalf("round %d, %+v:\n got %d %v %v\nwant %d %v %v", round, f, len(got), got, more, len(want), want, wantMore)
					}
					return nil
				})
			}
			mustWrite(t, s, func(tx *Tx) error {
				_, err := tx.IndexText(80 * (1 + round)) // in part: the search has to look in both places
				return err
			})
			w.change(t, s, random, 40)
		}
	})
}

// TestAPageOfManyCardsCostsWhatOneOfFewDoes compares the fastest of many reads, taken in turn, which a
// busy machine disturbs the least.
func TestAPageOfManyCardsCostsWhatOneOfFewDoes(t *testing.T) {
	if testing.Short() {
		t.Skip("makes 100,000 cards")
	}
	eachDesk(t, func(t *testing.T, s *Store) {
		few, many := newCabinet(t, s), newCabinet(t, s)
		few.fill(t, s, 1000)
		many.fill(t, s, 100_000)
		for i, tt := range few.pages() {
			among := [2]time.Duration{time.Hour, time.Hour}
			for range 100 {
				among[0] = min(among[0], cost(t, s, tt.f))
				among[1] = min(among[1], cost(t, s, many.pages()[i].f))
			}
			t.Logf("%-20s %10s %10s", tt.name, among[0], among[1])
			if among[1] > among[0]*3/2+200*time.Microsecond { // what planning a statement anew may cost
				t.Errorf("%s: %s among 1,000 cards, %s among 100,000", tt.name, among[0], among[1])
			}
		}
	})
}

// fill puts cards on the first board: all open, half with a due date within ten days, one in ten
// labelled first, forty in all labelled second and of a text of their own.
func (w *cabinet) fill(t *testing.T, s *Store, size int) {
	t.Helper()
	random := rand.New(rand.NewPCG(9, 9))
	for part := range slices.Chunk(random.Perm(size), 2500) {
		mustWrite(t, s, func(tx *Tx) error {
			for _, n := range part {
				c := model.Card{
					ID: model.NewID(), Company: w.company, BoardID: w.boards[0], StageID: w.boards[0], Title: fmt.Sprintf("Order %d for %s %s", n, word(random), word(random)),
					Priority: []string{"low", "medium", "high", "urgent"}[random.IntN(4)], Status: model.CardOpen, Position: "V", Version: 1,
					CreatedAt: w.now, UpdatedAt: w.now,
				}
				if n%2 == 0 {
					c.DueAt = ptr(w.now.Add(time.Duration(random.IntN(480)-240) * time.Hour))
				}
				if n%10 == 0 {
					c.LabelIDs = append(c.LabelIDs, w.labels[0])
				}
				if n < 40 {
					c.LabelIDs = append(c.LabelIDs, w.labels[1])
					c.Title += " zebra"
				}
				tx.InsertCard(&c)
			}
			return nil
		})
	}
	for done := 1; done > 0; {
		mustWrite(t, s, func(tx *Tx) (err error) {
			done, err = tx.IndexText(2500)
			return err
		})
	}
	if s.pg != nil { // what autovacuum does in time
		if _, err := s.pg.pool.Exec(t.Context(), "VACUUM ANALYZE"); err != nil {
			t.Fatal(err)
		}
	}
}

// word makes up one of 8,000 words.
func word(random *rand.Rand) string {
	syllables := []string{"ba", "ca", "da", "fe", "ge", "he", "li", "mi", "ni", "po", "qu", "ro", "su", "tu", "vu", "xa", "ze", "ji", "wo", "ky"}
	return syllables[random.IntN(20)] + syllables[random.IntN(20)] + syllables[random.IntN(20)]
}

type namedFilter struct {
	name string
	f    CardFilter
}

func (w *cabinet) pages() []namedFilter {
	base := CardFilter{Company: w.company, Boards: w.boards[:1], Statuses: cardStatuses[:1], Sight: Sight{All: true}, Limit: 30}
	of := func(name string, change func(f *CardFilter)) namedFilter {
		f := base
		change(&f)
		return namedFilter{name, f}
	}
	return []namedFilter{
		of("newest", func(*CardFilter) {}),
		of("all statuses", func(f *CardFilter) { f.Statuses = cardStatuses }),
		of("all boards", func(f *CardFilter) { f.Boards = w.boards }),
		of("priority", func(f *CardFilter) { f.Priority = "urgent" }),
		of("common label", func(f *CardFilter) { f.Label = w.labels[0] }),
		of("rare label", func(f *CardFilter) { f.Label = w.labels[1] }),
		of("unused label", func(f *CardFilter) { f.Label = w.labels[2] }),
		of("overdue", func(f *CardFilter) { f.DueBefore = ptr(w.now) }),
		of("today", func(f *CardFilter) { f.DueFrom, f.DueBefore = ptr(w.now), ptr(w.now.Add(24*time.Hour)) }),
		of("week", func(f *CardFilter) { f.DueFrom, f.DueBefore = ptr(w.now), ptr(w.now.Add(7*24*time.Hour)) }),
		of("without due date", func(f *CardFilter) { f.Undue = true }),
		of("common text", func(f *CardFilter) { f.Q = "order" }),
		of("rare text", func(f *CardFilter) { f.Q = "zebra" }),
		of("unknown text", func(f *CardFilter) { f.Q = "nobody" }),
	}
}

// cost is how long one page takes.
func cost(t *testing.T, s *Store, f CardFilter) time.Duration {
	t.Helper()
	read := s.Read
	if f.Simple() {
		read = s.ReadOne
	}
	started := time.Now()
	err := read(context.Background(), func(tx *Tx) error {
		_, _, err := tx.Cards(f)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return time.Since(started)
}
