package linked_test

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"

	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/types/events"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/talk"
	"recado/test/kerneltest"
	"recado/test/linkedtest"
	"recado/test/testkit"
)

func TestAMessageThatIsDecryptedLateReplacesItsNotice(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		for _, id := range []string{"LATE", "ONCE"} {
			d.phone.Emit(&events.UndecryptableMessage{Info: d.phone.Info(maria, id, time.Now()), IsUnavailable: id == "ONCE"})
		}
		d.phone.Emit(&events.UndecryptableMessage{Info: d.phone.Info(maria, "HIDDEN", time.Now()), DecryptFailMode: events.DecryptFailHide})
		id := d.conversation(t)
		got := d.messages(t, id)
		if got["LATE"]["type"] != "unsupported" || got["ONCE"]["type"] != "unsupported" || len(got) != 2 {
			t.Errorf("messages that cannot be decrypted are %v", got)
		}
		d.phone.Write(d.phone.Info(maria, "LATE", time.Now()), linkedtest.Text("Here I am"))
		got = d.messages(t, id)
		if m := got["LATE"]; m["type"] != "text" || m["text"] != "Here I am" || m["notice"] != nil || len(got) != 2 {
			t.Errorf("the late message is %v", m)
		}
	})
}

func TestMessagesTypedOnThePhoneWithIDsLikeOursAreStored(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		id := kernel.NewID()
		info := d.phone.Info(maria, strings.ToUpper(hex.EncodeToString(id[:])), time.Now())
		info.IsFromMe, info.Sender = true, d.phone.JID
		d.phone.Write(info, linkedtest.Text("Typed on the phone"))
		if m := d.messages(t, d.conversation(t))[info.ID]; m["text"] != "Typed on the phone" || m["origin"] != "phone" {
			t.Errorf("the message is %v", m)
		}
	})
}

func TestAMessageOfAnUnknownKindLeavesANotice(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		about := &waE2E.MessageContextInfo{MessageSecret: []byte("secret")}
		keys := &waE2E.SenderKeyDistributionMessage{GroupID: new("1@g.us")}
		d.phone.Write(d.phone.Info(maria, "EVENT", time.Now()), &waE2E.Message{MessageContextInfo: about, EventMessage: &waE2E.EventMessage{Name: new("Party")}})
		d.phone.Write(d.phone.Info(maria, "KEYS", time.Now()), &waE2E.Message{MessageContextInfo: about, SenderKeyDistributionMessage: keys})
		if got := d.messages(t, d.conversation(t)); len(got) != 1 || got["EVENT"]["type"] != "unsupported" {
			t.Errorf("the messages are %v", got)
		}
	})
}

func TestRepliesGoToTheNewNumberOfACustomer(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		lid, moved := types.NewJID("77788899900", types.HiddenUserServer), types.NewJID("5511955554444", types.DefaultUserServer)
		write := func(id string, number types.JID) {
			info := d.phone.Info(lid, id, time.Now())
			info.SenderAlt = number
			d.phone.Write(info, linkedtest.Text("Oi"))
		}
		write("1", maria)
		id := d.conversation(t)
		_, sent := d.send(t, id, `"text": "Olá"`)
		testkit.Diff(t, "receiver", sent.To, maria)
		write("2", moved)
		_, sent = d.send(t, id, `"text": "Olá de novo"`)
		testkit.Diff(t, "receiver after the number changed", sent.To, moved)
	})
}

func TestABannedNumberIsNotConnectedAgainAndAgain(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		next := d.follow(t)
		d.phone.Emit(&events.TemporaryBan{Code: events.TempBanSentToTooManyPeople, Expire: time.Hour})
		state := until(t, next, func(state map[string]any) bool { return state["state"] == "failed" })
		reason, _ := state["error"].(map[string]any)
		params, _ := reason["params"].(map[string]any)
		if expires, err := time.Parse(time.RFC3339, fmt.Sprint(params["expires_at"])); reason["code"] != "number_banned" || params["reason"] != "too_many_people" ||
			err != nil || expires.Sub(d.Clock.Now()).Abs() > 2*time.Hour {
			t.Errorf("the link of a banned number is %v", state)
		}
		testkit.Eventually(t, "the number is disconnected", func() bool { return d.phone.Connections() == 0 })
		until(t, d.follow(t), func(state map[string]any) bool { return state["state"] == "linked" }) // with the same keys
		d.phone.Emit(&events.TemporaryBan{Code: events.TempBanSentToTooManyPeople, Expire: time.Hour})
		testkit.Eventually(t, "the number is disconnected again", func() bool { return d.phone.Connections() == 0 })
		d.A.Delete(t, "/channels/"+d.channel+"/link").OK(204)
		testkit.Eventually(t, "the keys are deleted", func() bool { return d.kept(t, "device") == 0 })
	})
}

func TestABannedNumberIsNotShownAsRemovedOnThePhone(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		for reason, code := range map[events.ConnectFailureReason]string{
			events.ConnectFailureUnknownLogout: "number_banned", events.ConnectFailureMainDeviceGone: "logged_out",
		} {
			d.phone.Emit(&events.LoggedOut{OnConnect: true, Reason: reason})
			testkit.Eventually(t, "the number is disconnected: "+code, func() bool {
				return d.A.Get(t, "/channels/"+d.channel).OK(200).At("status_reason", "code") == code
			})
			d.link(t)
		}
	})
}

