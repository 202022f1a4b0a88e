package linked_test

import (
	"fmt"
	"testing"
	"time"

	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/store"
	"go.mau.fi/whatsmeow/types"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/test/kerneltest"
	"recado/test/linkedtest"
	"recado/test/testkit"
)

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
				paired := d.inGroup(lid, "KEY")
				paired.SenderAlt = rita
				d.phone.Write(paired, &waE2E.Message{SenderKeyDistributionMessage: &waE2E.SenderKeyDistributionMessage{}}) // no message of hers
				d.phone.Write(d.inGroup(maria, "G1"), linkedtest.Text("Hello"))
				if err := d.phone.SyncContacts(t.Context(), store.ContactEntry{JID: rita, FullName: "Rita"}, store.ContactEntry{JID: lid, FullName: "Rita"}); err != nil {
					t.Fatal(err)
				}
				group := d.conversation(t)
				contact := d.A.Post(t, "/contacts", map[string]any{"name": "Rita", "phone": phone}).OK(201).ID()
				channel, _ := kernel.ParseID(d.channel)
				kerneltest.Write(t, d.Desk.Channels.Store, func(tx *kernel.Tx) error {
					tx.Later(`INSERT INTO notices (company, channel, digest, kind, text, raw, created_at) VALUES ($1, $2, $3, 'notice', $4, NULL, $5)`,
						d.A.ID, channel, []byte("digest"), user, tx.Now)
					return nil
				})
				hers := func() (keys []string) {
					kerneltest.Read(t, d.Desk.Channels.Store, func(tx *kernel.Tx) (err error) {
						keys, err = kernel.Rows(tx, `
							SELECT kind, key FROM linked_store WHERE company = $1 AND (key LIKE $2 OR key LIKE $3)
							UNION ALL
							SELECT kind, text FROM notices WHERE company = $1 AND text LIKE $2
							ORDER BY kind, key`, []any{d.A.ID, "%" + user + "%", "%" + lid.User + "%"}, func(r db.Row) string { return r.Text("kind") + " " + r.Text("key") })
						return err
					})
					return keys
				}
				testkit.Diff(t, "rows", hers(), []string{"contact " + lid.String(), "contact " + rita.String(), "lid " + lid.User, "notice " + user, "pn " + user})
				members := "/conversations/" + group + "/members"
				if got := d.A.Get(t, members).OK(200); len(got.List()) != 3 || got.Text("data", 2, "contact") != contact {
					t.Fatalf("the members are %s", got.Raw)
				}
				job := d.A.Post(t, "/contacts/"+contact+"/erase", fmt.Sprintf(`{"confirm_phone": %q, "reason": "request"}`, phone)).OK(202).ID()
				testkit.Eventually(t, "the erasure", func() bool { return d.A.Get(t, "/jobs/"+job).OK(200).Text("status") == "done" })
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
		job := d.A.Post(t, "/contacts/"+contact+"/erase", fmt.Sprintf(`{"confirm_phone": "+%s", "reason": "request"}`, maria.User)).OK(202).ID()
		testkit.Eventually(t, "the erasure", func() bool { return d.A.Get(t, "/jobs/"+job).OK(200).Text("status") == "done" })
		testkit.Equal(t, "messages that are kept", d.kept(t, "sent"), 0)
		testkit.Equal(t, "edits that are kept", d.kept(t, "edit"), 0)
	})
}
