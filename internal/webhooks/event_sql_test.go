package webhooks

import (
	"strings"
	"testing"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/test/kerneltest"
)

// Old events are deleted every minute, which must not scan all events.
func TestOldEventsAreFoundByAnIndex(t *testing.T) {
	s := kerneltest.Open(t, db.Options{Dir: t.TempDir()})
	var plan []string
	kerneltest.Read(t, s, func(tx *kernel.Tx) error {
		return tx.Query("EXPLAIN QUERY PLAN "+deleteOldEvents, []any{1, 2}, func(r db.Row) error {
			plan = append(plan, r.Text("detail"))
			return nil
		})
	})
	if want := "SEARCH events USING INTEGER PRIMARY KEY (rowid<?)"; len(plan) == 0 || plan[0] != want {
		t.Errorf("want %s:\n%s", want, strings.Join(plan, "\n"))
	}
}
