package crash

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"recado/internal/channels/simulator"
	"recado/internal/kernel"
	"recado/test/binary"
	"recado/test/kerneltest"
	"recado/test/testkit"
)

// The server is killed after each step in the life of held messages: when they are stored, edited, cancelled, released by the
// customer's message and sent; and at random moments around the release. With RECADO_FULL=1 that is repeated ten times.
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
			s.steps(t, fmt.Sprintf("55119480000%02d", round))
			s.around(t, fmt.Sprintf("55119490000%02d", round))
		}
	})
}

// holder is a server with a number at a simulated WhatsApp.
type holder struct {
	*scheduler
	sim     *simulator.Simulator
	channel string
}

func (s *holder) restart() {
	s.Kill()
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

// steps kills the server after every step.
func (s *holder) steps(t *testing.T, customer string) {
	t.Helper()
	c := s.conversation(t, customer)
	first, second, third := s.hold(t, c, "first", s.restart), s.hold(t, c, "second", func() {}), s.hold(t, c, "third", s.restart)
	s.call(t, "PATCH", "/messages/"+first, `{"text":"changed"}`)
	s.restart()
	s.call(t, "DELETE", "/messages/"+second, "")
	s.restart()
	s.reply(t, customer)
	s.restart()
	s.check(t, customer, []string{first, third}, []string{"changed", "third"})
	testkit.Equal[any](t, "status of the cancelled message", s.call(t, "GET", "/messages/"+second, "")["status"], "failed")
}

// around kills the server while the customer's message arrives and releases the messages.
func (s *holder) around(t *testing.T, customer string) {
	t.Helper()
	c := s.conversation(t, customer)
	first, second := s.hold(t, c, "first", func() {}), s.hold(t, c, "second", func() {})
	if _, err := s.sim.Receive(simulator.Inbound{Customer: customer, Text: "yes"}); err != nil {
		t.Fatal(err)
	}
	select {
	case <-time.After(rand.N(300 * time.Millisecond)):
	case <-s.Ended():
		t.Fatal("the server exited before it was killed")
	}
	s.restart()
	s.check(t, customer, []string{first, second}, []string{"first", "second"})
}

// reply makes the customer write and waits until the server has stored it.
func (s *holder) reply(t *testing.T, customer string) {
	t.Helper()
	if _, err := s.sim.Receive(simulator.Inbound{Customer: customer, Text: "yes"}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), testkit.Patience)
	defer cancel()
	if err := s.sim.Drain(ctx); err != nil {
		t.Fatal(err)
	}
}

// check waits until the messages are no longer pending and compares what the customer got: each message once, in order. One that
// was being sent when the server was killed may be uncertain; it is not sent again.
func (s *holder) check(t *testing.T, customer string, ids, texts []string) {
	t.Helper()
	var want []string
	for i, id := range ids {
		var m map[string]any
		testkit.Eventually(t, "the message is sent", func() bool {
			m = s.call(t, "GET", "/messages/"+id, "")
			return m["status"] != "held" && m["status"] != "queued"
		})
		failed, _ := m["error"].(map[string]any)
		if m["status"] == "failed" && failed["code"] != "uncertain" {
			t.Errorf("got %v, want a message that was sent", m)
		}
		want = append(want, texts[i])
	}
	var got []string
	templates := 0
	for _, m := range s.sim.Ledger(customer) {
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
	if repeated := s.sim.Repeated(); len(repeated) > 0 {
		t.Errorf("got repeated messages %v, want none", repeated)
	}
	if templates > 1 {
		t.Errorf("got %d templates, want at most one", templates)
	}
	// A message that is uncertain may be missing; the others are there in order.
	i := 0
	for _, text := range want {
		if i < len(got) && got[i] == text {
			i++
		} else if m := s.call(t, "GET", "/messages/"+ids[slices.Index(texts, text)], ""); m["status"] != "failed" {
			t.Errorf("got the texts %v, want %v", got, want)
		}
	}
	testkit.Equal(t, "unexpected texts", len(got)-i, 0)
}
