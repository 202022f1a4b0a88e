package main

import (
	"context"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"time"
)

// supervisor notifies the service manager of the state of the process, such as systemd with Type=notify; see sd_notify(3).
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

// notify sends a state such as READY=1.
func (s *supervisor) notify(state string) {
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

// watch sends keep-alive notifications, twice per WatchdogSec=, while check succeeds and until the returned function is called.
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
				s.notify("WATCHDOG=1")
			case ctx.Err() == nil:
				s.log.Warn("the server is not ready, so the service manager is not notified", slog.Any("error", err))
			}
		}
	}()
	return stop
}
