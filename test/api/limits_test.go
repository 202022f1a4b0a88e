package api_test

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"recado/internal/channels"
	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/server"
	"recado/test/servertest"
)

// withLimits configures the limits of companies.
func withLimits(l kernel.Limits) servertest.Option { return func(c *server.Config) { c.Limits = l } }

func TestACompanyCannotExceedItsLimits(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		for _, c := range []struct {
			name, path, body string
			existing         int // how many a company has from the start
		}{
			{"keys", "/keys", `{"name":"k%d","scopes":["read"]}`, 1},
			{"team members", "/team", `{"name":"m%d","email":"m%d@example.com","role":"agent","access_profile":"all"}`, 1},
			{"sectors", "/sectors", `{"name":"s%d"}`, 0},
			{"channels", "/channels", `{"name":"c%d","phone":"+5511987654321","provider":"sandbox"}`, 0},
			{"labels", "/labels", `{"name":"l%d"}`, 0},
			{"boards", "/kanban/boards", `{"name":"b%d"}`, 1},
		} {
			t.Run(c.name, func(t *testing.T) {
				n := 0
				create := func() *servertest.Answer {
					n++
					return w.A.Post(t, c.path, strings.ReplaceAll(c.body, "%d", fmt.Sprint(n)), "Idempotency-Key", fmt.Sprintf("%s-%05d", strings.ReplaceAll(c.name, " ", "-"), n))
				}
				for range 4 - c.existing {
					create().OK(201)
				}
				if refused := create().Fails(409, "limit_reached"); !strings.Contains(refused.Text("message"), "4 "+c.name) {
					t.Errorf("the message does not name the limit: %s", refused.Raw)
				}
			})
		}
		t.Run("limits apply to each company separately", func(t *testing.T) {
			w.B.Post(t, "/labels", `{"name":"l"}`).OK(201)
		})
		t.Run("removed objects are not counted", func(t *testing.T) {
			label := w.A.Get(t, "/labels").OK(200).Text("data", 0, "id")
			w.A.Delete(t, "/labels/"+label).OK(204)
			w.A.Post(t, "/labels", `{"name":"again"}`).OK(201)
			for i, k := range w.A.Get(t, "/keys").OK(200).List() {
				if k.(map[string]any)["name"] == "k1" {
					w.A.Delete(t, "/keys/"+w.A.Get(t, "/keys").OK(200).Text("data", i, "id")).OK(204)
				}
			}
			w.A.Post(t, "/keys", `{"name":"again","scopes":["read"]}`).OK(201)
		})
		t.Run("private channels are counted separately", func(t *testing.T) {
			operator, err := w.Desk.People.Operator(t.Context(), w.B.ID)
			if err != nil {
				t.Fatal(err)
			}
			create := func() error {
				_, err := w.Desk.Channels.CreateChannel(t.Context(), operator, channels.NewChannel{Name: "p", Phone: "+5511987654321", Provider: channels.ProviderSandbox, Private: true})
				return err
			}
			for range 4 {
				if err := create(); err != nil {
					t.Fatal(err)
				}
			}
			w.B.Post(t, "/channels", `{"name":"c","phone":"+5511987654322","provider":"sandbox"}`).OK(201)
			if err := create(); kernel.CodeOf(err) != kernel.CodeLimitReached || !strings.Contains(err.Error(), "4 private channels") {
				t.Errorf("fifth private channel: got %v, want limit_reached", err)
			}
		})
	}, withLimits(kernel.Limits{"keys": 4, "members": 4, "sectors": 4, "channels": 4, "labels": 4, "boards": 4}))
}

func TestMakingAChannelPublicOrPrivateRespectsTheLimits(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		owner := w.A.Enter(t, w.A.Owner.ID.String(), password)
		create := func(private bool) string {
			t.Helper()
			body := map[string]any{"name": "c", "phone": "+551140028922", "provider": "sandbox", "private": private}
			return owner.Post(t, "/channels", body).OK(201).ID()
		}
		public, private := create(false), create(true)
		for _, c := range []struct{ channel, body, limit string }{
			{private, `{"private":false,"confirm":true}`, "1 channels"},
			{public, `{"private":true}`, "1 private channels"},
		} {
			refused := owner.Patch(t, "/channels/"+c.channel, c.body).Fails(409, "limit_reached")
			if !strings.Contains(refused.Text("message"), c.limit) {
				t.Errorf("%s: the message does not name the limit: %s", c.body, refused.Raw)
			}
		}
		owner.Patch(t, "/channels/"+private, `{"private":true}`).OK(200)
	}, withLimits(kernel.Limits{"channels": 1}))
}

