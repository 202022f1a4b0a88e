package api_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/server"
	"recado/test/kerneltest"
	"recado/test/servertest"
	"recado/test/testkit"
)

const chatOfAna = `12/03/2024 14:05 - As mensagens e as ligações são protegidas com a criptografia de ponta a ponta. Saiba mais.
12/03/2024 14:05 - Ana Lima: Oi!
Tudo bem?
12/03/2024 14:05 - Loja: sim
12/03/2024 14:05 - Loja: sim
12/03/2024 14:06 - Ana Lima: Chamada de voz perdida
13/03/2024 09:00 - Ana Lima: Mensagem apagada
13/03/2024 09:01 - Ana Lima: <Mídia oculta>
31/02/2024 09:02 - Ana Lima: nunca
14/03/2024 09:03 - Ana Lima: até logo <Mensagem editada>
`

func chatChannel(t *testing.T, c *servertest.Client) string {
	t.Helper()
	return c.Post(t, "/channels", `{"name": "Loja", "phone": "+5511912345678", "provider": "sandbox"}`).OK(201).ID()
}

// importChat imports a chat and waits for the end.
func importChat(t *testing.T, w *servertest.World, name, content string, fields ...string) importJob {
	t.Helper()
	job := finishImport(t, w, w.A.Client, sendImport(t, w.A.Client, name, content, append(fields, "kind", "chat")...))
	if job.Status != "done" || job.Kind != "chat_import" {
		t.Fatalf("the job ended with %+v", job)
	}
	return job
}

// chatMessages returns the messages of a conversation in their order, one per line.
func chatMessages(t *testing.T, c *servertest.Client, conversation string) string {
	t.Helper()
	var page struct {
		Data []struct {
			Direction string     `json:"direction"`
			Origin    string     `json:"origin"`
			Type      string     `json:"type"`
			Text      *string    `json:"text"`
			CreatedAt time.Time  `json:"created_at"`
			RevokedAt *time.Time `json:"revoked_at"`
			Voice     bool       `json:"voice"`
			Media     *struct {
				FileName string `json:"file_name"`
				Size     int    `json:"size"`
			} `json:"media"`
		} `json:"data"`
	}
	if err := json.Unmarshal(c.Get(t, "/conversations/"+conversation+"/messages?limit=100").OK(200).Raw, &page); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, m := range page.Data {
		line := m.CreatedAt.UTC().Format("0102 15:04:05") + " " + m.Direction + " " + m.Origin + " " + m.Type
		if m.Text != nil {
			line += fmt.Sprintf(" %q", *m.Text)
		}
		if m.Media != nil {
			line += fmt.Sprintf(" %s of %d bytes", m.Media.FileName, m.Media.Size)
		}
		if m.Voice {
			line += " voice"
		}
		if m.RevokedAt != nil {
			line += " deleted"
		}
		lines = append(lines, line)
	}
	slices.Reverse(lines) // the newest is first
	return strings.Join(lines, "\n")
}

const messagesOfAna = `0312 17:05:00 inbound customer text "Oi!\nTudo bem?"
0312 17:05:00 outbound phone text "sim"
0312 17:05:00 outbound phone text "sim"
0313 12:00:00 inbound customer text deleted
0313 12:01:00 inbound customer document file of 0 bytes
0314 12:03:00 inbound customer text "até logo"`

