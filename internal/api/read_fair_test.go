package api_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"recado/internal/model"
	"recado/internal/servertest"
	"recado/internal/store/storetest"
)

// PostgreSQL alone can be made to keep readers waiting: by a lock on what they read.
func TestReadsOfOneCompanyLeaveConnectionsForOthers(t *testing.T) {
	url := storetest.URL(t)
	w := servertest.Start(t, url)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	locked, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := locked.Exec(t.Context(), `LOCK TABLE messages IN ACCESS EXCLUSIVE MODE`); err != nil {
		t.Fatal(err)
	}
	var ended atomic.Int64
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			w.A.Get(t, "/messages/"+model.NewID().String())
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
	if err := locked.Rollback(t.Context()); err != nil {
		t.Error(err)
	}
	all.Wait()
	if err := conn.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// PostgreSQL alone keeps writers waiting on connections of their own: by a lock on the company that they change.
func TestWritesOfOneCompanyLeaveConnectionsForOthers(t *testing.T) {
	url := storetest.URL(t)
	w := servertest.Start(t, url)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	locked, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := locked.Exec(t.Context(), `SELECT id FROM companies WHERE id = $1 FOR UPDATE`, w.A.ID.String()); err != nil {
		t.Fatal(err)
	}
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
	if err := locked.Rollback(t.Context()); err != nil {
		t.Error(err)
	}
	all.Wait()
	if err := conn.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
