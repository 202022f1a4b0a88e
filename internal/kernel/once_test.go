package kernel_test

import (
	"context"
	"errors"
	"testing"

	"recado/internal/kernel"
	"recado/internal/kernel/kerneltest"
)

// newRequest stores no refusals.
func newRequest() kernel.OnceRequest {
	return kernel.OnceRequest{
		Key:     "12345678",
		Success: func(any) (kernel.Answer, error) { return kernel.Answer{Status: 201}, nil },
		Refusal: func(error) (kernel.Answer, bool) { return kernel.Answer{}, false },
	}
}

func succeed(context.Context) (any, error) { return nil, nil }

// TestACallThatIsCutOffIsNotMadeAgain ends a call after each of its steps, as a crash would, and repeats it.
func TestACallThatIsCutOffIsNotMadeAgain(t *testing.T) {
	kerneltest.Each(t, func(t *testing.T, open func() *kernel.Store) {
		db := open()
		for _, step := range []string{"reserved", "executed"} {
			t.Run(step, func(t *testing.T) {
				owner, runs := kernel.Owner{Company: kernel.NewID(), ID: kernel.NewID()}, 0
				call := func(after func(string)) (kernel.OnceResult, error) {
					request := newRequest()
					request.After = after
					return kernel.AroundOnce(context.Background(), db, owner, request, func(context.Context) (any, error) {
						runs++
						return nil, nil
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
				if _, err := call(nil); kernel.CodeOf(err) != kernel.CodeIdempotencyPending {
					t.Errorf("a repeat gives %v, want %s", err, kernel.CodeIdempotencyPending)
				}
				if runs != before {
					t.Errorf("the verb ran %d times, want %d", runs, before)
				}
			})
		}
	})
}

func TestARefusedCallLeavesItsKeyFreeUnlessItsOutcomeIsUncertain(t *testing.T) {
	kerneltest.Each(t, func(t *testing.T, open func() *kernel.Store) {
		db := open()
		for _, tt := range []struct {
			failure error
			then    kernel.Code // of the repeat; "": it is made
		}{
			{kernel.Invalid("body.name", "is wrong"), ""},
			{errors.New("a defect"), ""},
			{kernel.Errorf(kernel.CodeUncertain, "It is not known."), kernel.CodeIdempotencyPending},
		} {
			request := newRequest()
			owner := kernel.Owner{Company: kernel.NewID(), ID: kernel.NewID()}
			_, err := kernel.AroundOnce(context.Background(), db, owner, request, func(context.Context) (any, error) { return nil, tt.failure })
			if !errors.Is(err, tt.failure) {
				t.Errorf("got %v, want %v", err, tt.failure)
			}
			result, err := kernel.AroundOnce(context.Background(), db, owner, request, succeed)
			if tt.then == "" && (err != nil || result.Replayed) || tt.then != "" && kernel.CodeOf(err) != tt.then {
				t.Errorf("after %v: %+v, %v", tt.failure, result, err)
			}
		}
	})
}

func TestAKeyStaysPendingWhenTheChangeIsMadeAndItsAnswerIsNot(t *testing.T) {
	kerneltest.Each(t, func(t *testing.T, open func() *kernel.Store) {
		db, owner, defect := open(), kernel.Owner{Company: kernel.NewID(), ID: kernel.NewID()}, errors.New("a defect")
		request := newRequest()
		request.Success = func(any) (kernel.Answer, error) { return kernel.Answer{}, defect }
		if _, err := kernel.AroundOnce(context.Background(), db, owner, request, succeed); !errors.Is(err, defect) {
			t.Errorf("got %v, want %v", err, defect)
		}
		if _, err := kernel.AroundOnce(context.Background(), db, owner, newRequest(), succeed); kernel.CodeOf(err) != kernel.CodeIdempotencyPending {
			t.Errorf("a repeat gives %v, want %s", err, kernel.CodeIdempotencyPending)
		}
	})
}

func TestARepeatableCallThatIsCutOffIsMadeAgain(t *testing.T) {
	kerneltest.Each(t, func(t *testing.T, open func() *kernel.Store) {
		db, owner, refused := open(), kernel.Owner{Company: kernel.NewID(), ID: kernel.NewID()}, kernel.NotFound("conversation")
		request := newRequest()
		request.Repeatable = true
		request.Refusal = func(error) (kernel.Answer, bool) { return kernel.Answer{Status: 404}, true }
		runs := 0
		call := func(failure error) (kernel.OnceResult, error) {
			return kernel.AroundOnce(context.Background(), db, owner, request, func(context.Context) (any, error) {
				runs++
				return nil, failure
			})
		}
		// While the first call runs, a repeat is refused: the first may still succeed.
		_, err := kernel.AroundOnce(context.Background(), db, owner, request, func(context.Context) (any, error) {
			if _, err := call(refused); !errors.Is(err, refused) {
				t.Errorf("got %v, want %v", err, refused)
			}
			return nil, kernel.Errorf(kernel.CodeUncertain, "It is not known.")
		})
		if kernel.CodeOf(err) != kernel.CodeUncertain {
			t.Errorf("got %v, want %s", err, kernel.CodeUncertain)
		}
		other := newRequest()
		other.Fingerprint[0], other.Repeatable = 1, true
		if _, err := kernel.AroundOnce(context.Background(), db, owner, other, succeed); kernel.CodeOf(err) != kernel.CodeIdempotencyConflict {
			t.Errorf("another call gives %v, want %s", err, kernel.CodeIdempotencyConflict)
		}
		for i, replayed := range []bool{false, true} {
			result, err := call(nil)
			if err != nil || result.Replayed != replayed || result.Answer.Status != 201 {
				t.Errorf("repeat %d: %+v, %v", i+1, result, err)
			}
		}
		if runs != 2 {
			t.Errorf("the verb was run %d times again, want 2", runs)
		}
	})
}

func TestOfRepeatableCallsAtOnceTheFirstStoresItsAnswer(t *testing.T) {
	kerneltest.Each(t, func(t *testing.T, open func() *kernel.Store) {
		db, owner := open(), kernel.Owner{Company: kernel.NewID(), ID: kernel.NewID()}
		request := newRequest()
		request.Repeatable = true
		_, err := kernel.AroundOnce(context.Background(), db, owner, request, func(ctx context.Context) (any, error) {
			inner := request
			inner.Success = func(any) (kernel.Answer, error) { return kernel.Answer{Status: 200}, nil }
			_, err := kernel.AroundOnce(ctx, db, owner, inner, succeed)
			return nil, err
		})
		if err != nil {
			t.Fatal(err)
		}
		result, err := kernel.AroundOnce(context.Background(), db, owner, request, succeed)
		if err != nil || !result.Replayed || result.Answer.Status != 200 {
			t.Errorf("%+v, %v", result, err)
		}
	})
}

// statuses stores a number as the status of the answer.
func statuses() kernel.OnceRequest {
	request := newRequest()
	request.Success = func(out any) (kernel.Answer, error) { return kernel.Answer{Status: *out.(*int)}, nil }
	return request
}

// change is a verb whose transaction gives a number.
func change(ctx context.Context, db *kernel.Store, n int) (int, error) {
	return kernel.AnswerCall(ctx, db, func(*kernel.Tx) (int, error) { return n, nil })
}

func TestAnAnswerIsStoredWithTheChangeOfItsVerb(t *testing.T) {
	kerneltest.Each(t, func(t *testing.T, open func() *kernel.Store) {
		db := open()
		defect := errors.New("a defect")
		for _, tt := range []struct {
			name string
			rest func(made int) (int, error) // what the verb does after its transaction
			cut  string                      // the step after which the process ends
			then int                         // the status of a repeat
		}{
			{"the process ends after the verb", func(made int) (int, error) { return made, nil }, "executed", 201},
			{"the verb fails after its transaction", func(int) (int, error) { return 0, defect }, "", 201},
			{"the verb knows more after its transaction", func(int) (int, error) { return 207, nil }, "", 207},
		} {
			t.Run(tt.name, func(t *testing.T) {
				owner, request := kernel.Owner{Company: kernel.NewID(), ID: kernel.NewID()}, statuses()
				request.After = func(step string) {
					if step == tt.cut {
						panic("the process ends")
					}
				}
				func() {
					defer func() { _ = recover() }()
					_, err := kernel.AroundOnce(context.Background(), db, owner, request, func(ctx context.Context) (any, error) {
						made, err := change(ctx, db, 201)
						if err == nil {
							made, err = tt.rest(made)
						}
						return &made, err
					})
					if err != nil && !errors.Is(err, defect) {
						t.Error(err)
					}
				}()
				result, err := kernel.AroundOnce(context.Background(), db, owner, statuses(), func(context.Context) (any, error) {
					t.Error("the verb is run again")
					return nil, defect
				})
				if err != nil || !result.Replayed || result.Answer.Status != tt.then {
					t.Errorf("a repeat gives %+v, %v, want status %d", result, err, tt.then)
				}
			})
		}
	})
}

func TestAVerbThatFailsBeforeItsTransactionEndsLeavesItsKeyFree(t *testing.T) {
	kerneltest.Each(t, func(t *testing.T, open func() *kernel.Store) {
		db, owner, defect := open(), kernel.Owner{Company: kernel.NewID(), ID: kernel.NewID()}, errors.New("a defect")
		_, err := kernel.AroundOnce(context.Background(), db, owner, statuses(), func(ctx context.Context) (any, error) {
			return kernel.AnswerCall(ctx, db, func(*kernel.Tx) (int, error) { return 0, defect })
		})
		if !errors.Is(err, defect) {
			t.Errorf("got %v, want %v", err, defect)
		}
		result, err := kernel.AroundOnce(context.Background(), db, owner, statuses(), func(ctx context.Context) (any, error) {
			made, err := change(ctx, db, 201)
			return &made, err
		})
		if err != nil || result.Replayed || result.Answer.Status != 201 {
			t.Errorf("%+v, %v", result, err)
		}
	})
}

func TestOnlyTheTransactionThatAnswersStoresTheAnswer(t *testing.T) {
	kerneltest.Each(t, func(t *testing.T, open func() *kernel.Store) {
		db, owner := open(), kernel.Owner{Company: kernel.NewID(), ID: kernel.NewID()}
		_, err := kernel.AroundOnce(context.Background(), db, owner, statuses(), func(ctx context.Context) (any, error) {
			if _, err := change(kernel.Separate(ctx), db, 500); err != nil {
				return nil, err
			}
			made, err := change(ctx, db, 201)
			if _, second := change(ctx, db, 202); second == nil {
				t.Error("a second answer is stored")
			}
			return &made, err
		})
		if err != nil {
			t.Fatal(err)
		}
		result, err := kernel.AroundOnce(context.Background(), db, owner, statuses(), succeed)
		if err != nil || !result.Replayed || result.Answer.Status != 201 {
			t.Errorf("%+v, %v", result, err)
		}
	})
}
