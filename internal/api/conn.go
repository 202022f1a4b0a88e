package api

import (
	"bytes"
	"net"
	"strconv"
	"time"

	"recado/internal/model"
)

// Listener makes net/http's own refusals (malformed requests, oversized headers, strange expectations) answer with the
// Error object: they are written to the connection before any handler runs.
func Listener(l net.Listener) net.Listener { return listener{l} }

type listener struct{ net.Listener }

func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &conn{Conn: c}, nil
}

type conn struct{ net.Conn }

// plainRefusal ends the header of an answer that net/http made up by itself.
var plainRefusal = []byte("\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n")

func (c *conn) Write(b []byte) (int, error) {
	if !isRefusal(b) {
		return c.Conn.Write(b)
	}
	if _, err := c.Conn.Write(refusalAnswer(b)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// isRefusal reports whether net/http itself says no. It answers 417 without a body; no handler here does.
func isRefusal(b []byte) bool {
	if !bytes.HasPrefix(b, []byte("HTTP/1.1 4")) && !bytes.HasPrefix(b, []byte("HTTP/1.1 5")) {
		return false
	}
	return bytes.Contains(b[:min(len(b), 256)], plainRefusal) || bytes.HasPrefix(b, expectationFailed)
}

var expectationFailed = []byte("HTTP/1.1 417 ")

func refusalAnswer(b []byte) []byte {
	line, _, _ := bytes.Cut(b, []byte("\r\n"))
	e := Error{Code: model.CodeInvalidRequest, Message: "This is not a well-formed HTTP request.", RequestID: model.NewID().String(), Details: []ErrorDetail{}}
	switch {
	case bytes.HasPrefix(line, []byte("HTTP/1.1 431")):
		e.Message = "The request's headers are too large."
	case bytes.HasPrefix(line, []byte("HTTP/1.1 5")), bytes.HasPrefix(line, expectationFailed):
		e.Message = "This kind of HTTP request is not supported."
	}
	body, _ := model.AppendJSON(nil, &e)
	out := append(line, "\r\nContent-Type: application/json\r\nConnection: close\r\nX-Api-Version: "+Version+
		"\r\nX-Request-Id: "+e.RequestID+"\r\nDate: "+time.Now().UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT")+
		"\r\nContent-Length: "+strconv.Itoa(len(body))+"\r\n\r\n"...)
	return append(out, body...)
}
