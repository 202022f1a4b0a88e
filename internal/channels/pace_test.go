package channels

import (
	"fmt"
	"testing"

	"recado/internal/channels/simulator"
	"recado/internal/channels/whatsapp"
	"recado/internal/kernel"
	"recado/test/testkit"
)

func TestANumberSendsAtTheRateThatMetaGivesIt(t *testing.T) {
	sim := simulator.New(simulator.Options{Token: "t", Numbers: []simulator.Number{
		{ID: "1001", Phone: "551130001001", HighThroughput: true}, {ID: "1002", Phone: "551130001002"},
	}})
	graph := NewGraph(testkit.Serve(t, sim))
	t.Cleanup(sim.Close)
	t.Cleanup(graph.Close)
	eachCompany(t, func(t *testing.T, d *Channels, owner *kernel.Principal) {
		provider := &WhatsApp{Desk: d, Graph: graph}
		for number, rate := range map[string]int{"1001": whatsapp.HighRate, "1002": whatsapp.StandardRate} {
			channel, err := d.CreateChannel(t.Context(), owner, NewChannel{
				Name: number, Provider: ProviderWhatsApp, Access: &Access{PhoneNumberID: number, WABAID: "1", Token: "t", AppSecret: "s"},
			})
			if err != nil {
				t.Fatal(err)
			}
			asked := sim.Calls("number")
			if _, err := provider.For(t.Context(), channel.Company, channel.ID); err != nil {
				t.Fatal(err)
			}
			testkit.Eventually(t, fmt.Sprintf("%s may send %d messages at once", number, rate/10), func() bool {
				free, _ := provider.Free(channel.ID)
				return sim.Calls("number") > asked && free == rate/10
			})
		}
	})
}
