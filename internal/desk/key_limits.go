package desk

import (
	"time"

	"recado/internal/model"
	"recado/internal/store"
)

// parent is the key that issues another one; nil for people and the command line.
func (a *Principal) parent() *model.ID {
	if a.kind != KindKey {
		return nil
	}
	return &a.Key
}

// bound keeps a new key within the limits of the key that issues it. Where the request names no expiry or
// rate, the new key gets those of its parent.
func (d *Desk) bound(a *Principal, k *model.Key) error {
	if a.parent() == nil {
		return nil
	}
	if k.ExpiresAt == nil {
		k.ExpiresAt = a.integration.ExpiresAt
	}
	if (k.Rate == model.Rate{}) && !within(d.rate, a.Rate) {
		k.Rate = a.Rate
	}
	return a.mayIssue(k.ExpiresAt, d.rateOf(k))
}

// stillIssues refuses a key that was revoked since the call began. The company is locked by then, so that
// revoking the parent reaches the new key too.
func (a *Principal) stillIssues(tx *store.Tx) error {
	parent := a.parent()
	if parent == nil {
		return nil
	}
	valid, err := tx.KeyValid(a.Company.ID, *parent)
	if err == nil && !valid {
		err = model.Errorf(model.CodeKeyRevoked, "This API key was revoked.")
	}
	return err
}

// mayIssue refuses to hand out a key that lives longer than the principal's own or has a higher rate.
func (a *Principal) mayIssue(expires *time.Time, rate model.Rate) error {
	if a.parent() == nil {
		return nil
	}
	if end := a.integration.ExpiresAt; end != nil && (expires == nil || expires.After(*end)) {
		return errBeyondKey("body.expires_at", "This key expires at "+end.UTC().Format(time.RFC3339)+" and cannot give out keys that live longer.")
	}
	if !within(rate, a.Rate) {
		return errBeyondKey("body.rate", "This key cannot give out keys with a higher rate than its own.")
	}
	return nil
}

func within(rate, most model.Rate) bool {
	return rate.PerSecond <= most.PerSecond && rate.Burst <= most.Burst
}

func errBeyondKey(field, message string) error {
	return &model.Error{
		Code: model.CodeInsufficientScope, Message: message, Fields: []model.FieldError{{Field: field, Message: message}},
	}
}
