package api_test

import (
	"net/http"
	"strings"
	"testing"

	"recado/test/servertest"
)

func TestABodyMustBeDeclaredAsJSON(t *testing.T) {
	t.Parallel()
	w := servertest.Start(t, "")
	conversation := customerWrites(t, w, sandbox(t, w), phoneNumber(1))
	for _, path := range []string{"/labels", "/conversations/" + conversation + "/read", "/conversations/" + conversation + "/attendance/close"} {
		for _, kind := range []string{"", "text/plain", "application/x-www-form-urlencoded", "application/json-patch+json", "multipart/form-data; boundary=b"} {
			send := func(body string) *servertest.Answer {
				r, _ := http.NewRequest("POST", w.A.Base()+path, strings.NewReader(body))
				r.Header.Set("Authorization", "Bearer "+w.A.Secret())
				if kind != "" {
					r.Header.Set("Content-Type", kind)
				}
				return w.A.Send(t, r)
			}
			a := send(`{}`).Fails(400, "invalid_request")
			if got := a.Text("details", 0, "field"); got != "header.Content-Type" {
				t.Errorf("%s as %q: details.0.field: got %q, want header.Content-Type", path, kind, got)
			}
			send(`{"x":"`+strings.Repeat("a", 70_000)+`"}`).Fails(413, "body_too_large")
		}
	}
	t.Run("an absent body needs no Content-Type if every field is optional", func(t *testing.T) {
		w.A.Do(t, "POST", "/conversations/"+conversation+"/read", nil).OK(200)
		w.A.Do(t, "POST", "/conversations/"+conversation+"/attendance/close", nil).OK(200)
		w.A.Do(t, "PATCH", "/company/attendance", nil).OK(200)
		w.A.Do(t, "POST", "/labels", nil).Fails(400, "invalid_request")
	})
}