func TestACompanyHasALimitedNumberOfViewersOfPrivateChannels(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		owner := w.A.Enter(t, w.A.Owner.ID.String(), password)
		ada, _ := member(t, w.A.Client, "Ada")
		bia, _ := member(t, w.A.Client, "Bia")
		body := map[string]any{"name": "c", "phone": "+551140028922", "provider": "sandbox", "private": true}
		one, two := owner.Post(t, "/channels", body).OK(201).ID(), owner.Post(t, "/channels", body).OK(201).ID()
		setViewers := func(channel string, viewers ...string) *servertest.Answer {
			return owner.Patch(t, "/channels/"+channel, map[string]any{"viewers": viewers})
		}
		setViewers(one, ada, ada, bia).OK(200)
		body["private"] = false
		public := owner.Post(t, "/channels", body).OK(201).ID()
		body["private"] = true
		for name, response := range map[string]*servertest.Answer{
			"a second viewer":       setViewers(two, ada, bia),
			"a new private channel": owner.Post(t, "/channels", body),
			"an existing channel":   owner.Patch(t, "/channels/"+public, `{"private":true}`),
		} {
			if !strings.Contains(response.Fails(409, "limit_reached").Text("message"), "3 viewers of private channels") {
				t.Errorf("%s: the message does not name the limit: %s", name, response.Raw)
			}
		}
		setViewers(one, bia, ada).OK(200)
		setViewers(two, bia).OK(200)
		w.A.Delete(t, "/team/"+ada).OK(204)
		setViewers(two, bia, w.A.Owner.ID.String()).OK(200)
	}, withLimits(kernel.Limits{"viewers": 3}))
}

func TestABoardHasALimitedNumberOfStages(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		w.A.Post(t, "/kanban/boards", `{"name":"x","stages":[{"name":"a"},{"name":"b"},{"name":"c"},{"name":"d"}]}`, "Idempotency-Key", "stages-of-4").Fails(409, "limit_reached")
		board := w.A.Post(t, "/kanban/boards", `{"name":"x","stages":[{"name":"a"},{"name":"b"}]}`, "Idempotency-Key", "stages-of-2").OK(201).ID()
		w.A.Post(t, "/kanban/boards/"+board+"/stages", `{"name":"c"}`, "Idempotency-Key", "third-stage").OK(201)
		refused := w.A.Post(t, "/kanban/boards/"+board+"/stages", `{"name":"d"}`, "Idempotency-Key", "fourth-stage").Fails(409, "limit_reached")
		if !strings.Contains(refused.Text("message"), "3 stages") {
			t.Errorf("the message does not name the limit: %s", refused.Raw)
		}
	}, withLimits(kernel.Limits{"stages": 3}))
}

func TestConcurrentCreationsStopAtTheLimit(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		board := "/kanban/boards/" + newBoard(t, w.A.Client).id
		data := []any{"data"}
		for _, c := range []struct {
			path, body string
			list       string // path of the list, if it differs from path
			at         []any  // place of the list in the response
		}{
			{path: "/labels", body: `{"name":"l%d"}`, at: data},
			{path: "/keys", body: `{"name":"k%d","scopes":["read"]}`, at: data},
			{path: "/sectors", body: `{"name":"s%d"}`, at: data},
			{path: "/team/invitations", body: `{"name":"i%d","email":"i%d@example.com","role":"agent","access_profile":"all"}`, at: data},
			{path: "/team", body: `{"name":"m%d","email":"m%d@example.com","role":"agent","access_profile":"all"}`, at: data},
			{path: "/channels", body: `{"name":"c%d","phone":"+5511987654321","provider":"sandbox"}`, at: data},
			{path: board + "/stages", body: `{"name":"s%d"}`, list: board, at: []any{"stages"}},
			{path: "/kanban/boards", body: `{"name":"b%d"}`},
		} {
			t.Run(c.path, func(t *testing.T) {
				var made, refused atomic.Int64
				var all sync.WaitGroup
				for i := range 12 {
					all.Go(func() {
						response := w.A.Post(t, c.path, strings.ReplaceAll(c.body, "%d", fmt.Sprint(i)), "Idempotency-Key", kernel.NewID().String())
						switch response.Status {
						case http.StatusCreated:
							made.Add(1)
						case http.StatusConflict:
							refused.Add(1)
						default:
							t.Errorf("got %d %s, want 201 or 409", response.Status, response.Raw)
						}
					})
				}
				all.Wait()
				listed, _ := w.A.Get(t, cmp.Or(c.list, c.path)).OK(200).At(c.at...).([]any)
				if n := len(listed); n != 5 || refused.Load() != 12-made.Load() {
					t.Errorf("got %d objects, %d created and %d refused, want the limit of 5 and the rest refused", n, made.Load(), refused.Load())
				}
			})
		}
	}, withLimits(kernel.Limits{"labels": 5, "keys": 5, "sectors": 5, "members": 5, "invitations": 5, "channels": 5, "stages": 5, "boards": 5}))
}

