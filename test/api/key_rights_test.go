package api_test

import (
	"fmt"
	"testing"
	"time"

	"recado/internal/kernel"
	"recado/internal/people"
	"recado/test/servertest"
	"recado/test/testkit"
)

// TestAKeyNeverExceedsItsIssuersCurrentRights issues keys and then changes the members who issued them.
func TestAKeyNeverExceedsItsIssuersCurrentRights(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		owner := w.A.Enter(t, w.A.Owner.ID.String(), password)
		update := func(id, fields string) { t.Helper(); owner.Patch(t, "/team/"+id, "{"+fields+"}").OK(200) }
		issue := func(c *servertest.Client, user string, scopes ...string) (string, *servertest.Client) {
			t.Helper()
			body := map[string]any{"name": "issued", "scopes": scopes}
			if user != "" {
				body["user_id"] = user
			}
			k := c.Post(t, "/keys", body).OK(201)
			return "/keys/" + k.ID(), w.A.As(k.Text("key"))
		}
		scopesOf := func(c *servertest.Client) (scopes []string) {
			t.Helper()
			for _, scope := range c.Get(t, "/session").OK(200).List("scopes") {
				scopes = append(scopes, scope.(string))
			}
			return scopes
		}
		addWithRole := func(c *servertest.Client, role string) *servertest.Answer {
			t.Helper()
			return c.Post(t, "/team", fmt.Sprintf(`{"name":"New","email":"%s@x.example","role":%q}`, kernel.NewID(), role))
		}

		t.Run("an admin's key cannot create owners when its member becomes an owner", func(t *testing.T) {
			admin, adminID := signedIn(t, w, "Ada", `"role":"admin"`)
			agentID, _ := member(t, w.A.Client, "Bia")
			_, key := issue(admin, agentID, scopesOf(admin)...)
			_, child := issue(key, "", scopesOf(admin)...)
			addWithRole(key, "agent").Fails(403, "insufficient_scope")
			update(agentID, `"role":"owner"`)
			for name, c := range map[string]*servertest.Client{"the key": key, "a key that it issued": child} {
				if got := addWithRole(c, "owner"); got.Status != 403 {
					t.Errorf("%s creates an owner: got %d %s, want 403", name, got.Status, got.Raw)
				}
				if got := c.Patch(t, "/team/"+adminID, `{"role":"owner"}`); got.Status != 403 {
					t.Errorf("%s promotes its issuer: got %d %s, want 403", name, got.Status, got.Raw)
				}
				addWithRole(c, "manager").OK(201)
			}
			update(adminID, `"role":"owner"`)
			addWithRole(key, "owner").Fails(403, "insufficient_scope") // it lacks data:manage, which only owners have
		})
		t.Run("a demoted admin's own key loses the rights too", func(t *testing.T) {
			admin, adminID := signedIn(t, w, "Ada", `"role":"admin"`)
			_, key := issue(admin, "", "team:manage", "company:manage", "keys:manage", "conversations:read")
			_, child := issue(key, "", "team:manage", "company:manage", "conversations:read")
			update(adminID, `"role":"agent"`)
			for name, c := range map[string]*servertest.Client{"the key": key, "a key that it issued": child} {
				for path, status := range map[string]int{"/company": 403, "/team/invitations": 403, "/conversations": 200} {
					if got := c.Get(t, path); got.Status != status {
						t.Errorf("%s, GET %s: got %d, want %d", name, path, got.Status, status)
					}
				}
				addWithRole(c, "agent").Fails(403, "insufficient_scope")
			}
			testkit.Diff(t, "scopes", key.Get(t, "/me").OK(200).At("integration", "scopes"), []any{"conversations:read"})
			key.Post(t, "/keys", `{"name":"x","scopes":["conversations:read"]}`).Fails(403, "insufficient_scope")
			update(adminID, `"role":"admin"`)
			addWithRole(key, "agent").OK(201)
		})
		t.Run("a key sees no more conversations than its issuer", func(t *testing.T) {
			admin, adminID := signedIn(t, w, "Ada", `"role":"admin"`)
			seesAll, _ := member(t, w.A.Client, "Bia")
			id := customerWrites(t, w, sandbox(t, w), phoneNumber(1))
			_, key := issue(admin, seesAll, "conversations:read")
			key.Get(t, "/conversations/"+id).OK(200)
			update(adminID, `"role":"manager","access_profile":"own"`)
			key.Get(t, "/conversations/"+id).Fails(404, "not_found")
		})
		t.Run("a key is revoked when its issuer is removed", func(t *testing.T) {
			admin, adminID := signedIn(t, w, "Ada", `"role":"admin"`)
			agentID, _ := member(t, w.A.Client, "Bia")
			path, key := issue(admin, agentID, "team:read", "keys:manage")
			_, child := issue(key, "", "team:read")
			owner.Delete(t, "/team/"+adminID).OK(204)
			key.Get(t, "/me").Fails(401, "key_revoked")
			child.Get(t, "/me").Fails(401, "key_revoked")
			if owner.Get(t, path).OK(200).At("revoked_at") == nil {
				t.Error("revoked_at: got null, want a time")
			}
		})
		t.Run("the person who rotates a key becomes its issuer", func(t *testing.T) {
			admin, adminID := signedIn(t, w, "Ada", `"role":"admin"`)
			agentID, _ := member(t, w.A.Client, "Bia")
			path, _ := issue(owner, agentID, scopesOf(admin)...)
			key := w.A.As(admin.Post(t, path+"/rotate", nil).OK(200).Text("key"))
			update(agentID, `"role":"owner"`)
			addWithRole(key, "owner").Fails(403, "insufficient_scope")
			update(adminID, `"role":"agent"`)
			addWithRole(key, "agent").Fails(403, "insufficient_scope")
		})
		t.Run("a key from the command line depends only on its member", func(t *testing.T) {
			agent := w.NewMember(t, people.NewUser{Name: "Caio", Role: kernel.RoleAgent, AccessProfile: kernel.AccessAll}).ID
			_, key := w.NewKey(t, w.A.ID, people.NewKey{Name: "bot", Scopes: kernel.EveryScope, User: &agent})
			addWithRole(key, "agent").Fails(403, "insufficient_scope")
			update(agent.String(), `"role":"owner"`)
			addWithRole(key, "owner").OK(201)
		})
		t.Run("a key's scheduled message is sent with the current rights of its issuer", func(t *testing.T) {
			admin, adminID := signedIn(t, w, "Ada", `"role":"admin"`)
			bia, _ := member(t, w.A.Client, "Bia")
			id := customerWrites(t, w, sandbox(t, w), phoneNumber(2))
			_, key := issue(admin, bia, "messages:send", "conversations:read")
			scheduled := key.Post(t, "/conversations/"+id+"/scheduled", scheduledMessage(w, 2*time.Minute, "oi")).OK(201).ID()
			update(adminID, `"role":"manager","access_profile":"own"`)
			w.Clock.Advance(3 * time.Minute)
			failed := waitForOutcome(t, w.A.Client, id, scheduled)
			testkit.Diff(t, "status", failed["status"], "failed")
			testkit.Diff(t, "error.code", failed["error"].(map[string]any)["code"], "not_visible")
		})
	})
}
