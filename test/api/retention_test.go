package api_test

import (
	"fmt"
	"io/fs"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/server"
	"recado/test/kerneltest"
	"recado/test/servertest"
	"recado/test/testkit"
)

// expire deletes all that has expired, as the loop of the server does.
func expire(t *testing.T, w *servertest.World) {
	t.Helper()
	for more := true; more; {
		var err error
		if more, err = w.Desk.Privacy.Expire(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// regular is a customer of company A with a conversation.
type regular struct{ channel, phone, conversation, contact string }

func newRegular(t *testing.T, w *servertest.World, channel, phone string) *regular {
	t.Helper()
	c := &regular{channel: channel, phone: phone}
	c.conversation = w.A.Post(t, "/channels/"+channel+"/simulate", map[string]any{"from": phone, "name": "Maria", "text": "first"}).OK(201).Text("conversation")
	c.contact = w.A.Get(t, "/conversations/"+c.conversation).OK(200).Text("contact")
	return c
}

func (c *regular) writes(t *testing.T, w *servertest.World, text string) {
	t.Helper()
	w.A.Post(t, "/channels/"+c.channel+"/simulate", map[string]any{"from": c.phone, "text": text}).OK(201)
}

func (c *regular) close(t *testing.T, w *servertest.World) {
	t.Helper()
	w.A.Post(t, "/conversations/"+c.conversation+"/attendance/close", map[string]any{}).OK(200)
}

// texts returns the texts of the conversation, newest first.
func (c *regular) texts(t *testing.T, w *servertest.World) (texts []any) {
	t.Helper()
	for _, m := range w.A.Get(t, "/conversations/"+c.conversation+"/messages").OK(200).List("data") {
		texts = append(texts, m.(map[string]any)["text"])
	}
	return texts
}

func regularChannel(t *testing.T, w *servertest.World) string {
	t.Helper()
	return w.A.Post(t, "/channels", map[string]any{"name": "Sandbox", "provider": "sandbox", "phone": "+551130000001"}).OK(201).ID()
}

const day = 24 * time.Hour

func TestRetentionSettingsHaveLimits(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		r := w.A.Get(t, "/company/retention").OK(200)
		if r.At("messages_days") != nil || r.At("media_days") != nil || r.Int("audit_days") != 365 {
			t.Errorf("the defaults: got %v", r.At())
		}
		for _, body := range []string{
			`{"messages_days":29}`, `{"media_days":29}`, `{"audit_days":89}`, `{"audit_days":3651}`, `{"messages_days":"30"}`, `{"messages_days":-1}`, `{"other":1}`,
		} {
			w.A.Patch(t, "/company/retention", body).Fails(400, "invalid_request")
			w.A.Post(t, "/company/retention/preview", body).Fails(400, "invalid_request")
		}
		w.A.Patch(t, "/company/retention", `{"messages_days":30,"media_days":31,"audit_days":90}`).OK(200)
		r = w.A.Patch(t, "/company/retention", `{"media_days":null}`).OK(200)
		if r.Int("messages_days") != 30 || r.At("media_days") != nil || r.Int("audit_days") != 90 {
			t.Errorf("after a change: got %v", r.At())
		}
		if r := w.B.Get(t, "/company/retention").OK(200); r.At("messages_days") != nil {
			t.Errorf("another company: got %v", r.At())
		}
		audit := w.A.Get(t, "/audit?action=retention.updated").OK(200)
		if len(audit.List("data")) != 2 || audit.Text("data", 0, "changes", 0, "field") != "media_days" {
			t.Errorf("audit: got %v", audit.At())
		}
	})
}

func TestOldMessagesAreDeletedAndOpenCasesKeepTheirs(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := regularChannel(t, w)
		closed, open, both := newRegular(t, w, channel, "+5511910000001"), newRegular(t, w, channel, "+5511910000002"), newRegular(t, w, channel, "+5511910000003")
		for _, c := range []*regular{closed, open, both} {
			w.A.Post(t, "/conversations/"+c.conversation+"/notes", map[string]any{"client_id": kernel.NewID(), "text": "a note"}).OK(201)
		}
		closed.close(t, w)
		both.close(t, w)
		both.writes(t, w, "of the open case")
		attendances := len(w.A.Get(t, "/attendances").OK(200).List("data"))
		w.Clock.Advance(31 * day)
		closedAgain := newRegular(t, w, channel, "+5511910000004") // new
		closedAgain.close(t, w)

		p := w.A.Post(t, "/company/retention/preview", `{"messages_days":30}`).OK(200)
		if p.Int("messages") != 2 || p.Int("notes") != 2 || p.Int("media") != 0 || p.Int("audit") != 0 {
			t.Errorf("preview: got %v, want 2 messages and 2 notes", p.At())
		}
		expire(t, w)
		if got := closed.texts(t, w); len(got) != 1 {
			t.Errorf("without a retention: got %v, want the message", got)
		}
		w.A.Patch(t, "/company/retention", `{"messages_days":30}`).OK(200)
		expire(t, w)
		for _, test := range []struct {
			name  string
			of    *regular
			texts string
			notes int
		}{
			{"a closed case", closed, "[]", 0}, {"an open case", open, "[first]", 1}, {"an older case", both, "[of the open case]", 0}, {"a new case", closedAgain, "[first]", 0},
		} {
			if got := fmt.Sprint(test.of.texts(t, w)); got != test.texts {
				t.Errorf("%s: got %v, want %v", test.name, got, test.texts)
			}
			if got := len(w.A.Get(t, "/conversations/"+test.of.conversation+"/notes").OK(200).List("data")); got != test.notes {
				t.Errorf("%s: got %d notes, want %d", test.name, got, test.notes)
			}
		}
		c := w.A.Get(t, "/conversations/"+closed.conversation).OK(200)
		if c.At("last_message") != nil || c.Int("unread_count") != 0 {
			t.Errorf("the conversation: got %v, want no last message", c.At())
		}
		if got := w.A.Get(t, "/conversations?limit=100").OK(200); len(got.List("data")) != 4 {
			t.Errorf("got %d conversations, want 4", len(got.List("data")))
		}
		if got := len(w.A.Get(t, "/attendances").OK(200).List("data")); got != attendances+1 {
			t.Errorf("got %d attendances, want %d", got, attendances+1)
		}
		if p := w.A.Post(t, "/company/retention/preview", nil).OK(200); p.Int("messages") != 0 {
			t.Errorf("preview afterwards: got %v", p.At())
		}
		open.close(t, w)
		expire(t, w)
		if got := open.texts(t, w); len(got) != 0 {
			t.Errorf("after the case was closed: got %v, want none", got)
		}
		closed.writes(t, w, "again")
		if c := w.A.Get(t, "/conversations/"+closed.conversation).OK(200); c.Text("last_message", "text") != "again" {
			t.Errorf("a new message: got %v", c.At("last_message"))
		}
	})
}

