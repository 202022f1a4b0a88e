package api_test

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"recado/internal/kernel"
	"recado/test/servertest"
	"recado/test/testkit"
)

func TestTheTeamOpensConversations(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := newChannel(t, w.A, "+5511955550001")
		other := newChannel(t, w.A, "+5511955550002")
		open := func(t *testing.T, body map[string]any) *servertest.Answer { return w.A.Post(t, "/conversations", body) }

		t.Run("a new phone creates a conversation, and any spelling of it finds it again", func(t *testing.T) {
			made := open(t, map[string]any{"channel_id": channel, "phone": "+5511987654321", "name": "Ana"}).OK(201)
			testkit.Equal(t, "name", made.Text("name"), "Ana")
			testkit.Equal(t, "phone", made.Text("phone"), "+5511987654321")
			testkit.Equal(t, "kind", made.Text("kind"), "direct")
			testkit.Equal(t, "channel", made.Text("channel"), channel)
			testkit.Equal(t, "last_message", made.At("last_message"), nil)
			testkit.Equal(t, "assignee", made.At("assignee"), nil)
			testkit.Equal(t, "unread_count", made.Int("unread_count"), 0)
			testkit.Equal(t, "header Location", made.Header.Get("Location"), "/v1/conversations/"+made.ID())
			for _, spelling := range []string{"+5511987654321", "+551187654321", "(11) 98765-4321"} {
				again := open(t, map[string]any{"channel_id": channel, "phone": spelling, "name": "Another name"}).OK(200)
				testkit.Equal(t, "id", again.ID(), made.ID())
				testkit.Equal(t, "name", again.Text("name"), "Ana")
				testkit.Equal(t, "header Location", again.Header.Get("Location"), "")
			}
			if contact := w.A.Get(t, "/contacts/"+made.Text("contact")).OK(200); contact.Text("name") != "Ana" || contact.Text("channel_id") != channel {
				t.Fatalf("contact: got %s, want the name Ana and the channel %s", contact.Raw, channel)
			}
			elsewhere := open(t, map[string]any{"channel_id": other, "phone": "+5511987654321"}).OK(201)
			if elsewhere.ID() == made.ID() {
				t.Fatalf("another channel: got the same conversation %s, want a new one", elsewhere.Raw)
			}
			testkit.Equal(t, "contact", elsewhere.Text("contact"), made.Text("contact"))
		})
		t.Run("a contact can be given instead of a phone", func(t *testing.T) {
			contact := w.A.Post(t, "/contacts", `{"name": "Bia", "phone": "+5521988887777"}`).OK(201).ID()
			made := open(t, map[string]any{"channel_id": channel, "contact_id": contact}).OK(201)
			testkit.Equal(t, "name", made.Text("name"), "Bia")
			testkit.Equal(t, "contact", made.Text("contact"), contact)
			testkit.Equal(t, "conversation opened by phone", open(t, map[string]any{"channel_id": channel, "phone": "+552188887777"}).OK(200).ID(), made.ID())
			named := open(t, map[string]any{"channel_id": other, "contact_id": contact, "name": "Bia (sales)"}).OK(201)
			testkit.Equal(t, "name", named.Text("name"), "Bia (sales)")
			testkit.Equal(t, "name", w.A.Get(t, "/contacts/"+contact).OK(200).Text("name"), "Bia")
		})
		t.Run("opening a conversation opens an attendance", func(t *testing.T) {
			made := open(t, map[string]any{"channel_id": channel, "phone": "+5511911110000"}).OK(201)
			path := "/conversations/" + made.ID() + "/attendance"
			first := w.A.Get(t, path).OK(200)
			testkit.Equal(t, "opened_by", first.Text("opened_by"), "team")
			open(t, map[string]any{"channel_id": channel, "phone": "+5511911110000"}).OK(200)
			testkit.Equal(t, "attendance after opening it again", w.A.Get(t, path).OK(200).ID(), first.ID())
			w.A.Post(t, path+"/close", nil).OK(200)
			open(t, map[string]any{"channel_id": channel, "phone": "+5511911110000"}).OK(200)
			if again := w.A.Get(t, path).OK(200); again.At("id") == nil || again.ID() == first.ID() {
				t.Fatalf("attendance after closing the first: got %s, want a new one", again.Raw)
			}
		})
		t.Run("bad input names the field", func(t *testing.T) {
			contact := w.A.Post(t, "/contacts", `{"name": "Caio", "phone": "+5531977776666"}`).OK(201).ID()
			for _, c := range []struct {
				body  map[string]any
				field string
			}{
				{map[string]any{"channel_id": channel}, "body"},
				{map[string]any{"channel_id": channel, "phone": "+5511987654321", "contact_id": contact}, "body"},
				{map[string]any{"phone": "+5511987654321"}, "body.channel_id"},
				{map[string]any{"channel_id": channel, "phone": "1"}, "body.phone"},
				{map[string]any{"channel_id": channel, "phone": "+5511987654321", "name": " "}, "body.name"},
				{map[string]any{"channel_id": "x", "phone": "+5511987654321"}, "body.channel_id"},
				{map[string]any{"channel_id": kernel.NewID(), "phone": "+5511987654321"}, "body.channel_id"},
				{map[string]any{"channel_id": privateChannel(t, w).ID, "phone": "+5511987654321"}, "body.channel_id"},
				{map[string]any{"channel_id": channel, "contact_id": kernel.NewID()}, "body.contact_id"},
			} {
				refused := open(t, c.body).Fails(400, "invalid_request")
				testkit.Equal(t, fmt.Sprintf("details.0.field of %v", c.body), refused.Text("details", 0, "field"), c.field)
			}
			w.B.Post(t, "/conversations", map[string]any{"channel_id": channel, "phone": "+5511987654321"}).Fails(400, "invalid_request")
			mine := newChannel(t, w.B, "+5511955559999")
			w.B.Post(t, "/conversations", map[string]any{"channel_id": mine, "contact_id": contact}).Fails(400, "invalid_request")
		})
		t.Run("twenty concurrent requests open one conversation", func(t *testing.T) {
			got := race(20, func() string {
				a := open(t, map[string]any{"channel_id": channel, "phone": "+5541966665555"})
				return strconv.Itoa(a.Status) + " " + a.Text("id")
			})
			testkit.Equal(t, "number of different responses", len(got), 2)
			for response, times := range got {
				testkit.Equal(t, fmt.Sprintf("%s is 201, %d times", response, times), strings.HasPrefix(response, "201 "), times == 1)
				testkit.Equal(t, fmt.Sprintf("%s is 200, %d times", response, times), strings.HasPrefix(response, "200 "), times == 19)
			}
		})
		t.Run("a member who sees only their own conversations becomes responsible", func(t *testing.T) {
			m, own := memberKey(t, w, "olga", kernel.RoleAgent, kernel.AccessOwn)
			made := own.Post(t, "/conversations", map[string]any{"channel_id": channel, "phone": "+5541966660001"}).OK(201)
			testkit.Equal(t, "assignee", made.Text("assignee"), m.ID.String())
			own.Get(t, "/conversations/"+made.ID()).OK(200)
			_, rival := memberKey(t, w, "rita", kernel.RoleAgent, kernel.AccessOwn)
			rival.Post(t, "/conversations", map[string]any{"channel_id": channel, "phone": "+5541966660001"}).Fails(409, "not_visible")
		})
		t.Run("a conversation outside the access profile is refused", func(t *testing.T) {
			sector := w.A.Post(t, "/sectors", `{"name":"Elsewhere"}`).OK(201).ID()
			queued := open(t, map[string]any{"channel_id": channel, "phone": "+5541966660002"})
			w.A.Post(t, "/conversations/"+queued.ID()+"/transfer", map[string]any{"sector_id": sector}).OK(200)
			bodies := []map[string]any{
				{"channel_id": channel, "phone": "+5541966660002", "name": "Renamed"},
				{"channel_id": channel, "contact_id": queued.Text("contact")},
			}
			for _, profile := range []kernel.AccessProfile{kernel.AccessOwn, kernel.AccessSectors} {
				_, agent := memberKey(t, w, "agent-"+string(profile), kernel.RoleAgent, profile)
				for _, body := range bodies {
					refused := agent.Post(t, "/conversations", body).Fails(409, "not_visible")
					if strings.Contains(string(refused.Raw), queued.ID()) {
						t.Errorf("%s: the refusal names the conversation: %s", profile, refused.Raw)
					}
				}
				agent.Get(t, "/conversations/"+queued.ID()).Fails(404, "not_found")
			}
			after := w.A.Get(t, "/conversations/"+queued.ID()).OK(200)
			if after.At("assignee") != nil || after.Text("name") != queued.Text("name") {
				t.Errorf("the conversation changed: %s", after.Raw)
			}
			m, manager := memberKey(t, w, "manager", kernel.RoleManager, kernel.AccessOwn)
			if got := manager.Post(t, "/conversations", bodies[0]).OK(200).Text("assignee"); got != m.ID.String() {
				t.Errorf("assignee: got %q, want the manager %s", got, m.ID)
			}
		})
	})
}

