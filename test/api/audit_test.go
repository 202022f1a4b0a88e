package api_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/pquerna/otp/totp"

	"recado/internal/kernel"
	"recado/internal/people"
	"recado/test/servertest"
	"recado/test/testkit"
)

// actions returns the actions of the audit entries that a query selects, newest first.
func actions(t *testing.T, c *servertest.Client, query string) []string {
	t.Helper()
	list := []string{}
	path := "/audit?limit=100"
	if query != "" {
		path += "&" + query
	}
	for _, e := range c.Get(t, path).OK(200).List() {
		list = append(list, e.(map[string]any)["action"].(string))
	}
	return list
}

func TestAnAuditEntrySaysWhoDidWhat(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		owner := w.A.Enter(t, w.A.Owner.ID.String(), password)
		label := w.A.Post(t, "/labels", `{"name":"VIP","color":"#112233"}`).OK(201).ID()
		changed := owner.Patch(t, "/labels/"+label, `{"name":"Gold"}`).OK(200)
		list := w.A.Get(t, "/audit?subject="+label).OK(200)
		newest := list.List()[0].(map[string]any)
		testkit.Diff(t, "entry", newest, map[string]any{
			"id": newest["id"], "at": newest["at"], "action": "label.updated", "ip": "127.0.0.1", "request_id": changed.Header.Get("X-Request-Id"),
			"actor":   map[string]any{"type": "user", "id": w.A.Owner.ID.String(), "name": w.A.Owner.Name},
			"subject": map[string]any{"type": "label", "id": label, "name": "Gold"},
			"changes": []any{map[string]any{"field": "name", "from": "VIP", "to": "Gold"}},
		})
		if at, err := time.Parse(time.RFC3339, newest["at"].(string)); err != nil || w.Clock.Now().Sub(at).Abs() > time.Minute {
			t.Errorf("at: got %v, want the present time %v", newest["at"], w.Clock.Now())
		}
		testkit.Diff(t, "actor of a key", list.At("data", 1, "actor"), any(map[string]any{"type": "key", "id": w.A.Key.ID.String(), "name": w.A.Key.Name}))
		operator := w.A.Get(t, "/audit?subject="+w.A.Key.ID.String()).OK(200)
		testkit.Diff(t, "actor of the command line", operator.At("data", 0, "actor"), any(map[string]any{"type": "operator", "id": nil, "name": "operator"}))
		if operator.At("data", 0, "ip") != nil || operator.At("data", 0, "request_id") != nil {
			t.Errorf("without a request: got %v, want neither address nor request", operator.At("data", 0))
		}
		testkit.Diff(t, "another company", actions(t, w.B.Client, "subject="+label), []string{})
	})
}

