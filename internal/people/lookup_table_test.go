package people

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"recado/test/testkit"
)

// source provides the value that the cache loads.
type source struct {
	value *string
	err   error
	loads int
}

func (s *source) load(context.Context) (*string, error) {
	s.loads++
	return s.value, s.err
}

var hash = [32]byte{1}

// get returns the cached text, or "" if there is none.
func get(t *testing.T, cache *lookups[string], s *source) string {
	t.Helper()
	found, err := cache.get(t.Context(), hash, s.load)
	if err != nil {
		t.Fatal(err)
	}
	if found == nil {
		return ""
	}
	return *found
}

func TestAValueThatEndsOnAnotherNodeEndsHereWithinASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cache, s := newLookups[string](time.Now), &source{value: new("key")}
		testkit.Equal(t, "found", get(t, cache, s), "key")
		s.value = nil
		time.Sleep(300 * time.Millisecond)
		testkit.Equal(t, "found after 300 ms", get(t, cache, s), "key")
		testkit.Equal(t, "loads", s.loads, 1)
		time.Sleep(600 * time.Millisecond)
		testkit.Equal(t, "found after 900 ms", get(t, cache, s), "")
	})
}

func TestAnEntryAlsoAgesByTheTestClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := testkit.StillClock(time.Now())
		cache, s := newLookups[string](clock.Now), &source{value: new("key")}
		get(t, cache, s)
		s.value = nil
		clock.Advance(time.Second)
		testkit.Equal(t, "found", get(t, cache, s), "")
	})
}

func TestWhileOneCallReloadsTheOthersUseTheOldValue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cache, s := newLookups[string](time.Now), &source{value: new("key")}
		get(t, cache, s)
		time.Sleep(500 * time.Millisecond)
		respond, done := make(chan struct{}), make(chan string)
		go func() {
			found, _ := cache.get(t.Context(), hash, func(context.Context) (*string, error) {
				<-respond
				return new("new key"), nil
			})
			done <- *found
		}()
		synctest.Wait() // until it loads
		testkit.Equal(t, "found by another call meanwhile", get(t, cache, s), "key")
		close(respond)
		testkit.Equal(t, "found by the call that reloaded", <-done, "new key")
		testkit.Equal(t, "found afterwards", get(t, cache, s), "new key")
		testkit.Equal(t, "further loads", s.loads, 1)
	})
}

func TestACanceledCallerDoesNotCancelTheLoad(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	found, err := newLookups[string](time.Now).get(ctx, hash, func(ctx context.Context) (*string, error) { return new("key"), ctx.Err() })
	if err != nil || *found != "key" {
		t.Errorf("got %v, %v; want the key", found, err)
	}
}

func TestMissingValuesAndErrorsAreNotCached(t *testing.T) {
	cache, s := newLookups[string](time.Now), &source{}
	testkit.Equal(t, "found", get(t, cache, s), "")
	s.err = errors.New("the database does not respond")
	if _, err := cache.get(t.Context(), hash, s.load); !errors.Is(err, s.err) {
		t.Errorf("got %v, want %v", err, s.err)
	}
	s.value, s.err = new("key"), nil
	testkit.Equal(t, "found after that", get(t, cache, s), "key")
	testkit.Equal(t, "loads", s.loads, 3)
}

func TestForgetRemovesTheMatchingEntries(t *testing.T) {
	cache, s := newLookups[string](time.Now), &source{value: new("key")}
	get(t, cache, s)
	s.value = new("new key")
	cache.forget(func(found *string) bool { return *found == "other key" })
	testkit.Equal(t, "found after another was forgotten", get(t, cache, s), "key")
	cache.forget(func(found *string) bool { return *found == "key" })
	testkit.Equal(t, "found", get(t, cache, s), "new key")
}
