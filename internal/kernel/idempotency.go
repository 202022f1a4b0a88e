package kernel

import (
	"bytes"
	"context"
	"errors"
	"fmt"
)

// IdempotencyKey reads the Idempotency-Key lines of a request: exactly one, of 8 to 128 visible ASCII
// characters.
func IdempotencyKey(lines []string) (string, *Error) {
	if len(lines) == 0 || len(lines) == 1 && lines[0] == "" {
		return "", keyError(CodeIdempotencyRequired, RuleRequired, "is required: choose a new one for each operation, and repeat it when repeating the call.")
	}
	if len(lines) > 1 {
		return "", keyError(CodeIdempotencyInvalid, RuleRepeated, "must be sent once.")
	}
	key := lines[0]
	visible := true
	for i := range len(key) {
		visible = visible && key[i] > ' ' && key[i] < 0x7f
	}
	if !visible || len(key) < MinIdempotencyKey || len(key) > MaxIdempotencyKey {
		return "", keyError(CodeIdempotencyInvalid, RuleIdempotencyKey, fmt.Sprintf("must have %d to %d visible ASCII characters.", MinIdempotencyKey, MaxIdempotencyKey),
			Params{"min": MinIdempotencyKey, "max": MaxIdempotencyKey})
	}
	return key, nil
}