func TestSignInsAreAudited(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		id, email := member(t, w.A.Client, "Ana")
		try := func(email, password, code string) *servertest.Answer {
			return w.A.Visitor().Post(t, "/session", map[string]string{"email": email, "password": password, "code": code})
		}
		try(email, "wrong password", "").Fails(401, "login_failed")
		try("nobody@unknown.example", "wrong password", "").Fails(401, "login_failed")
		ana := w.A.WithSession(t, try(email, password, "").OK(200))
		secret := ana.Post(t, "/me/two-factor", fmt.Sprintf(`{"password":%q}`, password)).OK(200).Text("secret")
		code, err := totp.GenerateCode(secret, w.Clock.Now())
		if err != nil {
			t.Fatal(err)
		}
		recovery := ana.Post(t, "/me/two-factor/confirm", fmt.Sprintf(`{"code":%q}`, code)).OK(200).Text("recovery_codes", 0)
		try(email, password, "").Fails(401, "code_required")
		try(email, password, "000000").Fails(401, "code_invalid")
		ana = w.A.WithSession(t, try(email, password, recovery).OK(200))
		w.Clock.Advance(2 * time.Hour) // earlier failures no longer count
		disable := map[string]string{"password": password, "code": "000000"}
		for range 5 {
			ana.Post(t, "/me/two-factor/disable", disable).Fails(401, "code_invalid")
		}
		ana.Post(t, "/me/two-factor/disable", disable).Fails(429, "rate_limited")
		ana.Delete(t, "/session").OK(204)

		testkit.Diff(t, "actions", actions(t, w.A.Client, "actor="+id), []string{
			"session.ended", "session.failed", "session.failed", "session.failed", "session.failed", "session.failed",
			"session.created", "session.failed", "two_factor.enabled", "session.created", "session.failed", "session.created", "password.changed",
		})
		failed := w.A.Get(t, "/audit?action=session.failed").OK(200)
		testkit.Equal(t, "failures", len(failed.List()), 7) // an unknown address belongs to no company
		testkit.Diff(t, "a wrong code", failed.At("data", 0, "changes"), any([]any{map[string]any{"field": "wrong", "from": nil, "to": "code"}}))
		testkit.Diff(t, "a wrong password", failed.At("data", 6, "changes"), any([]any{map[string]any{"field": "wrong", "from": nil, "to": "password"}}))
		testkit.Equal(t, "of another company", len(w.B.Get(t, "/audit?action=session").OK(200).List()), 0)
		for _, text := range []string{"wrong password", password, recovery, secret, "nobody@unknown.example"} {
			if raw := w.A.Get(t, "/audit?limit=100").OK(200).Raw; strings.Contains(string(raw), text) {
				t.Errorf("the audit contains %q: %s", text, raw)
			}
		}
	})
}

func TestAFailedSignInOfAMemberWithoutAPasswordIsAudited(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		id := w.A.Post(t, "/team", `{"name":"Bia","email":"bia@nopassword.example"}`).OK(201).ID()
		before := w.Desk.People.PasswordHashes()
		w.A.Visitor().Post(t, "/session", `{"email":"bia@nopassword.example","password":"wrong password"}`).Fails(401, "login_failed")
		testkit.Equal(t, "hashes", w.Desk.People.PasswordHashes()-before, 1) // it takes as long as for others
		testkit.Diff(t, "actions", actions(t, w.A.Client, "actor="+id), []string{"session.failed"})
	})
}

func TestTheAuditIsFiltered(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		label := w.A.Post(t, "/labels", `{"name":"one"}`).OK(201).ID()
		w.Clock.Advance(48 * time.Hour)
		middle := w.Clock.Now().UTC()
		w.A.Patch(t, "/labels/"+label, `{"name":"two"}`).OK(200)
		w.A.Patch(t, "/labels/"+label, `{"name":"three"}`).OK(200)
		w.Clock.Advance(48 * time.Hour)
		sector := w.A.Post(t, "/sectors", `{"name":"Sales"}`).OK(201).ID()
		at := url.QueryEscape(middle.Format(time.RFC3339))
		for query, want := range map[string][]string{
			"subject=" + label:     {"label.updated", "label.updated", "label.created"},
			"subject=label":        {"label.updated", "label.updated", "label.created"},
			"action=label":         {"label.updated", "label.updated", "label.created"},
			"action=label.updated": {"label.updated", "label.updated"},
			"action=lab":           {},
			"actor=key&from=" + at: {"sector.created", "label.updated", "label.updated"},
			"actor=" + w.A.Key.ID.String() + "&to=" + at:     {"label.created"},
			"actor=operator&action=key":                      {"key.created"},
			"actor=system":                                   {},
			"subject=" + sector + "&action=sector&actor=key": {"sector.created"},
			"from=" + middle.Add(-day).Format(time.DateOnly) + "&to=" + middle.Add(day).Format(time.DateOnly): {"label.updated", "label.updated"},
			"actor=" + kernel.NewID().String(): {},
		} {
			testkit.Diff(t, query, actions(t, w.A.Client, query), want)
		}
		for query, field := range map[string]string{
			"actor=robot": "query.actor", "actor=": "query.actor", "actor=123": "query.actor", "action=KEY": "query.action", "action=a.b.c": "query.action", "action=key.": "query.action",
			"subject=a b": "query.subject", "subject=%27": "query.subject", "from=yesterday": "query.from", "to=2026-13-01": "query.to",
			"from=2026-12-02&to=2026-12-01": "query.from", "limit=0": "query.limit", "limit=101": "query.limit", "who=x": "query.who",
		} {
			a := w.A.Get(t, "/audit?"+strings.ReplaceAll(query, " ", "%20")).Fails(400, "invalid_request")
			testkit.Equal(t, query, a.Text("details", 0, "field"), field)
		}
		w.A.Get(t, "/audit?cursor=x").Fails(400, "invalid_cursor")
		var all []string
		for cursor := ""; ; {
			page := w.A.Get(t, "/audit?action=label&limit=2"+cursor).OK(200)
			for _, e := range page.List() {
				all = append(all, e.(map[string]any)["action"].(string))
			}
			next := page.Text("next_cursor")
			if next == "" {
				break
			}
			w.A.Get(t, "/audit?action=sector&limit=2&cursor="+next).Fails(400, "invalid_cursor")
			w.B.Get(t, "/audit?action=label&limit=2&cursor="+next).Fails(400, "invalid_cursor")
			cursor = "&cursor=" + next
		}
		testkit.Diff(t, "all pages", all, []string{"label.updated", "label.updated", "label.created"})
	})
}

