package docs

import (
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"recado/internal/channels/simulator"
	"recado/test/binary"
	"recado/test/testkit"
)

// shell runs the commands of one page.
type shell struct {
	t       *testing.T
	prelude string // the lines that precede the API examples

	pasted []string // blocks that need a demo; they run together at the end of the page
	demo   *binary.Process
	where  string // the working folder of the demo, once it is running

	data    string // the data folder of an installation with a company, once it exists
	company string
	url     string // of a PostgreSQL database
}

// command returns a command that runs a script in bash, with recado in its path.
func (s *shell) command(dir, script string, env ...string) *exec.Cmd {
	c := exec.CommandContext(s.t.Context(), "bash", "-e", "-u", "-o", "pipefail", "-c", script)
	c.Dir = dir
	own := func(pair string) bool { return strings.HasPrefix(pair, "RECADO_") } // settings of the tests
	c.Env = append(slices.DeleteFunc(os.Environ(), own), "PATH="+filepath.Dir(binary.Path(s.t))+string(os.PathListSeparator)+os.Getenv("PATH"))
	c.Env = append(c.Env, env...)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	return c
}

// complete runs a script and returns its output.
func (s *shell) complete(dir, script string, env ...string) string {
	s.t.Helper()
	c := s.command(dir, script, env...)
	c.Stdin = strings.NewReader("correct horse battery\n") // for password prompts
	out, err := c.CombinedOutput()
	if err != nil {
		s.t.Errorf("%v\n%s\n%s", err, script, out)
	}
	return string(out)
}

// until runs a script, interrupts it once it has printed a text, and returns its output.
func (s *shell) until(dir, script, text string, env ...string) string {
	s.t.Helper()
	out := &testkit.Output{}
	c := s.command(dir, script, env...)
	c.Stdout, c.Stderr = out, out
	if err := c.Start(); err != nil {
		s.t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = c.Wait()
	}()
	testkit.Eventually(s.t, fmt.Sprintf("%q of\n%s", text, script), func() bool {
		select {
		case <-ended:
			s.t.Fatalf("the script exited without printing %q:\n%s\n%s", text, script, out)
		default:
		}
		return strings.Contains(out.String(), text)
	})
	if err := syscall.Kill(-c.Process.Pid, syscall.SIGINT); err != nil {
		s.t.Error(err)
	}
	<-ended
	return out.String()
}

var (
	makeLine   = regexp.MustCompile(`(?m)^make ([a-z-]+)`)
	makeTarget = regexp.MustCompile(`(?m)^([a-z-]+):.*## `)
)

// makeTargets checks that the Makefile has the targets. Running them would take minutes and mostly repeat these tests.
func makeTargets(s *shell, text string) {
	s.t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", "Makefile"))
	if err != nil {
		s.t.Fatal(err)
	}
	known := map[string]bool{}
	for _, m := range makeTarget.FindAllStringSubmatch(string(raw), -1) {
		known[m[1]] = true
	}
	for line := range strings.Lines(text) {
		if m := makeLine.FindStringSubmatch(line); m == nil && !strings.HasPrefix(line, "go run ./bench -h") || m != nil && !known[m[1]] {
			s.t.Errorf("not a target of the Makefile: %s", line)
		}
	}
}

// besideDemo adds a block to the script that runs next to a demo.
func besideDemo(s *shell, text string) {
	s.startDemo()
	s.pasted = append(s.pasted, text)
}

