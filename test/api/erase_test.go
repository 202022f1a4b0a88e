package api_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/server"
	"recado/test/kerneltest"
	"recado/test/servertest"
	"recado/test/testkit"
)

// erase erases a contact and waits for the end of the job.
func erase(t *testing.T, c *servertest.Client, contact, phone string) *servertest.Answer {
	t.Helper()
	id := c.Post(t, "/contacts/"+contact+"/erase", map[string]any{"confirm_phone": phone, "reason": "request"}).OK(202).ID()
	return jobEnds(t, c, id)
}

// jobEnds waits for the end of a job, which must not fail.
func jobEnds(t *testing.T, c *servertest.Client, id string) (job *servertest.Answer) {
	t.Helper()
	testkit.Eventually(t, "the job has ended", func() bool {
		job = c.Get(t, "/jobs/"+id).OK(200)
		return job.Text("status") != "running"
	})
	if job.Text("status") != "done" {
		t.Fatalf("the job: got %v, want done", job.At())
	}
	return job
}

func TestAnErasureNeedsThePhoneAndAReason(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		c := newRegular(t, w, regularChannel(t, w), "+5511910000001")
		path := "/contacts/" + c.contact + "/erase"
		for body, field := range map[string]string{
			`{"confirm_phone":"+5511910000002","reason":"r"}`:                                "confirm_phone",
			`{"confirm_phone":"Maria","reason":"r"}`:                                         "confirm_phone",
			`{"confirm_phone":"","reason":"r"}`:                                              "confirm_phone",
			`{"reason":"r"}`:                                                                 "confirm_phone",
			`{"confirm_phone":"+5511910000001"}`:                                             "reason",
			`{"confirm_phone":"+5511910000001","reason":""}`:                                 "reason",
			`{"confirm_phone":"+5511910000001","reason":"   "}`:                              "reason",
			`{"confirm_phone":"+5511910000001","reason":"` + strings.Repeat("ã", 501) + `"}`: "reason",
		} {
			if got := w.A.Post(t, path, body).Fails(400, "invalid_request").Text("details", 0, "field"); got != "body."+field {
				t.Errorf("%s: got a problem with %s, want body.%s", body, got, field)
			}
		}
		w.B.Post(t, path, `{"confirm_phone":"+5511910000001","reason":"r"}`).Fails(404, "not_found")
		w.B.Post(t, path+"/preview", nil).Fails(404, "not_found")
		if got := c.texts(t, w); len(got) != 1 {
			t.Errorf("after refused erasures: got %v, want the message", got)
		}
		job := jobEnds(t, w.A.Client, w.A.Post(t, path, `{"confirm_phone":"11 91000-0001","reason":"`+strings.Repeat("ã", 500)+`"}`).OK(202).ID())
		if job.Int("result", "messages") != 1 || job.Int("result", "conversations") != 1 || job.Int("result", "open_attendances") != 1 {
			t.Errorf("the result: got %v", job.At("result"))
		}
		w.A.Get(t, "/contacts/"+c.contact).Fails(404, "not_found")
		w.A.Post(t, path, `{"confirm_phone":"+5511910000001","reason":"r"}`).Fails(404, "not_found")
	})
}

func TestAnErasureThatIsCancelledBeforeItBeginsIsNotAudited(t *testing.T) {
	c := newCounting()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		person := newRegular(t, w, regularChannel(t, w), plantedPhone)
		earlier := c.start(t, w, "count", 1)
		id := w.A.Post(t, "/contacts/"+person.contact+"/erase", map[string]any{"confirm_phone": plantedPhone, "reason": "r"}).OK(202).ID()
		w.A.Post(t, "/jobs/"+id+"/cancel", nil).OK(200)
		c.may <- struct{}{}
		ended(t, w.A.Client, earlier)
		w.A.Get(t, "/contacts/"+person.contact).OK(200)
		if entries := w.A.Get(t, "/audit?action=contact.erased").OK(200).List("data"); len(entries) != 0 {
			t.Errorf("got the audit entries %v, want none", entries)
		}
	}, c.option)
}

