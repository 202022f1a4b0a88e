package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"recado/bench/load"
	"recado/test/binary"
	"recado/test/testkit"
)

// The test binary is also the bare handler and a fake server.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && (os.Args[1] == "bare" || os.Args[1] == "serve") {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		defer stop()
		var err error
		if os.Args[1] == "bare" {
			err = run(ctx, os.Args[1:], os.Stdin, os.Stdout)
		} else {
			err = fakeServer(ctx, os.Args[2:])
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	binary.Main(m)
}

func TestRun(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}

	t.Run("compares the server with a bare handler and leaves nothing behind", func(t *testing.T) {
		parent, out := t.TempDir(), filepath.Join(t.TempDir(), "report.md")
		var stdout bytes.Buffer
		err := run(t.Context(), []string{
			"-run", "me", "-seconds", "0.2", "-rounds", "2", "-conns", "4", "-binary", self, "-dir", parent, "-out", out,
		}, nil, &stdout)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"| GET /v1/me ", "| bare handler ", " of bare handler ", "at least 0.50: "} {
			if !strings.Contains(stdout.String(), want) {
				t.Errorf("the report does not contain %q:\n%s", want, stdout.String())
			}
		}
		written, err := os.ReadFile(out)
		if err != nil || !bytes.Equal(written, stdout.Bytes()) {
			t.Errorf("the file differs from what was printed (%v)", err)
		}
		if left, _ := os.ReadDir(parent); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	})

	t.Run("compares writers through the store with the raw engine, on both engines", func(t *testing.T) {
		var stdout bytes.Buffer
		err := run(t.Context(), []string{
			"-engine", "both", "-run", "groupcommit", "-seconds", "0.2", "-rounds", "1", "-conns", "4", "-dir", t.TempDir(),
		}, nil, &stdout)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"| sqlite ", "| postgres ", " of raw engine, 4 rows a commit ", " of raw engine, 4 writers "} {
			if !strings.Contains(stdout.String(), want) {
				t.Errorf("the report does not contain %q:\n%s", want, stdout.String())
			}
		}
	})

	t.Run("shows why the server did not start", func(t *testing.T) {
		t.Setenv("FAKE_SERVER_FAILS", "yes")
		err := run(t.Context(), []string{"-run", "me", "-binary", self, "-dir", t.TempDir()}, nil, &bytes.Buffer{})
		if err == nil || !strings.Contains(err.Error(), "the fake server fails") {
			t.Error(err)
		}
	})

	t.Run("rejects invalid flags", func(t *testing.T) {
		t.Setenv("RECADO_TEST_POSTGRES", "")
		for _, args := range [][]string{
			{"-engine", "oracle"},
			{"-engine", "postgres"},
			{"-run", "("},
			{"-run", "nothing"},
			{"-conns", "0"},
			{"stray"},
		} {
			if err := run(t.Context(), args, nil, &bytes.Buffer{}); err == nil || errors.Is(err, flag.ErrHelp) {
				t.Errorf("%v: got %v, want an error", args, err)
			}
		}
	})
}

func TestTheBareHandlerRepeatsTheResponse(t *testing.T) {
	b := &bench{settings: &settings{parent: t.TempDir()}}
	defer b.close()
	same := &response{
		Status: http.StatusOK, Body: []byte(`{"a":1}`),
		Header: http.Header{"Content-Type": {"application/json"}, "X-Api-Version": {"1.1.0"}},
	}
	_, address, err := b.bare(same)
	if err != nil {
		t.Fatal(err)
	}
	s := &testServer{address: address, demo: demo{Companies: []company{{APIKey: "rcd_key"}}}}
	got, err := capture(t.Context(), s, "/v1/me")
	if err != nil {
		t.Fatal(err)
	}
	if string(got.Body) != string(same.Body) || fmt.Sprint(got.Header) != fmt.Sprint(same.Header) {
		t.Errorf("got %v %s", got.Header, got.Body)
	}
}

func TestCompare(t *testing.T) {
	var turns []string
	measured := func(name string, requests int) contender {
		return contender{name: name, round: func(context.Context, time.Duration) (*load.Result, error) {
			turns = append(turns, name)
			return &load.Result{Requests: requests, Elapsed: time.Second}, nil
		}}
	}
	b := &bench{settings: &settings{total: 3 * time.Second, rounds: 3}, report: newReport(nil)}
	outcomes, err := b.compare(t.Context(), measured("a", 100), measured("b", 400))
	if err != nil {
		t.Fatal(err)
	}

	t.Run("warms up, then takes turns in alternating order", func(t *testing.T) {
		if got := strings.Join(turns, " "); got != "a b a b b a a b" {
			t.Errorf("got %q, want a b a b b a a b", got)
		}
	})
	t.Run("returns the ratio of the rounds", func(t *testing.T) {
		if got := outcomes[0].ratio(&outcomes[1]); got != 0.25 {
			t.Errorf("got %v, want 0.25", got)
		}
	})
	t.Run("reports missed goals", func(t *testing.T) {
		b.scenario, b.engine = "tried", "sqlite"
		b.add(0.5, outcomes[0], outcomes[1])
		b.addMemory("small", 1<<20, 2<<20)
		if got := b.report.missed(); len(got) != 1 || got[0] != "tried on sqlite" {
			t.Errorf("got %q, want tried on sqlite", got)
		}
	})
	t.Run("fails when nothing succeeded", func(t *testing.T) {
		if _, err := b.compare(t.Context(), measured("none", 0)); err == nil {
			t.Error("no error")
		}
	})
}

func TestAStallInOneRoundDoesNotAffectTheRatioOfP99s(t *testing.T) {
	alone := outcome{p99s: []time.Duration{2, 900, 2, 2, 2}}
	attacked := outcome{p99s: []time.Duration{5, 5, 5, 800, 5}}
	testkit.Equal(t, "p99 against alone", attacked.slowness(&alone), 2.5)
}

// fakeServer has what the scenario me needs: readiness, demo.json and one route.
func fakeServer(ctx context.Context, args []string) error {
	if os.Getenv("FAKE_SERVER_FAILS") != "" {
		return errors.New("the fake server fails")
	}
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	address, data := flags.String("addr", "", ""), flags.String("data", "", "")
	flags.Bool("demo", false, "")
	flags.Bool("webhook-allow-insecure", false, "")
	flags.Int("rate", 0, "")
	flags.Int("burst", 0, "")
	if err := flags.Parse(args); err != nil {
		return err
	}
	demo := []byte(`{"companies": [{"id": "1", "api_key": "rcd_key"}]}`)
	if err := os.WriteFile(filepath.Join(*data, "demo.json"), demo, 0o600); err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /readyz", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("GET /v1/me", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer rcd_key" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		fmt.Fprint(w, `{"api_version":"1.1.0"}`)
	})
	server := &http.Server{Addr: *address, Handler: mux, ReadHeaderTimeout: time.Second}
	context.AfterFunc(ctx, func() { server.Close() })
	if err := server.ListenAndServe(); ctx.Err() == nil {
		return err
	}
	return nil
}
