package api_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/test/servertest"
	"recado/test/testkit"
)

func TestFieldsAreDefined(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		plan := w.A.Post(t, "/fields", `{"entity":"contact","key":"plan","name":" Plan ","type":"choice","options":["Basic"," Gold "]}`).OK(201)
		t.Run("a new field has every property", func(t *testing.T) {
			testkit.Equal(t, "entity", plan.Text("entity"), "contact")
			testkit.Equal(t, "key", plan.Text("key"), "plan")
			testkit.Equal(t, "name", plan.Text("name"), "Plan")
			testkit.Equal(t, "type", plan.Text("type"), "choice")
			testkit.Diff(t, "options", plan.List("options"), []any{"Basic", "Gold"})
			testkit.Equal(t, "required_on_close", plan.At("required_on_close"), false)
			testkit.Equal(t, "position", plan.At("position"), 0.0)
			for _, name := range []string{"created_at", "updated_at"} {
				if plan.Text(name) == "" {
					t.Errorf("%s is missing", name)
				}
			}
		})
		t.Run("a key is unique within its entity", func(t *testing.T) {
			w.A.Post(t, "/fields", `{"entity":"contact","key":"plan","name":"x","type":"text"}`).Fails(409, "name_taken")
			w.A.Post(t, "/fields", `{"entity":"card","key":"plan","name":"Plan","type":"text"}`).OK(201)
			w.B.Post(t, "/fields", `{"entity":"contact","key":"plan","name":"Plan","type":"text"}`).OK(201)
		})
		t.Run("bad input names the field", func(t *testing.T) {
			for body, field := range map[string]string{
				`{"entity":"message","key":"a","name":"x","type":"text"}`:                                 "body.entity",
				`{"entity":"contact","key":"A","name":"x","type":"text"}`:                                 "body.key",
				`{"entity":"contact","key":"a-b","name":"x","type":"text"}`:                               "body.key",
				`{"entity":"contact","key":"","name":"x","type":"text"}`:                                  "body.key",
				`{"entity":"contact","key":"a23456789012345678901234567890123","name":"x","type":"text"}`: "body.key",
				`{"entity":"contact","key":"a","name":" ","type":"text"}`:                                 "body.name",
				`{"entity":"contact","key":"a","name":"x","type":"email"}`:                                "body.type",
				`{"entity":"contact","key":"a","name":"x","type":"choice"}`:                               "body.options",
				`{"entity":"contact","key":"a","name":"x","type":"choice","options":[]}`:                  "body.options",
				`{"entity":"contact","key":"a","name":"x","type":"choice","options":["b",""]}`:            "body.options[1]",
				`{"entity":"contact","key":"a","name":"x","type":"choice","options":["b","b"]}`:           "body.options[1]",
				`{"entity":"contact","key":"a","name":"x","type":"text","options":["b"]}`:                 "body.options",
			} {
				refused := w.A.Post(t, "/fields", body).Fails(400, "invalid_request")
				testkit.Equal(t, "details.0.field of "+body, refused.Text("details", 0, "field"), field)
			}
		})
		t.Run("key, entity and type never change", func(t *testing.T) {
			for _, body := range []string{`{"key":"b"}`, `{"entity":"card"}`, `{"type":"text"}`} {
				w.A.Patch(t, "/fields/"+plan.ID(), body).Fails(400, "invalid_request")
			}
			changed := w.A.Patch(t, "/fields/"+plan.ID(), `{"name":"Contract","options":["Gold","Silver"],"required_on_close":true}`).OK(200)
			testkit.Equal(t, "name", changed.Text("name"), "Contract")
			testkit.Diff(t, "options", changed.List("options"), []any{"Gold", "Silver"})
			testkit.Equal(t, "required_on_close", changed.At("required_on_close"), true)
			w.A.Patch(t, "/fields/"+plan.ID(), `{"options":[]}`).Fails(400, "invalid_request")
			w.B.Patch(t, "/fields/"+plan.ID(), `{"name":"x"}`).Fails(404, "not_found")
		})
		t.Run("the list is in order and can be filtered by entity", func(t *testing.T) {
			order := w.A.Post(t, "/fields", `{"entity":"attendance","key":"order","name":"Order","type":"number"}`).OK(201)
			a := w.A.Post(t, "/fields", `{"entity":"contact","key":"a","name":"A","type":"text"}`).OK(201)
			w.A.Post(t, "/fields", `{"entity":"contact","key":"first","name":"First","type":"text","position":0}`).OK(201)
			testkit.Diff(t, "contact", keysOf(w.A.Get(t, "/fields?entity=contact").OK(200)), []string{"first", "plan", "a"})
			testkit.Equal(t, "position", w.A.Patch(t, "/fields/"+a.ID(), `{"position":1}`).OK(200).At("position"), 1.0)
			testkit.Diff(t, "contact", keysOf(w.A.Get(t, "/fields?entity=contact").OK(200)), []string{"first", "a", "plan"})
			testkit.Diff(t, "all", keysOf(w.A.Get(t, "/fields").OK(200)), []string{"first", "a", "plan", "order", "plan"})
			w.A.Get(t, "/fields?entity=x").Fails(400, "invalid_request")

			w.A.Delete(t, "/fields/"+order.ID()).Fails(400, "invalid_request")
			w.A.Do(t, "DELETE", "/fields/"+order.ID(), `{"confirm":false}`).Fails(400, "invalid_request")
			w.A.Do(t, "DELETE", "/fields/"+order.ID(), `{"confirm":true}`).OK(204)
			w.A.Delete(t, "/fields/"+a.ID()+"?confirm=true").OK(204)
			w.A.Delete(t, "/fields/"+a.ID()+"?confirm=true").Fails(404, "not_found")
			testkit.Diff(t, "all", keysOf(w.A.Get(t, "/fields").OK(200)), []string{"first", "plan", "plan"})
			testkit.Equal(t, "position", w.A.Get(t, "/fields").OK(200).At("data", 1, "position"), 1.0)
		})
		t.Run("an entity has at most 50 fields", func(t *testing.T) {
			for i := range 50 {
				w.B.Post(t, "/fields", fmt.Sprintf(`{"entity":"attendance","key":"k%d","name":"K","type":"bool"}`, i)).OK(201)
			}
			w.B.Post(t, "/fields", `{"entity":"attendance","key":"more","name":"K","type":"bool"}`).Fails(409, "limit_reached")
			w.B.Post(t, "/fields", `{"entity":"card","key":"more","name":"K","type":"bool"}`).OK(201)
			testkit.Equal(t, "fields of an entity on a page", len(w.B.Get(t, "/fields?entity=attendance&limit=100").OK(200).List()), 50)
		})
		t.Run("a list has pages", func(t *testing.T) {
			first := w.B.Get(t, "/fields?limit=1").OK(200)
			cursor := "&cursor=" + url.QueryEscape(first.Text("next_cursor"))
			second := w.B.Get(t, "/fields?limit=49"+cursor).OK(200)
			third := w.B.Get(t, "/fields?cursor="+url.QueryEscape(second.Text("next_cursor"))).OK(200)
			testkit.Diff(t, "next_cursor of the last page", third.At("next_cursor"), nil)
			pages := slices.Concat(keysOf(first), keysOf(second), keysOf(third))
			testkit.Equal(t, "number of fields", len(pages), 52)
			testkit.Diff(t, "pages", pages, keysOf(w.B.Get(t, "/fields?limit=100").OK(200)))
			w.B.Get(t, "/fields?entity=card"+cursor).Fails(400, "invalid_cursor")
			w.A.Get(t, "/fields?limit=1"+cursor).Fails(400, "invalid_cursor")
			w.B.Get(t, "/fields?limit=101").Fails(400, "invalid_request")
		})
		w.A.Get(t, "/fields/"+kernel.NewID().String()).Fails(405, "method_not_allowed")
	})
}

