package main

import (
	"bytes"
	"context"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"recado/internal/testkit"
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