func TestTheAuditNeedsItsScope(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		w.A.Visitor().Get(t, "/audit").Fails(401, "key_missing")
		_, without := w.NewKey(t, w.A.ID, people.NewKey{Name: "k", Scopes: kernel.NewScopeSet(people.ScopeDataManage)})
		without.Get(t, "/audit").Fails(403, "insufficient_scope")
		without.Get(t, "/audit?format=csv").Fails(403, "insufficient_scope")
		_, with := w.NewKey(t, w.A.ID, people.NewKey{Name: "k", Scopes: kernel.NewScopeSet(people.ScopeAuditRead)})
		with.Get(t, "/audit").OK(200)
		_, agent := w.NewMemberKey(t, people.NewUser{Name: "Rui", Role: kernel.RoleAgent, AccessProfile: kernel.AccessAll})
		agent.Get(t, "/audit").OK(200)
		for role, status := range map[string]int{"agent": 403, "manager": 403, "admin": 200} {
			id, _ := member(t, w.A.Client, role, fmt.Sprintf(`"role":%q`, role))
			testkit.Equal(t, role, w.A.Enter(t, id, password).Get(t, "/audit").Status, status)
		}
	})
}

func TestTheAuditAsCSV(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		label := w.A.Post(t, "/labels", map[string]string{"name": `=1+1;"x",y`}).OK(201).ID()
		for language, comma := range map[string]rune{"pt-BR": ';', "es": ';', "en": ','} {
			rows := readCSV(t, w.A.Do(t, "GET", "/audit?limit=1&subject="+label, nil, "Accept", "text/csv", "Accept-Language", language), comma)
			testkit.Equal(t, "rows", len(rows), 1)
			row := rows[0]
			for column, want := range map[string]string{
				"action": "label.created", "actor.type": "key", "actor.id": w.A.Key.ID.String(), "actor.name": w.A.Key.Name, "ip": "127.0.0.1",
				"subject.type": "label", "subject.id": label, "subject.name": `'=1+1;"x",y`,
			} {
				testkit.Equal(t, column, row[column], want)
			}
			if row["id"] == "" || row["at"] == "" || row["request_id"] == "" {
				t.Errorf("got the row %v", row)
			}
			var changes []kernel.AuditChange
			if err := json.Unmarshal([]byte(row["changes"]), &changes); err != nil || len(changes) < 2 {
				t.Fatalf("got the changes %s (%v), want at least two as a JSON array", row["changes"], err)
			}
			testkit.Diff(t, "a change", changes[0], kernel.AuditChange{Field: "name", To: `=1+1;"x",y`})
		}
		// More rows than a page of the CSV, which reads 500 at a time.
		err := w.Desk.Kernel.Store.Write(t.Context(), func(tx *kernel.Tx) error {
			for i := range 1200 {
				tx.Audit(nil, kernel.AuditEntry{Action: "board.created", Company: w.A.ID, Subject: kernel.AuditSubject{Type: "test", Name: fmt.Sprint(i)}})
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		names := map[string]bool{}
		for _, row := range readCSV(t, w.A.Get(t, "/audit?format=csv&action=board.created&limit=3"), ',') {
			names[row["subject.name"]] = true
		}
		testkit.Equal(t, "different rows", len(names), 1200)
		exported := w.A.Get(t, "/audit?action=csv.exported").OK(200)
		testkit.Equal(t, "audit entries of the downloads", len(exported.List()), 4)
		testkit.Diff(t, "subject", exported.At("data", 0, "subject"), any(map[string]any{"type": "list", "id": nil, "name": "audit"}))
	})
}

func TestAnEntryAboutAPrivateNumberIsForItsViewers(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		_, email := member(t, w.A.Client, "Ada", `"role":"owner"`)
		owner, viewer := w.A.Enter(t, w.A.Owner.ID.String(), password), w.A.SignIn(t, email, password)
		channel := viewer.Post(t, "/channels", `{"name":"Board","phone":"+551140028922","provider":"sandbox","private":true}`).OK(201).ID()
		viewer.Patch(t, "/channels/"+channel, `{"name":"Board of directors"}`).OK(200)
		receiveConfidentialMessage(t, w, channel)
		contact := viewer.Get(t, "/contacts?channel="+channel).OK(200).Text("data", 0, "id")
		viewer.Post(t, "/contacts/"+contact+"/export", nil).OK(202)
		sendImport(t, viewer, "chat.txt", chatOfAna, "kind", "chat", "channel", channel, "contact", contact, "me", "Loja").OK(202)
		for who, c := range map[string]*servertest.Client{"another owner": owner, "a key": w.A.Client} {
			for _, query := range []string{"subject=" + channel, "action=channel", "subject=" + contact, "action=contact", "action=import"} {
				testkit.Diff(t, who+": "+query, actions(t, c, query), []string{})
			}
			if raw := c.Get(t, "/audit?limit=100").OK(200).Raw; strings.Contains(string(raw), "directors") || strings.Contains(string(raw), contact) {
				t.Errorf("%s sees the private number: %s", who, raw)
			}
		}
		testkit.Diff(t, "a viewer", actions(t, viewer, "action=channel"), []string{"channel.updated", "channel.created"})
		testkit.Contains(t, "a new private number", fmt.Sprint(viewer.Get(t, "/audit?action=channel.created").OK(200).At("data", 0, "changes")), "map[field:viewers from:<nil> to:[Ada]]")
		testkit.Diff(t, "a viewer", actions(t, viewer, "subject="+contact), []string{"contact.exported"})
		testkit.Diff(t, "a viewer", actions(t, viewer, "action=import"), []string{"import.created"})
		testkit.Equal(t, "in CSV, as in every other", len(readCSV(t, viewer.Get(t, "/audit?format=csv&action=channel"), ',')), 0)
	})
}

