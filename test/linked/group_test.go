package linked_test

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"testing"
	"time"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/proto/waCommon"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/types/events"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/test/kerneltest"
	"recado/test/linkedtest"
	"recado/test/testkit"
)

var (
	party = types.NewJID("120363025555555555", types.GroupServer)
	joao  = types.NewJID("5511955554444", types.DefaultUserServer)
)

// inGroup returns the description of a message of a member of the group.
func (d *desk) inGroup(from types.JID, id string) types.MessageInfo {
	info := d.phone.Info(from, id, time.Now())
	info.Chat, info.IsGroup = party, true
	return info
}

func theGroup(name string) types.GroupInfo {
	return types.GroupInfo{
		JID: party, GroupName: types.GroupName{Name: name},
		Participants: []types.GroupParticipant{{JID: maria, IsAdmin: true, IsSuperAdmin: true}, {JID: joao}},
	}
}

func TestAGroupHasItsNameItsMembersAndAuthors(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		d.phone.SetGroup(theGroup("Party"))
		d.phone.Write(d.inGroup(maria, "G1"), linkedtest.Text("Who brings the cake?"))
		id := d.conversation(t)
		got := d.A.Get(t, "/conversations/"+id).OK(200)
		if got.Text("kind") != "group" || got.Text("name") != "Party" || got.At("cases") != false || got.At("attendance") != nil {
			t.Fatalf("the group is %s", got.Raw)
		}
		if author := d.A.Get(t, "/conversations/"+id+"/messages").OK(200).Text("data", 0, "author", "name"); author != "Maria" {
			t.Fatalf("the message is of %s, not of Maria", author)
		}
		members := d.A.Get(t, "/conversations/"+id+"/members").OK(200)
		if len(members.List()) != 2 || members.Text("data", 0, "role") != "owner" || members.Text("data", 0, "name") != "Maria" ||
			members.Text("data", 1, "role") != "member" || members.Text("data", 1, "phone") != "+5511955554444" {
			t.Fatalf("the members are %s", members.Raw)
		}
		d.phone.SetGroup(theGroup("Big party"))
		testkit.Eventually(t, "the new name of the group", func() bool {
			return d.A.Get(t, "/conversations/"+id).OK(200).Text("name") == "Big party"
		})
	})
}

func TestAGroupOpensCasesOnlyIfItIsSwitchedOn(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		d.phone.SetGroup(theGroup("Party"))
		d.phone.Write(d.inGroup(maria, "G1"), linkedtest.Text("Hello"))
		id := d.conversation(t)
		d.A.Patch(t, "/conversations/"+id, `{"cases": true}`).OK(200)
		d.phone.Write(d.inGroup(maria, "G2"), linkedtest.Text("Is anybody there?"))
		testkit.Eventually(t, "a case", func() bool { return d.A.Get(t, "/conversations/"+id).OK(200).At("attendance") != nil })
		d.phone.Write(d.phone.Info(joao, "J1", time.Now()), linkedtest.Text("Hi"))
		var direct string
		testkit.Eventually(t, "the conversation with João", func() bool {
			for _, c := range d.A.Get(t, "/conversations").OK(200).List() {
				if c := c.(map[string]any); c["kind"] == "direct" {
					direct = c["id"].(string)
				}
			}
			return direct != ""
		})
		d.A.Patch(t, "/conversations/"+direct, `{"cases": false}`).Fails(400, "invalid_request")
	})
}