func TestOldFilesAreDeletedAndTheirMessagesStay(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		c := newRegular(t, w, regularChannel(t, w), "+5511910000001")
		send := func(media string) {
			t.Helper()
			w.A.Post(t, "/conversations/"+c.conversation+"/messages", map[string]any{"client_id": kernel.NewID(), "media_id": media}).OK(201)
		}
		old := w.A.Upload(t, "old.txt", []byte("plain text 1")).OK(201)
		shared := w.A.Upload(t, "shared.txt", []byte("plain text 2")).OK(201)
		reply := w.A.Upload(t, "reply.txt", []byte("plain text 3")).OK(201)
		for _, file := range []*servertest.Answer{old, shared, reply} {
			send(file.ID())
		}
		w.A.Post(t, "/replies", map[string]any{"shortcut": "oi", "title": "Oi", "text": "Oi", "media_id": reply.ID()}).OK(201)
		c.close(t, w)
		w.Clock.Advance(40 * day)
		send(shared.ID())
		c.close(t, w)

		p := w.A.Post(t, "/company/retention/preview", `{"media_days":30}`).OK(200)
		if p.Int("messages") != 0 || p.Int("media") != 1 || p.Int("media_bytes") != old.Int("size") {
			t.Errorf("preview: got %v, want one file of %d bytes", p.At(), old.Int("size"))
		}
		w.A.Patch(t, "/company/retention", `{"media_days":30}`).OK(200)
		expire(t, w)
		w.A.Get(t, "/media/"+old.ID()).Fails(404, "not_found")
		w.A.Get(t, "/media/"+old.ID()+"/url").Fails(404, "not_found")
		for _, kept := range []*servertest.Answer{shared, reply} {
			if status, _, _ := download(t, w.A.Get(t, "/media/"+kept.ID()+"/url").OK(200).Text("url")); status != http.StatusOK {
				t.Errorf("%s: got %d, want 200", kept.Text("file_name"), status)
			}
		}
		names := ""
		for _, m := range w.A.Get(t, "/conversations/"+c.conversation+"/messages").OK(200).List("data") {
			if media, ok := m.(map[string]any)["media"].(map[string]any); ok {
				names += media["file_name"].(string) + " "
			}
		}
		if names != "shared.txt reply.txt shared.txt old.txt " {
			t.Errorf("the files of the messages: got %s, want all names", names)
		}
		w.A.Patch(t, "/company/retention", `{"messages_days":30}`).OK(200)
		expire(t, w)
		if got := len(w.A.Get(t, "/conversations/"+c.conversation+"/messages").OK(200).List("data")); got != 1 {
			t.Errorf("got %d messages, want the new one", got)
		}
		w.A.Get(t, "/media/"+shared.ID()+"/url").OK(200)
		w.A.Get(t, "/media/"+reply.ID()+"/url").OK(200)
	})
}

