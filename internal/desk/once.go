package desk

import (
	"context"
	"errors"
	"fmt"

	"recado/internal/model"
	"recado/internal/store"
)

// Once is one call under an idempotency key. However often it is made, its verb takes effect once:
//
//  1. When the verb begins its transaction the request is known to be well formed: the key is reserved,
//     in a transaction of its own. A repeat from here on is refused as pending.
//  2. The verb's change, its events and the answer to the call are committed together. A repeat from
//     here on gets that answer.
//  3. A refusal changed nothing. One that is the call's answer is stored in a transaction of its own;
//     any other frees the key.
//
// A process that dies between the steps leaves the key pending until it expires: nobody runs it again.
type Once struct {
	Key         string
	Fingerprint [32]byte
	Success     func(out any) (model.Answer, error)       // the answer for what the verb gave, as a pointer
	Refusal     func(err error) (_ model.Answer, ok bool) // the answer for its refusal, if that is to be kept

	answer   *model.Answer
	replayed bool
	crash    func(step string) // in tests: ends the call between two steps, as a crash would
}

// Once gives the actor for one idempotent call.
func (a *Actor) Once(o *Once) *Actor {
	bound := *a
	bound.once = o
	return &bound
}

// withoutOnce gives the actor for a call that reserves nothing.
func (a *Actor) withoutOnce() *Actor { return a.Once(nil) }

// Answer gives what was stored as the call's answer, now or by an earlier call. There is none when the
// key was left free, or when it is another call's.
func (o *Once) Answer() (answer model.Answer, replayed, ok bool) {
	if o.answer == nil {
		return model.Answer{}, false, false
	}
	return *o.answer, o.replayed, true
}

var errReplayed = errors.New("desk: an earlier call has answered")

// writeOnce is write for an idempotent call. It goes on when the caller hangs up.
func writeOnce[T any](ctx context.Context, d *Desk, a *Actor, verb func(tx *store.Tx) (T, error)) (T, error) {
	ctx = context.WithoutCancel(ctx)
	o := a.once
	var out, zero T
	r := store.Reservation{Owner: a.Key, Key: o.Key, Fingerprint: o.Fingerprint}
	if err := o.reserve(ctx, d, &r); err != nil {
		return zero, err
	}
	o.at("reserved")
	var answer model.Answer
	err := d.store.Write(ctx, func(tx *store.Tx) (err error) {
		if out, err = verb(tx); err != nil {
			return err
		}
		if answer, err = o.Success(&out); err != nil {
			return err
		}
		return keep(tx, r, answer)
	})
	o.at("executed")
	if err != nil {
		return zero, o.refuse(ctx, d, r, err)
	}
	o.answer = &answer
	return out, nil
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
		return model.Errorf(model.CodeIdempotencyConflict, "This Idempotency-Key was used for another call. Choose a new one for each operation.")
	case earlier.Answer == nil:
		return model.Errorf(model.CodeIdempotencyPending,
			"A call with this Idempotency-Key is in progress, or was interrupted. Look at what it was to change before trying again with a new key.")
	}
	o.answer, o.replayed = earlier.Answer, true
	return errReplayed
}

// refuse settles what becomes of the key of a verb that failed. Where it is uncertain whether the
// change was committed, the key stays pending.
func (o *Once) refuse(ctx context.Context, d *Desk, r store.Reservation, failure error) error {
	if model.CodeOf(failure) == model.CodeUncertain {
		return failure
	}
	answer, final := o.Refusal(failure)
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
		o.answer = &answer
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
	if o.crash != nil {
		o.crash(step)
	}
}

// forgetAtOnce is how many expired reservations one sweep removes.
const forgetAtOnce = 500

// ForgetReservations removes idempotency keys that have expired, and reports whether more may be left.
func (d *Desk) ForgetReservations(ctx context.Context) (bool, error) {
	var n int64
	err := d.store.Write(ctx, func(tx *store.Tx) (err error) {
		n, err = tx.ForgetReservations(forgetAtOnce)
		return err
	})
	return n >= forgetAtOnce, err
}