func TestAnEntryAboutAContactIsHiddenWithTheNumberThatBecomesPrivate(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		viewer := w.A.Enter(t, w.A.Owner.ID.String(), password)
		channel := w.A.Post(t, "/channels", `{"name":"Sales","phone":"+551140028922","provider":"sandbox"}`).OK(201).ID()
		w.A.Post(t, simulatePath(channel), `{"from":"+5511987650001","name":"Maria","text":"Oi"}`).OK(201)
		contact := w.A.Get(t, "/contacts?q=Maria").OK(200).Text("data", 0, "id")
		viewer.Post(t, "/contacts/"+contact+"/export", nil).OK(202)
		testkit.Diff(t, "before", actions(t, w.A.Client, "action=contact"), []string{"contact.exported"})
		viewer.Patch(t, "/channels/"+channel, fmt.Sprintf(`{"private":true,"viewers":[%q]}`, w.A.Owner.ID)).OK(200)
		testkit.Diff(t, "others", actions(t, w.A.Client, "subject="+contact), []string{})
		testkit.Diff(t, "a viewer", actions(t, viewer, "subject="+contact), []string{"contact.exported"})
	})
}

func TestTheAddressInTheAuditIsOfTrustedProxiesOnly(t *testing.T) {
	t.Parallel()
	address := func(t *testing.T, w *servertest.World, forwarded string) string {
		t.Helper()
		label := w.A.Post(t, "/labels", map[string]string{"name": kernel.NewID().String()}, "X-Forwarded-For", forwarded, "Forwarded", "for=192.0.2.99", "X-Real-Ip", "192.0.2.98").OK(201).ID()
		return w.A.Get(t, "/audit?subject="+label).OK(200).Text("data", 0, "ip")
	}
	t.Run("a client is not believed", func(t *testing.T) {
		servertest.Each(t, func(t *testing.T, w *servertest.World) {
			testkit.Equal(t, "ip", address(t, w, "203.0.113.7"), "127.0.0.1")
		})
	})
	t.Run("a trusted proxy is", func(t *testing.T) {
		servertest.Each(t, func(t *testing.T, w *servertest.World) {
			testkit.Equal(t, "ip", address(t, w, "203.0.113.7"), "203.0.113.7")
			testkit.Equal(t, "what the client sent before the proxy", address(t, w, "198.51.100.1, 203.0.113.7"), "203.0.113.7")
			testkit.Equal(t, "behind two proxies", address(t, w, "203.0.113.7, 127.0.0.2"), "203.0.113.7")
			testkit.Equal(t, "IPv6", address(t, w, "2001:db8::7"), "2001:db8::7")
			testkit.Equal(t, "nonsense", address(t, w, "unknown"), "127.0.0.1")
			_, email := member(t, w.A.Client, "Ana")
			w.A.Visitor().Post(t, "/session", map[string]string{"email": email, "password": "wrong"}, "X-Forwarded-For", "203.0.113.8").Fails(401, "login_failed")
			testkit.Equal(t, "a failed sign-in", w.A.Get(t, "/audit?action=session.failed").OK(200).Text("data", 0, "ip"), "203.0.113.8")
		}, trustLocalProxy)
	})
}

