package store_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"recado/internal/model"
	"recado/internal/store"
	"recado/internal/store/storetest"
	"recado/internal/testkit"
)

func TestTheFeedOfADumpGoesOnAtAnotherServer(t *testing.T) {
	url := storetest.URL(t)
	s, err := store.Open(t.Context(), store.Options{DatabaseURL: url})
	if err != nil {
		t.Fatal(err)
	}
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
	feed := func(position int64, after model.ID) (got []model.ID, last int64) {
		var horizon int64
		err := s.ReadOne(t.Context(), func(tx *store.Tx) (err error) {
			horizon, err = tx.FeedHorizon()
			return err
		})
		if err == nil {
			err = s.Read(t.Context(), func(tx *store.Tx) error {
				return tx.Feed(company, position, after, horizon, "", 10, func(e store.FeedEvent) { got, last = append(got, e.ID), e.Position })
			})
		}
		if err != nil {
			t.Fatal(err)
		}
		return got, last
	}
	want := []model.ID{insert(), insert()}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	testkit.Exec(t, url, `UPDATE events SET position = position + 5000000000`) // as at a server with more transactions
	for range 2 {
		if s, err = store.Open(t.Context(), store.Options{DatabaseURL: url}); err != nil {
			t.Fatal(err)
		}
		var last int64
		testkit.Eventually(t, "the events of before are in the feed", func() bool {
			var got []model.ID
			got, last = feed(0, model.ID{})
			return slices.Equal(got, want)
		})
		fresh := insert()
		testkit.Eventually(t, "a new event comes behind a cursor of before", func() bool {
			got, _ := feed(last, want[len(want)-1])
			return slices.Equal(got, []model.ID{fresh})
		})
		err := s.ReadOne(t.Context(), func(tx *store.Tx) error {
			ahead, err := tx.FeedAhead(last)
			testkit.Equal(t, "the cursor is ahead", ahead, false)
			return err
		})
		if err = errors.Join(err, s.Close()); err != nil {
			t.Fatal(err)
		}
		want = append(want, fresh)
	}
}

func TestNodesThatStartTogetherOnADumpAlignTheFeedOnce(t *testing.T) {
	url := storetest.URL(t)
	s, err := store.Open(t.Context(), store.Options{DatabaseURL: url})
	if err != nil {
		t.Fatal(err)
	}
	insert := func(s *store.Store) error {
		return s.Write(t.Context(), func(tx *store.Tx) error {
			_, err := tx.InsertEvent(store.Event{ID: model.NewID(), Company: model.NewID(), Type: model.EventMessageSent, Body: []byte("{}")})
			return err
		})
	}
	if err := errors.Join(insert(s), s.Close()); err != nil {
		t.Fatal(err)
	}
	testkit.Exec(t, url, `UPDATE events SET position = position + 5000000000`) // as at a server with more transactions
	opened := make(chan error)
	for range 4 {
		go func() {
			s, err := store.Open(context.Background(), store.Options{DatabaseURL: url})
			if err == nil {
				err = s.Close()
			}
			opened <- err
		}()
	}
	for range 4 {
		if err := <-opened; err != nil {
			t.Error(err)
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
