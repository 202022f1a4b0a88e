package load

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"
)

func TestRepeat(t *testing.T) {
	t.Run("counts calls and failures by weight", func(t *testing.T) {
		var calls, failures atomic.Int64
		failure := errors.New("every fifth")
		result, err := Repeat(t.Context(), 3, 20*time.Millisecond, 10, func(context.Context, int) error {
			if calls.Add(1)%5 == 0 {
				failures.Add(1)
				return failure
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		good := int(calls.Load() - failures.Load())
		if result.Requests != 10*good || result.Latency.Count() != 10*good || result.Errors != 10*int(failures.Load()) {
			t.Errorf("%d calls, %d of them failed; counted %d and %d", calls.Load(), failures.Load(), result.Requests, result.Errors)
		}
		if !errors.Is(result.FirstError, failure) {
			t.Errorf("first error: got %v, want %v", result.FirstError, failure)
		}
	})

	t.Run("ends with the context", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		_, err := Repeat(ctx, 2, time.Hour, 1, func(context.Context, int) error {
			cancel()
			return nil
		})
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}
