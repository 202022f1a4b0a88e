package admin_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.mau.fi/whatsmeow/types"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"recado/internal/admin"
	"recado/internal/channels"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/people"
	"recado/internal/server"
	"recado/internal/webhooks"
	"recado/test/kerneltest"
	"recado/test/linkedtest"
	"recado/test/testkit"
)

// installation is the demo in a data folder whose server has ended, with a file that was uploaded.
type installation struct {
	dir   string
	demo  *admin.Demo
	media string
}

func config(dir, databaseURL string) server.Config {
	return server.Config{
		Addr: "127.0.0.1:0", DataDir: dir, DatabaseURL: databaseURL, Rate: kernel.Rate{PerSecond: 1_000_000, Burst: 1_000_000},
		WebhookTimeout: webhooks.WebhookTimeout, WebhookRetries: kernel.DefaultRetries, Brand: "Service",
		Passwords: people.PasswordCost{Memory: 64, Passes: 1},
	}
}

// install gives a copy of an installation that is made once.
func install(t *testing.T) *installation {
	t.Helper()
	made.Do(func() { first = makeInstallation(t) })
	out := *first
	out.dir = t.TempDir()
	err := os.CopyFS(out.dir, os.DirFS(first.dir))
	if err == nil {
		err = os.Chmod(filepath.Join(out.dir, "secret.key"), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return &out
}

var (
	made  sync.Once
	first *installation
)

func TestMain(m *testing.M) {
	m.Run() // testing remembers the outcome
	if first != nil {
		_ = os.RemoveAll(first.dir)
	}
}

func makeInstallation(t *testing.T) *installation {
	t.Helper()
	dir, err := os.MkdirTemp("", "recado-transfer-")
	if err != nil {
		t.Fatal(err)
	}
	out := &installation{dir: dir}
	c := config(out.dir, "")
	clock := &admin.Clock{}
	c.Now = clock.Now
	c.Prepare = func(s *server.Server) (err error) {
		out.demo, err = admin.Make(context.Background(), s.Desk, clock, "a good password")
		return err
	}
	kerneltest.Prepare(t, out.dir)
	serving(t, c, func(s *server.Server) {
		var answer struct{ ID string }
		if err := json.Unmarshal(out.upload(t, s, "the text of a file"), &answer); err != nil {
			t.Fatal(err)
		}
		out.media = answer.ID
	})
	return out
}

// serving runs do while a server runs.
func serving(t *testing.T, c server.Config, do func(s *server.Server)) {
	t.Helper()
	s, err := server.Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		http.DefaultClient.CloseIdleConnections()
		if err := s.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	do(s)
}

func (i *installation) upload(t *testing.T, s *server.Server, text string) []byte {
	t.Helper()
	form, kind := testkit.FileForm("note.txt", text)
	return i.call(t, s, http.MethodPost, "/media", kind, bytes.NewBuffer(form))
}

func (i *installation) call(t *testing.T, s *server.Server, method, path, kind string, body *bytes.Buffer) []byte {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.URL+"/v1"+path, body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+i.demo.Companies[0].APIKey)
	r.Header.Set("Content-Type", kind)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var out bytes.Buffer
	if _, err := out.ReadFrom(resp.Body); err != nil || resp.StatusCode > 299 {
		t.Fatalf("%s %s: %d %s %v", method, path, resp.StatusCode, out.Bytes(), err)
	}
	return out.Bytes()
}

func (i *installation) get(t *testing.T, s *server.Server, path string) string {
	t.Helper()
	return string(i.call(t, s, http.MethodGet, path, "", &bytes.Buffer{}))
}

// answers are what the API says of an installation, by path.
func (i *installation) answers(t *testing.T, c server.Config) map[string]string {
	t.Helper()
	out := map[string]string{}
	serving(t, c, func(s *server.Server) {
		for _, path := range []string{
			"/conversations?limit=100", "/contacts?limit=100", "/attendances?limit=100", "/labels", "/sectors", "/channels", "/integrations/webhooks",
			"/kanban/boards", "/kanban/cards?limit=100", "/media/" + i.media + "/content", "/company/attendance",
		} {
			out[path] = i.get(t, s, path)
		}
		var list struct{ Data []struct{ ID string } }
		if err := json.Unmarshal([]byte(out["/conversations?limit=100"]), &list); err != nil || len(list.Data) == 0 {
			t.Fatalf("conversations: %d, %v", len(list.Data), err)
		}
		for _, conversation := range list.Data {
			path := "/conversations/" + conversation.ID + "/messages?limit=100"
			out[path] = i.get(t, s, path)
		}
		events, _ := i.feed(t, s, "")
		out["events"] = strings.Join(events, "\n")
	})
	return out
}

// feed reads the events behind a cursor up to the end, and gives the cursor there.
func (i *installation) feed(t *testing.T, s *server.Server, cursor string) (events []string, end string) {
	t.Helper()
	for {
		path := "/events?limit=100"
		if cursor != "" {
			path += "&after=" + cursor
		}
		var page struct {
			Data       []struct{ ID, Type string }
			NextCursor *string `json:"next_cursor"`
		}
		if err := json.Unmarshal([]byte(i.get(t, s, path)), &page); err != nil {
			t.Fatal(err)
		}
		for _, event := range page.Data {
			events = append(events, event.Type+" "+event.ID)
		}
		if page.NextCursor == nil {
			return events, cursor
		}
		cursor = *page.NextCursor
	}
}

func move(t *testing.T, o admin.MoveOptions) admin.Moved {
	t.Helper()
	moved, err := admin.Move(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.UndoMove(t.Context(), db.Options{Dir: o.Dir, DatabaseURL: o.DatabaseURL}); err != nil {
		t.Fatal(err)
	}
	return moved
}

// hashes gives the rows and the hash of each table.
func hashes(tables []db.MovedTable) map[string]db.MovedTable {
	out := map[string]db.MovedTable{}
	for _, table := range tables {
		out[table.Name] = table
	}
	return out
}

func TestAMoveToPostgreSQLAndBackKeepsEveryRow(t *testing.T) {
	t.Parallel()
	i := install(t)
	url, back := testkit.Database(t, ""), filepath.Join(t.TempDir(), "back")
	there := move(t, admin.MoveOptions{Dir: i.dir, ToURL: url, Batch: 7})
	home := move(t, admin.MoveOptions{Dir: i.dir, DatabaseURL: url, ToDir: back, Batch: 7})
	testkit.Diff(t, "tables", hashes(home.Tables), hashes(there.Tables))
	again := move(t, admin.MoveOptions{Dir: i.dir, ToURL: testkit.Database(t, "")})
	testkit.Diff(t, "tables of the source, which was not changed", hashes(again.Tables), hashes(there.Tables))
	for _, name := range []string{"messages", "events", "contacts", "cards", "media", "keys", "webhooks"} {
		if hashes(there.Tables)[name].Rows == 0 && name != "webhooks" {
			t.Errorf("no row of %s was moved", name)
		}
	}
	if home.Media < 2 || home.Media != there.Media || home.MissingMedia != 0 {
		t.Errorf("media: %d there, %d back, %d missing", there.Media, home.Media, home.MissingMedia)
	}

	want := i.answers(t, config(i.dir, ""))
	testkit.Diff(t, "answers on PostgreSQL", i.answers(t, config(i.dir, url)), want)
	testkit.Diff(t, "answers on SQLite again", i.answers(t, config(back, "")), want)
}

func TestALinkedNumberConnectsWithoutANewCodeWhereverItsDataIs(t *testing.T) {
	t.Parallel()
	i, phone := install(t), linkedtest.NewPhone("5511912345678")
	with := func(dir, url string) server.Config {
		c := config(dir, url)
		c.Linked = func(s *server.Server) channels.Linked { return s.NewLinked(phone.NewClient) }
		return c
	}
	serving(t, with(i.dir, ""), func(s *server.Server) {
		var channel struct{ ID string }
		if err := json.Unmarshal(i.call(t, s, http.MethodPost, "/channels", "application/json", bytes.NewBufferString(`{"name":"Shop","provider":"linked"}`)), &channel); err != nil {
			t.Fatal(err)
		}
		i.call(t, s, http.MethodPost, "/channels/"+channel.ID+"/link", "application/json", bytes.NewBufferString(`{"phone":"+5511912345678"}`))
		if err := phone.Scan(t.Context()); err != nil {
			t.Fatal(err)
		}
	})

	file, restored := filepath.Join(t.TempDir(), "recado.tar"), filepath.Join(t.TempDir(), "restored")
	if _, err := admin.Backup(t.Context(), admin.BackupOptions{Dir: i.dir, File: file, Version: "test"}); err != nil {
		t.Fatal(err)
	}
	if _, err := admin.Restore(t.Context(), admin.RestoreOptions{File: file, Dir: restored}); err != nil {
		t.Fatal(err)
	}
	url := testkit.Database(t, "")
	move(t, admin.MoveOptions{Dir: i.dir, ToURL: url})
	exported, _ := export(t, admin.ExportOptions{Dir: i.dir, DatabaseURL: url, Company: &i.demo.Companies[0].ID, WithSecretKey: true})
	imported := filepath.Join(t.TempDir(), "imported")
	if _, err := admin.Import(t.Context(), admin.ImportOptions{From: exported, Dir: imported}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		server.Config
	}{{"the backup", with(restored, "")}, {"the move", with(i.dir, url)}, {"the import", with(imported, "")}} {
		t.Run(c.name, func(t *testing.T) {
			serving(t, c.Config, func(s *server.Server) {
				testkit.Eventually(t, "the number is connected", func() bool { return phone.Connections() == 1 })
				maria := types.NewJID("5511987654321", types.DefaultUserServer)
				phone.Write(phone.Info(maria, c.name, time.Now()), linkedtest.Text("After "+c.name))
				testkit.Eventually(t, "the message is received", func() bool {
					return strings.Contains(i.get(t, s, "/conversations?limit=100"), "After "+c.name)
				})
			})
		})
	}
}

func TestAfterAMoveTheFeedContinuesAfterOldCursors(t *testing.T) {
	t.Parallel()
	i := install(t)
	write := func(s *server.Server) {
		body := bytes.NewBufferString(`{"from":"+5511987650000","text":"Bom dia"}`)
		i.call(t, s, http.MethodPost, "/channels/"+i.demo.Companies[0].Channel.String()+"/simulate", "application/json", body)
	}
	// PostgreSQL has made fewer transactions than the feed has had events.
	conn, err := sqlite.OpenConn(filepath.Join(i.dir, "recado.db"), sqlite.OpenReadWrite)
	if err == nil {
		err = sqlitex.ExecuteScript(conn, `
			UPDATE events SET position = position + 5000000000;
			UPDATE sqlite_sequence SET seq = seq + 5000000000 WHERE name = 'events';`, nil)
	}
	if err = errors.Join(err, conn.Close()); err != nil {
		t.Fatal(err)
	}
	var cursor string
	serving(t, config(i.dir, ""), func(s *server.Server) {
		_, cursor = i.feed(t, s, "")
		write(s)
	})
	url, back := testkit.Database(t, ""), filepath.Join(t.TempDir(), "back")
	heard := func(name string, want int, c server.Config) {
		serving(t, c, func(s *server.Server) {
			write(s)
			received := 0
			testkit.Eventually(t, name, func() bool {
				var events []string
				events, cursor = i.feed(t, s, cursor)
				for _, event := range events {
					if strings.HasPrefix(event, "message.received ") {
						received++
					}
				}
				return received >= want
			})
			testkit.Equal(t, name, received, want)
			write(s) // for the next one
		})
	}
	move(t, admin.MoveOptions{Dir: i.dir, ToURL: url})
	heard("messages received around the move to PostgreSQL", 2, config(i.dir, url))
	move(t, admin.MoveOptions{Dir: i.dir, DatabaseURL: url, ToDir: back})
	heard("messages received around the move to SQLite", 2, config(back, ""))
}

func TestAnInterruptedMoveIsResumed(t *testing.T) {
	t.Parallel()
	i := install(t)
	url := testkit.Database(t, "")
	whole := move(t, admin.MoveOptions{Dir: i.dir, ToURL: url})
	errStop := errors.New("cut off")
	for name, to := range map[string]admin.MoveOptions{
		"to PostgreSQL": {Dir: i.dir, ToURL: testkit.Database(t, "")},
		"to SQLite":     {Dir: i.dir, DatabaseURL: url, ToDir: t.TempDir()},
	} {
		t.Run(name, func(t *testing.T) {
			to.Batch = 5
			var copied []string
			for stops := 0; ; stops++ {
				calls := 0
				to.Progress = func(table db.MovedTable) error {
					copied = append(copied, table.Name)
					if calls++; calls == 10+7*stops {
						return errStop
					}
					return nil
				}
				moved, err := admin.Move(t.Context(), to)
				if errors.Is(err, errStop) {
					if _, err := server.Open(t.Context(), configOf(to)); err == nil || !strings.Contains(err.Error(), "not finished") {
						t.Fatalf("a server on a half of the data: %v", err)
					}
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				if stops < 3 {
					t.Errorf("it was cut off %d times only", stops)
				}
				testkit.Diff(t, "tables", hashes(moved.Tables), hashes(whole.Tables))
				return
			}
		})
	}
}

func configOf(o admin.MoveOptions) server.Config {
	if o.ToURL != "" {
		return config(o.Dir, o.ToURL)
	}
	return config(o.ToDir, "")
}

func TestAMoveRefusesWhatItCannotMove(t *testing.T) {
	t.Parallel()
	i := install(t)
	refuses := func(t *testing.T, o admin.MoveOptions, text string) {
		t.Helper()
		if _, err := admin.Move(t.Context(), o); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("got %v, want an error with %q", err, text)
		}
	}
	url := testkit.Database(t, "")
	move(t, admin.MoveOptions{Dir: i.dir, ToURL: url})
	t.Run("a target with rows", func(t *testing.T) {
		refuses(t, admin.MoveOptions{Dir: i.dir, ToURL: url}, "not empty")
		refuses(t, admin.MoveOptions{Dir: i.dir, DatabaseURL: url, ToDir: i.dir}, "not empty")
	})
	t.Run("the rest of a move of another installation", func(t *testing.T) {
		other, half := makeInstallation(t), testkit.Database(t, "")
		t.Cleanup(func() { _ = os.RemoveAll(other.dir) })
		stop := func(db.MovedTable) error { return context.Canceled }
		refuses(t, admin.MoveOptions{Dir: other.dir, ToURL: half, Progress: stop}, "canceled")
		refuses(t, admin.MoveOptions{Dir: i.dir, ToURL: half}, "another installation")
	})
	t.Run("a source that a server is using", func(t *testing.T) {
		serving(t, config(i.dir, url), func(*server.Server) {
			refuses(t, admin.MoveOptions{Dir: i.dir, DatabaseURL: url, ToDir: t.TempDir()}, "server is connected")
		})
		serving(t, config(i.dir, ""), func(*server.Server) {
			refuses(t, admin.MoveOptions{Dir: i.dir, ToURL: testkit.Database(t, "")}, "another Recado server")
		})
	})
	t.Run("a key that does not fit", func(t *testing.T) {
		o := admin.MoveOptions{Dir: i.dir, ToURL: testkit.Database(t, ""), SecretKey: "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="}
		refuses(t, o, "does not match")
		o.SecretKey = ""
		move(t, o) // and goes on with the right one
	})
	t.Run("a source that is not there", func(t *testing.T) {
		refuses(t, admin.MoveOptions{Dir: t.TempDir(), ToURL: testkit.Database(t, "")}, "no Recado data")
		refuses(t, admin.MoveOptions{Dir: i.dir, DatabaseURL: testkit.Database(t, ""), ToDir: t.TempDir()}, "no Recado data")
	})
}

func TestABackupRestoresElsewhereWithMediaAndKey(t *testing.T) {
	t.Parallel()
	i := install(t)
	file, to := filepath.Join(t.TempDir(), "recado.tar"), filepath.Join(t.TempDir(), "new")
	serving(t, config(i.dir, ""), func(*server.Server) {
		info, err := admin.Backup(t.Context(), admin.BackupOptions{Dir: i.dir, File: file, Version: "test"})
		if err != nil {
			t.Fatal(err)
		}
		if info.Media < 2 || info.MissingMedia != 0 {
			t.Errorf("media: %d, %d missing", info.Media, info.MissingMedia)
		}
	})
	done, err := admin.Restore(t.Context(), admin.RestoreOptions{File: file, Dir: to})
	if err != nil {
		t.Fatal(err)
	}
	testkit.Equal(t, "key missing", done.KeyMissing, false)
	testkit.Diff(t, "answers", i.answers(t, config(to, "")), i.answers(t, config(i.dir, "")))
}

func TestARestoreThatFailsACheckChangesNothing(t *testing.T) {
	t.Parallel()
	i := install(t)
	file := filepath.Join(t.TempDir(), "recado.tar")
	if _, err := admin.Backup(t.Context(), admin.BackupOptions{Dir: i.dir, File: file}); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	changed := func(at int) []byte {
		out := bytes.Clone(whole)
		out[at] ^= 1
		return out
	}
	for name, content := range map[string][]byte{
		"a byte of the database is changed": changed(100_000),
		"a byte of a file is changed":       changed(bytes.Index(whole, []byte("the text of a file"))),
		"it is cut off":                     whole[:len(whole)/2],
		"its end is missing":                whole[:len(whole)-2048],
		"it is no archive":                  []byte(strings.Repeat("no archive ", 1000)),
		"it is empty":                       {},
	} {
		t.Run(name, func(t *testing.T) {
			bad, to := filepath.Join(t.TempDir(), "bad.tar"), filepath.Join(t.TempDir(), "new")
			if err := os.WriteFile(bad, content, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := admin.Restore(t.Context(), admin.RestoreOptions{File: bad, Dir: to}); kernel.CodeOf(err) != kernel.CodeInvalidRequest {
				t.Errorf("got %v", err)
			}
			if _, err := os.Stat(to); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the folder was made: %v", err)
			}
		})
	}
	t.Run("the folder has the key of another installation", func(t *testing.T) {
		to := t.TempDir()
		const other = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=\n"
		if err := os.WriteFile(filepath.Join(to, "secret.key"), []byte(other), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := admin.Restore(t.Context(), admin.RestoreOptions{File: file, Dir: to})
		if err == nil || !strings.Contains(err.Error(), "does not match") {
			t.Errorf("got %v", err)
		}
		entries, err := os.ReadDir(to)
		if err != nil || len(entries) != 1 {
			t.Errorf("entries: %v, %v", entries, err)
		}
	})
}

func TestABackupCanOmitTheSecretKey(t *testing.T) {
	t.Parallel()
	i := install(t)
	file, to := filepath.Join(t.TempDir(), "recado.tar"), t.TempDir()
	if _, err := admin.Backup(t.Context(), admin.BackupOptions{Dir: i.dir, File: file, WithoutSecretKey: true}); err != nil {
		t.Fatal(err)
	}
	done, err := admin.Restore(t.Context(), admin.RestoreOptions{File: file, Dir: to})
	if err != nil || !done.KeyMissing {
		t.Errorf("key missing: %v, %v", done.KeyMissing, err)
	}
	if _, err := server.Open(t.Context(), config(to, "")); err == nil || !strings.Contains(err.Error(), "secret key") {
		t.Errorf("a server without its key: %v", err)
	}
}
