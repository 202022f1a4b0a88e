package whatsapp_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"recado/internal/channels/simulator"
	"recado/test/servertest"
	"recado/test/testkit"
)

// inTheApp are options for a number that is also used in the WhatsApp Business app.
var inTheApp = simulator.Options{Numbers: []simulator.Number{{Phone: simulator.DefaultBusinessPhone, Name: "Loja", Coexistence: true}}}

// sharedNumber is a request body that connects such a number.
var sharedNumber = strings.Replace(theNumber, `"provider"`, `"coexistence": true, "provider"`, 1)

// importOf returns the state and the progress of the import.
func importOf(t *testing.T, w *servertest.World, channel string) string {
	t.Helper()
	a := w.A.Get(t, "/channels/"+channel+"/connection").OK(200)
	if a.At("import") == nil {
		return "none"
	}
	return fmt.Sprintf("%v %v", a.At("import", "state"), a.At("import", "progress"))
}

func TestContactsAndHistoryOfTheBusinessAppAreImportedOnce(t *testing.T) {
	each(t, inTheApp, func(t *testing.T, w *servertest.World, sim *simulator.Simulator) {
		must(t, sim.SetHistory("", simulator.History{
			Contacts: []simulator.HistoryContact{{Phone: "5511955550001", Name: "Marina Souza"}, {Phone: "5511955550009", Name: "Tia Rosa"}},
			Threads: []simulator.HistoryThread{{Phone: "5511955550001", Messages: []simulator.HistoryMessage{
				{Text: "um", HoursAgo: 50}, {Text: "dois", FromApp: true, HoursAgo: 49}, {Text: "três", HoursAgo: 48},
			}}},
		}))
		channel := w.A.Post(t, "/channels", sharedNumber).OK(201).ID()
		testkit.Eventually(t, "the import is done", func() bool { return importOf(t, w, channel) == "done 100" })
		drain(t, sim)
		s := &shop{World: w, sim: sim, channel: channel}

		t.Run("contacts have their names, also those who never wrote", func(t *testing.T) {
			for _, name := range []string{"Marina Souza", "Tia Rosa"} {
				testkit.Eventually(t, name+" is found", func() bool {
					return w.A.Get(t, "/contacts?q="+strings.ReplaceAll(name, " ", "+")).OK(200).At("data", 0, "name") == name
				})
			}
		})
		t.Run("messages are in order, without cases and unread marks", func(t *testing.T) {
			list := w.A.Get(t, "/conversations").OK(200)
			testkit.Equal(t, "conversations", len(list.List()), 1)
			testkit.Equal(t, "unread", list.Int("data", 0, "unread_count"), 0)
			testkit.Equal(t, "attendance", list.At("data", 0, "attendance"), nil)
			var texts []string
			for _, m := range s.messages(t, list.Text("data", 0, "id")) {
				texts = append(texts, fmt.Sprint(m["text"], " ", m["direction"]))
			}
			testkit.Equal(t, "messages", strings.Join(texts, ", "), "um inbound, dois outbound, três inbound")
			testkit.Equal(t, "events", len(w.A.Get(t, "/events").OK(200).List()), 0)
		})
		t.Run("a new connection requests nothing again", func(t *testing.T) {
			requests := sim.Calls("import")
			w.A.Patch(t, "/channels/"+channel, `{"status": "disconnected"}`).OK(200)
			w.A.Patch(t, "/channels/"+channel, `{"status": "connected"}`).OK(200)
			w.A.Patch(t, "/channels/"+channel, `{"coexistence": false}`).OK(200)
			testkit.Equal(t, "import of a number that left the app", importOf(t, w, channel), "none")
			w.A.Patch(t, "/channels/"+channel, `{"coexistence": true}`).OK(200)
			testkit.Equal(t, "import", importOf(t, w, channel), "done 100")
			testkit.Equal(t, "requests", sim.Calls("import"), requests)
			testkit.Equal(t, "requests in total", requests, 2)
		})
	})
}

func TestTheProgressOfAnImportIsShown(t *testing.T) {
	each(t, inTheApp, func(t *testing.T, w *servertest.World, sim *simulator.Simulator) {
		must(t, sim.SetHistory("", simulator.History{Declined: true}))
		sim.Pause()
		channel := w.A.Post(t, "/channels", sharedNumber).OK(201).ID()
		testkit.Equal(t, "import", importOf(t, w, channel), "requested 0")
		testkit.Eventually(t, "contacts and history are requested", func() bool { return sim.Calls("import") == 2 })
		s := &shop{World: w, sim: sim, channel: channel}
		progress := func(percent int) {
			t.Helper()
			s.push(t, "history", fmt.Sprintf(`{"history": [{"metadata": {"phase": 0, "chunk_order": 1, "progress": %d}, "threads": []}]}`, percent))
		}
		drain(t, sim) // the history is declined
		testkit.Equal(t, "import without consent", importOf(t, w, channel), "declined 0")
		progress(40)
		testkit.Equal(t, "import", importOf(t, w, channel), "running 40")
		progress(20) // chunks arrive in any order
		testkit.Equal(t, "import", importOf(t, w, channel), "running 40")
		progress(100)
		progress(90)
		testkit.Equal(t, "import", importOf(t, w, channel), "done 100")
	})
}

