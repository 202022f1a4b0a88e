package db

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"recado/internal/kernel/base"
)

func TestWrite(t *testing.T) {
	each(t, func(t *testing.T, s *DB) {
		ctx := t.Context()
		t.Run("an error rolls back and comes back as it is", func(t *testing.T) {
			wanted := errors.New("no")
			err := s.Write(ctx, func(tx *Tx) error {
				tx.AfterCommit(func() { t.Error("ran after a rollback") })
				if err := add(tx, 1); err != nil {
					t.Error(err)
				}
				return wanted
			})
			if !errors.Is(err, wanted) {
				t.Errorf("got %v", err)
			}
			hasCount(t, s, 1, 0)
		})
		t.Run("a panic rolls back and becomes an error with its place", func(t *testing.T) {
			err := s.Write(ctx, func(tx *Tx) error {
				if err := add(tx, 1); err != nil {
					t.Error(err)
				}
				panic("oops")
			})
			if err == nil || !strings.Contains(err.Error(), "oops") || !strings.Contains(err.Error(), "write_test.go") {
				t.Errorf("got %v", err)
			}
			hasCount(t, s, 1, 0)
		})
		t.Run("a failed write leaves the database working", func(t *testing.T) {
			write(t, s, func(tx *Tx) error { return add(tx, 2) })
			hasCount(t, s, 1, 0)
			hasCount(t, s, 2, 1)
		})
		t.Run("what is asked for runs once, after the commit", func(t *testing.T) {
			runs := 0
			write(t, s, func(tx *Tx) error {
				tx.AfterCommit(func() {
					runs++
					hasCount(t, s, 1, 1)
				})
				return add(tx, 1)
			})
			if runs != 1 {
				t.Errorf("ran %d times", runs)
			}
		})
		t.Run("a failed statement fails the whole even if it is ignored", func(t *testing.T) {
			err := s.Write(ctx, func(tx *Tx) error {
				_, first := tx.Exec("INSERT INTO counters (id, n) VALUES (1, 5)")
				if !IsUnique(first) || !IsUnique(first, "counters.id", "counters_pkey") || IsUnique(first, "things_name_key") {
					t.Errorf("not recognised as a duplicate: %v", first)
				}
				if err := add(tx, 2); err == nil {
					t.Error("a statement ran after a failed one")
				}
				return nil
			})
			if !IsUnique(err) {
				t.Errorf("got %v", err)
			}
			hasCount(t, s, 2, 1)
		})
		t.Run("an error of later surfaces at the next call", func(t *testing.T) {
			err := s.Write(ctx, func(tx *Tx) error {
				tx.Later("INSERT INTO counters (id, n) VALUES ($1, 5)", 1)
				if err := add(tx, 2); err == nil {
					t.Error("no error")
				}
				return nil
			})
			if !IsUnique(err, "counters.id", "counters_pkey") {
				t.Errorf("got %v", err)
			}
			hasCount(t, s, 2, 1)
		})
		t.Run("an error of later surfaces at the commit", func(t *testing.T) {
			err := s.Write(ctx, func(tx *Tx) error {
				tx.AfterCommit(func() { t.Error("ran after a rollback") })
				tx.Later("UPDATE counters SET n = n + 1 WHERE id = 2")
				tx.Later("INSERT INTO counters (id, n) VALUES ($1, 5)", 1)
				return nil
			})
			if !IsUnique(err) {
				t.Errorf("got %v", err)
			}
			hasCount(t, s, 2, 1)
		})
		t.Run("what is read ahead is there after the next statement", func(t *testing.T) {
			id := base.NewID()
			write(t, s, func(tx *Tx) error {
				var before, after []int64
				tx.Later("INSERT INTO things (id, n) VALUES ($1, 1)", id)
				tx.Ahead("SELECT n FROM things WHERE id = $1", []any{id}, func(r Row) error {
					before = append(before, r.Int(""))
					return nil
				})
				n, err := tx.Exec("UPDATE things SET n = 2 WHERE id = $1", id)
				if err != nil || n != 1 || len(before) != 1 || before[0] != 1 {
					t.Errorf("got %d rows changed, %v read before, error %v; want 1, [1], nil", n, before, err)
				}
				tx.Ahead("SELECT n FROM things WHERE id = $1", []any{base.NewID()}, func(r Row) error {
					t.Error("a row of another id")
					return nil
				})
				_, err = tx.One("SELECT n FROM things WHERE id = $1", []any{id}, func(r Row) { after = append(after, r.Int("")) })
				if len(after) != 1 || after[0] != 2 {
					t.Errorf("read after: got %v, want [2]", after)
				}
				return err
			})
		})
		t.Run("an error about a row that is read ahead rolls back", func(t *testing.T) {
			wanted := errors.New("no")
			err := s.Write(ctx, func(tx *Tx) error {
				if err := add(tx, 4); err != nil {
					return err
				}
				tx.Ahead("SELECT 1", nil, func(Row) error { return wanted })
				_, err := tx.Exec("UPDATE counters SET n = 9 WHERE id = 4")
				return err
			})
			if !errors.Is(err, wanted) {
				t.Errorf("got %v", err)
			}
			hasCount(t, s, 4, 0)
		})
		t.Run("later runs in order and before the next statement", func(t *testing.T) {
			id := base.NewID()
			write(t, s, func(tx *Tx) error {
				tx.Later("INSERT INTO things (id, n) VALUES ($1, 1)", id)
				tx.Later("UPDATE things SET n = n + 10 WHERE id = $1", id)
				found, err := tx.One("SELECT n FROM things WHERE id = $1", []any{id}, func(r Row) {
					if r.Int("") != 11 {
						t.Errorf("n is %d", r.Int(""))
					}
				})
				if !found {
					t.Error("not found")
				}
				tx.Later("UPDATE things SET n = 12 WHERE id = $1", id)
				return err
			})
			read(t, s, func(tx *Tx) error {
				_, err := tx.One("SELECT n FROM things WHERE id = $1", []any{id}, func(r Row) {
					if r.Int("") != 12 {
						t.Errorf("n is %d", r.Int(""))
					}
				})
				return err
			})
		})
		t.Run("the rows changed are counted", func(t *testing.T) {
			write(t, s, func(tx *Tx) error {
				for sql, want := range map[string]int64{
					"UPDATE counters SET n = n":               2,
					"UPDATE counters SET n = n WHERE id = 7":  0,
					"DELETE FROM counters WHERE id IN (8, 9)": 0,
				} {
					if n, err := tx.Exec(sql); n != want || err != nil {
						t.Errorf("%s: %d rows, %v", sql, n, err)
					}
				}
				return nil
			})
		})
		t.Run("ON CONFLICT ... RETURNING gives the row that is there", func(t *testing.T) {
			first, second := base.NewID(), base.NewID()
			for _, id := range []base.ID{first, second} {
				var got base.ID
				write(t, s, func(tx *Tx) error {
					_, err := tx.One(`
						INSERT INTO things (id, name)
						VALUES ($1, $2)
						ON CONFLICT (name) DO UPDATE SET n = 1
						RETURNING id`, []any{id, "taken"}, func(r Row) { got = r.ID("") })
					return err
				})
				if got != first {
					t.Errorf("got %s", got)
				}
			}
		})
		t.Run("a statement while rows are handed out is refused", func(t *testing.T) {
			err := s.Write(ctx, func(tx *Tx) error {
				return tx.Query("SELECT id FROM counters", nil, func(Row) error { return add(tx, 1) })
			})
			if !errors.Is(err, errBusy) {
				t.Errorf("got %v", err)
			}
		})
		t.Run("an error while rows are handed out ends the query alone", func(t *testing.T) {
			enough := errors.New("enough")
			write(t, s, func(tx *Tx) error {
				if err := tx.Query("SELECT id FROM counters", nil, func(Row) error { return enough }); !errors.Is(err, enough) {
					t.Errorf("got %v", err)
				}
				return add(tx, 2)
			})
			hasCount(t, s, 2, 2)
		})
		t.Run("a transaction kept beyond its end is dead", func(t *testing.T) {
			var kept *Tx
			write(t, s, func(tx *Tx) error { kept = tx; return nil })
			if _, err := kept.Exec("UPDATE counters SET n = 0"); !errors.Is(err, errTxOver) {
				t.Errorf("got %v", err)
			}
		})
	})
}

