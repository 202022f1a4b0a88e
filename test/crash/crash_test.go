// Package crash repeatedly kills the real binary (SIGKILL) under mixed load, restarts it, and compares its data with the
// responses that clients got.
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

const workers = 8

func TestMain(m *testing.M) { binary.Main(m) }

// The server is killed a few times, with RECADO_FULL=1 fifty times. RECADO_SEED repeats a run.
func TestAKilledServerLosesNothingAndRepeatsNothing(t *testing.T) {
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
		t.Logf("%d operations, %d of them without a response, %d events; slowest start %v",
			w.Total.Load(), w.Lost.Load(), w.Receiver.Count(), w.slowest)
	})
}

// world is the server under test and its clients.
type world struct {
	*binary.Process
	*load.Load
	database string
	r        *rand.Rand

	killAt    int64        // the number of responses after which the server is killed
	responses atomic.Int64 // in this round
	slowest   time.Duration
}

func start(t *testing.T, database string, seed uint64) *world {
	t.Helper()
	args := load.Patient
	if database != "" {
		args = append([]string{"--database-url", database}, args...)
	}
	w := &world{Process: binary.Serve(t, t.TempDir(), args...), database: database, r: rand.New(rand.NewPCG(seed, 2))}
	w.Load = load.Start(t, load.Options{API: load.Single(w.URL), Demo: w.Demo, Dir: w.Dir, Database: database, Workers: workers, Seed: seed})
	// The server is killed after a chosen response, while other requests are in progress.
	w.Answered = func() {
		if w.responses.Add(1) == w.killAt {
			_ = w.Signal(os.Kill)
		}
	}
	return w
}

// round runs all workers until the server is killed, restarts it and checks its data.
func (w *world) round(t *testing.T) {
	t.Helper()
	w.responses.Store(0)
	w.killAt = 40 + w.r.Int64N(300)
	w.Work(nil)
	w.Kill() // waits until it has exited
	if w.database == "" {
		w.integrity(t)
	}
	began := time.Now()
	w.Start()
	w.slowest = max(w.slowest, time.Since(began))
	w.responses.Store(w.killAt) // no more kills in this round
	w.Verify(t)
}

// integrity checks copies of the database files, so that the server recovers the originals itself.
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
				t.Errorf("%s: got %q, want %q", check, got, "ok")
			}
			return nil
		}})
		if err != nil {
			t.Error(err)
		}
	}
}
