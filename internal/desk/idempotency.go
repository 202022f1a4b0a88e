package desk

import (
	"context"

	"recado/internal/model"
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
	c.Check(d.maySeeSubject(a))
	return once.Write(ctx, d.store, owner, c, verb)
}

// Once makes a call of a principal under an idempotency key, for a verb that is not given the call: run calls the verb, which
// checks the permission. See once.Around.
func (d System) Once(ctx context.Context, a *Principal, request once.Request, run func(ctx context.Context) (any, error)) (once.Result, error) {
	owner, err := a.idempotencyOwner()
	if err != nil {
		return once.Result{}, err
	}
	request.MaySee = d.maySeeSubject(a)
	return once.Around(ctx, d.store, owner, request, run)
}

// maySeeSubject checks that a principal may see now what a stored answer shows. The permission of the call itself, its scope
// and role, was checked when the call came in. A conversation or contact that is gone is hidden, because nobody can tell who saw it.
func (d *Desk) maySeeSubject(a *Principal) func(tx *store.Tx, s model.Subject) error {
	return func(tx *store.Tx, s model.Subject) error {
		hidden := false
		switch s.Kind {
		case model.SubjectConversation:
			c, found, err := tx.Conversation(a.Company.ID, s.ID)
			if err != nil {
				return err
			}
			hidden = !found || !a.MaySee(&c)
		case model.SubjectCard:
			c, found, err := tx.Card(a.Company.ID, s.ID)
			if err != nil {
				return err
			}
			if a.kind == KindKey && same(c.CreatedBy, &a.User.ID) {
				c.Private = false // keys create private cards, and see them in no other answer
			}
			hidden = found && !a.maySeeCard(&c)
		case model.SubjectBoard:
			hidden = !a.MaySeeBoard(s.ID)
		case model.SubjectContact:
			c, found, err := tx.Contact(a.Company.ID, s.ID)
			if err != nil {
				return err
			}
			hidden = !found || !a.knowsContact(&c)
		case model.SubjectChannel:
			if _, err := d.channel(tx, a, s.ID); err != nil {
				return err
			}
		case model.SubjectFile:
			m, found, err := tx.Media(a.Company.ID, s.ID)
			inSight := false
			if err == nil && found {
				inSight, err = tx.MediaInSight(s.ID, a.sight())
			}
			if err != nil {
				return err
			}
			hidden = found && !(inSight && a.reachesFile(&m))
		case model.SubjectWebhook:
			return a.maySeeEveryEvent()
		}
		if hidden {
			return model.NotFound(s.Kind)
		}
		return nil
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
