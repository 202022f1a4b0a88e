package main

import (
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

// watch tells the supervisor that the process is alive, twice in the time that WatchdogSec= gives it, until the returned function is called.
func (s *supervisor) watch() (stop func()) {
	usec, err := strconv.ParseInt(s.getenv("WATCHDOG_USEC"), 10, 64)
	if err != nil || usec <= 0 || s.socket == "" {
		return func() {}
	}
	ticker, done := time.NewTicker(time.Duration(usec)*time.Microsecond/2), make(chan struct{})
	go func() {
		for {
			select {
			case <-ticker.C:
				s.tell("WATCHDOG=1")
			case <-done:
				ticker.Stop()
				return
			}
		}
	}()
	return func() { close(done) }
}
