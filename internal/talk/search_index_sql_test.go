package talk

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/search"
	"recado/test/kerneltest"
	"recado/test/testkit"
)

func TestTheIndexerSkipsRowsThatAreBeingChanged(t *testing.T) {
	s, err := kernel.Open(t.Context(), db.Options{DatabaseURL: testkit.Database(t, "")})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	w := newFixture(t, s)
	w.people(t, s, rand.New(rand.NewPCG(1, 2)), 5)
	unindexed := func() (n int64) {
		kerneltest.Read(t, s, func(tx *kernel.Tx) error {
			_, err := tx.One(`SELECT COUNT(*) AS total FROM conversations WHERE company = $1 AND unindexed`, []any{w.company}, func(r db.Row) { n = r.Int("total") })
			return err
		})
		return n
	}
	index := func(tx *kernel.Tx) error {
		_, err := search.Update(tx.Tx, 100)
		return err
	}
	kerneltest.Write(t, s, func(tx *kernel.Tx) error {
		if _, err := tx.Exec(`UPDATE conversations SET muted = TRUE WHERE company = $1 AND id = $2`, w.company, w.all[2].ID); err != nil {
			return err
		}
		waiting, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		return s.Write(waiting, index)
	})
	if n := unindexed(); n != 1 {
		t.Errorf("%d conversations are unindexed, want only the one that was being changed", n)
	}
	kerneltest.Write(t, s, index)
	if n := unindexed(); n != 0 {
		t.Errorf("%d conversations are unindexed, want 0", n)
	}
}
