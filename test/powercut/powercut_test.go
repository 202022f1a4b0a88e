package powercut

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"recado/internal/channels"
	"recado/internal/people"
	"recado/internal/server"
	"recado/internal/talk"
	"recado/test/servertest"
)

// TestPowerCuts simulates 100 power cuts, with RECADO_FULL=1 1000. RECADO_SEED repeats a run.
func TestPowerCuts(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	if given, err := strconv.ParseUint(os.Getenv("RECADO_SEED"), 10, 64); err == nil {
		seed = given
	}
	cuts := 100
	if os.Getenv("RECADO_FULL") != "" {
		cuts = 1000
	}
	t.Logf("RECADO_SEED=%d", seed)

	t.Run("acknowledged writes survive", func(t *testing.T) {
		folder := t.TempDir()
		log := recorded(t, folder, func() { customersWrite(t, folder, 120) })
		lost := pull(t, log, rand.New(rand.NewPCG(seed, 1)), cuts, func(t *testing.T, conn *sqlite.Conn) map[int]bool {
			whole(t, conn)
			return numbers(t, conn, `SELECT CAST(substr(text, 3) AS INTEGER) FROM messages WHERE text LIKE 'n %'`)
		})
		if lost > 0 {
			t.Errorf("%d of %d power cuts lost acknowledged writes, want 0", lost, cuts)
		}
	})

	// A control: with a database that does not sync every commit, the same simulation must lose writes.
	t.Run("a database that does not sync every commit loses some", func(t *testing.T) {
		folder := t.TempDir()
		log := recorded(t, folder, func() { syncsTooLittle(t, folder, 100) })
		lost := pull(t, log, rand.New(rand.NewPCG(seed, 2)), cuts, func(t *testing.T, conn *sqlite.Conn) map[int]bool {
			return numbers(t, conn, `SELECT n FROM numbers`)
		})
		if lost == 0 {
			t.Error("no power cut lost anything, want some: the simulation no longer works")
		}
		t.Logf("%d of %d power cuts lost something", lost, cuts)
	})
}

// customersWrite stores messages of four concurrent customers, with occasional checkpoints of the write-ahead log.
func customersWrite(t *testing.T, folder string, n int) {
	t.Helper()
	ctx := context.Background()
	s, err := server.Open(ctx, server.Config{DataDir: folder, SecretKey: "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Stop(ctx); err != nil {
			t.Error(err)
		}
	}()
	owner, _ := servertest.AddCompany(t, s.Desk, people.NewCompany{Name: "Padaria Aurora"})
	channel, err := s.Desk.Channels.CreateChannel(ctx, owner, channels.NewChannel{Name: "Main", Phone: "+551130030001", Provider: channels.ProviderSandbox})
	if err != nil {
		t.Fatal(err)
	}
	var next atomic.Int64
	var all sync.WaitGroup
	for c := range 4 {
		phone := fmt.Sprintf("+551191234000%d", c)
		all.Go(func() {
			for {
				i := int(next.Add(1))
				if i > n {
					return
				}
				text := fmt.Sprintf("n %d", i)
				if _, err := s.Desk.Talk.Simulate(ctx, owner, channel.ID, talk.Simulation{From: &phone, Text: &text}); err != nil {
					t.Error(err)
					return
				}
				acknowledged(i)
				if i%25 == 0 {
					checkpoint(t, filepath.Join(folder, "recado.db"))
				}
			}
		})
	}
	all.Wait()
}

// checkpoint moves the write-ahead log into the database, like an idle server.
func checkpoint(t *testing.T, path string) {
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		t.Error(err)
		return
	}
	defer func() { _ = conn.Close() }()
	conn.SetBusyTimeout(10 * time.Second)
	if err := sqlitex.ExecuteTransient(conn, "PRAGMA wal_checkpoint(TRUNCATE)", nil); err != nil {
		t.Error(err)
	}
}

