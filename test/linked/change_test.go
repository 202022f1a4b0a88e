package linked_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/proto/waCommon"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/types/events"

	"recado/internal/channels"
	"recado/internal/kernel"
	"recado/internal/server"
	"recado/test/linkedtest"
	"recado/test/servertest"
	"recado/test/testkit"
)

func TestTheWarningOfALostLinkNamesTheNumber(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		owner := d.A.Enter(t, d.A.Owner.ID.String(), passphrase)
		d.phone.RemoveDevice()
		testkit.Eventually(t, "the owner is warned", func() bool {
			warnings := owner.Get(t, "/me/notifications").OK(200)
			return len(warnings.List()) == 1 && warnings.Text("data", 0, "kind") == "channel_disconnected" && warnings.Text("data", 0, "entry") == d.channel
		})
	})
}

// A message that cannot be sent may disconnect the channel before WhatsApp says that the device was removed.
func TestTheOwnersAreWarnedOfALostLinkThatAMessageNoticedFirst(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		owner := d.A.Enter(t, d.A.Owner.ID.String(), passphrase)
		d.phone.Write(d.phone.Info(maria, "IN", time.Now()), linkedtest.Text("Oi"))
		d.phone.Refuse(whatsmeow.ErrNotLoggedIn)
		d.A.Post(t, "/conversations/"+d.conversation(t)+"/messages", fmt.Sprintf(`{"text": "Olá", "client_id": %q}`, kernel.NewID())).OK(201)
		reason := func() string { return d.A.Get(t, "/channels/"+d.channel).OK(200).Text("status_reason", "code") }
		testkit.Eventually(t, "the message disconnects the channel", func() bool { return reason() == "not_linked" })
		d.phone.RemoveDevice()
		testkit.Eventually(t, "the owner is warned", func() bool { return len(owner.Get(t, "/me/notifications").OK(200).List()) == 1 })
		testkit.Diff(t, "the reason", reason(), "logged_out")
	})
}

func TestARepeatedReactionHasTheSameID(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		d.phone.Write(d.phone.Info(maria, "IN", time.Now()), linkedtest.Text("Oi"))
		message := d.messages(t, d.conversation(t))["IN"]["id"].(string)
		d.phone.LoseReply()
		d.A.Put(t, "/messages/"+message+"/reaction", `{"emoji": "👍"}`).OK(200)
		testkit.Eventually(t, "the reaction is sent again", func() bool {
			d.Clock.Advance(time.Second)
			return len(d.phone.Sent()) == 2
		})
		sent := d.phone.Sent()
		testkit.Diff(t, "the id of the second attempt", sent[1].ID, sent[0].ID)
		testkit.Diff(t, "the messages that are kept for receivers who cannot decrypt them", d.kept(t, "sent"), int64(1))
	})
}

func TestAReceiverWhoCouldNotDecryptAMessageGetsNoTextThatWasReplaced(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		d.phone.Write(d.phone.Info(maria, "IN", time.Now()), linkedtest.Text("Oi"))
		message, sent := d.send(t, d.conversation(t), `"text": "First"`)
		path := "/messages/" + message
		for i, text := range []string{"Second", "Third"} {
			d.A.Patch(t, path, fmt.Sprintf(`{"text": %q}`, text)).OK(200)
			testkit.Eventually(t, "the message is resent as "+text, func() bool { return d.phone.Resends(sent.ID).GetConversation() == text })
			testkit.Diff(t, "number of messages sent", len(d.phone.Sent()), i+2)
			testkit.Eventually(t, "one message and one edit are kept", func() bool { return d.kept(t, "sent") == 2 && d.kept(t, "edit") == 1 })
		}
		d.A.Delete(t, path).OK(204)
		testkit.Eventually(t, "only the deletion is kept", func() bool {
			return d.phone.Resends(sent.ID) == nil && d.kept(t, "sent") == 1 && d.kept(t, "edit") == 0
		})
	})
}

func TestOldMessagesOfANumberThatIsNotConnectedAreNotKept(t *testing.T) {
	t.Parallel()
	phone := linkedtest.NewPhone("5511912345678")
	var process *restarting
	w := servertest.Start(t, "", func(c *server.Config) {
		c.Linked = func(s *server.Server) channels.Linked {
			process = &restarting{Linked: s.NewLinked(phone.NewClient)}
			return process
		}
	})
	d := &desk{World: w, phone: phone, channel: w.A.Post(t, "/channels", `{"name": "Shop", "provider": "linked"}`).OK(201).ID()}
	d.link(t)
	phone.Write(phone.Info(maria, "IN", time.Now()), linkedtest.Text("Oi"))
	d.send(t, d.conversation(t), `"text": "Olá"`)
	phone.Emit(&events.TemporaryBan{Code: events.TempBanSentToTooManyPeople, Expire: time.Hour})
	testkit.Eventually(t, "the number is disconnected", func() bool { return phone.Connections() == 0 })
	testkit.Diff(t, "messages that are kept", d.kept(t, "sent"), int64(1))
	d.Clock.Advance(4 * 24 * time.Hour)
	process.Kill()
	testkit.Eventually(t, "they are deleted", func() bool { return d.kept(t, "sent") == 0 })
}

