package whatsapp_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"recado/internal/channels/simulator"
	"recado/test/kerneltest"
	"recado/test/servertest"
	"recado/test/testkit"
)

// wire is a simulated WhatsApp that can be disconnected. While it is, its address refuses connections.
type wire struct {
	t       *testing.T
	address string
	handler http.Handler
	server  *httptest.Server
}

func newWire(t *testing.T, sim *simulator.Simulator) *wire {
	t.Helper()
	w := &wire{t: t, address: testkit.FreeAddress(t), handler: sim}
	w.mend()
	t.Cleanup(func() { w.cut() })
	return w
}

func (w *wire) mend() {
	w.t.Helper()
	l, err := net.Listen("tcp", w.address)
	must(w.t, err)
	w.server = &httptest.Server{Listener: l, Config: &http.Server{Handler: w.handler}}
	w.server.Start()
}

func (w *wire) cut() {
	w.server.CloseClientConnections()
	w.server.Close()
}

func TestAnOutageOfWhatsAppDelaysMessagesAndLosesNone(t *testing.T) {
	t.Parallel()
	kerneltest.EachURL(t, func(t *testing.T, url string) {
		sim := simulator.New(simulator.Options{})
		t.Cleanup(sim.Close)
		graph := newWire(t, sim)
		w := servertest.Start(t, url, withGraph("http://"+graph.address))
		s := &shop{World: w, sim: sim, channel: w.A.Post(t, "/channels", theNumber).OK(201).ID()}
		conversation, _ := s.customer(t, simulator.Inbound{Customer: "5511912345678", Text: "Oi"})
		other, _ := s.customer(t, simulator.Inbound{Customer: "5511900002222", Text: "Oi"})

		graph.cut()
		var waiting []string
		for _, text := range []string{"um", "dois", "três"} {
			waiting = append(waiting, s.send(t, conversation, `"text": `+quote(text)).OK(201).ID())
		}
		late := s.send(t, other, `"text": "Olá"`).OK(201).ID()
		queued := func() bool {
			for _, id := range append([]string{late}, waiting...) {
				if s.A.Get(t, "/messages/"+id).OK(200).Text("status") != "queued" {
					return false
				}
			}
			return true
		}
		for range 23 {
			s.Clock.Advance(time.Hour)
			if !queued() {
				t.Fatal("got a message that is no longer queued while WhatsApp could not be reached")
			}
		}
		graph.mend()
		for _, id := range append([]string{late}, waiting...) {
			s.await(t, id, "delivered")
		}
		got := sim.Ledger("5511912345678")
		for i, m := range got {
			if found := s.find(t, conversation, m.ID); found == nil || found["id"] != waiting[i] {
				t.Errorf("message %d at WhatsApp: got %v, want them in order", i, found)
			}
		}
		testkit.Equal(t, "messages at WhatsApp", len(got), 3)
		testkit.Equal(t, "messages that WhatsApp got twice", len(sim.Repeated()), 0)

		t.Run("after a day the message fails", func(t *testing.T) {
			graph.cut()
			id := s.send(t, conversation, `"text": "tarde"`).OK(201).ID()
			s.Clock.Advance(25 * time.Hour)
			testkit.Equal(t, "error.code", s.await(t, id, "failed").Text("error", "code"), "unavailable")
		})
	})
}