func TestTheAuditForgetsTheNamesOfDeletedAndMergedContacts(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		named := func(name string) (actions []string) {
			for _, e := range w.A.Get(t, "/audit?action=contact").OK(200).List("data") {
				entry := e.(map[string]any)
				if subject := entry["subject"].(map[string]any); strings.Contains(subject["name"].(string), name) {
					actions = append(actions, entry["action"].(string))
				}
			}
			return actions
		}
		deleted := w.A.Post(t, "/contacts", `{"name":"Zuleica","phone":"+5511940002222"}`).OK(201).ID()
		w.A.Patch(t, "/contacts/"+deleted, `{"opted_out":true}`).OK(200)
		testkit.Diff(t, "entries with the name", named("Zuleica"), []string{"contact.opted_out"})
		w.A.Delete(t, "/contacts/"+deleted).OK(204)
		testkit.Diff(t, "entries with the name after the deletion", named("Zuleica"), []string(nil))

		channel := mustID(sandbox(t, w))
		receive := func(p provider.Person) string {
			t.Helper()
			p.Name = "Marina"
			err := w.Desk.Talk.Receive(t.Context(), w.A.ID, channel, []provider.Incoming{{Message: &provider.IncomingMessage{
				ExternalID: kernel.NewID().String(), Type: provider.TypeText, Text: "oi", Customer: p,
			}}})
			if err != nil {
				t.Fatal(err)
			}
			return w.A.Get(t, "/conversations").OK(200).Text("data", 0, "contact")
		}
		remains := receive(provider.Person{Phone: plantedPhone, WAID: plantedPhone[1:]})
		gone := receive(provider.Person{UserID: "BR.401"})
		w.A.Patch(t, "/contacts/"+gone, `{"opted_out":true}`).OK(200)
		export := jobEnds(t, w.A.Client, w.A.Post(t, "/contacts/"+gone+"/export", nil).OK(202).ID()).Text("result", "url")
		testkit.Equal(t, "the merged contact", receive(provider.Person{Phone: plantedPhone, WAID: plantedPhone[1:], UserID: "BR.401"}), remains)
		testkit.Diff(t, "entries with the name", named("Marina"), []string{"contact.exported", "contact.opted_out"})
		erase(t, w.A.Client, remains, plantedPhone)
		testkit.Diff(t, "entries with the name after the erasure", named("Marina"), []string(nil))
		if status, _, _ := download(t, export); status != 404 {
			t.Errorf("the export of the merged contact: got %d, want 404", status)
		}
	})
}

func TestNothingIsSentToAnErasedPerson(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		c := newRegular(t, w, regularChannel(t, w), plantedPhone)
		at := "/conversations/" + c.conversation
		erase(t, w.A.Client, c.contact, plantedPhone)
		w.A.Post(t, at+"/messages", map[string]any{"client_id": kernel.NewID().String(), "text": "hello"}).Fails(404, "not_found")
		w.A.Post(t, at+"/scheduled", scheduledMessage(w, time.Hour, "later")).Fails(404, "not_found")
		if got := c.texts(t, w); len(got) != 0 {
			t.Errorf("got %v, want no messages", got)
		}
	})
}

func TestAPersonStaysErasedWhenANumberBecomesPrivateOrPublic(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		owner := w.A.Enter(t, w.A.Owner.ID.String(), password)
		for i, private := range []bool{false, true} {
			channel := owner.Post(t, "/channels", map[string]any{"name": "Loja", "phone": phoneNumber(i), "provider": "sandbox"}).OK(201).ID()
			change := func(private bool) {
				t.Helper()
				owner.Patch(t, "/channels/"+channel, map[string]any{"private": private, "confirm": true}).OK(200)
			}
			change(private)
			chat := []string{"kind", "chat", "channel", channel, "phone", phoneNumber(10 + i), "me", "Loja"}
			contact := finishImport(t, w, owner, sendImport(t, owner, "chat.txt", chatOfAna, chat...)).Result.Contact
			w.Clock.Advance(time.Minute)
			erase(t, owner, contact, chat[5])
			change(!private)
			refused := sendImport(t, owner, "chat.txt", chatOfAna, chat...).Fails(400, "invalid_request")
			testkit.Equal(t, "field", refused.Text("details", 0, "field")+" "+refused.Text("details", 0, "code"), "body.phone erased")
		}
	})
}

