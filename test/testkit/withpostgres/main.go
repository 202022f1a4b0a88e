// Command withpostgres runs a command with a temporary PostgreSQL server. scripts/with-postgres builds and starts it.
package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"recado/test/testkit"
)

func main() {
	if self, err := os.Executable(); err == nil {
		_ = os.Remove(self) // it was built for this run
	}
	code, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "with-postgres:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// run returns the exit code of the command.
func run(args []string) (code int, err error) {
	var o testkit.ClusterOptions
	if len(args) > 0 && args[0] == "--durable" {
		o.Durable, args = true, args[1:]
	}
	if len(args) == 0 {
		return 1, errors.New("usage: scripts/with-postgres [--durable] COMMAND [ARGUMENT...]")
	}
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM)

	cluster, err := testkit.NewCluster(o)
	if errors.Is(err, testkit.ErrNoPostgres) {
		if err := install(); err != nil {
			return 1, err
		}
		cluster, err = testkit.NewCluster(o)
	}
	if err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, cluster.Remove()) }()

	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), "RECADO_TEST_POSTGRES="+cluster.URL)
	if folder := memoryFolder(); folder != "" && !o.Durable {
		defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
		cmd.Env = append(cmd.Env, "TMPDIR="+folder, "GOTMPDIR="+cmp.Or(os.Getenv("GOTMPDIR"), os.TempDir()))
	}
	if err := cmd.Start(); err != nil {
		return 127, err
	}
	go func() {
		for s := range signals {
			if s != syscall.SIGINT { // the terminal also sends it to the command
				_ = cmd.Process.Signal(s)
			}
		}
	}()
	err = cmd.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			return 128 + int(status.Signal()), nil
		}
		return exit.ExitCode(), nil
	}
	return 0, err
}

const noexec = 8 // mount flag; tests run scripts that they create

// memoryFolder creates a folder in the memory file system. It returns "" if there is none with enough space.
func memoryFolder() string {
	var s syscall.Statfs_t
	if err := syscall.Statfs(testkit.Memory, &s); err != nil || s.Flags&noexec != 0 || !testkit.MemoryHasRoom() {
		return ""
	}
	folder, err := os.MkdirTemp(testkit.Memory, "recado-")
	if err != nil {
		return ""
	}
	if err := os.Chmod(folder, 0o711); err != nil { // tests of root run programs as another user below it
		_ = os.Remove(folder)
		return ""
	}
	return folder
}
