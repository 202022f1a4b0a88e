package desk

import (
	"context"
	"slices"
	"time"

	"recado/internal/model"
	"recado/internal/store"
)

// sessionHolder is a session as it was when it was last looked up.
type sessionHolder struct {
	principal *Principal
	ends      time.Time
}

// AuthenticateSession tells who holds a session token. A token that is unknown, ended or expired is
// session_missing, whatever the cause.
func (d System) AuthenticateSession(ctx context.Context, token string) (*Principal, error) {
	hash := tokenHash(token)
	h, err := d.sessions.get(ctx, hash, func(ctx context.Context) (*sessionHolder, error) { return d.loadSession(ctx, hash) })
	if err != nil {
		return nil, err
	}
	if h == nil || !d.now().Before(h.ends) {
		return nil, model.Errorf(model.CodeSessionMissing, "You are not signed in, or your session has ended.")
	}
	return h.principal, nil
}

func (d *Desk) loadSession(ctx context.Context, hash [32]byte) (*sessionHolder, error) {
	var h store.SessionHolder
	var found bool
	err := d.store.Read(ctx, func(tx *store.Tx) (err error) {
		h, found, err = tx.SessionHolder(hash)
		return err
	})
	if err != nil || !found || !d.now().Before(model.SessionEnd(h.Session.CreatedAt, h.Session.LastSeenAt)) {
		return nil, err
	}
	d.seen.mark(KindSession, h.Session.ID, h.Member.ID, d.now())
	return &sessionHolder{
		principal: d.principalOf(&h),
		ends:      model.SessionEnd(h.Session.CreatedAt, d.now()),
	}, nil
}

// sessionOf is what the app is told about a session that is used at this moment.
func (d *Desk) sessionOf(h *store.SessionHolder, now time.Time) model.Session {
	u := model.SessionUser{Member: h.Member, TwoFactor: h.TwoFactor, Signature: h.Signature}
	if u.Sectors == nil {
		u.Sectors = []model.Ref{}
	}
	u.Presence = shownPresence(h.Presence, presence(now, &now, now))
	return model.Session{
		User: u, Company: h.Company, Scopes: model.ScopesOf(h.Member.Role).List(),
		ExpiresAt: model.SessionEnd(h.Session.CreatedAt, now), APIVersion: model.APIVersion,
	}
}

// shownPresence is what a member chose to be shown as, or what follows from their activity.
func shownPresence(chosen, followed string) string {
	if chosen == "" || chosen == model.PresenceAuto {
		return followed
	}
	return chosen
}

// Session tells the caller who they are.
func (d *Desk) Session(ctx context.Context, a *Principal) (model.Session, error) {
	if err := a.May(VerbSession); err != nil {
		return model.Session{}, err
	}
	return read(ctx, d, func(tx *store.Tx) (model.Session, error) {
		h, found, err := tx.SessionOf(a.Company.ID, a.Session)
		if err != nil || !found {
			return model.Session{}, errOr(err, model.Errorf(model.CodeSessionMissing, "Your session has ended."))
		}
		return d.sessionOf(&h, tx.Now), nil
	})
}

// SignOut ends the caller's own session.
func (d *Desk) SignOut(ctx context.Context, a *Principal) error {
	if err := a.May(VerbSignOut); err != nil {
		return err
	}
	return d.endSession(ctx, a, a.Session)
}

// Sessions lists the caller's own sessions.
func (d *Desk) Sessions(ctx context.Context, a *Principal) ([]model.SignedIn, error) {
	if err := a.May(VerbSessions); err != nil {
		return nil, err
	}
	sessions, err := read(ctx, d, func(tx *store.Tx) ([]model.SignedIn, error) { return tx.Sessions(a.Company.ID, a.User.ID) })
	if i := slices.IndexFunc(sessions, func(s model.SignedIn) bool { return s.ID == a.Session }); i >= 0 {
		sessions[i].Current = true
	}
	return sessions, err
}

// EndSession ends one of the caller's own sessions.
func (d *Desk) EndSession(ctx context.Context, a *Principal, id model.ID) error {
	if err := a.May(VerbEndSession); err != nil {
		return err
	}
	return d.endSession(ctx, a, id)
}

func (d *Desk) endSession(ctx context.Context, a *Principal, id model.ID) error {
	_, err := write(ctx, d, func(tx *store.Tx) (struct{}, error) {
		ended, err := tx.EndSession(a.Company.ID, a.User.ID, id)
		if err != nil || !ended {
			return struct{}{}, errOr(err, model.NotFound("session"))
		}
		tx.AfterCommit(d.forgetHolders)
		return struct{}{}, nil
	})
	return err
}

// EndOtherSessions ends all of the caller's sessions but the present one.
func (d *Desk) EndOtherSessions(ctx context.Context, a *Principal) error {
	if err := a.May(VerbEndOtherSessions); err != nil {
		return err
	}
	_, err := write(ctx, d, func(tx *store.Tx) (struct{}, error) {
		tx.EndOtherSessions(a.Company.ID, a.User.ID, a.Session)
		tx.AfterCommit(d.forgetHolders)
		return struct{}{}, nil
	})
	return err
}

// EndMemberSessions ends all sessions of a member whom the caller may manage.
func (d *Desk) EndMemberSessions(ctx context.Context, a *Principal, member model.ID) error {
	if err := a.May(VerbEndMemberSessions); err != nil {
		return err
	}
	_, err := write(ctx, d, func(tx *store.Tx) (struct{}, error) {
		if _, err := d.lockManaged(tx, a, member); err != nil {
			return struct{}{}, err
		}
		tx.EndSessions(a.Company.ID, member)
		tx.AfterCommit(d.forgetHolders)
		return struct{}{}, nil
	})
	return err
}

// lockManaged gives a member whom the caller may manage: anybody for owners, lower roles for others.
func (d *Desk) lockManaged(tx *store.Tx, a *Principal, member model.ID) (model.Member, error) {
	m, found, err := tx.LockMember(a.Company.ID, member)
	if err != nil || !found {
		return model.Member{}, errOr(err, model.NotFound("team member"))
	}
	return m.Member, a.mayManage(m.Role)
}
