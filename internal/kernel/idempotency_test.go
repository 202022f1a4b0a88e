package kernel_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"recado/internal/kernel"
	"recado/test/kerneltest"
)

var errDefect = errors.New("a defect")

// integration makes calls, all of them under the same key.
type integration struct {
	d       *kernel.Kernel
	a       *kernel.Principal
	changes int // that were committed
}

func newIntegration(db *kernel.Store) *integration {
	key := kernel.Integration{ID: kernel.NewID(), Scopes: kernel.AllScopes}
	member := kernel.Member{User: kernel.Ref{ID: kernel.NewID()}, Role: kernel.RoleOwner, Profile: kernel.AccessAll}
	return &integration{d: kernel.New(kernel.Options{Store: db}), a: kernel.KeyPrincipal(kernel.Company{ID: kernel.NewID()}, member, key, "", kernel.Rate{})}
}

// newRequest returns a request whose response has the result of the verb as its status. The error not_found is stored.
func newRequest() kernel.OnceRequest {
	return kernel.OnceRequest{
		Key:         "12345678",
		Fingerprint: func() ([32]byte, error) { return [32]byte{}, nil },
		Success:     func(out any) (kernel.Answer, error) { return kernel.Answer{Status: *out.(*int)}, nil },
		Refusal: func(err error) (kernel.Answer, bool) {
			return kernel.Answer{Status: 404}, kernel.CodeOf(err) == kernel.CodeNotFound
		},
	}
}

type verb func(ctx context.Context) (int, error)

func (i *integration) call(r kernel.OnceRequest, run verb) (kernel.OnceResult, error) {
	return i.d.Once(context.Background(), i.a, r, func(ctx context.Context) (any, error) {
		n, err := run(ctx)
		return &n, err
	})
}

// cutOff interrupts a call after a step, as a crash would.
func (i *integration) cutOff(r kernel.OnceRequest, after string, run verb) {
	defer func() { _ = recover() }()
	ended := false
	r.After = func(step string) {
		if ended = ended || step == after; ended {
			panic("the process ends")
		}
	}
	_, _ = i.call(r, run)
}

// change returns a verb that counts its committed transaction and returns n.
func (i *integration) change(n int) verb {
	return func(ctx context.Context) (int, error) {
		return kernel.WriteAnswer(ctx, i.d, func(tx *kernel.Tx) (int, error) {
			tx.AfterCommit(func() { i.changes++ })
			return n, nil
		})
	}
}

func fail(err error) verb { return func(context.Context) (int, error) { return 0, err } }

// TestAnInterruptedCallTakesEffectOnce interrupts a call after each of its steps and repeats it.
func TestAnInterruptedCallTakesEffectOnce(t *testing.T) {
	kerneltest.Each(t, func(t *testing.T, open func() *kernel.Store) {
		db := open()
		for _, tt := range []struct {
			reserve  bool
			step     string
			replayed bool
			pending  bool
		}{
			{false, "begun", false, false},
			{false, "answered", false, false},
			{false, "executed", true, false},
			{true, "begun", false, true},
			{true, "answered", false, true},
			{true, "executed", true, false},
		} {
			t.Run(fmt.Sprintf("%s, reserved before: %v", tt.step, tt.reserve), func(t *testing.T) {
				i, r := newIntegration(db), newRequest()
				r.Reserve = tt.reserve
				i.cutOff(r, tt.step, i.change(201))
				result, err := i.call(r, i.change(201))
				if tt.pending {
					if kernel.CodeOf(err) != kernel.CodeIdempotencyPending || i.changes != 0 {
						t.Errorf("got %v and %d changes, want %s and none", err, i.changes, kernel.CodeIdempotencyPending)
					}
					return
				}
				if err != nil || result.Answer.Status != 201 || result.Replayed != tt.replayed || i.changes != 1 {
					t.Errorf("got %+v, %v and %d changes, want 201, replayed %v, and one change", result, err, i.changes, tt.replayed)
				}
			})
		}
	})
}

