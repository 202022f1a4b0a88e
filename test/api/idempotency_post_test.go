package api_test

import (
	"bytes"
	"crypto/sha256"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/server"
	"recado/internal/talk"
	"recado/test/kerneltest"
	"recado/test/servertest"
	"recado/test/testkit"
)

func TestEveryPostAcceptsAnIdempotencyKey(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		contact := func(n int) string { return `{"name":"Lia","phone":"` + phoneNumber(n) + `"}` }
		expectReplay := func(t *testing.T, first, again *servertest.Answer) {
			t.Helper()
			testkit.Diff(t, "status", again.Status, first.Status)
			testkit.Diff(t, "body", string(again.Raw), string(first.Raw))
			testkit.Diff(t, "header Idempotency-Replayed", again.Header.Get("Idempotency-Replayed"), "true")
		}
		t.Run("a repeat gets the first response even after later changes", func(t *testing.T) {
			k := idempotencyKey()
			made := w.A.Post(t, "/contacts", contact(1), k...).OK(201)
			w.A.Patch(t, "/contacts/"+made.ID(), `{"name":"Lia Souza"}`).OK(200)
			expectReplay(t, made, w.A.Post(t, "/contacts", contact(1), k...))
			w.A.Post(t, "/contacts", contact(1)+" ", k...).Fails(409, "idempotency_conflict")
			w.A.Post(t, "/labels", `{"name":"x"}`, k...).Fails(409, "idempotency_conflict")
		})
		t.Run("404 and 409 are replayed, 400 and 403 do not use the key", func(t *testing.T) {
			k := idempotencyKey()
			expectReplay(t, w.A.Post(t, "/contacts", contact(1), k...).Fails(409, "contact_exists"), w.A.Post(t, "/contacts", contact(1), k...))
			k = idempotencyKey()
			gone := "/conversations/" + kernel.NewID().String() + "/read"
			expectReplay(t, w.A.Post(t, gone, nil, k...).Fails(404, "not_found"), w.A.Post(t, gone, nil, k...))
			k = idempotencyKey()
			_, limited := w.NewKey(t, w.A.ID, readOnly)
			limited.Post(t, "/contacts", contact(2), k...).Fails(403, "insufficient_scope")
			w.A.Post(t, "/contacts", `{"name":"Lia","phone":"7"}`, k...).Fails(400, "invalid_request")
			w.A.Post(t, "/contacts", contact(2), k...).OK(201)
		})
		t.Run("a key has 8 to 128 visible characters", func(t *testing.T) {
			for _, bad := range []string{"", "1234567", "with a space", string(bytes.Repeat([]byte("x"), 129))} {
				w.A.Post(t, "/contacts", contact(3), "Idempotency-Key", bad).Fails(400, "idempotency_key_invalid")
			}
			w.A.Post(t, "/contacts", contact(3)).OK(201)
		})
		t.Run("a person's keys apply to all of their sessions and to nobody else", func(t *testing.T) {
			_, email := member(t, w.A.Client, "Ana", `"role":"admin"`)
			one, two := w.A.SignIn(t, email, password), w.A.SignIn(t, email, password)
			k := idempotencyKey()
			made := one.Post(t, "/labels", `{"name":"mine"}`, k...).OK(201)
			expectReplay(t, made, two.Post(t, "/labels", `{"name":"mine"}`, k...))
			w.A.Post(t, "/labels", `{"name":"mine"}`, k...).Fails(409, "name_taken")
		})
		t.Run("concurrent requests take effect once", func(t *testing.T) {
			k, body := idempotencyKey(), `{"name":"raced"}`
			outcomes := race(20, func() int { return w.A.Post(t, "/labels", body, k...).Status })
			if outcomes[201] == 0 || outcomes[201]+outcomes[409] != 20 {
				t.Errorf("statuses: got %v, want 20 of 201 and 409, and at least one 201", outcomes)
			}
			w.A.Post(t, "/labels", body, k...).OK(201)
		})
		t.Run("requests of a visitor are not replayed", func(t *testing.T) {
			_, email := member(t, w.A.Client, "Eva")
			body, k := map[string]string{"email": email, "password": password}, idempotencyKey()
			for range 2 {
				a := w.A.Visitor().Post(t, "/session", body, k...).OK(200)
				testkit.Diff(t, "header Idempotency-Replayed", a.Header.Get("Idempotency-Replayed"), "")
				w.A.WithSession(t, a).Get(t, "/session").OK(200)
			}
		})
		t.Run("after seven days the key can be used again", func(t *testing.T) {
			k := idempotencyKey()
			made := w.A.Post(t, "/sectors", `{"name":"Sales"}`, k...).OK(201)
			w.Clock.Advance(7*24*time.Hour - time.Minute)
			expectReplay(t, made, w.A.Post(t, "/sectors", `{"name":"Sales"}`, k...))
			w.Clock.Advance(2 * time.Minute)
			w.A.Post(t, "/sectors", `{"name":"Sales"}`, k...).Fails(409, "name_taken")
		})
	})
}