// keysOf returns the keys of a list of fields.
func keysOf(list *servertest.Answer) (keys []string) {
	for i := range list.List("data") {
		keys = append(keys, list.Text("data", i, "key"))
	}
	return keys
}

// addField creates a field. more has additional fields of the body, such as `, "options": ["a"]`.
func addField(t *testing.T, c *servertest.Company, entity, key, kind, more string) string {
	t.Helper()
	return c.Post(t, "/fields", fmt.Sprintf(`{"entity":%q,"key":%q,"name":%q,"type":%q%s}`, entity, key, strings.ToUpper(key), kind, more)).OK(201).ID()
}

func TestContactsHaveFields(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		for key, kind := range map[string]string{"note": "text", "age": "number", "birthday": "date", "vip": "bool", "site": "link", "cpf": "cpf", "cnpj": "cnpj"} {
			addField(t, w.A, "contact", key, kind, "")
		}
		plan := addField(t, w.A, "contact", "plan", "choice", `,"options":["Basic","Gold"]`)
		addField(t, w.A, "card", "elsewhere", "text", "")
		lia := w.A.Post(t, "/contacts", `{"name":"Lia","phone":"+5511912340001","fields":{"cpf":"529.982.247-25","age":33.5,"vip":false}}`).OK(201)
		want := map[string]any{"cpf": "52998224725", "age": 33.5, "vip": false}
		testkit.Diff(t, "fields", lia.At("fields"), any(want))
		path := "/contacts/" + lia.ID()

		t.Run("a change merges and null clears", func(t *testing.T) {
			changed := w.A.Patch(t, path, `{"fields":{"note":"Olá\nmundo","birthday":"1990-05-17","site":"https://example.com/x","cnpj":"12.abc.345/01de-35","plan":"Gold","vip":null,"age":7}}`).OK(200)
			want := map[string]any{
				"cpf": "52998224725", "age": 7.0, "note": "Olá\nmundo", "birthday": "1990-05-17", "site": "https://example.com/x",
				"cnpj": "12ABC34501DE35", "plan": "Gold",
			}
			testkit.Diff(t, "fields", changed.At("fields"), any(want))
			testkit.Diff(t, "fields", w.A.Patch(t, path, `{"city":"Santos","fields":{}}`).OK(200).At("fields"), any(want))
			testkit.Diff(t, "fields by id", w.A.Get(t, path).OK(200).At("fields"), any(want))
			testkit.Diff(t, "fields in the list", w.A.Get(t, "/contacts").OK(200).At("data", 0, "fields"), any(want))
			testkit.Diff(t, "fields of another", w.A.Post(t, "/contacts", `{"name":"Rui","phone":"+5511912340002"}`).OK(201).At("fields"), any(map[string]any{}))
		})
		t.Run("bad values are refused and name each field", func(t *testing.T) {
			for input, field := range map[string]string{
				`{"age":"7"}`: "fields.age", `{"note":7}`: "fields.note", `{"birthday":"2023-02-29"}`: "fields.birthday", `{"vip":"yes"}`: "fields.vip",
				`{"site":"ftp://x.example"}`: "fields.site", `{"cpf":"529.982.247-24"}`: "fields.cpf", `{"cpf":"111.111.111-11"}`: "fields.cpf",
				`{"cnpj":"12.ABC.345/01DE-36"}`: "fields.cnpj", `{"plan":"gold"}`: "fields.plan", `{"nothing":1}`: "fields.nothing",
				`{"elsewhere":"x"}`: "fields.elsewhere", `{"nothing":null}`: "fields.nothing", `{"note":"` + strings.Repeat("é", 1001) + `"}`: "fields.note",
				`{"note":{}}`: "fields.note",
			} {
				for _, refused := range []*servertest.Answer{
					w.A.Patch(t, path, `{"name":"x","fields":`+input+`}`),
					w.A.Post(t, "/contacts", `{"name":"x","phone":"+5511912349999","fields":`+input+`}`),
				} {
					testkit.Equal(t, "details.0.field of "+input, refused.Fails(400, "invalid_request").Text("details", 0, "field"), field)
				}
			}
			both := w.A.Patch(t, path, `{"fields":{"cpf":"1","age":true}}`).Fails(400, "invalid_request")
			testkit.Equal(t, "number of details", len(both.List("details")), 2)
			w.A.Patch(t, path, `{"fields":null}`).Fails(400, "invalid_request")
			w.A.Patch(t, path, `{"fields":[]}`).Fails(400, "invalid_request")
			testkit.Equal(t, "name", w.A.Get(t, path).OK(200).Text("name"), "Lia")
			w.A.Patch(t, path, `{"fields":{"note":"`+strings.Repeat("😀", 1000)+`"}}`).OK(200)
			w.A.Patch(t, path, `{"fields":{"note":"Olá\nmundo"}}`).OK(200)
		})
		t.Run("the list filters exactly", func(t *testing.T) {
			rui := w.A.Post(t, "/contacts", `{"name":"Rui","phone":"+5511912340003","fields":{"plan":"Gold","age":8}}`).OK(201).ID()
			for query, want := range map[string][]string{
				"field.plan=Gold": {rui, lia.ID()}, "field.plan=Gold&field.age=8": {rui}, "field.age=7.0": {lia.ID()}, "field.age=70": {}, "field.plan=Basic": {},
				"field.cpf=529.982.247-25": {lia.ID()}, "field.cpf=52998224725": {lia.ID()}, "field.birthday=1990-05-17": {lia.ID()}, "field.vip=true": {},
				"field.note=" + url.QueryEscape("Olá\nmundo"): {lia.ID()}, "field.note=" + url.QueryEscape("olá\nmundo"): {},
				"field.plan=Gold&q=rui": {rui}, "field.plan=Gold&limit=1": {rui}, "field.plan=Gold&limit=1&offset=1": {lia.ID()},
				"field.cnpj=12ABC34501DE35&q=lia": {lia.ID()},
			} {
				testkit.Diff(t, query, idsOf(w.A.Get(t, "/contacts?"+query).OK(200)), want, cmpopts.EquateEmpty())
			}
			for query, field := range map[string]string{
				"field.nothing=1": "query.field.nothing", "field.age=x": "query.field.age", "field.age=NaN": "query.field.age", "field.cpf=1": "query.field.cpf",
				"field.vip=1": "query.field.vip", "field.birthday=x": "query.field.birthday", "field.=1": "query.field.", "fields=1": "query.fields",
				"field.age=1&field.age=1": "query.field.age", "field.plan=": "query.field.plan", "field.elsewhere=x": "query.field.elsewhere",
			} {
				testkit.Equal(t, "details.0.field of "+query, w.A.Get(t, "/contacts?"+query).Fails(400, "invalid_request").Text("details", 0, "field"), field)
			}
			w.A.Get(t, "/labels?field.age=1").Fails(400, "invalid_request")
		})
		t.Run("values are found with q", func(t *testing.T) {
			for _, q := range []string{"52998224725", "529.982.247-25", "ola", "17/05/1990", "12ABC34501DE35", "12.abc.345/01de"} {
				testkit.Diff(t, q, idsOf(w.A.Get(t, "/contacts?q="+url.QueryEscape(q)).OK(200)), []string{lia.ID()})
			}
			w.A.Patch(t, path, `{"fields":{"birthday":null}}`).OK(200)
			testkit.Equal(t, "found", len(w.A.Get(t, "/contacts?q=17/05/1990").OK(200).List("data")), 0)
			w.A.Patch(t, path, `{"name":"Lia Souza"}`).OK(200)
			testkit.Equal(t, "found", len(w.A.Get(t, "/contacts?q=529.982.247-25").OK(200).List("data")), 1)
		})
		t.Run("a removed option stays where it is", func(t *testing.T) {
			w.A.Patch(t, "/fields/"+plan, `{"options":["Basic"]}`).OK(200)
			testkit.Equal(t, "plan", w.A.Patch(t, path, `{"fields":{"plan":"Gold","age":9}}`).OK(200).Text("fields", "plan"), "Gold")
			testkit.Equal(t, "number of contacts", len(w.A.Get(t, "/contacts?field.plan=Gold").OK(200).List("data")), 2)
			w.A.Patch(t, path, `{"fields":{"plan":"Basic"}}`).OK(200)
			w.A.Patch(t, path, `{"fields":{"plan":"Gold"}}`).Fails(400, "invalid_request")
		})
		t.Run("deleting a field deletes its values", func(t *testing.T) {
			w.A.Delete(t, "/fields/"+plan+"?confirm=true").OK(204)
			if fields := w.A.Get(t, path).OK(200).At("fields").(map[string]any); fields["plan"] != nil || fields["age"] != 9.0 {
				t.Errorf("fields: got %v, want age and no plan", fields)
			}
			testkit.Equal(t, "found", len(w.A.Get(t, "/contacts?q=Basic").OK(200).List("data")), 0)
			w.A.Get(t, "/contacts?field.plan=Gold").Fails(400, "invalid_request")
			addField(t, w.A, "contact", "plan", "number", "")
			testkit.Equal(t, "new field", w.A.Get(t, path).OK(200).At("fields", "plan"), nil)
		})
		t.Run("a contact can be deleted with its values", func(t *testing.T) {
			w.A.Delete(t, path).OK(204)
			testkit.Equal(t, "number of contacts", len(w.A.Get(t, "/contacts?field.cpf=52998224725").OK(200).List("data")), 0)
		})
	})
}

