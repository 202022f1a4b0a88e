package api_test

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"recado/internal/kernel"
	"recado/internal/people"
	"recado/test/servertest"
	"recado/test/testkit"
)

func TestContactsAreCreatedAndChanged(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := newChannel(t, w.A, "+5511955550001")
		t.Run("a new contact has every field that was sent", func(t *testing.T) {
			made := w.A.Post(t, "/contacts", map[string]any{
				"name": " Ana Souza ", "phone": "(11) 91234-5678", "company": "Souza & Filhos", "city": "São Paulo", "channel_id": channel,
			}).OK(201)
			testkit.Equal(t, "name", made.Text("name"), "Ana Souza")
			testkit.Equal(t, "phone", made.Text("phone"), "+5511912345678")
			testkit.Equal(t, "company", made.Text("company"), "Souza & Filhos")
			testkit.Equal(t, "city", made.Text("city"), "São Paulo")
			testkit.Equal(t, "channel_id", made.Text("channel_id"), channel)
			testkit.Equal(t, "blocked", made.At("blocked"), false)
			testkit.Equal(t, "number of label_ids", len(made.List("label_ids")), 0)
			testkit.Equal(t, "header Location", made.Header.Get("Location"), "/v1/contacts/"+made.ID())
			testkit.Equal(t, "contact read by id", string(w.A.Get(t, "/contacts/"+made.ID()).OK(200).Raw), string(made.Raw))
		})
		t.Run("a second contact with the same phone is refused with the id of the first", func(t *testing.T) {
			first := w.A.Post(t, "/contacts", `{"name": "Bia", "phone": "+55 21 98888-7777"}`).OK(201)
			for _, spelling := range []string{"+5521988887777", "+552188887777", "021 98888 7777", "21 8888-7777"} {
				refused := w.A.Post(t, "/contacts", map[string]any{"name": "Bia again", "phone": spelling}).Fails(409, "contact_exists")
				testkit.Equal(t, "details.0.field", refused.Text("details", 0, "field"), "body.phone")
				testkit.Equal(t, "details.0.message", refused.Text("details", 0, "message"), first.ID())
			}
			w.B.Post(t, "/contacts", `{"name": "Bia", "phone": "+5521988887777"}`).OK(201)
		})
		t.Run("bad input names the field", func(t *testing.T) {
			for body, field := range map[string]string{
				`{"name": "x", "phone": "12"}`:                   "body.phone",
				`{"name": "x", "phone": "+5511912345678 ext 3"}`: "body.phone",
				`{"name": " ", "phone": "+5511912345699"}`:       "body.name",
				`{"name": "x"}`:               "body",
				`{"phone": "+5511912345699"}`: "body",
				`{"name": "x", "phone": "+5511912345699", "city": "a\nb"}`:                                           "body.city",
				`{"name": "x", "phone": "+5511912345699", "company": null}`:                                          "body.company",
				`{"name": "x", "phone": "+5511912345699", "vip": true}`:                                              "body.vip",
				`{"name": "x", "phone": "+5511912345699", "channel_id": "7"}`:                                        "body.channel_id",
				`{"name": "x", "phone": "+5511912345699", "channel_id": "` + kernel.NewID().String() + `"}`:          "body.channel_id",
				`{"name": "` + strings.Repeat("é", 121) + `", "phone": "+5511912345699"}`:                            "body.name",
				`{"name": "x", "phone": "+5511912345699", "channel_id": "` + privateChannel(t, w).ID.String() + `"}`: "body.channel_id",
			} {
				refused := w.A.Post(t, "/contacts", body)
				testkit.Equal(t, "status of "+body, refused.Status, 400)
				if got := refused.Text("details", 0, "field"); !strings.HasPrefix(got, field) {
					t.Errorf("%s: details.0.field: got %q, want %q", body, got, field)
				}
			}
			w.B.Post(t, "/contacts", `{"name": "x", "phone": "+5511912345699", "channel_id": "`+channel+`"}`).Fails(400, "invalid_request")
		})
		t.Run("a contact can be changed", func(t *testing.T) {
			id := w.A.Post(t, "/contacts", `{"name": "Caio", "phone": "+5531977776666", "company": "X", "city": "Y"}`).OK(201).ID()
			one := w.A.Post(t, "/labels", `{"name": "vip"}`).OK(201).ID()
			two := w.A.Post(t, "/labels", `{"name": "late"}`).OK(201).ID()
			theirs := w.B.Post(t, "/labels", `{"name": "vip"}`).OK(201).ID()
			changed := w.A.Patch(t, "/contacts/"+id, map[string]any{"name": "Caio Lima", "company": nil, "label_ids": []string{two, one, two}, "blocked": true}).OK(200)
			testkit.Equal(t, "name", changed.Text("name"), "Caio Lima")
			testkit.Equal(t, "company", changed.At("company"), nil)
			testkit.Equal(t, "city", changed.Text("city"), "Y")
			testkit.Equal(t, "blocked", changed.At("blocked"), true)
			testkit.Diff(t, "label_ids", changed.List("label_ids"), []any{two, one})
			if got := w.A.Patch(t, "/contacts/"+id, nil).OK(200); got.Text("name") != "Caio Lima" || len(got.List("label_ids")) != 2 {
				t.Fatalf("an empty change: got %s, want the name Caio Lima and 2 labels", got.Raw)
			}
			refused := w.A.Patch(t, "/contacts/"+id, map[string]any{"label_ids": []string{one, theirs}, "name": "No"}).Fails(400, "invalid_request")
			testkit.Equal(t, "details.0.field", refused.Text("details", 0, "field"), "body.label_ids[1]")
			if got := w.A.Get(t, "/contacts/"+id).OK(200); got.Text("name") != "Caio Lima" {
				t.Fatalf("a refused change was partly stored: %s", got.Raw)
			}
			for _, body := range []string{`{"name": null}`, `{"phone": null}`, `{"blocked": "yes"}`, `{"city": ""}`, `{"label_ids": null}`} {
				w.A.Patch(t, "/contacts/"+id, body).Fails(400, "invalid_request")
			}
			w.B.Patch(t, "/contacts/"+id, `{"name": "Mine"}`).Fails(404, "not_found")
			w.B.Get(t, "/contacts/"+id).Fails(404, "not_found")
			w.A.Get(t, "/contacts/nonsense").Fails(404, "not_found")
		})
		t.Run("twenty concurrent requests create one contact", func(t *testing.T) {
			statuses := race(20, func() int { return w.A.Post(t, "/contacts", `{"name": "Race", "phone": "+5541966665555"}`).Status })
			testkit.Equal(t, "number of 201 responses", statuses[201], 1)
			testkit.Equal(t, "number of 409 responses", statuses[409], 19)
		})
	})
}

