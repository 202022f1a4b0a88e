package hostile

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/server"
	"recado/test/servertest"
	"recado/test/testkit"
)

// patience is how long a response may take before the server counts as hung. It is long because the machine may be busy.
const patience = time.Minute

// TestEveryOperationRefusesNonsense sends mutated requests to every operation in the OpenAPI document. RECADO_SEED repeats
// a run; RECADO_FULL makes it ten times as long.
func TestEveryOperationRefusesNonsense(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	if given, err := strconv.ParseUint(os.Getenv("RECADO_SEED"), 10, 64); err == nil {
		seed = given
	}
	perOperation := 15
	if os.Getenv("RECADO_FULL") != "" {
		perOperation *= 10
	}
	t.Logf("RECADO_SEED=%d", seed)
	receiver := testkit.NewReceiver(t)

	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		doc := readDocument(t, w.A.Client)
		furnish(t, w, receiver.URL)
		ids := pool{}
		ids.fill(t, w.A.Client, doc)
		r := rand.New(rand.NewPCG(seed, 1))
		b := &builder{doc: doc, ids: ids, r: r, receiver: receiver.URL}
		before := memory()
		sent, by := 0, map[int]int{}
		for _, path := range slices.Sorted(maps.Keys(doc.Paths)) {
			for _, method := range slices.Sorted(maps.Keys(doc.Paths[path])) {
				op := doc.Paths[path][method]
				// Each operation gets a new key, because operations revoke keys and remove people.
				_, c := w.NewKey(t, w.A.ID, people.NewKey{Name: "hostile", Scopes: kernel.EveryScope})
				for range perOperation {
					q := b.request(method, path, op)
					mutate(r, q, queryNames(op))
					by[send(t, w, c, path, q)]++
					sent++
				}
				if t.Failed() {
					t.Fatalf("RECADO_SEED=%d", seed)
				}
			}
		}
		_, c := w.NewKey(t, w.A.ID, people.NewKey{Name: "afterwards", Scopes: kernel.EveryScope})
		c.Get(t, "/me").OK(200)
		if after := memory(); after > before+64<<20 {
			t.Errorf("got %d MiB in use after %d requests, want at most 64 more than %d", after>>20, sent, before>>20)
		}
		t.Logf("%d requests, responses by status: %v", sent, by)
		if by[200]+by[201]+by[204] == 0 || by[400] == 0 {
			t.Errorf("got the statuses %v, want both successes and 400: the generator makes only invalid or only valid requests", by)
		}
	}, func(c *server.Config) { c.WhatsAppBaseURL = receiver.URL })
}

// furnish creates one of everything in company A, so that hostile requests reach real rows.
func furnish(t *testing.T, w *servertest.World, receiver string) {
	t.Helper()
	w.A.Post(t, "/labels", `{"name":"Urgent"}`).OK(201)
	channel := w.A.Post(t, "/channels", `{"name":"Main","phone":"+551130030001","provider":"sandbox"}`).OK(201).ID()
	for n := range 3 {
		message := fmt.Sprintf(`{"from":"+551191234567%d","name":"Customer %d","text":"Hello"}`, n, n)
		talk := w.A.Post(t, "/channels/"+channel+"/simulate", message).OK(201).Text("conversation")
		w.A.Post(t, "/conversations/"+talk+"/messages", fmt.Sprintf(`{"client_id":%q,"text":"Hello you"}`, kernel.NewID())).OK(201)
		board := w.A.Post(t, "/kanban/boards", fmt.Sprintf(`{"name":"Board %d"}`, n), "Idempotency-Key", kernel.NewID().String()).OK(201).ID()
		card := fmt.Sprintf(`{"title":"Card","board_id":%q}`, board)
		w.A.Post(t, "/kanban/cards", card, "Idempotency-Key", kernel.NewID().String()).OK(201)
	}
	w.A.Post(t, "/integrations/webhooks", fmt.Sprintf(`{"name":"n","url":%q,"events":["message.sent"]}`, receiver)).OK(201)
	w.A.Post(t, "/sectors", `{"name":"Sales"}`).OK(201)
	w.A.Post(t, "/team", `{"name":"Agent","email":"agent@aurora.example","role":"agent","access_profile":"own"}`).OK(201)
}