// idsOf returns the ids of a list.
func idsOf(list *servertest.Answer) (ids []string) {
	for i := range list.List("data") {
		ids = append(ids, list.Text("data", i, "id"))
	}
	return ids
}

func TestFieldsOfCases(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		ana, bia := addMember(t, w, "Ana"), addMember(t, w, "Bia")
		order := addField(t, w.A, "attendance", "order", "text", "")
		addField(t, w.A, "attendance", "urgent", "bool", "")
		cpf := addField(t, w.A, "contact", "cpf", "cpf", "")
		addField(t, w.A, "card", "size", "number", `,"required_on_close":true`)
		id := customerWrites(t, w, channel, phoneNumber(1))
		att := openAttendance(t, w, id)
		path := "/attendances/" + att.ID()
		testkit.Diff(t, "fields", att.At("fields"), any(map[string]any{}))

		t.Run("the fields of a case can be set", func(t *testing.T) {
			changed := w.A.Patch(t, path, `{"fields":{"order":"A-1","urgent":true}}`).OK(200)
			want := any(map[string]any{"order": "A-1", "urgent": true})
			testkit.Diff(t, "fields", changed.At("fields"), want)
			testkit.Diff(t, "fields by id", w.A.Get(t, path).OK(200).At("fields"), want)
			testkit.Diff(t, "fields of the open case", openAttendance(t, w, id).At("fields"), want)
			testkit.Diff(t, "fields in the list", w.A.Get(t, "/attendances").OK(200).At("data", 0, "fields"), want)
			w.SettleFeed(t)
			events := w.A.Get(t, "/events?types=conversation.updated").OK(200).List()
			last := events[len(events)-1].(map[string]any)["data"].(map[string]any)
			testkit.Diff(t, "changed", last["changed"], any([]any{"attendance"}))
			before := len(events)
			w.A.Patch(t, path, `{"fields":{"order":"A-1"}}`).OK(200)
			testkit.Equal(t, "number of events", len(w.A.Get(t, "/events?types=conversation.updated").OK(200).List()), before)
			refused := w.A.Patch(t, path, `{"fields":{"urgent":"x","cpf":"1"}}`).Fails(400, "invalid_request")
			testkit.Equal(t, "details.0.field", refused.Text("details", 0, "field"), "fields.cpf")
			testkit.Equal(t, "details.1.field", refused.Text("details", 1, "field"), "fields.urgent")
			w.B.Patch(t, path, `{"fields":{}}`).Fails(404, "not_found")
			w.A.Patch(t, "/attendances/"+kernel.NewID().String(), `{"fields":{}}`).Fails(404, "not_found")
			w.A.Patch(t, path, nil).OK(200)
		})
		t.Run("in restricted mode others cannot set them", func(t *testing.T) {
			ana.Post(t, "/conversations/"+id+"/take", nil).OK(200)
			w.A.Patch(t, "/company/attendance", `{"mode":"restricted"}`).OK(200)
			bia.Patch(t, path, `{"fields":{"order":"B"}}`).Fails(409, "attendance_restricted")
			ana.Patch(t, path, `{"fields":{"order":"A-2"}}`).OK(200)
			w.A.Patch(t, "/company/attendance", `{"mode":"liberal"}`).OK(200)
		})
		t.Run("the list of cases filters", func(t *testing.T) {
			other := openAttendance(t, w, customerWrites(t, w, channel, phoneNumber(2))).ID()
			w.A.Patch(t, "/attendances/"+other, `{"fields":{"order":"B-1","urgent":true}}`).OK(200)
			testkit.Diff(t, "order", idsOf(w.A.Get(t, "/attendances?field.order=A-2").OK(200)), []string{att.ID()})
			page := w.A.Get(t, "/attendances?field.urgent=true&limit=1").OK(200)
			testkit.Diff(t, "first page", idsOf(page), []string{other})
			testkit.Diff(t, "second page", idsOf(w.A.Get(t, "/attendances?field.urgent=true&limit=1&cursor="+url.QueryEscape(page.Text("next_cursor"))).OK(200)), []string{att.ID()})
			w.A.Get(t, "/attendances?field.urgent=false&cursor="+url.QueryEscape(page.Text("next_cursor"))).Fails(400, "invalid_cursor")
			testkit.Equal(t, "unknown", w.A.Get(t, "/attendances?field.cpf=1").Fails(400, "invalid_request").Text("details", 0, "field"), "query.field.cpf")
		})
		t.Run("required fields must have values when a person closes a case", func(t *testing.T) {
			w.A.Patch(t, "/fields/"+cpf, `{"required_on_close":true}`).OK(200)
			w.A.Patch(t, "/fields/"+order, `{"required_on_close":true}`).OK(200)
			w.A.Patch(t, path, `{"fields":{"order":null}}`).OK(200)
			refused := w.A.Post(t, "/conversations/"+id+"/attendance/close", nil).Fails(400, "field_required")
			testkit.Equal(t, "number of details", len(refused.List("details")), 2)
			testkit.Equal(t, "details.0.field", refused.Text("details", 0, "field"), "fields.cpf")
			testkit.Equal(t, "details.0.params.entity", refused.Text("details", 0, "params", "entity"), "contact")
			testkit.Equal(t, "details.1.field", refused.Text("details", 1, "field"), "fields.order")
			bulk := w.A.Post(t, "/conversations/bulk", fmt.Sprintf(`{"ids":[%q],"action":"close"}`, id)).OK(200)
			testkit.Contains(t, "bulk", string(bulk.Raw), "field_required")
			w.A.Patch(t, "/contacts/"+w.A.Get(t, "/conversations/"+id).OK(200).Text("contact"), `{"fields":{"cpf":"52998224725"}}`).OK(200)
			w.A.Post(t, "/conversations/"+id+"/attendance/close", nil).Fails(400, "field_required")
			w.A.Patch(t, path, `{"fields":{"order":"A-3"}}`).OK(200)
			closed := w.A.Post(t, "/conversations/"+id+"/attendance/close", nil).OK(200)
			testkit.Equal(t, "order", closed.Text("fields", "order"), "A-3")
			testkit.Equal(t, "order", w.A.Patch(t, path, `{"fields":{"order":"A-4"}}`).OK(200).Text("fields", "order"), "A-4")
			w.SettleFeed(t)
			events := w.A.Get(t, "/events?types=attendance.closed").OK(200).List()
			testkit.Contains(t, "event", fmt.Sprint(events[len(events)-1]), "order:A-3")
		})
		t.Run("automatic closing needs no fields", func(t *testing.T) {
			id := customerWrites(t, w, channel, phoneNumber(3))
			w.A.Patch(t, "/company/attendance", `{"auto_close":{"enabled":true,"after_minutes":1}}`).OK(200)
			w.Clock.Advance(2 * time.Minute)
			if _, err := w.Desk.Talk.CloseIdle(t.Context(), w.Clock.Now(), 100); err != nil {
				t.Fatal(err)
			}
			expectNoOpenCase(t, w, id)
		})
		t.Run("canned replies have the values", func(t *testing.T) {
			w.A.Post(t, "/replies", `{"shortcut":"a","title":"a","text":"{{contact.fields.BAD}}"}`).Fails(400, "invalid_request")
			reply := w.A.Post(t, "/replies", `{"shortcut":"a","title":"a","text":"{{contact.fields.cpf}} {{attendance.fields.order|none}} {{contact.fields.nothing|x}} {{contact.fields.nothing}}"}`).OK(201).ID()
			rendered := w.A.Post(t, "/replies/"+reply+"/render", fmt.Sprintf(`{"conversation_id":%q}`, id)).OK(200)
			testkit.Equal(t, "text", rendered.Text("text"), "529.982.247-25 none x {{contact.fields.nothing}}")
			open := openAttendance(t, w, customerWrites(t, w, channel, phoneNumber(1))).ID()
			w.A.Patch(t, "/attendances/"+open, `{"fields":{"order":"C-1"}}`).OK(200)
			rendered = w.A.Post(t, "/replies/"+reply+"/render", fmt.Sprintf(`{"conversation_id":%q}`, id)).OK(200)
			testkit.Equal(t, "text", rendered.Text("text"), "529.982.247-25 C-1 x {{contact.fields.nothing}}")
		})
	})
}