func TestAReplayedResponseHasNoSecretAndNoneIsStored(t *testing.T) {
	t.Parallel()
	var config server.Config
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		person, email := member(t, w.A.Client, "Ana")
		session := w.A.SignIn(t, email, password)
		hook := w.A.Post(t, "/integrations/webhooks", `{"name":"x","url":"https://example.com/hook","events":["message.sent"]}`).OK(201).ID()
		for _, tt := range []struct {
			c      *servertest.Client
			path   string
			body   any
			fields []string
		}{
			{w.A.Client, "/keys", `{"name":"CRM","scopes":["read"]}`, []string{"key"}},
			{w.A.Client, "/keys/" + w.A.Post(t, "/keys", `{"name":"x","scopes":["read"]}`).OK(201).ID() + "/rotate", nil, []string{"key"}},
			{w.A.Client, "/integrations/webhooks", `{"name":"x","url":"https://example.com/hook","events":["message.sent"]}`, []string{"secret"}},
			{w.A.Client, "/integrations/webhooks/" + hook + "/rotate-secret", nil, []string{"secret"}},
			{w.A.Client, "/team/invitations", `{"email":"eva@x.example","name":"Eva","role":"agent"}`, []string{"url"}},
			{w.A.Client, "/team/" + person + "/reset-link", nil, []string{"url"}},
			{session, "/me/two-factor", map[string]string{"password": password}, []string{"secret", "url"}},
		} {
			t.Run(tt.path, func(t *testing.T) {
				key := kernel.NewID().String()
				first := tt.c.Post(t, tt.path, tt.body, "Idempotency-Key", key)
				again := tt.c.Post(t, tt.path, tt.body, "Idempotency-Key", key).OK(first.Status)
				testkit.Diff(t, "header Idempotency-Replayed", again.Header.Get("Idempotency-Replayed"), "true")
				testkit.Diff(t, "id", again.At("id"), first.At("id"))
				for _, field := range tt.fields {
					secret := first.Text(field)
					if value, present := again.At().(map[string]any)[field]; !present || value != nil || secret == "" {
						t.Errorf("%s: got %q and then %v, want a value and then null", field, secret, value)
					}
					if config.DatabaseURL == "" && databaseContains(t, config.DataDir, secret) {
						t.Errorf("%s is stored in plain text", field)
					}
				}
			})
		}
		testkit.Diff(t, "number of keys", len(w.A.Get(t, "/keys").OK(200).List()), 3)
	}, func(c *server.Config) { config = *c })
}

// databaseContains reports whether the files of a SQLite database contain a text.
func databaseContains(t *testing.T, dir, text string) bool {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "recado.db*"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no database in %s: %v", dir, err)
	}
	for _, name := range names {
		if raw, err := os.ReadFile(name); err == nil && bytes.Contains(raw, []byte(text)) {
			return true
		}
	}
	return false
}

func TestARepeatedUploadIsRecognizedByItsFile(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		send := func(key, name, content string) *servertest.Answer {
			return w.A.Upload(t, name, []byte(content), "Idempotency-Key", key) // with a random boundary
		}
		key := kernel.NewID().String()
		first := send(key, "note.txt", "a plain note").OK(201)
		again := send(key, "note.txt", "a plain note").OK(201)
		testkit.Diff(t, "body", string(again.Raw), string(first.Raw))
		testkit.Diff(t, "header Idempotency-Replayed", again.Header.Get("Idempotency-Replayed"), "true")
		send(key, "note.txt", "another note").Fails(409, "idempotency_conflict")
		send(key, "other.txt", "a plain note").Fails(409, "idempotency_conflict")
		w.A.Post(t, "/labels", `{"name":"x"}`, "Idempotency-Key", key).Fails(409, "idempotency_conflict")
		unused := kernel.NewID().String()
		send(unused, "empty.txt", "").Fails(400, "invalid_request")
		send(unused, "note.txt", "a plain note").OK(201)
	})
}

