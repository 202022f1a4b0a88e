package store

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"recado/internal/model"
	"recado/internal/store/search"
	"recado/internal/testkit"
)

// crowd is a company with very many conversations, made in a few statements.
type crowd struct {
	company, channel, rareChannel, agent, sector, popular, rare model.ID
}

// newCrowd fills a database with n conversations: all have "pedido" in their last message, the oldest
// twentieth "inverno", every tenth has an agent, every second a sector, one in a hundred something unread,
// half of them are archived.
func newCrowd(t testing.TB, s *Store, n int) crowd {
	t.Helper()
	ids := newIDs(7)
	w := crowd{ids[0], ids[1], ids[2], ids[3], ids[4], ids[5], ids[6]}
	write := func(fn func(tx *Tx) error) {
		t.Helper()
		if err := s.Write(context.Background(), fn); err != nil {
			t.Fatal(err)
		}
	}
	const chunk = 10_000
	rows := `WITH RECURSIVE n (i) AS (SELECT CAST($1 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < $1 + ` + strconv.Itoa(chunk-1) + `) `
	random, uuid := `gen_random_uuid()`, `UUID`
	if s.SingleNode() {
		random, uuid = `randomblob(16)`, `BLOB`
	}
	write(func(tx *Tx) error { return insertCompany(tx, w.company, w.popular, w.rare) })
	for from := 1; from <= n; from += chunk {
		write(func(tx *Tx) error {
			_, err := tx.exec(`
			INSERT INTO conversations (id, company, channel, private, kind, name, renamed, phone, contact, assignee, sector,
				archived, pinned, muted, unread_count, last_id, last_type, last_text, last_direction, last_at, unanswered,
				sequence, activity_at, folded, unindexed, created_at, updated_at)
			`+rows+`
			SELECT `+random+`, $2, CASE WHEN i % 2000 = 0 THEN CAST($4 AS `+uuid+`) ELSE $3 END, FALSE, 'direct', 'Cliente ' || i, FALSE, '+55119' || (10000000 + i * 31337 % 89999999), `+random+`,
				CASE WHEN i % 10 = 0 THEN CAST($5 AS `+uuid+`) END, CASE WHEN i % 2 = 0 THEN CAST($6 AS `+uuid+`) END,
				i % 2 = 1, i % 5000 = 0, FALSE, CASE WHEN i % 100 = 0 THEN 3 ELSE 0 END,
				`+random+`, 'text', 'Bom dia, meu pedido ' || (i * 7919 % 1000003) || ' chegou?', 'inbound', 1700000000000 + i, FALSE,
				9, 1700000000000 + i, 'cliente ' || i || '
' || '+55119' || (10000000 + i * 31337 % 89999999) || '
' || 'bom dia, meu pedido ' || (i * 7919 % 1000003) || ' chegou?' || CASE WHEN i <= $7 THEN ' no inverno' ELSE '' END,
				TRUE, 1700000000000, 1700000000000
			FROM n`, from, w.company, w.channel, w.rareChannel, w.agent, w.sector, n/20)
			return err
		})
	}
	write(func(tx *Tx) error {
		if _, err := tx.exec(`INSERT INTO conversation_labels (subject, label) SELECT id, $1 FROM conversations WHERE activity_at % 4 = 0`, w.popular); err != nil {
			return err
		}
		_, err := tx.exec(`INSERT INTO conversation_labels (subject, label) SELECT id, $1 FROM conversations WHERE activity_at % 2500 = 0`, w.rare)
		return err
	})
	for done := 1; done > 0; {
		write(func(tx *Tx) (err error) {
			done, err = tx.IndexText(5000)
			return err
		})
	}
	write(func(tx *Tx) error { _, err := tx.exec(`ANALYZE`); return err })
	return w
}

const alongLite, alongPg = "USING INDEX conversations_list", "Index Scan Backward using conversations_list"

