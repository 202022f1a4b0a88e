package linked_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/proto/waCommon"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/proto/waHistorySync"
	"go.mau.fi/whatsmeow/proto/waSyncAction"
	"go.mau.fi/whatsmeow/proto/waWeb"
	"go.mau.fi/whatsmeow/store"
	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/types/events"

	"recado/internal/channels"
	"recado/internal/channels/linked"
	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/server"
	"recado/test/kerneltest"
	"recado/test/linkedtest"
	"recado/test/servertest"
	"recado/test/testkit"
)

func TestPhotosOfAnAlbumAndTextsToEverybodyAreReceived(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		up := d.phone.Put([]byte(png), whatsmeow.MediaImage)
		photo := &waE2E.Message{ImageMessage: &waE2E.ImageMessage{DirectPath: &up.DirectPath, FileLength: &up.FileLength, Mimetype: new("image/png"), Caption: new("Look")}}
		wrapped := func(m *waE2E.Message) *waE2E.FutureProofMessage { return &waE2E.FutureProofMessage{Message: m} }
		d.phone.Write(d.phone.Info(maria, "ALBUM", time.Now()), &waE2E.Message{AlbumMessage: &waE2E.AlbumMessage{ExpectedImageCount: new(uint32(1))}})
		d.phone.Write(d.phone.Info(maria, "PHOTO", time.Now()), &waE2E.Message{AssociatedChildMessage: wrapped(photo)})
		d.phone.Write(d.phone.Info(maria, "ALL", time.Now()), &waE2E.Message{EphemeralMessage: wrapped(&waE2E.Message{GroupMentionedMessage: wrapped(linkedtest.Text("@all Hello"))})})
		got := d.messages(t, d.conversation(t))
		if len(got) != 2 || got["PHOTO"]["type"] != "image" || got["PHOTO"]["text"] != "Look" || got["ALL"]["type"] != "text" || got["ALL"]["text"] != "@all Hello" {
			t.Errorf("the messages are %v", got)
		}
	})
}

func TestAMessageToABroadcastListArrivesInTheChatWithItsSender(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		toList := func(id string) types.MessageInfo {
			info := d.phone.Info(maria, id, time.Now())
			info.Sender.Device = 3
			info.Chat, info.IsGroup = types.NewJID("1700000000", types.BroadcastServer), true
			return info
		}
		d.phone.Write(d.phone.Info(maria, "DIRECT", time.Now()), linkedtest.Text("Only to you"))
		d.phone.Write(toList("LIST"), linkedtest.Text("To everybody"))
		d.phone.Emit(&events.UndecryptableMessage{Info: toList("LATE")})
		status := toList("STATUS")
		status.Chat = types.StatusBroadcastJID
		d.phone.Write(status, linkedtest.Text("A status update"))
		id := d.conversation(t)
		if kind := d.A.Get(t, "/conversations/"+id).OK(200).Text("kind"); kind != "direct" {
			t.Errorf("the conversation is %s", kind)
		}
		if got := d.messages(t, id); len(got) != 3 || got["LIST"]["text"] != "To everybody" || got["LIST"]["origin"] != "customer" || got["LATE"] == nil {
			t.Errorf("the messages are %v", got)
		}
	})
}

func TestAMessageThatCannotBeStoredAtFirstIsStoredLater(t *testing.T) {
	t.Parallel()
	phone := linkedtest.NewPhone("5511912345678")
	var fails atomic.Pointer[func() bool] // whether the next attempt to store something fails
	fails.Store(new(func() bool { return false }))
	w := servertest.Start(t, "", func(c *server.Config) {
		c.Linked = func(s *server.Server) channels.Linked {
			m := s.NewLinked(phone.NewClient).(*linked.Manager)
			receive := m.Receive
			m.Receive = func(ctx context.Context, company, channel kernel.ID, items []provider.Incoming) error {
				if (*fails.Load())() {
					return errors.New("the disk is full")
				}
				return receive(ctx, company, channel, items)
			}
			return m
		}
	})
	d := &desk{World: w, phone: phone, channel: w.A.Post(t, "/channels", `{"name": "Shop", "provider": "linked"}`).OK(201).ID()}
	d.link(t)

	var calls atomic.Int64
	fails.Store(new(func() bool { return calls.Add(1) <= 2 }))
	phone.Write(phone.Info(maria, "SOON", time.Now()), linkedtest.Text("Oi"))
	id := d.conversation(t)
	if n := phone.Opened(); n != 1 || phone.Waiting() != 0 {
		t.Errorf("the device connected %d times, and %d messages wait", n, phone.Waiting())
	}

	fails.Store(new(func() bool { return phone.Opened() == 1 })) // until the device connects again
	phone.Write(phone.Info(maria, "LATER", time.Now()), linkedtest.Text("Oi?"))
	testkit.Eventually(t, "the message is delivered again", func() bool { return d.messages(t, id)["LATER"] != nil })
}

