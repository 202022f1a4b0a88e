package api_test

import (
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/server"
	"recado/test/servertest"
)

const password = "correct horse battery"

// member adds a member who sets a password through a reset link. fields are additional fields of the body.
func member(t *testing.T, c *servertest.Client, name string, fields ...string) (id, email string) {
	t.Helper()
	email = strings.ToLower(name) + "@" + kernel.NewID().String() + ".example"
	body := fmt.Sprintf(`{"name":%q,"email":%q`, name, email)
	for _, f := range fields {
		body += "," + f
	}
	id = c.Post(t, "/team", body+"}").OK(201).ID()
	c.Enter(t, id, password)
	return id, email
}

// tokenOf returns the token in the fragment of a link.
func tokenOf(t *testing.T, link string) string {
	t.Helper()
	_, fragment, found := strings.Cut(link, "/#/")
	_, query, _ := strings.Cut(fragment, "?")
	values, err := url.ParseQuery(query)
	if !found || err != nil || values.Get("token") == "" {
		t.Fatalf("no token in %q", link)
	}
	return values.Get("token")
}

func TestASessionIdentifiesItsPerson(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		id, email := member(t, w.A.Client, "Ana", `"role":"manager"`)
		made := w.A.Visitor().Post(t, "/session", map[string]string{"email": " " + strings.ToUpper(email) + " ", "password": password}).OK(200)
		cookie := made.Header.Get("Set-Cookie")
		for _, want := range []string{"recado=", "HttpOnly", "SameSite=Lax", "Path=/"} {
			if !strings.Contains(cookie, want) {
				t.Errorf("cookie: got %q, want %q in it", cookie, want)
			}
		}
		ana := w.A.WithSession(t, made)
		s := ana.Get(t, "/session").OK(200)
		for field, want := range map[string]string{"id": id, "email": email, "role": "manager", "access_profile": "all", "presence": "online"} {
			if got := s.Text("user", field); got != want {
				t.Errorf("user.%s: got %q, want %q", field, got, want)
			}
		}
		if got := s.Text("company", "id"); got != w.A.ID.String() {
			t.Errorf("company: got %s, want %s", got, w.A.ID)
		}
		expires, err := time.Parse(time.RFC3339, s.Text("expires_at"))
		if want := w.Clock.Now().Add(people.SessionIdle); err != nil || want.Sub(expires).Abs() > time.Minute {
			t.Errorf("expires_at: got %s, want about %s", s.Text("expires_at"), want)
		}
		if me := ana.Get(t, "/me").OK(200); me.At("integration") != nil || me.Text("user", "id") != id {
			t.Errorf("/me: got %s, want the user %s and no integration", me.Raw, id)
		}
		ana.Get(t, "/reports/attendance").OK(200)
		ana.Get(t, "/keys").Fails(403, "insufficient_scope")
	})
}

func TestARequestNamingAnotherPersonThanItsCookieIsRefused(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		ana, anaID := signedIn(t, w, "Ana")
		bia, biaID := signedIn(t, w, "Bia")
		conversation := customerWritesText(t, w.A.Client, sandbox(t, w), "+5511987650001", "hello")
		messages := "/conversations/" + conversation + "/messages"
		const header = "X-Recado-User"
		text := func() map[string]string {
			return map[string]string{"client_id": kernel.NewID().String(), "text": "from Ana"}
		}
		// The browser has Bia's cookie, and an old tab sends what Ana wrote.
		for _, named := range []string{anaID, "ana", "", w.A.ID.String()} {
			bia.Post(t, messages, text(), header, named).Fails(403, "session_changed")
		}
		bia.Do(t, "GET", "/session", nil, header, anaID).Fails(403, "session_changed")
		bia.Do(t, "GET", "/live", nil, header, anaID).Fails(403, "session_changed")
		bia.Delete(t, "/session", header, anaID).Fails(403, "session_changed")
		bia.Do(t, "PUT", "/conversations/"+conversation+"/draft", map[string]string{"text": "from Ana"}, header, anaID).Fails(403, "session_changed")
		bia.Upload(t, "a.txt", []byte("from Ana"), header, anaID).Fails(403, "session_changed")
		if got := len(bia.Get(t, messages).OK(200).List("data")); got != 1 {
			t.Errorf("got %d messages, want only the customer's", got)
		}
		bia.Post(t, messages, text(), header, biaID).OK(201)
		ana.Post(t, messages, text(), header, strings.ToUpper(anaID)).OK(201)
		ana.Post(t, messages, text()).OK(201)
		// The header does not apply to keys, nor to visitors without a session.
		w.A.Post(t, messages, text(), header, anaID).OK(201)
		w.A.Visitor().Post(t, "/session", map[string]string{"email": "nobody@a.example", "password": password}, header, anaID).Fails(401, "login_failed")
	})
}

