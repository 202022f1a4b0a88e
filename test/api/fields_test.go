package api_test

import (
	"fmt"
	"testing"

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
