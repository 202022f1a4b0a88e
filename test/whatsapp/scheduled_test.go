package whatsapp_test

import (
	"fmt"
	"testing"
	"time"

	"recado/internal/channels/simulator"
	"recado/internal/kernel"
	"recado/test/testkit"
)

func TestAScheduledTextOutsideTheServiceWindowHasAWarningAndFails(t *testing.T) {
	known := simulator.Template{Name: "pedido_pronto", Language: "pt_BR", Body: "Seu pedido {{1}} está pronto."}
	eachShop(t, simulator.Options{Templates: []simulator.Template{known}}, func(t *testing.T, s *shop) {
		conversation, _ := s.customer(t, simulator.Inbound{Customer: "5511940001111", Name: "Marina", Text: "Oi"})
		at := "/conversations/" + conversation + "/scheduled"
		schedule := func(in time.Duration, content string) map[string]any {
			t.Helper()
			var out map[string]any
			s.A.Post(t, at, fmt.Sprintf(`{"client_id":%q,"send_at":%q,%s}`, kernel.NewID(), s.Clock.Now().Add(in).UTC().Format(time.RFC3339Nano), content)).OK(201).Into(&out)
			return out
		}
		within := schedule(time.Hour, `"text":"within"`)
		outside := schedule(25*time.Hour, `"text":"outside"`)
		template := schedule(25*time.Hour, `"template":{"name":"pedido_pronto","language":"pt_BR","parameters":[{"text":"12"}]}`)
		testkit.Equal[any](t, "within", within["warning"], nil)
		testkit.Equal[any](t, "outside", outside["warning"], "service_window")
		testkit.Equal[any](t, "template", template["warning"], nil)
		testkit.Equal[any](t, "name of the template", template["template"].(map[string]any)["name"], "pedido_pronto")

		result := func(made map[string]any) (found map[string]any) {
			t.Helper()
			testkit.Eventually(t, "the scheduled message is no longer pending", func() bool {
				for _, element := range s.A.Get(t, at).OK(200).List() {
					if m := element.(map[string]any); m["id"] == made["id"] {
						found = m
					}
				}
				return found["status"] != "scheduled"
			})
			return found
		}
		s.Clock.Advance(time.Hour + time.Second)
		testkit.Equal[any](t, "within", result(within)["status"], "sent")
		s.Clock.Advance(24*time.Hour + time.Second)
		s.sim.Advance(25 * time.Hour)
		failed := result(outside)
		testkit.Equal[any](t, "outside", failed["status"], "failed")
		testkit.Equal[any](t, "error", failed["error"].(map[string]any)["code"], "service_window_closed")
		testkit.Equal[any](t, "template", result(template)["status"], "sent")
	})
}