func TestEveryFailedSignInGetsTheSameResponse(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		_, email := member(t, w.A.Client, "Ana")
		gone, goneEmail := member(t, w.A.Client, "Bia")
		w.A.Delete(t, "/team/"+gone).OK(204)
		visitor := w.A.Visitor()
		var first string
		for _, body := range []map[string]string{
			{"email": email, "password": "wrong password"},
			{"email": "unknown@nowhere.example", "password": password},
			{"email": goneEmail, "password": password},
			{"email": email, "password": password, "company": w.B.ID.String()},
		} {
			a := visitor.Post(t, "/session", body).Fails(401, "login_failed")
			if first == "" {
				first = a.Text("message")
			}
			if a.Text("message") != first {
				t.Errorf("message: got %q, want %q", a.Text("message"), first)
			}
			if a.Header.Get("Set-Cookie") != "" {
				t.Errorf("a failed sign-in sets the cookie %q", a.Header.Get("Set-Cookie"))
			}
		}
	})
}

func TestSignInsAreThrottledAfterFiveFailures(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		_, email := member(t, w.A.Client, "Ana")
		try := func(password, ip string) *servertest.Answer {
			return w.A.Visitor().Post(t, "/session", map[string]string{"email": email, "password": password}, "X-Forwarded-For", ip)
		}
		for range 5 {
			try("wrong password", "198.51.100.7").Fails(401, "login_failed")
		}
		a := try(password, "198.51.100.7").Fails(429, "rate_limited")
		if a.Header.Get("Retry-After") != "2" {
			t.Errorf("Retry-After: got %q, want 2", a.Header.Get("Retry-After"))
		}
		// From another IP address the same account waits as long, but at most half a minute.
		try(password, "203.0.113.9").Fails(429, "rate_limited")
		w.Clock.Advance(3 * time.Second)
		try(password, "203.0.113.9").OK(200)
		for i := range 12 {
			try("wrong password", "198.51.100.7")
			w.Clock.Advance(time.Second << min(i+2, 10))
		}
		w.Clock.Advance(31 * time.Second)
		try(password, "203.0.113.9").OK(200)
	}, trustLocalProxy)
}

// trustLocalProxy makes a server trust the headers of a proxy on this machine.
func trustLocalProxy(c *server.Config) {
	c.Proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
}

func TestWrongPasswordsDoNotBlockAnotherPerson(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		_, email := member(t, w.A.Client, "Ana")
		_, other := member(t, w.A.Client, "Bia")
		var running sync.WaitGroup
		for i := range 50 {
			running.Go(func() {
				for range 4 {
					a := w.A.Visitor().Post(t, "/session", map[string]string{"email": email, "password": "wrong password"},
						"X-Forwarded-For", fmt.Sprintf("198.51.100.%d", i))
					if a.Status == 200 {
						t.Error("a wrong password was accepted")
					}
				}
			})
		}
		running.Wait()
		w.A.Visitor().Post(t, "/session", map[string]string{"email": other, "password": password}, "X-Forwarded-For", "203.0.113.9").OK(200)
	}, trustLocalProxy)
}

func TestASessionEndsWhenIdleOrOld(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		_, email := member(t, w.A.Client, "Ana")
		ana := w.A.SignIn(t, email, password)
		for range 8 { // 88 days of use are less than the maximum of 90
			w.Clock.Advance(11 * 24 * time.Hour)
			ana.Get(t, "/session").OK(200)
			if err := w.Desk.People.FlushSeen(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		w.Clock.Advance(3 * 24 * time.Hour)
		ana.Get(t, "/session").Fails(401, "session_missing")

		idle := w.A.SignIn(t, email, password)
		w.Clock.Advance(15 * 24 * time.Hour)
		idle.Get(t, "/session").Fails(401, "session_missing")
	})
}

