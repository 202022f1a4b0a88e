package api_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"recado/internal/kernel"
	"recado/internal/people"
	"recado/test/servertest"
	"recado/test/testkit"
)

// person is a team member with a key that acts as them and has every scope.
type person struct {
	*servertest.Client
	id string
}

// addMember adds a member through the API. fields are additional fields of the body, such as `"role":"admin"`.
func addMember(t *testing.T, w *servertest.World, name string, fields ...string) *person {
	t.Helper()
	body := fmt.Sprintf(`{"name":%q,"email":"%s@%s.example"`, name, strings.ToLower(name), kernel.NewID())
	for _, f := range fields {
		body += "," + f
	}
	id, _ := kernel.ParseID(w.A.Post(t, "/team", body+"}").OK(201).ID())
	_, c := w.NewKey(t, w.A.ID, people.NewKey{Name: name, Scopes: kernel.EveryScope, User: &id})
	return &person{c, id.String()}
}

// findMember returns a member in the team list, or nil.
func findMember(t *testing.T, c *servertest.Client, id string) map[string]any {
	t.Helper()
	for _, m := range c.Get(t, "/team").OK(200).List() {
		if m.(map[string]any)["id"] == id {
			return m.(map[string]any)
		}
	}
	return nil
}

func TestTeamMembersAreManaged(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		t.Run("a member has role, access profile, presence and sectors", func(t *testing.T) {
			sector := w.A.Post(t, "/sectors", `{"name":"Vendas"}`).OK(201).ID()
			made := w.A.Post(t, "/team", `{"name":" Bia ","email":"bia@padaria.example","access_profile":"sectors","sector_ids":["`+sector+`"]}`).OK(201)
			testkit.Equal(t, "name", made.Text("name"), "Bia")
			testkit.Equal(t, "role", made.Text("role"), "agent")
			testkit.Equal(t, "presence", made.Text("presence"), "offline")
			testkit.Equal(t, "sectors.0.name", made.Text("sectors", 0, "name"), "Vendas")
			m := findMember(t, w.A.Client, made.ID())
			testkit.Equal(t, "access_profile in the list", m["access_profile"], "sectors")
			testkit.Equal(t, "number of sectors in the list", len(m["sectors"].([]any)), 1)
			changed := w.A.Patch(t, "/team/"+made.ID(), `{"name":"Beatriz","role":"manager","access_profile":"own","sector_ids":[]}`).OK(200)
			testkit.Equal(t, "name", changed.Text("name"), "Beatriz")
			testkit.Equal(t, "role", changed.Text("role"), "manager")
			testkit.Equal(t, "access_profile", changed.Text("access_profile"), "own")
			testkit.Equal(t, "number of sectors", len(changed.List("sectors")), 0)
			if findMember(t, w.B.Client, made.ID()) != nil {
				t.Fatal("another company sees the member")
			}
		})

		t.Run("bad input is refused", func(t *testing.T) {
			for body, code := range map[string]string{
				`{"name":"x"}`:                                                          "invalid_request",
				`{"name":"x","email":"unknown"}`:                                        "invalid_request",
				`{"name":" ","email":"a@b.example"}`:                                    "invalid_request",
				`{"name":"x","email":"a@b.example","role":"boss"}`:                      "invalid_request",
				`{"name":"x","email":"a@b.example","presence":"online"}`:                "invalid_request",
				`{"name":"x","email":"a@b.example","sector_ids":["7"]}`:                 "invalid_request",
				`{"name":"x","email":"a@b.example","sector_ids":["` + unknownID + `"]}`: "invalid_request",
			} {
				w.A.Post(t, "/team", body).Fails(400, code)
			}
			w.A.Post(t, "/team", `{"name":"x","email":"BIA@padaria.example"}`).Fails(409, "name_taken")
			w.B.Post(t, "/team", `{"name":"Bia","email":"bia@padaria.example"}`).OK(201) // addresses are unique only within a company
			other := addMember(t, w, "Outra")
			w.A.Patch(t, "/team/"+other.id, `{"email":"bia@padaria.example"}`).Fails(409, "name_taken")
			w.A.Patch(t, "/team/"+other.id, `{"role":null}`).Fails(400, "invalid_request")
			w.A.Patch(t, "/team/"+unknownID, `{}`).Fails(404, "not_found")
			w.B.Patch(t, "/team/"+other.id, `{"name":"x"}`).Fails(404, "not_found")
			w.B.Delete(t, "/team/"+other.id).Fails(404, "not_found")
		})

		t.Run("only owners manage members of the same or a higher role", func(t *testing.T) {
			roles := []string{"owner", "admin", "manager", "agent"}
			for i, mine := range roles {
				me := addMember(t, w, "me-"+mine, `"role":"`+mine+`"`)
				for j, theirs := range roles {
					allowed := mine == "owner" || mine != "agent" && j > i
					body := fmt.Sprintf(`{"name":"x","email":"%s@x.example","role":%q}`, kernel.NewID(), theirs)
					target := addMember(t, w, "them-"+theirs, `"role":"`+theirs+`"`)
					agent := addMember(t, w, "raised")
					made := me.Post(t, "/team", body)
					renamed := me.Patch(t, "/team/"+target.id, `{"name":"renamed"}`)
					raised := me.Patch(t, "/team/"+agent.id, `{"role":"`+theirs+`"}`)
					removed := me.Delete(t, "/team/"+target.id)
					if !allowed {
						for _, response := range []*servertest.Answer{made, renamed, raised, removed} {
							response.Fails(403, "insufficient_scope")
						}
						continue
					}
					made.OK(201)
					renamed.OK(200)
					raised.OK(200)
					removed.OK(204)
				}
			}
		})

		t.Run("no request sets a password", func(t *testing.T) {
			member := addMember(t, w, "Sem")
			made := w.A.Post(t, "/team", `{"name":"x","email":"a@b.example","password":"uma senha longa"}`).Fails(400, "invalid_request")
			changed := w.A.Patch(t, "/team/"+member.id, `{"password":"outra senha longa"}`).Fails(400, "invalid_request")
			own := member.Patch(t, "/team/"+member.id, `{"password":"outra senha longa"}`).Fails(400, "invalid_request")
			for _, response := range []*servertest.Answer{made, changed, own} {
				testkit.Equal(t, "details.0.field", response.Text("details", 0, "field"), "body.password")
			}
		})

		t.Run("members change their own name and address, not their own role", func(t *testing.T) {
			me := addMember(t, w, "Caio")
			testkit.Equal(t, "name", me.Patch(t, "/team/"+me.id, `{"name":"Caio Lima","email":"caio@padaria.example"}`).OK(200).Text("name"), "Caio Lima")
			me.Patch(t, "/team/"+me.id, `{"role":"admin"}`).Fails(403, "insufficient_scope")
			me.Patch(t, "/team/"+me.id, `{"access_profile":"all"}`).Fails(403, "insufficient_scope")
		})

		t.Run("a caller cannot change the address or role of a member with a wider profile", func(t *testing.T) {
			sector := w.A.Post(t, "/sectors", `{"name":"Balcão"}`).OK(201).ID()
			wide := addMember(t, w, "Larga", `"access_profile":"all"`)
			elsewhere := addMember(t, w, "Outro", `"access_profile":"sectors","sector_ids":["`+sector+`"]`)
			narrow := addMember(t, w, "Curta", `"access_profile":"own"`)
			for _, profile := range []string{"own", "sectors"} {
				manager := addMember(t, w, "m-"+profile, `"role":"manager","access_profile":"`+profile+`"`)
				for _, body := range []string{`{"email":"taken@over.example"}`, `{"role":"agent"}`, `{"access_profile":"own"}`} {
					manager.Patch(t, "/team/"+wide.id, body).Fails(403, "insufficient_scope")
					manager.Patch(t, "/team/"+elsewhere.id, body).Fails(403, "insufficient_scope")
				}
				manager.Patch(t, "/team/"+narrow.id, `{"email":"`+profile+`@curta.example"}`).OK(200)
				manager.Post(t, "/team", `{"name":"x","email":"x@wide.example","access_profile":"all"}`).Fails(403, "insufficient_scope")
			}
			beside := addMember(t, w, "Perto", `"role":"manager","access_profile":"sectors","sector_ids":["`+sector+`"]`)
			beside.Patch(t, "/team/"+elsewhere.id, `{"email":"perto@outro.example"}`).OK(200)
		})

		t.Run("the last owner cannot be removed or demoted", func(t *testing.T) {
			owner := w.B.Owner.ID.String()
			testkit.Equal(t, "details.0.field", w.B.Patch(t, "/team/"+owner, `{"role":"admin"}`).Fails(400, "invalid_request").Text("details", 0, "field"), "body.role")
			w.B.Delete(t, "/team/"+owner).Fails(400, "invalid_request")
			second := w.B.Post(t, "/team", `{"name":"Second","email":"second@boreal.example","role":"owner"}`).OK(201).ID()
			w.B.Patch(t, "/team/"+second, `{"role":"agent"}`).OK(200)
			w.B.Patch(t, "/team/"+owner, `{"role":"owner"}`).OK(200)
		})

		t.Run("removing a member revokes their key at once and frees the address", func(t *testing.T) {
			gone := addMember(t, w, "Duda")
			gone.Get(t, "/me").OK(200)
			email := findMember(t, w.A.Client, gone.id)["email"].(string)
			w.A.Delete(t, "/team/"+gone.id).OK(204)
			gone.Get(t, "/me").Fails(401, "key_revoked")
			if findMember(t, w.A.Client, gone.id) != nil {
				t.Fatal("the removed member is still listed")
			}
			w.A.Delete(t, "/team/"+gone.id).Fails(404, "not_found")
			w.A.Post(t, "/team", `{"name":"Duda II","email":"`+email+`"}`).OK(201)
		})

		t.Run("presence depends on sessions and not on keys", func(t *testing.T) {
			p := addMember(t, w, "Edu")
			presence := func() string { return findMember(t, w.A.Client, p.id)["presence"].(string) }
			p.Get(t, "/me").OK(200)
			flush := func() {
				t.Helper()
				if err := w.Desk.People.FlushSeen(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			flush()
			testkit.Equal(t, "presence after a request with a key", presence(), "offline")
			first := w.A.Enter(t, p.id, password)
			first.Get(t, "/session").OK(200)
			testkit.Equal(t, "presence after a request with a session", presence(), "online")
			w.Clock.Advance(3 * time.Minute)
			p.Get(t, "/me").OK(200)
			testkit.Equal(t, "presence 3 minutes later", presence(), "away")
			w.Clock.Advance(15 * time.Minute)
			testkit.Equal(t, "presence 18 minutes later", presence(), "offline")
			flush()
			testkit.Equal(t, "presence once it is stored", presence(), "offline")
			first.Get(t, "/session").OK(200)
			testkit.Equal(t, "presence after another request", presence(), "online")

			second := w.A.SignIn(t, findMember(t, w.A.Client, p.id)["email"].(string), password)
			second.Put(t, "/me/presence", `{"presence":"online"}`).OK(200)
			first.Delete(t, "/session").OK(204)
			testkit.Equal(t, "presence with another session left", presence(), "online")
			w.Clock.Advance(14 * time.Minute)
			testkit.Equal(t, "chosen presence 14 minutes after the last request", presence(), "online")
			w.Clock.Advance(2 * time.Minute)
			testkit.Equal(t, "chosen presence 16 minutes after the last request", presence(), "offline")
			second.Get(t, "/session").OK(200)
			testkit.Equal(t, "chosen presence after another request", presence(), "online")
			second.Delete(t, "/session").OK(204)
			testkit.Equal(t, "presence after the last session ended", presence(), "offline")
			p.Get(t, "/me").OK(200)
			testkit.Equal(t, "presence after another request with a key", presence(), "offline")
		})
	})
}

