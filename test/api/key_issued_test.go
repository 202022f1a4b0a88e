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
		t.Run("it expires no later", func(t *testing.T) {
			_, c := issuer(people.NewKey{ExpiresAt: &end})
			refused := issue(c, expiry(end.Add(time.Second))).Fails(403, "insufficient_scope")
			if got := refused.Text("details", 0, "field"); got != "body.expires_at" {
				t.Errorf("field = %q, want body.expires_at", got)
			}
			issue(c, expiry(end.Add(-time.Minute))).OK(201)
			inherited := issue(c, "").OK(201)
			if at, err := time.Parse(time.RFC3339, inherited.Text("expires_at")); err != nil || !at.Equal(end) {
				t.Errorf("expires_at = %q, want %s", inherited.Text("expires_at"), end)
			}
		})
		t.Run("its rate is no higher", func(t *testing.T) {
			_, c := issuer(people.NewKey{Rate: &kernel.Rate{PerSecond: 500, Burst: 1000}})
			for _, rate := range []string{`{"per_second":501,"burst":1000}`, `{"per_second":500,"burst":1001}`} {
				issue(c, `,"rate":`+rate).Fails(403, "insufficient_scope")
			}
			issue(c, `,"rate":{"per_second":500,"burst":1000}`).OK(201)
			if got := issue(c, "").OK(201).Int("rate", "per_second"); got != 500 {
				t.Errorf("per_second = %d, want the issuer's 500", got)
			}
		})
		t.Run("a key that lives longer or is faster is not rotated", func(t *testing.T) {
			other, _ := issuer(people.NewKey{})
			own, expiring := issuer(people.NewKey{ExpiresAt: &end})
			expiring.Post(t, "/keys/"+other+"/rotate", nil).Fails(403, "insufficient_scope")
			_, slow := issuer(people.NewKey{Rate: &kernel.Rate{PerSecond: 500, Burst: 1000}})
			slow.Post(t, "/keys/"+other+"/rotate", nil).Fails(403, "insufficient_scope")
			expiring.Post(t, "/keys/"+own+"/rotate", map[string]any{"overlap_seconds": 60}).OK(200)
			expiring.Delete(t, "/keys/"+other).OK(204)
		})
		t.Run("it ends with its parent, in every generation and after a rotation", func(t *testing.T) {
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
		t.Run("it ends when the member of its parent is removed", func(t *testing.T) {
			admin := addMember(t, w, "Zoe", `"role":"admin"`)
			agent := addMember(t, w, "Yan")
			issued := admin.Client.As(issue(admin.Client, `,"user_id":"`+agent.ref+`"`).OK(201).Text("key"))
			issued.Get(t, "/keys").OK(200)
			w.A.Delete(t, "/team/"+admin.ref).OK(204)
			issued.Get(t, "/keys").Fails(401, "key_revoked")
			agent.Get(t, "/me").OK(200)
		})
		t.Run("issuing races with revoking and leaves no key behind", func(t *testing.T) {
			id, c := issuer(people.NewKey{})
			secrets := make(chan string, 20)
			for range cap(secrets) {
				go func() {
					answer := c.Post(t, "/keys", `{"name":"issued","scopes":["keys:manage"]}`)
					secrets <- answer.Text("key")
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

func TestARotatedKeyEndsWithTheKeyThatRotatedIt(t *testing.T) {
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
		ended := func(k key) {
			t.Helper()
			k.Get(t, "/keys").Fails(401, "key_revoked")
		}
		valid := func(k key) {
			t.Helper()
			k.Get(t, "/keys").OK(200)
		}
		t.Run("one that it did not issue becomes one that it issued", func(t *testing.T) {
			leaked, equal := newKey(), newKey()
			issued := issue(equal)
			taken := rotate(leaked.Client, equal)
			valid(taken)
			revoke(leaked)
			ended(taken)
			ended(issued)
		})
		t.Run("a sibling still ends with the key that issued both", func(t *testing.T) {
			parent := newKey()
			first, second := issue(parent), issue(parent)
			second = rotate(first.Client, second)
			revoke(parent)
			ended(second)
		})
		t.Run("one that another key issued is not taken from that key", func(t *testing.T) {
			leaked, other := newKey(), newKey()
			issued := issue(leaked)
			other.Post(t, issued.path+"/rotate", nil).Fails(403, "insufficient_scope")
			revoke(leaked)
			ended(issued)
		})
		t.Run("one that it descends from is not rotated", func(t *testing.T) {
			first := newKey()
			second := issue(first)
			third := issue(second)
			for _, ancestor := range []key{first, second} {
				refused := third.Post(t, ancestor.path+"/rotate", nil).Fails(403, "insufficient_scope")
				if got, want := refused.Text("message"), "A key cannot rotate the keys that it was issued by."; got != want {
					t.Errorf("message = %q, want %q", got, want)
				}
			}
			valid(first)
			third = rotate(third.Client, third)
			revoke(first)
			ended(third)
		})
		t.Run("two keys do not become the issuers of each other", func(t *testing.T) {
			first, second := newKey(), newKey()
			second = rotate(first.Client, second)
			second.Post(t, first.path+"/rotate", nil).Fails(403, "insufficient_scope")
			revoke(second)
			valid(first)
		})
		t.Run("one of a later generation keeps its issuer", func(t *testing.T) {
			first := newKey()
			second := issue(first)
			third := rotate(first.Client, issue(second))
			revoke(second)
			ended(third)
			valid(first)
		})
		t.Run("a rotation by a person changes no issuer", func(t *testing.T) {
			parent, other := newKey(), newKey()
			child := rotate(w.A.Enter(t, w.A.Owner.ID.String(), password), issue(parent))
			revoke(other)
			valid(child)
			revoke(parent)
			ended(child)
		})
		t.Run("rotating races with revoking and leaves no secret behind", func(t *testing.T) {
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
