package api_test

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/people"
	"recado/internal/privacy"
	"recado/internal/server"
	"recado/test/kerneltest"
	"recado/test/servertest"
	"recado/test/testkit"
)

// exported returns the files of a zip file behind a link, by their names.
func exported(t *testing.T, link string) map[string]string {
	t.Helper()
	status, body, header := download(t, link)
	if status != http.StatusOK || header.Get("Content-Type") != "application/zip" || !strings.HasPrefix(header.Get("Content-Disposition"), "attachment") {
		t.Fatalf("got %d %v, want a zip file", status, header)
	}
	z, err := zip.NewReader(strings.NewReader(body), int64(len(body)))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name] = string(content)
	}
	return files
}

// exportOf exports a contact and returns the job and the files.
func exportOf(t *testing.T, c *servertest.Client, contact string) (*servertest.Answer, map[string]string) {
	t.Helper()
	started := c.Post(t, "/contacts/"+contact+"/export", nil).OK(202)
	testkit.Equal(t, "kind", started.Text("kind"), "contact_export")
	j := ended(t, c, started.ID())
	if j.Text("status") != "done" {
		t.Fatalf("got %v, want done", j.At())
	}
	return j, exported(t, j.Text("result", "url"))
}

// exportData is data.json.
type exportData struct {
	Company       string           `json:"company"`
	Contact       map[string]any   `json:"contact"`
	Identities    []map[string]any `json:"identities"`
	Labels        []string         `json:"labels"`
	Conversations []struct {
		Conversation map[string]any   `json:"conversation"`
		Attendances  []map[string]any `json:"attendances"`
		Messages     []map[string]any `json:"messages"`
		Notes        []map[string]any `json:"notes"`
		Scheduled    []map[string]any `json:"scheduled_messages"`
	} `json:"conversations"`
	Groups []map[string]any `json:"group_messages"`
	Cards  []map[string]any `json:"cards"`
}

func readExport(t *testing.T, files map[string]string) (data exportData) {
	t.Helper()
	if err := json.Unmarshal([]byte(files["data.json"]), &data); err != nil {
		t.Fatalf("%v: %s", err, files["data.json"])
	}
	return data
}

// speakEnglish sets the language of the owner of company A.
func speakEnglish(t *testing.T, w *servertest.World) {
	t.Helper()
	w.A.Enter(t, w.A.Owner.ID.String(), password).Patch(t, "/me/preferences", `{"language":"en"}`).OK(200)
}

const script = `<script>alert("hi")</script>`

