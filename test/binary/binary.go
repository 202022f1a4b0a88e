// Package binary builds the recado command once per test process and runs it as a child process, so that tests can
// kill it.
package binary

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
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
	folder string // of the command that was built
)

// variable passes the path of the command to the worker processes of a fuzz test.
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

// Main is the TestMain of packages that use this one. It removes the command at the end.
func Main(m *testing.M) {
	m.Run() // testing exits with the result
	if folder != "" {
		_ = os.RemoveAll(folder)
	}
}

// MainOf is Main for packages that test another server: their own test program is the command, and runs serve as a child
// process.
func MainOf(m *testing.M, serve func(args []string) error) {
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		fmt.Fprintln(os.Stderr, serve(os.Args[2:]))
		os.Exit(1)
	}
	path, err := os.Executable()
	if err == nil {
		err = os.Setenv(variable, path)
	}
	if err != nil {
		panic(err)
	}
	m.Run()
}

// Path returns the path of the command, built from the current sources.
func Path(t testing.TB) string {
	t.Helper()
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Newer builds the command like a later release, with additional source files by path from the root of the module.
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

// Process is a `recado serve`.
type Process struct {
	Dir  string // its data folder
	URL  string // without /v1
	Demo Demo
	Path string // of the command; a change applies to the next start

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

// Serve starts `recado serve --demo` with additional args on a free port and kills it when the test ends.
func Serve(t testing.TB, dir string, args ...string) *Process {
	t.Helper()
	p := New(t, dir, append([]string{"--demo"}, args...)...)
	p.Start()
	return p
}

// New returns a `recado serve` on a free port that is not started yet. It is killed when the test ends.
func New(t testing.TB, dir string, args ...string) *Process {
	t.Helper()
	addr := testkit.FreeAddress(t)
	p := &Process{t: t, Dir: dir, URL: "http://" + addr, Path: Path(t)}
	p.args = append([]string{
		"serve", "--data", dir, "--addr", addr, "--rate", "1000000", "--burst", "1000000", "--webhook-allow-insecure",
	}, args...)
	t.Cleanup(p.Kill)
	return p
}

// Start starts the server and waits until it is ready.
func (p *Process) Start() {
	p.t.Helper()
	p.Launch()
	p.WaitReady()
}

// Launch starts the server.
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

// Ended returns a channel that is closed when the process has ended.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// WaitReady waits until the server is ready and, with --demo, the demo data exists.
func (p *Process) WaitReady() {
	p.t.Helper()
	ready := false
	defer func() {
		if !ready {
			p.Kill() // the log is complete only after the end
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
		var demo Demo // not p.Demo, which other goroutines may be reading
		if err := json.Unmarshal(raw, &demo); err != nil {
			p.t.Fatal(err)
		}
		p.Demo = demo
	}
	return true
}

// Kill kills the process (SIGKILL) and waits until it has ended. Killing an ended process does nothing.
func (p *Process) Kill() { p.signal(syscall.SIGKILL) }

// Stop stops the process gracefully (SIGTERM).
func (p *Process) Stop() { p.signal(syscall.SIGTERM) }

// Signal sends a signal without waiting.
func (p *Process) Signal(s os.Signal) error { return p.cmd.Process.Signal(s) }

// PID returns the id of the process.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Log returns the standard error since the last start. Call it after the process has ended.
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
	case <-time.After(testkit.Patience):
		p.t.Errorf("the server did not end after %v", s)
	}
}
