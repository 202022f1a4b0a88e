package kernel

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
)

// IdempotencyKey returns the Idempotency-Key of a request. There must be one, of 8 to 128 visible ASCII characters.
func IdempotencyKey(lines []string) (string, *Error) {
	if len(lines) == 0 || len(lines) == 1 && lines[0] == "" {
		return "", keyError(CodeIdempotencyRequired, RuleRequired,
			"is required: use a new key for each operation, and the same key to retry it.")
	}
	if len(lines) > 1 {
		return "", keyError(CodeIdempotencyInvalid, RuleRepeated, "must be sent once.")
	}
	key := lines[0]
	invisible := strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r >= 0x7f })
	if invisible || len(key) < MinIdempotencyKey || len(key) > MaxIdempotencyKey {
		return "", keyError(CodeIdempotencyInvalid, RuleIdempotencyKey,
			fmt.Sprintf("must have %d to %d visible ASCII characters.", MinIdempotencyKey, MaxIdempotencyKey),
			Params{"min": MinIdempotencyKey, "max": MaxIdempotencyKey})
	}
	return key, nil
}

func keyError(code Code, rule Rule, message string, params ...Params) *Error {
	const field = "header.Idempotency-Key"
	return &Error{Code: code, Message: field + ": " + message, Fields: []FieldError{rule.At(field, message, params...)}}
}

// Answer is the stored response of a call.
type Answer struct {
	Status  int
	Headers string // "Name: value" lines
	Body    []byte
	Subject Subject // checked before the response is repeated
}

// Equal reports whether two responses are the same.
func (a Answer) Equal(b Answer) bool {
	return a.Status == b.Status && a.Headers == b.Headers && bytes.Equal(a.Body, b.Body)
}

// FingerprintKey returns the key for fingerprints of idempotent calls. Bodies may contain passwords, so a fingerprint must
// reveal nothing without the secret key of the installation. After the oldest secret key is retired, repeats of earlier
// calls are refused as different calls.
func (d *Kernel) FingerprintKey() (key [32]byte) {
	if d.Vault != nil {
		key = d.Vault.Derive("idempotency")
	}
	return key
}

// OnceRequest describes a call with an idempotency key. Its verb takes effect once, no matter how often the call is repeated:
// one transaction reserves the key, makes the change and stores the response. A repeated call gets the stored response. If
// it arrives while the first call is running, it waits.
//
// A call that fails changes nothing. Refusals are stored in a separate transaction; other errors leave the key free.
type OnceRequest struct {
	Key         string
	Fingerprint func() ([32]byte, error)            // identifies the call
	Success     func(out any) (Answer, error)       // the response for a pointer to the result of the verb or of its transaction
	Refusal     func(err error) (_ Answer, ok bool) // the response for an error; not ok: the error is not stored

	// Reserve commits the key before the verb runs, for verbs with effects that a rollback cannot undo. Repeated calls are
	// refused as pending until the response is stored. If the process crashes before that, the key stays pending until it expires.
	Reserve bool

	// After is called after each step, for tests that simulate a crash between two steps. It may be nil. The steps are "begun",
	// "answered" (in the transaction of the verb), "executed" (the verb has returned) and "refused".
	After func(step string)
}

// OnceResult is the response to an idempotent call.
type OnceResult struct {
	Answer   Answer
	Replayed bool // from an earlier call
}