func TestARequestForHistoryIsRetriedAndRefusalsAreShown(t *testing.T) {
	each(t, inTheApp, func(t *testing.T, w *servertest.World, sim *simulator.Simulator) {
		must(t, sim.SetHistory("", simulator.History{}))
		must(t, sim.AddFault(simulator.Fault{Target: "import", Preset: "unknown_500_after_accept", Every: 2}))
		channel := w.A.Post(t, "/channels", sharedNumber).OK(201).ID()
		testkit.Eventually(t, "a request whose response was lost is made again and the import goes on", func() bool {
			w.Clock.Advance(2 * time.Second) // slowly, because after a day it would be too late
			return importOf(t, w, channel) == "done 100"
		})
	})
	t.Run("too late", func(t *testing.T) {
		each(t, inTheApp, func(t *testing.T, w *servertest.World, sim *simulator.Simulator) {
			sim.Advance(25 * time.Hour)
			channel := w.A.Post(t, "/channels", sharedNumber).OK(201).ID()
			testkit.Eventually(t, "the import fails", func() bool { return importOf(t, w, channel) == "failed 0" })
			reason := w.A.Get(t, "/channels/"+channel+"/connection").OK(200)
			testkit.Equal(t, "code", reason.At("import", "reason", "code"), "import_failed")
			testkit.Equal(t, "reason", reason.At("import", "reason", "params", "reason"), "too_late")
		})
	})
	t.Run("a number that is not in the app has no import", func(t *testing.T) {
		eachShop(t, simulator.Options{}, func(t *testing.T, s *shop) {
			testkit.Equal(t, "import", importOf(t, s.World, s.channel), "none")
		})
	})
}

func TestMediaReactionsAndEditsOfTheHistoryEmitNoEvents(t *testing.T) {
	eachShop(t, simulator.Options{}, func(t *testing.T, s *shop) {
		const ana = "5511930001111"
		chunk := func(messages ...string) {
			t.Helper()
			s.push(t, "history", `{"history": [{"metadata": {"phase": 1, "chunk_order": 1, "progress": 50}, "threads": [{"id": "`+ana+`", "messages": [`+strings.Join(messages, ",")+`]}]}]}`)
		}
		one := func(more string) string { return `{"from": "` + ana + `", ` + more + `}` }
		reaction := func(of, emoji string) string {
			return one(fmt.Sprintf(`"id": "%s.%s", "timestamp": "%d", "type": "reaction", "reaction": {"message_id": %q, "emoji": %q}`, of, emoji, began, of, emoji))
		}
		chunk(one(textMessage("wamid.E1", began-100, "um")), one(fmt.Sprintf(`"id": "wamid.E3", "timestamp": "%d", "type": "media_placeholder"`, began-10)), reaction("wamid.E2", "😀"))
		chunk(one(textMessage("wamid.E2", began-50, "dois")), reaction("wamid.E1", "👍"), one(editOf("wamid.E1", began-90, "um certo")))
		s.push(t, "history", `{"messages": [`+one(fmt.Sprintf(`"id": "wamid.E3", "timestamp": "%d", "type": "image", "image": {"id": "404", "mime_type": "image/jpeg", "caption": "foto"}`, began-10))+`]}`)
		chunk(reaction("wamid.E3", "❤"), one(fmt.Sprintf(`"id": "wamid.E4", "timestamp": "%d", "type": "revoke", "revoke": {"original_message_id": "wamid.E2"}`, began-40)))
		conversation := s.conversationOf(t, "wamid.E1")
		var got []string
		for _, m := range s.messages(t, conversation) {
			got = append(got, fmt.Sprint(m["external_id"], " ", m["type"], " ", m["text"], " ", len(m["reactions"].([]any)), " ", m["revoked_at"] != nil))
		}
		testkit.Equal(t, "messages", strings.Join(got, ", "), "wamid.E1 text um certo 1 false, wamid.E2 text <nil> 1 true, wamid.E3 image foto 1 false")
		c := s.A.Get(t, "/conversations/"+conversation).OK(200)
		testkit.Equal(t, "last message", c.At("last_message", "text"), "foto")
		testkit.Equal(t, "unread", c.Int("unread_count"), 0)
		testkit.Equal(t, "number of events", len(s.A.Get(t, "/events").OK(200).List()), 0)
		s.push(t, "messages", written(ana, "Ana", fmt.Sprintf(`"id": "wamid.E5", "timestamp": "%d", "type": "reaction", "reaction": {"message_id": "wamid.E3", "emoji": "🎉"}`, began+1)))
		s.SettleFeed(t)
		if len(s.A.Get(t, "/events").OK(200).List()) == 0 {
			t.Error("a live reaction to imported history emitted no event")
		}
	})
}

