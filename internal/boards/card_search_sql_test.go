package boards

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"recado/internal/kernel"
	"recado/internal/search"
	"recado/test/kerneltest"
)

// comparePages compares every page of a list with the list in plain Go.
func (w *cabinet) comparePages(t *testing.T, s *kernel.Store, f cardCriteria) {
	t.Helper()
	for more := true; more; {
		want, wantMore := w.list(f)
		kerneltest.Read(t, s, func(tx *kernel.Tx) error {
			page, gotMore, err := listCards(tx, f)
			if err != nil {
				return err
			}
			var got []kernel.ID
			for i := range page {
				got = append(got, page[i].ID)
			}
			if !slices.Equal(got, want) || gotMore != wantMore {
				t.Fatalf("%+v with budgets %d and %d:\n got %d %v\nwant %d %v", f, search.Budget.FirstPass, search.Budget.Index, len(got), gotMore, len(want), wantMore)
			}
			if more = gotMore; more {
				f.After = page[len(page)-1].ID
			}
			return nil
		})
	}
}

func TestEveryPageOfACardSearchMatchesAFullScan(t *testing.T) {
	kerneltest.EachOne(t, func(t *testing.T, s *kernel.Store) {
		random := rand.New(rand.NewPCG(11, 11))
		mine, other := newCabinet(t, s), newCabinet(t, s)
		for _, w := range []*cabinet{mine, other} {
			kerneltest.Write(t, s, func(tx *kernel.Tx) error {
				for i := range 400 {
					c := w.card(random, w.boards[i%3])
					if c.Title = fmt.Sprintf("Card %d", i); i < 100 {
						c.Title += " of the winter"
					}
					InsertCard(tx, &c)
					w.all = append(w.all, c)
				}
				return nil
			})
		}
		for round := range 4 {
			for _, q := range []string{"winter", "card 1", "card", "the card"} {
				for statuses := range 3 {
					varyBudgets(t, random)
					mine.comparePages(t, s, cardCriteria{
						Company: mine.company, Boards: mine.boards[:1+random.IntN(3)], Statuses: cardStatuses[statuses : statuses+2],
						CardFilter: CardFilter{Q: q, Priority: []string{"", "high"}[random.IntN(2)], Limit: 5 + 20*round}, Sight: kernel.Sight{All: true},
					})
				}
			}
			kerneltest.Write(t, s, func(tx *kernel.Tx) error {
				_, err := search.Update(tx.Tx, 300*(1+round))
				return err
			})
			mine.change(t, s, random, 20)
		}
	})
}
