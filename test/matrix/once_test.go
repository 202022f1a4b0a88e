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

// TestEveryPostIsExecutedOncePerIdempotencyKey sends the example of every POST twice with the same key. The second response
// repeats the first, without secrets. A refusal that is not stored leaves the key unused.
func TestEveryPostIsExecutedOncePerIdempotencyKey(t *testing.T) {
	each(t, func(t *testing.T, b *fixture) {
		for _, route := range b.w.API.Routes() {
			if route.Method != http.MethodPost || route.Open || route.Streams {
				continue
			}
			name := route.Method + " " + route.Path
			t.Run(name, func(t *testing.T) {
				if table[name] == nil {
					t.Fatal("the table in test/matrix/table_test.go has no example of this route: add one")
				}
				b.onceOnly(t, route, table[name][0])
			})
		}
	})
}

// notStored lists the POSTs whose response is not stored in the transaction of their change, with the effect of repeating
// one that was interrupted.
var notStored = map[string]string{
	"POST /channels/{id}/test":          "executed again", // changes nothing
	"POST /channels/{id}/reception/try": "executed again", // changes nothing
	"POST /conversations/{id}/activity": "executed again", // stores nothing
	"POST /company/retention/preview":   "executed again", // changes nothing
	"POST /contacts/{id}/erase/preview": "executed again",
	"POST /conversations/bulk":          "pending", // each conversation has its own transaction
}

// TestAnInterruptedPostReturnsTheStoredResponse interrupts the example of every POST after its verb has returned, like a
// crash, and repeats it. The response is available, because it was stored together with the change.
func TestAnInterruptedPostReturnsTheStoredResponse(t *testing.T) {
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
				if notStored[name] == "pending" {
					again.Fails(409, "idempotency_pending")
					return
				}
				if again.Status > 299 || (again.Header.Get("Idempotency-Replayed") == "true") == (notStored[name] == "executed again") {
					t.Errorf("repeated request: got %d %s %v, want a success that is replayed unless it is executed again", again.Status, again.Raw, again.Header)
				}
			})
		}
	})
}

// example returns a function that sends an example, always with the same idempotency key.
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
			return ex.sendFile(t, c, fills, key...)
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
			t.Errorf("got a stored response for a refusal with status %d, want none", first.Status)
		}
		return
	}
	if again.Status != first.Status || again.Header.Get("Idempotency-Replayed") != "true" || again.Header.Get("Location") != first.Header.Get("Location") {
		t.Fatalf("first response %d %s, second %d %s %v, want the same, replayed", first.Status, first.Raw, again.Status, again.Raw, again.Header)
	}
	sameButSecrets(t, first, again)
	b.a.conflicts(t, c, key)
}

// conflicts sends another request with a key that is already used.
func (o *company) conflicts(t *testing.T, c *servertest.Client, key []string) {
	t.Helper()
	c.Post(t, "/labels", `{"name":"`+o.word()+`"}`, key...).Fails(409, "idempotency_conflict")
}

// sameButSecrets compares two responses. In the second, secrets may be null.
func sameButSecrets(t *testing.T, first, again *servertest.Answer) {
	t.Helper()
	if string(first.Raw) == string(again.Raw) {
		return
	}
	var was, is map[string]json.RawMessage
	first.Into(&was)
	again.Into(&is)
	if len(was) != len(is) {
		t.Errorf("first response %s, second %s, want the same fields", first.Raw, again.Raw)
	}
	for name, value := range was {
		secret := slices.Contains([]string{"key", "secret", "url", "recovery_codes"}, name)
		if string(is[name]) != string(value) && !(secret && string(is[name]) == "null") {
			t.Errorf("%s: first response %s, second %s, want the same", name, value, is[name])
		}
	}
}