func TestFieldsOfCards(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		b := newBoard(t, w.A.Client)
		size := addField(t, w.A, "card", "size", "number", "")
		addField(t, w.A, "card", "site", "link", "")
		one := b.card(t, w.A.Client, "One", `,"fields":{"size":3,"site":"https://x.example"}`)
		two := b.card(t, w.A.Client, "Two", `,"fields":{"size":3}`)
		testkit.Diff(t, "fields", one.At("fields"), any(map[string]any{"size": 3.0, "site": "https://x.example"}))
		testkit.Diff(t, "fields by id", w.A.Get(t, "/kanban/cards/"+one.ID()).OK(200).At("fields"), one.At("fields"))
		changed := w.A.Patch(t, "/kanban/cards/"+one.ID(), `{"version":1,"fields":{"site":null,"size":4}}`).OK(200)
		testkit.Diff(t, "fields", changed.At("fields"), any(map[string]any{"size": 4.0}))
		testkit.Equal(t, "version", changed.At("version"), 2.0)
		testkit.Equal(t, "version", w.A.Patch(t, "/kanban/cards/"+one.ID(), `{"version":2,"fields":{"size":4}}`).OK(200).At("version"), 2.0)
		refused := w.A.Patch(t, "/kanban/cards/"+one.ID(), `{"version":2,"fields":{"size":"4"}}`).Fails(400, "invalid_request")
		testkit.Equal(t, "details.0.field", refused.Text("details", 0, "field"), "fields.size")
		for query, want := range map[string][]string{
			"field.size=3": {two.ID()}, "field.size=4": {one.ID()}, "field.size=5": {}, "field.size=4&sort=position&board_id=" + b.id: {one.ID()},
			"field.size=4&q=one": {one.ID()}, "field.size=3&q=one": {}, "field.size=3&priority=medium": {two.ID()}, "field.size=3&priority=high": {},
		} {
			testkit.Diff(t, query, idsOf(w.A.Get(t, "/kanban/cards?"+query).OK(200)), want, cmpopts.EquateEmpty())
		}
		w.A.Get(t, "/kanban/cards?field.x=1").Fails(400, "invalid_request")
		w.A.Delete(t, "/fields/"+size+"?confirm=1").OK(204)
		got := w.A.Get(t, "/kanban/cards/"+one.ID()).OK(200)
		testkit.Diff(t, "fields", got.At("fields"), any(map[string]any{}))
		testkit.Equal(t, "version", got.At("version"), 3.0)
		w.A.Delete(t, "/kanban/cards/"+two.ID()).OK(204)
	})
}