func TestAConversationCanBeReadAndChanged(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := newChannel(t, w.A, "+5511955550001")
		made := w.A.Post(t, "/conversations", map[string]any{"channel_id": channel, "phone": "+5511987654321", "name": "Ana"}).OK(201)
		path := "/conversations/" + made.ID()

		t.Run("only its company finds it", func(t *testing.T) {
			testkit.Equal(t, "id", w.A.Get(t, path).OK(200).ID(), made.ID())
			for _, c := range []*servertest.Answer{
				w.B.Get(t, path), w.B.Patch(t, path, `{"archived": true}`), w.B.Post(t, path+"/read", nil),
				w.A.Get(t, "/conversations/"+kernel.NewID().String()), w.A.Patch(t, "/conversations/x", `{}`), w.A.Post(t, "/conversations/x/read", nil),
			} {
				c.Fails(404, "not_found")
			}
		})
		t.Run("flags, name and labels can be changed one by one or together", func(t *testing.T) {
			label := w.A.Post(t, "/labels", `{"name": "vip"}`).OK(201).ID()
			for _, flag := range []string{"archived", "pinned", "muted"} {
				testkit.Equal(t, flag, w.A.Patch(t, path, `{"`+flag+`": true}`).OK(200).At(flag), true)
			}
			got := w.A.Patch(t, path, map[string]any{"archived": false, "name": "  Ana Paula ", "label_ids": []string{label, label}}).OK(200)
			testkit.Equal(t, "archived", got.At("archived"), false)
			testkit.Equal(t, "pinned", got.At("pinned"), true)
			testkit.Equal(t, "muted", got.At("muted"), true)
			testkit.Equal(t, "name", got.Text("name"), "Ana Paula")
			testkit.Equal(t, "number of label_ids", len(got.List("label_ids")), 1)
			if same := w.A.Patch(t, path, nil).OK(200); string(same.Raw) != string(got.Raw) {
				t.Fatalf("an empty change changed something: %s", same.Raw)
			}
			testkit.Equal(t, "number of label_ids", len(w.A.Patch(t, path, `{"label_ids": []}`).OK(200).List("label_ids")), 0)
		})
		t.Run("bad input names the field and changes nothing", func(t *testing.T) {
			theirs := w.B.Post(t, "/labels", `{"name": "vip"}`).OK(201).ID()
			for body, field := range map[string]string{
				`{"archived": "true"}`: "body.archived", `{"pinned": null}`: "body.pinned", `{"name": ""}`: "body.name", `{"name": "` + strings.Repeat("x", 121) + `"}`: "body.name",
				`{"label_ids": ["x"]}`: "body.label_ids[0]", `{"label_ids": ["` + theirs + `"], "pinned": false}`: "body.label_ids[0]", `{"assignee": null}`: "body.assignee",
			} {
				refused := w.A.Patch(t, path, body).Fails(400, "invalid_request")
				testkit.Equal(t, "details.0.field of "+body, refused.Text("details", 0, "field"), field)
			}
			if got := w.A.Get(t, path).OK(200); got.At("pinned") != true {
				t.Fatalf("a refused change was partly stored: %s", got.Raw)
			}
		})
		t.Run("a conversation shows the contact's new name unless it was renamed", func(t *testing.T) {
			plain := w.A.Post(t, "/conversations", map[string]any{"channel_id": channel, "phone": "+5511912340000", "name": "Bia"}).OK(201)
			w.A.Patch(t, "/contacts/"+plain.Text("contact"), `{"name": "Beatriz"}`).OK(200)
			testkit.Equal(t, "name", w.A.Get(t, "/conversations/"+plain.ID()).OK(200).Text("name"), "Beatriz")
			w.A.Patch(t, "/contacts/"+made.Text("contact"), `{"name": "Anita"}`).OK(200)
			testkit.Equal(t, "name", w.A.Get(t, path).OK(200).Text("name"), "Ana Paula")
		})
		t.Run("deleting a label removes it from conversations", func(t *testing.T) {
			gone := w.A.Post(t, "/labels", `{"name": "gone"}`).OK(201).ID()
			stays := w.A.Post(t, "/labels", `{"name": "stays"}`).OK(201).ID()
			w.A.Patch(t, path, map[string]any{"label_ids": []string{gone, stays}}).OK(200)
			w.A.Delete(t, "/labels/"+gone).OK(204)
			testkit.Diff(t, "label_ids", w.A.Get(t, path).OK(200).List("label_ids"), []any{stays})
		})
	})
}

