package chatwoot_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"recado/internal/chatwoot"
	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/server"
	"recado/internal/talk"
	source "recado/test/chatwoot"
	"recado/test/servertest"
	"recado/test/testkit"
)

// content is a small account: Maria wrote to both numbers, Otto only by e-mail, and some rows are wrong.
const content = `
INSERT INTO accounts (name, created_at) VALUES ('Clara', '2024-01-01'), ('Other', '2024-01-02');
INSERT INTO users (name, email) VALUES ('Ana Lima', 'ana@chatwoot.example'), ('Bruno', 'bruno@chatwoot.example'), ('Gone Gil', 'gil@chatwoot.example'), ('Bad', 'no address');
INSERT INTO account_users (account_id, user_id, role) VALUES (1, 1, 1), (1, 2, 0), (1, 4, 0), (2, 3, 0);
INSERT INTO teams (name, account_id) VALUES ('vendas', 1), ('elsewhere', 2);
INSERT INTO team_members (team_id, user_id) VALUES (1, 2), (1, 3);
INSERT INTO labels (title, color, account_id) VALUES ('vip', '#FF0000', 1), ('broken', 'red', 1);
INSERT INTO tags (name) VALUES ('vip'), ('deleted-label');
INSERT INTO inboxes (account_id, name, channel_type) VALUES (1, 'Loja', 'Channel::Whatsapp'), (1, 'Fábrica', 'Channel::Api'), (1, 'Mail', 'Channel::Email');
INSERT INTO contacts (name, email, phone_number, account_id, additional_attributes, custom_attributes) VALUES
	('Maria Souza', 'maria@example.com', '+5511987650001', 1, '{"city": "Campinas", "company_name": "Souza ME"}', '{"plan": "gold", "unknown": 1}'),
	('Otto', 'otto@example.com', NULL, 1, '{}', '{}'),
	('Pedro', NULL, NULL, 1, '{}', '{}'),
	('Never wrote', NULL, '+5511987650004', 1, '{}', '{}'),
	('Bad phone', NULL, '12', 1, 'null', 'null');
INSERT INTO contact_inboxes (contact_id, inbox_id, source_id) VALUES (1, 1, '5511987650001'), (1, 2, 'f6bb0a3c'), (2, 3, 'otto@example.com'), (3, 1, '5511987650003'), (5, 2, '99');
INSERT INTO taggings (tag_id, taggable_type, taggable_id, context) VALUES (1, 'Contact', 1, 'labels'), (1, 'Conversation', 2, 'labels'), (2, 'Conversation', 2, 'labels');
INSERT INTO conversations (account_id, inbox_id, status, assignee_id, contact_id, contact_inbox_id, created_at, last_activity_at, team_id, first_reply_created_at, waiting_since) VALUES
	(1, 1, 0, 2, 1, 1, '2024-03-02 10:00', '2024-03-02 10:05', 1, NULL, '2024-03-02 10:00'),
	(1, 1, 1, 1, 1, 1, '2024-02-01 09:00', '2024-02-01 12:00', NULL, '2024-02-01 09:01', NULL),
	(1, 2, 1, 3, 1, 2, '2024-02-03 09:00', '2024-02-03 10:00', NULL, NULL, NULL),
	(1, 1, 2, NULL, 3, 4, '2024-02-04 09:00', '2024-02-04 10:00', NULL, NULL, NULL),
	(1, 2, 0, NULL, 5, 5, '2024-02-05 09:00', '2024-02-05 10:00', NULL, NULL, NULL),
	(1, 1, 0, NULL, NULL, NULL, '2024-02-06 09:00', '2024-02-06 10:00', NULL, NULL, NULL),
	(1, 3, 0, NULL, 2, 3, '2024-02-07 09:00', '2024-02-07 10:00', NULL, NULL, NULL);
INSERT INTO messages (inbox_id, conversation_id, message_type, content, created_at, private, status, source_id, content_attributes, sender_type, sender_id) VALUES
	(1, 2, 0, 'Bom dia', '2024-02-01 09:00', false, 0, 'wamid.1', '{}', 'Contact', 1),
	(1, 2, 1, 'Bom dia, Maria!', '2024-02-01 09:01', false, 2, 'wamid.2', '"{\"in_reply_to\":1,\"in_reply_to_external_id\":\"wamid.1\"}"', 'User', 1),
	(1, 2, 2, 'Conversation was marked resolved', '2024-02-01 12:00', false, 0, NULL, '{}', NULL, NULL),
	(1, 2, 1, 'Cliente antiga, [@Bruno](mention://user/2/Bruno)', '2024-02-01 09:02', true, 0, NULL, '{}', 'User', 1),
	(1, 2, 0, NULL, '2024-02-01 09:03', false, 0, 'wamid.5', '{}', 'Contact', 1),
	(1, 2, 0, 'This message was deleted', '2024-02-01 09:04', false, 0, 'wamid.6', '{"deleted": true}', 'Contact', 1),
	(2, 3, 1, 'Olá da fábrica', '2024-02-03 09:00', false, 3, NULL, '{}', 'User', 3),
	(2, 3, 1, 'note of a bot', '2024-02-03 09:01', true, 0, NULL, '{}', 'AgentBot', 1),
	(1, 1, 0, 'Voltei', '2024-03-02 10:00', false, 0, 'wamid.9', 'null', 'Contact', 1),
	(1, 1, 3, 'Olá, responderemos logo', '2024-03-02 10:00', false, 0, NULL, '{}', NULL, NULL),
	(1, 4, 0, 'Sou o Pedro', '2024-02-04 09:00', false, 0, 'wamid.11', '[1]', 'Contact', 3),
	(1, 4, 0, NULL, '0001-01-01 09:00', false, 0, 'wamid.12', '{}', 'Contact', 3),
	(3, 7, 0, 'by mail', '2024-02-07 09:00', false, 0, NULL, '{}', 'Contact', 2);
INSERT INTO attachments (file_type, message_id, fallback_title, coordinates_lat, coordinates_long) VALUES (3, 5, NULL, 0, 0), (0, 5, NULL, 0, 0), (4, 11, 'Praça', -23.5, -46.5);
INSERT INTO active_storage_blobs (key, filename, content_type) VALUES ('abcdefgh1', 'lista.txt', 'text/plain'), ('zzyyxx', 'foto.jpg', 'image/jpeg');
INSERT INTO active_storage_attachments (name, record_type, record_id, blob_id) VALUES ('file', 'Attachment', 1, 1), ('file', 'Attachment', 2, 2);
INSERT INTO canned_responses (account_id, short_code, content) VALUES (1, 'Olá', 'Oi {{ contact.first_name }}, aqui é {{agent.name}}. {{contact.email}}'), (1, 'ola', 'Outra'), (1, '', '');
INSERT INTO reporting_events (name, account_id, conversation_id, created_at, event_end_time) VALUES ('conversation_resolved', 1, 2, '2024-02-01 11:00', '2024-02-01 11:00');`

