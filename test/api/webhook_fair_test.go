package api_test

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"recado/internal/server"
	"recado/test/servertest"
	"recado/test/testkit"
)

func TestSlowReceiversDoNotDelayAnotherCompanysDeliveries(t *testing.T) {
	servertest.EachLive(t, func(t *testing.T, w *servertest.World) {
		const companies, addresses, warm = 5, 10, 4
		var quick, held atomic.Int64
		hold, arrived := make(chan struct{}), make(chan struct{}, 1)
		var holding atomic.Bool
		receiver := testkit.NewReceiver(t)
		receiver.Answer(func(_ http.ResponseWriter, r *http.Request) {
			switch {
			case r.URL.Path == "/other":
				arrived <- struct{}{}
			case holding.Load():
				held.Add(1)
				<-hold
			default:
				quick.Add(1)
			}
		})
		release := sync.OnceFunc(func() { close(hold) })
		t.Cleanup(release)
		register := func(c *servertest.Company, path string) {
			c.Post(t, "/integrations/webhooks", fmt.Sprintf(`{"name":"x","url":%q,"events":["message.received"]}`, receiver.URL+path)).OK(201)
		}
		write := func(c *servertest.Company, channel string, n int) {
			c.Post(t, simulatePath(channel), fmt.Sprintf(`{"from":%q,"text":"oi"}`, phoneNumber(n))).OK(201)
		}
		slow, channels := make([]*servertest.Company, companies), make([]string, companies)
		for i := range slow {
			slow[i] = w.NewCompany(t, fmt.Sprintf("Slow %d", i))
			channels[i] = sandboxOf(t, slow[i])
			for a := range addresses {
				register(slow[i], fmt.Sprintf("/slow/%d", a))
			}
		}
		for round := range warm { // successes raise the number of concurrent requests per address to its maximum
			for i := range slow {
				write(slow[i], channels[i], round)
			}
			testkit.Eventually(t, "all deliveries of the round have a response", func() bool { return quick.Load() == int64((round+1)*companies*addresses) })
		}
		holding.Store(true)
		for n := range 12 {
			for i := range slow {
				write(slow[i], channels[i], n)
			}
		}
		testkit.Eventually(t, "the slow receivers hold all connections", func() bool { return held.Load() >= 256 })

		register(w.B, "/other")
		write(w.B, sandboxOf(t, w.B), 1)
		testkit.Receive(t, "the other company's delivery", arrived)
		release()
	}, func(c *server.Config) { c.WebhookTimeout = 5 * time.Minute })
}

func TestSlowWebhookTestsDoNotDelayAnotherCompanysTests(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		const atOnce = 8
		var held atomic.Int64
		hold := make(chan struct{})
		slow, quick := testkit.NewReceiver(t), testkit.NewReceiver(t)
		slow.Answer(func(http.ResponseWriter, *http.Request) {
			held.Add(1)
			<-hold
		})
		var tests sync.WaitGroup
		release := sync.OnceFunc(func() { close(hold) })
		t.Cleanup(release)
		path, _, _ := registerWebhook(t, w.A.Client, slow.URL)
		for range atOnce {
			tests.Go(func() { w.A.Post(t, path+"/test", nil).OK(200) })
		}
		testkit.Eventually(t, "the receiver holds as many tests as a company may run concurrently", func() bool { return held.Load() == atOnce })
		if refused := w.A.Post(t, path+"/test", nil).Fails(429, "rate_limited"); refused.Header.Get("Retry-After") == "" {
			t.Errorf("Retry-After: got none, want a number of seconds: %v", refused.Header)
		}
		other, _, _ := registerWebhook(t, w.B.Client, quick.URL)
		w.B.Post(t, other+"/test", nil).OK(200)
		release()
		tests.Wait()
		w.A.Post(t, path+"/test", nil).OK(200)
	}, func(c *server.Config) { c.WebhookTimeout = 5 * time.Minute })
}
