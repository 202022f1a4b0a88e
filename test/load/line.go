package load

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/channels/simulator"
	"recado/internal/kernel"
	"recado/test/testkit"
)

// Line is a simulated WhatsApp account connected to a server, with one conversation per customer.
type Line struct {
	sim           *simulator.Simulator
	api           API
	key           string
	conversations []string

	mu       sync.Mutex
	accepted []string // ids of messages with a 201
	next     atomic.Int64
}

// OpenLine connects the numbers and receives one message from each customer, distributed over the numbers.
func OpenLine(t *testing.T, sim *simulator.Simulator, numbers []simulator.Number, api API, key string, customers int) *Line {
	t.Helper()
	l := &Line{sim: sim, api: api, key: key}
	for i, n := range numbers {
		var channel struct {
			ID      string
			Warning *provider.Reason
		}
		credentials := map[string]any{
			"phone_number_id": n.ID, "waba_id": simulator.DefaultWABAID,
			"token": simulator.DefaultToken, "app_secret": simulator.DefaultAppSecret,
		}
		l.must(t, "POST", "/channels", map[string]any{
			"name": fmt.Sprintf("Number %d", i), "provider": "whatsapp", "credentials": credentials,
		}, &channel)
		if channel.Warning != nil {
			t.Fatal(channel.Warning.Message)
		}
		for c := i; c < customers; c += len(numbers) {
			in := simulator.Inbound{Number: n.ID, Customer: fmt.Sprintf("55119%08d", 70000000+c), Text: "oi"}
			if _, err := sim.Receive(in); err != nil {
				t.Fatal(err)
			}
		}
		l.drain(t)
		l.findConversations(t, channel.ID)
	}
	if len(l.conversations) != customers {
		t.Fatalf("conversations: got %d, want %d", len(l.conversations), customers)
	}
	return l
}

func (l *Line) findConversations(t *testing.T, channel string) {
	t.Helper()
	for offset, more := 0, true; more; offset += 100 {
		var page struct {
			Data    []struct{ ID string }
			HasMore bool `json:"has_more"`
		}
		l.must(t, "GET", fmt.Sprintf("/conversations?channel=%s&limit=100&offset=%d", url.QueryEscape(channel), offset), nil, &page)
		for _, c := range page.Data {
			l.conversations = append(l.conversations, c.ID)
		}
		more = page.HasMore
	}
}

// SendAll sends messages to one conversation after the other, each until it is accepted, until there are total messages
// or stop is closed. With a pace, each worker starts one message per interval.
func (l *Line) SendAll(t *testing.T, workers, total int, pace time.Duration, stop <-chan struct{}) {
	t.Helper()
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			tick := time.NewTicker(max(pace, time.Nanosecond))
			defer tick.Stop()
			for n := int(l.next.Add(1)) - 1; n < total; n = int(l.next.Add(1)) - 1 {
				select {
				case <-stop:
					return
				case <-tick.C:
				}
				id, err := l.send(l.conversations[n%len(l.conversations)], n)
				if err != nil {
					t.Error(err)
					return
				}
				l.mu.Lock()
				l.accepted = append(l.accepted, id)
				l.mu.Unlock()
			}
		})
	}
	all.Wait()
}

// Accepted returns the number of messages with a 201.
func (l *Line) Accepted() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.accepted)
}

// send sends one message. It retries with the same client id while the server is down.
func (l *Line) send(conversation string, n int) (string, error) {
	body := map[string]any{"client_id": kernel.NewID().String(), "text": fmt.Sprintf("Mensagem %d", n)}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(2 * time.Minute); ; <-tick.C {
		var m message
		a, ok := l.call("POST", "/conversations/"+conversation+"/messages", body, &m)
		switch {
		case ok && a.Status == http.StatusCreated:
			return m.ID, nil
		case ok && a.Status < 500:
			return "", fmt.Errorf("a message was rejected: %d %s", a.Status, a.Body)
		case time.Now().After(end):
			return "", fmt.Errorf("the server did not come back: %d %s", a.Status, a.Body)
		}
	}
}

type message struct {
	ID     string
	Status string
	Error  *provider.Reason
}

// Verify waits until the queue is empty and every status has arrived. It fails the test unless each message was sent at
// most once, sent messages are delivered, and the others failed with a reason. It returns the counts.
func (l *Line) Verify(t *testing.T) (delivered int, failed map[string]int) {
	t.Helper()
	messages := l.waitFinal(t)
	if repeated := l.sim.Repeated(); len(repeated) != 0 {
		t.Errorf("%d messages were sent more than once: %v", len(repeated), repeated)
	}
	sent := map[string]bool{}
	accepted := l.sim.Ledger("")
	for _, a := range accepted {
		sent[a.ClientID] = true
		if got := messages[a.ClientID]; got.Status != "delivered" {
			t.Errorf("%s was delivered and has the status %q (%v)", a.ClientID, got.Status, got.Error)
		}
	}
	failed = map[string]int{}
	for id, got := range messages {
		switch {
		case got.Status == "failed" && got.Error != nil && got.Error.Code != "":
			failed[got.Error.Code]++
		case got.Status == "failed":
			t.Errorf("%s failed without a reason", id)
		case !sent[id]:
			t.Errorf("%s has the status %s, but was not sent", id, got.Status)
		}
	}
	return len(accepted), failed
}

func (l *Line) waitFinal(t *testing.T) map[string]message {
	t.Helper()
	l.mu.Lock()
	ids := l.accepted
	l.mu.Unlock()
	final := map[string]message{}
	allFinal := func() bool {
		for _, id := range ids {
			if _, ok := final[id]; ok {
				continue
			}
			var m message
			if a, ok := l.call("GET", "/messages/"+id, nil, &m); !ok || a.Status != http.StatusOK || m.Status == "queued" {
				return false
			}
			final[id] = m
		}
		return true
	}
	testkit.EventuallyWithin(t, 5*time.Minute, "the queue is empty", allFinal)
	l.drain(t)
	clear(final)
	testkit.EventuallyWithin(t, 5*time.Minute, "the final statuses are known", allFinal)
	return final
}

// Failed returns the ids of messages with the status failed.
func (l *Line) Failed(t *testing.T) (ids []string) {
	t.Helper()
	l.mu.Lock()
	accepted := l.accepted
	l.mu.Unlock()
	for _, id := range accepted {
		var m message
		l.must(t, "GET", "/messages/"+id, nil, &m)
		if m.Status == "failed" {
			ids = append(ids, id)
		}
	}
	return ids
}

// drain waits until the server has received every webhook.
func (l *Line) drain(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if err := l.sim.Drain(ctx); err != nil {
		t.Fatal(err)
	}
}

func (l *Line) must(t *testing.T, method, path string, body, out any) {
	t.Helper()
	if a, ok := l.call(method, path, body, out); !ok || a.Status/100 != 2 {
		t.Fatalf("%s %s: %d %s", method, path, a.Status, a.Body)
	}
}

func (l *Line) call(method, path string, body, out any) (Answer, bool) {
	a, ok := l.api.Call(NewRequest(l.key, method, path, body))
	if ok && a.Status/100 == 2 {
		ok = json.Unmarshal(a.Body, out) == nil
	}
	return a, ok
}