func TestContactsAreListedAndSearched(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := newChannel(t, w.A, "+5511955550001")
		label := w.A.Post(t, "/labels", `{"name": "vip"}`).OK(201).ID()
		names := []string{"João Pereira", "JOAQUIM 100%", "a_b", "Zoë Straße", `back\slash "quoted"`, "Иван Иванов", "Ana"}
		var ids []string
		for i, name := range names {
			body := map[string]any{"name": name, "phone": "+55119876500" + strconv.Itoa(10+i)}
			if i%2 == 0 {
				body["channel_id"] = channel
			}
			ids = append(ids, w.A.Post(t, "/contacts", body).OK(201).ID())
		}
		w.A.Patch(t, "/contacts/"+ids[1], map[string]any{"label_ids": []string{label}}).OK(200)
		w.A.Patch(t, "/contacts/"+ids[2], map[string]any{"label_ids": []string{label}}).OK(200)
		w.B.Post(t, "/contacts", `{"name": "João of another company", "phone": "+5511987650010"}`).OK(201)

		expect := func(t *testing.T, query string, want ...int) {
			t.Helper()
			var got []string
			for _, c := range w.A.Get(t, "/contacts?"+query).OK(200).List() {
				got = append(got, c.(map[string]any)["name"].(string))
			}
			var wanted []string
			for _, i := range want {
				wanted = append(wanted, names[i])
			}
			if !slices.Equal(got, wanted) {
				t.Errorf("%s: got %q, want %q", query, got, wanted)
			}
		}
		for _, indexed := range []bool{false, true} {
			t.Run("indexed "+strconv.FormatBool(indexed), func(t *testing.T) {
				if indexed {
					indexAll(t, w)
				}
				expect(t, "", 6, 5, 4, 3, 2, 1, 0)
				for q, want := range map[string][]int{
					"joao": {0}, "JOÃO": {0}, "joa": {1, 0}, "  joão ": {0}, "%": {1}, "100%": {1}, "_": {2}, "a_b": {2}, "strasse": {3}, "zoe": {3},
					`\`: {4}, `back\s`: {4}, `"quo`: {4}, "иванов": {5}, "an": {6}, "nowhere": nil, "": {6, 5, 4, 3, 2, 1, 0},
					"+5511987650010": {0}, "98765 0011": {1}, "(11) 98765-0012": {2}, "9876500": {6, 5, 4, 3, 2, 1, 0}, "' OR 1=1 --": nil, "*": nil, "joao*": nil, "NOT joao": nil,
				} {
					expect(t, "q="+url.QueryEscape(q), want...)
				}
			})
		}
		t.Run("filters can be combined", func(t *testing.T) {
			expect(t, "label="+label, 2, 1)
			expect(t, "channel="+channel, 6, 4, 2, 0)
			expect(t, "channel="+channel+"&label="+label, 2)
			expect(t, "q=joa&label="+label, 1)
			expect(t, "q=joa&channel="+channel, 0)
			expect(t, "label="+kernel.NewID().String())
			expect(t, "channel="+kernel.NewID().String())
		})
		t.Run("contacts are listed in pages", func(t *testing.T) {
			expect(t, "limit=2", 6, 5)
			expect(t, "limit=2&offset=2", 4, 3)
			expect(t, "limit=2&offset=6", 0)
			expect(t, "limit=2&offset=1000000")
			if page := w.A.Get(t, "/contacts?limit=3&offset=3").OK(200); page.Int("limit") != 3 || page.Int("offset") != 3 || page.At("has_more") != true {
				t.Errorf("second page: got %s, want limit 3, offset 3 and has_more true", page.Raw)
			}
			testkit.Equal(t, "has_more of the last page", w.A.Get(t, "/contacts?limit=4&offset=3").OK(200).At("has_more"), false)
			for _, query := range []string{"limit=0", "limit=101", "limit=x", "offset=-1", "offset=1000001", "label=x", "channel=1", "sort=name", "limit=", "q=" + strings.Repeat("a", 201)} {
				w.A.Get(t, "/contacts?"+query).Fails(400, "invalid_request")
			}
		})
	})
}

