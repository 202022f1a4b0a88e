package people

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// ProfileChange lists the fields to change; nil fields stay as they are.
type ProfileChange struct {
	Name     *string `json:"name,omitempty" minLength:"1" maxLength:"120"`
	Email    *string `json:"email,omitempty" maxLength:"254"`
	Password *struct {
		Current string `json:"current" maxLength:"1024"`
		New     string `json:"new" doc:"Must have 10 to 256 characters."`
	} `json:"password,omitempty" doc:"Changing the password ends all other sessions."`
	Language  *string `json:"language,omitempty" enum:"pt-BR,en,es"`
	Signature *string `json:"signature,omitempty" maxLength:"120"`
}

const maxSignature = 120 // characters

// UpdateProfile changes the caller's own profile. A new password ends all other sessions.
func (d *People) UpdateProfile(ctx context.Context, a *kernel.Principal, v kernel.Visitor, in ProfileChange) (Session, error) {
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
		if in.Name != nil || in.Email != nil {
			change := MemberChange{Name: in.Name, Email: in.Email}
			m, err := findMember(tx, a.Company.ID, a.User.ID, tx.ForUpdate())
			if err = kernel.ErrOr(err, change.check()); err != nil {
				return Session{}, err
			}
			before := m.Member
			kernel.Set(&m.Name, change.Name)
			kernel.Set(&m.Email, change.Email)
			tx.AuditUpdate(a, kernel.AuditEntry{Action: "member.updated", Subject: m.subject(), Changes: memberChanges(before, m.Member)})
			if err := updateMember(tx, a.Company.ID, m.Member); err != nil {
				return Session{}, err
			}
		}
		if in.Signature != nil {
			tx.Later(`UPDATE users SET signature = $3 WHERE company = $1 AND id = $2`,
				a.Company.ID, a.User.ID, strings.TrimSpace(*in.Signature))
		}
		if in.Language != nil {
			if _, err := changePreferences(tx, a, PreferencesChange{Language: in.Language}); err != nil {
				return Session{}, err
			}
		}
		if hash != nil {
			p, _, err := findProfile(tx, a.Company.ID, a.User.ID, tx.ForUpdate())
			if err != nil || !kernel.Same(p.PasswordHash, current) { // changed in the meantime
				return Session{}, kernel.ErrOr(err, errNotCurrent("body.password.current"))
			}
			setMemberPassword(tx, a.Company.ID, a.User.ID, *hash)
			if _, err := endOtherSessions(tx, a.Company.ID, a.User.ID, a.Session); err != nil {
				return Session{}, err
			}
			tx.Audit(a, kernel.AuditEntry{Action: "password.changed", Subject: ownSubject(a)})
		}
		d.ForgetHolders(tx, a.Company.ID)
		return currentSession(tx, a)
	})
}

// ownSubject returns the caller as the subject of an audit entry.
func ownSubject(a *kernel.Principal) kernel.AuditSubject {
	return kernel.NewAuditSubject("member", a.User.ID, a.User.Name)
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
		p, _, err := findProfile(tx, a.Company.ID, a.User.ID, "")
		return p, err
	})
	if err != nil {
		return nil, err
	}
	ok := false
	if p.PasswordHash == nil {
		_, err = d.passwords.Hash(ctx, a.Company.ID, password) // takes as long as Verify
	} else {
		ok, err = d.passwords.Verify(ctx, a.Company.ID, password, *p.PasswordHash)
	}
	switch {
	case kernel.CodeOf(err) == kernel.CodeUnavailable: // the password was not verified
		return nil, d.endSignIn(ctx, attempt, err)
	case err != nil:
		return nil, err
	case !ok:
		who := Candidate{Company: a.Company, Member: a.User.ID, Name: a.User.Name}
		return nil, d.failSignIn(ctx, attempt, "password", errNotCurrent(field), who)
	}
	return p.PasswordHash, d.endSignIn(ctx, attempt, nil)
}