func TestAWhatsAppChatIsImportedIntoOneConversation(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := chatChannel(t, w.A.Client)
		fields := []string{"channel", channel, "phone", "11 98765-0001", "me", "Loja", "timezone", "America/Sao_Paulo"}
		job := importChat(t, w, "Conversa do WhatsApp com Ana Lima.txt", chatOfAna, fields...)
		got := job.Result
		if got.Created != 6 || got.Existing != 0 || got.Skipped != 1 || got.ErrorsTotal != 1 || got.Messages != 7 || got.FilesMissing != 1 || got.Files != 0 {
			t.Fatalf("got %+v", got)
		}
		if e := got.Errors[0]; e.Line != 9 || e.Field != "date" || e.Code != "malformed" {
			t.Errorf("the bad line is %+v", e)
		}
		if job.Progress.Done != 7 || job.Progress.Total != 7 || got.FirstAt != "2024-03-12T17:05:00Z" || got.LastAt != "2024-03-14T12:03:00Z" {
			t.Errorf("got %+v", job)
		}
		testkit.Diff(t, "messages", chatMessages(t, w.A.Client, got.Conversation), messagesOfAna)

		t.Run("the contact is created with the name in the chat", func(t *testing.T) {
			contact := w.A.Get(t, "/contacts/"+got.Contact).OK(200)
			testkit.Equal(t, "name", contact.Text("name"), "Ana Lima")
			testkit.Equal(t, "phone", contact.Text("phone"), "+5511987650001")
		})
		t.Run("no events, no case, nothing unread", func(t *testing.T) {
			testkit.Equal(t, "events", len(w.A.Get(t, "/events").OK(200).List()), 0)
			c := w.A.Get(t, "/conversations/"+got.Conversation).OK(200)
			testkit.Equal(t, "attendance", c.At("attendance"), nil)
			testkit.Equal(t, "unread", c.Int("unread_count"), 0)
			testkit.Equal(t, "last message", c.Text("last_message", "text"), "até logo")
			testkit.Equal(t, "conversations", len(w.A.Get(t, "/conversations").OK(200).List()), 1)
		})
		t.Run("a second import adds nothing, a longer one what is new", func(t *testing.T) {
			again := importChat(t, w, "chat.txt", chatOfAna, fields...).Result
			if again.Created != 0 || again.Existing != 6 || again.Conversation != got.Conversation {
				t.Errorf("got %+v", again)
			}
			longer := importChat(t, w, "chat.txt", chatOfAna+"14/03/2024 09:03 - Loja: até\n14/03/2024 09:03 - Loja: até\n", append(fields[:2:2], "contact", got.Contact, "me", "Loja", "timezone", "America/Sao_Paulo")...).Result
			if longer.Created != 2 || longer.Existing != 6 {
				t.Errorf("got %+v", longer)
			}
			testkit.Diff(t, "messages", chatMessages(t, w.A.Client, got.Conversation),
				messagesOfAna+"\n0314 12:03:00 outbound phone text \"até\"\n0314 12:03:00 outbound phone text \"até\"")
		})
		t.Run("the bad lines can be downloaded, in the format of the member's language", func(t *testing.T) {
			resp, err := http.Get(*got.URL)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = resp.Body.Close() }()
			content, err := io.ReadAll(resp.Body)
			if lines := strings.Split(string(content), "\r\n"); err != nil || len(lines) != 3 || !strings.HasPrefix(lines[1], "9;Ana Lima  nunca;") || !strings.HasSuffix(lines[1], ";malformed") {
				t.Errorf("got %q, %v", content, err)
			}
		})
		t.Run("it is in the audit and in the search", func(t *testing.T) {
			if entries := w.A.Get(t, "/audit?action=import.created").OK(200); !strings.Contains(string(entries.Raw), job.ID) {
				t.Errorf("got %s", entries.Raw)
			}
			testkit.Eventually(t, "the message is found", func() bool {
				return len(w.A.Get(t, "/messages?q=logo").OK(200).List()) == 1
			})
		})
		t.Run("other companies have nothing of it", func(t *testing.T) {
			testkit.Equal(t, "conversations", len(w.B.Get(t, "/conversations").OK(200).List()), 0)
		})
	})
}