func TestARefusedUploadDoesNotUseItsKey(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		w.A.Upload(t, "a.png", png).OK(201)
		key := idempotencyKey()
		for range 2 {
			w.A.Upload(t, "b.png", png, key...).Fails(409, "limit_reached")
		}
		w.Clock.Advance(talk.UnattachedRetention + time.Minute)
		removeUnattached(t, w)
		w.A.Upload(t, "b.png", png, key...).OK(201)
	}, withLimits(kernel.Limits{"media": int64(len(png))}))
}

// storedReservation returns what the database has for an idempotency key.
func storedReservation(t *testing.T, w *servertest.World, c server.Config, r kernel.Reservation) (earlier *kernel.Earlier) {
	t.Helper()
	db := kerneltest.Open(t, db.Options{Dir: c.DataDir, DatabaseURL: c.DatabaseURL, MaxConns: 2, Now: w.Clock.Now, Shared: true})
	err := db.Write(t.Context(), func(tx *kernel.Tx) (err error) {
		earlier, err = tx.Reserve(&r)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return earlier
}

func TestNoPlainHashOfAPasswordIsStored(t *testing.T) {
	t.Parallel()
	var config server.Config
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		person, email := member(t, w.A.Client, "Ana")
		session := w.A.SignIn(t, email, password)
		body, key := `{"password":"`+password+`"}`, kernel.NewID().String()
		session.Post(t, "/me/two-factor", body, "Idempotency-Key", key).OK(200)
		id, _ := kernel.ParseID(person)
		stored := storedReservation(t, w, config, kernel.Reservation{Owner: kernel.Owner{Company: w.A.ID, ID: id}, Key: key})
		if stored == nil || stored.Answer == nil {
			t.Fatal("no response is stored")
		}
		sum := sha256.Sum256([]byte(body))
		plain := sha256.Sum256(append([]byte("POST\n/v1/me/two-factor\n\n"), sum[:]...))
		if stored.Fingerprint == plain || stored.Fingerprint == sum || stored.Fingerprint == [32]byte{} {
			t.Errorf("the fingerprint %x can be computed without a secret", stored.Fingerprint)
		}
	}, func(c *server.Config) { config = *c })
}

// TestAnInterruptedPostTakesEffectOnce interrupts requests after each of their steps, as the end of the process would, and
// repeats them.
func TestAnInterruptedPostTakesEffectOnce(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		var cut atomic.Pointer[string]
		var ended atomic.Bool
		w.API.OnStep(func(step string) {
			if at := cut.Load(); at != nil && *at == step {
				ended.Store(true)
			}
			if ended.Load() {
				panic("the process ends")
			}
		})
		conversation := "/conversations/" + customerWrites(t, w, sandbox(t, w), phoneNumber(1))
		newID := func() string { return kernel.NewID().String() }
		later := w.Clock.Now().Add(time.Hour).Format(time.RFC3339)
		n := 1
		for path, body := range map[string]func() string{
			"/labels":                   func() string { return `{"name":"` + newID() + `"}` },
			"/contacts":                 func() string { n++; return `{"name":"Lia","phone":"` + phoneNumber(n) + `"}` },
			conversation + "/messages":  func() string { return `{"client_id":"` + newID() + `","text":"Oi"}` },
			conversation + "/notes":     func() string { return `{"client_id":"` + newID() + `","text":"Oi"}` },
			conversation + "/scheduled": func() string { return `{"client_id":"` + newID() + `","text":"Oi","send_at":"` + later + `"}` },
		} {
			for _, step := range []string{"begun", "answered", "executed"} {
				body, key := body(), idempotencyKey()
				count := func() int { return len(w.A.Get(t, path).OK(200).List()) }
				before := count()
				cut.Store(&step)
				w.A.Post(t, path, body, key...).Fails(500, "internal")
				cut.Store(nil)
				ended.Store(false)
				first := w.A.Post(t, path, body, key...).OK(201)
				testkit.Diff(t, path+" after "+step+" is replayed", first.Header.Get("Idempotency-Replayed") == "true", step == "executed")
				again := w.A.Post(t, path, body, key...).OK(201)
				testkit.Diff(t, path+": third response", string(again.Raw), string(first.Raw))
				testkit.Diff(t, path+": number of entries", count(), before+1)
				w.A.Post(t, path, body+" ", key...).Fails(409, "idempotency_conflict")
			}
		}
	})
}
