// Package once makes a verb take effect once, however often it is called with the same idempotency key.
package once

import (
	"context"
	"errors"
	"fmt"

	"recado/internal/model"
	"recado/internal/store"
)

// Request is one call under an idempotency key. However often it is made, its verb takes effect once:
//
//  1. When the verb begins its transaction the request is known to be well formed: the key is reserved,
//     in a transaction of its own. A repeat from here on is refused as pending.
//  2. The verb's change, its events and the answer to the call are committed together. A repeat from
//     here on gets that answer.
//  3. A refusal changed nothing. One that is the call's answer is stored in a transaction of its own;
//     any other frees the key.
//
// A process that dies between the steps leaves the key pending until it expires; the verb is not run again, unless it is
// Repeatable.
type Request struct {
	Key         string
	Fingerprint [32]byte
	Success     func(out any) (model.Answer, error)       // the answer for what the verb gave, as a pointer
	Refusal     func(err error) (_ model.Answer, ok bool) // the answer for its refusal, if that is to be kept

	// Read gives the fingerprint of a call whose body is read by the verb itself, as that of an upload: after the verb,
	// or in its place to compare the call with a finished one. Until then the call has Fingerprint. A refusal may come
	// before the body is read, so it frees the key. nil: the call always has Fingerprint.
	Read func() ([32]byte, error)

	// Repeatable says that the verb itself takes effect once, because its input has a client id: a repeat runs it again
	// while the key is pending. Only for Around.
	Repeatable bool

	// After is called after each step, for tests that end a call between two steps, as a crash would; nil: not called.
	After func(step string)
}

// Result is the stored answer of an idempotent call. It is replayed when an earlier call got it first.
type Result struct {
	Answer   model.Answer
	Replayed bool
}

// Call is a request under way. A verb that can be made idempotent takes one and runs its transaction with Write;
// nil stands for a call without an idempotency key.
type Call struct {
	request Request
	result  *Result
	again   bool // it runs under the reservation of another call, which is pending
}

// Do makes a call: verb is to pass the Call on to Write. The result is the answer that was stored, now or by an
// earlier call. An error says that none was: the key was left free, or it is in use.
func Do(request Request, verb func(*Call) error) (Result, error) {
	c := &Call{request: request}
	err := verb(c)
	if err == nil && c.result == nil {
		err = errors.New("once: a verb succeeded without its idempotency key")
	}
	return c.outcome(err)
}

// Around makes a call whose verb, run, does not store its answer. The key is reserved before and the answer stored after
// the verb, in transactions of their own, so that a process that dies between the change and its answer leaves the key
// pending, as one that dies during the verb does: unless the request is Repeatable, the verb is not run again. Where the
// verb succeeded and its answer could not be made or stored, Around gives an error and the key stays pending.
func Around(ctx context.Context, db *store.Store, owner store.Owner, request Request, run func(ctx context.Context) (any, error)) (Result, error) {
	ctx = context.WithoutCancel(ctx)
	c := &Call{request: request}
	r := store.Reservation{Owner: owner, Key: request.Key, Fingerprint: request.Fingerprint}
	if err := c.reserve(ctx, db, &r); err != nil {
		return c.outcome(err)
	}
	c.after("reserved")
	out, err := run(ctx)
	c.after("executed")
	if err != nil {
		return c.outcome(c.refuse(ctx, db, r, err))
	}
	answer, err := request.Success(out)
	if err == nil && request.Read != nil {
		r.Fingerprint, err = request.Read()
	}
	if err != nil {
		return Result{}, err
	}
	err = db.Write(ctx, func(tx *store.Tx) error { return c.keep(tx, r, answer) })
	return Result{Answer: answer}, err
}

// outcome is the answer that is stored, if there is one, and the error otherwise.
func (c *Call) outcome(err error) (Result, error) {
	if c.result != nil {
		return *c.result, nil
	}
	return Result{}, err
}

// errReplayed ends a verb whose answer is there already.
var errReplayed = errors.New("once: an earlier call has answered")

// Write runs a verb in one transaction under the idempotency key of a call. It goes on when the caller
// disconnects. The verb may run more than once when the database asks for a retry, so it must change nothing but tx.
func Write[T any](ctx context.Context, db *store.Store, owner store.Owner, c *Call, verb func(tx *store.Tx) (T, error)) (T, error) {
	ctx = context.WithoutCancel(ctx)
	var out, zero T
	r := store.Reservation{Owner: owner, Key: c.request.Key, Fingerprint: c.request.Fingerprint}
	if err := c.reserve(ctx, db, &r); err != nil {
		return zero, err
	}
	c.after("reserved")
	var answer model.Answer
	err := db.Write(ctx, func(tx *store.Tx) (err error) {
		if out, err = verb(tx); err != nil {
			return err
		}
		if answer, err = c.request.Success(&out); err != nil {
			return err
		}
		return c.keep(tx, r, answer)
	})
	c.after("executed")
	if err != nil {
		return zero, c.refuse(ctx, db, r, err)
	}
	c.result = &Result{Answer: answer}
	return out, nil
}

// reserve takes the key, or says why it cannot be taken.
func (c *Call) reserve(ctx context.Context, db *store.Store, r *store.Reservation) error {
	mine, earlier := false, store.Earlier{}
	err := db.Write(ctx, func(tx *store.Tx) (err error) {
		mine, earlier, err = tx.Reserve(r)
		return err
	})
	if err != nil || mine {
		return err
	}
	fingerprint := c.request.Fingerprint
	if earlier.Answer != nil && c.request.Read != nil {
		if fingerprint, err = c.request.Read(); err != nil {
			return err
		}
	}
	switch {
	case earlier.Fingerprint != fingerprint:
		return model.Errorf(model.CodeIdempotencyConflict, "This Idempotency-Key was used for another call. Send a new one for each operation.")
	case earlier.Answer == nil && c.request.Repeatable:
		r.At, c.again = earlier.At, true
		return nil
	case earlier.Answer == nil:
		return model.Errorf(model.CodeIdempotencyPending,
			"A call with this Idempotency-Key is in progress, or was interrupted. Look at what it was to change before trying again with a new key.")
	}
	c.result = &Result{Answer: *earlier.Answer, Replayed: true}
	return errReplayed
}

// refuse settles what becomes of the key of a verb that failed. The key stays pending where it is uncertain whether the
// change was committed, and where another call, which may still succeed, has reserved it.
func (c *Call) refuse(ctx context.Context, db *store.Store, r store.Reservation, failure error) error {
	if c.again || model.CodeOf(failure) == model.CodeUncertain {
		return failure
	}
	answer, final := c.request.Refusal(failure)
	final = final && c.request.Read == nil
	err := db.Write(ctx, func(tx *store.Tx) error {
		if final {
			return c.keep(tx, r, answer)
		}
		tx.Release(r)
		return nil
	})
	if err != nil {
		return fmt.Errorf("%w (and its idempotency key stays pending: %w)", failure, err)
	}
	c.after("refused")
	if final {
		c.result = &Result{Answer: answer}
	}
	return failure
}

// keep stores an answer under a reservation that must still be there: one that has expired meanwhile
// may be another call's by now. Of calls that run a repeatable verb at the same time, the first stores its answer.
func (c *Call) keep(tx *store.Tx, r store.Reservation, answer model.Answer) error {
	kept, err := tx.Keep(r, answer)
	if err == nil && !kept && !c.request.Repeatable {
		err = errors.New("once: an idempotency key expired during its call")
	}
	return err
}

func (c *Call) after(step string) {
	if c.request.After != nil {
		c.request.After(step)
	}
}
