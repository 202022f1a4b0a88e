package boards

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"recado/internal/fold"
	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/search"
	"recado/internal/talk"
	"recado/test/kerneltest"
)

// cabinet is a company with boards and cards of every kind.
type cabinet struct {
	company        kernel.ID
	boards, labels []kernel.ID
	talks          []kernel.ID // assigned to the first member, in the second sector, neither
	members        []kernel.ID
	sectors        []kernel.ID
	now            time.Time
	all            []Card
}

func insertCompany(tx *kernel.Tx, company kernel.ID, labels ...kernel.ID) error {
	people.InsertCompany(tx, kernel.Company{ID: company, Name: "Padaria", Timezone: kernel.DefaultZone}, people.AttendanceRules{Mode: people.ModeLiberal})
	for i, label := range labels {
		if _, err := talk.InsertLabel(tx, company, talk.Label{ID: label, Name: strconv.Itoa(i), Color: "#000000"}); err != nil {
			return err
		}
	}
	return nil
}

func newIDs(n int) []kernel.ID {
	ids := make([]kernel.ID, n)
	for i := range ids {
		ids[i] = kernel.NewID()
	}
	return ids
}

func ptr[T any](v T) *T { return &v }

// varyBudgets makes searches leave the list and the index early or late until the test ends, so that every step of their plan
// runs.
func varyBudgets(t *testing.T, random *rand.Rand) {
	t.Helper()
	pass, index, few := search.Budget.FirstPass, search.Budget.Index, kernel.Few
	t.Cleanup(func() { search.Budget.FirstPass, search.Budget.Index, kernel.Few = pass, index, few })
	search.Budget.FirstPass = []int{1, 4, 150}[random.IntN(3)]
	search.Budget.Index = []int{1, 40, 10_000}[random.IntN(3)]
	kernel.Few = []int{0, 2000}[random.IntN(2)]
}

func newCabinet(t *testing.T, s *kernel.Store) *cabinet {
	t.Helper()
	w := &cabinet{company: kernel.NewID(), labels: newIDs(3), members: newIDs(2), sectors: newIDs(2), now: time.UnixMilli(1_800_000_000_000).UTC()}
	kerneltest.Write(t, s, func(tx *kernel.Tx) error {
		if err := insertCompany(tx, w.company, w.labels...); err != nil {
			return err
		}
		for i := range 3 {
			w.boards = append(w.boards, kernel.NewID())
			insertBoard(tx, w.company, Board{ID: w.boards[i], Name: strconv.Itoa(i), Stages: []Stage{{ID: w.boards[i], Name: "All", Kind: StageOpen}}})
			contact := kernel.NewID()
			c := talk.Conversation{ID: kernel.NewID(), Company: w.company, Channel: w.boards[i], Kind: talk.KindDirect, Contact: &contact, CreatedAt: w.now, UpdatedAt: w.now}
			if _, err := talk.InsertConversation(tx, &c); err != nil {
				return err
			}
			switch i {
			case 0:
				c.Assignee = &w.members[0]
			case 1:
				c.Sector = &w.sectors[1]
			}
			talk.SaveConversation(tx, &c, talk.PartInbox|talk.PartSettings)
			w.talks = append(w.talks, c.ID)
		}
		return nil
	})
	return w
}

var cardStatuses = []string{CardOpen, CardCompleted, CardLost, CardArchived}

// card returns a random card. Most are open and public.
func (w *cabinet) card(random *rand.Rand, board kernel.ID) Card {
	words := []string{"João", "ANA", "Straße", "100%", "a_b", "pão de queijo", "Zoë", `back\slash`, "x"}
	c := Card{
		ID: kernel.NewID(), Company: w.company, BoardID: board, StageID: board, Title: words[random.IntN(len(words))] + " " + words[random.IntN(len(words))],
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

// change changes or deletes n random cards.
func (w *cabinet) change(t *testing.T, s *kernel.Store, random *rand.Rand, n int) {
	t.Helper()
	kerneltest.Write(t, s, func(tx *kernel.Tx) error {
		for range n {
			i := random.IntN(len(w.all))
			old := w.all[i]
			if random.IntN(5) == 0 {
				w.all = slices.Delete(w.all, i, i+1)
				if err := deleteCard(tx, w.company, old.ID); err != nil {
					return err
				}
				continue
			}
			c := w.card(random, old.BoardID)
			c.ID, c.Hidden = old.ID, old.Hidden
			saveCard(tx, &old, &c)
			w.all[i] = c
		}
		return nil
	})
}

// list computes the list in plain Go.
func (w *cabinet) list(f cardCriteria) (ids []kernel.ID, more bool) {
	for _, c := range w.all {
		if w.matches(&f, &c) {
			ids = append(ids, c.ID)
		}
	}
	slices.SortFunc(ids, func(a, b kernel.ID) int { return slices.Compare(b[:], a[:]) })
	if len(ids) > f.Limit {
		return ids[:f.Limit], true
	}
	return ids, false
}

func (w *cabinet) matches(f *cardCriteria, c *Card) bool {
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
	return search.NewText(f.Q).In(fold.Text(cardText(c)))
}

func TestListCardsAppliesTheFilters(t *testing.T) {
	kerneltest.EachOne(t, func(t *testing.T, s *kernel.Store) {
		random := rand.New(rand.NewPCG(8, 8))
		w := newCabinet(t, s)
		kerneltest.Write(t, s, func(tx *kernel.Tx) error {
			for range 200 {
				c := w.card(random, w.boards[random.IntN(3)])
				InsertCard(tx, &c)
				w.all = append(w.all, c)
			}
			return nil
		})
		texts := []string{"", "", "", "joao", "ana", "strasse", "100%", "a_b", "%", "_", `k\s`, "x", "zo", "about pão", "nowhere", "  "}
		for round := range 4 {
			for range 200 {
				f := cardCriteria{
					Company: w.company, Boards: w.boards[:1+random.IntN(3)], Statuses: cardStatuses[:1+random.IntN(4)], Sight: kernel.Sight{All: true},
					CardFilter: CardFilter{
						Q: texts[random.IntN(len(texts))], Priority: []string{"", "", "", "low", "urgent"}[random.IntN(5)], Limit: 1 + random.IntN(20),
					},
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
					f.Sight = kernel.Sight{Member: w.members[random.IntN(2)]}
				case 1:
					f.Sight = kernel.Sight{Member: w.members[0], Sectors: w.sectors}
				}
				if random.IntN(2) == 0 {
					f.After = w.all[random.IntN(len(w.all))].ID
				}
				varyBudgets(t, random)
				want, wantMore := w.list(f)
				kerneltest.Read(t, s, func(tx *kernel.Tx) error {
					page, more, err := listCards(tx, f)
					if err != nil {
						return err
					}
					var got []kernel.ID
					for i := range page {
						got = append(got, page[i].ID)
					}
					if !slices.Equal(got, want) || more != wantMore {
						t.Fatalf("round %d, %+v:\n got %d %v %v\nwant %d %v %v", round, f, len(got), got, more, len(want), want, wantMore)
					}
					return nil
				})
			}
			kerneltest.Write(t, s, func(tx *kernel.Tx) error {
				_, err := search.Update(tx.Tx, 80*(1+round)) // only a part, so that searches have to look in both places
				return err
			})
			w.change(t, s, random, 40)
		}
	})
}
