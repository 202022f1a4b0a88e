// Package linked_test tests linked numbers: a whole server over HTTP, on both engines, with a phone that is played by the test.
package linked_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.mau.fi/whatsmeow/types"

	"recado/internal/channels"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/people"
	"recado/internal/server"
	"recado/test/kerneltest"
	"recado/test/linkedtest"
	"recado/test/servertest"
	"recado/test/testkit"
)

// desk is a company with a linked channel.
type desk struct {
	*servertest.World
	phone   *linkedtest.Phone
	channel string
}

// each runs a test on both engines with a channel that is not linked yet.
func each(t *testing.T, body func(t *testing.T, d *desk), more ...servertest.Option) {
	t.Helper()
	t.Parallel()
	var phone *linkedtest.Phone
	withPhone := func(c *server.Config) {
		phone = linkedtest.NewPhone("5511912345678")
		c.Linked = func(s *server.Server) channels.Linked { return s.NewLinked(phone.NewClient) }
	}
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := w.A.Post(t, "/channels", `{"name": "Shop", "provider": "linked"}`).OK(201).ID()
		body(t, &desk{World: w, phone: phone, channel: channel})
	}, append(more, withPhone)...)
}

// eachLinked is each with a linked channel that sends messages without pauses.
func eachLinked(t *testing.T, body func(t *testing.T, d *desk), more ...servertest.Option) {
	t.Helper()
	each(t, func(t *testing.T, d *desk) {
		d.hurry(t)
		d.link(t)
		body(t, d)
	}, more...)
}

// hurry lets the channel send more messages in a minute than the API allows.
func (d *desk) hurry(t *testing.T) {
	t.Helper()
	channel, _ := kernel.ParseID(d.channel)
	kerneltest.Write(t, d.Desk.Channels.Store, func(tx *kernel.Tx) error {
		tx.Later(`UPDATE channels SET pace = 6000 WHERE company = $1 AND id = $2`, d.A.ID, channel)
		return nil
	})
}

// follow opens the stream of the link. next returns the following state.
func (d *desk) follow(t *testing.T) (next func() map[string]any) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, d.A.Base()+"/channels/"+d.channel+"/link", nil)
	if err != nil {
		t.Fatal(err)
	}
	d.A.Sign(r)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	if resp.StatusCode != 200 {
		t.Fatalf("the stream of the link returned %s", resp.Status)
	}
	lines := bufio.NewScanner(resp.Body)
	return func() map[string]any {
		t.Helper()
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				var state map[string]any
				if err := json.Unmarshal([]byte(data), &state); err != nil {
					t.Fatal(err)
				}
				return state
			}
		}
		t.Fatalf("the stream of the link ended: %v", lines.Err())
		return nil
	}
}

// until reads states until one matches.
func until(t *testing.T, next func() map[string]any, match func(state map[string]any) bool) map[string]any {
	t.Helper()
	for {
		if state := next(); match(state) {
			return state
		}
	}
}

// scan scans the code that the stream of the link shows. next returns the following state.
func (d *desk) scan(t *testing.T) (next func() map[string]any) {
	t.Helper()
	next = d.follow(t)
	until(t, next, func(state map[string]any) bool { return state["qr"] != nil })
	if err := d.phone.Scan(t.Context()); err != nil {
		t.Fatal(err)
	}
	return next
}

// link links the channel. It reads the code from the database, because the stream looks for changes only twice a second.
func (d *desk) link(t *testing.T) {
	t.Helper()
	d.follow(t)
	testkit.Eventually(t, "there is a code", func() bool { return d.storedCode(t) != "" })
	if err := d.phone.Scan(t.Context()); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "the channel is connected", func() bool {
		return d.A.Get(t, "/channels/"+d.channel).OK(200).Text("status") == "connected"
	})
	if err := d.phone.SyncProfile(t.Context(), "Shop"); err != nil {
		t.Fatal(err)
	}
}

// storedCode returns the QR code as it is stored, or "".
func (d *desk) storedCode(t *testing.T) (qr string) {
	t.Helper()
	channel, _ := kernel.ParseID(d.channel)
	kerneltest.Read(t, d.Desk.Channels.Store, func(tx *kernel.Tx) error {
		_, err := tx.One(`SELECT qr FROM links WHERE company = $1 AND channel = $2`, []any{d.A.ID, channel}, func(r db.Row) { qr = r.Text("qr") })
		return err
	})
	return qr
}

