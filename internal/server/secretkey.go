package server

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"recado/internal/channels"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/people"
	"recado/internal/privacy"
	"recado/internal/push"
	"recado/internal/vault"
	"recado/internal/webhooks"
)

// SecretKey checks that the secret key of an installation fits its database, and reseals all secrets if the key changes or is
// lost.
type SecretKey struct {
	store   *kernel.Store
	vault   *vault.Vault
	privacy *privacy.Privacy
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
	if err == nil && fits && !stored {
		err = k.store.Write(ctx, func(tx *kernel.Tx) error {
			_, err := tx.InsertSecretCheck(k.vault.Seal(checkValue, checkOwner))
			return err
		})
		if err == nil {
			return k.Fits(ctx) // another node may have stored its value first
		}
	}
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
	err = k.store.Read(ctx, func(tx *kernel.Tx) error {
		sealed, found, err := tx.SecretCheck()
		if stored = found; err != nil || stored {
			fits = err == nil && OpensSecretCheck(k.vault, sealed)
			return err
		}
		hooks, err := webhooks.AllWebhooks(tx)
		if err != nil {
			return err
		}
		numbers, err := channels.SealedChannels(tx)
		fits = len(hooks)+len(numbers) == 0
		for _, w := range hooks {
			fits = fits || k.opens(w.Secret, w.Company, w.ID)
		}
		for _, ch := range numbers {
			fits = fits || k.opens(ch.Secrets, ch.Company, ch.ID)
		}
		return err
	})
	return fits && err == nil, stored, err
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

func (k *SecretKey) resealPushKey(tx *kernel.Tx) error {
	sealed, found, err := push.SealedKey(tx)
	if err != nil || !found || !k.vault.Stale(sealed) {
		return err
	}
	plain, err := k.vault.Open(sealed, push.KeyOwner())
	if err == nil {
		push.ResealKey(tx, sealed, k.vault.Seal(plain, push.KeyOwner()))
	}
	return err
}

func (k *SecretKey) resealErasureKey(tx *kernel.Tx) error {
	sealed, found, err := privacy.SealedKey(tx)
	if err != nil || !found || !k.vault.Stale(sealed) {
		return err
	}
	plain, err := k.vault.Open(sealed, privacy.KeyOwner())
	if err == nil {
		privacy.ResealKey(tx, sealed, k.vault.Seal(plain, privacy.KeyOwner()))
	}
	return err
}

// Replaced is the result of ReplaceLost: how many webhooks, channels and members were affected.
type Replaced struct {
	Webhooks, Channels, Members int
	List                        string // where the list of erased people was moved; "": it was not
}

// ReplaceLost replaces all secrets that the current key does not open, for an installation whose secret key is lost. The
// affected webhooks get a new secret and are deactivated, channels are disconnected, and two-factor sign-in is disabled for
// members. Devices lose their notifications until they subscribe again. The list of erased people is moved away if its key is
// lost. ReplaceLost refuses if the current key fits.
func (k *SecretKey) ReplaceLost(ctx context.Context) (done Replaced, err error) {
	fits, _, err := k.fits(ctx)
	if err != nil {
		return done, err
	}
	if fits {
		return done, kernel.Errorf(kernel.CodeInvalidRequest, "The secret key matches this database: no secrets are lost.")
	}
	if done.List, err = k.privacy.MoveLostList(); err != nil { // first, because a second call is refused
		return done, err
	}
	err = k.store.Write(ctx, func(tx *kernel.Tx) (err error) {
		if done.Webhooks, err = k.replaceWebhookSecrets(tx); err != nil {
			return err
		}
		if done.Channels, err = k.replaceCredentials(tx); err != nil {
			return err
		}
		if done.Members, err = k.dropTwoFactor(tx); err != nil {
			return err
		}
		if err := k.dropPushKey(tx); err != nil {
			return err
		}
		if err := k.dropErasureKey(tx); err != nil {
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
	return done, err
}

func (k *SecretKey) replaceWebhookSecrets(tx *kernel.Tx) (int, error) {
	all, err := webhooks.AllWebhooks(tx)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, w := range all {
		w, err := webhooks.LockWebhook(tx, w.Company, w.ID)
		if kernel.CodeOf(err) == kernel.CodeNotFound { // deleted meanwhile
			continue
		}
		if err != nil {
			return n, err
		}
		if k.opens(w.Secret, w.Company, w.ID) && (w.OldSecret == nil || k.opens(w.OldSecret, w.Company, w.ID)) {
			continue
		}
		w.OldSecret, w.OldSecretUntil = nil, nil
		if !k.opens(w.Secret, w.Company, w.ID) {
			w.Secret, w.Active = k.vault.Seal([]byte(webhooks.NewSigningSecret()), w.Company, w.ID), false
			auditLost(tx, "webhook.rotated", "webhook", w.Company, w.ID, w.Name)
			n++
		}
		w.UpdatedAt = tx.Now
		webhooks.SaveWebhook(tx, w)
	}
	return n, nil
}

// auditLost records a change that the operator made because the secret key is lost.
func auditLost(tx *kernel.Tx, action, noun string, company, id kernel.ID, name string) {
	e := kernel.AuditEntry{Action: action, Subject: kernel.NewAuditSubject(noun, id, name), Company: company, Actor: kernel.AuditOperator()}
	if noun == "channel" {
		e.Channel = id
	}
	tx.Audit(nil, e)
}

// replaceCredentials replaces credentials by random texts, so that nobody can forge callbacks. Linked numbers get a new key and have
// to be linked again.
func (k *SecretKey) replaceCredentials(tx *kernel.Tx) (int, error) {
	all, err := channels.SealedChannels(tx)
	n := 0
	for _, ch := range all {
		if k.opens(ch.Secrets, ch.Company, ch.ID) {
			continue
		}
		access, reason := channels.Access{Token: rand.Text(), AppSecret: rand.Text(), VerifyToken: rand.Text()}, channels.KeyLost()
		if ch.Provider == channels.ProviderLinked {
			access, reason = channels.NewLinkAccess(), channels.NotLinked()
			channels.ForgetLink(tx, ch.Company, ch.ID)
		}
		channels.ResealChannel(tx, ch, k.vault.Seal(access.Secrets(), ch.Company, ch.ID))
		channels.SetChannelStatus(tx, ch.Company, ch.ID, channels.ChannelDisconnected, &reason)
		auditLost(tx, "channel.disconnected", "channel", ch.Company, ch.ID, ch.Name)
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
			auditLost(tx, "two_factor.disabled", "member", m.Company, m.ID, m.Name)
			n++
		case m.Pending != nil && !k.opens(m.Pending, m.Company, m.ID):
			people.SetPendingTwoFactor(tx, m.Company, m.ID, nil)
		}
	}
	return n, err
}

// dropPushKey deletes the key pair for Web Push and all subscriptions if the key pair cannot be opened.
func (k *SecretKey) dropPushKey(tx *kernel.Tx) error {
	sealed, found, err := push.SealedKey(tx)
	if err != nil || !found {
		return err
	}
	if _, err := k.vault.Open(sealed, push.KeyOwner()); err != nil {
		push.Forget(tx)
	}
	return nil
}

// dropErasureKey deletes the list of erased people if the key of its hashes cannot be opened.
func (k *SecretKey) dropErasureKey(tx *kernel.Tx) error {
	sealed, found, err := privacy.SealedKey(tx)
	if err != nil || !found {
		return err
	}
	if _, err := k.vault.Open(sealed, privacy.KeyOwner()); err != nil {
		privacy.ForgetKey(tx)
	}
	return nil
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

// Reseal seals the check value, the keys for Web Push and of the list of erased people, and the secrets of all webhooks,
// channels, members and devices with the newest key of the vault, so that older keys can be retired. It returns the number of
// webhooks, channels, members and devices that needed it.
func (k *SecretKey) Reseal(ctx context.Context) (done int, err error) {
	for _, reseal := range []func(*kernel.Tx) error{k.resealCheck, k.resealPushKey, k.resealErasureKey} {
		if err := k.store.Write(ctx, reseal); err != nil {
			return 0, err
		}
	}
	var hooks []webhooks.WebhookRow
	var numbers []channels.SealedChannel
	var members []people.SealedMember
	var devices []push.SealedSubscription
	err = k.store.Read(ctx, func(tx *kernel.Tx) (err error) {
		if hooks, err = webhooks.AllWebhooks(tx); err != nil {
			return err
		}
		if numbers, err = channels.SealedChannels(tx); err != nil {
			return err
		}
		if members, err = people.SealedMembers(tx); err != nil {
			return err
		}
		devices, err = push.SealedSubscriptions(tx)
		return err
	})
	if err != nil {
		return 0, err
	}
	var stores []func(tx *kernel.Tx) (changed bool, err error)
	for _, w := range hooks {
		if k.stale(w.Secret, w.OldSecret) {
			stores = append(stores, func(tx *kernel.Tx) (bool, error) { return k.resealWebhook(tx, w.Company, w.ID) })
		}
	}
	for _, ch := range numbers {
		if fresh := ch.Secrets; k.stale(fresh) {
			stores = append(stores, func(tx *kernel.Tx) (bool, error) {
				err := k.reseal(ch.Company, ch.ID, &fresh)
				channels.ResealChannel(tx, ch, fresh)
				return true, err
			})
		}
	}
	for _, m := range members {
		if fresh := m; k.stale(m.Secret, m.Pending) {
			stores = append(stores, func(tx *kernel.Tx) (bool, error) {
				err := k.reseal(m.Company, m.ID, &fresh.Secret, &fresh.Pending)
				people.ResealMember(tx, m, fresh)
				return true, err
			})
		}
	}
	for _, device := range devices {
		if fresh := device.Sealed; k.stale(fresh) {
			stores = append(stores, func(tx *kernel.Tx) (bool, error) {
				err := k.reseal(device.Company, device.ID, &fresh)
				push.ResealSubscription(tx, device, fresh)
				return true, err
			})
		}
	}
	for _, store := range stores { // each in a transaction of its own
		var changed bool
		err := k.store.Write(ctx, func(tx *kernel.Tx) (err error) {
			changed, err = store(tx)
			return err
		})
		if err != nil {
			return done, err
		}
		if changed {
			done++
		}
	}
	_, err = k.privacy.KeepList(ctx) // with the sealed key
	return done, err
}

// resealWebhook reads the webhook again, because its secret may have been rotated meanwhile.
func (k *SecretKey) resealWebhook(tx *kernel.Tx, company, id kernel.ID) (changed bool, err error) {
	w, err := webhooks.LockWebhook(tx, company, id)
	if kernel.CodeOf(err) == kernel.CodeNotFound { // deleted meanwhile
		return false, nil
	}
	if err != nil || !k.stale(w.Secret, w.OldSecret) {
		return false, err
	}
	err = k.reseal(company, id, &w.Secret, &w.OldSecret)
	webhooks.SaveWebhook(tx, w)
	return true, err
}

// stale reports whether one of the values is sealed with an older key. Values may be nil.
func (k *SecretKey) stale(values ...[]byte) bool {
	return slices.ContainsFunc(values, func(sealed []byte) bool { return sealed != nil && k.vault.Stale(sealed) })
}

// reseal seals stale values with the newest key.
func (k *SecretKey) reseal(company, id kernel.ID, values ...*[]byte) error {
	for _, sealed := range values {
		if !k.stale(*sealed) {
			continue
		}
		plain, err := k.vault.Open(*sealed, company, id)
		if err != nil {
			return err
		}
		*sealed = k.vault.Seal(plain, company, id)
	}
	return nil
}

// hasSecrets reports whether the database contains sealed values.
func hasSecrets(tx *kernel.Tx) (sealed bool, err error) {
	_, err = tx.One(`
		SELECT /* all companies: the key is the installation's */ EXISTS (SELECT 1 FROM secret_check)
			OR EXISTS (SELECT 1 FROM webhooks)
			OR EXISTS (SELECT 1 FROM channels WHERE credentials IS NOT NULL) AS sealed`, nil, func(r db.Row) { sealed = r.Bool("sealed") })
	return sealed, err
}

// adviceSecretKey is the advice for a missing or wrong key.
const adviceSecretKey = "put the secret.key of this installation into the data folder, or give its content as --secret-key; " +
	"it stands in the data folder that the database comes from. If it is lost for good, run `recado secret-key replace-lost`"

// openVault opens the secret keys. It creates a key file only if the database contains no secrets, because a new key could not
// open those of a restored database.
func openVault(ctx context.Context, c Config, db *kernel.Store) (*vault.Vault, error) {
	if c.SecretKey != "" {
		return vault.FromEnv(c.SecretKey)
	}
	needed := false
	err := db.ReadOne(ctx, func(tx *kernel.Tx) (err error) {
		needed, err = hasSecrets(tx)
		return err
	})
	if err != nil {
		return nil, err
	}
	if !needed || c.LostSecretKey {
		if _, err := os.Stat(c.DataDir); c.Existing && errors.Is(err, fs.ErrNotExist) {
			return nil, noData(c.DataDir)
		}
		return vault.Open(c.DataDir)
	}
	keys, err := vault.Load(c.DataDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the secret key of this database is missing: there is no secret.key in %s; %s", c.DataDir, adviceSecretKey)
	}
	return keys, err
}

// checkSecretKey returns an error if the key does not fit the database.
func (s *Server) checkSecretKey(ctx context.Context) error {
	if s.config.LostSecretKey {
		return nil
	}
	err := s.Desk.SecretKey().Check(ctx)
	if errors.Is(err, ErrWrongSecretKey) {
		return fmt.Errorf("%w: %s", err, adviceSecretKey)
	}
	return err
}