func TestAnImportThatCannotGoOnFails(t *testing.T) {
	reason := func(t *testing.T, w *servertest.World, channel string) any {
		return w.A.Get(t, "/channels/"+channel+"/connection").OK(200).At("import", "reason", "params", "reason")
	}
	t.Run("a number without callbacks waits for a day and then requests nothing", func(t *testing.T) {
		each(t, inTheApp, func(t *testing.T, w *servertest.World, sim *simulator.Simulator) {
			must(t, sim.AddFault(simulator.Fault{Target: "callback", Effect: "error", Status: 400, Code: 2200, Always: true}))
			channel := w.A.Post(t, "/channels", sharedNumber).OK(201).ID()
			testkit.Equal(t, "import", importOf(t, w, channel), "requested 0")
			w.Clock.Advance(25 * time.Hour)
			testkit.Eventually(t, "the import fails", func() bool {
				w.Clock.Advance(time.Second)
				return importOf(t, w, channel) == "failed 0"
			})
			testkit.Equal(t, "reason", reason(t, w, channel), "too_late")
			testkit.Equal(t, "requests", sim.Calls("import"), 0)
		})
	})
	t.Run("history that stops arriving for a week", func(t *testing.T) {
		each(t, inTheApp, func(t *testing.T, w *servertest.World, sim *simulator.Simulator) {
			must(t, sim.SetHistory("", simulator.History{Declined: true}))
			channel := w.A.Post(t, "/channels", sharedNumber).OK(201).ID()
			testkit.Eventually(t, "the import is declined", func() bool { return importOf(t, w, channel) == "declined 0" })
			s := &shop{World: w, sim: sim, channel: channel}
			progress := func(percent int) {
				t.Helper()
				s.push(t, "history", fmt.Sprintf(`{"history": [{"metadata": {"phase": 0, "chunk_order": 1, "progress": %d}, "threads": []}]}`, percent))
			}
			progress(40)
			testkit.Equal(t, "import", importOf(t, w, channel), "running 40")
			w.Clock.Advance(8 * 24 * time.Hour)
			testkit.Eventually(t, "the import fails", func() bool { return importOf(t, w, channel) == "failed 40" })
			testkit.Equal(t, "reason", reason(t, w, channel), "stopped")
			progress(60)
			testkit.Equal(t, "import that goes on", importOf(t, w, channel), "running 60")
		})
	})
}

func TestHistoryIsRequestedEvenIfContactsAreRefused(t *testing.T) {
	each(t, inTheApp, func(t *testing.T, w *servertest.World, sim *simulator.Simulator) {
		must(t, sim.SetHistory("", simulator.History{}))
		must(t, sim.AddFault(simulator.Fault{Target: "import", Effect: "error", Status: 400, Code: 100, Next: 1}))
		channel := w.A.Post(t, "/channels", sharedNumber).OK(201).ID()
		testkit.Eventually(t, "the import is done", func() bool { return importOf(t, w, channel) == "done 100" })
		testkit.Equal(t, "requests", sim.Calls("import"), 2)

		t.Run("another id of the number begins a new import", func(t *testing.T) {
			must(t, sim.AddNumber(simulator.Number{ID: "424242", Phone: simulator.DefaultBusinessPhone, Name: "Loja", Coexistence: true}))
			w.A.Patch(t, "/channels/"+channel, `{"credentials": {"phone_number_id": "424242"}}`).OK(200)
			testkit.Eventually(t, "the new import is done", func() bool { return sim.Calls("import") == 4 && importOf(t, w, channel) == "done 100" })
		})
	})
}

func TestAnImportBeginsWhenTheNumberIsConnected(t *testing.T) {
	each(t, inTheApp, func(t *testing.T, w *servertest.World, sim *simulator.Simulator) {
		channel := w.A.Post(t, "/channels", theNumber).OK(201).ID()
		w.A.Patch(t, "/channels/"+channel, `{"status": "disconnected"}`).OK(200)
		w.A.Patch(t, "/channels/"+channel, `{"coexistence": true}`).OK(200)
		w.A.Patch(t, "/channels/"+channel, `{"name": "Loja"}`).OK(200)
		testkit.Equal(t, "import of a disconnected number", importOf(t, w, channel), "requested 0")
		testkit.Equal(t, "requests", sim.Calls("import"), 0)
		w.A.Patch(t, "/channels/"+channel, `{"status": "connected"}`).OK(200)
		testkit.Eventually(t, "the import is done", func() bool { return importOf(t, w, channel) == "done 100" })
	})
}
