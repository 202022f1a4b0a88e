// Package install tests the life of an installation as described in the documents, from a release archive to a newer
// version on another engine. It builds releases, so it only runs with scripts/walk-install.
package install

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"recado/test/binary"
	"recado/test/testkit"
)

// other returns the Unix user and group that own the installation if the test runs as root.
func other() uint32 {
	if os.Getuid() != 0 {
		return 0
	}
	return 65534
}

func TestMain(m *testing.M) { binary.Main(m) }

func TestAnInstallationLosesNothing(t *testing.T) {
	if os.Getenv("RECADO_WALK") == "" {
		t.Skip("builds releases: run scripts/walk-install")
	}
	home := filepath.Join(t.TempDir(), "home")
	w := &walk{t: t, home: home, addr: testkit.FreeAddress(t), user: other()}
	w.private(home)

	t.Log("unpack a release")
	w.program = w.unpack(release(t, "v1.0.0"))
	testkit.Contains(t, "version", w.run("version"), "v1.0.0")

	t.Log("start with the command line of the unit and set up")
	first := filepath.Join(home, "first")
	w.serve(first)
	w.setUp()
	w.use()
	want := w.state()

	t.Log("back up while the server runs, restore elsewhere")
	archive := filepath.Join(home, "backup.tar")
	testkit.Contains(t, "backup", w.run("backup", "--data", first, archive), "secret key")
	w.stop()
	second := filepath.Join(home, "second")
	testkit.Contains(t, "restore", w.run("restore", "--data", second, archive), "restored")
	w.serve(second)
	testkit.Diff(t, "state after the restore", w.state(), want)
	w.stop()

	t.Log("move to PostgreSQL")
	url := testkit.Database(t, "")
	testkit.Contains(t, "move", w.run("move", "--data", second, "--to", url), "moved and verified")
	w.serve(second, "--database-url", url)
	testkit.Diff(t, "state on PostgreSQL", w.state(), want)
	w.stop()

	t.Log("start a newer build, which changes the schema")
	w.program = w.install(binary.Newer(t, map[string]string{"internal/kernel/schema/9999_walk.sql": "ALTER TABLE companies ADD COLUMN walk TEXT;\n"}))
	w.serve(second, "--database-url", url)
	testkit.Diff(t, "state after the upgrade", w.state(), want)
	w.use()
	w.stop()
}

func TestAReleaseIsReproducible(t *testing.T) {
	if os.Getenv("RECADO_WALK") == "" {
		t.Skip("builds releases: run scripts/walk-install")
	}
	for i, sums := 0, ""; i < 2; i++ {
		raw, err := os.ReadFile(filepath.Join(release(t, "v1.0.0"), "SHA256SUMS"))
		if err != nil {
			t.Fatal(err)
		}
		if i == 1 {
			testkit.Equal(t, "checksums", string(raw), sums)
		}
		sums = string(raw)
	}
}

// release builds the archive for this platform and returns its folder.
func release(t *testing.T, version string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "dist")
	build := exec.CommandContext(t.Context(), "go", "run", "-buildvcs=false", "./packaging/release", "-version", version, "-time", "1700000000", "-out", out, "-platforms", "linux/amd64")
	build.Dir = filepath.Join("..", "..")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("release: %v %s", err, text)
	}
	check := exec.CommandContext(t.Context(), "sha256sum", "-c", "SHA256SUMS")
	check.Dir = out
	if text, err := check.CombinedOutput(); err != nil {
		t.Fatalf("sha256sum: %v %s", err, text)
	}
	return out
}

// walk is one installation and its owner.
type walk struct {
	t       *testing.T
	home    string // the owner's home
	root    string // the owner's root folder, or empty for that of this machine
	user    uint32 // the owner's Unix user and group, or 0 for those of this process
	program string
	addr    string
	key     string // API key
	channel string
	media   string

	serving *exec.Cmd
	out     *testkit.Output
}

// private creates a folder that belongs to the owner.
func (w *walk) private(dir string) {
	w.t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		w.t.Fatal(err)
	}
	if w.user == 0 {
		return
	}
	if err := os.Chown(dir, int(w.user), int(w.user)); err != nil {
		w.t.Fatal(err)
	}
	for above := filepath.Dir(dir); above != "/" && above != os.TempDir(); above = filepath.Dir(above) {
		_ = os.Chmod(above, 0o755) // accessible to the owner
	}
}

