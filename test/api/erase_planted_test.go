package api_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/jackc/pgx/v5"

	"recado/internal/admin"
	"recado/internal/channels/provider"
	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/privacy"
	"recado/internal/search"
	"recado/internal/server"
	"recado/test/kerneltest"
	"recado/test/servertest"
	"recado/test/testkit"
)

// planted is a text that only one person's data contains, in the form in which indexes keep it too.
const (
	planted      = "zyxwquark"
	plantedPhone = "+5511987650123"
	plantedUser  = "98989898989898@lid"
)

// plant stores the text in every place where data of a person can be, and returns the contact and its conversation.
func plant(t *testing.T, w *servertest.World, channel string) (contact, conversation string) {
	t.Helper()
	groups := []string{plantInGroup(t, w, channel, "Old group")}
	w.Clock.Advance(kernel.EventRetention + time.Hour)
	groups = append(groups, plantInGroup(t, w, channel, "New group"))
	ana, anaID := signedIn(t, w, "Ana")
	receiver := testkit.NewReceiver(t)
	receiver.Answer(func(rw http.ResponseWriter, r *http.Request) { // the log of the delivery contains the response
		rw.WriteHeader(http.StatusTeapot)
		_, _ = io.WriteString(rw, planted)
	})
	w.A.Post(t, "/integrations/webhooks", map[string]any{"name": "Orders", "url": receiver.URL, "events": kernel.AllEvents}).OK(201)
	w.A.Post(t, "/fields", `{"entity":"contact","key":"plan","name":"Plan","type":"text"}`).OK(201)
	w.A.Post(t, "/fields", `{"entity":"attendance","key":"order","name":"Order","type":"text"}`).OK(201)
	imported := sendImport(t, w.A.Client, planted+".csv", "nome;telefone\n"+planted+" lista;"+plantedPhone+"\n"+planted+";nada\n", "kind", "contacts", "dry_run", "false").OK(202).ID()
	jobEnds(t, w.A.Client, imported)

	in := w.A.Post(t, simulatePath(channel), fmt.Sprintf(`{"from":%q,"name":"%s nome","text":"%s texto"}`, plantedPhone, planted, planted)).OK(201)
	conversation = in.Text("conversation")
	at := "/conversations/" + conversation
	w.A.Post(t, at+"/attendance/close", map[string]any{"reason": planted + " motivo"}).OK(200)
	w.A.Post(t, simulatePath(channel), fmt.Sprintf(`{"from":%q,"text":"%s de novo"}`, plantedPhone, planted)).OK(201) // opens another case
	contact = w.A.Get(t, at).OK(200).Text("contact")
	file := w.A.Upload(t, planted+".txt", []byte(planted+" in a file"), "Idempotency-Key", kernel.NewID().String()).OK(201).ID()
	w.A.Post(t, at+"/messages", fmt.Sprintf(`{"client_id":%q,"media_id":%q,"text":"%s legenda"}`, kernel.NewID(), file, planted), "Idempotency-Key", kernel.NewID().String()).OK(201)
	later := w.A.Upload(t, planted+"-2.txt", []byte(planted+" in another file"), "Idempotency-Key", kernel.NewID().String()).OK(201).ID()
	w.A.Post(t, at+"/scheduled", scheduledMessage(w, time.Hour, "later", map[string]any{"media_id": later})).OK(201)
	reply := w.A.Post(t, "/replies", `{"shortcut":"oi","title":"Oi","text":"Olá {{contact.name}}","owner":null}`).OK(201).ID()
	w.A.Post(t, "/replies/"+reply+"/render", map[string]any{"conversation_id": conversation}, "Idempotency-Key", kernel.NewID().String()).OK(200)
	for _, group := range groups {
		w.A.Post(t, "/conversations/"+group+"/read", nil, "Idempotency-Key", kernel.NewID().String()).OK(200)
		w.A.Patch(t, "/conversations/"+group, `{"pinned":true}`).OK(200)
	}
	w.A.Post(t, at+"/notes", note(planted+" nota", anaID)).OK(201)
	ana.Put(t, at+"/draft", map[string]any{"text": planted + " rascunho"}).OK(200)
	ana.Post(t, at+"/scheduled", scheduledMessage(w, time.Hour, planted+" depois")).OK(201)
	newBoard(t, w.A.Client).card(t, w.A.Client, planted+" cartão", fmt.Sprintf(`, "description": %q, "contact": %q`, planted+" mais", contact)).OK(201)
	w.A.Patch(t, "/contacts/"+contact, map[string]any{
		"name": planted + " novo nome", "company": planted + " ltda", "city": planted, "fields": map[string]any{"plan": planted + " plano"},
	}).OK(200)
	jobEnds(t, w.A.Client, w.A.Post(t, "/contacts/"+contact+"/export", nil).OK(202).ID())
	attendance := w.A.Get(t, at).OK(200).Text("attendance", "id")
	w.A.Patch(t, "/attendances/"+attendance, map[string]any{"fields": map[string]any{"order": planted}}).OK(200)
	if err := w.Desk.Kernel.Store.Write(t.Context(), func(tx *kernel.Tx) error {
		tx.Later(`UPDATE attendances SET survey_comment = $1, closing_note = $1 WHERE company = $2`, planted, w.A.ID)
		for kind, value := range map[string]string{"wa_id": strings.TrimPrefix(plantedPhone, "+"), "user_id": plantedUser} {
			tx.Later(`INSERT INTO address_book (company, channel, kind, value, name, created_at) VALUES ($1, $2, $3, $4, $5, 0)`, w.A.ID, parseID(t, channel), kind, value, planted)
			tx.Later(`INSERT INTO linked_store (company, channel, kind, key, value) VALUES ($1, $2, 'session', $3, $4)`, w.A.ID, parseID(t, channel), value+":0", []byte(planted))
		}
		tx.Later(`INSERT INTO early_changes (company, channel, external_id, kind, sender, body, at, created_at) VALUES ($1, $2, 'x', 'edit', $3, $4, $5, $5)`,
			w.A.ID, parseID(t, channel), strings.TrimPrefix(plantedPhone, "+"), planted, tx.Now)
		tx.Later(`INSERT INTO notices (company, channel, digest, kind, text, raw, created_at) VALUES ($1, $2, $3, 'x', $4, NULL, $5)`,
			w.A.ID, parseID(t, channel), []byte("digest"), planted+" "+strings.TrimPrefix(plantedPhone, "+"), tx.Now)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := w.Desk.Talk.IndexSearch(t.Context()); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "a delivery was tried", func() bool { return receiver.Waiting() > 0 })
	return contact, conversation
}

// plantInGroup stores the text as the last message of a group and returns the group.
func plantInGroup(t *testing.T, w *servertest.World, channel, name string) string {
	t.Helper()
	person := provider.Person{Phone: plantedPhone, UserID: plantedUser, Name: planted + " nome"}
	err := w.Desk.Talk.Receive(t.Context(), w.A.ID, parseID(t, channel), []provider.Incoming{{Message: &provider.IncomingMessage{
		ExternalID: name, Type: provider.TypeText, Text: planted + " no grupo", At: w.Clock.Now(),
		Customer: person, Group: &provider.IncomingGroup{ID: name, Name: name},
	}}, {Group: &provider.IncomingGroup{ID: name, Name: name, Members: []provider.GroupMember{{Person: person, Role: provider.RoleMember}}}}})
	if err != nil {
		t.Fatal(err)
	}
	return w.A.Get(t, "/conversations?q="+url.QueryEscape(name)).OK(200).Text("data", 0, "id")
}

func parseID(t *testing.T, text string) kernel.ID {
	t.Helper()
	id, ok := kernel.ParseID(text)
	if !ok {
		t.Fatalf("%q is not an id", text)
	}
	return id
}

// tracesIn returns where the files of a data folder and the tables of a PostgreSQL database contain the planted text or phone.
func tracesIn(t *testing.T, dir, database string) (found []string) {
	t.Helper()
	needles := []string{planted, strings.TrimPrefix(plantedPhone, "+"), plantedUser}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		for _, needle := range needles {
			if i := bytes.Index(raw, []byte(needle)); i >= 0 || strings.Contains(path, needle) {
				found = append(found, fmt.Sprintf("%s: %q", path, raw[max(0, i-60):min(len(raw), max(0, i)+60)]))
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if database == "" {
		return found
	}
	conn, err := pgx.Connect(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	rows, err := conn.Query(t.Context(), `SELECT table_name::text FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		for _, needle := range needles {
			for _, form := range []string{needle, hex.EncodeToString([]byte(needle))} { // bytes are shown as hex
				var n int
				if err := conn.QueryRow(t.Context(), `SELECT COUNT(*) FROM `+table+` row WHERE row::text ILIKE $1`, "%"+form+"%").Scan(&n); err != nil {
					t.Fatal(err)
				}
				if n > 0 {
					found = append(found, fmt.Sprintf("%s: %d rows with %s", table, n, form))
				}
			}
		}
	}
	return found
}

func TestAnErasedPersonIsFoundNowhere(t *testing.T) {
	var dir, database string
	kerneltest.EachURL(t, func(t *testing.T, url string) {
		w := servertest.Start(t, url, func(c *server.Config) { dir, database = c.DataDir, c.DatabaseURL })
		channel := sandbox(t, w)
		contact, conversation := plant(t, w, channel)
		if len(tracesIn(t, dir, database)) == 0 {
			t.Fatal("the text is nowhere before the erasure")
		}
		report := w.A.Get(t, "/reports/attendance").OK(200)
		attendances := len(w.A.Get(t, "/attendances").OK(200).List("data"))
		p := w.A.Post(t, "/contacts/"+contact+"/erase/preview", nil).OK(200)
		for name, want := range map[string]int{
			"conversations": 1, "open_attendances": 1, "messages": 5, "files": 2, "notes": 1, "drafts": 1, "scheduled_messages": 2, "cards": 3,
		} {
			testkit.Equal(t, "preview "+name, p.Int(name), want)
		}
		job := erase(t, w.A.Client, contact, plantedPhone)
		testkit.Equal(t, "messages of the result", job.Int("result", "messages"), 5)

		if traces := tracesIn(t, dir, database); len(traces) > 0 {
			t.Errorf("after the erasure:\n%s", strings.Join(traces, "\n"))
		}
		w.A.Get(t, "/contacts/"+contact).Fails(404, "not_found")
		c := w.A.Get(t, "/conversations/"+conversation).OK(200)
		if c.Text("name") != "Erased person" || c.At("erased") != true || c.At("contact") != nil || c.At("phone") != nil || c.At("attendance") != nil || c.At("last_message") != nil || c.At("archived") != true {
			t.Errorf("the conversation: got %v", c.At())
		}
		list := w.A.Get(t, "/attendances").OK(200)
		testkit.Equal(t, "attendances", len(list.List("data")), attendances)
		testkit.Equal(t, "status", list.Text("data", 0, "status"), "closed")
		testkit.Equal(t, "contact", fmt.Sprint(list.At("data", 0, "contact")), "map[erased:true id:<nil> name:Erased person phone:<nil>]")
		testkit.Equal(t, "closed by", list.Text("data", 0, "closing", "by"), "person")
		testkit.Equal(t, "opened cases of the report", w.A.Get(t, "/reports/attendance").OK(200).Int("totals", "opened"), report.Int("totals", "opened"))
		entries := w.A.Get(t, "/audit?action=contact.erased").OK(200)
		testkit.Equal(t, "reason", entries.Text("data", 0, "changes", 0, "to"), "request")
		testkit.Equal(t, "name", entries.Text("data", 0, "subject", "name"), "")
		if entries.At("data", 0, "ip") == nil || entries.At("data", 0, "request_id") == nil || entries.Text("data", 0, "actor", "type") != "key" {
			t.Errorf("the audit entry: got %v, want the caller of the request", entries.At("data", 0))
		}

		var erased []map[string]any
		for _, one := range w.A.Get(t, "/kanban/cards?status=all").OK(200).List("data") {
			if one := one.(map[string]any); one["erased"] == true && one["title"] == "Erased person" {
				erased = append(erased, one)
			}
		}
		testkit.Equal(t, "cards", len(erased), 3)
		renamed := w.A.Patch(t, fmt.Sprint("/kanban/cards/", erased[0]["id"]), map[string]any{"title": "Refund", "version": erased[0]["version"]}).OK(200)
		testkit.Equal(t, "a card with another title", renamed.At("erased"), any(false))

		again := w.A.Post(t, simulatePath(channel), fmt.Sprintf(`{"from":%q,"name":"Maria","text":"hello again"}`, plantedPhone)).OK(201)
		if fresh := w.A.Get(t, "/conversations/"+again.Text("conversation")).OK(200).Text("contact"); fresh == "" || fresh == contact {
			t.Errorf("a later message: got the contact %q, want a new one", fresh)
		}
	})
}

func TestLateCallbacksDoNotBringAnErasedPersonBack(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := regularChannel(t, w)
		c := newRegular(t, w, channel, plantedPhone)
		before := w.Clock.Now()
		w.Clock.Advance(time.Minute)
		erase(t, w.A.Client, c.contact, plantedPhone)
		w.Clock.Advance(time.Minute)
		person := provider.Person{WAID: strings.TrimPrefix(plantedPhone, "+"), Name: "Maria"}
		receive := func(external string, at time.Time) {
			t.Helper()
			err := w.Desk.Talk.Receive(t.Context(), w.A.ID, parseID(t, channel), []provider.Incoming{
				{Message: &provider.IncomingMessage{ExternalID: external, Customer: person, Type: provider.TypeText, Text: external, At: at}},
				{Status: &provider.IncomingStatus{ExternalID: "sent." + external, Status: "read", Recipient: person, At: at}},
				{Edit: &provider.IncomingEdit{ExternalID: "lost." + external, Text: "edited", Sender: provider.Sender{Customer: person}, At: at}},
				{Identity: &provider.IncomingIdentity{Person: person, AddressBook: true, At: at}},
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		receive("late", before)
		if found := w.A.Get(t, "/contacts?q=Maria").OK(200).List("data"); len(found) != 0 {
			t.Errorf("after a late callback: got %v, want no contact", found)
		}
		if result := jobEnds(t, w.A.Client, sendImport(t, w.A.Client, "a.csv", "nome;telefone\nMaria;"+plantedPhone+"\n", "kind", "contacts", "dry_run", "false").OK(202).ID()); result.Int("result", "created") != 0 {
			t.Errorf("an import: got %v, want no new contact", result.At("result"))
		}
		receive("new", w.Clock.Now())
		found := w.A.Get(t, "/contacts?q=Maria").OK(200)
		if len(found.List("data")) != 1 || found.Text("data", 0, "id") == c.contact {
			t.Fatalf("after a new message: got %v, want a new contact", found.At())
		}
		receive("later but older", before)
		conversation := w.A.Get(t, "/conversations?contact="+found.Text("data", 0, "id")).OK(200).Text("data", 0, "id")
		if texts := (&regular{conversation: conversation}).texts(t, w); len(texts) != 1 || texts[0] != "new" {
			t.Errorf("the conversation: got %v, want the new message", texts)
		}
	})
}

// setTries sets how often a job has been tried.
func setTries(t *testing.T, w *servertest.World, job string, tries int) {
	t.Helper()
	if err := w.Desk.Kernel.Store.Write(t.Context(), func(tx *kernel.Tx) error {
		tx.Later(`UPDATE jobs SET tries = $3 WHERE company = $1 AND id = $2`, w.A.ID, parseID(t, job), int64(tries))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

func TestAnErasureContinuesAfterAFailureAndCannotBeCancelled(t *testing.T) {
	begun, may := make(chan struct{}), make(chan error)
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		c := newRegular(t, w, regularChannel(t, w), plantedPhone)
		id := w.A.Post(t, "/contacts/"+c.contact+"/erase", map[string]any{"confirm_phone": plantedPhone, "reason": "r"}).OK(202).ID()
		testkit.Receive(t, "the last eraser", begun)
		w.A.Post(t, "/jobs/"+id+"/cancel", nil).Fails(409, "job_not_cancellable")
		setTries(t, w, id, 100) // other jobs fail then
		w.A.Get(t, "/contacts/"+c.contact).Fails(404, "not_found")
		may <- errors.New("the machine stopped")
		testkit.Eventually(t, "the job is tried again", func() bool {
			w.Clock.Advance(time.Minute)
			select {
			case <-begun:
				return true
			default:
				return false
			}
		})
		may <- nil
		jobEnds(t, w.A.Client, id)
	}, func(c *server.Config) {
		c.Extensions = append(c.Extensions, func(d *server.Desk) httpserver.Capability {
			d.Privacy.AddEraser(privacy.Eraser{Erase: func(ctx context.Context, _ *kernel.Erasure, _ string) (string, error) {
				select {
				case begun <- struct{}{}:
				case <-ctx.Done():
					return "", ctx.Err()
				}
				select {
				case err := <-may:
					return "", err
				case <-ctx.Done():
					return "", ctx.Err()
				}
			}})
			return httpserver.Capability{}
		})
	})
}

func TestARestoredBackupDoesNotBringAnErasedPersonBack(t *testing.T) {
	t.Parallel()
	var config server.Config
	w := servertest.Start(t, "", func(c *server.Config) { config = *c })
	channel := regularChannel(t, w)
	erased, kept := newRegular(t, w, channel, plantedPhone), newRegular(t, w, channel, "+5511987650999")
	earlier := newRegular(t, w, channel, "+5511987650555")
	erase(t, w.A.Client, earlier.contact, earlier.phone)
	backup := filepath.Join(t.TempDir(), "backup.tar")
	if _, err := admin.Backup(t.Context(), admin.BackupOptions{Dir: config.DataDir, File: backup, SecretKey: config.SecretKey}); err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(time.Minute)
	erase(t, w.A.Client, erased.contact, plantedPhone)
	list := readErased(t, config.DataDir)
	all := len(list.People) + 1
	// The list of the folder lacks those who were erased before the backup, and has someone of a company that the backup lacks.
	later := slices.DeleteFunc(slices.Clone(list.People), func(p erasedPerson) bool { return p.ErasedAt.Equal(firstErasure(list.People)) })
	if len(later) == 0 || len(later) == len(list.People) {
		t.Fatalf("got the list %+v, want two erasures", list.People)
	}
	elsewhere := later[0]
	elsewhere.Company = kernel.NewID()
	list.People = append(later, elsewhere)
	text, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	config.DataDir = t.TempDir()
	if err := os.WriteFile(filepath.Join(config.DataDir, privacy.ListFile), text, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := admin.Restore(t.Context(), admin.RestoreOptions{File: backup, Dir: config.DataDir, SecretKey: config.SecretKey}); err != nil {
		t.Fatal(err)
	}
	s, err := server.Start(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Stop(context.Background()) })
	for contact, want := range map[string]int{erased.contact: 404, earlier.contact: 404, kept.contact: 200} {
		r, err := http.NewRequestWithContext(t.Context(), "GET", s.URL+strings.TrimPrefix(w.A.Base(), w.Server.URL)+"/contacts/"+contact, nil)
		if err != nil {
			t.Fatal(err)
		}
		w.A.Sign(r)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("a contact of the restored backup: got %d, want %d", resp.StatusCode, want)
		}
	}
	testkit.Eventually(t, "the list of the folder has everybody", func() bool { return len(readErased(t, config.DataDir).People) == all })
	if people := readErased(t, config.DataDir).People; !slices.ContainsFunc(people, func(p erasedPerson) bool { return p.Company == elsewhere.Company }) {
		t.Errorf("got the list %+v, want the person of the other company in it", people)
	}
}

// sendingMessage marks the newest message of a conversation as being sent, under epoch 7 of a lease that ends at a time.
func sendingMessage(t *testing.T, store *kernel.Store, company, conversation kernel.ID, until time.Time) {
	t.Helper()
	kerneltest.Write(t, store, func(tx *kernel.Tx) error {
		tx.Later(`
			INSERT INTO sends (company, message, channel, conversation, seq, state, epoch, attempts, due_at)
			SELECT m.company, m.id, c.channel, c.id, m.seq, 'sending', 7, 1, 0
			FROM messages m
			JOIN conversations c ON c.company = m.company AND c.id = m.conversation
			WHERE m.company = $1 AND m.conversation = $2
			ORDER BY m.seq DESC
			LIMIT 1`, company, conversation)
		tx.Later(`
			INSERT INTO lanes (subject, kind, owner, epoch, lease_until)
			SELECT channel, 'channel', $1, 7, $4
			FROM conversations
			WHERE company = $2 AND id = $3
			ON CONFLICT (subject) DO UPDATE
			SET lease_until = excluded.lease_until`, kernel.NewID(), company, conversation, until)
		return nil
	})
}

func TestAMessageOfAnEndedProcessDoesNotKeepAPersonFromBeingErased(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		c := newRegular(t, w, regularChannel(t, w), plantedPhone)
		conversation := parseID(t, c.conversation)
		sendingMessage(t, w.Desk.Kernel.Store, w.A.ID, conversation, w.Clock.Now().Add(time.Minute))
		id := w.A.Post(t, "/contacts/"+c.contact+"/erase", map[string]any{"confirm_phone": plantedPhone, "reason": "r"}).OK(202).ID()
		testkit.Eventually(t, "the erasure was tried", func() bool {
			tries := int64(0)
			kerneltest.Read(t, w.Desk.Kernel.Store, func(tx *kernel.Tx) error {
				_, err := tx.One(`SELECT tries FROM jobs WHERE company = $1 AND id = $2`, []any{w.A.ID, parseID(t, id)}, func(r db.Row) { tries = r.Int("tries") })
				return err
			})
			return tries > 0
		})
		w.A.Get(t, "/contacts/"+c.contact).OK(200) // while the message is being sent
		w.Clock.Advance(2 * time.Minute)
		jobEnds(t, w.A.Client, id)
		w.A.Get(t, "/contacts/"+c.contact).Fails(404, "not_found")
	})
}

// The start on a restored backup fails at its first transaction, then at its second, and so on, until it succeeds.
func TestAPersonOfARestoredBackupIsErasedWhereverTheStartFails(t *testing.T) {
	kerneltest.EachURL(t, func(t *testing.T, url string) {
		var config server.Config
		w := servertest.Start(t, url, func(c *server.Config) { config = *c })
		_, conversation := plant(t, w, sandbox(t, w))
		w.A.Post(t, "/conversations/"+conversation+"/messages", map[string]any{"client_id": kernel.NewID(), "text": "the last"}).OK(201)
		export := filepath.Join(t.TempDir(), "export")
		if _, err := admin.Export(t.Context(), admin.ExportOptions{Dir: config.DataDir, DatabaseURL: url, SecretKey: config.SecretKey, To: export}); err != nil {
			t.Fatal(err)
		}
		w.Clock.Advance(time.Minute)
		erase(t, w.A.Client, w.A.Get(t, "/conversations/"+conversation).OK(200).Text("contact"), plantedPhone)
		list, err := os.ReadFile(filepath.Join(config.DataDir, privacy.ListFile))
		if err != nil {
			t.Fatal(err)
		}
		config.DataDir = t.TempDir()
		if url != "" {
			config.DatabaseURL = kerneltest.URL(t)
		}
		if _, err := admin.Import(t.Context(), admin.ImportOptions{From: export, Dir: config.DataDir, DatabaseURL: config.DatabaseURL, SecretKey: config.SecretKey}); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(config.DataDir, privacy.ListFile), list, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := server.Open(t.Context(), config)
		if err != nil {
			t.Fatal(err)
		}
		sendingMessage(t, s.Desk.Kernel.Store, w.A.ID, parseID(t, conversation), w.Clock.Now().Add(time.Hour)) // as in a backup of this moment
		if err := s.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(tracesIn(t, config.DataDir, config.DatabaseURL)) == 0 {
			t.Fatal("the text is nowhere in the restored installation")
		}
		failures := 0
		for ; ; failures++ {
			ctx, cancel := context.WithCancel(t.Context())
			var transactions atomic.Int64
			config.Now = func() time.Time {
				if transactions.Add(1) == int64(failures+1) {
					cancel()
				}
				return w.Clock.Now()
			}
			s, err := server.Start(ctx, config)
			cancel()
			if err == nil {
				t.Cleanup(func() { _ = s.Stop(context.Background()) })
				break
			}
		}
		if failures < 10 {
			t.Errorf("the start failed %d times, want one for each transaction", failures)
		}
		var traces []string
		defer func() { t.Log(strings.Join(traces, "\n")) }()
		testkit.Eventually(t, "there are no traces", func() bool { // the server removes files whose rows are gone
			traces = tracesIn(t, config.DataDir, config.DatabaseURL)
			return len(traces) == 0
		})
	})
}

func TestABackupBringsBackOnlyContactsThatWereNotErased(t *testing.T) {
	kerneltest.EachURL(t, func(t *testing.T, url string) {
		var config server.Config
		w := servertest.Start(t, url, func(c *server.Config) { config = *c })
		owner := w.A.Enter(t, w.A.Owner.ID.String(), password)
		newChannel := func(i int) string {
			return owner.Post(t, "/channels", map[string]any{"name": "Loja", "phone": phoneNumber(i), "provider": "sandbox"}).OK(201).ID()
		}
		setPrivate := func(channel string, private bool) {
			owner.Patch(t, "/channels/"+channel, map[string]any{"private": private, "confirm": true}).OK(200)
		}
		importedTo := func(channel, phone string) string {
			return finishImport(t, w, owner, sendImport(t, owner, "chat.txt", chatOfAna, "kind", "chat", "channel", channel, "phone", phone, "me", "Loja")).Result.Contact
		}
		public, private := newChannel(1), newChannel(2)
		setPrivate(private, true)
		moved := w.A.Post(t, "/contacts", map[string]any{"name": "Moved", "phone": phoneNumber(11)}).OK(201).ID()
		hidden, shown := importedTo(public, phoneNumber(12)), importedTo(private, phoneNumber(13))
		merged := importedTo(private, phoneNumber(15))
		into := w.A.Post(t, "/contacts", map[string]any{"name": "Ana", "phone": phoneNumber(15)}).OK(201).ID()
		twin, kept := importedTo(private, phoneNumber(16)), importedTo(public, phoneNumber(16))
		export := filepath.Join(t.TempDir(), "export")
		if _, err := admin.Export(t.Context(), admin.ExportOptions{Dir: config.DataDir, DatabaseURL: url, SecretKey: config.SecretKey, To: export}); err != nil {
			t.Fatal(err)
		}
		w.Clock.Advance(time.Minute)
		w.A.Patch(t, "/contacts/"+moved, map[string]any{"phone": phoneNumber(14)}).OK(200)
		erase(t, owner, twin, phoneNumber(16))
		setPrivate(private, false)
		owner.Get(t, "/contacts/"+kept).OK(200)
		setPrivate(public, true)
		later := w.A.Post(t, "/contacts", map[string]any{"name": "Later", "phone": phoneNumber(11)}).OK(201).ID()
		for contact, phone := range map[string]string{moved: phoneNumber(14), hidden: phoneNumber(12), shown: phoneNumber(13), into: phoneNumber(15)} {
			erase(t, owner, contact, phone)
		}
		for _, gone := range []string{moved, hidden, shown, into, merged} {
			owner.Get(t, "/contacts/"+gone).Fails(404, "not_found")
		}
		owner.Get(t, "/contacts/"+later).OK(200)
		list, err := os.ReadFile(filepath.Join(config.DataDir, privacy.ListFile))
		if err != nil {
			t.Fatal(err)
		}
		config.DataDir = t.TempDir()
		if url != "" {
			config.DatabaseURL = kerneltest.URL(t)
		}
		if _, err := admin.Import(t.Context(), admin.ImportOptions{From: export, Dir: config.DataDir, DatabaseURL: config.DatabaseURL, SecretKey: config.SecretKey}); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(config.DataDir, privacy.ListFile), list, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := server.Start(t.Context(), config)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Stop(context.Background()) })
		for name, contact := range map[string]string{"moved": moved, "hidden": hidden, "shown": shown, "merged": merged, "twin": twin, "kept": kept} {
			kerneltest.Read(t, s.Desk.Kernel.Store, func(tx *kernel.Tx) error {
				found, err := tx.One(`SELECT 1 FROM contacts WHERE company = $1 AND id = $2`, []any{w.A.ID, parseID(t, contact)}, func(db.Row) {})
				if found != (contact == kept) {
					t.Errorf("the contact %q: found %t, want %t", name, found, contact == kept)
				}
				return err
			})
		}
	})
}

// erasedList is the content of erased.json.
type erasedList struct {
	Key    []byte         `json:"key"`
	People []erasedPerson `json:"people"`
}

type erasedPerson struct {
	Company  kernel.ID `json:"company"`
	Pool     kernel.ID `json:"pool"`
	Hash     []byte    `json:"hash"`
	Kind     string    `json:"kind"`
	ErasedAt time.Time `json:"erased_at"`
}

func readErased(t *testing.T, dir string) (list erasedList) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, privacy.ListFile))
	if err == nil {
		err = json.Unmarshal(text, &list)
	}
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func firstErasure(people []erasedPerson) time.Time {
	return slices.MinFunc(people, func(a, b erasedPerson) int { return a.ErasedAt.Compare(b.ErasedAt) }).ErasedAt
}

func TestAnErasureWaitsForANodeThatIndexes(t *testing.T) {
	var dir, database string // SQLite has one writer
	w := servertest.Start(t, kerneltest.URL(t), func(c *server.Config) { dir, database = c.DataDir, c.DatabaseURL })
	contact, _ := plant(t, w, sandbox(t, w))
	conn, err := pgx.Connect(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	var job string
	err = w.Desk.Kernel.Store.Write(t.Context(), func(tx *kernel.Tx) error {
		if _, err := search.Update(tx.Tx, 1000); err != nil {
			return err
		}
		var indexing int64
		if _, err := tx.One(`SELECT pg_backend_pid() AS pid`, nil, func(r db.Row) { indexing = r.Int("pid") }); err != nil {
			return err
		}
		job = w.A.Post(t, "/contacts/"+contact+"/erase", map[string]any{"confirm_phone": plantedPhone, "reason": "request"}).OK(202).ID()
		testkit.Eventually(t, "the erasure has ended or waits for a lock", func() bool {
			var waiting bool
			if err := conn.QueryRow(t.Context(), `
				SELECT EXISTS (
					SELECT 1
					FROM pg_locks waiting
					JOIN pg_locks held USING (locktype, database, classid, objid)
					JOIN pg_locks erases ON erases.pid = waiting.pid AND erases.relation = 'erased'::regclass
					WHERE waiting.locktype = 'advisory' AND NOT waiting.granted AND held.granted AND held.pid = $1
				)`, indexing).Scan(&waiting); err != nil {
				t.Fatal(err)
			}
			return waiting || w.A.Get(t, "/jobs/"+job).OK(200).Text("status") != "running"
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	jobEnds(t, w.A.Client, job)
	if traces := tracesIn(t, dir, database); len(traces) > 0 {
		t.Errorf("after the erasure:\n%s", strings.Join(traces, "\n"))
	}
}
