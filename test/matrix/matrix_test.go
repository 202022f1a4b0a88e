// Package matrix tests who may see what. It calls every route with ids that the caller must not know in every place where
// an id can occur: ids of another company, of a private channel, outside a member's access profile or outside a key's
// boards. The response must equal, byte for byte, that for an id that does not exist.
package matrix

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/test/servertest"
	"recado/test/testkit"
)

func TestIdsOfOtherCompaniesAreAnsweredLikeUnknownIds(t *testing.T) {
	each(t, func(t *testing.T, b *fixture) {
		for _, noun := range []string{"key", "label", "closing reason", "contact", "webhook", "delivery", "board", "stage", "card", "other card", "media", "session", "push subscription", "invitation", "view", "reply", "hours", "free hours", "free contact", "free sector", "sla policy", "field", "job"} {
			b.b.id(t, noun, nil, false)
		}
		before := b.b.snapshot(t)
		for _, route := range b.w.API.Routes() {
			name := route.Method + " " + route.Path
			t.Run(name, func(t *testing.T) {
				if table[name] == nil {
					t.Fatal("the table in test/matrix/table_test.go has no example of this route: add one")
				}
				for _, ex := range table[name] {
					b.foreignIDs(t, route, ex)
					b.succeeds(t, route, ex)
				}
			})
		}
		t.Run("nothing of another company has changed", func(t *testing.T) {
			testkit.Diff(t, "the other company's data", b.b.snapshot(t), before)
		})
		t.Run("lists and events show nothing private", func(t *testing.T) {
			b.seesNothingOf(t, b.a.Client, nil, b.private, b.foreign)
		})
	})
}

// foreignIDs calls an example with an id of another company and of a private channel in each slot in turn.
func (b *fixture) foreignIDs(t *testing.T, route *httpserver.Route, ex example) {
	t.Helper()
	mine := b.mine
	for slot, noun := range ex.slots() {
		var others []string
		if id, ok := b.foreign.id(noun); ok {
			others = append(others, id)
		} else if isID(noun) {
			others = append(others, b.b.id(t, noun, nil, false))
		}
		// The owner, whose session calls routes that refuse keys, is a viewer of the private channel.
		if id, ok := b.private.id(noun); ok && noun != "phone of conversation" && !route.Verb.SessionOnly {
			others = append(others, id)
		}
		b.same(t, b.a.caller(t, route), route, ex, slot, noun, mine, others)
	}
}

// same compares the responses for other ids in a slot with the response for an id that does not exist.
func (b *fixture) same(t *testing.T, c *servertest.Client, route *httpserver.Route, ex example, slot int, noun string, mine *talk, others []string) {
	t.Helper()
	if !isID(noun) || noun == "protocol" {
		return
	}
	unknown := kernel.NewID().String()
	if strings.HasPrefix(noun, "external") {
		unknown = "sandbox." + unknown
	}
	want, wantHeader := b.answer(t, c, route, ex, slot, unknown, mine)
	for _, id := range others {
		got, header := b.answer(t, c, route, ex, slot, id, mine)
		if got != want {
			t.Errorf("%s %s %s: response for the %s %s:\ngot  %s\nwant %s, as for one that does not exist", ex.path, ex.query, ex.body, noun, id, got, want)
		}
		for _, name := range []string{"Content-Type", "ETag", "Location", "Allow", "Idempotency-Replayed", "Retry-After"} {
			if header.Get(name) != wantHeader.Get(name) {
				t.Errorf("%s: response for the %s %s: got %s %q, want %q", ex.path, noun, id, name, header.Get(name), wantHeader.Get(name))
			}
		}
	}
}

var requestID = regexp.MustCompile(`"request_id":"[^"]*"`)

// answer calls an example with the given id in one slot and returns the response in a form that can be compared.
func (b *fixture) answer(t *testing.T, c *servertest.Client, route *httpserver.Route, ex example, slot int, id string, mine *talk) (string, http.Header) {
	t.Helper()
	a := b.call(t, c, route, ex.only(slot), func(n int, noun string) string {
		if n == slot {
			return id
		}
		return b.a.id(t, noun, mine, false)
	})
	refused := route.Path == "/conversations/bulk" && a.Int("results", 0, "status") == http.StatusNotFound // each conversation has its own status
	if a.Status < 300 && route.Method != http.MethodGet && !refused {
		t.Errorf("%s %s: with an unknown %s: got %d %s, want an error", ex.path, ex.body, ex.slots()[slot], a.Status, a.Raw)
	}
	if list, ok := a.At("data").([]any); ok && a.Status == 200 && len(list) > 0 {
		t.Errorf("%s %s: list for an unknown %s: got %d elements, want 0", ex.path, ex.query, ex.slots()[slot], len(list))
	}
	raw := requestID.ReplaceAllString(string(a.Raw), `"request_id":""`)
	return fmt.Sprintf("%d %s", a.Status, strings.ReplaceAll(raw, id, "<id>")), a.Header
}

// succeeds calls the example with valid ids, to show that the refusals are due to the ids.
func (b *fixture) succeeds(t *testing.T, route *httpserver.Route, ex example) {
	t.Helper()
	if route.Streams && route.Method == http.MethodGet {
		return
	}
	mine := b.a.talk(t, "mine")
	nouns := ex.slots()
	a := b.call(t, b.a.caller(t, route), route, ex, func(n int, noun string) string {
		fresh := route.Method == http.MethodDelete && n == len(nouns)-1
		if noun == "contact" && strings.HasPrefix(ex.path, "/conversations") || noun == "free sector" {
			fresh = true
		}
		return b.a.id(t, noun, mine, fresh)
	})
	if ex.refused != 0 && a.Status == ex.refused {
		return
	}
	if a.Status >= 300 {
		t.Errorf("%s %s %s: with valid ids: got %d %s, want success", ex.path, ex.query, ex.body, a.Status, a.Raw)
	}
}

