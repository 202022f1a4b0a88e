package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"recado/internal/channels/simulator"
)

type simulateCmd struct {
	Addr     string `default:"127.0.0.1:8090" help:"Address to listen on (${default})." placeholder:"HOST:PORT"`
	Window   string `default:"sync" enum:"sync,async,off" help:"Response to a free-form message outside the 24-hour window: sync for an error, async for a failed status, off for none."`
	Ladder   string `default:"read" enum:"none,sent,delivered,read" help:"Last status that each message reaches automatically."`
	Review   string `default:"approve" enum:"approve,reject,manual" help:"What happens to new templates: approve, reject, or manual to decide with PUT /_control/template-status."`
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
	sim := simulator.New(simulator.Options{Window: c.Window, NoLimits: c.NoLimits, Ladder: ladder, Review: simulator.Review{Mode: c.Review}})
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
	defer context.AfterFunc(e.ctx, func() { _ = server.Close() })()
	return serveUntilClosed(server, l)
}

// healthCmd is for health checks in containers, whose image contains no other program.
type healthCmd struct {
	Addr     string        `default:"127.0.0.1:8080" help:"Address the server listens on (${default})." placeholder:"HOST:PORT"`
	BasePath string        `name:"base-path" help:"Sub-path the server is served under." placeholder:"PATH"`
	Timeout  time.Duration `noenv:"" default:"4s" help:"How long to wait for a response (${default})."`
}

func (c *healthCmd) Run(e *env) error {
	host, port, err := net.SplitHostPort(c.Addr)
	if err != nil {
		return fmt.Errorf("--addr must be an address such as 127.0.0.1:8080, not %q (%w)", c.Addr, errUsage)
	}
	if host == "" || host == "0.0.0.0" || host == "::" { // the server listens on every address
		host = "127.0.0.1"
	}
	ctx, cancel := context.WithTimeout(e.ctx, c.Timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+c.BasePath+"/readyz", nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return fmt.Errorf("the server does not respond: %w", err)
	}
	var answer struct{ Code, Message string }
	_ = json.NewDecoder(io.LimitReader(resp.Body, 1<<20)).Decode(&answer) // other programs send no such body
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the server is not ready: it returned %s. %s", resp.Status, printable(answer.Message))
	}
	_, err = fmt.Fprintln(e.stdout, "ready")
	return err
}