func TestTheExportOfAPersonIsComplete(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		speakEnglish(t, w)
		channel := regularChannel(t, w)
		label := w.A.Post(t, "/labels", map[string]string{"name": "Gold " + script}).OK(201).ID()
		w.A.Post(t, "/fields", map[string]string{"entity": "contact", "key": "plan", "name": "Plan " + script, "type": "text"}).OK(201)
		w.A.Put(t, "/company/survey", `{"enabled":true,"question":"How was it?","min_days":0}`).OK(200)

		phone := "+5511910000001"
		simulate := func(body map[string]any) *servertest.Answer {
			t.Helper()
			body["from"] = phone
			return w.A.Post(t, "/channels/"+channel+"/simulate", body).OK(201)
		}
		first := simulate(map[string]any{"name": "Maria " + script, "text": "Olá " + script})
		conversation := first.Text("conversation")
		contact := w.A.Get(t, "/conversations/"+conversation).OK(200).Text("contact")
		send := func(body map[string]any) *servertest.Answer {
			t.Helper()
			body["client_id"] = kernel.NewID()
			return w.A.Post(t, "/conversations/"+conversation+"/messages", body).OK(201)
		}
		file := w.A.Upload(t, `..\..\evil "<b>".txt`, []byte("plain text of a file")).OK(201).ID()
		send(map[string]any{"media_id": file, "text": "see the file"})
		send(map[string]any{"media_id": file}) // once in the zip file
		w.A.Put(t, "/messages/"+first.ID()+"/reaction", `{"emoji":"👍"}`)
		w.A.Post(t, "/conversations/"+conversation+"/notes", map[string]any{"client_id": kernel.NewID(), "text": "a note " + script}).OK(201)
		w.A.Patch(t, "/contacts/"+contact, map[string]any{
			"label_ids": []string{label}, "fields": map[string]any{"plan": "Blue " + script}, "city": "Recife", "company": "Casa " + script,
		}).OK(200)
		w.A.Post(t, "/conversations/"+conversation+"/attendance/close", `{"note":"solved"}`).OK(200)
		testkit.Eventually(t, "the survey is sent", func() bool {
			return w.A.Get(t, "/attendances?limit=1").OK(200).Text("data", 0, "survey", "status") == "sent"
		})
		w.A.Post(t, "/conversations/"+conversation+"/scheduled", map[string]any{
			"client_id": kernel.NewID(), "send_at": w.Clock.Now().Add(day).Format(time.RFC3339), "text": "tomorrow " + script,
		}).OK(201)
		w.A.Patch(t, "/contacts/"+contact, `{"opted_out":true}`).OK(200)
		stranger := newRegular(t, w, channel, "+5511910000002")

		job, files := exportOf(t, w.A.Client, contact)
		data, page := readExport(t, files), files["index.html"]
		testkit.Equal(t, "company", data.Company, "Padaria Aurora")
		testkit.Equal(t, "conversations", len(data.Conversations), 1)
		c := data.Conversations[0]
		texts := []string{}
		for _, m := range c.Messages {
			text, _ := m["text"].(string)
			texts = append(texts, text)
		}
		if len(texts) < 4 || texts[0] != "Olá "+script || texts[1] != "see the file" || !strings.HasPrefix(texts[3], "How was it?") {
			t.Errorf("messages: got %q, want the four in their order", texts)
		}
		testkit.Equal(t, "reactions", len(c.Messages[0]["reactions"].([]any)), 1)
		testkit.Equal(t, "notes", fmt.Sprint(len(c.Notes), " ", c.Notes[0]["text"]), "1 a note "+script)
		testkit.Equal(t, "scheduled", fmt.Sprint(len(c.Scheduled), " ", c.Scheduled[0]["text"]), "1 tomorrow "+script)
		testkit.Equal(t, "attendances", len(c.Attendances), 1)
		testkit.Equal(t, "closing", c.Attendances[0]["closing"].(map[string]any)["note"].(string), "solved")
		testkit.Equal(t, "survey", c.Attendances[0]["survey"].(map[string]any)["status"].(string), "sent")
		testkit.Diff(t, "labels", data.Labels, []string{"Gold " + script})
		testkit.Diff(t, "fields", data.Contact["fields"], any(map[string]any{"plan": "Blue " + script}))
		testkit.Diff(t, "opted out", data.Contact["opted_out"], any(true))
		testkit.Equal(t, "phone", data.Contact["phone"].(string), phone)
		if len(data.Cards) == 0 || len(data.Identities) == 0 {
			t.Errorf("got the cards %v and the identities %v, want some", data.Cards, data.Identities)
		}
		for name, content := range files {
			if strings.Contains(content, stranger.phone) || strings.Contains(content, stranger.conversation) {
				t.Errorf("%s contains another person", name)
			}
		}

		names := slices.Sorted(maps.Keys(files))
		if len(names) != 3 || names[0] != "data.json" || names[1] != "index.html" || !regexp.MustCompile(`^media/[0-9a-f]{12}-[^/\\:*?"<>|]+\.txt$`).MatchString(names[2]) {
			t.Fatalf("files: got %q", names)
		}
		testkit.Equal(t, "file", files[names[2]], "plain text of a file")
		testkit.Diff(t, "path of the file", c.Messages[1]["file"], any(names[2]))
		if job.Int("result", "files") != 1 || job.Int("result", "messages") != len(texts) || job.Int("result", "conversations") != 1 || job.Int("result", "size") == 0 {
			t.Errorf("result: got %v", job.At("result"))
		}
		if job.Int("progress", "done") != job.Int("progress", "total") {
			t.Errorf("progress: got %v", job.At("progress"))
		}

		if strings.Contains(strings.ToLower(page), "<script") || strings.Contains(page, "<b>") {
			t.Errorf("the page has tags from texts: %s", page)
		}
		for _, text := range []string{"Maria", "Recife", "Gold", "Plan", "Blue", "see the file", "a note", "tomorrow", "👍", "Opted out since", phone[1:], `lang="en"`, `href="media/`} {
			if !strings.Contains(page, text) {
				t.Errorf("the page lacks %q: %s", text, page)
			}
		}
		testkit.Diff(t, "audit", actions(t, w.A.Client, "subject="+contact+"&action=contact.exported"), []string{"contact.exported"})
	})
}

