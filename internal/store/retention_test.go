package store

import (
	"strings"
	"testing"
)

// What is deleted every minute must not read everything that is kept.
func TestRetentionFindsItsRowsByAnIndex(t *testing.T) {
	s, err := Open(t.Context(), Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for sql, want := range map[string]string{
		purgeEvents:        "SEARCH events USING INTEGER PRIMARY KEY (rowid<?)",
		forgetReservations: "SEARCH idempotency USING COVERING INDEX idempotency_expiry (expires_at<?)",
	} {
		var plan []string
		mustRead(t, s, func(tx *Tx) error {
			return tx.query("EXPLAIN QUERY PLAN "+sql, []any{1, 2}, func(r Row) error {
				plan = append(plan, r.Text(3))
				return nil
			})
		})
		if len(plan) == 0 || plan[0] != want {
			t.Errorf("want %s:\n%s", want, strings.Join(plan, "\n"))
		}
	}
}