func (s *shell) startDemo() {
	if s.demo != nil {
		return
	}
	s.where = s.t.TempDir()
	s.demo = binary.Serve(s.t, filepath.Join(s.where, "data"))
	picture := []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89\x00\x00\x00\x00IEND\xaeB`\x82")
	if err := os.WriteFile(filepath.Join(s.where, "menu.png"), picture, 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// paste runs the pasted blocks and fails on error responses.
func (s *shell) paste() {
	s.t.Helper()
	if len(s.pasted) == 0 {
		return
	}
	refusals, out := s.refusals()
	for _, line := range refusals {
		s.t.Errorf("got an error response: %s", line)
	}
	if s.t.Failed() {
		s.t.Logf("the whole output:\n%s", out)
	}
}

// shown makes curl print each response to stderr as well, to capture those inside command substitutions.
const shown = `curl() { command curl "$@" | tee /dev/stderr; }
`

// refusals runs the pasted blocks and returns the error responses, which do not make curl fail, and the whole output.
func (s *shell) refusals() (lines []string, out string) {
	s.t.Helper()
	script := strings.Join(s.pasted, "\n")
	if !strings.Contains(script, s.prelude) {
		script = s.prelude + "\n" + script
	}
	out = s.complete(s.where, shown+"set -x\n"+script)
	for line := range strings.Lines(out) {
		if strings.Contains(line, `"request_id"`) || strings.HasPrefix(line, "curl:") {
			lines = append(lines, line)
		}
	}
	return lines, out
}

// install creates an installation with a company and a member, without starting a server.
func (s *shell) install() {
	s.t.Helper()
	if s.data != "" {
		return
	}
	s.data = filepath.Join(s.t.TempDir(), "data")
	s.company = strings.TrimSpace(s.complete("/", "recado company create 'Casa Clara' --data "+s.data))
	s.complete("/", "recado user create --data "+s.data+" --company "+s.company+" --name Lia --email lia@example.com --role owner")
}

// placed replaces the paths, ids and database URLs in a script with those of this test.
func (s *shell) placed(script string) string {
	s.t.Helper()
	fresh := s.t.TempDir()
	for _, pair := range [][2]string{
		{"/var/lib/recado", s.data}, {"/backups/", fresh + "/"}, {"/srv/recado", filepath.Join(fresh, "new")}, {"sudo -u recado ", ""}, {"--company ID", "--company " + s.company},
	} {
		script = strings.ReplaceAll(script, pair[0], pair[1])
	}
	if strings.Contains(script, "postgres://recado@db.example.com/recado") {
		if s.url == "" {
			s.url = testkit.Database(s.t, "")
		}
		script = strings.ReplaceAll(script, "postgres://recado@db.example.com/recado", "'"+s.url+"'")
	}
	return script
}

// onInstallation runs administration commands.
func onInstallation(s *shell, text string) {
	s.t.Helper()
	s.install()
	s.complete(s.t.TempDir(), s.placed(text), "RECADO_DATA="+s.data)
}

// thenUndone runs a move and undoes it, because later blocks use the source again.
func thenUndone(s *shell, text string) {
	s.t.Helper()
	onInstallation(s, text)
	s.complete(s.t.TempDir(), "recado move --undo", "RECADO_DATA="+s.data)
}

// newInstallation runs commands that create a company, use its id and finally start the server.
func newInstallation(s *shell, text string) {
	s.t.Helper()
	s.data = filepath.Join(s.t.TempDir(), "data")
	first, rest, _ := strings.Cut(text, "\n")
	s.company = strings.TrimSpace(s.complete("/", s.placed(first)))
	end := strings.LastIndex(rest, "\nrecado serve")
	s.complete("/", s.placed(rest[:end]))
	untilReady(s, rest[end+1:])
}

// untilReady runs a server until it is ready.
func untilReady(s *shell, text string) {
	s.t.Helper()
	addr := testkit.FreeAddress(s.t)
	data := s.data
	if data == "" {
		data = filepath.Join(s.t.TempDir(), "data")
	}
	text = s.placed(text)
	for _, pair := range [][2]string{{"127.0.0.1:8080", addr}, {"0.0.0.0:8080", addr}, {"'KEY'", base64.StdEncoding.EncodeToString(make([]byte, 32))}} {
		text = strings.ReplaceAll(text, pair[0], pair[1])
	}
	if address := "'postgres://recado:PASSWORD@db/recado'"; strings.Contains(text, address) {
		text = strings.ReplaceAll(text, address, "'"+testkit.Database(s.t, "")+"'")
		data = filepath.Join(s.t.TempDir(), "data")
	}
	s.until(s.t.TempDir(), text, `"msg":"serving"`, "RECADO_ADDR="+addr, "RECADO_DATA="+data)
}

// untilListening runs a webhook receiver until it listens, and checks that it removes the webhook that it registered.
func untilListening(s *shell, text string) {
	s.t.Helper()
	s.startDemo()
	key := s.demo.Demo.Companies[0].APIKey
	text = strings.NewReplacer("rcd_…", key, "http://127.0.0.1:8080", s.demo.URL, "whsec_…", "whsec_c2VjcmV0").Replace(text)
	out := s.until(s.where, text, "Listening for deliveries on ", "RECADO_ADDR="+testkit.FreeAddress(s.t))
	if strings.Contains(text, key) {
		testkit.Contains(s.t, "output", out, "The webhook was removed.")
	}
}

// untilStreaming follows a stream of the demo until the first event.
func untilStreaming(s *shell, text string) {
	s.t.Helper()
	s.startDemo()
	s.until(s.where, s.prelude+"\n"+text, "id: ")
}

// untilSimulating runs the simulated WhatsApp until it listens.
func untilSimulating(s *shell, text string) {
	s.t.Helper()
	s.until(s.t.TempDir(), text, "A simulated WhatsApp Cloud API", "RECADO_ADDR="+testkit.FreeAddress(s.t))
}

// connectNumber connects a number of a simulated WhatsApp, whose credentials replace those of the example.
func connectNumber(s *shell, text string) {
	s.t.Helper()
	graph := "http://" + testkit.FreeAddress(s.t)
	c := s.command("/", "exec recado simulate-whatsapp", "RECADO_ADDR="+strings.TrimPrefix(graph, "http://"))
	if err := c.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	s.complete("/", "until curl -s "+graph+" >/dev/null; do :; done")
	text = strings.NewReplacer(
		"106540352242922", simulator.DefaultNumberID, "102290129340398", simulator.DefaultWABAID, "EAAG…", simulator.DefaultToken, "0a1b…", simulator.DefaultAppSecret,
	).Replace(text)
	if strings.HasPrefix(text, "curl ") {
		dir := s.t.TempDir()
		demo := binary.Serve(s.t, filepath.Join(dir, "data"), "--whatsapp-base-url", graph)
		text = strings.ReplaceAll(text, "https://desk.example.com", demo.URL)
		testkit.Contains(s.t, "response", s.complete(dir, "KEY="+demo.Demo.Companies[0].APIKey+"\n"+text), `"status":"connected"`)
		return
	}
	s.install()
	out := s.complete("/", s.placed(text), "RECADO_DATA="+s.data, "RECADO_WHATSAPP_BASE_URL="+graph)
	testkit.Contains(s.t, "output", out, "callback URL  https://desk.example.com/channels/")
}

// onSystemd installs the units under a temporary root and, if systemd is installed, enables them there. It starts nothing;
// test/install runs the command line of the unit. Lines that are not run are logged.
func onSystemd(s *shell, text string) {
	s.t.Helper()
	root := s.t.TempDir()
	if err := os.Mkdir(filepath.Join(root, "etc"), 0o755); err != nil {
		s.t.Fatal(err)
	}
	_, err := exec.LookPath("systemd-sysusers")
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimPrefix(line, "sudo ")
		switch name := strings.Fields(line)[0]; {
		case name == "install", name == "cp":
			line = strings.NewReplacer(" /etc/", " "+root+"/etc/", " /usr/", " "+root+"/usr/", " -g recado ", " ").Replace(line) // the group exists only in the new root
		case name == "journalctl", err != nil:
			s.t.Logf("not run: %s", line)
			continue
		case name == "systemd-sysusers":
			line += " --root=" + root
		case name == "systemctl":
			line = strings.Replace(strings.Replace(line, "--now ", "", 1), "systemctl ", "systemctl --root="+root+" ", 1)
		}
		lines = append(lines, line)
	}
	s.complete(filepath.Join("..", ".."), strings.Join(lines, "\n"))
	if err != nil {
		return
	}
	for name, part := range map[string]string{
		"etc/passwd": "recado:x:", "etc/systemd/system/multi-user.target.wants/recado.service": "ExecStart=",
		"etc/systemd/system/timers.target.wants/recado-backup.timer": "OnCalendar=", "usr/local/share/doc/recado/docs/operating.md": "# Operating",
	} {
		raw, err := os.ReadFile(filepath.Join(root, name))
		if link, linked := os.Readlink(filepath.Join(root, name)); linked == nil {
			raw, err = os.ReadFile(filepath.Join(root, link))
		}
		if err != nil {
			s.t.Error(err)
		}
		testkit.Contains(s.t, name, string(raw), part)
	}
}