func TestImportsLeaveAnErasedPersonOut(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := chatChannel(t, w.A.Client)
		chat := []string{"channel", channel, "phone", "+5511987650001", "me", "Loja"}
		first := importChat(t, w, "chat.txt", chatOfAna, chat...).Result
		w.Clock.Advance(time.Minute)
		erase(t, w.A.Client, first.Contact, "+5511987650001")

		table := finishImport(t, w, w.A.Client, sendImport(t, w.A.Client, "contacts.csv", "nome;telefone\nAna;+5511987650001\nBia;+5511987650002\n", "kind", "contacts")).Result
		if table.Created != 1 || table.Skipped != 1 || len(table.Errors) != 1 || table.Errors[0].Line != 2 || table.Errors[0].Code != "erased" {
			t.Errorf("the table: got %+v, want the line of the erased person left out", table)
		}
		w.A.Post(t, "/fields", `{"entity":"contact","key":"vip","name":"VIP","type":"bool"}`).OK(201)
		lines := "nome;telefone;vip\nAna Lima;+5511987650001;sim\nAna Lima;+5511987650001;sim\nAna Lima;+5511987650001;talvez\nBia;+5511987650002;sim\n"
		for _, dryRun := range []string{"true", "false"} {
			job := finishImport(t, w, w.A.Client, sendImport(t, w.A.Client, "contacts.csv", lines, "kind", "contacts", "dry_run", dryRun))
			if job.Result.Updated != 1 || job.Result.Skipped != 3 || job.Result.URL == nil {
				t.Fatalf("dry_run=%s: got %+v", dryRun, job)
			}
			_, file, _ := download(t, *job.Result.URL)
			testkit.Equal(t, "lines of the erased person in the file", strings.Count(file, ";;;phone: this person was erased;erased"), 3)
			for _, text := range []string{file, string(w.A.Get(t, "/jobs/"+job.ID).OK(200).Raw)} {
				if strings.Contains(text, "Ana") || strings.Contains(text, "987650001") {
					t.Errorf("dry_run=%s: got %s, want nothing about the erased person", dryRun, text)
				}
			}
			if dryRun == "true" && (len(job.Result.Preview) != 4 || job.Result.Preview[3]["name"] != "Bia" || fmt.Sprint(job.Result.Columns[0].Samples) != "[Bia]") {
				t.Errorf("the dry run: got %+v", job.Result)
			}
		}
		refused := sendImport(t, w.A.Client, "chat.txt", chatOfAna, append([]string{"kind", "chat"}, chat...)...).Fails(400, "invalid_request")
		testkit.Equal(t, "field", refused.Text("details", 0, "field")+" "+refused.Text("details", 0, "code"), "body.phone erased")
		testkit.Equal(t, "contacts", len(w.A.Get(t, "/contacts?q=98765-0001").OK(200).List("data")), 0)

		w.Clock.Advance(48 * time.Hour)
		later := chatOfAna + w.Clock.Now().Add(-time.Hour).Format("02/01/2006 15:04") + " - Ana Lima: de novo\n"
		again := importChat(t, w, "chat.txt", later, chat...).Result
		if again.Created != 1 || again.Existing != 0 || again.Skipped != first.Created+first.Skipped {
			t.Errorf("the chat: got %+v, want all messages but the last left out", again)
		}
		testkit.Contains(t, "messages", chatMessages(t, w.A.Client, again.Conversation), "de novo")
	})
}

func TestTheMembersOfAGroupDoNotBringAnErasedPersonBack(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := regularChannel(t, w)
		c := newRegular(t, w, channel, plantedPhone)
		person := func(phone, name string) provider.GroupMember {
			return provider.GroupMember{Person: provider.Person{Phone: phone, WAID: phone[1:], Name: name}, Role: provider.RoleMember}
		}
		members := func() (names []string) {
			t.Helper()
			err := w.Desk.Talk.Receive(t.Context(), w.A.ID, mustID(channel), []provider.Incoming{{Group: &provider.IncomingGroup{
				ID: "group", Name: "Family", Members: []provider.GroupMember{person(plantedPhone, "Maria"), person("+5511987650999", "Bia")},
			}}})
			if err != nil {
				t.Fatal(err)
			}
			group := w.A.Get(t, "/conversations?q=Family").OK(200).Text("data", 0, "id")
			for _, m := range w.A.Get(t, "/conversations/"+group+"/members").OK(200).List() {
				names = append(names, m.(map[string]any)["name"].(string))
			}
			return names
		}
		testkit.Diff(t, "members before the erasure", members(), []string{"Maria", "Bia"})
		w.Clock.Advance(time.Minute)
		erase(t, w.A.Client, c.contact, plantedPhone)
		testkit.Diff(t, "members after the erasure", members(), []string{"Bia"})
		w.Clock.Advance(time.Minute)
		newRegular(t, w, channel, plantedPhone) // the person writes again
		testkit.Diff(t, "members after a new message", members(), []string{"Maria", "Bia"})
	})
}