func (w *walk) command(name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(w.t.Context(), name, args...)
	c.Dir = w.home
	c.Env = []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=" + w.home}
	c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Chroot: w.root}
	if w.user != 0 {
		c.SysProcAttr.Credential = &syscall.Credential{Uid: w.user, Gid: w.user}
	}
	return c
}

// run runs recado as the owner and returns its output.
func (w *walk) run(args ...string) string {
	w.t.Helper()
	out, err := w.command(w.program, args...).CombinedOutput()
	if err != nil {
		w.t.Fatalf("recado %s: %v %s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// documented returns the block of commands in docs/install.md that begins with this text.
func documented(t *testing.T, begins string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", "docs", "install.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, block, found := strings.Cut(string(raw), "```sh\n"+begins)
	if !found {
		t.Fatalf("docs/install.md has no block that begins with %q", begins)
	}
	block, _, _ = strings.Cut(block, "```")
	return begins + block
}

// unpack installs the release in the owner's home with the commands from docs/install.md.
func (w *walk) unpack(dist string) string {
	w.t.Helper()
	names, err := filepath.Glob(filepath.Join(dist, "*"))
	if err != nil || len(names) != 3 { // archive, SBOM, checksums
		w.t.Fatalf("got the release files %v, %v, want 3", names, err)
	}
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(filepath.Join(w.home, filepath.Base(name)), content, 0o644)
		}
		if err != nil {
			w.t.Fatal(err)
		}
	}
	w.private(filepath.Join(w.home, "bin"))
	script := strings.NewReplacer("sudo ", "", "/usr/local/bin", filepath.Join(w.home, "bin")).Replace(documented(w.t, "sha256sum"))
	if out, err := w.command("bash", "-e", "-c", script).CombinedOutput(); err != nil {
		w.t.Fatalf("%s: %v %s", script, err, out)
	}
	for _, name := range []string{"README.md", "LICENSE", "docs/install.md", "packaging/systemd/recado.service"} {
		if _, err := os.Stat(filepath.Join(w.home, "recado_1.0.0_linux_amd64", name)); err != nil {
			w.t.Errorf("the archive does not contain %s", name)
		}
	}
	return filepath.Join(w.home, "bin", "recado")
}

// install copies another build next to the first.
func (w *walk) install(path string) string {
	w.t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		w.t.Fatal(err)
	}
	to := filepath.Join(w.home, "recado-newer")
	testkit.Program(w.t, to, content)
	return to
}

var execStart = regexp.MustCompile(`(?m)^ExecStart=/usr/local/bin/recado (.+)$`)

// serve starts the server with the command line and environment of the unit, but with other paths.
func (w *walk) serve(data string, more ...string) {
	w.t.Helper()
	unit, err := os.ReadFile(filepath.Join("..", "..", "packaging", "systemd", "recado.service"))
	if err != nil {
		w.t.Fatal(err)
	}
	line := execStart.FindStringSubmatch(string(unit))
	if line == nil || !strings.Contains(string(unit), "\nEnvironment=RECADO_DATA=/var/lib/recado\n") {
		w.t.Fatal("the unit does not start recado serve with a data folder")
	}
	w.serving = w.command(w.program, append(strings.Fields(line[1]), more...)...)
	w.serving.Env = append(w.serving.Env, "RECADO_DATA="+data, "RECADO_ADDR="+w.addr)
	w.out = &testkit.Output{}
	w.serving.Stdout, w.serving.Stderr = w.out, w.out
	if err := w.serving.Start(); err != nil {
		w.t.Fatal(err)
	}
	testkit.Eventually(w.t, "the server is ready", func() bool {
		return w.command(w.program, "health", "--addr", w.addr).Run() == nil
	})
}

// stop stops the server like systemd.
func (w *walk) stop() {
	w.t.Helper()
	if err := w.serving.Process.Signal(syscall.SIGTERM); err != nil {
		w.t.Fatal(err)
	}
	if err := w.serving.Wait(); err != nil {
		w.t.Fatalf("the server exited with %v: %s", err, w.out)
	}
}

var setupLink = regexp.MustCompile(`https?://\S+#/setup\?token=[^\s"\\]+`)

