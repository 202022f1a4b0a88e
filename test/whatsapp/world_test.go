// Package whatsapp_test tests the WhatsApp connector: a whole server over HTTP, on both engines, with a simulated WhatsApp.
package whatsapp_test

import (
	"context"
	"slices"
	"testing"

	"recado/internal/channels/simulator"
	"recado/internal/server"
	"recado/test/binary"
	"recado/test/servertest"
	"recado/test/testkit"
)

func TestMain(m *testing.M) { binary.Main(m) }

// theNumber is a request body that connects the simulator's number.
const theNumber = `{"name": "Front desk", "provider": "whatsapp", "credentials": {
	"phone_number_id": "` + simulator.DefaultNumberID + `", "waba_id": "` + simulator.DefaultWABAID + `",
	"token": "` + simulator.DefaultToken + `", "app_secret": "` + simulator.DefaultAppSecret + `"}}`

// each runs a test on both engines, each with its own simulated WhatsApp. It runs in parallel with other tests, because
// most of the time is spent waiting.
func each(t *testing.T, options simulator.Options, body func(t *testing.T, w *servertest.World, sim *simulator.Simulator), more ...servertest.Option) {
	t.Helper()
	t.Parallel()
	var sim *simulator.Simulator
	withWhatsApp := func(c *server.Config) { sim, c.WhatsAppBaseURL = startSimulator(t, options) }
	servertest.Each(t, func(t *testing.T, w *servertest.World) { body(t, w, sim) }, append(more, withWhatsApp)...)
}

// startSimulator starts a simulated WhatsApp for the duration of the test and returns its URL.
func startSimulator(t *testing.T, options simulator.Options) (*simulator.Simulator, string) {
	t.Helper()
	sim := simulator.New(options)
	url := testkit.Serve(t, sim)
	t.Cleanup(sim.Close)
	return sim, url
}

// withGraph makes the server use the simulated WhatsApp at an address.
func withGraph(address string) servertest.Option {
	return func(c *server.Config) { c.WhatsAppBaseURL = address }
}

// shop is company A with the simulator's number connected.
type shop struct {
	*servertest.World
	sim     *simulator.Simulator
	channel string
}

// eachShop is like each, with the number connected.
func eachShop(t *testing.T, options simulator.Options, body func(t *testing.T, s *shop)) {
	t.Helper()
	each(t, options, func(t *testing.T, w *servertest.World, sim *simulator.Simulator) {
		body(t, &shop{World: w, sim: sim, channel: w.A.Post(t, "/channels", theNumber).OK(201).ID()})
	})
}

// customer simulates a message and returns the conversation and the external id of the message.
func (s *shop) customer(t *testing.T, in simulator.Inbound) (conversation, external string) {
	t.Helper()
	ids, err := s.sim.Receive(in)
	must(t, err)
	drain(t, s.sim)
	return s.conversationOf(t, ids[0]), ids[0]
}

// conversationOf returns the conversation with a message with this external id on its newest page.
func (s *shop) conversationOf(t *testing.T, external string) string {
	t.Helper()
	for _, c := range s.A.Get(t, "/conversations?limit=100").OK(200).List() {
		id := c.(map[string]any)["id"].(string)
		if s.find(t, id, external) != nil {
			return id
		}
	}
	t.Fatalf("no conversation has the message %s", external)
	return ""
}

// messages returns the newest page of a conversation, oldest first.
func (s *shop) messages(t *testing.T, conversation string) []map[string]any {
	t.Helper()
	var out []map[string]any
	for _, m := range s.A.Get(t, "/conversations/"+conversation+"/messages?limit=100").OK(200).List() {
		out = append(out, m.(map[string]any))
	}
	slices.Reverse(out)
	return out
}

func (s *shop) find(t *testing.T, conversation, external string) map[string]any {
	t.Helper()
	for _, m := range s.messages(t, conversation) {
		if m["external_id"] == external {
			return m
		}
	}
	return nil
}

// callback returns the callback URL of the number.
func (s *shop) callback() string { return s.URL + "/channels/" + s.channel + "/whatsapp" }

// must fails the test if err is not nil.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// drain waits until the server has responded to every callback.
func drain(t *testing.T, sim *simulator.Simulator) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testkit.Patience)
	defer cancel()
	must(t, sim.Drain(ctx))
}
