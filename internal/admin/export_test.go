package admin_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"recado/internal/admin"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/server"
	"recado/test/testkit"
)

func export(t *testing.T, o admin.ExportOptions) (string, admin.Manifest) {
	t.Helper()
	o.To, o.Version = filepath.Join(t.TempDir(), "export"), "test"
	m, err := admin.Export(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return o.To, m
}

// tables returns the files of an export with their rows and hashes, by name.
func tables(m admin.Manifest) map[string]admin.ExportedFile {
	out := map[string]admin.ExportedFile{}
	for _, file := range m.Files {
		out[file.Name] = file
	}
	return out
}

// rowsOf returns the number of rows of tables that a running server does not change.
func rowsOf(m admin.Manifest) map[string]int64 {
	out := map[string]int64{}
	for _, name := range []string{"companies", "users", "contacts", "conversations", "messages", "media", "labels", "cards", "events"} {
		out[name] = tables(m)[tableName(name)].Rows
	}
	return out
}

// hook registers a webhook in an installation that is running, and returns its path and secret.
func (i *installation) hook(t *testing.T, s *server.Server, url string) (path, secret string) {
	t.Helper()
	body := bytes.NewBufferString(`{"name":"Orders","url":"` + url + `","events":["message.received"]}`)
	var made struct{ ID, Secret string }
	if err := json.Unmarshal(i.call(t, s, http.MethodPost, "/integrations/webhooks", "application/json", body), &made); err != nil {
		t.Fatal(err)
	}
	return "/integrations/webhooks/" + made.ID, made.Secret
}

func insecure(c server.Config) server.Config {
	c.WebhookAllowInsecure = true
	return c
}

func TestAnExportIsImportedIntoEitherEngine(t *testing.T) {
	t.Parallel()
	i, receiver := install(t), testkit.NewReceiver(t)
	var hook, secret string
	serving(t, insecure(config(i.dir, "")), func(s *server.Server) { hook, secret = i.hook(t, s, receiver.URL) })
	url := testkit.Database(t, "")
	move(t, admin.MoveOptions{Dir: i.dir, ToURL: url})
	want := i.answers(t, config(i.dir, ""))
	report := "/reports/attendance"
	serving(t, config(i.dir, ""), func(s *server.Server) { want[report] = i.get(t, s, report) })

	var first map[string]int64
	for _, source := range []string{"", url} {
		for _, target := range []string{"", testkit.Database(t, "")} {
			t.Run(engine(source)+" to "+engine(target), func(t *testing.T) {
				var dir string
				serving(t, config(i.dir, source), func(s *server.Server) { // it may be running
					var m admin.Manifest
					dir, m = export(t, admin.ExportOptions{Dir: i.dir, DatabaseURL: source, WithSecretKey: true})
					for name, rows := range rowsOf(m) {
						if first == nil {
							first = rowsOf(m)
						}
						if rows == 0 || rows != first[name] {
							t.Errorf("%s has %d rows, from the other engine %d", name, rows, first[name])
						}
					}
					if m.Media < 2 || m.MissingMedia != 0 || !m.SecretKey {
						t.Errorf("%d media files, %d missing, secret key %t", m.Media, m.MissingMedia, m.SecretKey)
					}
					testkit.Contains(t, "audit", i.get(t, s, "/audit?action=company.exported"), `"field":"with_secret_key","from":null,"to":true`)
				})
				private(t, dir)
				to := filepath.Join(t.TempDir(), "new")
				done, err := admin.Import(t.Context(), admin.ImportOptions{From: dir, Dir: to, DatabaseURL: target})
				if err != nil || done.KeyMissing {
					t.Fatalf("key missing: %t, %v", done.KeyMissing, err)
				}
				got := i.answers(t, config(to, target))
				serving(t, insecure(config(to, target)), func(s *server.Server) {
					got[report] = i.get(t, s, report)
					i.call(t, s, http.MethodPost, hook+"/test", "application/json", bytes.NewBufferString(`{}`))
					delivery := receiver.Next(t)
					mac := hmac.New(sha256.New, []byte(secret))
					mac.Write([]byte(delivery.Header.Get("X-Service-Timestamp") + "." + delivery.Body))
					testkit.Equal(t, "signature", delivery.Header.Get("X-Service-Signature"), "sha256="+hex.EncodeToString(mac.Sum(nil)))
					i.signIn(t, s)
					testkit.Eventually(t, "search", func() bool { return strings.Contains(i.get(t, s, "/messages?q=bolo"), `"id"`) })
				})
				testkit.Diff(t, "answers", got, want)

				_, err = admin.Import(t.Context(), admin.ImportOptions{From: dir, Dir: to, DatabaseURL: target})
				if err == nil || !strings.Contains(err.Error(), "is not empty") {
					t.Errorf("a second import: %v", err)
				}
			})
		}
	}
}

func engine(url string) string {
	if url == "" {
		return "SQLite"
	}
	return "PostgreSQL"
}

func tableName(table string) string { return "tables/" + table + ".ndjson" }

// private checks that only the owner can read a folder.
func private(t *testing.T, dir string) {
	t.Helper()
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (i *installation) signIn(t *testing.T, s *server.Server) {
	t.Helper()
	body, err := json.Marshal(i.demo.Login)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/v1/session", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode > 299 {
		t.Errorf("signing in: %d", resp.StatusCode)
	}
}

func TestAnExportOfOneCompany(t *testing.T) {
	t.Parallel()
	i := install(t)
	first, second := i.demo.Companies[0], i.demo.Companies[1]
	url := testkit.Database(t, "")
	move(t, admin.MoveOptions{Dir: i.dir, ToURL: url})
	want := i.answers(t, config(i.dir, ""))
	var manifests []map[string]int64
	for _, source := range []string{"", url} {
		dir, m := export(t, admin.ExportOptions{Dir: i.dir, DatabaseURL: source, Company: &first.ID})
		testkit.Equal(t, "companies", tables(m)[tableName("companies")].Rows, 1)
		for name := range tables(m) {
			text, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if name != tableName("events") && strings.Contains(string(text), second.ID.String()) {
				t.Errorf("%s has rows of another company", name)
			}
		}
		if _, err := os.Stat(filepath.Join(dir, "secret.key")); !errors.Is(err, os.ErrNotExist) || m.SecretKey {
			t.Errorf("the secret key was exported without --with-secret-key: %v", err)
		}
		manifests = append(manifests, rowsOf(m))

		to := t.TempDir()
		done, err := admin.Import(t.Context(), admin.ImportOptions{From: dir, Dir: to})
		if err != nil || !done.KeyMissing {
			t.Fatalf("key missing: %t, %v", done.KeyMissing, err)
		}
		if _, err := server.Open(t.Context(), config(to, "")); err == nil {
			t.Error("a server started without the secret key")
		}
		key, err := os.ReadFile(filepath.Join(i.dir, "secret.key"))
		if err == nil {
			err = os.WriteFile(filepath.Join(to, "secret.key"), key, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		testkit.Diff(t, "answers", i.answers(t, config(to, "")), want)
	}
	testkit.Diff(t, "rows from both engines", manifests[1], manifests[0])

	_, err := admin.Export(t.Context(), admin.ExportOptions{Dir: i.dir, Company: new(kernel.NewID()), To: filepath.Join(t.TempDir(), "none")})
	if kernel.CodeOf(err) != kernel.CodeNotFound {
		t.Errorf("a company that does not exist: %v", err)
	}
}

func TestEveryTableIsExportedOrLeftOutWithAReason(t *testing.T) {
	t.Parallel()
	i := install(t)
	_, m := export(t, admin.ExportOptions{Dir: i.dir})
	exported := tables(m)
	leftOut := maps.Clone(admin.LeftOut)
	err := db.QueryFile(filepath.Join(i.dir, "recado.db"), `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'`, func(r db.Row) error {
		name := r.Text("name")
		_, is := exported[tableName(name)]
		if reason, out := leftOut[name]; !strings.HasPrefix(name, "sqlite_") && is == (out && reason != "") {
			t.Errorf("the table %s: exported %t, in LeftOut %t", name, is, out)
		}
		delete(leftOut, name)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	delete(leftOut, "message_search") // not a table on SQLite
	for name := range leftOut {
		t.Errorf("LeftOut names %s, which is not a table", name)
	}
}

func TestAnImportRefusesADamagedExport(t *testing.T) {
	t.Parallel()
	i := install(t)
	whole, _ := export(t, admin.ExportOptions{Dir: i.dir, WithSecretKey: true})
	edit := func(name string, change func(text []byte) []byte) func(dir string) error {
		return func(dir string) error {
			path := filepath.Join(dir, name)
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			return os.WriteFile(path, change(text), 0o600)
		}
	}
	replace := func(old, with string) func([]byte) []byte {
		return func(text []byte) []byte { return bytes.Replace(text, []byte(old), []byte(with), 1) }
	}
	media := filepath.Join("media", i.media[len(i.media)-2:], i.media)
	for _, c := range []struct {
		name, says string
		damage     func(dir string) error
	}{
		{"a changed row", "tables/messages.ndjson", edit("tables/messages.ndjson", func(text []byte) []byte { text[len(text)/2] ^= 1; return text })},
		{"a missing table", "tables/contacts.ndjson", func(dir string) error { return os.Remove(filepath.Join(dir, "tables/contacts.ndjson")) }},
		{"a table that the manifest does not have", "tables/", edit("manifest.json", replace("tables/labels.ndjson", "tables/cards.ndjson"))},
		{"a changed media file", i.media, edit(media, replace("text", "next"))},
		{"a missing media file", i.media, func(dir string) error { return os.Remove(filepath.Join(dir, media)) }},
		{"no manifest", "manifest.json", func(dir string) error { return os.Remove(filepath.Join(dir, "manifest.json")) }},
		{"a damaged manifest", "manifest.json", edit("manifest.json", func(text []byte) []byte { return text[:len(text)/2] })},
		{"a newer format", "format 2", edit("manifest.json", replace(`"format": 1`, `"format": 2`))},
		{"a newer schema", "newer Recado", edit("manifest.json", replace(`"schema": `, `"schema": 9`))},
		{"a file outside of the folder", "../", edit("manifest.json", replace("tables/labels.ndjson", "../labels.ndjson"))},
	} {
		t.Run(c.name, func(t *testing.T) {
			bad, to := t.TempDir(), filepath.Join(t.TempDir(), "new")
			err := os.CopyFS(bad, os.DirFS(whole))
			if err == nil {
				err = c.damage(bad)
			}
			if err != nil {
				t.Fatal(err)
			}
			_, err = admin.Import(t.Context(), admin.ImportOptions{From: bad, Dir: to})
			if kernel.CodeOf(err) != kernel.CodeInvalidRequest || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want an error with %q", err, c.says)
			}
			if _, err := os.Stat(to); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the folder was made: %v", err)
			}
		})
	}
	t.Run("the folder has the key of another installation", func(t *testing.T) {
		o := admin.ImportOptions{From: whole, Dir: t.TempDir(), SecretKey: "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="}
		if _, err := admin.Import(t.Context(), o); err == nil || !strings.Contains(err.Error(), "does not match") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("an export does not replace files", func(t *testing.T) {
		before := slices.Sorted(maps.Keys(tables(manifestOf(t, whole))))
		if _, err := admin.Export(t.Context(), admin.ExportOptions{Dir: i.dir, To: whole}); kernel.CodeOf(err) != kernel.CodeInvalidRequest {
			t.Errorf("got %v", err)
		}
		testkit.Diff(t, "files", slices.Sorted(maps.Keys(tables(manifestOf(t, whole)))), before)
	})
}

func manifestOf(t *testing.T, dir string) (m admin.Manifest) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestAnInterruptedImportIsResumed(t *testing.T) {
	t.Parallel()
	i := install(t)
	dir, m := export(t, admin.ExportOptions{Dir: i.dir, WithSecretKey: true})
	for _, target := range []string{"", testkit.Database(t, "")} {
		t.Run(engine(target), func(t *testing.T) {
			o := admin.ImportOptions{From: dir, Dir: t.TempDir(), DatabaseURL: target}
			o.Progress = func(table db.MovedTable) error {
				if table.Name == "messages" {
					return errors.New("cut off")
				}
				return nil
			}
			if _, err := admin.Import(t.Context(), o); err == nil || !strings.Contains(err.Error(), "cut off") {
				t.Fatalf("got %v", err)
			}
			if _, err := server.Open(t.Context(), config(o.Dir, target)); err == nil || !strings.Contains(err.Error(), "not finished") {
				t.Errorf("a server on a part of the data: %v", err)
			}
			o.Progress = nil
			done, err := admin.Import(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			for _, table := range done.Tables {
				testkit.Equal(t, table.Name, table.Rows, tables(m)[tableName(table.Name)].Rows)
			}
		})
	}
}

func TestAnInterruptedExportLeavesNothing(t *testing.T) {
	t.Parallel()
	i, parent := install(t), t.TempDir()
	_, err := admin.Export(t.Context(), admin.ExportOptions{
		Dir: i.dir, To: filepath.Join(parent, "export"), Progress: func(db.MovedTable) error { return errors.New("cut off") },
	})
	if err == nil || !strings.Contains(err.Error(), "cut off") {
		t.Fatalf("got %v", err)
	}
	if entries, err := os.ReadDir(parent); err != nil || len(entries) != 0 {
		t.Errorf("entries: %v, %v", entries, err)
	}
}