func TestConcurrentWrites(t *testing.T) {
	each(t, func(t *testing.T, s *DB) {
		t.Run("of 64 writers every seventh fails and harms no other", func(t *testing.T) {
			const rounds = 5
			wanted := errors.New("seventh")
			var ok, after atomic.Int64
			var all sync.WaitGroup
			for i := range 64 {
				all.Go(func() {
					for round := range rounds {
						name := fmt.Sprintf("writer %d round %d", i, round)
						err := s.Write(context.Background(), func(tx *Tx) error {
							tx.AfterCommit(func() { after.Add(1) })
							if _, err := tx.Exec("INSERT INTO things (id, name) VALUES ($1, $2)", base.NewID(), name); err != nil {
								return err
							}
							switch {
							case i%14 == 0:
								panic(wanted)
							case i%7 == 0:
								return wanted
							}
							tx.Later("UPDATE counters SET n = n + 1 WHERE id = 1")
							return nil
						})
						switch {
						case i%7 != 0 && err == nil:
							ok.Add(1)
						case i%7 != 0:
							t.Errorf("%s: %v", name, err)
						case err == nil:
							t.Errorf("%s: no error", name)
						}
					}
				})
			}
			all.Wait()
			hasCount(t, s, 1, ok.Load()) // no increment is lost
			rows, bad := 0, 0
			read(t, s, func(tx *Tx) error {
				return tx.Query("SELECT name FROM things", nil, func(r Row) error {
					var i, round int
					if _, err := fmt.Sscanf(r.Text(""), "writer %d round %d", &i, &round); err != nil || i%7 == 0 {
						bad++
					}
					rows++
					return nil
				})
			})
			if int64(rows) != ok.Load() || bad > 0 || after.Load() != ok.Load() || rows != (64-10)*rounds {
				t.Errorf("%d rows, %d of them of failed writers, %d successes, %d calls after commit", rows, bad, ok.Load(), after.Load())
			}
		})
		t.Run("a caller that gave up before its turn leaves nothing", func(t *testing.T) {
			gone, cancel := context.WithCancel(context.Background())
			cancel()
			if err := s.Write(gone, func(*Tx) error { t.Error("ran"); return nil }); !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
		})
		t.Run("a caller that gives up in the middle gets the true outcome", func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			err := s.Write(ctx, func(tx *Tx) error {
				err := add(tx, 2)
				cancel()
				return err
			})
			want := int64(1)
			if err != nil {
				want = 0
			}
			hasCount(t, s, 2, want)
		})
	})
}

