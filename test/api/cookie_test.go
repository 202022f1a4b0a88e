package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"recado/internal/people"
	"recado/internal/server"
	"recado/test/kerneltest"
	"recado/test/servertest"
	"recado/test/testkit"
)

func TestTheCookieMatchesTheServerAddress(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		public, base string
		forwarded    string // X-Forwarded-Proto of a trusted proxy
		cookie       string
		path         string
		secure       bool
	}{
		"plain http":                   {cookie: "recado", path: "/"},
		"plain http below a path":      {base: "/desk", cookie: "recado", path: "/desk"},
		"https":                        {public: "https://desk.example", cookie: "__Host-recado", path: "/", secure: true},
		"https below a path":           {public: "https://desk.example", base: "/desk", cookie: "__Secure-recado", path: "/desk", secure: true},
		"https of a proxy":             {forwarded: "https", cookie: "__Host-recado", path: "/", secure: true},
		"https of a proxy with a path": {forwarded: "https", base: "/desk", cookie: "__Secure-recado", path: "/desk", secure: true},
	} {
		t.Run(name, func(t *testing.T) {
			w := servertest.Start(t, "", func(c *server.Config) { c.PublicURL, c.BasePath = tt.public, tt.base }, trustLocalProxy)
			made := w.NewMember(t, people.NewUser{Name: "Ana", Password: password})
			body := `{"email":"` + made.Email + `","password":"` + password + `"}`
			r, _ := http.NewRequest("POST", "http://"+w.Addr()+tt.base+"/v1/session", strings.NewReader(body))
			r.Header.Set("Content-Type", "application/json")
			if tt.forwarded != "" {
				r.Header.Set("X-Forwarded-Proto", tt.forwarded)
			}
			resp, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
			cookies := resp.Cookies()
			if len(cookies) != 1 {
				t.Fatalf("got %d cookies, want 1; status %d", len(cookies), resp.StatusCode)
			}
			got := cookies[0]
			if got.Name != tt.cookie || got.Path != tt.path || got.Secure != tt.secure || !got.HttpOnly || got.SameSite != http.SameSiteLaxMode || got.Domain != "" {
				t.Errorf("cookie: got %s, want %s with the path %s, secure %v, HttpOnly and SameSite=Lax", got.Raw, tt.cookie, tt.path, tt.secure)
			}
			r, _ = http.NewRequest("GET", "http://"+w.Addr()+tt.base+"/v1/session", nil)
			r.AddCookie(&http.Cookie{Name: got.Name, Value: got.Value})
			if tt.forwarded != "" {
				r.Header.Set("X-Forwarded-Proto", tt.forwarded)
			}
			resp, err = http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
			if resp.StatusCode != 200 {
				t.Errorf("with the cookie: got %d, want 200", resp.StatusCode)
			}
		})
	}
}

func TestForwardedHeadersNeedATrustedProxy(t *testing.T) {
	t.Parallel()
	w := servertest.Start(t, "")
	_, email := member(t, w.A.Client, "Ana")
	made := w.A.Visitor().Post(t, "/session", map[string]string{"email": email, "password": password}, "X-Forwarded-For", "198.51.100.7", "X-Forwarded-Proto", "https").OK(200)
	if cookie := made.Header.Get("Set-Cookie"); !strings.HasPrefix(cookie, "recado=") {
		t.Errorf("cookie: got %q, want the cookie for plain HTTP", cookie)
	}
	sessions := w.A.WithSession(t, made).Get(t, "/sessions").OK(200)
	if ip := sessions.Text("data", 0, "ip"); ip != "127.0.0.1" {
		t.Errorf("ip: got %q, want 127.0.0.1", ip)
	}
}

func TestASessionThatEndsOnOneNodeEndsOnTheOther(t *testing.T) {
	t.Parallel()
	url := kerneltest.URL(t)
	w := servertest.Start(t, url)
	other, _ := w.SecondNode(t, url)
	id, email := member(t, w.A.Client, "Ana", `"role":"manager"`)
	for name, end := range map[string]func(session *servertest.Client){
		"sign-out": func(session *servertest.Client) { session.Delete(t, "/session").OK(204) },
		"by a manager": func(*servertest.Client) {
			w.A.Delete(t, "/team/"+id+"/sessions").OK(204)
		},
		"a new password": func(session *servertest.Client) {
			w.A.SignIn(t, email, password).Patch(t, "/me", map[string]any{"password": map[string]string{"current": password, "new": password}}).OK(200)
		},
	} {
		t.Run(name, func(t *testing.T) {
			session := w.A.SignIn(t, email, password)
			there := session.On(other)
			there.Get(t, "/session").OK(200)
			end(session)
			waitForStatus(t, there, "/session", 401)
		})
	}
	t.Run("a lower role", func(t *testing.T) {
		there := w.A.SignIn(t, email, password).On(other)
		there.Get(t, "/reports/attendance").OK(200)
		w.A.Patch(t, "/team/"+id, `{"role":"agent"}`).OK(200)
		waitForStatus(t, there, "/reports/attendance", 403)
	})
}

// waitForStatus waits until a request is refused with the status, which takes less than a second on an idle machine.
func waitForStatus(t *testing.T, c *servertest.Client, path string, status int) {
	t.Helper()
	testkit.Eventually(t, "GET "+path+" is refused", func() bool { return c.Get(t, path).Status == status })
}

func TestIdempotencyKeysOfASessionBelongToThePerson(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		_, ana := member(t, w.A.Client, "Ana")
		_, bia := member(t, w.A.Client, "Bia")
		board := func(email string) *servertest.Answer {
			return w.A.SignIn(t, email, password).Post(t, "/kanban/boards", `{"name":"Orders of `+email+`"}`, "Idempotency-Key", "the-first-board")
		}
		first := board(ana).OK(201)
		if again := board(ana).OK(201); again.ID() != first.ID() || again.Header.Get("Idempotency-Replayed") != "true" {
			t.Errorf("in another session of the same person: got board %s, want %s again", again.ID(), first.ID())
		}
		if other := board(bia).OK(201); other.ID() == first.ID() {
			t.Error("another person gets the first person's response")
		}
	})
}

func TestOldSessionsAreRemoved(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		_, email := member(t, w.A.Client, "Ana")
		w.A.SignIn(t, email, password)
		w.Clock.Advance(15 * 24 * time.Hour)
		if _, err := w.Desk.People.PurgeSessions(t.Context()); err != nil {
			t.Fatal(err)
		}
		if sessions := w.A.SignIn(t, email, password).Get(t, "/sessions").OK(200).List(); len(sessions) != 1 {
			t.Errorf("got %d sessions, want 1", len(sessions))
		}
	})
}