// newSource creates a database of Chatwoot.
func newSource(t *testing.T) string {
	t.Helper()
	url := testkit.Database(t, "")
	change(t, url, source.Schema+content)
	return url
}

// change runs statements.
func change(t *testing.T, url, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	if _, err := conn.PgConn().Exec(t.Context(), sql).ReadAll(); err != nil {
		t.Fatal(err)
	}
}

// place is a company to import into, with two channels.
type place struct {
	*servertest.World
	store, factory kernel.ID
	options        chatwoot.Options
}

func newPlace(t *testing.T, w *servertest.World, url string) *place {
	t.Helper()
	p := &place{World: w}
	for id, body := range map[*kernel.ID]map[string]any{
		&p.store:   {"name": "Loja", "provider": "sandbox", "phone": "+5511912340001"},
		&p.factory: {"name": "Fábrica", "provider": "sandbox", "phone": "+5511912340002"},
	} {
		*id, _ = kernel.ParseID(w.A.Post(t, "/channels", body).OK(201).ID())
	}
	p.options = chatwoot.Options{
		People: w.Desk.People, Channels: w.Desk.Channels, Talk: w.Desk.Talk, From: url, Account: 1,
		Inboxes: map[int64]kernel.ID{1: p.store, 2: p.factory},
	}
	return p
}

