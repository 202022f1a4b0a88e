package httpserver

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"
)

// serve is server.Serve with other responses to requests that net/http refuses: malformed requests, oversized headers and
// unknown expectations. refuse returns the header and body for a status. net/http writes these responses to the connection
// without calling a handler, so they can only be replaced on the connection.
//
// Responses of handlers are never replaced. A connection replaces a write only while it waits for a request: while it is new or
// idle, until the handler is called. net/http reports a connection as idle after it has written the whole response, in the
// goroutine that calls the handler, so the only write in that state is a refusal. Then net/http closes the connection.
func serve(server *http.Server, l net.Listener, refuse refuseFunc) error {
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
	return server.Serve(listener{l, refuse})
}

type refuseFunc func(status int) (http.Header, []byte)

type connKey struct{}

type listener struct {
	net.Listener
	refuse refuseFunc
}

func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok {
		return &conn{TCPConn: tcp, refuse: l.refuse}, err
	}
	return c, err
}

// conn embeds the concrete type because net/http needs CloseWrite: without it, a client that is still sending gets a reset
// instead of the response.
type conn struct {
	*net.TCPConn
	refuse  refuseFunc
	waiting atomic.Bool // for a request
}

func (c *conn) Write(b []byte) (int, error) {
	if !c.waiting.Load() {
		return c.TCPConn.Write(b)
	}
	if _, err := c.TCPConn.Write(c.refusal(refusalStatus(b))); err != nil {
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

func (c *conn) refusal(status int) []byte {
	header, body := c.refuse(status)
	header.Set("Connection", "close")
	header.Set("Date", time.Now().UTC().Format(http.TimeFormat))
	header.Set("Content-Length", strconv.Itoa(len(body)))
	var b bytes.Buffer
	b.WriteString("HTTP/1.1 " + strconv.Itoa(status) + " " + http.StatusText(status) + "\r\n")
	_ = header.Write(&b) // to memory
	b.WriteString("\r\n")
	b.Write(body)
	return b.Bytes()
}
