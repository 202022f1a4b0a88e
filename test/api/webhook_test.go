package api_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/server"
	"recado/test/servertest"
	"recado/test/testkit"
)

// registerWebhook registers a webhook for all events and returns its path, id and secret.
func registerWebhook(t *testing.T, c *servertest.Client, url string) (path, id, secret string) {
	t.Helper()
	a := c.Post(t, "/integrations/webhooks", map[string]any{"name": "Orders", "url": url, "events": kernel.AllEvents}).OK(201)
	return "/integrations/webhooks/" + a.ID(), a.ID(), a.Text("secret")
}

func TestWebhooksAreManaged(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		const hooks = "/integrations/webhooks"

		t.Run("only registration and rotation show the secret", func(t *testing.T) {
			a := w.A.Post(t, hooks, `{"name":" Orders ","url":"https://EXAMPLE.com/hook","events":["message.sent","message.received","message.sent"]}`).OK(201)
			secret := a.Text("secret")
			if !strings.HasPrefix(secret, "whsec_") {
				t.Fatalf("secret: got %s, want the prefix whsec_", a.Raw)
			}
			testkit.Equal(t, "length of the secret", len(secret), len("whsec_")+44)
			testkit.Equal(t, "name", a.Text("name"), "Orders")
			testkit.Equal(t, "url", a.Text("url"), "https://example.com/hook")
			testkit.Equal(t, "events", fmt.Sprint(a.At("events")), "[message.received message.sent]")
			testkit.Equal(t, "active", a.At("active"), true)
			testkit.Equal(t, "consecutive_failures", a.Int("consecutive_failures"), 0)
			listed := w.A.Get(t, hooks).OK(200)
			testkit.Equal(t, "number of data", len(listed.List()), 1)
			if strings.Contains(string(listed.Raw), "secret") {
				t.Fatalf("the list shows a secret: %s", listed.Raw)
			}
			testkit.Diff(t, "webhooks of another company", w.B.Get(t, hooks).OK(200).List(), []any{})
			changed := w.A.Patch(t, hooks+"/"+a.ID(), `{"name":"Shop","events":["attendance.closed"],"active":false}`).OK(200)
			testkit.Equal(t, "name", changed.Text("name"), "Shop")
			testkit.Equal(t, "events", fmt.Sprint(changed.At("events")), "[attendance.closed]")
			testkit.Equal(t, "active", changed.At("active"), false)
			if strings.Contains(string(changed.Raw), "secret") {
				t.Fatalf("the response to a change shows a secret: %s", changed.Raw)
			}
			rotated := w.A.Post(t, hooks+"/"+a.ID()+"/rotate-secret", nil).OK(200)
			if fresh := rotated.Text("secret"); fresh == secret || !strings.HasPrefix(fresh, "whsec_") {
				t.Fatalf("rotated secret: got %s, want a new one with the prefix whsec_", rotated.Raw)
			}
			w.A.Delete(t, hooks+"/"+a.ID()).OK(204)
			w.A.Delete(t, hooks+"/"+a.ID()).Fails(404, "not_found")
		})

		t.Run("the events can be listed", func(t *testing.T) {
			events := w.A.Get(t, hooks+"/events").OK(200)
			testkit.Equal(t, "number of data", len(events.List()), 13)
			testkit.Equal(t, "data.0.name", events.Text("data", 0, "name"), "message.received")
			if events.Text("data", 0, "description") == "" {
				t.Fatalf("data.0.description: got none: %s", events.Raw)
			}
		})

		t.Run("bad input is refused with the field", func(t *testing.T) {
			id := w.A.Post(t, hooks, `{"name":"x","url":"https://example.com","events":["message.sent"]}`).OK(201).ID()
			for _, c := range []struct{ body, code, field string }{
				{`{"url":"https://example.com","events":["message.sent"]}`, "invalid_request", "body"},
				{`{"name":"x","events":["message.sent"]}`, "invalid_request", "body"},
				{`{"name":"x","url":"https://example.com"}`, "invalid_request", "body"},
				{`{"name":"x","url":"https://example.com","events":[]}`, "invalid_request", "body.events"},
				{`{"name":"x","url":"https://example.com","events":null}`, "invalid_request", "body.events"},
				{`{"name":"x","url":"https://example.com","events":["message.sent","message.lost"]}`, "invalid_request", "body.events"},
				{`{"name":"x","url":"https://example.com","events":["webhook.test"]}`, "invalid_request", "body.events"},
				{`{"name":" ","url":"https://example.com","events":["message.sent"]}`, "invalid_request", "body.name"},
				{`{"name":"x","url":"ftp://example.com","events":["message.sent"]}`, "url_not_allowed", "body.url"},
				{`{"name":"x","url":"https://user@example.com","events":["message.sent"]}`, "url_not_allowed", "body.url"},
				{`{"name":"x","url":"https://example.com:0","events":["message.sent"]}`, "url_not_allowed", "body.url"},
				{`{"name":"x","url":"https://example.com:port","events":["message.sent"]}`, "url_not_allowed", "body.url"},
				{`{"name":"x","url":"https://%31%32%37.0.0.1/","events":["message.sent"]}`, "url_not_allowed", "body.url"},
				{`{"name":"x","url":"https://exa mple.com/","events":["message.sent"]}`, "url_not_allowed", "body.url"},
			} {
				a := w.A.Post(t, hooks, c.body).Fails(400, c.code)
				if !strings.HasPrefix(a.Text("details", 0, "field"), c.field) {
					t.Errorf("%s: got %s, want a field with the prefix %s", c.body, a.Raw, c.field)
				}
			}
			testkit.Contains(t, "message", w.A.Patch(t, hooks+"/"+id, `{"events":["message.lost"]}`).Fails(400, "invalid_request").Text("message"), "message.lost")
			w.A.Patch(t, hooks+"/"+id, `{"url":"ftp://example.com"}`).Fails(400, "url_not_allowed")
			w.A.Patch(t, hooks+"/"+id, `{"active":"yes"}`).Fails(400, "invalid_request")
			w.A.Patch(t, hooks+"/"+id, `{"secret":"x"}`).Fails(400, "invalid_request")
			w.A.Patch(t, hooks+"/"+id, nil).OK(200)
			w.A.Delete(t, hooks+"/"+id).OK(204)
		})

		t.Run("an unknown or another company's webhook is not found", func(t *testing.T) {
			path, id, _ := registerWebhook(t, w.A.Client, "https://example.com")
			for _, at := range []string{hooks + "/" + unknownID, hooks + "/nothing", "B"} {
				c := w.A.Client
				if at == "B" {
					c, at = w.B.Client, path
				}
				c.Patch(t, at, `{}`).Fails(404, "not_found")
				c.Delete(t, at).Fails(404, "not_found")
				c.Post(t, at+"/rotate-secret", nil).Fails(404, "not_found")
				c.Post(t, at+"/test", nil).Fails(404, "not_found")
				c.Get(t, at+"/deliveries").Fails(404, "not_found")
				c.Post(t, at+"/deliveries/"+unknownID+"/redeliver", nil).Fails(404, "not_found")
			}
			w.A.Post(t, path+"/deliveries/"+unknownID+"/redeliver", nil).Fails(404, "not_found")
			w.A.Post(t, path+"/deliveries/nothing/redeliver", nil).Fails(404, "not_found")
			w.A.Delete(t, hooks+"/"+id).OK(204)
		})

		t.Run("a company has at most 20 webhooks, even with concurrent requests", func(t *testing.T) {
			var made, refused int
			var mu sync.Mutex
			var group sync.WaitGroup
			for range 25 {
				group.Go(func() {
					a := w.B.Post(t, hooks, `{"name":"x","url":"https://example.com","events":["message.sent"]}`)
					mu.Lock()
					defer mu.Unlock()
					switch {
					case a.Status == 201:
						made++
					case a.Status == 409 && a.Text("code") == "webhook_limit":
						refused++
					}
				})
			}
			group.Wait()
			if made != 20 || refused != 5 {
				t.Fatalf("got %d created and %d refused, want 20 and 5", made, refused)
			}
		})
	})
}