func TestSessionsAreListedAndEnded(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		id, email := member(t, w.A.Client, "Ana")
		one, two, three := w.A.SignIn(t, email, password), w.A.SignIn(t, email, password), w.A.SignIn(t, email, password)
		sessions := one.Get(t, "/sessions").OK(200).List()
		if len(sessions) != 4 { // including the session of the reset link
			t.Fatalf("got %d sessions, want 4", len(sessions))
		}
		current := 0
		for _, s := range sessions {
			if s.(map[string]any)["current"] == true {
				current++
			}
		}
		if current != 1 {
			t.Errorf("got %d current sessions, want 1", current)
		}
		last := sessions[0].(map[string]any)["id"].(string)
		one.Delete(t, "/sessions/"+last).OK(204)
		three.Get(t, "/session").Fails(401, "session_missing")
		one.Delete(t, "/sessions/"+last).Fails(404, "not_found")
		one.Delete(t, "/sessions").OK(204)
		two.Get(t, "/session").Fails(401, "session_missing")
		one.Get(t, "/session").OK(200)
		if out := one.Delete(t, "/session").OK(204); !strings.Contains(out.Header.Get("Set-Cookie"), "Max-Age=0") {
			t.Errorf("cookie: got %q, want it removed", out.Header.Get("Set-Cookie"))
		}
		one.Get(t, "/session").Fails(401, "session_missing")
		four := w.A.SignIn(t, email, password)
		w.A.Delete(t, "/team/"+id+"/sessions").OK(204)
		four.Get(t, "/session").Fails(401, "session_missing")
	})
}

func TestARoleChangeLimitsASessionAndRemovalEndsIt(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		id, email := member(t, w.A.Client, "Ana", `"role":"manager"`)
		ana := w.A.SignIn(t, email, password)
		ana.Get(t, "/reports/attendance").OK(200)
		w.A.Patch(t, "/team/"+id, `{"role":"agent"}`).OK(200)
		ana.Get(t, "/reports/attendance").Fails(403, "insufficient_scope")
		w.A.Delete(t, "/team/"+id).OK(204)
		ana.Get(t, "/session").Fails(401, "session_missing")
	})
}

func TestUnsafeRequestsWithACookieMustComeFromTheApp(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		_, email := member(t, w.A.Client, "Ana")
		ana := w.A.SignIn(t, email, password)
		origin := strings.TrimSuffix(w.URL, "/")
		for name, c := range map[string]struct {
			headers []string
			allowed bool
		}{
			"same origin":                 {[]string{"Sec-Fetch-Site", "same-origin"}, true},
			"another site":                {[]string{"Sec-Fetch-Site", "cross-site"}, false},
			"another host of the site":    {[]string{"Sec-Fetch-Site", "same-site"}, false},
			"typed by hand":               {[]string{"Sec-Fetch-Site", "none"}, false},
			"an old browser, this origin": {[]string{"Sec-Fetch-Site", "", "Origin", origin}, true},
			"an old browser, another one": {[]string{"Sec-Fetch-Site", "", "Origin", "https://evil.example"}, false},
			"nothing":                     {[]string{"Sec-Fetch-Site", ""}, false},
			"another site with an origin": {[]string{"Sec-Fetch-Site", "cross-site", "Origin", origin}, false},
		} {
			a := ana.Do(t, "PUT", "/me/presence", `{"presence":"away"}`, c.headers...)
			if c.allowed {
				a.OK(200)
			} else if a.Status != 403 || a.Text("code") != "cross_origin" {
				t.Errorf("%s: got %d %s, want 403 cross_origin", name, a.Status, a.Raw)
			}
		}
		ana.Do(t, "GET", "/session", nil, "Sec-Fetch-Site", "cross-site").OK(200)
		visitor := w.A.Visitor()
		body := map[string]string{"email": email, "password": password}
		visitor.Post(t, "/session", body, "Sec-Fetch-Site", "cross-site").Fails(403, "cross_origin")
		visitor.Post(t, "/session", body, "Origin", "https://evil.example").Fails(403, "cross_origin")
		visitor.Post(t, "/session", body, "Sec-Fetch-Site", "same-origin", "Origin", "http://evil.example").Fails(403, "cross_origin") // a foreign host name that resolves to this server
		for _, path := range []string{"/welcome", "/setup"} {
			visitor.Post(t, path, `{}`, "Sec-Fetch-Site", "same-origin", "Origin", "http://evil.example").Fails(403, "cross_origin")
		}
		visitor.Post(t, "/session", body, "Sec-Fetch-Site", "same-origin", "Origin", origin).OK(200)
		visitor.Post(t, "/session", body, "Sec-Fetch-Site", "none").OK(200)
		visitor.Post(t, "/session", body).OK(200)
		visitor.Do(t, "GET", "/setup", nil, "Sec-Fetch-Site", "cross-site").OK(200)
		visitor.Do(t, "GET", "/welcome?token=wrong", nil, "Origin", "https://evil.example").Fails(404, "not_found")
	})
}

