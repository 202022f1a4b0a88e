package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"

	"recado/internal/admin"
	"recado/internal/people"
	"recado/internal/server"
)

// demo fills an empty database and prints the addresses and logins. If there are companies, it prints demo.json again.
func (c *serveCmd) demo(e *env, s *server.Server, clock *admin.Clock) error {
	path := filepath.Join(c.Data, "demo.json")
	companies, err := s.Desk.People.Companies(e.ctx)
	if err != nil {
		return err
	}
	if len(companies) > 0 {
		return repeatDemo(e, s, path)
	}
	made, err := admin.Make(context.WithoutCancel(e.ctx), s.Desk, clock, rand.Text())
	if err != nil {
		return fmt.Errorf("the demo could not be created: %w", err)
	}
	made.BaseURL = s.URL + "/v1"
	return writeDemo(e, s, made, path)
}

// repeatDemo prints the demo of an earlier start with the current address.
func repeatDemo(e *env, s *server.Server, path string) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		_, err := fmt.Fprintln(e.stdout, "The database is not empty: no demo was created.")
		return err
	}
	var made admin.Demo
	if err := json.Unmarshal(raw, &made); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	made.BaseURL = s.URL + "/v1"
	return writeDemo(e, s, &made, path)
}

func writeDemo(e *env, s *server.Server, made *admin.Demo, path string) error {
	if at, err := netip.ParseAddrPort(s.Addr()); err == nil && at.Addr().Unmap().IsLoopback() {
		if err := s.API.ShowDemo(e.ctx, people.DemoLogin{Email: made.Login.Email, Password: made.Login.Password}); err != nil {
			return err
		}
	}
	raw, err := json.MarshalIndent(made, "", "  ")
	if err != nil {
		return err
	}
	// The file appears when it is complete, because scripts wait for it.
	if err := os.WriteFile(path+".new", append(raw, '\n'), 0o600); err != nil {
		return err
	}
	if err := os.Rename(path+".new", path); err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.stdout, "Recado is running.\n  address  %s\n  login    %s / %s\n  API key  %s\n  more     %s\n\n  curl -H 'Authorization: Bearer %s' %s/me\n\n",
		strings.TrimSuffix(made.BaseURL, "/v1")+"/", made.Login.Email, made.Login.Password, made.Companies[0].APIKey, path, made.Companies[0].APIKey, made.BaseURL)
	return err
}
