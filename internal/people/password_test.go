package people

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"recado/internal/kernel"
)

func TestAHashContainsItsCost(t *testing.T) {
	for cost, want := range map[PasswordCost]string{{}: "m=19456,t=2,p=1", {Memory: 64, Passes: 1}: "m=64,t=1,p=1"} {
		stored, err := NewHasher(cost).Hash(t.Context(), kernel.NewID(), "correct horse battery")
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Split(stored, "$")[3]; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if ok, err := NewHasher(PasswordCost{}).Verify(t.Context(), kernel.NewID(), "correct horse battery", stored); err != nil || !ok {
			t.Errorf("%s: got %v, %v; want the password to match", want, ok, err)
		}
	}
}

func TestAMalformedHashMatchesNoPassword(t *testing.T) {
	for _, cost := range []string{"m=0,t=2,p=1", "m=64,t=0,p=1", "m=64,t=1,p=0", "m=64"} {
		stored := "$argon2id$v=19$" + cost + "$" + strings.Repeat("A", 22) + "$" + strings.Repeat("A", 43)
		if ok, err := NewHasher(PasswordCost{}).Verify(t.Context(), kernel.NewID(), "correct horse battery", stored); ok || !errors.Is(err, errMalformedHash) {
			t.Errorf("%s: got %v, %v; want %v", cost, ok, err, errMalformedHash)
		}
	}
}

func TestMoreThanSixtyFourWaitingCallersAreRefused(t *testing.T) {
	h := NewHasher(PasswordCost{})
	for range hashesAtOnce {
		if _, err := h.overall.Acquire(t.Context(), struct{}{}); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, hashesQueued+1)
	for range hashesQueued + 1 { // one finds the queue full and is refused; the others wait until ctx ends
		go func() {
			_, err := h.Hash(ctx, kernel.NewID(), "correct horse battery")
			ended <- err
		}()
	}
	if got := kernel.CodeOf(<-ended); got != kernel.CodeUnavailable {
		t.Errorf("got %s, want %s", got, kernel.CodeUnavailable)
	}
	cancel()
	for range hashesQueued {
		if err := <-ended; kernel.CodeOf(err) == kernel.CodeUnavailable {
			t.Errorf("a caller in the queue was refused: %v", err)
		}
	}
}

func TestABusyCompanyDoesNotBlockTheHashesOfOthers(t *testing.T) {
	h, mine, other := NewHasher(PasswordCost{Memory: 64, Passes: 1}), kernel.NewID(), kernel.NewID()
	for range companyHashesAtOnce {
		if _, err := h.company.Acquire(t.Context(), mine); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, companyHashesQueued+1)
	for range companyHashesQueued + 1 { // one finds the queue full and is refused; the others wait until ctx ends
		go func() {
			_, err := h.Hash(ctx, mine, "correct horse battery")
			ended <- err
		}()
	}
	if got := kernel.CodeOf(<-ended); got != kernel.CodeUnavailable {
		t.Errorf("got %s, want %s", got, kernel.CodeUnavailable)
	}
	stored, err := h.Hash(t.Context(), other, "correct horse battery")
	if err != nil {
		t.Fatal(err)
	}
	if ok, err := h.Verify(t.Context(), other, "correct horse battery", stored); err != nil || !ok {
		t.Errorf("got %v, %v; want the password to match", ok, err)
	}
	cancel()
	for range companyHashesQueued {
		if err := <-ended; kernel.CodeOf(err) == kernel.CodeUnavailable {
			t.Errorf("a caller in the queue was refused: %v", err)
		}
	}
}

func TestACallerThatWaitsTooLongIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, mine := NewHasher(PasswordCost{Memory: 64, Passes: 1}), kernel.NewID()
		for range companyHashesAtOnce {
			if _, err := h.company.Acquire(t.Context(), mine); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := h.Hash(t.Context(), mine, "correct horse battery"); kernel.CodeOf(err) != kernel.CodeUnavailable {
			t.Errorf("got %v, want %s", err, kernel.CodeUnavailable)
		}
		if _, err := h.Hash(t.Context(), kernel.NewID(), "correct horse battery"); err != nil {
			t.Errorf("another company: %v", err)
		}
	})
}
