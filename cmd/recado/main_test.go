package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"recado/test/kerneltest"
	"recado/test/testkit"
)

func TestCommandLine(t *testing.T) {
	t.Run("an unknown flag says so and exits 2", func(t *testing.T) {
		code, _, stderr := recado(t, nil, "serve", "--bogus")
		testkit.Equal(t, "code", code, 2)
		testkit.Contains(t, "stderr", stderr, "--bogus")
	})
	t.Run("bad values name the flag and exit 2", func(t *testing.T) {
		for _, args := range [][]string{
			{"serve", "--database-url", "mysql://x"},
			{"serve", "--rate", "0"},
			{"serve", "--rate", "many"},
			{"serve", "--base-path", "desk"},
			{"serve", "--webhook-retries", "soon"},
			{"serve", "--public-url", "desk.example"},
			{"serve", "--base-path", "/desk/"},
			{"serve", "--base-path", "/a//b"},
			{"serve", "--base-path", "/a/../b"},
			{"serve", "--base-path", "/caf\u00e9"},
			{"serve", "--addr", "nonsense"},
			{"serve", "--addr", "127.0.0.1:99999"},
			{"serve", "--metrics-addr", "9000"},
			{"serve", "--debug-addr", "0.0.0.0:6060"},
			{"serve", "--debug-addr", ":6060"},
			{"serve", "--debug-addr", "192.0.2.1:6060"},
			{"serve", "--secret-key", "short"},
			{"serve", "--brand", "a b"},
			{"listen", "--addr", "nonsense"},
			{"simulate-whatsapp", "--addr", "nonsense"},
			{"serve", "--s3-bucket", "media"},
			{"serve", "--lease", "8s"},
			{"serve", "--drain", "-1s"},
			{"serve", "--trusted-proxies", "proxy.example"},
			{"backup", "--check", "--replace", "x.tar"},
			{"backup", "--keep=-1", "x"},
			{"move", "--undo", "--to", "x"},
			{"key", "list", "--company", "7"},
			{"user", "create"},
			{"nonsense"},
			{},
		} {
			code, _, stderr := recado(t, nil, args...)
			if code != 2 || stderr == "" || strings.Contains(stderr, "(usage)") {
				t.Errorf("%v: exit %d %q", args, code, stderr)
			}
		}
	})
	t.Run("errors of the desk are printed without the code of the API", func(t *testing.T) {
		kerneltest.EachURL(t, func(t *testing.T, url string) {
			vars := map[string]string{"RECADO_DATA": t.TempDir(), "RECADO_DATABASE_URL": url}
			_, company, _ := recado(t, vars, "company", "create", "Casa Clara")
			company = strings.TrimSpace(company)
			ana := []string{"user", "create", "--company", company, "--name", "Ana", "--role", "owner", "--email"}
			if code, _, stderr := recado(t, vars, append(ana, "ana@clara.example")...); code != 0 {
				t.Fatal(stderr)
			}
			for _, c := range []struct {
				code int
				says string
				args []string
			}{
				{2, "name", []string{"company", "create", " "}},
				{2, "timezone", []string{"company", "create", "Casa", "--timezone", "Nowhere"}},
				{2, "email", append(ana, "ana")},
				{2, "user_id", []string{"key", "create", "--company", company, "--name", "CRM", "--scopes", "all", "--user", company}},
				{2, `--scopes: there is no scope "all things"`, []string{"key", "create", "--company", company, "--name", "CRM", "--scopes", "all things"}},
				{2, "expires_at", []string{"key", "create", "--company", company, "--name", "CRM", "--scopes", "all", "--expires=-1h"}},
				{1, "no such company", []string{"key", "list", "--company", "0193b0a0-0000-7000-8000-000000000000"}},
				{1, "belongs to another member", append(ana, "ana@clara.example")},
			} {
				code, _, stderr := recado(t, vars, c.args...)
				if code != c.code || !strings.Contains(stderr, c.says) || strings.Contains(stderr, "_request") ||
					strings.Contains(stderr, "body.") || strings.Contains(stderr, "name_taken") || strings.Contains(stderr, "(usage)") {
					t.Errorf("%v: exit %d %q", c.args, code, stderr)
				}
			}
		})
	})
	t.Run("--help and version read well", func(t *testing.T) {
		code, help, _ := recado(t, nil, "serve", "--help")
		testkit.Equal(t, "code", code, 0)
		testkit.Contains(t, "help", help, "--database-url")
		testkit.Contains(t, "help", help, "--webhook-retries")
		testkit.Contains(t, "help", help, "127.0.0.1:8080")
		testkit.Contains(t, "help", help, "./data")
		if code, help, _ := recado(t, nil, "--help"); code != 0 || !strings.Contains(help, "RECADO_SOME_FLAG") {
			t.Fatalf(`want code == 0 and strings.Contains(help, "RECADO_SOME_FLAG"); got %+v, %+v`, code, help)
		}
		if code, out, _ := recado(t, nil, "version"); code != 0 || !strings.HasPrefix(out, "recado ") {
			t.Fatalf(`want code == 0 and strings.HasPrefix(out, "recado "); got %+v, %+v`, code, out)
		}
	})
	t.Run("flags come from RECADO_ variables too", func(t *testing.T) {
		dir := t.TempDir()
		code, out, stderr := recado(t, map[string]string{"RECADO_DATA": dir}, "company", "create", "Casa Clara")
		if code != 0 {
			t.Fatal(stderr)
		}
		_, list, _ := recado(t, nil, "company", "list", "--data", dir)
		testkit.Contains(t, "list", list, strings.TrimSpace(out))
		testkit.Contains(t, "list", list, "Casa Clara")
	})
}

