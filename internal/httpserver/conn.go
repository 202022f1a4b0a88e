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

// Serve is server.Serve, except that net/http's own refusals (malformed requests, oversized headers,
// unknown expectations) are answered with the header and body that refuse gives for their status. net/http
// writes them to the connection without calling a handler, so they can only be replaced on the connection
// itself.
//
// An answer of a handler is never replaced, whatever its bytes are. A connection replaces a write only
// while it waits for a request: from the moment it is new, or net/http has reported it idle, until the
// handler is called. net/http reports a connection idle after it has written the last byte of an answer,
// and calls the hook and the handler on the one goroutine that serves the connection. So no part of an
// answer can be written in that state, and the only write that is made in it is a refusal. After a
// refusal net/http closes the connection.
func Serve(server *http.Server, l net.Listener, refuse Refuse) error {
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

// Refuse gives the header and the body of the answer to a request that net/http refuses with a status.
type Refuse func(status int) (http.Header, []byte)

type connKey struct{}

type listener struct {
	net.Listener
	refuse Refuse
}

func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok {
		return &conn{TCPConn: tcp, refuse: l.refuse}, err
	}
	return c, err
}

// conn embeds the concrete type because net/http looks for CloseWrite: without it, a client that still
// sends when it is refused gets a reset instead of the answer.
type conn struct {
	*net.TCPConn
	refuse  Refuse
	waiting atomic.Bool // for a request: no handler has the connection, and no answer is unfinished
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

// refusalStatus reads the status of an answer that net/http made: HTTP/1.1 and three digits.
func refusalStatus(b []byte) int {
	if len(b) >= 12 {
		if status, err := strconv.Atoi(string(b[9:12])); err == nil && http.StatusText(status) != "" {
			return status
		}
	}
	return http.StatusBadRequest
}

// refusal is the whole answer, after which net/http closes the connection.
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
