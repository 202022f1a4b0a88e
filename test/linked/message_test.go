package linked_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.mau.fi/whatsmeow"
	waBinary "go.mau.fi/whatsmeow/binary"
	"go.mau.fi/whatsmeow/proto/waCommon"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/proto/waHistorySync"
	"go.mau.fi/whatsmeow/proto/waSyncAction"
	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/types/events"

	"recado/internal/kernel"
	"recado/internal/people"
	"recado/test/linkedtest"
	"recado/test/servertest"
	"recado/test/testkit"
)

// png is the smallest picture.
const png = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89\x00\x00\x00\rIDATx\x9cc\xf8\xff\xff?\x00\x05\xfe\x02\xfe\xa75\x81\x84\x00\x00\x00\x00IEND\xaeB`\x82"

const passphrase = "a long passphrase for tests"

// messages returns the messages of a conversation by their external ids.
func (d *desk) messages(t *testing.T, conversation string) map[string]map[string]any {
	t.Helper()
	found := map[string]map[string]any{}
	for _, m := range d.A.Get(t, "/conversations/"+conversation+"/messages?limit=100").OK(200).List() {
		m := m.(map[string]any)
		id, _ := m["external_id"].(string)
		found[id] = m
	}
	return found
}

// send sends a message and waits until WhatsApp has it. It returns our id and what was sent.
func (d *desk) send(t *testing.T, conversation, fields string) (string, linkedtest.Sent) {
	t.Helper()
	before := len(d.phone.Sent())
	id := d.A.Post(t, "/conversations/"+conversation+"/messages", fmt.Sprintf(`{"client_id": %q, %s}`, kernel.NewID(), fields)).OK(201).ID()
	testkit.Eventually(t, "the message is sent", func() bool {
		return len(d.phone.Sent()) > before && d.A.Get(t, "/messages/"+id).OK(200).Text("status") != "queued"
	})
	return id, d.phone.Sent()[before]
}

func TestEveryKindOfMessageIsReceived(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		up := d.phone.Put([]byte(png), whatsmeow.MediaImage)
		name, vcard := "Ana", "BEGIN:VCARD\nVERSION:3.0\nFN:Ana Lima\nTEL;waid=5511977776666:+55 11 97777-6666\nEND:VCARD"
		kinds := []struct {
			id, kind, text string
			message        *waE2E.Message
		}{
			{"TEXT", "text", "Oi", linkedtest.Text("Oi")},
			{"IMAGE", "image", "Look", &waE2E.Message{ImageMessage: &waE2E.ImageMessage{DirectPath: &up.DirectPath, FileLength: &up.FileLength, Mimetype: new("image/png"), Caption: new("Look")}}},
			{"VOICE", "audio", "", &waE2E.Message{AudioMessage: &waE2E.AudioMessage{DirectPath: &up.DirectPath, FileLength: &up.FileLength, Mimetype: new("audio/ogg; codecs=opus"), PTT: new(true)}}},
			{"VIDEO", "video", "", &waE2E.Message{VideoMessage: &waE2E.VideoMessage{DirectPath: &up.DirectPath, FileLength: &up.FileLength, Mimetype: new("video/mp4")}}},
			{"DOCUMENT", "document", "The bill", &waE2E.Message{DocumentWithCaptionMessage: &waE2E.FutureProofMessage{Message: &waE2E.Message{DocumentMessage: &waE2E.DocumentMessage{DirectPath: &up.DirectPath, FileLength: &up.FileLength, Mimetype: new("application/pdf"), FileName: new("bill.pdf"), Caption: new("The bill")}}}}},
			{"STICKER", "sticker", "", &waE2E.Message{StickerMessage: &waE2E.StickerMessage{DirectPath: &up.DirectPath, FileLength: &up.FileLength, Mimetype: new("image/webp")}}},
			{"PLACE", "location", "Praça", &waE2E.Message{LocationMessage: &waE2E.LocationMessage{Name: new("Praça"), DegreesLatitude: new(-23.5), DegreesLongitude: new(-46.6)}}},
			{"CARD", "contacts", "Ana Lima", &waE2E.Message{ContactMessage: &waE2E.ContactMessage{DisplayName: &name, Vcard: &vcard}}},
			{"POLL", "text", "- Sunday", &waE2E.Message{PollCreationMessageV3: &waE2E.PollCreationMessage{Name: new("When?"), Options: []*waE2E.PollCreationMessage_Option{{OptionName: new("Saturday")}, {OptionName: new("Sunday")}}}}},
			{"REPLY", "text", "Yes", &waE2E.Message{ExtendedTextMessage: &waE2E.ExtendedTextMessage{Text: new("Yes"), ContextInfo: &waE2E.ContextInfo{StanzaID: new("TEXT")}}}},
		}
		for _, k := range kinds {
			d.phone.Write(d.phone.Info(maria, k.id, time.Now()), k.message)
		}
		phone := d.phone.Info(maria, "PHONE", time.Now())
		phone.IsFromMe, phone.Sender = true, d.phone.JID
		d.phone.Write(phone, linkedtest.Text("From the phone"))
		d.phone.Write(phone, linkedtest.Text("From the phone")) // delivered again
		id := d.conversation(t)
		got := d.messages(t, id)
		for _, k := range kinds {
			m := got[k.id]
			text, _ := m["text"].(string)
			if m["type"] != k.kind || !strings.Contains(text, k.text) || m["direction"] != "inbound" || m["origin"] != "customer" {
				t.Errorf("%s is stored as %v", k.id, m)
			}
		}
		if got["VOICE"]["voice"] != true || got["REPLY"]["reply_to_external_id"] != "TEXT" {
			t.Errorf("the voice message is %v, the reply %v", got["VOICE"], got["REPLY"])
		}
		if m := got["PHONE"]; m["origin"] != "phone" || m["direction"] != "outbound" || m["status"] != "sent" || len(got) != len(kinds)+1 {
			t.Errorf("the message from the phone is %v, one of %d", m, len(got))
		}
		testkit.Eventually(t, "the picture is fetched", func() bool {
			return d.A.Get(t, "/media/"+got["IMAGE"]["media_id"].(string)).Status == 200
		})
	})
}

func TestChangesOfMessagesAreReceived(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		write := func(id string, m *waE2E.Message) { d.phone.Write(d.phone.Info(maria, id, time.Now()), m) }
		key := func(id string) *waCommon.MessageKey {
			return &waCommon.MessageKey{RemoteJID: new(maria.String()), FromMe: new(false), ID: &id}
		}
		write("A", linkedtest.Text("At ten"))
		write("B", linkedtest.Text("A mistake"))
		write("R", &waE2E.Message{ReactionMessage: &waE2E.ReactionMessage{Key: key("A"), Text: new("👍")}})
		write("E", &waE2E.Message{EditedMessage: &waE2E.FutureProofMessage{Message: &waE2E.Message{ProtocolMessage: &waE2E.ProtocolMessage{
			Type: waE2E.ProtocolMessage_MESSAGE_EDIT.Enum(), Key: key("A"), EditedMessage: linkedtest.Text("At eleven"),
		}}}})
		write("D", &waE2E.Message{ProtocolMessage: &waE2E.ProtocolMessage{Type: waE2E.ProtocolMessage_REVOKE.Enum(), Key: key("B")}})
		got := d.messages(t, d.conversation(t))
		reactions, _ := got["A"]["reactions"].([]any)
		if len(got) != 2 || got["A"]["text"] != "At eleven" || got["A"]["edited_at"] == nil || len(reactions) != 1 {
			t.Errorf("the edited message is %v", got["A"])
		}
		if got["B"]["revoked_at"] == nil || got["B"]["text"] != nil {
			t.Errorf("the deleted message is %v", got["B"])
		}
	})
}

func TestRepliesAndReactionsAreSent(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		d.phone.Write(d.phone.Info(maria, "IN", time.Now()), linkedtest.Text("Oi"))
		id := d.conversation(t)
		_, sent := d.send(t, id, `"text": "Yes", "reply_to_external_id": "IN"`)
		if about := sent.Message.GetExtendedTextMessage().GetContextInfo(); about.GetStanzaID() != "IN" || about.GetParticipant() != maria.String() {
			t.Errorf("the reply is sent as %v", sent.Message)
		}
		before := len(d.phone.Sent())
		d.A.Put(t, "/messages/"+d.messages(t, id)["IN"]["id"].(string)+"/reaction", `{"emoji": "👍"}`).OK(200)
		testkit.Eventually(t, "the reaction is sent", func() bool { return len(d.phone.Sent()) > before })
		if r := d.phone.Sent()[before].Message.GetReactionMessage(); r.GetText() != "👍" || r.GetKey().GetID() != "IN" || r.GetKey().GetFromMe() {
			t.Errorf("the reaction is sent as %v", r)
		}
	})
}

func TestSentMessagesAreEditedAndDeleted(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		d.phone.Write(d.phone.Info(maria, "IN", time.Now()), linkedtest.Text("Oi"))
		id := d.conversation(t)
		message, sent := d.send(t, id, `"text": "At ten"`)
		edited := d.A.Patch(t, "/messages/"+message, `{"text": "At eleven"}`).OK(200)
		if edited.Text("text") != "At eleven" || edited.At("edited_at") == nil {
			t.Errorf("the edited message is %s", edited.Raw)
		}
		testkit.Eventually(t, "the edit is sent", func() bool { return len(d.phone.Sent()) == 2 })
		p := d.phone.Sent()[1].Message.GetEditedMessage().GetMessage().GetProtocolMessage()
		if p.GetType() != waE2E.ProtocolMessage_MESSAGE_EDIT || p.GetKey().GetID() != sent.ID || !p.GetKey().GetFromMe() ||
			p.GetEditedMessage().GetConversation() != "At eleven" {
			t.Errorf("the edit is sent as %v", p)
		}
		d.Clock.Advance(16 * time.Minute)
		d.A.Patch(t, "/messages/"+message, `{"text": "At twelve"}`).Fails(409, "not_editable")
		d.A.Delete(t, "/messages/"+message).OK(204)
		testkit.Eventually(t, "the deletion is sent", func() bool { return len(d.phone.Sent()) == 3 })
		if p := d.phone.Sent()[2].Message.GetProtocolMessage(); p.GetType() != waE2E.ProtocolMessage_REVOKE || p.GetKey().GetID() != sent.ID {
			t.Errorf("the deletion is sent as %v", p)
		}
		testkit.Eventually(t, "the content is removed", func() bool {
			got := d.A.Get(t, "/messages/"+message).OK(200)
			return got.At("revoked_at") != nil && got.At("text") == nil
		})
		d.A.Delete(t, "/messages/"+message).Fails(409, "message_not_sent")
		d.A.Delete(t, "/messages/"+d.messages(t, id)["IN"]["id"].(string)).Fails(409, "not_held")
	})
}

func TestTicksAreFoundByTheIDOfTheMessage(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		d.phone.Write(d.phone.Info(maria, "IN", time.Now()), linkedtest.Text("Oi"))
		message, sent := d.send(t, d.conversation(t), `"text": "Olá"`)
		for _, tick := range []struct {
			kind types.ReceiptType
			want string
		}{{types.ReceiptTypeDelivered, "delivered"}, {types.ReceiptTypeRead, "read"}, {types.ReceiptTypeDelivered, "read"}} {
			d.phone.Emit(&events.Receipt{
				MessageSource: types.MessageSource{Chat: maria, Sender: maria}, MessageIDs: []types.MessageID{sent.ID}, Timestamp: time.Now(), Type: tick.kind,
			})
			if got := d.A.Get(t, "/messages/"+message).OK(200).Text("status"); got != tick.want {
				t.Errorf("after %q the message is %s, want %s", tick.kind, got, tick.want)
			}
		}
	})
}

func TestAPersonWithNumberAndLIDIsOneContact(t *testing.T) {
	lid := types.NewJID("77788899900", types.HiddenUserServer)
	both := func(d *desk, id string, first, second types.JID) types.MessageInfo {
		info := d.phone.Info(first, id, time.Now())
		info.SenderAlt = second
		return info
	}
	for name, order := range map[string]func(d *desk) []types.MessageInfo{
		"number first": func(d *desk) []types.MessageInfo {
			return []types.MessageInfo{d.phone.Info(maria, "1", time.Now()), both(d, "2", lid, maria), d.phone.Info(lid, "3", time.Now())}
		},
		"LID first": func(d *desk) []types.MessageInfo {
			return []types.MessageInfo{d.phone.Info(lid, "1", time.Now()), both(d, "2", maria, lid), d.phone.Info(maria, "3", time.Now())}
		},
		"both known before they meet": func(d *desk) []types.MessageInfo {
			return []types.MessageInfo{d.phone.Info(lid, "1", time.Now()), d.phone.Info(maria, "2", time.Now()), both(d, "3", lid, maria)}
		},
	} {
		t.Run(name, func(t *testing.T) {
			eachLinked(t, func(t *testing.T, d *desk) {
				for _, info := range order(d) {
					d.phone.Write(info, linkedtest.Text("Oi "+info.ID))
				}
				id := d.conversation(t)
				if got := len(d.messages(t, id)); got != 3 {
					t.Errorf("the conversation has %d messages, want 3", got)
				}
				if contacts := d.A.Get(t, "/contacts").OK(200).List(); len(contacts) != 1 || contacts[0].(map[string]any)["phone"] != "+5511987654321" {
					t.Errorf("the contacts are %v", contacts)
				}
			})
		})
	}
}

func TestWhatWhatsAppRefusesIsShownOnTheMessage(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		d.phone.Write(d.phone.Info(maria, "IN", time.Now()), linkedtest.Text("Oi"))
		id := d.conversation(t)
		d.phone.Refuse(fmt.Errorf("%w 463", whatsmeow.ErrServerReturnedError))
		message := d.A.Post(t, "/conversations/"+id+"/messages", fmt.Sprintf(`{"text": "Olá", "client_id": %q}`, kernel.NewID())).OK(201).ID()
		testkit.Eventually(t, "the message fails", func() bool {
			got := d.A.Get(t, "/messages/"+message).OK(200)
			return got.Text("status") == "failed" && got.Text("error", "code") == "provider_refused"
		})
		d.phone.Refuse(errors.New("a broken connection")) // it may have been sent: the next attempt has the same id
		again := d.A.Post(t, "/conversations/"+id+"/messages", fmt.Sprintf(`{"text": "Olá de novo", "client_id": %q}`, kernel.NewID())).OK(201).ID()
		testkit.Eventually(t, "the message is sent after the connection was broken", func() bool {
			d.Clock.Advance(time.Second) // attempts are seconds apart
			return d.A.Get(t, "/messages/"+again).OK(200).Text("status") == "sent"
		})
	})
}

func TestALinkedNumberSendsAsSlowlyAsSet(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		channel := "/channels/" + d.channel
		testkit.Diff(t, "the default pace", d.A.Get(t, channel).OK(200).Int("messages_per_minute"), 60)
		d.A.Patch(t, channel, `{"messages_per_minute": 61}`).Fails(400, "invalid_request")
		d.A.Patch(t, channel, `{"messages_per_minute": 0}`).Fails(400, "invalid_request")
		sandbox := d.A.Post(t, "/channels", `{"name": "Sandbox", "provider": "sandbox", "phone": "+5511911112222"}`).OK(201)
		d.A.Patch(t, "/channels/"+sandbox.ID(), `{"messages_per_minute": 10}`).Fails(400, "invalid_request")
		testkit.Diff(t, "the pace", d.A.Patch(t, channel, `{"messages_per_minute": 1}`).OK(200).Int("messages_per_minute"), 1)

		d.link(t)
		d.phone.Write(d.phone.Info(maria, "IN", time.Now()), linkedtest.Text("Oi"))
		id := d.conversation(t)
		d.send(t, id, `"text": "One"`)
		d.A.Post(t, "/conversations/"+id+"/messages", fmt.Sprintf(`{"text": "Two", "client_id": %q}`, kernel.NewID())).OK(201)
		time.Sleep(3 * time.Second) // at the default pace it would be sent by now
		if n := len(d.phone.Sent()); n != 1 {
			t.Errorf("%d messages were sent within seconds, want 1 in a minute", n)
		}
	})
}

func TestANumberThatIsNotOnWhatsApp(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		d.phone.Absent("+5511955551111")
		id := d.A.Post(t, "/conversations", fmt.Sprintf(`{"channel_id": %q, "phone": "+5511955551111"}`, d.channel)).OK(201).ID()
		message := d.A.Post(t, "/conversations/"+id+"/messages", fmt.Sprintf(`{"text": "Olá", "client_id": %q}`, kernel.NewID())).OK(201).ID()
		testkit.Eventually(t, "the message fails", func() bool {
			got := d.A.Get(t, "/messages/"+message).OK(200)
			return got.Text("status") == "failed" && got.Text("error", "code") == "not_on_whatsapp"
		})
	})
}

func TestAnotherNumberCannotContinueTheChannel(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		d.A.Delete(t, "/channels/"+d.channel+"/link").OK(204)
		testkit.Eventually(t, "the device is disconnected", func() bool { return d.phone.Connections() == 0 })
		d.phone.JID = types.NewJID("5511900001111", types.DefaultUserServer)
		d.fails(t, d.channel, "other_number")
	})
}

func TestNothingOfARefusedNumberIsStored(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		d.A.Delete(t, "/channels/"+d.channel+"/link").OK(204)
		testkit.Eventually(t, "the device is disconnected", func() bool { return d.phone.Connections() == 0 })
		d.phone.JID = types.NewJID("5511900001111", types.DefaultUserServer)
		d.phone.RefuseLogouts(errors.New("a broken connection"))
		next := d.follow(t)
		until(t, next, func(state map[string]any) bool { return state["qr"] != nil })
		if err := d.phone.Pair(t.Context()); err != nil {
			t.Fatal(err)
		}
		handed := d.phone.Handed()
		var early sync.WaitGroup
		early.Go(func() { // before it is known whose number it is
			d.phone.Write(d.phone.Info(maria, "IN", time.Now()), linkedtest.Text("Oi"))
			d.phone.SendHistory(&waHistorySync.HistorySync{Conversations: []*waHistorySync.Conversation{conversationOf(maria, 3, d.Clock.Now())}})
		})
		testkit.Eventually(t, "a message is delivered", func() bool { return d.phone.Handed() > handed })
		d.phone.Connect()
		state := until(t, next, func(state map[string]any) bool { return state["state"] == "failed" })
		if reason, _ := state["error"].(map[string]any); reason["code"] != "other_number" {
			t.Errorf("linking ended with %v, want other_number", state)
		}
		early.Wait()
		testkit.Diff(t, "number of messages", d.stored(t), int64(0))
		testkit.Diff(t, "devices connected", d.phone.Connections(), 0)
		for _, kind := range []string{"device", "history"} {
			testkit.Diff(t, "stored rows of the kind "+kind, d.kept(t, kind), int64(0))
		}
		until(t, d.follow(t), func(state map[string]any) bool { return state["qr"] != nil }) // the next attempt begins with a new device
	})
}

func TestANumberIsLinkedToOneChannel(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		create := func(c *servertest.Company) string {
			return c.Post(t, "/channels", `{"name": "Copy", "provider": "linked"}`).OK(201).ID()
		}
		copied := *d
		copied.fails(t, create(d.A), "number_taken")
		copied.World = &servertest.World{Server: d.Server, A: d.B, B: d.A, Clock: d.Clock}
		copied.fails(t, create(d.B), "link_refused")
		copied.World = d.World
		d.A.Enter(t, d.A.Owner.ID.String(), passphrase).Patch(t, "/channels/"+d.channel, `{"private": true}`).OK(200)
		copied.fails(t, create(d.A), "link_refused")
	})
}

// fails links a channel and expects an error.
func (d *desk) fails(t *testing.T, channel, code string) {
	t.Helper()
	d.channel = channel
	state := until(t, d.scan(t), func(state map[string]any) bool { return state["state"] == "failed" || state["state"] == "linked" })
	if reason, _ := state["error"].(map[string]any); reason["code"] != code {
		t.Errorf("linking ended with %v, want %s", state, code)
	}
}

func TestCallsNamesAndTyping(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		d.phone.Emit(&events.Contact{JID: maria, Timestamp: time.Now(), Action: &waSyncAction.ContactAction{FullName: new("Maria da Padaria")}})
		call := types.BasicCallMeta{From: maria, CallCreator: maria, CallID: "CALL1", Timestamp: time.Now()}
		d.phone.Emit(&events.CallOffer{BasicCallMeta: call, Data: &waBinary.Node{Tag: "offer", Content: []waBinary.Node{{Tag: "video"}}}})
		d.phone.Emit(&events.CallTerminate{BasicCallMeta: call, Reason: "timeout"})
		call.CallID = "CALL2"
		d.phone.Emit(&events.CallOffer{BasicCallMeta: call})
		d.phone.Emit(&events.CallTerminate{BasicCallMeta: call, Reason: "accepted_elsewhere"})
		id := d.conversation(t)
		got := d.messages(t, id)
		for external, want := range map[string]string{"CALL1": "missed_video_call", "CALL2": "voice_call"} {
			if notice, _ := got[external]["notice"].(map[string]any); notice["code"] != want {
				t.Errorf("the call %s is %v, want %s", external, got[external], want)
			}
		}
		if name := d.A.Get(t, "/conversations/"+id).OK(200).Text("name"); name != "Maria da Padaria" {
			t.Errorf("the customer is %q, want the name of the address book", name)
		}
		if got := d.phone.Presence(); got != types.PresenceUnavailable {
			t.Errorf("the device is %s while nobody views a conversation", got)
		}
		owner := d.A.Enter(t, d.A.Owner.ID.String(), passphrase)
		signals, stop := owner.Follow(t, "/live")
		defer stop()
		owner.Post(t, "/conversations/"+id+"/activity", `{"kind": "viewing"}`).OK(204)
		testkit.Eventually(t, "the device is in use", func() bool { return d.phone.Presence() == types.PresenceAvailable })
		d.phone.Emit(&events.ChatPresence{MessageSource: types.MessageSource{Chat: maria, Sender: maria}, State: types.ChatPresenceComposing})
		for {
			s, open := testkit.Receive(t, "the customer is typing", signals)
			if !open {
				t.Fatal("the stream ended")
			}
			if s.Event == "typing" {
				testkit.Contains(t, "typing", s.Data, "Maria da Padaria")
				return
			}
		}
	})
}

func TestAPrivateLinkedNumberIsHiddenFromOthers(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		owner := d.A.Enter(t, d.A.Owner.ID.String(), passphrase)
		ana := d.A.Enter(t, d.NewMember(t, people.NewUser{Name: "Ana", Role: kernel.RoleAdmin}).ID.String(), passphrase)
		d.phone.Write(d.phone.Info(maria, "IN", time.Now()), linkedtest.Text("Oi"))
		id := d.conversation(t)
		ana.Get(t, "/conversations/"+id).OK(200)
		owner.Patch(t, "/channels/"+d.channel, `{"private": true}`).OK(200)
		d.phone.Write(d.phone.Info(maria, "IN2", time.Now()), linkedtest.Text("A secret"))
		if got := owner.Get(t, "/conversations/"+id+"/messages").OK(200).Text("data", 0, "text"); got != "A secret" {
			t.Errorf("the owner sees %q last", got)
		}
		ana.Get(t, "/conversations/"+id).Fails(404, "not_found")
		ana.Delete(t, "/channels/"+d.channel+"/link").Fails(404, "not_found")
	})
}

func TestLinksAreAudited(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		d.A.Delete(t, "/channels/"+d.channel+"/link").OK(204)
		var actions []string
		for _, e := range d.A.Get(t, "/audit").OK(200).List() {
			actions = append(actions, e.(map[string]any)["action"].(string))
		}
		for _, want := range []string{"channel.connected", "channel.disconnected"} {
			if !slices.Contains(actions, want) {
				t.Errorf("the audit has %v, want %s", actions, want)
			}
		}
	})
}
