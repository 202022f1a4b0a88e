package api_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"recado/internal/servertest"
)

func TestWrongTwoFactorCodesCountWhenTheyAreConfirmed(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		_, email := member(t, w.A.Client, "Ana")
		ana := w.A.SignIn(t, email, password)
		ana.Post(t, "/me/two-factor", map[string]string{"password": password}).OK(200)
		confirm := func() *servertest.Answer { return ana.Post(t, "/me/two-factor/confirm", `{"code":"000000"}`) }
		for range 5 {
			confirm().Fails(400, "invalid_request")
		}
		retryAfter(t, confirm().Fails(429, "rate_limited"), 2)
		w.Clock.Advance(3 * time.Second)
		confirm().Fails(400, "invalid_request")
		retryAfter(t, confirm().Fails(429, "rate_limited"), 4)
	})
}

// retryAfter fails the test unless an answer says how many seconds to wait.
func retryAfter(t *testing.T, a *servertest.Answer, most int) {
	t.Helper()
	if seconds, err := strconv.Atoi(a.Header.Get("Retry-After")); err != nil || seconds < 1 || seconds > most {
		t.Errorf("Retry-After: got %q, want 1 to %d", a.Header.Get("Retry-After"), most)
	}
}

func TestWrongLinksAreThrottledByIP(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		token := tokenOf(t, w.A.Post(t, "/team/invitations", `{"email":"bia@padaria.example","name":"Bia","role":"agent"}`).OK(201).Text("url"))
		used := tokenOf(t, w.A.Post(t, "/team/invitations", `{"email":"caio@padaria.example","name":"Caio","role":"agent"}`).OK(201).Text("url"))
		accept := func(token, ip string) *servertest.Answer {
			return w.A.Visitor().Post(t, "/welcome", map[string]string{"token": token, "password": password}, "X-Forwarded-For", ip)
		}
		look := func(token, ip string) *servertest.Answer {
			return w.A.Visitor().Do(t, "GET", "/welcome?token="+token, nil, "X-Forwarded-For", ip)
		}
		accept(used, "203.0.113.9").OK(200)
		const ip = "198.51.100.7"
		answers := map[string]bool{}
		for i, wrong := range []string{"nonsense", used, strings.ToUpper(token), "a" + token, "b" + token} {
			try := look
			if i%2 == 0 {
				try = accept
			}
			answers[try(wrong, ip).Fails(404, "not_found").Text("message")] = true
		}
		if len(answers) != 1 {
			t.Errorf("wrong links have %d answers, want 1: %v", len(answers), answers)
		}
		retryAfter(t, look(token, ip).Fails(429, "rate_limited"), 2)
		retryAfter(t, accept(token, ip).Fails(429, "rate_limited"), 2)
		look(token, "203.0.113.9").OK(200)
		w.Clock.Advance(3 * time.Second)
		look(token, ip).OK(200)
		accept(token, ip).OK(200)
		// People who sign in from there are not stopped.
		_, email := member(t, w.A.Client, "Ana")
		w.A.Visitor().Post(t, "/session", map[string]string{"email": email, "password": password}, "X-Forwarded-For", ip).OK(200)
	}, proxied)
}

func TestBodiesOver64KiBAreTooLargeForSigningIn(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		for _, path := range []string{"/session", "/setup", "/welcome"} {
			w.A.Visitor().Post(t, path, fmt.Sprintf(`{"password":%q}`, strings.Repeat("x", 64<<10))).Fails(413, "body_too_large")
		}
	})
}