var maria = types.NewJID("5511987654321", types.DefaultUserServer)

// conversation waits for the only conversation and returns its id.
func (d *desk) conversation(t *testing.T) (id string) {
	t.Helper()
	testkit.Eventually(t, "there is no conversation", func() bool {
		all := d.A.Get(t, "/conversations").OK(200).List()
		if len(all) == 1 {
			id = all[0].(map[string]any)["id"].(string)
		}
		return id != ""
	})
	return id
}

func TestANumberIsLinkedByQRCode(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		got := d.A.Get(t, "/channels/"+d.channel).OK(200)
		if got.Text("status") != "disconnected" || got.Text("status_reason", "code") != "not_linked" || got.At("phone") != nil {
			t.Fatalf("a new channel is %s", got.Raw)
		}
		next := d.follow(t)
		state := until(t, next, func(state map[string]any) bool { return state["qr"] != nil })
		if state["state"] != "waiting" || state["expires_at"] == nil {
			t.Fatalf("while the code is shown the state is %v", state)
		}
		if qr := d.storedCode(t); strings.Contains(qr, state["qr"].(string)) {
			t.Errorf("the code is stored as %q, which is not encrypted", qr)
		}
		if err := d.phone.Scan(t.Context()); err != nil {
			t.Fatal(err)
		}
		state = until(t, next, func(state map[string]any) bool { return state["state"] == "linked" })
		if state["qr"] != nil || state["phone"] != "+5511912345678" || state["online"] != true {
			t.Fatalf("after the code was scanned the state is %v", state)
		}
		got = d.A.Get(t, "/channels/"+d.channel).OK(200)
		if got.Text("status") != "connected" || got.Text("phone") != "+5511912345678" {
			t.Fatalf("the linked channel is %s", got.Raw)
		}
	})
}

func TestTheNameOfTheProfileIsAnnouncedAsSoonAsItIsKnown(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		testkit.Diff(t, "name", d.phone.Name(), "Shop")
		testkit.Diff(t, "presence", d.phone.Presence(), types.PresenceUnavailable)
	})
}

func TestANumberIsLinkedByPairingCode(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		got := d.A.Post(t, "/channels/"+d.channel+"/link", `{"phone": "+55 11 91234-5678"}`).OK(200)
		if got.Text("pairing_code") != "ABCD-EFGH" || got.Text("state") != "waiting" {
			t.Fatalf("the request for a pairing code returned %s", got.Raw)
		}
		if err := d.phone.Scan(t.Context()); err != nil {
			t.Fatal(err)
		}
		until(t, d.follow(t), func(state map[string]any) bool { return state["state"] == "linked" })
		d.A.Post(t, "/channels/"+d.channel+"/link", `{"phone": "+55 11 91234-5678"}`).Fails(409, "already_linked")
	})
}

func TestAPairingCodeIsReturnedRightAfterUnlinking(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		until(t, d.follow(t), func(state map[string]any) bool { return state["qr"] != nil })
		ask := func(header ...string) *servertest.Answer {
			return d.A.Post(t, "/channels/"+d.channel+"/link", `{"phone": "+55 11 91234-5678"}`, header...).OK(200)
		}
		d.A.Delete(t, "/channels/"+d.channel+"/link").OK(204)
		testkit.Diff(t, "the code of a number that was never linked", ask().Text("pairing_code"), "ABCD-EFGH")
		if err := d.phone.Scan(t.Context()); err != nil {
			t.Fatal(err)
		}
		testkit.Eventually(t, "the number is linked", func() bool { return d.A.Get(t, "/channels/"+d.channel).OK(200).Text("status") == "connected" })
		d.A.Delete(t, "/channels/"+d.channel+"/link").OK(204)
		testkit.Diff(t, "the code of a number that was linked", ask("Idempotency-Key", "pairing-code").Text("pairing_code"), "ABCD-EFGH")
		testkit.Diff(t, "the code in a repeated response", ask("Idempotency-Key", "pairing-code").At("pairing_code"), any(nil))
	})
}

