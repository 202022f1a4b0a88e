package store

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"recado/internal/model"
	"recado/internal/store/search"
)

// varyBudgets lets searches leave the list and the index early or late until the test ends, so that each step of
// their plan is taken.
func varyBudgets(t *testing.T, random *rand.Rand) {
	t.Helper()
	wasPass, wasIndex, wasFew := search.Budget.FirstPass, search.Budget.Index, few
	t.Cleanup(func() { search.Budget.FirstPass, search.Budget.Index, few = wasPass, wasIndex, wasFew })
	search.Budget.FirstPass = []int{1, 4, 150}[random.IntN(3)]
	search.Budget.Index = []int{1, 40, 10_000}[random.IntN(3)]
	few = []int{0, 2000}[random.IntN(2)]
}

func indexText(t *testing.T, s *Store, n int) {
	t.Helper()
	mustWrite(t, s, func(tx *Tx) error {
		_, err := tx.IndexText(n)
		return err
	})
}

// talks adds n conversations, one after the other, of which the oldest fifth speaks of the winter.
func (w *fixture) talks(t *testing.T, s *Store, n int, apart time.Duration) {
	t.Helper()
	begun := time.UnixMilli(1_700_000_000_000).UTC()
	mustWrite(t, s, func(tx *Tx) error {
		for i := range n {
			contact, text := model.NewID(), "Bom dia, o pedido chegou"
			if i < n/5 {
				text += ", obrigado pelo inverno"
			}
			at := begun.Add(time.Duration(i) * apart)
			c := model.Conversation{
				ID: model.NewID(), Company: w.company, Channel: w.channels[i%3], Kind: model.KindDirect, Name: fmt.Sprintf("Cliente %d", i),
				Contact: &contact, Sequence: 1, CreatedAt: begun, UpdatedAt: at,
			}
			if _, err := tx.InsertConversation(&c); err != nil {
				return err
			}
			c.Archived, c.Pinned = i%3 == 0, i%50 == 7
			c.LastMessage = &model.LastMessage{ID: model.NewID(), Type: model.TypeText, Text: &text, Direction: model.Inbound, CreatedAt: at}
			c.ActivityAt = at
			tx.SaveConversation(&c, PartInbox|PartSettings)
			w.all = append(w.all, c)
		}
		return nil
	})
}

// speakAgain moves some conversations up the list, a few of them with the very text they had.
func (w *fixture) speakAgain(t *testing.T, s *Store, random *rand.Rand, n int) {
	t.Helper()
	mustWrite(t, s, func(tx *Tx) error {
		for range n {
			c := &w.all[random.IntN(len(w.all))]
			last := *c.LastMessage
			last.CreatedAt = last.CreatedAt.Add(time.Duration(random.IntN(2000)-500) * time.Second)
			if random.IntN(2) == 0 {
				last.Text = w.all[random.IntN(len(w.all))].LastMessage.Text
			}
			c.LastMessage, c.ActivityAt = &last, last.CreatedAt
			tx.SaveConversation(c, 0)
		}
		return nil
	})
}

// readThrough compares every page of a list with the list in plain Go.
func (w *fixture) readThrough(t *testing.T, s *Store, f ConversationFilter) {
	t.Helper()
	for more := true; more; f.Offset += f.Limit {
		want, wantMore := w.lists(f)
		mustRead(t, s, func(tx *Tx) error {
			page, further, err := tx.Conversations(f)
			if err != nil {
				return err
			}
			got := make([]model.ID, len(page))
			for i := range page {
				got[i] = page[i].ID
			}
			if !slices.Equal(got, want) || further != wantMore {
				t.Fatalf("%+v with budgets %d and %d:\n got %d %v\nwant %d %v", f, search.Budget.FirstPass, search.Budget.Index, len(got), further, len(want), wantMore)
			}
			more = further
			return nil
		})
	}
}

func TestEveryPageOfASearchIsWhatAScanGives(t *testing.T) {
	eachDesk(t, func(t *testing.T, s *Store) {
		random := rand.New(rand.NewPCG(9, 9))
		w, other := newFixture(t, s), newFixture(t, s)
		w.talks(t, s, 300, time.Second)
		other.talks(t, s, 300, time.Second) // the same texts at the same moments
		for round := range 4 {
			for _, q := range []string{"inverno", "pedido", "cliente 1", "dia chegou", "obrigado pelo inverno"} {
				for _, archived := range []*bool{nil, ptr(true)} {
					varyBudgets(t, random)
					w.readThrough(t, s, ConversationFilter{Company: w.company, Q: q, Archived: archived, Limit: 7 + round*30, Sight: Sight{All: true}})
				}
			}
			indexText(t, s, 200*(1+round))
			w.speakAgain(t, s, random, 20)
		}
	})
}

