package crash

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"recado/internal/channels/simulator"
	"recado/internal/kernel"
	"recado/test/binary"
	"recado/test/kerneltest"
	"recado/test/testkit"
)

// The server is killed after each step in the life of held messages: when they are stored, edited and cancelled; and, after the
// customer's message has released them, just before WhatsApp gets a message and just before it responds. With RECADO_FULL=1 that is
// repeated ten times.
func TestHeldMessagesAreSentOnceWheneverTheServerIsKilled(t *testing.T) {
	t.Parallel()
	rounds := 1
	if os.Getenv("RECADO_FULL") != "" {
		rounds = 10
	}
	kerneltest.EachURL(t, func(t *testing.T, url string) {
		reopening := simulator.Template{Name: "reopen", Language: "en", Body: "May we answer {{1}}?"}
		sim := simulator.New(simulator.Options{Templates: []simulator.Template{reopening}})
		args := []string{"--whatsapp-base-url", testkit.Serve(t, sim)}
		t.Cleanup(sim.Close)
		if url != "" {
			args = append(args, "--database-url", url)
		}
		s := &holder{scheduler: &scheduler{database: url}, sim: sim}
		s.Process = binary.Serve(t, t.TempDir(), args...)
		channel := s.call(t, "POST", "/channels", `{"name":"Front desk","provider":"whatsapp","credentials":{"phone_number_id":"`+simulator.DefaultNumberID+
			`","waba_id":"`+simulator.DefaultWABAID+`","token":"`+simulator.DefaultToken+`","app_secret":"`+simulator.DefaultAppSecret+`"}}`)["id"].(string)
		s.channel = channel
		testkit.Eventually(t, "the templates are fetched", func() bool {
			return len(s.call(t, "GET", "/channels/"+channel+"/templates", "")["data"].([]any)) > 0
		})
		s.call(t, "PATCH", "/channels/"+channel, `{"reopen_template":{"name":"reopen","language":"en"}}`)
		for round := range rounds {
			s.round(t, fmt.Sprintf("55119480000%02d", round), fmt.Sprintf("55119490000%02d", round))
		}
	})
}

// holder is a server with a number at a simulated WhatsApp.
type holder struct {
	*scheduler
	sim     *simulator.Simulator
	channel string
}

// restart kills the server and starts it again. The new process need not wait until the leases of the old one expire.
func (s *holder) restart(t *testing.T) {
	t.Helper()
	s.Kill()
	kerneltest.Exec(t, s.Dir, s.database, `UPDATE lanes SET lease_until = 0`)
	s.Start()
}

// conversation opens a conversation with a customer who has never written.
func (s *holder) conversation(t *testing.T, customer string) string {
	t.Helper()
	return s.call(t, "POST", "/conversations", `{"channel_id":"`+s.channel+`","phone":"+`+customer+`"}`)["id"].(string)
}

// hold holds a message twice, as a client does that got no response, and returns its id. between is called between the two.
func (s *holder) hold(t *testing.T, conversation, text string, between func()) string {
	t.Helper()
	body := fmt.Sprintf(`{"client_id":%q,"text":%q,"when_closed":"hold"}`, kernel.NewID(), text)
	id := s.call(t, "POST", "/conversations/"+conversation+"/messages", body)["id"].(string)
	between()
	testkit.Equal(t, "id of the repeated request", s.call(t, "POST", "/conversations/"+conversation+"/messages", body)["id"].(string), id)
	return id
}

