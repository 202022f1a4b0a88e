package main

import (
	"bytes"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"recado/internal/webhooks"
	"recado/test/testkit"
)

func TestListen(t *testing.T) {
	secret, now := webhooks.NewSigningSecret(), time.Now()
	var out bytes.Buffer
	l := &listener{listenCmd: &listenCmd{Secret: secret, Brand: "Service", Status: 204}, out: &out, now: func() time.Time { return now }}

	send := func(secret, id string, at time.Time, body string) int {
		out.Reset()
		r := httptest.NewRequest("POST", "/", strings.NewReader(body))
		stamp := strconv.FormatInt(at.Unix(), 10)
		for name, value := range map[string]string{
			"X-Service-Event": "message.sent", "X-Service-Delivery": "d-1", "X-Service-Timestamp": stamp,
			"X-Service-Signature": webhooks.SignService(secret, at.Unix(), []byte(body)),
			"webhook-id":          id, "webhook-timestamp": stamp, "webhook-signature": webhooks.SignStandard(secret, id, at.Unix(), []byte(body)),
		} {
			r.Header.Set(name, value)
		}
		w := httptest.NewRecorder()
		l.ServeHTTP(w, r)
		return w.Code
	}
	t.Run("verifies and prints", func(t *testing.T) {
		if code := send(secret, "e-1", now, `{"id":"e-1"}`); code != 204 || !strings.Contains(out.String(), "verified\n{\"id\":\"e-1\"}\n") || strings.Contains(out.String(), "repeat") {
			t.Fatalf("send(secret, \"e-1\", now, `{\"id\":\"e-1\"}`): want code == 204 and strings.Contains(out.String(), \"verified\\n{\\\"id\\\":\\\"e-1\\\"}\\n\") and !strings.Contains(out.String(), \"repeat\"); got %+v, %+v", code, out.String())
		}
	})
	t.Run("knows a repeat", func(t *testing.T) {
		if code := send(secret, "e-1", now, `{"id":"e-1"}`); code != 204 || !strings.Contains(out.String(), "a repeat") {
			t.Fatalf("send(secret, \"e-1\", now, `{\"id\":\"e-1\"}`): want code == 204 and strings.Contains(out.String(), \"a repeat\"); got %+v, %+v", code, out.String())
		}
	})
	t.Run("accepts a delivery that has the X-Service-* headers alone", func(t *testing.T) {
		alone := func(headers ...string) int {
			out.Reset()
			body := `{"id":"e-alone"}`
			r := httptest.NewRequest("POST", "/", strings.NewReader(body))
			r.Header.Set("X-Service-Event", "message.sent")
			r.Header.Set("X-Service-Delivery", "d-1")
			r.Header.Set("X-Service-Timestamp", strconv.FormatInt(now.Unix(), 10))
			r.Header.Set("X-Service-Signature", webhooks.SignService(secret, now.Unix(), []byte(body)))
			for i := 0; i < len(headers); i += 2 {
				r.Header.Set(headers[i], headers[i+1])
			}
			w := httptest.NewRecorder()
			l.ServeHTTP(w, r)
			return w.Code
		}
		testkit.Equal(t, "status", alone(), 204)
		testkit.Contains(t, "output", out.String(), "event e-alone  delivery d-1  verified\n")
		testkit.Equal(t, "status of a repeat", alone(), 204)
		testkit.Contains(t, "output", out.String(), "a repeat")
		testkit.Equal(t, "status with a signature of Standard Webhooks that is wrong", alone("webhook-signature", "v1,AAAA"), 401)
		testkit.Equal(t, "status with half of the headers of Standard Webhooks", alone("webhook-id", "e-alone"), 401)
		testkit.Equal(t, "status with a wrong X-Service-Signature", alone("X-Service-Signature", "sha256=00"), 401)
		l.Brand = "Acme"
		testkit.Equal(t, "status with the headers of another brand", alone(), 401)
		l.Brand = "Service"
	})
	t.Run("refuses what another secret signed, and what is old", func(t *testing.T) {
		if code := send(webhooks.NewSigningSecret(), "e-2", now, `{}`); code != 401 || !strings.Contains(out.String(), "REFUSED") {
			t.Fatalf("send(webhooks.NewSigningSecret(), \"e-2\", now, `{}`): want code == 401 and strings.Contains(out.String(), \"REFUSED\"); got %+v, %+v", code, out.String())
		}
		if code := send(secret, "e-3", now.Add(-6*time.Minute), `{}`); code != 401 || !strings.Contains(out.String(), "REFUSED") {
			t.Fatalf("send(secret, \"e-3\", now.Add(-6*time.Minute), `{}`): want code == 401 and strings.Contains(out.String(), \"REFUSED\"); got %+v, %+v", code, out.String())
		}
	})
	t.Run("prints nothing that moves a terminal's cursor", func(t *testing.T) {
		send(secret, "e-4", now, "{\x1b[2J}")
		if strings.Contains(out.String(), "\x1b") {
			t.Fatalf(`want !strings.Contains(out.String(), "\x1b"); got %+v`, out.String())
		}
	})
	t.Run("bad flags exit 2", func(t *testing.T) {
		for _, args := range [][]string{{"listen", "--secret", "x"}, {"listen", "--status", "99"}, {"listen", "--brand", "a b"}} {
			if code, _, _ := recado(t, nil, args...); code != 2 {
				t.Errorf("%v: exit %d", args, code)
			}
		}
	})
}
