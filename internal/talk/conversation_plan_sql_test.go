package talk

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/search"
	"recado/test/kerneltest"
	"recado/test/testkit"
)

// crowd is a company with very many conversations.
type crowd struct {
	company, channel, rareChannel, agent, sector, popular, rare kernel.ID
}

// newCrowd inserts n conversations: the last messages of all contain "pedido", those of the oldest twentieth "inverno"; every
// tenth has an agent, every second a sector, every hundredth unread messages, and half are archived.
func newCrowd(t *testing.T, s *kernel.Store, n int) crowd {
	t.Helper()
	ids := newIDs(7)
	w := crowd{ids[0], ids[1], ids[2], ids[3], ids[4], ids[5], ids[6]}
	write := func(fn func(tx *kernel.Tx) error) { kerneltest.Write(t, s, fn) }
	const chunk = 10_000
	rows := `WITH RECURSIVE n (i) AS (SELECT CAST($1 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < $1 + ` + strconv.Itoa(chunk-1) + `) `
	random, uuid := `gen_random_uuid()`, `UUID`
	if s.SingleNode() {
		random, uuid = `randomblob(16)`, `BLOB`
	}
	write(func(tx *kernel.Tx) error { return insertCompany(tx, w.company, w.popular, w.rare) })
	for from := 1; from <= n; from += chunk {
		write(func(tx *kernel.Tx) error {
			_, err := tx.Exec(`
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
	write(func(tx *kernel.Tx) error {
		insert := `INSERT INTO conversation_labels (company, subject, label) SELECT company, id, $2 FROM conversations WHERE company = $1 AND activity_at % $3 = 0`
		tx.Later(insert, w.company, w.popular, 4)
		tx.Later(insert, w.company, w.rare, 2500)
		return nil
	})
	for done := 1; done > 0; {
		write(func(tx *kernel.Tx) (err error) {
			done, err = search.Update(tx.Tx, 5000)
			return err
		})
	}
	write(func(tx *kernel.Tx) error { _, err := tx.Exec(`ANALYZE`); return err })
	return w
}

const alongLite, alongPg = "USING INDEX conversations_list", "Index Scan Backward using conversations_list"

// planned is a list and a part of its query plan on each engine.
type planned struct {
	f        conversationCriteria
	lite, pg string
}

func (w crowd) lists() map[string]planned {
	yes, no := true, false
	const byIDLite, byIDPg = "SEARCH c USING INDEX sqlite_autoindex_conversations_1 (company=? AND id=?)", "Index Scan using conversations_pkey"
	all := map[string]planned{
		"everything":        {conversationCriteria{}, alongLite, alongPg},
		"active":            {conversationCriteria{Archived: &no}, alongLite, alongPg},
		"archived":          {conversationCriteria{Archived: &yes}, alongLite, alongPg},
		"unread":            {conversationCriteria{Unread: true}, "USING INDEX conversations_unread", byIDPg},
		"direct":            {conversationCriteria{Kind: KindDirect}, alongLite, alongPg},
		"groups":            {conversationCriteria{Kind: KindGroup}, byIDLite, byIDPg},
		"channel":           {conversationCriteria{Channel: w.channel}, alongLite, alongPg},
		"rare channel":      {conversationCriteria{Channel: w.rareChannel}, byIDLite, byIDPg},
		"agent":             {conversationCriteria{Assignee: w.agent}, "USING INDEX conversations_assignee", "Index Scan Backward using conversations_assignee"},
		"unassigned":        {conversationCriteria{Unassigned: true}, alongLite, alongPg},
		"sector":            {conversationCriteria{Sector: w.sector}, alongLite, alongPg},
		"empty sector":      {conversationCriteria{Sector: w.agent}, byIDLite, byIDPg},
		"popular label":     {conversationCriteria{Label: w.popular}, alongLite, alongPg},
		"rare label":        {conversationCriteria{Label: w.rare}, byIDLite, byIDPg},
		"label and agent":   {conversationCriteria{Label: w.popular, Assignee: w.agent}, "USING INDEX conversations_assignee", "Index Scan Backward using conversations_assignee"},
		"own":               {conversationCriteria{Sight: kernel.Sight{Member: w.agent}}, "USING INDEX conversations_assignee", "Index Scan Backward using conversations_assignee"},
		"sectors":           {conversationCriteria{Sight: kernel.Sight{Member: w.agent, Sectors: []kernel.ID{w.sector}}}, alongLite, alongPg},
		"rare text":         {conversationCriteria{Q: "Cliente 777"}, byIDLite, byIDPg},
		"phone":             {conversationCriteria{Q: "(11) 91003-1337"}, byIDLite, byIDPg},
		"unknown text":      {conversationCriteria{Q: "xyzzy"}, byIDLite, byIDPg},
		"popular text":      {conversationCriteria{Q: "pedido"}, byIDLite, byIDPg},
		"old text":          {conversationCriteria{Q: "inverno"}, byIDLite, byIDPg},
		"old and archived":  {conversationCriteria{Q: "inverno", Archived: &yes}, byIDLite, byIDPg},
		"old and popular":   {conversationCriteria{Q: "inverno", Label: w.popular}, byIDLite, byIDPg},
		"unlike its parts":  {conversationCriteria{Q: "pedido meu"}, byIDLite, byIDPg},
		"two characters":    {conversationCriteria{Q: "77"}, byIDLite, byIDPg},
		"unknown character": {conversationCriteria{Q: "ç%"}, byIDLite, byIDPg},
		"second page":       {conversationCriteria{Offset: 30}, alongLite, alongPg},
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
	kerneltest.EachOne(t, func(t *testing.T, s *kernel.Store) {
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
		t.Run("a short text is searched in the newest only", func(t *testing.T) {
			for q, want := range map[string]int{"77": 30, "nv": 0} { // the second is part of "inverno", which only the oldest contain
				kerneltest.Read(t, s, func(tx *kernel.Tx) error {
					page, _, err := findConversations(tx, conversationCriteria{Company: w.company, Q: q, Limit: 30, Sight: kernel.Sight{All: true}})
					if len(page) != want {
						t.Errorf("%s: got %d rows, want %d", q, len(page), want)
					}
					return err
				})
			}
		})
	})
}

// explain returns the query plan of a list.
func explain(t *testing.T, s *kernel.Store, f *conversationCriteria) (plan string) {
	t.Helper()
	kerneltest.Read(t, s, func(tx *kernel.Tx) error {
		list, err := listConversations(tx, f)
		if err == nil {
			plan, err = selectExplain(tx, list.String(), list.Args)
		}
		return err
	})
	return plan
}

// selectExplain returns the query plan of a statement.
func selectExplain(tx *kernel.Tx, sql string, args []any) (string, error) {
	var plan strings.Builder
	explain, column := "EXPLAIN ", "QUERY PLAN"
	if !tx.Dialect().ConcurrentWrites() {
		explain, column = "EXPLAIN QUERY PLAN ", "detail"
	}
	err := tx.Query(explain+sql, args, func(r db.Row) error {
		fmt.Fprintln(&plan, r.Text(column))
		return nil
	})
	return plan.String(), err
}

// PostgreSQL makes generic plans for a company of average size. If most companies are small, reading and sorting all rows of
// one seems as good, but the plan is also used for the large company.
func TestGenericPlansOfPostgreSQLReadTheIndexInOrder(t *testing.T) {
	s, err := kernel.Open(t.Context(), db.Options{DatabaseURL: testkit.Database(t, "")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	w := newCrowd(t, s, 20_000)
	kerneltest.Write(t, s, func(tx *kernel.Tx) error {
		_, err := tx.Exec(`
			INSERT INTO conversations (id, company, channel, private, kind, name, renamed, contact, archived, pinned, muted, unread_count,
				unanswered, sequence, activity_at, folded, unindexed, created_at, updated_at)
			SELECT gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), FALSE, 'direct', 'Ana', FALSE, gen_random_uuid(), FALSE, FALSE, FALSE, 0,
				FALSE, 1, 1700000000000 + i, 'ana', FALSE, 1700000000000, 1700000000000
			FROM generate_series(1, 5000) i`)
		if err == nil {
			_, err = tx.Exec(`ANALYZE conversations`)
		}
		return err
	})
	no := false
	for name, f := range map[string]conversationCriteria{
		"all": {}, "not archived": {Archived: &no}, "a channel": {Channel: w.channel}, "a sector": {Sector: w.sector}, "open": {Status: ListOpen},
		"a text": {Q: "pedido"}, "a text, not archived": {Q: "pedido", Archived: &no},
	} {
		t.Run(name, func(t *testing.T) {
			f.Company, f.Limit, f.Sight = w.company, 30, kernel.Sight{All: true}
			kerneltest.Read(t, s, func(tx *kernel.Tx) error {
				list, err := listConversations(tx, &f)
				if f.Q != "" {
					all, _ := (&conversationSearchList{tx, &f}).Newest(search.Budget.FirstPass, search.NewText(f.Q))
					list = all[0]
				}
				if err != nil {
					return err
				}
				plan, err := explainKept(tx, list)
				if !strings.Contains(plan, "Index Scan Backward using conversations_") || strings.Contains(plan, "Sort") {
					t.Errorf("got a plan that sorts, want an index scan in order:\n%s", plan)
				}
				return err
			})
		})
	}
}

// explainKept returns the generic plan of a statement on PostgreSQL.
func explainKept(tx *kernel.Tx, s *db.Statement) (string, error) {
	nulls := "NULL" + strings.Repeat(", NULL", len(s.Args)-1)
	for _, sql := range []string{"SELECT set_config('plan_cache_mode', 'force_generic_plan', TRUE)", "PREPARE kept AS " + s.String()} {
		if _, err := tx.Exec(sql); err != nil {
			return "", err
		}
	}
	plan, err := selectExplain(tx, "EXECUTE kept ("+nulls+")", nil)
	if err == nil {
		_, err = tx.Exec("DEALLOCATE kept")
	}
	return plan, err
}

func TestContactsAreFoundThroughTheIndexesOfTheirIdentities(t *testing.T) {
	kerneltest.EachOne(t, func(t *testing.T, s *kernel.Store) {
		company := kernel.NewID()
		kerneltest.Write(t, s, func(tx *kernel.Tx) error {
			if err := insertCompany(tx, company); err != nil {
				return err
			}
			for i := range 1000 {
				number := fmt.Sprintf("+55119%08d", i)
				c := Contact{ID: kernel.NewID(), Company: company, Pool: company, Name: number, Phone: &number, CreatedAt: tx.Now}
				if _, err := InsertContact(tx, &c); err != nil {
					return err
				}
				tx.Later(linkIdentity, company, c.ID, IdentityWA, number[1:])
				tx.Later(`INSERT INTO field_values (company, noun, field, value, hash) VALUES ($1, $2, $1, '1', 1)`, company, c.ID)
			}
			_, err := tx.Exec(`ANALYZE`)
			return err
		})
		kerneltest.Read(t, s, func(tx *kernel.Tx) error {
			plan, err := selectExplain(tx, selectKnownAs(tx), []any{company, "", "", "5511900000007", "551190000007", "+5511900000007", company})
			for line := range strings.Lines(plan) { // channels and fields are small, and ids are the rows that were found
				reads := strings.Contains(line, "Seq Scan on ") || strings.HasPrefix(line, "SCAN ")
				if reads && !strings.Contains(line, "Seq Scan on channels ") && !strings.Contains(line, "Seq Scan on fields ") && !strings.HasPrefix(line, "SCAN x") && line != "SCAN ids\n" {
					t.Errorf("got a plan that reads a whole table, want indexes only:\n%s", plan)
				}
			}
			return err
		})
	})
}
