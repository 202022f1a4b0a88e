package whatsapp

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// desk receives the events of a Callback that is served over HTTP.
type desk struct {
	received [][]Event
	refuse   error
	log      strings.Builder
	url      string
}

func serveCallback(t *testing.T) *desk {
	t.Helper()
	d := &desk{}
	mux := http.NewServeMux()
	mux.Handle("/channels/{channel}/whatsapp", &Callback{
		Lookup: func(_ context.Context, channel string) (Credentials, bool, error) {
			switch channel {
			case "broken":
				return Credentials{}, false, errors.New("the database is away")
			case "c1":
				return Credentials{AppSecrets: []string{"old", "secret"}, VerifyToken: "hello", PhoneNumberIDs: []string{"2000"}}, true, nil
			}
			return Credentials{}, false, nil
		},
		Receive: func(_ context.Context, _ string, events []Event) error {
			if d.refuse != nil {
				return d.refuse
			}
			d.received = append(d.received, events)
			return nil
		},
		Log: slog.New(slog.NewTextHandler(&d.log, nil)),
		Now: func() time.Time { return noon },
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	d.url = server.URL
	return d
}

func (d *desk) post(t *testing.T, channel, signature string, body []byte) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.url+"/channels/"+channel+"/whatsapp", strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	if signature != "" {
		req.Header.Set(signatureHeader, signature)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode
}

func signed(secret string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

func TestCallback(t *testing.T) {
	text := callbackOf("messages", "messages", `{"from":"551188887777","id":"wamid.A","type":"text","text":{"body":"oi"}}`)
	wrong := "sha256=" + strings.Repeat("0", 64)

	for name, test := range map[string]struct {
		channel, signature string
		body               []byte
		status, calls      int
		logged             string
	}{
		"a signed message is received":                    {"c1", signed("secret", text), text, 200, 1, ""},
		"the secret that is being replaced still signs":   {"c1", signed("old", text), text, 200, 1, ""},
		"a wrong signature is refused":                    {"c1", wrong, text, 401, 0, ""},
		"a missing signature is refused":                  {"c1", "", text, 401, 0, ""},
		"an unsigned body is refused before it is parsed": {"c1", wrong, []byte("{"), 401, 0, ""},
		"an unknown channel looks like a wrong signature": {"nope", signed("secret", text), text, 401, 0, ""},
		"a look-up that fails asks Meta to come back":     {"broken", signed("secret", text), text, 500, 0, "database is away"},
		"signed nonsense is kept and not asked for again": {"c1", signed("secret", []byte("{")), []byte("{"), 200, 1, ""},
		"another number's messages are kept":              {"c1", signed("secret", foreign(text)), foreign(text), 200, 1, ""},
		"a body of 3 MiB is read":                         {"c1", signed("secret", padded(text, MaxCallback)), padded(text, MaxCallback), 200, 1, ""},
		"a body above 3 MiB is too large":                 {"c1", signed("secret", padded(text, MaxCallback+1)), padded(text, MaxCallback+1), 413, 0, ""},
		"a batch of 1,000 is one call":                    {"c1", signed("secret", batch(1000)), batch(1000), 200, 1, ""},
		"a callback without events is 200":                {"c1", signed("secret", []byte(`{"object":"whatsapp_business_account","entry":[]}`)), []byte(`{"object":"whatsapp_business_account","entry":[]}`), 200, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := serveCallback(t)
			if status := d.post(t, test.channel, test.signature, test.body); status != test.status {
				t.Errorf("status %d, want %d", status, test.status)
			}
			if len(d.received) != test.calls {
				t.Errorf("received %d times, want %d", len(d.received), test.calls)
			}
			if !strings.Contains(d.log.String(), test.logged) {
				t.Errorf("log lacks %q: %s", test.logged, d.log.String())
			}
		})
	}

	t.Run("what cannot be read is kept as it came, and no line of the log quotes it", func(t *testing.T) {
		for _, body := range [][]byte{[]byte(`{"entry":"Marina +5511912345678`), []byte("\x1f\x8b\x08 Marina"), []byte(`{"object":"Marina"}`)} {
			d := serveCallback(t)
			if status := d.post(t, "c1", signed("secret", body), body); status != 200 || len(d.received) != 1 {
				t.Fatalf("status %d, received %d times", status, len(d.received))
			}
			n := d.received[0][0].Incoming.Notice
			if n == nil || n.Kind != "unreadable" || string(n.Raw) != string(body) || strings.Contains(n.Text, "Marina") {
				t.Errorf("kept %+v", n)
			}
			if strings.Contains(d.log.String(), "Marina") {
				t.Errorf("logged: %s", d.log.String())
			}
		}
	})
	t.Run("a byte order mark is no part of the JSON", func(t *testing.T) {
		d := serveCallback(t)
		body := append([]byte("\uFEFF"), text...)
		d.post(t, "c1", signed("secret", body), body)
		if len(d.received) != 1 || d.received[0][0].Incoming.Message == nil {
			t.Errorf("received %+v", d.received)
		}
	})
	t.Run("what could not be stored is asked for again", func(t *testing.T) {
		d := serveCallback(t)
		d.refuse = errors.New("disk full")
		if status := d.post(t, "c1", signed("secret", text), text); status != 500 {
			t.Errorf("status %d", status)
		}
		d.refuse = nil
		if status := d.post(t, "c1", signed("secret", text), text); status != 200 || len(d.received) != 1 {
			t.Errorf("status %d, received %d times", status, len(d.received))
		}
	})
	t.Run("an undated message is dated on arrival", func(t *testing.T) {
		d := serveCallback(t)
		d.post(t, "c1", signed("secret", text), text)
		if at := d.received[0][0].Incoming.Message.At; !at.Equal(noon) {
			t.Errorf("dated %s", at)
		}
	})
	t.Run("a body of unknown length is capped too", func(t *testing.T) {
		d := serveCallback(t)
		body := padded(text, MaxCallback+1)
		req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, d.url+"/channels/c1/whatsapp", io.MultiReader(strings.NewReader(string(body))))
		req.Header.Set(signatureHeader, signed("secret", body))
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != 413 {
			t.Errorf("status %d", resp.StatusCode)
		}
	})
}

func TestCallbackHandshake(t *testing.T) {
	d := serveCallback(t)
	for path, want := range map[string]struct {
		status int
		body   string
	}{
		"c1/whatsapp?hub.mode=subscribe&hub.challenge=77&hub.verify_token=hello":   {200, "77"},
		"c1/whatsapp?hub.mode=subscribe&hub.challenge=77&hub.verify_token=wrong":   {403, "wrong verify token"},
		"nope/whatsapp?hub.mode=subscribe&hub.challenge=77&hub.verify_token=":      {403, "wrong verify token"},
		"broken/whatsapp?hub.mode=subscribe&hub.challenge=77&hub.verify_token=any": {500, "try again later"},
	} {
		resp, err := http.Get(d.url + "/channels/" + path)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != want.status || string(body) != want.body {
			t.Errorf("want resp.StatusCode == want.status and body == want.body; got %+v, %+v, %+v", path, resp.StatusCode, body)
		}
	}
	resp, err := http.Head(d.url + "/channels/c1/whatsapp")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("HEAD: %d", resp.StatusCode)
	}
}

func foreign(body []byte) []byte {
	return []byte(strings.ReplaceAll(string(body), `"2000"`, `"3000"`))
}

func padded(body []byte, size int) []byte {
	return append(body[:len(body):len(body)], strings.Repeat(" ", size-len(body))...)
}
