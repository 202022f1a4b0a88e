package linked_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.mau.fi/whatsmeow/proto/waCommon"
	"go.mau.fi/whatsmeow/proto/waHistorySync"
	"go.mau.fi/whatsmeow/proto/waWeb"
	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/types/events"

	"recado/internal/channels"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/server"
	"recado/test/kerneltest"
	"recado/test/linkedtest"
	"recado/test/servertest"
	"recado/test/testkit"
)

// restarting is a provider whose connections can be ended as if the process did. It then starts again.
type restarting struct {
	channels.Linked
	mu   sync.Mutex
	kill context.CancelFunc
}

// Run implements channels.Linked.
func (r *restarting) Run(ctx context.Context) {
	for ctx.Err() == nil {
		once, cancel := context.WithCancel(ctx)
		r.mu.Lock()
		r.kill = cancel
		r.mu.Unlock()
		r.Linked.Run(once)
		cancel()
	}
}

// Kill ends the connections.
func (r *restarting) Kill() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kill()
}

// conversationOf returns the history of a chat, the newest message first as WhatsApp does.
func conversationOf(chat types.JID, messages int, newest time.Time) *waHistorySync.Conversation {
	c := &waHistorySync.Conversation{ID: new(chat.String())}
	for i := range messages {
		mine := i%3 == 0
		at := uint64(newest.Add(-time.Duration(i) * time.Minute).Unix())
		c.Messages = append(c.Messages, &waHistorySync.HistorySyncMsg{Message: &waWeb.WebMessageInfo{
			Key:              &waCommon.MessageKey{RemoteJID: new(chat.String()), FromMe: &mine, ID: new(fmt.Sprintf("H%s-%d", chat.User, i))},
			Message:          linkedtest.Text(fmt.Sprintf("message %d", i)),
			MessageTimestamp: &at,
		}})
	}
	return c
}

func TestAnImportedGroupHasItsMembersAndPicture(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		d.phone.SetPicture(party, []byte(png))
		group := conversationOf(party, 1, d.Clock.Now().Add(-time.Hour)) // from our phone
		group.Name = new("Party")
		group.Participant = []*waHistorySync.GroupParticipant{
			{UserJID: new(maria.String()), Rank: waHistorySync.GroupParticipant_SUPERADMIN.Enum()}, {UserJID: new(joao.String())},
		}
		d.phone.SendHistory(&waHistorySync.HistorySync{SyncType: waHistorySync.HistorySync_RECENT.Enum(), Conversations: []*waHistorySync.Conversation{group}})
		id := d.conversation(t)
		testkit.Eventually(t, "the group has a picture", func() bool { return d.A.Get(t, "/conversations/"+id).OK(200).At("picture") != nil })
		testkit.Diff(t, "the members", d.members(t, id), []string{"+" + maria.User, "+" + joao.User})
		testkit.Diff(t, "the role of the first", d.A.Get(t, "/conversations/"+id+"/members").OK(200).Text("data", 0, "role"), "owner")
		testkit.Equal(t, "events about pictures", d.pictureEvents(t), 0)
	})
}

func TestNotesToOneselfAreNotReceived(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		part := &waHistorySync.HistorySync{SyncType: waHistorySync.HistorySync_RECENT.Enum()}
		for _, own := range []types.JID{d.phone.JID, d.phone.LID} {
			info := d.phone.Info(own, "NOTE", time.Now())
			info.IsFromMe = true
			d.phone.Write(info, linkedtest.Text("The code of the door is 1234"))
			d.phone.Emit(&events.UndecryptableMessage{Info: info})
			part.Conversations = append(part.Conversations, conversationOf(own, 2, d.Clock.Now().Add(-time.Hour)))
		}
		part.Conversations = append(part.Conversations, conversationOf(maria, 1, d.Clock.Now().Add(-time.Hour)))
		d.phone.SendHistory(part)
		testkit.Eventually(t, "the history is imported", func() bool { return d.stored(t) > 0 && d.kept(t, "history") == 0 })
		testkit.Diff(t, "the number of messages", d.stored(t), int64(1))
	})
}

func TestTheHistoryIsCompleteWhenAllOfItsTypesAre(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		next := d.follow(t)
		steps := []struct {
			kind           waHistorySync.HistorySync_HistorySyncType
			progress, want int
		}{
			{waHistorySync.HistorySync_RECENT, 60, 60},
			{waHistorySync.HistorySync_FULL, 10, 10},
			{waHistorySync.HistorySync_FULL, 70, 60},
			{waHistorySync.HistorySync_RECENT, 100, 70},
			{waHistorySync.HistorySync_FULL, 100, 100},
		}
		for _, s := range steps {
			d.phone.SendHistory(&waHistorySync.HistorySync{SyncType: &s.kind, Progress: new(uint32(s.progress))})
			until(t, next, func(state map[string]any) bool { return state["history"] == float64(s.want) })
			testkit.Eventually(t, "the part is imported", func() bool { return d.kept(t, "history") == 0 })
		}

		reads, goOn := make(chan struct{}), make(chan struct{})
		d.phone.OnHistory(func(int) {
			close(reads)
			<-goOn
		})
		d.phone.SendHistory(&waHistorySync.HistorySync{
			SyncType: waHistorySync.HistorySync_FULL.Enum(), Progress: new(uint32(100)),
			Conversations: []*waHistorySync.Conversation{conversationOf(maria, 1, d.Clock.Now().Add(-time.Hour))},
		})
		testkit.Receive(t, "one more part is imported", reads)
		until(t, next, func(state map[string]any) bool { return state["history"] == float64(99) })
		close(goOn)
		until(t, next, func(state map[string]any) bool { return state["history"] == float64(100) })
	})
}