func TestAnExportDoesNotRepeatWhatTheConversationReceivedAndSent(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := chatChannel(t, w.A.Client)
		receive := func() string {
			return w.A.Post(t, simulatePath(channel), `{"from": "+5511987650001", "name": "Ana Lima", "text": "oi"}`).OK(201).Text("conversation")
		}
		conversation := receive()
		receive()
		w.A.Post(t, "/conversations/"+conversation+"/messages", `{"client_id": "5f0c4f3e-5d0f-4b43-a9a9-0d6a3f0c1d11", "text": "Posso ajudar?"}`).OK(201)
		minute := w.Clock.Now().UTC().Format("02/01/2006 15:04")
		w.Clock.Advance(2 * time.Minute)
		later := w.Clock.Now().UTC().Format("02/01/2006 15:04")
		export := "01/02/2024 10:00 - Ana Lima: oi\n" +
			minute + " - Ana Lima: oi\n" +
			minute + " - Ana Lima: oi\n" +
			minute + " - Ana Lima: oi\n" +
			minute + " - Loja: Posso ajudar?\n" +
			minute + " - Ana Lima: Posso ajudar?\n" +
			later + " - Loja: Posso ajudar?\n"
		fields := []string{"channel", channel, "phone", "+5511987650001", "me", "Loja", "timezone", "UTC"}
		got := importChat(t, w, "chat.txt", export, fields...).Result
		if got.Conversation != conversation || got.Created != 4 || got.Existing != 3 {
			t.Errorf("got %+v, want 4 new messages and 3 existing ones in %s", got, conversation)
		}
		testkit.Equal(t, "messages", len(w.A.Get(t, "/conversations/"+conversation+"/messages").OK(200).List()), 7)
		again := importChat(t, w, "chat.txt", export, fields...).Result
		if again.Created != 0 || again.Existing != 7 {
			t.Errorf("the same export again: got %+v", again)
		}
	})
}

func TestAnExportNeitherLosesNorMistakesAFileForAnother(t *testing.T) {
	const a, b = "the first file", "another file"
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := chatChannel(t, w.A.Client)
		at := w.Clock.Now().Truncate(time.Minute).Add(2*time.Minute + 5*time.Second)
		w.Clock.Advance(at.Sub(w.Clock.Now())) // b arrives five seconds into the minute after that of a
		minutes := func(b string) string {
			return at.Add(-time.Minute).UTC().Format("02/01/2006 15:04") + " - Ana: a.txt (arquivo anexado)\n" +
				at.UTC().Format("02/01/2006 15:04") + " - Ana: " + b + "\n"
		}
		seconds := fmt.Sprintf("[%s] Ana: \u200e<anexado: a.txt>\n[%s] Ana: \u200e<anexado: b.txt>\n",
			at.Add(-65*time.Second).UTC().Format("02/01/06, 15:04:05"), at.UTC().Format("02/01/06, 15:04:05"))
		for i, tt := range []struct {
			name           string
			missing        bool // the bytes of b
			export         string
			created, files int
			want           []string // the files of the conversation
		}{
			{"a is imported, and b is not repeated", false, minutes("b.txt (arquivo anexado)"), 1, 1, []string{a, b}},
			{"b is known without its bytes in the export", false, minutes("<Mídia oculta>"), 1, 1, []string{a, b}},
			{"nothing is stored under b if it might be a", true, minutes("b.txt (arquivo anexado)"), 2, 2, []string{a, b, ""}},
			{"b gets its bytes if the times leave no doubt", true, seconds, 1, 2, []string{a, b}},
		} {
			phone := phoneNumber(i)
			upload := w.A.Upload(t, "x.txt", []byte(b)).OK(201).ID()
			conversation := w.A.Post(t, simulatePath(channel), map[string]any{"from": phone, "media_id": upload}).OK(201).Text("conversation")
			if tt.missing {
				if err := w.Desk.Kernel.Store.Write(t.Context(), func(tx *kernel.Tx) error {
					tx.Later(`UPDATE media SET stored = FALSE WHERE company = $1 AND id = $2`, w.A.ID, mustID(upload))
					return nil
				}); err != nil {
					t.Fatal(err)
				}
			}
			archive := zipOf(t, "_chat.txt", tt.export, "a.txt", a, "b.txt", b)
			got := importChat(t, w, "x.zip", archive, "channel", channel, "phone", phone, "me", "Loja", "timezone", "UTC").Result
			if got.Conversation != conversation || got.Created != tt.created || got.Files != tt.files {
				t.Errorf("%s: got %+v", tt.name, got)
			}
			files := []string{}
			for _, m := range w.A.Get(t, "/conversations/"+conversation+"/messages").OK(200).List() {
				file := ""
				if content := w.A.Get(t, "/media/"+m.(map[string]any)["media_id"].(string)+"/content"); content.Status == 200 {
					file = string(content.Raw)
				}
				files = append(files, file)
			}
			slices.Sort(files)
			slices.Sort(tt.want)
			testkit.Diff(t, tt.name, files, tt.want)
			again := importChat(t, w, "x.zip", archive, "channel", channel, "phone", phone, "me", "Loja", "timezone", "UTC").Result
			testkit.Equal(t, tt.name+": created by the same export again", again.Created, 0)
		}
	})
}

