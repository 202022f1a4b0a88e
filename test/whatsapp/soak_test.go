package whatsapp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"recado/internal/model"
	"recado/internal/store/storetest"
	"recado/internal/whatsapp/simulator"
	"recado/test/binary"
)

// TestSoak sends through a WhatsApp that fails one call in twenty, in every way it is known to fail,
// and kills the server again and again. RECADO_FULL makes it 10,000 messages and 20 kills on each
// engine.
func TestSoak(t *testing.T) {
	plan := soakPlan{customers: 100, each: 10, kills: 4}
	if os.Getenv("RECADO_FULL") != "" {
		plan = soakPlan{customers: 500, each: 20, kills: 20}
	}
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		plan.run(t)
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		// A node that dies keeps its numbers until its lease ends. The second kill of each pair strikes
		// while the next node waits for that.
		plan := plan
		plan.pairs = true
		plan.run(t, "--database-url", storetest.URL(t))
	})
}

type soakPlan struct {
	customers, each, kills int
	pairs                  bool // kill twice in a row
}

// soakFaults leaves out what stops a whole number on purpose: dead tokens, unpaid bills, and limits that
// last for a minute.
var soakFaults = []string{
	"timeout_after_accept", "timeout_before_accept", "reset_after_accept", "reset_before_accept",
	"html_502", "html_502_after_accept", "unknown_500", "unknown_500_after_accept", "overloaded_503",
	"went_wrong_500", "went_wrong_after_accept", "unavailable_500", "throttled_400", "throttled_429",
	"pair_limited", "not_on_whatsapp", "answer_cut_after_accept", "empty_answer_after_accept",
}

// soakNumbers share the load, because each may send 80 messages a second.
const soakNumbers = 4

func (plan soakPlan) run(t *testing.T, args ...string) {
	sim, graph := startSimulator(t, simulator.Options{
		Hold: 300 * time.Millisecond, Delivery: simulator.Delivery{Batch: 50, Parallel: 4}, Numbers: plan.numbers(),
	})
	dir := t.TempDir()
	p := binary.Serve(t, dir, append(args, "--whatsapp-base-url", graph)...)
	desk := &soakDesk{t: t, url: p.URL + "/v1", key: apiKey(t, dir), client: &http.Client{Timeout: 10 * time.Second}}

	conversations := plan.open(t, sim, desk)
	for i, preset := range soakFaults {
		must(t, sim.AddFault(simulator.Fault{Preset: preset, Every: 300 + 11*i}))
	}
	total := len(conversations) * plan.each
	sending := desk.sendAll(conversations, plan.each)
	plan.strike(t, sim, p, total)
	messages := <-sending
	if len(messages) != total {
		t.Fatalf("%d of %d messages were accepted", len(messages), total)
	}
	sim.ClearFaults()
	statuses := desk.settle(sim, messages)

	accepted := sim.Ledger("")
	if repeated := sim.Repeated(); len(repeated) != 0 {
		t.Errorf("%d messages went out more than once: %v", len(repeated), repeated)
	}
	reached := map[string]bool{}
	for _, a := range accepted {
		reached[a.ClientID] = true
		if got := statuses[a.ClientID]; got.Status != "delivered" {
			t.Errorf("%s was taken and delivered, and is called %s (%v)", a.ClientID, got.Status, got.Error)
		}
	}
	failed := map[string]int{}
	for id, got := range statuses {
		switch {
		case got.Status == "failed" && got.Error != nil && got.Error.Code != "":
			failed[got.Error.Code]++
		case got.Status == "failed":
			t.Errorf("%s failed without a reason", id)
		case !reached[id]:
			t.Errorf("%s is called %s, but WhatsApp does not know it", id, got.Status)
		}
	}
	t.Logf("%d messages, %d kills: %d delivered, failed %v", total, plan.kills, len(accepted), failed)
}

func (plan soakPlan) numbers() []simulator.Number {
	out := make([]simulator.Number, soakNumbers)
	for i := range out {
		out[i] = simulator.Number{ID: fmt.Sprintf("20000000000000%d", i+1), Phone: fmt.Sprintf("551190000000%d", i), Name: "Soak"}
	}
	return out
}

// open connects the numbers and has every customer write, so that they may be answered.
func (plan soakPlan) open(t *testing.T, sim *simulator.Simulator, desk *soakDesk) (conversations []string) {
	t.Helper()
	numbers := plan.numbers()
	for i, n := range numbers {
		var channel struct{ ID, Warning string }
		desk.must("POST", "/channels", map[string]any{"name": fmt.Sprintf("Number %d", i), "provider": "whatsapp", "credentials": map[string]any{
			"phone_number_id": n.ID, "waba_id": simulator.DefaultWABAID, "token": simulator.DefaultToken, "app_secret": simulator.DefaultAppSecret,
		}}, &channel)
		if channel.Warning != "" {
			t.Fatal(channel.Warning)
		}
		for c := i; c < plan.customers; c += soakNumbers {
			_, err := sim.Receive(simulator.Inbound{Number: n.ID, Customer: fmt.Sprintf("55119%08d", 70000000+c), Text: "oi"})
			must(t, err)
		}
		drain(t, sim)
		for offset, more := 0, true; more; offset += 100 {
			var page struct {
				Data    []struct{ ID string }
				HasMore bool `json:"has_more"`
			}
			desk.must("GET", fmt.Sprintf("/conversations?channel=%s&limit=100&offset=%d", channel.ID, offset), nil, &page)
			for _, c := range page.Data {
				conversations = append(conversations, c.ID)
			}
			more = page.HasMore
		}
	}
	if len(conversations) != plan.customers {
		t.Fatalf("%d conversations of %d", len(conversations), plan.customers)
	}
	return conversations
}