func TestTheExportOfAPersonIsInTheLanguageOfTheMember(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		owner := w.A.Enter(t, w.A.Owner.ID.String(), password)
		c := newRegular(t, w, regularChannel(t, w), "+5511910000001")
		for language, text := range map[string]string{"pt-BR": "Exportado em", "es": "Exportado el", "en": "Exported on"} {
			owner.Patch(t, "/me/preferences", map[string]string{"language": language}).OK(200)
			_, files := exportOf(t, owner, c.contact)
			if page := files["index.html"]; !strings.Contains(page, text) || !strings.Contains(page, `<html lang="`+language+`">`) {
				t.Errorf("%s: the page lacks %q: %s", language, text, page)
			}
		}
	})
}

func TestTheExportOfAPersonHasTheDraftOfTheMember(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		owner := w.A.Enter(t, w.A.Owner.ID.String(), password)
		bia, _ := signedIn(t, w, "Bia")
		c := newRegular(t, w, regularChannel(t, w), "+5511910000001")
		owner.Put(t, "/conversations/"+c.conversation+"/draft", `{"text":"half a reply"}`).OK(200)
		bia.Put(t, "/conversations/"+c.conversation+"/draft", `{"text":"nobody else sees it"}`).OK(200)
		_, files := exportOf(t, owner, c.contact)
		draft, _ := readExport(t, files).Conversations[0].Conversation["draft"].(map[string]any)
		testkit.Diff(t, "draft", draft["text"], any("half a reply"))
		if strings.Contains(files["data.json"], "nobody else sees it") {
			t.Error("the export has the draft of another member")
		}
	})
}

func TestAFileThatIsGoneIsNamedInTheExport(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		speakEnglish(t, w)
		c := newRegular(t, w, regularChannel(t, w), "+5511910000001")
		file := w.A.Upload(t, "old.txt", []byte("plain text")).OK(201).ID()
		w.A.Post(t, "/conversations/"+c.conversation+"/messages", map[string]any{"client_id": kernel.NewID(), "media_id": file}).OK(201)
		c.close(t, w)
		w.Clock.Advance(40 * day)
		w.A.Patch(t, "/company/retention", `{"media_days":30}`).OK(200)
		expire(t, w)
		job, files := exportOf(t, w.A.Client, c.contact)
		testkit.Equal(t, "files", job.Int("result", "files"), 0)
		testkit.Diff(t, "names", slices.Sorted(maps.Keys(files)), []string{"data.json", "index.html"})
		if page := files["index.html"]; !strings.Contains(page, "old.txt is no longer stored.") || strings.Contains(page, "media/") {
			t.Errorf("got the page %s", page)
		}
	})
}

func TestOnlyThoseWhoManageDataExportAPerson(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		c := newRegular(t, w, regularChannel(t, w), "+5511910000001")
		path := "/contacts/" + c.contact + "/export"
		w.A.Visitor().Post(t, path, nil).Fails(401, "key_missing")
		w.B.Post(t, path, nil).Fails(404, "not_found")
		w.A.Post(t, "/contacts/"+kernel.NewID().String()+"/export", nil).Fails(404, "not_found")
		_, without := w.NewKey(t, w.A.ID, people.NewKey{Name: "k", Scopes: kernel.NewScopeSet(people.ScopeContactsRead, people.ScopeAuditRead)})
		without.Post(t, path, nil).Fails(403, "insufficient_scope")
		_, email := member(t, w.A.Client, "Bia", `"role":"manager"`)
		manager := w.A.SignIn(t, email, password)
		manager.Post(t, path, nil).Fails(403, "insufficient_scope")

		job := ended(t, w.A.Client, w.A.Post(t, path, nil).OK(202).ID())
		id, link := job.ID(), job.Text("result", "url")
		without.Get(t, "/jobs/"+id).Fails(403, "insufficient_scope")
		without.Get(t, "/jobs").Fails(403, "insufficient_scope")
		without.Post(t, "/jobs/"+id+"/cancel", nil).Fails(403, "insufficient_scope")
		manager.Get(t, "/jobs/"+id).Fails(403, "insufficient_scope")
		w.B.Get(t, "/jobs/"+id).Fails(404, "not_found")
		w.B.Post(t, "/jobs/"+id+"/cancel", nil).Fails(404, "not_found")
		w.A.Post(t, "/jobs/"+id+"/cancel", nil).Fails(409, "job_finished")
		_, other := w.NewKey(t, w.A.ID, people.NewKey{Name: "k", Scopes: kernel.NewScopeSet(people.ScopeDataManage)})
		if got := other.Get(t, "/jobs/"+id).OK(200); got.At("result", "url") != nil {
			t.Errorf("another key gets the link %v", got.At("result", "url"))
		}
		if _, files := job, exported(t, link); len(files) != 2 {
			t.Errorf("got %d files, want 2", len(files))
		}
		for _, changed := range []string{strings.Replace(link, "signature=", "signature=x", 1), strings.Split(link, "?")[0], strings.Replace(link, "expires=", "expires=1", 1)} {
			if status, _, _ := download(t, changed); status != http.StatusNotFound {
				t.Errorf("%s: got %d, want 404", changed, status)
			}
		}
		w.Clock.Advance(24*time.Hour - time.Minute)
		exported(t, link)
		w.Clock.Advance(2 * time.Minute)
		if status, _, _ := download(t, link); status != http.StatusNotFound {
			t.Errorf("after a day: got %d, want 404", status)
		}
	})
}