func TestOldAuditEntriesAreDeletedByDefault(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		w.A.Patch(t, "/company/retention", `{"audit_days":null}`).OK(200)
		w.B.Patch(t, "/company/retention", `{"media_days":400}`).OK(200)
		w.B.Patch(t, "/company/retention", `{"media_days":null}`).OK(200)
		w.Clock.Advance(366 * day)
		expire(t, w)
		if got := len(w.B.Get(t, "/audit").OK(200).List("data")); got != 0 {
			t.Errorf("got %d entries, want none", got)
		}
		if got := len(w.A.Get(t, "/audit?action=retention.updated").OK(200).List("data")); got != 1 {
			t.Errorf("kept for ever: got %d entries, want 1", got)
		}
	})
}

// What the preview counts is what is deleted, from every place.
func TestTheRetentionDeletesWhatThePreviewCounts(t *testing.T) {
	t.Parallel()
	dir := ""
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := regularChannel(t, w)
		c := newRegular(t, w, channel, "+5511910000001")
		quoted := w.A.Get(t, "/conversations/"+c.conversation+"/messages").OK(200).Text("data", 0, "external_id")
		file := w.A.Upload(t, "photo.txt", []byte("the bytes of a photo")).OK(201)
		w.A.Post(t, "/conversations/"+c.conversation+"/messages", map[string]any{"client_id": kernel.NewID(), "media_id": file.ID(), "text": "xylophone"}).OK(201)
		w.A.Post(t, "/conversations/"+c.conversation+"/notes", map[string]any{"client_id": kernel.NewID(), "text": "a zeppelin"}).OK(201)
		w.A.Patch(t, "/conversations/"+c.conversation, `{"pinned":true}`).OK(200)
		c.close(t, w)
		w.Clock.Advance(100 * day)
		w.A.Post(t, "/channels/"+channel+"/simulate", map[string]any{"from": c.phone, "text": "a quotation", "reply_to_external_id": quoted}).OK(201)
		c.close(t, w)
		path := filepath.Join(dir, "media")
		if got := filesIn(t, path); got != 1 {
			t.Fatalf("got %d files in the media folder, want 1", got)
		}
		p := w.A.Post(t, "/company/retention/preview", `{"messages_days":30,"audit_days":90}`).OK(200)
		audit, all := p.Int("audit"), len(actions(t, w.A.Client, ""))
		if p.Int("messages") != 2 || p.Int("notes") != 1 || p.Int("media") != 1 || p.Int("media_bytes") != file.Int("size") || audit < 3 {
			t.Errorf("preview: got %v, want 2 messages, a note, a file and the audit entries", p.At())
		}
		w.A.Patch(t, "/company/retention", `{"messages_days":30,"audit_days":90}`).OK(200)
		expire(t, w)
		testkit.Equal(t, "texts", fmt.Sprint(c.texts(t, w)), "[a quotation]")
		testkit.Equal(t, "audit entries", len(actions(t, w.A.Client, "")), all-audit+1)
		testkit.Equal(t, "files in the media folder", filesIn(t, path), 0)
		w.A.Get(t, "/media/"+file.ID()).Fails(404, "not_found")
		conversation := w.A.Get(t, "/conversations/"+c.conversation).OK(200)
		if conversation.Text("last_message", "text") != "a quotation" || conversation.At("pinned") != true {
			t.Errorf("the conversation: got %v", conversation.At())
		}
		testkit.Eventually(t, "the search finds nothing", func() bool {
			return len(w.A.Get(t, "/messages?q=xylophone").OK(200).List()) == 0 && len(w.A.Get(t, "/messages?q=quotation").OK(200).List()) == 1
		})
		for table, column := range map[string]string{"messages": "text", "notes": "text", "conversations": "last_text"} {
			if n := count(t, w, table, column+" LIKE '%xylophone%' OR "+column+" LIKE '%zeppelin%'"); n != 0 {
				t.Errorf("%s: got %d rows with a deleted text, want none", table, n)
			}
		}
		p = w.A.Post(t, "/company/retention/preview", nil).OK(200)
		for _, name := range []string{"messages", "notes", "media", "media_bytes", "audit"} {
			testkit.Equal(t, "preview afterwards: "+name, p.Int(name), 0)
		}
	}, func(c *server.Config) { dir = c.DataDir })
}

