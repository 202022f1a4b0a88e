package api_test

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/server"
	"recado/test/servertest"
	"recado/test/testkit"
)

// device is a browser with a push service.
type device struct {
	*testkit.Receiver
	private *ecdh.PrivateKey
	auth    []byte
	id      string // of the subscription
	key     string // of the server
}

// pushed is a notification that a device got.
type pushed struct {
	Conversation *string `json:"conversation"`
	Title        string  `json:"title"`
	Text         *string `json:"text"`
	topic        string
}

func base64url(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// newDevice subscribes a device of a person.
func newDevice(t *testing.T, c *servertest.Client) *device {
	t.Helper()
	d := &device{Receiver: testkit.NewReceiver(t), auth: []byte("0123456789abcdef")}
	d.AnswerStatus(201)
	var err error
	if d.private, err = ecdh.P256().GenerateKey(rand.Reader); err != nil {
		t.Fatal(err)
	}
	d.key = c.Get(t, "/me/push-key").OK(200).Text("key")
	d.id = c.Post(t, "/me/push-subscriptions", d.body("")).OK(201).ID()
	return d
}

// body returns the request that subscribes the device.
func (d *device) body(path string) map[string]any {
	return map[string]any{
		"endpoint": d.URL + "/send" + path, "device": "Phone",
		"keys": map[string]string{"p256dh": base64url(d.private.PublicKey().Bytes()), "auth": base64url(d.auth)},
	}
}

// next waits for a notification, checks its signature and decrypts it.
func (d *device) next(t *testing.T) pushed {
	t.Helper()
	got := d.Next(t)
	token, key, _ := strings.Cut(strings.TrimPrefix(got.Header.Get("Authorization"), "vapid t="), ", k=")
	testkit.Diff(t, "key", key, d.key)
	decode := func(text string) []byte {
		b, err := base64.RawURLEncoding.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	public, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), decode(key))
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(token, ".")
	signature, sum := decode(parts[2]), sha256.Sum256([]byte(parts[0]+"."+parts[1]))
	if !ecdsa.Verify(public, sum[:], new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])) {
		t.Error("the signature is not valid")
	}
	var claims struct {
		Aud, Sub string
		Exp      int64
	}
	if err := json.Unmarshal(decode(parts[1]), &claims); err != nil || claims.Aud != d.URL || claims.Sub == "" {
		t.Errorf("claims: got %+v, %v; want the audience %s and a subject", claims, err, d.URL)
	}
	testkit.Diff(t, "Content-Encoding", got.Header.Get("Content-Encoding"), "aes128gcm")
	if got.Header.Get("TTL") == "" || got.Header.Get("Urgency") == "" || len(got.Header.Get("Topic")) > 32 {
		t.Errorf("headers: got %v", got.Header)
	}
	body := []byte(got.Body)
	if len(body) > 4096 {
		t.Errorf("the body has %d bytes, want at most 4096", len(body))
	}
	salt, sender, sealed := body[:16], body[21:86], body[86:]
	point, err := ecdh.P256().NewPublicKey(sender)
	if err != nil {
		t.Fatal(err)
	}
	shared, _ := d.private.ECDH(point)
	input, _ := hkdf.Key(sha256.New, shared, d.auth, "WebPush: info\x00"+string(d.private.PublicKey().Bytes())+string(sender), 32)
	contentKey, _ := hkdf.Key(sha256.New, input, salt, "Content-Encoding: aes128gcm\x00", 16)
	nonce, _ := hkdf.Key(sha256.New, input, salt, "Content-Encoding: nonce\x00", 12)
	block, _ := aes.NewCipher(contentKey)
	gcm, _ := cipher.NewGCM(block)
	plain, err := gcm.Open(nil, nonce, sealed, nil)
	if err != nil {
		t.Fatal(err)
	}
	out := pushed{topic: got.Header.Get("Topic")}
	decoder := json.NewDecoder(strings.NewReader(string(plain[:len(plain)-1])))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&out); err != nil {
		t.Fatalf("payload %s: %v", plain, err)
	}
	return out
}