// call calls an example. id returns the value for the nth slot.
func (b *fixture) call(t *testing.T, c *servertest.Client, route *httpserver.Route, ex example, id func(n int, noun string) string) *servertest.Answer {
	t.Helper()
	n := -1
	next := func(noun string) string { n++; return id(n, noun) }
	if ex.upload {
		return ex.sendFile(t, c, next)
	}
	target := fill(ex.path, next)
	if ex.query != "" {
		target += "?" + fill(ex.query, next)
	}
	var body any
	if ex.body != "" {
		body = fill(ex.body, next)
	}
	var headers []string
	if route.KeyRequired {
		headers = []string{"Idempotency-Key", kernel.NewID().String()}
	}
	return c.Do(t, route.Method, target, body, headers...)
}

// sendFile sends the form of an example with a picture or, if it has other fields, a table of contacts.
func (ex example) sendFile(t *testing.T, c *servertest.Client, next func(noun string) string, headers ...string) *servertest.Answer {
	t.Helper()
	path := fill(ex.path, next)
	form, kind := testkit.FileForm("pixel.png", string(pixel))
	if ex.form != "" {
		fields, err := url.ParseQuery(fill(ex.form, next))
		if err != nil {
			t.Fatal(err)
		}
		form, kind = testkit.Form(fields, "contacts.csv", "name,phone\nMaria,+5511912340000\n")
	}
	return c.Post(t, path, form, append(headers, "Content-Type", kind)...)
}

func (ex example) slots() []string {
	return slots(ex.path + "?" + ex.query + " " + ex.body + " " + ex.form)
}

// only removes all query filters except the one with this slot, because the others could hide its effect. Empty slots
// replace the removed ones, so that slots keep their numbers.
func (ex example) only(slot int) example {
	n := len(slots(ex.path))
	if ex.query == "" || slot < n {
		return ex
	}
	pair := strings.Split(ex.query, "&")[slot-n]
	kept := ""
	for range slot - n {
		kept += "{}"
	}
	ex.query = kept + pair
	return ex
}

// isID reports whether a slot holds an id of something that exists.
func isID(noun string) bool {
	return !slices.Contains([]string{"phone", "word", "new", "receiver", "tomorrow", "phone of conversation", "email", "password", "token", ""}, noun)
}

// snapshot returns everything that a company's key can read, except when people were last seen, and the event feed, whose
// end on PostgreSQL depends on transactions of other tests.
func (o *company) snapshot(t *testing.T) string {
	t.Helper()
	var out bytes.Buffer
	for _, route := range o.w.API.Routes() {
		if route.Method != http.MethodGet || route.Open || strings.Contains(route.Path, "{") || strings.HasPrefix(route.Path, "/events") || route.Path == "/live" {
			continue
		}
		var v any
		o.caller(t, route).Get(t, route.Path+"?"+required(route)).OK(200).Into(&v)
		forget(v, "last_used_at", "last_seen_at", "expires_at", "presence")
		text, _ := json.MarshalIndent(v, "", " ")
		fmt.Fprintf(&out, "%s %s\n", route.Path, text)
	}
	return out.String()
}

// required returns the required query parameters of a list.
func required(route *httpserver.Route) string {
	if route.Path == "/messages" {
		return "q=secret-of"
	}
	return ""
}

func forget(v any, names ...string) {
	switch v := v.(type) {
	case []any:
		for _, element := range v {
			forget(element, names...)
		}
	case map[string]any:
		for _, name := range names {
			delete(v, name)
		}
		for _, below := range v {
			forget(below, names...)
		}
	}
}

// seesNothingOf reads everything that a caller can read and checks that nothing hidden is in it.
func (b *fixture) seesNothingOf(t *testing.T, c *servertest.Client, mine *talk, hidden ...*talk) {
	t.Helper()
	for _, route := range b.w.API.Routes() {
		if route.Method != http.MethodGet || route.Streams {
			continue
		}
		for _, ex := range table["GET "+route.Path] {
			if mine == nil && slices.ContainsFunc(slots(ex.path), func(noun string) bool { _, ok := b.private.id(noun); return ok }) {
				continue
			}
			ex.query = required(route)
			b.noTrace(t, route.Path, b.call(t, c, route, ex, func(_ int, noun string) string { return b.a.id(t, noun, mine, false) }), hidden)
		}
	}
	after := ""
	for range 1000 {
		page := c.Get(t, "/events?limit=100"+after).OK(200)
		b.noTrace(t, "/events", page, hidden)
		if len(page.List()) == 0 {
			return
		}
		after = "&after=" + page.Text("next_cursor")
	}
	t.Error("the feed does not end after 1000 pages")
}

func (b *fixture) noTrace(t *testing.T, path string, a *servertest.Answer, hidden []*talk) {
	t.Helper()
	for _, k := range hidden {
		for noun, id := range k.ids {
			if noun == "protocol" || noun == "phone of conversation" && k != b.private {
				continue // the caller may see protocol numbers and contacts of its own company
			}
			if bytes.Contains(a.Raw, []byte(id)) {
				t.Errorf("%s shows the hidden %s %s of %s: %s", path, noun, id, k.mark, a.Raw)
			}
		}
		if bytes.Contains(a.Raw, []byte(k.mark+" ")) || k == b.private && bytes.Contains(a.Raw, []byte(k.mark)) {
			t.Errorf("%s shows a hidden text of %s: %s", path, k.mark, a.Raw)
		}
	}
}