func TestAnExportThatFailsIsNotTriedForEver(t *testing.T) {
	c := newCounting()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		person := newRegular(t, w, regularChannel(t, w), "+5511910000001")
		earlier := c.start(t, w, "count", 1)
		id := w.A.Post(t, "/contacts/"+person.contact+"/export", nil).OK(202).ID()
		setTries(t, w, id, 19)
		c.may <- struct{}{}
		ended(t, w.A.Client, earlier)
		if j := ended(t, w.A.Client, id); j.Text("error", "code") != "internal" {
			t.Errorf("got %v, want internal", j.At())
		}
	}, c.option, func(config *server.Config) {
		config.Extensions = append(config.Extensions, func(d *server.Desk) httpserver.Capability {
			d.Privacy.AddSection(privacy.Section{Name: "broken", Entries: func(*kernel.Tx, *kernel.Principal, kernel.ID) ([]any, error) {
				return nil, errors.New("broken")
			}})
			return httpserver.Capability{}
		})
	})
}

func TestTheExportOfAPersonShowsItsProgress(t *testing.T) {
	type progress struct{ done, total int64 }
	var seen progress
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		person := newRegular(t, w, regularChannel(t, w), "+5511910000001")
		person.writes(t, w, "second")
		exportOf(t, w.A.Client, person.contact)
		if want := (progress{4, 6}); seen != want { // the messages are read three times, the last time for index.html
			t.Errorf("after data.json: got %+v, want %+v", seen, want)
		}
	}, func(config *server.Config) {
		config.Extensions = append(config.Extensions, func(d *server.Desk) httpserver.Capability {
			d.Privacy.AddSection(privacy.Section{Name: "progress", Entries: func(tx *kernel.Tx, a *kernel.Principal, _ kernel.ID) ([]any, error) {
				_, err := tx.One(`SELECT done, total FROM jobs WHERE company = $1`, []any{a.Company.ID}, func(r db.Row) { seen = progress{r.Int("done"), r.Int("total")} })
				return nil, err
			}})
			return httpserver.Capability{}
		})
	})
}

