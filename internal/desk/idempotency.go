package desk

import (
	"context"
	"errors"
	"fmt"

	"recado/internal/model"
	"recado/internal/store"
)

// Call is one call under an idempotency key. However often it is made, its verb takes effect once:
//
//  1. When the verb begins its transaction the request is known to be well formed: the key is reserved,
//     in a transaction of its own. A repeat from here on is refused as pending.
//  2. The verb's change, its events and the answer to the call are committed together. A repeat from
//     here on gets that answer.
//  3. A refusal changed nothing. One that is the call's answer is stored in a transaction of its own;
//     any other frees the key.
//
// A process that dies between the steps leaves the key pending until it expires; it is not run again.
type Call struct {
	Key         string
	Fingerprint [32]byte
	Success     func(out any) (model.Answer, error)       // the answer for what the verb gave, as a pointer
	Refusal     func(err error) (_ model.Answer, ok bool) // the answer for its refusal, if that is to be kept

	crash func(step string) // in tests: ends the call between two steps, as a crash would
}

// Result is the stored answer of an idempotent call. It is replayed when an earlier call got it first.
type Result struct {
	Answer   model.Answer
	Replayed bool
}

// Once is a call under way. A verb that can be made idempotent takes one and runs its transaction with it;
// nil stands for a call without an idempotency key.
type Once struct {
	call   Call
	result *Result
}

// Idempotent makes a call: verb is to pass the Once on to a verb of the desk. The result is the answer that
// was stored, now or by an earlier call. An error says that none was: the key was left free, or it is in use.
func Idempotent(call Call, verb func(*Once) error) (Result, error) {
	o := &Once{call: call}
	err := verb(o)
	switch {
	case o.result != nil:
		return *o.result, nil
	case err == nil:
		err = errors.New("desk: a verb succeeded without its idempotency key")
	}
	return Result{}, err
}

// errReplayed ends a verb whose answer is there already.
var errReplayed = errors.New("desk: an earlier call has answered")

// writeOnce is write for a verb that can be made idempotent. With an idempotency key it goes on when the
// caller disconnects.
func writeOnce[T any](ctx context.Context, d *Desk, a *Principal, o *Once, verb func(tx *store.Tx) (T, error)) (T, error) {
	if o == nil {
		return write(ctx, d, verb)
	}
	ctx = context.WithoutCancel(ctx)
	var out, zero T
	owner, err := a.idempotencyOwner()
	if err != nil {
		return zero, err
	}
	r := store.Reservation{Owner: owner, Key: o.call.Key, Fingerprint: o.call.Fingerprint}
	if err := o.reserve(ctx, d, &r); err != nil {
		return zero, err
	}
	o.at("reserved")
	var answer model.Answer
	err = d.store.Write(ctx, func(tx *store.Tx) (err error) {
		if out, err = verb(tx); err != nil {
			return err
		}
		if answer, err = o.call.Success(&out); err != nil {
			return err
		}
		return keep(tx, r, answer)
	})
	o.at("executed")
	if err != nil {
		return zero, o.refuse(ctx, d, r, err)
	}
	o.result = &Result{Answer: answer}
	return out, nil
}

// idempotencyOwner says whose idempotency keys a principal uses: the integration's, which a rotation of its
// key leaves as they are, or the person's, in whichever session.
func (a *Principal) idempotencyOwner() (store.Owner, error) {
	switch a.kind {
	case KindKey:
		return store.Owner(a.Key), nil
	case KindSession:
		return store.Owner(a.User.ID), nil
	}
	return store.Owner{}, fmt.Errorf("desk: a principal of kind %v has no idempotency keys", a.kind)
}

// reserve takes the key, or says why it is not to be had.
func (o *Once) reserve(ctx context.Context, d *Desk, r *store.Reservation) error {
	mine, earlier := false, store.Earlier{}
	err := d.store.Write(ctx, func(tx *store.Tx) (err error) {
		mine, earlier, err = tx.Reserve(r)
		return err
	})
	switch {
	case err != nil || mine:
		return err
	case !earlier.Same:
		return model.Errorf(model.CodeIdempotencyConflict, "This Idempotency-Key was used for another call. Send a new one for each operation.")
	case earlier.Answer == nil:
		return model.Errorf(model.CodeIdempotencyPending,
			"A call with this Idempotency-Key is in progress, or was interrupted. Look at what it was to change before trying again with a new key.")
	}
	o.result = &Result{Answer: *earlier.Answer, Replayed: true}
	return errReplayed
}

// refuse settles what becomes of the key of a verb that failed. Where it is uncertain whether the
// change was committed, the key stays pending.
func (o *Once) refuse(ctx context.Context, d *Desk, r store.Reservation, failure error) error {
	if model.CodeOf(failure) == model.CodeUncertain {
		return failure
	}
	answer, final := o.call.Refusal(failure)
	err := d.store.Write(ctx, func(tx *store.Tx) error {
		if final {
			return keep(tx, r, answer)
		}
		tx.Release(r)
		return nil
	})
	if err != nil {
		return fmt.Errorf("%w (and its idempotency key stays pending: %w)", failure, err)
	}
	o.at("refused")
	if final {
		o.result = &Result{Answer: answer}
	}
	return failure
}

// keep stores an answer under a reservation that must still be there: one that has expired meanwhile
// may be another call's by now.
func keep(tx *store.Tx, r store.Reservation, answer model.Answer) error {
	kept, err := tx.Keep(r, answer)
	if err == nil && !kept {
		err = errors.New("desk: an idempotency key expired during its call")
	}
	return err
}

func (o *Once) at(step string) {
	if o.call.crash != nil {
		o.call.crash(step)
	}
}

// forgetAtOnce is how many expired reservations one sweep removes.
const forgetAtOnce = 500

// ForgetReservations removes idempotency keys that have expired, and reports whether more may be left.
func (d System) ForgetReservations(ctx context.Context) (bool, error) {
	var n int64
	err := d.store.Write(ctx, func(tx *store.Tx) (err error) {
		n, err = tx.ForgetReservations(forgetAtOnce)
		return err
	})
	return n >= forgetAtOnce, err
}