// setUp opens the printed setup link in a browser, creates the first company, adds a test number, answers a customer, and
// creates an API key with the session.
func (w *walk) setUp() {
	w.t.Helper()
	link := ""
	testkit.Eventually(w.t, "the link is printed", func() bool {
		link = setupLink.FindString(w.out.String())
		return link != ""
	})
	began := time.Now()
	browser := exec.CommandContext(w.t.Context(), "node", filepath.Join("..", "..", "web", "scripts", "first-day.mjs"), link)
	problems := &strings.Builder{}
	browser.Stderr = problems
	out, err := browser.Output()
	if err != nil {
		w.t.Fatalf("web/scripts/first-day.mjs: %v %s", err, problems)
	}
	w.t.Logf("set-up and first answer in the browser: %v", time.Since(began).Round(time.Millisecond))
	var given []struct{ Name, Value string }
	if err := json.Unmarshal(out, &given); err != nil || len(given) == 0 {
		w.t.Fatalf("cookies: %v %s", err, out)
	}
	var cookies []*http.Cookie
	for _, c := range given {
		cookies = append(cookies, &http.Cookie{Name: c.Name, Value: c.Value})
	}
	var key struct{ Key string }
	w.session(cookies, "/keys", map[string]any{"name": "walk", "scopes": scopes}, &key)
	w.key = key.Key
	var channels struct{ Data []struct{ ID string } }
	if err := json.Unmarshal(w.ok(w.call(http.MethodGet, "/channels", nil, nil)), &channels); err != nil || len(channels.Data) != 1 {
		w.t.Fatalf("got the channels %+v, %v, want one", channels, err)
	}
	w.channel = channels.Data[0].ID
	testkit.Contains(w.t, "messages", string(w.ok(w.call(http.MethodGet, "/messages?q=20%20h", nil, nil))), "Sim, até as 20 h.")
}

var scopes = []string{
	"conversations:read", "conversations:write", "messages:read", "messages:send", "media:write", "contacts:read", "attendances:read", "channels:manage",
	"read", "write", "labels:write", "team:read", "events:read",
}

func (w *walk) session(cookies []*http.Cookie, path string, body, into any) {
	w.t.Helper()
	resp, raw := w.call(http.MethodPost, path, cookies, body)
	if resp.StatusCode > 299 {
		w.t.Fatalf("POST %s: %s %s", path, resp.Status, raw)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		w.t.Fatal(err)
	}
}

// use adds a customer's message, a reply and a file.
func (w *walk) use() {
	w.t.Helper()
	w.ok(w.call(http.MethodPost, "/channels/"+w.channel+"/simulate", nil, map[string]any{"from": "+5511987654321", "text": "Bom dia " + time.Now().Format(time.RFC3339Nano)}))
	form, kind := testkit.FileForm("note.txt", "the text of a file\n")
	var media struct{ ID string }
	if err := json.Unmarshal(w.ok(w.send(http.MethodPost, "/media", nil, kind, bytes.NewReader(form))), &media); err != nil {
		w.t.Fatal(err)
	}
	w.media = media.ID
}

// state returns everything that the API shows of the installation.
func (w *walk) state() map[string]string {
	w.t.Helper()
	out := map[string]string{}
	for _, path := range []string{
		"/conversations", "/contacts", "/attendances", "/labels", "/channels", "/kanban/boards", "/messages?q=Bom dia", "/messages?q=20 h", "/media/" + w.media + "/content",
	} {
		path = strings.ReplaceAll(path, " ", "%20")
		out[path] = string(w.ok(w.call(http.MethodGet, path, nil, nil)))
	}
	return out
}

func (w *walk) ok(resp *http.Response, raw []byte) []byte {
	w.t.Helper()
	if resp.StatusCode > 299 {
		w.t.Fatalf("%s %s: %s %s", resp.Request.Method, resp.Request.URL, resp.Status, raw)
	}
	return raw
}

func (w *walk) call(method, path string, cookies []*http.Cookie, body any) (*http.Response, []byte) {
	w.t.Helper()
	text := &bytes.Buffer{}
	if body != nil {
		if err := json.NewEncoder(text).Encode(body); err != nil {
			w.t.Fatal(err)
		}
	}
	return w.send(method, path, cookies, "application/json", text)
}

func (w *walk) send(method, path string, cookies []*http.Cookie, kind string, body io.Reader) (*http.Response, []byte) {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), method, "http://"+w.addr+"/v1"+path, body)
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Content-Type", kind)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	for _, cookie := range cookies {
		r.AddCookie(cookie)
	}
	if w.key != "" && cookies == nil {
		r.Header.Set("Authorization", "Bearer "+w.key)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return resp, raw
}