func TestATooLongMessageOfAnErasedPersonIsNotRepeated(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		fields := []string{"channel", chatChannel(t, w.A.Client), "phone", "11 98765-0001", "me", "Loja", "timezone", "UTC"}
		contact := importChat(t, w, "chat.txt", chatOfAna, fields...).Result.Contact
		erase(t, w.A.Client, contact, "+5511987650001")
		w.Clock.Advance(2 * time.Hour)
		long := "12/03/2024 14:05 - Ana Lima: segredo " + strings.Repeat("x", 300<<10) + "\n"
		got := importChat(t, w, "chat.txt", long+w.Clock.Now().UTC().Format("02/01/2006 15:04")+" - Ana Lima: voltei\n", fields...).Result
		if got.Created != 1 || got.ErrorsTotal != 1 || got.Errors[0].Code != "erased" {
			t.Fatalf("got %+v", got)
		}
		resp, err := http.Get(*got.URL)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		if content, err := io.ReadAll(resp.Body); err != nil || strings.Contains(string(content), "segredo") {
			t.Errorf("the refused lines are %.200q, %v", content, err)
		}
	})
}

func TestTheDryRunOfAChatSaysWhatItContains(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		got := importChat(t, w, "Conversa do WhatsApp com Ana Lima.txt", chatOfAna, "dry_run", "true", "timezone", "America/Sao_Paulo").Result
		if got.Messages != 6 || got.Created != 6 || got.Skipped != 1 || got.DateOrder != "dmy" || !*got.DateOrderCertain || got.Me == nil || *got.Me != "Loja" || got.FilesMissing != 1 {
			t.Errorf("got %+v", got)
		}
		if len(got.Senders) != 2 || got.Senders[0].Name != "Ana Lima" || got.Senders[0].Messages != 5 || got.Senders[1].Messages != 2 {
			t.Errorf("the senders are %+v", got.Senders)
		}
		if got.FirstAt != "2024-03-12T17:05:00Z" || got.LastAt != "2024-03-14T12:03:00Z" {
			t.Errorf("the period is %s to %s", got.FirstAt, got.LastAt)
		}
		if p := got.Preview; len(p) != 6 || p[0]["sender"] != "Ana Lima" || p[0]["text"] != "Oi!\nTudo bem?" || p[0]["at"] != "2024-03-12T17:05:00Z" || p[4]["file"] != "file" {
			t.Errorf("the preview is %+v", p)
		}
		testkit.Equal(t, "conversations", len(w.A.Get(t, "/conversations").OK(200).List()), 0)
		testkit.Equal(t, "contacts", len(w.A.Get(t, "/contacts").OK(200).List()), 0)

		for _, tt := range []struct {
			name, chat, order string
			certain           bool
			first             string
			fields            []string
		}{
			{"ambiguous dates", "03/04/2024 10:00 - A: x\n03/05/2024 10:00 - B: x\n", "dmy", false, "2024-04-03T10:00:00Z", nil},
			{"the given order", "03/04/2024 10:00 - A: x\n03/05/2024 10:00 - B: x\n", "mdy", true, "2024-03-04T10:00:00Z", []string{"date_order", "mdy"}},
			{"year first with two digits", "24/03/12 10:00 - A: x\n", "ymd", true, "2024-03-12T10:00:00Z", []string{"date_order", "ymd"}},
			{"a later date decides", "03/04/2024 10:00 - A: x\n03/13/2024 10:00 - B: x\n", "mdy", true, "2024-03-04T10:00:00Z", nil},
			{"dates do not go back", "05/03/2024 10:00 - A: x\n06/03/2024 10:00 - A: x\n04/04/2024 10:00 - B: x\n", "dmy", true, "2024-03-05T10:00:00Z", nil},
			{"as in the United States", "3/4/24, 10:00 AM - A: x\n3/5/24, 10:00 AM - B: x\n", "mdy", false, "2024-03-04T10:00:00Z", nil},
			{"year first", "2024-03-04 10:00 - A: x\n", "ymd", true, "2024-03-04T10:00:00Z", nil},
			{"the same in both", "04/04/2024 10:00 - A: x\n", "dmy", true, "2024-04-04T10:00:00Z", nil},
		} {
			t.Run(tt.name, func(t *testing.T) {
				got := importChat(t, w, "c.txt", tt.chat, append(tt.fields, "dry_run", "true", "timezone", "UTC")...).Result
				if got.DateOrder != tt.order || *got.DateOrderCertain != tt.certain || got.FirstAt != tt.first || got.Me != nil {
					t.Errorf("got %s %v %s %v, want %s %v %s", got.DateOrder, *got.DateOrderCertain, got.FirstAt, got.Me, tt.order, tt.certain, tt.first)
				}
			})
		}
	})
}