// lists are the questions asked of a crowd, and how each must be answered.
func (w crowd) lists() map[string]struct {
	f        ConversationFilter
	lite, pg string
} {
	yes, no := true, false
	type list = struct {
		f        ConversationFilter
		lite, pg string
	}
	const byIDLite, byIDPg = "SEARCH c USING INDEX sqlite_autoindex_conversations_1 (id=?)", "Index Scan using conversations_pkey"
	all := map[string]list{
		"everything":        {ConversationFilter{}, alongLite, alongPg},
		"active":            {ConversationFilter{Archived: &no}, alongLite, alongPg},
		"archived":          {ConversationFilter{Archived: &yes}, alongLite, alongPg},
		"unread":            {ConversationFilter{Unread: true}, "USING INDEX conversations_unread", byIDPg},
		"direct":            {ConversationFilter{Kind: model.KindDirect}, alongLite, alongPg},
		"groups":            {ConversationFilter{Kind: model.KindGroup}, byIDLite, byIDPg},
		"channel":           {ConversationFilter{Channel: w.channel}, alongLite, alongPg},
		"rare channel":      {ConversationFilter{Channel: w.rareChannel}, byIDLite, byIDPg},
		"agent":             {ConversationFilter{Assignee: w.agent}, "USING INDEX conversations_assignee", "Index Scan Backward using conversations_assignee"},
		"unassigned":        {ConversationFilter{Unassigned: true}, alongLite, alongPg},
		"sector":            {ConversationFilter{Sector: w.sector}, alongLite, alongPg},
		"empty sector":      {ConversationFilter{Sector: w.agent}, byIDLite, byIDPg},
		"popular label":     {ConversationFilter{Label: w.popular}, alongLite, alongPg},
		"rare label":        {ConversationFilter{Label: w.rare}, byIDLite, byIDPg},
		"label and agent":   {ConversationFilter{Label: w.popular, Assignee: w.agent}, "USING INDEX conversations_assignee", "Index Scan Backward using conversations_assignee"},
		"own":               {ConversationFilter{Sight: Sight{Member: w.agent}}, "USING INDEX conversations_assignee", "Index Scan Backward using conversations_assignee"},
		"sectors":           {ConversationFilter{Sight: Sight{Member: w.agent, Sectors: []model.ID{w.sector}}}, alongLite, alongPg},
		"rare text":         {ConversationFilter{Q: "Cliente 777"}, byIDLite, byIDPg},
		"phone":             {ConversationFilter{Q: "(11) 91003-1337"}, byIDLite, byIDPg},
		"unknown text":      {ConversationFilter{Q: "xyzzy"}, byIDLite, byIDPg},
		"popular text":      {ConversationFilter{Q: "pedido"}, byIDLite, byIDPg},
		"old text":          {ConversationFilter{Q: "inverno"}, byIDLite, byIDPg},
		"old and archived":  {ConversationFilter{Q: "inverno", Archived: &yes}, byIDLite, byIDPg},
		"old and popular":   {ConversationFilter{Q: "inverno", Label: w.popular}, byIDLite, byIDPg},
		"unlike its parts":  {ConversationFilter{Q: "pedido meu"}, byIDLite, byIDPg},
		"two characters":    {ConversationFilter{Q: "77"}, byIDLite, byIDPg},
		"unknown character": {ConversationFilter{Q: "ç%"}, byIDLite, byIDPg},
		"second page":       {ConversationFilter{Offset: 30}, alongLite, alongPg},
	}
	for name, l := range all {
		l.f.Company, l.f.Limit = w.company, 30
		if l.f.Sight.Member.IsZero() {
			l.f.Sight.All = true
		}
		all[name] = l
	}
	return all
}

func TestListsOfConversationsReadFewRows(t *testing.T) {
	eachDesk(t, func(t *testing.T, s *Store) {
		w := newCrowd(t, s, 20_000)
		for name, l := range w.lists() {
			t.Run(name, func(t *testing.T) {
				plan := explain(t, s, &l.f)
				want := l.pg
				if s.SingleNode() {
					want = l.lite
				}
				sorts := strings.Contains(plan, "Sort") || strings.Contains(plan, "TEMP B-TREE FOR ORDER BY")
				if !strings.Contains(plan, want) || strings.Contains(plan, "Seq Scan on conversations") || strings.Contains(plan, "SCAN c ") ||
					sorts && (want == alongLite || want == alongPg) {
					t.Errorf("want %s:\n%s", want, plan)
				}
			})
		}
		t.Run("a short text is looked for among the newest only", func(t *testing.T) {
			for q, want := range map[string]int{"77": 30, "nv": 0} { // the second is in "inverno", which the oldest have
				mustRead(t, s, func(tx *Tx) error {
					page, _, err := tx.Conversations(ConversationFilter{Company: w.company, Q: q, Limit: 30, Sight: Sight{All: true}})
					if len(page) != want {
						t.Errorf("%s: %d rows", q, len(page))
					}
					return err
				})
			}
		})
	})
}

// explain tells how the engine reads a list.
func explain(t *testing.T, s *Store, f *ConversationFilter) (plan string) {
	t.Helper()
	mustRead(t, s, func(tx *Tx) error {
		list, err := tx.listConversations(f)
		if err == nil {
			plan, err = tx.explain(list.String(), list.Args)
		}
		return err
	})
	return plan
}

// explain tells how the engine runs a statement.
func (tx *Tx) explain(sql string, args []any) (string, error) {
	var plan strings.Builder
	how, column := "EXPLAIN ", 0
	if !tx.dialect().ConcurrentWrites() {
		how, column = "EXPLAIN QUERY PLAN ", 3
	}
	err := tx.query(how+sql, args, func(r Row) error {
		fmt.Fprintln(&plan, r.Text(column))
		return nil
	})
	return plan.String(), err
}