func TestAnErasureRemovesTheEventsAndResponsesAboutMergedContacts(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := mustID(sandbox(t, w))
		var ids []string // of all contacts and conversations
		receive := func(p provider.Person) (contact string) {
			t.Helper()
			w.Clock.Advance(time.Second)
			p.Name = "Marina"
			err := w.Desk.Talk.Receive(t.Context(), w.A.ID, channel, []provider.Incoming{{Message: &provider.IncomingMessage{
				ExternalID: kernel.NewID().String(), Type: provider.TypeText, Text: "oi", Customer: p,
			}}})
			if err != nil {
				t.Fatal(err)
			}
			c := w.A.Get(t, "/conversations").OK(200)
			ids = append(ids, c.Text("data", 0, "contact"), c.Text("data", 0, "id"))
			return ids[len(ids)-2]
		}
		number := provider.Person{Phone: plantedPhone, WAID: plantedPhone[1:]}
		first, second, third := receive(number), receive(provider.Person{UserID: "BR.402"}), receive(provider.Person{UserID: "402@lid"})
		w.A.Post(t, "/conversations/"+ids[5]+"/read", nil, "Idempotency-Key", "read-third").OK(200)
		w.A.Patch(t, "/contacts/"+third, `{"city":"Campinas"}`).OK(200)
		testkit.Equal(t, "the contact after the first merge", receive(provider.Person{UserID: "402@lid", PreviousUserID: "BR.402"}), second)
		number.UserID = "BR.402"
		testkit.Equal(t, "the contact after the second merge", receive(number), first)
		erase(t, w.A.Client, first, plantedPhone)
		events := w.A.Get(t, "/events?limit=100").OK(200)
		for _, id := range ids[2:6] { // the conversation that remains has later events, without the person
			if strings.Contains(string(events.Raw), id) {
				t.Errorf("the events still name %s of %v: %s", id, ids, events.Raw)
			}
		}
		testkit.Equal(t, "stored responses", count(t, w, "idempotency", "key = 'read-third'"), 0)
	})
}

func TestAnErasureRemovesTheReactionsOfMergedContactsInGroups(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := mustID(sandbox(t, w))
		receive := func(items ...provider.Incoming) {
			t.Helper()
			if err := w.Desk.Talk.Receive(t.Context(), w.A.ID, channel, items); err != nil {
				t.Fatal(err)
			}
		}
		group := &provider.IncomingGroup{ID: "group", Name: "Family"}
		text := func(id string, p provider.Person, group *provider.IncomingGroup) provider.Incoming {
			return provider.Incoming{Message: &provider.IncomingMessage{ExternalID: id, Type: provider.TypeText, Text: "oi", Customer: p, Group: group}}
		}
		reaction := func(emoji string, p provider.Person) provider.Incoming {
			return provider.Incoming{Reaction: &provider.IncomingReaction{ExternalID: "bia", Emoji: emoji, Sender: provider.Sender{Customer: p}, At: w.Clock.Now()}}
		}
		bia, hidden := provider.Person{Phone: "+5511987650999", WAID: "5511987650999", Name: "Bia"}, provider.Person{UserID: "BR.601", Name: "Marina"}
		number := provider.Person{Phone: plantedPhone, WAID: plantedPhone[1:], Name: "Marina"}
		receive(text("direct", number, nil), text("bia", bia, group), text("marina", hidden, group))
		receive(reaction("👍", hidden), reaction("🎉", bia))
		contact := w.A.Get(t, "/contacts?q="+plantedPhone[1:]).OK(200).Text("data", 0, "id")
		number.UserID = hidden.UserID
		receive(text("merged", number, nil))
		testkit.Equal(t, "messages with her reaction", count(t, w, "messages", "reactions LIKE '%👍%'"), 1)
		erase(t, w.A.Client, contact, plantedPhone)
		testkit.Equal(t, "messages with her reaction", count(t, w, "messages", "reactions LIKE '%👍%'"), 0)
		testkit.Equal(t, "messages with the reaction of another person", count(t, w, "messages", "reactions LIKE '%🎉%'"), 1)
	})
}