func TestAnAssistantIsAuditedAsItsKey(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		_, colleague := w.NewKey(t, w.A.ID, people.NewKey{Name: "Assistant", Scopes: kernel.NewScopeSet(kernel.AllScopes...)})
		c := newRegular(t, w, regularChannel(t, w), "+5511910000001")
		call := func(name, arguments string) {
			t.Helper()
			body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, name, arguments)
			r, err := http.NewRequest("POST", strings.TrimSuffix(w.A.Base(), "/v1")+"/mcp", strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
			r.Header.Set("X-Forwarded-For", "203.0.113.7")
			colleague.Sign(r)
			resp, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = resp.Body.Close() }()
			raw, err := io.ReadAll(resp.Body)
			if err != nil || resp.StatusCode != 200 || strings.Contains(string(raw), `"isError":true`) {
				t.Fatalf("%s: got %d %s %v", name, resp.StatusCode, raw, err)
			}
		}
		call("update_contact", fmt.Sprintf(`{"contact_id":%q,"opted_out":true}`, c.contact))
		e := w.A.Get(t, "/audit?subject="+c.contact).OK(200)
		testkit.Equal(t, "action", e.Text("data", 0, "action"), "contact.opted_out")
		testkit.Equal(t, "actor", e.Text("data", 0, "actor", "type")+" "+e.Text("data", 0, "actor", "name"), "key Assistant")
		testkit.Equal(t, "ip", e.Text("data", 0, "ip"), "203.0.113.7")
	}, trustLocalProxy)
}