// whatsmeow acknowledges a message that it cannot decrypt, unless the error is context.Canceled.
func TestAMessageThatCannotBeDecryptedBecauseOfTheDatabaseIsDeliveredAgain(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		rename := func(from, to string) {
			kerneltest.Write(t, d.Desk.Channels.Store, func(tx *kernel.Tx) error {
				_, err := tx.Exec("ALTER TABLE " + from + " RENAME TO " + to)
				return err
			})
		}
		opened, device := d.phone.Opened(), d.phone.Device()
		damaged := errors.New("the message is damaged")
		if err := device.EventBuffer.DoDecryptionTxn(t.Context(), func(context.Context) error { return damaged }); !errors.Is(err, damaged) || errors.Is(err, context.Canceled) {
			t.Errorf("the error of a damaged message is %v", err)
		}

		rename("linked_store", "unreadable")
		_, err := device.EventBuffer.GetBufferedEvent(t.Context(), [32]byte{})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("the error of a buffer that cannot be read is %v", err)
		}
		err = device.EventBuffer.DoDecryptionTxn(t.Context(), func(ctx context.Context) error {
			_, err := device.Sessions.GetSession(ctx, "5511987654321:0")
			return err
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("the error of a session that cannot be read is %v", err)
		}
		rename("unreadable", "linked_store")
		testkit.Eventually(t, "the device connects again", func() bool { return d.phone.Opened() > opened })
		d.phone.Write(d.phone.Info(maria, "IN", time.Now()), linkedtest.Text("Oi"))
		d.conversation(t)
	})
}

// WhatsApp does not deliver these again, so the attempts to store them must outlast the database's outage.
func TestWhatIsDeliveredOnceIsStoredHoweverLongItTakes(t *testing.T) {
	t.Parallel()
	info := linkedtest.NewPhone("5511912345678").Info(maria, "ONCE", time.Now())
	for name, event := range map[string]any{
		"a call":                                &events.CallTerminate{BasicCallMeta: types.BasicCallMeta{From: maria, CallCreator: maria, CallID: "ONCE", Timestamp: time.Now()}},
		"a message that cannot be decrypted":    &events.UndecryptableMessage{Info: info},
		"a message that the phone sent instead": (&events.Message{Info: info, RawMessage: linkedtest.Text("Oi"), UnavailableRequestID: "REQUEST"}).UnwrapRaw(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var failures atomic.Int64
			d := startWith(t, func(m *linked.Manager) {
				receive := m.Receive
				m.Receive = func(ctx context.Context, company, channel kernel.ID, items []provider.Incoming) error {
					if failures.Add(-1) >= 0 {
						return errors.New("the disk is full")
					}
					return receive(ctx, company, channel, items)
				}
			})
			d.link(t)
			failures.Store(7) // after as many, a message is left for WhatsApp to deliver again
			d.phone.Emit(event)
			if got := d.messages(t, d.conversation(t)); got["ONCE"] == nil {
				t.Errorf("the messages are %v", got)
			}
		})
	}
}

func TestAFileThatWhatsAppKeepsRefusingFails(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		d.phone.Write(d.phone.Info(maria, "IN", time.Now()), linkedtest.Text("Oi"))
		file := d.A.Upload(t, "photo.png", []byte(png)).OK(201).ID()
		d.phone.RefuseAll(errors.New("upload failed with status code 413"))
		message := d.A.Post(t, "/conversations/"+d.conversation(t)+"/messages", fmt.Sprintf(`{"media_id": %q, "client_id": %q}`, file, kernel.NewID())).OK(201).ID()
		testkit.Eventually(t, "the message fails", func() bool {
			d.Clock.Advance(time.Minute)
			got := d.A.Get(t, "/messages/"+message).OK(200)
			return got.Text("status") == "failed" && got.Text("error", "code") == "provider_refused"
		})
	})
}

func TestNamesComeFromTheAddressBook(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		stranger := d.phone.Info(joao, "1", time.Now())
		stranger.PushName = ""
		d.phone.Write(stranger, linkedtest.Text("Oi"))
		d.phone.Emit(&events.Contact{JID: maria, Timestamp: time.Now(), Action: &waSyncAction.ContactAction{FirstName: new("Maria"), FullName: new("Maria da Padaria")}})
		d.phone.Write(d.phone.Info(maria, "2", time.Now()), linkedtest.Text("Oi"))
		if err := d.phone.SyncContacts(t.Context(), store.ContactEntry{JID: joao, FirstName: "João", FullName: "João da Farmácia"}); err != nil {
			t.Fatal(err)
		}
		got := map[string]bool{}
		for _, c := range d.A.Get(t, "/conversations").OK(200).List() {
			got[c.(map[string]any)["name"].(string)] = true
		}
		testkit.Diff(t, "the names of the conversations", got, map[string]bool{"Maria da Padaria": true, "João da Farmácia": true})
	})
}

