package testpg

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Cluster is a PostgreSQL server of the test's own, which it may stop and start. It forgets nothing that
// it was made to flush, but its settings do not ask for that: who wants durable commits says so.
type Cluster struct {
	URL string // of its maintenance database, as a superuser

	t      testing.TB
	bin    string
	folder string
	port   int
	owner  *syscall.Credential // nil: the caller
	cmd    *exec.Cmd
	ended  chan struct{}
}

// Own makes a cluster and starts it; the end of the test removes it. As root it runs as an unprivileged
// user.
func Own(t testing.TB) *Cluster {
	t.Helper()
	c := &Cluster{t: t, bin: programs(t), owner: owner(t)}
	var err error
	// A short path on purpose: that of a Unix socket may not exceed 107 bytes.
	if c.folder, err = os.MkdirTemp("/tmp", "recado-pg."); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Stop(syscall.SIGQUIT)
		_ = os.RemoveAll(c.folder)
	})
	if c.owner != nil {
		if err := os.Chown(c.folder, int(c.owner.Uid), int(c.owner.Gid)); err != nil {
			t.Fatal(err)
		}
	}
	initdb := c.command("initdb", "--pgdata", c.data(), "--username=recado", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync")
	if out, err := initdb.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v: %s", err, out)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c.port = l.Addr().(*net.TCPAddr).Port
	_ = l.Close()
	c.URL = fmt.Sprintf("postgres://recado@127.0.0.1:%d/postgres?sslmode=disable", c.port)
	c.Start()
	return c
}

// Start runs the server and waits until it answers.
func (c *Cluster) Start() {
	c.t.Helper()
	c.cmd = c.command("postgres", "-D", c.data(), "-p", strconv.Itoa(c.port), "-k", c.folder, "-c", "listen_addresses=127.0.0.1",
		"-c", "max_connections=200", "-c", "fsync=off", "-c", "synchronous_commit=off")
	c.cmd.SysProcAttr.Pdeathsig = syscall.SIGQUIT
	log, err := os.OpenFile(filepath.Join(c.folder, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		c.t.Fatal(err)
	}
	defer func() { _ = log.Close() }()
	c.cmd.Stdout, c.cmd.Stderr = log, log
	if err := c.cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	ended, cmd := make(chan struct{}), c.cmd
	c.ended = ended
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(30 * time.Second); ; <-tick.C {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		conn, err := pgx.Connect(ctx, c.URL)
		if err == nil {
			_ = conn.Close(ctx)
		}
		cancel()
		if err == nil {
			return
		}
		if time.Now().After(end) {
			raw, _ := os.ReadFile(filepath.Join(c.folder, "log"))
			c.t.Fatalf("PostgreSQL did not start: %v: %s", err, raw)
		}
	}
}

// Stop ends the server with a signal and waits for its end: SIGINT breaks off every connection and then
// writes everything down, SIGQUIT leaves at once, as a crash would. Stopping a stopped one is fine.
func (c *Cluster) Stop(signal syscall.Signal) {
	if c.cmd == nil {
		return
	}
	_ = c.cmd.Process.Signal(signal)
	select {
	case <-c.ended:
	case <-time.After(30 * time.Second):
		c.t.Errorf("PostgreSQL did not end after %v", signal)
	}
}

func (c *Cluster) data() string { return filepath.Join(c.folder, "data") }

func (c *Cluster) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(c.bin, name), args...)
	cmd.Dir, cmd.Env = "/", append(os.Environ(), "HOME=/", "LC_ALL=C.UTF-8")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: c.owner}
	return cmd
}

// programs finds the folder of initdb and postgres, as scripts/with-postgres does; the newest wins.
func programs(t testing.TB) string {
	t.Helper()
	folders := []string{os.Getenv("RECADO_POSTGRES_BIN")}
	if out, err := exec.Command("pg_config", "--bindir").Output(); err == nil {
		folders = append(folders, strings.TrimSpace(string(out)))
	}
	installed, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	slices.SortFunc(installed, func(a, b string) int { return version(b) - version(a) })
	folders = append(folders, installed...)
	if path, err := exec.LookPath("pg_ctl"); err == nil {
		folders = append(folders, filepath.Dir(path))
	}
	for _, folder := range folders {
		if folder == "" {
			continue
		}
		_, noInit := os.Stat(filepath.Join(folder, "initdb"))
		_, noServer := os.Stat(filepath.Join(folder, "postgres"))
		if noInit == nil && noServer == nil {
			return folder
		}
	}
	t.Fatal("initdb and postgres are nowhere to be found: install PostgreSQL, or set RECADO_POSTGRES_BIN to their folder")
	return ""
}

func version(folder string) int {
	n, _ := strconv.Atoi(filepath.Base(filepath.Dir(folder)))
	return n
}

// owner is who runs the server where the test runs as root, which PostgreSQL refuses.
func owner(t testing.TB) *syscall.Credential {
	t.Helper()
	if os.Geteuid() != 0 {
		return nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, _ := strconv.ParseUint(u.Uid, 10, 32)
		gid, _ := strconv.ParseUint(u.Gid, 10, 32)
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	t.Fatal("PostgreSQL refuses to run as root, and there is neither a user postgres nor a user nobody to run it")
	return nil
}
