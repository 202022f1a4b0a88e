package api_test

import (
	"fmt"
	"testing"

	"recado/internal/kernel"
	"recado/internal/people"
	"recado/test/servertest"
	"recado/test/testkit"
)

// TestKeysAndMembersCannotGrantMoreThanTheyHave checks that a caller can neither grant nor take over nor revoke rights that it
// does not have itself.
func TestKeysAndMembersCannotGrantMoreThanTheyHave(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		person := func(name string, role kernel.Role, profile kernel.AccessProfile) kernel.ID {
			t.Helper()
			return w.NewMember(t, people.NewUser{Name: name, Role: role, AccessProfile: profile}).ID
		}
		manage := kernel.NewScopeSet(people.ScopeKeysManage, people.ScopeTeamManage)
		key := func(name string, user kernel.ID, scopes kernel.ScopeSet, boards *[]kernel.ID) (string, *servertest.Client) {
			t.Helper()
			k, c := w.NewKey(t, w.A.ID, people.NewKey{Name: name, Scopes: scopes, User: &user, Boards: boards})
			return "/keys/" + k.ID.String(), c
		}
		admin := person("Admin", kernel.RoleAdmin, kernel.AccessAll)
		_, weak := key("weak", admin, manage, nil)
		board := newBoard(t, w.A.Client)
		boards := []kernel.ID{mustID(board.id)}
		_, narrow := key("narrow", admin, manage, &boards)

		t.Run("the list shows the boards of each key", func(t *testing.T) {
			none, two := []kernel.ID{}, []kernel.ID{boards[0], mustID(newBoard(t, w.A.Client).id)}
			made := map[string]any{}
			for name, boards := range map[string]*[]kernel.ID{"all": nil, "none": &none, "one": &boards, "two": &two} {
				path, _ := key(name, admin, manage, boards)
				made[name] = w.A.Get(t, path).OK(200).At("boards")
			}
			testkit.Diff(t, "boards of none", made["none"], []any{})
			testkit.Diff(t, "boards of two", len(made["two"].([]any)), 2)
			listed := map[string]any{}
			for _, k := range w.A.Get(t, "/keys").OK(200).List() {
				if k := k.(map[string]any); made[k["name"].(string)] != nil || k["name"] == "all" {
					listed[k["name"].(string)] = k["boards"]
				}
			}
			testkit.Diff(t, "boards in the list", listed, made)
		})
		t.Run("a stronger key can be neither rotated nor revoked", func(t *testing.T) {
			scopes, _ := key("more scopes", admin, kernel.EveryScope, nil)
			owner, _ := key("the owner's", w.A.Owner.ID, manage, nil)
			all, _ := key("all boards", admin, manage, nil)
			for path, by := range map[string]*servertest.Client{scopes: weak, owner: weak, all: narrow} {
				by.Post(t, path+"/rotate", nil).Fails(403, "insufficient_scope")
				by.Delete(t, path).Fails(403, "insufficient_scope")
				w.A.Post(t, path+"/rotate", nil).OK(200)
			}
			weak.Delete(t, "/keys/"+kernel.NewID().String()).Fails(404, "not_found")
			weak.Delete(t, "/keys/"+w.B.Key.ID.String()).Fails(404, "not_found")
		})
		t.Run("an equal key and the key itself can be rotated and revoked", func(t *testing.T) {
			equal, _ := key("equal", admin, manage, nil)
			weak.Post(t, equal+"/rotate", nil).OK(200)
			weak.Delete(t, equal).OK(204)
			path, own := key("own", admin, manage, &boards)
			own.Delete(t, path).OK(204)
			own.Get(t, "/keys").Fails(401, "key_revoked")
		})
		t.Run("a key without all scopes of admins and owners cannot add or reset them", func(t *testing.T) {
			_, owners := key("of the owner", w.A.Owner.ID, manage, nil)
			for _, role := range []string{"owner", "admin"} {
				owners.Post(t, "/team", fmt.Sprintf(`{"name":"New","email":"%s@x.example","role":%q}`, kernel.NewID(), role)).Fails(403, "insufficient_scope")
				owners.Post(t, "/team/invitations", fmt.Sprintf(`{"name":"New","email":"%s@x.example","role":%q}`, kernel.NewID(), role)).Fails(403, "insufficient_scope")
			}
			agent := person("Agent", kernel.RoleAgent, kernel.AccessAll)
			owners.Patch(t, "/team/"+agent.String(), `{"role":"admin"}`).Fails(403, "insufficient_scope")
			for _, member := range []kernel.ID{w.A.Owner.ID, admin} {
				owners.Post(t, "/team/"+member.String()+"/reset-link", nil).Fails(403, "insufficient_scope")
				owners.Delete(t, "/team/"+member.String()+"/sessions").Fails(403, "insufficient_scope")
				w.A.Post(t, "/team/"+member.String()+"/reset-link", nil).OK(200)
			}
			owners.Delete(t, "/team/"+person("Other admin", kernel.RoleAdmin, kernel.AccessAll).String()).Fails(403, "insufficient_scope")
			owners.Post(t, "/team/"+agent.String()+"/reset-link", nil).OK(200)
			owners.Post(t, "/team/invitations", fmt.Sprintf(`{"name":"New","email":"%s@x.example","role":"manager"}`, kernel.NewID())).OK(201)
			_, complete := key("complete", w.A.Owner.ID, kernel.ScopesOf(kernel.RoleOwner), nil)
			complete.Post(t, "/team/"+w.A.Owner.ID.String()+"/reset-link", nil).OK(200)
		})
		t.Run("a member with a limited profile cannot issue a link for a member who sees more", func(t *testing.T) {
			manager := person("Manager", kernel.RoleManager, kernel.AccessOwn)
			c := w.A.Enter(t, manager.String(), password)
			wide, narrow := person("Wide", kernel.RoleAgent, kernel.AccessAll), person("Narrow", kernel.RoleAgent, kernel.AccessOwn)
			c.Post(t, "/team/"+wide.String()+"/reset-link", nil).Fails(403, "insufficient_scope")
			c.Patch(t, "/team/"+wide.String(), `{"email":"mine@x.example"}`).Fails(403, "insufficient_scope")
			c.Post(t, "/team/invitations", `{"name":"New","email":"new@x.example","role":"agent","access_profile":"all"}`).Fails(403, "insufficient_scope")
			c.Post(t, "/team/"+narrow.String()+"/reset-link", nil).OK(200)
		})
		t.Run("a member with a limited profile cannot extend the profile of others", func(t *testing.T) {
			mine := w.A.Post(t, "/sectors", `{"name": "Mine"}`).OK(201).ID()
			other := w.A.Post(t, "/sectors", `{"name": "Other"}`).OK(201).ID()
			head := person("Head", kernel.RoleManager, kernel.AccessSectors)
			w.A.Patch(t, "/team/"+head.String(), fmt.Sprintf(`{"sector_ids": [%q]}`, mine)).OK(200)
			_, c := key("head", head, manage, nil)
			add := func(profile string, sectors string) *servertest.Answer {
				t.Helper()
				return c.Post(t, "/team", fmt.Sprintf(`{"name": "New", "email": "%s@x.example", "role": "agent", "access_profile": %q, "sector_ids": [%s]}`, kernel.NewID(), profile, sectors))
			}
			add("all", "").Fails(403, "insufficient_scope")
			add("sectors", fmt.Sprintf("%q", other)).Fails(403, "insufficient_scope")
			agent := add("sectors", fmt.Sprintf("%q", mine)).OK(201).ID()
			add("own", fmt.Sprintf("%q", other)).OK(201)
			c.Patch(t, "/team/"+agent, `{"access_profile": "all"}`).Fails(403, "insufficient_scope")
			c.Patch(t, "/team/"+agent, fmt.Sprintf(`{"sector_ids": [%q, %q]}`, mine, other)).Fails(403, "insufficient_scope")
			c.Patch(t, "/team/"+agent, `{"access_profile": "own"}`).OK(200)
			c.Patch(t, "/sectors/"+other, fmt.Sprintf(`{"member_ids": [%q]}`, head)).Fails(403, "insufficient_scope")
			c.Patch(t, "/sectors/"+mine, fmt.Sprintf(`{"member_ids": [%q, %q]}`, head, agent)).OK(200)
			c.Patch(t, "/sectors/"+other, `{"name": "Others"}`).OK(200)
			w.A.Patch(t, "/team/"+agent, `{"access_profile": "all"}`).OK(200)
		})
	})
}
