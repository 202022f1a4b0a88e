package desk

import (
	"context"

	"recado/internal/once"
	"recado/internal/store"
)

// FingerprintKey is for the fingerprints of idempotent calls, whose bodies may have passwords: what is stored of them
// tells nothing without the secret key of the installation. When the oldest secret key is retired, repeats of calls from
// before are refused as other calls.
func (d System) FingerprintKey() (key [32]byte) {
	if d.vault != nil {
		key = d.vault.Derive("idempotency")
	}
	return key
}

// writeAnswer is write for the transaction whose result is what the verb is answered with: a call under an idempotency key
// stores its answer in it. See once.Answer.
func writeAnswer[T any](ctx context.Context, d *Desk, verb func(tx *store.Tx) (T, error)) (T, error) {
	return once.Answer(ctx, d.store, verb)
}

// writeOnce is write for a verb that can be made idempotent: c is nil without an idempotency key.
func writeOnce[T any](ctx context.Context, d *Desk, a *Principal, c *once.Call, verb func(tx *store.Tx) (T, error)) (T, error) {
	if c == nil {
		return write(ctx, d, verb)
	}
	owner, err := a.idempotencyOwner()
	if err != nil {
		var zero T
		return zero, err
	}
	return once.Write(ctx, d.store, owner, c, verb)
}

// Once makes a call of a principal under an idempotency key, for a verb that is not given the call: run calls the verb, which
// checks the permission. See once.Around.
func (d System) Once(ctx context.Context, a *Principal, request once.Request, run func(ctx context.Context) (any, error)) (once.Result, error) {
	owner, err := a.idempotencyOwner()
	if err != nil {
		return once.Result{}, err
	}
	return once.Around(ctx, d.store, owner, request, run)
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