func TestSearchesBearMoreRowsOfOneMomentThanAMillisecondHas(t *testing.T) {
	eachDesk(t, func(t *testing.T, s *Store) {
		w := newFixture(t, s)
		w.talks(t, s, 4096+300, 0)
		indexText(t, s, len(w.all))
		w.speakAgain(t, s, rand.New(rand.NewPCG(10, 10)), 50)
		indexText(t, s, len(w.all))
		for _, q := range []string{"inverno", "cliente 12", "pedido"} {
			f := ConversationFilter{Company: w.company, Q: q, Limit: 100, Offset: 700, Sight: Sight{All: true}}
			w.readThrough(t, s, f)
		}
	})
}

func TestEveryPageOfASearchForCardsIsWhatAScanGives(t *testing.T) {
	eachDesk(t, func(t *testing.T, s *Store) {
		random := rand.New(rand.NewPCG(11, 11))
		mine, other := newCabinet(t, s), newCabinet(t, s)
		for _, w := range []*cabinet{mine, other} {
			mustWrite(t, s, func(tx *Tx) error {
				for i := range 400 {
					c := w.card(random, w.boards[i%3])
					if c.Title = fmt.Sprintf("Card %d", i); i < 100 {
						c.Title += " of the winter"
					}
					tx.InsertCard(&c)
					w.all = append(w.all, c)
				}
				return nil
			})
		}
		for round := range 4 {
			for _, q := range []string{"winter", "card 1", "card", "the card"} {
				for statuses := range 3 {
					varyBudgets(t, random)
					mine.readThrough(t, s, CardFilter{
						Company: mine.company, Boards: mine.boards[:1+random.IntN(3)], Statuses: cardStatuses[statuses : statuses+2], Q: q,
						Priority: []string{"", "high"}[random.IntN(2)], Limit: 5 + 20*round, Sight: Sight{All: true},
					})
				}
			}
			indexText(t, s, 300*(1+round))
			mine.change(t, s, random, 20)
		}
	})
}

// readThrough compares every page of a list with the list in plain Go.
func (w *cabinet) readThrough(t *testing.T, s *Store, f CardFilter) {
	t.Helper()
	for more := true; more; {
		want, wantMore := w.lists(f)
		mustRead(t, s, func(tx *Tx) error {
			page, further, err := tx.Cards(f)
			if err != nil {
				return err
			}
			var got []model.ID
			for i := range page {
				got = append(got, page[i].ID)
			}
			if !slices.Equal(got, want) || further != wantMore {
				t.Fatalf("%+v with budgets %d and %d:\n got %d %v\nwant %d %v", f, search.Budget.FirstPass, search.Budget.Index, len(got), further, len(want), wantMore)
			}
			if more = further; more {
				f.After = page[len(page)-1].ID
			}
			return nil
		})
	}
}

func TestASearchWithoutBudgetFindsTheNewestMatches(t *testing.T) {
	eachDesk(t, func(t *testing.T, s *Store) {
		w := newFixture(t, s)
		w.talks(t, s, 300, time.Second)
		indexText(t, s, 300)
		wasPass, wasIndex, wasList := search.Budget.FirstPass, search.Budget.Index, search.Budget.List
		t.Cleanup(func() { search.Budget.FirstPass, search.Budget.Index, search.Budget.List = wasPass, wasIndex, wasList })
		search.Budget.FirstPass = 5
		for _, q := range []string{"pedido", "cliente 1", "dia chegou"} {
			for _, budget := range []int{1, 10, 100} {
				search.Budget.Index, search.Budget.List = budget, budget
				f := ConversationFilter{Company: w.company, Q: q, Limit: 300, Sight: Sight{All: true}}
				whole, _ := w.lists(f)
				newest, _ := w.lists(ConversationFilter{Company: w.company, Limit: max(search.Budget.FirstPass, search.Budget.List), Sight: Sight{All: true}})
				least := 0
				for _, id := range whole {
					if slices.Contains(newest, id) {
						least++
					}
				}
				for range 2 {
					got := conversationIDs(t, s, f)
					if len(got) < least || len(got) > len(whole) || !slices.Equal(got, whole[:len(got)]) {
						t.Errorf("%q with a budget of %d: %d rows, which are not the first of %d, or fewer than %d", q, budget, len(got), len(whole), least)
					}
				}
			}
		}
	})
}

func conversationIDs(t *testing.T, s *Store, f ConversationFilter) (ids []model.ID) {
	t.Helper()
	mustRead(t, s, func(tx *Tx) error {
		page, _, err := tx.Conversations(f)
		for i := range page {
			ids = append(ids, page[i].ID)
		}
		return err
	})
	return ids
}