func TestNamesThatChangeAtTheSameTimeAreKept(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		contacts := d.phone.Device().Contacts
		for round := range 10 {
			name := fmt.Sprintf("Name %d", round)
			var book []store.ContactEntry
			for i := range 10 {
				book = append(book, store.ContactEntry{JID: types.NewJID(fmt.Sprintf("55119555500%02d", i), types.DefaultUserServer), FullName: name})
			}
			var changing sync.WaitGroup
			changing.Go(func() {
				if err := contacts.PutAllContactNames(t.Context(), book); err != nil {
					t.Error(err)
				}
			})
			for _, c := range book {
				changing.Go(func() {
					if _, _, err := contacts.PutPushName(t.Context(), c.JID, name); err != nil {
						t.Error(err)
					}
				})
			}
			changing.Wait()
			for _, c := range book {
				got, err := contacts.GetContact(t.Context(), c.JID)
				if err != nil || got.FullName != name || got.PushName != name {
					t.Fatalf("in round %d the names of %s are %q in the address book and %q otherwise: %v", round, c.JID, got.FullName, got.PushName, err)
				}
			}
		}
	})
}

// A group's sender keys are moved as well, and only those of the person.
func TestTheKeysOfAPersonMoveToTheLID(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		device := d.phone.Device()
		other := types.NewJID(maria.User+"0", types.DefaultUserServer)
		for _, of := range []types.JID{maria, other} {
			if err := device.SenderKeys.PutSenderKey(t.Context(), party.String(), of.SignalAddress().String(), []byte(of.User)); err != nil {
				t.Fatal(err)
			}
		}
		lid := types.NewJID("77788899900", types.HiddenUserServer)
		if err := device.Sessions.MigratePNToLID(t.Context(), maria, lid); err != nil {
			t.Fatal(err)
		}
		for of, want := range map[types.JID]string{maria: "", lid: maria.User, other: other.User} {
			key, err := device.SenderKeys.GetSenderKey(t.Context(), party.String(), of.SignalAddress().String())
			if err != nil || string(key) != want {
				t.Errorf("the key of %s is %q, want %q: %v", of, key, want, err)
			}
		}
	})
}

func TestTheHistoryHasTicksReactionsAndNames(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		at := d.Clock.Now().Add(-time.Hour)
		message := func(id string, mine bool, status waWeb.WebMessageInfo_Status, reactions ...*waWeb.Reaction) *waHistorySync.HistorySyncMsg {
			return &waHistorySync.HistorySyncMsg{Message: &waWeb.WebMessageInfo{
				Key:     &waCommon.MessageKey{RemoteJID: new(maria.String()), FromMe: &mine, ID: &id},
				Message: linkedtest.Text(id), MessageTimestamp: new(uint64(at.Unix())), Status: &status, Reactions: reactions,
			}}
		}
		reaction := func(emoji string, mine bool) *waWeb.Reaction {
			return &waWeb.Reaction{Key: &waCommon.MessageKey{RemoteJID: new(maria.String()), FromMe: &mine}, Text: &emoji, SenderTimestampMS: new(at.UnixMilli())}
		}
		d.phone.SendHistory(&waHistorySync.HistorySync{
			SyncType: waHistorySync.HistorySync_PUSH_NAME.Enum(), Pushnames: []*waHistorySync.Pushname{{ID: new(maria.String()), Pushname: new("Maria")}},
		})
		testkit.Eventually(t, "the names are stored", func() bool { return d.kept(t, "history") == 0 })
		d.phone.SendHistory(&waHistorySync.HistorySync{
			SyncType: waHistorySync.HistorySync_RECENT.Enum(), Progress: new(uint32(100)), Conversations: []*waHistorySync.Conversation{{
				ID: new(maria.String()), Messages: []*waHistorySync.HistorySyncMsg{
					message("PLAYED", true, waWeb.WebMessageInfo_PLAYED), message("READ", true, waWeb.WebMessageInfo_READ, reaction("👍", false)),
					message("DELIVERED", true, waWeb.WebMessageInfo_DELIVERY_ACK), message("SENT", true, waWeb.WebMessageInfo_SERVER_ACK),
					message("IN", false, waWeb.WebMessageInfo_PENDING, reaction("🙏", true)),
				},
			}},
		})
		id := d.conversation(t)
		got := d.messages(t, id)
		for message, want := range map[string]string{"PLAYED": "read", "READ": "read", "DELIVERED": "delivered", "SENT": "sent", "IN": "received"} {
			if got[message]["status"] != want {
				t.Errorf("%s has the status %v, want %s", message, got[message]["status"], want)
			}
		}
		for message, want := range map[string]string{"READ": "customer", "IN": "team"} {
			if reactions, _ := got[message]["reactions"].([]any); len(reactions) != 1 || reactions[0].(map[string]any)["by"] != want {
				t.Errorf("%s has the reactions %v, want one by the %s", message, reactions, want)
			}
		}
		if c := d.A.Get(t, "/conversations/"+id).OK(200); c.Text("name") != "Maria" || c.At("unread") != false {
			t.Errorf("the conversation is %s", c.Raw)
		}
	})
}

func TestADamagedPartOfTheHistoryIsGivenUp(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		d.phone.SendDamagedHistory()
		testkit.Eventually(t, "the part is given up", func() bool { return d.phone.Waiting() == 0 && d.kept(t, "history") == 0 })
	})
}