func TestFieldsOfTheSameCardsAreDeletedAtTheSameTime(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		b := newBoard(t, w.A.Client)
		deleted := []string{addField(t, w.A, "card", "a", "number", ""), addField(t, w.A, "card", "b", "number", ""), addField(t, w.A, "card", "c", "number", "")}
		var cards []string
		for i := range 30 { // different values, so that the cards of each field are found in a different order
			cards = append(cards, b.card(t, w.A.Client, "Card", fmt.Sprintf(`,"fields":{"a":%d,"b":%d,"c":%d}`, i, i+100, i+200)).ID())
		}
		var wg sync.WaitGroup
		for _, field := range deleted {
			wg.Go(func() { w.A.Delete(t, "/fields/"+field+"?confirm=true").OK(204) })
		}
		wg.Wait()
		for _, card := range cards {
			got := w.A.Get(t, "/kanban/cards/"+card).OK(200)
			testkit.Diff(t, "fields", got.At("fields"), any(map[string]any{}))
			testkit.Equal(t, "version", got.At("version"), 4.0)
		}
	})
}

func TestJoinedContactsKeepTheirFields(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		addField(t, w.A, "contact", "plan", "text", "")
		addField(t, w.A, "contact", "cpf", "cpf", "")
		receive := func(p provider.Person) string {
			t.Helper()
			p.Name = "Marina"
			err := w.Desk.Talk.Receive(t.Context(), w.A.ID, mustID(channel), []provider.Incoming{{Message: &provider.IncomingMessage{
				ExternalID: kernel.NewID().String(), Type: provider.TypeText, Text: "oi", Customer: p,
			}}})
			if err != nil {
				t.Fatal(err)
			}
			return w.A.Get(t, "/conversations").OK(200).Text("data", 0, "contact")
		}
		first := receive(provider.Person{Phone: "+5511940001111", WAID: "5511940001111"})
		w.Clock.Advance(time.Second)
		second := receive(provider.Person{UserID: "BR.401"})
		w.A.Patch(t, "/contacts/"+first, `{"fields":{"plan":"old"}}`).OK(200)
		w.A.Patch(t, "/contacts/"+second, `{"fields":{"plan":"new","cpf":"52998224725"}}`).OK(200)
		w.Clock.Advance(time.Second)
		joined := receive(provider.Person{Phone: "+5511940001111", WAID: "5511940001111", UserID: "BR.401"})
		testkit.Equal(t, "remaining contact", joined, first)
		testkit.Diff(t, "fields", w.A.Get(t, "/contacts/"+first).OK(200).At("fields"), any(map[string]any{"plan": "old", "cpf": "52998224725"}))
		testkit.Diff(t, "found", idsOf(w.A.Get(t, "/contacts?q=529.982.247-25").OK(200)), []string{first})
		testkit.Diff(t, "filtered", idsOf(w.A.Get(t, "/contacts?field.cpf=52998224725").OK(200)), []string{first})
	})
}