func (p *place) run(t *testing.T) chatwoot.Result {
	t.Helper()
	result, err := chatwoot.Import(t.Context(), p.options)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// conversation returns the conversation with a phone number in a channel.
func (p *place) conversation(t *testing.T, channel kernel.ID, phone string) map[string]any {
	t.Helper()
	for _, c := range p.A.Get(t, "/conversations?limit=100").OK(200).List("data") {
		if c := c.(map[string]any); c["channel"] == channel.String() && c["phone"] == phone {
			return c
		}
	}
	t.Fatalf("there is no conversation with %s", phone)
	return nil
}

type shown struct {
	Direction string  `json:"direction"`
	Origin    string  `json:"origin"`
	Type      string  `json:"type"`
	Text      *string `json:"text"`
	Status    string  `json:"status"`
	CreatedAt string  `json:"created_at"`
	RevokedAt *string `json:"revoked_at"`
	ReplyTo   *string `json:"reply_to_external_id"`
	SentBy    *struct {
		Name string `json:"name"`
	} `json:"sent_by"`
	Media *struct {
		ID       string `json:"id"`
		FileName string `json:"file_name"`
	} `json:"media"`
}

// messages returns the messages of a conversation, oldest first, as text.
func (p *place) messages(t *testing.T, conversation map[string]any) (list []shown, lines []string) {
	t.Helper()
	var page struct {
		Data []shown `json:"data"`
	}
	p.A.Get(t, "/conversations/"+conversation["id"].(string)+"/messages?limit=100").OK(200).Into(&page)
	list = page.Data // the newest first
	slices.Reverse(list)
	slices.SortStableFunc(list, func(a, b shown) int { return strings.Compare(a.CreatedAt, b.CreatedAt) })
	for _, m := range list {
		line := m.CreatedAt[:16] + " " + m.Direction + " " + m.Type
		if m.Text != nil {
			line += " " + *m.Text
		}
		if m.SentBy != nil {
			line += " by " + m.SentBy.Name
		}
		if m.Media != nil {
			line += " " + m.Media.FileName
		}
		if m.RevokedAt != nil {
			line += " revoked"
		}
		lines = append(lines, line)
	}
	return list, lines
}

func TestAnAccountIsImported(t *testing.T) {
	servertest.EachLive(t, func(t *testing.T, w *servertest.World) {
		p := newPlace(t, w, newSource(t))
		p.A.Post(t, "/fields", map[string]any{"entity": "contact", "key": "plan", "name": "Plan", "type": "text"}).OK(201)
		p.options.Media = t.TempDir()
		if err := os.MkdirAll(filepath.Join(p.options.Media, "ab", "cd"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(p.options.Media, "ab", "cd", "abcdefgh1"), []byte("pão, leite"), 0o600); err != nil {
			t.Fatal(err)
		}
		before := p.A.Get(t, "/events?limit=100").OK(200).List("data")
		r := p.run(t)
		if after := p.A.Get(t, "/events?limit=100").OK(200).List("data"); len(after) != len(before) {
			t.Errorf("the import raised %d events", len(after)-len(before))
		}
		r.Company, r.OtherInboxes = kernel.ID{}, nil
		problems := r.Problems
		r.Problems = nil
		testkit.Diff(t, "result", r, chatwoot.Result{
			People: 2, Sectors: 1, Labels: 2, Replies: 2, Contacts: 3, NoPhone: 2, Attendances: 4, LeftOut: 2,
			Messages: 10, Notes: 2, Files: 1, MissingFiles: 1, ProblemsTotal: 2,
		})
		testkit.Contains(t, "problems", strings.Join(problems, "\n"), "no address")

		t.Run("messages have their dates, authors, files and replies", func(t *testing.T) {
			list, lines := p.messages(t, p.conversation(t, p.store, "+5511987650001"))
			testkit.Diff(t, "messages", lines, []string{
				"2024-02-01T09:00 inbound text Bom dia",
				"2024-02-01T09:01 outbound text Bom dia, Maria! by Ana Lima",
				"2024-02-01T09:03 inbound document lista.txt",
				"2024-02-01T09:03 inbound image foto.jpg",
				"2024-02-01T09:04 inbound text revoked",
				"2024-03-02T10:00 inbound text Voltei",
				"2024-03-02T10:00 outbound text Olá, responderemos logo",
			})
			testkit.Equal(t, "status", list[1].Status, "read")
			testkit.Equal(t, "origin", list[6].Origin, "automation")
			if list[1].ReplyTo == nil {
				t.Error("the reply does not name what it replies to")
			}
			testkit.Equal(t, "file", string(p.A.Get(t, "/media/"+list[2].Media.ID+"/content").OK(200).Raw), "pão, leite")
			_, lines = p.messages(t, p.conversation(t, p.factory, "+5511987650001"))
			testkit.Diff(t, "messages in the other channel", lines, []string{"2024-02-03T09:00 outbound text Olá da fábrica by Gone Gil"})
			_, lines = p.messages(t, p.conversation(t, p.store, "+5511987650003"))
			testkit.Diff(t, "messages of Pedro", lines, []string{
				"2024-01-01T00:00 inbound unsupported",
				"2024-02-04T09:00 inbound text Sou o Pedro\nPraça\nhttps://maps.google.com/?q=-23.5,-46.5",
			})
		})
		t.Run("a case per conversation of Chatwoot, numbered in the order of opening", func(t *testing.T) {
			var page struct {
				Data []struct {
					Protocol    string  `json:"protocol"`
					Status      string  `json:"status"`
					OpenedAt    string  `json:"opened_at"`
					OpenedBy    string  `json:"opened_by"`
					ClosedAt    *string `json:"closed_at"`
					Responsible *struct{ Name string }
					Sector      *string `json:"sector"`
				} `json:"data"`
			}
			p.A.Get(t, "/attendances?limit=100").OK(200).Into(&page)
			var lines []string
			for _, a := range page.Data {
				line := a.Protocol + " " + a.Status + " " + a.OpenedAt[:16] + " " + a.OpenedBy
				if a.ClosedAt != nil {
					line += " closed " + (*a.ClosedAt)[:16]
				}
				if a.Responsible != nil {
					line += " " + a.Responsible.Name
				}
				if a.Sector != nil {
					line += " in a sector"
				}
				lines = append(lines, line)
			}
			slices.Sort(lines)
			testkit.Diff(t, "attendances", lines, []string{
				"ATD-000001 closed 2024-02-01T09:00 customer closed 2024-02-01T11:00 Ana Lima",
				"ATD-000002 closed 2024-02-03T09:00 team closed 2024-02-03T10:00 Gone Gil",
				"ATD-000003 open 2024-02-04T09:00 customer",
				"ATD-000004 open 2024-03-02T10:00 customer Bruno in a sector",
			})
		})
		t.Run("people have no password, and their role", func(t *testing.T) {
			roles := map[string]string{}
			for _, m := range p.A.Get(t, "/team").OK(200).List("data") {
				m := m.(map[string]any)
				roles[m["email"].(string)] = m["role"].(string)
			}
			testkit.Equal(t, "Ana", roles["ana@chatwoot.example"], "admin")
			testkit.Equal(t, "Bruno", roles["bruno@chatwoot.example"], "agent")
			if len(roles) != 3 {
				t.Errorf("got the members %v, want the owner, Ana and Bruno", roles)
			}
		})
		t.Run("contacts have their labels, city and fields", func(t *testing.T) {
			maria := p.A.Get(t, "/contacts?q=Maria").OK(200)
			testkit.Equal(t, "city", maria.Text("data", 0, "city"), "Campinas")
			testkit.Equal(t, "company", maria.Text("data", 0, "company"), "Souza ME")
			testkit.Equal(t, "plan", maria.Text("data", 0, "fields", "plan"), "gold")
			testkit.Equal(t, "labels", len(maria.List("data", 0, "label_ids")), 1)
			testkit.Equal(t, "labels of the conversation", len(p.conversation(t, p.store, "+5511987650001")["label_ids"].([]any)), 1)
		})
		t.Run("replies have our variables", func(t *testing.T) {
			texts := map[string]string{}
			for _, reply := range p.A.Get(t, "/replies").OK(200).List("data") {
				reply := reply.(map[string]any)
				texts[reply["shortcut"].(string)] = reply["text"].(string)
			}
			testkit.Diff(t, "replies", texts, map[string]string{"ola": "Oi {{contact.first_name}}, aqui é {{user.name}}. [contact.email]", "ola-2": "Outra"})
		})
		t.Run("notes are notes", func(t *testing.T) {
			raw := string(p.A.Get(t, "/conversations/"+p.conversation(t, p.store, "+5511987650001")["id"].(string)+"/notes").OK(200).Raw)
			testkit.Contains(t, "notes", raw, "Cliente antiga, @Bruno")
		})
		t.Run("one entry in the audit", func(t *testing.T) {
			testkit.Equal(t, "entries", len(p.A.Get(t, "/audit?action=import.created").OK(200).List("data")), 1)
		})
	})
}

func TestAnImportIsRepeated(t *testing.T) {
	servertest.EachLive(t, func(t *testing.T, w *servertest.World) {
		url := newSource(t)
		p := newPlace(t, w, url)
		p.run(t)
		again := p.run(t)
		if again.Messages+again.Attendances+again.Contacts+again.People+again.Sectors+again.Labels+again.Replies+again.Files != 0 {
			t.Errorf("the second run added %+v", again)
		}
		change(t, url, `
			UPDATE conversations SET status = 1, last_activity_at = '2024-03-03 10:00' WHERE id = 1;
			UPDATE conversations SET status = 0, waiting_since = '2024-03-04 09:00' WHERE id = 3;
			INSERT INTO messages (inbox_id, conversation_id, message_type, content, created_at, sender_type, sender_id) VALUES
				(1, 1, 1, 'Resolvido', '2024-03-03 09:00', 'User', 2),
				(2, 3, 0, 'De novo', '2024-03-04 09:00', 'Contact', 1);
			INSERT INTO contacts (name, phone_number, account_id) VALUES ('Nova', '+5511987650009', 1);
			INSERT INTO conversations (account_id, inbox_id, status, contact_id, created_at, last_activity_at) VALUES (1, 1, 0, 6, '2024-03-05', '2024-03-05');`)
		p.options.Media = t.TempDir()
		if err := os.WriteFile(filepath.Join(p.options.Media, "zzyyxx"), []byte("\xff\xd8\xff\xe0 not much of a picture"), 0o600); err != nil {
			t.Fatal(err)
		}
		more := p.run(t)
		if more.Messages != 2 || more.Attendances != 1 || more.Contacts != 1 || more.Files != 1 {
			t.Errorf("the third run added %+v", more)
		}
		states := map[string]string{}
		for _, a := range p.A.Get(t, "/attendances?limit=100").OK(200).List("data") {
			a := a.(map[string]any)
			states[a["protocol"].(string)] = a["status"].(string)
		}
		testkit.Diff(t, "states", states, map[string]string{
			"ATD-000001": "closed", "ATD-000002": "open", "ATD-000003": "open", "ATD-000004": "closed", "ATD-000005": "open",
		})
		list, _ := p.messages(t, p.conversation(t, p.store, "+5511987650001"))
		at := slices.IndexFunc(list, func(m shown) bool { return m.Media != nil && m.Media.FileName == "foto.jpg" })
		p.A.Get(t, "/media/"+list[at].Media.ID+"/content").OK(200)
	})
}

func TestTwoRunsAtTheSameTimeAddEachConversationOnce(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		url := newSource(t)
		p := newPlace(t, w, url)
		conn, err := pgx.Connect(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close(context.Background()) }()
		tx, err := conn.Begin(t.Context())
		if err == nil {
			_, err = tx.Exec(t.Context(), `LOCK TABLE attachments`) // which are read between the conversations and their storing
		}
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error)
		for waiting := 1; waiting <= 2; waiting++ {
			go func() {
				_, err := chatwoot.Import(t.Context(), p.options)
				ended <- err
			}()
			testkit.Eventually(t, "the run has read the conversations", func() bool {
				var n int
				if err := tx.QueryRow(t.Context(), `SELECT COUNT(*) FROM pg_locks WHERE relation = 'attachments'::regclass AND NOT granted`).Scan(&n); err != nil {
					t.Fatal(err)
				}
				return n == waiting
			})
		}
		if err := tx.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err, _ := testkit.Receive(t, "the end of a run", ended); err != nil {
				t.Fatal(err)
			}
		}
		testkit.Equal(t, "attendances", len(p.A.Get(t, "/attendances?limit=100").OK(200).List("data")), 4)
		_, lines := p.messages(t, p.conversation(t, p.factory, "+5511987650001"))
		testkit.Equal(t, "messages", len(lines), 1)
	})
}

