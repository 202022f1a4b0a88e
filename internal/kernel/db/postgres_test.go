package db

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"recado/internal/kernel/base"
	"recado/test/testkit"
)

func TestPostgresRetries(t *testing.T) {
	url := testkit.Database(t, "")
	s := opened(t, Options{DatabaseURL: url})
	t.Run("two that lock each other both succeed in the end", func(t *testing.T) {
		var runs atomic.Int64
		var met, all sync.WaitGroup
		met.Add(2)
		for i := range 2 {
			all.Go(func() {
				first := true
				write(t, s, func(tx *Tx) error {
					runs.Add(1)
					if err := add(tx, 1+i); err != nil {
						return err
					}
					if first { // each now holds what the other needs
						first = false
						met.Done()
						met.Wait()
					}
					return add(tx, 2-i)
				})
			})
		}
		all.Wait()
		hasCount(t, s, 1, 2)
		hasCount(t, s, 2, 2)
		if runs.Load() < 3 {
			t.Errorf("no deadlock happened in %d runs", runs.Load())
		}
	})
	t.Run("a serialization failure is repeated, whatever fn makes of it", func(t *testing.T) {
		runs := 0
		write(t, s, func(tx *Tx) error {
			if runs++; runs == 1 {
				if _, err := tx.Exec("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE"); err != nil {
					return err
				}
				if _, err := tx.One("SELECT n FROM counters WHERE id = 1", nil, func(Row) {}); err != nil {
					return err
				}
				testkit.Exec(t, url, "UPDATE counters SET n = 10 WHERE id = 1")
			}
			if err := add(tx, 1); err != nil {
				return errors.New("something else")
			}
			return nil
		})
		if runs != 2 {
			t.Errorf("%d runs", runs)
		}
		hasCount(t, s, 1, 11)
	})
	t.Run("a backend that is ended in the middle is replaced and the work repeated", func(t *testing.T) {
		runs, after := 0, 0
		write(t, s, func(tx *Tx) error {
			tx.AfterCommit(func() { after++ })
			if err := add(tx, 2); err != nil {
				return err
			}
			if runs++; runs == 1 {
				endBackends(t, url)
			}
			return add(tx, 2)
		})
		if runs != 2 || after != 1 {
			t.Errorf("%d runs, %d calls after commit", runs, after)
		}
		hasCount(t, s, 2, 4)
	})
	t.Run("idle connections that died are replaced unnoticed", func(t *testing.T) {
		var all sync.WaitGroup
		for range 16 {
			all.Go(func() { hasCount(t, s, 2, 4) })
		}
		all.Wait()
		endBackends(t, url)
		for range 32 {
			all.Go(func() { hasCount(t, s, 2, 4) })
		}
		all.Wait()
		write(t, s, func(tx *Tx) error { return add(tx, 2) })
		hasCount(t, s, 2, 5)
	})
	t.Run("a statement that is wrong is neither repeated nor called unavailable", func(t *testing.T) {
		runs := 0
		err := s.Write(t.Context(), func(tx *Tx) error {
			runs++
			_, err := tx.Exec("UPDATE nothing SET n = 1")
			return err
		})
		if runs != 1 || base.CodeOf(err) != base.CodeInternal {
			t.Errorf("%d runs, %v", runs, err)
		}
	})
	t.Run("a changed schema does not break prepared statements", func(t *testing.T) {
		everything := func() {
			read(t, s, func(tx *Tx) error {
				return tx.Query("SELECT * FROM counters", nil, func(Row) error { return nil })
			})
		}
		everything()
		testkit.Exec(t, url, "ALTER TABLE counters ADD COLUMN extra BIGINT")
		for range 20 {
			everything()
		}
	})
}

