package desk

import (
	"context"
	"crypto/rand"
	"encoding/json"

	"recado/internal/model"
	"recado/internal/store"
)

// reasonLostKey is why a channel is disconnected whose credentials cannot be read any more.
const reasonLostKey = "The secret key of this installation was lost. Connect the channel again with its token and app secret."

// ReplaceLostSecrets makes an installation usable whose secret key is lost for good: what the present key does not
// open is replaced. Such webhooks get a new secret and are deactivated, such channels are disconnected. It tells
// how many of each there were, and refuses when the present key fits.
func (d System) ReplaceLostSecrets(ctx context.Context) (webhooks, channels int, err error) {
	fits, _, err := d.secretKeyFits(ctx)
	if err != nil {
		return 0, 0, err
	}
	if fits {
		return 0, 0, model.Errorf(model.CodeInvalidRequest, "The secret key fits this database: nothing is lost.")
	}
	_, err = write(ctx, d.Desk, func(tx *store.Tx) (_ struct{}, err error) {
		if webhooks, err = d.replaceWebhookSecrets(tx); err != nil {
			return struct{}{}, err
		}
		if channels, err = d.replaceCredentials(tx); err != nil {
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
	return webhooks, channels, err
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
			w.Secret, w.Active = d.vault.Seal([]byte(model.NewWebhookSecret()), w.Company, w.ID), false
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

func (d *Desk) opens(sealed []byte, company, id model.ID) bool {
	_, err := d.vault.Open(sealed, company, id)
	return err == nil
}
