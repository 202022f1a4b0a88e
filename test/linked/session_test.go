package linked_test

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.mau.fi/whatsmeow/proto/waCommon"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/proto/waHistorySync"
	"go.mau.fi/whatsmeow/proto/waWeb"
	"go.mau.fi/whatsmeow/types/events"

	"recado/internal/channels"
	"recado/internal/channels/linked"
	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/server"
	"recado/test/linkedtest"
	"recado/test/servertest"
	"recado/test/testkit"
)

func TestACodeAppearsAfterTheFirstConnectionFailed(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.phone.FailConnections(1)
		d.link(t)
	})
}

// startWith starts a server on SQLite with a linked channel, after set has changed its manager.
func startWith(t *testing.T, set func(m *linked.Manager)) *desk {
	t.Helper()
	phone := linkedtest.NewPhone("5511912345678")
	w := servertest.Start(t, "", func(c *server.Config) {
		c.Linked = func(s *server.Server) channels.Linked {
			m := s.NewLinked(phone.NewClient).(*linked.Manager)
			set(m)
			return m
		}
	})
	return &desk{World: w, phone: phone, channel: w.A.Post(t, "/channels", `{"name": "Shop", "provider": "linked"}`).OK(201).ID()}
}

func TestANumberThatDoesNotConnectAfterTheScanIsConnectedAgain(t *testing.T) {
	t.Parallel()
	d := startWith(t, func(m *linked.Manager) { m.PairTimeout = 100 * time.Millisecond })
	next := d.follow(t)
	until(t, next, func(state map[string]any) bool { return state["qr"] != nil })
	if err := d.phone.Pair(t.Context()); err != nil {
		t.Fatal(err)
	}
	until(t, next, func(state map[string]any) bool { return state["state"] == "linked" })
}

func TestALinkIsOfflineUntilWhatsAppAnswersAgain(t *testing.T) {
	t.Parallel()
	d := startWith(t, func(m *linked.Manager) { m.Heard = time.Millisecond })
	d.link(t)
	next := d.follow(t)
	until(t, next, func(state map[string]any) bool { return state["online"] == true })
	d.phone.Emit(&events.KeepAliveTimeout{ErrorCount: 1})
	until(t, next, func(state map[string]any) bool { return state["online"] == false })
	for range 50 { // each takes longer than the millisecond
		if got := d.A.Post(t, "/channels/"+d.channel+"/test", nil).OK(200); got.At("ok") != false || got.Text("error", "code") != "unavailable" {
			t.Fatalf("the test of a number that is offline returned %s", got.Raw)
		}
	}
	d.phone.Emit(&events.KeepAliveRestored{})
	testkit.Diff(t, "the test passes", d.A.Post(t, "/channels/"+d.channel+"/test", nil).OK(200).At("ok"), any(true))
}

func TestANumberThatStaysDisconnectedIsConnectedAgain(t *testing.T) {
	t.Parallel()
	d := startWith(t, func(m *linked.Manager) { m.Heard, m.Reconnect = time.Millisecond, 100*time.Millisecond })
	d.link(t)
	next := d.follow(t)
	until(t, next, func(state map[string]any) bool { return state["online"] == true })
	opened := d.phone.Opened()
	d.phone.Drop()
	testkit.Eventually(t, "the number is connected again", func() bool { return d.phone.Opened() > opened })
	until(t, next, func(state map[string]any) bool { return state["online"] == true })
}

func TestALinkEndsIfAnotherProgramReplacesItTwice(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		d.phone.Emit(&events.StreamReplaced{})
		testkit.Eventually(t, "the number is connected again", func() bool { return d.phone.Opened() == 2 })
		next := d.follow(t)
		until(t, next, func(state map[string]any) bool { return state["state"] == "linked" && state["online"] == true })
		d.phone.Emit(&events.StreamReplaced{})
		state := until(t, next, func(state map[string]any) bool { return state["state"] != "linked" })
		if reason, _ := state["error"].(map[string]any); reason["code"] != "linked_elsewhere" {
			t.Errorf("the link is %v", state)
		}
	})
}

