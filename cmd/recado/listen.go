package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"recado/internal/webhooks"
)

// listenCmd is a webhook receiver for tests: it verifies and prints deliveries.
type listenCmd struct {
	Addr   string `default:"127.0.0.1:9090" help:"Address to listen on (${default})." placeholder:"HOST:PORT"`
	Secret string `secret:"" help:"Signing secret of a registered webhook; without it, signatures are not verified." placeholder:"whsec_…"`
	Brand  string `default:"Service" help:"Name in the X-<Brand>-* headers."`
	Status int    `default:"204" help:"Status code to return for verified deliveries, such as 500 to observe retries."`

	Key    string   `secret:"" help:"API key with webhooks:manage, used to register a webhook that is removed on exit. If the server cannot reach this receiver, the event stream is read instead." placeholder:"rcd_…"`
	Server string   `default:"http://127.0.0.1:8080" help:"With --key: URL of the server, including its base path (${default})." placeholder:"URL"`
	URL    string   `name:"url" help:"With --key: URL at which the server reaches this receiver; default: http:// and the address." placeholder:"URL"`
	Events []string `help:"With --key: the events to receive; default: all." placeholder:"EVENT,…"`

	SecretFile string `name:"secret-file" help:"File that contains the signing secret." placeholder:"FILE"`
	KeyFile    string `name:"key-file" help:"File that contains the API key." placeholder:"FILE"`
}

func (c *listenCmd) check() error {
	switch {
	case c.Secret != "" && !strings.HasPrefix(c.Secret, webhooks.SigningSecretPrefix):
		return fmt.Errorf("--secret must be the complete secret, starting with %s (%w)", webhooks.SigningSecretPrefix, errUsage)
	case c.Status < 200 || c.Status > 599:
		return fmt.Errorf("--status must be between 200 and 599 (%w)", errUsage)
	case !plainHeaderName(c.Brand):
		return fmt.Errorf("--brand must be letters and digits (%w)", errUsage)
	case c.Key != "" && c.Secret != "":
		return fmt.Errorf("--key registers its own webhook: use either --key or --secret, not both (%w)", errUsage)
	case c.Key == "" && (c.URL != "" || len(c.Events) > 0):
		return fmt.Errorf("--url and --events need --key (%w)", errUsage)
	}
	return checkAddress("--addr", c.Addr)
}

func (c *listenCmd) Run(e *env) error {
	if err := c.check(); err != nil {
		return err
	}
	l, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w", c.Addr, err)
	}
	receiver := &listener{listenCmd: c, out: e.stdout, now: time.Now}
	s := &http.Server{Handler: receiver, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second}
	stop := context.AfterFunc(e.ctx, func() { _ = s.Close() })
	defer stop()
	if c.Key != "" {
		return c.register(e, receiver, s, l)
	}
	if _, err := fmt.Fprintf(e.stdout, "Listening for deliveries on http://%s/\n", l.Addr()); err != nil {
		return errors.Join(err, l.Close())
	}
	return serveUntilClosed(s, l)
}

func serveUntilClosed(s *http.Server, l net.Listener) error {
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// listener handles deliveries and prints a line and the body of each.
type listener struct {
	*listenCmd
	now func() time.Time

	mu     sync.Mutex // serializes the output
	out    io.Writer
	secret string          // of the webhook that was registered with --key
	seen   map[string]bool // event ids
}

const (
	listenBody = 1 << 20
	listenSeen = 10_000
)

func (l *listener) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, listenBody))
	if err != nil {
		http.Error(w, "cannot read the body", http.StatusBadRequest)
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	verdict, ok := l.verify(r.Header, body)
	status := l.Status
	if !ok {
		status = http.StatusUnauthorized
	}
	w.WriteHeader(status)

	event := l.eventID(r.Header, body)
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

// reached reports whether a delivery has arrived.
func (l *listener) reached() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.seen) > 0
}

// eventID returns the id of the event, from a header or from the body.
func (l *listener) eventID(h http.Header, body []byte) string {
	if id := cmp.Or(h.Get("X-"+l.Brand+"-Event-Id"), h.Get("webhook-id")); id != "" {
		return id
	}
	var event struct{ ID string }
	_ = json.Unmarshal(body, &event) // other senders have no id
	return event.ID
}

// verify checks the signature in the X-<Brand>-* headers and, if present, that of Standard Webhooks.
func (l *listener) verify(h http.Header, body []byte) (verdict string, ok bool) {
	secret := l.Secret
	if l.Key != "" {
		secret = l.secret
	}
	if secret == "" {
		return "not verified: no --secret", true
	}
	name := "X-" + l.Brand
	if err := webhooks.VerifyService(secret, h.Get(name+"-Signature"), h.Get(name+"-Timestamp"), body, l.now()); err != nil {
		return "REFUSED, " + name + "-Signature: " + err.Error(), false
	}
	if h.Get("webhook-id") == "" && h.Get("webhook-signature") == "" && h.Get("webhook-timestamp") == "" {
		return "verified", true
	}
	err := webhooks.VerifyStandard(secret, h.Get("webhook-id"), h.Get("webhook-signature"), h.Get("webhook-timestamp"), body, l.now())
	if err != nil {
		return "REFUSED, webhook-signature: " + err.Error(), false
	}
	return "verified", true
}

// printable removes characters that could control the terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return -1
		}
		return r
	}, s)
}
