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
)

func TestEveryPostTakesAnIdempotencyKey(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		key := func() []string { return []string{"Idempotency-Key", kernel.NewID().String()} }
		person := func(n int) string { return `{"name":"Lia","phone":"` + phoneNumber(n) + `"}` }
		replayed := func(t *testing.T, first, again *servertest.Answer) {
			t.Helper()
			want(t, "status", again.Status, first.Status)
			want(t, "body", string(again.Raw), string(first.Raw))
			want(t, "replayed", again.Header.Get("Idempotency-Replayed"), "true")
		}
		t.Run("a repeat gets the first answer, whatever has changed since", func(t *testing.T) {
			k := key()
			made := w.A.Post(t, "/contacts", person(1), k...).OK(201)
			w.A.Patch(t, "/contacts/"+made.ID(), `{"name":"Lia Souza"}`).OK(200)
			replayed(t, made, w.A.Post(t, "/contacts", person(1), k...))
			w.A.Post(t, "/contacts", person(1)+" ", k...).Fails(409, "idempotency_conflict")
			w.A.Post(t, "/labels", `{"name":"x"}`, k...).Fails(409, "idempotency_conflict")
		})
		t.Run("404 and 409 are answers, 400 and 403 leave the key free", func(t *testing.T) {
			k := key()
			replayed(t, w.A.Post(t, "/contacts", person(1), k...).Fails(409, "contact_exists"), w.A.Post(t, "/contacts", person(1), k...))
			k = key()
			gone := "/conversations/" + kernel.NewID().String() + "/read"
			replayed(t, w.A.Post(t, gone, nil, k...).Fails(404, "not_found"), w.A.Post(t, gone, nil, k...))
			k = key()
			_, limited := w.NewKey(t, w.A.ID, readOnly)
			limited.Post(t, "/contacts", person(2), k...).Fails(403, "insufficient_scope")
			w.A.Post(t, "/contacts", `{"name":"Lia","phone":"7"}`, k...).Fails(400, "invalid_request")
			w.A.Post(t, "/contacts", person(2), k...).OK(201)
		})
		t.Run("the key has 8 to 128 visible characters where there is one", func(t *testing.T) {
			for _, bad := range []string{"", "1234567", "with a space", string(bytes.Repeat([]byte("x"), 129))} {
				w.A.Post(t, "/contacts", person(3), "Idempotency-Key", bad).Fails(400, "idempotency_key_invalid")
			}
			w.A.Post(t, "/contacts", person(3)).OK(201)
		})
		t.Run("the keys of a person are the same in all sessions, and those of others are others", func(t *testing.T) {
			_, email := member(t, w.A.Client, "Ana", `"role":"admin"`)
			one, two := w.A.SignIn(t, email, password), w.A.SignIn(t, email, password)
			k := key()
			made := one.Post(t, "/labels", `{"name":"mine"}`, k...).OK(201)
			replayed(t, made, two.Post(t, "/labels", `{"name":"mine"}`, k...))
			w.A.Post(t, "/labels", `{"name":"mine"}`, k...).Fails(409, "name_taken")
		})
		t.Run("racing calls have one effect", func(t *testing.T) {
			k, body := key(), `{"name":"raced"}`
			outcomes := race(20, func() int { return w.A.Post(t, "/labels", body, k...).Status })
			if outcomes[201] == 0 || outcomes[201]+outcomes[409] != 20 {
				t.Errorf("statuses: %v", outcomes)
			}
			w.A.Post(t, "/labels", body, k...).OK(201)
		})
		t.Run("a visitor has no keys of their own", func(t *testing.T) {
			_, email := member(t, w.A.Client, "Eva")
			body, k := map[string]string{"email": email, "password": password}, key()
			for range 2 {
				a := w.A.Visitor().Post(t, "/session", body, k...).OK(200)
				want(t, "replayed", a.Header.Get("Idempotency-Replayed"), "")
				w.A.WithSession(t, a).Get(t, "/session").OK(200)
			}
		})
		t.Run("after seven days the key is free again", func(t *testing.T) {
			k := key()
			made := w.A.Post(t, "/sectors", `{"name":"Sales"}`, k...).OK(201)
			w.Clock.Advance(7*24*time.Hour - time.Minute)
			replayed(t, made, w.A.Post(t, "/sectors", `{"name":"Sales"}`, k...))
			w.Clock.Advance(2 * time.Minute)
			w.A.Post(t, "/sectors", `{"name":"Sales"}`, k...).Fails(409, "name_taken")
		})
	})
}