func TestTheEndOfALinkThatCannotBeStoredAtFirstIsStoredLater(t *testing.T) {
	t.Parallel()
	phone := linkedtest.NewPhone("5511912345678")
	var calls atomic.Int64
	w := servertest.Start(t, "", func(c *server.Config) {
		c.Linked = func(s *server.Server) channels.Linked {
			s.Desk.Channels.ObserveChannels(channels.ChannelObserver{Disconnected: func(*kernel.Tx, *channels.Channel, provider.Reason) error {
				if calls.Add(1) <= 2 {
					return errors.New("the disk is full")
				}
				return nil
			}})
			return s.NewLinked(phone.NewClient)
		}
	})
	d := &desk{World: w, phone: phone, channel: w.A.Post(t, "/channels", `{"name": "Shop", "provider": "linked"}`).OK(201).ID()}
	d.link(t)
	phone.RemoveDevice()
	testkit.Eventually(t, "the channel is disconnected", func() bool {
		return d.A.Get(t, "/channels/"+d.channel).OK(200).Text("status_reason", "code") == "logged_out"
	})
}

// Anybody can send ids and texts that a database refuses. They must not block the number.
func TestOddIDsAndTextsDoNotBlockTheNumber(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		huge, odd := strings.Repeat("9F", 4000), "A\x00\xff"
		key := func(id string) *waCommon.MessageKey { return &waCommon.MessageKey{ID: &id} }
		messages := map[string]*waE2E.Message{}
		for name, id := range map[string]string{"huge": huge, "odd": odd} {
			messages["reply-"+name] = &waE2E.Message{ExtendedTextMessage: &waE2E.ExtendedTextMessage{Text: new(odd), ContextInfo: &waE2E.ContextInfo{StanzaID: &id}}}
			messages["reaction-"+name] = &waE2E.Message{ReactionMessage: &waE2E.ReactionMessage{Key: key(id), Text: new(odd + huge)}}
			messages["edit-"+name] = &waE2E.Message{EditedMessage: &waE2E.FutureProofMessage{Message: &waE2E.Message{ProtocolMessage: &waE2E.ProtocolMessage{
				Type: waE2E.ProtocolMessage_MESSAGE_EDIT.Enum(), Key: key(id), EditedMessage: linkedtest.Text(odd),
			}}}}
			messages["revoke-"+name] = &waE2E.Message{ProtocolMessage: &waE2E.ProtocolMessage{Type: waE2E.ProtocolMessage_REVOKE.Enum(), Key: key(id)}}
		}
		chat := &waHistorySync.Conversation{ID: new(maria.String())}
		for name, m := range messages {
			d.phone.Write(d.phone.Info(maria, name, time.Now()), m)
			chat.Messages = append(chat.Messages, &waHistorySync.HistorySyncMsg{Message: &waWeb.WebMessageInfo{
				Key: &waCommon.MessageKey{RemoteJID: new(maria.String()), FromMe: new(false), ID: new("history-" + name)}, Message: m,
				MessageTimestamp: new(uint64(d.Clock.Now().Unix())), Reactions: []*waWeb.Reaction{{Key: key("R"), Text: new(odd)}},
			}})
		}
		d.phone.Write(d.phone.Info(maria, huge, time.Now()), linkedtest.Text("An id that is too long"))
		d.phone.Write(d.phone.Info(maria, "LAST", time.Now()), linkedtest.Text("Oi"))
		d.phone.SendHistory(&waHistorySync.HistorySync{SyncType: waHistorySync.HistorySync_RECENT.Enum(), Conversations: []*waHistorySync.Conversation{chat}})
		id := d.conversation(t)
		testkit.Eventually(t, "everything is received", func() bool { return d.phone.Waiting() == 0 && d.kept(t, "history") == 0 })
		got := d.messages(t, id)
		for _, prefix := range []string{"", "history-"} {
			if m := got[prefix+"reply-odd"]; m["reply_to_external_id"] != "A\uFFFD" || m["text"] != "A\uFFFD" {
				t.Errorf("the reply to an odd id is %v", m)
			}
			if m := got[prefix+"reply-huge"]; m == nil || m["reply_to_external_id"] != nil {
				t.Errorf("the reply to a huge id is %v", m)
			}
		}
		if len(got) != 6 || got["LAST"] == nil || got["A\uFFFD"] == nil { // whatsmeow turns the edit in the history into the message
			t.Errorf("there are %d messages: %v", len(got), got)
		}
	})
}