func TestMentionsInAGroup(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		d.phone.SetGroup(theGroup("Party"))
		text := "@5511955554444 brings it"
		d.phone.Write(d.inGroup(maria, "G1"), &waE2E.Message{ExtendedTextMessage: &waE2E.ExtendedTextMessage{
			Text: &text, ContextInfo: &waE2E.ContextInfo{MentionedJID: []string{joao.String()}},
		}})
		id := d.conversation(t)
		if got := d.A.Get(t, "/conversations/"+id+"/messages").OK(200).Text("data", 0, "text"); got != "@+5511955554444 brings it" {
			t.Fatalf("the mention is shown as %q", got)
		}
		d.A.Post(t, "/conversations/"+id+"/messages", `{"text": "Thanks @5511955554444", "client_id": "01991c2e-5b1a-7d3f-8b6c-2f4a5d6e7f80", "reply_to_external_id": "G1"}`).OK(201)
		testkit.Eventually(t, "the message to the group", func() bool { return len(d.phone.Sent()) == 1 })
		sent := d.phone.Sent()[0]
		about := sent.Message.GetExtendedTextMessage().GetContextInfo()
		if sent.To != party || len(about.GetMentionedJID()) != 1 || about.GetMentionedJID()[0] != joao.String() ||
			about.GetStanzaID() != "G1" || about.GetParticipant() != maria.String() {
			t.Fatalf("sent %v to %v", sent.Message, sent.To)
		}
		_, sent = d.send(t, id, `"text": "Thanks @Maria"`)
		if m := sent.Message.GetExtendedTextMessage(); m.GetText() != "Thanks @"+maria.User || !slices.Contains(m.GetContextInfo().GetMentionedJID(), maria.String()) {
			t.Fatalf("the mention of a member by name is sent as %v", sent.Message)
		}
		if got := d.A.Get(t, "/conversations/"+id+"/messages").OK(200).Text("data", 0, "text"); got != "Thanks @Maria" {
			t.Fatalf("the mention is shown as %q", got)
		}
		file := d.A.Upload(t, "photo.png", []byte(png)).OK(201).ID()
		_, sent = d.send(t, id, fmt.Sprintf(`"media_id": %q, "text": "Look @Maria"`, file))
		if m := sent.Message.GetImageMessage(); m.GetCaption() != "Look @"+maria.User || !slices.Contains(m.GetContextInfo().GetMentionedJID(), maria.String()) {
			t.Fatalf("the mention in a caption is sent as %v", sent.Message)
		}
		d.phone.Write(d.inGroup(maria, "E1"), &waE2E.Message{EditedMessage: &waE2E.FutureProofMessage{Message: &waE2E.Message{ProtocolMessage: &waE2E.ProtocolMessage{
			Type: waE2E.ProtocolMessage_MESSAGE_EDIT.Enum(), Key: &waCommon.MessageKey{ID: new("G1")}, EditedMessage: &waE2E.Message{ExtendedTextMessage: &waE2E.ExtendedTextMessage{
				Text: new("@5511955554444 pays"), ContextInfo: &waE2E.ContextInfo{MentionedJID: []string{joao.String()}},
			}},
		}}}})
		if got := d.messages(t, id)["G1"]["text"]; got != "@+5511955554444 pays" {
			t.Fatalf("the mention in an edited message is shown as %q", got)
		}
	})
}

func TestMessagesInAGroupReferToPeopleLikeThoseOfItsMembers(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		lid := types.NewJID("77788899900", types.HiddenUserServer)
		group := theGroup("Party")
		group.AddressingMode = types.AddressingModeLID
		group.Participants = []types.GroupParticipant{{JID: lid, PhoneNumber: maria, LID: lid}}
		d.phone.SetGroup(group)
		info := d.inGroup(lid, "G1")
		info.SenderAlt = maria
		d.phone.Write(info, linkedtest.Text("Oi"))
		id := d.conversation(t)
		_, sent := d.send(t, id, `"text": "Thanks @Maria", "reply_to_external_id": "G1"`)
		m := sent.Message.GetExtendedTextMessage()
		if about := m.GetContextInfo(); m.GetText() != "Thanks @"+lid.User || about.GetParticipant() != lid.String() || !slices.Contains(about.GetMentionedJID(), lid.String()) {
			t.Errorf("the reply is sent as %v", sent.Message)
		}
		d.A.Put(t, "/messages/"+d.messages(t, id)["G1"]["id"].(string)+"/reaction", `{"emoji": "👍"}`).OK(200)
		testkit.Eventually(t, "the reaction is sent", func() bool { return len(d.phone.Sent()) == 2 })
		if key := d.phone.Sent()[1].Message.GetReactionMessage().GetKey(); key.GetParticipant() != lid.String() {
			t.Errorf("the reaction is sent to %v", key)
		}
	})
}

func TestMembersWithTheSameNameAreNotMentionedByIt(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		ana := types.NewJID("5511944443333", types.DefaultUserServer)
		id := d.groupOf(t, types.GroupParticipant{JID: maria, DisplayName: "Maria Lima"}, types.GroupParticipant{JID: joao, DisplayName: "Maria Lima"},
			types.GroupParticipant{JID: ana, DisplayName: "Maria"})
		_, sent := d.send(t, id, `"text": "Thanks @Maria Lima"`)
		if m := sent.Message; m.GetConversation() != "Thanks @Maria Lima" {
			t.Errorf("the mention of one of two members with the same name is sent as %v", m)
		}
		_, sent = d.send(t, id, `"text": "Thanks @Maria"`)
		if m := sent.Message.GetExtendedTextMessage(); m.GetText() != "Thanks @"+ana.User {
			t.Errorf("the mention of the only member with a name is sent as %v", sent.Message)
		}
	})
}