func TestMessagesOfALinkedNumberGoBothWays(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		d.phone.Write(d.phone.Info(maria, "IN1", time.Now()), linkedtest.Text("Bom dia"))
		id := d.conversation(t)
		d.A.Post(t, "/conversations/"+id+"/messages", `{"text": "Olá, Maria", "client_id": "01991c2e-5b1a-7d3f-8b6c-2f4a5d6e7f80"}`).OK(201)
		testkit.Eventually(t, "the message was not sent", func() bool { return len(d.phone.Sent()) == 1 })
		sent := d.phone.Sent()[0]
		if sent.To != maria || sent.Message.GetConversation() != "Olá, Maria" {
			t.Fatalf("sent %v to %v", sent.Message, sent.To)
		}
		testkit.Eventually(t, "the message is not sent", func() bool {
			m := d.A.Get(t, "/conversations/"+id+"/messages").OK(200)
			return m.Text("data", 0, "status") == "sent" && m.Text("data", 0, "external_id") == string(sent.ID)
		})
	})
}

func TestADeviceRemovedOnThePhoneDisconnectsTheChannel(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		d.phone.RemoveDevice()
		testkit.Eventually(t, "the channel is still connected", func() bool {
			got := d.A.Get(t, "/channels/"+d.channel).OK(200)
			return got.Text("status") == "disconnected" && got.Text("status_reason", "code") == "logged_out"
		})
		d.link(t)
	})
}

func TestAChannelIsUnlinked(t *testing.T) {
	eachLinked(t, func(t *testing.T, d *desk) {
		d.A.Delete(t, "/channels/"+d.channel+"/link").OK(204)
		testkit.Eventually(t, "the device is still connected", func() bool { return d.phone.Connections() == 0 })
		if got := d.A.Get(t, "/channels/"+d.channel).OK(200); got.Text("status") != "disconnected" {
			t.Fatalf("the unlinked channel is %s", got.Raw)
		}
		d.link(t)
	})
}

func TestTheStatusOfALinkedNumberIsThatOfItsLink(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		channel := "/channels/" + d.channel
		refused := func() {
			t.Helper()
			for _, status := range []string{"connected", "disconnected"} {
				d.A.Patch(t, channel, `{"name": "Changed", "status": "`+status+`"}`).Fails(400, "invalid_request")
			}
			testkit.Diff(t, "the name after refused changes", d.A.Get(t, channel).OK(200).Text("name"), "Shop")
		}
		refused()
		tested := d.A.Post(t, channel+"/test", nil).OK(200)
		if tested.At("ok") == true || tested.Text("error", "code") != "not_linked" {
			t.Errorf("the test of a number that is not linked returned %s", tested.Raw)
		}
		d.link(t)
		refused()
		tested = d.A.Post(t, channel+"/test", nil).OK(200)
		if tested.At("ok") != true || tested.Text("phone") != "+5511912345678" {
			t.Errorf("the test of a linked number returned %s", tested.Raw)
		}
		d.phone.RemoveDevice()
		testkit.Eventually(t, "the test fails after the device was removed", func() bool {
			tested := d.A.Post(t, channel+"/test", nil).OK(200)
			return tested.At("ok") != true && tested.Text("error", "code") == "logged_out"
		})
		refused()
	})
}

func TestTheStreamOfALinkEndsWithTheRightToSeeIt(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		member := d.NewMember(t, people.NewUser{Name: "Ana", Role: kernel.RoleAdmin}).ID.String()
		key := d.A.Post(t, "/keys", `{"name": "Bot", "scopes": ["channels:manage"]}`).OK(201)
		for name, test := range map[string]struct {
			viewer *servertest.Client
			revoke func()
		}{
			"a revoked key":  {d.A.As(key.Text("key")), func() { d.A.Delete(t, "/keys/"+key.ID()).OK(204) }},
			"a lower member": {d.A.Enter(t, member, passphrase), func() { d.A.Patch(t, "/team/"+member, `{"role": "agent"}`).OK(200) }},
		} {
			states, _ := test.viewer.Follow(t, "/channels/"+d.channel+"/link")
			testkit.Receive(t, "the first state", states)
			test.revoke()
			testkit.Eventually(t, "the stream of "+name+" ends", func() bool {
				for {
					select {
					case _, open := <-states:
						if !open {
							return true
						}
					default:
						return false
					}
				}
			})
		}
	})
}