func queryNames(op operation) []string {
	var names []string
	for _, p := range op.Parameters {
		if p.In == "query" {
			names = append(names, p.Name)
		}
	}
	return names
}

// send sends the request on a new connection and checks the response against the document.
func send(t *testing.T, w *servertest.World, c *servertest.Client, template string, q *request) int {
	t.Helper()
	raw := q.bytes(c.Secret())
	resp, body, err := exchange(strings.TrimPrefix(w.URL, "http://"), raw)
	shown := func() string {
		return fmt.Sprintf("%s (%s)\n%.2000q\n-> %.500s", template, strings.Join(q.mutations, ", "), raw, body)
	}
	switch {
	case err != nil:
		t.Errorf("got no response: %v: %s", err, shown())
		return 0
	case resp.StatusCode >= 500:
		t.Errorf("got status %d, want less than 500: %s", resp.StatusCode, shown())
		return resp.StatusCode
	case resp.Header.Get("X-Request-Id") == "":
		t.Errorf("got no X-Request-Id: %s", shown())
	}
	if resp.StatusCode >= 400 {
		var e struct {
			Code      string
			Message   string
			RequestID string `json:"request_id"`
			Details   []struct{ Field, Message string }
		}
		if bad := json.Unmarshal(body, &e); bad != nil || e.Code == "" || e.Message == "" || e.RequestID != resp.Header.Get("X-Request-Id") || e.Details == nil {
			t.Errorf("got an error response that is not an Error object (%v): %s", bad, shown())
		}
	}
	if resp.StatusCode == http.StatusNotFound || resp.StatusCode == http.StatusMethodNotAllowed || resp.StatusCode == 431 {
		return resp.StatusCode // a mutated path may match no operation, or another one
	}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") || slices.Contains(q.mutations, "path") {
		return resp.StatusCode
	}
	documented, _ := http.NewRequest(q.method, "/v1"+template, nil)
	documented.URL.Path = "/v1" + strings.NewReplacer("{id}", kernel.NewID().String(), "{stage_id}", kernel.NewID().String(),
		"{delivery_id}", kernel.NewID().String()).Replace(template)
	c.Check(t, documented, resp, body)
	if t.Failed() {
		t.Log(shown())
	}
	return resp.StatusCode
}

// bytes returns the request as sent over the wire.
func (q *request) bytes(key string) []byte {
	var b bytes.Buffer
	target := "/v1" + q.path
	if q.query != "" {
		target += "?" + q.query
	}
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nAuthorization: Bearer %s\r\nConnection: close\r\n", q.method, target, key)
	if !slices.ContainsFunc(q.headers, func(h [2]string) bool { return h[0] == "Host" }) {
		b.WriteString("Host: 127.0.0.1\r\n")
	}
	for _, h := range q.headers {
		b.WriteString(h[0] + ": " + h[1] + "\r\n")
	}
	if q.body != nil {
		fmt.Fprintf(&b, "Content-Length: %d\r\n", len(q.body))
	}
	b.WriteString("\r\n")
	b.Write(q.body)
	return b.Bytes()
}

// exchange sends bytes and reads one response. It does not read the body of a stream.
func exchange(addr string, raw []byte) (*http.Response, []byte, error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(patience))
	sent := make(chan error, 1)
	go func() { _, err := conn.Write(raw); sent <- err }()
	reader := bufio.NewReader(conn)
	resp, err := http.ReadResponse(reader, nil)
	for err == nil && resp.StatusCode == http.StatusContinue {
		resp, err = http.ReadResponse(reader, nil)
	}
	if err != nil {
		return nil, nil, errors.Join(err, <-sent)
	}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		return resp, nil, nil
	}
	body, err := io.ReadAll(resp.Body)
	return resp, body, err
}

// memory returns the size of the live heap.
func memory() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
