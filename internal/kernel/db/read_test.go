package db

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"
)

func TestRead(t *testing.T) {
	each(t, func(t *testing.T, s *DB) {
		ctx := t.Context()
		const countOne = "SELECT n FROM counters WHERE id = 1"
		value := func(tx *Tx) (n int64) {
			if _, err := tx.One(countOne, nil, func(r Row) { n = r.Int("") }); err != nil {
				t.Error(err)
			}
			return n
		}
		t.Run("a read sees one moment, whatever is written meanwhile", func(t *testing.T) {
			read(t, s, func(tx *Tx) error {
				before := value(tx)
				write(t, s, func(w *Tx) error { return add(w, 1) })
				if now := value(tx); now != before {
					t.Errorf("%d became %d inside one read", before, now)
				}
				return nil
			})
			hasCount(t, s, 1, 1)
		})
		t.Run("a read begun after a write sees it", func(t *testing.T) {
			for want := int64(2); want < 20; want++ {
				write(t, s, func(tx *Tx) error { return add(tx, 1) })
				hasCount(t, s, 1, want)
			}
		})
		t.Run("a read changes nothing", func(t *testing.T) {
			err := s.Read(ctx, func(tx *Tx) error { return add(tx, 2) })
			if err == nil {
				t.Error("exec: no error")
			}
			err = s.Read(ctx, func(tx *Tx) error {
				return tx.Query("UPDATE counters SET n = 9 WHERE id = 2 RETURNING n", nil, func(Row) error { return nil })
			})
			if err == nil {
				t.Error("query: no error")
			}
			err = s.ReadOne(ctx, func(tx *Tx) error {
				return tx.Query("UPDATE counters SET n = 9 WHERE id = 2 RETURNING n", nil, func(Row) error { return nil })
			})
			if err == nil {
				t.Error("query of one: no error")
			}
			for _, read := range []func(context.Context, func(*Tx) error) error{s.Read, s.ReadOne} {
				err := read(ctx, func(tx *Tx) error {
					tx.Later("UPDATE counters SET n = 9 WHERE id = 2")
					return nil
				})
				if err == nil {
					t.Error("later: no error")
				}
			}
			hasCount(t, s, 2, 0)
		})
		t.Run("ReadOne refuses a second statement", func(t *testing.T) {
			err := s.ReadOne(ctx, func(tx *Tx) error {
				value(tx)
				_, err := tx.One(countOne, nil, func(Row) {})
				return err
			})
			if !errors.Is(err, errSingle) {
				t.Errorf("got %v", err)
			}
		})
		t.Run("a panic in a read becomes an error and costs no connection", func(t *testing.T) {
			for range 40 {
				err := s.Read(ctx, func(tx *Tx) error {
					return tx.Query(countOne, nil, func(Row) error { panic("oops") })
				})
				if err == nil {
					t.Fatal("no error")
				}
			}
		})
		t.Run("goroutines that end inside a read give their connection back", func(t *testing.T) {
			for range 40 {
				done := make(chan struct{})
				go func() {
					defer close(done)
					_ = s.Read(ctx, func(tx *Tx) error {
						value(tx)
						exit()
						return nil
					})
				}()
				<-done
			}
			hasCount(t, s, 2, 0)
		})
		t.Run("a caller that gave up is not served", func(t *testing.T) {
			gone, cancel := context.WithCancel(ctx)
			cancel()
			if err := s.Read(gone, func(*Tx) error { t.Error("ran"); return nil }); !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
		})
		t.Run("a caller that gives up in the middle is told so", func(t *testing.T) {
			going, cancel := context.WithCancel(ctx)
			err := s.Read(going, func(tx *Tx) error {
				value(tx)
				cancel()
				_, err := tx.One(countOne, nil, func(Row) {})
				return err
			})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
		})
		t.Run("more readers than connections take turns", func(t *testing.T) {
			var all sync.WaitGroup
			for range 50 {
				all.Go(func() { hasCount(t, s, 2, 0) })
			}
			all.Wait()
		})
		t.Run("a statement that takes longer than its limit is ended, and the connection stays good", func(t *testing.T) {
			endless := "SELECT pg_sleep(600)"
			if s.SingleNode() {
				endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n"
			}
			for range 40 {
				err := s.Read(ctx, func(tx *Tx) error {
					defer tx.LimitTime(time.Millisecond)()
					return tx.Query(endless, nil, func(Row) error { return nil })
				})
				if !TimedOut(err) {
					t.Fatalf("got %v", err)
				}
			}
			hasCount(t, s, 2, 0)
		})
		t.Run("after the end of a limit statements have their usual time and plans", func(t *testing.T) {
			if s.SingleNode() {
				t.Skip("only PostgreSQL has settings for them")
			}
			settings := func(tx *Tx) (got string, err error) {
				_, err = tx.One("SELECT current_setting('statement_timeout') || ' ' || current_setting('plan_cache_mode')", nil, func(r Row) { got = r.Text("") })
				return got, err
			}
			err := s.Read(ctx, func(tx *Tx) error {
				usual, err := settings(tx)
				if err != nil {
					return err
				}
				stop := tx.LimitTime(5 * time.Second)
				if got, err := settings(tx); err != nil || got != "5s force_custom_plan" {
					t.Errorf("got %q during the limit (%v)", got, err)
				}
				stop()
				got, err := settings(tx)
				if got != usual {
					t.Errorf("got %q after the limit, want %q", got, usual)
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
		t.Run("the database answers", func(t *testing.T) {
			if err := s.Ping(ctx); err != nil {
				t.Error(err)
			}
		})
	})
}