// strike kills the server whenever another part of the messages has gone out, in the middle of sending.
func (plan soakPlan) strike(t *testing.T, sim *simulator.Simulator, p *binary.Process, total int) {
	t.Helper()
	moments := plan.kills
	if plan.pairs {
		moments /= 2
	}
	for i := range moments {
		waitFor(t, fmt.Sprintf("part %d of the messages", i+1), 5*time.Minute, func() bool {
			return sim.Calls("messages") >= total*(i+1)/(moments+2)
		})
		p.Kill()
		p.Start()
		if plan.pairs {
			p.Kill()
			p.Start()
		}
	}
}

// soakDesk is a client that survives the server.
type soakDesk struct {
	t      *testing.T
	url    string
	key    string
	client *http.Client
}

// soakMessage is what the check at the end needs of a message.
type soakMessage struct {
	ID     string
	Status string
	Error  *model.MessageError
}

// sendAll posts each messages to every conversation, each until it is accepted, and gives their ids.
func (d *soakDesk) sendAll(conversations []string, each int) <-chan []string {
	var mu sync.Mutex
	var ids []string
	var next atomic.Int64
	var workers sync.WaitGroup
	for range 12 {
		workers.Go(func() {
			for n := int(next.Add(1)) - 1; n < len(conversations)*each; n = int(next.Add(1)) - 1 {
				id, err := d.send(conversations[n%len(conversations)], n)
				if err != nil {
					d.t.Error(err)
					return
				}
				mu.Lock()
				ids = append(ids, id)
				mu.Unlock()
			}
		})
	}
	done := make(chan []string, 1)
	go func() {
		workers.Wait()
		done <- ids
	}()
	return done
}

// send posts one message, again and again with the same client id while the server is not there.
func (d *soakDesk) send(conversation string, n int) (string, error) {
	body := map[string]any{"client_id": model.NewID().String(), "text": fmt.Sprintf("Mensagem %d", n)}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(2 * time.Minute); ; <-tick.C {
		var m soakMessage
		status, err := d.call("POST", "/conversations/"+conversation+"/messages", body, &m)
		switch {
		case err == nil && status == 201:
			return m.ID, nil
		case err == nil && status < 500:
			return "", fmt.Errorf("a message was refused with %d", status)
		case time.Now().After(end):
			return "", fmt.Errorf("the server did not come back: %d %w", status, err)
		}
	}
}

// settle waits until no message is queued any more and every status has arrived.
func (d *soakDesk) settle(sim *simulator.Simulator, ids []string) map[string]soakMessage {
	settled := map[string]soakMessage{}
	look := func() bool {
		for _, id := range ids {
			if _, known := settled[id]; known {
				continue
			}
			var m soakMessage
			if status, err := d.call("GET", "/messages/"+id, nil, &m); err != nil || status != 200 || m.Status == "queued" {
				return false
			}
			settled[id] = m
		}
		return true
	}
	waitFor(d.t, "the end of the queue", 5*time.Minute, look)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	must(d.t, sim.Drain(ctx))
	clear(settled)
	waitFor(d.t, "the final statuses", time.Minute, look)
	return settled
}

func (d *soakDesk) must(method, path string, body, out any) {
	d.t.Helper()
	status, err := d.call(method, path, body, out)
	if err != nil || status/100 != 2 {
		d.t.Fatalf("%s %s: %d %v", method, path, status, err)
	}
}

func (d *soakDesk) call(method, path string, body, out any) (int, error) {
	var in io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return 0, err
		}
		in = bytes.NewReader(raw)
	}
	r, err := http.NewRequest(method, d.url+path, in)
	if err != nil {
		return 0, err
	}
	r.Header.Set("Authorization", "Bearer "+d.key)
	r.Header.Set("Content-Type", "application/json")
	resp, err := d.client.Do(r)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode/100 != 2 {
		return resp.StatusCode, err
	}
	return resp.StatusCode, json.Unmarshal(raw, out)
}

func apiKey(t *testing.T, dir string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, "demo.json"))
	must(t, err)
	var demo binary.Demo
	must(t, json.Unmarshal(raw, &demo))
	return demo.Companies[0].APIKey
}

// waitFor is eventually for what takes longer.
func waitFor(t *testing.T, what string, most time.Duration, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(most); !holds(); <-tick.C {
		if time.Now().After(end) {
			t.Fatalf("in vain waited for: %s", what)
		}
	}
}
