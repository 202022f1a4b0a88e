package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"

	"recado/bench/load"
	"recado/internal/kernel"
)

// testServer is a running server and its data.
type testServer struct {
	*process
	at      location
	address string
	demo    demo
	size    string // of the data, for the report
}

// demo is the content of demo.json.
type demo struct {
	Companies []company `json:"companies"`
}

type company struct {
	ID      string   `json:"id"`
	APIKey  string   `json:"api_key"`
	Channel string   `json:"channel"`
	User    string   `json:"user"`
	Sectors []string `json:"sectors"`
	Labels  []string `json:"labels"`
	Board   string   `json:"board"`
}

// location is the data folder and the database of a server.
type location struct {
	folder   string
	database string // empty on SQLite
}

// newLocation creates an empty data folder and, on PostgreSQL, a database.
func (b *bench) newLocation(ctx context.Context) (location, error) {
	folder, err := b.folder()
	if err != nil || b.engine == "sqlite" {
		return location{folder: folder}, err
	}
	database, err := b.freshDatabase(ctx)
	return location{folder: folder, database: database}, err
}

// serve starts the server without a rate limit and waits until it is ready.
func (b *bench) serve(ctx context.Context, at location) (*testServer, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	args := []string{
		"serve", "--demo", "--addr", address, "--data", at.folder,
		"--rate", "1000000", "--burst", "1000000", "--webhook-allow-insecure",
	}
	if at.database != "" {
		args = append(args, "--database-url", at.database)
	}
	var metrics, debug string
	if b.metered {
		if metrics, err = freeAddress(); err != nil {
			return nil, err
		}
		args = append(args, "--metrics-addr", metrics)
	}
	if b.profiles != "" {
		if debug, err = freeAddress(); err != nil {
			return nil, err
		}
		args = append(args, "--debug-addr", debug)
	}
	binary, err := filepath.Abs(b.binary)
	if err != nil {
		return nil, err
	}
	child, err := b.start(at.folder, exec.Command(binary, append(args, b.arguments...)...))
	if err != nil {
		return nil, fmt.Errorf("%w (run make build)", err)
	}
	child.metrics, child.debug = metrics, debug
	s := &testServer{process: child, at: at, address: address}
	return s, child.await(ctx, func() error {
		if err := ready(ctx, address); err != nil {
			return err
		}
		return s.readDemo(filepath.Join(at.folder, "demo.json"))
	})
}

// fresh starts a server with empty data.
func (b *bench) fresh(ctx context.Context) (*testServer, error) {
	at, err := b.newLocation(ctx)
	if err != nil {
		return nil, err
	}
	return b.serve(ctx, at)
}

func (s *testServer) readDemo(name string) error {
	content, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(content, &s.demo); err != nil {
		return fmt.Errorf("demo.json: %w", err)
	}
	if len(s.demo.Companies) == 0 || s.demo.Companies[0].APIKey == "" {
		return fmt.Errorf("demo.json has no company with a key")
	}
	return nil
}

// bearer returns the Authorization header of the first company.
func (s *testServer) bearer() string { return "Bearer " + s.demo.Companies[0].APIKey }

// call sends one request as the first company and decodes the response into into, unless that is nil.
func (s *testServer) call(ctx context.Context, method, path, body string, into any) error {
	return s.callAs(ctx, s.demo.Companies[0].APIKey, method, path, body, into)
}

// callAs is call with any key.
func (s *testServer) callAs(ctx context.Context, key, method, path, body string, into any) error {
	result, err := load.Run(ctx, load.Plan{
		Address: s.address, Connections: 1, Count: 1,
		Request: func(_, _ int, r *load.Request) {
			r.Method, r.Path = method, "/v1"+path
			r.Set("Authorization", "Bearer "+key)
			r.Set("Idempotency-Key", kernel.NewID().String())
			r.Body = append(r.Body, body...)
		},
		Check: func(_, _ int, response *load.Response) error {
			if response.Status > 299 {
				return fmt.Errorf("%d: %s", response.Status, response.Body)
			}
			if into == nil {
				return nil
			}
			return json.Unmarshal(response.Body, into)
		},
	})
	if err != nil {
		return err
	}
	return result.FirstError
}

func ready(ctx context.Context, address string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/readyz", nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("/readyz returns %s", response.Status)
	}
	return nil
}

// freeAddress returns a loopback address with a free port.
func freeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}
