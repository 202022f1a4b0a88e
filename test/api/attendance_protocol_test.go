package api_test

import (
	"strconv"
	"testing"
	"time"

	"recado/internal/channels"
	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/test/servertest"
	"recado/test/testkit"
)

func TestAPrivateChannelLeavesNoGapInTheProtocolNumbers(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		operator, err := w.Desk.People.Operator(t.Context(), w.A.ID)
		if err != nil {
			t.Fatal(err)
		}
		ids := map[bool]kernel.ID{}
		for _, private := range []bool{false, true} {
			made, err := w.Desk.Channels.CreateChannel(t.Context(), operator, channels.NewChannel{
				Name: "Number " + strconv.FormatBool(private), Phone: "+55113003000" + strconv.Itoa(len(ids)), Provider: channels.ProviderSandbox, Private: private,
			})
			if err != nil {
				t.Fatal(err)
			}
			ids[private] = made.ID
		}
		for i, private := range []bool{false, true, false, true, false} {
			err := w.Desk.Talk.Receive(t.Context(), w.A.ID, ids[private], []provider.Incoming{{Message: &provider.IncomingMessage{
				ExternalID: "m" + strconv.Itoa(i), Type: provider.TypeText, Text: "oi", At: time.Now(), Customer: provider.Person{Phone: "+551191234000" + strconv.Itoa(i)},
			}}})
			if err != nil {
				t.Fatal(err)
			}
		}
		list := w.A.Get(t, "/attendances").OK(200)
		for i, want := range []string{"ATD-000003", "ATD-000002", "ATD-000001"} {
			if got := list.Text("data", i, "protocol"); got != want {
				t.Errorf("data.%d.protocol: got %q, want %q", i, got, want)
			}
		}
		testkit.Equal(t, "number of attendances", len(list.List()), 3)
	})
}