func TestFilesOfJobsAreHiddenWhenTheirNumberBecomesPrivate(t *testing.T) {
	const slow = "Slow"
	begun, may := make(chan struct{}), make(chan struct{})
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		owner := w.A.Enter(t, w.A.Owner.ID.String(), password)
		channel := chatChannel(t, w.A.Client)
		imported := importChat(t, w, "chat.txt", chatOfAna, "channel", channel, "phone", "+5511987650001", "me", "Loja")
		job, _ := exportOf(t, w.A.Client, imported.Result.Contact)
		links := map[string]string{"/jobs/" + imported.ID: *imported.Result.URL, "/jobs/" + job.ID(): job.Text("result", "url")}
		for path, link := range links {
			if status, _, _ := download(t, link); status != 200 {
				t.Errorf("%s before: got %d, want 200", path, status)
			}
		}
		unrelated := w.A.Post(t, "/contacts", map[string]any{"name": "Bia", "phone": "+5511987650003"}).OK(201).ID()
		kept, _ := exportOf(t, w.A.Client, unrelated)
		conversation := w.A.Post(t, simulatePath(channel), map[string]any{"from": "+5511987650002", "name": slow, "text": "oi"}).OK(201).Text("conversation")
		other := w.A.Get(t, "/conversations/"+conversation).OK(200).Text("contact")
		running := w.A.Post(t, "/contacts/"+other+"/export", nil).OK(202).ID()
		testkit.Receive(t, "the running export", begun)
		waiting := w.A.Post(t, "/contacts/"+unrelated+"/export", nil).OK(202).ID()

		owner.Patch(t, "/channels/"+channel, map[string]any{"private": true}).OK(200)
		for path, link := range links {
			if status, _, _ := download(t, link); status != 404 {
				t.Errorf("%s after: got %d, want 404", path, status)
			}
		}
		testkit.Equal(t, "the link of the export", w.A.Get(t, "/jobs/"+job.ID()).OK(200).At("result", "url"), nil)
		may <- struct{}{}
		cancelled := w.A.Get(t, "/jobs/"+running).OK(200)
		testkit.Equal(t, "the running export", cancelled.Text("error", "code"), "cancelled")
		testkit.Equal(t, "the reason", cancelled.Text("error", "params", "reason"), "number_private")

		testkit.Equal(t, "an export of somebody else that waited", ended(t, w.A.Client, waiting).Text("status"), "done")
		if status, _, _ := download(t, kept.Text("result", "url")); status != 200 {
			t.Errorf("the export of somebody else: got %d, want 200", status)
		}

		owner.Patch(t, "/channels/"+channel, map[string]any{"private": false, "confirm": true}).OK(200)
		exportOf(t, w.A.Client, imported.Result.Contact)
	}, func(config *server.Config) {
		config.Extensions = append(config.Extensions, func(d *server.Desk) httpserver.Capability {
			d.Privacy.AddSection(privacy.Section{Name: "slow", Entries: func(tx *kernel.Tx, a *kernel.Principal, contact kernel.ID) ([]any, error) {
				found, err := tx.One(`SELECT 1 FROM contacts WHERE company = $1 AND id = $2 AND name = $3`, []any{a.Company.ID, contact, slow}, func(db.Row) {})
				if found {
					begun <- struct{}{}
					<-may
				}
				return nil, err
			}})
			return httpserver.Capability{}
		})
	})
}

func TestTheExportLeavesOutPrivateNumbers(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		_, email := member(t, w.A.Client, "Ada", `"role":"owner"`)
		owner, viewer := w.A.Enter(t, w.A.Owner.ID.String(), password), w.A.SignIn(t, email, password)
		channel := viewer.Post(t, "/channels", `{"name":"Board","phone":"+551140028922","provider":"sandbox","private":true}`).OK(201).ID()
		receiveConfidentialMessage(t, w, channel)
		public := newRegular(t, w, regularChannel(t, w), "+5511912345678") // the same person
		private := viewer.Get(t, "/contacts?channel="+channel).OK(200).Text("data", 0, "id")
		for who, c := range map[string]*servertest.Client{"another owner": owner, "a key": w.A.Client} {
			c.Post(t, "/contacts/"+private+"/export", nil).Fails(404, "not_found")
			_, files := exportOf(t, c, public.contact)
			for name, content := range files {
				if strings.Contains(content, "confidential") || strings.Contains(content, "Dora") {
					t.Errorf("%s: %s contains the private conversation", who, name)
				}
			}
		}
		_, files := exportOf(t, viewer, private)
		if data := readExport(t, files); len(data.Conversations) != 1 || data.Conversations[0].Messages[0]["text"] != "a confidential question" {
			t.Errorf("a viewer: got %s", files["data.json"])
		}
	})
}

// A server is stopped while an export waits behind another job, and another one does it.
func TestAnExportContinuesAfterARestart(t *testing.T) {
	t.Parallel()
	kerneltest.EachURL(t, func(t *testing.T, url string) {
		c, dir := newCounting(), t.TempDir()
		folder := func(config *server.Config) { config.DataDir = dir }
		w := servertest.Start(t, url, c.option, folder)
		customer := newRegular(t, w, regularChannel(t, w), "+5511910000001")
		blocking := c.start(t, w, "count", 1)
		id := w.A.Post(t, "/contacts/"+customer.contact+"/export", nil).OK(202).ID()
		if j := w.A.Get(t, "/jobs/"+id).OK(200); j.Text("status") != "running" {
			t.Fatalf("got %v, want a running job", j.At())
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := w.Stop(ctx); err != nil {
			t.Fatal(err)
		}
		again := servertest.Start(t, url, c.option, folder)
		client := again.A.Visitor().As(w.A.Secret())
		c.may <- struct{}{}
		ended(t, client, blocking)
		j := ended(t, client, id)
		if j.Text("status") != "done" {
			t.Fatalf("got %v, want done", j.At())
		}
		if data := readExport(t, exported(t, j.Text("result", "url"))); len(data.Conversations[0].Messages) != 1 {
			t.Errorf("got %v, want the message", data.Conversations[0].Messages)
		}
	})
}
