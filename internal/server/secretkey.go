package server

import (
	"context"
	"crypto/rand"
	"errors"

	"recado/internal/channels"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/people"
	"recado/internal/vault"
	"recado/internal/webhooks"
)

// SecretKey checks that the secret key of an installation fits its database, and reseals all secrets if the key changes or is
// lost.
type SecretKey struct {
	kernel *kernel.Kernel
	store  *kernel.Store
	vault  *vault.Vault
}

// ErrWrongSecretKey is returned for a secret key that does not open the secrets in the database.
var ErrWrongSecretKey = errors.New("the secret key does not match this database")

// The content of the check value, which belongs to no company.
var (
	checkValue = []byte("recado")
	checkOwner kernel.ID
)

// Check returns ErrWrongSecretKey if the vault does not have the key of this database. The first call for a database stores
// the check value.
func (k *SecretKey) Check(ctx context.Context) error {
	fits, stored, err := k.fits(ctx)
	if err != nil || stored || !fits {
		return wrongUnless(fits, err)
	}
	inserted, err := kernel.Write(ctx, k.kernel, func(tx *kernel.Tx) (bool, error) {
		return tx.InsertSecretCheck(k.vault.Seal(checkValue, checkOwner))
	})
	if err != nil || inserted {
		return err
	}
	fits, _, err = k.fits(ctx) // another node stored its value first
	return wrongUnless(fits, err)
}

// Fits returns ErrWrongSecretKey if the vault no longer has the key of the database. It stores nothing.
func (k *SecretKey) Fits(ctx context.Context) error {
	fits, _, err := k.fits(ctx)
	return wrongUnless(fits, err)
}

// OpensSecretCheck reports whether the vault opens the check value of a database.
func OpensSecretCheck(v *vault.Vault, sealed []byte) bool {
	_, err := v.Open(sealed, checkOwner)
	return err == nil
}

func wrongUnless(fits bool, err error) error {
	if err == nil && !fits {
		return ErrWrongSecretKey
	}
	return err
}

// fits reports whether the vault opens the check value, and whether there is one. If there is none, the key must open one of
// the secrets, if there are any.
func (k *SecretKey) fits(ctx context.Context) (fits, stored bool, err error) {
	var sealed []byte
	var older []sealedSecret
	err = k.store.Read(ctx, func(tx *kernel.Tx) (err error) {
		if sealed, stored, err = tx.SecretCheck(); err == nil && !stored {
			older, err = sealedSecrets(tx)
		}
		return err
	})
	if err != nil {
		return false, false, err
	}
	if stored {
		return OpensSecretCheck(k.vault, sealed), true, nil
	}
	for _, s := range older {
		if _, err := k.vault.Open(s.sealed, s.company, s.id); err == nil {
			return true, false, nil
		}
	}
	return len(older) == 0, false, nil
}

// sealedSecret is the secret of a webhook or the credentials of a channel.
type sealedSecret struct {
	company, id kernel.ID
	sealed      []byte
}

func sealedSecrets(tx *kernel.Tx) ([]sealedSecret, error) {
	var all []sealedSecret
	webhooks, err := webhooks.AllWebhooks(tx)
	if err != nil {
		return nil, err
	}
	for _, w := range webhooks {
		all = append(all, sealedSecret{w.Company, w.ID, w.Secret})
	}
	channels, err := channels.SealedChannels(tx)
	for _, ch := range channels {
		all = append(all, sealedSecret{ch.Company, ch.ID, ch.Secrets})
	}
	return all, err
}

func (k *SecretKey) resealCheck(tx *kernel.Tx) error {
	sealed, found, err := tx.SecretCheck()
	if err != nil || !found || !k.vault.Stale(sealed) {
		return err
	}
	if _, err := k.vault.Open(sealed, checkOwner); err != nil {
		return err
	}
	tx.ReplaceSecretCheck(sealed, k.vault.Seal(checkValue, checkOwner))
	return nil
}

