package desk

import (
	"context"

	"recado/internal/model"
	"recado/internal/store"
)

// RotateSecretKey puts a new key into the key file and seals every secret with it. The older keys stay
// in the file until RetireSecretKeys. It tells how many secrets there were.
func (d System) RotateSecretKey(ctx context.Context) (int, error) {
	if err := d.vault.Rotate(); err != nil {
		return 0, err
	}
	return d.Reseal(ctx)
}

// RetireSecretKeys takes every key but the newest out of the key file, once nothing needs them.
func (d System) RetireSecretKeys(ctx context.Context) error {
	if _, err := d.Reseal(ctx); err != nil {
		return err
	}
	return d.vault.Retire()
}

// Reseal seals the secrets of all webhooks, the credentials of all channels and the check value with the newest
// key of the vault, so that older ones can be dropped. It tells how many webhooks and channels needed it.
func (d System) Reseal(ctx context.Context) (int, error) {
	if err := d.resealCheck(ctx); err != nil {
		return 0, err
	}
	webhooks, err := d.resealWebhooks(ctx)
	if err != nil {
		return webhooks, err
	}
	channels, err := d.resealChannels(ctx)
	return webhooks + channels, err
}

func (d *Desk) resealWebhooks(ctx context.Context) (int, error) {
	all, err := read(ctx, d, func(tx *store.Tx) ([]store.Webhook, error) { return tx.AllWebhooks() })
	if err != nil {
		return 0, err
	}
	done := 0
	for _, w := range all {
		if !d.vault.Stale(w.Secret) && (w.OldSecret == nil || !d.vault.Stale(w.OldSecret)) {
			continue
		}
		if err := d.resealWebhook(ctx, w.Company, w.ID); err != nil {
			return done, err
		}
		done++
	}
	return done, nil
}

func (d *Desk) resealWebhook(ctx context.Context, company, id model.ID) error {
	_, err := write(ctx, d, func(tx *store.Tx) (struct{}, error) {
		w, found, err := tx.LockWebhook(company, id)
		if err != nil || !found {
			return struct{}{}, err
		}
		for _, sealed := range []*[]byte{&w.Secret, &w.OldSecret} {
			if *sealed == nil {
				continue
			}
			plain, err := d.vault.Open(*sealed, company, id)
			if err != nil {
				return struct{}{}, err
			}
			*sealed = d.vault.Seal(plain, company, id)
		}
		tx.SaveWebhook(w)
		return struct{}{}, nil
	})
	return err
}

func (d *Desk) resealChannels(ctx context.Context) (int, error) {
	all, err := read(ctx, d, func(tx *store.Tx) ([]store.SealedChannel, error) { return tx.SealedChannels() })
	if err != nil {
		return 0, err
	}
	done := 0
	for _, ch := range all {
		if !d.vault.Stale(ch.Secrets) {
			continue
		}
		plain, err := d.vault.Open(ch.Secrets, ch.Company, ch.ID)
		if err != nil {
			return done, err
		}
		fresh := d.vault.Seal(plain, ch.Company, ch.ID)
		_, err = write(ctx, d, func(tx *store.Tx) (struct{}, error) {
			tx.ResealChannel(ch, fresh)
			return struct{}{}, nil
		})
		if err != nil {
			return done, err
		}
		done++
	}
	return done, nil
}
