package api_test

import (
	"strings"
	"testing"

	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/talk"
	"recado/test/servertest"
	"recado/test/testkit"
)

// shortcuts returns the shortcuts of the replies that a caller sees.
func shortcuts(t *testing.T, c *servertest.Client) []string {
	t.Helper()
	names := []string{}
	for _, element := range c.Get(t, "/replies").OK(200).List() {
		names = append(names, element.(map[string]any)["shortcut"].(string))
	}
	return names
}

func TestCannedRepliesBelongToAPersonOrTheTeam(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		ana, anaID := signedIn(t, w, "Ana")
		bia, biaID := signedIn(t, w, "Bia")
		mia, _ := signedIn(t, w, "Mia", `"role":"manager"`)
		sector := w.A.Post(t, "/sectors", `{"name":"Sales"}`).OK(201).ID()

		mine := ana.Post(t, "/replies", `{"shortcut":"oi","title":"Greeting","text":"Oi {{contact.first_name|cliente}}!"}`).OK(201)
		testkit.Diff(t, "owner", mine.At("owner"), map[string]any{"id": anaID, "name": "Ana"})
		testkit.Diff(t, "uses", mine.Int("uses"), 0)
		testkit.Diff(t, "media_id", mine.At("media_id"), nil)
		testkit.Diff(t, "sector_ids", mine.At("sector_ids"), []any{})
		team := mia.Post(t, "/replies", `{"shortcut":"oi","title":"Greeting","text":"Bom dia","sector_ids":["`+sector+`"],"owner":null}`).OK(201)
		testkit.Diff(t, "owner", team.At("owner"), nil)
		testkit.Diff(t, "sector_ids", team.At("sector_ids"), []any{sector})
		own := bia.Post(t, "/replies", `{"shortcut":"ate","title":"Goodbye","text":"Até logo","owner":"`+biaID+`"}`).OK(201)

		t.Run("people see the team's replies and their own", func(t *testing.T) {
			testkit.Diff(t, "Ana's shortcuts", shortcuts(t, ana), []string{"oi", "oi"})
			testkit.Diff(t, "Bia's shortcuts", shortcuts(t, bia), []string{"ate", "oi"})
			testkit.Diff(t, "shortcuts of another company", shortcuts(t, w.B.Client), []string{})
		})
		t.Run("a shortcut is unique for an owner or the team", func(t *testing.T) {
			for who, body := range map[*servertest.Client]string{
				ana: `{"shortcut":"oi","title":"x","text":"x"}`,
				mia: `{"shortcut":"oi","title":"x","text":"x","owner":null}`,
			} {
				who.Post(t, "/replies", body).Fails(409, "name_taken")
			}
			bia.Post(t, "/replies", `{"shortcut":"oi","title":"x","text":"x"}`).OK(201)
			bia.Patch(t, "/replies/"+own.ID(), `{"shortcut":"oi"}`).Fails(409, "name_taken")
			bia.Patch(t, "/replies/"+own.ID(), `{"shortcut":"ate"}`).OK(200)
		})
		t.Run("changing the team's replies needs replies:manage", func(t *testing.T) {
			ana.Post(t, "/replies", `{"shortcut":"x","title":"x","text":"x","owner":null}`).Fails(403, "insufficient_role")
			ana.Patch(t, "/replies/"+team.ID(), `{"title":"x"}`).Fails(403, "insufficient_role")
			ana.Delete(t, "/replies/"+team.ID()).Fails(403, "insufficient_role")
			_, manager := w.NewKey(t, w.A.ID, keyWithScopes(people.ScopeRepliesManage))
			manager.Patch(t, "/replies/"+team.ID(), `{"title":"Good morning"}`).OK(200)
			_, reader := w.NewKey(t, w.A.ID, keyWithScopes(people.ScopeConversationsRead))
			reader.Post(t, "/replies", `{"shortcut":"x","title":"x","text":"x","owner":null}`).Fails(403, "insufficient_scope")
			reader.Post(t, "/replies", `{"shortcut":"of-the-owner","title":"x","text":"x"}`).OK(201)
		})
		t.Run("another person's reply is not found", func(t *testing.T) {
			mia.Patch(t, "/replies/"+own.ID(), `{"title":"x"}`).Fails(404, "not_found")
			mia.Delete(t, "/replies/"+own.ID()).Fails(404, "not_found")
			w.B.Patch(t, "/replies/"+team.ID(), `{"title":"x"}`).Fails(404, "not_found")
			ana.Post(t, "/replies", `{"shortcut":"x","title":"x","text":"x","owner":"`+biaID+`"}`).Fails(400, "invalid_request")
		})
		t.Run("invalid replies are refused", func(t *testing.T) {
			for _, body := range []string{
				`{"shortcut":"Oi","title":"x","text":"x"}`, `{"shortcut":"","title":"x","text":"x"}`, `{"shortcut":"` + strings.Repeat("a", 33) + `","title":"x","text":"x"}`,
				`{"shortcut":"x","title":" ","text":"x"}`, `{"shortcut":"x","title":"x","text":""}`, `{"shortcut":"x","title":"x","text":"{{contact.phone}}"}`,
				`{"shortcut":"x","title":"x","text":"x","media_id":"` + kernel.NewID().String() + `"}`,
				`{"shortcut":"x","title":"x","text":"x","sector_ids":["` + kernel.NewID().String() + `"]}`,
			} {
				ana.Post(t, "/replies", body).Fails(400, "invalid_request")
			}
			refused := ana.Patch(t, "/replies/"+mine.ID(), `{"text":"{{unknown|x}}"}`).Fails(400, "invalid_request")
			testkit.Diff(t, "field", refused.Text("details", 0, "field"), "body.text")
		})
		t.Run("a reply can be changed and deleted", func(t *testing.T) {
			changed := ana.Patch(t, "/replies/"+mine.ID(), `{"text":"Olá","title":"Hello"}`).OK(200)
			testkit.Diff(t, "text", changed.Text("text"), "Olá")
			testkit.Diff(t, "shortcut", changed.Text("shortcut"), "oi")
			ana.Delete(t, "/replies/"+mine.ID()).OK(204)
			ana.Delete(t, "/replies/"+mine.ID()).Fails(404, "not_found")
		})
		t.Run("a removed sector is removed from replies", func(t *testing.T) {
			w.A.Delete(t, "/sectors/"+sector).OK(204)
			testkit.Diff(t, "sector_ids", mia.Get(t, "/replies").OK(200).At("data", 0, "sector_ids"), []any{})
		})
		t.Run("a person has at most 100 replies", func(t *testing.T) {
			for n := len(shortcuts(t, bia)) - 1; n < talk.MaxOwnReplies; n++ {
				bia.Post(t, "/replies", `{"shortcut":"`+kernel.NewID().String()[:30]+`","title":"x","text":"x"}`)
			}
			bia.Post(t, "/replies", `{"shortcut":"one-more","title":"x","text":"x"}`).Fails(409, "limit_reached")
		})
	})
}

