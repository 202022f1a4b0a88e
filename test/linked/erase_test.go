package linked_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/store"
	"go.mau.fi/whatsmeow/types"

	"recado/internal/admin"
	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/privacy"
	"recado/internal/server"
	"recado/test/kerneltest"
	"recado/test/linkedtest"
	"recado/test/testkit"
)

// erase erases a contact and waits for the end.
func (d *desk) erase(t *testing.T, contact, phone string) {
	t.Helper()
	job := d.A.Post(t, "/contacts/"+contact+"/erase", fmt.Sprintf(`{"confirm_phone": %q, "reason": "request"}`, phone)).OK(202).ID()
	testkit.Eventually(t, "the erasure", func() bool { return d.A.Get(t, "/jobs/"+job).OK(200).Text("status") == "done" })
}

func TestErasingAPersonKnownByPhoneRemovesWhatTheDeviceStores(t *testing.T) {
	for phone, user := range map[string]string{
		"+5531987650001": "553187650001", // the address of an old number has no ninth digit
		"+525512345678":  "5215512345678",
		"+541123456789":  "5491123456789",
	} {
		t.Run(phone, func(t *testing.T) {
			eachLinked(t, func(t *testing.T, d *desk) {
				rita, lid := types.NewJID(user, types.DefaultUserServer), types.NewJID("31313131313131", types.HiddenUserServer)
				info := theGroup("Party")
				info.Participants = append(info.Participants, types.GroupParticipant{JID: rita, DisplayName: "Rita"})
				d.phone.SetGroup(info)
				d.paired(rita, lid)
				d.phone.Write(d.inGroup(maria, "G1"), linkedtest.Text("Hello"))
				if err := d.phone.SyncContacts(t.Context(), store.ContactEntry{JID: rita, FullName: "Rita"}, store.ContactEntry{JID: lid, FullName: "Rita"}); err != nil {
					t.Fatal(err)
				}
				group := d.conversation(t)
				contact := d.A.Post(t, "/contacts", map[string]any{"name": "Rita", "phone": phone}).OK(201).ID()
				channel, _ := kernel.ParseID(d.channel)
				kerneltest.Write(t, d.Desk.Channels.Store, func(tx *kernel.Tx) error {
					for i, text := range []string{user, lid.String()} {
						tx.Later(`INSERT INTO notices (company, channel, digest, kind, text, raw, created_at) VALUES ($1, $2, $3, 'notice', $4, NULL, $5)`,
							d.A.ID, channel, []byte{byte(i)}, text, tx.Now)
					}
					tx.Later(`INSERT INTO early_changes (company, channel, external_id, kind, sender, body, at, created_at) VALUES ($1, $2, 'x', 'edit', $3, '{}', $4, $4)`,
						d.A.ID, channel, lid.String(), tx.Now)
					return nil
				})
				hers := func() (keys []string) {
					kerneltest.Read(t, d.Desk.Channels.Store, func(tx *kernel.Tx) (err error) {
						keys, err = kernel.Rows(tx, `
							SELECT kind, key FROM linked_store WHERE company = $1 AND (key LIKE $2 OR key LIKE $3)
							UNION ALL
							SELECT kind, text FROM notices WHERE company = $1 AND (text LIKE $2 OR text LIKE $3)
							UNION ALL
							SELECT kind, sender FROM early_changes WHERE company = $1
							UNION ALL
							SELECT 'name', kind FROM address_book WHERE company = $1 AND name = 'Rita'
							ORDER BY kind, key`, []any{d.A.ID, "%" + user + "%", "%" + lid.User + "%"}, func(r db.Row) string { return r.Text("kind") + " " + r.Text("key") })
						return err
					})
					return keys
				}
				testkit.Diff(t, "rows", hers(), []string{
					"contact " + lid.String(), "contact " + rita.String(), "edit " + lid.String(), "lid " + lid.User, "name user_id", "name wa_id",
					"notice " + lid.String(), "notice " + user, "pn " + user,
				})
				members := "/conversations/" + group + "/members"
				if got := d.A.Get(t, members).OK(200); len(got.List()) != 3 || got.Text("data", 2, "contact") != contact {
					t.Fatalf("the members are %s", got.Raw)
				}
				d.erase(t, contact, phone)
				testkit.Diff(t, "rows", hers(), []string(nil))
				if got := d.A.Get(t, members).OK(200); len(got.List()) != 2 {
					t.Errorf("the members are %s", got.Raw)
				}
			})
		})
	}
}