// zipOf returns an archive with files (name, content, name, content).
func zipOf(t *testing.T, files ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		f, err := w.Create(files[i])
		if err == nil {
			_, err = io.WriteString(f, files[i+1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestAChatIsImportedWithItsFiles(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := chatChannel(t, w.A.Client)
		text := "[12/03/24, 14:05:06] Ana: \u200eAs mensagens e ligações são protegidas com a criptografia de ponta a ponta.\r\n" +
			"\u200e[12/03/24, 14:05:07] Ana: \u200e<anexado: 00000001-PHOTO.png>\r\n" +
			"\u200e[12/03/24, 14:05:08] Loja: veja \u200e<anexado: notas.txt>\r\n" +
			"\u200e[12/03/24, 14:05:09] Ana: \u200e<anexado: sumiu.jpg>\r\n" +
			"\u200e[12/03/24, 14:05:10] Ana: \u200e<anexado: pagina.html>\r\n" +
			"\u200e[12/03/24, 14:05:11] Ana: \u200e<anexado: fora.txt>\r\n"
		archive := zipOf(t, "notas.txt", "só texto", "_chat.txt", text, "00000001-PHOTO.png", string(png), "pagina.html", "<html><script>1</script></html>", "../../../fora.txt", "fora")
		fields := []string{"channel", channel, "phone", "+5511987650001", "me", "Loja", "timezone", "UTC"}
		check := importChat(t, w, "WhatsApp Chat - Ana.zip", archive, "dry_run", "true").Result
		if check.Files != 4 || check.FilesMissing != 1 || check.Messages != 5 || *check.Me != "Loja" {
			t.Errorf("the dry run says %+v", check)
		}
		got := importChat(t, w, "WhatsApp Chat - Ana.zip", archive, fields...).Result
		if got.Created != 5 || got.Files != 4 || got.FilesMissing != 1 || got.ErrorsTotal != 0 {
			t.Fatalf("got %+v", got)
		}
		want := fmt.Sprintf("0312 14:05:07 inbound customer image 00000001-PHOTO.png of %d bytes\n"+
			"0312 14:05:08 outbound phone document \"veja\" notas.txt of 9 bytes\n"+
			"0312 14:05:09 inbound customer image sumiu.jpg of 0 bytes\n"+
			"0312 14:05:10 inbound customer document pagina.html of 31 bytes\n"+
			"0312 14:05:11 inbound customer document fora.txt of 4 bytes", len(png))
		testkit.Diff(t, "messages", chatMessages(t, w.A.Client, got.Conversation), want)
		list := w.A.Get(t, "/conversations/"+got.Conversation+"/messages").OK(200)
		file := w.A.Get(t, "/media/"+list.Text("data", 4, "media", "id")+"/content").OK(200)
		if !bytes.Equal(file.Raw, png) {
			t.Errorf("the file has %d bytes, want %d", len(file.Raw), len(png))
		}

		t.Run("a second import adds nothing", func(t *testing.T) {
			again := importChat(t, w, "x.zip", archive, fields...).Result
			if again.Created != 0 || again.Existing != 5 || again.Files != 0 {
				t.Errorf("got %+v", again)
			}
			testkit.Diff(t, "messages", chatMessages(t, w.A.Client, got.Conversation), want)
		})
		t.Run("an import with files completes one without", func(t *testing.T) {
			fields := []string{"channel", channel, "phone", "+5511987650002", "me", "Loja", "timezone", "UTC"}
			without := importChat(t, w, "x.txt", "12/03/2024 14:05 - Ana: <Mídia oculta>\n12/03/2024 14:05 - Ana: oi\n", fields...).Result
			if without.Created != 2 || without.FilesMissing != 1 {
				t.Errorf("got %+v", without)
			}
			with := importChat(t, w, "x.zip", zipOf(t, "Conversa do WhatsApp com Ana.txt", "12/03/2024 14:05 - Ana: IMG-1.png (arquivo anexado)\n12/03/2024 14:05 - Ana: oi\n", "IMG-1.png", string(png)), fields...).Result
			if with.Created != 0 || with.Existing != 2 || with.Files != 1 {
				t.Errorf("got %+v", with)
			}
			testkit.Diff(t, "messages", chatMessages(t, w.A.Client, with.Conversation),
				fmt.Sprintf("0312 14:05:00 inbound customer image IMG-1.png of %d bytes\n0312 14:05:00 inbound customer text \"oi\"", len(png)))
		})
		t.Run("a damaged file is listed and its message imported", func(t *testing.T) {
			damaged := []byte(zipOf(t, "_chat.txt", "[12/03/24, 14:05:06] Ana: \u200e<anexado: a.png>\n", "a.png", string(png)))
			copy(damaged[bytes.Index(damaged, []byte("a.png"))+10:], "\xff\xff\xff\xff")
			got := importChat(t, w, "x.zip", string(damaged), "channel", channel, "phone", "+5511987650003", "me", "Loja", "timezone", "UTC").Result
			if got.Created != 1 || got.FilesMissing != 1 || got.ErrorsTotal != 1 || got.Skipped != 0 || got.Errors[0].Code != "damaged_file" || got.Errors[0].Field != "file" {
				t.Errorf("got %+v", got)
			}
		})
	})
}

func TestChatsThatCannotBeImportedAreRefused(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := chatChannel(t, w.A.Client)
		foreign := chatChannel(t, w.B.Client)
		stranger := w.B.Post(t, "/contacts", map[string]any{"name": "Ana", "phone": "+5511987650001"}).OK(201).ID()
		chat := "12/03/2024 14:05 - Ana: oi\n12/03/2024 14:05 - Loja: oi\n"
		to := func(more ...string) []string { return append([]string{"channel", channel}, more...) }
		for _, tt := range []struct {
			name, content, field, code string
			fields                     []string
		}{
			{"empty", "", "body.file", "not_a_chat", to("phone", "11987650001")},
			{"no chat", "nome;telefone\nAna;1\n", "body.file", "not_a_chat", to("phone", "11987650001")},
			{"only notices", "12/03/2024 14:05 - As mensagens e as ligações são protegidas\n", "body.file", "not_a_chat", to("phone", "11987650001")},
			{"a group", chat + "12/03/2024 14:05 - Bia: oi\n", "body.file", "group_chat", to("phone", "11987650001", "me", "Loja")},
			{"a group in which two wrote", "12/03/2024 14:05 - Ana criou o grupo \"Família\"\n" + chat, "body.file", "group_chat", to("phone", "11987650001", "me", "Loja")},
			{"a group in a dry run", chat + "12/03/2024 14:05 - Bia: oi\n", "body.file", "group_chat", []string{"dry_run", "true"}},
			{"an archive without a chat", zipOf(t, "a.txt", "oi"), "body.file", "not_a_chat", to("phone", "11987650001")},
			{"a damaged archive", zipOf(t, "_chat.txt", chat)[:60], "body.file", "not_a_chat", to("phone", "11987650001")},
			{"an archive with too many files", zipOf(t, slicesOfFiles(20_001)...), "body.file", "too_many", to("phone", "11987650001")},
			{"no channel", chat, "body.channel", "required", []string{"phone", "11987650001", "me", "Loja"}},
			{"a channel of another company", chat, "body.channel", "no_such", []string{"channel", foreign, "phone", "11987650001", "me", "Loja"}},
			{"no person", chat, "body", "exactly_one", to("me", "Loja")},
			{"a wrong number", chat, "body.phone", "malformed", to("phone", "12", "me", "Loja")},
			{"a contact of another company", chat, "body.contact", "no_such", to("contact", stranger, "me", "Loja")},
			{"nobody is me", chat, "body.me", "required", to("phone", "11987650001")},
			{"me is not in the chat", chat, "body.me", "no_such", to("phone", "11987650001", "me", "Rex")},
			{"a wrong time zone", chat, "body.timezone", "malformed", to("phone", "11987650001", "me", "Loja", "timezone", "Mars/Olympus")},
			{"a wrong order", chat, "body.date_order", "one_of", to("phone", "11987650001", "me", "Loja", "date_order", "ydm")},
			{"a field of another kind", chat, "body.mapping", "not_allowed", to("phone", "11987650001", "me", "Loja", "mapping", "{}")},
		} {
			t.Run(tt.name, func(t *testing.T) {
				answer := sendImport(t, w.A.Client, "chat.txt", tt.content, append(tt.fields, "kind", "chat")...).OK(400)
				var e struct {
					Details []struct {
						Field string `json:"field"`
						Code  string `json:"code"`
					} `json:"details"`
				}
				if err := json.Unmarshal(answer.Raw, &e); err != nil || len(e.Details) != 1 || e.Details[0].Field != tt.field || e.Details[0].Code != tt.code {
					t.Errorf("got %s, want %s %s", answer.Raw, tt.field, tt.code)
				}
			})
		}
		testkit.Equal(t, "conversations", len(w.A.Get(t, "/conversations").OK(200).List()), 0)
		testkit.Equal(t, "contacts", len(w.A.Get(t, "/contacts").OK(200).List()), 0)

		t.Run("an archive that unpacks to too much", func(t *testing.T) {
			sendImport(t, w.A.Client, "chat.zip", bomb(t, 3), append(to("phone", "11987650001"), "kind", "chat")...).OK(413)
		})
		t.Run("who may not manage data", func(t *testing.T) {
			_, other := w.NewKey(t, w.A.ID, people.NewKey{Name: "k", Scopes: kernel.NewScopeSet("contacts:read", "conversations:manage")})
			sendImport(t, other, "chat.txt", chat, append(to("phone", "11987650001", "me", "Loja"), "kind", "chat")...).OK(403)
		})
		t.Run("an archived channel", func(t *testing.T) {
			w.A.Delete(t, "/channels/"+channel).OK(204)
			sendImport(t, w.A.Client, "chat.txt", chat, append(to("phone", "11987650001", "me", "Loja"), "kind", "chat")...).Fails(409, "channel_archived")
		})
	})
}