func TestAChangeThatFailsLeavesNoAuditEntry(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		w.A.Post(t, "/sectors", `{"name":"Sales"}`).OK(201)
		other := w.A.Post(t, "/sectors", `{"name":"Support"}`).OK(201).ID()
		label := w.A.Post(t, "/labels", `{"name":"one"}`).OK(201).ID()
		before := len(actions(t, w.A.Client, ""))
		w.A.Post(t, "/sectors", `{"name":"Sales"}`).Fails(409, "name_taken")
		w.A.Patch(t, "/sectors/"+other, `{"name":"Sales"}`).Fails(409, "name_taken")
		w.A.Patch(t, "/company/retention", `{"messages_days":1}`).Fails(400, "invalid_request")
		w.A.Post(t, "/keys", `{"name":"k","scopes":["everything"]}`).Fails(400, "invalid_request")
		w.A.Delete(t, "/team/"+w.A.Owner.ID.String()).Fails(400, "invalid_request")
		w.B.Patch(t, "/labels/"+label, `{"name":"two"}`).Fails(404, "not_found")
		w.B.Delete(t, "/labels/"+label).Fails(404, "not_found")
		w.A.Patch(t, "/labels/"+label, `{"name":"one"}`).OK(200) // changes nothing
		failure := errors.New("no")
		err := w.Desk.Kernel.Store.Write(t.Context(), func(tx *kernel.Tx) error {
			tx.Audit(nil, kernel.AuditEntry{Action: "label.created", Company: w.A.ID, Subject: kernel.AuditSubject{Type: "test"}})
			tx.Later(`UPDATE labels SET name = 'lost' WHERE company = $1`, w.A.ID)
			return failure
		})
		if !errors.Is(err, failure) {
			t.Fatalf("got %v, want the error of the transaction", err)
		}
		testkit.Equal(t, "entries", len(actions(t, w.A.Client, "")), before)
		testkit.Equal(t, "name", w.A.Get(t, "/labels").OK(200).Text("data", 0, "name"), "one")

		repeated := []string{"Idempotency-Key", kernel.NewID().String()}
		first := w.A.Post(t, "/sectors", `{"name":"Twice"}`, repeated...).OK(201).ID()
		testkit.Equal(t, "the repeated response", w.A.Post(t, "/sectors", `{"name":"Twice"}`, repeated...).OK(201).ID(), first)
		testkit.Diff(t, "a repeated request", actions(t, w.A.Client, "subject="+first), []string{"sector.created"})
	})
}

func TestKeysAndPeopleAreAuditedWithoutTheirSecrets(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		key := w.A.Post(t, "/keys", `{"name":"CRM","scopes":["contacts:read"]}`).OK(201)
		id := key.ID()
		rotated := w.A.Post(t, "/keys/"+id+"/rotate", `{}`).OK(200)
		w.A.Delete(t, "/keys/"+id).OK(204)
		testkit.Diff(t, "key", actions(t, w.A.Client, "subject="+id), []string{"key.revoked", "key.rotated", "key.created"})

		person, _ := member(t, w.A.Client, "Bia")
		w.A.Patch(t, "/team/"+person, `{"role":"manager"}`).OK(200)
		e := w.A.Get(t, "/audit?subject="+person+"&action=member.updated").OK(200)
		testkit.Diff(t, "role", e.At("data", 0, "changes", 0), any(map[string]any{"field": "role", "from": "agent", "to": "manager"}))
		w.A.Delete(t, "/team/"+person).OK(204)
		testkit.Diff(t, "member", actions(t, w.A.Client, "subject="+person+"&action=member"), []string{"member.removed", "member.updated", "member.created"})

		raw := string(w.A.Get(t, "/audit?limit=100").OK(200).Raw)
		for _, secret := range []string{key.Text("key"), rotated.Text("key"), password} {
			if secret == "" || strings.Contains(raw, secret) {
				t.Errorf("the audit contains the secret %q", secret)
			}
		}
		if !slices.Contains(actions(t, w.A.Client, ""), "reset_link.created") {
			t.Error("the link of the member is not audited")
		}
	})
}

