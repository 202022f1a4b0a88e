package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// process is a child process. A nil process has used no memory and no processor time.
type process struct {
	cmd     *exec.Cmd
	log     string
	metrics string        // where it shows its metrics; empty: it does not
	debug   string        // where it shows its profiles; empty: it does not
	done    chan struct{} // closed when it has ended
}

// start runs a program whose errors go to a file in the folder. It is ended with the scenario, if not before.
func (b *bench) start(folder string, cmd *exec.Cmd) (*process, error) {
	log, err := os.CreateTemp(folder, "log-")
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd.Stderr = log
	if cmd.Stdout == nil {
		cmd.Stdout = log
	}
	// A setting in the caller's environment must not change what is measured.
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "RECADO_") {
			cmd.Env = append(cmd.Env, entry)
		}
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{cmd: cmd, log: log.Name(), done: make(chan struct{})}
	go func() {
		_ = cmd.Wait() // how it ended matters only when it should not have, and then its log tells
		close(p.done)
	}()
	b.onClose(p.stop)
	return p, nil
}

// stop ends the process with SIGTERM, and kills it if that takes too long. It may be called twice.
func (p *process) stop() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM) // an error means that it has ended already
	select {
	case <-p.done:
	case <-time.After(15 * time.Second):
		_ = p.cmd.Process.Kill()
		<-p.done
	}
}

// await calls ready until it succeeds, the process ends, or half a minute has passed.
func (p *process) await(ctx context.Context, ready func() error) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := ready()
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-p.done:
			return fmt.Errorf("%s ended by itself:\n%s", filepath.Base(p.cmd.Path), p.logged())
		case <-ctx.Done():
			return fmt.Errorf("%s is not ready: %w:\n%s", filepath.Base(p.cmd.Path), err, p.logged())
		}
	}
}

// logged is the end of the process's log.
func (p *process) logged() []byte {
	content, err := os.ReadFile(p.log)
	if err != nil {
		return []byte(err.Error())
	}
	return content[max(0, len(content)-4000):]
}

// resident is the memory that the process occupies now, in bytes; zero where the system does not tell.
func (p *process) resident() int64 {
	if p == nil {
		return 0
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	for line := range bytes.Lines(status) {
		if value, ok := bytes.CutPrefix(line, []byte("VmRSS:")); ok {
			kib, _ := strconv.ParseInt(string(bytes.TrimSuffix(bytes.TrimSpace(value), []byte(" kB"))), 10, 64)
			return kib << 10
		}
	}
	return 0
}

// watchMemory looks at the process ten times a second until stop, which gives the largest size seen.
func (p *process) watchMemory() (stop func() int64) {
	ended := make(chan struct{})
	largest := make(chan int64)
	go func() {
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		var seen int64
		for {
			seen = max(seen, p.resident())
			select {
			case <-tick.C:
			case <-ended:
				largest <- seen
				return
			}
		}
	}()
	return func() int64 {
		close(ended)
		return <-largest
	}
}

// cpuTime is the processor time the process has used so far; zero where the system does not tell.
func (p *process) cpuTime() time.Duration {
	if p == nil {
		return 0
	}
	return statOf(p.cmd.Process.Pid).own
}

// stat is what the system tells of any process: its parent and the processor time it and its ended children took.
type stat struct {
	parent      int
	own, reaped time.Duration
}

func statOf(pid int) (s stat) {
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return s
	}
	// The name in brackets may hold spaces; the fields after it do not: see proc(5), which counts from two more.
	fields := strings.Fields(string(content[bytes.LastIndexByte(content, ')')+1:]))
	if len(fields) < 15 {
		return s
	}
	number := func(i int) int64 {
		n, _ := strconv.ParseInt(fields[i], 10, 64)
		return n
	}
	const tick = 10 * time.Millisecond // the unit of /proc on every Linux that Go runs on
	s.parent = int(number(1))
	s.own = time.Duration(number(11)+number(12)) * tick
	s.reaped = time.Duration(number(13)+number(14)) * tick
	return s
}
