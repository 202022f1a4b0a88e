// Package whatsapp_test shows the connector at work: a whole server over HTTP, on both engines, against
// a simulated WhatsApp.
package whatsapp_test

import (
	"context"
	"net/http/httptest"
	"testing"
	"time"

	"recado/internal/server"
	"recado/internal/servertest"
	"recado/internal/whatsapp/simulator"
)

// theNumber is what connects the simulator's number.
const theNumber = `{"name": "Front desk", "provider": "whatsapp", "credentials": {
	"phone_number_id": "` + simulator.DefaultNumberID + `", "waba_id": "` + simulator.DefaultWABAID + `",
	"token": "` + simulator.DefaultToken + `", "app_secret": "` + simulator.DefaultAppSecret + `"}}`

// each runs a test on both engines, each time with a WhatsApp of its own.
func each(t *testing.T, options simulator.Options, body func(t *testing.T, w *servertest.World, sim *simulator.Simulator), more ...servertest.Option) {
	t.Helper()
	var sim *simulator.Simulator
	withWhatsApp := func(c *server.Config) { sim, c.WhatsAppBaseURL = startSimulator(t, options) }
	servertest.Each(t, func(t *testing.T, w *servertest.World) { body(t, w, sim) }, append(more, withWhatsApp)...)
}

// startSimulator serves a WhatsApp until the end of the test.
func startSimulator(t *testing.T, options simulator.Options) (*simulator.Simulator, string) {
	t.Helper()
	sim := simulator.New(options)
	graph := httptest.NewServer(sim)
	t.Cleanup(func() {
		sim.Close()
		graph.CloseClientConnections()
		graph.Close()
	})
	return sim, graph.URL
}

// must is for what cannot go wrong.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// drain waits until the server has answered every webhook.
func drain(t *testing.T, sim *simulator.Simulator) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	must(t, sim.Drain(ctx))
}
