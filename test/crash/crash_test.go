// Package crash kills the real binary (SIGKILL) under mixed load, again and again, and then holds what
// the server shows against what it had answered: every change that got its 2xx is there with its content,
// a repeat gives the original and has no second effect, numbers have no gaps, events arrive, figures are
// right. What got no answer may or may not have happened, but after a repeat it has happened once.
package crash

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"recado/internal/model"
	"recado/internal/server"
	"recado/internal/store/storetest"
	"recado/test/binary"
)

const (
	workers    = 8
	readyLimit = 10 * time.Second // generous: the machine may be busy. The worst is logged
	eventLimit = 2 * time.Minute
)

// TestKill kills the server a few times; RECADO_FULL=1 makes it fifty. RECADO_SEED repeats the choices.
func TestKill(t *testing.T) {
	rounds := 3
	if os.Getenv("RECADO_FULL") != "" {
		rounds = 50
	}
	seed := uint64(time.Now().UnixNano())
	if given, err := strconv.ParseUint(os.Getenv("RECADO_SEED"), 10, 64); err == nil {
		seed = given
	}
	t.Logf("RECADO_SEED=%d, %d rounds", seed, rounds)
	for engine, database := range map[string]func(t *testing.T) string{
		"sqlite":   func(*testing.T) string { return "" },
		"postgres": func(t *testing.T) string { return storetest.URL(t) },
	} {
		t.Run(engine, func(t *testing.T) {
			w := start(t, database(t), seed)
			for round := range rounds {
				w.round(t)
				if round%2 == 1 || round == rounds-1 {
					w.hearsEverything(t)
				}
				if t.Failed() {
					t.Fatalf("round %d; RECADO_SEED=%d", round, seed)
				}
			}
			t.Logf("%d operations, %d of them without an answer, %d events; slowest start %v",
				w.total.Load(), w.lost.Load(), w.receiver.count(), w.slowest)
		})
	}
}

// world is the server under test and everything that was asked of it.
type world struct {
	*binary.Process
	database string
	key      string
	channel  string
	owner    string
	sectors  []string
	labels   []string
	board    string
	stages   []string
	receiver *receiver
	clerks   []*clerk
	r        *rand.Rand

	killAt  int64        // the number of answers at which this round ends
	answers atomic.Int64 // of this round
	total   atomic.Int64
	lost    atomic.Int64
	slowest time.Duration
	shown   map[string][]map[string]any // the cards of the board, by title
	feed    feed
}

func start(t *testing.T, database string, seed uint64) *world {
	t.Helper()
	args := []string{"--webhook-timeout", "1s", "--webhook-retries", "1s,1s,1s,1s,1s"}
	if database != "" {
		args = append(args, "--database-url", database)
	}
	w := &world{Process: binary.Serve(t, t.TempDir(), args...), database: database, r: rand.New(rand.NewPCG(seed, 2))}
	demo := w.Demo.Companies[0]
	w.key, w.channel, w.labels, w.board = demo.APIKey, demo.Channel, demo.Labels, demo.Board
	w.owner, w.sectors = demo.User, demo.Sectors
	w.receiver = newReceiver(t)
	made := w.must(t, "POST", "/integrations/webhooks", map[string]any{"name": "crash", "url": w.receiver.URL, "events": model.AllEvents})
	w.receiver.secret.Store(made["secret"])
	for _, stage := range w.must(t, "GET", "/kanban/boards/"+w.board, nil)["stages"].([]any) {
		w.stages = append(w.stages, stage.(map[string]any)["id"].(string))
	}
	for n := range workers {
		w.clerks = append(w.clerks, newClerk(t, w, n, seed))
	}
	return w
}

// round lets all clerks work until the server dies in the middle of it, starts it again, and looks.
func (w *world) round(t *testing.T) {
	t.Helper()
	w.answers.Store(0)
	w.killAt = 40 + w.r.Int64N(300)
	var all sync.WaitGroup
	for _, c := range w.clerks {
		all.Go(c.work)
	}
	all.Wait()
	w.Kill() // waits for its end
	if w.database == "" {
		w.integrity(t)
	}
	began := time.Now()
	w.Start()
	took := time.Since(began)
	w.slowest = max(w.slowest, took)
	if took > readyLimit {
		t.Errorf("ready only after %v", took)
	}
	for _, step := range []func(c *clerk){func(c *clerk) { c.settle(t) }, func(c *clerk) { c.again(t) }} {
		for _, c := range w.clerks {
			all.Go(func() { step(c) })
		}
		all.Wait()
	}
	w.shown = map[string][]map[string]any{}
	for _, m := range w.pages(t, "/kanban/cards?status=all&board_id="+w.board) {
		w.shown[m["title"].(string)] = append(w.shown[m["title"].(string)], m)
	}
	for _, c := range w.clerks {
		all.Go(func() { c.verify(t) })
	}
	all.Wait()
	w.protocols(t)
	w.attendanceCards(t)
	w.report(t)
}