func TestANumberIsLinkedAgainAfterTheSecretKeyWasLost(t *testing.T) {
	t.Parallel()
	kerneltest.EachURL(t, func(t *testing.T, url string) {
		phone, folder := linkedtest.NewPhone("5511912345678"), t.TempDir()
		var config *server.Config
		with := func(c *server.Config) {
			config, c.DataDir = c, folder
			c.Linked = func(s *server.Server) channels.Linked { return s.NewLinked(phone.NewClient) }
		}
		d := &desk{phone: phone}
		t.Run("before", func(t *testing.T) { // the server stops at its end
			d.World = servertest.Start(t, url, with)
			d.channel = d.A.Post(t, "/channels", `{"name": "Shop", "provider": "linked"}`).OK(201).ID()
			d.link(t)
		})

		lost := *config
		lost.SecretKey, lost.Existing, lost.LostSecretKey = "ZmVkY2JhOTg3NjU0MzIxMGZlZGNiYTk4NzY1NDMyMTA=", true, true
		s, err := server.Open(t.Context(), lost)
		if err != nil {
			t.Fatal(err)
		}
		replaced, err := s.Desk.SecretKey().ReplaceLost(t.Context())
		if err := errors.Join(err, s.Stop(t.Context())); err != nil || replaced.Channels != 1 {
			t.Fatalf("the secrets of %d channels were replaced, want 1: %v", replaced.Channels, err)
		}

		d.A.Client, _ = d.SecondNode(t, url, with, func(c *server.Config) { c.SecretKey = lost.SecretKey })
		testkit.Diff(t, "the reason", d.A.Get(t, "/channels/"+d.channel).OK(200).Text("status_reason", "code"), "not_linked")
		until(t, d.scan(t), func(state map[string]any) bool { return state["state"] == "linked" })
		testkit.Diff(t, "the status", d.A.Get(t, "/channels/"+d.channel).OK(200).Text("status"), "connected")
	})
}

func TestABuildThatCannotLinkNumbersDisconnectsThem(t *testing.T) {
	t.Parallel()
	kerneltest.EachURL(t, func(t *testing.T, url string) {
		phone, folder := linkedtest.NewPhone("5511912345678"), t.TempDir()
		with := func(build func(s *server.Server) channels.Linked) servertest.Option {
			return func(c *server.Config) { c.DataDir, c.Linked = folder, build }
		}
		able := with(func(s *server.Server) channels.Linked { return s.NewLinked(phone.NewClient) })
		unable := with(func(*server.Server) channels.Linked { return nil })
		d := &desk{phone: phone}
		reason := func(t *testing.T) any {
			return d.A.Get(t, "/channels/"+d.channel).OK(200).At("status_reason", "code")
		}
		t.Run("linked", func(t *testing.T) { // the server stops at its end
			d.World = servertest.Start(t, url, able)
			d.channel = d.A.Post(t, "/channels", `{"name": "Shop", "provider": "linked"}`).OK(201).ID()
			d.link(t)
		})
		t.Run("unable", func(t *testing.T) {
			d.A.Client, _ = d.SecondNode(t, url, unable)
			testkit.Diff(t, "the reason", reason(t), any("links_unavailable"))
			d.A.Get(t, "/channels/"+d.channel+"/link").Fails(400, "invalid_request")
			d.A.Post(t, "/channels/"+d.channel+"/link", `{"phone": "+55 11 91234-5678"}`).Fails(400, "invalid_request")
		})
		t.Run("able again", func(t *testing.T) {
			d.A.Client, _ = d.SecondNode(t, url, able)
			testkit.Eventually(t, "the number is connected again", func() bool { return reason(t) == nil })
		})
		t.Run("unlinked without the provider", func(t *testing.T) {
			d.A.Client, _ = d.SecondNode(t, url, unable)
			d.A.Delete(t, "/channels/"+d.channel+"/link").OK(204)
			testkit.Diff(t, "the reason", reason(t), any("not_linked"))
		})
		d.A.Client, _ = d.SecondNode(t, url, able)
		until(t, d.scan(t), func(state map[string]any) bool { return state["state"] == "linked" })
	})
}
