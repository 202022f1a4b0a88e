package linked_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/proto/waCommon"
	"go.mau.fi/whatsmeow/proto/waHistorySync"
	"go.mau.fi/whatsmeow/proto/waWeb"
	"go.mau.fi/whatsmeow/types/events"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/test/kerneltest"
	"recado/test/linkedtest"
	"recado/test/testkit"
)

func TestHistoryFromBetweenTwoLinksStandsBetweenTheirMessages(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		write := func(text string) {
			d.Clock.Advance(time.Hour)
			d.phone.Write(d.phone.Info(maria, text, d.Clock.Now()), linkedtest.Text(text))
		}
		write("live 1")
		id := d.conversation(t)
		write("live 2")
		testkit.Eventually(t, "both are stored", func() bool { return d.stored(t) == 2 })
		d.phone.RemoveDevice()
		testkit.Eventually(t, "the channel is disconnected", func() bool {
			return d.A.Get(t, "/channels/"+d.channel).OK(200).Text("status") == "disconnected"
		})
		began := d.Clock.Now()
		d.Clock.Advance(48 * time.Hour)
		d.link(t)
		write("live 3")
		testkit.Eventually(t, "the message is stored", func() bool { return d.stored(t) == 3 })

		past := func(text string, at time.Time) *waHistorySync.HistorySyncMsg {
			return &waHistorySync.HistorySyncMsg{Message: &waWeb.WebMessageInfo{
				Key:     &waCommon.MessageKey{RemoteJID: new(maria.String()), FromMe: new(false), ID: new(text)},
				Message: linkedtest.Text(text), MessageTimestamp: new(uint64(at.Unix())),
			}}
		}
		d.phone.SendHistory(&waHistorySync.HistorySync{
			SyncType: waHistorySync.HistorySync_RECENT.Enum(),
			Conversations: []*waHistorySync.Conversation{{ID: new(maria.String()), Messages: []*waHistorySync.HistorySyncMsg{
				past("between 2", began.Add(30*time.Hour)), past("between 1", began.Add(3*time.Hour)), past("before", began.Add(-24*time.Hour)),
			}}},
		})
		testkit.Eventually(t, "the history is imported", func() bool { return d.stored(t) == 6 })
		write("live 4")
		testkit.Eventually(t, "the last message is stored", func() bool { return d.stored(t) == 7 })
		var order []string
		for _, m := range d.A.Get(t, "/conversations/"+id+"/messages").OK(200).List() {
			order = append(order, m.(map[string]any)["text"].(string))
		}
		testkit.Diff(t, "the order, the newest first", strings.Join(order, ", "), "live 4, live 3, between 2, between 1, live 2, live 1, before")
	})
}

func TestAnEditThatWaitedTooLongIsUndone(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		d.phone.Write(d.phone.Info(maria, "IN", time.Now()), linkedtest.Text("Oi"))
		message, _ := d.send(t, d.conversation(t), `"text": "At ten"`)
		d.phone.RefuseAll(whatsmeow.ErrNotConnected)
		d.A.Patch(t, "/messages/"+message, `{"text": "At eleven"}`).OK(200)
		d.Clock.Advance(20 * time.Minute)
		testkit.Eventually(t, "the edit is undone", func() bool {
			d.Clock.Advance(time.Minute)
			got := d.A.Get(t, "/messages/"+message).OK(200)
			err, _ := got.At("error").(map[string]any)
			return got.Text("text") == "At ten" && err["code"] == "edit_refused"
		})
		testkit.Equal(t, "messages that were sent", len(d.phone.Sent()), 1)
	})
}

func TestOfTwoEditsInTheQueueTheLatestTextIsSentOnce(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		d.phone.Write(d.phone.Info(maria, "IN", time.Now()), linkedtest.Text("Oi"))
		message, _ := d.send(t, d.conversation(t), `"text": "At ten"`)
		d.phone.RefuseAll(whatsmeow.ErrNotConnected)
		d.A.Patch(t, "/messages/"+message, `{"text": "At eleven"}`).OK(200)
		d.A.Patch(t, "/messages/"+message, `{"text": "At twelve"}`).OK(200)
		testkit.Eventually(t, "the first edit waits for another attempt", func() (waits bool) {
			kerneltest.Read(t, d.Desk.Channels.Store, func(tx *kernel.Tx) error {
				_, err := tx.One(`SELECT COUNT(*) AS n FROM sends WHERE company = $1 AND state = 'queued' AND attempts > 0`, []any{d.A.ID},
					func(r db.Row) { waits = r.Int("n") == 1 })
				return err
			})
			return waits
		})
		d.phone.RefuseAll(nil)
		testkit.Eventually(t, "the edit is sent", func() bool {
			d.Clock.Advance(time.Second)
			return len(d.phone.Sent()) == 2
		})
		d.send(t, d.conversation(t), `"text": "Bye"`) // after everything that was queued
		testkit.Equal(t, "messages that were sent", len(d.phone.Sent()), 3)
		testkit.Diff(t, "the text", d.A.Get(t, "/messages/"+message).OK(200).Text("text"), "At twelve")
	})
}

