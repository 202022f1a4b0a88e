package api_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/people"
	"recado/test/kerneltest"
	"recado/test/servertest"
	"recado/test/testkit"
)

func TestIncomingMessagesAreStored(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		t.Run("a customer's message creates the contact, the conversation and the message", func(t *testing.T) {
			m := w.A.Post(t, simulatePath(channel), `{"from": "+55 11 98765-4321", "name": "Ana", "text": "Bom dia"}`).OK(201)
			testkit.Equal(t, "direction", m.Text("direction"), "inbound")
			testkit.Equal(t, "origin", m.Text("origin"), "customer")
			testkit.Equal(t, "status", m.Text("status"), "received")
			testkit.Equal(t, "text", m.Text("text"), "Bom dia")
			testkit.Equal(t, "client_id", m.At("client_id"), nil)
			c := w.A.Get(t, "/conversations/"+m.Text("conversation")).OK(200)
			testkit.Equal(t, "name", c.Text("name"), "Ana")
			testkit.Equal(t, "phone", c.Text("phone"), "+5511987654321")
			testkit.Equal(t, "unread_count", c.Int("unread_count"), 1)
			testkit.Equal(t, "unread", c.At("unread"), true)
			testkit.Equal(t, "last_message.id", c.Text("last_message", "id"), m.ID())
			testkit.Equal(t, "last_message.text", c.Text("last_message", "text"), "Bom dia")
			testkit.Equal(t, "kind", c.Text("kind"), "direct")
			testkit.Equal(t, "channel", c.Text("channel"), channel)
			again := w.A.Post(t, simulatePath(channel), `{"from": "551187654321", "text": "again, without the ninth digit"}`).OK(201)
			testkit.Equal(t, "conversation without the ninth digit", again.Text("conversation"), m.Text("conversation"))
			got := w.A.Get(t, "/messages/"+again.ID()).OK(200)
			testkit.Equal(t, "message read by id", string(got.Raw), string(again.Raw))
			w.B.Get(t, "/messages/"+again.ID()).Fails(404, "not_found")
			w.A.Get(t, "/messages/none").Fails(404, "not_found")
		})
		t.Run("a group is one conversation without a contact", func(t *testing.T) {
			one := w.A.Post(t, simulatePath(channel), `{"from": "+5511911112222", "text": "hi", "group": {"id": "g-1", "name": "Bakers"}}`).OK(201)
			two := w.A.Post(t, simulatePath(channel), `{"from": "+5511933334444", "text": "ho", "group": {"id": "g-1", "name": "Bakers of the city"}}`).OK(201)
			c := w.A.Get(t, "/conversations/"+one.Text("conversation")).OK(200)
			testkit.Equal(t, "conversation", one.Text("conversation"), two.Text("conversation"))
			testkit.Equal(t, "kind", c.Text("kind"), "group")
			testkit.Equal(t, "contact", c.At("contact"), nil)
			testkit.Equal(t, "name", c.Text("name"), "Bakers of the city")
		})
		t.Run("a message from the phone is outbound", func(t *testing.T) {
			m := w.A.Post(t, simulatePath(channel), `{"from_phone_app": true, "to": "+5511987654321", "text": "typed on the phone"}`).OK(201)
			testkit.Equal(t, "direction", m.Text("direction"), "outbound")
			testkit.Equal(t, "origin", m.Text("origin"), "phone")
			testkit.Equal(t, "status", m.Text("status"), "sent")
			testkit.Equal(t, "sent_by", m.At("sent_by"), nil)
		})
		t.Run("a reply quotes a message of the same conversation", func(t *testing.T) {
			m := w.A.Post(t, simulatePath(channel), `{"from": "+5511987654321", "text": "first"}`).OK(201)
			reply := w.A.Post(t, simulatePath(channel), fmt.Sprintf(`{"from": "+5511987654321", "text": "second", "reply_to_external_id": %q}`, m.Text("external_id"))).OK(201)
			testkit.Equal(t, "reply_to_external_id", reply.Text("reply_to_external_id"), m.Text("external_id"))
			w.A.Post(t, simulatePath(channel), fmt.Sprintf(`{"from": "+5511900000001", "text": "x", "reply_to_external_id": %q}`, m.Text("external_id"))).Fails(400, "invalid_request")
		})
		t.Run("incomplete and contradictory bodies are refused", func(t *testing.T) {
			for _, body := range []string{
				`{}`, `{"from": "+5511987654321"}`, `{"text": "x"}`, `{"from": "123", "text": "x"}`, `{"from": "+5511987654321", "text": "   "}`,
				`{"external_id": "x"}`, `{"status": "read"}`, `{"external_id": "x", "status": "sent"}`, `{"external_id": "unknown", "status": "read"}`,
				`{"from": "+5511987654321", "text": "x", "status": "read", "external_id": "y"}`,
				`{"from_phone_app": true, "from": "+5511987654321", "to": "+5511987654321", "text": "x"}`,
				`{"from_phone_app": true, "text": "x"}`, `{"to": "+5511987654321", "text": "x"}`, `{"from_phone_app": true, "to": "+5511987654321"}`,
				`{"from": "+5511987654321", "media_id": "` + kernel.NewID().String() + `"}`,
			} {
				w.A.Post(t, simulatePath(channel), body).Fails(400, "invalid_request")
			}
			w.A.Post(t, simulatePath(kernel.NewID().String()), `{"from": "+5511987654321", "text": "x"}`).Fails(404, "not_found")
			w.B.Post(t, simulatePath(channel), `{"from": "+5511987654321", "text": "x"}`).Fails(404, "not_found")
		})
		t.Run("a message that the provider repeats is stored once", func(t *testing.T) {
			ctx := context.Background()
			in := []provider.Incoming{{Message: &provider.IncomingMessage{
				ExternalID: "wamid.once", Customer: provider.Person{WAID: "5511955556666", Name: "Bia"}, Type: "text", Text: "only once", At: w.Clock.Now(),
			}}}
			id := mustID(channel)
			for range 3 {
				if err := w.Desk.Talk.Receive(ctx, w.A.ID, id, append(in, in...)); err != nil {
					t.Fatal(err)
				}
			}
			c := conversationNamed(t, w, "Bia")
			testkit.Equal(t, "unread_count", c.Int("unread_count"), 1)
			testkit.Equal(t, "number of messages", len(w.A.Get(t, "/conversations/"+c.ID()+"/messages").OK(200).List()), 1)
		})
		t.Run("a person who hides their number is one contact under all their identifiers", func(t *testing.T) {
			ctx, id := context.Background(), mustID(channel)
			receive := func(ext string, p provider.Person) {
				t.Helper()
				if err := w.Desk.Talk.Receive(ctx, w.A.ID, id, []provider.Incoming{{Message: &provider.IncomingMessage{ExternalID: ext, Customer: p, Type: "text", Text: ext, At: w.Clock.Now()}}}); err != nil {
					t.Fatal(err)
				}
			}
			receive("hidden-1", provider.Person{UserID: "BR.77", Name: "Shy"})
			c := conversationNamed(t, w, "Shy")
			testkit.Equal(t, "phone", c.At("phone"), nil)
			receive("hidden-2", provider.Person{UserID: "BR.77", WAID: "5511944443333"})
			receive("hidden-3", provider.Person{Phone: "+5511944443333"})
			receive("hidden-4", provider.Person{WAID: "5511922221111", PreviousWAID: "5511944443333"})
			c = conversationNamed(t, w, "Shy")
			testkit.Equal(t, "phone", c.Text("phone"), "+5511922221111")
			testkit.Equal(t, "unread_count", c.Int("unread_count"), 4)
		})
		t.Run("messages of a blocked contact are stored without being unread", func(t *testing.T) {
			m := w.A.Post(t, simulatePath(channel), `{"from": "+5511977778888", "name": "Spam", "text": "buy"}`).OK(201)
			conversation := m.Text("conversation")
			contact := w.A.Get(t, "/conversations/"+conversation).OK(200).Text("contact")
			blockContact(t, w, contact)
			w.A.Post(t, simulatePath(channel), `{"from": "+5511977778888", "text": "buy now"}`).OK(201)
			c := w.A.Get(t, "/conversations/"+conversation).OK(200)
			testkit.Equal(t, "unread_count", c.Int("unread_count"), 1)
			testkit.Equal(t, "last_message.text", c.Text("last_message", "text"), "buy now")
			w.A.Post(t, "/conversations/"+conversation+"/messages", message("no")).Fails(409, "contact_blocked")
		})
		t.Run("an edited message shows its new text and a deleted one no text", func(t *testing.T) {
			ctx, id := context.Background(), mustID(channel)
			m := w.A.Post(t, simulatePath(channel), `{"from": "+5511966665555", "text": "tpyo"}`).OK(201)
			ext := m.Text("external_id")
			if err := w.Desk.Talk.Receive(ctx, w.A.ID, id, []provider.Incoming{{Edit: &provider.IncomingEdit{ExternalID: ext, Text: "typo", At: w.Clock.Now()}}}); err != nil {
				t.Fatal(err)
			}
			testkit.Equal(t, "last_message.text", w.A.Get(t, "/conversations/"+m.Text("conversation")).OK(200).Text("last_message", "text"), "typo")
			if err := w.Desk.Talk.Receive(ctx, w.A.ID, id, []provider.Incoming{{Revoke: &provider.IncomingRevoke{ExternalID: ext, At: w.Clock.Now()}}}); err != nil {
				t.Fatal(err)
			}
			got := w.A.Get(t, "/messages/"+m.ID()).OK(200)
			testkit.Equal(t, "text", got.At("text"), nil)
			testkit.Equal(t, "type", got.Text("type"), "text")
		})
	})
}

