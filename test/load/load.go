// Package load generates a mixed load and verifies the result: workers send, receive, move cards, transfer and close.
// Afterwards every change with a 2xx response must exist with its content, a repeated request must return the original
// response without a second effect, protocol numbers must have no gaps, and events and reports must be complete. A
// request without a response may or may not have had an effect, but must have exactly one after it is repeated. The
// package is for tests that kill, pause and starve servers.
package load

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"recado/internal/kernel"
	"recado/test/binary"
)

const eventLimit = 2 * time.Minute

// Patient are flags of a server that retries webhooks soon and often, for a busy machine.
var Patient = []string{"--webhook-timeout", "1s", "--webhook-retries", strings.Repeat("1s,", 19) + "1s"}

// Load is the load on the first company of the demo.
type Load struct {
	Receiver *Receiver
	Answered func()       // if set, called after every response
	Command  string       // path of recado, to rebuild the report
	Total    atomic.Int64 // responses
	Lost     atomic.Int64 // requests without a response

	api      API
	key      string
	company  string
	channel  string
	owner    string
	sectors  []string
	labels   []string
	board    string
	system   string // board of attendances
	stages   []string
	workers  []*worker
	shown    map[string][]map[string]any // cards of the board by title
	feed     feed
	dir      string
	database string
	pace     time.Duration
}

// Options configure a Load.
type Options struct {
	API      API
	Demo     binary.Demo
	Dir      string // data folder of the server
	Database string // database of the server
	Workers  int
	Pace     time.Duration // each worker starts one request per interval; 0 is without a pause
	Seed     uint64
}

// Start creates a webhook and the workers, each with one customer.
func Start(t *testing.T, o Options) *Load {
	t.Helper()
	demo := o.Demo.Companies[0]
	c := &Load{
		api: o.API, key: demo.APIKey, company: demo.ID, channel: demo.Channel, owner: demo.User,
		sectors: demo.Sectors, labels: demo.Labels, board: demo.Board, system: demo.AttendancesBoard,
		dir: o.Dir, database: o.Database, pace: o.Pace, Command: binary.Path(t), Receiver: newReceiver(t),
	}
	webhook := c.Must(t, "POST", "/integrations/webhooks", map[string]any{
		"name": "load", "url": c.Receiver.URL, "events": kernel.AllEvents,
	})
	c.Receiver.Webhook = webhook["id"].(string)
	c.Receiver.secret.Store(webhook["secret"])
	for _, stage := range c.Must(t, "GET", "/kanban/boards/"+c.board, nil)["stages"].([]any) {
		c.stages = append(c.stages, stage.(map[string]any)["id"].(string))
	}
	for n := range o.Workers {
		c.workers = append(c.workers, newWorker(t, c, n, o.Seed))
	}
	return c
}

// Work runs all workers. Each sends requests until stop is closed or a request gets no response; Verify resolves such
// a request.
func (c *Load) Work(stop <-chan struct{}) {
	c.each(func(k *worker) { k.work(stop) })
}

// Verify repeats requests without a response and compares the state of the server with its responses. No worker may be
// running.
func (c *Load) Verify(t *testing.T) {
	t.Helper()
	c.each(func(k *worker) { k.resolve(t) })
	c.each(func(k *worker) { k.repeatSome(t) })
	c.shown = map[string][]map[string]any{}
	for _, m := range c.pages(t, "/kanban/cards?status=all&board_id="+c.board) {
		c.shown[m["title"].(string)] = append(c.shown[m["title"].(string)], m)
	}
	for _, k := range c.workers {
		k.verify(t)
	}
	c.verifyProtocols(t)
	c.verifyAttendanceCards(t)
	c.verifyReport(t)
}

// each calls do for all workers concurrently. do must not call t.FailNow.
func (c *Load) each(do func(k *worker)) {
	var all sync.WaitGroup
	for _, k := range c.workers {
		all.Go(func() { do(k) })
	}
	all.Wait()
}