func TestAMissingFileIsAddedAlthoughChatwootForgotIt(t *testing.T) {
	url := newSource(t)
	p := newPlace(t, servertest.Start(t, ""), url)
	testkit.Equal(t, "missing files", p.run(t).MissingFiles, 2)
	change(t, url, `DELETE FROM active_storage_blobs WHERE key = 'zzyyxx'`)
	p.options.Media = t.TempDir()
	if err := os.WriteFile(filepath.Join(p.options.Media, "zzyyxx"), []byte("\xff\xd8\xff\xe0 not much of a picture"), 0o600); err != nil {
		t.Fatal(err)
	}
	testkit.Equal(t, "files", p.run(t).Files, 1)
	_, lines := p.messages(t, p.conversation(t, p.store, "+5511987650001"))
	testkit.Contains(t, "messages", strings.Join(lines, "\n"), "image foto.jpg")
}

func TestTheFilesOfNotesAreListedAsLeftOut(t *testing.T) {
	url := newSource(t)
	change(t, url, `
		INSERT INTO attachments (id, file_type, message_id) SELECT 90, 3, MIN(id) FROM messages WHERE private;
		INSERT INTO active_storage_blobs (id, key, filename, content_type) VALUES (90, 'notefile1', 'contrato.pdf', 'application/pdf');
		INSERT INTO active_storage_attachments (name, record_type, record_id, blob_id) VALUES ('file', 'Attachment', 90, 90);`)
	p := newPlace(t, servertest.Start(t, ""), url)
	p.options.DryRun = true
	testkit.Equal(t, "files of the dry run", p.run(t).Files, 2)
	p.options.DryRun = false
	r := p.run(t)
	testkit.Equal(t, "missing files", r.MissingFiles, 2)
	testkit.Contains(t, "problems", strings.Join(r.Problems, "\n"), "file notefile1 (contrato.pdf) is left out")
}

