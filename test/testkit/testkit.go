// Package testkit is what the tests of all packages share: assertions that name the field, a clock, a poller, a
// webhook receiver, both engines, and PostgreSQL servers that are thrown away. It imports no other package of
// this module, so that the tests of every package can use it. Packages storetest and servertest build on it:
// they give stores and whole servers.
package testkit

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Equal ends the test when two values differ, and says of which field they are.
func Equal[T comparable](t testing.TB, field string, got, want T) {
	t.Helper()
	if got != want {
		t.Fatalf("%s:\n got %s\nwant %s", field, show(got), show(want))
	}
}

// show quotes texts, so that white space is seen.
func show(v any) string {
	if s, ok := v.(string); ok {
		return strconv.Quote(s)
	}
	return fmt.Sprintf("%+v", v)
}

// Diff ends the test when two values differ in their content, and shows where.
func Diff(t testing.TB, field string, got, want any, options ...cmp.Option) {
	t.Helper()
	if d := cmp.Diff(want, got, options...); d != "" {
		t.Fatalf("%s (-want +got):\n%s", field, d)
	}
}

// Contains ends the test when a text lacks a part.
func Contains[T ~string | ~[]byte](t testing.TB, field string, got T, part string) {
	t.Helper()
	if !strings.Contains(string(got), part) {
		t.Fatalf("%s lacks %q:\n got %.4000q", field, part, got)
	}
}

// Patience is how long a test waits for what has to happen at all. It is long because the machine may be busy.
const Patience = 2 * time.Minute

// Eventually waits until something holds, and ends the test when it does not within Patience.
func Eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	EventuallyWithin(t, Patience, what, holds)
}

// EventuallyWithin is Eventually with a limit of its own, for what must happen soon.
func EventuallyWithin(t testing.TB, limit time.Duration, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(limit); !holds(); <-tick.C {
		if time.Now().After(end) {
			t.Fatalf("did not happen within %v: %s", limit, what)
		}
	}
}

// Receive waits for the next value of a channel; open is false when the channel was closed instead. It ends the test
// when neither happens within Patience.
func Receive[T any](t testing.TB, what string, from <-chan T) (value T, open bool) {
	t.Helper()
	late := time.NewTimer(Patience)
	defer late.Stop()
	select {
	case value, open = <-from:
	case <-late.C:
		t.Fatalf("did not come within %v: %s", Patience, what)
	}
	return value, open
}

// EachEngine runs body on both engines, as subtests "sqlite" and "postgres", with the URL of the database: ""
// for SQLite, an empty PostgreSQL database otherwise. A missing PostgreSQL is a failure.
func EachEngine(t *testing.T, body func(t *testing.T, databaseURL string)) {
	t.Helper()
	EachEngineFrom(t, func(testing.TB) string { return "" }, body)
}

// EachEngineFrom is EachEngine with copies of a template on PostgreSQL; see Template.
func EachEngineFrom(t *testing.T, template func(testing.TB) string, body func(t *testing.T, databaseURL string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { body(t, "") })
	t.Run("postgres", func(t *testing.T) { body(t, Database(t, template(t))) })
}