func TestAPartOfTheHistoryThatIsGoneIsGivenUp(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		d.phone.SendHistory(nil)
		testkit.Eventually(t, "the part is given up", func() bool { return d.phone.Waiting() == 0 && d.kept(t, "history") == 0 })
	})
}

// kept returns how many rows of a kind are stored for the device.
func (d *desk) kept(t *testing.T, kind string) (n int64) {
	t.Helper()
	channel, _ := kernel.ParseID(d.channel)
	kerneltest.Read(t, d.Desk.Channels.Store, func(tx *kernel.Tx) error {
		_, err := tx.One(`SELECT COUNT(*) AS n FROM linked_store WHERE company = $1 AND channel = $2 AND kind = $3`, []any{d.A.ID, channel, kind},
			func(r db.Row) { n = r.Int("n") })
		return err
	})
	return n
}

// cannotDecrypt delivers a message of the customer that the device cannot decrypt.
func (d *desk) cannotDecrypt(id string) types.MessageInfo {
	d.Clock.Advance(5 * time.Second)
	info := d.phone.Info(maria, id, d.Clock.Now())
	d.phone.Emit(&events.UndecryptableMessage{Info: info})
	return info
}

func TestAQuoteThatIsDecryptedLateIsKept(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		d.says("FIRST", "oi")
		d.phone.Write(d.cannotDecrypt("LATE"), &waE2E.Message{ExtendedTextMessage: &waE2E.ExtendedTextMessage{
			Text: new("Yes"), ContextInfo: &waE2E.ContextInfo{StanzaID: new("FIRST")},
		}})
		if m := d.messages(t, d.conversation(t))["LATE"]; m["reply_to_external_id"] != "FIRST" || m["text"] != "Yes" {
			t.Errorf("the late message is %v", m)
		}
	})
}

func TestAMenuIsAnsweredByAMessageThatIsDecryptedLate(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		sales := d.receive(t)
		first := d.cannotDecrypt("FIRST")
		d.expectSent(t, 1, "Olá!\n\n"+menu)
		d.phone.Write(first, linkedtest.Text("1")) // it was written before the menu was shown
		late := d.cannotDecrypt("LATE")
		d.cannotDecrypt("ONCE")
		id := d.conversation(t)
		if got := d.A.Get(t, "/conversations/"+id).OK(200); got.At("sector") != nil || got.At("attendance") == nil || got.Int("unread_count") != 3 {
			t.Errorf("before the answer can be read the conversation is %s", got.Raw)
		}
		for range 2 { // delivered again
			d.phone.Write(late, linkedtest.Text("1"))
		}
		testkit.Diff(t, "sector", d.A.Get(t, "/conversations/"+id).OK(200).At("sector"), any(sales))
		testkit.Diff(t, "number of messages sent", len(d.phone.Sent()), 1)
	})
}

func TestARatingThatIsDecryptedLateCounts(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		attendance := d.askedToRate(t)
		d.phone.Write(d.cannotDecrypt("LATE"), linkedtest.Text("5"))
		testkit.Diff(t, "rating", d.A.Get(t, "/attendances/"+attendance).OK(200).Int("survey", "rating"), 5)
	})
}

func TestACaseThatOpensWhileASurveyIsPendingIsGreeted(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		d.askedToRate(t)
		d.receive(t)
		sent := len(d.phone.Sent())
		d.cannotDecrypt("LATE")
		d.expectSent(t, sent+1, "Olá!\n\n"+menu)
	})
}

func TestALateMessageOfABlockedContactRaisesNoEvent(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		d.says("FIRST", "oi")
		contact := d.A.Get(t, "/contacts").OK(200).At("data", 0, "id").(string)
		d.A.Patch(t, "/contacts/"+contact, `{"blocked": true}`).OK(200)
		late := d.cannotDecrypt("LATE")
		d.SettleFeed(t)
		before := len(d.A.Get(t, "/events?limit=100").OK(200).List())
		d.phone.Write(late, linkedtest.Text("Yes"))
		testkit.Diff(t, "text", d.messages(t, d.conversation(t))["LATE"]["text"], any("Yes"))
		d.SettleFeed(t)
		testkit.Diff(t, "number of events", len(d.A.Get(t, "/events?limit=100").OK(200).List()), before)
	})
}

func TestAKeywordThatIsDecryptedLateCountsOnce(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		d.receive(t)
		d.says("FIRST", "oi")
		d.expectSent(t, 1, "Olá!\n\n"+menu)
		late := d.cannotDecrypt("LATE")
		for range 2 {
			d.phone.Write(late, linkedtest.Text("SAIR"))
		}
		d.expectSent(t, 2, talk.DefaultOptOutConfirmation)
		if contact := d.A.Get(t, "/contacts").OK(200); contact.At("data", 0, "opted_out") != true {
			t.Errorf("the contact is %s", contact.Raw)
		}
		d.says("NEXT", "1") // the menu has ended
		got := d.A.Get(t, "/conversations/"+d.conversation(t)).OK(200)
		if got.At("sector") != nil || got.Int("unread_count") != 3 {
			t.Errorf("the conversation is %s", got.Raw)
		}
	})
}
