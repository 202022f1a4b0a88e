package matrix

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/test/servertest"
	"recado/test/testkit"
)

// unaudited lists the operations that change something, or could, without an audit entry, with the reason.
var unaudited = map[string]string{
	// Daily work with customers: the timeline of the conversation and the history of the case say who did what.
	"POST /conversations":                        daily,
	"PATCH /conversations/{id}":                  daily,
	"POST /conversations/{id}/read":              daily,
	"POST /conversations/{id}/unread":            daily,
	"POST /conversations/{id}/take":              daily,
	"POST /conversations/{id}/snooze":            daily,
	"PUT /conversations/{id}/bot":                daily,
	"POST /conversations/bulk":                   daily,
	"POST /conversations/{id}/transfer":          daily,
	"PUT /conversations/{id}/sector":             daily,
	"POST /conversations/{id}/attendance/close":  daily,
	"POST /conversations/{id}/attendance/reopen": daily,
	"PATCH /attendances/{id}":                    daily,
	"POST /conversations/{id}/activity":          daily,
	"POST /contacts":                             daily,
	"PATCH /contacts/{id}":                       daily,
	"POST /kanban/cards":                         daily,
	"PATCH /kanban/cards/{id}":                   daily,
	"POST /kanban/cards/{id}/move":               daily,
	// Texts of messages and notes.
	"POST /conversations/{id}/messages":  texts,
	"PATCH /messages/{id}":               texts,
	"DELETE /messages/{id}":              texts,
	"PUT /messages/{id}/reaction":        texts,
	"DELETE /messages/{id}/reaction":     texts,
	"POST /media":                        texts,
	"POST /conversations/{id}/notes":     texts,
	"PATCH /notes/{id}":                  texts,
	"PUT /conversations/{id}/draft":      texts,
	"DELETE /conversations/{id}/draft":   texts,
	"POST /conversations/{id}/scheduled": texts,
	"PATCH /scheduled/{id}":              texts,
	"DELETE /scheduled/{id}":             texts,
	"POST /channels/{id}/simulate":       texts,
	// A person's own settings, which nobody else has.
	"PUT /me/presence":                   personal,
	"PATCH /me/preferences":              personal,
	"POST /me/notifications/read":        personal,
	"POST /me/push-subscriptions":        personal,
	"DELETE /me/push-subscriptions/{id}": personal,
	// Nothing is changed.
	"POST /me/push-subscriptions/{id}/test":                               nothing,
	"POST /me/two-factor":                                                 nothing, // until it is confirmed
	"POST /channels/{id}/test":                                            nothing,
	"POST /channels/{id}/templates/sync":                                  nothing,
	"POST /channels/{id}/reception/try":                                   nothing,
	"POST /replies/{id}/render":                                           nothing,
	"POST /company/retention/preview":                                     nothing,
	"POST /contacts/{id}/erase/preview":                                   nothing,
	"POST /integrations/webhooks/{id}/test":                               nothing,
	"POST /integrations/webhooks/{id}/deliveries/{delivery_id}/redeliver": nothing,
	"POST /jobs/{id}/cancel":                                              elsewhere, // TestACancelledJobDoesNothingMore
	"POST /imports":                                                       elsewhere, // TestContactsAreImportedFromCSV
	// This server cannot do it.
	"POST /setup":                            elsewhere, // TestSettingUpIsAudited
	"POST /channels/{id}/templates":          elsewhere, // TestTemplatesAreAudited
	"POST /channels/{id}/link":               elsewhere, // TestLinksAreAudited
	"DELETE /channels/{id}/link":             elsewhere, // TestLinksAreAudited
	"DELETE /channels/{id}/templates/{name}": elsewhere,
}

const (
	daily     = "daily work, which the timeline shows"
	texts     = "messages and notes"
	personal  = "a person's own settings"
	nothing   = "it changes nothing"
	elsewhere = "another test covers it"
)

// auditExamples replaces examples of the table that would change nothing.
var auditExamples = map[string]example{
	"POST /views":                       {path: "/views", body: `{"name":"{word}","query":{"unread":true},"shared":true}`},
	"PATCH /me":                         {path: "/me", body: `{"name":"{word}"}`},
	"PATCH /team/{id}":                  {path: "/team/{user}", body: `{"name":"{word}"}`},
	"DELETE /team/{id}/sessions":        {path: "/team/{me}/sessions"},
	"PATCH /company/attendance":         {path: "/company/attendance", body: `{"mode":"restricted"}`},
	"PATCH /hours/{id}":                 {path: "/hours/{hours}", body: `{"name":"{word}"}`},
	"PATCH /fields/{id}":                {path: "/fields/{field}", body: `{"name":"{word}"}`},
	"PATCH /integrations/webhooks/{id}": {path: "/integrations/webhooks/{webhook}", body: `{"name":"{word}"}`},
}