func TestWriterQueue(t *testing.T) {
	s := opened(t, Options{Dir: t.TempDir()})
	// hold keeps the writer inside a transaction until let is closed.
	hold := func(let chan struct{}) (all *sync.WaitGroup) {
		all = &sync.WaitGroup{}
		inside := make(chan struct{})
		all.Go(func() {
			write(t, s, func(*Tx) error { close(inside); <-let; return nil })
		})
		<-inside
		return all
	}
	t.Run("a caller cancelled in the queue returns at once and is not run", func(t *testing.T) {
		let := make(chan struct{})
		all := hold(let)
		ctx, cancel := context.WithCancel(t.Context())
		result := make(chan error)
		go func() {
			result <- s.Write(ctx, func(*Tx) error { t.Error("ran"); return nil })
		}()
		for len(s.lite.writer.queue) == 0 {
			runtime.Gosched()
		}
		cancel()
		if err := <-result; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		close(let)
		all.Wait()
	})
	t.Run("a commit that fails gives every caller an error and stores nothing", func(t *testing.T) {
		let := make(chan struct{})
		all := hold(let)
		var failed atomic.Int64
		for i := range 5 {
			all.Go(func() {
				err := s.Write(context.Background(), func(tx *Tx) error {
					tx.AfterCommit(func() { t.Error("ran after a rollback") })
					if i == 2 {
						tx.Later("INSERT INTO children (id, parent) VALUES (1, 77)") // seen at the commit only
					}
					return add(tx, 2)
				})
				if err != nil {
					failed.Add(1)
				}
			})
		}
		for len(s.lite.writer.queue) < 5 {
			runtime.Gosched()
		}
		close(let)
		all.Wait()
		hasCount(t, s, 2, 0)
		if failed.Load() != 5 {
			t.Errorf("%d failed", failed.Load())
		}
	})
	t.Run("close answers what is queued and refuses what comes", func(t *testing.T) {
		let := make(chan struct{})
		all := hold(let)
		for range 5 {
			all.Go(func() {
				if err := s.Write(context.Background(), func(tx *Tx) error { return add(tx, 1) }); err != nil {
					t.Error(err)
				}
			})
		}
		for len(s.lite.writer.queue) < 5 {
			runtime.Gosched()
		}
		close(let)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		all.Wait()
		err := s.Write(context.Background(), func(*Tx) error { t.Error("ran"); return nil })
		if base.CodeOf(err) != base.CodeUnavailable {
			t.Errorf("got %v", err)
		}
		if err := s.Ping(t.Context()); base.CodeOf(err) != base.CodeUnavailable {
			t.Errorf("ping: %v", err)
		}
	})
}

func TestAWriteThatEndsItsGoroutineEndsTheWriterWithoutHoldingUpCallers(t *testing.T) {
	s := opened(t, Options{Dir: t.TempDir()})
	let, inside := make(chan struct{}), make(chan struct{})
	var all sync.WaitGroup
	var failed atomic.Int64
	count := func(fn func(tx *Tx) error) {
		if err := s.Write(context.Background(), fn); err != nil {
			failed.Add(1)
		}
	}
	all.Go(func() {
		count(func(tx *Tx) error {
			close(inside)
			<-let
			if err := add(tx, 1); err != nil {
				return err
			}
			exit()
			return nil
		})
	})
	<-inside
	for range 9 {
		all.Go(func() { count(func(tx *Tx) error { return add(tx, 1) }) })
	}
	for len(s.lite.writer.queue) < 9 {
		runtime.Gosched()
	}
	close(let)
	all.Wait()
	count(func(tx *Tx) error { return add(tx, 1) })
	if got, want := failed.Load(), int64(11); got != want {
		t.Errorf("%d writes failed, want %d", got, want)
	}
	hasCount(t, s, 1, 0)
	if err := s.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

// exit ends the goroutine as FailNow does.
func exit() { runtime.Goexit() }

func add(tx *Tx, id int) error {
	_, err := tx.Exec("UPDATE counters SET n = n + 1 WHERE id = $1", id)
	return err
}

func hasCount(t testing.TB, s *DB, id int, want int64) {
	t.Helper()
	if n := counter(t, s, id); n != want {
		t.Errorf("counter %d is %d, not %d", id, n, want)
	}
}