func TestWebhooksToInternalAddressesAreRefused(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		for _, url := range []string{"http://example.com", "https://localhost/x", "https://10.0.0.1", "https://169.254.169.254/latest", "https://2130706433", "https://[::1]/"} {
			a := w.A.Post(t, "/integrations/webhooks", map[string]any{"name": "x", "url": url, "events": []string{"message.sent"}}).Fails(400, "url_not_allowed")
			if a.Text("details", 0, "field") != "body.url" || a.Text("message") == "" {
				t.Errorf("%s: got %s, want a message and the field body.url", url, a.Raw)
			}
		}
		w.A.Post(t, "/integrations/webhooks", `{"name":"x","url":"https://example.com","events":["message.sent"]}`).OK(201)
	}, func(c *server.Config) { c.WebhookAllowInsecure = false })
}

func TestAWebhookTest(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		receiver := testkit.NewReceiver(t)
		path, _, secret := registerWebhook(t, w.A.Client, receiver.URL)

		t.Run("is signed as documented", func(t *testing.T) {
			made := w.A.Post(t, path+"/test", nil).OK(200)
			got := receiver.Next(t)
			testkit.Equal(t, "status", made.Text("status"), "delivered")
			testkit.Equal(t, "event", made.Text("event"), "webhook.test")
			testkit.Equal(t, "attempts.0.status_code", made.Int("attempts", 0, "status_code"), 200)
			testkit.Equal(t, "next_attempt_at", made.At("next_attempt_at"), nil)
			if made.At("finished_at") == nil {
				t.Fatalf("finished_at: got null, want a time: %s", made.Raw)
			}
			if !serviceSignatureIsValid(got, secret) || !standardSignatureIsValid(got, secret) {
				t.Fatalf("a signature is not valid: %v %s", got.Header, got.Body)
			}
			testkit.Equal(t, "header X-Service-Event", got.Header.Get("X-Service-Event"), "webhook.test")
			testkit.Equal(t, "header X-Service-Event-Id", got.Header.Get("X-Service-Event-Id"), made.Text("event_id"))
			testkit.Equal(t, "header X-Service-Delivery", got.Header.Get("X-Service-Delivery"), made.ID())
			testkit.Equal(t, "header Content-Type", got.Header.Get("Content-Type"), "application/json")
			testkit.Equal(t, "header User-Agent", got.Header.Get("User-Agent"), "Recado/development")
		})
		t.Run("is neither repeated nor counted when it fails", func(t *testing.T) {
			receiver.AnswerStatus(500)
			made := w.A.Post(t, path+"/test", nil).OK(200)
			receiver.Next(t)
			testkit.Equal(t, "status", made.Text("status"), "failed")
			testkit.Equal(t, "attempts.0.status_code", made.Int("attempts", 0, "status_code"), 500)
			if made.Text("attempts", 0, "error") == "" {
				t.Fatalf("attempts.0.error: got none: %s", made.Raw)
			}
			testkit.Equal(t, "next_attempt_at", made.At("next_attempt_at"), nil)
			testkit.Equal(t, "consecutive_failures", w.A.Get(t, "/integrations/webhooks").Int("data", 0, "consecutive_failures"), 0)
			receiver.Answer(nil)
		})
		t.Run("works while the webhook is inactive", func(t *testing.T) {
			w.A.Patch(t, path, `{"active":false}`).OK(200)
			testkit.Equal(t, "status", w.A.Post(t, path+"/test", nil).OK(200).Text("status"), "delivered")
			w.A.Patch(t, path, `{"active":true}`).OK(200)
		})
		t.Run("is listed with the deliveries, newest first, page by page", func(t *testing.T) {
			first := w.A.Get(t, path+"/deliveries?limit=2").OK(200)
			testkit.Equal(t, "number of data", len(first.List()), 2)
			if first.Text("next_cursor") == "" {
				t.Fatalf("next_cursor: got none: %s", first.Raw)
			}
			testkit.Equal(t, "data.1.status", first.Text("data", 1, "status"), "failed")
			second := w.A.Get(t, path+"/deliveries?limit=2&cursor="+first.Text("next_cursor")).OK(200)
			testkit.Equal(t, "number of data", len(second.List()), 1)
			testkit.Equal(t, "next_cursor", second.At("next_cursor"), nil)
			testkit.Equal(t, "data.0.status", second.Text("data", 0, "status"), "delivered")
			w.A.Get(t, path+"/deliveries?cursor=nonsense").Fails(400, "invalid_cursor")
			w.A.Get(t, path+"/deliveries?limit=0").Fails(400, "invalid_request")
			w.A.Get(t, path+"/deliveries?limit=101").Fails(400, "invalid_request")
			other, _, _ := registerWebhook(t, w.A.Client, receiver.URL)
			w.A.Get(t, other+"/deliveries?cursor="+first.Text("next_cursor")).Fails(400, "invalid_cursor")
		})
		t.Run("is not in the feed", func(t *testing.T) {
			testkit.Equal(t, "number of data", len(w.A.Get(t, "/events").OK(200).List()), 0)
		})
		t.Run("needs the scope webhooks:manage", func(t *testing.T) {
			_, other := w.NewKey(t, w.A.ID, people.NewKey{Name: "reader", Scopes: kernel.NewScopeSet(people.ScopeRead)})
			other.Post(t, path+"/test", nil).Fails(403, "insufficient_scope")
			other.Get(t, "/events").Fails(403, "insufficient_scope")
			other.Get(t, "/events/stream").Fails(403, "insufficient_scope")
		})
	})
}