func TestConcurrentMessagesFromANewNumberCreateOneConversation(t *testing.T) {
	t.Parallel()
	race := func(t *testing.T, w *servertest.World, clients ...*servertest.Client) {
		channel := sandbox(t, w)
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() {
				clients[i%len(clients)].Post(t, simulatePath(channel), fmt.Sprintf(`{"from": "+5511912340000", "text": "message %d"}`, i)).OK(201)
			})
		}
		wg.Wait()
		list := w.A.Get(t, "/conversations").OK(200)
		testkit.Equal(t, "number of data", len(list.List()), 1)
		testkit.Equal(t, "data.0.unread_count", list.Int("data", 0, "unread_count"), 20)
		testkit.Equal(t, "number of data", len(w.A.Get(t, "/contacts").OK(200).List()), 1)
	}
	eachCluster(t, race)
}

func TestMessagesAreSent(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		inbound := w.A.Post(t, simulatePath(channel), `{"from": "+5511987654321", "name": "Ana", "text": "Bom dia"}`).OK(201)
		path := "/conversations/" + inbound.Text("conversation") + "/messages"
		other := w.A.Post(t, simulatePath(channel), `{"from": "+5511987650000", "text": "hi"}`).OK(201)

		t.Run("a sandbox sends at once", func(t *testing.T) {
			m := w.A.Post(t, path, message("Olá!")).OK(201)
			testkit.Equal(t, "status", m.Text("status"), "sent")
			testkit.Equal(t, "origin", m.Text("origin"), "api")
			if m.Text("external_id") == "" {
				t.Fatalf("external_id: got none: %s", m.Raw)
			}
			testkit.Equal(t, "sent_by.id", m.Text("sent_by", "id"), w.A.Owner.ID.String())
			if m.Text("sent_at") == "" {
				t.Fatalf("sent_at: got none, want a time: %s", m.Raw)
			}
			c := w.A.Get(t, "/conversations/"+inbound.Text("conversation")).OK(200)
			testkit.Equal(t, "last_message.id", c.Text("last_message", "id"), m.ID())
			testkit.Equal(t, "last_message.direction", c.Text("last_message", "direction"), "outbound")
		})
		t.Run("repeating a client_id sends once", func(t *testing.T) {
			client := kernel.NewID().String()
			body := `{"client_id": "` + client + `", "text": "once"}`
			first := w.A.Post(t, path, body).OK(201)
			if first.Header.Get("Idempotency-Replayed") != "" {
				t.Fatal("the first response has the header Idempotency-Replayed")
			}
			w.A.Post(t, simulatePath(channel), `{"external_id": "`+first.Text("external_id")+`", "status": "read"}`).OK(200)
			for _, body := range []string{body, `{"client_id": "` + client + `", "text": "other"}`, `{"client_id": "` + client + `"}`, `{"client_id": "` + strings.ToUpper(client) + `", "text": "x", "media_id": "` + kernel.NewID().String() + `"}`} {
				again := w.A.Post(t, path, body).OK(201)
				testkit.Equal(t, "id", again.ID(), first.ID())
				testkit.Equal(t, "text", again.Text("text"), "once")
				testkit.Equal(t, "status", again.Text("status"), "read")
				testkit.Equal(t, "header Idempotency-Replayed", again.Header.Get("Idempotency-Replayed"), "true")
			}
			w.A.Post(t, "/conversations/"+other.Text("conversation")+"/messages", body).Fails(409, "client_id_conflict")
			bs := w.B.Post(t, simulatePath(sandboxOf(t, w.B)), `{"from": "+5511987654321", "text": "hi"}`).OK(201)
			w.B.Post(t, "/conversations/"+bs.Text("conversation")+"/messages", body).OK(201)
		})
		t.Run("bad input names the field", func(t *testing.T) {
			id := kernel.NewID().String()
			for body, field := range map[string]string{
				`{"text": "x"}`: "body.client_id", `{"client_id": "x", "text": "x"}`: "body.client_id",
				`{"client_id": "00000000-0000-0000-0000-000000000000", "text": "x"}`:                                    "body.client_id",
				`{"client_id": "` + id + `"}`:                                                                           "body.text",
				`{"client_id": "` + id + `", "text": ""}`:                                                               "body.text",
				`{"client_id": "` + id + `", "text": " "}`:                                                              "body.text",
				`{"client_id": "` + id + `", "text": null}`:                                                             "body.text",
				`{"client_id": "` + id + `", "text": "` + strings.Repeat("é", 4097) + `"}`:                              "body.text",
				`{"client_id": "` + id + `", "text": "x", "reply_to_external_id": "nothing"}`:                           "body.reply_to_external_id",
				`{"client_id": "` + id + `", "text": "x", "reply_to_external_id": "` + other.Text("external_id") + `"}`: "body.reply_to_external_id",
				`{"client_id": "` + id + `", "media_id": "` + id + `"}`:                                                 "body.media_id",
				`{"client_id": "` + id + `", "media_id": "` + id + `", "text": "` + strings.Repeat("é", 1025) + `"}`:    "body.text",
				`{"client_id": "` + id + `", "template": {"name": "welcome", "language": "pt_BR"}}`:                     "body.template",
				`{"client_id": "` + id + `", "text": "x", "template": {"name": "welcome", "language": "pt_BR"}}`:        "body.template",
				`{"client_id": "` + id + `", "text": "x", "reply_to": "y"}`:                                             "body.reply_to",
			} {
				if got := w.A.Post(t, path, body).Fails(400, "invalid_request").Text("details", 0, "field"); got != field {
					t.Errorf("%s: details.0.field: got %q, want %q", body, got, field)
				}
			}
			w.A.Post(t, path, `{"client_id": "`+id+`", "text": "`+strings.Repeat("é", 4096)+`"}`).OK(201)
			w.A.Post(t, "/conversations/"+kernel.NewID().String()+"/messages", message("x")).Fails(404, "not_found")
			w.A.Post(t, "/conversations/"+kernel.NewID().String()+"/messages", `{"client_id": "`+kernel.NewID().String()+`"}`).Fails(400, "invalid_request")
			w.B.Post(t, path, message("x")).Fails(404, "not_found")
		})
		t.Run("statuses never go backwards", func(t *testing.T) {
			m := w.A.Post(t, path, message("track me")).OK(201)
			report := func(status string) *servertest.Answer {
				t.Helper()
				return w.A.Post(t, simulatePath(channel), `{"external_id": "`+m.Text("external_id")+`", "status": "`+status+`"}`).OK(200)
			}
			read := report("read")
			testkit.Equal(t, "status", read.Text("status"), "read")
			if read.Text("read_at") == "" {
				t.Fatalf("read_at: got none, want a time: %s", read.Raw)
			}
			if read.Text("delivered_at") == "" {
				t.Fatalf("delivered_at: got none, want a time: %s", read.Raw)
			}
			for _, status := range []string{"delivered", "failed", "read"} {
				if got := report(status); string(got.Raw) != string(read.Raw) {
					t.Fatalf("the status %s after read changed the message to %s", status, got.Raw)
				}
			}
			m = w.A.Post(t, path, message("fail me")).OK(201)
			if got := report("failed"); got.Text("status") != "failed" || got.Text("error", "code") == "" {
				t.Fatalf("failed message: got %s, want the status failed and an error code", got.Raw)
			}
			testkit.Equal(t, "status", report("delivered").Text("status"), "failed")
			w.A.Post(t, simulatePath(channel), `{"external_id": "`+inbound.Text("external_id")+`", "status": "read"}`).Fails(400, "invalid_request")
		})
		t.Run("a key sees only what its member sees", func(t *testing.T) {
			_, own := w.NewMemberKey(t, people.NewUser{Name: "Own", AccessProfile: kernel.AccessOwn})
			own.Get(t, path).Fails(404, "not_found")
			own.Post(t, path, message("x")).Fails(404, "not_found")
			own.Get(t, "/messages/"+inbound.ID()).Fails(404, "not_found")
		})
	})
}

