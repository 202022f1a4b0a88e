package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"recado/internal/channels/simulator"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/people"
	"recado/internal/vault"
	"recado/internal/webhooks"
	"recado/test/kerneltest"
	"recado/test/testkit"
)

const otherKey = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="

// installation is data on one engine that commands are run on.
type installation struct {
	t    *testing.T
	dir  string
	vars map[string]string
}

func eachInstallation(t *testing.T, body func(t *testing.T, i *installation)) {
	kerneltest.EachURL(t, func(t *testing.T, url string) {
		i := &installation{t: t, dir: t.TempDir()}
		i.vars = map[string]string{"RECADO_DATA": i.dir}
		if url != "" {
			i.vars["RECADO_DATABASE_URL"] = url
		}
		body(t, i)
	})
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
	addr := testkit.FreeAddress(i.t)
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
	kerneltest.Exec(i.t, i.dir, i.vars["RECADO_DATABASE_URL"], "DELETE FROM secret_check")
}

// open gives the data and the vault with the present key of an installation that no command is using.
func (i *installation) open() (*kernel.Store, *vault.Vault) {
	i.t.Helper()
	o := db.Options{Dir: i.dir, DatabaseURL: i.vars["RECADO_DATABASE_URL"]}
	if o.DatabaseURL != "" {
		o.Dir = ""
	}
	s, err := kernel.Open(i.t.Context(), o)
	if err != nil {
		i.t.Fatal(err)
	}
	v, err := vault.Load(i.dir)
	if key := i.vars["RECADO_SECRET_KEY"]; key != "" {
		v, err = vault.FromEnv(key)
	}
	if err != nil {
		i.t.Fatal(err)
	}
	return s, v
}

// seal adds a webhook with a secret, and gives the first member of the company a secret of two-factor.
func (i *installation) seal(company string) {
	i.t.Helper()
	s, v := i.open()
	err := s.Write(i.t.Context(), func(tx *kernel.Tx) error {
		owner, _ := kernel.ParseID(company)
		webhook := kernel.NewID()
		_, err := tx.Exec(`
			INSERT INTO webhooks (id, company, name, url, events, active, consecutive_failures, secret, created_at, updated_at)
			VALUES ($1, $2, 'ERP', 'https://erp.clara.example/in', 'message.received', TRUE, 0, $3, $4, $4)`,
			webhook, owner, v.Seal([]byte("the secret of a webhook"), owner, webhook), tx.Now)
		if err != nil {
			return err
		}
		members, err := tx.IDs(`SELECT id FROM users WHERE company = $1 ORDER BY id`, owner)
		if err == nil {
			people.SetTwoFactor(tx, owner, members[0], v.Seal([]byte("the secret of a person"), owner, members[0]), nil)
		}
		return err
	})
	if err := errors.Join(err, s.Close()); err != nil {
		i.t.Fatal(err)
	}
}

// secrets reads the webhooks and the secrets of two-factor, and how many of them the present key opens.
func (i *installation) secrets() (hooks []webhooks.WebhookRow, members []people.SealedMember, opened int) {
	i.t.Helper()
	s, v := i.open()
	err := s.Read(i.t.Context(), func(tx *kernel.Tx) (err error) {
		if hooks, err = webhooks.AllWebhooks(tx); err == nil {
			members, err = people.SealedMembers(tx)
		}
		return err
	})
	if err := errors.Join(err, s.Close()); err != nil {
		i.t.Fatal(err)
	}
	for _, w := range hooks {
		if _, err := v.Open(w.Secret, w.Company, w.ID); err == nil {
			opened++
		}
	}
	for _, m := range members {
		if _, err := v.Open(m.Secret, m.Company, m.ID); err == nil {
			opened++
		}
	}
	return hooks, members, opened
}

// audited returns the name of the subject of an audit entry.
func (i *installation) audited(action string) (name string) {
	i.t.Helper()
	s, _ := i.open()
	err := s.Read(i.t.Context(), func(tx *kernel.Tx) error {
		_, err := tx.One(`SELECT /* all companies: there is one */ subject_name FROM audit WHERE action = $1`, []any{action}, func(r db.Row) { name = r.Text("subject_name") })
		return err
	})
	if err := errors.Join(err, s.Close()); err != nil {
		i.t.Fatal(err)
	}
	return name
}

