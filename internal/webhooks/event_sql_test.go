package webhooks

import (
	"strings"
	"testing"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/test/kerneltest"
)

// What is deleted every minute must not read everything that is kept.
func TestOldEventsAreFoundByAnIndex(t *testing.T) {
	s := kerneltest.Open(t, db.Options{Dir: t.TempDir()})
	var plan []string
	kerneltest.Read(t, s, func(tx *kernel.Tx) error {
		return tx.Query("EXPLAIN QUERY PLAN "+deleteOldEvents, []any{1, 2}, func(r db.Row) error {
			plan = append(plan, r.Text(3))
			return nil
		})
	})
	if want := "SEARCH events USING INTEGER PRIMARY KEY (rowid<?)"; len(plan) == 0 || plan[0] != want {
		t.Errorf("want %s:\n%s", want, strings.Join(plan, "\n"))
	}
}