func TestConcurrentRepeatsOfAClientIDSendOnce(t *testing.T) {
	t.Parallel()
	race := func(t *testing.T, w *servertest.World, clients ...*servertest.Client) {
		channel := sandbox(t, w)
		var paths [2]string
		for i := range paths {
			m := w.A.Post(t, simulatePath(channel), fmt.Sprintf(`{"from": "+551198765432%d", "text": "hi"}`, i)).OK(201)
			paths[i] = "/conversations/" + m.Text("conversation") + "/messages"
		}
		t.Run("in one conversation", func(t *testing.T) {
			body := message("once")
			var mu sync.Mutex
			ids, fresh := map[string]int{}, 0
			var wg sync.WaitGroup
			for i := range 100 {
				wg.Go(func() {
					m := clients[i%len(clients)].Post(t, paths[0], body).OK(201)
					mu.Lock()
					defer mu.Unlock()
					ids[m.ID()]++
					if m.Header.Get("Idempotency-Replayed") == "" {
						fresh++
					}
				})
			}
			wg.Wait()
			if len(ids) != 1 || fresh != 1 {
				t.Fatalf("got %d messages and %d responses without a replay, want 1 of each", len(ids), fresh)
			}
		})
		t.Run("across two conversations", func(t *testing.T) {
			body := message("either")
			var mu sync.Mutex
			ids, statuses := map[string]int{}, map[int]int{}
			var wg sync.WaitGroup
			for i := range 40 {
				wg.Go(func() {
					m := clients[i%len(clients)].Post(t, paths[(i/2)%2], body)
					mu.Lock()
					defer mu.Unlock()
					statuses[m.Status]++
					if m.Status == 201 {
						ids[m.ID()]++
					} else if m.Text("code") != "client_id_conflict" {
						t.Errorf("code: got %s, want client_id_conflict", m.Raw)
					}
				})
			}
			wg.Wait()
			testkit.Equal(t, "number of messages", len(ids), 1)
			testkit.Equal(t, "number of 201 responses", statuses[201], 20)
			testkit.Equal(t, "number of 409 responses", statuses[409], 20)
		})
	}
	eachCluster(t, race)
}