// auditSteps are the operations that need more than an example. Each returns the response.
var auditSteps = map[string]func(t *testing.T, b *fixture, session *servertest.Client, headers ...string) *servertest.Answer{
	"POST /contacts/{id}/erase": func(t *testing.T, b *fixture, session *servertest.Client, headers ...string) *servertest.Answer {
		id := session.Post(t, "/contacts", `{"name":"Gone","phone":"+5511977770001"}`).OK(201).ID()
		a := session.Do(t, "POST", "/contacts/"+id+"/erase", `{"confirm_phone":"+5511977770001","reason":"asked for it"}`, headers...)
		testkit.Eventually(t, "the person is erased", func() bool { return session.Get(t, "/jobs/"+a.ID()).OK(200).Text("status") == "done" })
		return a
	},
	"PATCH /views/{id}": func(t *testing.T, b *fixture, session *servertest.Client, headers ...string) *servertest.Answer {
		return session.Do(t, "PATCH", "/views/"+sharedView(t, session), `{"name":"Late"}`, headers...)
	},
	"DELETE /views/{id}": func(t *testing.T, b *fixture, session *servertest.Client, headers ...string) *servertest.Answer {
		return session.Do(t, "DELETE", "/views/"+sharedView(t, session), nil, headers...)
	},
	"DELETE /sessions": func(t *testing.T, b *fixture, session *servertest.Client, headers ...string) *servertest.Answer {
		b.a.SignIn(t, b.a.Owner.Email, password)
		return session.Do(t, "DELETE", "/sessions", nil, headers...)
	},
	"POST /me/two-factor/confirm": func(t *testing.T, b *fixture, session *servertest.Client, headers ...string) *servertest.Answer {
		return b.enableTwoFactor(t, session, headers...)
	},
	"POST /me/two-factor/disable": func(t *testing.T, b *fixture, session *servertest.Client, headers ...string) *servertest.Answer {
		recovery := b.enableTwoFactor(t, session).Text("recovery_codes", 0)
		return session.Do(t, "POST", "/me/two-factor/disable", fmt.Sprintf(`{"password":%q,"code":%q}`, password, recovery), headers...)
	},
	"DELETE /me/two-factor": func(t *testing.T, b *fixture, session *servertest.Client, headers ...string) *servertest.Answer {
		recovery := b.enableTwoFactor(t, session).Text("recovery_codes", 0)
		return session.Do(t, "DELETE", "/me/two-factor", fmt.Sprintf(`{"password":%q,"code":%q}`, password, recovery), headers...)
	},
}

func sharedView(t *testing.T, session *servertest.Client) string {
	t.Helper()
	return session.Post(t, "/views", `{"name":"Waiting","query":{},"shared":true}`).OK(201).ID()
}