func TestErasingAPrivateContactLeavesThePublicOne(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		owner := w.A.Enter(t, w.A.Owner.ID.String(), password)
		public := chatChannel(t, owner)
		private := owner.Post(t, "/channels", `{"name": "Casa", "phone": "+551140028923", "provider": "sandbox", "private": true}`).OK(201).ID()
		imports := func(channel string) *servertest.Answer {
			t.Helper()
			return sendImport(t, owner, "chat.txt", chatOfAna, "kind", "chat", "channel", channel, "phone", plantedPhone, "me", "Loja")
		}
		kept, erased := finishImport(t, w, owner, imports(public)).Result, finishImport(t, w, owner, imports(private)).Result
		before := w.Clock.Now()
		w.Clock.Advance(time.Minute)
		erase(t, owner, erased.Contact, plantedPhone)
		owner.Patch(t, "/channels/"+private, `{"private": false, "confirm": true}`).OK(200)
		again := finishImport(t, w, owner, imports(public)).Result
		if again.Contact != kept.Contact || again.Existing != kept.Created {
			t.Errorf("the chat again: got %+v, want all messages of %+v", again, kept)
		}
		err := w.Desk.Talk.Receive(t.Context(), w.A.ID, mustID(public), []provider.Incoming{{Message: &provider.IncomingMessage{
			ExternalID: "late", Type: provider.TypeText, Text: "antes de tudo", At: before.Add(-time.Hour), History: true,
			Customer: provider.Person{Phone: plantedPhone, WAID: plantedPhone[1:]},
		}}})
		if err != nil {
			t.Fatal(err)
		}
		testkit.Contains(t, "messages", chatMessages(t, owner, kept.Conversation), "antes de tudo")
	})
}

func TestErasingAPublicContactLeavesPrivateNumbersAlone(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		owner := w.A.Enter(t, w.A.Owner.ID.String(), password)
		_, email := member(t, w.A.Client, "Ada", `"role":"admin"`)
		public := regularChannel(t, w)
		private := w.A.SignIn(t, email, password).Post(t, "/channels", `{"name":"Board","phone":"+551140028922","provider":"sandbox","private":true}`).OK(201).ID()
		person := provider.Person{Phone: plantedPhone, WAID: plantedPhone[1:], Name: "Maria"}
		for _, channel := range []string{public, private} {
			group := &provider.IncomingGroup{ID: channel, Name: "Family", Members: []provider.GroupMember{{Person: person, Role: provider.RoleMember}}}
			err := w.Desk.Talk.Receive(t.Context(), w.A.ID, mustID(channel), []provider.Incoming{
				{Message: &provider.IncomingMessage{ExternalID: channel, Type: provider.TypeText, Text: "oi", Customer: person}}, {Group: group},
			})
			if err != nil {
				t.Fatal(err)
			}
			kerneltest.Write(t, w.Desk.Kernel.Store, func(tx *kernel.Tx) error {
				tx.Later(`INSERT INTO linked_store (company, channel, kind, key, value) VALUES ($1, $2, 'session', $3, $4)`, w.A.ID, mustID(channel), plantedPhone[1:]+":0", []byte("key"))
				return nil
			})
		}
		left := func() [2][2]int {
			t.Helper()
			in := func(table, where string) (n [2]int) {
				for i, not := range []string{"NOT", ""} {
					n[i] = count(t, w, table, where+" AND channel IN (SELECT id FROM channels WHERE company = $1 AND "+not+" private)")
				}
				return n
			}
			return [2][2]int{in("linked_store", "kind = 'session'"), in("conversations", "members LIKE '%"+plantedPhone[1:]+"%'")}
		}
		testkit.Diff(t, "sessions and memberships", left(), [2][2]int{{1, 1}, {1, 1}})
		erase(t, owner, owner.Get(t, "/contacts?q="+plantedPhone[1:]).OK(200).Text("data", 0, "id"), plantedPhone)
		testkit.Diff(t, "sessions and memberships after the erasure", left(), [2][2]int{{0, 1}, {0, 1}})
	})
}

