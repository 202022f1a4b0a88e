package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"recado/test/binary"
	"recado/test/load"
	"recado/test/testkit"
)

const (
	shiftPeople   = 20
	shiftCapacity = 5
)

// Cases are distributed among twenty members who come and go, on three nodes of which one is killed in every other round.
// Nobody ever has more cases than the capacity, every case is assigned exactly once, and everyone gets the same number
// within 10 %. `make test` distributes 100 cases, RECADO_FULL=1 1,000.
//
// How many cases a member gets depends on how long they are online and how fast they close cases. To make the numbers
// comparable, each member is online in one of every two rounds, chosen at random, and closes all of their cases. At the
// end everyone is online and below capacity, so only the order of turns decides.
func TestCasesAreDistributedFairlyWhileNodesAreKilled(t *testing.T) {
	t.Parallel()
	cases := 100
	if full {
		cases = 1000
	}
	o := openShift(t)
	if err := o.wait(0, cases); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	watched := o.watch()
	var order []int
	for round := 0; o.open() > 0; round++ {
		if round == cases { // ten times as many as needed
			t.Fatalf("got %d open cases after %d rounds, want 0", o.open(), round)
		}
		if round%2 == 0 {
			order = r.Perm(shiftPeople)
		}
		half := [][]int{order[:shiftPeople/2], order[shiftPeople/2:]}
		online, away := half[round%2], half[1-round%2]
		o.presence("away", away)
		o.closeAll()
		enough := min(cases, o.given()+1+r.IntN(shiftPeople*shiftCapacity/4))
		o.presence("online", online)
		if round%2 == 1 {
			testkit.EventuallyWithin(t, patience, "some cases are assigned", func() bool { return o.given() >= enough })
			victim := o.nodes[1+r.IntN(nodes-1)]
			victim.Kill()
			victim.Start()
		}
		o.settle()
	}
	o.checkHistory(cases)

	const each = 3
	o.presence("online", r.Perm(shiftPeople))
	var coming errgroup.Group
	coming.Go(func() error { return o.wait(cases, each*shiftPeople) })
	testkit.EventuallyWithin(t, patience, "some cases are assigned", func() bool { return o.given() >= cases+1+r.IntN(shiftPeople) })
	victim := o.nodes[1+r.IntN(nodes-1)]
	victim.Kill()
	victim.Start()
	if err := coming.Wait(); err != nil {
		t.Fatal(err)
	}
	testkit.EventuallyWithin(t, patience, "all cases are assigned", func() bool { return o.given() == cases+each*shiftPeople })
	if uneven := o.count(`SELECT COUNT(*) FROM (SELECT 1 FROM attendances WHERE sector = $1 AND closed_at IS NULL GROUP BY responsible HAVING COUNT(*) <> 3) x`); uneven > 0 {
		t.Errorf("%d people do not have %d cases each", uneven, each)
	}
	if most := watched(); most > shiftCapacity {
		t.Errorf("got a person with %d cases, want at most the capacity of %d", most, shiftCapacity)
	}
}

// shift is a sector with signed-in members, served by several nodes.
type shift struct {
	t       *testing.T
	nodes   []*binary.Process
	conn    *pgx.Conn
	url     string // of the database
	key     string
	channel string
	sector  string
	cookies []string // of the people
}

// openShift starts the nodes and signs in the members, who are away at first.
func openShift(t *testing.T) *shift {
	t.Helper()
	o := &shift{t: t, url: testkit.OwnCluster(t).URL}
	dir := t.TempDir()
	for i := range nodes {
		p := binary.New(t, dir, slices.Concat([]string{"--database-url", o.url}, load.Patient, demoFor(i))...)
		p.Start()
		o.nodes = append(o.nodes, p)
	}
	o.key, o.channel = o.nodes[0].Demo.Companies[0].APIKey, o.nodes[0].Demo.Companies[0].Channel
	o.conn = o.connect()
	var members []string
	for i := range shiftPeople {
		id := o.call("POST", "/team", fmt.Sprintf(`{"name":"Person %d","email":"person%d@x.example"}`, i, i))["id"].(string)
		_, token, _ := strings.Cut(o.call("POST", "/team/"+id+"/reset-link", "")["url"].(string), "token=")
		welcome, err := o.send(0, load.NewRequest("", "POST", "/welcome", fmt.Sprintf(`{"token":%q,"password":"a long password"}`, token)))
		if err != nil {
			t.Fatal(err)
		}
		cookie, _, _ := strings.Cut(welcome.Header.Get("Set-Cookie"), ";")
		members, o.cookies = append(members, id), append(o.cookies, cookie)
	}
	everyone := make([]int, shiftPeople)
	for i := range everyone {
		everyone[i] = i
	}
	o.presence("away", everyone)
	list, _ := json.Marshal(members)
	o.sector = o.call("POST", "/sectors", fmt.Sprintf(`{"name":"Queue","member_ids":%s,"distribution":{"mode":"round_robin","capacity":%d}}`, list, shiftCapacity))["id"].(string)
	return o
}

// wait adds cases of new customers to the queue. first is the number of customers so far.
func (o *shift) wait(first, cases int) error {
	var all errgroup.Group
	all.SetLimit(8)
	for i := range cases {
		all.Go(func() error {
			in, err := o.send(0, o.request("POST", "/channels/"+o.channel+"/simulate", fmt.Sprintf(`{"from":"+55119%08d","text":"oi"}`, 60000000+first+i)))
			if err != nil {
				return err
			}
			var message struct{ Conversation string }
			if err := json.Unmarshal(in.Body, &message); err != nil {
				return err
			}
			_, err = o.send(0, o.request("POST", "/conversations/"+message.Conversation+"/transfer", fmt.Sprintf(`{"sector_id":%q}`, o.sector)))
			return err
		})
	}
	return all.Wait()
}

