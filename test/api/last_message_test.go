package api_test

import (
	"fmt"
	"testing"

	"recado/internal/kernel"
	"recado/test/servertest"
	"recado/test/testkit"
)

func TestTheLastMessageShowsItsStatusAndFile(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		type last struct {
			Status, FileName string
			Seconds          any
		}
		read := func(a *servertest.Answer, path ...any) last {
			at := func(name string) any { return a.At(append(append([]any{}, path...), "last_message", name)...) }
			name, _ := at("file_name").(string)
			return last{Status: at("status").(string), FileName: name, Seconds: at("duration_seconds")}
		}
		in := w.A.Post(t, simulatePath(channel), `{"from": "+5511987654321", "name": "Ana", "text": "Bom dia"}`).OK(201)
		path := "/conversations/" + in.Text("conversation")
		check := func(t *testing.T, what string, want last) {
			t.Helper()
			testkit.Equal(t, what, read(w.A.Get(t, path).OK(200)), want)
			testkit.Equal(t, what+", in the list", read(w.A.Get(t, "/conversations").OK(200), "data", 0), want)
		}
		check(t, "a customer's text", last{Status: "received"})

		t.Run("the status is that of the last message, not of an earlier one", func(t *testing.T) {
			feed := &feedReader{w: w}
			first := w.A.Post(t, path+"/messages", message("Olá")).OK(201)
			second := w.A.Post(t, path+"/messages", message("Tudo bem?")).OK(201)
			check(t, "sent", last{Status: "sent"})
			report := func(m *servertest.Answer, status string) {
				w.A.Post(t, simulatePath(channel), fmt.Sprintf(`{"external_id": %q, "status": %q}`, m.Text("external_id"), status)).OK(200)
			}
			report(first, "read")
			check(t, "after a status of an earlier message", last{Status: "sent"})
			for _, status := range []string{"delivered", "read", "delivered"} {
				report(second, status)
			}
			check(t, "read", last{Status: "read"})
			updates := eventsOfType(feed.next(t, "message.updated"), "message.updated")
			testkit.Equal(t, "number of status events", len(updates), 3)
			testkit.Equal[any](t, "status in the event", updates[2].at("conversation", "last_message", "status"), "read")
			third := w.A.Post(t, path+"/messages", message("Até logo")).OK(201)
			report(third, "failed")
			check(t, "failed", last{Status: "failed"})
		})
		t.Run("file name and duration are those of the last message", func(t *testing.T) {
			voice := w.A.Upload(t, "voice.amr", amrFile(75)).OK(201).ID()
			w.A.Post(t, path+"/messages", fmt.Sprintf(`{"client_id":%q,"media_id":%q}`, kernel.NewID(), voice)).OK(201)
			check(t, "a recording", last{Status: "sent", FileName: "voice.amr", Seconds: 1.5})
			file := w.A.Upload(t, "proposta.txt", []byte("plain text")).OK(201).ID()
			w.A.Post(t, simulatePath(channel), fmt.Sprintf(`{"from": "+5511987654321", "media_id": %q}`, file)).OK(201)
			check(t, "a customer's file", last{Status: "received", FileName: "proposta.txt"})
			w.A.Post(t, path+"/messages", message("Recebido")).OK(201)
			check(t, "a text", last{Status: "sent"})
		})
	})
}