func TestPostgresOutages(t *testing.T) {
	direct := testkit.Database(t, "")
	wire := newWire(t, direct)
	s := opened(t, Options{DatabaseURL: wire.url})
	t.Run("a connection lost in the commit leaves the caller uncertain", func(t *testing.T) {
		runs := 0
		err := s.Write(t.Context(), func(tx *Tx) error {
			runs++
			tx.AfterCommit(func() { t.Error("ran though nothing is certain") })
			err := add(tx, 1)
			wire.set(muted)
			return err
		})
		if base.CodeOf(err) != base.CodeUncertain || runs != 1 {
			t.Errorf("%d runs, %v", runs, err)
		}
	})
	t.Run("a server that cannot be reached is unavailable for a moment", func(t *testing.T) {
		wire.set(cut)
		for name, call := range map[string]func(context.Context, func(*Tx) error) error{"write": s.Write, "read": s.Read, "read one": s.ReadOne} {
			err := call(t.Context(), func(tx *Tx) error {
				return tx.Query("SELECT 1", nil, func(Row) error { return nil })
			})
			e, ok := errors.AsType[*base.Error](err)
			if !ok || e.Code != base.CodeUnavailable || e.RetryAfter < time.Second || e.RetryAfter > 2*time.Second {
				t.Errorf("want ok and e.Code == model.CodeUnavailable and e.RetryAfter >= time.Second and e.RetryAfter <= 2*time.Second; got %+v, %+v", name, err)
			}
			if strings.Contains(e.Message, "127.0.0.1") {
				t.Errorf("%s tells the caller of the driver: %s", name, e.Message)
			}
		}
	})
	t.Run("and is used again as soon as it is back", func(t *testing.T) {
		wire.set(whole)
		write(t, s, func(tx *Tx) error { return add(tx, 2) })
		hasCount(t, s, 2, 1)
	})
	t.Run("a server that stops answering is given up, not asked again", func(t *testing.T) {
		s.pg.txTime = 200 * time.Millisecond
		runs := 0
		err := s.Write(t.Context(), func(tx *Tx) error {
			runs++
			if err := add(tx, 2); err != nil {
				return err
			}
			wire.set(stuck)
			return add(tx, 2)
		})
		if base.CodeOf(err) != base.CodeUnavailable || runs != 1 {
			t.Errorf("%d runs, %v", runs, err)
		}
		wire.set(cut) // what hangs in the wire is gone, and with it the lock
		wire.set(whole)
		s.pg.txTime = TxTime
		write(t, s, func(tx *Tx) error { return add(tx, 2) })
		hasCount(t, s, 2, 2)
	})
	t.Run("one that is away at the start is said to be", func(t *testing.T) {
		wire.set(cut)
		if _, err := Open(t.Context(), Options{DatabaseURL: wire.url}, scratchFS()); base.CodeOf(err) != base.CodeUnavailable {
			t.Errorf("got %v", err)
		}
		wire.set(whole)
	})
	t.Run("a bad address is refused without showing its password", func(t *testing.T) {
		_, err := Open(t.Context(), Options{DatabaseURL: "postgres://u:secret@h:notaport/x"}, scratchFS())
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("got %v", err)
		}
	})
}

func TestNotes(t *testing.T) {
	url := testkit.Database(t, "")
	one, two := opened(t, Options{DatabaseURL: url}), opened(t, Options{DatabaseURL: url})
	ctx, cancel := context.WithCancel(t.Context())
	heard := make(chan string, 1000)
	var listening sync.WaitGroup
	listening.Go(func() { two.Listen(ctx, "Wake up", func(payload string) { heard <- payload }) })
	expect := func(want string) {
		t.Helper()
		if got, _ := testkit.Receive(t, want, heard); got != want {
			t.Errorf("heard %q", got)
		}
	}
	expect("") // connected
	t.Run("a note reaches the other node", func(t *testing.T) {
		one.Notify("Wake up", "a")
		expect("a")
	})
	t.Run("equal notes become few", func(t *testing.T) {
		for range 500 {
			one.Notify("Wake up", "b")
		}
		one.Notify("Wake up", "last")
		count := 0
		for got := range heard {
			if got == "last" {
				break
			}
			count++
		}
		if count == 0 || count > 100 {
			t.Errorf("heard %d", count)
		}
	})
	t.Run("after a lost connection it listens again and says so", func(t *testing.T) {
		endBackends(t, url)
		for got := range heard {
			if got == "" {
				break
			}
		}
		one.Notify("Wake up", "c")
		expect("c")
	})
	t.Run("it ends with its context", func(t *testing.T) {
		cancel()
		listening.Wait()
	})
	t.Run("SQLite notifies no other node", func(t *testing.T) {
		s := opened(t, Options{Dir: t.TempDir()})
		s.Notify("x", "y")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		s.Listen(ctx, "x", func(string) { t.Error("heard something") })
	})
}