// presence sets the presence of each person, on different nodes.
func (o *shift) presence(presence string, people []int) {
	o.t.Helper()
	var all errgroup.Group
	for _, person := range people {
		all.Go(func() error {
			_, err := o.send(person%nodes, load.NewRequest("", "PUT", "/me/presence", fmt.Sprintf(`{"presence":%q}`, presence),
				"Cookie", o.cookies[person], "Sec-Fetch-Site", "same-origin"))
			return err
		})
	}
	if err := all.Wait(); err != nil {
		o.t.Fatal(err)
	}
}

// closeAll closes the cases that are assigned when it is called.
func (o *shift) closeAll() {
	o.t.Helper()
	rows, err := o.conn.Query(o.t.Context(), `SELECT conversation::text FROM attendances WHERE sector = $1 AND closed_at IS NULL AND responsible IS NOT NULL`, o.sector)
	if err != nil {
		o.t.Fatal(err)
	}
	taken, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		o.t.Fatal(err)
	}
	var all errgroup.Group
	all.SetLimit(4)
	for _, conversation := range taken {
		all.Go(func() error {
			_, err := o.send(0, o.request("POST", "/conversations/"+conversation+"/attendance/close", ""))
			return err
		})
	}
	if err := all.Wait(); err != nil {
		o.t.Fatal(err)
	}
}

// settle waits until no more cases can be assigned.
func (o *shift) settle() {
	o.t.Helper()
	testkit.EventuallyWithin(o.t, patience, "the cases are distributed", func() bool {
		status := o.call("GET", "/sectors/"+o.sector+"/distribution", "")
		return status["next"] == nil || status["waiting"].(float64) == 0
	})
}

// watch polls how many cases each person has. The returned function stops it and returns the maximum.
func (o *shift) watch() (end func() int) {
	o.t.Helper()
	conn, stop, ended := o.connect(), make(chan struct{}), make(chan error)
	most := 0
	go func() {
		for {
			select {
			case <-stop:
				close(ended)
				return
			case <-time.After(20 * time.Millisecond):
			}
			n := 0
			err := conn.QueryRow(context.Background(), `
				SELECT COALESCE(MAX(n), 0)
				FROM (SELECT COUNT(*) AS n FROM attendances WHERE closed_at IS NULL AND responsible IS NOT NULL AND sector = $1 GROUP BY responsible) x`, o.sector).Scan(&n)
			if most = max(most, n); err != nil {
				ended <- err
				return
			}
		}
	}()
	return func() int {
		o.t.Helper()
		close(stop)
		if err := <-ended; err != nil {
			o.t.Fatal(err)
		}
		return most
	}
}

// open returns the number of open cases.
func (o *shift) open() int {
	o.t.Helper()
	return o.count(`SELECT COUNT(*) FROM attendances WHERE sector = $1 AND closed_at IS NULL`)
}

// given returns how often a case was assigned.
func (o *shift) given() int {
	o.t.Helper()
	return o.count(`SELECT COUNT(*) FROM assignments WHERE action = 'received' AND sector = $1`)
}

// checkHistory checks that each case was assigned once, and everyone got about the same number.
func (o *shift) checkHistory(cases int) {
	o.t.Helper()
	if twice := o.count(`SELECT COUNT(*) FROM (SELECT attendance FROM assignments WHERE action = 'received' AND sector = $1 GROUP BY attendance HAVING COUNT(*) <> 1) x`); twice > 0 {
		o.t.Errorf("%d cases were assigned more than once", twice)
	}
	if given := o.given(); given != cases {
		o.t.Errorf("got %d assigned cases, want %d", given, cases)
	}
	received := `SELECT COUNT(*) AS n FROM assignments WHERE action = 'received' AND sector = $1 GROUP BY member`
	if got := o.count(`SELECT COUNT(*) FROM (` + received + `) x`); got != shiftPeople {
		o.t.Errorf("got %d people with cases, want %d", got, shiftPeople)
	}
	least, most := o.count(`SELECT MIN(n) FROM (`+received+`) x`), o.count(`SELECT MAX(n) FROM (`+received+`) x`)
	o.t.Logf("people got %d to %d cases", least, most)
	if mean := float64(cases) / shiftPeople; float64(least) < 0.9*mean || float64(most) > 1.1*mean {
		o.t.Errorf("people got %d to %d cases; want within 10 %% of %.0f", least, most, mean)
	}
}

func (o *shift) count(query string) (n int) {
	o.t.Helper()
	if err := o.conn.QueryRow(o.t.Context(), query, o.sector).Scan(&n); err != nil {
		o.t.Fatal(err)
	}
	return n
}

func (o *shift) connect() *pgx.Conn {
	o.t.Helper()
	conn, err := pgx.Connect(o.t.Context(), o.url)
	if err != nil {
		o.t.Fatal(err)
	}
	o.t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// call sends a request with the key to the first node, which is never killed.
func (o *shift) call(method, path, body string) map[string]any {
	o.t.Helper()
	return load.Must(o.t, load.Single(o.nodes[0].URL), o.request(method, path, body))
}

// request returns a request with the key.
func (o *shift) request(method, path, body string) load.Request {
	return load.NewRequest(o.key, method, path, body)
}

// send sends a request to a node.
func (o *shift) send(node int, r load.Request) (load.Answer, error) {
	a, err := load.Send(o.nodes[node].URL, r)
	if err == nil && a.Status > 299 {
		err = fmt.Errorf("%s %s: %d %s", r.Method, r.Path, a.Status, a.Body)
	}
	return a, err
}