func slicesOfFiles(n int) (files []string) {
	for i := range n {
		files = append(files, fmt.Sprint(i), "")
	}
	return files
}

// bomb returns an archive whose directory says that it has so many files of a GiB.
func bomb(t *testing.T, n int) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := range n {
		f, err := w.CreateRaw(&zip.FileHeader{Name: fmt.Sprint(i, ".txt"), Method: zip.Deflate, UncompressedSize64: 1 << 30, CompressedSize64: 1})
		if err == nil {
			_, err = f.Write([]byte{0})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// longChat returns a chat with n messages, all different.
func longChat(n int) string {
	var b strings.Builder
	at := time.Date(2024, 3, 12, 8, 0, 0, 0, time.UTC)
	for i := range n {
		sender := "Ana"
		if i%2 == 1 {
			sender = "Loja"
		}
		fmt.Fprintf(&b, "%s - %s: mensagem %d\n", at.Add(time.Duration(i)*time.Minute).Format("02/01/2006 15:04"), sender, i)
	}
	return b.String()
}

func TestAChatImportContinuesAfterARestart(t *testing.T) {
	kerneltest.EachURL(t, func(t *testing.T, url string) {
		dir := t.TempDir()
		folder := func(config *server.Config) { config.DataDir = dir }
		w := servertest.Start(t, url, folder)
		channel := chatChannel(t, w.A.Client)
		const n = 8000
		id := sendImport(t, w.A.Client, "chat.txt", longChat(n), "kind", "chat", "channel", channel, "phone", "+5511987650001", "me", "Loja").OK(202).ID()
		testkit.Eventually(t, "a part is done", func() bool { return w.A.Get(t, "/jobs/"+id).OK(200).Int("progress", "done") > 0 })
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := w.Stop(ctx); err != nil {
			t.Fatal(err)
		}
		again := servertest.Start(t, url, folder)
		j := ended(t, again.A.Visitor().As(w.A.Secret()), id)
		if j.Text("status") != "done" || j.Int("result", "created") != n || j.Int("result", "existing") != 0 {
			t.Errorf("got %v", j.At())
		}
	})
}

func TestACancelledChatImportKeepsWhatItHasImported(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := chatChannel(t, w.A.Client)
		chat, fields := longChat(10_000), []string{"kind", "chat", "channel", channel, "phone", "+5511987650001", "me", "Loja"}
		id := sendImport(t, w.A.Client, "chat.txt", chat, fields...).OK(202).ID()
		testkit.Eventually(t, "a part is done", func() bool { return w.A.Get(t, "/jobs/"+id).OK(200).Int("progress", "done") > 0 })
		j := w.A.Post(t, "/jobs/"+id+"/cancel", nil).OK(200)
		if j.Text("status") != "failed" || j.Text("error", "code") != "cancelled" {
			t.Fatalf("got %v", j.At())
		}
		done := w.A.Get(t, "/jobs/"+id).OK(200).Int("progress", "done")
		rest := finishImport(t, w, w.A.Client, sendImport(t, w.A.Client, "chat.txt", chat, fields...)).Result
		if rest.Existing != done || rest.Created != 10_000-done || done == 10_000 {
			t.Errorf("after %d messages the next import got %+v", done, rest)
		}
	})
}

func TestMessagesOfOneMinuteAreAllImported(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		fields := []string{"channel", chatChannel(t, w.A.Client), "phone", "+5511987650001", "me", "Loja"}
		const lines = 1000 // more than one transaction stores
		var chat strings.Builder
		for n := range lines {
			fmt.Fprintf(&chat, "12/03/2024 14:05 - Ana: message %d\n", n)
		}
		for _, created := range []int{lines, 0} {
			if got := importChat(t, w, "chat.txt", chat.String(), fields...).Result; got.Created != created || got.Existing != lines-created {
				t.Errorf("got %+v, want %d created", got, created)
			}
		}
	})
}