// unknownID is a valid id that does not exist.
const unknownID = "0193b0a0-0000-7000-8000-000000000000"

func TestSectorsAreManaged(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		ana, bia := addMember(t, w, "Ana"), addMember(t, w, "Bia")
		t.Run("a sector has members, and no queue for a channel without waiting attendances", func(t *testing.T) {
			w.A.Post(t, "/channels", `{"name":"Loja","phone":"+5511987654321","provider":"sandbox"}`).OK(201)
			made := w.A.Post(t, "/sectors", `{"name":"Suporte","member_ids":["`+bia.id+`","`+ana.id+`","`+ana.id+`"]}`).OK(201)
			testkit.Equal(t, "members.0.name", made.Text("members", 0, "name"), "Ana")
			testkit.Equal(t, "number of members", len(made.List("members")), 2)
			testkit.Equal(t, "number of queues", len(made.List("queues")), 0)
			listed := w.A.Get(t, "/sectors").OK(200)
			testkit.Equal(t, "data.0.id", listed.Text("data", 0, "id"), made.ID())
			testkit.Equal(t, "number of data.0.members", len(listed.List("data", 0, "members")), 2)
			changed := w.A.Patch(t, "/sectors/"+made.ID(), `{"name":"Assistência","member_ids":["`+bia.id+`"]}`).OK(200)
			testkit.Equal(t, "name", changed.Text("name"), "Assistência")
			testkit.Equal(t, "number of members", len(changed.List("members")), 1)
			testkit.Equal(t, "number of Ana's sectors", len(findMember(t, w.A.Client, ana.id)["sectors"].([]any)), 0)
			testkit.Diff(t, "sectors of another company", w.B.Get(t, "/sectors").OK(200).List(), []any{})
		})
		t.Run("names are unique regardless of case, and bad input is refused", func(t *testing.T) {
			id := w.A.Post(t, "/sectors", `{"name":"Cobrança"}`).OK(201).ID()
			other := w.A.Post(t, "/sectors", `{"name":"Entrega"}`).OK(201).ID()
			w.A.Post(t, "/sectors", `{"name":"COBRANÇA"}`).Fails(409, "name_taken")
			w.A.Patch(t, "/sectors/"+other, `{"name":"cobrança"}`).Fails(409, "name_taken")
			w.A.Patch(t, "/sectors/"+id, `{"name":"COBRANÇA"}`).OK(200)
			w.A.Post(t, "/sectors", `{"name":"x","member_ids":["`+unknownID+`"]}`).Fails(400, "invalid_request")
			w.A.Post(t, "/sectors", `{"name":"x","member_ids":["`+w.B.Owner.ID.String()+`"]}`).Fails(400, "invalid_request")
			w.A.Post(t, "/sectors", `{}`).Fails(400, "invalid_request")
			w.B.Patch(t, "/sectors/"+id, `{"name":"x"}`).Fails(404, "not_found")
			w.B.Delete(t, "/sectors/"+id).Fails(404, "not_found")
			w.A.Delete(t, "/sectors/"+id).OK(204)
			w.A.Delete(t, "/sectors/"+id).Fails(404, "not_found")
			w.A.Post(t, "/sectors", `{"name":"Cobrança"}`).OK(201)
		})
		t.Run("managers can create sectors and agents cannot", func(t *testing.T) {
			ana.Post(t, "/sectors", `{"name":"Dela"}`).Fails(403, "insufficient_scope")
			addMember(t, w, "Gil", `"role":"manager"`).Post(t, "/sectors", `{"name":"Dele"}`).OK(201)
		})
	})
}

