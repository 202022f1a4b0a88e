package desk

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"

	"recado/internal/model"
	"recado/internal/signature"
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

// reasonLostKey is why a channel is disconnected whose credentials cannot be read any more.
const reasonLostKey = "The secret key of this installation was lost. Connect the channel again with its token and app secret."

// ReplaceLostSecrets makes an installation usable whose secret key is lost for good: what the present key does not
// open is replaced. Such webhooks get a new secret and are deactivated, such channels are disconnected, and two-factor
// sign-in is switched off for such members. It tells how many of each there were, and refuses when the present key fits.
func (d System) ReplaceLostSecrets(ctx context.Context) (webhooks, channels, members int, err error) {
	fits, _, err := d.secretKeyFits(ctx)
	if err != nil {
		return 0, 0, 0, err
	}
	if fits {
		return 0, 0, 0, model.Errorf(model.CodeInvalidRequest, "The secret key fits this database: no secret is lost.")
	}
	_, err = write(ctx, d.Desk, func(tx *store.Tx) (_ struct{}, err error) {
		if webhooks, err = d.replaceWebhookSecrets(tx); err != nil {
			return struct{}{}, err
		}
		if channels, err = d.replaceCredentials(tx); err != nil {
			return struct{}{}, err
		}
		if members, err = d.dropTwoFactor(tx); err != nil {
			return struct{}{}, err
		}
		fresh := d.vault.Seal(secretCheck, secretCheckOwner)
		old, found, err := tx.SecretCheck()
		if err != nil {
			return struct{}{}, err
		}
		if found {
			tx.ReplaceSecretCheck(old, fresh)
			return struct{}{}, nil
		}
		_, err = tx.InsertSecretCheck(fresh)
		return struct{}{}, err
	})
	return webhooks, channels, members, err
}

func (d *Desk) replaceWebhookSecrets(tx *store.Tx) (int, error) {
	all, err := tx.AllWebhooks()
	if err != nil {
		return 0, err
	}
	n := 0
	for _, w := range all {
		w, found, err := tx.LockWebhook(w.Company, w.ID)
		if err != nil {
			return n, err
		}
		if !found || d.opens(w.Secret, w.Company, w.ID) && (w.OldSecret == nil || d.opens(w.OldSecret, w.Company, w.ID)) {
			continue
		}
		w.OldSecret, w.OldSecretUntil = nil, nil
		if !d.opens(w.Secret, w.Company, w.ID) {
			w.Secret, w.Active = d.vault.Seal([]byte(signature.NewSecret()), w.Company, w.ID), false
			n++
		}
		w.UpdatedAt = tx.Now
		tx.SaveWebhook(w)
	}
	return n, nil
}

// replaceCredentials puts random text in the place of credentials, so that no callback can be forged meanwhile.
func (d *Desk) replaceCredentials(tx *store.Tx) (int, error) {
	all, err := tx.SealedChannels()
	n := 0
	for _, ch := range all {
		if d.opens(ch.Secrets, ch.Company, ch.ID) {
			continue
		}
		plain, _ := json.Marshal(secrets{rand.Text(), rand.Text(), rand.Text()}) // strings always encode
		tx.ResealChannel(ch, d.vault.Seal(plain, ch.Company, ch.ID))
		tx.SetChannelStatus(ch.Company, ch.ID, model.ChannelDisconnected, new(reasonLostKey))
		n++
	}
	return n, err
}

// dropTwoFactor switches two-factor off for the members whose secret cannot be read.
func (d *Desk) dropTwoFactor(tx *store.Tx) (int, error) {
	all, err := tx.SealedMembers()
	n := 0
	for _, m := range all {
		switch {
		case m.Secret != nil && !d.opens(m.Secret, m.Company, m.ID):
			tx.SetTwoFactor(m.Company, m.ID, nil, nil)
			n++
		case m.Pending != nil && !d.opens(m.Pending, m.Company, m.ID):
			tx.SetPendingTwoFactor(m.Company, m.ID, nil)
		}
	}
	return n, err
}

func (d *Desk) opens(sealed []byte, company, id model.ID) bool {
	_, err := d.vault.Open(sealed, company, id)
	return err == nil
}

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

// Reseal seals the secrets of all webhooks, the credentials of all channels, the secrets of two-factor of all members and
// the check value with the newest key of the vault, so that older ones can be dropped. It tells how many webhooks,
// channels and members needed it.
func (d System) Reseal(ctx context.Context) (int, error) {
	if err := d.resealCheck(ctx); err != nil {
		return 0, err
	}
	webhooks, err := d.resealWebhooks(ctx)
	if err != nil {
		return webhooks, err
	}
	channels, err := d.resealChannels(ctx)
	if err != nil {
		return webhooks + channels, err
	}
	members, err := d.resealMembers(ctx)
	return webhooks + channels + members, err
}

func (d *Desk) resealMembers(ctx context.Context) (int, error) {
	all, err := read(ctx, d, func(tx *store.Tx) ([]store.SealedMember, error) { return tx.SealedMembers() })
	if err != nil {
		return 0, err
	}
	done := 0
	for _, m := range all {
		fresh, stale := m, false
		for _, sealed := range []*[]byte{&fresh.Secret, &fresh.Pending} {
			if *sealed == nil || !d.vault.Stale(*sealed) {
				continue
			}
			plain, err := d.vault.Open(*sealed, m.Company, m.ID)
			if err != nil {
				return done, err
			}
			*sealed, stale = d.vault.Seal(plain, m.Company, m.ID), true
		}
		if !stale {
			continue
		}
		_, err := write(ctx, d, func(tx *store.Tx) (struct{}, error) {
			tx.ResealMember(m, fresh)
			return struct{}{}, nil
		})
		if err != nil {
			return done, err
		}
		done++
	}
	return done, nil
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
