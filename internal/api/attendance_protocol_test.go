package api_test

import (
	"strconv"
	"testing"
	"time"

	"recado/internal/desk"
	"recado/internal/model"
	"recado/internal/servertest"
)

func TestAPrivateChannelLeavesNoGapInTheProtocolNumbers(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		operator, err := w.Desk.System().Operator(t.Context(), w.A.ID)
		if err != nil {
			t.Fatal(err)
		}
		channels := map[bool]model.ID{}
		for _, private := range []bool{false, true} {
			made, err := w.Desk.CreateChannel(t.Context(), operator, desk.NewChannel{
				Name: "Number " + strconv.FormatBool(private), Phone: "+55113003000" + strconv.Itoa(len(channels)), Provider: model.ProviderSandbox, Private: private,
			})
			if err != nil {
				t.Fatal(err)
			}
			channels[private] = made.ID
		}
		for i, private := range []bool{false, true, false, true, false} {
			err := w.Desk.System().Receive(t.Context(), channels[private], []model.Incoming{{Message: &model.IncomingMessage{
				ExternalID: "m" + strconv.Itoa(i), Type: model.TypeText, Text: "oi", At: time.Now(), Customer: model.Person{Phone: "+551191234000" + strconv.Itoa(i)},
			}}})
			if err != nil {
				t.Fatal(err)
			}
		}
		list := w.A.Get(t, "/attendances").OK(200)
		for i, want := range []string{"ATD-000003", "ATD-000002", "ATD-000001"} {
			if got := list.Text("data", i, "protocol"); got != want {
				t.Errorf("%d: %q, want %q", i, got, want)
			}
		}
		if n := len(list.List()); n != 3 {
			t.Errorf("%d attendances", n)
		}
	})
}
