package kernel

import (
	"strings"
	"testing"

	"recado/internal/kernel/db"
)

// The deletion runs every minute and must not scan the table.
func TestExpiredReservationsAreFoundByAnIndex(t *testing.T) {
	s, err := Open(t.Context(), db.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var plan []string
	err = s.Read(t.Context(), func(tx *Tx) error {
		return tx.Query("EXPLAIN QUERY PLAN "+forgetReservations, []any{1, 2}, func(r db.Row) error {
			plan = append(plan, r.Text("detail"))
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := "SEARCH idempotency USING COVERING INDEX idempotency_expiry (expires_at<?)"; len(plan) == 0 || plan[0] != want {
		t.Errorf("want %s:\n%s", want, strings.Join(plan, "\n"))
	}
}
