package kernel

import (
	"testing"
	"time"

	"recado/internal/kernel/db"
)

func TestNowFollowsALockedRowWithinTheClockSkew(t *testing.T) {
	began := time.Date(2026, 11, 14, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct{ known, want time.Duration }{
		{-time.Hour, 0}, {0, 0}, {3 * time.Millisecond, 3 * time.Millisecond}, {time.Minute, time.Minute}, {time.Hour, 0},
	} {
		tx := &Tx{Tx: &db.Tx{Now: began}}
		tx.NotBefore(began.Add(c.known))
		if got := tx.Now.Sub(began); got != c.want {
			t.Errorf("a row of %v later: now is %v later, want %v", c.known, got, c.want)
		}
	}
}
