package store_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"recado/internal/model"
	"recado/internal/store"
	"recado/internal/store/storetest"
	"recado/internal/testkit"
)

func TestAFeedFromAnotherServerIsMended(t *testing.T) {
	url := storetest.URL(t)
	s := storetest.Open(t, store.Options{DatabaseURL: url})
	company := model.NewID()
	insert := func() model.ID {
		id := model.NewID()
		err := s.Write(t.Context(), func(tx *store.Tx) error {
			_, err := tx.InsertEvent(store.Event{ID: id, Company: company, Type: model.EventMessageSent, Body: []byte("{}")})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	want := []model.ID{insert(), insert()}
	testkit.Exec(t, url, `UPDATE events SET position = position + 1000000000`)
	for _, mended := range []int64{2, 0} {
		err := s.Write(t.Context(), func(tx *store.Tx) error {
			n, err := tx.RenumberFeed()
			if n != mended {
				t.Errorf("%d events mended, want %d", n, mended)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	want = append(want, insert())
	for got := []model.ID(nil); len(got) < 3; {
		got = nil
		var horizon int64
		err := s.ReadOne(t.Context(), func(tx *store.Tx) (err error) {
			horizon, err = tx.FeedHorizon()
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		err = s.Read(t.Context(), func(tx *store.Tx) error {
			return tx.Feed(company, 0, model.ID{}, horizon, "", 10, func(e store.FeedEvent) { got = append(got, e.ID) })
		})
		if err != nil {
			t.Fatal(err)
		}
		for i, id := range got {
			if id != want[i] {
				t.Fatalf("%v, want %v", got, want)
			}
		}
	}
}

func TestTheFeedWaitsForOlderTransactionsOfItsOwnDatabaseAlone(t *testing.T) {
	url := storetest.URL(t)
	s := storetest.Open(t, store.Options{DatabaseURL: url})
	company := model.NewID()
	insert := func() {
		t.Helper()
		err := s.Write(t.Context(), func(tx *store.Tx) error {
			_, err := tx.InsertEvent(store.Event{ID: model.NewID(), Company: company, Type: model.EventMessageSent, Body: []byte("{}")})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	visible := func() (n int) {
		t.Helper()
		var horizon int64
		err := s.ReadOne(t.Context(), func(tx *store.Tx) (err error) {
			horizon, err = tx.FeedHorizon()
			return err
		})
		if err == nil {
			err = s.Read(t.Context(), func(tx *store.Tx) error {
				return tx.Feed(company, 0, model.ID{}, horizon, "", 10, func(store.FeedEvent) { n++ })
			})
		}
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	// writing opens a transaction that has its place among the writers and stays.
	writing := func(database string) pgx.Tx {
		t.Helper()
		conn, err := pgx.Connect(t.Context(), database)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close(context.Background()) })
		tx, err := conn.Begin(t.Context())
		if err == nil {
			_, err = tx.Exec(t.Context(), "SELECT pg_current_xact_id()")
		}
		if err != nil {
			t.Fatal(err)
		}
		return tx
	}

	elsewhere := writing(testkit.Database(t, ""))
	insert()
	if n := visible(); n != 1 {
		t.Errorf("%d events while another database is being written, want 1", n)
	}
	here := writing(url)
	insert()
	if n := visible(); n != 1 {
		t.Errorf("%d events while an older transaction is open, want 1", n)
	}
	if err := here.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := visible(); n != 2 {
		t.Errorf("%d events after it ended, want 2", n)
	}
	_ = elsewhere.Rollback(t.Context())
}