func TestANumberStaysInUseWhileItsHistoryIsImported(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		d.says("IN", "oi")
		id := d.conversation(t)
		began, goOn := make(chan struct{}), make(chan struct{})
		d.phone.OnHistory(func(n int) {
			if n == 1 {
				close(began)
				<-goOn
			}
		})
		d.phone.SendHistory(&waHistorySync.HistorySync{Conversations: []*waHistorySync.Conversation{conversationOf(joao, 3, d.Clock.Now().Add(-time.Hour))}})
		testkit.Receive(t, "the import begins", began)
		defer close(goOn)
		d.A.Enter(t, d.A.Owner.ID.String(), passphrase).Post(t, "/conversations/"+id+"/activity", `{"kind": "viewing"}`).OK(204)
		testkit.Eventually(t, "the device is in use", func() bool { return d.phone.Presence() == types.PresenceAvailable })
	})
}

// stored returns the number of messages of the channel.
func (d *desk) stored(t *testing.T) (n int64) {
	t.Helper()
	channel, _ := kernel.ParseID(d.channel)
	kerneltest.Read(t, d.Desk.Channels.Store, func(tx *kernel.Tx) error {
		_, err := tx.One(`SELECT COUNT(*) AS n FROM messages WHERE company = $1 AND channel = $2`, []any{d.A.ID, channel},
			func(r db.Row) { n = r.Int("n") })
		return err
	})
	return n
}

// The history of 10,000 messages is imported without events, and continues after the process has ended in the middle. Messages that
// are older than 90 days are left out.
func TestTheHistoryIsImported(t *testing.T) {
	t.Parallel()
	const chats, each = 20, 500
	var phone *linkedtest.Phone
	var process *restarting
	options := func(c *server.Config) {
		phone = linkedtest.NewPhone("5511912345678")
		c.Linked = func(s *server.Server) channels.Linked {
			process = &restarting{Linked: s.NewLinked(phone.NewClient)}
			return process
		}
	}
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		d := &desk{World: w, phone: phone, channel: w.A.Post(t, "/channels", `{"name": "Shop", "provider": "linked"}`).OK(201).ID()}
		d.link(t)
		part := &waHistorySync.HistorySync{SyncType: waHistorySync.HistorySync_RECENT.Enum(), Progress: new(uint32(100))}
		names := &waHistorySync.HistorySync{SyncType: waHistorySync.HistorySync_PUSH_NAME.Enum()}
		for i := range chats {
			chat := types.NewJID(fmt.Sprintf("55119800%05d", i), types.DefaultUserServer)
			part.Conversations = append(part.Conversations, conversationOf(chat, each, d.Clock.Now().Add(-time.Hour)))
			names.Pushnames = append(names.Pushnames, &waHistorySync.Pushname{ID: new(chat.String()), Pushname: new(fmt.Sprintf("Customer %d", i))})
		}
		part.Conversations = append(part.Conversations, conversationOf(maria, 5, d.Clock.Now().AddDate(0, 0, -91)))
		kill := process.Kill
		phone.OnHistory(func(n int) {
			if n == chats*each/2 {
				kill()
			}
		})
		began := time.Now()
		phone.SendHistory(part)
		testkit.EventuallyWithin(t, 15*time.Minute, "the history is imported", func() bool { return d.stored(t) == chats*each })
		t.Logf("%d messages, with a restart in the middle: %v", chats*each, time.Since(began).Round(time.Millisecond))
		until(t, d.follow(t), func(state map[string]any) bool { return state["history"] == float64(100) })
		if got := d.stored(t); got != chats*each {
			t.Errorf("%d messages are stored, want %d", got, chats*each)
		}
		all := d.A.Get(t, "/conversations?limit=100").OK(200).List()
		if first := all[0].(map[string]any); len(all) != chats || first["unread"] != false || first["attendance"] != nil {
			t.Errorf("there are %d conversations, the first is %v", len(all), first)
		}
		phone.SendHistory(names)
		testkit.Eventually(t, "every conversation has a name", func() bool {
			return !slices.ContainsFunc(d.A.Get(t, "/conversations?limit=100").OK(200).List(), func(c any) bool {
				return !strings.HasPrefix(c.(map[string]any)["name"].(string), "Customer ")
			})
		})
		for _, e := range d.A.Get(t, "/events?limit=100").OK(200).List() {
			if kind := e.(map[string]any)["type"].(string); kind == "message.received" || kind == "message.sent" || kind == "attendance.opened" {
				t.Errorf("the import emitted %s", kind)
			}
		}
	}, options)
}