func keyError(code Code, rule Rule, message string, params ...Params) *Error {
	const field = "header.Idempotency-Key"
	return &Error{Code: code, Message: field + ": " + message, Fields: []FieldError{rule.At(field, message, params...)}}
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

// OnceRequest describes a call under an idempotency key. However often it is made, its verb takes effect once: the transaction
// of the verb takes the key, makes the change and stores the answer, so that a crash leaves all of it or nothing. A repeat gets
// the stored answer. A repeat that arrives while the first call is running waits for it.
//
// An error changes nothing. One that is the answer to the call is stored in a transaction of its own; any other leaves the key
// free.
type OnceRequest struct {
	Key         string
	Fingerprint func() ([32]byte, error)            // the same for two calls that are the same
	Success     func(out any) (Answer, error)       // the answer for a pointer to the result of the verb or of its transaction
	Refusal     func(err error) (_ Answer, ok bool) // the answer for an error, if it is to be stored

	// Reserve commits the key before the verb runs, for a verb that does more than one transaction can undo. Until its answer is
	// stored a repeat is refused as pending. A process that dies before that leaves the key pending until it expires.
	Reserve bool

	// After is called after each step, for tests that end a call between two steps, as a crash would; nil: not called. The steps
	// are "begun", "answered" (in the transaction of the verb), "executed" (the verb has returned) and "refused".
	After func(step string)
}

// OnceResult is the answer to an idempotent call. It is replayed if it is the stored answer of an earlier call.
type OnceResult struct {
	Answer   Answer
	Replayed bool
}

// Once makes a call of a principal under an idempotency key. run calls the verb with the context that it is given; the verb runs
// the transaction that makes the change with WriteAnswer. A caller that disconnects does not stop the call.
//
// An error of Once says that no answer is stored, unless the verb failed after its transaction or its answer could not be made.
func (d *Kernel) Once(ctx context.Context, a *Principal, request OnceRequest, run func(ctx context.Context) (any, error)) (OnceResult, error) {
	owner, err := a.idempotencyOwner()
	if err != nil {
		return OnceResult{}, err
	}
	c := &onceCall{kernel: d, principal: a, request: request, reservation: Reservation{Owner: owner, Key: request.Key}}
	answer, err := c.run(context.WithoutCancel(ctx), run)
	if c.earlier != nil {
		return OnceResult{Answer: *c.earlier, Replayed: true}, nil
	}
	return OnceResult{Answer: answer}, err
}

// WriteAnswer is Write for the one transaction of a verb whose result the verb is answered with. For a call under an idempotency
// key it also takes the key and stores the answer.
func WriteAnswer[T any](ctx context.Context, d *Kernel, verb func(tx *Tx) (T, error)) (T, error) {
	c, _ := ctx.Value(callKey{}).(*onceCall)
	if c == nil {
		return Write(ctx, d, verb)
	}
	var zero T
	if c.stored != nil {
		return zero, errors.New("kernel: a verb has two answers")
	}
	if err := c.identify(); err != nil {
		return zero, err
	}
	var answer Answer
	out, err := Write(ctx, d, func(tx *Tx) (out T, err error) {
		if err = c.take(tx); err != nil {
			return out, err
		}
		if out, err = verb(tx); err != nil {
			return out, err
		}
		if answer, err = c.request.Success(&out); err != nil {
			return out, err
		}
		err = tx.Keep(c.reservation, answer)
		c.after("answered")
		return out, err
	})
	if err == nil {
		c.stored = &answer
	}
	return out, err
}

// Separate returns a context for verbs that are parts of a call and do not answer it.
func Separate(ctx context.Context) context.Context {
	return context.WithValue(ctx, callKey{}, (*onceCall)(nil))
}

// callKey is the key of the call in a context.
type callKey struct{}

// onceCall is an idempotent call under way.
type onceCall struct {
	kernel      *Kernel
	principal   *Principal
	request     OnceRequest
	reservation Reservation
	reserved    bool    // the reservation is committed
	stored      *Answer // committed with the change of the verb
	taken       bool    // another call has the key
	earlier     *Answer // of that call, for this one
}

// errReplayed ends a verb whose call was answered earlier.
var errReplayed = errors.New("kernel: an earlier call has answered")

func (c *onceCall) run(ctx context.Context, run func(ctx context.Context) (any, error)) (Answer, error) {
	if err := c.begin(ctx); err != nil {
		return Answer{}, err
	}
	c.after("begun")
	out, err := run(context.WithValue(ctx, callKey{}, c))
	c.after("executed")
	switch {
	case err != nil && (c.taken || c.stored != nil):
		return Answer{}, err
	case err != nil:
		return c.refuse(ctx, err)
	}
	answer, err := c.request.Success(out)
	if err == nil && (c.stored == nil || !c.stored.Equal(answer)) { // a verb may learn more after its transaction
		err = c.store(ctx, answer)
	}
	return answer, err
}

// begin looks for an earlier call with the key, and reserves the key if the request asks for that.
func (c *onceCall) begin(ctx context.Context) error {
	var earlier *Earlier
	err := c.kernel.Store.ReadOne(ctx, func(tx *Tx) (err error) {
		earlier, err = tx.findReservation(&c.reservation)
		return err
	})
	if err != nil || earlier == nil && !c.request.Reserve {
		return err
	}
	if err := c.identify(); err != nil {
		return err
	}
	if earlier != nil {
		return c.kernel.Store.Read(ctx, func(tx *Tx) error { return c.repeat(tx, earlier) })
	}
	err = c.kernel.Store.Write(ctx, c.take)
	c.reserved = err == nil
	return err
}

// identify sets the fingerprint.
func (c *onceCall) identify() (err error) {
	c.reservation.Fingerprint, err = c.request.Fingerprint()
	return err
}

// take takes the key, unless the call has it already. It waits for a transaction that has taken it and is not committed.
func (c *onceCall) take(tx *Tx) error {
	if c.reserved || c.stored != nil {
		return nil
	}
	c.taken = false // by an earlier attempt of the transaction
	earlier, err := tx.Reserve(&c.reservation)
	if err != nil || earlier == nil {
		return err
	}
	return c.repeat(tx, earlier)
}

// repeat returns why the call is not made: it was answered earlier, or another call has the key. The caller may have lost sight of
// what the answer shows.
func (c *onceCall) repeat(tx *Tx, earlier *Earlier) error {
	c.taken = true
	switch {
	case earlier.Fingerprint != c.reservation.Fingerprint:
		return Errorf(CodeIdempotencyConflict, "This Idempotency-Key was used for another call. Send a new one for each operation.")
	case earlier.Answer == nil:
		return Errorf(CodeIdempotencyPending,
			"A call with this Idempotency-Key is in progress, or was interrupted. Look at what it was to change before trying again with a new key.")
	}
	if err := c.kernel.CheckSubject(tx, c.principal, earlier.Answer.Subject); err != nil {
		return err
	}
	c.earlier = earlier.Answer
	return errReplayed
}

// refuse stores the error of a verb that changed nothing, if it is the answer to the call, and frees a reserved key otherwise. The
// key stays reserved where it is uncertain whether the change was committed.
func (c *onceCall) refuse(ctx context.Context, failure error) (answer Answer, err error) {
	answer, final := c.request.Refusal(failure)
	switch {
	case CodeOf(failure) == CodeUncertain || !final && !c.reserved:
		return Answer{}, failure
	case final:
		err = c.store(ctx, answer)
	default:
		err = c.kernel.Store.Write(ctx, func(tx *Tx) error {
			tx.Release(c.reservation)
			return nil
		})
	}
	switch {
	case c.taken:
		return Answer{}, err
	case err != nil:
		return Answer{}, fmt.Errorf("%w (and nothing is stored for its idempotency key: %w)", failure, err)
	}
	c.after("refused")
	if !final {
		return Answer{}, failure
	}
	return answer, nil
}

// store stores an answer in a transaction of its own.
func (c *onceCall) store(ctx context.Context, answer Answer) error {
	if err := c.identify(); err != nil {
		return err
	}
	return c.kernel.Store.Write(ctx, func(tx *Tx) error {
		if err := c.take(tx); err != nil {
			return err
		}
		return tx.Keep(c.reservation, answer)
	})
}

func (c *onceCall) after(step string) {
	if c.request.After != nil {
		c.request.After(step)
	}
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
