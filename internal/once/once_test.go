package once_test

import (
	"context"
	"errors"
	"testing"

	"recado/internal/model"
	"recado/internal/once"
	"recado/internal/store"
	"recado/internal/store/storetest"
)

// TestACallThatIsCutOffIsNotMadeAgain ends a call after each of its steps, as a crash would, and repeats it.
func TestACallThatIsCutOffIsNotMadeAgain(t *testing.T) {
	storetest.Each(t, func(t *testing.T, open func() *store.Store) {
		db := open()
		for _, step := range []string{"reserved", "executed"} {
			t.Run(step, func(t *testing.T) {
				owner, runs := store.Owner(model.NewID()), 0
				call := func(after func(string)) (once.Result, error) {
					request := once.Request{Key: "12345678", Refusal: func(error) (model.Answer, bool) { return model.Answer{}, false }, After: after}
					return once.Around(context.Background(), db, owner, request, func(context.Context) (model.Answer, error) {
						runs++
						return model.Answer{Status: 201}, nil
					})
				}
				func() {
					defer func() { _ = recover() }()
					_, _ = call(func(at string) {
						if at == step {
							panic("the process ends")
						}
					})
				}()
				before := runs
				if _, err := call(nil); model.CodeOf(err) != model.CodeIdempotencyPending {
					t.Errorf("a repeat gives %v, want %s", err, model.CodeIdempotencyPending)
				}
				if runs != before {
					t.Errorf("the verb ran %d times, want %d", runs, before)
				}
			})
		}
	})
}

func TestARefusedCallLeavesItsKeyFreeUnlessItsOutcomeIsUncertain(t *testing.T) {
	storetest.Each(t, func(t *testing.T, open func() *store.Store) {
		db := open()
		for _, tt := range []struct {
			failure error
			then    model.Code // of the repeat; "": it is made
		}{
			{model.Invalid("body.name", "is wrong"), ""},
			{errors.New("a defect"), ""},
			{model.Errorf(model.CodeUncertain, "It is not known."), model.CodeIdempotencyPending},
		} {
			request := once.Request{Key: "12345678", Refusal: func(error) (model.Answer, bool) { return model.Answer{}, false }}
			owner := store.Owner(model.NewID())
			_, err := once.Around(context.Background(), db, owner, request, func(context.Context) (model.Answer, error) { return model.Answer{}, tt.failure })
			if !errors.Is(err, tt.failure) {
				t.Errorf("got %v, want %v", err, tt.failure)
			}
			result, err := once.Around(context.Background(), db, owner, request, func(context.Context) (model.Answer, error) { return model.Answer{Status: 200}, nil })
			if tt.then == "" && (err != nil || result.Replayed) || tt.then != "" && model.CodeOf(err) != tt.then {
				t.Errorf("after %v: %+v, %v", tt.failure, result, err)
			}
		}
	})
}
