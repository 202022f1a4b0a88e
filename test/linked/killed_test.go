package linked_test

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.mau.fi/whatsmeow/types"

	"recado/internal/channels"
	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/server"
	"recado/test/binary"
	"recado/test/kerneltest"
	"recado/test/linkedtest"
	"recado/test/servertest"
	"recado/test/testkit"
)

func TestMain(m *testing.M) { binary.MainOf(m, serve) }

// serve is the server that these tests kill. Its linked numbers are connected to the WhatsApp of the test.
func serve(args []string) error {
	c := server.Config{Logger: slog.New(slog.NewTextHandler(os.Stderr, nil))}
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	flags.StringVar(&c.DataDir, "data", "", "")
	flags.StringVar(&c.Addr, "addr", "", "")
	flags.StringVar(&c.DatabaseURL, "database-url", "", "")
	flags.Int64Var(&c.Rate.PerSecond, "rate", 0, "")
	flags.Int64Var(&c.Rate.Burst, "burst", 0, "")
	flags.BoolVar(&c.WebhookAllowInsecure, "webhook-allow-insecure", false, "")
	flags.DurationVar(&c.Lease, "lease", 0, "")
	ahead := flags.Duration("ahead", 0, "how much the clock is ahead")
	whatsapp := flags.String("whatsapp", "", "the address of WhatsApp")
	if err := flags.Parse(args); err != nil {
		return err
	}
	c.Now = func() time.Time { return time.Now().Add(*ahead) }
	c.Linked = func(s *server.Server) channels.Linked { return s.NewLinked(linkedtest.Dial(*whatsapp)) }
	if _, err := server.Start(context.Background(), c); err != nil {
		return err
	}
	select {}
}

// fixture is a company with a linked channel, on servers in other processes.
type fixture struct {
	*desk
	t        *testing.T
	whatsapp *linkedtest.WhatsApp
	dir, url string
	lease    string // how long a node waits for a dead one
	queued   []queued
	received []types.MessageID
}

// queued is a message to a customer. Its text is its client id.
type queued struct{ id, text string }

// externalID returns the id of the message at WhatsApp.
func (m queued) externalID() types.MessageID {
	return strings.ToUpper(strings.ReplaceAll(m.id, "-", ""))
}

// newFixture creates the company and links its number with the first node.
func newFixture(t *testing.T, url, lease string) (*fixture, *binary.Process) {
	t.Helper()
	o := &fixture{desk: &desk{}, t: t, url: url, lease: lease, dir: t.TempDir(), whatsapp: linkedtest.NewWhatsApp(t, "5511912345678")}
	if url == "" {
		kerneltest.Prepare(t, o.dir)
	}
	s, err := server.Open(t.Context(), server.Config{DataDir: o.dir, DatabaseURL: url, Passwords: people.PasswordCost{Memory: 64, Passes: 1}})
	if err != nil {
		t.Fatal(err)
	}
	operator, _ := servertest.AddCompany(t, s.Desk, people.NewCompany{Name: "Padaria Aurora"})
	_, key, err := s.Desk.People.CreateKey(t.Context(), operator, people.NewKey{Name: "everything", Scopes: kernel.NewScopeSet(kernel.AllScopes...)})
	if err == nil {
		err = s.Stop(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	p := o.node()
	p.Start()
	o.use(p, key)
	o.channel = o.A.Post(t, "/channels", `{"name": "Shop", "provider": "linked"}`).OK(201).ID()
	next := o.follow(t)
	until(t, next, func(state map[string]any) bool { return state["qr"] != nil })
	if err := o.whatsapp.Scan(); err != nil {
		t.Fatal(err)
	}
	until(t, next, func(state map[string]any) bool { return state["state"] == "linked" })
	return o, p
}

// node returns a server that is not started yet.
func (o *fixture) node(args ...string) *binary.Process {
	o.t.Helper()
	p := binary.New(o.t, o.dir, append([]string{"--database-url", o.url, "--lease", o.lease, "--whatsapp", o.whatsapp.Addr}, args...)...)
	o.t.Cleanup(func() {
		if p.Kill(); o.t.Failed() {
			o.t.Logf("the server at %s said: %.4000s", p.URL, p.Log())
		}
	})
	return p
}

// use sends requests to a node.
func (o *fixture) use(p *binary.Process, key string) {
	o.World = &servertest.World{A: &servertest.Company{Client: servertest.NewClient(p.URL, key)}}
}

// receive lets the customer write a message.
func (o *fixture) receive(slow bool) {
	o.received = append(o.received, o.whatsapp.Write(maria, "Oi", slow))
}

// queue queues n messages, each to another customer: a message that is tried again holds up its conversation.
func (o *fixture) queue(n int) {
	o.t.Helper()
	for range n {
		to := o.A.Post(o.t, "/conversations", fmt.Sprintf(`{"channel_id": %q, "phone": "+551195555%04d"}`, o.channel, len(o.queued))).OK(201).ID()
		text := kernel.NewID().String()
		message := o.A.Post(o.t, "/conversations/"+to+"/messages", fmt.Sprintf(`{"client_id": %q, "text": %q}`, text, text)).OK(201)
		o.queued = append(o.queued, queued{message.ID(), text})
	}
}

// stream lets the customer write until the returned function is called.
func (o *fixture) stream() (end func()) {
	stop := make(chan struct{})
	var writing sync.WaitGroup
	writing.Go(func() {
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				o.receive(false)
			}
		}
	})
	return sync.OnceFunc(func() {
		close(stop)
		writing.Wait()
	})
}