func TestErasingAPersonOfANumberThatBecamePrivateRemovesTheirReactionsThere(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		owner := w.A.Enter(t, w.A.Owner.ID.String(), password)
		channels := map[string]string{"public": regularChannel(t, w), "private": sandbox(t, w)}
		bia := provider.Person{Phone: "+5511987650999", WAID: "5511987650999", Name: "Bia"}
		person := provider.Person{Phone: plantedPhone, WAID: plantedPhone[1:], Name: "Marina"}
		receive := func(channel string, items ...provider.Incoming) {
			t.Helper()
			if err := w.Desk.Talk.Receive(t.Context(), w.A.ID, mustID(channels[channel]), items); err != nil {
				t.Fatal(err)
			}
		}
		reacts := func(channel, message, emoji string) {
			t.Helper()
			w.Clock.Advance(time.Second)
			receive(channel, provider.Incoming{Reaction: &provider.IncomingReaction{
				ExternalID: channel + message, Emoji: emoji, Sender: provider.Sender{Customer: person}, At: w.Clock.Now(),
			}})
		}
		for name := range channels {
			group := &provider.IncomingGroup{ID: name, Name: "Family"}
			for _, message := range []string{"first", "second"} {
				receive(name, provider.Incoming{Message: &provider.IncomingMessage{ExternalID: name + message, Type: provider.TypeText, Text: "oi", Customer: bia, Group: group}})
			}
			receive(name, provider.Incoming{Message: &provider.IncomingMessage{ExternalID: name, Type: provider.TypeText, Text: "oi", Customer: person}})
			reacts(name, "first", "👍")
			reacts(name, "second", "👍")
		}
		reactions := func(emoji string) int { return count(t, w, "messages", "reactions LIKE '%"+emoji+"%'") }
		w.Desk.Talk.HoldSettling(true)
		owner.Patch(t, "/channels/"+channels["private"], `{"private": true}`).OK(200)
		reacts("private", "first", "🎉") // settles her contact
		w.Desk.Talk.HoldSettling(false)
		for more := true; more; {
			var err error
			if more, err = w.Desk.Talk.SettleChannels(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		reacts("private", "second", "🎉")
		testkit.Equal(t, "new reactions", reactions("🎉"), 2)
		testkit.Equal(t, "reactions that were not replaced", reactions("👍"), 2)
		contact := owner.Get(t, "/contacts?channel="+channels["private"]+"&q="+plantedPhone[1:]).OK(200).Text("data", 0, "id")
		erase(t, owner, contact, plantedPhone)
		testkit.Equal(t, "reactions in the private group", reactions("🎉"), 0)
		testkit.Equal(t, "reactions in the public group", reactions("👍"), 2)
	})
}

// reader is a function that implements io.Reader.
type reader func(p []byte) (int, error)

func (r reader) Read(p []byte) (int, error) { return r(p) }

func TestAFileThatIsAddedDuringAnErasureIsNotKept(t *testing.T) {
	var dir, database string
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		chat := importChat(t, w, "chat.txt", chatOfAna, "channel", chatChannel(t, w.A.Client), "phone", plantedPhone, "me", "Loja").Result
		var file string
		for _, m := range w.A.Get(t, "/conversations/"+chat.Conversation+"/messages").OK(200).List() {
			if id, found := m.(map[string]any)["media_id"].(string); found {
				file = id
			}
		}
		isErased := false
		content := io.MultiReader(strings.NewReader("%PDF-1.4 "+planted), reader(func([]byte) (int, error) {
			if !isErased {
				isErased = true
				erase(t, w.A.Client, chat.Contact, plantedPhone)
			}
			return 0, io.EOF
		}))
		added, err := w.Desk.Talk.FillFile(t.Context(), w.A.ID, mustID(file), planted+".pdf", content)
		if err != nil || added || !isErased {
			t.Errorf("got %t, %v, want a file that was not added because it was deleted", added, err)
		}
		if traces := tracesIn(t, dir, database); len(traces) > 0 {
			t.Errorf("after the erasure:\n%s", strings.Join(traces, "\n"))
		}
	}, func(c *server.Config) { dir, database = c.DataDir, c.DatabaseURL })
}
