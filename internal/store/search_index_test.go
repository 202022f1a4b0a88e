package store

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"recado/internal/testkit"
)

func TestTheIndexerSkipsRowsThatAreBeingChanged(t *testing.T) {
	s, err := Open(t.Context(), Options{DatabaseURL: testkit.Database(t, "")})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	w := newFixture(t, s)
	w.people(t, s, rand.New(rand.NewPCG(1, 2)), 5)
	unindexed := func() (n int64) {
		mustRead(t, s, func(tx *Tx) error {
			_, err := tx.one(`SELECT COUNT(*) FROM conversations WHERE unindexed`, nil, func(r Row) { n = r.Int(0) })
			return err
		})
		return n
	}
	index := func(tx *Tx) error {
		_, err := tx.IndexText(100)
		return err
	}
	mustWrite(t, s, func(tx *Tx) error {
		if _, err := tx.exec(`UPDATE conversations SET muted = TRUE WHERE id = $1`, w.all[2].ID); err != nil {
			return err
		}
		waiting, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		return s.Write(waiting, index)
	})
	if n := unindexed(); n != 1 {
		t.Errorf("%d are left unindexed instead of the one that was being changed", n)
	}
	mustWrite(t, s, index)
	if n := unindexed(); n != 0 {
		t.Errorf("%d are left unindexed", n)
	}
}
