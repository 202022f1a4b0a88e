package store

import (
	"slices"
	"testing"
	"time"

	"recado/internal/model"
	"recado/internal/store/search"
)

func TestWhatASearchFindsDoesNotDependOnOtherCompanies(t *testing.T) {
	eachDesk(t, func(t *testing.T, s *Store) {
		wasPass, wasIndex, wasList := search.Budget.FirstPass, search.Budget.Index, search.Budget.List
		t.Cleanup(func() { search.Budget.FirstPass, search.Budget.Index, search.Budget.List = wasPass, wasIndex, wasList })
		search.Budget.FirstPass, search.Budget.Index, search.Budget.List = 5, 50, 10
		w, other := newFixture(t, s), newFixture(t, s)
		w.talks(t, s, 200, time.Second) // 40 of them with the text
		indexText(t, s, 200)
		f := ConversationFilter{Company: w.company, Q: "inverno", Limit: 100, Sight: Sight{All: true}}
		want, _ := w.lists(f)
		check := func(when string) {
			t.Helper()
			if got := conversationIDs(t, s, f); !slices.Equal(got, want) {
				t.Errorf("%s: %d rows, want %d", when, len(got), len(want))
			}
		}
		check("alone")
		other.talks(t, s, 300, time.Second) // 60 with the text, at the same moments
		check("while another company waits to be indexed")
		indexText(t, s, 300)
		check("beside the entries of another company")
	})
}

func TestTextsThatWereIndexedWithoutTheirCompanyAreIndexedAgain(t *testing.T) {
	eachUpgrade(t, firstSchema(t), func(t *testing.T, before *Store, company model.ID, upgrade func() *Store) {
		mustWrite(t, before, func(tx *Tx) error {
			for i, id := range newIDs(20) {
				tx.later(`
					INSERT INTO contacts (id, company, name, blocked, public, folded, unindexed, created_at, updated_at)
					VALUES ($1, $2, 'Inverno', FALSE, TRUE, 'inverno', FALSE, 0, 0)`, id, company)
				tx.later(`INSERT INTO contact_search (num, subject, company, folded) VALUES ($1, $2, $3, 'inverno')`, id.Time().UnixMilli()*16+int64(i), id, company)
			}
			if tx.dialect().FullTextTables() {
				tx.later(`INSERT INTO contact_trigrams (rowid, folded) SELECT num, folded FROM contact_search`)
			}
			return nil
		})
		after := upgrade()
		wasPass, wasList := search.Budget.FirstPass, search.Budget.List
		t.Cleanup(func() { search.Budget.FirstPass, search.Budget.List = wasPass, wasList })
		search.Budget.FirstPass, search.Budget.List = 1, 1
		for _, batch := range []int{0, 5, 100} {
			indexText(t, after, batch)
			mustRead(t, after, func(tx *Tx) error {
				page, _, err := tx.Contacts(ContactFilter{Company: company, Q: "inverno", Limit: 30})
				if len(page) != 20 {
					t.Errorf("with %d more indexed: %d contacts, want 20", batch, len(page))
				}
				return err
			})
		}
	})
}
