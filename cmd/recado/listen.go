package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"recado/internal/signature"
)

// listenCmd is a receiver for trying webhooks out: it verifies and prints what arrives.
type listenCmd struct {
	Addr   string `default:"127.0.0.1:9090" help:"Address to listen on (${default})." placeholder:"HOST:PORT"`
	Secret string `secret:"" help:"The webhook's signing secret; without it nothing is verified." placeholder:"whsec_…"`
	Brand  string `default:"Service" help:"Name in the X-<Brand>-* headers."`
	Status int    `default:"204" help:"Status to answer verified deliveries with, such as 500 to watch retries."`

	SecretFile string `name:"secret-file" help:"File that holds the signing secret." placeholder:"FILE"`
}

func (c *listenCmd) Run(e *env) error {
	switch {
	case c.Secret != "" && !strings.HasPrefix(c.Secret, signature.SecretPrefix):
		return fmt.Errorf("--secret must be the secret as it was shown, beginning with %s (%w)", signature.SecretPrefix, errUsage)
	case c.Status < 200 || c.Status > 599:
		return fmt.Errorf("--status must be between 200 and 599 (%w)", errUsage)
	case !plainHeaderName(c.Brand):
		return fmt.Errorf("--brand must be letters and digits (%w)", errUsage)
	}
	if err := checkAddress("--addr", c.Addr); err != nil {
		return err
	}
	l, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w", c.Addr, err)
	}
	if _, err := fmt.Fprintf(e.stdout, "Listening for deliveries on http://%s/\n", l.Addr()); err != nil {
		return err
	}
	s := &http.Server{
		Handler: &listener{listenCmd: c, out: e.stdout, now: time.Now}, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second,
	}
	stop := context.AfterFunc(e.ctx, func() { _ = s.Close() })
	defer stop()
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// listener answers deliveries and prints a line about each, then its body.
type listener struct {
	*listenCmd
	now func() time.Time

	mu   sync.Mutex // one delivery is printed at a time
	out  io.Writer
	seen map[string]bool // event ids
}

const (
	listenBody = 1 << 20
	listenSeen = 10_000
)

func (l *listener) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, listenBody))
	if err != nil {
		http.Error(w, "the body cannot be read", http.StatusBadRequest)
		return
	}
	verdict, ok := l.verify(r.Header, body)
	status := l.Status
	if !ok {
		status = http.StatusUnauthorized
	}
	w.WriteHeader(status)

	l.mu.Lock()
	defer l.mu.Unlock()
	event := r.Header.Get("webhook-id")
	if l.seen[event] {
		verdict += ", a repeat"
	} else if len(l.seen) < listenSeen {
		if l.seen == nil {
			l.seen = map[string]bool{}
		}
		l.seen[event] = true
	}
	_, _ = fmt.Fprintf(l.out, "%s  %s  event %s  delivery %s  %s\n%s\n", l.now().Format("15:04:05.000"),
		printable(r.Header.Get("X-"+l.Brand+"-Event")), printable(event), printable(r.Header.Get("X-"+l.Brand+"-Delivery")), verdict, printable(string(body)))
}

// verify checks both signatures with the secret.
func (l *listener) verify(h http.Header, body []byte) (verdict string, ok bool) {
	if l.Secret == "" {
		return "not verified: no --secret", true
	}
	name := "X-" + l.Brand
	if err := signature.VerifyService(l.Secret, h.Get(name+"-Signature"), h.Get(name+"-Timestamp"), body, l.now()); err != nil {
		return "REFUSED, " + name + "-Signature: " + err.Error(), false
	}
	err := signature.VerifyStandard(l.Secret, h.Get("webhook-id"), h.Get("webhook-signature"), h.Get("webhook-timestamp"), body, l.now())
	if err != nil {
		return "REFUSED, webhook-signature: " + err.Error(), false
	}
	return "verified", true
}

// printable removes characters with which a sender could move the cursor of the terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return -1
		}
		return r
	}, s)
}
