package people

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"

	"recado/internal/kernel"
)

// ProfileChange lists the fields to change; nil fields stay as they are.
type ProfileChange struct {
	Name      *string
	Email     *string
	Password  *PasswordChange
	Language  *string
	Signature *string
}

// PasswordChange replaces a password.
type PasswordChange struct{ Current, New string }

const maxSignature = 120 // characters

// UpdateProfile changes the caller's own profile. A new password ends all other sessions.
func (d *People) UpdateProfile(ctx context.Context, a *kernel.Principal, v kernel.Visitor, in ProfileChange) (Session, error) {
	if err := a.May(VerbUpdateProfile); err != nil {
		return Session{}, err
	}
	change := MemberChange{Name: in.Name, Email: in.Email}
	if in.Signature != nil && len([]rune(*in.Signature)) > maxSignature {
		return Session{}, kernel.TooLong("body.signature", maxSignature)
	}
	var current, hash *string
	if in.Password != nil {
		var err error
		if current, err = d.checkOwnPassword(ctx, a, v, "body.password.current", in.Password.Current); err != nil {
			return Session{}, err
		}
		if hash, err = d.hashPassword(ctx, a.Company.ID, "body.password.new", in.Password.New); err != nil {
			return Session{}, err
		}
	}
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (Session, error) {
		if change != (MemberChange{}) {
			if err := changeSelf(tx, a, change); err != nil {
				return Session{}, err
			}
		}
		if in.Signature != nil {
			setSignature(tx, a.Company.ID, a.User.ID, strings.TrimSpace(*in.Signature))
		}
		if in.Language != nil {
			if _, err := changePreferences(tx, a, PreferencesChange{Language: in.Language}); err != nil {
				return Session{}, err
			}
		}
		if hash != nil {
			p, _, err := lockProfile(tx, a.Company.ID, a.User.ID)
			if err != nil {
				return Session{}, err
			}
			if err := p.checkCurrent("body.password.current", current); err != nil {
				return Session{}, err
			}
			setMemberPassword(tx, a.Company.ID, a.User.ID, *hash)
			endOtherSessions(tx, a.Company.ID, a.User.ID, a.Session)
		}
		d.ForgetHolders(tx, a.Company.ID)
		return currentSession(tx, a)
	})
}

// changeSelf stores the caller's name and e-mail address.
func changeSelf(tx *kernel.Tx, a *kernel.Principal, in MemberChange) error {
	m, err := lockMember(tx, a.Company.ID, a.User.ID)
	if err != nil {
		return err
	}
	if err := in.check(); err != nil {
		return err
	}
	kernel.Set(&m.Name, in.Name)
	kernel.Set(&m.Email, in.Email)
	return updateMember(tx, a.Company.ID, m.Member)
}

// checkCurrent returns an error if the password was changed since checkOwnPassword returned hash.
func (p *Profile) checkCurrent(field string, hash *string) error {
	if !kernel.Same(p.PasswordHash, hash) {
		return errNotCurrent(field)
	}
	return nil
}

func errNotCurrent(field string) error {
	return kernel.Invalid(field, ruleWrongPassword, "is not your current password")
}

// checkOwnPassword verifies the caller's password and returns its stored hash. A wrong one counts as a failed sign-in.
func (d *People) checkOwnPassword(
	ctx context.Context, a *kernel.Principal, v kernel.Visitor, field, password string,
) (*string, error) {
	attempt := newAttempt(a.Email, v.IP)
	if err := d.beginSignIn(ctx, attempt); err != nil {
		return nil, err
	}
	p, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (Profile, error) {
		p, _, err := selectProfile(tx, a.Company.ID, a.User.ID, "")
		return p, err
	})
	if err != nil {
		return nil, err
	}
	ok := false
	if p.PasswordHash == nil {
		err = d.passwords.Waste(ctx, a.Company.ID, password)
	} else {
		ok, err = d.passwords.Verify(ctx, a.Company.ID, password, *p.PasswordHash)
	}
	if kernel.CodeOf(err) == kernel.CodeUnavailable { // the password was not verified
		return nil, d.endSignIn(ctx, attempt, err)
	}
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, errNotCurrent(field)
	}
	return p.PasswordHash, d.endSignIn(ctx, attempt, nil)
}

// SetPresence sets the presence that others see.
func (d *People) SetPresence(ctx context.Context, a *kernel.Principal, chosen string) (string, error) {
	if err := a.May(VerbSetPresence); err != nil {
		return "", err
	}
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (string, error) {
		setPresence(tx, a.Company.ID, a.User.ID, chosen)
		tx.AfterCommit(d.Wakeup(WakeDistribute).Notify)
		tx.AfterCommit(func() { d.Signal(kernel.Signal{Kind: SignalPresence, Company: a.Company.ID}) })
		return PresenceOf(tx.Now, chosen, &tx.Now, tx.Now), nil
	})
}