func TestErasingAPersonRemovesTheEditsThatTheDeviceKeeps(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		d.phone.Write(d.phone.Info(maria, "IN", time.Now()), linkedtest.Text("Oi"))
		conversation := d.conversation(t)
		message, _ := d.send(t, conversation, `"text": "First"`)
		d.A.Patch(t, "/messages/"+message, `{"text": "Second"}`).OK(200)
		testkit.Eventually(t, "the message and its edit are kept", func() bool { return d.kept(t, "sent") == 2 && d.kept(t, "edit") == 1 })
		contact := d.A.Get(t, "/conversations/"+conversation).OK(200).Text("contact")
		d.erase(t, contact, "+"+maria.User)
		testkit.Equal(t, "messages that are kept", d.kept(t, "sent"), 0)
		testkit.Equal(t, "edits that are kept", d.kept(t, "edit"), 0)
	})
}

// paired makes the device know the hidden number of a person who has not written.
func (d *desk) paired(number, lid types.JID) {
	info := d.inGroup(lid, "KEY")
	info.SenderAlt = number
	d.phone.Write(info, &waE2E.Message{SenderKeyDistributionMessage: &waE2E.SenderKeyDistributionMessage{}})
}

func TestALateMessageFromAHiddenNumberDoesNotBringAnErasedPersonBack(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		rita, lid := types.NewJID("5531987650001", types.DefaultUserServer), types.NewJID("31313131313131", types.HiddenUserServer)
		d.paired(rita, lid)
		contact := d.A.Post(t, "/contacts", map[string]any{"name": "Rita", "phone": "+" + rita.User}).OK(201).ID()
		testkit.Eventually(t, "the numbers are known", func() bool { return d.kept(t, "lid") == 1 })
		d.erase(t, contact, "+"+rita.User)
		late := d.phone.Info(lid, "LATE", d.Clock.Now().Add(-time.Hour))
		d.phone.Write(late, linkedtest.Text("from before"))
		d.phone.Write(d.phone.Info(maria, "NEW", d.Clock.Now()), linkedtest.Text("Oi"))
		messages := d.messages(t, d.conversation(t))
		if _, found := messages["NEW"]; len(messages) != 1 || !found {
			t.Errorf("the messages are %v, want that of Maria", messages)
		}
		testkit.Equal(t, "contacts", len(d.A.Get(t, "/contacts").OK(200).List()), 1)
	})
}

func TestABackupDoesNotBringAnErasedPersonBackByTheirHiddenNumber(t *testing.T) {
	var config server.Config
	eachLinked(t, func(t *testing.T, d *desk) {
		config := config
		rita, lid := types.NewJID("5531987650001", types.DefaultUserServer), types.NewJID("31313131313131", types.HiddenUserServer)
		d.paired(rita, lid)
		contact := d.A.Post(t, "/contacts", map[string]any{"name": "Rita", "phone": "+" + rita.User}).OK(201).ID()
		testkit.Eventually(t, "the numbers are known", func() bool { return d.kept(t, "lid") == 1 })
		export, list := filepath.Join(t.TempDir(), "export"), filepath.Join(config.DataDir, privacy.ListFile)
		if _, err := admin.Export(t.Context(), admin.ExportOptions{Dir: config.DataDir, DatabaseURL: config.DatabaseURL, SecretKey: config.SecretKey, To: export}); err != nil {
			t.Fatal(err)
		}
		before := d.Clock.Now()
		d.Clock.Advance(time.Minute)
		kerneltest.Write(t, d.Desk.Channels.Store, func(tx *kernel.Tx) error { // as if the number had been linked again
			tx.Later(`DELETE FROM linked_store WHERE company = $1 AND kind IN ('lid', 'pn')`, d.A.ID)
			return nil
		})
		d.erase(t, contact, "+"+rita.User)
		text, err := os.ReadFile(list)
		if err != nil {
			t.Fatal(err)
		}
		config.DataDir = t.TempDir()
		if config.DatabaseURL != "" {
			config.DatabaseURL = kerneltest.URL(t)
		}
		if _, err := admin.Import(t.Context(), admin.ImportOptions{From: export, Dir: config.DataDir, DatabaseURL: config.DatabaseURL, SecretKey: config.SecretKey}); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(config.DataDir, privacy.ListFile), text, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := server.Start(t.Context(), config)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Stop(context.Background()) })
		channel, _ := kernel.ParseID(d.channel)
		err = s.Desk.Talk.Receive(t.Context(), d.A.ID, channel, []provider.Incoming{{Message: &provider.IncomingMessage{
			ExternalID: "LATE", Type: provider.TypeText, Text: "from before", At: before, Customer: provider.Person{UserID: lid.String()},
		}}})
		if err != nil {
			t.Fatal(err)
		}
		kerneltest.Read(t, s.Desk.Kernel.Store, func(tx *kernel.Tx) error {
			back, err := tx.One(`SELECT 1 FROM contacts WHERE company = $1`, []any{d.A.ID}, func(db.Row) {})
			if back {
				t.Error("the person is back")
			}
			return err
		})
	}, func(c *server.Config) { config = *c })
}

