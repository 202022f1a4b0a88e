package api_test

import (
	"testing"

	"recado/internal/kernel"
	"recado/internal/people"
	"recado/test/servertest"
)

func TestReadingEventsNeedsItsOwnScope(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		with := func(scopes ...kernel.Scope) *servertest.Client {
			t.Helper()
			_, c := w.NewKey(t, w.A.ID, people.NewKey{Name: "reader", Scopes: kernel.NewScopeSet(scopes...)})
			return c
		}
		t.Run("events:read allows the feed and no webhooks", func(t *testing.T) {
			reader := with(people.ScopeEventsRead)
			reader.Get(t, "/events").OK(200)
			reader.Get(t, "/integrations/webhooks").Fails(403, "insufficient_scope")
		})
		t.Run("webhooks:manage includes it", func(t *testing.T) {
			with(people.ScopeWebhooksManage).Get(t, "/events").OK(200)
		})
		t.Run("a key with webhooks:manage issues keys with events:read", func(t *testing.T) {
			issuer := with(people.ScopeKeysManage, people.ScopeWebhooksManage)
			made := issuer.Post(t, "/keys", map[string]any{"name": "feed", "scopes": []string{"events:read"}}).OK(201)
			if got := made.Text("scopes", 0); got != "events:read" {
				t.Errorf("scopes.0: got %q, want events:read", got)
			}
			issuer.Post(t, "/keys", map[string]any{"name": "more", "scopes": []string{"audit:read"}}).Fails(403, "insufficient_scope")
		})
		t.Run("every scope can be granted", func(t *testing.T) {
			names := make([]string, len(kernel.AllScopes))
			for i, scope := range kernel.AllScopes {
				names[i] = string(scope)
			}
			made := w.A.Post(t, "/keys", map[string]any{"name": "all", "scopes": names}).OK(201)
			for i, name := range names {
				if got := made.Text("scopes", i); got != name {
					t.Errorf("scopes.%d: got %q, want %q", i, got, name)
				}
			}
		})
	})
}
