package store_test

import (
	"testing"

	"recado/internal/model"
	"recado/internal/store"
	"recado/internal/store/storetest"
	"recado/internal/store/testpg"
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
	testpg.Exec(t, url, `UPDATE events SET position = position + 1000000000`)
	for _, mended := range []int64{2, 0} {
		err := s.Write(t.Context(), func(tx *store.Tx) error {
			n, err := tx.MendFeed()
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
		err := s.Read(t.Context(), func(tx *store.Tx) error {
			return tx.Feed(company, 0, model.ID{}, "", 10, func(e store.FeedEvent) { got = append(got, e.ID) })
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