// PreferencesChange lists the preferences to change; nil fields stay as they are.
type PreferencesChange struct {
	Language  *string
	Theme     *string
	SendWith  *string
	MarkRead  *string
	Sound     *string
	Notify    *string
	Shortcuts *bool
	Sign      *bool
}

// Preferences returns the caller's preferences.
func (d *People) Preferences(ctx context.Context, a *kernel.Principal) (Preferences, error) {
	if err := a.May(VerbPreferences); err != nil {
		return Preferences{}, err
	}
	return kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) (Preferences, error) { return preferencesOf(tx, a) })
}

// UpdatePreferences changes the caller's preferences.
func (d *People) UpdatePreferences(ctx context.Context, a *kernel.Principal, in PreferencesChange) (Preferences, error) {
	if err := a.May(VerbUpdatePreferences); err != nil {
		return Preferences{}, err
	}
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (Preferences, error) { return changePreferences(tx, a, in) })
}

func changePreferences(tx *kernel.Tx, a *kernel.Principal, in PreferencesChange) (Preferences, error) {
	p, err := preferencesOf(tx, a)
	if err != nil {
		return p, err
	}
	kernel.Set(&p.Language, in.Language)
	p.LanguageChosen = p.LanguageChosen || in.Language != nil
	kernel.Set(&p.Theme, in.Theme)
	kernel.Set(&p.SendWith, in.SendWith)
	kernel.Set(&p.MarkRead, in.MarkRead)
	kernel.Set(&p.Sound, in.Sound)
	kernel.Set(&p.Notify, in.Notify)
	kernel.Set(&p.Shortcuts, in.Shortcuts)
	kernel.Set(&p.Sign, in.Sign)
	text, err := json.Marshal(p)
	if err == nil {
		setPreferences(tx, a.Company.ID, a.User.ID, string(text))
	}
	return p, err
}

// preferencesOf returns the caller's preferences, with defaults for those not stored.
func preferencesOf(tx *kernel.Tx, a *kernel.Principal) (Preferences, error) {
	p := DefaultPreferences
	text, err := storedPreferences(tx, a.Company.ID, a.User.ID)
	if err != nil || text == "" {
		return p, err
	}
	err = json.Unmarshal([]byte(text), &p)
	return p, err
}

const recoveryCodes = 10

// TwoFactorSecret is what an authenticator app needs.
type TwoFactorSecret struct {
	Secret string `json:"secret" nullable:"true" doc:"The secret in Base32, for manual entry. null in a response replayed for an Idempotency-Key."`
	URL    string `json:"url" nullable:"true" doc:"An otpauth:// URL, usually shown as a QR code. null in a response replayed for an Idempotency-Key."`
}

// BeginTwoFactor returns a two-factor secret. It takes effect when ConfirmTwoFactor confirms it.
func (d *People) BeginTwoFactor(
	ctx context.Context, a *kernel.Principal, v kernel.Visitor, password string,
) (TwoFactorSecret, error) {
	if err := a.May(VerbBeginTwoFactor); err != nil {
		return TwoFactorSecret{}, err
	}
	current, err := d.checkOwnPassword(ctx, a, v, "body.password", password)
	if err != nil {
		return TwoFactorSecret{}, err
	}
	secret := newTOTPSecret()
	sealed := d.Vault.Seal([]byte(secret), a.Company.ID, a.User.ID)
	return kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (TwoFactorSecret, error) {
		p, found, err := lockProfile(tx, a.Company.ID, a.User.ID)
		switch {
		case err != nil || !found:
			return TwoFactorSecret{}, kernel.ErrOr(err, kernel.NotFound("team member"))
		case p.TwoFactor != nil:
			const message = "Two-factor sign-in is already on. Turn it off first to use another device."
			return TwoFactorSecret{}, kernel.Errorf(kernel.CodeTwoFactorActive, message)
		}
		if err := p.checkCurrent("body.password", current); err != nil {
			return TwoFactorSecret{}, err
		}
		SetPendingTwoFactor(tx, a.Company.ID, a.User.ID, sealed)
		return TwoFactorSecret{Secret: secret, URL: totpURL(secret, p.Email, a.Company.Name)}, nil
	})
}