// noPushes waits until all notifications are sent or dropped, and checks that the device has no further one.
func (d *device) noPushes(t *testing.T, w *servertest.World, why string) {
	t.Helper()
	testkit.Eventually(t, "no notifications are waiting", func() bool { return waitingPushes(t, w) == 0 })
	if n := d.Waiting(); n > 0 {
		t.Fatalf("%s: got %d notifications, want none; the first is %+v", why, n, d.next(t))
	}
}

func waitingPushes(t *testing.T, w *servertest.World) (n int64) {
	t.Helper()
	err := w.Desk.Kernel.Store.Read(t.Context(), func(tx *kernel.Tx) error {
		_, err := tx.One(`SELECT COUNT(*) AS n FROM pushes WHERE company = $1`, []any{w.A.ID}, func(r db.Row) { n = r.Int("n") })
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestDevicesAreSubscribedToNotifications(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		_, email := member(t, w.A.Client, "Ana")
		ana := w.A.SignIn(t, email, password)
		bia, _ := signedIn(t, w, "Bia")
		phone := newDevice(t, ana)
		at := "/me/push-subscriptions"

		t.Run("everyone gets the same key", func(t *testing.T) {
			testkit.Diff(t, "key", bia.Get(t, "/me/push-key").OK(200).Text("key"), phone.key)
			w.A.Get(t, "/me/push-key").Fails(403, "session_required")
			w.A.Post(t, at, phone.body("")).Fails(403, "session_required")
		})
		t.Run("the list has neither endpoints nor keys", func(t *testing.T) {
			list := ana.Get(t, at).OK(200)
			testkit.Diff(t, "device", []any{list.Text("data", 0, "id"), list.Text("data", 0, "device"), list.At("data", 0, "current")}, []any{phone.id, "Phone", true})
			if raw := string(list.Raw); strings.Contains(raw, phone.URL) || strings.Contains(raw, base64url(phone.auth)) {
				t.Errorf("the list shows secrets: %s", raw)
			}
			testkit.Diff(t, "devices of another person", len(bia.Get(t, at).OK(200).List()), 0)
		})
		t.Run("the same endpoint again updates the subscription", func(t *testing.T) {
			again := phone.body("")
			again["device"] = "Tablet"
			testkit.Diff(t, "id", ana.Post(t, at, again).OK(201).ID(), phone.id)
			testkit.Diff(t, "device", ana.Get(t, at).OK(200).Text("data", 0, "device"), "Tablet")
			testkit.Diff(t, "number of devices", len(ana.Get(t, at).OK(200).List()), 1)
		})
		t.Run("an endpoint belongs to the person who subscribed it last", func(t *testing.T) {
			bia.Post(t, at, phone.body("")).OK(201)
			testkit.Diff(t, "devices of the person before", len(ana.Get(t, at).OK(200).List()), 0)
			testkit.Diff(t, "devices of the person now", len(bia.Get(t, at).OK(200).List()), 1)
			phone.id = ana.Post(t, at, phone.body("")).OK(201).ID()
			testkit.Diff(t, "devices of the other person", len(bia.Get(t, at).OK(200).List()), 0)
		})
		t.Run("invalid subscriptions are refused", func(t *testing.T) {
			point := phone.private.PublicKey().Bytes()
			off := append([]byte{4}, make([]byte, 64)...)
			for field, keys := range map[string]map[string]string{
				"body.keys.p256dh": {"p256dh": base64url(off), "auth": base64url(phone.auth)},
				"body.keys.auth":   {"p256dh": base64url(point), "auth": base64url(phone.auth[:15])},
			} {
				body := phone.body("")
				body["keys"] = keys
				testkit.Diff(t, "field", ana.Post(t, at, body).Fails(400, "invalid_request").Text("details", 0, "field"), field)
			}
			body := phone.body("")
			body["endpoint"] = "ftp://push.example.com/1"
			testkit.Diff(t, "field", ana.Post(t, at, body).Fails(400, "url_not_allowed").Text("details", 0, "field"), "body.endpoint")
		})
		t.Run("a test arrives, signed and encrypted", func(t *testing.T) {
			bia.Post(t, at+"/"+phone.id+"/test", nil).Fails(404, "not_found")
			tested := ana.Post(t, at+"/"+phone.id+"/test", nil).OK(200)
			testkit.Diff(t, "sent", tested.At("sent"), true)
			if got := phone.next(t); got.Conversation != nil || got.Title != "Recado" || got.Text == nil {
				t.Errorf("got %+v, want a notification without a conversation", got)
			}
			if ana.Get(t, at).OK(200).Text("data", 0, "last_used_at") == "" {
				t.Error("last_used_at: got null, want a time")
			}
		})
		t.Run("a test says why the push service refused it", func(t *testing.T) {
			phone.AnswerStatus(429)
			tested := ana.Post(t, at+"/"+phone.id+"/test", nil).OK(200)
			testkit.Diff(t, "result", []any{tested.At("sent"), tested.At("removed"), tested.Int("status_code"), tested.Text("code")}, []any{false, false, 429, "answered"})
			phone.Answer(func(rw http.ResponseWriter, _ *http.Request) {
				ana.Post(t, at, phone.body("")) // subscribes again during the request
				rw.WriteHeader(410)
			})
			ana.Post(t, at+"/"+phone.id+"/test", nil).OK(200)
			testkit.Diff(t, "number of devices", len(ana.Get(t, at).OK(200).List()), 1)
			phone.AnswerStatus(410)
			testkit.Diff(t, "removed", ana.Post(t, at+"/"+phone.id+"/test", nil).OK(200).At("removed"), true)
			ana.Post(t, at+"/"+phone.id+"/test", nil).Fails(404, "not_found")
			testkit.Diff(t, "number of devices", len(ana.Get(t, at).OK(200).List()), 0)
		})
		t.Run("a person can have ten devices", func(t *testing.T) {
			for i := range 10 {
				ana.Post(t, at, phone.body(fmt.Sprint("/", i))).OK(201)
			}
			ana.Post(t, at, phone.body("/last")).Fails(409, "limit_reached")
			ana.Post(t, at, phone.body("/0")).OK(201)
			first := ana.Get(t, at).OK(200).Text("data", 0, "id")
			bia.Delete(t, at+"/"+first).Fails(404, "not_found")
			ana.Delete(t, at+"/"+first).OK(204)
			ana.Post(t, at, phone.body("/last")).OK(201)
		})
		t.Run("a subscription ends with its session", func(t *testing.T) {
			ana.Delete(t, "/session").OK(204)
			ana = w.A.SignIn(t, email, password)
			testkit.Diff(t, "number of devices", len(ana.Get(t, at).OK(200).List()), 0)
		})
	})
}

func TestPushPreferences(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		ana, _ := signedIn(t, w, "Ana")
		all := []any{"message", "assigned", "mention", "queue", "failed", "sla"}
		testkit.Diff(t, "default", ana.Get(t, "/me/preferences").OK(200).At("push"), map[string]any{"kinds": all, "quiet": nil})
		quiet := map[string]any{"from": "22:00", "to": "07:00"}
		ana.Patch(t, "/me/preferences", map[string]any{"push": map[string]any{"kinds": []string{"sla", "message", "sla"}, "quiet": quiet}}).OK(200)
		ana.Patch(t, "/me/preferences", `{"theme":"dark"}`).OK(200)
		testkit.Diff(t, "changed", ana.Get(t, "/me/preferences").OK(200).At("push"), map[string]any{"kinds": []any{"message", "sla"}, "quiet": quiet})
		for field, push := range map[string]string{
			"body.push.quiet.from": `{"quiet":{"from":"24:00","to":"07:00"}}`,
			"body.push.quiet.to":   `{"quiet":{"from":"07:00","to":"07:00"}}`,
			"body.push.kinds[0]":   `{"kinds":["other"]}`,
		} {
			testkit.Diff(t, push, ana.Patch(t, "/me/preferences", `{"push":`+push+`}`).Fails(400, "invalid_request").Text("details", 0, "field"), field)
		}
		ana.Patch(t, "/me/preferences", `{"push":{"quiet":null,"kinds":[]}}`).OK(200)
		testkit.Diff(t, "removed", ana.Get(t, "/me/preferences").OK(200).At("push"), map[string]any{"kinds": []any{}, "quiet": nil})
		bia, _ := signedIn(t, w, "Bia")
		testkit.Diff(t, "default of another person", bia.Get(t, "/me/preferences").OK(200).At("push", "kinds"), any(all))

		testkit.Diff(t, "push_texts", w.A.Get(t, "/company").OK(200).At("push_texts"), true)
		testkit.Diff(t, "push_texts", w.A.Patch(t, "/company", `{"push_texts":false}`).OK(200).At("push_texts"), false)
		testkit.Diff(t, "push_texts after another change", w.A.Patch(t, "/company", `{"name":"Aurora"}`).OK(200).At("push_texts"), false)
	})
}

