package testkit

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
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

// ErrNoPostgres is returned if the programs of PostgreSQL are not installed.
var ErrNoPostgres = errors.New("initdb and postgres were not found: install PostgreSQL, or set RECADO_POSTGRES_BIN to their folder")

// ClusterOptions configure a Cluster.
type ClusterOptions struct {
	// Durable enables fsync and stores the data in /var/tmp. Otherwise a commit survives a crash of any process, but
	// not a power loss.
	Durable bool
	// AsyncCommit turns synchronous_commit off; transactions can turn it on.
	AsyncCommit bool
}

// Cluster is a temporary PostgreSQL server.
type Cluster struct {
	URL string // of the maintenance database, as superuser

	options ClusterOptions
	bin     string
	folder  string
	port    int
	owner   *syscall.Credential // nil: the caller
	cmd     *exec.Cmd
	ended   chan struct{}
}

// Memory is a folder in the memory of the machine.
const Memory = "/dev/shm"

// MemoryHasRoom reports whether Memory exists and has far more space than tests need.
func MemoryHasRoom() bool {
	const room = 4 << 30
	var s syscall.Statfs_t
	return syscall.Statfs(Memory, &s) == nil && s.Bavail*uint64(s.Bsize) >= room
}

// OwnCluster starts a PostgreSQL server for one test, which may stop and start it. Commits are asynchronous unless a
// transaction requires otherwise.
func OwnCluster(t testing.TB) *Cluster {
	t.Helper()
	c, err := NewCluster(ClusterOptions{AsyncCommit: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Remove(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// NewCluster starts a PostgreSQL server, as an unprivileged user if the caller is root. Remove stops it.
func NewCluster(o ClusterOptions) (*Cluster, error) {
	c := &Cluster{options: o}
	var err error
	if c.bin, err = programs(); err != nil {
		return nil, err
	}
	if c.owner, err = owner(); err != nil {
		return nil, err
	}
	// The path must be short: that of a Unix socket is limited to 107 bytes.
	parent := "/tmp"
	switch {
	case o.Durable:
		parent = "/var/tmp"
	case MemoryHasRoom():
		parent = Memory
	}
	if c.folder, err = os.MkdirTemp(parent, "recado-pg."); err != nil {
		return nil, err
	}
	if err := c.create(); err != nil {
		return nil, errors.Join(err, c.Remove())
	}
	return c, nil
}

func (c *Cluster) create() error {
	if c.owner != nil {
		if err := os.Chown(c.folder, int(c.owner.Uid), int(c.owner.Gid)); err != nil {
			return err
		}
	}
	initdb := c.command("initdb", "--pgdata", c.data(), "--username=recado", "--auth=trust", "--encoding=UTF8",
		"--locale=C.UTF-8", "--no-sync")
	if out, err := initdb.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, out)
	}
	var err error
	for range 10 { // the port may be in use
		c.port = 20_000 + rand.IntN(12_000)
		c.URL = fmt.Sprintf("postgres://recado@127.0.0.1:%d/postgres?sslmode=disable", c.port)
		if err = c.Start(); err == nil || !strings.Contains(err.Error(), "could not bind") {
			return err
		}
	}
	return err
}

// Start starts the server and waits until it accepts connections.
func (c *Cluster) Start() error {
	// 400 connections, because packages are tested in parallel and each node has a pool.
	args := []string{
		"-D", c.data(), "-p", strconv.Itoa(c.port), "-k", c.folder,
		"-c", "listen_addresses=127.0.0.1", "-c", "max_connections=400", "-c", "shared_buffers=128MB",
	}
	if !c.options.Durable {
		args = append(args, "-c", "fsync=off", "-c", "full_page_writes=off")
	}
	if c.options.AsyncCommit {
		args = append(args, "-c", "synchronous_commit=off")
	}
	c.cmd = c.command("postgres", args...)
	c.cmd.SysProcAttr.Pdeathsig = syscall.SIGQUIT
	log, err := os.OpenFile(c.log(), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	c.cmd.Stdout, c.cmd.Stderr = log, log
	if err := c.cmd.Start(); err != nil {
		return err
	}
	ended, cmd := make(chan struct{}), c.cmd
	c.ended = ended
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	return c.waitReady()
}

func (c *Cluster) waitReady() error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(time.Minute); ; {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		conn, err := pgx.Connect(ctx, c.URL)
		if err == nil {
			_ = conn.Close(ctx)
		}
		cancel()
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
			if time.Now().Before(end) {
				continue
			}
		case <-c.ended:
		}
		raw, _ := os.ReadFile(c.log())
		return fmt.Errorf("PostgreSQL did not start: %w: %s", err, raw)
	}
}

// Stop sends a signal and waits until the server has ended: SIGINT closes all connections and shuts down cleanly,
// SIGQUIT ends immediately like a crash. Stopping a stopped server does nothing.
func (c *Cluster) Stop(signal syscall.Signal) error {
	if c.cmd == nil || c.cmd.Process == nil {
		return nil
	}
	_ = c.cmd.Process.Signal(signal)
	select {
	case <-c.ended:
		return nil
	case <-time.After(time.Minute):
		return fmt.Errorf("PostgreSQL did not end after %v", signal)
	}
}

// Remove stops the server and deletes its data.
func (c *Cluster) Remove() error {
	return errors.Join(c.Stop(syscall.SIGQUIT), os.RemoveAll(c.folder))
}

func (c *Cluster) data() string { return filepath.Join(c.folder, "data") }

func (c *Cluster) log() string { return filepath.Join(c.folder, "log") }

// command runs in the root folder, because the unprivileged user may not have access to the caller's.
func (c *Cluster) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(c.bin, name), args...)
	cmd.Dir, cmd.Env = "/", append(os.Environ(), "HOME=/", "LC_ALL=C.UTF-8")
	// A separate process group: an interrupt from the terminal must not end it before its clients.
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: c.owner, Setpgid: true}
	return cmd
}

// programs returns the folder of initdb and postgres, of the newest version if there are several.
func programs() (string, error) {
	folders := []string{os.Getenv("RECADO_POSTGRES_BIN")}
	if out, err := exec.Command("pg_config", "--bindir").Output(); err == nil {
		folders = append(folders, strings.TrimSpace(string(out)))
	}
	installed, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	slices.SortFunc(installed, func(a, b string) int { return version(b) - version(a) })
	folders = append(folders, installed...)
	if path, err := exec.LookPath("initdb"); err == nil {
		folders = append(folders, filepath.Dir(path))
	}
	for _, folder := range folders {
		_, err1 := os.Stat(filepath.Join(folder, "initdb"))
		_, err2 := os.Stat(filepath.Join(folder, "postgres"))
		if folder != "" && err1 == nil && err2 == nil {
			return folder, nil
		}
	}
	return "", ErrNoPostgres
}

func version(folder string) int {
	n, _ := strconv.Atoi(filepath.Base(filepath.Dir(folder)))
	return n
}

// owner returns the user who runs the server if the caller is root, because PostgreSQL refuses to run as root.
func owner() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, _ := strconv.ParseUint(u.Uid, 10, 32)
		gid, _ := strconv.ParseUint(u.Gid, 10, 32)
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
	}
	return nil, errors.New("PostgreSQL refuses to run as root, and there is neither a user postgres nor nobody")
}
