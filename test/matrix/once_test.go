package matrix

import (
	"encoding/json"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"

	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/test/servertest"
)

// TestEveryPostIsMadeOncePerIdempotencyKey repeats the example of every POST under the same key. What was answered is
// repeated, without secrets; a refusal that is no answer leaves the key free.
func TestEveryPostIsMadeOncePerIdempotencyKey(t *testing.T) {
	each(t, func(t *testing.T, b *fixture) {
		for _, route := range b.w.API.Routes() {
			if route.Method != http.MethodPost || route.Open || route.Streams {
				continue
			}
			name := route.Method + " " + route.Path
			t.Run(name, func(t *testing.T) {
				if table[name] == nil {
					t.Fatal("this route has no line in the table of test/matrix: add an example of it")
				}
				b.onceOnly(t, route, table[name][0])
			})
		}
	})
}

// apart are the POSTs whose answer is not stored in the transaction of their change, and what a repeat of one that was
// interrupted gets.
var apart = map[string]string{
	"POST /channels/{id}/test":          "made again", // it changes nothing
	"POST /channels/{id}/reception/try": "made again", // it changes nothing
	"POST /conversations/{id}/activity": "made again", // it stores nothing
	"POST /conversations/bulk":          "pending",    // each conversation has a transaction of its own
}

// TestAnInterruptedPostIsAnsweredIfItsChangeWasMade ends the example of every POST when its verb has returned, as the end of
// the process would, and repeats it: the answer is there, because it was stored together with the change.
func TestAnInterruptedPostIsAnsweredIfItsChangeWasMade(t *testing.T) {
	each(t, func(t *testing.T, b *fixture) {
		var ends atomic.Bool
		b.w.API.OnStep(func(step string) {
			if step == "executed" && ends.Load() {
				panic("the process ends")
			}
		})
		for _, route := range b.w.API.Routes() {
			name := route.Method + " " + route.Path
			if route.Method != http.MethodPost || route.Open || table[name] == nil || table[name][0].refused != 0 {
				continue
			}
			t.Run(name, func(t *testing.T) {
				send := b.example(t, route, table[name][0])
				ends.Store(true)
				send().Fails(500, "internal")
				ends.Store(false)
				again := send()
				if apart[name] == "pending" {
					again.Fails(409, "idempotency_pending")
					return
				}
				if again.Status > 299 || (again.Header.Get("Idempotency-Replayed") == "true") == (apart[name] == "made again") {
					t.Errorf("the repeat is %d %s %v", again.Status, again.Raw, again.Header)
				}
			})
		}
	})
}

// example gives the call of an example under a key of its own.
func (b *fixture) example(t *testing.T, route *httpserver.Route, ex example) func() *servertest.Answer {
	t.Helper()
	mine, c := b.a.talk(t, "mine"), b.a.caller(t, route)
	fills := func(noun string) string { return b.a.id(t, noun, mine, false) }
	path, key := fill(ex.path, fills), []string{"Idempotency-Key", kernel.NewID().String()}
	var body any
	if ex.body != "" {
		body = fill(ex.body, fills)
	}
	return func() *servertest.Answer {
		if ex.upload {
			return c.Upload(t, "note.txt", []byte("a plain note"), key...)
		}
		return c.Post(t, path, body, key...)
	}
}

func (b *fixture) onceOnly(t *testing.T, route *httpserver.Route, ex example) {
	t.Helper()
	mine, c := b.a.talk(t, "mine"), b.a.caller(t, route)
	fills := func(noun string) string { return b.a.id(t, noun, mine, false) }
	path := fill(ex.path, fills)
	var body any
	if ex.body != "" {
		body = fill(ex.body, fills)
	}
	key := []string{"Idempotency-Key", kernel.NewID().String()}
	first, again := c.Post(t, path, body, key...), c.Post(t, path, body, key...)
	if first.Status >= 400 && first.Status != 404 && first.Status != 409 {
		if again.Header.Get("Idempotency-Replayed") != "" {
			t.Errorf("a refusal with status %d is repeated", first.Status)
		}
		return
	}
	if again.Status != first.Status || again.Header.Get("Idempotency-Replayed") != "true" || again.Header.Get("Location") != first.Header.Get("Location") {
		t.Fatalf("first %d %s, then %d %s %v", first.Status, first.Raw, again.Status, again.Raw, again.Header)
	}
	sameButSecrets(t, first, again)
	b.a.conflicts(t, c, key)
}

// conflicts makes another call under a key that is in use.
func (o *company) conflicts(t *testing.T, c *servertest.Client, key []string) {
	t.Helper()
	c.Post(t, "/labels", `{"name":"`+o.word()+`"}`, key...).Fails(409, "idempotency_conflict")
}

// sameButSecrets compares two answers, of which the second has null in place of secrets.
func sameButSecrets(t *testing.T, first, again *servertest.Answer) {
	t.Helper()
	if string(first.Raw) == string(again.Raw) {
		return
	}
	var was, is map[string]json.RawMessage
	first.Into(&was)
	again.Into(&is)
	if len(was) != len(is) {
		t.Errorf("first %s, then %s", first.Raw, again.Raw)
	}
	for name, value := range was {
		secret := slices.Contains([]string{"key", "secret", "url", "recovery_codes"}, name)
		if string(is[name]) != string(value) && !(secret && string(is[name]) == "null") {
			t.Errorf("%s: first %s, then %s", name, value, is[name])
		}
	}
}