func TestARepeatedAnswerHasNoSecretAndNoneIsStored(t *testing.T) {
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
				want(t, "replayed", again.Header.Get("Idempotency-Replayed"), "true")
				want(t, "id", again.At("id"), first.At("id"))
				for _, field := range tt.fields {
					secret := first.Text(field)
					if value, there := again.At().(map[string]any)[field]; !there || value != nil || secret == "" {
						t.Errorf("%s: first %q, then %v", field, secret, value)
					}
					if config.DatabaseURL == "" && storedIn(t, config.DataDir, secret) {
						t.Errorf("%s is stored in plain", field)
					}
				}
			})
		}
		want(t, "keys", len(w.A.Get(t, "/keys").OK(200).List()), 3)
	}, func(c *server.Config) { config = *c })
}

// storedIn looks for a text in the files of a database of SQLite.
func storedIn(t *testing.T, dir, text string) bool {
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

func TestAnUploadIsRecognizedByItsFile(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		send := func(key, name, content string) *servertest.Answer {
			return w.A.Upload(t, name, []byte(content), "Idempotency-Key", key) // with a boundary of its own
		}
		key := kernel.NewID().String()
		first := send(key, "note.txt", "a plain note").OK(201)
		again := send(key, "note.txt", "a plain note").OK(201)
		want(t, "body", string(again.Raw), string(first.Raw))
		want(t, "replayed", again.Header.Get("Idempotency-Replayed"), "true")
		send(key, "note.txt", "another note").Fails(409, "idempotency_conflict")
		send(key, "other.txt", "a plain note").Fails(409, "idempotency_conflict")
		w.A.Post(t, "/labels", `{"name":"x"}`, "Idempotency-Key", key).Fails(409, "idempotency_conflict")
		free := kernel.NewID().String()
		send(free, "empty.txt", "").Fails(400, "invalid_request")
		send(free, "note.txt", "a plain note").OK(201)
	})
}

func TestARefusedUploadLeavesItsKeyFree(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		w.A.Upload(t, "a.png", png).OK(201)
		key := []string{"Idempotency-Key", kernel.NewID().String()}
		for range 2 {
			w.A.Upload(t, "b.png", png, key...).Fails(409, "limit_reached")
		}
		w.Clock.Advance(talk.UnattachedRetention + time.Minute)
		removeUnattached(t, w)
		w.A.Upload(t, "b.png", png, key...).OK(201)
	}, limited(kernel.Limits{"media": int64(len(png))}))
}

// stored returns what the database of a server has for an idempotency key.
func stored(t *testing.T, w *servertest.World, c server.Config, r kernel.Reservation) (earlier *kernel.Earlier) {
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
		stored := stored(t, w, config, kernel.Reservation{Owner: kernel.Owner{Company: w.A.ID, ID: id}, Key: key})
		if stored == nil || stored.Answer == nil {
			t.Fatal("no answer is stored")
		}
		sum := sha256.Sum256([]byte(body))
		plain := sha256.Sum256(append([]byte("POST\n/v1/me/two-factor\n\n"), sum[:]...))
		if stored.Fingerprint == plain || stored.Fingerprint == sum || stored.Fingerprint == [32]byte{} {
			t.Errorf("the fingerprint %x needs no key", stored.Fingerprint)
		}
	}, func(c *server.Config) { config = *c })
}

// TestAPostThatIsCutOffTakesEffectOnce ends calls after each of their steps, as the end of the process would, and repeats them.
func TestAPostThatIsCutOffTakesEffectOnce(t *testing.T) {
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
		word := func() string { return kernel.NewID().String() }
		later := w.Clock.Now().Add(time.Hour).Format(time.RFC3339)
		n := 1
		for path, body := range map[string]func() string{
			"/labels":                   func() string { return `{"name":"` + word() + `"}` },
			"/contacts":                 func() string { n++; return `{"name":"Lia","phone":"` + phoneNumber(n) + `"}` },
			conversation + "/messages":  func() string { return `{"client_id":"` + word() + `","text":"Oi"}` },
			conversation + "/notes":     func() string { return `{"client_id":"` + word() + `","text":"Oi"}` },
			conversation + "/scheduled": func() string { return `{"client_id":"` + word() + `","text":"Oi","send_at":"` + later + `"}` },
		} {
			for _, step := range []string{"begun", "answered", "executed"} {
				body, key := body(), []string{"Idempotency-Key", word()}
				count := func() int { return len(w.A.Get(t, path).OK(200).List()) }
				before := count()
				cut.Store(&step)
				w.A.Post(t, path, body, key...).Fails(500, "internal")
				cut.Store(nil)
				ended.Store(false)
				first := w.A.Post(t, path, body, key...).OK(201)
				want(t, path+" after "+step+" is replayed", first.Header.Get("Idempotency-Replayed") == "true", step == "executed")
				again := w.A.Post(t, path, body, key...).OK(201)
				want(t, path+": the third time", string(again.Raw), string(first.Raw))
				want(t, path+": number", count(), before+1)
				w.A.Post(t, path, body+" ", key...).Fails(409, "idempotency_conflict")
			}
		}
	})
}
