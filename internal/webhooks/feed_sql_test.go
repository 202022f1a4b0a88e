package webhooks

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/talk"
	"recado/test/kerneltest"
	"recado/test/testkit"
)

func TestTheFeedContinuesAfterADumpIsRestoredOnAnotherServer(t *testing.T) {
	url := kerneltest.URL(t)
	s, err := kernel.Open(t.Context(), db.Options{DatabaseURL: url})
	if err != nil {
		t.Fatal(err)
	}
	company := kernel.NewID()
	insert := func() kernel.ID {
		id := kernel.NewID()
		err := s.Write(t.Context(), func(tx *kernel.Tx) error {
			err := tx.InsertEvent(&kernel.Event{ID: id, Company: company, Type: talk.EventMessageSent, Body: []byte("{}")})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	feed := func(position int64, after kernel.ID) (got []kernel.ID, last int64) {
		var horizon int64
		err := s.ReadOne(t.Context(), func(tx *kernel.Tx) (err error) {
			horizon, err = feedHorizon(tx)
			return err
		})
		if err == nil {
			err = s.Read(t.Context(), func(tx *kernel.Tx) error {
				return readFeed(tx, selectFeed, company, FeedPlace{position, after}, horizon, 0, 10, func(e FeedRow) { got, last = append(got, e.ID), e.Position })
			})
		}
		if err != nil {
			t.Fatal(err)
		}
		return got, last
	}
	want := []kernel.ID{insert(), insert()}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	testkit.Exec(t, url, `UPDATE events SET position = position + 5000000000`) // as at a server with more transactions
	for range 2 {
		if s, err = kernel.Open(t.Context(), db.Options{DatabaseURL: url}); err != nil {
			t.Fatal(err)
		}
		var last int64
		testkit.Eventually(t, "the events of before are in the feed", func() bool {
			var got []kernel.ID
			got, last = feed(0, kernel.ID{})
			return slices.Equal(got, want)
		})
		fresh := insert()
		testkit.Eventually(t, "a new event comes behind a cursor of before", func() bool {
			got, _ := feed(last, want[len(want)-1])
			return slices.Equal(got, []kernel.ID{fresh})
		})
		err := s.ReadOne(t.Context(), func(tx *kernel.Tx) error {
			ahead, err := feedAhead(tx, last)
			testkit.Equal(t, "the cursor is ahead", ahead, false)
			return err
		})
		if err = errors.Join(err, s.Close()); err != nil {
			t.Fatal(err)
		}
		want = append(want, fresh)
	}
}

func TestNodesThatStartTogetherOnARestoredDumpAlignTheFeedOnce(t *testing.T) {
	url := kerneltest.URL(t)
	s, err := kernel.Open(t.Context(), db.Options{DatabaseURL: url})
	if err != nil {
		t.Fatal(err)
	}
	insert := func(s *kernel.Store) error {
		return s.Write(t.Context(), func(tx *kernel.Tx) error {
			err := tx.InsertEvent(&kernel.Event{ID: kernel.NewID(), Company: kernel.NewID(), Type: talk.EventMessageSent, Body: []byte("{}")})
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
			s, err := kernel.Open(context.Background(), db.Options{DatabaseURL: url})
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

func TestTheFeedWaitsOnlyForOlderTransactionsOfItsOwnDatabase(t *testing.T) {
	url := kerneltest.URL(t)
	s := kerneltest.Open(t, db.Options{DatabaseURL: url})
	company := kernel.NewID()
	insert := func() {
		t.Helper()
		err := s.Write(t.Context(), func(tx *kernel.Tx) error {
			err := tx.InsertEvent(&kernel.Event{ID: kernel.NewID(), Company: company, Type: talk.EventMessageSent, Body: []byte("{}")})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	visible := func() (n int) {
		t.Helper()
		var horizon int64
		err := s.ReadOne(t.Context(), func(tx *kernel.Tx) (err error) {
			horizon, err = feedHorizon(tx)
			return err
		})
		if err == nil {
			err = s.Read(t.Context(), func(tx *kernel.Tx) error {
				return readFeed(tx, selectFeed, company, FeedPlace{}, horizon, 0, 10, func(FeedRow) { n++ })
			})
		}
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	// writing opens a transaction with a transaction id and keeps it open.
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