func TestSearchesAndReportsBeyondTheLimitAreRefused(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		for _, path := range []string{"/conversations", "/contacts", "/kanban/cards"} {
			w.A.Get(t, path).OK(200)
			w.A.Get(t, path+"?q=").OK(200)
			if refused := w.A.Get(t, path+"?q=maria").Fails(429, "rate_limited"); refused.Header.Get("Retry-After") == "" {
				t.Errorf("%s: Retry-After: got none, want a number of seconds: %v", path, refused.Header)
			}
		}
		for _, path := range []string{"/conversations", "/contacts"} {
			w.A.Get(t, path+"?offset=1000").OK(200)
			w.A.Get(t, path+"?offset=1001").Fails(429, "rate_limited")
		}
		w.A.Get(t, "/messages?q=maria").Fails(429, "rate_limited")
		w.A.Get(t, "/reports/attendance").Fails(429, "rate_limited")
	}, withLimits(kernel.Limits{"searches": 0}))
}

func TestACompanyHasALimitedNumberOfStreams(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		var keys []*servertest.Client
		for range 3 {
			_, c := w.NewKey(t, w.A.ID, people.NewKey{Name: "follower", Scopes: kernel.NewScopeSet(people.ScopeWebhooksManage)})
			keys = append(keys, c)
		}
		follow(t, keys[0], "")
		follow(t, keys[1], "")
		refused := keys[2].Get(t, "/events/stream").Fails(429, "rate_limited")
		if refused.Header.Get("Retry-After") == "" || !strings.Contains(refused.Text("message"), "company") {
			t.Errorf("got %v %s, want a Retry-After and a message about the company", refused.Header, refused.Raw)
		}
		follow(t, w.B.Client, "")
	}, withLimits(kernel.Limits{"streams": 2}))
}

func TestACompanyHasALimitedNumberOfMembershipsInSectors(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		member := func(n int) string {
			return w.A.Post(t, "/team", fmt.Sprintf(`{"name":"m%d","email":"m%d@example.com","role":"agent","access_profile":"all"}`, n, n)).OK(201).ID()
		}
		one, two := member(1), member(2)
		both := `{"name":"a","member_ids":["` + one + `","` + two + `"]}`
		a := w.A.Post(t, "/sectors", both).OK(201).ID()
		b := w.A.Post(t, "/sectors", `{"name":"b","member_ids":["`+one+`"]}`).OK(201).ID()
		for name, response := range map[string]*servertest.Answer{
			"a new sector": w.A.Post(t, "/sectors", strings.Replace(both, `"a"`, `"c"`, 1)),
			"a sector":     w.A.Patch(t, "/sectors/"+b, strings.Replace(both, `"a"`, `"b"`, 1)),
			"a member":     w.A.Patch(t, "/team/"+two, `{"sector_ids":["`+a+`","`+b+`"]}`),
			"a new member": w.A.Post(t, "/team", `{"name":"m3","email":"m3@example.com","role":"agent","access_profile":"all","sector_ids":["`+a+`"]}`),
		} {
			if !strings.Contains(response.Fails(409, "limit_reached").Text("message"), "3 memberships") {
				t.Errorf("%s: the message does not name the limit: %s", name, response.Raw)
			}
		}
		w.A.Patch(t, "/sectors/"+a, `{"member_ids":["`+two+`"]}`).OK(200)
		w.A.Patch(t, "/team/"+two, `{"sector_ids":["`+a+`","`+b+`"]}`).OK(200)
	}, withLimits(kernel.Limits{"memberships": 3}))
}
