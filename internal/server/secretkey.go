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

// SecretKey checks that the secret key of an installation fits its database, and seals every stored secret again when the
// key changes or was lost.
type SecretKey struct {
	store *kernel.Store
	vault *vault.Vault
}

// ErrWrongSecretKey is for a secret key that does not open what the database holds.
var ErrWrongSecretKey = errors.New("the secret key does not fit this database")

// checkValue is what the check value holds, sealed for no company.
var (
	checkValue = []byte("recado")
	checkOwner kernel.ID
)

// Check gives ErrWrongSecretKey when the vault does not hold the key that this database was sealed with.
// The first call on a database stores the value by which later ones check.
func (k *SecretKey) Check(ctx context.Context) error {
	fits, stored, err := k.fits(ctx)
	if err != nil || stored || !fits {
		return wrongUnless(fits, err)
	}
	fresh, err := writeStore(ctx, k.store, func(tx *kernel.Tx) (bool, error) {
		return tx.InsertSecretCheck(k.vault.Seal(checkValue, checkOwner))
	})
	if err != nil || fresh {
		return err
	}
	fits, _, err = k.fits(ctx) // another node stored its value first
	return wrongUnless(fits, err)
}

// Fits gives ErrWrongSecretKey when the vault no longer holds the key that the database is sealed with. It stores nothing.
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

// write runs fn in one transaction, and may run it again when the database asks for a retry.
func writeStore[T any](ctx context.Context, s *kernel.Store, fn func(tx *kernel.Tx) (T, error)) (out T, err error) {
	err = s.Write(ctx, func(tx *kernel.Tx) (err error) {
		out, err = fn(tx)
		return err
	})
	return out, err
}

// read runs fn on one snapshot.
func readStore[T any](ctx context.Context, s *kernel.Store, fn func(tx *kernel.Tx) (T, error)) (out T, err error) {
	err = s.Read(ctx, func(tx *kernel.Tx) (err error) {
		out, err = fn(tx)
		return err
	})
	return out, err
}

// fits reports whether the vault opens the check value, and whether there is one. Databases of older
// versions have none: there the key has to open one of the secrets, if there are any.
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

// resealCheck seals the check value with the newest key.
func (k *SecretKey) resealCheck(ctx context.Context) error {
	err := k.store.Write(ctx, func(tx *kernel.Tx) error {
		sealed, found, err := tx.SecretCheck()
		if err != nil || !found || !k.vault.Stale(sealed) {
			return err
		}
		if _, err := k.vault.Open(sealed, checkOwner); err != nil {
			return err
		}
		tx.ReplaceSecretCheck(sealed, k.vault.Seal(checkValue, checkOwner))
		return nil
	})
	return err
}

