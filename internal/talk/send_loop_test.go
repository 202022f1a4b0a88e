package talk

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"recado/internal/blob"
	"recado/internal/channels"
	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/vault"
	"recado/test/kerneltest"
	"recado/test/testkit"
)

// service is a messaging service on the loopback interface. It records what it receives.
type service struct {
	*httptest.Server
	mu       sync.Mutex
	taken    map[string][]string // texts by receiver, in order of arrival
	underWay map[string]int
	overlap  bool
	hold     chan struct{} // while not nil, calls wait for it to be closed
	arrived  chan string
}

type wireMessage struct{ ID, To, Text string }

func newService(t *testing.T) *service {
	p := &service{taken: map[string][]string{}, underWay: map[string]int{}, arrived: make(chan string, 1000)}
	p.Server = httptest.NewServer(http.HandlerFunc(p.serve))
	t.Cleanup(p.Close)
	return p
}

func (p *service) serve(w http.ResponseWriter, r *http.Request) {
	var m wireMessage
	if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	p.mu.Lock()
	p.underWay[m.To]++
	p.overlap = p.overlap || p.underWay[m.To] > 1
	hold := p.hold
	p.mu.Unlock()
	p.arrived <- m.Text
	if hold != nil {
		<-hold
	}
	p.mu.Lock()
	p.underWay[m.To]--
	p.taken[m.To] = append(p.taken[m.To], m.Text)
	p.mu.Unlock()
	_, _ = fmt.Fprintf(w, `{"id": "ext.%s"}`, m.ID)
}

// waitFor returns when a text has arrived.
func (p *service) waitFor(t *testing.T, text string) {
	t.Helper()
	for {
		if got, _ := testkit.Receive(t, text, p.arrived); got == text {
			return
		}
	}
}

// For implements Provider.
func (p *service) For(context.Context, kernel.ID, kernel.ID) (channels.NumberSender, error) {
	return p, nil
}

// Free implements Provider.
func (p *service) Free(kernel.ID) (int, time.Duration) { return 1000, 0 }

// Here implements Provider.
func (p *service) Here(kernel.ID) bool { return true }

func (p *service) Send(ctx context.Context, out provider.Outgoing) (provider.SendResult, error) {
	body, _ := json.Marshal(wireMessage{out.ClientID, out.To.WAID, out.Text})
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, p.URL, bytes.NewReader(body))
	if err != nil {
		return provider.SendResult{}, err
	}
	resp, err := p.Client().Do(r)
	if err != nil {
		return provider.SendResult{}, &provider.SendError{Code: "no_answer", Fate: provider.Uncertain, Cause: err}
	}
	defer resp.Body.Close()
	raw, _ := io.ReadAll(resp.Body)
	if resp.StatusCode != http.StatusOK {
		return provider.SendResult{}, &provider.SendError{Code: "refused", Message: string(raw)}
	}
	var response struct{ ID string }
	if err := json.Unmarshal(raw, &response); err != nil {
		return provider.SendResult{}, &provider.SendError{Code: "unreadable", Fate: provider.Uncertain, Cause: err}
	}
	return provider.SendResult{ExternalID: response.ID}, nil
}

// bureau is a company with WhatsApp channels, on one or more nodes of a database.
type bureau struct {
	nodes []*Talk
	store *kernel.Store
	owner *kernel.Principal
}

