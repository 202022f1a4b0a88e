package desk

import (
	"context"
	"errors"

	"recado/internal/model"
	"recado/internal/store"
)

// ErrWrongSecretKey is for a secret key that does not open what the database holds.
var ErrWrongSecretKey = errors.New("the secret key does not fit this database")

// secretCheck is what the check value holds, sealed for no company.
var (
	secretCheck      = []byte("recado")
	secretCheckOwner model.ID
)

// CheckSecretKey gives ErrWrongSecretKey when the vault does not hold the key that this database was sealed with.
// The first call on a database stores the value by which later ones check.
func (d System) CheckSecretKey(ctx context.Context) error {
	fits, stored, err := d.secretKeyFits(ctx)
	if err != nil || stored || !fits {
		return errOr(err, keyError(fits))
	}
	fresh, err := write(ctx, d.Desk, func(tx *store.Tx) (bool, error) {
		return tx.InsertSecretCheck(d.vault.Seal(secretCheck, secretCheckOwner))
	})
	if err != nil || fresh {
		return err
	}
	fits, _, err = d.secretKeyFits(ctx) // another node stored its value first
	return errOr(err, keyError(fits))
}

func keyError(fits bool) error {
	if fits {
		return nil
	}
	return ErrWrongSecretKey
}

// secretKeyFits reports whether the vault opens the check value, and whether there is one. Databases of older
// versions have none: there the key has to open one of the secrets, if there are any.
func (d *Desk) secretKeyFits(ctx context.Context) (fits, stored bool, err error) {
	var sealed []byte
	var older []sealedSecret
	err = d.store.Read(ctx, func(tx *store.Tx) (err error) {
		if sealed, stored, err = tx.SecretCheck(); err == nil && !stored {
			older, err = sealedSecrets(tx)
		}
		return err
	})
	if err != nil {
		return false, false, err
	}
	if stored {
		_, err := d.vault.Open(sealed, secretCheckOwner)
		return err == nil, true, nil
	}
	for _, s := range older {
		if _, err := d.vault.Open(s.sealed, s.company, s.id); err == nil {
			return true, false, nil
		}
	}
	return len(older) == 0, false, nil
}

// sealedSecret is the secret of a webhook or the credentials of a channel.
type sealedSecret struct {
	company, id model.ID
	sealed      []byte
}

func sealedSecrets(tx *store.Tx) ([]sealedSecret, error) {
	var all []sealedSecret
	webhooks, err := tx.AllWebhooks()
	if err != nil {
		return nil, err
	}
	for _, w := range webhooks {
		all = append(all, sealedSecret{w.Company, w.ID, w.Secret})
	}
	channels, err := tx.SealedChannels()
	for _, ch := range channels {
		all = append(all, sealedSecret{ch.Company, ch.ID, ch.Secrets})
	}
	return all, err
}

// resealCheck seals the check value with the newest key.
func (d *Desk) resealCheck(ctx context.Context) error {
	_, err := write(ctx, d, func(tx *store.Tx) (struct{}, error) {
		sealed, found, err := tx.SecretCheck()
		if err != nil || !found || !d.vault.Stale(sealed) {
			return struct{}{}, err
		}
		if _, err := d.vault.Open(sealed, secretCheckOwner); err != nil {
			return struct{}{}, err
		}
		tx.ReplaceSecretCheck(sealed, d.vault.Seal(secretCheck, secretCheckOwner))
		return struct{}{}, nil
	})
	return err
}
