package store

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"recado/internal/fold"
	"recado/internal/model"
	"recado/internal/store/search"
)

// cabinet is a company's boards with cards of every sort.
type cabinet struct {
	company        model.ID
	boards, labels []model.ID
	talks          []model.ID // with the first member, with the second sector, with neither
	members        []model.ID
	sectors        []model.ID
	now            time.Time
	all            []model.Card
}

func newCabinet(t *testing.T, s *Store) *cabinet {
	t.Helper()
	w := &cabinet{company: model.NewID(), labels: newIDs(3), members: newIDs(2), sectors: newIDs(2), now: time.UnixMilli(1_800_000_000_000).UTC()}
	mustWrite(t, s, func(tx *Tx) error {
		if err := insertCompany(tx, w.company, w.labels...); err != nil {
			return err
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
			tx.SaveConversation(&c, PartInbox|PartSettings)
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
	return search.NewText(f.Q).In(fold.Text(cardText(c)))
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
		texts := []string{"", "", "", "joao", "ana", "strasse", "100%", "a_b", "%", "_", `k\s`, "x", "zo", "about pão", "nowhere", "  "}
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
				varyBudgets(t, random)
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