func TestServe(t *testing.T) {
	dir := t.TempDir()
	s := serve(t, dir)

	t.Run("the demo is printed and written to demo.json before the first call is answered", func(t *testing.T) {
		testkit.Contains(t, "s.stdout.String()", s.stdout.String(), s.demo.Companies[0].APIKey)
		testkit.Contains(t, "s.stdout.String()", s.stdout.String(), s.demo.Login.Email)
		testkit.Equal(t, "s.me(t, s.demo.Companies[0].APIKey)", s.me(t, s.demo.Companies[0].APIKey), 200)
		testkit.Equal(t, "number of s.demo.Companies", len(s.demo.Companies), 2)
		testkit.Equal(t, "s.me(t, s.demo.Companies[1].APIKey)", s.me(t, s.demo.Companies[1].APIKey), 200)
	})
	t.Run("reports are rebuilt beside the running server", func(t *testing.T) {
		for _, args := range [][]string{{}, {"--company", s.demo.Companies[0].ID}} {
			if code, _, stderr := recado(t, nil, append([]string{"report", "rebuild", "--data", dir}, args...)...); code != 0 {
				t.Fatalf("want code == 0; got %+v, %+v", code, stderr)
			}
		}
		if code, _, _ := recado(t, nil, "report", "rebuild", "--data", dir, "--company", "01890a5d-ac96-774b-bcce-b302099a8057"); code != 1 {
			t.Fatalf("want code == 1; got %+v", code)
		}
	})
	t.Run("keys are made and revoked beside the running server", func(t *testing.T) {
		company := s.demo.Companies[0].ID
		code, key, stderr := recado(t, nil, "key", "create", "--data", dir, "--company", company, "--name", "robot", "--scopes", "team:read,read")
		key = strings.TrimSpace(key)
		if code != 0 || s.me(t, key) != 200 {
			t.Fatalf("want code == 0 and s.me(t, key) == 200; got %+v, %+v", code, stderr)
		}
		_, list, _ := recado(t, nil, "key", "list", "--data", dir, "--company", company)
		before := strings.Fields(list[:strings.Index(list, "robot")])
		id := before[len(before)-1]
		if code, _, stderr := recado(t, nil, "key", "revoke", "--data", dir, "--company", company, id); code != 0 {
			t.Fatal(stderr)
		}
		testkit.Eventually(t, "the key is refused", func() bool { return s.me(t, key) == 401 })
	})
	t.Run("a key can be held to boards and to a rate", func(t *testing.T) {
		company := s.demo.Companies[0]
		code, key, stderr := recado(t, map[string]string{"RECADO_RATE": "7"}, "key", "create", "--data", dir, "--company", company.ID,
			"--name", "narrow", "--scopes", "all", "--boards", company.Board, "--rate", "5", "--burst", "9")
		if code != 0 {
			t.Fatal(stderr)
		}
		var boards []struct{ ID string }
		s.read(t, "/kanban/boards", strings.TrimSpace(key), &boards)
		if len(boards) != 1 || boards[0].ID != company.Board {
			t.Errorf("want number of boards == 1 and boards[0].ID == company.Board; got %+v", boards)
		}
		var keys struct {
			Data []struct {
				Name string
				Rate struct {
					PerSecond int `json:"per_second"`
					Burst     int
				}
			}
		}
		s.read(t, "/keys", company.APIKey, &keys)
		for _, k := range keys.Data {
			if k.Name == "narrow" && (k.Rate.PerSecond != 5 || k.Rate.Burst != 9) {
				t.Errorf(`want not (k.Name == "narrow" && (k.Rate.PerSecond != 5 || k.Rate.Burst != 9)); got %+v`, k)
			}
		}
		for _, args := range [][]string{{"--boards", "x"}, {"--rate", "0", "--burst", "3"}, {"--rate", "-1"}} {
			args = append([]string{"key", "create", "--data", dir, "--company", company.ID, "--name", "x", "--scopes", "all"}, args...)
			if code, _, stderr := recado(t, nil, args...); code != 2 {
				t.Errorf("%v: exit %d %s", args, code, stderr)
			}
		}
		unknown := []string{"key", "create", "--data", dir, "--company", company.ID, "--name", "x", "--scopes", "all", "--boards", company.ID}
		if code, _, stderr := recado(t, nil, unknown...); code != 2 || !strings.HasPrefix(stderr, "recado: boards: there is no such board") {
			t.Errorf(`want code == 2 and strings.HasPrefix(stderr, "recado: boards: there is no such board"); got %+v, %+v`, code, stderr)
		}
	})
	t.Run("a second server on the same folder refuses with a clear message", func(t *testing.T) {
		code, _, stderr := recado(t, nil, "serve", "--data", dir, "--addr", "127.0.0.1:0")
		testkit.Equal(t, "code", code, 1)
		testkit.Contains(t, "stderr", stderr, dir)
	})
	t.Run("a backup taken under load can be restored and served", func(t *testing.T) {
		ctx, stop := context.WithCancel(context.Background())
		var load sync.WaitGroup
		for worker := range 4 {
			load.Go(func() {
				for i := 0; ctx.Err() == nil && i < 5000; i++ {
					body := `{"name":"label ` + string(rune('a'+worker)) + " " + time.Now().Format(time.RFC3339Nano) + `"}`
					s.call(t, "POST", "/labels", s.demo.Companies[0].APIKey, body)
				}
			})
		}
		file := filepath.Join(t.TempDir(), "copy.tar")
		code, _, stderr := recado(t, nil, "backup", "--data", dir, file)
		stop()
		load.Wait()
		if code != 0 {
			t.Fatal(stderr)
		}
		if code, _, stderr := recado(t, nil, "backup", "--data", dir, file); code != 1 || stderr != "recado: "+file+" already exists. Choose another name, or replace it with --replace.\n" {
			t.Fatalf(`want code == 1 and stderr == "recado: "+file+" already exists. Choose another name, or replace it with --replace.\n"; got %+v, %+v`, code, stderr)
		}
		if code, _, _ := recado(t, nil, "restore", "--data", dir, file); code == 0 {
			t.Fatal("a backup was restored over a living database")
		}
		fresh := t.TempDir()
		for _, command := range []string{"backup", "restore"} {
			code, _, stderr := recado(t, nil, command, "--data", fresh, "--database-url", "postgres://localhost/desk", file)
			if code != 1 || !strings.Contains(stderr, "supports only SQLite") {
				t.Fatalf(`want code == 1 and strings.Contains(stderr, "supports only SQLite"); got %+v, %+v, %+v`, command, code, stderr)
			}
		}
		if code, _, stderr := recado(t, nil, "restore", "--data", fresh, file); code != 0 {
			t.Fatal(stderr)
		}
		again := serve(t, fresh)
		testkit.Equal(t, "again.me(t, s.demo.Companies[0].APIKey)", again.me(t, s.demo.Companies[0].APIKey), 200)
	})
}

