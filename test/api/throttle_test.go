package api_test

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/server"
	"recado/test/servertest"
	"recado/test/testkit"
)

func TestConfirmingTwoFactorIsThrottled(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		_, email := member(t, w.A.Client, "Ana")
		ana := w.A.SignIn(t, email, password)
		ana.Post(t, "/me/two-factor", map[string]string{"password": password}).OK(200)
		confirm := func() *servertest.Answer { return ana.Post(t, "/me/two-factor/confirm", `{"code":"000000"}`) }
		for range 5 {
			confirm().Fails(400, "invalid_request")
		}
		expectRetryAfter(t, confirm().Fails(429, "rate_limited"), 2)
		w.Clock.Advance(3 * time.Second)
		confirm().Fails(400, "invalid_request")
		expectRetryAfter(t, confirm().Fails(429, "rate_limited"), 4)
	})
}

// expectRetryAfter checks that Retry-After is between 1 and most seconds.
func expectRetryAfter(t *testing.T, a *servertest.Answer, most int) {
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
		messages := map[string]bool{}
		for i, wrong := range []string{"nonsense", used, strings.ToUpper(token), "a" + token, "b" + token} {
			try := look
			if i%2 == 0 {
				try = accept
			}
			messages[try(wrong, ip).Fails(404, "not_found").Text("message")] = true
		}
		if len(messages) != 1 {
			t.Errorf("wrong links got %d different messages, want 1: %v", len(messages), messages)
		}
		expectRetryAfter(t, look(token, ip).Fails(429, "rate_limited"), 2)
		expectRetryAfter(t, accept(token, ip).Fails(429, "rate_limited"), 2)
		look(token, "203.0.113.9").OK(200)
		w.Clock.Advance(3 * time.Second)
		look(token, ip).OK(200)
		accept(token, ip).OK(200)
		// Signing in from the same IP address is not throttled.
		_, email := member(t, w.A.Client, "Ana")
		w.A.Visitor().Post(t, "/session", map[string]string{"email": email, "password": password}, "X-Forwarded-For", ip).OK(200)
	}, trustLocalProxy)
}

