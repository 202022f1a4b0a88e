package guard

import (
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestPost(t *testing.T) {
	t.Run("the receiver gets the exact bytes and headers", func(t *testing.T) {
		body := []byte(`{"id":"1"}`)
		got := make(chan *http.Request, 1)
		gotBody := make(chan []byte, 1)
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			b, _ := io.ReadAll(r.Body)
			got <- r
			gotBody <- b
			w.WriteHeader(http.StatusAccepted)
			_, _ = w.Write([]byte("thanks"))
		}))
		defer srv.Close()
		c := New(Options{AllowInsecure: true})
		defer c.Close()

		header := http.Header{"Content-Type": {"application/json"}, "X-Service-Event": {"message.sent"}}
		before := header.Clone()
		res, err := c.Post(t.Context(), srv.URL+"/hook?x=1", header, body)
		if err != nil || res.StatusCode != 202 || string(res.Body) != "thanks" || res.Duration <= 0 {
			t.Errorf("got %+v, %v, want status 202, body thanks and a duration", res, err)
		}
		r := <-got
		if b := <-gotBody; !bytes.Equal(b, body) || r.ContentLength != int64(len(body)) {
			t.Errorf("body %q", b)
		}
		if r.Method != http.MethodPost || r.URL.String() != "/hook?x=1" || r.Header.Get("X-Service-Event") != "message.sent" ||
			r.Header.Get("User-Agent") != "Recado" || r.Header.Get("Accept-Encoding") != "" {
			t.Errorf("got %s %s with %v, want POST /hook?x=1 with the caller's headers", r.Method, r.URL, r.Header)
		}
		if diff := cmp.Diff(before, header); diff != "" {
			t.Errorf("the caller's header changed: %s", diff)
		}
	})

	t.Run("a redirect is a status and is not followed", func(t *testing.T) {
		var followed atomic.Int32
		inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { followed.Add(1) }))
		defer inside.Close()
		for _, status := range []int{301, 302, 303, 307, 308} {
			srv := httptest.NewServer(http.RedirectHandler(inside.URL, status))
			c := New(Options{AllowInsecure: true})
			res, err := c.Post(t.Context(), srv.URL, nil, []byte("{}"))
			if err != nil || res.StatusCode != status {
				t.Errorf("got status %d, %v, want %d", res.StatusCode, err, status)
			}
			c.Close()
			srv.Close()
		}
		if n := followed.Load(); n != 0 {
			t.Errorf("followed %d times", n)
		}
	})

	t.Run("a connection is reused after a small response and closed after a large one", func(t *testing.T) {
		var opened atomic.Int32
		srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = w.Write(make([]byte, r.ContentLength))
		}))
		srv.Config.ConnState = func(_ net.Conn, s http.ConnState) {
			if s == http.StateNew {
				opened.Add(1)
			}
		}
		srv.Start()
		defer srv.Close()
		c := New(Options{AllowInsecure: true})
		defer c.Close()
		for _, step := range []struct {
			size int
			want int32
		}{{0, 1}, {100, 1}, {4096, 1}, {4096, 1}, {9000, 1}, {60_000, 1}, {0, 1}, {100_000, 1}, {0, 2}} {
			res, err := c.Post(t.Context(), srv.URL, nil, make([]byte, step.size))
			if (err != nil) != (step.size > maxDrainBytes) || len(res.Body) != min(step.size, 4096) {
				t.Fatalf("%d: got %d bytes, %v", step.size, len(res.Body), err)
			}
			if n := opened.Load(); n != step.want {
				t.Errorf("connections after a response of %d bytes: got %d, want %d", step.size, n, step.want)
			}
		}
	})

	t.Run("the certificate is checked against the name in the address", func(t *testing.T) {
		srv := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, r.TLS.ServerName+" "+r.Proto)
		}))
		srv.Config.ErrorLog = log.New(io.Discard, "", 0)
		defer srv.Close()
		roots := x509.NewCertPool()
		roots.AddCert(srv.Certificate())
		toServer := func(o Options) *Client {
			c := New(o)
			c.transport.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
				return new(net.Dialer).DialContext(ctx, network, srv.Listener.Addr().String())
			}
			t.Cleanup(c.Close)
			return c
		}
		trusted := toServer(Options{RootCAs: roots})
		res, err := trusted.Post(t.Context(), "https://example.com/", nil, nil)
		if err != nil || string(res.Body) != "example.com HTTP/1.1" {
			t.Errorf("got %q, %v, want example.com HTTP/1.1", res.Body, err)
		}
		if _, err := trusted.Post(t.Context(), "https://example.net/", nil, nil); text(err) != "tls: the certificate is for another name" {
			t.Error(err)
		}
		_, err = toServer(Options{}).Post(t.Context(), "https://example.com/", nil, nil)
		if text(err) != "tls: the certificate is signed by an unknown authority" {
			t.Error(err)
		}
	})

	t.Run("a cancelled request is not a timeout", func(t *testing.T) {
		arrived := make(chan struct{})
		url := receiver(t, func(conn net.Conn) {
			close(arrived)
			_, _ = io.Copy(io.Discard, conn)
		})
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-arrived
			cancel()
		}()
		_, err := New(Options{AllowInsecure: true}).Post(ctx, url, nil, nil)
		if kind(err) != KindCancelled || !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

func TestHostileReceivers(t *testing.T) {
	const deadline = 3 * time.Second
	chunk := strings.Repeat("x", 1<<16)
	for _, test := range []struct {
		name   string
		act    func(net.Conn)
		status int
		want   string
	}{
		{
			"no response ends at the deadline",
			func(c net.Conn) { _, _ = io.Copy(io.Discard, c) },
			0, "timeout: no complete response in time",
		},
		{
			"a slow header ends at the deadline",
			func(c net.Conn) { drip(c, "HTTP/1.1 200 OK\r\nX-Slow: ") },
			0, "timeout: no complete response in time",
		},
		{
			"a slow body ends at the deadline with its status",
			func(c net.Conn) { drip(c, "HTTP/1.1 200 OK\r\nContent-Length: 4000\r\n\r\n") },
			200, "timeout: no complete response in time",
		},
		{
			"a stalled body ends at the deadline",
			func(c net.Conn) {
				_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
				_, _ = io.Copy(io.Discard, c)
			},
			200, "timeout: no complete response in time",
		},
		{
			"a gigabyte is cut off with its status",
			func(c net.Conn) {
				_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n")
				flood(c, chunk)
			},
			200, "answer too large: more than 64 KiB",
		},
		{
			"an endless chunked body is cut off with its status",
			func(c net.Conn) {
				_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
				flood(c, fmt.Sprintf("%x\r\n%s\r\n", len(chunk), chunk))
			},
			200, "answer too large: more than 64 KiB",
		},
		{
			"a page of 60 KiB is read completely",
			func(c net.Conn) {
				_, _ = fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", 60<<10, strings.Repeat("x", 60<<10))
			},
			200, "",
		},
		{
			"an endless header is cut off",
			func(c net.Conn) {
				_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n")
				flood(c, "X-Filler: "+chunk[:1000]+"\r\n")
			},
			0, "header too large: more than 16 KiB of header",
		},
		{
			"an endless header line is cut off",
			func(c net.Conn) {
				_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nX-Filler: ")
				flood(c, chunk)
			},
			0, "header too large: more than 16 KiB of header",
		},
		{
			"endless interim responses are cut off",
			func(c net.Conn) { flood(c, "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n") },
			0, "*",
		},
		{
			"switching protocols returns no body",
			func(c net.Conn) {
				_, _ = io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
				_, _ = io.Copy(io.Discard, c)
			},
			101, "",
		},
		{
			"a compressed response is not decompressed",
			func(c net.Conn) {
				_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nxyz")
			},
			200, "",
		},
		{
			"another protocol is a bad answer",
			func(c net.Conn) { _, _ = io.WriteString(c, "220 mail.example.com ESMTP\r\n") },
			0, "bad answer: not an HTTP response",
		},
		{
			"a connection closed before the response has failed",
			func(net.Conn) {},
			0, "connection failed: the connection was lost",
		},
		{
			"a response without a body is complete",
			func(c net.Conn) { _, _ = io.WriteString(c, "HTTP/1.1 204 OK\r\n\r\n") },
			204, "",
		},
		{
			"a response that is too short has failed with its status",
			func(c net.Conn) { _, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc") },
			200, "connection failed: the connection was lost",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := New(Options{AllowInsecure: true, Timeout: deadline})
			defer c.Close()
			res, err := c.Post(t.Context(), receiver(t, test.act), nil, []byte("{}"))
			if res.StatusCode != test.status || test.want != "*" && text(err) != test.want || test.want == "*" && err == nil {
				t.Errorf("status %d, %v; want %d, %q", res.StatusCode, err, test.status, test.want)
			}
			if res.Duration > deadline+30*time.Second || len(res.Body) > maxBodyBytes {
				t.Errorf("took %v and %d bytes", res.Duration, len(res.Body))
			}
		})
	}

	t.Run("a closed port has a clear error", func(t *testing.T) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		l.Close()
		_, err = New(Options{AllowInsecure: true}).Post(t.Context(), "http://"+l.Addr().String(), nil, nil)
		if text(err) != "connection failed: the connection was refused" {
			t.Error(err)
		}
	})

	t.Run("a receiver without TLS has a clear error", func(t *testing.T) {
		url := receiver(t, func(c net.Conn) { _, _ = io.WriteString(c, "SSH-2.0-OpenSSH\r\n") })
		_, err := New(Options{AllowInsecure: true}).Post(t.Context(), strings.Replace(url, "http:", "https:", 1), nil, nil)
		if text(err) != "tls: the receiver does not speak TLS" {
			t.Error(err)
		}
	})
}

// receiver listens on loopback, reads each request, calls act and closes the connection.
func receiver(t *testing.T, act func(net.Conn)) (url string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				if _, err := conn.Read(make([]byte, 4096)); err == nil {
					_ = conn.SetWriteDeadline(time.Now().Add(10 * time.Second))
					act(conn)
				}
			}()
		}
	}()
	return "http://" + l.Addr().String() + "/"
}

// drip sends the beginning and then a byte every few milliseconds until the connection is closed.
func drip(c net.Conn, beginning string) {
	_, err := io.WriteString(c, beginning)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for err == nil {
		<-tick.C
		_, err = io.WriteString(c, "x")
	}
}

// flood repeats text until the connection is closed.
func flood(c net.Conn, text string) {
	var err error
	for err == nil {
		_, err = io.WriteString(c, text)
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