func TestErasingAPersonLeavesAnotherContactWithTheHiddenNumber(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		rita, lid := types.NewJID("5531987650001", types.DefaultUserServer), types.NewJID("31313131313131", types.HiddenUserServer)
		d.phone.Write(d.phone.Info(lid, "FIRST", d.Clock.Now()), linkedtest.Text("Oi"))
		conversation := d.conversation(t)
		contact := d.A.Post(t, "/contacts", map[string]any{"name": "Rita", "phone": "+" + rita.User}).OK(201).ID()
		d.paired(rita, lid)
		testkit.Eventually(t, "the numbers are known", func() bool { return d.kept(t, "lid") == 1 })
		d.Clock.Advance(time.Hour)
		d.erase(t, contact, "+"+rita.User)
		testkit.Equal(t, "numbers that the device knows", d.kept(t, "lid")+d.kept(t, "pn"), 0)
		kerneltest.Read(t, d.Desk.Channels.Store, func(tx *kernel.Tx) error {
			listed, err := kernel.Rows(tx, `SELECT hash FROM erased WHERE company = $1 AND kind = 'person'`, []any{d.A.ID}, func(r db.Row) string { return string(r.Bytes("hash")) })
			testkit.Equal(t, "hashes of the erased person, who has only a phone", len(listed), 1)
			return err
		})
		late := d.phone.Info(lid, "LATE", d.Clock.Now().Add(-2*time.Hour))
		d.phone.Write(late, linkedtest.Text("from before"))
		testkit.Eventually(t, "the late message is stored", func() bool { return len(d.messages(t, conversation)) == 2 })
	})
}

func TestErasingAPersonRemovesTheirWordsFromTheAnswersThatTheDeviceKeeps(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		d.phone.SetGroup(theGroup("Party"))
		d.phone.Write(d.inGroup(maria, "G1"), linkedtest.Text("Who brings the cake?"))
		d.phone.Write(d.inGroup(joao, "G2"), linkedtest.Text("And the wine?"))
		group := d.conversation(t)
		testkit.Eventually(t, "the messages", func() bool { return len(d.messages(t, group)) == 2 })
		for _, id := range []string{"G1", "G2"} {
			_, sent := d.send(t, group, fmt.Sprintf(`"text": "Me", "reply_to_external_id": %q`, id))
			if sent.Message.GetExtendedTextMessage().GetContextInfo().GetQuotedMessage().GetConversation() == "" {
				t.Fatalf("the answer is %v, want it with what it quotes", sent.Message)
			}
		}
		testkit.Eventually(t, "the answers are kept", func() bool { return d.kept(t, "sent") == 2 })
		contact := d.A.Get(t, "/contacts?q="+maria.User).OK(200).Text("data", 0, "id")
		d.erase(t, contact, "+"+maria.User)
		testkit.Equal(t, "answers that are kept", d.kept(t, "sent"), 1)
	})
}

func TestAFileThatIsFetchedDuringAnErasureIsNotKept(t *testing.T) {
	var dir string
	eachLinked(t, func(t *testing.T, d *desk) {
		const secret = "%PDF-1.4 zyxwquark"
		files := func() (found []string) {
			err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
				if err != nil || entry.IsDir() {
					return err
				}
				content, err := os.ReadFile(path)
				if err == nil && strings.Contains(string(content), secret) {
					found = append(found, path)
				}
				return nil // it may have been deleted
			})
			if err != nil {
				t.Fatal(err)
			}
			return found
		}
		begun, mayEnd := make(chan struct{}), make(chan struct{})
		defer close(mayEnd)
		d.phone.OnDownload(func() {
			begun <- struct{}{}
			<-mayEnd
		})
		write := func(from types.JID, content string) {
			up := d.phone.Put([]byte(content), whatsmeow.MediaDocument)
			d.phone.Write(d.phone.Info(from, up.DirectPath, d.Clock.Now()), &waE2E.Message{DocumentMessage: &waE2E.DocumentMessage{
				DirectPath: &up.DirectPath, FileLength: &up.FileLength, Mimetype: new("application/pdf"), FileName: new("bill.pdf"),
			}})
		}
		const atOnce = 8
		for range atOnce {
			write(maria, secret)
		}
		contact := d.A.Get(t, "/conversations/"+d.conversation(t)).OK(200).Text("contact")
		for range atOnce {
			testkit.Receive(t, "a download", begun)
		}
		d.erase(t, contact, "+"+maria.User)
		write(joao, "%PDF-1.4")
		mayEnd <- struct{}{}
		testkit.Receive(t, "the next download, which waits for the end of another", begun)
		testkit.Diff(t, "files of the erased person", files(), []string(nil))
	}, func(c *server.Config) { dir = c.DataDir })
}
