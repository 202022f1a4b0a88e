// Package crash kills the real binary (SIGKILL) under mixed load, again and again, starts it again, and
// compares what it shows with what it had answered.
package crash

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"recado/test/binary"
	"recado/test/kerneltest"
	"recado/test/load"
)

const (
	workers    = 8
	readyLimit = 10 * time.Second // generous: the machine may be busy. The worst is logged
)

func TestMain(m *testing.M) { binary.Main(m) }

// The server is killed a few times; RECADO_FULL=1 makes it fifty. RECADO_SEED repeats the choices.
func TestAServerThatIsKilledLosesNothingAndRepeatsNothing(t *testing.T) {
	t.Parallel()
	rounds := 3
	if os.Getenv("RECADO_FULL") != "" {
		rounds = 50
	}
	seed := uint64(time.Now().UnixNano())
	if given, err := strconv.ParseUint(os.Getenv("RECADO_SEED"), 10, 64); err == nil {
		seed = given
	}
	t.Logf("RECADO_SEED=%d, %d rounds", seed, rounds)
	kerneltest.EachURL(t, func(t *testing.T, url string) {
		w := start(t, url, seed)
		for round := range rounds {
			w.round(t)
			if round%2 == 1 || round == rounds-1 {
				w.HearsEverything(t)
			}
			if t.Failed() {
				t.Fatalf("round %d; RECADO_SEED=%d", round, seed)
			}
		}
		t.Logf("%d operations, %d of them without an answer, %d events; slowest start %v",
			w.Total.Load(), w.Lost.Load(), w.Receiver.Count(), w.slowest)
	})
}

// world is the server under test and those who work with it.
type world struct {
	*binary.Process
	*load.Load
	database string
	r        *rand.Rand

	killAt  int64        // the number of answers at which this round ends
	answers atomic.Int64 // of this round
	slowest time.Duration
}

func start(t *testing.T, database string, seed uint64) *world {
	t.Helper()
	args := load.Patient
	if database != "" {
		args = append([]string{"--database-url", database}, args...)
	}
	w := &world{Process: binary.Serve(t, t.TempDir(), args...), database: database, r: rand.New(rand.NewPCG(seed, 2))}
	w.Load = load.Start(t, load.Options{API: load.Single(w.URL), Demo: w.Demo, Dir: w.Dir, Database: database, Workers: workers, Seed: seed})
	// The kill strikes after a chosen answer, while others are on their way.
	w.Answered = func() {
		if w.answers.Add(1) == w.killAt {
			_ = w.Signal(os.Kill)
		}
	}
	return w
}

// round lets all workers work until the server dies in the middle of it, starts it again, and looks.
func (w *world) round(t *testing.T) {
	t.Helper()
	w.answers.Store(0)
	w.killAt = 40 + w.r.Int64N(300)
	w.Work(nil)
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
	w.answers.Store(w.killAt) // what follows kills no process
	w.Verify(t)
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
				t.Errorf(`s.ColumnText(0): want got == "ok"; got %+v, %+v`, check, got)
			}
			return nil
		}})
		if err != nil {
			t.Error(err)
		}
	}
}