func TestARefusalIsStoredOrLeavesTheKeyFree(t *testing.T) {
	kerneltest.Each(t, func(t *testing.T, open func() *kernel.Store) {
		db := open()
		uncertain := kernel.Errorf(kernel.CodeUncertain, "It is not known.")
		for _, tt := range []struct {
			reserve bool
			failure error
			then    int         // the status of a repeat, whose verb succeeds
			code    kernel.Code // of the repeat, if it is refused
		}{
			{false, kernel.NotFound("label"), 404, ""},
			{false, errDefect, 201, ""},
			{false, uncertain, 201, ""},
			{true, kernel.NotFound("label"), 404, ""},
			{true, errDefect, 201, ""},
			{true, uncertain, 0, kernel.CodeIdempotencyPending},
		} {
			for name, failing := range map[string]func(i *integration) verb{
				"before its transaction": func(*integration) verb { return fail(tt.failure) },
				"in its transaction": func(i *integration) verb {
					return func(ctx context.Context) (int, error) {
						return kernel.WriteAnswer(ctx, i.d, func(*kernel.Tx) (int, error) { return 0, tt.failure })
					}
				},
			} {
				i, r := newIntegration(db), newRequest()
				r.Reserve = tt.reserve
				result, err := i.call(r, failing(i))
				if stored := tt.then == 404; stored && (err != nil || result.Answer.Status != 404) || !stored && !errors.Is(err, tt.failure) {
					t.Errorf("%v %s: got %+v, %v", tt.failure, name, result, err)
				}
				result, err = i.call(r, i.change(201))
				if result.Answer.Status != tt.then || result.Replayed != (tt.then == 404) || tt.code == "" && err != nil || tt.code != "" && kernel.CodeOf(err) != tt.code {
					t.Errorf("after %v %s: got %+v, %v, want %d %s", tt.failure, name, result, err, tt.then, tt.code)
				}
			}
		}
	})
}

// TestARepeatWaitsForTheCallInProgress makes the same call again while the transaction of the first is open.
func TestARepeatWaitsForTheCallInProgress(t *testing.T) {
	kerneltest.Each(t, func(t *testing.T, open func() *kernel.Store) {
		db := open()
		for _, failure := range []error{nil, errDefect} {
			i := newIntegration(db)
			begun, done := make(chan struct{}), make(chan struct{})
			var second kernel.OnceResult
			var failed error
			repeat := newRequest()
			repeat.After = func(step string) {
				if step == "begun" {
					close(begun)
				}
			}
			_, err := i.call(newRequest(), func(ctx context.Context) (int, error) {
				return kernel.WriteAnswer(ctx, i.d, func(*kernel.Tx) (int, error) {
					go func() {
						defer close(done)
						second, failed = i.call(repeat, i.change(202))
					}()
					<-begun // the repeat has found nothing
					return 201, failure
				})
			})
			<-done
			want := kernel.OnceResult{Answer: kernel.Answer{Status: 201}, Replayed: true}
			if failure != nil {
				want = kernel.OnceResult{Answer: kernel.Answer{Status: 202}}
			}
			if !errors.Is(err, failure) || failed != nil || second.Replayed != want.Replayed || !second.Answer.Equal(want.Answer) {
				t.Errorf("got %v, then %+v and %v, want %v, then %+v", err, second, failed, failure, want)
			}
		}
	})
}

func TestAKeyBelongsToOneCall(t *testing.T) {
	kerneltest.Each(t, func(t *testing.T, open func() *kernel.Store) {
		db, other := open(), newRequest()
		other.Fingerprint = func() ([32]byte, error) { return [32]byte{1}, nil }
		i := newIntegration(db)
		_, err := i.call(newRequest(), func(ctx context.Context) (int, error) {
			if _, err := i.call(other, i.change(202)); err != nil { // it comes first
				t.Error(err)
			}
			return i.change(201)(ctx)
		})
		for range 2 {
			if kernel.CodeOf(err) != kernel.CodeIdempotencyConflict || i.changes != 1 {
				t.Errorf("got %v and %d changes, want %s and one", err, i.changes, kernel.CodeIdempotencyConflict)
			}
			_, err = i.call(newRequest(), i.change(201))
		}
	})
}

