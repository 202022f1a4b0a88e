package desk

import (
	"context"
	"encoding/json"
	"strings"

	"recado/internal/model"
	"recado/internal/store"
)

// ProfileChange is what a person changes about themselves; nil leaves a part as it is.
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
func (d *Desk) UpdateProfile(ctx context.Context, a *Principal, v Visitor, in ProfileChange) (model.Session, error) {
	if err := a.May(VerbUpdateProfile); err != nil {
		return model.Session{}, err
	}
	change := MemberChange{Name: in.Name, Email: in.Email}
	if in.Signature != nil && len([]rune(*in.Signature)) > maxSignature {
		return model.Session{}, model.Invalid("body.signature", "must have at most 120 characters")
	}
	var hash *string
	if in.Password != nil {
		if err := d.checkOwnPassword(ctx, a, v, "body.password.current", in.Password.Current); err != nil {
			return model.Session{}, err
		}
		var err error
		if hash, err = d.hashPassword(ctx, "body.password.new", in.Password.New); err != nil {
			return model.Session{}, err
		}
	}
	return write(ctx, d, func(tx *store.Tx) (model.Session, error) {
		if change != (MemberChange{}) {
			if err := d.changeSelf(tx, a, change); err != nil {
				return model.Session{}, err
			}
		}
		if in.Signature != nil {
			tx.SetSignature(a.Company.ID, a.User.ID, strings.TrimSpace(*in.Signature))
		}
		if in.Language != nil {
			if _, err := d.changePreferences(tx, a, PreferencesChange{Language: in.Language}); err != nil {
				return model.Session{}, err
			}
		}
		if hash != nil {
			tx.SetMemberPassword(a.Company.ID, a.User.ID, *hash)
			tx.EndOtherSessions(a.Company.ID, a.User.ID, a.Session)
		}
		tx.AfterCommit(d.forgetHolders)
		h, found, err := tx.SessionOf(a.Company.ID, a.Session)
		if err != nil || !found {
			return model.Session{}, errOr(err, model.Errorf(model.CodeSessionMissing, "Your session has ended."))
		}
		return d.sessionOf(&h, tx.Now), nil
	})
}

// changeSelf writes the caller's name and e-mail address.
func (d *Desk) changeSelf(tx *store.Tx, a *Principal, in MemberChange) error {
	m, found, err := tx.LockMember(a.Company.ID, a.User.ID)
	if err != nil || !found {
		return errOr(err, model.NotFound("team member"))
	}
	if in.Name != nil {
		name, invalid := model.Name("body.name", *in.Name, model.MaxName)
		if invalid != nil {
			return invalid
		}
		m.Name = name
	}
	if in.Email != nil {
		m.Email = strings.TrimSpace(*in.Email)
		if !plausibleEmail(m.Email) {
			return model.Invalid("body.email", "must be an e-mail address")
		}
	}
	fresh, err := tx.UpdateMember(a.Company.ID, m.Member)
	if err != nil || !fresh {
		return errOr(err, errEmailTaken(m.Email))
	}
	return nil
}

// checkOwnPassword compares the caller's password. A wrong one counts as a failed sign-in.
func (d *Desk) checkOwnPassword(ctx context.Context, a *Principal, v Visitor, field, password string) error {
	attempt := newAttemptAt(a.Email, v.IP)
	if err := d.beginSignIn(ctx, attempt); err != nil {
		return err
	}
	p, err := read(ctx, d, func(tx *store.Tx) (store.Profile, error) {
		p, _, err := tx.ReadProfile(a.Company.ID, a.User.ID)
		return p, err
	})
	if err != nil {
		return err
	}
	ok := false
	if p.PasswordHash == nil {
		err = d.passwords.Waste(ctx, password)
	} else {
		ok, err = d.passwords.Verify(ctx, password, *p.PasswordHash)
	}
	if err != nil {
		return err
	}
	if !ok {
		return model.Invalid(field, "is not your password")
	}
	return d.endSignIn(ctx, attempt, nil)
}

// SetPresence says how the caller wants to be shown.
func (d *Desk) SetPresence(ctx context.Context, a *Principal, chosen string) (string, error) {
	if err := a.May(VerbSetPresence); err != nil {
		return "", err
	}
	return write(ctx, d, func(tx *store.Tx) (string, error) {
		tx.SetPresence(a.Company.ID, a.User.ID, chosen)
		tx.AfterCommit(d.forgetHolders)
		return shownPresence(chosen, model.PresenceOnline), nil
	})
}

// PreferencesChange is what of a person's preferences is to change; nil leaves a part as it is.
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

// Preferences gives the caller's preferences.
func (d *Desk) Preferences(ctx context.Context, a *Principal) (model.Preferences, error) {
	if err := a.May(VerbPreferences); err != nil {
		return model.Preferences{}, err
	}
	return readOne(ctx, d, func(tx *store.Tx) (model.Preferences, error) { return preferencesOf(tx, a) })
}

// UpdatePreferences changes the caller's preferences.
func (d *Desk) UpdatePreferences(ctx context.Context, a *Principal, in PreferencesChange) (model.Preferences, error) {
	if err := a.May(VerbUpdatePreferences); err != nil {
		return model.Preferences{}, err
	}
	return write(ctx, d, func(tx *store.Tx) (model.Preferences, error) { return d.changePreferences(tx, a, in) })
}

func (d *Desk) changePreferences(tx *store.Tx, a *Principal, in PreferencesChange) (model.Preferences, error) {
	p, err := preferencesOf(tx, a)
	if err != nil {
		return p, err
	}
	set(&p.Language, in.Language)
	set(&p.Theme, in.Theme)
	set(&p.SendWith, in.SendWith)
	set(&p.MarkRead, in.MarkRead)
	set(&p.Sound, in.Sound)
	set(&p.Notify, in.Notify)
	set(&p.Shortcuts, in.Shortcuts)
	set(&p.Sign, in.Sign)
	text, err := json.Marshal(p)
	if err == nil {
		tx.SetPreferences(a.Company.ID, a.User.ID, string(text))
	}
	return p, err
}

// preferencesOf reads the stored choices over the defaults.
func preferencesOf(tx *store.Tx, a *Principal) (model.Preferences, error) {
	p := model.DefaultPreferences
	text, err := tx.Preferences(a.Company.ID, a.User.ID)
	if err != nil || text == "" {
		return p, err
	}
	return p, json.Unmarshal([]byte(text), &p)
}
