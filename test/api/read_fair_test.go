package api_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"recado/internal/kernel"
	"recado/test/kerneltest"
	"recado/test/servertest"
)

// PostgreSQL alone can be made to keep readers waiting: by a lock on what they read.
func TestReadsOfOneCompanyLeaveConnectionsForOthers(t *testing.T) {
	url := kerneltest.URL(t)
	w := servertest.Start(t, url)
	unlock := lock(t, url, `LOCK TABLE messages IN ACCESS EXCLUSIVE MODE`)
	var ended atomic.Int64
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			w.A.Get(t, "/messages/"+kernel.NewID().String())
			ended.Add(1)
		})
	}
	for range 50 {
		w.B.Get(t, "/labels").OK(200)
		w.B.Get(t, "/conversations").OK(200)
	}
	if n := ended.Load(); n != 0 {
		t.Errorf("%d reads of the other company have ended: some were waited for", n)
	}
	unlock()
	all.Wait()
}

// PostgreSQL alone keeps writers waiting on connections of their own: by a lock on the company that they change.
func TestWritesOfOneCompanyLeaveConnectionsForOthers(t *testing.T) {
	url := kerneltest.URL(t)
	w := servertest.Start(t, url)
	unlock := lock(t, url, `SELECT id FROM companies WHERE id = $1 FOR UPDATE`, w.A.ID.String())
	var ended atomic.Int64
	var all sync.WaitGroup
	for i := range 100 {
		all.Go(func() {
			w.A.Post(t, "/labels", fmt.Sprintf(`{"name":"l%d"}`, i)).OK(201)
			ended.Add(1)
		})
	}
	for i := range 50 {
		w.B.Get(t, "/conversations").OK(200)
		w.B.Post(t, "/labels", fmt.Sprintf(`{"name":"l%d"}`, i)).OK(201)
	}
	if n := ended.Load(); n != 0 {
		t.Errorf("%d writes of the other company have ended: some were waited for", n)
	}
	unlock()
	all.Wait()
}

// lock runs a statement that locks rows or tables, on a connection of its own, until unlock is called.
func lock(t *testing.T, database, sql string, args ...any) (unlock func()) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	locked, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := locked.Exec(t.Context(), sql, args...); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := errors.Join(locked.Rollback(t.Context()), conn.Close(t.Context())); err != nil {
			t.Error(err)
		}
	}
}