func TestKeysAndSessionsAreNotInterchangeable(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		w.A.Get(t, "/session").Fails(403, "session_required")
		w.A.Patch(t, "/me", `{"name":"Ana"}`).Fails(403, "session_required")
		w.A.Visitor().Get(t, "/session").Fails(401, "key_missing")
		w.A.Visitor().Do(t, "GET", "/session", nil, "Cookie", "recado=abc").Fails(401, "session_missing")
		// A key is used even if a cookie is sent with it.
		w.A.Do(t, "GET", "/me", nil, "Cookie", "recado=abc").OK(200)
	})
}

func TestTwoFactorProtectsSigningIn(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		id, email := member(t, w.A.Client, "Ana")
		ana := w.A.SignIn(t, email, password)
		ana.Post(t, "/me/two-factor", `{"password":"not my password"}`).Fails(400, "invalid_request")
		begun := ana.Post(t, "/me/two-factor", map[string]string{"password": password}).OK(200)
		secret := begun.Text("secret")
		if !strings.HasPrefix(begun.Text("url"), "otpauth://totp/") || !strings.Contains(begun.Text("url"), secret) {
			t.Errorf("url: got %q, want an otpauth URL with the secret", begun.Text("url"))
		}
		code := func() string {
			c, err := people.TOTPCode(secret, w.Clock.Now())
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		ana.Post(t, "/me/two-factor/confirm", `{"code":"000000"}`).Fails(400, "invalid_request")
		confirmed := ana.Post(t, "/me/two-factor/confirm", map[string]string{"code": code()}).OK(200)
		if n := len(confirmed.List("recovery_codes")); n != 10 {
			t.Fatalf("got %d recovery codes, want 10", n)
		}
		ana.Post(t, "/me/two-factor", map[string]string{"password": password}).Fails(409, "two_factor_active")
		if ana.Get(t, "/session").OK(200).At("user", "two_factor") != true {
			t.Error("two_factor: got false, want true")
		}

		visitor := w.A.Visitor()
		signIn := func(code string) *servertest.Answer {
			return visitor.Post(t, "/session", map[string]string{"email": email, "password": password, "code": code})
		}
		for range 8 { // a missing code does not count as a failure
			signIn("").Fails(401, "code_required")
		}
		signIn(code()).Fails(401, "code_invalid") // this time step was used to confirm
		w.Clock.Advance(30 * time.Second)

		var running sync.WaitGroup
		var mu sync.Mutex
		accepted := 0
		for range 4 {
			running.Go(func() {
				if signIn(code()).Status == 200 {
					mu.Lock()
					accepted++
					mu.Unlock()
				}
			})
		}
		running.Wait()
		if accepted != 1 {
			t.Errorf("the code was accepted %d times, want 1", accepted)
		}
		recovery := confirmed.Text("recovery_codes", 0)
		w.Clock.Advance(2 * time.Hour) // earlier failures no longer count
		signIn(strings.ToUpper(recovery)).OK(200)
		signIn(recovery).Fails(401, "code_invalid")

		// A reset link sets the password and still asks for the code.
		link := tokenOf(t, w.A.Post(t, "/team/"+id+"/reset-link", nil).OK(200).Text("url"))
		visitor.Post(t, "/welcome", map[string]string{"token": link, "password": "another password"}).Fails(401, "code_required")
		w.Clock.Advance(time.Minute)
		visitor.Post(t, "/welcome", map[string]string{"token": link, "password": "another password", "code": code()}).OK(200)
		ana.Get(t, "/session").Fails(401, "session_missing")

		w.Clock.Advance(time.Minute)
		ana = w.A.WithSession(t, visitor.Post(t, "/session", map[string]string{"email": email, "password": "another password", "code": code()}).OK(200))
		w.Clock.Advance(time.Minute)
		ana.Post(t, "/me/two-factor/disable", map[string]string{"password": "another password", "code": code()}).OK(204)
		visitor.Post(t, "/session", map[string]string{"email": email, "password": "another password"}).OK(200)
	})
}