func TestSecretsOfWebhooksAndPeopleFollowTheSecretKey(t *testing.T) {
	eachInstallation(t, func(t *testing.T, i *installation) {
		company := i.ok("company", "create", "Casa Clara")
		i.ok("user", "create", "--company", company, "--name", "Ana", "--email", "ana@clara.example", "--role", "owner")
		i.seal(company)
		if out := i.ok("secret-key", "rotate"); !strings.Contains(out, "2 secrets") {
			t.Errorf("rotate: got %q, want 2 secrets", out)
		}
		i.ok("secret-key", "retire")
		if webhooks, members, opened := i.secrets(); len(webhooks) != 1 || len(members) != 1 || opened != 2 {
			t.Errorf("after a rotation the key opens %d secrets of %d webhooks and %d people, want 2 of 1 and 1", opened, len(webhooks), len(members))
		}

		i.vars["RECADO_SECRET_KEY"] = otherKey // the key in the file is lost
		if out := i.ok("secret-key", "replace-lost"); !strings.Contains(out, "1 webhooks") || !strings.Contains(out, "1 people") {
			t.Errorf("replace-lost: got %q, want 1 webhooks and 1 people", out)
		}
		webhooks, members, opened := i.secrets()
		if len(webhooks) != 1 || webhooks[0].Active || len(members) != 0 || opened != 1 {
			t.Errorf("after a loss: %d webhooks, %d people with two-factor, %d secrets that open; want an inactive webhook with a new secret", len(webhooks), len(members), opened)
		}
		testkit.Equal(t, "name in the audit", i.audited("two_factor.disabled"), "Ana")
		i.ok("company", "list")
	})
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
		i.refused("does not match")
		i.vars["RECADO_SECRET_KEY"] = otherKey + "," + strings.TrimSpace(string(right))
		i.ok("company", "list")
		i.ok("secret-key", "retire")
		i.vars["RECADO_SECRET_KEY"] = otherKey
		i.ok("company", "list")
		i.vars["RECADO_SECRET_KEY"] = strings.TrimSpace(string(right))
		i.refused("does not match")
	})
}

func TestADatabaseOfAnOlderVersionIsCheckedByItsSecrets(t *testing.T) {
	sim := simulator.New(simulator.Options{})
	graph := testkit.Serve(t, sim)
	t.Cleanup(sim.Close)
	eachInstallation(t, func(t *testing.T, i *installation) {
		sim.Reset()
		i.vars["RECADO_WHATSAPP_BASE_URL"] = graph
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
		i.refused("does not match")
		delete(i.vars, "RECADO_SECRET_KEY")
		i.ok("company", "list")
		i.vars["RECADO_SECRET_KEY"] = otherKey
		i.refused("does not match")

		t.Run("a lost key is replaced, and what it sealed has to be given again", func(t *testing.T) {
			i.t = t
			out := i.ok("secret-key", "replace-lost")
			if !strings.Contains(out, "1 channels") || !strings.Contains(out, "0 webhooks") {
				t.Errorf(`want strings.Contains(out, "1 channels") and strings.Contains(out, "0 webhooks"); got %+v`, out)
			}
			testkit.Equal(t, "name in the audit", i.audited("channel.disconnected"), "Front desk")
			if list := i.ok("channel", "list", "--company", company); !strings.Contains(list, "disconnected: The secret key") {
				t.Errorf(`i.ok("channel", "list", "--company", company): want strings.Contains(list, "disconnected: The secret key"); got %+v`, list)
			}
			i.ok("channel", "connect", "--company", company, channel)
			if test := i.ok("channel", "test", "--company", company, channel); !strings.Contains(test, "CONNECTED") {
				t.Errorf(`i.ok("channel", "test", "--company", company, channel): want strings.Contains(test, "CONNECTED"); got %+v`, test)
			}
			if code, _, stderr := recado(t, i.vars, "secret-key", "replace-lost"); code != 1 || !strings.Contains(stderr, "no secrets are lost") {
				t.Errorf("a second time: exit %d %s", code, stderr)
			}
		})
	})
}

func TestOfTwoNodesThatStartAtOnceWithDifferentKeysOneIsRefused(t *testing.T) {
	url := kerneltest.URL(t)
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

func TestAServerWhoseKeyIsReplacedElsewhereIsNotReady(t *testing.T) {
	eachInstallation(t, func(t *testing.T, i *installation) {
		const newer = "ZmVkY2JhOTg3NjU0MzIxMGZlZGNiYTk4NzY1NDMyMTA="
		i.vars["RECADO_SECRET_KEY"] = otherKey
		i.ok("company", "create", "Casa Clara")
		addr := testkit.FreeAddress(t)
		ctx, stop := context.WithCancel(context.Background())
		environ := []string{}
		for name, value := range i.vars {
			environ = append(environ, name+"="+value)
		}
		done := make(chan int, 1)
		go func() {
			done <- run(ctx, process{args: []string{"serve", "--addr", addr}, environ: environ, stdout: io.Discard, stderr: io.Discard})
		}()
		ready := func() (status int, body string) {
			resp, err := http.Get("http://" + addr + "/readyz")
			if err != nil {
				return 0, ""
			}
			defer func() { _ = resp.Body.Close() }()
			raw, _ := io.ReadAll(resp.Body)
			return resp.StatusCode, string(raw)
		}
		testkit.Eventually(t, "the server is ready", func() bool { status, _ := ready(); return status == 200 })
		i.vars["RECADO_SECRET_KEY"] = newer + "," + otherKey
		i.ok("secret-key", "retire")
		if status, body := ready(); status != 503 || !strings.Contains(body, "secret key") {
			t.Errorf("after the key was replaced: %d %s, want 503 that names the secret key", status, body)
		}
		stop()
		testkit.Equal(t, "exit", <-done, 0)
	})
}