func TestTheRetentionKeepsTheMessagesOfImportedOpenCases(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		url := newSource(t)
		change(t, url, `
			INSERT INTO conversations (account_id, inbox_id, status, contact_id, contact_inbox_id, created_at, last_activity_at) VALUES
				(1, 1, 1, 1, 1, '2024-02-20', '2024-03-10');
			INSERT INTO messages (inbox_id, conversation_id, message_type, content, created_at, sender_type, sender_id) VALUES
				(1, 8, 0, 'Em paralelo', '2024-02-21', 'Contact', 1);`)
		p := newPlace(t, w, url)
		p.run(t)
		w.A.Patch(t, "/company/retention", `{"messages_days":30}`).OK(200)
		for more := true; more; {
			var err error
			if more, err = w.Desk.Privacy.Expire(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		_, lines := p.messages(t, p.conversation(t, p.store, "+5511987650003"))
		testkit.Diff(t, "messages of the only case", lines, []string{"2024-02-04T09:00 inbound text Sou o Pedro\nPraça\nhttps://maps.google.com/?q=-23.5,-46.5"})
		_, lines = p.messages(t, p.conversation(t, p.store, "+5511987650001"))
		testkit.Diff(t, "messages of a case that began while another was open", lines, []string{
			"2024-03-02T10:00 inbound text Voltei",
			"2024-03-02T10:00 outbound text Olá, responderemos logo",
		})
		_, lines = p.messages(t, p.conversation(t, p.factory, "+5511987650001"))
		testkit.Diff(t, "messages of a closed case", lines, []string(nil))
	})
}