func TestANameIsNotMentionedByTheBeginningOfAWord(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		id := d.groupOf(t, types.GroupParticipant{JID: maria, DisplayName: "Ana"})
		_, sent := d.send(t, id, `"text": "@Anabela and @Ana"`)
		if m := sent.Message.GetExtendedTextMessage(); m.GetText() != "@Anabela and @"+maria.User {
			t.Errorf("the mention is sent as %v", sent.Message)
		}
	})
}

// An address of an old Brazilian number lacks the ninth digit.
func TestAMemberIsMentionedByEveryFormOfTheNumber(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		old := types.NewJID("553181234567", types.DefaultUserServer)
		id := d.groupOf(t, types.GroupParticipant{JID: old})
		testkit.Diff(t, "members", d.members(t, id), []string{"+5531981234567"})
		for _, number := range []string{"5531981234567", old.User} {
			_, sent := d.send(t, id, fmt.Sprintf(`"text": "Thanks @%s"`, number))
			m := sent.Message.GetExtendedTextMessage()
			testkit.Diff(t, "text", m.GetText(), "Thanks @"+old.User)
			testkit.Diff(t, "mentioned", m.GetContextInfo().GetMentionedJID(), []string{old.String()})
		}
	})
}

// groupOf returns the conversation of a group with members.
func (d *desk) groupOf(t *testing.T, members ...types.GroupParticipant) (conversation string) {
	t.Helper()
	group := theGroup("Party")
	group.Participants = members
	d.phone.SetGroup(group)
	ours := d.inGroup(d.phone.JID, "G1")
	ours.IsFromMe = true
	d.phone.Write(ours, linkedtest.Text("Hello"))
	return d.conversation(t)
}

func TestPeopleWithoutAContactReactInAGroup(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		d.phone.SetGroup(theGroup("Party"))
		d.phone.Write(d.inGroup(maria, "G1"), linkedtest.Text("Who comes?"))
		react := func(from types.JID, id, emoji string) {
			info := d.inGroup(from, id)
			info.PushName = "Guest " + from.User
			d.phone.Write(info, &waE2E.Message{ReactionMessage: &waE2E.ReactionMessage{Key: &waCommon.MessageKey{ID: new("G1")}, Text: &emoji}})
		}
		ana := types.NewJID("5511944443333", types.DefaultUserServer)
		react(joao, "R1", "👍")
		react(ana, "R2", "❤️")
		react(joao, "R3", "👎")
		var got []string
		for _, r := range d.messages(t, d.conversation(t))["G1"]["reactions"].([]any) {
			got = append(got, r.(map[string]any)["emoji"].(string))
		}
		slices.Sort(got)
		want := []string{"❤️", "👎"}
		slices.Sort(want)
		testkit.Diff(t, "the reactions", got, want)
	})
}

// members returns the numbers of the members of a group.
func (d *desk) members(t *testing.T, conversation string) (numbers []string) {
	t.Helper()
	for _, m := range d.A.Get(t, "/conversations/"+conversation+"/members").OK(200).List() {
		numbers = append(numbers, m.(map[string]any)["phone"].(string))
	}
	return numbers
}

func TestAGroupThatCannotBeReadIsReadWithAMessageAMinuteLater(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		group := theGroup("Party")
		group.Participants = append(group.Participants, types.GroupParticipant{JID: d.phone.JID})
		d.phone.SetGroup(group)
		d.phone.Write(d.inGroup(maria, "G1"), linkedtest.Text("Hello"))
		id := d.conversation(t)
		name := func() string { return d.A.Get(t, "/conversations/"+id).OK(200).Text("name") }

		d.phone.RefuseGroups(errors.New("too many requests"))
		group.Name, group.Participants = "Big party", group.Participants[1:]
		d.phone.SetGroup(group)
		testkit.Diff(t, "the name in the event", name(), "Big party")
		testkit.Diff(t, "the number of members before", len(d.members(t, id)), 3)
		d.phone.RefuseGroups(nil)
		d.Clock.Advance(time.Minute)
		d.phone.Write(d.inGroup(joao, "G2"), linkedtest.Text("Hi"))
		testkit.Diff(t, "the members after a message a minute later", d.members(t, id), []string{"+" + joao.User, "+" + d.phone.JID.User})

		d.phone.RefuseGroups(whatsmeow.ErrNotInGroup)
		d.phone.SetGroup(group)
		testkit.Diff(t, "the members without us", d.members(t, id), []string{"+" + joao.User})
		d.phone.Emit(&events.GroupInfo{JID: types.NewJID("120363000000000999", types.GroupServer)})
		testkit.Diff(t, "the number of conversations after leaving a group without one", len(d.A.Get(t, "/conversations").OK(200).List()), 1)
	})
}