// verify waits until everything is sent and received, and checks that it is so exactly once.
func (o *fixture) verify() linkedtest.State {
	t := o.t
	t.Helper()
	testkit.Eventually(t, "everything is sent and received", func() bool {
		state := o.whatsapp.State()
		if len(state.Faults) > 0 {
			t.Fatalf("messages that could not be decrypted: %v", state.Faults)
		}
		return state.Waiting == 0 && !slices.ContainsFunc(o.queued, func(q queued) bool {
			return o.A.Get(t, "/messages/"+q.id).OK(200).Text("status") != "sent"
		})
	})
	stored := o.stored()
	for _, id := range o.received {
		if stored[id] != 1 {
			t.Errorf("the message %s is stored %d times", id, stored[id])
		}
	}
	for _, q := range o.queued {
		if stored[q.externalID()] != 1 {
			t.Errorf("the message %s is stored %d times", q.id, stored[q.externalID()])
		}
	}
	if got, want := len(stored), len(o.received)+len(o.queued); got != want {
		t.Errorf("%d messages are stored, want %d", got, want)
	}
	state := o.whatsapp.State()
	ids := map[string]map[types.MessageID]bool{}
	for _, s := range state.Sent {
		text := s.Message.GetConversation()
		if ids[text] == nil {
			ids[text] = map[types.MessageID]bool{}
		}
		ids[text][s.ID] = true
	}
	for _, q := range o.queued {
		if got := ids[q.text]; len(got) != 1 || !got[q.externalID()] {
			t.Errorf("a message was sent with the ids %v, want %s", got, q.externalID())
		}
	}
	if len(ids) != len(o.queued) || state.Codes != 1 || len(state.Late) > 0 {
		t.Errorf("%d messages were sent, want %d; %d codes, want 1; sent on a replaced connection: %v", len(ids), len(o.queued), state.Codes, state.Late)
	}
	if got := o.A.Get(t, "/channels/"+o.channel).OK(200); got.Text("status") != "connected" {
		t.Errorf("the channel is %s", got.Raw)
	}
	return state
}

// stored returns how often messages are stored, by their ids at WhatsApp.
func (o *fixture) stored() map[types.MessageID]int {
	o.t.Helper()
	found := map[types.MessageID]int{}
	for _, c := range o.A.Get(o.t, "/conversations").OK(200).List() {
		path := "/conversations/" + c.(map[string]any)["id"].(string) + "/messages?limit=100"
		for before := ""; ; {
			page := o.A.Get(o.t, path+before).OK(200)
			for _, m := range page.List() {
				id, _ := m.(map[string]any)["external_id"].(string)
				found[id]++
			}
			if page.At("before") == nil {
				break
			}
			before = "&before=" + page.Text("before")
		}
	}
	return found
}

// The server is killed while it sends and receives, at the moments at which something could be lost or repeated.
func TestAKilledServerNeitherLosesNorRepeatsMessagesOfALinkedNumber(t *testing.T) {
	t.Parallel()
	kerneltest.EachURL(t, func(t *testing.T, url string) {
		t.Parallel()
		o, p := newFixture(t, url, "3s")
		o.queue(5)
		end := o.stream()
		defer end()
		for _, moment := range []linkedtest.Moment{linkedtest.Sending, linkedtest.Acking, linkedtest.Replied, linkedtest.Delivered} {
			killed := make(chan struct{})
			o.whatsapp.At(moment, func() {
				_ = p.Signal(syscall.SIGKILL)
				close(killed)
			})
			testkit.Receive(t, string(moment), killed)
			p.Kill() // waits for its end
			p.Start()
		}
		end()
		if state := o.verify(); state.Replaced != 0 {
			t.Errorf("%d connections were replaced", state.Replaced)
		}
	})
}

// The clock of the second node is as much ahead as docs/scaling.md allows.
func TestAnotherNodeTakesOverFromANodeThatIsKilledOrStopped(t *testing.T) {
	t.Parallel()
	o, a := newFixture(t, kerneltest.URL(t), "3s")
	b := o.node("--ahead", "1s")
	b.Start()
	o.use(b, o.A.Secret())
	o.queue(4)
	end := o.stream()
	defer end()

	o.sends(a)
	a.Kill()
	o.sends(b)
	if got := o.whatsapp.State().Replaced; got != 0 {
		t.Errorf("%d connections were replaced by one of the second node", got)
	}
	a.Start()
	o.use(a, o.A.Secret())
	end()

	// The second node is stopped in the middle of a decryption, with messages to send.
	stopped := make(chan struct{})
	o.whatsapp.At(linkedtest.Decrypting, func() {
		_ = b.Signal(syscall.SIGSTOP)
		close(stopped)
	})
	o.queue(3)
	o.receive(true)
	testkit.Receive(t, "the second node is stopped", stopped)
	before := o.sent(b)
	end = o.stream()
	defer end()
	o.sends(a)
	if err := b.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "the second node disconnects", func() bool { return o.whatsapp.State().Lines == 1 })
	o.queue(2)
	o.sends(a)
	end()
	state := o.verify()
	if state.Replaced != 1 || state.Node != a.PID() || o.sent(b) != before {
		t.Errorf("%d connections were replaced, want 1; connected to the process %d, want %d; the second node sent %d messages more",
			state.Replaced, state.Node, a.PID(), o.sent(b)-before)
	}
}

// sent returns how many messages a node has sent.
func (o *fixture) sent(p *binary.Process) (n int) {
	for _, s := range o.whatsapp.State().Sent {
		if s.Node == p.PID() {
			n++
		}
	}
	return n
}

// sends waits until a node sends a message.
func (o *fixture) sends(p *binary.Process) {
	o.t.Helper()
	before := o.sent(p)
	testkit.Eventually(o.t, "the node sends a message", func() bool { return o.sent(p) > before })
}
