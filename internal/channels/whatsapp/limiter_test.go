package whatsapp

import (
	"fmt"
	"testing"
	"time"

	"recado/test/testkit"
)

func TestLimiter(t *testing.T) {
	t.Run("no second sees more than the number's rate", func(t *testing.T) {
		for _, rate := range []int{1, 2, CoexistenceRate, StandardRate, 1000} {
			c := testkit.StillClock(noon)
			l := NewLimiter(rate, c.Now)
			var taken []time.Time
			for i := 0; c.Now().Sub(noon) < 5*time.Second; i++ {
				if wait := l.Take(fmt.Sprint(i)); wait > 0 {
					c.Advance(wait)
					continue
				}
				taken = append(taken, c.Now())
			}
			most := 0
			for i, start := range taken {
				n := 0
				for _, at := range taken[i:] {
					if at.Sub(start) < time.Second {
						n++
					}
				}
				most = max(most, n)
			}
			if most > rate || most < rate*8/10 {
				t.Errorf("rate %d: %d in one second", rate, most)
			}
		}
	})
	t.Run("free is what the number may send now", func(t *testing.T) {
		c := testkit.StillClock(noon)
		l := NewLimiter(StandardRate, c.Now)
		for round := range 20 {
			n, wait := l.Free()
			for i := range n {
				if l.Take(fmt.Sprint(round, i)) != 0 {
					t.Fatalf("round %d: it was free for %d, not even for %d", round, n, i)
				}
			}
			if got := l.Take(fmt.Sprint(round, "more")); got != wait {
				t.Fatalf("round %d: one more waits %s, not %s", round, got, wait)
			}
			c.Advance(time.Duration(7*round) * time.Millisecond)
		}
		l.Hold("", time.Second)
		if n, wait := l.Free(); n != 0 || wait != time.Second {
			t.Errorf("held: free for %d after %s", n, wait)
		}
	})
	t.Run("one person gets 45 at once, then one every six seconds", func(t *testing.T) {
		c := testkit.StillClock(noon)
		l := NewLimiter(1_000_000, c.Now)
		for i := range 45 {
			if wait := l.Take("ana"); wait != 0 {
				t.Fatalf("message %d waits %s", i, wait)
			}
			c.Advance(time.Millisecond)
		}
		wait := l.Take("ana")
		if wait != 6*time.Second-45*time.Millisecond {
			t.Fatalf("the 46th waits %s", wait)
		}
		if l.Take("rui") != 0 {
			t.Error("one person's wait holds up another")
		}
		c.Advance(wait - 1)
		if l.Take("ana") != 1 {
			t.Error("the wait is longer or shorter than said")
		}
		c.Advance(1)
		if l.Take("ana") != 0 || l.Take("ana") != 6*time.Second {
			t.Error("not one every six seconds")
		}
	})
	t.Run("a message that waits for its person costs the number nothing", func(t *testing.T) {
		c := testkit.StillClock(noon)
		l := NewLimiter(1, c.Now)
		l.Hold("ana", time.Hour)
		if wait := l.Take("ana"); wait != time.Hour {
			t.Errorf("waits %s", wait)
		}
		if l.Take("rui") != 0 {
			t.Error("the number's turn was used up")
		}
	})
	t.Run("a held number makes every caller wait", func(t *testing.T) {
		c := testkit.StillClock(noon)
		l := NewLimiter(80, c.Now)
		l.Hold("", 3*time.Second)
		if wait := l.Take("ana"); wait != 3*time.Second {
			t.Errorf("waits %s", wait)
		}
	})
	t.Run("people whose messages have aged are forgotten", func(t *testing.T) {
		c := testkit.StillClock(noon)
		l := NewLimiter(0, c.Now)
		for i := range 100_000 {
			c.Advance(time.Second / 72)
			if wait := l.Take(fmt.Sprint(i)); wait != 0 {
				t.Fatalf("waits %s", wait)
			}
		}
		if len(l.pairs) > 2048 {
			t.Errorf("remembers %d people", len(l.pairs))
		}
	})
}
