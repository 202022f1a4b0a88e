package main

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"recado/test/testkit"
)

func TestTheFirstCompanyIsMadeWithThePrintedLink(t *testing.T) {
	var out, log testkit.Output
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan int, 1)
	go func() {
		done <- run(ctx, process{args: []string{
			"serve", "--data", t.TempDir(), "--addr", "127.0.0.1:0", "--public-url", "https://desk.example", "--base-path", "/help",
			"--trusted-proxies", "127.0.0.0/8,10.0.0.0/8",
		}, stdout: &out, stderr: &log})
	}()
	t.Cleanup(func() {
		stop()
		if code := <-done; code != 0 {
			t.Errorf("serve exited with %d", code)
		}
	})
	const link = "https://desk.example/help/#/setup?token="
	testkit.Eventually(t, "the link is printed", func() bool { return strings.Contains(out.String(), link) })
	_, rest, _ := strings.Cut(out.String(), link)
	token := strings.Fields(rest)[0]
	base := "http://" + logLine(log.String(), "serving")["address"] + "/help/v1"

	setUp := func(token, password string) (int, map[string]any) {
		t.Helper()
		body, _ := json.Marshal(map[string]string{
			"token": token, "company": "Padaria Aurora", "timezone": "America/Recife", "name": "Lia", "email": "lia@aurora.example", "password": password,
		})
		resp, err := http.Post(base+"/setup", "application/json", strings.NewReader(string(body)))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		var answer map[string]any
		if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
			t.Fatal(err)
		}
		if made := len(resp.Cookies()) == 1; made != (resp.StatusCode == 201) {
			t.Errorf("status %d and %d cookies", resp.StatusCode, len(resp.Cookies()))
		}
		return resp.StatusCode, answer
	}
	if status, answer := setUp("wrong", "correct horse battery"); status != 401 || answer["code"] != "login_failed" {
		t.Errorf("a wrong token: got %d %v", status, answer)
	}
	if status, answer := setUp(token, "short"); status != 400 {
		t.Errorf("a short password: got %d %v", status, answer)
	}
	status, answer := setUp(token, "correct horse battery")
	if status != 201 || answer["company"].(map[string]any)["timezone"] != "America/Recife" || answer["user"].(map[string]any)["role"] != "owner" {
		t.Fatalf("got %d %v", status, answer)
	}
	if status, _ := setUp(token, "correct horse battery"); status != 404 {
		t.Errorf("once there is a company: got %d, want 404", status)
	}
}

func TestADemoTellsItsLogin(t *testing.T) {
	s := serve(t, t.TempDir())
	var setup struct {
		Needed bool
		Demo   struct{ Email, Password string }
	}
	s.read(t, "/setup", "", &setup)
	if setup.Needed || setup.Demo != s.demo.Login {
		t.Errorf("got %+v, want the login %+v", setup, s.demo.Login)
	}
}

func TestADemoTellsItsLoginOnlyOnTheMachineItRunsOnAndWhileItIsValid(t *testing.T) {
	dir := t.TempDir()
	showsLogin := func(s *serving, headers ...string) bool {
		t.Helper()
		r, err := http.NewRequest("GET", s.base+"/v1/setup", nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i+1 < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		if host := r.Header.Get("Host"); host != "" {
			r.Host = host
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		raw, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != 200 {
			t.Fatalf("got %d %s, %v", resp.StatusCode, raw, err)
		}
		return strings.Contains(string(raw), `"password"`)
	}
	t.Run("on every address", func(t *testing.T) {
		_, port, _ := net.SplitHostPort(testkit.FreeAddress(t))
		s := serve(t, t.TempDir(), "--addr", "0.0.0.0:"+port)
		testkit.Equal(t, "shows the login", showsLogin(s), false)
	})
	t.Run("on a loopback address", func(t *testing.T) {
		s := serve(t, dir)
		testkit.Equal(t, "shows the login", showsLogin(s), true)
		testkit.Equal(t, "shows the login to localhost", showsLogin(s, "Host", "localhost:8080"), true)
		testkit.Equal(t, "shows the login to another name", showsLogin(s, "Host", "demo.example.com"), false)
		testkit.Equal(t, "shows the login through a proxy", showsLogin(s, "X-Forwarded-For", "203.0.113.7"), false)
		code, _, stderr := recadoReading(t, "another password\n", map[string]string{"RECADO_DATA": dir}, "user", "set-password", "--email", s.demo.Login.Email, "--company", s.demo.Companies[0].ID)
		if code != 0 {
			t.Fatal(stderr)
		}
		testkit.Equal(t, "shows the login after the password was changed", showsLogin(s), false)
	})
	t.Run("started again", func(t *testing.T) {
		testkit.Equal(t, "shows the login", showsLogin(serve(t, dir)), false)
	})
}

func TestLockedOutPeopleAreLetIn(t *testing.T) {
	vars := map[string]string{"RECADO_DATA": t.TempDir()}
	ok := func(args ...string) string {
		t.Helper()
		code, stdout, stderr := recado(t, vars, args...)
		if code != 0 {
			t.Fatalf("%v: exit %d %s", args, code, stderr)
		}
		return strings.TrimSpace(stdout)
	}
	first, second := ok("company", "create", "Casa Clara"), ok("company", "create", "Oficina Boreal")
	for _, company := range []string{first, second} {
		ok("user", "create", "--company", company, "--name", "Ana", "--email", "ana@both.example", "--role", "owner")
	}
	ok("user", "create", "--company", first, "--name", "Bia", "--email", "bia@clara.example")

	if list := ok("user", "list"); strings.Count(list, "ana@both.example") != 2 || !strings.Contains(list, "bia@clara.example") {
		t.Errorf("list: got\n%s", list)
	}
	if list := ok("user", "list", "--company", second); strings.Count(list, "ana@both.example") != 1 || strings.Contains(list, "bia@clara.example") {
		t.Errorf("list of one company: got\n%s", list)
	}
	link := ok("user", "reset-link", "--email", "BIA@clara.example", "--public-url", "https://desk.example", "--base-path", "/help")
	if !strings.HasPrefix(link, "https://desk.example/help/#/welcome?token=") {
		t.Errorf("link: got %q", link)
	}
	for _, command := range []string{"reset-link", "disable-two-factor"} {
		if code, _, stderr := recado(t, vars, "user", command, "--email", "ana@both.example"); code != 2 || !strings.Contains(stderr, "--company") {
			t.Errorf("%s of an address of two companies: exit %d %s", command, code, stderr)
		}
		ok("user", command, "--email", "ana@both.example", "--company", second)
		if code, _, _ := recado(t, vars, "user", command, "--email", "unknown@clara.example"); code != 1 {
			t.Errorf("%s of an unknown address: exit %d, want 1", command, code)
		}
	}
}