func TestAnInvitationIsAcceptedOnce(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		sector := w.A.Post(t, "/sectors", `{"name":"Vendas"}`).OK(201).ID()
		invite := func(email string) *servertest.Answer {
			return w.A.Post(t, "/team/invitations", map[string]any{
				"email": email, "name": "Bia", "role": "agent", "access_profile": "sectors", "sector_ids": []string{sector},
			}).OK(201)
		}
		replaced := tokenOf(t, invite("bia@padaria.example").Text("url"))
		made := invite("bia@padaria.example")
		token := tokenOf(t, made.Text("url"))
		visitor := w.A.Visitor()
		visitor.Get(t, "/welcome?token="+replaced).Fails(404, "not_found")
		welcome := visitor.Get(t, "/welcome?token="+token).OK(200)
		if welcome.Text("kind") != "invitation" || welcome.Text("email") != "bia@padaria.example" || welcome.Text("company", "name") != "Padaria Aurora" {
			t.Errorf("welcome: got %s, want the invitation of bia@padaria.example to Padaria Aurora", welcome.Raw)
		}
		listed := w.A.Get(t, "/team/invitations").OK(200)
		if len(listed.List()) != 1 || listed.At("data", 0, "url") != nil {
			t.Errorf("invitations: got %s, want 1 without a url", listed.Raw)
		}
		visitor.Post(t, "/welcome", map[string]string{"token": token, "password": "short"}).Fails(400, "invalid_request")

		responses := make([]*servertest.Answer, 2)
		var running sync.WaitGroup
		for i := range responses {
			running.Go(func() {
				responses[i] = visitor.Post(t, "/welcome", map[string]string{"token": token, "name": fmt.Sprintf("Bia %d", i), "password": password})
			})
		}
		running.Wait()
		accepted := 0
		for _, a := range responses {
			switch a.Status {
			case 200:
				accepted++
				bia := w.A.WithSession(t, a)
				if s := bia.Get(t, "/session").OK(200); s.Text("user", "sectors", 0, "id") != sector || s.Text("user", "role") != "agent" {
					t.Errorf("session: got %s, want an agent in the sector %s", s.Raw, sector)
				}
			default:
				a.Fails(404, "not_found")
			}
		}
		if accepted != 1 {
			t.Errorf("the invitation was accepted %d times, want 1", accepted)
		}
		w.A.Post(t, "/team/invitations", `{"email":"BIA@padaria.example","name":"Bia","role":"agent"}`).Fails(409, "name_taken")
		late := invite("caio@padaria.example")
		w.Clock.Advance(8 * 24 * time.Hour)
		visitor.Get(t, "/welcome?token="+tokenOf(t, late.Text("url"))).Fails(404, "not_found")
		w.A.Delete(t, "/team/invitations/"+late.ID()).OK(204)
		w.A.Delete(t, "/team/invitations/"+late.ID()).Fails(404, "not_found")
	})
}

func TestASessionManagesOnlyLowerRoles(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		owner := w.A.Owner.ID.String()
		agent, _ := member(t, w.A.Client, "Caio")
		_, email := member(t, w.A.Client, "Ana", `"role":"manager"`)
		ana := w.A.SignIn(t, email, password)
		ana.Post(t, "/team/"+agent+"/reset-link", nil).OK(200)
		ana.Post(t, "/team/"+owner+"/reset-link", nil).Fails(403, "insufficient_scope")
		ana.Delete(t, "/team/"+owner+"/sessions").Fails(403, "insufficient_scope")
		ana.Post(t, "/team/invitations", `{"email":"x@x.example","name":"X","role":"admin"}`).Fails(403, "insufficient_scope")
	})
}

