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
	bothPlaces(t, func(t *testing.T, o Options) {
		before, err := open(t.Context(), o, firstSchema(t))
		if err != nil {
			t.Fatal(err)
		}
		company := model.NewID()
		mustWrite(t, before, func(tx *Tx) error {
			tx.later(`
				INSERT INTO companies (id, name, timezone, created_at, attendance_enabled, first_responder, mode, auto_close, auto_close_minutes, checks_stale)
				VALUES ($1, 'Padaria', 'America/Sao_Paulo', 0, TRUE, TRUE, 'liberal', FALSE, 60, FALSE)`, company)
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
		if err := before.Close(); err != nil {
			t.Fatal(err)
		}
		after, err := open(t.Context(), o, embedded())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = after.Close() }()
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
