package kernel

import (
	"bytes"
	"context"
	"fmt"
)

// IdempotencyKey reads the Idempotency-Key lines of a request: exactly one, of 8 to 128 visible ASCII
// characters.
func IdempotencyKey(lines []string) (string, *Error) {
	if len(lines) == 0 || len(lines) == 1 && lines[0] == "" {
		return "", keyError(CodeIdempotencyRequired, "is required: choose a new one for each operation, and repeat it when repeating the call.")
	}
	if len(lines) > 1 {
		return "", keyError(CodeIdempotencyInvalid, "must be sent once.")
	}
	key := lines[0]
	visible := true
	for i := range len(key) {
		visible = visible && key[i] > ' ' && key[i] < 0x7f
	}
	if !visible || len(key) < MinIdempotencyKey || len(key) > MaxIdempotencyKey {
		return "", keyError(CodeIdempotencyInvalid, fmt.Sprintf("must have %d to %d visible ASCII characters.", MinIdempotencyKey, MaxIdempotencyKey))
	}
	return key, nil
}

func keyError(code Code, message string) *Error {
	const field = "header.Idempotency-Key"
	return &Error{Code: code, Message: field + ": " + message, Fields: []FieldError{{Field: field, Message: message}}}
}

// Answer is an answer to a call, byte for byte, as it is kept for repeats of the call.
type Answer struct {
	Status  int
	Headers string // "Name: value" lines
	Body    []byte
	Subject Subject // what it shows, for the check before it is repeated
}

// Equal reports whether two answers are the same.
func (a Answer) Equal(b Answer) bool {
	return a.Status == b.Status && a.Headers == b.Headers && bytes.Equal(a.Body, b.Body)
}

// FingerprintKey is for the fingerprints of idempotent calls, whose bodies may have passwords: what is stored of them
// tells nothing without the secret key of the installation. When the oldest secret key is retired, repeats of calls from
// before are refused as other calls.
func (d *Kernel) FingerprintKey() (key [32]byte) {
	if d.Vault != nil {
		key = d.Vault.Derive("idempotency")
	}
	return key
}

// WriteAnswer is write for the transaction whose result is what the verb is answered with: a call under an idempotency key
// stores its answer in it. See answerCall.
func WriteAnswer[T any](ctx context.Context, d *Kernel, verb func(tx *Tx) (T, error)) (T, error) {
	return answerCall(ctx, d.Store, verb)
}

// WriteOnce is write for a verb that can be made idempotent: c is nil without an idempotency key.
func WriteOnce[T any](ctx context.Context, d *Kernel, a *Principal, c *OnceCall, verb func(tx *Tx) (T, error)) (T, error) {
	if c == nil {
		return Write(ctx, d, verb)
	}
	owner, err := a.idempotencyOwner()
	if err != nil {
		var zero T
		return zero, err
	}
	c.Check(d.maySeeSubject(a))
	return writeReserved(ctx, d.Store, owner, c, verb)
}

// Once makes a call of a principal under an idempotency key, for a verb that is not given the call: run calls the verb, which
// checks the permission. See aroundOnce.
func (d *Kernel) Once(ctx context.Context, a *Principal, request OnceRequest, run func(ctx context.Context) (any, error)) (OnceResult, error) {
	owner, err := a.idempotencyOwner()
	if err != nil {
		return OnceResult{}, err
	}
	request.MaySee = d.maySeeSubject(a)
	return aroundOnce(ctx, d.Store, owner, request, run)
}

// forgetAtOnce is how many expired reservations one sweep removes.
const forgetAtOnce = 500

// ForgetReservations removes idempotency keys that have expired, and reports whether more may be left.
func (d *Kernel) ForgetReservations(ctx context.Context) (bool, error) {
	var n int64
	err := d.Store.Write(ctx, func(tx *Tx) (err error) {
		n, err = tx.ForgetReservations(forgetAtOnce)
		return err
	})
	return n >= forgetAtOnce, err
}
