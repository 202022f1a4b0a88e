package api_test

import (
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