func TestAReservedKeyIsPendingUntilTheResponseIsStored(t *testing.T) {
	kerneltest.Each(t, func(t *testing.T, open func() *kernel.Store) {
		i, r, broken := newIntegration(open()), newRequest(), newRequest()
		r.Reserve, broken.Reserve = true, true
		broken.Success = func(any) (kernel.Answer, error) { return kernel.Answer{}, errDefect }
		_, err := i.call(broken, func(context.Context) (int, error) {
			if _, err := i.call(r, i.change(201)); kernel.CodeOf(err) != kernel.CodeIdempotencyPending {
				t.Errorf("a repeat meanwhile: got %v, want %s", err, kernel.CodeIdempotencyPending)
			}
			return 201, nil
		})
		if !errors.Is(err, errDefect) {
			t.Errorf("got %v, want %v", err, errDefect)
		}
		if _, err := i.call(r, i.change(201)); kernel.CodeOf(err) != kernel.CodeIdempotencyPending {
			t.Errorf("a repeat: got %v, want %s", err, kernel.CodeIdempotencyPending)
		}
	})
}

func TestTheResponseIsStoredWithTheChange(t *testing.T) {
	kerneltest.Each(t, func(t *testing.T, open func() *kernel.Store) {
		db := open()
		for _, tt := range []struct {
			name string
			rest func(made int) (int, error) // what the verb does after its transaction
			then int                         // the status of a repeat
		}{
			{"the verb fails after its transaction", func(int) (int, error) { return 0, errDefect }, 201},
			{"the verb knows more after its transaction", func(int) (int, error) { return 207, nil }, 207},
		} {
			t.Run(tt.name, func(t *testing.T) {
				i := newIntegration(db)
				_, err := i.call(newRequest(), func(ctx context.Context) (int, error) {
					made, err := i.change(201)(ctx)
					if err == nil {
						made, err = tt.rest(made)
					}
					return made, err
				})
				if err != nil && !errors.Is(err, errDefect) {
					t.Error(err)
				}
				result, err := i.call(newRequest(), i.change(201))
				if err != nil || !result.Replayed || result.Answer.Status != tt.then || i.changes != 1 {
					t.Errorf("a repeat gives %+v, %v and %d changes, want status %d and one", result, err, i.changes, tt.then)
				}
			})
		}
	})
}

func TestAResponseThatCannotBeEncodedUndoesTheChange(t *testing.T) {
	kerneltest.Each(t, func(t *testing.T, open func() *kernel.Store) {
		i, broken := newIntegration(open()), newRequest()
		broken.Success = func(any) (kernel.Answer, error) { return kernel.Answer{}, errDefect }
		if _, err := i.call(broken, i.change(201)); !errors.Is(err, errDefect) || i.changes != 0 {
			t.Errorf("got %v and %d changes, want %v and none", err, i.changes, errDefect)
		}
		if result, err := i.call(newRequest(), i.change(201)); err != nil || result.Replayed || i.changes != 1 {
			t.Errorf("a repeat gives %+v, %v and %d changes", result, err, i.changes)
		}
	})
}

func TestOnlyOneTransactionStoresTheResponse(t *testing.T) {
	kerneltest.Each(t, func(t *testing.T, open func() *kernel.Store) {
		i := newIntegration(open())
		_, err := i.call(newRequest(), func(ctx context.Context) (int, error) {
			if _, err := i.change(500)(kernel.Separate(ctx)); err != nil {
				return 0, err
			}
			made, err := i.change(201)(ctx)
			if _, second := i.change(202)(ctx); second == nil {
				t.Error("a second answer is stored")
			}
			return made, err
		})
		if err != nil {
			t.Fatal(err)
		}
		result, err := i.call(newRequest(), i.change(201))
		if err != nil || !result.Replayed || result.Answer.Status != 201 {
			t.Errorf("%+v, %v", result, err)
		}
	})
}