func TestMessagePagesHaveNoGapsAndNoRepeats(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		write := func(n int) *servertest.Answer {
			t.Helper()
			return w.A.Post(t, simulatePath(channel), fmt.Sprintf(`{"from": "+5511987654321", "text": "%d"}`, n)).OK(201)
		}
		path := "/conversations/" + write(0).Text("conversation") + "/messages"
		next := 1
		for ; next < 25; next++ {
			write(next)
		}
		t.Run("older pages have no gaps and no repeats while new messages arrive", func(t *testing.T) {
			page := w.A.Get(t, path+"?limit=4").OK(200)
			want := next - 1
			for {
				for i := range page.List() {
					if got := page.Text("data", i, "text"); got != fmt.Sprint(want) {
						t.Fatalf("text: got %s, want %d", got, want)
					}
					want--
				}
				if page.At("before") == nil {
					break
				}
				write(next)
				next++
				page = w.A.Get(t, path+"?limit=4&before="+page.Text("before")).OK(200)
			}
			if want != -1 {
				t.Fatalf("the oldest message was not reached: message %d is missing", want)
			}
		})
		t.Run("a client that polls with after misses nothing", func(t *testing.T) {
			page := w.A.Get(t, path+"?limit=1").OK(200)
			want := next
			for round := range 5 {
				for range 3 * round {
					write(next)
					next++
				}
				for {
					page = w.A.Get(t, path+"?limit=2&after="+page.Text("after")).OK(200)
					n := len(page.List())
					if page.At("before") == nil || page.At("after") == nil {
						t.Fatalf("page: got %s, want the cursors before and after", page.Raw)
					}
					for i := n - 1; i >= 0; i-- {
						if got := page.Text("data", i, "text"); got != fmt.Sprint(want) {
							t.Fatalf("text: got %s, want %d", got, want)
						}
						want++
					}
					if n == 0 {
						break
					}
				}
			}
			if want != next {
				t.Fatalf("got %d messages, want %d", want, next)
			}
			back := w.A.Get(t, path+"?limit=1&before="+page.Text("before")).OK(200)
			testkit.Equal(t, "data.0.text", back.Text("data", 0, "text"), fmt.Sprint(next-1))
		})
		t.Run("a cursor is valid only in its conversation", func(t *testing.T) {
			page := w.A.Get(t, path+"?limit=1").OK(200)
			elsewhere := w.A.Post(t, simulatePath(channel), `{"from": "+5511900001111", "text": "x"}`).OK(201).Text("conversation")
			w.A.Get(t, "/conversations/"+elsewhere+"/messages?before="+page.Text("before")).Fails(400, "invalid_cursor")
			w.A.Get(t, path+"?before=x").Fails(400, "invalid_cursor")
			w.A.Get(t, path+"?before="+page.Text("before")+"&after="+page.Text("after")).Fails(400, "invalid_request")
			w.A.Get(t, path+"?limit=0").Fails(400, "invalid_request")
			w.A.Get(t, path+"?limit=101").Fails(400, "invalid_request")
			w.B.Get(t, path).Fails(404, "not_found")
		})
		t.Run("a conversation without messages is an empty page", func(t *testing.T) {
			opened := w.A.Post(t, "/conversations", `{"channel_id": "`+channel+`", "phone": "+5511900002222"}`).OK(201)
			page := w.A.Get(t, "/conversations/"+opened.ID()+"/messages").OK(200)
			testkit.Equal(t, "page", string(page.Raw), `{"data":[],"before":null,"after":null}`)
		})
	})
}

