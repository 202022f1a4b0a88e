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

// server is a recado under test, on data of its own.
type servedBy struct {
	*process
	at      place
	address string
	demo    demo
	size    string // of the data it was started on, where that is compared
}

// demo is what the server wrote about the companies it made up: ids and keys to send requests with.
type demo struct {
	Companies []company `json:"companies"`
}

type company struct {
	ID               string   `json:"id"`
	APIKey           string   `json:"api_key"`
	Channel          string   `json:"channel"`
	User             string   `json:"user"`
	Sectors          []string `json:"sectors"`
	Users            []string `json:"users"`
	Labels           []string `json:"labels"`
	Board            string   `json:"board"`
	AttendancesBoard string   `json:"attendances_board"`
}

// place is where a server keeps its data; a server started again there finds what it left.
type place struct {
	folder   string
	database string // empty on SQLite
}

// place makes an empty data folder or database for the scenario's engine.
func (b *bench) place(ctx context.Context) (place, error) {
	folder, err := b.folder()
	if err != nil || b.engine == "sqlite" {
		return place{folder: folder}, err
	}
	database, err := b.freshDatabase(ctx)
	return place{folder: folder, database: database}, err
}

// serve starts the server and returns when it is ready. The rate limit is out of the way: it would measure itself.
func (b *bench) serve(ctx context.Context, at place) (*servedBy, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	args := []string{"serve", "--demo", "--addr", address, "--data", at.folder, "--rate", "1000000", "--burst", "1000000", "--webhook-allow-insecure"}
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
		return nil, fmt.Errorf("%w (make build makes it)", err)
	}
	child.metrics, child.debug = metrics, debug
	s := &servedBy{process: child, at: at, address: address}
	return s, child.await(ctx, func() error {
		if err := ready(ctx, address); err != nil {
			return err
		}
		return s.readDemo(filepath.Join(at.folder, "demo.json"))
	})
}

// fresh is a server on an empty place.
func (b *bench) fresh(ctx context.Context) (*servedBy, error) {
	at, err := b.place(ctx)
	if err != nil {
		return nil, err
	}
	return b.serve(ctx, at)
}

func (s *servedBy) readDemo(name string) error {
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

// bearer is the Authorization value of the first company.
func (s *servedBy) bearer() string { return "Bearer " + s.demo.Companies[0].APIKey }

// call makes one API call as the first company and reads the answer into into, unless that is nil.
func (s *servedBy) call(ctx context.Context, method, path, body string, into any) error {
	return s.callAs(ctx, s.demo.Companies[0].APIKey, method, path, body, into)
}

// callAs is call with any key.
func (s *servedBy) callAs(ctx context.Context, key, method, path, body string, into any) error {
	result, err := load.Run(ctx, load.Plan{Address: s.address, Connections: 1, Count: 1, Request: func(_, _ int, r *load.Request) {
		r.Method, r.Path = method, "/v1"+path
		r.Set("Authorization", "Bearer "+key)
		r.Set("Idempotency-Key", kernel.NewID().String())
		r.Body = append(r.Body, body...)
	}, Check: func(_, _ int, answer *load.Response) error {
		if answer.Status > 299 {
			return fmt.Errorf("%d: %s", answer.Status, answer.Body)
		}
		if into == nil {
			return nil
		}
		return json.Unmarshal(answer.Body, into)
	}})
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
		return fmt.Errorf("/readyz answers %s", response.Status)
	}
	return nil
}

// freeAddress finds a port that is free at this moment.
func freeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}
