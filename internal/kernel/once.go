package kernel

import (
	"context"
	"errors"
	"fmt"
)

// OnceRequest is one call under an idempotency key. However often it is made, its verb takes effect once:
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
type OnceRequest struct {
	Key         string
	Fingerprint [32]byte
	Success     func(out any) (Answer, error)       // the answer for what the verb or its transaction gave, as a pointer
	Refusal     func(err error) (_ Answer, ok bool) // the answer for its refusal, if that is to be kept

	// Read gives the fingerprint of a call whose body is read by the verb itself, as that of an upload: after the verb,
	// or in its place to compare the call with a finished one. Until then the call has Fingerprint. A refusal may come
	// before the body is read, so it frees the key. nil: the call always has Fingerprint.
	Read func() ([32]byte, error)

	// Repeatable says that the verb itself takes effect once, because its input has a client id: a repeat runs it again
	// while the key is pending. Only for Around.
	Repeatable bool

	// MaySee is asked before a stored answer is repeated: the caller may have lost sight of what it shows. The error is the
	// answer then. nil: every answer is repeated.
	MaySee func(tx *Tx, subject Subject) error

	// After is called after each step, for tests that end a call between two steps, as a crash would; nil: not called.
	After func(step string)
}

// OnceResult is the stored answer of an idempotent call. It is replayed when an earlier call got it first.
type OnceResult struct {
	Answer   Answer
	Replayed bool
}

// OnceCall is a request under way. A verb that can be made idempotent takes one and runs its transaction with Write;
// nil stands for a call without an idempotency key.
type OnceCall struct {
	request     OnceRequest
	reservation Reservation
	result      *OnceResult
	again       bool    // it runs under the reservation of another call, which is pending
	kept        *Answer // what Answer has stored
}

// DoOnce makes a call: verb is to pass the Call on to Write. The result is the answer that was stored, now or by an
// earlier call. An error says that none was: the key was left free, or it is in use.
func DoOnce(request OnceRequest, verb func(*OnceCall) error) (OnceResult, error) {
	c := &OnceCall{request: request}
	err := verb(c)
	if err == nil && c.result == nil {
		err = errors.New("kernel: a verb succeeded without its idempotency key")
	}
	return c.outcome(err)
}

// aroundOnce makes a call whose verb, run, is not given the Call: its context has it. The key is reserved before the verb. A
// verb that runs its transaction with Answer commits its change and the answer together, so that a repeat gets the answer
// even if the process dies after that. The answer of any other verb is stored after it, in a transaction of its own: a
// process that dies before that leaves the key pending and, unless the request is Repeatable, the verb is not run again.
// Where the verb succeeded and its answer could not be made or stored, Around gives an error and the key stays pending.
func aroundOnce(ctx context.Context, db *Store, owner Owner, request OnceRequest, run func(ctx context.Context) (any, error)) (OnceResult, error) {
	ctx = context.WithoutCancel(ctx)
	c := &OnceCall{request: request}
	if err := c.reserve(ctx, db, owner); err != nil {
		return c.outcome(err)
	}
	c.after("reserved")
	out, err := run(context.WithValue(ctx, callKey{}, c))
	c.after("executed")
	switch {
	case err != nil && c.kept != nil:
		return OnceResult{}, err // the change was made, and a repeat gets its answer
	case err != nil:
		return c.outcome(c.refuse(ctx, db, err))
	}
	answer, err := request.Success(out)
	if err == nil {
		err = c.finish(ctx, db, answer)
	}
	return OnceResult{Answer: answer}, err
}

// finish stores the answer of a verb that has returned, unless Answer has stored the same. It may know more: a verb can do
// something after its transaction of which its answer tells.
func (c *OnceCall) finish(ctx context.Context, db *Store, answer Answer) error {
	if c.kept == nil {
		if err := c.identify(); err != nil {
			return err
		}
		return db.Write(ctx, func(tx *Tx) error { return c.keep(tx, answer) })
	}
	if c.kept.Equal(answer) {
		return nil
	}
	return db.Write(ctx, func(tx *Tx) error { return tx.Replace(c.reservation, answer) })
}

// identify sets the fingerprint of a call whose body is read by its verb.
func (c *OnceCall) identify() (err error) {
	if c.request.Read != nil {
		c.reservation.Fingerprint, err = c.request.Read()
	}
	return err
}

// callKey is that of the Call in a context.
type callKey struct{}

// Separate gives a context for a verb that is a part of the call and not the one that it is answered by.
func Separate(ctx context.Context) context.Context {
	return context.WithValue(ctx, callKey{}, (*OnceCall)(nil))
}

