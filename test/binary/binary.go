// Package binary builds the real command once per test process and runs it as a child, for tests that
// must be able to kill it.
package binary

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

var built struct {
	sync.Once
	path string
	err  error
}

// Path gives the command, built from the sources under test. With the race detector in the test it
// is in the command too.
func Path(t testing.TB) string {
	t.Helper()
	built.Do(func() {
		dir, err := os.MkdirTemp("", "recado-binary-")
		if err != nil {
			built.err = err
			return
		}
		built.path = filepath.Join(dir, "recado")
		out, err := exec.Command("go", "build", "-buildvcs=false", "-o", built.path, "recado/cmd/recado").CombinedOutput()
		if err != nil {
			built.err = fmt.Errorf("%w: %s", err, out)
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return built.path
}

// Process is one running `recado serve`.
type Process struct {
	Dir  string // its data folder
	URL  string // without /v1
	Demo Demo

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
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	_ = l.Close()
	p := &Process{t: t, Dir: dir, URL: "http://" + addr}
	p.args = append([]string{"serve", "--demo", "--data", dir, "--addr", addr, "--rate", "1000000", "--burst", "1000000", "--webhook-allow-insecure"}, args...)
	t.Cleanup(p.Kill)
	p.Start()
	return p
}

// Start runs the command and waits until it is ready.
func (p *Process) Start() {
	p.t.Helper()
	p.cmd = exec.Command(Path(p.t), p.args...)
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
	p.waitReady()
	if raw, err := os.ReadFile(filepath.Join(p.Dir, "demo.json")); err == nil {
		if err := json.Unmarshal(raw, &p.Demo); err != nil {
			p.t.Fatal(err)
		}
	}
}

func (p *Process) waitReady() {
	p.t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); {
		select {
		case <-p.ended:
			p.t.Fatalf("the server ended at its start: %s", p.stderr.String())
		case <-tick.C:
		}
		resp, err := http.Get(p.URL + "/readyz")
		if err != nil {
			continue
		}
		_ = resp.Body.Close()
		_, demo := os.Stat(filepath.Join(p.Dir, "demo.json"))
		if resp.StatusCode == 200 && demo == nil {
			return
		}
	}
	p.t.Fatalf("the server did not become ready: %s", p.stderr.String())
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
	ctx, cancel := context.WithTimeout(context.Background(), 40*time.Second)
	defer cancel()
	select {
	case <-p.ended:
	case <-ctx.Done():
		p.t.Errorf("the server did not end after %v", s)
	}
}

// Args shows how the process was started, for messages.
func (p *Process) Args() string { return strings.Join(p.args, " ") }