func TestAFailedPartOfALongConversationIsImportedByTheNextRun(t *testing.T) {
	batches := 0
	servertest.EachLive(t, func(t *testing.T, w *servertest.World) {
		url := newSource(t)
		change(t, url, `
			INSERT INTO messages (inbox_id, conversation_id, message_type, content, created_at, sender_type, sender_id)
				SELECT 1, 1, n % 2, 'text ' || n, timestamp '2024-05-01' + n * interval '1 second', 'Contact', 1 FROM generate_series(1, 3500) n;`)
		p := newPlace(t, w, url)
		batches = 0
		p.options.Progress = func(at chatwoot.Progress) {
			if at.Messages > 0 {
				batches++
			}
		}
		first := p.run(t)
		testkit.Equal(t, "problems", strings.Join(first.Problems[len(first.Problems)-1:], "\n"), "conversation 1 cannot be stored: out of order")
		second := p.run(t)
		testkit.Equal(t, "messages of both runs", first.Messages+second.Messages, 10+3500)
	}, func(c *server.Config) {
		c.Extensions = append(c.Extensions, func(d *server.Desk) httpserver.Capability {
			d.Talk.Observe(talk.Observer{ErasedAt: func(*kernel.Tx, kernel.ID, kernel.ID, []talk.Identity) (*time.Time, error) {
				if batches == 1 {
					return nil, errors.New("out of order")
				}
				return nil, nil
			}})
			return httpserver.Capability{}
		})
	})
}