func TestAnAddressInSeveralCompaniesMustChooseOne(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		for _, c := range []*servertest.Company{w.A, w.B} {
			id := c.Post(t, "/team", `{"name":"Ana","email":"ana@both.example"}`).OK(201).ID()
			link := c.Post(t, "/team/"+id+"/reset-link", nil).OK(200).Text("url")
			c.Visitor().Post(t, "/welcome", map[string]string{"token": tokenOf(t, link), "password": password}).OK(200)
		}
		visitor := w.A.Visitor()
		asked := visitor.Post(t, "/session", map[string]string{"email": "ana@both.example", "password": password}).Fails(409, "company_required")
		if len(asked.List("details")) != 2 || asked.Text("details", 0, "field") != "body.company" {
			t.Fatalf("details: got %s, want two values for body.company", asked.Raw)
		}
		chosen := asked.Text("details", 1, "value")
		got := visitor.Post(t, "/session", map[string]string{"email": "ana@both.example", "password": password, "company": chosen}).OK(200)
		if got.Text("company", "id") != chosen {
			t.Errorf("company: got %s, want %s", got.Text("company", "id"), chosen)
		}
	})
}

func TestAPersonChangesTheirProfileAndPreferences(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		_, email := member(t, w.A.Client, "Ana")
		ana, other := w.A.SignIn(t, email, password), w.A.SignIn(t, email, password)
		if p := ana.Patch(t, "/me/preferences", `{"sound":"drop"}`).OK(200); p.Text("language") != "pt-BR" || p.At("language_chosen") != false {
			t.Errorf("preferences before a language was chosen: got %s, want pt-BR and language_chosen false", p.Raw)
		}
		ana.Patch(t, "/me/preferences", `{"language":"pt-BR"}`).OK(200)
		if p := other.Get(t, "/me/preferences").OK(200); p.Text("language") != "pt-BR" || p.At("language_chosen") != true {
			t.Errorf("preferences after Portuguese was chosen: got %s, want pt-BR and language_chosen true", p.Raw)
		}
		changed := ana.Patch(t, "/me", `{"name":"Ana Lima","signature":"Ana, Vendas","language":"es"}`).OK(200)
		if changed.Text("user", "name") != "Ana Lima" || changed.Text("user", "signature") != "Ana, Vendas" {
			t.Errorf("profile: got %s, want the new name and signature", changed.Raw)
		}
		if p := ana.Get(t, "/me/preferences").OK(200); p.Text("language") != "es" || p.Text("theme") != "system" || p.At("shortcuts") != true {
			t.Errorf("preferences: got %s, want es, the theme system and shortcuts", p.Raw)
		}
		ana.Patch(t, "/me/preferences", `{"theme":"dark","shortcuts":false}`).OK(200)
		if p := ana.Get(t, "/me/preferences").OK(200); p.Text("language") != "es" || p.Text("theme") != "dark" || p.At("shortcuts") != false {
			t.Errorf("preferences: got %s, want es, the theme dark and no shortcuts", p.Raw)
		}
		ana.Patch(t, "/me/preferences", `{"theme":"pink"}`).Fails(400, "invalid_request")
		wrong := ana.Patch(t, "/me", `{"password":{"current":"not my password","new":"brand new password"}}`).Fails(400, "invalid_request")
		if wrong.Text("details", 0, "field") != "body.password.current" {
			t.Errorf("details: got %s, want the field body.password.current", wrong.Raw)
		}
		ana.Patch(t, "/me", map[string]any{"password": map[string]string{"current": password, "new": "brand new password"}}).OK(200)
		other.Get(t, "/session").Fails(401, "session_missing")
		ana.Get(t, "/session").OK(200)
		w.A.SignIn(t, email, "brand new password")
		if p := ana.Put(t, "/me/presence", `{"presence":"away"}`).OK(200); p.Text("presence") != "away" {
			t.Errorf("presence: got %s, want away", p.Raw)
		}
		if m := findMember(t, w.A.Client, ana.Get(t, "/session").OK(200).Text("user", "id")); m["presence"] != "away" {
			t.Errorf("presence in the team: got %v, want away", m["presence"])
		}
	})
}
