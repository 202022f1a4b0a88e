package main

import (
	"bufio"
	"bytes"
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
	"time"
)

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
	own := c.URL
	if own == "" {
		own = "http://" + l.Addr().String() + "/"
	}
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
	err = server.call(ctx, http.MethodPost, "/integrations/webhooks/"+id+"/test", nil, nil)
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
	body := []byte("{}")
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return err
		}
	}
	var reader io.Reader
	if method == http.MethodPost {
		reader = bytes.NewReader(body)
	}
	resp, err := s.send(ctx, method, path, reader)
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