// ReplaceLost makes an installation usable whose secret key is lost permanently: what the present key does not
// open is replaced. Such webhooks get a new secret and are deactivated, such channels are disconnected, and two-factor
// sign-in is switched off for such members. It gives how many of each there were, and refuses when the present key fits.
func (k *SecretKey) ReplaceLost(ctx context.Context) (webhooks, channels, members int, err error) {
	fits, _, err := k.fits(ctx)
	if err != nil {
		return 0, 0, 0, err
	}
	if fits {
		return 0, 0, 0, kernel.Errorf(kernel.CodeInvalidRequest, "The secret key fits this database: no secret is lost.")
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

// replaceCredentials puts random text in the place of credentials, so that no callback can be forged meanwhile.
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

// dropTwoFactor switches two-factor off for the members whose secret cannot be read.
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

// Rotate puts a new key into the key file and seals every secret with it. The older keys stay
// in the file until Retire. It gives how many secrets there were.
func (k *SecretKey) Rotate(ctx context.Context) (int, error) {
	if err := k.vault.Rotate(); err != nil {
		return 0, err
	}
	return k.Reseal(ctx)
}

// Retire takes every key but the newest out of the key file, once nothing needs them.
func (k *SecretKey) Retire(ctx context.Context) error {
	if _, err := k.Reseal(ctx); err != nil {
		return err
	}
	return k.vault.Retire()
}

// Reseal seals the secrets of all webhooks, the credentials of all channels, the secrets of two-factor of all members and
// the check value with the newest key of the vault, so that older ones can be dropped. It gives how many webhooks,
// channels and members needed it.
func (k *SecretKey) Reseal(ctx context.Context) (int, error) {
	if err := k.resealCheck(ctx); err != nil {
		return 0, err
	}
	webhooks, err := k.resealWebhooks(ctx)
	if err != nil {
		return webhooks, err
	}
	channels, err := k.resealChannels(ctx)
	if err != nil {
		return webhooks + channels, err
	}
	members, err := k.resealMembers(ctx)
	return webhooks + channels + members, err
}

func (k *SecretKey) resealMembers(ctx context.Context) (int, error) {
	all, err := readStore(ctx, k.store, func(tx *kernel.Tx) ([]people.SealedMember, error) { return people.SealedMembers(tx) })
	if err != nil {
		return 0, err
	}
	done := 0
	for _, m := range all {
		fresh, stale := m, false
		for _, sealed := range []*[]byte{&fresh.Secret, &fresh.Pending} {
			if *sealed == nil || !k.vault.Stale(*sealed) {
				continue
			}
			plain, err := k.vault.Open(*sealed, m.Company, m.ID)
			if err != nil {
				return done, err
			}
			*sealed, stale = k.vault.Seal(plain, m.Company, m.ID), true
		}
		if !stale {
			continue
		}
		err := k.store.Write(ctx, func(tx *kernel.Tx) error {
			people.ResealMember(tx, m, fresh)
			return nil
		})
		if err != nil {
			return done, err
		}
		done++
	}
	return done, nil
}

func (k *SecretKey) resealWebhooks(ctx context.Context) (int, error) {
	all, err := readStore(ctx, k.store, func(tx *kernel.Tx) ([]webhooks.WebhookRow, error) { return webhooks.AllWebhooks(tx) })
	if err != nil {
		return 0, err
	}
	done := 0
	for _, w := range all {
		if !k.vault.Stale(w.Secret) && (w.OldSecret == nil || !k.vault.Stale(w.OldSecret)) {
			continue
		}
		if err := k.resealWebhook(ctx, w.Company, w.ID); err != nil {
			return done, err
		}
		done++
	}
	return done, nil
}

func (k *SecretKey) resealWebhook(ctx context.Context, company, id kernel.ID) error {
	err := k.store.Write(ctx, func(tx *kernel.Tx) error {
		w, found, err := webhooks.LockWebhook(tx, company, id)
		if err != nil || !found {
			return err
		}
		for _, sealed := range []*[]byte{&w.Secret, &w.OldSecret} {
			if *sealed == nil {
				continue
			}
			plain, err := k.vault.Open(*sealed, company, id)
			if err != nil {
				return err
			}
			*sealed = k.vault.Seal(plain, company, id)
		}
		webhooks.SaveWebhook(tx, w)
		return nil
	})
	return err
}

func (k *SecretKey) resealChannels(ctx context.Context) (int, error) {
	all, err := readStore(ctx, k.store, func(tx *kernel.Tx) ([]channels.SealedChannel, error) { return channels.SealedChannels(tx) })
	if err != nil {
		return 0, err
	}
	done := 0
	for _, ch := range all {
		if !k.vault.Stale(ch.Secrets) {
			continue
		}
		plain, err := k.vault.Open(ch.Secrets, ch.Company, ch.ID)
		if err != nil {
			return done, err
		}
		fresh := k.vault.Seal(plain, ch.Company, ch.ID)
		err = k.store.Write(ctx, func(tx *kernel.Tx) error {
			channels.ResealChannel(tx, ch, fresh)
			return nil
		})
		if err != nil {
			return done, err
		}
		done++
	}
	return done, nil
}

// holdsSecrets reports whether anything in the database is sealed with a secret key.
func holdsSecrets(tx *kernel.Tx) (bool, error) {
	holds := false
	_, err := tx.One(`
		SELECT /* all companies: the key is the installation's */ EXISTS (SELECT 1 FROM secret_check)
			OR EXISTS (SELECT 1 FROM webhooks)
			OR EXISTS (SELECT 1 FROM channels WHERE credentials IS NOT NULL)`, nil, func(r db.Row) { holds = r.Bool(0) })
	return holds, err
}
