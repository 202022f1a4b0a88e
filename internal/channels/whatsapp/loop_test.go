package whatsapp_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"testing"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/channels/simulator"
	"recado/internal/channels/whatsapp"
	"recado/test/testkit"
)

// inbox stores the events of callbacks by external id.
type inbox struct {
	mu       sync.Mutex
	calls    int
	refuse   int // the next so many calls fail
	order    []string
	messages map[string]provider.IncomingMessage
	statuses map[string][]string // by client id
	others   []provider.Incoming
}

func (b *inbox) receive(_ context.Context, _ string, events []whatsapp.Event) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.calls++
	if b.refuse > 0 {
		b.refuse--
		return errors.New("the disk is full")
	}
	for _, e := range events {
		switch in := e.Incoming; {
		case in.Message != nil:
			if _, known := b.messages[in.Message.ExternalID]; !known {
				b.order = append(b.order, in.Message.ExternalID)
			}
			b.messages[in.Message.ExternalID] = *in.Message
		case in.Status != nil:
			b.statuses[in.Status.ClientID] = append(b.statuses[in.Status.ClientID], in.Status.Status)
		default:
			b.others = append(b.others, in)
		}
	}
	return nil
}

// open serves a callback and connects the simulator's first number to it.
func open(t *testing.T, sim *simulator.Simulator) *inbox {
	t.Helper()
	b := &inbox{messages: map[string]provider.IncomingMessage{}, statuses: map[string][]string{}}
	mux := http.NewServeMux()
	mux.Handle("/channels/{channel}/whatsapp", &whatsapp.Callback{
		Lookup: func(context.Context, string) (whatsapp.Credentials, bool, error) {
			return whatsapp.Credentials{
				AppSecrets:     []string{simulator.DefaultAppSecret},
				PhoneNumberIDs: []string{simulator.DefaultNumberID},
			}, true, nil
		},
		Receive: b.receive,
		Log:     slog.New(slog.DiscardHandler),
	})
	if err := sim.SetCallback("", testkit.Serve(t, mux)+"/channels/c1/whatsapp"); err != nil {
		t.Fatal(err)
	}
	return b
}

func drain(t *testing.T, sim *simulator.Simulator) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if err := sim.Drain(ctx); err != nil {
		t.Fatal(err)
	}
}

func TestStatusesSettleUncertainSends(t *testing.T) {
	for _, preset := range []string{"timeout_after_accept", "reset_after_accept", "html_502_after_accept", "unknown_500_after_accept", "answer_cut_after_accept"} {
		t.Run(preset, func(t *testing.T) {
			sim, client := connect(t, simulator.Options{})
			b := open(t, sim)
			if err := sim.AddFault(simulator.Fault{Preset: preset, Next: 1}); err != nil {
				t.Fatal(err)
			}
			client.HTTP.Timeout = 2 * time.Second
			_, err := client.Send(t.Context(), hello("c-uncertain"))
			testkit.Equal(t, "sendError(t, err).Fate", sendError(t, err).Fate, provider.Uncertain)
			// A message that times out was accepted before the timeout, so its statuses will arrive.
			drain(t, sim)
			if got := fmt.Sprint(b.statuses["c-uncertain"]); got != "[sent delivered]" {
				t.Errorf("statuses %s", got)
			}
		})
	}
}