func newBureau(t *testing.T, stores ...*kernel.Store) *bureau {
	t.Helper()
	b := &bureau{store: stores[0]}
	keys, err := vault.FromEnv("MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range stores {
		files, err := blob.NewDisk(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		b.nodes = append(b.nodes, newTalk(kernel.New(kernel.Options{Store: s, Vault: keys}), numbers{}, files))
	}
	b.owner = testCompany(t, b.nodes[0])
	return b
}

// numbers is a provider that accepts all credentials.
type numbers struct{}

func (numbers) Check(_ context.Context, a channels.Access) (channels.NumberState, error) {
	return channels.NumberState{Phone: "+55113234" + a.PhoneNumberID, Status: "CONNECTED"}, nil
}

func (numbers) Subscribe(context.Context, channels.Access) error { return nil }

func (numbers) CreateTemplate(context.Context, channels.Access, provider.NewTemplate) (provider.ChannelTemplate, error) {
	return provider.ChannelTemplate{}, nil
}

func (numbers) DeleteTemplates(context.Context, channels.Access, string) error { return nil }

func (numbers) CallHere(context.Context, channels.Access, kernel.ID) error { return nil }

func (b *bureau) channel(t *testing.T, number string) kernel.ID {
	t.Helper()
	ch, err := b.nodes[0].channels.CreateChannel(t.Context(), b.owner, channels.NewChannel{
		Name: number, Provider: channels.ProviderWhatsApp, Access: &channels.Access{PhoneNumberID: number, WABAID: "1", Token: "t", AppSecret: "s"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return ch.ID
}

// customer receives a message of a customer, which opens the service window, and returns the conversation.
func (b *bureau) customer(t *testing.T, channel kernel.ID, phone string) kernel.ID {
	t.Helper()
	external := "in." + kernel.NewID().String()
	err := b.nodes[0].Receive(t.Context(), b.owner.Company.ID, channel, []provider.Incoming{{Message: &provider.IncomingMessage{
		ExternalID: external, Customer: provider.Person{WAID: phone}, Type: "text", Text: "hi", At: time.Now(),
	}}})
	if err != nil {
		t.Fatal(err)
	}
	list, err := b.nodes[0].Conversations(t.Context(), b.owner, conversationCriteria{Q: phone, Channel: channel, Limit: 1}, "")
	if err != nil || len(list.Data) != 1 {
		t.Fatalf("got %+v, %v, want one conversation", list, err)
	}
	return list.Data[0].ID
}

func (b *bureau) send(t *testing.T, node int, conversation kernel.ID, text string) *Message {
	t.Helper()
	m, _, err := b.nodes[node].SendMessage(t.Context(), b.owner, conversation, NewMessage{ClientID: kernel.NewID(), Text: &text})
	if err != nil {
		t.Error(err)
		return nil
	}
	return m
}

func (b *bureau) status(t *testing.T, m *Message) string {
	t.Helper()
	stored, err := b.nodes[0].Message(t.Context(), b.owner, m.ID)
	if err != nil {
		t.Fatal(err)
	}
	return stored.Status
}

// run starts the send loop of a node. stop ends it.
func (b *bureau) run(t *testing.T, node int, p Provider) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		(&SendLoop{Desk: b.nodes[node], Provider: p, Logger: slog.New(slog.DiscardHandler)}).Run(ctx)
	})
	stop = sync.OnceFunc(func() {
		cancel()
		wg.Wait()
	})
	t.Cleanup(stop)
	return stop
}

// sent waits until want messages were sent.
func (b *bureau) sent(t *testing.T, want int) {
	t.Helper()
	testkit.Eventually(t, fmt.Sprintf("%d messages were sent", want), func() bool {
		return len(sentEvents(t, b.store, b.owner.Company.ID)) >= want
	})
}

func TestSendLoop(t *testing.T) {
	kerneltest.Each(t, func(t *testing.T, open func() *kernel.Store) {
		p := newService(t)
		b := newBureau(t, open(), open())
		first, second := b.channel(t, "0001"), b.channel(t, "0002")
		nodes := 2
		if b.store.SingleNode() {
			nodes = 1
		}
		for n := range nodes {
			b.run(t, n, p)
		}

		t.Run("every message is sent once and in order, from any node", func(t *testing.T) {
			const customers, each = 12, 8
			conversations := make([]kernel.ID, customers)
			for i := range conversations {
				conversations[i] = b.customer(t, first, fmt.Sprintf("55119876500%02d", i))
			}
			var wg sync.WaitGroup
			for i, conversation := range conversations {
				wg.Go(func() {
					for k := range each {
						b.send(t, (i+k)%nodes, conversation, fmt.Sprint(k))
					}
				})
			}
			wg.Wait()
			b.sent(t, customers*each)
			p.mu.Lock()
			defer p.mu.Unlock()
			if p.overlap {
				t.Error("two messages of one conversation were sent concurrently")
			}
			for to, texts := range p.taken {
				for k, text := range texts {
					if text != fmt.Sprint(k) {
						t.Fatalf("%s got %v", to, texts)
					}
				}
				if len(texts) != each {
					t.Fatalf("%s got %v", to, texts)
				}
			}
		})

		t.Run("a channel whose provider hangs delays no other channel", func(t *testing.T) {
			stuck := b.customer(t, first, "5511987660001")
			other := b.customer(t, second, "5511987660002")
			hold := make(chan struct{})
			release := sync.OnceFunc(func() { close(hold) })
			defer release()
			p.mu.Lock()
			p.hold = hold
			p.mu.Unlock()
			hanging := b.send(t, 0, stuck, "hanging")
			p.waitFor(t, "hanging")
			p.mu.Lock()
			p.hold = nil
			p.mu.Unlock()
			free := b.send(t, 0, other, "free")
			b.sent(t, 12*8+1)
			testkit.Equal(t, "status of the hanging message", b.status(t, hanging), provider.StatusQueued)
			testkit.Equal(t, "status of the other message", b.status(t, free), provider.StatusSent)
			release()
			b.sent(t, 12*8+2)
		})
	})
}

func TestStoppingWaitsForRunningCalls(t *testing.T) {
	kerneltest.Each(t, func(t *testing.T, open func() *kernel.Store) {
		p := newService(t)
		p.hold = make(chan struct{})
		b := newBureau(t, open())
		conversation := b.customer(t, b.channel(t, "0001"), "5511987650001")
		stop := b.run(t, 0, p)
		m := b.send(t, 0, conversation, "almost")
		waiting := b.send(t, 0, conversation, "not yet")
		p.waitFor(t, "almost")
		stopped := make(chan struct{})
		go func() {
			stop()
			close(stopped)
		}()
		close(p.hold)
		<-stopped
		testkit.Equal(t, "status of the running call", b.status(t, m), provider.StatusSent)
		if status := b.status(t, waiting); status == provider.StatusFailed {
			t.Errorf("the waiting message has the status %s", status)
		}
	})
}