func TestOldDraftsAndScheduledMessagesAreDeletedWithoutOldMessages(t *testing.T) {
	dir := ""
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		c, open := newRegular(t, w, regularChannel(t, w), "+5511910000001"), newRegular(t, w, sandbox(t, w), "+5511910000002")
		c.close(t, w)
		w.A.Patch(t, "/company/retention", `{"messages_days":30}`).OK(200)
		w.Clock.Advance(20 * day)
		ana, _ := signedIn(t, w, "Ana")
		file := w.A.Upload(t, "photo.txt", []byte("the bytes of a photo")).OK(201).ID()
		for _, at := range []string{"/conversations/" + c.conversation, "/conversations/" + open.conversation} {
			ana.Put(t, at+"/draft", `{"text":"a draft"}`).OK(200)
		}
		later := w.A.Post(t, "/conversations/"+c.conversation+"/scheduled", scheduledMessage(w, time.Hour, "later", map[string]any{"media_id": file})).OK(201).ID()
		w.A.Delete(t, "/scheduled/"+later).OK(204)
		w.Clock.Advance(15 * day)
		expire(t, w)
		testkit.Equal(t, "messages of the closed conversation", len(c.texts(t, w)), 0)
		testkit.Equal(t, "drafts of 15 days", count(t, w, "drafts", "TRUE"), 2)
		testkit.Equal(t, "scheduled messages of 15 days", count(t, w, "scheduled_messages", "TRUE"), 1)
		w.Clock.Advance(20 * day)
		expire(t, w)
		testkit.Equal(t, "drafts of 35 days: that of the open case", count(t, w, "drafts", "TRUE"), 1)
		testkit.Equal(t, "scheduled messages of 35 days", count(t, w, "scheduled_messages", "TRUE"), 0)
		testkit.Equal(t, "files in the media folder", filesIn(t, filepath.Join(dir, "media")), 0)
	}, func(c *server.Config) { dir = c.DataDir })
}

// A transaction deletes a few hundred rows, so that others do not wait.
func TestTheRetentionDeletesInSmallBatches(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		c := newRegular(t, w, regularChannel(t, w), "+5511910000001")
		var more []provider.Incoming
		for i := range 450 {
			more = append(more, provider.Incoming{Message: &provider.IncomingMessage{
				ExternalID: fmt.Sprint("many.", i), Type: provider.TypeText, Text: "more", Customer: provider.Person{Phone: c.phone, WAID: c.phone[1:]},
			}})
		}
		if err := w.Desk.Talk.Receive(t.Context(), w.A.ID, mustID(c.channel), more); err != nil {
			t.Fatal(err)
		}
		testkit.Equal(t, "messages", count(t, w, "messages", "conversation IS NOT NULL"), 451)
		c.close(t, w)
		w.Clock.Advance(31 * day)
		left := func() int { return count(t, w, "messages", "conversation IS NOT NULL") }
		for before := left(); before > 0; {
			if _, err := w.Desk.Talk.ExpireMessages(t.Context(), w.A.ID, w.Clock.Now().Add(-30*day)); err != nil {
				t.Fatal(err)
			}
			now := left()
			if before-now > 200 || now == before {
				t.Fatalf("a batch deleted %d messages, want 1 to 200", before-now)
			}
			before = now
		}
	})
}

// count returns the number of rows of company A in a table.
func count(t *testing.T, w *servertest.World, table, where string) (n int) {
	t.Helper()
	kerneltest.Read(t, w.Desk.Kernel.Store, func(tx *kernel.Tx) error {
		_, err := tx.One(`SELECT COUNT(*) AS total FROM `+table+` WHERE company = $1 AND (`+where+`)`, []any{w.A.ID}, func(r db.Row) { n = int(r.Int("total")) })
		return err
	})
	return n
}

// filesIn returns the number of files in a folder and below.
func filesIn(t *testing.T, folder string) (n int) {
	t.Helper()
	err := filepath.WalkDir(folder, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			n++
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
