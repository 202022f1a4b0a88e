package main

import (
	"errors"
	"io/fs"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"recado/internal/store"
	"recado/internal/store/storetest"
	"recado/internal/vault"
	"recado/internal/whatsapp/simulator"
)

const otherKey = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="

// installation is data on one engine that commands are run on.
type installation struct {
	t    *testing.T
	dir  string
	vars map[string]string
}

func eachInstallation(t *testing.T, body func(t *testing.T, i *installation)) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			i := &installation{t: t, dir: t.TempDir()}
			i.vars = map[string]string{"RECADO_DATA": i.dir}
			if engine == "postgres" {
				i.vars["RECADO_DATABASE_URL"] = storetest.URL(t)
			}
			body(t, i)
		})
	}
}

func (i *installation) ok(args ...string) string {
	i.t.Helper()
	code, out, stderr := recado(i.t, i.vars, args...)
	if code != 0 {
		i.t.Fatalf("%v: exit %d %s", args, code, stderr)
	}
	return strings.TrimSpace(out)
}

// refused checks that neither the server nor a command starts, and that both say why.
func (i *installation) refused(says string) {
	i.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		i.t.Fatal(err)
	}
	addr := l.Addr().String()
	_ = l.Close()
	for _, args := range [][]string{{"serve", "--addr", addr}, {"company", "list"}} {
		code, _, stderr := recado(i.t, i.vars, args...)
		if code != 1 || !strings.Contains(stderr, says) || !strings.Contains(stderr, "replace-lost") {
			i.t.Errorf("%v: exit %d %s", args, code, stderr)
		}
	}
	if conn, err := net.Dial("tcp", addr); err == nil {
		_ = conn.Close()
		i.t.Error("the refused server listens")
	}
}

// forget removes the check value, as in a database of an older version.
func (i *installation) forget() {
	i.t.Helper()
	if url := i.vars["RECADO_DATABASE_URL"]; url != "" {
		conn, err := pgx.Connect(i.t.Context(), url)
		if err != nil {
			i.t.Fatal(err)
		}
		defer func() { _ = conn.Close(i.t.Context()) }()
		if _, err := conn.Exec(i.t.Context(), "DELETE FROM secret_check"); err != nil {
			i.t.Fatal(err)
		}
		return
	}
	conn, err := sqlite.OpenConn(filepath.Join(i.dir, store.DatabaseFile), sqlite.OpenReadWrite)
	if err != nil {
		i.t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if err := sqlitex.ExecuteTransient(conn, "DELETE FROM secret_check", nil); err != nil {
		i.t.Fatal(err)
	}
}

func (i *installation) keyFile() string { return filepath.Join(i.dir, vault.FileName) }

func (i *installation) removeKey() {
	i.t.Helper()
	if err := os.Remove(i.keyFile()); err != nil {
		i.t.Fatal(err)
	}
}

func TestASecretKeyThatDoesNotFitIsRefused(t *testing.T) {
	eachInstallation(t, func(t *testing.T, i *installation) {
		i.ok("company", "create", "Casa Clara")
		right, err := os.ReadFile(i.keyFile())
		if err != nil {
			t.Fatal(err)
		}
		i.removeKey()
		i.refused("is missing")
		if _, err := os.Stat(i.keyFile()); !errors.Is(err, fs.ErrNotExist) {
			t.Error("a new key was put beside a database that needs the old one")
		}
		i.vars["RECADO_SECRET_KEY"] = otherKey
		i.refused("does not fit")
		i.vars["RECADO_SECRET_KEY"] = otherKey + "," + strings.TrimSpace(string(right))
		i.ok("company", "list")
		i.ok("secret-key", "retire")
		i.vars["RECADO_SECRET_KEY"] = otherKey
		i.ok("company", "list")
		i.vars["RECADO_SECRET_KEY"] = strings.TrimSpace(string(right))
		i.refused("does not fit")
	})
}

func TestADatabaseOfAnOlderVersionIsCheckedByItsSecrets(t *testing.T) {
	sim := simulator.New(simulator.Options{})
	graph := httptest.NewServer(sim)
	t.Cleanup(func() {
		sim.Close()
		graph.Close()
	})
	eachInstallation(t, func(t *testing.T, i *installation) {
		sim.Reset()
		i.vars["RECADO_WHATSAPP_BASE_URL"] = graph.URL
		i.vars["RECADO_TOKEN"], i.vars["RECADO_APP_SECRET"] = simulator.DefaultToken, simulator.DefaultAppSecret
		company := i.ok("company", "create", "Casa Clara")
		i.ok("user", "create", "--company", company, "--name", "Ana", "--email", "ana@clara.example", "--role", "owner")

		i.forget() // with no secret in it, any key fits
		i.removeKey()
		i.ok("company", "list")
		channel, _, _ := strings.Cut(i.ok("channel", "add", "--company", company, "--name", "Front desk",
			"--phone-number-id", simulator.DefaultNumberID, "--waba-id", simulator.DefaultWABAID), "\n")

		i.forget()
		i.vars["RECADO_SECRET_KEY"] = otherKey
		i.refused("does not fit")
		delete(i.vars, "RECADO_SECRET_KEY")
		i.ok("company", "list")
		i.vars["RECADO_SECRET_KEY"] = otherKey
		i.refused("does not fit")

		t.Run("a lost key is replaced, and what it sealed has to be given again", func(t *testing.T) {
			i.t = t
			out := i.ok("secret-key", "replace-lost")
			if !strings.Contains(out, "1 channels") || !strings.Contains(out, "0 webhooks") {
				t.Error(out)
			}
			if list := i.ok("channel", "list", "--company", company); !strings.Contains(list, "disconnected: The secret key") {
				t.Error(list)
			}
			i.ok("channel", "connect", "--company", company, channel)
			if test := i.ok("channel", "test", "--company", company, channel); !strings.Contains(test, "CONNECTED") {
				t.Error(test)
			}
			if code, _, stderr := recado(t, i.vars, "secret-key", "replace-lost"); code != 1 || !strings.Contains(stderr, "no secret is lost") {
				t.Errorf("a second time: exit %d %s", code, stderr)
			}
		})
	})
}

func TestOfTwoNodesThatStartAtOnceWithDifferentKeysOneIsRefused(t *testing.T) {
	url := storetest.URL(t)
	keys := []string{otherKey, "ZmVkY2JhOTg3NjU0MzIxMGZlZGNiYTk4NzY1NDMyMTA="}
	codes := make([]int, len(keys))
	var nodes sync.WaitGroup
	for i, key := range keys {
		vars := map[string]string{"RECADO_DATA": t.TempDir(), "RECADO_DATABASE_URL": url, "RECADO_SECRET_KEY": key}
		nodes.Go(func() { codes[i], _, _ = recado(t, vars, "company", "create", "Casa Clara") })
	}
	nodes.Wait()
	if codes[0]+codes[1] != 1 {
		t.Errorf("exit codes %v, want one 0 and one 1", codes)
	}
}
