package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"recado/internal/testkit"
	"recado/test/binary"
	"recado/test/load"
)

// A thousand waiting cases, twenty people who come and go, three nodes of which one is killed now and then. With RECADO_FULL=1
// only: internal/api has a smaller form.
func TestCasesAreDistributedFairlyWhileNodesAreKilled(t *testing.T) {
	if !full {
		t.Skip("RECADO_FULL is not set")
	}
	const people, cases, capacity = 20, 1000, 5
	o := &shift{t: t, database: testkit.OwnCluster(t).URL}
	dir := t.TempDir()
	for i := range nodes {
		p := binary.New(t, dir, slices.Concat([]string{"--database-url", o.database}, load.Patient, demoFor(i))...)
		p.Start()
		o.nodes = append(o.nodes, p)
	}
	o.demo = o.nodes[0].Demo.Companies[0].APIKey
	conn, err := pgx.Connect(t.Context(), o.database)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	var members []string
	for i := range people {
		members = append(members, o.call("POST", "/team", fmt.Sprintf(`{"name":"Person %d","email":"person%d@x.example"}`, i, i))["id"].(string))
	}
	list, _ := json.Marshal(members)
	sector := o.call("POST", "/sectors", fmt.Sprintf(`{"name":"Queue","member_ids":%s,"distribution":{"mode":"round_robin","capacity":%d}}`, list, capacity))["id"].(string)
	for i := range cases {
		in := o.call("POST", "/channels/"+o.nodes[0].Demo.Companies[0].Channel+"/simulate", fmt.Sprintf(`{"from":"+55119%08d","text":"oi"}`, 60000000+i))
		o.call("POST", "/conversations/"+in["conversation"].(string)+"/transfer", fmt.Sprintf(`{"sector_id":%q}`, sector))
	}
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	count := func(query string, args ...any) (n int) {
		t.Helper()
		if err := conn.QueryRow(t.Context(), query, args...).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	for round := 0; ; round++ {
		// A quarter of the people is away at a time.
		if _, err := conn.Exec(t.Context(), `UPDATE users SET presence = CASE WHEN (hashtext(id::text || $1) & 3) = 0 THEN 'away' ELSE 'online' END WHERE name LIKE 'Person %'`, fmt.Sprint(round)); err != nil {
			t.Fatal(err)
		}
		most := count(`SELECT COALESCE(MAX(n), 0) FROM (SELECT COUNT(*) AS n FROM attendances WHERE sector = $1 AND closed_at IS NULL AND responsible IS NOT NULL GROUP BY responsible) x`, sector)
		if most > capacity {
			t.Fatalf("a person has %d cases", most)
		}
		rows, err := conn.Query(t.Context(), `SELECT conversation::text FROM attendances WHERE sector = $1 AND closed_at IS NULL AND responsible IS NOT NULL`, sector)
		if err != nil {
			t.Fatal(err)
		}
		taken, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		for _, conversation := range taken {
			if r.IntN(2) == 0 {
				o.call("POST", "/conversations/"+conversation+"/attendance/close", "")
			}
		}
		if count(`SELECT COUNT(*) FROM attendances WHERE sector = $1 AND closed_at IS NULL`, sector) == 0 {
			break
		}
		if round%10 == 5 {
			victim := o.nodes[1+r.IntN(nodes-1)]
			victim.Kill()
			victim.Start()
		}
	}
	if twice := count(`SELECT COUNT(*) FROM (SELECT attendance FROM assignments WHERE action = 'received' AND sector = $1 GROUP BY attendance HAVING COUNT(*) <> 1) x`, sector); twice > 0 {
		t.Errorf("%d cases were given to a person more than once", twice)
	}
	if given := count(`SELECT COUNT(*) FROM assignments WHERE action = 'received' AND sector = $1`, sector); given != cases {
		t.Errorf("%d of %d cases were given to a person", given, cases)
	}
	least := count(`SELECT MIN(n) FROM (SELECT COUNT(*) AS n FROM assignments WHERE action = 'received' AND sector = $1 GROUP BY member) x`, sector)
	most := count(`SELECT MAX(n) FROM (SELECT COUNT(*) AS n FROM assignments WHERE action = 'received' AND sector = $1 GROUP BY member) x`, sector)
	t.Logf("people got %d to %d cases", least, most)
	if mean := float64(cases) / people; float64(least) < 0.9*mean || float64(most) > 1.1*mean {
		t.Errorf("people got %d to %d cases; want within 10 %% of %.0f", least, most, mean)
	}
}

// shift is a company on several nodes.
type shift struct {
	t        *testing.T
	database string
	nodes    []*binary.Process
	demo     string // the key
}

// call makes a request to the first node, which is never killed.
func (o *shift) call(method, path, body string) map[string]any {
	o.t.Helper()
	r, err := http.NewRequestWithContext(o.t.Context(), method, o.nodes[0].URL+"/v1"+path, strings.NewReader(body))
	if err != nil {
		o.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+o.demo)
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		o.t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	raw, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode > 299 {
		o.t.Fatalf("%s %s: %d %s %v", method, path, answer.StatusCode, raw, err)
	}
	var out map[string]any
	if err := json.Unmarshal(raw, &out); err != nil {
		o.t.Fatal(err)
	}
	return out
}
