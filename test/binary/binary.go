// Package binary builds the real command once per test process and runs it as a child, for tests that
// must be able to kill it.
package binary

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"recado/test/testkit"
)

var (
	built  = sync.OnceValues(find)
	folder string // of the command, once it is built
)

// variable tells the workers of a fuzz test where the command is that the process which started them has built.
const variable = "TEST_BINARY_OF_RECADO"

func find() (string, error) {
	if path := os.Getenv(variable); path != "" {
		return path, nil
	}
	path, err := build()
	if err != nil {
		return "", err
	}
	folder = filepath.Dir(path)
	return path, os.Setenv(variable, path)
}

// Main is the TestMain of packages that use this one: it removes what was built for them.
func Main(m *testing.M) {
	m.Run() // testing remembers the outcome
	if folder != "" {
		_ = os.RemoveAll(folder)
	}
}

// Path gives the command, built from the sources under test.
func Path(t testing.TB) string {
	t.Helper()
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Newer builds the command as a later release would be: with files added to the sources, by their paths
// from the module's root.
func Newer(t testing.TB, files map[string]string) string {
	t.Helper()
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	replace := map[string]string{}
	for path, text := range files {
		added := filepath.Join(dir, strings.ReplaceAll(path, "/", "_"))
		if err := os.WriteFile(added, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		replace[filepath.Join(strings.TrimSpace(string(root)), path)] = added
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(list, overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	path, err := build("-overlay", list)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(filepath.Dir(path)) })
	return path
}

func build(flags ...string) (path string, err error) {
	dir, err := os.MkdirTemp("", "recado-binary-")
	if err != nil {
		return "", err
	}
	path = filepath.Join(dir, "recado")
	args := append([]string{"build", "-buildvcs=false", "-ldflags=-s -w", "-o", path}, flags...)
	if out, err := exec.Command("go", append(args, "recado/cmd/recado")...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return path, nil
}

// patience is how long a start or an end may take. It is long because the machine may be busy.
const patience = 2 * time.Minute

// Process is one running `recado serve`.
type Process struct {
	Dir  string // its data folder
	URL  string // without /v1
	Demo Demo
	Path string // of the command, from its next start on

	t      testing.TB
	args   []string
	cmd    *exec.Cmd
	stderr bytes.Buffer
	ended  chan struct{}
}

// Demo is the part of demo.json that tests use.
type Demo struct {
	BaseURL   string `json:"base_url"`
	Companies []struct {
		ID      string   `json:"id"`
		APIKey  string   `json:"api_key"`
		Channel string   `json:"channel"`
		User    string   `json:"user"`
		Users   []string `json:"users"`
		Sectors []string `json:"sectors"`
		Labels  []string `json:"labels"`
		Board   string   `json:"board"`

		AttendancesBoard string `json:"attendances_board"`
	} `json:"companies"`
}

// Serve starts `recado serve --demo` on a free port; args are added to the command line. It is killed
// at the end of the test.
func Serve(t testing.TB, dir string, args ...string) *Process {
	t.Helper()
	p := New(t, dir, append([]string{"--demo"}, args...)...)
	p.Start()
	return p
}

// New is a `recado serve` that is not started yet, on a free port of its own.
func New(t testing.TB, dir string, args ...string) *Process {
	t.Helper()
	addr := FreeAddress(t)
	p := &Process{t: t, Dir: dir, URL: "http://" + addr, Path: Path(t)}
	p.args = append([]string{"serve", "--data", dir, "--addr", addr, "--rate", "1000000", "--burst", "1000000", "--webhook-allow-insecure"}, args...)
	t.Cleanup(p.Kill)
	return p
}

// FreeAddress is a loopback address without a listener. Its port is not one of those that the system gives to
// outgoing connections, so that it is still free when a server that was killed starts again.
func FreeAddress(t testing.TB) string {
	t.Helper()
	for range 100 {
		addr := fmt.Sprintf("127.0.0.1:%d", 10_000+rand.IntN(10_000))
		if l, err := net.Listen("tcp", addr); err == nil {
			_ = l.Close()
			return addr
		}
	}
	t.Fatal("no port is free")
	return ""
}

// Start runs the command and waits until it is ready.
func (p *Process) Start() {
	p.t.Helper()
	p.Launch()
	p.WaitReady()
}

// Launch runs the command.
func (p *Process) Launch() {
	p.t.Helper()
	p.cmd = exec.Command(p.Path, p.args...)
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	p.stderr.Reset()
	p.cmd.Stderr = &p.stderr
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	ended := make(chan struct{})
	p.ended = ended
	cmd := p.cmd
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
}

// Ended is closed when the process has ended.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// WaitReady returns when the server answers that it is ready and, if it makes the demo, that is there.
func (p *Process) WaitReady() {
	p.t.Helper()
	ready := false
	defer func() {
		if !ready {
			p.Kill() // before its log is read
			p.t.Logf("log of the server: %s", p.stderr.String())
		}
	}()
	testkit.Eventually(p.t, "the server is ready", p.isReady)
	ready = true
}

func (p *Process) isReady() bool {
	p.t.Helper()
	select {
	case <-p.ended:
		p.t.Fatal("the server ended at its start")
	default:
	}
	resp, err := http.Get(p.URL + "/readyz")
	if err != nil {
		return false
	}
	_ = resp.Body.Close()
	raw, err := os.ReadFile(filepath.Join(p.Dir, "demo.json"))
	if resp.StatusCode != 200 || err != nil && slices.Contains(p.args, "--demo") {
		return false
	}
	if err == nil {
		var made Demo // a new one: others may be reading what an earlier start gave
		if err := json.Unmarshal(raw, &made); err != nil {
			p.t.Fatal(err)
		}
		p.Demo = made
	}
	return true
}

// Kill ends the process the hard way (SIGKILL) and waits for its end. Killing a dead one is fine.
func (p *Process) Kill() { p.signal(syscall.SIGKILL) }

// Stop ends the process gracefully (SIGTERM).
func (p *Process) Stop() { p.signal(syscall.SIGTERM) }

// Signal sends any signal, without waiting.
func (p *Process) Signal(s os.Signal) error { return p.cmd.Process.Signal(s) }

// PID is the id of the running process.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Log is what the process wrote to standard error since its last start. Read it after its end.
func (p *Process) Log() string { return p.stderr.String() }

func (p *Process) signal(s syscall.Signal) {
	if p.cmd == nil || p.cmd.Process == nil {
		return
	}
	if err := p.cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		p.t.Error(err)
	}
	select {
	case <-p.ended:
	case <-time.After(patience):
		p.t.Errorf("the server did not end after %v", s)
	}
}
