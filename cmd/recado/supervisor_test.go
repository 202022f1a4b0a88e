package main

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"recado/test/testkit"
)

func TestTheServerTellsSystemdThatItIsReadyAliveAndStopping(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "notify")
	l, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	states := make(chan string, 100)
	go func() {
		defer close(states)
		for buffer := make([]byte, 100); ; {
			n, err := l.Read(buffer)
			if err != nil {
				return
			}
			states <- string(buffer[:n])
		}
	}()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var stderr bytes.Buffer
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, process{
			args:    []string{"serve", "--addr", "127.0.0.1:0", "--data", t.TempDir()},
			environ: []string{"NOTIFY_SOCKET=" + socket, "WATCHDOG_USEC=20000"},
			stdin:   strings.NewReader(""), stdout: &testkit.Output{}, stderr: &stderr,
		})
	}()
	next := func() string {
		state, _ := testkit.Receive(t, "a state", states)
		return state
	}
	testkit.Equal(t, "first state", next(), "READY=1")
	testkit.Equal(t, "second state", next(), "WATCHDOG=1")
	stop()
	state := next()
	for state == "WATCHDOG=1" {
		state = next()
	}
	testkit.Equal(t, "last state", state, "STOPPING=1")
	code, _ := testkit.Receive(t, "the end", ended)
	testkit.Equal(t, "exit code", code, 0)
}

func TestTheWatchdogIsToldNothingWhileTheServerDoesNotWork(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "notify")
	l, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	e := &env{log: slog.New(slog.DiscardHandler), getenv: func(name string) string {
		return map[string]string{"NOTIFY_SOCKET": socket, "WATCHDOG_USEC": "2000"}[name]
	}}
	checks := make(chan struct{})
	works := make(chan struct{})
	stop := newSupervisor(e).watch(func(context.Context) error {
		select {
		case <-works:
			return nil
		default:
			checks <- struct{}{}
			return errors.New("the database does not answer")
		}
	})
	defer stop()
	for range 3 {
		testkit.Receive(t, "a check", checks)
	}
	if err := l.SetReadDeadline(time.Now().Add(10 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	buffer := make([]byte, 100)
	if n, err := l.Read(buffer); err == nil {
		t.Errorf("got %s while the server does not work, want nothing", buffer[:n])
	}
	close(works)
	go func() {
		for range checks { // of a check that began before
		}
	}()
	if err := l.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	n, err := l.Read(buffer)
	if err != nil {
		t.Fatal(err)
	}
	testkit.Equal(t, "state", string(buffer[:n]), "WATCHDOG=1")
}