func TestAttendanceRulesCanBeChanged(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		rules := w.A.Get(t, "/company/attendance").OK(200)
		testkit.Equal(t, "enabled", rules.At("enabled"), true)
		testkit.Equal(t, "mode", rules.Text("mode"), "liberal")
		testkit.Equal(t, "auto_close.enabled", rules.At("auto_close", "enabled"), false)
		t.Run("rules can be changed one by one", func(t *testing.T) {
			w.A.Patch(t, "/company/attendance", `{"auto_close":{"after_minutes":30}}`).OK(200)
			w.A.Patch(t, "/company/attendance", `{"mode":"restricted"}`).OK(200)
			w.A.Patch(t, "/company/attendance", `{"auto_close":{"enabled":true}}`).OK(200)
			w.A.Patch(t, "/company/attendance", `{"first_responder_takes_ownership":false,"enabled":false,"require_reason":true}`).OK(200)
			w.A.Patch(t, "/company/attendance", nil).OK(200)
			got := w.A.Get(t, "/company/attendance").OK(200)
			testkit.Equal(t, "rules", strings.TrimSpace(string(got.Raw)), `{"enabled":false,"first_responder_takes_ownership":false,"mode":"restricted","auto_close":{"enabled":true,"after_minutes":30},"grace_minutes":10,"grace_for_customers":false,"keep_revoked":false,"require_reason":true,"hours_id":null}`)
			testkit.Equal(t, "mode of another company", w.B.Get(t, "/company/attendance").OK(200).Text("mode"), "liberal")
		})
		t.Run("grace_minutes is 0 to 120", func(t *testing.T) {
			for _, minutes := range []any{0.0, 120.0} {
				changed := w.A.Patch(t, "/company/attendance", map[string]any{"grace_minutes": minutes, "grace_for_customers": true}).OK(200)
				testkit.Equal(t, "grace_minutes", changed.At("grace_minutes"), minutes)
				rules := w.A.Get(t, "/company/attendance").OK(200)
				testkit.Equal(t, "grace_minutes read again", rules.At("grace_minutes"), minutes)
				testkit.Equal(t, "grace_for_customers", rules.At("grace_for_customers"), true)
			}
			testkit.Equal(t, "grace_minutes of another company", w.B.Get(t, "/company/attendance").OK(200).At("grace_minutes"), any(10.0))
		})
		t.Run("bad input is refused", func(t *testing.T) {
			for _, body := range []string{
				`{"mode":"strict"}`, `{"enabled":null}`, `{"auto_close":{"after_minutes":0}}`, `{"auto_close":{"after_minutes":525601}}`,
				`{"auto_close":null}`, `{"require_reason":null}`, `{"require_reason":"yes"}`, `{"grace_minutes":-1}`, `{"grace_minutes":121}`, `{"grace_minutes":null}`, `{"grace_minutes":1.5}`, `{"grace_for_customers":"yes"}`, `{"auto_close":{"minutes":3}}`, `{"auto_close":true}`,
			} {
				w.A.Patch(t, "/company/attendance", body).Fails(400, "invalid_request")
			}
		})
		t.Run("only admins and owners can change rules", func(t *testing.T) {
			for _, role := range []string{"admin", "manager", "agent"} {
				response := addMember(t, w, "r-"+role, `"role":"`+role+`"`).Patch(t, "/company/attendance", `{"mode":"liberal"}`)
				if slices.Contains([]string{"manager", "agent"}, role) {
					response.Fails(403, "insufficient_scope")
				} else {
					response.OK(200)
				}
			}
		})
	})
}

func TestASectorCanHaveHundredsOfMembers(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		ids := make([]string, 200)
		for i := range ids {
			ids[i] = w.A.Post(t, "/team", map[string]any{"name": fmt.Sprint("Member ", i), "email": fmt.Sprintf("m%d@aurora.example", i), "role": "agent"}).OK(201).ID()
		}
		sector := w.A.Post(t, "/sectors", map[string]any{"name": "Support", "member_ids": ids}).OK(201)
		if got := len(sector.List("members")); got != len(ids) {
			t.Fatalf("new sector: got %d members, want %d", got, len(ids))
		}
		path := "/sectors/" + sector.ID()
		w.A.Patch(t, path, map[string]any{"member_ids": append(slices.Clone(ids), unknownID)}).Fails(400, "invalid_request")
		twice := append(slices.Clone(ids[:150]), ids[:150]...)
		if got := len(w.A.Patch(t, path, map[string]any{"member_ids": twice}).OK(200).List("members")); got != 150 {
			t.Errorf("changed sector: got %d members, want 150", got)
		}
	})
}
