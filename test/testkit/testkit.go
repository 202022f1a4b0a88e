// Package testkit contains the helpers of all tests: assertions, a clock, polling, a webhook receiver, both engines, and
// temporary PostgreSQL servers. It imports no other package of this module, so that every package can use it. Packages
// kerneltest and servertest add stores and servers.
package testkit

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Equal fails the test if two values differ. field names the value in the message.
func Equal[T comparable](t testing.TB, field string, got, want T) {
	t.Helper()
	if got != want {
		t.Fatalf("%s:\n got %s\nwant %s", field, show(got), show(want))
	}
}

func show(v any) string {
	if s, ok := v.(string); ok {
		return strconv.Quote(s)
	}
	return fmt.Sprintf("%+v", v)
}

// Diff fails the test if two values differ and shows the difference.
func Diff(t testing.TB, field string, got, want any, options ...cmp.Option) {
	t.Helper()
	if d := cmp.Diff(want, got, options...); d != "" {
		t.Fatalf("%s (-want +got):\n%s", field, d)
	}
}

// Contains fails the test if a text does not contain part.
func Contains[T ~string | ~[]byte](t testing.TB, field string, got T, part string) {
	t.Helper()
	if !strings.Contains(string(got), part) {
		t.Fatalf("%s does not contain %q:\n got %.4000q", field, part, got)
	}
}

// Patience is the timeout for things that must happen. It is long because the machine may be busy.
const Patience = 2 * time.Minute

// Eventually waits until holds returns true. It fails the test after Patience.
func Eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	EventuallyWithin(t, Patience, what, holds)
}

// EventuallyWithin is Eventually with another limit.
func EventuallyWithin(t testing.TB, limit time.Duration, what string, holds func() bool) {
	t.Helper()
	pause := 5 * time.Millisecond
	for end := time.Now().Add(limit); !holds(); pause = min(pause*5/4, 100*time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("did not happen within %v: %s", limit, what)
		}
		time.Sleep(pause)
	}
}

// Receive waits for the next value of a channel; open is false if the channel was closed. It fails the test after
// Patience.
func Receive[T any](t testing.TB, what string, from <-chan T) (value T, open bool) {
	t.Helper()
	select {
	case value, open = <-from:
	case <-time.After(Patience):
		t.Fatalf("did not arrive within %v: %s", Patience, what)
	}
	return value, open
}

// EachEngine runs body on both engines, as subtests "sqlite" and "postgres", with the URL of an empty PostgreSQL
// database, or "" for SQLite. A missing PostgreSQL is a failure.
func EachEngine(t *testing.T, body func(t *testing.T, databaseURL string)) {
	t.Helper()
	EachEngineFrom(t, func(testing.TB) string { return "" }, body)
}

// EachEngineFrom is EachEngine with copies of a template on PostgreSQL. See Template.
func EachEngineFrom(t *testing.T, template func(testing.TB) string, body func(t *testing.T, databaseURL string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { body(t, "") })
	t.Run("postgres", func(t *testing.T) { body(t, Database(t, template(t))) })
}