// sandbox creates a sandbox channel of company A and returns its id.
func sandbox(t *testing.T, w *servertest.World) string {
	t.Helper()
	return sandboxOf(t, w.A)
}

// sandboxOf creates a sandbox channel of a company and returns its id.
func sandboxOf(t *testing.T, c *servertest.Company) string {
	t.Helper()
	return c.Post(t, "/channels", `{"name": "Front desk", "phone": "+551132345678", "provider": "sandbox"}`).OK(201).ID()
}

// simulatePath returns the path for simulating what customers do on a sandbox channel.
func simulatePath(channel string) string { return "/channels/" + channel + "/simulate" }

// message returns the body of a message with a new client_id.
func message(text string) string {
	return fmt.Sprintf(`{"client_id": %q, "text": %q}`, kernel.NewID(), text)
}

// mustID parses an id.
func mustID(text string) kernel.ID {
	id, _ := kernel.ParseID(text)
	return id
}

// conversationNamed returns the conversation with a name.
func conversationNamed(t *testing.T, w *servertest.World, name string) *servertest.Answer {
	t.Helper()
	for _, c := range w.A.Get(t, "/conversations?limit=100").OK(200).List() {
		if m := c.(map[string]any); m["name"] == name {
			return w.A.Get(t, "/conversations/"+m["id"].(string)).OK(200)
		}
	}
	t.Fatalf("no conversation is named %s", name)
	return nil
}

// blockContact blocks a contact.
func blockContact(t *testing.T, w *servertest.World, contact string) {
	t.Helper()
	w.A.Patch(t, "/contacts/"+contact, `{"blocked": true}`).OK(200)
}

// eachCluster runs body with one node on SQLite and with two nodes on PostgreSQL. nodes are clients of company A, one per node.
func eachCluster(t *testing.T, body func(t *testing.T, w *servertest.World, nodes ...*servertest.Client)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		w := servertest.Start(t, "")
		body(t, w, w.A.Client)
	})
	t.Run("two nodes on postgres", func(t *testing.T) {
		url := kerneltest.URL(t)
		w := servertest.Start(t, url)
		a, _ := w.SecondNode(t, url)
		body(t, w, w.A.Client, a)
	})
}
