package httpserver

import (
	"context"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
)

// Serve is server.Serve with other responses to requests that net/http refuses: malformed requests, oversized headers and
// unknown expectations. net/http writes these responses to the connection without calling a handler, so they can only be
// replaced on the connection.
//
// Responses of handlers are never replaced. A connection replaces a write only while it waits for a request: while it is new or
// idle, until the handler is called. net/http reports a connection as idle after it has written the whole response, in the
// goroutine that calls the handler, so the only write in that state is a refusal. Then net/http closes the connection.
func (s *Server) Serve(server *http.Server, l net.Listener) error {
	handler := server.Handler
	server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, ok := r.Context().Value(connKey{}).(*conn); ok {
			c.waiting.Store(false)
		}
		handler.ServeHTTP(w, r)
	})
	server.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		return context.WithValue(ctx, connKey{}, c)
	}
	server.ConnState = func(c net.Conn, state http.ConnState) {
		if c, ok := c.(*conn); ok && (state == http.StateNew || state == http.StateIdle) {
			c.waiting.Store(true)
		}
	}
	return server.Serve(listener{l, s})
}

type connKey struct{}

type listener struct {
	net.Listener
	server *Server
}

func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok {
		return &conn{TCPConn: tcp, server: l.server}, err
	}
	return c, err
}

// conn embeds the concrete type because net/http needs CloseWrite: without it, a client that is still sending gets a reset
// instead of the response.
type conn struct {
	*net.TCPConn
	server  *Server
	waiting atomic.Bool // for a request
}

func (c *conn) Write(b []byte) (int, error) {
	if !c.waiting.Load() {
		return c.TCPConn.Write(b)
	}
	if _, err := c.TCPConn.Write(c.server.rejection(refusalStatus(b))); err != nil {
		return 0, err
	}
	return len(b), nil
}

// refusalStatus returns the status of a response of net/http: HTTP/1.1 and three digits.
func refusalStatus(b []byte) int {
	if len(b) >= 12 {
		if status, err := strconv.Atoi(string(b[9:12])); err == nil && http.StatusText(status) != "" {
			return status
		}
	}
	return http.StatusBadRequest
}
