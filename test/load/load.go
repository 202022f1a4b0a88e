// Package load is a mixed load that remembers every answer: workers send, receive, move cards, transfer
// and close, and afterwards what the server shows is compared with what it had answered. Every change that
// got its 2xx must be there with its content, a repeat gives the original and has no second effect,
// numbers have no gaps, events arrive, figures are right. What got no answer may or may not have
// happened, but after a repeat it has happened once. It is for tests that kill, pause and starve servers.
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

// Patient are flags of a server that soon, and often, tries a webhook again which a busy machine holds up.
var Patient = []string{"--webhook-timeout", "1s", "--webhook-retries", strings.Repeat("1s,", 19) + "1s"}

// Load is the load on the first company of a demo.
type Load struct {
	Receiver *Receiver
	Answered func()       // called after every answer, if set
	Command  string       // the path of recado, for a fresh count of the report
	Total    atomic.Int64 // answers
	Lost     atomic.Int64 // calls without one

	api      API
	key      string
	company  string
	channel  string
	owner    string
	sectors  []string
	labels   []string
	board    string
	system   string // the board of attendances
	stages   []string
	workers  []*worker
	shown    map[string][]map[string]any // the cards of the board, by title
	feed     feed
	dir      string
	database string
	pace     time.Duration
}

// Options say what a load runs against.
type Options struct {
	API      API
	Demo     binary.Demo
	Dir      string // the data folder and
	Database string // the database of the server
	Workers  int
	Pace     time.Duration // each worker begins one call per tick; 0: one after the other
	Seed     uint64
}

// Start registers a webhook and prepares workers, each with a customer.
func Start(t *testing.T, o Options) *Load {
	t.Helper()
	demo := o.Demo.Companies[0]
	c := &Load{
		api: o.API, key: demo.APIKey, company: demo.ID, channel: demo.Channel, owner: demo.User, sectors: demo.Sectors, labels: demo.Labels,
		Command: binary.Path(t), board: demo.Board, system: demo.AttendancesBoard, dir: o.Dir, database: o.Database, pace: o.Pace, Receiver: newReceiver(t),
	}
	made := c.Must(t, "POST", "/integrations/webhooks", map[string]any{"name": "load", "url": c.Receiver.URL, "events": kernel.AllEvents})
	c.Receiver.Webhook = made["id"].(string)
	c.Receiver.secret.Store(made["secret"])
	for _, stage := range c.Must(t, "GET", "/kanban/boards/"+c.board, nil)["stages"].([]any) {
		c.stages = append(c.stages, stage.(map[string]any)["id"].(string))
	}
	for n := range o.Workers {
		c.workers = append(c.workers, newWorker(t, c, n, o.Seed))
	}
	return c
}

// Work has every worker make one call after the other until stop is closed, or one of its calls gets no
// answer; that one is left for Verify.
func (c *Load) Work(stop <-chan struct{}) {
	var all sync.WaitGroup
	for _, k := range c.workers {
		all.Go(func() { k.work(stop) })
	}
	all.Wait()
}

// Verify settles what got no answer and compares everything the server shows with what it had answered.
// No worker may run at the same time.
func (c *Load) Verify(t *testing.T) {
	t.Helper()
	c.each(func(k *worker) { k.settle(t) })
	c.each(func(k *worker) { k.again(t) })
	c.shown = map[string][]map[string]any{}
	for _, m := range c.pages(t, "/kanban/cards?status=all&board_id="+c.board) {
		c.shown[m["title"].(string)] = append(c.shown[m["title"].(string)], m)
	}
	for _, k := range c.workers {
		k.verify(t)
	}
	c.protocols(t)
	c.attendanceCards(t)
	c.report(t)
}

// each lets all workers do something at once; it must not end the test.
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

// call is one request with the company's key.
func (c *Load) call(method, path string, body any, headers ...string) (Answer, bool) {
	return c.api.Call(NewRequest(c.key, method, path, body, headers...))
}

// Must is a call that has to succeed.
func (c *Load) Must(t testing.TB, method, path string, body any, headers ...string) map[string]any {
	t.Helper()
	return Must(t, c.api, NewRequest(c.key, method, path, body, headers...))
}

func (c *Load) pages(t *testing.T, path string) []map[string]any {
	t.Helper()
	return c.Pages(t, path, math.MaxInt)
}

// Pages follows a list with cursors to its end, or until there are most.
func (c *Load) Pages(t *testing.T, path string, most int) (all []map[string]any) {
	t.Helper()
	path += map[bool]string{true: "&", false: "?"}[strings.Contains(path, "?")] + "limit=100"
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
	var v map[string]any
	if err := json.Unmarshal(raw, &v); err != nil {
		return map[string]any{}
	}
	return v
}

// protocols fails the test unless every number from 1 on was given out exactly once.
func (c *Load) protocols(t *testing.T) {
	t.Helper()
	seen := map[string]bool{}
	all := c.pages(t, "/attendances?from=2020-01-01")
	for _, a := range all {
		protocol := a["protocol"].(string)
		if seen[protocol] {
			t.Errorf("%s was given twice", protocol)
		}
		seen[protocol] = true
	}
	for n := range len(all) {
		if protocol := fmt.Sprintf("ATD-%06d", n+1); !seen[protocol] {
			t.Errorf("there are %d attendances and none is %s", len(all), protocol)
		}
	}
}

// attendanceCards fails the test unless each attendance has one card, in the stage that its state demands.
func (c *Load) attendanceCards(t *testing.T) {
	t.Helper()
	var names []string
	for _, stage := range c.Must(t, "GET", "/kanban/boards/"+c.system, nil)["stages"].([]any) {
		names = append(names, stage.(map[string]any)["id"].(string))
	}
	cards := map[any]map[string]any{}
	for _, card := range c.pages(t, "/kanban/cards?status=all&board_id="+c.system) {
		if cards[card["attendance"]] != nil {
			t.Errorf("two cards for the attendance %v", card["attendance"])
		}
		cards[card["attendance"]] = card
	}
	for _, a := range c.pages(t, "/attendances?from=2020-01-01") {
		card, want := cards[a["id"]], names[0]
		switch {
		case a["status"] == "closed":
			want = names[2]
		case a["responsible"] != nil:
			want = names[1]
		}
		if card == nil || card["stage_id"] != want || (card["status"] == "completed") != (a["status"] == "closed") {
			t.Errorf("the card of %v does not follow it: %v %v", a["protocol"], a, card)
		}
	}
}

// report fails the test unless the figures are those of a fresh count.
func (c *Load) report(t *testing.T) {
	t.Helper()
	kept, _ := c.call("GET", "/reports/attendance", nil)
	if out, err := exec.Command(c.Command, "report", "rebuild", "--data", c.dir, "--database-url", c.database, "--company", c.company).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if counted, _ := c.call("GET", "/reports/attendance", nil); !bytes.Equal(kept.Body, counted.Body) {
		t.Errorf("the report said\n%s\nand counted afresh\n%s", kept.Body, counted.Body)
	}
}