// SetPresence sets the presence that others see.
func (d *People) SetPresence(ctx context.Context, a *kernel.Principal, chosen string) (string, error) {
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (string, error) {
		tx.Later(`UPDATE users SET presence = $3 WHERE company = $1 AND id = $2`, a.Company.ID, a.User.ID, chosen)
		tx.AfterCommit(d.Wakeup(WakeDistribute).Notify)
		tx.AfterCommit(func() { d.Signal(kernel.Signal{Kind: SignalPresence, Company: a.Company.ID}) })
		return PresenceOf(tx.Now, chosen, &tx.Now, tx.Now), nil
	})
}

// PreferencesChange lists the preferences to change; nil fields stay as they are.
type PreferencesChange struct {
	Language  *string `json:"language,omitempty" enum:"pt-BR,en,es"`
	Theme     *string `json:"theme,omitempty" enum:"system,light,dark"`
	SendWith  *string `json:"send_with,omitempty" enum:"enter,ctrl_enter"`
	MarkRead  *string `json:"mark_read,omitempty" enum:"opening,answering"`
	Sound     *string `json:"sound,omitempty" enum:"none,chime,drop"`
	Notify    *string `json:"notify,omitempty" enum:"mine_and_queues,everything,nothing"`
	Shortcuts *bool   `json:"shortcuts,omitempty"`
	Sign      *bool   `json:"sign,omitempty"`

	Push *PushChange `json:"push,omitempty"`
}

// Preferences returns the caller's preferences.
func (d *People) Preferences(ctx context.Context, a *kernel.Principal) (Preferences, error) {
	return kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) (Preferences, error) { return preferencesOf(tx, a) })
}

// UpdatePreferences changes the caller's preferences.
func (d *People) UpdatePreferences(ctx context.Context, a *kernel.Principal, in PreferencesChange) (Preferences, error) {
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
	if in.Push != nil {
		if err := in.Push.apply(&p.Push); err != nil {
			return p, err
		}
	}
	text, err := json.Marshal(p)
	tx.Later(`UPDATE users SET preferences = $3, push_kinds = $4 WHERE company = $1 AND id = $2`,
		a.Company.ID, a.User.ID, string(text), kernel.WriteList(p.Push.Kinds))
	return p, err
}

// preferencesOf returns the caller's preferences, with defaults for those not stored.
func preferencesOf(tx *kernel.Tx, a *kernel.Principal) (Preferences, error) {
	return MemberPreferences(tx, a.Company.ID, a.User.ID)
}

// MemberPreferences returns the preferences of a member, with defaults for those not stored.
func MemberPreferences(tx *kernel.Tx, company, member kernel.ID) (Preferences, error) {
	p := DefaultPreferences
	p.Push.Kinds = slices.Clone(p.Push.Kinds) // decoding overwrites its elements
	text, _, err := kernel.Row(tx, `SELECT preferences FROM users WHERE company = $1 AND id = $2`, []any{company, member},
		func(r db.Row) string { return r.Text("preferences") })
	if err != nil || text == "" {
		return p, err
	}
	err = json.Unmarshal([]byte(text), &p)
	return p, err
}

const (
	recoveryCodes  = 10
	recoveryLength = 16 // characters without the hyphens
)

// TwoFactorSecret is what an authenticator app needs.
type TwoFactorSecret struct {
	Secret string `json:"secret" nullable:"true" doc:"The secret in Base32, for manual entry. null in a response replayed for an Idempotency-Key."`
	URL    string `json:"url" nullable:"true" doc:"An otpauth:// URL, usually shown as a QR code. null in a response replayed for an Idempotency-Key."`
}

// BeginTwoFactor returns a two-factor secret. It takes effect when ConfirmTwoFactor confirms it.
func (d *People) BeginTwoFactor(
	ctx context.Context, a *kernel.Principal, v kernel.Visitor, password string,
) (TwoFactorSecret, error) {
	current, err := d.checkOwnPassword(ctx, a, v, "body.password", password)
	if err != nil {
		return TwoFactorSecret{}, err
	}
	secret := newTOTPSecret()
	sealed := d.Vault.Seal([]byte(secret), a.Company.ID, a.User.ID)
	return kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (TwoFactorSecret, error) {
		p, found, err := findProfile(tx, a.Company.ID, a.User.ID, tx.ForUpdate())
		switch {
		case err != nil || !found:
			return TwoFactorSecret{}, kernel.ErrOr(err, kernel.NotFound("team member"))
		case p.TwoFactor != nil:
			const message = "Two-factor sign-in is already on. Turn it off first to use another device."
			return TwoFactorSecret{}, kernel.Errorf(kernel.CodeTwoFactorActive, message)
		case !kernel.Same(p.PasswordHash, current):
			return TwoFactorSecret{}, errNotCurrent("body.password")
		}
		SetPendingTwoFactor(tx, a.Company.ID, a.User.ID, sealed)
		return TwoFactorSecret{Secret: secret, URL: totpURL(secret, p.Email, a.Company.Name)}, nil
	})
}

