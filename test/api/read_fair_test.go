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

// Only PostgreSQL can block readers, with a lock on the table that they read.
func TestReadsOfOneCompanyLeaveConnectionsForOthers(t *testing.T) {
	url := kerneltest.URL(t)
	w := servertest.Start(t, url)
	unlock := lock(t, url, `LOCK TABLE messages IN ACCESS EXCLUSIVE MODE`)
	var finished atomic.Int64
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			w.A.Get(t, "/messages/"+kernel.NewID().String())
			finished.Add(1)
		})
	}
	for range 50 {
		w.B.Get(t, "/labels").OK(200)
		w.B.Get(t, "/conversations").OK(200)
	}
	if n := finished.Load(); n != 0 {
		t.Errorf("got %d reads finished, want all of them still blocked", n)
	}
	unlock()
	all.Wait()
}

// Only PostgreSQL blocks writers on separate connections, with a lock on the company that they change.
func TestWritesOfOneCompanyLeaveConnectionsForOthers(t *testing.T) {
	url := kerneltest.URL(t)
	w := servertest.Start(t, url)
	unlock := lock(t, url, `SELECT id FROM companies WHERE id = $1 FOR UPDATE`, w.A.ID.String())
	var finished atomic.Int64
	var all sync.WaitGroup
	for i := range 100 {
		all.Go(func() {
			w.A.Post(t, "/labels", fmt.Sprintf(`{"name":"l%d"}`, i)).OK(201)
			finished.Add(1)
		})
	}
	for i := range 50 {
		w.B.Get(t, "/conversations").OK(200)
		w.B.Post(t, "/labels", fmt.Sprintf(`{"name":"l%d"}`, i)).OK(201)
	}
	if n := finished.Load(); n != 0 {
		t.Errorf("got %d writes finished, want all of them still blocked", n)
	}
	unlock()
	all.Wait()
}

// lock runs a statement that locks rows or tables on its own connection. The lock lasts until unlock is called.
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