func TestMessagesOfALinkedNumberWaitLongerThanADayForTheConnection(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		d.phone.Write(d.phone.Info(maria, "IN", time.Now()), linkedtest.Text("Oi"))
		d.phone.RefuseAll(whatsmeow.ErrNotConnected)
		id := d.A.Post(t, "/conversations/"+d.conversation(t)+"/messages", fmt.Sprintf(`{"client_id": %q, "text": "At ten"}`, kernel.NewID())).OK(201).ID()
		for range 3 {
			d.Clock.Advance(12 * time.Hour)
			testkit.Equal(t, "status", d.A.Get(t, "/messages/"+id).OK(200).Text("status"), "queued")
		}
		d.phone.RefuseAll(nil)
		testkit.Eventually(t, "the message is sent", func() bool {
			d.Clock.Advance(time.Minute)
			return d.A.Get(t, "/messages/"+id).OK(200).Text("status") == "sent"
		})
		testkit.Equal(t, "messages that were sent", len(d.phone.Sent()), 1)
	})
}

func TestNoMessageIsTriedWithoutTheConnectionAndAllContinueWithIt(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		d.phone.Write(d.phone.Info(maria, "IN", time.Now()), linkedtest.Text("Oi"))
		chat := d.conversation(t)
		d.phone.RefuseAll(whatsmeow.ErrNotConnected)
		d.phone.Emit(&events.KeepAliveTimeout{ErrorCount: 1})
		id := d.A.Post(t, "/conversations/"+chat+"/messages", fmt.Sprintf(`{"client_id": %q, "text": "At ten"}`, kernel.NewID())).OK(201).ID()
		message, _ := kernel.ParseID(id)
		for range 50 {
			kerneltest.Read(t, d.Desk.Channels.Store, func(tx *kernel.Tx) error {
				_, err := tx.One(`SELECT attempts FROM sends WHERE company = $1 AND message = $2`, []any{d.A.ID, message},
					func(r db.Row) { testkit.Equal(t, "attempts", r.Int("attempts"), 0) })
				return err
			})
			testkit.Equal(t, "status", d.A.Get(t, "/messages/"+id).OK(200).Text("status"), "queued")
		}
		d.phone.RefuseAll(nil)
		d.phone.Emit(&events.KeepAliveRestored{})
		testkit.Eventually(t, "the message is sent", func() bool { return d.A.Get(t, "/messages/"+id).OK(200).Text("status") == "sent" })
	})
}

func TestTheHistoryOfAKnownMessageRaisesNoEvent(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		d.phone.Write(d.phone.Info(maria, "IN", time.Now()), linkedtest.Text("Oi"))
		message, _ := d.send(t, d.conversation(t), `"text": "At ten"`)
		updates := func() (n int) {
			for _, e := range d.A.Get(t, "/events?limit=100").OK(200).List() {
				if e.(map[string]any)["type"] == "message.updated" {
					n++
				}
			}
			return n
		}
		before := updates()
		sent := d.A.Get(t, "/messages/"+message).OK(200)
		d.Clock.Advance(time.Hour)
		external := strings.ToUpper(strings.ReplaceAll(message, "-", ""))
		d.phone.SendHistory(&waHistorySync.HistorySync{
			SyncType: waHistorySync.HistorySync_RECENT.Enum(),
			Conversations: []*waHistorySync.Conversation{{ID: new(maria.String()), Messages: []*waHistorySync.HistorySyncMsg{{Message: &waWeb.WebMessageInfo{
				Key:     &waCommon.MessageKey{RemoteJID: new(maria.String()), FromMe: new(true), ID: &external},
				Message: linkedtest.Text("At ten"), MessageTimestamp: new(uint64(d.Clock.Now().Add(-time.Hour).Unix())), Status: waWeb.WebMessageInfo_READ.Enum(),
			}}}}},
		})
		testkit.Eventually(t, "the message is read", func() bool { return d.A.Get(t, "/messages/"+message).OK(200).Text("status") == "read" })
		read := d.A.Get(t, "/messages/"+message).OK(200)
		testkit.Equal(t, "when it was sent", read.Text("sent_at"), sent.Text("sent_at"))
		if read.Text("read_at") <= sent.Text("sent_at") {
			t.Errorf("it was sent at %s and read at %s", sent.Text("sent_at"), read.Text("read_at"))
		}
		testkit.Equal(t, "updates in the feed", updates(), before)
	})
}

func TestAMessageThatTheHistoryHasIsNotSentAgain(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		d.phone.Write(d.phone.Info(maria, "IN", time.Now()), linkedtest.Text("Oi"))
		chat := d.conversation(t)
		d.phone.RefuseAll(whatsmeow.ErrNotConnected) // as after a crash between sending it and storing that it was sent
		message := d.A.Post(t, "/conversations/"+chat+"/messages", fmt.Sprintf(`{"client_id": %q, "text": "At ten"}`, kernel.NewID())).OK(201).ID()
		external := strings.ToUpper(strings.ReplaceAll(message, "-", ""))
		d.phone.SendHistory(&waHistorySync.HistorySync{
			SyncType: waHistorySync.HistorySync_RECENT.Enum(),
			Conversations: []*waHistorySync.Conversation{{ID: new(maria.String()), Messages: []*waHistorySync.HistorySyncMsg{{Message: &waWeb.WebMessageInfo{
				Key:     &waCommon.MessageKey{RemoteJID: new(maria.String()), FromMe: new(true), ID: &external},
				Message: linkedtest.Text("At ten"), MessageTimestamp: new(uint64(d.Clock.Now().Unix())), Status: waWeb.WebMessageInfo_READ.Enum(),
			}}}}},
		})
		testkit.Eventually(t, "the message is read", func() bool { return d.A.Get(t, "/messages/"+message).OK(200).Text("status") == "read" })
		d.phone.RefuseAll(nil)
		d.send(t, chat, `"text": "Bye"`) // after everything that was queued
		testkit.Equal(t, "messages that were sent", len(d.phone.Sent()), 1)
		testkit.Equal(t, "messages that are stored", d.stored(t), 3)
	})
}
