package api_test

import (
	"fmt"
	"testing"
	"time"

	"recado/internal/kernel"
	"recado/internal/people"
	"recado/test/servertest"
)

func TestAnIssuedKeyIsNoStrongerThanItsParent(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		end := w.Clock.Now().Add(time.Hour).UTC().Truncate(time.Second)
		scopes := kernel.NewScopeSet(people.ScopeKeysManage, people.ScopeTeamManage)
		issuer := func(in people.NewKey) (string, *servertest.Client) {
			t.Helper()
			in.Name, in.Scopes = "issuer", scopes
			k, c := w.NewKey(t, w.A.ID, in)
			return k.ID.String(), c
		}
		issue := func(c *servertest.Client, fields string) *servertest.Answer {
			t.Helper()
			return c.Post(t, "/keys", `{"name":"issued","scopes":["keys:manage"]`+fields+`}`)
		}
		expiry := func(at time.Time) string { return fmt.Sprintf(`,"expires_at":%q`, at.Format(time.RFC3339)) }
		t.Run("it expires no later than its parent", func(t *testing.T) {
			_, c := issuer(people.NewKey{ExpiresAt: &end})
			refused := issue(c, expiry(end.Add(time.Second))).Fails(403, "insufficient_scope")
			if got := refused.Text("details", 0, "field"); got != "body.expires_at" {
				t.Errorf("details.0.field: got %q, want body.expires_at", got)
			}
			issue(c, expiry(end.Add(-time.Minute))).OK(201)
			inherited := issue(c, "").OK(201)
			if at, err := time.Parse(time.RFC3339, inherited.Text("expires_at")); err != nil || !at.Equal(end) {
				t.Errorf("expires_at: got %q, want %s", inherited.Text("expires_at"), end)
			}
		})
		t.Run("its rate is no higher than its parent's", func(t *testing.T) {
			_, c := issuer(people.NewKey{Rate: &kernel.Rate{PerSecond: 500, Burst: 1000}})
			for _, rate := range []string{`{"per_second":501,"burst":1000}`, `{"per_second":500,"burst":1001}`} {
				issue(c, `,"rate":`+rate).Fails(403, "insufficient_scope")
			}
			issue(c, `,"rate":{"per_second":500,"burst":1000}`).OK(201)
			if got := issue(c, "").OK(201).Int("rate", "per_second"); got != 500 {
				t.Errorf("rate.per_second: got %d, want the issuer's 500", got)
			}
		})
		t.Run("it cannot rotate a key with a later expiry or a higher rate", func(t *testing.T) {
			other, _ := issuer(people.NewKey{})
			own, expiring := issuer(people.NewKey{ExpiresAt: &end})
			expiring.Post(t, "/keys/"+other+"/rotate", nil).Fails(403, "insufficient_scope")
			_, slow := issuer(people.NewKey{Rate: &kernel.Rate{PerSecond: 500, Burst: 1000}})
			slow.Post(t, "/keys/"+other+"/rotate", nil).Fails(403, "insufficient_scope")
			expiring.Post(t, "/keys/"+own+"/rotate", map[string]any{"overlap_seconds": 60}).OK(200)
			expiring.Delete(t, "/keys/"+other).OK(204)
		})
		t.Run("it is revoked with its parent, in every generation and after a rotation", func(t *testing.T) {
			id, c := issuer(people.NewKey{})
			child := issue(c, "").OK(201)
			rotated := c.Post(t, "/keys/"+child.ID()+"/rotate", nil).OK(200)
			second := c.As(rotated.Text("key"))
			third := c.As(issue(second, "").OK(201).Text("key"))
			_, bystander := issuer(people.NewKey{})
			third.Get(t, "/keys").OK(200)
			w.A.Delete(t, "/keys/"+id).OK(204)
			for name, key := range map[string]*servertest.Client{"parent": c, "child": second, "grandchild": third} {
				t.Run(name, func(t *testing.T) { key.Get(t, "/keys").Fails(401, "key_revoked") })
			}
			bystander.Get(t, "/keys").OK(200)
		})
		t.Run("it is revoked when its parent's member is removed", func(t *testing.T) {
			admin := addMember(t, w, "Zoe", `"role":"admin"`)
			agent := addMember(t, w, "Yan")
			issued := admin.Client.As(issue(admin.Client, `,"user_id":"`+agent.id+`"`).OK(201).Text("key"))
			issued.Get(t, "/keys").OK(200)
			w.A.Delete(t, "/team/"+admin.id).OK(204)
			issued.Get(t, "/keys").Fails(401, "key_revoked")
			agent.Get(t, "/me").OK(200)
		})
		t.Run("issuing while the parent is revoked leaves no valid key", func(t *testing.T) {
			id, c := issuer(people.NewKey{})
			secrets := make(chan string, 20)
			for range cap(secrets) {
				go func() {
					secrets <- c.Post(t, "/keys", `{"name":"issued","scopes":["keys:manage"]}`).Text("key")
				}()
			}
			w.A.Delete(t, "/keys/"+id).OK(204)
			for range cap(secrets) {
				if secret := <-secrets; secret != "" {
					c.As(secret).Get(t, "/keys").Fails(401, "key_revoked")
				}
			}
		})
	})
}