// ReplaceLost replaces all secrets that the current key does not open, for an installation whose secret key is lost. The
// affected webhooks get a new secret and are deactivated, channels are disconnected, and two-factor sign-in is disabled for
// members. It returns how many of each were affected. It refuses if the current key fits.
func (k *SecretKey) ReplaceLost(ctx context.Context) (webhooks, channels, members int, err error) {
	fits, _, err := k.fits(ctx)
	if err != nil {
		return 0, 0, 0, err
	}
	if fits {
		return 0, 0, 0, kernel.Errorf(kernel.CodeInvalidRequest, "The secret key matches this database: no secrets are lost.")
	}
	err = k.store.Write(ctx, func(tx *kernel.Tx) (err error) {
		if webhooks, err = k.replaceWebhookSecrets(tx); err != nil {
			return err
		}
		if channels, err = k.replaceCredentials(tx); err != nil {
			return err
		}
		if members, err = k.dropTwoFactor(tx); err != nil {
			return err
		}
		fresh := k.vault.Seal(checkValue, checkOwner)
		old, found, err := tx.SecretCheck()
		if err != nil {
			return err
		}
		if found {
			tx.ReplaceSecretCheck(old, fresh)
			return nil
		}
		_, err = tx.InsertSecretCheck(fresh)
		return err
	})
	return webhooks, channels, members, err
}

func (k *SecretKey) replaceWebhookSecrets(tx *kernel.Tx) (int, error) {
	all, err := webhooks.AllWebhooks(tx)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, w := range all {
		w, found, err := webhooks.LockWebhook(tx, w.Company, w.ID)
		if err != nil {
			return n, err
		}
		if !found || k.opens(w.Secret, w.Company, w.ID) && (w.OldSecret == nil || k.opens(w.OldSecret, w.Company, w.ID)) {
			continue
		}
		w.OldSecret, w.OldSecretUntil = nil, nil
		if !k.opens(w.Secret, w.Company, w.ID) {
			w.Secret, w.Active = k.vault.Seal([]byte(webhooks.NewSigningSecret()), w.Company, w.ID), false
			n++
		}
		w.UpdatedAt = tx.Now
		webhooks.SaveWebhook(tx, w)
	}
	return n, nil
}

// replaceCredentials replaces credentials by random texts, so that nobody can forge callbacks.
func (k *SecretKey) replaceCredentials(tx *kernel.Tx) (int, error) {
	all, err := channels.SealedChannels(tx)
	n := 0
	for _, ch := range all {
		if k.opens(ch.Secrets, ch.Company, ch.ID) {
			continue
		}
		plain := channels.Access{Token: rand.Text(), AppSecret: rand.Text(), VerifyToken: rand.Text()}.Secrets()
		channels.ResealChannel(tx, ch, k.vault.Seal(plain, ch.Company, ch.ID))
		channels.SetChannelStatus(tx, ch.Company, ch.ID, channels.ChannelDisconnected, new(channels.KeyLost()))
		n++
	}
	return n, err
}

// dropTwoFactor disables two-factor sign-in for members whose secret cannot be opened.
func (k *SecretKey) dropTwoFactor(tx *kernel.Tx) (int, error) {
	all, err := people.SealedMembers(tx)
	n := 0
	for _, m := range all {
		switch {
		case m.Secret != nil && !k.opens(m.Secret, m.Company, m.ID):
			people.SetTwoFactor(tx, m.Company, m.ID, nil, nil)
			n++
		case m.Pending != nil && !k.opens(m.Pending, m.Company, m.ID):
			people.SetPendingTwoFactor(tx, m.Company, m.ID, nil)
		}
	}
	return n, err
}

func (k *SecretKey) opens(sealed []byte, company, id kernel.ID) bool {
	_, err := k.vault.Open(sealed, company, id)
	return err == nil
}

// Rotate adds a new key to the key file and reseals all secrets with it. The older keys stay in the file until Retire. It
// returns the result of Reseal.
func (k *SecretKey) Rotate(ctx context.Context) (int, error) {
	if err := k.vault.Rotate(); err != nil {
		return 0, err
	}
	return k.Reseal(ctx)
}

