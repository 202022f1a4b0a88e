package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
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

const (
	listenName  = "recado listen"  // of the webhooks that it registers
	listenCalls = 20 * time.Second // timeout of API calls
	listenRetry = time.Second      // before the stream is opened again
)

// register registers a webhook and receives its deliveries until the command ends. If the server cannot reach it, it follows the
// event stream.
func (c *listenCmd) register(e *env, receiver *listener, s *http.Server, l net.Listener) error {
	server := &remote{base: strings.TrimSuffix(c.Server, "/") + "/v1", key: c.Key}
	served := make(chan error, 1)
	go func() { served <- serveUntilClosed(s, l) }()
	own := cmp.Or(c.URL, "http://"+l.Addr().String()+"/")
	// Remove the webhook even if the command is interrupted during registration.
	ctx := context.WithoutCancel(e.ctx)
	id, reason, err := c.reach(ctx, server, receiver, own)
	if err != nil {
		return errors.Join(err, s.Close())
	}
	if id == "" {
		_ = s.Close()
		_, _ = fmt.Fprintf(e.stdout, "Reading the event stream instead: %s\n", reason)
		return c.follow(e, server)
	}
	_, _ = fmt.Fprintf(e.stdout, "Listening for deliveries on %s; the webhook is removed on exit.\n", own)
	err = <-served
	if failed := server.call(ctx, http.MethodDelete, "/integrations/webhooks/"+id, nil, nil); failed != nil {
		return errors.Join(err, fmt.Errorf("the webhook %s was not removed: %w", id, failed))
	}
	_, _ = fmt.Fprintln(e.stdout, "The webhook was removed.")
	return err
}

// reach registers a webhook and tests it. It returns its id, or the reason why the server cannot deliver to this receiver.
func (c *listenCmd) reach(ctx context.Context, server *remote, receiver *listener, own string) (id, reason string, err error) {
	err = server.removeOld(ctx, own)
	if err == nil {
		id, err = c.create(ctx, server, receiver, own)
	}
	if refused, ok := errors.AsType[*refusal](err); ok && slices.Contains([]string{"url_not_allowed", "insufficient_scope", "insufficient_role", "webhook_limit"}, refused.Code) {
		return "", refused.Message, nil
	}
	if err != nil {
		return "", "", err
	}
	err = server.call(ctx, http.MethodPost, "/integrations/webhooks/"+id+"/test", struct{}{}, nil)
	if err == nil && receiver.reached() {
		return id, "", nil
	}
	removed := server.call(ctx, http.MethodDelete, "/integrations/webhooks/"+id, nil, nil)
	return "", "the server did not reach " + own + ".", errors.Join(err, removed)
}

// create registers the webhook. Deliveries wait until the secret is set.
func (c *listenCmd) create(ctx context.Context, server *remote, receiver *listener, own string) (string, error) {
	events := c.Events
	if len(events) == 0 {
		var known struct{ Data []struct{ Name string } }
		if err := server.call(ctx, http.MethodGet, "/integrations/webhooks/events", nil, &known); err != nil {
			return "", err
		}
		for _, event := range known.Data {
			events = append(events, event.Name)
		}
	}
	receiver.mu.Lock()
	defer receiver.mu.Unlock()
	var made struct{ ID, Secret string }
	err := server.call(ctx, http.MethodPost, "/integrations/webhooks", map[string]any{"name": listenName, "url": own, "events": events}, &made)
	receiver.secret = made.Secret
	return made.ID, err
}

// follow prints the events of the stream, and resumes it if the connection is lost.
func (c *listenCmd) follow(e *env, server *remote) error {
	last := ""
	for {
		err := server.stream(e.ctx, &last, c.Events, func(kind, data string) {
			_, _ = fmt.Fprintf(e.stdout, "%s  %s  from the stream\n%s\n", time.Now().Format("15:04:05.000"), printable(kind), printable(data))
		})
		if refused, ok := errors.AsType[*refusal](err); ok && refused.status < 500 && refused.status != http.StatusTooManyRequests {
			return err
		}
		select {
		case <-e.ctx.Done():
			return nil
		case <-time.After(listenRetry):
		}
	}
}

// remote is a client of the API with a key.
type remote struct{ base, key string }

// refusal is an error response of the API.
type refusal struct {
	status  int
	Code    string
	Message string
}

func (r *refusal) Error() string {
	if r.Message == "" {
		return fmt.Sprintf("the server returned status %d", r.status)
	}
	return r.Message
}

// removeOld removes a webhook with the same address that a killed run has left behind.
func (s *remote) removeOld(ctx context.Context, own string) error {
	var webhooks struct {
		Data []struct{ ID, Name, URL string }
	}
	if err := s.call(ctx, http.MethodGet, "/integrations/webhooks", nil, &webhooks); err != nil {
		return err
	}
	for _, w := range webhooks.Data {
		if w.Name != listenName || w.URL != own {
			continue
		}
		if err := s.call(ctx, http.MethodDelete, "/integrations/webhooks/"+w.ID, nil, nil); err != nil {
			return err
		}
	}
	return nil
}

func (s *remote) call(ctx context.Context, method, path string, in, out any) error {
	ctx, cancel := context.WithTimeout(ctx, listenCalls)
	defer cancel()
	var body io.Reader
	if method == http.MethodPost {
		raw, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(raw)
	}
	resp, err := s.send(ctx, method, path, body)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if out == nil {
		return nil
	}
	return json.NewDecoder(resp.Body).Decode(out)
}

// send sends a request. It returns a refusal for an error response.
func (s *remote) send(ctx context.Context, method, path string, body io.Reader, headers ...string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, s.base+path, body)
	if err != nil {
		return nil, fmt.Errorf("--server: %v (%w)", err, errUsage)
	}
	r.Header.Set("Authorization", "Bearer "+s.key)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode < 300 {
		return resp, nil
	}
	defer func() { _ = resp.Body.Close() }()
	refused := &refusal{status: resp.StatusCode}
	_ = json.NewDecoder(io.LimitReader(resp.Body, listenBody)).Decode(refused) // other programs send no message
	return nil, refused
}

// stream calls each for the events after last, and updates last, until the connection ends.
func (s *remote) stream(ctx context.Context, last *string, types []string, each func(kind, data string)) error {
	path := "/events/stream"
	if len(types) > 0 {
		path += "?types=" + url.QueryEscape(strings.Join(types, ","))
	}
	headers := []string{"Accept", "text/event-stream"}
	if *last != "" {
		headers = append(headers, "Last-Event-ID", *last)
	}
	resp, err := s.send(ctx, http.MethodGet, path, nil, headers...)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 2*listenBody)
	kind, data := "", ""
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch name {
		case "id":
			*last = value
		case "event":
			kind = value
		case "data":
			data = value
		case "":
			if data != "" {
				each(kind, data)
			}
			kind, data = "", ""
		}
	}
	return lines.Err()
}
