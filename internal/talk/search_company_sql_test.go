package talk

import (
	"slices"
	"testing"
	"time"

	"recado/internal/channels"
	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/search"
	"recado/test/kerneltest"
	"recado/test/testkit"
)

func TestSearchResultsDoNotDependOnOtherCompanies(t *testing.T) {
	kerneltest.EachOne(t, func(t *testing.T, s *kernel.Store) {
		wasPass, wasIndex, wasList := search.Budget.FirstPass, search.Budget.Index, search.Budget.List
		t.Cleanup(func() { search.Budget.FirstPass, search.Budget.Index, search.Budget.List = wasPass, wasIndex, wasList })
		search.Budget.FirstPass, search.Budget.Index, search.Budget.List = 5, 50, 10
		w, other := newFixture(t, s), newFixture(t, s)
		w.talks(t, s, 200, time.Second) // 40 of them with the text
		indexText(t, s, 200)
		f := conversationCriteria{Company: w.company, Q: "inverno", Limit: 100, Sight: kernel.Sight{All: true}}
		want, _ := w.lists(f)
		check := func(when string) {
			t.Helper()
			if got := conversationIDs(t, s, f); !slices.Equal(got, want) {
				t.Errorf("%s: %d rows, want %d", when, len(got), len(want))
			}
		}
		check("alone")
		other.talks(t, s, 300, time.Second) // 60 with the text, at the same times
		check("while another company waits to be indexed")
		indexText(t, s, 300)
		check("beside the entries of another company")
	})
}

func TestASearchDoesNotReadTheTextsOfAnotherCompany(t *testing.T) {
	kerneltest.EachOne(t, func(t *testing.T, s *kernel.Store) {
		wasPass := search.Budget.FirstPass
		t.Cleanup(func() { search.Budget.FirstPass = wasPass })
		search.Budget.FirstPass = 5
		w, other := newFixture(t, s), newFixture(t, s)
		w.talks(t, s, 40, time.Second)
		other.talks(t, s, 4_000, time.Second)
		indexText(t, s, 4_040)
		kerneltest.Write(t, s, func(tx *kernel.Tx) error {
			_, err := tx.Exec(`ANALYZE conversation_search`)
			return err
		})
		for range 10 { // PostgreSQL may create a new plan for the first five executions of a prepared statement
			kerneltest.Read(t, s, func(tx *kernel.Tx) error {
				if tx.Dialect().FullTextTables() {
					return nil // SQLite does not count the rows that it reads
				}
				before := entriesRead(t, tx)
				page, _, err := findConversations(tx, conversationCriteria{Company: w.company, Q: "o pedido chegou", Limit: 100, Sight: kernel.Sight{All: true}})
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

// Messages of different companies whose ids have the same prefix share an entry of SQLite's index.
func TestMessagesOfTwoCompaniesThatShareAnEntryAreBothFound(t *testing.T) {
	eachOffice(t, func(t *testing.T, o *office) {
		other := &office{nodes: o.nodes, owner: testCompany(t, o.nodes[0]), channel: kernel.NewID()}
		other.company = other.owner.Company
		other.insertChannel(t, channels.Channel{ID: other.channel, Name: "Sandbox", Phone: new("+551130000000"), Provider: channels.ProviderSandbox})
		id := kernel.NewID()
		index := func(o *office, text string) {
			t.Helper()
			m := Message{
				ID: id, Conversation: o.customer(t, len(text)), Company: o.company.ID, Channel: o.channel, Seq: 1, Direction: provider.Inbound,
				Type: provider.TypeText, Text: &text, Status: provider.StatusReceived,
			}
			id[15]++
			o.tx(t, func(tx *kernel.Tx) error {
				m.CreatedAt = tx.Now
				_, err := insertMessage(tx, &m)
				return err
			})
			if err := o.nodes[0].IndexSearch(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		index(o, "o bolo chegou")
		index(other, "o pedido chegou")
		index(o, "chegou o fim do inverno")
		for at, want := range map[*office]int{o: 2, other: 1} {
			kerneltest.Read(t, o.nodes[0].Store, func(tx *kernel.Tx) error {
				f := messageCriteria{MessageFilter: &MessageFilter{Q: "chegou", Limit: 10}, Company: at.company.ID, Sight: kernel.Sight{All: true}}
				page, _, err := searchMessages(tx, f)
				testkit.Equal(t, "messages", len(page), want)
				return err
			})
		}
	})
}

// entriesRead returns how many texts of conversations PostgreSQL has read on this connection.
func entriesRead(t *testing.T, tx *kernel.Tx) (n int64) {
	t.Helper()
	_, err := tx.One(`
		SELECT COALESCE(seq_tup_read, 0) + COALESCE(idx_tup_fetch, 0) AS total
		FROM pg_stat_xact_user_tables
		WHERE relname = 'conversation_search'`, nil, func(r db.Row) { n = r.Int("total") })
	if err != nil {
		t.Fatal(err)
	}
	return n
}
