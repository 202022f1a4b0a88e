package api

import (
	"context"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"recado/internal/model"
)

// Serve is server.Serve, except that net/http's own refusals (malformed requests, oversized headers,
// unknown expectations) are answered with the Error object. net/http writes them to the connection
// without calling a handler, so they can only be replaced on the connection itself.
//
// An answer of a handler is never replaced, whatever its bytes are. A connection replaces a write only
// while it waits for a request: from the moment it is new, or net/http has reported it idle, until the
// handler is called. net/http reports a connection idle after it has written the last byte of an answer,
// and calls the hook and the handler on the one goroutine that serves the connection. So no part of an
// answer can be written in that state, and the only write that is made in it is a refusal. After a
// refusal net/http closes the connection.
func Serve(server *http.Server, l net.Listener) error {
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
	return server.Serve(listener{l})
}

type connKey struct{}

type listener struct{ net.Listener }

func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok {
		return &conn{TCPConn: tcp}, err
	}
	return c, err
}

// conn embeds the concrete type because net/http looks for CloseWrite: without it, a client that still
// sends when it is refused gets a reset instead of the answer.
type conn struct {
	*net.TCPConn
	waiting atomic.Bool // for a request: no handler has the connection, and no answer is unfinished
}

func (c *conn) Write(b []byte) (int, error) {
	if !c.waiting.Load() {
		return c.TCPConn.Write(b)
	}
	if _, err := c.TCPConn.Write(refusalAnswer(refusalStatus(b))); err != nil {
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

func refusalAnswer(status int) []byte {
	e := Error{Code: model.CodeInvalidRequest, Message: "This is not a well-formed HTTP request.", RequestID: model.NewID().String(), Details: []ErrorDetail{}}
	switch {
	case status == http.StatusRequestHeaderFieldsTooLarge:
		e.Message = "The request's headers are too large."
	case status >= 500 || status == http.StatusExpectationFailed:
		e.Message = "This kind of HTTP request is not supported."
	}
	body, _ := model.AppendJSON(nil, &e)
	head := "HTTP/1.1 " + strconv.Itoa(status) + " " + http.StatusText(status) +
		"\r\nContent-Type: application/json\r\nConnection: close" +
		"\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff" +
		"\r\nX-Api-Version: " + Version + "\r\nX-Request-Id: " + e.RequestID +
		"\r\nDate: " + time.Now().UTC().Format(http.TimeFormat) +
		"\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n"
	return append([]byte(head), body...)
}
