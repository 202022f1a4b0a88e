package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"recado/internal/channels/simulator"
)

type simulateCmd struct {
	Addr     string `default:"127.0.0.1:8090" help:"Address to listen on (${default})." placeholder:"HOST:PORT"`
	Window   string `default:"sync" enum:"sync,async,off" help:"Response to a free-form message outside the 24-hour window: sync for an error, async for a failed status, off for none."`
	Ladder   string `default:"read" enum:"none,sent,delivered,read" help:"Last status that each message reaches automatically."`
	NoLimits bool   `name:"no-limits" help:"Do not enforce WhatsApp's rate limits."`
}

func (c *simulateCmd) Run(e *env) error {
	if err := checkAddress("--addr", c.Addr); err != nil {
		return err
	}
	l, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w", c.Addr, err)
	}
	ladder := simulator.Ladder{Mode: c.Ladder}
	if c.Ladder == "delivered" {
		ladder.Mode = "" // the default is sent and delivered
	}
	sim := simulator.New(simulator.Options{Window: c.Window, NoLimits: c.NoLimits, Ladder: ladder})
	defer sim.Close()
	base := "http://" + l.Addr().String()
	_, err = fmt.Fprintf(e.stdout, `A simulated WhatsApp Cloud API, which sends nothing, is at %[1]s

  recado serve --demo --whatsapp-base-url %[1]s

Connect its number with these credentials:

  phone_number_id  %[2]s
  waba_id          %[3]s
  token            %[4]s
  app_secret       %[5]s

Send a message as a customer:

  curl %[1]s/_control/messages -d '{"customer": "5511912345678", "name": "Marina", "text": "Bom dia!"}'

Show the messages that customers received:

  curl %[1]s/_control/ledger
`, base, simulator.DefaultNumberID, simulator.DefaultWABAID, simulator.DefaultToken, simulator.DefaultAppSecret)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: sim, ReadHeaderTimeout: 5 * time.Second}
	stopped := context.AfterFunc(e.ctx, func() { _ = server.Close() })
	defer stopped()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