func TestNotificationsReachDevices(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		w.Clock.Set(time.Date(2030, 1, 15, 15, 0, 0, 0, time.UTC)) // noon in São Paulo
		channel := sandbox(t, w)
		ana, anaID := signedIn(t, w, "Ana")
		bia, _ := signedIn(t, w, "Bia")
		ana.Patch(t, "/me/preferences", `{"language":"en"}`).OK(200)
		phone := newDevice(t, ana)
		id := customerWritesText(t, w.A.Client, channel, phoneNumber(1), "hello")
		name := w.A.Get(t, "/conversations/"+id).OK(200).Text("name")
		says := func(text string) { customerWritesText(t, w.A.Client, channel, phoneNumber(1), text) }
		want := func(t *testing.T, title, text string) pushed {
			t.Helper()
			got := phone.next(t)
			if got.Conversation == nil || *got.Conversation != id || got.Title != title || got.Text == nil || *got.Text != text {
				t.Fatalf("got %+v %v, want %s, %q, %q", got, got.Text, id, title, text)
			}
			return got
		}
		var topic string

		t.Run("an assignment by another person is sent", func(t *testing.T) {
			bia.Post(t, "/conversations/"+id+"/transfer", map[string]string{"user_id": anaID}).OK(200)
			topic = want(t, name+" · Assigned to you", "hello").topic
		})
		t.Run("a customer's message in one's own conversation is sent, 120 characters of it", func(t *testing.T) {
			says(strings.Repeat("ç", 121))
			testkit.Diff(t, "topic", want(t, name, strings.Repeat("ç", 120)).topic, topic)
		})
		t.Run("one's own messages and other people's conversations are not sent", func(t *testing.T) {
			ana.Post(t, "/conversations/"+id+"/messages", map[string]any{"client_id": kernel.NewID().String(), "text": "hi"}).OK(201)
			customerWritesText(t, w.A.Client, channel, phoneNumber(2), "another conversation")
			phone.noPushes(t, w, "own message")
		})
		t.Run("a mention is sent with the note", func(t *testing.T) {
			bia.Post(t, "/conversations/"+id+"/notes", note("look here", anaID)).OK(201)
			want(t, name+" · You were mentioned in a note", "look here")
		})
		t.Run("the company can forbid texts", func(t *testing.T) {
			w.A.Patch(t, "/company", `{"push_texts":false}`).OK(200)
			says("secret")
			if got := phone.next(t); got.Text != nil || got.Title != name {
				t.Errorf("got %+v, want no text", got)
			}
			w.A.Patch(t, "/company", `{"push_texts":true}`).OK(200)
		})
		t.Run("kinds that are off are not sent", func(t *testing.T) {
			ana.Patch(t, "/me/preferences", `{"push":{"kinds":["mention"]}}`).OK(200)
			says("not wanted")
			phone.noPushes(t, w, "kind off")
			bia.Post(t, "/conversations/"+id+"/notes", note("wanted", anaID)).OK(201)
			want(t, name+" · You were mentioned in a note", "wanted")
			ana.Patch(t, "/me/preferences", `{"push":{"kinds":["message","assigned","mention","queue","failed","sla"]}}`).OK(200)
		})
		t.Run("nothing is sent in quiet hours, also over midnight", func(t *testing.T) {
			for _, quiet := range []string{`{"from":"11:00","to":"13:00"}`, `{"from":"22:00","to":"13:00"}`} {
				ana.Patch(t, "/me/preferences", `{"push":{"quiet":`+quiet+`}}`).OK(200)
				says("good night")
				phone.noPushes(t, w, "quiet hours")
			}
			for _, quiet := range []string{`{"from":"13:00","to":"14:00"}`, `{"from":"13:00","to":"11:00"}`, `null`} {
				ana.Patch(t, "/me/preferences", `{"push":{"quiet":`+quiet+`}}`).OK(200)
				says("good morning")
				want(t, name, "good morning")
			}
		})
		t.Run("nothing is sent while the app is focused", func(t *testing.T) {
			ana.Post(t, "/conversations/"+id+"/activity", `{"kind":"viewing"}`).OK(204)
			says("seen")
			phone.noPushes(t, w, "focused")
			ana.Post(t, "/conversations/"+id+"/activity", `{"kind":"left"}`).OK(204)
			ana.Get(t, "/conversations").OK(200) // requests alone are not focus
			says("not seen")
			want(t, name, "not seen")
		})
		t.Run("failures are retried, not before the time that the push service wants, and a later notification replaces an earlier one", func(t *testing.T) {
			phone.busy()
			says("first")
			want(t, name, "first")
			postponed(t, w, 1)
			phone.AnswerStatus(201)
			says("second")
			another := customerWritesText(t, w.A.Client, channel, phoneNumber(2), "another conversation")
			bia.Post(t, "/conversations/"+another+"/transfer", map[string]string{"user_id": anaID}).OK(200)
			postponed(t, w, 2)
			testkit.Diff(t, "notifications during the pause", phone.Waiting(), 0)
			w.Clock.Advance(11 * time.Minute)
			texts := []string{*phone.next(t).Text, *phone.next(t).Text}
			slices.Sort(texts)
			testkit.Diff(t, "texts", texts, []string{"another conversation", "second"})
			phone.noPushes(t, w, "replaced")
		})
		t.Run("a notification is not sent after an hour", func(t *testing.T) {
			phone.busy()
			says("too late")
			want(t, name, "too late")
			postponed(t, w, 1)
			phone.AnswerStatus(201)
			w.Clock.Advance(61 * time.Minute)
			phone.noPushes(t, w, "an hour later")
		})
		t.Run("a notification whose node stopped during the request is not sent again", func(t *testing.T) {
			phone.busy()
			says("unknown")
			want(t, name, "unknown")
			postponed(t, w, 1)
			err := w.Desk.Kernel.Store.Write(t.Context(), func(tx *kernel.Tx) error {
				tx.Later(`UPDATE pushes SET claimed = id WHERE company = $1`, w.A.ID) // as if an attempt had started
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			phone.AnswerStatus(201)
			w.Clock.Advance(11 * time.Minute)
			phone.noPushes(t, w, "after a crash")
			says("next")
			want(t, name, "next")
		})
		ends := func(t *testing.T, why string, end func(own *servertest.Client, ownID string)) {
			t.Helper()
			own, ownID := signedIn(t, w, "Own", `"access_profile":"own"`)
			tablet := newDevice(t, own)
			bia.Post(t, "/conversations/"+id+"/transfer", map[string]string{"user_id": ownID}).OK(200)
			tablet.next(t)
			tablet.busy()
			bia.Post(t, "/conversations/"+id+"/notes", note("look", ownID)).OK(201)
			tablet.next(t)
			postponed(t, w, 1)
			tablet.AnswerStatus(201)
			end(own, ownID)
			w.Clock.Advance(11 * time.Minute)
			tablet.noPushes(t, w, why)
		}
		t.Run("nothing is sent without the permission to see the conversation", func(t *testing.T) {
			ends(t, "without permission", func(*servertest.Client, string) {
				bia.Post(t, "/conversations/"+id+"/transfer", map[string]string{"user_id": anaID}).OK(200)
				phone.next(t)
			})
		})
		t.Run("nothing is sent after the end of the session", func(t *testing.T) {
			ends(t, "signed out", func(own *servertest.Client, _ string) { own.Delete(t, "/session").OK(204) })
		})
		t.Run("nothing is sent to a person who has left the team", func(t *testing.T) {
			ends(t, "removed", func(_ *servertest.Client, ownID string) { w.A.Delete(t, "/team/"+ownID).OK(204) })
			bia.Post(t, "/conversations/"+id+"/transfer", map[string]string{"user_id": anaID}).OK(200)
			phone.next(t)
		})
		t.Run("a device that the push service does not know is removed", func(t *testing.T) {
			phone.AnswerStatus(410)
			says("bye")
			want(t, name, "bye")
			testkit.Eventually(t, "the device is removed", func() bool { return len(ana.Get(t, "/me/push-subscriptions").OK(200).List()) == 0 })
		})
	})
}