func TestAnErasedPersonIsNotImported(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		url := newSource(t)
		p := newPlace(t, w, url)
		p.options.Media = t.TempDir()
		if err := os.WriteFile(filepath.Join(p.options.Media, "abcdefgh1"), []byte("pão, leite"), 0o600); err != nil {
			t.Fatal(err)
		}
		maria := w.A.Post(t, "/contacts", `{"name":"M","phone":"+5511987650001"}`).OK(201).ID()
		job := w.A.Post(t, "/contacts/"+maria+"/erase", `{"confirm_phone":"+5511987650001","reason":"request"}`).OK(202).ID()
		testkit.Eventually(t, "the person is erased", func() bool { return w.A.Get(t, "/jobs/"+job).OK(200).Text("status") == "done" })
		files := func() (n int64) {
			t.Helper()
			err := w.Desk.Kernel.Store.Read(t.Context(), func(tx *kernel.Tx) error {
				_, err := tx.One(`SELECT (SELECT COUNT(*) FROM media WHERE company = $1) + (SELECT COUNT(*) FROM uploads WHERE company = $1) AS n`, []any{w.A.ID},
					func(r db.Row) { n = r.Int("n") })
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		for _, name := range []string{"the first run", "the second run"} {
			r := p.run(t)
			testkit.Equal(t, "conversations that "+name+" leaves out", r.LeftOut, 2+3)
			testkit.Equal(t, "files after "+name, files(), 0)
			testkit.Equal(t, "contacts after "+name, len(w.A.Get(t, "/contacts?q=Maria").OK(200).List("data")), 0)
		}

		w.Clock.Advance(time.Hour)
		w.A.Post(t, "/channels/"+p.store.String()+"/simulate", `{"from":"+5511987650001","name":"Maria","text":"Oi de novo"}`).OK(201)
		now := w.Clock.Now().UTC().Format(time.DateTime)
		change(t, url, `
			UPDATE conversations SET last_activity_at = '`+now+`' WHERE id = 2;
			INSERT INTO messages (inbox_id, conversation_id, message_type, content, created_at, sender_type, sender_id) VALUES (1, 2, 0, 'Mais uma', '`+now+`', 'Contact', 1);`)
		r := p.run(t)
		testkit.Equal(t, "messages", r.Messages, 1)
		testkit.Equal(t, "notes", r.Notes, 0)
		testkit.Equal(t, "conversations that are left out", r.LeftOut, 2+2)
		testkit.Equal(t, "files", files(), 0)
		_, lines := p.messages(t, p.conversation(t, p.store, "+5511987650001"))
		for i := range lines {
			lines[i] = lines[i][len("2024-02-01T09:00 "):]
		}
		slices.Sort(lines)
		testkit.Diff(t, "messages", lines, []string{"inbound text Mais uma", "inbound text Oi de novo"})
		testkit.Diff(t, "city", w.A.Get(t, "/contacts?q=Maria").OK(200).At("data", 0, "city"), nil)
	})
}

func TestAStoppedImportContinues(t *testing.T) {
	servertest.EachLive(t, func(t *testing.T, w *servertest.World) {
		url := newSource(t)
		change(t, url, `
			INSERT INTO contacts (name, phone_number, account_id) SELECT 'P' || n, '+55119876' || 10000 + n, 1 FROM generate_series(1, 60) n;
			INSERT INTO conversations (account_id, inbox_id, status, contact_id, created_at, last_activity_at)
				SELECT 1, 1, 1, 5 + n, timestamp '2024-05-01' + n * interval '1 minute', '2024-05-02' FROM generate_series(1, 60) n;
			INSERT INTO messages (inbox_id, conversation_id, message_type, content, created_at, sender_type, sender_id)
				SELECT 1, 8 + n % 60, n % 2, 'text ' || n, timestamp '2024-05-01' + n * interval '1 second', 'Contact', 1 FROM generate_series(1, 3500) n;`)
		p := newPlace(t, w, url)
		runs, messages := 0, int64(0)
		for stopped := true; stopped; runs++ {
			ctx, stop := context.WithCancel(t.Context())
			p.options.Progress = func(at chatwoot.Progress) {
				if at.Messages > 0 {
					stop()
				}
			}
			r, err := chatwoot.Import(ctx, p.options)
			messages += r.Messages
			stopped = err != nil
			if stopped && ctx.Err() == nil {
				t.Fatal(err)
			}
			stop()
		}
		if runs < 4 {
			t.Errorf("it was stopped %d times, want at least 3", runs-1)
		}
		testkit.Equal(t, "messages", messages, 10+3500)
		testkit.Equal(t, "conversations", len(p.A.Get(t, "/conversations?limit=100").OK(200).List("data")), 63)
		testkit.Equal(t, "attendances", len(p.A.Get(t, "/attendances?limit=100").OK(200).List("data")), 64)
	})
}

func TestWhatIsWrongIsSaid(t *testing.T) {
	url, empty := newSource(t), testkit.Database(t, "")
	p := newPlace(t, servertest.Start(t, ""), url)
	for name, c := range map[string]struct {
		change func(o *chatwoot.Options)
		says   []string
	}{
		"no account":           {func(o *chatwoot.Options) { o.Account = 9 }, []string{"no account 9", "1  Clara"}},
		"no channel":           {func(o *chatwoot.Options) { o.Inboxes = map[int64]kernel.ID{1: kernel.NewID()} }, []string{"there is no channel", p.store.String()}},
		"an inbox without one": {func(o *chatwoot.Options) { o.Inboxes = map[int64]kernel.ID{1: p.store} }, []string{"INBOX=CHANNEL", "2  Fábrica (Api)"}},
		"no inbox":             {func(o *chatwoot.Options) { o.Inboxes = map[int64]kernel.ID{1: p.store, 2: {}, 8: p.store} }, []string{"no inbox 8", "3  Mail (Email)"}},
		"not of Chatwoot":      {func(o *chatwoot.Options) { o.From = empty }, []string{"not a database of Chatwoot"}},
		"no database":          {func(o *chatwoot.Options) { o.From = "postgres://127.0.0.1:1/none" }, []string{"cannot connect"}},
		"no folder":            {func(o *chatwoot.Options) { o.Media = filepath.Join(t.TempDir(), "none") }, []string{"media folder"}},
	} {
		t.Run(name, func(t *testing.T) {
			o := p.options
			c.change(&o)
			_, err := chatwoot.Import(t.Context(), o)
			for _, want := range c.says {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("got %v, want %q in it", err, want)
				}
			}
		})
	}
	t.Run("a dry run counts and changes nothing", func(t *testing.T) {
		o := p.options
		o.DryRun = true
		r, err := chatwoot.Import(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if r.People != 3 || r.Attendances != 6 || r.Messages != 9 || r.Notes != 2 || r.Files != 2 || r.Replies != 3 {
			t.Errorf("got %+v", r)
		}
		testkit.Equal(t, "contacts", len(p.A.Get(t, "/contacts").OK(200).List("data")), 0)
	})
}