// ConfirmTwoFactor turns two-factor on with a code of the pending secret, and returns the recovery codes.
func (d *People) ConfirmTwoFactor(ctx context.Context, a *kernel.Principal, v kernel.Visitor, code string) ([]string, error) {
	if err := a.May(VerbConfirmTwoFactor); err != nil {
		return nil, err
	}
	attempt := newAttempt(a.Email, v.IP)
	if err := d.beginSignIn(ctx, attempt); err != nil {
		return nil, err
	}
	wrong := false
	codes, err := kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) ([]string, error) {
		wrong = false
		p, found, err := lockProfile(tx, a.Company.ID, a.User.ID)
		switch {
		case err != nil || !found:
			return nil, kernel.ErrOr(err, kernel.NotFound("team member"))
		case p.TwoFactor != nil:
			return nil, kernel.Errorf(kernel.CodeTwoFactorActive, "Two-factor sign-in is already on.")
		case p.Pending == nil:
			return nil, kernel.Invalid("body.code", ruleNoSecret,
				"there is no secret to confirm; create one with POST /me/two-factor first")
		}
		if err := d.useStep(tx, a.Company.ID, a.User.ID, p.Pending, code); err != nil {
			if kernel.CodeOf(err) == kernel.CodeCodeInvalid {
				wrong = true
				err = kernel.Invalid("body.code", ruleWrongCode, "is wrong; send the six digits that the authenticator app shows now")
			}
			return nil, err
		}
		codes, hashes := newRecoveryCodes()
		SetTwoFactor(tx, a.Company.ID, a.User.ID, p.Pending, hashes)
		d.ForgetHolders(tx, a.Company.ID)
		return codes, nil
	})
	if wrong {
		return nil, err
	}
	return codes, d.endSignIn(ctx, attempt, err)
}

// DisableTwoFactor turns two-factor off.
func (d *People) DisableTwoFactor(ctx context.Context, a *kernel.Principal, v kernel.Visitor, password, code string) error {
	if err := a.May(VerbDisableTwoFactor); err != nil {
		return err
	}
	current, err := d.checkOwnPassword(ctx, a, v, "body.password", password)
	if err != nil {
		return err
	}
	_, err = kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (struct{}, error) {
		p, found, err := lockProfile(tx, a.Company.ID, a.User.ID)
		if err != nil || !found {
			return struct{}{}, kernel.ErrOr(err, kernel.NotFound("team member"))
		}
		if err := p.checkCurrent("body.password", current); err != nil {
			return struct{}{}, err
		}
		if err := d.useCode(tx, a.Company.ID, a.User.ID, p.TwoFactor, code); err != nil {
			return struct{}{}, err
		}
		SetTwoFactor(tx, a.Company.ID, a.User.ID, nil, nil)
		d.ForgetHolders(tx, a.Company.ID)
		return struct{}{}, nil
	})
	return err
}

// useCode accepts a code of a sealed secret, or a recovery code, once. It accepts everything if sealed is nil.
func (d *People) useCode(tx *kernel.Tx, company, member kernel.ID, sealed []byte, code string) error {
	if sealed == nil {
		return nil
	}
	if hash, ok := recoveryHash(code); ok {
		used, err := useRecoveryCode(tx, company, member, hash)
		if err != nil || !used {
			return kernel.ErrOr(err, errCodeInvalid())
		}
		return nil
	}
	return d.useStep(tx, company, member, sealed, code)
}

// useStep accepts a code unless its time step or a later one was accepted before.
func (d *People) useStep(tx *kernel.Tx, company, member kernel.ID, sealed []byte, code string) error {
	secret, err := d.Vault.Open(sealed, company, member)
	if err != nil {
		return err
	}
	step, ok := totpStep(string(secret), code, tx.Now)
	if !ok {
		return errCodeInvalid()
	}
	fresh, err := useTwoFactorStep(tx, company, member, step)
	if err != nil || !fresh {
		return kernel.ErrOr(err, errCodeInvalid())
	}
	return nil
}

// newRecoveryCodes returns codes of 80 random bits such as "k3jd-s9fa-2x4b-7qwe".
func newRecoveryCodes() (codes []string, hashes [][32]byte) {
	for range recoveryCodes {
		raw := make([]byte, 10)
		_, _ = rand.Read(raw)
		text := strings.ToLower(totpEncoding.EncodeToString(raw))
		codes = append(codes, text[:4]+"-"+text[4:8]+"-"+text[8:12]+"-"+text[12:])
		hashes = append(hashes, sha256.Sum256([]byte(text)))
	}
	return codes, hashes
}

// recoveryHash returns the hash of a recovery code in any spelling. It reports false for anything else.
func recoveryHash(code string) ([32]byte, bool) {
	text := strings.ToLower(strings.NewReplacer("-", "", " ", "").Replace(code))
	return sha256.Sum256([]byte(text)), len(text) == 16
}

// newToken returns a secret of 32 random bytes for a cookie or a link, and the hash to store.
func newToken() (token string, hash [32]byte) {
	raw := make([]byte, 32)
	_, _ = rand.Read(raw)
	token = base64.RawURLEncoding.EncodeToString(raw)
	return token, tokenHash(token)
}

func tokenHash(token string) [32]byte { return sha256.Sum256([]byte(token)) }
