package talk

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/search"
	"recado/test/kerneltest"
)

// varyBudgets sets random budgets until the test ends, so that searches take each step of their plan.
func varyBudgets(t *testing.T, random *rand.Rand) {
	t.Helper()
	wasPass, wasIndex, wasFew := search.Budget.FirstPass, search.Budget.Index, kernel.Few
	t.Cleanup(func() { search.Budget.FirstPass, search.Budget.Index, kernel.Few = wasPass, wasIndex, wasFew })
	search.Budget.FirstPass = []int{1, 4, 150}[random.IntN(3)]
	search.Budget.Index = []int{1, 40, 10_000}[random.IntN(3)]
	kernel.Few = []int{0, 2000}[random.IntN(2)]
}

func indexText(t *testing.T, s *kernel.Store, n int) {
	t.Helper()
	kerneltest.Write(t, s, func(tx *kernel.Tx) error {
		_, err := search.Update(tx.Tx, n)
		return err
	})
}

// talks adds n conversations. The text of the oldest fifth contains "inverno".
func (w *fixture) talks(t *testing.T, s *kernel.Store, n int, apart time.Duration) {
	t.Helper()
	start := time.UnixMilli(1_700_000_000_000).UTC()
	kerneltest.Write(t, s, func(tx *kernel.Tx) error {
		for i := range n {
			contact, text := kernel.NewID(), "Bom dia, o pedido chegou"
			if i < n/5 {
				text += ", obrigado pelo inverno"
			}
			at := start.Add(time.Duration(i) * apart)
			c := Conversation{
				ID: kernel.NewID(), Company: w.company, Channel: w.channels[i%3], Kind: KindDirect, Name: fmt.Sprintf("Cliente %d", i),
				Contact: &contact, Sequence: 1, CreatedAt: start, UpdatedAt: at,
			}
			if _, err := InsertConversation(tx, &c); err != nil {
				return err
			}
			c.Archived, c.Pinned = i%3 == 0, i%50 == 7
			c.LastMessage = &LastMessage{ID: kernel.NewID(), Type: provider.TypeText, Text: &text, Direction: provider.Inbound, CreatedAt: at}
			c.ActivityAt = at
			SaveConversation(tx, &c, PartInbox|PartSettings)
			w.all = append(w.all, c)
		}
		return nil
	})
}

// speakAgain adds messages to random conversations, some of them with the same text as before.
func (w *fixture) speakAgain(t *testing.T, s *kernel.Store, random *rand.Rand, n int) {
	t.Helper()
	kerneltest.Write(t, s, func(tx *kernel.Tx) error {
		for range n {
			c := &w.all[random.IntN(len(w.all))]
			last := *c.LastMessage
			last.CreatedAt = last.CreatedAt.Add(time.Duration(random.IntN(2000)-500) * time.Second)
			if random.IntN(2) == 0 {
				last.Text = w.all[random.IntN(len(w.all))].LastMessage.Text
			}
			c.LastMessage, c.ActivityAt = &last, last.CreatedAt
			SaveConversation(tx, c, 0)
		}
		return nil
	})
}

// readThrough compares every page of a list with the result of the implementation in Go.
func (w *fixture) readThrough(t *testing.T, s *kernel.Store, f conversationCriteria) {
	t.Helper()
	for more := true; more; f.Offset += f.Limit {
		want, wantMore := w.lists(f)
		kerneltest.Read(t, s, func(tx *kernel.Tx) error {
			page, further, err := findConversations(tx, f)
			if err != nil {
				return err
			}
			got := make([]kernel.ID, len(page))
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

func TestEveryPageOfASearchEqualsTheResultOfAScan(t *testing.T) {
	kerneltest.EachOne(t, func(t *testing.T, s *kernel.Store) {
		random := rand.New(rand.NewPCG(9, 9))
		w, other := newFixture(t, s), newFixture(t, s)
		w.talks(t, s, 300, time.Second)
		other.talks(t, s, 300, time.Second) // the same texts at the same times
		for round := range 4 {
			for _, q := range []string{"inverno", "pedido", "cliente 1", "dia chegou", "obrigado pelo inverno"} {
				for _, archived := range []*bool{nil, ptr(true)} {
					varyBudgets(t, random)
					w.readThrough(t, s, conversationCriteria{Company: w.company, Q: q, Archived: archived, Limit: 7 + round*30, Sight: kernel.Sight{All: true}})
				}
			}
			indexText(t, s, 200*(1+round))
			w.speakAgain(t, s, random, 20)
		}
	})
}

func TestSearchesHandleMoreRowsOfOneMillisecondThanItHasNumbers(t *testing.T) {
	kerneltest.EachOne(t, func(t *testing.T, s *kernel.Store) {
		w := newFixture(t, s)
		w.talks(t, s, 4096+300, 0)
		indexText(t, s, len(w.all))
		w.speakAgain(t, s, rand.New(rand.NewPCG(10, 10)), 50)
		indexText(t, s, len(w.all))
		for _, q := range []string{"inverno", "cliente 12", "pedido"} {
			f := conversationCriteria{Company: w.company, Q: q, Limit: 100, Offset: 700, Sight: kernel.Sight{All: true}}
			w.readThrough(t, s, f)
		}
	})
}

func TestASearchWithoutBudgetFindsTheNewestMatches(t *testing.T) {
	kerneltest.EachOne(t, func(t *testing.T, s *kernel.Store) {
		w := newFixture(t, s)
		w.talks(t, s, 300, time.Second)
		indexText(t, s, 300)
		wasPass, wasIndex, wasList := search.Budget.FirstPass, search.Budget.Index, search.Budget.List
		t.Cleanup(func() { search.Budget.FirstPass, search.Budget.Index, search.Budget.List = wasPass, wasIndex, wasList })
		search.Budget.FirstPass = 5
		for _, q := range []string{"pedido", "cliente 1", "dia chegou"} {
			for _, budget := range []int{1, 10, 100} {
				search.Budget.Index, search.Budget.List = budget, budget
				f := conversationCriteria{Company: w.company, Q: q, Limit: 300, Sight: kernel.Sight{All: true}}
				whole, _ := w.lists(f)
				newest, _ := w.lists(conversationCriteria{Company: w.company, Limit: max(search.Budget.FirstPass, search.Budget.List), Sight: kernel.Sight{All: true}})
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

func conversationIDs(t *testing.T, s *kernel.Store, f conversationCriteria) (ids []kernel.ID) {
	t.Helper()
	kerneltest.Read(t, s, func(tx *kernel.Tx) error {
		page, _, err := findConversations(tx, f)
		for i := range page {
			ids = append(ids, page[i].ID)
		}
		return err
	})
	return ids
}
