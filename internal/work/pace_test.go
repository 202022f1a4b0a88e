package work_test

import (
	"fmt"
	"testing"

	"recado/internal/store"
	"recado/internal/store/storetest"
	"recado/internal/testkit"
	"recado/internal/whatsapp"
	"recado/internal/whatsapp/simulator"
	"recado/internal/work"
)

func TestANumberSendsAtTheRateThatMetaGivesIt(t *testing.T) {
	sim := simulator.New(simulator.Options{Token: "t", Numbers: []simulator.Number{
		{ID: "1001", Phone: "551130001001", HighThroughput: true}, {ID: "1002", Phone: "551130001002"},
	}})
	graph := work.NewGraph(testkit.Serve(t, sim))
	t.Cleanup(sim.Close)
	t.Cleanup(graph.Close)
	storetest.Each(t, func(t *testing.T, open func() *store.Store) {
		b := newBureau(t, open())
		provider := &work.WhatsApp{Desk: b.nodes[0].System(), Graph: graph}
		for number, rate := range map[string]int{"1001": whatsapp.HighRate, "1002": whatsapp.StandardRate} {
			channel := b.channel(t, number)
			asked := sim.Calls("number")
			if _, err := provider.For(t.Context(), channel); err != nil {
				t.Fatal(err)
			}
			testkit.Eventually(t, fmt.Sprintf("%s may send %d messages at once", number, rate/10), func() bool {
				free, _ := provider.Free(channel)
				return sim.Calls("number") > asked && free == rate/10
			})
		}
	})
}