func TestNotesDoNotWaitForTheDiskAndWritesDo(t *testing.T) {
	url := testkit.Database(t, "")
	// It tells with each note how the transaction that sends it commits. Names are looked for in the schema public first.
	testkit.Exec(t, url, `
		CREATE FUNCTION public.pg_notify(channel text, payload text) RETURNS void LANGUAGE sql
		AS $$SELECT pg_catalog.pg_notify(channel, payload || ' ' || current_setting('synchronous_commit'))$$`)
	testkit.Exec(t, url, `
		DO $$BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = public, pg_catalog', current_database()); END$$`)
	d := opened(t, Options{DatabaseURL: url})
	heard := make(chan string, 10)
	go d.Listen(t.Context(), "notes", func(payload string) { heard <- payload })
	expect := func(want string) {
		t.Helper()
		got, _ := testkit.Receive(t, "a note", heard)
		testkit.Equal(t, "note", got, want)
	}
	expect("") // connected
	d.Notify("notes", "a note")
	expect("a note off")
	err := d.Write(t.Context(), func(tx *Tx) error {
		_, err := tx.Exec(`SELECT pg_notify('notes', 'a write')`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	expect("a write on")
}

// endBackends ends every connection to the database but its own.
func endBackends(t *testing.T, url string) {
	t.Helper()
	testkit.Exec(t, url, `
		SELECT pg_terminate_backend(pid, 5000)
		FROM pg_stat_activity
		WHERE datname = current_database() AND pid <> pg_backend_pid()`)
}

type wireState int32

const (
	whole wireState = iota
	muted           // what is asked arrives, and then the line breaks before the answer
	stuck           // nothing arrives, nothing breaks
	cut             // every connection is broken and none is made
)

// wire stands between the store and the server, and can break in several ways.
type wire struct {
	url    string
	server string

	mu    sync.Mutex
	state wireState
	conns []net.Conn
}

func newWire(t *testing.T, database string) *wire {
	t.Helper()
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{server: u.Host}
	u.Host = listener.Addr().String()
	w.url = u.String()
	t.Cleanup(func() { _ = listener.Close(); w.set(cut) })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			if err := w.join(client); err != nil {
				_ = client.Close()
			}
		}
	}()
	return w
}

func (w *wire) join(client net.Conn) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.state == cut {
		return fmt.Errorf("cut")
	}
	server, err := net.Dial("tcp", w.server)
	if err != nil {
		return err
	}
	w.conns = append(w.conns, client, server)
	asked := make(chan struct{}, 1)
	go w.carry(server, client, func(state wireState) bool {
		if state == muted {
			select {
			case asked <- struct{}{}:
			default:
			}
		}
		return state != stuck
	})
	go w.carry(client, server, func(state wireState) bool {
		if state == muted {
			<-asked
			_ = client.Close()
		}
		return state == whole
	})
	return nil
}

func (w *wire) carry(to, from net.Conn, pass func(wireState) bool) {
	defer to.Close()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		w.mu.Lock()
		state := w.state
		w.mu.Unlock()
		if pass(state) {
			if _, err := io.Copy(to, strings.NewReader(string(buffer[:n]))); err != nil {
				return
			}
		}
	}
}

func (w *wire) set(state wireState) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.state = state
	if state == cut {
		for _, c := range w.conns {
			_ = c.Close()
		}
		w.conns = nil
	}
}

func TestThePlannerExpectsAFastDiskUnlessTheURLSaysOtherwise(t *testing.T) {
	address := testkit.Database(t, "")
	for suffix, want := range map[string]string{"": "1.1", "random_page_cost=3": "3"} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		if suffix != "" {
			u.RawQuery = strings.Trim(u.RawQuery+"&"+suffix, "&")
		}
		s := opened(t, Options{DatabaseURL: u.String()})
		got := ""
		read(t, s, func(tx *Tx) error {
			_, err := tx.One("SELECT current_setting('random_page_cost')", nil, func(r Row) { got = r.Text("") })
			return err
		})
		if got != want {
			t.Errorf("with %q random_page_cost is %s, want %s", suffix, got, want)
		}
	}
}
