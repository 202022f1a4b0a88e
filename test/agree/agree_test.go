// Package agree runs short random sequences of operations on a desk and compares its lists, queues and reports with a
// simple in-memory model, the ledger.
package agree

import (
	"flag"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"recado/internal/kernel/db"
	"recado/internal/server"
	"recado/test/kerneltest"
	"recado/test/testkit"
)

var (
	seed      = flag.Uint64("seed", 0, "the seed of a run to repeat; 0 draws one")
	histories = flag.Int("histories", 0, "how many histories; 0 means 500 on SQLite and 100 on PostgreSQL")
)

const (
	stepsPerHistory  = 16
	databases        = 4
	longestFixture   = 20 // histories
	longestDays      = 300
	rebuildEachOther = 8
)

// raceDetector is set by race_test.go.
var raceDetector bool

func TestReportQueuesHistoryAndAttendancesAgree(t *testing.T) {
	if *seed == 0 {
		*seed = rand.Uint64()
	}
	t.Run("sqlite", func(t *testing.T) {
		each(t, 500, func(t *testing.T) db.Options { return db.Options{Dir: t.TempDir()} })
	})
	t.Run("postgres", func(t *testing.T) {
		each(t, 100, func(t *testing.T) db.Options { return db.Options{DatabaseURL: kerneltest.URL(t), MaxConns: 4} })
	})
}

// each runs n histories, divided among a few databases that run concurrently, because most of the time is spent
// waiting for commits.
func each(t *testing.T, n int, database func(t *testing.T) db.Options) {
	if *histories > 0 {
		n = *histories
	}
	switch {
	case testing.Short():
		n = min(n, 100)
	case raceDetector && *histories == 0:
		n = min(n, 200)
	}
	for i := range databases {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			t.Parallel()
			defer func() {
				if t.Failed() {
					t.Logf("repeat with -seed %d", *seed)
				}
			}()
			run(t, database(t), (n+databases-1)/databases, rand.New(rand.NewPCG(*seed, uint64(i))))
		})
	}
}

func run(t *testing.T, o db.Options, n int, random *rand.Rand) {
	clock := testkit.StillClock(time.Time{})
	o.Now = clock.Now
	d := server.New(server.Options{Store: kerneltest.Open(t, o), Now: o.Now})
	var f *fixture
	for i := range n {
		if f == nil || i%longestFixture == 0 || clock.Now().Sub(f.began) > longestDays*24*time.Hour {
			f.retire()
			f = newFixture(t, d, clock, random)
		}
		f.history()
		if i%rebuildEachOther == 0 {
			f.checkRebuild()
		}
	}
}

// history runs random steps of a few customers and the team, and compares desk and ledger at the end.
func (o *fixture) history() {
	o.log = o.log[:0]
	chats := []*chat{o.customer(), o.customer(), o.customer()}
	if len(o.chats) > len(chats) { // a customer of an earlier history returns
		chats = append(chats, pick(o, o.chats))
	}
	for range stepsPerHistory {
		o.step(chats)
	}
	o.check(chats)
}

// retire prevents sweeps of the next fixture from touching the rows of this one.
func (o *fixture) retire() {
	if o != nil && o.rules.AutoClose.Enabled {
		o.rules.AutoClose.Enabled = false
		o.setRules()
	}
}
