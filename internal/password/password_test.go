package password

import (
	"context"
	"testing"

	"recado/internal/model"
)

func TestMoreThanSixtyFourWaitingCallersAreRefused(t *testing.T) {
	h := NewHasher()
	for range atOnce {
		if _, err := h.slots.Acquire(t.Context(), struct{}{}); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, waiting+1)
	for range waiting + 1 { // the first to find no place is refused; the others wait until ctx ends
		go func() {
			_, err := h.Hash(ctx, "correct horse battery")
			ended <- err
		}()
	}
	if got := model.CodeOf(<-ended); got != model.CodeUnavailable {
		t.Errorf("got %s, want %s", got, model.CodeUnavailable)
	}
	cancel()
	for range waiting {
		if err := <-ended; model.CodeOf(err) == model.CodeUnavailable {
			t.Errorf("a caller that had a place to wait was refused: %v", err)
		}
	}
}
