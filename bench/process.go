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

// process is a child process. A nil process uses no memory and no CPU time.
type process struct {
	cmd     *exec.Cmd
	log     string
	metrics string        // address of its metrics, if any
	debug   string        // address of its profiles, if any
	done    chan struct{} // closed when it has ended
}

// start runs a program with its log in a file of the folder. It is stopped at the end of the scenario.
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
	// The environment of the caller must not change the configuration.
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
		_ = cmd.Wait()
		close(p.done)
	}()
	b.onClose(p.stop)
	return p, nil
}

// stop sends SIGTERM and kills the process if that takes too long. It may be called twice.
func (p *process) stop() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.done:
	case <-time.After(15 * time.Second):
		_ = p.cmd.Process.Kill()
		<-p.done
	}
}

// await calls ready until it succeeds, the process ends, or 30 seconds have passed.
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
			return fmt.Errorf("%s ended unexpectedly:\n%s", filepath.Base(p.cmd.Path), p.logged())
		case <-ctx.Done():
			return fmt.Errorf("%s is not ready: %w:\n%s", filepath.Base(p.cmd.Path), err, p.logged())
		}
	}
}

// logged returns the end of the log.
func (p *process) logged() []byte {
	content, err := os.ReadFile(p.log)
	if err != nil {
		return []byte(err.Error())
	}
	return content[max(0, len(content)-4000):]
}

// resident returns the resident memory in bytes, or 0 if it is unknown.
func (p *process) resident() int64 {
	if p == nil {
		return 0
	}
	content, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", p.cmd.Process.Pid))
	var size, resident int64 // in pages
	_, _ = fmt.Sscan(string(content), &size, &resident)
	return resident * int64(os.Getpagesize())
}

// watchMemory samples the memory ten times a second until stop, which returns the maximum.
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

// cpuTime returns the CPU time so far, or 0 if it is unknown.
func (p *process) cpuTime() time.Duration {
	if p == nil {
		return 0
	}
	return statOf(p.cmd.Process.Pid).own
}

// stat is the parent of a process and the CPU time of the process and its ended children.
type stat struct {
	parent      int
	own, reaped time.Duration
}

func statOf(pid int) (s stat) {
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return s
	}
	// Fields are counted after the name in brackets, which may contain spaces. See proc(5), whose numbers are 3 higher.
	fields := strings.Fields(string(content[bytes.LastIndexByte(content, ')')+1:]))
	if len(fields) < 15 {
		return s
	}
	number := func(i int) int64 {
		n, _ := strconv.ParseInt(fields[i], 10, 64)
		return n
	}
	const tick = 10 * time.Millisecond // the unit of /proc on Linux
	s.parent = int(number(1))
	s.own = time.Duration(number(11)+number(12)) * tick
	s.reaped = time.Duration(number(13)+number(14)) * tick
	return s
}