// A plan that PostgreSQL keeps for a statement is made for a company of the usual size. With many small companies that is one whose
// rows may as well be read and sorted, which the plan must not do: it serves the large company, too.
func TestThePlansThatPostgreSQLKeepsFollowTheOrderOfTheList(t *testing.T) {
	s, err := Open(t.Context(), Options{DatabaseURL: testkit.Database(t, "")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	w := newCrowd(t, s, 20_000)
	mustWrite(t, s, func(tx *Tx) error {
		_, err := tx.exec(`
			INSERT INTO conversations (id, company, channel, private, kind, name, renamed, contact, archived, pinned, muted, unread_count,
				unanswered, sequence, activity_at, folded, unindexed, created_at, updated_at)
			SELECT gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), FALSE, 'direct', 'Ana', FALSE, gen_random_uuid(), FALSE, FALSE, FALSE, 0,
				FALSE, 1, 1700000000000 + i, 'ana', FALSE, 1700000000000, 1700000000000
			FROM generate_series(1, 5000) i`)
		if err == nil {
			_, err = tx.exec(`ANALYZE conversations`)
		}
		return err
	})
	no := false
	for name, f := range map[string]ConversationFilter{
		"all": {}, "not archived": {Archived: &no}, "a channel": {Channel: w.channel}, "a sector": {Sector: w.sector}, "open": {Status: model.ListOpen},
		"a text": {Q: "pedido"}, "a text, not archived": {Q: "pedido", Archived: &no},
	} {
		t.Run(name, func(t *testing.T) {
			f.Company, f.Limit, f.Sight = w.company, 30, Sight{All: true}
			mustRead(t, s, func(tx *Tx) error {
				list, err := tx.listConversations(&f)
				if f.Q != "" {
					all, _ := (&conversationSearchList{tx, &f}).Newest(search.Budget.FirstPass, search.NewText(f.Q))
					list = all[0]
				}
				if err != nil {
					return err
				}
				plan, err := tx.explainKept(list)
				if !strings.Contains(plan, "Index Scan Backward using conversations_") || strings.Contains(plan, "Sort") {
					t.Errorf("the rows are sorted:\n%s", plan)
				}
				return err
			})
		})
	}
}

// explainKept tells how PostgreSQL runs a statement by the plan that it keeps for all arguments.
func (tx *Tx) explainKept(s *statement) (string, error) {
	nulls := "NULL" + strings.Repeat(", NULL", len(s.Args)-1)
	for _, sql := range []string{"SELECT set_config('plan_cache_mode', 'force_generic_plan', TRUE)", "PREPARE kept AS " + s.String()} {
		if _, err := tx.exec(sql); err != nil {
			return "", err
		}
	}
	plan, err := tx.explain("EXECUTE kept ("+nulls+")", nil)
	if err == nil {
		_, err = tx.exec("DEALLOCATE kept")
	}
	return plan, err
}

func TestContactsAreLookedUpByTheIndexesOfTheirIdentities(t *testing.T) {
	eachDesk(t, func(t *testing.T, s *Store) {
		company := model.NewID()
		mustWrite(t, s, func(tx *Tx) error {
			if err := insertCompany(tx, company); err != nil {
				return err
			}
			for i := range 1000 {
				number := fmt.Sprintf("+55119%08d", i)
				c := model.Contact{ID: model.NewID(), Company: company, Pool: company, Name: number, Phone: &number, CreatedAt: tx.Now}
				if _, err := tx.InsertContact(&c); err != nil {
					return err
				}
				tx.LinkIdentity(company, IdentityWA, number[1:], c.ID)
			}
			_, err := tx.exec(`ANALYZE`)
			return err
		})
		mustRead(t, s, func(tx *Tx) error {
			plan, err := tx.explain(tx.selectKnownAs(), []any{company, "", "", "5511900000007", "551190000007", "+5511900000007", company})
			for line := range strings.Lines(plan) { // the table of channels is small, and ids are the rows that were found
				reads := strings.Contains(line, "Seq Scan on ") || strings.HasPrefix(line, "SCAN ")
				if reads && !strings.Contains(line, "Seq Scan on channels ") && !strings.HasPrefix(line, "SCAN x") && line != "SCAN ids\n" {
					t.Errorf("a table is read as a whole: %s", plan)
				}
			}
			return err
		})
	})
}

func BenchmarkConversations(b *testing.B) {
	for _, engine := range []string{"sqlite", "postgres"} {
		b.Run(engine, func(b *testing.B) {
			o := Options{Dir: b.TempDir()}
			if engine == "postgres" {
				o = Options{DatabaseURL: testkit.Database(b, "")}
			}
			s, err := Open(context.Background(), o)
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { _ = s.Close() })
			w := newCrowd(b, s, 200_000)
			for name, l := range w.lists() {
				b.Run(name, func(b *testing.B) {
					for b.Loop() {
						err := s.Read(context.Background(), func(tx *Tx) error {
							_, _, err := tx.Conversations(l.f)
							return err
						})
						if err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		})
	}
}