// recado runs the command line in this process.
func recado(t *testing.T, environ map[string]string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return recadoReading(t, "", environ, args...)
}

// recadoReading is recado with something on the standard input.
func recadoReading(t *testing.T, stdin string, environ map[string]string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	var pairs []string
	for name, value := range environ {
		pairs = append(pairs, name+"="+value)
	}
	code = run(t.Context(), process{args: args, environ: pairs, stdin: strings.NewReader(stdin), stdout: &out, stderr: &errs})
	return code, out.String(), errs.String()
}

// serving is a `recado serve --demo` that runs until the test ends.
type serving struct {
	stdout testkit.Output
	base   string
	demo   struct {
		BaseURL   string `json:"base_url"`
		Login     struct{ Email, Password string }
		Companies []struct {
			ID     string
			APIKey string `json:"api_key"`
			Board  string

			Channel string
		}
	}
}

func serve(t *testing.T, dir string, args ...string) *serving {
	t.Helper()
	addr := testkit.FreeAddress(t)
	s := &serving{base: "http://" + addr}
	if i := slices.Index(args, "--addr"); i >= 0 {
		_, port, _ := net.SplitHostPort(args[i+1])
		s.base = "http://127.0.0.1:" + port
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan int, 1)
	var stderr bytes.Buffer // read after the end
	go func() {
		done <- run(ctx, process{args: append([]string{"serve", "--demo", "--data", dir, "--addr", addr}, args...), stdout: &s.stdout, stderr: &stderr})
	}()
	t.Cleanup(func() {
		stop()
		if code := <-done; code != 0 {
			t.Errorf("serve exited with %d: %s", code, stderr.String())
		}
	})
	testkit.Eventually(t, "the server is ready", func() bool {
		resp, err := http.Get(s.base + "/readyz")
		if err != nil {
			return false
		}
		_ = resp.Body.Close()
		return resp.StatusCode == 200
	})
	if raw, err := os.ReadFile(filepath.Join(dir, "demo.json")); err == nil {
		if err := json.Unmarshal(raw, &s.demo); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func (s *serving) me(t *testing.T, key string) int { return s.call(t, "GET", "/me", key, "") }

func (s *serving) call(t *testing.T, method, path, key, body string) int {
	t.Helper()
	r, err := http.NewRequest(method, s.base+"/v1"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Error(err)
		return 0
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	return resp.StatusCode
}

// read gets an answer of the API.
func (s *serving) read(t *testing.T, path, key string, into any) {
	t.Helper()
	r, _ := http.NewRequest("GET", s.base+"/v1"+path, nil)
	r.Header.Set("Authorization", "Bearer "+key)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if err := json.NewDecoder(resp.Body).Decode(into); err != nil || resp.StatusCode != 200 {
		t.Fatalf("json.NewDecoder(resp.Body).Decode(into): want err == nil and resp.StatusCode == 200; got %+v, %+v", resp.StatusCode, err)
	}
}