// round holds messages in two conversations and kills the server after every step in the first. It then blocks the request that sends
// the first message of one of them, and the response for the other, and kills the server.
func (s *holder) round(t *testing.T, customers ...string) {
	t.Helper()
	kill := func() { s.restart(t) }
	a, b := &heldThread{customer: customers[0], texts: []string{"changed", "third"}}, &heldThread{customer: customers[1], texts: []string{"first", "second"}}
	a.conversation, b.conversation = s.conversation(t, a.customer), s.conversation(t, b.customer)
	b.ids = []string{s.hold(t, b.conversation, "first", func() {}), s.hold(t, b.conversation, "second", func() {})}
	first, second, third := s.hold(t, a.conversation, "first", kill), s.hold(t, a.conversation, "second", func() {}), s.hold(t, a.conversation, "third", kill)
	a.ids = []string{first, third}
	s.call(t, "PATCH", "/messages/"+first, `{"text":"changed"}`)
	kill()
	s.call(t, "DELETE", "/messages/"+second, "")
	kill()
	testkit.Eventually(t, "the templates are sent", func() bool {
		return s.template(t, a)["status"] != "queued" && s.template(t, b)["status"] != "queued"
	})

	sent, accepted := s.sim.Calls("messages"), s.accepted(a, b)
	// A status would settle the message that WhatsApp accepted, and the next one would be sent before the server is killed.
	s.statuses(t, "none")
	for _, fault := range []string{"timeout_before_accept", "timeout_after_accept"} {
		if err := s.sim.AddFault(simulator.Fault{Preset: fault, Next: 1}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.sim.Receive(simulator.Inbound{Customer: a.customer, Text: "yes"}, simulator.Inbound{Customer: b.customer, Text: "yes"}); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "both requests are blocked", func() bool {
		return s.sim.Calls("messages") == sent+2 && s.accepted(a, b) == accepted+1
	})
	s.statuses(t, "")
	kill()
	s.sim.ClearFaults()
	testkit.Equal(t, "messages that WhatsApp did not get", s.check(t, a)+s.check(t, b), 1)
	testkit.Equal[any](t, "status of the cancelled message", s.call(t, "GET", "/messages/"+second, "")["status"], "failed")
	if repeated := s.sim.Repeated(); len(repeated) > 0 {
		t.Errorf("got repeated messages %v, want none", repeated)
	}
}

// heldThread is a conversation with held messages and their texts. The first is interrupted.
type heldThread struct {
	customer, conversation string
	ids, texts             []string
}

// statuses sets the sequence of statuses that WhatsApp reports.
func (s *holder) statuses(t *testing.T, mode string) {
	t.Helper()
	if err := s.sim.SetLadder(simulator.Ladder{Mode: mode}); err != nil {
		t.Fatal(err)
	}
}

// accepted returns how many messages the customers got.
func (s *holder) accepted(threads ...*heldThread) (n int) {
	for _, h := range threads {
		n += len(s.sim.Ledger(h.customer))
	}
	return n
}

// template returns the message with the reopening template, which must be the only one.
func (s *holder) template(t *testing.T, h *heldThread) (found map[string]any) {
	t.Helper()
	n := 0
	for _, m := range s.call(t, "GET", "/conversations/"+h.conversation+"/messages?limit=100", "")["data"].([]any) {
		if m := m.(map[string]any); m["origin"] == "automation" {
			found = m
			n++
		}
	}
	testkit.Equal(t, "messages with a template", n, 1)
	return found
}

// check waits until the messages are no longer pending and compares what the customer got: the template and each message once, in
// order. Only the first message may be uncertain; it is not sent again. check returns 1 if the customer did not get it, and 0 if not.
func (s *holder) check(t *testing.T, h *heldThread) (missing int) {
	t.Helper()
	var first map[string]any
	for i, id := range h.ids {
		var m map[string]any
		testkit.Eventually(t, "the message is sent", func() bool {
			m = s.call(t, "GET", "/messages/"+id, "")
			return m["status"] != "held" && m["status"] != "queued"
		})
		if i == 0 {
			first = m
		} else if m["status"] == "failed" {
			t.Errorf("got %v, want a message that was sent", m)
		}
	}
	var got []string
	templates := 0
	for _, m := range s.sim.Ledger(h.customer) {
		var body struct{ Text struct{ Body string } }
		if m.Type == "template" {
			templates++
			continue
		}
		if err := json.Unmarshal(m.Body, &body); err != nil {
			t.Fatal(err)
		}
		got = append(got, body.Text.Body)
	}
	want := h.texts
	if len(got) < len(want) {
		missing, want = 1, want[1:]
		testkit.Equal(t, "error of the message that was blocked", errorCode(first), "uncertain")
	}
	testkit.Diff(t, "texts", got, want)
	if errorCode(first) != "uncertain" && first["status"] == "failed" {
		t.Errorf("got %v, want a message that was sent or is uncertain", first)
	}
	if uncertain := errorCode(s.template(t, h)) == "uncertain"; templates > 1 || templates == 0 && !uncertain {
		t.Errorf("got %d templates, want one", templates)
	}
	return missing
}

// errorCode returns the error code of a message, or "".
func errorCode(m map[string]any) string {
	failed, _ := m["error"].(map[string]any)
	code, _ := failed["code"].(string)
	return code
}
