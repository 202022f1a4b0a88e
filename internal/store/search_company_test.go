package store

import (
	"slices"
	"testing"
	"time"

	"recado/internal/model"
	"recado/internal/store/search"
	"recado/internal/testkit"
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

func TestASearchDoesNotReadTheTextsOfAnotherCompany(t *testing.T) {
	eachDesk(t, func(t *testing.T, s *Store) {
		wasPass := search.Budget.FirstPass
		t.Cleanup(func() { search.Budget.FirstPass = wasPass })
		search.Budget.FirstPass = 5
		w, other := newFixture(t, s), newFixture(t, s)
		w.talks(t, s, 40, time.Second)
		other.talks(t, s, 4_000, time.Second)
		indexText(t, s, 4_040)
		mustWrite(t, s, func(tx *Tx) error {
			_, err := tx.exec(`ANALYZE conversation_search`)
			return err
		})
		for range 10 { // PostgreSQL may plan a prepared statement anew for each of the first five
			mustRead(t, s, func(tx *Tx) error {
				if tx.dialect().FullTextTables() {
					return nil // the engine does not count what it reads
				}
				before := entriesRead(t, tx)
				page, _, err := tx.Conversations(ConversationFilter{Company: w.company, Q: "o pedido chegou", Limit: 100, Sight: Sight{All: true}})
				if err != nil {
					return err
				}
				testkit.Equal(t, "conversations", len(page), 40)
				if read := entriesRead(t, tx) - before; read > 40 {
					t.Errorf("the search read the texts of %d conversations, and the company has 40", read)
				}
				return nil
			})
		}
	})
}

// entriesRead is how many texts of conversations PostgreSQL has read on this connection since it last reported it.
func entriesRead(t *testing.T, tx *Tx) (n int64) {
	t.Helper()
	_, err := tx.one(`
		SELECT COALESCE(seq_tup_read, 0) + COALESCE(idx_tup_fetch, 0)
		FROM pg_stat_xact_user_tables
		WHERE relname = 'conversation_search'`, nil, func(r Row) { n = r.Int(0) })
	if err != nil {
		t.Fatal(err)
	}
	return n
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
