package cluster

import (
	"math/rand/v2"
	"testing"

	"recado/test/testkit"
)

// A few kills in `make test`, many with RECADO_FULL=1.
func TestKilledNodesLoseNothingRepeatNothingAndAreReplaced(t *testing.T) {
	rounds := 2
	if full {
		rounds = 30
	}
	o := open(t, testkit.OwnCluster(t).URL)
	r := rand.New(rand.NewPCG(o.seed, 3))
	for round := range rounds {
		end := o.work(t)
		before := o.Total.Load()
		enough := before + 100 + r.Int64N(200)
		testkit.EventuallyWithin(t, patience, "some work", func() bool { return o.Total.Load() >= enough })
		// Kill the node that holds shared work: the sender, the deliverer, or any node.
		victim := [...]func() int{
			func() int { return o.sender(t) },
			func() int { return o.courier(t) },
			func() int { return r.IntN(nodes) },
		}[round%3]()
		o.nodes[victim].Kill()
		o.takenOver(t, victim)
		end()
		o.nodes[victim].Start()
		o.verify(t)
		if t.Failed() {
			t.Fatalf("round %d; RECADO_SEED=%d", round, o.seed)
		}
	}
}