func TestWhatGoesWithAPersonOrAKeyIsAudited(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		owner := w.A.Enter(t, w.A.Owner.ID.String(), password)
		invite := func(c *servertest.Client, name string) string {
			t.Helper()
			return c.Post(t, "/team/invitations", fmt.Sprintf(`{"email":"%s@x.example","name":%q,"role":"agent"}`, name, name)).OK(201).ID()
		}
		entry := func(action, subject string) map[string]any {
			t.Helper()
			list := owner.Get(t, "/audit?action="+action+"&subject="+subject).OK(200)
			if len(list.List()) != 1 {
				t.Fatalf("%s: got %d entries, want 1", action, len(list.List()))
			}
			return list.At("data", 0).(map[string]any)
		}
		person, bia := signedIn(t, w, "Bia", `"role":"admin"`)
		key := person.Post(t, "/keys", `{"name":"CRM","scopes":["keys:manage","team:manage"]}`).OK(201)
		issuer := w.A.As(key.Text("key"))
		issued := issuer.Post(t, "/keys", `{"name":"ERP","scopes":["keys:manage"]}`).OK(201).ID()
		invitations := []string{invite(person, "Caio"), invite(issuer, "Davi")}
		channel := owner.Post(t, "/channels", `{"name":"Board","phone":"+551140028922","provider":"sandbox","private":true}`).OK(201).ID()
		owner.Patch(t, "/channels/"+channel, map[string]any{"viewers": []string{w.A.Owner.ID.String(), bia}}).OK(200)
		before := len(actions(t, owner, "action=channel.updated&subject="+channel))

		owner.Delete(t, "/team/"+bia).OK(204)
		testkit.Diff(t, "actor", entry("key.revoked", key.ID())["actor"], any(map[string]any{"type": "user", "id": w.A.Owner.ID.String(), "name": w.A.Owner.Name}))
		testkit.Diff(t, "key that a key issued", entry("key.revoked", issued)["subject"], any(map[string]any{"type": "key", "id": issued, "name": "ERP"}))
		for i, name := range []string{"Caio", "Davi"} {
			testkit.Diff(t, "invitation", entry("invitation.cancelled", invitations[i])["subject"], any(map[string]any{"type": "invitation", "id": invitations[i], "name": name}))
		}
		updates := owner.Get(t, "/audit?action=channel.updated&subject="+channel).OK(200)
		testkit.Equal(t, "updates of the channel", len(updates.List()), before+1)
		testkit.Diff(t, "viewers", updates.At("data", 0, "changes"), any([]any{
			map[string]any{"field": "viewers", "from": []any{"Bia", w.A.Owner.Name}, "to": []any{w.A.Owner.Name}},
		}))

		parent := w.A.Post(t, "/keys", `{"name":"Parent","scopes":["keys:manage"]}`).OK(201)
		child := w.A.As(parent.Text("key")).Post(t, "/keys", `{"name":"Child","scopes":["keys:manage"]}`).OK(201).ID()
		owner.Delete(t, "/keys/"+parent.ID()).OK(204)
		entry("key.revoked", parent.ID())
		entry("key.revoked", child)
	})
}