// Retire reseals all secrets and removes all keys but the newest from the key file.
func (k *SecretKey) Retire(ctx context.Context) error {
	if _, err := k.Reseal(ctx); err != nil {
		return err
	}
	return k.vault.Retire()
}

// Reseal seals the check value and the secrets of all webhooks, channels and members with the newest key of the vault, so that
// older keys can be retired. It returns the number of webhooks, channels and members that needed it.
func (k *SecretKey) Reseal(ctx context.Context) (done int, err error) {
	if err := k.store.Write(ctx, k.resealCheck); err != nil {
		return 0, err
	}
	for _, reseal := range []func(context.Context) (int, error){k.resealWebhooks, k.resealChannels, k.resealMembers} {
		n, err := reseal(ctx)
		if done += n; err != nil {
			return done, err
		}
	}
	return done, nil
}

// reseal seals values with the newest key if they are stale, and reports whether there were any. Values may be nil.
func (k *SecretKey) reseal(company, id kernel.ID, values ...*[]byte) (changed bool, err error) {
	for _, sealed := range values {
		if *sealed == nil || !k.vault.Stale(*sealed) {
			continue
		}
		plain, err := k.vault.Open(*sealed, company, id)
		if err != nil {
			return false, err
		}
		*sealed, changed = k.vault.Seal(plain, company, id), true
	}
	return changed, nil
}

func (k *SecretKey) resealMembers(ctx context.Context) (done int, err error) {
	all, err := kernel.Read(ctx, k.kernel, people.SealedMembers)
	for _, m := range all {
		fresh := m
		changed, err := k.reseal(m.Company, m.ID, &fresh.Secret, &fresh.Pending)
		if err == nil && changed {
			done++
			err = k.store.Write(ctx, func(tx *kernel.Tx) error {
				people.ResealMember(tx, m, fresh)
				return nil
			})
		}
		if err != nil {
			return done, err
		}
	}
	return done, err
}

func (k *SecretKey) resealWebhooks(ctx context.Context) (done int, err error) {
	all, err := kernel.Read(ctx, k.kernel, webhooks.AllWebhooks)
	for _, w := range all {
		if !k.vault.Stale(w.Secret) && (w.OldSecret == nil || !k.vault.Stale(w.OldSecret)) {
			continue
		}
		changed, err := kernel.Write(ctx, k.kernel, func(tx *kernel.Tx) (bool, error) {
			w, found, err := webhooks.LockWebhook(tx, w.Company, w.ID)
			if err != nil || !found {
				return false, err
			}
			changed, err := k.reseal(w.Company, w.ID, &w.Secret, &w.OldSecret)
			if changed {
				webhooks.SaveWebhook(tx, w)
			}
			return changed, err
		})
		if err != nil {
			return done, err
		}
		if changed {
			done++
		}
	}
	return done, err
}

func (k *SecretKey) resealChannels(ctx context.Context) (done int, err error) {
	all, err := kernel.Read(ctx, k.kernel, channels.SealedChannels)
	for _, ch := range all {
		fresh := ch.Secrets
		changed, err := k.reseal(ch.Company, ch.ID, &fresh)
		if err == nil && changed {
			done++
			err = k.store.Write(ctx, func(tx *kernel.Tx) error {
				channels.ResealChannel(tx, ch, fresh)
				return nil
			})
		}
		if err != nil {
			return done, err
		}
	}
	return done, err
}

// hasSecrets reports whether the database contains sealed values.
func hasSecrets(tx *kernel.Tx) (sealed bool, err error) {
	_, err = tx.One(`
		SELECT /* all companies: the key is the installation's */ EXISTS (SELECT 1 FROM secret_check)
			OR EXISTS (SELECT 1 FROM webhooks)
			OR EXISTS (SELECT 1 FROM channels WHERE credentials IS NOT NULL) AS sealed`, nil, func(r db.Row) { sealed = r.Bool("sealed") })
	return sealed, err
}