func TestConversationsAreListedAndFiltered(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		one, two := newChannel(t, w.A, "+5511955550001"), newChannel(t, w.A, "+5511955550002")
		sales := w.A.Post(t, "/sectors", `{"name": "Sales"}`).OK(201).ID()
		label := w.A.Post(t, "/labels", `{"name": "vip"}`).OK(201).ID()
		agent, agentKey := memberKey(t, w, "olga", kernel.RoleAgent, kernel.AccessOwn)

		names := []string{"João", "Joana 100%", "Zoë", "a_b", "Ana"}
		var ids []string
		for i, name := range names {
			body := map[string]any{"channel_id": one, "phone": "+55119876500" + strconv.Itoa(10+i), "name": name}
			if i == 4 {
				body["channel_id"] = two
			}
			ids = append(ids, w.A.Post(t, "/conversations", body).OK(201).ID())
		}
		w.A.Patch(t, "/conversations/"+ids[0], `{"pinned": true}`).OK(200)
		w.A.Patch(t, "/conversations/"+ids[1], `{"archived": true}`).OK(200)
		w.A.Patch(t, "/conversations/"+ids[2], map[string]any{"label_ids": []string{label}}).OK(200)
		w.A.Post(t, "/conversations/"+ids[3]+"/transfer", map[string]any{"user_id": agent.ID}).OK(200)
		w.A.Post(t, "/conversations/"+ids[4]+"/transfer", map[string]any{"sector_id": sales}).OK(200)
		w.B.Post(t, "/conversations", map[string]any{"channel_id": newChannel(t, w.B, "+5511955550003"), "phone": "+5511987650010", "name": "João of B"}).OK(201)

		list := func(t *testing.T, c *servertest.Client, query string) (got []string) {
			t.Helper()
			for _, item := range c.Get(t, "/conversations?"+query).OK(200).List() {
				got = append(got, item.(map[string]any)["name"].(string))
			}
			return got
		}
		expect := func(t *testing.T, c *servertest.Client, query string, want ...int) {
			t.Helper()
			var wanted []string
			for _, i := range want {
				wanted = append(wanted, names[i])
			}
			if got := list(t, c, query); !slices.Equal(got, wanted) {
				t.Errorf("%s: got %q, want %q", query, got, wanted)
			}
		}
		unknownID := kernel.NewID().String()
		zoe := w.A.Get(t, "/conversations/"+ids[2]).OK(200).Text("contact")
		t.Run("pinned conversations come first, then the newest", func(t *testing.T) { expect(t, w.A.Client, "", 0, 4, 3, 2, 1) })
		t.Run("every filter selects its conversations", func(t *testing.T) {
			for query, want := range map[string][]int{
				"archived=true": {1}, "archived=false": {0, 4, 3, 2}, "unread=true": nil, "unread=false": {0, 4, 3, 2, 1},
				"kind=direct": {0, 4, 3, 2, 1}, "kind=group": nil, "channel=" + one: {0, 3, 2, 1}, "channel=" + two: {4}, "channel=" + unknownID: nil,
				"assignee=none": {0, 4, 2, 1}, "assignee=me": nil, "assignee=" + agent.ID.String(): {3}, "assignee=" + unknownID: nil,
				"sector=" + sales: {4}, "sector=" + unknownID: nil, "label=" + label: {2}, "label=" + unknownID: nil,
				"contact=" + zoe: {2}, "contact=" + unknownID: nil, "contact=" + zoe + "&channel=" + two: nil, "contact=" + zoe + "&q=zo": {2},
				"archived=false&assignee=none&channel=" + one: {0, 2}, "label=" + label + "&archived=true": nil,
				"limit=2": {0, 4}, "limit=2&offset=2": {3, 2}, "limit=2&offset=4": {1}, "offset=1000000": nil,
			} {
				expect(t, w.A.Client, query, want...)
			}
		})
		for _, indexed := range []bool{false, true} {
			t.Run("search, indexed "+strconv.FormatBool(indexed), func(t *testing.T) {
				if indexed {
					indexAll(t, w)
				}
				for q, want := range map[string][]int{
					"joa": {0, 1}, "JOÃ": {0, 1}, "joao": {0}, "zoe": {2}, "%": {1}, "_": {3}, "a_b": {3}, "an": {4, 1}, "98765-0012": {2}, "11 98765": {0, 4, 3, 2, 1},
					"nowhere": nil, `"`: nil, "": {0, 4, 3, 2, 1},
				} {
					expect(t, w.A.Client, "q="+url.QueryEscape(q), want...)
				}
				expect(t, w.A.Client, "q=joa&archived=true", 1)
				expect(t, w.A.Client, "q=joa&limit=1&offset=1", 1)
			})
		}
		t.Run("has_more is true only before the last page", func(t *testing.T) {
			if page := w.A.Get(t, "/conversations?limit=4").OK(200); page.At("has_more") != true || page.Int("limit") != 4 {
				t.Errorf("first page: got %s, want has_more true and limit 4", page.Raw)
			}
			testkit.Equal(t, "has_more of the whole list", w.A.Get(t, "/conversations?limit=5").OK(200).At("has_more"), false)
		})
		t.Run("malformed filters are refused", func(t *testing.T) {
			for _, query := range []string{
				"archived=2", "archived=TRUE", "archived=", "unread=yes", "kind=channel", "channel=x", "assignee=unknown", "assignee=x", "sector=none", "label=1", "contact=zoe",
				"limit=0", "limit=101", "limit=1.5", "offset=-1", "offset=1000001", "order=name", "limit=1&limit=2", "q=" + strings.Repeat("a", 201),
			} {
				w.A.Get(t, "/conversations?"+query).Fails(400, "invalid_request")
			}
		})
		t.Run("an access profile limits the list and single conversations alike", func(t *testing.T) {
			seller, sellerKey := memberKey(t, w, "sara", kernel.RoleAgent, kernel.AccessSectors)
			w.A.Patch(t, "/sectors/"+sales, map[string]any{"member_ids": []string{seller.ID.String()}}).OK(200)
			for who, c := range map[string]*servertest.Client{"own": agentKey, "sectors": sellerKey, "all": w.A.Client} {
				listed := list(t, c, "")
				for i, id := range ids {
					status := c.Get(t, "/conversations/"+id).Status
					if want := slices.Contains(listed, names[i]); (status == 200) != want {
						t.Errorf("%s: %s: got status %d for a conversation that is listed: %v", who, names[i], status, want)
					}
				}
			}
			expect(t, agentKey, "", 3)
			expect(t, agentKey, "assignee=me", 3)
			expect(t, agentKey, "assignee=none")
			expect(t, sellerKey, "", 4)
			expect(t, sellerKey, "sector="+sales, 4)
			expect(t, sellerKey, "assignee="+agent.ID.String())
		})
	})
}
