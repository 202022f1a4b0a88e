package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

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
