package people

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"recado/test/testkit"
)

// source is what a table looks things up in.
type source struct {
	value *string
	err   error
	looks int
}

func (s *source) load(context.Context) (*string, error) {
	s.looks++
	return s.value, s.err
}

var hash = [32]byte{1}

// get looks up the one hash of these tests and gives the text, or "" when there is nothing.
func get(t *testing.T, table *lookups[string], s *source) string {
	t.Helper()
	found, err := table.get(t.Context(), hash, s.load)
	if err != nil {
		t.Fatal(err)
	}
	if found == nil {
		return ""
	}
	return *found
}

func TestWhatEndsElsewhereEndsHereWithinASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table, s := newLookups[string](time.Now), &source{value: new("key")}
		testkit.Equal(t, "found", get(t, table, s), "key")
		s.value = nil
		time.Sleep(300 * time.Millisecond)
		testkit.Equal(t, "found after 300 ms", get(t, table, s), "key")
		testkit.Equal(t, "looks", s.looks, 1)
		time.Sleep(600 * time.Millisecond)
		testkit.Equal(t, "found after 900 ms", get(t, table, s), "")
	})
}

func TestTheClockOfTheRulesMakesAnEntryOldToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := testkit.StillClock(time.Now())
		table, s := newLookups[string](clock.Now), &source{value: new("key")}
		get(t, table, s)
		s.value = nil
		clock.Advance(time.Second)
		testkit.Equal(t, "found", get(t, table, s), "")
	})
}

func TestWhileOneCallLooksAgainTheOthersGoOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table, s := newLookups[string](time.Now), &source{value: new("key")}
		get(t, table, s)
		time.Sleep(500 * time.Millisecond)
		answer, done := make(chan struct{}), make(chan string)
		go func() {
			found, _ := table.get(t.Context(), hash, func(context.Context) (*string, error) {
				<-answer
				return new("new key"), nil
			})
			done <- *found
		}()
		synctest.Wait() // until it looks
		testkit.Equal(t, "found by another call meanwhile", get(t, table, s), "key")
		close(answer)
		testkit.Equal(t, "found by the call that looked", <-done, "new key")
		testkit.Equal(t, "found afterwards", get(t, table, s), "new key")
		testkit.Equal(t, "further looks", s.looks, 1)
	})
}

func TestACallerThatGoesAwayDoesNotEndTheLookOfOthers(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	leave()
	found, err := newLookups[string](time.Now).get(ctx, hash, func(ctx context.Context) (*string, error) { return new("key"), ctx.Err() })
	if err != nil || *found != "key" {
		t.Errorf("got %v, %v; want the key", found, err)
	}
}

func TestNothingAndErrorsAreNotRemembered(t *testing.T) {
	table, s := newLookups[string](time.Now), &source{}
	testkit.Equal(t, "found", get(t, table, s), "")
	s.err = errors.New("the database does not answer")
	if _, err := table.get(t.Context(), hash, s.load); !errors.Is(err, s.err) {
		t.Errorf("got %v, want %v", err, s.err)
	}
	s.value, s.err = new("key"), nil
	testkit.Equal(t, "found after that", get(t, table, s), "key")
	testkit.Equal(t, "looks", s.looks, 3)
}

func TestForgetForgetsTheEntriesThatItIsToldTo(t *testing.T) {
	table, s := newLookups[string](time.Now), &source{value: new("key")}
	get(t, table, s)
	s.value = new("new key")
	table.forget(func(found *string) bool { return *found == "other key" })
	testkit.Equal(t, "found after another was forgotten", get(t, table, s), "key")
	table.forget(func(found *string) bool { return *found == "key" })
	testkit.Equal(t, "found", get(t, table, s), "new key")
}
