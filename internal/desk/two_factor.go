package desk

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"strings"

	"recado/internal/model"
	"recado/internal/store"
	"recado/internal/totp"
)

const recoveryCodes = 10

// TwoFactorSecret is what an authenticator app needs.
type TwoFactorSecret struct {
	Secret string `json:"secret" doc:"Base32, for typing it in."`
	URL    string `json:"url" doc:"otpauth:// address, usually shown as a QR code."`
}

// BeginTwoFactor gives the caller a secret, which counts once it is confirmed.
func (d *Desk) BeginTwoFactor(ctx context.Context, a *Principal, v Visitor, password string) (TwoFactorSecret, error) {
	if err := a.May(VerbBeginTwoFactor); err != nil {
		return TwoFactorSecret{}, err
	}
	if err := d.checkOwnPassword(ctx, a, v, "body.password", password); err != nil {
		return TwoFactorSecret{}, err
	}
	secret := totp.NewSecret()
	sealed := d.vault.Seal([]byte(secret), a.Company.ID, a.User.ID)
	return write(ctx, d, func(tx *store.Tx) (TwoFactorSecret, error) {
		p, found, err := tx.Profile(a.Company.ID, a.User.ID)
		switch {
		case err != nil || !found:
			return TwoFactorSecret{}, errOr(err, model.NotFound("team member"))
		case p.TwoFactor != nil:
			return TwoFactorSecret{}, model.Errorf(model.CodeTwoFactorActive, "Two-factor sign-in is on already. Switch it off first to use another device.")
		}
		tx.SetPendingTwoFactor(a.Company.ID, a.User.ID, sealed)
		return TwoFactorSecret{Secret: secret, URL: totp.URL(secret, p.Email, a.Company.Name)}, nil
	})
}

// ConfirmTwoFactor switches two-factor on with a code of the pending secret, and gives the recovery codes.
func (d *Desk) ConfirmTwoFactor(ctx context.Context, a *Principal, code string) ([]string, error) {
	if err := a.May(VerbConfirmTwoFactor); err != nil {
		return nil, err
	}
	return write(ctx, d, func(tx *store.Tx) ([]string, error) {
		p, found, err := tx.Profile(a.Company.ID, a.User.ID)
		switch {
		case err != nil || !found:
			return nil, errOr(err, model.NotFound("team member"))
		case p.TwoFactor != nil:
			return nil, model.Errorf(model.CodeTwoFactorActive, "Two-factor sign-in is on already.")
		case p.Pending == nil:
			return nil, model.Invalid("body.code", "there is nothing to confirm: ask for a secret first")
		}
		if err := d.useStep(tx, a.Company.ID, a.User.ID, p.Pending, code); err != nil {
			if model.CodeOf(err) == model.CodeCodeInvalid {
				err = model.Invalid("body.code", "is wrong: give the six digits that the authenticator app shows now")
			}
			return nil, err
		}
		codes, hashes := newRecoveryCodes()
		tx.SetTwoFactor(a.Company.ID, a.User.ID, p.Pending, hashes)
		tx.AfterCommit(d.forgetHolders)
		return codes, nil
	})
}

// DisableTwoFactor switches two-factor off.
func (d *Desk) DisableTwoFactor(ctx context.Context, a *Principal, v Visitor, password, code string) error {
	if err := a.May(VerbDisableTwoFactor); err != nil {
		return err
	}
	if err := d.checkOwnPassword(ctx, a, v, "body.password", password); err != nil {
		return err
	}
	_, err := write(ctx, d, func(tx *store.Tx) (struct{}, error) {
		p, found, err := tx.Profile(a.Company.ID, a.User.ID)
		if err != nil || !found {
			return struct{}{}, errOr(err, model.NotFound("team member"))
		}
		if err := d.useCode(tx, a.Company.ID, a.User.ID, p.TwoFactor, code); err != nil {
			return struct{}{}, err
		}
		tx.SetTwoFactor(a.Company.ID, a.User.ID, nil, nil)
		tx.AfterCommit(d.forgetHolders)
		return struct{}{}, nil
	})
	return err
}

// useCode accepts a code of a sealed secret, or a recovery code, once. Without a secret every code will do.
func (d *Desk) useCode(tx *store.Tx, company, member model.ID, sealed []byte, code string) error {
	if sealed == nil {
		return nil
	}
	if hash, ok := recoveryHash(code); ok {
		used, err := tx.UseRecoveryCode(company, member, hash)
		if err != nil || !used {
			return errOr(err, errCodeInvalid())
		}
		return nil
	}
	return d.useStep(tx, company, member, sealed, code)
}

// useStep accepts the time step of a code unless it or a later one was accepted before.
func (d *Desk) useStep(tx *store.Tx, company, member model.ID, sealed []byte, code string) error {
	secret, err := d.vault.Open(sealed, company, member)
	if err != nil {
		return err
	}
	step, ok := totp.Step(string(secret), code, tx.Now)
	if !ok {
		return errCodeInvalid()
	}
	fresh, err := tx.UseTwoFactorStep(company, member, step)
	if err != nil || !fresh {
		return errOr(err, errCodeInvalid())
	}
	return nil
}

var recoveryAlphabet = base32.StdEncoding.WithPadding(base32.NoPadding)

// newRecoveryCodes makes codes such as "k3jd8-s9fa2-...": 80 random bits each.
func newRecoveryCodes() (codes []string, hashes [][32]byte) {
	for range recoveryCodes {
		raw := make([]byte, 10)
		_, _ = rand.Read(raw)
		text := strings.ToLower(recoveryAlphabet.EncodeToString(raw))
		codes = append(codes, text[:4]+"-"+text[4:8]+"-"+text[8:12]+"-"+text[12:])
		hashes = append(hashes, sha256.Sum256([]byte(text)))
	}
	return codes, hashes
}

// recoveryHash reads a recovery code in any spelling, and reports false for anything else.
func recoveryHash(code string) ([32]byte, bool) {
	text := strings.ToLower(strings.NewReplacer("-", "", " ", "").Replace(code))
	return sha256.Sum256([]byte(text)), len(text) == 16
}

// newToken makes a secret of 32 random bytes for a cookie or a link, and the hash that is stored of it.
func newToken() (token string, hash [32]byte) {
	raw := make([]byte, 32)
	_, _ = rand.Read(raw)
	token = base64.RawURLEncoding.EncodeToString(raw)
	return token, sha256.Sum256([]byte(token))
}

// tokenHash is the stored form of a token that somebody sent.
func tokenHash(token string) [32]byte { return sha256.Sum256([]byte(token)) }