func TestTheRemovalOfAFieldContinuesAfterACrash(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		id := addField(t, w.A, "contact", "plan", "text", "")
		contact := w.A.Post(t, "/contacts", `{"name":"Lia","phone":"+5511912340001","fields":{"plan":"gold"}}`).OK(201).ID()
		err := w.Desk.Kernel.Store.Write(t.Context(), func(tx *kernel.Tx) error { // as if the server had crashed after the first step
			_, err := tx.Exec(`UPDATE fields SET deleted = TRUE WHERE company = $1 AND id = $2`, w.A.ID, mustID(id))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		testkit.Diff(t, "fields", w.A.Get(t, "/contacts/"+contact).OK(200).At("fields"), any(map[string]any{}))
		if err := w.Desk.Fields.FinishRemovals(t.Context()); err != nil {
			t.Fatal(err)
		}
		testkit.Equal(t, "found", len(w.A.Get(t, "/contacts?q=gold").OK(200).List("data")), 0)
		err = w.Desk.Kernel.Store.Read(t.Context(), func(tx *kernel.Tx) error {
			left, err := tx.IDs(`SELECT noun FROM field_values WHERE company = $1`, w.A.ID)
			testkit.Equal(t, "values left", len(left), 0)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// TestManyContactsAreFilteredByAField checks that both a rare and a common value are found among many contacts. It is not
// parallel, because it changes kernel.Few.
func TestManyContactsAreFilteredByAField(t *testing.T) {
	few := kernel.Few
	kernel.Few = 5
	defer func() { kernel.Few = few }()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		addField(t, w.A, "contact", "plan", "text", "")
		var rare, common []string
		for i := range 40 {
			plan := "common"
			if i%20 == 3 {
				plan = "rare"
			}
			id := w.A.Post(t, "/contacts", fmt.Sprintf(`{"name":"c","phone":%q,"fields":{"plan":%q}}`, phoneNumber(i), plan)).OK(201).ID()
			if plan == "rare" {
				rare = append(rare, id)
			} else {
				common = append(common, id)
			}
		}
		slices.Reverse(rare)
		slices.Reverse(common)
		testkit.Diff(t, "rare", idsOf(w.A.Get(t, "/contacts?field.plan=rare").OK(200)), rare)
		testkit.Diff(t, "common", idsOf(w.A.Get(t, "/contacts?field.plan=common&limit=100").OK(200)), common)
		testkit.Diff(t, "page of common", idsOf(w.A.Get(t, "/contacts?field.plan=common&limit=3&offset=2").OK(200)), common[2:5])
	})
}