// busy lets the push service of the device refuse notifications for ten minutes.
func (d *device) busy() {
	d.Answer(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "600")
		w.WriteHeader(503)
	})
}

// postponed waits until a number of notifications wait for a later attempt.
func postponed(t *testing.T, w *servertest.World, want int64) {
	t.Helper()
	testkit.Eventually(t, "the notifications wait", func() bool {
		var n int64
		err := w.Desk.Kernel.Store.Read(t.Context(), func(tx *kernel.Tx) error {
			_, err := tx.One(`SELECT COUNT(*) AS n FROM pushes WHERE company = $1 AND claimed IS NULL AND due_at > $2`, []any{w.A.ID, tx.Now},
				func(r db.Row) { n = r.Int("n") })
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return n == want
	})
}

func TestQueuesTargetsAndFailedMessagesReachDevices(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		ana, anaID := signedIn(t, w, "Ana")
		ana.Patch(t, "/me/preferences", `{"language":"en"}`).OK(200)
		phone := newDevice(t, ana)
		sector := w.A.Post(t, "/sectors", fmt.Sprintf(`{"name":"Sales","member_ids":[%q]}`, anaID)).OK(201).ID()
		newPolicy(t, w.A.Client, "Standard", `"first_response_minutes":10`)
		id := customerWritesText(t, w.A.Client, channel, phoneNumber(1), "hello")
		path := "/conversations/" + id
		name := w.A.Get(t, path).OK(200).Text("name")
		want := func(title, text string) {
			t.Helper()
			got := phone.next(t)
			testkit.Diff(t, "notification", []any{*got.Conversation, got.Title, *got.Text}, []any{id, name + " · " + title, text})
		}
		w.A.Post(t, path+"/transfer", map[string]string{"sector_id": sector}).OK(200)
		want("New customer in your queue", "hello")
		w.Clock.Advance(8 * time.Minute)
		checkLevels(t, w)
		want("Case due soon", "hello")
		w.Clock.Advance(2 * time.Minute)
		checkLevels(t, w)
		want("Case overdue", "hello")
		ana.Post(t, path+"/take", nil).OK(200)
		sent := ana.Post(t, path+"/messages", message("one")).OK(201)
		w.A.Post(t, simulatePath(channel), map[string]string{"external_id": sent.Text("external_id"), "status": "failed"}).OK(200)
		want("Message not sent", "one")
		phone.noPushes(t, w, "each once")
	})
}

func TestDevicesSurviveANewSecretKey(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		ana, _ := signedIn(t, w, "Ana")
		phone := newDevice(t, ana)
		if _, err := w.Desk.SecretKey().Rotate(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := w.Desk.SecretKey().Retire(t.Context()); err != nil {
			t.Fatal(err)
		}
		testkit.Diff(t, "sent", ana.Post(t, "/me/push-subscriptions/"+phone.id+"/test", nil).OK(200).At("sent"), true)
		phone.next(t) // with the same key
	}, func(c *server.Config) { c.SecretKey = "" })
}
