package webhooks_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"recado/internal/guard"
	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/server"
	"recado/internal/vault"
	"recado/internal/webhooks"
	"recado/test/kerneltest"
	"recado/test/servertest"
	"recado/test/testkit"
)

func TestDeliveriesAreKeptForFourteenDays(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		receiver := testkit.NewReceiver(t)
		hook := w.A.Post(t, "/integrations/webhooks", map[string]any{"name": "x", "url": receiver.URL, "events": []string{"message.sent"}}).OK(201)
		deliveries := "/integrations/webhooks/" + hook.ID() + "/deliveries"
		purge := func() {
			t.Helper()
			if more, err := w.Desk.Webhooks.PurgeWebhooks(context.Background()); err != nil || more {
				t.Fatalf("want err == nil and !more; got %+v, %+v", more, err)
			}
		}
		w.A.Post(t, "/integrations/webhooks/"+hook.ID()+"/test", nil).OK(200)
		w.Clock.Advance(14*24*time.Hour - time.Minute)
		w.A.Post(t, "/integrations/webhooks/"+hook.ID()+"/test", nil).OK(200)
		purge()
		if n := len(w.A.Get(t, deliveries).OK(200).List()); n != 2 {
			t.Fatalf("%d deliveries before their time", n)
		}
		w.Clock.Advance(2 * time.Minute)
		purge()
		if n := len(w.A.Get(t, deliveries).OK(200).List()); n != 1 {
			t.Fatalf("%d deliveries after 14 days", n)
		}
	})
}

func TestDeliveryMetrics(t *testing.T) {
	addr := testkit.FreeAddress(t)
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		w.A.Post(t, "/integrations/webhooks", `{"name":"x","url":"https://example.com","events":["message.sent"]}`).OK(201)
		resp, err := http.Get("http://" + addr + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range []string{
			"recado_webhook_deliveries_due 0", "recado_webhook_oldest_due_seconds 0", `recado_waiting{kind="sends"} 0`, `recado_webhooks{state="healthy"} 1`,
			"recado_webhook_requests_in_flight ", "recado_webhook_lanes{", "recado_webhook_attempt_seconds_count",
		} {
			if !strings.Contains(string(text), "\n"+line) {
				t.Errorf("no line %q", line)
			}
		}
	}, func(c *server.Config) { c.MetricsAddr = addr })
}

func TestWebhookSecretsAreSealedWithTheNewestKey(t *testing.T) {
	kerneltest.Each(t, func(t *testing.T, open func() *kernel.Store) {
		keys, err := vault.Open(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		d := server.New(server.Options{Store: open(), Vault: keys, Guard: guard.New(guard.Options{AllowInsecure: true}), Logger: slog.New(slog.DiscardHandler)})
		a, _ := servertest.AddCompany(t, d, people.NewCompany{Name: "Padaria"})
		company := a.Company
		hook, _, err := d.Webhooks.CreateWebhook(t.Context(), a, webhooks.NewWebhook{Name: "x", URL: "https://example.com", Events: []string{"message.sent"}})
		if err != nil {
			t.Fatal(err)
		}
		_, secret, err := d.Webhooks.RotateWebhookSecret(t.Context(), a, hook.ID)
		if err != nil {
			t.Fatal(err)
		}
		if err := keys.Rotate(); err != nil {
			t.Fatal(err)
		}
		for _, want := range []int{1, 0} {
			if n, err := d.SecretKey().Reseal(t.Context()); err != nil || n != want {
				t.Fatalf("want err == nil and n == want; got %+v, %+v", n, err)
			}
		}
		var sealed webhooks.WebhookRow
		err = open().Write(t.Context(), func(tx *kernel.Tx) (err error) {
			sealed, err = webhooks.LockWebhook(tx, company.ID, hook.ID)
			return err
		})
		plain, broken := keys.Open(sealed.Secret, company.ID, hook.ID)
		if err != nil {
			t.Fatalf("want err == nil; got %+v, %+v", err, broken)
		}
		if broken != nil {
			t.Fatalf("want broken == nil; got %+v, %+v", err, broken)
		}
		testkit.Equal(t, "plain", string(plain), secret)
		if keys.Stale(sealed.Secret) {
			t.Fatalf("want !keys.Stale(sealed.Secret); got %+v, %+v", err, broken)
		}
		if keys.Stale(sealed.OldSecret) {
			t.Fatalf("want !keys.Stale(sealed.OldSecret); got %+v, %+v", err, broken)
		}
	})
}