func TestTheMembersOfALargeGroupHavePages(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		group := theGroup("Party")
		for n := range 118 {
			group.Participants = append(group.Participants, types.GroupParticipant{JID: types.NewJID(fmt.Sprintf("551198000%04d", n), types.DefaultUserServer)})
		}
		d.phone.SetGroup(group)
		last := d.inGroup(group.Participants[119].JID, "G1")
		last.PushName = "The last"
		d.phone.Write(last, linkedtest.Text("Hello"))
		path := "/conversations/" + d.conversation(t) + "/members"
		first := d.A.Get(t, path).OK(200)
		second := d.A.Get(t, path+"?limit=100&cursor="+url.QueryEscape(first.Text("next_cursor"))).OK(200)
		if len(first.List()) != 30 || first.Text("data", 0, "role") != "owner" || len(second.List()) != 90 || second.At("next_cursor") != nil ||
			second.Text("data", 89, "name") != "The last" || second.At("data", 89, "contact") == nil {
			t.Errorf("the pages are %s and %s", first.Raw, second.Raw)
		}
		d.A.Get(t, path+"?limit=101").Fails(400, "invalid_request")
		d.A.Get(t, path+"?cursor=x").Fails(400, "invalid_cursor")
	})
}

func TestEncryptedReactionsInACommunity(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		d.phone.SetGroup(theGroup("News"))
		announcement := d.inGroup(maria, "G1")
		d.phone.Write(announcement, linkedtest.Text("We open on Sunday"))
		if err := d.phone.ReactEncrypted(t.Context(), announcement, "👍"); err != nil {
			t.Fatal(err)
		}
		d.phone.Write(d.inGroup(joao, "UNKNOWN"), &waE2E.Message{EncReactionMessage: &waE2E.EncReactionMessage{
			TargetMessageKey: &waCommon.MessageKey{ID: new("GONE"), Participant: new(maria.String())}, EncPayload: []byte("x"), EncIV: []byte("y"),
		}})
		got := d.messages(t, d.conversation(t))
		if reactions, _ := got["G1"]["reactions"].([]any); len(got) != 1 || len(reactions) != 1 || reactions[0].(map[string]any)["emoji"] != "👍" {
			t.Errorf("the messages are %v", got)
		}
	})
}

func TestErasingAPersonRemovesWhatTheDeviceStores(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		d.phone.SetGroup(theGroup("Party"))
		d.phone.Write(d.inGroup(maria, "G1"), linkedtest.Text("Hello"))
		group := d.conversation(t)
		store := d.Desk.Channels.Store
		channel, _ := kernel.ParseID(d.channel)
		kerneltest.Write(t, store, func(tx *kernel.Tx) error {
			for _, key := range []string{
				maria.User + ":0", maria.User + "@s.whatsapp.net", party.String() + " " + maria.User + "_1:2", maria.User, // hers
				maria.User + "0:0", joao.User + ":0",
			} {
				tx.Later(`INSERT INTO linked_store (company, channel, kind, key, value) VALUES ($1, $2, 'test', $3, $4)`, d.A.ID, channel, key, []byte("x"))
			}
			return nil
		})
		d.erase(t, d.A.Get(t, "/contacts?q=Maria").OK(200).Text("data", 0, "id"), "+"+maria.User)
		var left []string
		kerneltest.Read(t, store, func(tx *kernel.Tx) (err error) {
			left, err = kernel.Rows(tx, `SELECT key FROM linked_store WHERE company = $1 AND kind = 'test' ORDER BY key`, []any{d.A.ID},
				func(r db.Row) string { return r.Text("key") })
			return err
		})
		testkit.Diff(t, "rows", left, []string{joao.User + ":0", maria.User + "0:0"})
		if members := d.A.Get(t, "/conversations/"+group+"/members").OK(200); len(members.List()) != 1 || members.Text("data", 0, "role") != "member" {
			t.Errorf("the members are %s", members.Raw)
		}
	})
}
