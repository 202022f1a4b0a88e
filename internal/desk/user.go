package desk

import (
	"context"
	"strings"

	"recado/internal/model"
	"recado/internal/store"
)

// SetPassword gives the member of a company with that e-mail address a new password. It is for the operator:
// no call of the API sets the password of another person.
func (d *Desk) SetPassword(ctx context.Context, company model.ID, email, password string) error {
	if err := checkPassword("password", password); err != nil {
		return err
	}
	hash := hashPassword(password)
	_, err := write(ctx, d, nil, func(tx *store.Tx) (struct{}, error) {
		found, err := tx.SetPassword(company, strings.TrimSpace(email), hash)
		if err == nil && !found {
			err = model.NotFound("team member")
		}
		return struct{}{}, err
	})
	return err
}

// checkPassword checks the length of a new password; field names it in the error.
func checkPassword(field, password string) error {
	if len(password) < minPassword || len(password) > maxPassword {
		return model.Invalid(field, "must have 10 to 200 characters")
	}
	return nil
}
