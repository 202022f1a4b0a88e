package main

import (
	"context"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"time"
)

// supervisor is the service manager that started the process and waits for its state, as systemd does for Type=notify. See sd_notify(3).
type supervisor struct {
	*env
	socket string // "": there is none
}

func newSupervisor(e *env) *supervisor {
	socket := e.getenv("NOTIFY_SOCKET")
	if name, abstract := strings.CutPrefix(socket, "@"); abstract {
		socket = "\x00" + name
	}
	return &supervisor{env: e, socket: socket}
}

// tell sends a state, such as READY=1.
func (s *supervisor) tell(state string) {
	if s.socket == "" {
		return
	}
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: s.socket, Net: "unixgram"})
	if err == nil {
		_, err = conn.Write([]byte(state))
		_ = conn.Close()
	}
	if err != nil {
		s.log.Warn("the service manager was not notified", slog.String("state", state), slog.Any("error", err))
	}
}

// watch tells the supervisor that the server works, twice in the time that WatchdogSec= gives it, until the returned function is called.
// It says nothing while check fails.
func (s *supervisor) watch(check func(ctx context.Context) error) (stop func()) {
	usec, err := strconv.ParseInt(s.getenv("WATCHDOG_USEC"), 10, 64)
	if err != nil || usec <= 0 || s.socket == "" {
		return func() {}
	}
	interval := time.Duration(usec) * time.Microsecond / 2
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
			case <-ctx.Done():
				return
			}
			checking, cancel := context.WithTimeout(ctx, interval)
			err := check(checking)
			cancel()
			switch {
			case err == nil:
				s.tell("WATCHDOG=1")
			case ctx.Err() == nil:
				s.log.Warn("the server does not work, and the service manager is not told that it does", slog.Any("error", err))
			}
		}
	}()
	return stop
}
