package testkit

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// failing is a test that notes its failure.
type failing struct {
	testing.TB
	message string
}

func (f *failing) Helper() {}

func (f *failing) Fatalf(format string, args ...any) {
	f.message = fmt.Sprintf(format, args...)
	panic(f)
}

// failure gives the message with which check ended the test, or "".
func failure(check func(t testing.TB)) string {
	f := &failing{}
	func() {
		defer func() {
			if p := recover(); p != nil && p != f {
				panic(p)
			}
		}()
		check(f)
	}()
	return f.message
}

func TestAFailureNamesTheFieldAndShowsBothValues(t *testing.T) {
	for name, c := range map[string]struct {
		check func(t testing.TB)
		parts []string
	}{
		"Equal":      {func(t testing.TB) { Equal(t, "status", "open", "closed") }, []string{"status", `got "open"`, `want "closed"`}},
		"Diff":       {func(t testing.TB) { Diff(t, "labels", []int{1, 2}, []int{1, 3}) }, []string{"labels", "-want +got", "2", "3"}},
		"Contains":   {func(t testing.TB) { Contains(t, "message", "no such label", "channel") }, []string{"message", "channel", "no such label"}},
		"Eventually": {func(t testing.TB) { EventuallyWithin(t, time.Millisecond, "the end", func() bool { return false }) }, []string{"the end"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := failure(c.check)
			for _, part := range c.parts {
				Contains(t, "failure", got, part)
			}
		})
	}
	if got := failure(func(t testing.TB) {
		Equal(t, "status", 1, 1)
		Diff(t, "l", []int{1}, []int{1})
		Contains(t, "m", "abc", "b")
	}); got != "" {
		t.Errorf("equal values fail: %s", got)
	}
}

func TestAReceiverGivesItsDeliveriesInTheirOrder(t *testing.T) {
	r := NewReceiver(t)
	r.AnswerStatus(http.StatusTeapot)
	for _, body := range []string{"first", "second"} {
		resp, err := http.Post(r.URL+"/hook", "text/plain", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		Equal(t, "status", resp.StatusCode, http.StatusTeapot)
	}
	Equal(t, "waiting", r.Waiting(), 2)
	for _, body := range []string{"first", "second"} {
		d := r.Next(t)
		Equal(t, "path", d.Path, "/hook")
		Equal(t, "body", d.Body, body)
	}
	Equal(t, "waiting", r.Waiting(), 0)
}

func TestReceiveGivesTheNextValueAndTellsOfTheEnd(t *testing.T) {
	from := make(chan string, 1)
	from <- "first"
	close(from)
	for _, want := range []string{"first", ""} {
		got, open := Receive(t, "a text", from)
		Equal(t, "value", got, want)
		Equal(t, "open", open, want != "")
	}
}

func TestEachEngineGivesADatabaseOfItsOwn(t *testing.T) {
	seen := map[string]bool{}
	EachEngine(t, func(t *testing.T, url string) {
		seen[url] = true
		if url != "" {
			Exec(t, url, "CREATE TABLE only_here (id int)")
		}
	})
	Equal(t, "engines", len(seen), 2)
}