// Once makes a call with an idempotency key. run must call the verb with the context that it gets, and the verb must make its
// change with WriteAnswer. A client that disconnects does not stop the call.
//
// If Once returns an error, no response is stored, unless the verb failed after its transaction or its response could not be
// encoded.
func (d *Kernel) Once(
	ctx context.Context, a *Principal, request OnceRequest, run func(ctx context.Context) (any, error),
) (OnceResult, error) {
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

// WriteAnswer is Write for the transaction whose result is the response of the verb. In a call with an idempotency key it also
// reserves the key and stores the response. A verb may call it once.
func WriteAnswer[T any](ctx context.Context, d *Kernel, verb func(tx *Tx) (T, error)) (T, error) {
	c, _ := ctx.Value(callKey{}).(*onceCall)
	if c == nil {
		return Write(ctx, d, verb)
	}
	var zero T
	if c.stored != nil {
		return zero, errors.New("kernel: a verb called WriteAnswer twice")
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

// Separate returns a context for verbs that are part of a call but do not produce its response.
func Separate(ctx context.Context) context.Context {
	return context.WithValue(ctx, callKey{}, (*onceCall)(nil))
}

// callKey is the context key of the *onceCall.
type callKey struct{}

// onceCall is an idempotent call in progress.
type onceCall struct {
	kernel      *Kernel
	principal   *Principal
	request     OnceRequest
	reservation Reservation
	reserved    bool    // the reservation is committed
	stored      *Answer // committed with the change of the verb
	taken       bool    // another call has the key
	earlier     *Answer // the response of that call
}

// errReplayed ends a verb if the response of an earlier call is repeated.
var errReplayed = errors.New("kernel: an earlier call has a response")

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
	if err == nil && (c.stored == nil || !c.stored.Equal(answer)) { // a verb may change its result after its transaction
		err = c.store(ctx, answer)
	}
	return answer, err
}

// begin looks for an earlier call with the key, and reserves the key if the request says so.
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

func (c *onceCall) identify() (err error) {
	c.reservation.Fingerprint, err = c.request.Fingerprint()
	return err
}

// take reserves the key, unless the call has it already. It waits for uncommitted transactions that have reserved it.
func (c *onceCall) take(tx *Tx) error {
	if c.reserved || c.stored != nil {
		return nil
	}
	c.taken = false // may be true from an earlier attempt of the transaction
	earlier, err := tx.Reserve(&c.reservation)
	if err != nil || earlier == nil {
		return err
	}
	return c.repeat(tx, earlier)
}

// repeat returns errReplayed if the caller gets the response of an earlier call, and otherwise the reason why the call is
// refused. The caller may no longer have access to the subject of the response.
func (c *onceCall) repeat(tx *Tx, earlier *Earlier) error {
	c.taken = true
	switch {
	case earlier.Fingerprint != c.reservation.Fingerprint:
		return Errorf(CodeIdempotencyConflict, "This Idempotency-Key was used for another request. Send a new one for each operation.")
	case earlier.Answer == nil:
		return Errorf(CodeIdempotencyPending,
			"A request with this Idempotency-Key is in progress or was interrupted. Check whether it took effect before trying again with a new key.")
	}
	if err := c.kernel.CheckSubject(tx, c.principal, earlier.Answer.Subject); err != nil {
		return err
	}
	c.earlier = earlier.Answer
	return errReplayed
}

// refuse stores the response for the error of a verb, or frees a reserved key if the error is not stored. The key stays
// reserved if it is uncertain whether the change was committed.
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

// store stores a response in a separate transaction.
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

// ForgetReservations deletes expired idempotency keys, and reports whether more may be left.
func (d *Kernel) ForgetReservations(ctx context.Context) (more bool, err error) {
	n, err := Write(ctx, d, func(tx *Tx) (int64, error) { return tx.ForgetReservations(PurgeStep) })
	return n >= PurgeStep, err
}

// Subject is the restricted content of a response. It is zero if everyone with the permission of the call may see the
// response.
type Subject struct {
	Kind string // see CheckSubjects
	ID   ID
}

// SubjectCheck returns an error if a principal may not see a subject now.
type SubjectCheck func(tx *Tx, a *Principal, id ID) error

// CheckSubjects sets the check for a kind of subject. Call it before the first request.
func (d *Kernel) CheckSubjects(kind string, check SubjectCheck) {
	if d.subjects == nil {
		d.subjects = map[string]SubjectCheck{}
	}
	d.subjects[kind] = check
}

// CheckSubject returns an error if a principal may not see a subject.
func (d *Kernel) CheckSubject(tx *Tx, a *Principal, s Subject) error {
	check := d.subjects[s.Kind]
	if check == nil {
		return nil
	}
	return check(tx, a, s.ID)
}