func (c *Load) answered() {
	c.Total.Add(1)
	if c.Answered != nil {
		c.Answered()
	}
}

func (c *Load) call(method, path string, body any, headers ...string) (Answer, bool) {
	return c.api.Call(NewRequest(c.key, method, path, body, headers...))
}

// Must sends a request that must succeed and returns the decoded response.
func (c *Load) Must(t testing.TB, method, path string, body any, headers ...string) map[string]any {
	t.Helper()
	return Must(t, c.api, NewRequest(c.key, method, path, body, headers...))
}

func (c *Load) pages(t *testing.T, path string) []map[string]any {
	t.Helper()
	return c.Pages(t, path, math.MaxInt)
}

// Pages reads a list with cursors to its end, or until it has at least most entries.
func (c *Load) Pages(t *testing.T, path string, most int) (all []map[string]any) {
	t.Helper()
	separator := "?"
	if strings.Contains(path, "?") {
		separator = "&"
	}
	path += separator + "limit=100"
	cursor := ""
	for {
		page := c.Must(t, "GET", path+cursor, nil)
		for _, element := range page["data"].([]any) {
			all = append(all, element.(map[string]any))
		}
		next, _ := page["next_cursor"].(string)
		if next == "" || len(all) >= most {
			return all
		}
		cursor = "&cursor=" + next
	}
}

func decode(raw []byte) map[string]any {
	v := map[string]any{}
	_ = json.Unmarshal(raw, &v)
	return v
}

// verifyProtocols fails the test unless every number from 1 is used exactly once.
func (c *Load) verifyProtocols(t *testing.T) {
	t.Helper()
	seen := map[string]bool{}
	all := c.pages(t, "/attendances?from=2020-01-01")
	for _, a := range all {
		protocol := a["protocol"].(string)
		if seen[protocol] {
			t.Errorf("%s is used twice", protocol)
		}
		seen[protocol] = true
	}
	for n := range len(all) {
		if protocol := fmt.Sprintf("ATD-%06d", n+1); !seen[protocol] {
			t.Errorf("there are %d attendances and none is %s", len(all), protocol)
		}
	}
}

// verifyAttendanceCards fails the test unless each attendance has one card, in the stage of its state.
func (c *Load) verifyAttendanceCards(t *testing.T) {
	t.Helper()
	var stages []string
	for _, stage := range c.Must(t, "GET", "/kanban/boards/"+c.system, nil)["stages"].([]any) {
		stages = append(stages, stage.(map[string]any)["id"].(string))
	}
	cards := map[any]map[string]any{}
	for _, card := range c.pages(t, "/kanban/cards?status=all&board_id="+c.system) {
		if cards[card["attendance"]] != nil {
			t.Errorf("two cards for the attendance %v", card["attendance"])
		}
		cards[card["attendance"]] = card
	}
	for _, a := range c.pages(t, "/attendances?from=2020-01-01") {
		card, want := cards[a["id"]], stages[0]
		switch {
		case a["status"] == "closed":
			want = stages[2]
		case a["responsible"] != nil:
			want = stages[1]
		}
		if card == nil || card["stage_id"] != want || (card["status"] == "completed") != (a["status"] == "closed") {
			t.Errorf("the card of %v has the wrong stage: %v %v", a["protocol"], a, card)
		}
	}
}

// verifyReport fails the test unless the report stays the same after a rebuild.
func (c *Load) verifyReport(t *testing.T) {
	t.Helper()
	before, _ := c.call("GET", "/reports/attendance", nil)
	rebuild := exec.Command(c.Command, "report", "rebuild", "--data", c.dir, "--database-url", c.database, "--company", c.company)
	if out, err := rebuild.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if after, _ := c.call("GET", "/reports/attendance", nil); !bytes.Equal(before.Body, after.Body) {
		t.Errorf("the report was\n%s\nand after a rebuild\n%s", before.Body, after.Body)
	}
}