func TestStatusesArriveAsMetaSendsThem(t *testing.T) {
	for name, test := range map[string]struct {
		ladder simulator.Ladder
		want   string
	}{
		"in order":              {simulator.Ladder{}, "[sent delivered]"},
		"read without delivery": {simulator.Ladder{Mode: "skip_delivered"}, "[sent read]"},
		"played":                {simulator.Ladder{Mode: "played"}, "[sent delivered read read]"},
		"out of order":          {simulator.Ladder{Mode: "reorder"}, "[delivered sent]"},
		"twice":                 {simulator.Ladder{Mode: "sent", Duplicate: true}, "[sent sent]"},
		"failed":                {simulator.Ladder{Mode: "failed", FailCode: 131047}, "[failed]"},
		"none":                  {simulator.Ladder{Mode: "none"}, "[]"},
	} {
		t.Run(name, func(t *testing.T) {
			sim, client := connect(t, simulator.Options{Ladder: test.ladder})
			b := open(t, sim)
			if _, err := client.Send(t.Context(), hello("c1")); err != nil {
				t.Fatal(err)
			}
			drain(t, sim)
			if got := fmt.Sprint(b.statuses["c1"]); got != test.want {
				t.Errorf("statuses %s, want %s", got, test.want)
			}
		})
	}
	t.Run("before the send itself is answered", func(t *testing.T) {
		sim, client := connect(t, simulator.Options{Ladder: simulator.Ladder{BeforeResponse: true}})
		b := open(t, sim)
		if _, err := client.Send(t.Context(), hello("c1")); err != nil {
			t.Fatal(err)
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		if got := fmt.Sprint(b.statuses["c1"]); got != "[sent delivered]" {
			t.Errorf("statuses %s", got)
		}
	})
	t.Run("an untimely message may fail later", func(t *testing.T) {
		sim, client := connect(t, simulator.Options{Window: "async"})
		b := open(t, sim)
		sim.Advance(25 * time.Hour)
		if _, err := client.Send(t.Context(), hello("c1")); err != nil {
			t.Fatal(err)
		}
		drain(t, sim)
		if got := fmt.Sprint(b.statuses["c1"]); got != "[failed]" {
			t.Errorf("statuses %s", got)
		}
	})
}

func TestCallbacksAreStoredOnceInAnyOrderAndBatch(t *testing.T) {
	const n = 1000
	for name, test := range map[string]struct {
		how   simulator.Delivery
		calls int // of the desk; 0 when it depends
	}{
		"one by one":                {simulator.Delivery{}, n},
		"in batches of 1,000":       {simulator.Delivery{Batch: 1000}, 1},
		"many at a time":            {simulator.Delivery{Parallel: 8, Batch: 50}, n / 50},
		"each three times":          {simulator.Delivery{Batch: 100, Duplicate: 2}, 3 * n / 100},
		"the last first":            {simulator.Delivery{Batch: 7, Reorder: true}, 0},
		"with forgeries among them": {simulator.Delivery{Batch: 100, WrongSignature: 5}, n / 100},
	} {
		t.Run(name, func(t *testing.T) {
			sim := simulator.New(simulator.Options{Delivery: test.how})
			defer sim.Close()
			b := open(t, sim)
			sim.Pause()
			messages := make([]simulator.Inbound, n)
			for i := range messages {
				messages[i] = simulator.Inbound{Customer: fmt.Sprintf("55118%08d", i), Name: "Ana", Text: fmt.Sprintf("Olá 😀 %d", i)}
			}
			ids, err := sim.Receive(messages...)
			if err != nil {
				t.Fatal(err)
			}
			drain(t, sim)
			for i, id := range ids {
				if m := b.messages[id]; m.Text != messages[i].Text || m.Customer.Name != "Ana" || m.Customer.Phone != "+"+messages[i].Customer {
					t.Fatalf("message %d arrived as %+v", i, m)
				}
			}
			if test.calls > 0 && b.calls != test.calls {
				t.Errorf("%d calls, want %d", b.calls, test.calls)
			}
			if test.how.Reorder && b.order[0] != ids[n-1] {
				t.Error("the last did not come first")
			}
			if test.how.WrongSignature > 0 {
				forged := 0
				for _, a := range sim.Deliveries() {
					if a.Forged && a.Status == 401 {
						forged++
					}
				}
				if forged != test.how.WrongSignature {
					t.Errorf("%d forgeries were refused", forged)
				}
			}
		})
	}
	t.Run("what the desk could not store comes again", func(t *testing.T) {
		sim := simulator.New(simulator.Options{RetrySpeed: 1_000_000})
		defer sim.Close()
		b := open(t, sim)
		b.refuse = 4
		ids, err := sim.Receive(simulator.Inbound{Customer: customer, Text: "oi"})
		if err != nil {
			t.Fatal(err)
		}
		drain(t, sim)
		if _, ok := b.messages[ids[0]]; !ok || b.calls != 5 {
			t.Errorf("%d calls, stored %t", b.calls, ok)
		}
	})
}

func TestLimiterKeepsBelowMetasLimits(t *testing.T) {
	clock := testkit.StillClock(time.Unix(1_790_000_000, 0))
	sim, client := connect(t, simulator.Options{Now: clock.Now, Window: "off"})
	limiter := whatsapp.NewLimiter(whatsapp.StandardRate, clock.Now)
	send := func(to string) error {
		_, err := client.Send(t.Context(), provider.Outgoing{To: provider.Person{WAID: to}, Text: "a"})
		return err
	}
	for i := range 400 {
		to := "5511900001111" // one person in two messages, others in the rest
		if i%2 == 0 {
			to = fmt.Sprintf("55219%08d", i)
		}
		for {
			wait := limiter.Take(to)
			if wait == 0 {
				break
			}
			clock.Advance(wait)
		}
		if err := send(to); err != nil {
			t.Fatalf("message %d: %v", i, err)
		}
	}
	if n := len(sim.Ledger("5511900001111")); n != 200 {
		t.Errorf("%d messages to one person", n)
	}
	t.Run("without it Meta refuses", func(t *testing.T) {
		var last error
		for i := 0; i < 100 && last == nil; i++ {
			last = send(fmt.Sprintf("55218%08d", i))
		}
		if sendError(t, last).ProviderCode != 130429 {
			t.Errorf("want sendError(t, last).ProviderCode == 130429; got %+v", last)
		}
		clock.Advance(time.Hour)
		last = nil
		for i := 0; i < 100 && last == nil; i++ {
			clock.Advance(time.Second / 50)
			last = send("5521911112222")
		}
		if sendError(t, last).ProviderCode != 131056 || len(sim.Ledger("5521911112222")) != 45 {
			t.Errorf(`want sendError(t, last).ProviderCode == 131056 and number of sim.Ledger("5521911112222") == 45; got %+v, %+v`, last, len(sim.Ledger("5521911112222")))
		}
	})
}