// answered counts an answer and kills the server at the chosen one, while others are on their way.
func (w *world) answered() {
	w.total.Add(1)
	if w.answers.Add(1) == w.killAt {
		_ = w.Signal(os.Kill)
	}
}

// call is one request. ok is false when no answer came, or one that says that the outcome is unknown.
func (w *world) call(method, path string, body any, headers ...string) (status int, header http.Header, raw []byte, ok bool) {
	var reader io.Reader
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			panic(err)
		}
		reader = bytes.NewReader(encoded)
	}
	r, err := http.NewRequest(method, w.URL+"/v1"+path, reader)
	if err != nil {
		panic(err)
	}
	r.Header.Set("Authorization", "Bearer "+w.key)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := client.Do(r)
	if err != nil {
		return 0, nil, nil, false
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err = io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode == http.StatusServiceUnavailable {
		return resp.StatusCode, nil, raw, false
	}
	return resp.StatusCode, resp.Header, raw, true
}

var client = &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: workers}}

// must is a call that has to succeed.
func (w *world) must(t *testing.T, method, path string, body any, headers ...string) map[string]any {
	t.Helper()
	status, _, raw, ok := w.call(method, path, body, headers...)
	if !ok || status >= 300 {
		t.Fatalf("%s %s: %d %s", method, path, status, raw)
	}
	return decode(raw)
}

// pages follows a list with cursors to its end.
func (w *world) pages(t *testing.T, path string) (all []map[string]any) {
	t.Helper()
	cursor := ""
	for {
		page := w.must(t, "GET", path+"&limit=100"+cursor, nil)
		for _, element := range page["data"].([]any) {
			all = append(all, element.(map[string]any))
		}
		next, _ := page["next_cursor"].(string)
		if next == "" {
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

// integrity checks copies of the files as the kill left them, so that the recovery of the originals is
// left to the server.
func (w *world) integrity(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"recado.db", "recado.db-wal"} {
		raw, err := os.ReadFile(filepath.Join(w.Dir, name))
		if err != nil && name == "recado.db" {
			t.Fatal(err)
		}
		if err == nil {
			if err := os.WriteFile(filepath.Join(dir, name), raw, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	conn, err := sqlite.OpenConn(filepath.Join(dir, "recado.db"), sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	for _, check := range []string{"PRAGMA integrity_check", "PRAGMA foreign_key_check"} {
		err = sqlitex.ExecuteTransient(conn, check, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			if got := s.ColumnText(0); got != "ok" {
				t.Errorf("%s: %s", check, got)
			}
			return nil
		}})
		if err != nil {
			t.Error(err)
		}
	}
}

// protocols wants every number from 1 on exactly once.
func (w *world) protocols(t *testing.T) {
	t.Helper()
	seen := map[string]bool{}
	all := w.pages(t, "/attendances?from=2020-01-01")
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

// attendanceCards wants one card per attendance, where the attendance says.
func (w *world) attendanceCards(t *testing.T) {
	t.Helper()
	board := w.Demo.Companies[0].AttendancesBoard
	var names []string
	for _, stage := range w.must(t, "GET", "/kanban/boards/"+board, nil)["stages"].([]any) {
		names = append(names, stage.(map[string]any)["id"].(string))
	}
	cards := map[any]map[string]any{}
	for _, card := range w.pages(t, "/kanban/cards?status=all&board_id="+board) {
		if cards[card["attendance"]] != nil {
			t.Errorf("two cards for the attendance %v", card["attendance"])
		}
		cards[card["attendance"]] = card
	}
	for _, a := range w.pages(t, "/attendances?from=2020-01-01") {
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

// report wants the figures that a fresh count gives.
func (w *world) report(t *testing.T) {
	t.Helper()
	_, _, kept, _ := w.call("GET", "/reports/attendance", nil)
	s, err := server.Open(context.Background(), server.Config{DataDir: w.Dir, DatabaseURL: w.database})
	if err != nil {
		t.Fatal(err)
	}
	company, _ := model.ParseID(w.Demo.Companies[0].ID)
	err = s.Desk.RebuildReport(context.Background(), company)
	if err := s.Stop(context.Background()); err != nil {
		t.Error(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, _, counted, _ := w.call("GET", "/reports/attendance", nil); !bytes.Equal(kept, counted) {
		t.Errorf("the report said\n%s\nand counted afresh\n%s", kept, counted)
	}
}