// newChannel creates a sandbox channel with a phone number and returns its id.
func newChannel(t *testing.T, c *servertest.Company, phone string) string {
	t.Helper()
	return c.Post(t, "/channels", map[string]any{"name": "Desk " + phone, "phone": phone, "provider": "sandbox"}).OK(201).ID()
}

// indexAll indexes all texts for the search.
func indexAll(t *testing.T, w *servertest.World) {
	t.Helper()
	if err := w.Desk.Talk.IndexSearch(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// race makes n concurrent calls and counts their results.
func race[T comparable](n int, call func() T) map[T]int {
	var wg sync.WaitGroup
	var mu sync.Mutex
	counts := map[T]int{}
	for range n {
		wg.Go(func() {
			got := call()
			mu.Lock()
			defer mu.Unlock()
			counts[got]++
		})
	}
	wg.Wait()
	return counts
}

// memberKey adds a member with an access profile to company A and returns a key that acts as them.
func memberKey(t *testing.T, w *servertest.World, name string, role kernel.Role, profile kernel.AccessProfile) (people.Member, *servertest.Client) {
	t.Helper()
	return w.NewMemberKey(t, people.NewUser{Name: name, Email: name + "@" + w.A.ID.String() + ".example", Role: role, AccessProfile: profile})
}