// syncsTooLittle commits numbers without syncing each commit.
func syncsTooLittle(t *testing.T, folder string, n int) {
	t.Helper()
	conn, err := sqlite.OpenConn(filepath.Join(folder, "recado.db"), sqlite.OpenReadWrite, sqlite.OpenCreate)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	for _, q := range []string{"PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL", "CREATE TABLE numbers (n INTEGER)"} {
		if err := sqlitex.ExecuteTransient(conn, q, nil); err != nil {
			t.Fatal(err)
		}
	}
	for i := range n {
		if err := sqlitex.Execute(conn, "INSERT INTO numbers VALUES (?)", &sqlitex.ExecOptions{Args: []any{i}}); err != nil {
			t.Fatal(err)
		}
		acknowledged(i)
	}
}

// pull simulates power cuts at random moments and returns how many of them lost acknowledged writes.
func pull(t *testing.T, log []operation, r *rand.Rand, cuts int, find func(t *testing.T, conn *sqlite.Conn) map[int]bool) (lost int) {
	t.Helper()
	first := 0
	for log[first].kind != acknowledge {
		first++
	}
	for range cuts {
		moment := first + r.IntN(len(log)-first)
		folder := t.TempDir()
		afterCut(t, r, log[:moment], folder)
		conn, err := sqlite.OpenConn(filepath.Join(folder, "recado.db"), sqlite.OpenReadWrite)
		if err != nil {
			t.Fatalf("power cut after operation %d of %d: %v", moment, len(log), err)
		}
		found := find(t, conn)
		_ = conn.Close()
		_ = os.RemoveAll(folder)
		var missing []int
		for _, o := range log[:moment] {
			if o.kind == acknowledge && !found[o.n] {
				missing = append(missing, o.n)
			}
		}
		if len(missing) > 0 {
			lost++
		}
		if t.Failed() {
			t.Fatalf("power cut after operation %d of %d", moment, len(log))
		}
	}
	return lost
}

// whole checks that the database is undamaged and contains no partial transactions.
func whole(t *testing.T, conn *sqlite.Conn) {
	t.Helper()
	for _, check := range []string{"PRAGMA integrity_check", "PRAGMA foreign_key_check"} {
		err := sqlitex.ExecuteTransient(conn, check, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			if got := s.ColumnText(0); got != "ok" {
				t.Errorf("%s: got %q, want %q", check, got, "ok")
			}
			return nil
		}})
		if err != nil {
			t.Errorf("%s: %v", check, err)
		}
	}
	for _, same := range [][2]string{
		{`SELECT count(*) FROM messages`, `SELECT count(*) FROM events WHERE type = 'message.received'`},
		{`SELECT count(*) FROM attendances`, `SELECT coalesce(max(last), 0) FROM protocols`},
		{`SELECT count(*) FROM attendances`, `SELECT count(*) FROM cards`},
		{`SELECT coalesce(max(number), 0) FROM attendances`, `SELECT coalesce(sum(opened), 0) FROM report_lines WHERE kind = 'channel'`},
	} {
		a, b := single(t, conn, same[0]), single(t, conn, same[1])
		if a != b {
			t.Errorf("got a partial transaction: %d = %s, but %d = %s", a, strings.TrimSpace(same[0]), b, strings.TrimSpace(same[1]))
		}
	}
}

func single(t *testing.T, conn *sqlite.Conn, query string) (n int) {
	t.Helper()
	err := sqlitex.ExecuteTransient(conn, query, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		n = s.ColumnInt(0)
		return nil
	}})
	if err != nil {
		t.Errorf("%s: %v", query, err)
	}
	return n
}

func numbers(t *testing.T, conn *sqlite.Conn, query string) map[int]bool {
	t.Helper()
	found := map[int]bool{}
	err := sqlitex.ExecuteTransient(conn, query, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		found[s.ColumnInt(0)] = true
		return nil
	}})
	if err != nil && !strings.Contains(err.Error(), "no such table") {
		t.Errorf("%s: %v", query, err)
	}
	return found
}