func TestARotatedKeyIsRevokedWithTheKeyThatRotatedIt(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		type key struct {
			*servertest.Client
			path string
		}
		newKey := func() key {
			t.Helper()
			k, c := w.NewKey(t, w.A.ID, people.NewKey{Name: "issuer", Scopes: kernel.NewScopeSet(people.ScopeKeysManage)})
			return key{c, "/keys/" + k.ID.String()}
		}
		issue := func(by key) key {
			t.Helper()
			made := by.Post(t, "/keys", `{"name":"issued","scopes":["keys:manage"]}`).OK(201)
			return key{by.As(made.Text("key")), "/keys/" + made.ID()}
		}
		rotate := func(by *servertest.Client, k key) key {
			t.Helper()
			return key{k.As(by.Post(t, k.path+"/rotate", nil).OK(200).Text("key")), k.path}
		}
		revoke := func(k key) {
			t.Helper()
			w.A.Delete(t, k.path).OK(204)
		}
		expectRevoked := func(k key) {
			t.Helper()
			k.Get(t, "/keys").Fails(401, "key_revoked")
		}
		expectValid := func(k key) {
			t.Helper()
			k.Get(t, "/keys").OK(200)
		}
		t.Run("a rotated key becomes a child of the key that rotated it", func(t *testing.T) {
			leaked, equal := newKey(), newKey()
			issued := issue(equal)
			taken := rotate(leaked.Client, equal)
			expectValid(taken)
			revoke(leaked)
			expectRevoked(taken)
			expectRevoked(issued)
		})
		t.Run("a rotated sibling is still revoked with the common parent", func(t *testing.T) {
			parent := newKey()
			first, second := issue(parent), issue(parent)
			second = rotate(first.Client, second)
			revoke(parent)
			expectRevoked(second)
		})
		t.Run("a key issued by another key cannot be rotated", func(t *testing.T) {
			leaked, other := newKey(), newKey()
			issued := issue(leaked)
			other.Post(t, issued.path+"/rotate", nil).Fails(403, "insufficient_scope")
			revoke(leaked)
			expectRevoked(issued)
		})
		t.Run("a key cannot rotate its ancestors", func(t *testing.T) {
			first := newKey()
			second := issue(first)
			third := issue(second)
			for _, ancestor := range []key{first, second} {
				refused := third.Post(t, ancestor.path+"/rotate", nil).Fails(403, "insufficient_scope")
				if got, want := refused.Text("message"), "A key cannot rotate the keys it was issued by."; got != want {
					t.Errorf("message: got %q, want %q", got, want)
				}
			}
			expectValid(first)
			third = rotate(third.Client, third)
			revoke(first)
			expectRevoked(third)
		})
		t.Run("two keys cannot become each other's parent", func(t *testing.T) {
			first, second := newKey(), newKey()
			second = rotate(first.Client, second)
			second.Post(t, first.path+"/rotate", nil).Fails(403, "insufficient_scope")
			revoke(second)
			expectValid(first)
		})
		t.Run("a rotated grandchild keeps its parent", func(t *testing.T) {
			first := newKey()
			second := issue(first)
			third := rotate(first.Client, issue(second))
			revoke(second)
			expectRevoked(third)
			expectValid(first)
		})
		t.Run("a rotation by a person does not change the parent", func(t *testing.T) {
			parent, other := newKey(), newKey()
			child := rotate(w.A.Enter(t, w.A.Owner.ID.String(), password), issue(parent))
			revoke(other)
			expectValid(child)
			revoke(parent)
			expectRevoked(child)
		})
		t.Run("rotating while the key is revoked leaves no valid secret", func(t *testing.T) {
			leaked := newKey()
			secrets := make(chan string, 10)
			for range cap(secrets) {
				path := newKey().path
				go func() { secrets <- leaked.Post(t, path+"/rotate", nil).Text("key") }()
			}
			revoke(leaked)
			for range cap(secrets) {
				if secret := <-secrets; secret != "" {
					leaked.As(secret).Get(t, "/keys").Fails(401, "key_revoked")
				}
			}
		})
	})
}