// ConfirmTwoFactor turns two-factor on with a code of the pending secret, and returns the recovery codes.
func (d *People) ConfirmTwoFactor(ctx context.Context, a *kernel.Principal, v kernel.Visitor, code string) ([]string, error) {
	attempt := newAttempt(a.Email, v.IP)
	if err := d.beginSignIn(ctx, attempt); err != nil {
		return nil, err
	}
	wrong := false
	codes, err := kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) ([]string, error) {
		wrong = false
		p, found, err := findProfile(tx, a.Company.ID, a.User.ID, tx.ForUpdate())
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
		tx.Audit(a, kernel.AuditEntry{Action: "two_factor.enabled", Subject: ownSubject(a)})
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
	current, err := d.checkOwnPassword(ctx, a, v, "body.password", password)
	if err != nil {
		return err
	}
	attempt := newAttempt(a.Email, v.IP)
	if err := d.beginSignIn(ctx, attempt); err != nil {
		return err
	}
	_, err = kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (none struct{}, err error) {
		p, found, err := findProfile(tx, a.Company.ID, a.User.ID, tx.ForUpdate())
		switch {
		case err != nil || !found:
			return none, kernel.ErrOr(err, kernel.NotFound("team member"))
		case !kernel.Same(p.PasswordHash, current):
			return none, errNotCurrent("body.password")
		}
		if err := d.useCode(tx, a.Company.ID, a.User.ID, p.TwoFactor, code); err != nil {
			return none, err
		}
		if p.TwoFactor != nil {
			tx.Audit(a, kernel.AuditEntry{Action: "two_factor.disabled", Subject: ownSubject(a)})
		}
		SetTwoFactor(tx, a.Company.ID, a.User.ID, nil, nil)
		d.ForgetHolders(tx, a.Company.ID)
		return none, nil
	})
	if kernel.CodeOf(err) == kernel.CodeCodeInvalid {
		return d.failSignIn(ctx, attempt, "code", err, Candidate{Company: a.Company, Member: a.User.ID, Name: a.User.Name})
	}
	return d.endSignIn(ctx, attempt, err)
}

// useCode accepts a code of a sealed secret, or a recovery code, once. It accepts everything if sealed is nil.
func (d *People) useCode(tx *kernel.Tx, company, member kernel.ID, sealed []byte, code string) error {
	if sealed == nil {
		return nil
	}
	text := strings.ToLower(strings.NewReplacer("-", "", " ", "").Replace(code))
	if len(text) != recoveryLength {
		return d.useStep(tx, company, member, sealed, code)
	}
	hash := sha256.Sum256([]byte(text))
	n, err := tx.Exec(`DELETE FROM recovery_codes WHERE company = $1 AND member = $2 AND hash = $3`, company, member, hash[:])
	if err != nil || n == 0 {
		return kernel.ErrOr(err, errCodeInvalid())
	}
	return nil
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
	n, err := tx.Exec(`UPDATE users SET two_factor_step = $3 WHERE company = $1 AND id = $2 AND two_factor_step < $3`,
		company, member, step)
	if err != nil || n == 0 {
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

// newToken returns a secret of 32 random bytes for a cookie or a link, and the hash to store.
func newToken() (token string, hash [32]byte) {
	raw := make([]byte, 32)
	_, _ = rand.Read(raw)
	token = base64.RawURLEncoding.EncodeToString(raw)
	return token, tokenHash(token)
}

func tokenHash(token string) [32]byte { return sha256.Sum256([]byte(token)) }