func TestACannedReplyIsRenderedForAConversation(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		ana, anaID := signedIn(t, w, "Ana")
		sector := w.A.Post(t, "/sectors", `{"name":"Vendas","member_ids":["`+anaID+`"]}`).OK(201).ID()
		id := w.A.Post(t, simulatePath(channel), `{"from":"`+phoneNumber(1)+`","name":"Rui Souza","text":"oi"}`).OK(201).Text("conversation")
		unnamed := customerWrites(t, w, channel, phoneNumber(2))
		w.A.Post(t, "/conversations/"+id+"/transfer", `{"sector_id":"`+sector+`","user_id":"`+anaID+`"}`).OK(200)
		protocol := openAttendance(t, w, id).Text("protocol")
		made := ana.Post(t, "/replies", map[string]string{
			"shortcut": "all", "title": "All",
			"text": "{{contact.name}}, {{contact.first_name|cliente}}, {{user.name}}, {{protocol|?}}, {{sector}}, {{company}}",
		}).OK(201)
		render := func(reply, conversation string) *servertest.Answer {
			t.Helper()
			return ana.Post(t, "/replies/"+reply+"/render", map[string]string{"conversation_id": conversation}).OK(200)
		}
		uses := func() int { t.Helper(); return ana.Get(t, "/replies").OK(200).Int("data", 0, "uses") }

		rendered := render(made.ID(), id)
		testkit.Diff(t, "text", rendered.Text("text"), "Rui Souza, Rui, Ana, "+protocol+", Vendas, Padaria Aurora")
		testkit.Diff(t, "media_id", rendered.At("media_id"), nil)
		t.Run("a variable without a value is replaced by its fallback or kept", func(t *testing.T) {
			w.A.Post(t, "/conversations/"+unnamed+"/attendance/close", nil).OK(200)
			w.A.Patch(t, "/contacts/"+w.A.Get(t, "/conversations/"+unnamed).OK(200).Text("contact"), `{"name":"+55 11 1"}`).OK(200)
			testkit.Diff(t, "text", render(made.ID(), unnamed).Text("text"), "{{contact.name}}, cliente, Ana, ?, {{sector}}, Padaria Aurora")
		})
		t.Run("uses counts rendered replies that were sent", func(t *testing.T) {
			testkit.Diff(t, "uses after rendering", uses(), 0)
			ana.Post(t, "/conversations/"+id+"/messages", message("something else")).OK(201)
			testkit.Diff(t, "uses after another message", uses(), 0)
			ana.Post(t, "/conversations/"+id+"/messages", message(rendered.Text("text")+" ;-)")).OK(201)
			testkit.Diff(t, "uses after the text was sent", uses(), 1)
			ana.Post(t, "/conversations/"+id+"/messages", message(rendered.Text("text"))).OK(201)
			testkit.Diff(t, "uses after the text was sent without rendering", uses(), 1)
		})
		t.Run("an invisible reply or conversation cannot be rendered", func(t *testing.T) {
			ana.Post(t, "/replies/"+kernel.NewID().String()+"/render", map[string]string{"conversation_id": id}).Fails(404, "not_found")
			ana.Post(t, "/replies/"+made.ID()+"/render", map[string]string{"conversation_id": kernel.NewID().String()}).Fails(400, "invalid_request")
			w.A.Post(t, "/replies/"+made.ID()+"/render", map[string]string{"conversation_id": id}).Fails(404, "not_found")
		})
	})
}
