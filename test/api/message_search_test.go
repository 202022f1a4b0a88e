package api_test

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"recado/internal/kernel"
	"recado/internal/people"
	"recado/test/servertest"
	"recado/test/testkit"
)

// messageSearch returns the ids of the messages that a search finds on all pages.
func messageSearch(t *testing.T, c *servertest.Client, query url.Values) (ids []string) {
	t.Helper()
	for {
		page := c.Get(t, "/messages?"+query.Encode()).OK(200)
		for _, entry := range page.List() {
			ids = append(ids, entry.(map[string]any)["message"].(map[string]any)["id"].(string))
		}
		next := page.Text("next_cursor")
		if next == "" {
			return ids
		}
		query.Set("cursor", next)
	}
}

func TestMessagesCanBeSearched(t *testing.T) {
	servertest.EachLive(t, func(t *testing.T, w *servertest.World) {
		channel, other := sandbox(t, w), sandbox(t, w)
		write := func(channel, from, text string) *servertest.Answer {
			return w.A.Post(t, simulatePath(channel), map[string]any{"from": from, "text": text}).OK(201)
		}
		find := func(t *testing.T, q string, more ...string) []string {
			t.Helper()
			query := url.Values{"q": {q}}
			for i := 0; i < len(more); i += 2 {
				query.Set(more[i], more[i+1])
			}
			return messageSearch(t, w.A.Client, query)
		}
		const ana, rui = "+5511987654321", "+5511987654322"
		first := write(channel, ana, "Bom dia, quero um ORÇAMENTO para sábado")
		second := write(channel, rui, "orcamento aprovado")
		third := write(other, ana, "E o orçamento?")
		conversation := first.Text("conversation")
		sent := w.A.Post(t, "/conversations/"+conversation+"/messages", message("Segue o orçamento 😀 em anexo")).OK(201)

		t.Run("a part of a word matches without case and accents, newest first", func(t *testing.T) {
			all := []string{sent.ID(), third.ID(), second.ID(), first.ID()}
			for _, q := range []string{"orçamento", "ORCAMENTO", "çamen", "or", "orcamento"} {
				testkit.Diff(t, q, find(t, q), all)
			}
			testkit.Diff(t, "a phrase", find(t, "um orcamento para"), []string{first.ID()})
			testkit.Diff(t, "nothing", find(t, "inexistente"), []string(nil))
		})
		t.Run("the results are the same when the texts are indexed", func(t *testing.T) {
			indexAll(t, w)
			all := []string{sent.ID(), third.ID(), second.ID(), first.ID()}
			for _, q := range []string{"orçamento", "çamen", "or"} {
				testkit.Diff(t, q, find(t, q), all)
				testkit.Diff(t, q+", one by one", find(t, q, "limit", "1"), all)
			}
		})
		t.Run("filters can be combined with the text", func(t *testing.T) {
			testkit.Diff(t, "conversation", find(t, "orcamento", "conversation", conversation), []string{sent.ID(), first.ID()})
			testkit.Diff(t, "conversation, one by one", find(t, "orcamento", "conversation", conversation, "limit", "1"), []string{sent.ID(), first.ID()})
			contact := w.A.Get(t, "/conversations/"+conversation).OK(200).Text("contact")
			testkit.Diff(t, "contact", find(t, "orcamento", "contact", contact), []string{sent.ID(), third.ID(), first.ID()})
			testkit.Diff(t, "channel", find(t, "orcamento", "channel", other), []string{third.ID()})
			testkit.Diff(t, "direction", find(t, "orcamento", "direction", "outbound"), []string{sent.ID()})
			testkit.Diff(t, "user", find(t, "orcamento", "user", w.A.Owner.ID.String()), []string{sent.ID()})
			testkit.Diff(t, "type", find(t, "orcamento", "type", "image"), []string(nil))
			tomorrow := w.Clock.Now().Add(24 * time.Hour).UTC().Format(time.RFC3339)
			testkit.Equal(t, "number of messages until tomorrow", len(find(t, "orcamento", "to", tomorrow)), 4)
			testkit.Equal(t, "number of messages from tomorrow", len(find(t, "orcamento", "from", tomorrow)), 0)
			testkit.Diff(t, "a user that does not exist", find(t, "orcamento", "user", kernel.NewID().String()), []string(nil))
		})
		t.Run("a snippet marks the match", func(t *testing.T) {
			page := w.A.Get(t, "/messages?q=ANEXO").OK(200)
			entry := page.List()[0].(map[string]any)
			testkit.Equal(t, "conversation", page.Text("data", 0, "conversation", "id"), conversation)
			testkit.Equal(t, "match", matchedText(entry), "anexo")
			long := write(channel, ana, "muito "+strings.Repeat("texto ", 80)+"agulha "+strings.Repeat("palheiro ", 80))
			entry = w.A.Get(t, "/messages?q=agulha").OK(200).List()[0].(map[string]any)
			testkit.Equal(t, "match in a long text", matchedText(entry), "agulha")
			if n := len(utf16.Encode([]rune(entry["snippet"].(string)))); n > 160 {
				t.Errorf("snippet of %s: got %d UTF-16 units, want at most 160", long.ID(), n)
			}
		})
		t.Run("edited messages are found by their new text and deleted ones not at all", func(t *testing.T) {
			w.A.Post(t, simulatePath(channel), fmt.Sprintf(`{"from": %q, "edit": {"external_id": %q, "text": "proposta aprovada"}}`, rui, second.Text("external_id"))).OK(200)
			testkit.Diff(t, "the new text", find(t, "proposta"), []string{second.ID()})
			testkit.Diff(t, "the old text", find(t, "orcamento"), []string{sent.ID(), third.ID(), first.ID()})
			w.A.Post(t, simulatePath(other), fmt.Sprintf(`{"from": %q, "revoke": {"external_id": %q}}`, ana, third.Text("external_id"))).OK(200)
			testkit.Diff(t, "deleted", find(t, "orcamento"), []string{sent.ID(), first.ID()})
			indexAll(t, w)
			testkit.Diff(t, "the new text, indexed", find(t, "proposta"), []string{second.ID()})
			testkit.Diff(t, "deleted, indexed", find(t, "orcamento"), []string{sent.ID(), first.ID()})
		})
		t.Run("a search finds only what the caller may see", func(t *testing.T) {
			testkit.Equal(t, "number of messages of another company", len(messageSearch(t, w.B.Client, url.Values{"q": {"orcamento"}})), 0)
			agent := w.A.Post(t, "/team", `{"name": "Bia", "email": "bia@example.com", "role": "agent", "access_profile": "own"}`).OK(201)
			agentID := mustID(agent.ID())
			_, own := w.NewKey(t, w.A.ID, people.NewKey{Name: "own", Scopes: kernel.NewScopeSet(people.ScopeMessagesRead), User: &agentID})
			testkit.Equal(t, "number of messages of an agent with the profile own", len(messageSearch(t, own, url.Values{"q": {"orcamento"}})), 0)
			w.A.Post(t, "/conversations/"+conversation+"/transfer", `{"user_id": "`+agent.ID()+`"}`).OK(200)
			testkit.Equal(t, "number of messages after a transfer", len(messageSearch(t, own, url.Values{"q": {"orcamento"}})), 2)
		})
		t.Run("bad input is refused", func(t *testing.T) {
			for _, query := range []string{"", "?q=a", "?q=%20%20", "?q=" + strings.Repeat("a", 101), "?q=abc&direction=up", "?q=abc&x=1", "?q=abc&user=x", "?q=abc&from=x", "?q=abc&limit=0"} {
				w.A.Get(t, "/messages"+query).Fails(400, "invalid_request")
			}
			w.A.Get(t, "/messages?q=abc&cursor=x").Fails(400, "invalid_cursor")
			_, blind := w.NewKey(t, w.A.ID, people.NewKey{Name: "blind", Scopes: kernel.NewScopeSet(people.ScopeConversationsRead)})
			blind.Get(t, "/messages?q=abc").Fails(403, "insufficient_scope")
		})
		t.Run("many messages are found page by page", func(t *testing.T) {
			var want []string
			for i := range 60 {
				want = append([]string{write(channel, "+55119"+strconv.Itoa(10000000+i), "lote "+strconv.Itoa(i)).ID()}, want...)
				if i == 30 {
					indexAll(t, w)
				}
			}
			testkit.Diff(t, "in pages of seven", find(t, "lote", "limit", "7"), want)
			testkit.Diff(t, "short, in pages of seven", find(t, "lo", "limit", "7")[:60], want)
		})
	})
}

// matchedText returns the marked part of a snippet.
func matchedText(entry map[string]any) string {
	units := utf16.Encode([]rune(entry["snippet"].(string)))
	match := entry["match"].([]any)
	start, length := int(match[0].(float64)), int(match[1].(float64))
	return string(utf16.Decode(units[start : start+length]))
}