func TestAChangeThatWhatsAppRefusesIsUndone(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		d.phone.Write(d.phone.Info(maria, "IN", time.Now()), linkedtest.Text("Oi"))
		message, sent := d.send(t, d.conversation(t), `"text": "At ten"`)
		path := "/messages/" + message
		is := func(text, status, code string) {
			t.Helper()
			testkit.Eventually(t, fmt.Sprintf("the message is %s, with the text %q and the error %q", status, text, code), func() bool {
				got := d.A.Get(t, path).OK(200)
				err, _ := got.At("error").(map[string]any)
				return got.Text("text") == text && got.Text("status") == status && got.At("edited_at") == nil && got.At("revoked_at") == nil &&
					(code == "" && err == nil || err["code"] == code)
			})
		}
		refusal := fmt.Errorf("%w 479", whatsmeow.ErrServerReturnedError)
		d.phone.Refuse(refusal)
		d.A.Patch(t, path, `{"text": "At eleven"}`).OK(200)
		is("At ten", "sent", "edit_refused")
		d.phone.Emit(&events.Receipt{
			MessageSource: types.MessageSource{Chat: maria, Sender: maria}, MessageIDs: []types.MessageID{sent.ID}, Timestamp: time.Now(), Type: types.ReceiptTypeRead,
		})
		is("At ten", "read", "edit_refused")
		d.phone.Refuse(refusal)
		d.A.Delete(t, path).OK(204)
		is("At ten", "read", "delete_refused")
		d.A.Delete(t, path).OK(204)
		testkit.Eventually(t, "the message is deleted", func() bool {
			got := d.A.Get(t, path).OK(200)
			return got.At("revoked_at") != nil && got.At("text") == nil && got.At("error") == nil
		})
	})
}

func TestAdminsOfAGroupAndOurPhoneDeleteMessagesOfOthers(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		d.phone.SetGroup(theGroup("Party"))
		for _, id := range []string{"BY_ADMIN", "BY_PHONE"} {
			d.phone.Write(d.inGroup(joao, id), linkedtest.Text(id))
		}
		d.phone.Write(d.inGroup(maria, "BY_MEMBER"), linkedtest.Text("BY_MEMBER"))
		id := d.conversation(t)
		revoke := func(info types.MessageInfo, of string) {
			d.phone.Write(info, &waE2E.Message{ProtocolMessage: &waE2E.ProtocolMessage{
				Type: waE2E.ProtocolMessage_REVOKE.Enum(), Key: &waCommon.MessageKey{ID: &of},
			}})
		}
		revoke(d.inGroup(joao, "R1"), "BY_MEMBER")
		revoke(d.inGroup(maria, "R2"), "BY_ADMIN")
		ours := d.inGroup(d.phone.JID, "R3")
		ours.IsFromMe = true
		revoke(ours, "BY_PHONE")
		testkit.Eventually(t, "the messages are deleted", func() bool {
			got := d.messages(t, id)
			return got["BY_ADMIN"]["revoked_at"] != nil && got["BY_PHONE"]["revoked_at"] != nil
		})
		if got := d.messages(t, id)["BY_MEMBER"]; got["revoked_at"] != nil {
			t.Errorf("an ordinary member deleted a message of another: %v", got)
		}
	})
}

func TestAllUnreadMessagesAreMarkedAsRead(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		d.phone.Absent("+" + maria.User) // its address is known: WhatsApp is not asked for it
		var read []types.MessageID
		known := ""
		for _, customer := range []types.JID{maria, types.NewJID("77788899900", types.HiddenUserServer)} {
			for n := range 3 {
				read = append(read, fmt.Sprint(customer.User, "-", n))
				d.phone.Write(d.phone.Info(customer, read[len(read)-1], time.Now()), linkedtest.Text("Oi"))
			}
			for _, c := range d.A.Get(t, "/conversations").OK(200).List() {
				if id := c.(map[string]any)["id"].(string); id != known {
					d.A.Post(t, "/conversations/"+id+"/read", `{}`).OK(200)
					known = id
				}
			}
			testkit.Eventually(t, "the messages are marked as read", func() bool { return slices.Equal(d.phone.Read(), read) })
		}
	})
}

func TestReadReceiptsReachTheNodeWithTheConnection(t *testing.T) {
	d, url := twoNodes(t)
	d.phone.Write(d.phone.Info(maria, "IN", time.Now()), linkedtest.Text("Oi"))
	id := d.conversation(t)
	elsewhere, _ := d.SecondNode(t, url, func(c *server.Config) {
		c.Linked = func(s *server.Server) channels.Linked { return s.NewLinked(d.phone.NewClient) }
	})
	elsewhere.Post(t, "/conversations/"+id+"/read", `{}`).OK(200)
	testkit.Eventually(t, "the message is marked as read", func() bool { return slices.Equal(d.phone.Read(), []types.MessageID{"IN"}) })
}

func TestACallIsNotMarkedAsRead(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		d.phone.Write(d.phone.Info(maria, "IN", time.Now()), linkedtest.Text("Oi"))
		id := d.conversation(t)
		call := types.BasicCallMeta{From: maria, CallCreator: maria, CallID: "CALL", Timestamp: time.Now()}
		d.phone.Emit(&events.CallOffer{BasicCallMeta: call})
		d.phone.Emit(&events.CallTerminate{BasicCallMeta: call, Reason: "timeout"})
		testkit.Eventually(t, "the call is in the conversation", func() bool { return d.stored(t) == 2 })
		d.A.Post(t, "/conversations/"+id+"/read", `{}`).OK(200)
		testkit.Eventually(t, "the message is marked as read", func() bool { return slices.Equal(d.phone.Read(), []types.MessageID{"IN"}) })
	})
}