// enableTwoFactor turns two-factor sign-in on. It first turns it off at the database's side if it is on.
func (b *fixture) enableTwoFactor(t *testing.T, session *servertest.Client, headers ...string) *servertest.Answer {
	t.Helper()
	person, err := b.w.Desk.People.FindPerson(t.Context(), b.a.Owner.Email, b.a.ID)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.w.Desk.People.SwitchTwoFactorOff(t.Context(), person); err != nil {
		t.Fatal(err)
	}
	b.w.Clock.Advance(time.Minute) // a code is accepted once
	secret := session.Post(t, "/me/two-factor", fmt.Sprintf(`{"password":%q}`, password)).OK(200).Text("secret")
	code, err := totp.GenerateCode(secret, b.w.Clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	return session.Do(t, "POST", "/me/two-factor/confirm", fmt.Sprintf(`{"code":%q}`, code), headers...).OK(200)
}

// TestEveryChangeOfSettingsIsAudited calls every operation that changes something and looks for the audit entry of its request.
// A new operation fails the test until it records an entry or is listed in unaudited.
func TestEveryChangeOfSettingsIsAudited(t *testing.T) {
	each(t, func(t *testing.T, b *fixture) {
		var secrets []string
		known, planted := map[string]bool{}, 0
		for _, route := range b.w.API.Routes() {
			name := route.Method + " " + route.Path
			known[name] = true
			if unaudited[name] == texts {
				planted += b.plant(t, route, name)
			}
			if route.Method == http.MethodGet || unaudited[name] != "" {
				continue
			}
			t.Run(name, func(t *testing.T) {
				id := kernel.NewID().String()
				a := b.change(t, route, name, "X-Request-Id", id)
				if a.Status >= 300 {
					t.Fatalf("got %d %s, want success", a.Status, a.Raw)
				}
				secrets = append(secrets, secretsIn(a)...)
				for _, entry := range b.a.Get(t, "/audit?limit=100").OK(200).List() {
					if entry.(map[string]any)["request_id"] == id {
						return
					}
				}
				t.Errorf("%s leaves no audit entry: record one with tx.Audit, or add the operation to unaudited with the reason", name)
			})
		}
		for _, name := range slices.Sorted(maps.Keys(unaudited)) {
			if !known[name] {
				t.Errorf("unaudited lists %s, which does not exist", name)
			}
		}
		t.Run("no entry has a secret", func(t *testing.T) {
			if len(secrets) < 5 {
				t.Fatalf("the operations returned %d secrets, want at least 5: keys, links and codes", len(secrets))
			}
			b.auditHides(t, append(secrets, password))
		})
		t.Run("no entry has the text of a message", func(t *testing.T) {
			if planted < 8 {
				t.Fatalf("%d operations took a text, want at least 8: messages, notes, drafts and scheduled messages", planted)
			}
			b.auditHides(t, []string{plantedText})
		})
		t.Run("the app knows the name of every field", b.checkFieldNames)
	})
}

// change calls the operation of a route in a way that changes something.
func (b *fixture) change(t *testing.T, route *httpserver.Route, name string, headers ...string) *servertest.Answer {
	t.Helper()
	caller := b.a.caller(t, route)
	if step := auditSteps[name]; step != nil {
		return step(t, b, caller, headers...)
	}
	ex, ok := auditExamples[name]
	if !ok {
		if len(table[name]) == 0 {
			t.Fatal("the table in test/matrix/table_test.go has no example of this route: add one")
		}
		ex = table[name][0]
	}
	return b.perform(t, route, caller, ex, headers...)
}

const plantedText = "a text that only the customer reads"

// plant calls an operation with a text that the audit must not show, and returns how many of the examples took it.
func (b *fixture) plant(t *testing.T, route *httpserver.Route, name string) (n int) {
	t.Helper()
	for _, ex := range table[name] {
		body := strings.ReplaceAll(ex.body, `"text":"x"`, fmt.Sprintf(`"text":%q`, plantedText))
		if body == ex.body {
			continue
		}
		ex.body = body
		if a := b.perform(t, route, b.a.caller(t, route), ex); a.Status < 300 {
			n++
		}
	}
	return n
}

// perform calls the operation of a route as in an example.
func (b *fixture) perform(t *testing.T, route *httpserver.Route, caller *servertest.Client, ex example, headers ...string) *servertest.Answer {
	t.Helper()
	n, nouns := -1, ex.slots()
	next := func(noun string) string {
		n++
		fresh := (route.Method == http.MethodDelete && n == len(nouns)-1 || noun == "free sector") && noun != "me"
		return b.a.id(t, noun, b.mine, fresh)
	}
	if ex.upload {
		return ex.sendFile(t, caller, next, headers...)
	}
	target := fill(ex.path, next)
	if ex.query != "" {
		target += "?" + fill(ex.query, next)
	}
	var body any
	if ex.body != "" {
		body = fill(ex.body, next)
	}
	if route.KeyRequired {
		headers = append(headers, "Idempotency-Key", kernel.NewID().String())
	}
	return caller.Do(t, route.Method, target, body, headers...)
}

var secretTexts = regexp.MustCompile(`rcd_[0-9A-Za-z]{20,}|token=[\w-]{20,}|whsec_[\w=+/-]{10,}|\b[a-z2-7]{4}-[a-z2-7]{4}-[a-z2-7]{4}-[a-z2-7]{4}\b`)

// secretsIn returns the keys, tokens and codes in a response.
func secretsIn(a *servertest.Answer) (secrets []string) {
	for _, text := range append(secretTexts.FindAllString(string(a.Raw), -1), a.Header.Values("Set-Cookie")...) {
		text = strings.TrimPrefix(text, "token=")
		if _, value, isCookie := strings.Cut(text, "="); isCookie {
			text, _, _ = strings.Cut(value, ";")
		}
		if text != "" {
			secrets = append(secrets, text)
		}
	}
	return secrets
}

// auditHides checks that no secret is in the audit.
func (b *fixture) auditHides(t *testing.T, secrets []string) {
	t.Helper()
	for _, page := range b.auditPages(t) {
		for _, secret := range secrets {
			if bytes.Contains(page.Raw, []byte(secret)) {
				t.Errorf("the audit shows the secret %s", secret)
			}
		}
	}
}

// auditPages returns all pages of the audit.
func (b *fixture) auditPages(t *testing.T) (pages []*servertest.Answer) {
	t.Helper()
	owner := b.a.SignIn(t, b.a.Owner.Email, password)
	for cursor := ""; ; {
		page := owner.Get(t, "/audit?limit=100"+cursor).OK(200)
		pages = append(pages, page)
		next, _ := page.At("next_cursor").(string)
		if next == "" {
			return pages
		}
		cursor = "&cursor=" + next
	}
}

// checkFieldNames checks that the app knows the names of all fields in the audit.
func (b *fixture) checkFieldNames(t *testing.T) {
	t.Helper()
	file, err := os.ReadFile("../../web/src/api/codes.json")
	if err != nil {
		t.Fatal(err)
	}
	var codes struct {
		Fields []string `json:"audit_fields"`
	}
	if err := json.Unmarshal(file, &codes); err != nil {
		t.Fatal(err)
	}
	for _, page := range b.auditPages(t) {
		for _, entry := range page.List() {
			for _, change := range entry.(map[string]any)["changes"].([]any) {
				field := change.(map[string]any)["field"].(string)
				for part := range strings.SplitSeq(field, ".") {
					if !slices.Contains(codes.Fields, part) {
						t.Errorf("%s has the field %s, which audited in internal/server/audited_test.go does not lead to", entry.(map[string]any)["action"], field)
					}
				}
			}
		}
	}
}
