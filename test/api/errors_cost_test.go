package api_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"recado/test/servertest"
)

// unknownFields returns an object with n fields that no operation has.
func unknownFields(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"f%d":1`, i)
	}
	return "{" + b.String()[1:] + "}"
}

func TestAnErrorListsAtMostTwentyDetails(t *testing.T) {
	w := servertest.Start(t, "")
	for name, c := range map[string]struct{ path, body string }{
		"unknown fields":  {"/labels", unknownFields(2400)},
		"elements":        {"/sectors", `{"name":"Sales","member_ids":[` + strings.Repeat(`7,`, 10_000) + `7]}`},
		"nested elements": {"/kanban/boards", `{"name":"Orders","stages":[` + strings.Repeat(`{"x":1},`, 5_000) + `{"x":1}]}`},
		"long names":      {"/labels", `{"` + strings.Repeat(strings.Repeat("n", 3000)+`":1,"`, 10) + `x":1}`},
	} {
		t.Run(name, func(t *testing.T) {
			a := w.A.Post(t, c.path, c.body, "Idempotency-Key", "many-parts-"+strings.ReplaceAll(name, " ", "-"))
			a.OK(400)
			if len(a.Raw) > 8<<10 || len(a.List("details")) > 20 {
				t.Errorf("got %d bytes and %d details, want at most 8 KiB and 20", len(a.Raw), len(a.List("details")))
			}
		})
	}
	t.Run("the message says how many more there are", func(t *testing.T) {
		a := w.A.Post(t, "/labels", unknownFields(240)).Fails(400, "invalid_request")
		if len(a.List("details")) != 20 || !strings.HasSuffix(a.Text("message"), " and 221 more.") { // the name is missing too
			t.Errorf("got %d details and %q, want 20 and a message about 221 more", len(a.List("details")), a.Text("message"))
		}
	})
}

func TestAnObjectHasAtMost256Fields(t *testing.T) {
	w := servertest.Start(t, "")
	for body, want := range map[string]string{
		unknownFields(256): "Several parts of the request are wrong: ",
		unknownFields(257): "body: an object has more than 256 fields",
		`{"name":"Sales","member_ids":[` + unknownFields(257) + `]}`: "body: an object has more than 256 fields",
	} {
		if got := w.A.Post(t, "/sectors", body).Fails(400, "invalid_request").Text("message"); !strings.HasPrefix(got, want) {
			t.Errorf("message: got %s, want the prefix %s", got, want)
		}
	}
	if got := w.A.Post(t, "/sectors", `{"name":"Sales","member_ids":[`+strings.Repeat(`7,`, 600)+`7]}`).Fails(400, "invalid_request").Text("message"); strings.Contains(got, "256") {
		t.Errorf("a long list is refused like an object: %s", got)
	}
}

func TestErrorCostIsProportionalToTheBody(t *testing.T) {
	w := servertest.Start(t, "")
	cost := func(body string) uint64 {
		send := func() {
			r := httptest.NewRequest(http.MethodPost, "/v1/labels", bytes.NewReader([]byte(body)))
			r.Header.Set("Authorization", "Bearer "+w.A.Secret())
			r.Header.Set("Content-Type", "application/json")
			rec := httptest.NewRecorder()
			if w.API.ServeHTTP(rec, r); rec.Code != 400 {
				t.Fatalf("got %d %s, want 400", rec.Code, rec.Body)
			}
		}
		send()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range 5 {
			send()
		}
		runtime.ReadMemStats(&after)
		return (after.TotalAlloc - before.TotalAlloc) / 5
	}
	few, many := cost(unknownFields(25)), cost(unknownFields(250))
	if many > 20*few {
		t.Errorf("ten times as many unknown fields allocate %d bytes instead of %d, want at most 20 times as much", many, few)
	}
}