// answerCall runs the transaction of a verb whose result is what its call is answered with. If Around makes the call, the answer
// is stored in the same transaction. A verb has one such transaction. It may run more than once when the database asks for a retry, so it must
// change nothing but tx.
func answerCall[T any](ctx context.Context, db *Store, verb func(tx *Tx) (T, error)) (T, error) {
	var out, zero T
	c, _ := ctx.Value(callKey{}).(*OnceCall)
	if c == nil {
		err := db.Write(ctx, func(tx *Tx) (err error) {
			out, err = verb(tx)
			return err
		})
		if err != nil {
			return zero, err
		}
		return out, nil
	}
	if c.kept != nil {
		return zero, errors.New("kernel: a verb has two answers")
	}
	if err := c.identify(); err != nil {
		return zero, err
	}
	out, answer, err := commit(ctx, db, c, verb)
	if err != nil {
		return zero, err
	}
	c.kept = &answer
	return out, nil
}

// commit runs a verb and stores the answer to its call in one transaction.
func commit[T any](ctx context.Context, db *Store, c *OnceCall, verb func(tx *Tx) (T, error)) (out T, answer Answer, err error) {
	err = db.Write(ctx, func(tx *Tx) (err error) {
		if out, err = verb(tx); err != nil {
			return err
		}
		if answer, err = c.request.Success(&out); err != nil {
			return err
		}
		return c.keep(tx, answer)
	})
	return out, answer, err
}

// Check sets Request.MaySee of a call that is not under way yet.
func (c *OnceCall) Check(maySee func(tx *Tx, subject Subject) error) {
	c.request.MaySee = maySee
}

// outcome is the answer that is stored, if there is one, and the error otherwise.
func (c *OnceCall) outcome(err error) (OnceResult, error) {
	if c.result != nil {
		return *c.result, nil
	}
	return OnceResult{}, err
}

// errReplayed ends a verb whose answer is there already.
var errReplayed = errors.New("kernel: an earlier call has answered")

// writeReserved runs a verb in one transaction under the idempotency key of a call. It goes on when the caller
// disconnects. The verb may run more than once when the database asks for a retry, so it must change nothing but tx.
func writeReserved[T any](ctx context.Context, db *Store, owner Owner, c *OnceCall, verb func(tx *Tx) (T, error)) (T, error) {
	ctx = context.WithoutCancel(ctx)
	var zero T
	if err := c.reserve(ctx, db, owner); err != nil {
		return zero, err
	}
	c.after("reserved")
	out, answer, err := commit(ctx, db, c, verb)
	c.after("executed")
	if err != nil {
		return zero, c.refuse(ctx, db, err)
	}
	c.result = &OnceResult{Answer: answer}
	return out, nil
}

// reserve takes the key, or says why it cannot be taken.
func (c *OnceCall) reserve(ctx context.Context, db *Store, owner Owner) error {
	c.reservation = Reservation{Owner: owner, Key: c.request.Key, Fingerprint: c.request.Fingerprint}
	mine, earlier := false, Earlier{}
	err := db.Write(ctx, func(tx *Tx) (err error) {
		mine, earlier, err = tx.Reserve(&c.reservation)
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
		return Errorf(CodeIdempotencyConflict, "This Idempotency-Key was used for another call. Send a new one for each operation.")
	case earlier.Answer == nil && c.request.Repeatable:
		c.reservation.At, c.again = earlier.At, true
		return nil
	case earlier.Answer == nil:
		return Errorf(CodeIdempotencyPending,
			"A call with this Idempotency-Key is in progress, or was interrupted. Look at what it was to change before trying again with a new key.")
	}
	if c.request.MaySee != nil {
		if err := db.Read(ctx, func(tx *Tx) error { return c.request.MaySee(tx, earlier.Answer.Subject) }); err != nil {
			return err
		}
	}
	c.result = &OnceResult{Answer: *earlier.Answer, Replayed: true}
	return errReplayed
}

// refuse settles what becomes of the key of a verb that failed. The key stays pending where it is uncertain whether the
// change was committed, and where another call, which may still succeed, has reserved it.
func (c *OnceCall) refuse(ctx context.Context, db *Store, failure error) error {
	if c.again || CodeOf(failure) == CodeUncertain {
		return failure
	}
	answer, final := c.request.Refusal(failure)
	final = final && c.request.Read == nil
	err := db.Write(ctx, func(tx *Tx) error {
		if final {
			return c.keep(tx, answer)
		}
		tx.Release(c.reservation)
		return nil
	})
	if err != nil {
		return fmt.Errorf("%w (and its idempotency key stays pending: %w)", failure, err)
	}
	c.after("refused")
	if final {
		c.result = &OnceResult{Answer: answer}
	}
	return failure
}

// keep stores an answer under a reservation that must still be there: one that has expired meanwhile
// may be another call's by now. Of calls that run a repeatable verb at the same time, the first stores its answer.
func (c *OnceCall) keep(tx *Tx, answer Answer) error {
	kept, err := tx.Keep(c.reservation, answer)
	if err == nil && !kept && !c.request.Repeatable {
		err = errors.New("kernel: an idempotency key expired during its call")
	}
	return err
}

func (c *OnceCall) after(step string) {
	if c.request.After != nil {
		c.request.After(step)
	}
}
