package desk

import (
	"context"
	"strings"
	"unicode/utf8"

	"recado/internal/model"
	"recado/internal/store"
)

// SetPassword gives the member of a company with that e-mail address a new password. It is for the operator:
// no call of the API sets the password of another person.
func (d System) SetPassword(ctx context.Context, company model.ID, email, password string) error {
	hash, err := d.hashPassword(ctx, "password", password)
	if err != nil {
		return err
	}
	_, err = write(ctx, d.Desk, func(tx *store.Tx) (struct{}, error) {
		found, err := tx.SetPassword(company, strings.TrimSpace(email), *hash)
		if err == nil && !found {
			err = model.NotFound("team member")
		}
		return struct{}{}, err
	})
	return err
}

// hashPassword checks a new password and hashes it, which is expensive: the caller has checked first that
// the principal may set it.
func (d *Desk) hashPassword(ctx context.Context, field, text string) (*string, error) {
	if n := utf8.RuneCountInString(text); n < model.MinPassword || n > model.MaxPassword {
		return nil, model.Invalid(field, "must have 10 to 256 characters")
	}
	hash, err := d.passwords.Hash(ctx, text)
	return &hash, err
}