func TestWrongSetupTokensAreThrottledByIP(t *testing.T) {
	servertest.EachEmpty(t, func(t *testing.T, s *server.Server, visitor *servertest.Client, clock *testkit.Clock) {
		old, _, err := s.Desk.People.NewSetupToken(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		token, needed, err := s.Desk.People.NewSetupToken(t.Context())
		if err != nil || !needed {
			t.Fatalf("setup token: got needed %v and error %v, want true and none", needed, err)
		}
		try := func(token, ip string) *servertest.Answer {
			return visitor.Post(t, "/setup", map[string]string{
				"token": token, "company": "Padaria Aurora", "timezone": "America/Sao_Paulo", "name": "Ana", "email": "ana@padaria.example", "password": password,
			}, "X-Forwarded-For", ip)
		}
		testkit.Diff(t, "needed", visitor.Get(t, "/setup").OK(200).At("needed"), true)
		const ip = "198.51.100.7"
		messages := map[string]bool{}
		for _, wrong := range []string{"", "nonsense", old, strings.ToUpper(token), token + "a"} {
			a := try(wrong, ip).Fails(401, "login_failed")
			messages[a.Text("message")] = true
			testkit.Diff(t, "header Set-Cookie", a.Header.Get("Set-Cookie"), "")
		}
		testkit.Diff(t, "number of different messages", len(messages), 1)
		expectRetryAfter(t, try(token, ip).Fails(429, "rate_limited"), 2)
		clock.Advance(3 * time.Second)
		try("nonsense", ip).Fails(401, "login_failed")
		expectRetryAfter(t, try(token, ip).Fails(429, "rate_limited"), 4)
		testkit.Diff(t, "number of password hashes for wrong tokens", s.Desk.People.PasswordHashes(), int64(0))
		testkit.Diff(t, "needed", visitor.Get(t, "/setup").OK(200).At("needed"), true)
		made := try(token, "203.0.113.9").OK(201)
		testkit.Diff(t, "role and company", made.Text("user", "role")+" "+made.Text("company", "name"), "owner Padaria Aurora")
		visitor.WithSession(t, made).Get(t, "/session").OK(200)
		testkit.Diff(t, "needed", visitor.Get(t, "/setup").OK(200).At("needed"), false)
		try(token, "203.0.113.9").Fails(404, "not_found")
		try("nonsense", "203.0.113.9").Fails(404, "not_found")
	}, trustLocalProxy)
}

// The test counts password hashes instead of comparing times, since hashing takes most of the time.
func TestRefusedSignInsCostTheSameNumberOfHashes(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		anaID, anaEmail := member(t, w.A.Client, "Ana")
		goneID, goneEmail := member(t, w.A.Client, "Bia")
		w.A.Delete(t, "/team/"+goneID).OK(204)
		newID := w.A.Post(t, "/team", `{"name":"Caio","email":"caio@padaria.example"}`).OK(201).ID()
		safeEmail := twoFactorMember(t, w, "Dora")
		invite := func(email string) string {
			return tokenOf(t, w.A.Post(t, "/team/invitations", fmt.Sprintf(`{"email":%q,"name":"Eva","role":"agent"}`, email)).OK(201).Text("url"))
		}
		reset := func(member string) string {
			return tokenOf(t, w.A.Post(t, "/team/"+member+"/reset-link", nil).OK(200).Text("url"))
		}
		replaced, cancelled, used := invite("eva@padaria.example"), invite("fabio@padaria.example"), invite("gil@padaria.example")
		invite("eva@padaria.example")
		for _, i := range w.A.Get(t, "/team/invitations").OK(200).List() {
			if i := i.(map[string]any); i["email"] == "fabio@padaria.example" {
				w.A.Delete(t, "/team/invitations/"+i["id"].(string)).OK(204)
			}
		}
		w.A.Visitor().Post(t, "/welcome", map[string]string{"token": used, "password": password}).OK(200)
		oldLink, expiredLink := reset(newID), reset(anaID)
		newest := reset(newID)
		w.A.Visitor().Post(t, "/welcome", map[string]string{"token": newest, "password": password}).OK(200)
		w.Clock.Advance(25 * time.Hour)
		ghost := w.A.Post(t, "/team", `{"name":"Hugo","email":"hugo@padaria.example"}`).OK(201).ID()
		ghostLink := reset(ghost)
		w.A.Delete(t, "/team/"+ghost).OK(204)
		w.A.Post(t, "/team", `{"name":"Ida","email":"ida@padaria.example"}`).OK(201)

		ip := 0
		refused := func(path string, body map[string]string, status int, code kernel.Code, hashes int64) string {
			t.Helper()
			before := w.Desk.People.PasswordHashes()
			ip++ // a new address is not throttled
			a := w.A.Visitor().Post(t, path, body, "X-Forwarded-For", fmt.Sprintf("198.51.100.%d", ip)).Fails(status, string(code))
			testkit.Diff(t, fmt.Sprintf("number of password hashes of %v", body), w.Desk.People.PasswordHashes()-before, hashes)
			testkit.Diff(t, "header Set-Cookie", a.Header.Get("Set-Cookie"), "")
			return a.Text("message")
		}
		messages := map[string]bool{}
		for _, body := range []map[string]string{
			{"email": anaEmail, "password": "wrong password"},
			{"email": "unknown@nowhere.example", "password": password},
			{"email": "no address at all", "password": password},
			{"email": goneEmail, "password": password},
			{"email": "ida@padaria.example", "password": password}, // has no password yet
			{"email": safeEmail, "password": "wrong password"},
			{"email": safeEmail, "password": "wrong password", "code": "123456"},
			{"email": anaEmail, "password": password, "company": w.B.ID.String()},
			{"email": anaEmail, "password": password, "company": kernel.NewID().String()},
			{"email": anaEmail, "password": ""},
		} {
			messages[refused("/session", body, 401, kernel.CodeLoginFailed, 1)] = true
		}
		testkit.Diff(t, "number of different messages of POST /session", len(messages), 1)
		clear(messages)
		for _, code := range []string{"123456", "nonsense", "aaaa-bbbb-cccc-dddd"} {
			messages[refused("/session", map[string]string{"email": safeEmail, "password": password, "code": code}, 401, kernel.CodeCodeInvalid, 1)] = true
		}
		testkit.Diff(t, "number of different messages for a wrong code", len(messages), 1)
		clear(messages)
		for _, token := range []string{"", "nonsense", replaced, cancelled, used, oldLink, newest, expiredLink, ghostLink} {
			messages[refused("/welcome", map[string]string{"token": token, "password": password}, 404, kernel.CodeNotFound, 0)] = true
			messages[refused("/welcome", map[string]string{"token": token, "password": "short"}, 404, kernel.CodeNotFound, 0)] = true
		}
		testkit.Diff(t, "number of different messages of POST /welcome", len(messages), 1)
	}, trustLocalProxy)
}

func TestEveryRefusedCookieGetsTheSameResponse(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		id, email := member(t, w.A.Client, "Ana")
		expired := w.A.SignIn(t, email, password)
		w.Clock.Advance(people.SessionLongest + time.Hour)
		ended, removed := w.A.SignIn(t, email, password), w.A.SignIn(t, email, password)
		ended.Delete(t, "/session").OK(204)
		w.A.Delete(t, "/team/"+id).OK(204)
		messages, hashes := map[string]bool{}, w.Desk.People.PasswordHashes()
		refused := func(c *servertest.Client, headers ...string) {
			t.Helper()
			a := c.Do(t, "GET", "/session", nil, headers...).Fails(401, "session_missing")
			messages[a.Text("message")] = true
		}
		refused(expired)
		refused(ended)
		refused(removed)
		for _, cookie := range []string{"recado=unknown", "recado=" + strings.Repeat("x", 43), "recado=" + url.QueryEscape(w.A.Secret())} {
			refused(w.A.Visitor(), "Cookie", cookie)
		}
		testkit.Diff(t, "number of different messages", len(messages), 1)
		testkit.Diff(t, "number of password hashes", w.Desk.People.PasswordHashes(), hashes)
	})
}

// twoFactorMember adds a member with two-factor enabled and returns their e-mail address.
func twoFactorMember(t *testing.T, w *servertest.World, name string) string {
	t.Helper()
	_, email := member(t, w.A.Client, name)
	person := w.A.SignIn(t, email, password)
	code, err := people.TOTPCode(person.Post(t, "/me/two-factor", map[string]string{"password": password}).OK(200).Text("secret"), w.Clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	person.Post(t, "/me/two-factor/confirm", map[string]string{"code": code}).OK(200)
	return email
}

func TestSignInBodiesOver64KiBAreRefused(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		for _, path := range []string{"/session", "/setup", "/welcome"} {
			w.A.Visitor().Post(t, path, fmt.Sprintf(`{"password":%q}`, strings.Repeat("x", 64<<10))).Fails(413, "body_too_large")
		}
	})
}
