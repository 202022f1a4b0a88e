package desk

import (
	"context"
	"slices"

	"recado/internal/model"
	"recado/internal/store"
)

// NewInvitation says who is invited to what.
type NewInvitation struct {
	Email         string
	Name          string
	Role          model.Role
	AccessProfile model.AccessProfile
	Sectors       []model.ID
}

// Invitations lists the company's invitations.
func (d *Desk) Invitations(ctx context.Context, a *Principal) ([]model.Invitation, error) {
	if err := a.May(VerbInvitations); err != nil {
		return nil, err
	}
	return readOne(ctx, d, func(tx *store.Tx) ([]model.Invitation, error) { return tx.Invitations(a.Company.ID) })
}

// Invite makes an invitation in place of an earlier one for the same address, and gives the token of its link.
func (d *Desk) Invite(ctx context.Context, a *Principal, in NewInvitation) (model.Invitation, string, error) {
	if err := a.May(VerbInvite); err != nil {
		return model.Invitation{}, "", err
	}
	if err := a.mayGive(in.Role, in.AccessProfile, in.Sectors); err != nil {
		return model.Invitation{}, "", err
	}
	u, err := d.newUser(ctx, "body.", NewUser{Name: in.Name, Email: in.Email, Role: in.Role, AccessProfile: in.AccessProfile})
	if err != nil {
		return model.Invitation{}, "", err
	}
	token, hash := newToken()
	made, err := writeAnswer(ctx, d, func(tx *store.Tx) (model.Invitation, error) {
		if err := checkSectors(tx, a, in.Sectors); err != nil {
			return model.Invitation{}, err
		}
		if _, taken, err := tx.UserByEmail(a.Company.ID, u.Email); err != nil || taken {
			return model.Invitation{}, errOr(err, errEmailTaken(u.Email))
		}
		if err := checkLimit(tx, a.Company.ID, store.CountMembers, "team members", d.limits.Members); err != nil {
			return model.Invitation{}, err
		}
		tx.RemoveOpenInvitation(a.Company.ID, u.Email)
		if err := checkLimit(tx, a.Company.ID, store.CountInvitations, "invitations, those of the last 30 days included,", d.limits.Invitations); err != nil {
			return model.Invitation{}, err
		}
		i := model.Invitation{
			ID: model.NewID(), Email: u.Email, Name: u.Name, Role: in.Role, AccessProfile: in.AccessProfile, SectorIDs: in.Sectors,
			CreatedAt: tx.Now, ExpiresAt: tx.Now.Add(model.InvitationLasts),
		}
		if i.SectorIDs == nil {
			i.SectorIDs = []model.ID{}
		}
		tx.InsertInvitation(a.Company.ID, i, a.issuer(), hash)
		return i, nil
	})
	return made, token, err
}

// CancelInvitation removes an invitation of a role that the caller may manage; its link stops working.
func (d *Desk) CancelInvitation(ctx context.Context, a *Principal, id model.ID) error {
	if err := a.May(VerbCancelInvitation); err != nil {
		return err
	}
	_, err := write(ctx, d, func(tx *store.Tx) (struct{}, error) {
		i, found, err := tx.Invitation(a.Company.ID, id)
		if err != nil || !found {
			return struct{}{}, errOr(err, model.NotFound("invitation"))
		}
		if err := a.mayManage(i.Role); err != nil {
			return struct{}{}, err
		}
		_, err = tx.RemoveInvitation(a.Company.ID, id)
		return struct{}{}, err
	})
	return err
}

// ResetLink makes a link with which a member sets a new password, and gives its token. The member must not see more than
// the caller.
func (d *Desk) ResetLink(ctx context.Context, a *Principal, member model.ID) (model.AccessLink, string, error) {
	if err := a.May(VerbResetLink); err != nil {
		return model.AccessLink{}, "", err
	}
	token, hash := newToken()
	link, err := writeAnswer(ctx, d, func(tx *store.Tx) (model.AccessLink, error) {
		m, found, err := tx.LockMember(a.Company.ID, member)
		if err != nil || !found {
			return model.AccessLink{}, errOr(err, model.NotFound("team member"))
		}
		if err := a.mayReset(m.Member); err != nil {
			return model.AccessLink{}, err
		}
		expires := tx.Now.Add(model.ResetLinkLasts)
		tx.InsertResetLink(a.Company.ID, member, a.issuer(), hash, expires)
		return model.AccessLink{ExpiresAt: expires}, nil
	})
	return link, token, err
}

// mayReset reports whether the principal may make a link with which a member sets a new password.
func (a *Principal) mayReset(m model.Member) error {
	if err := a.May(VerbResetLink); err != nil {
		return err
	}
	if err := a.mayManage(m.Role); err != nil || m.ID == a.User.ID {
		return err
	}
	return a.seesAsMuch(m)
}

// mayGive reports whether the principal may invite somebody with this role, access profile and these sectors.
func (a *Principal) mayGive(role model.Role, profile model.AccessProfile, sectors []model.ID) error {
	if err := a.May(VerbInvite); err != nil {
		return err
	}
	if err := a.mayManage(role); err != nil {
		return err
	}
	return a.mayShow(profile, sectors)
}

// issuer names the principal in what it issues. The operator is not named.
func (a *Principal) issuer() store.Issuer {
	if a.kind == KindSystem {
		return store.Issuer{}
	}
	return store.Issuer{Member: &a.User.ID, Key: a.parent()}
}

// stillIssued reports whether what an issuer made may be used now: may is asked with the issuer as they are at this moment.
// What the operator made stays valid; what a removed member or an invalid key made does not.
func (d *Desk) stillIssued(tx *store.Tx, company model.Company, by store.Issuer, may func(issuer *Principal) error) (bool, error) {
	switch {
	case by.Member == nil:
		return true, nil
	case by.Key != nil:
		kh, found, err := tx.KeyHolderOf(company.ID, *by.Key)
		if err != nil || !found {
			return false, err
		}
		h := d.holderOf(&kh)
		return h.refused(tx.Now) == nil && may(h.principal) == nil, nil
	}
	m, err := tx.MemberSight(company.ID, *by.Member)
	return m != nil && may(memberPrincipal(company, m)) == nil, err
}

// openInvitation finds the invitation of a link that its issuer could still make, with the sectors that there still are.
// sectors is PresentSectors or KeepSectors of the transaction.
func (d *Desk) openInvitation(
	tx *store.Tx, hash [32]byte, sectors func(company model.ID, ids []model.ID) (map[model.ID]bool, error),
) (store.OpenInvitation, bool, error) {
	i, found, err := tx.OpenInvitation(hash)
	if err != nil || !found {
		return i, false, err
	}
	present, err := sectors(i.Company.ID, i.SectorIDs)
	if err != nil {
		return i, false, err
	}
	i.SectorIDs = slices.DeleteFunc(i.SectorIDs, func(id model.ID) bool { return !present[id] })
	valid, err := d.stillIssued(tx, i.Company, i.Issuer, func(issuer *Principal) error {
		return issuer.mayGive(i.Role, i.AccessProfile, i.SectorIDs)
	})
	return i, valid, err
}

// resetLink finds a reset link that its issuer could still make for the member as they are now.
func (d *Desk) resetLink(tx *store.Tx, hash [32]byte) (store.ResetLink, bool, error) {
	l, found, err := tx.ResetLink(hash)
	if err != nil || !found {
		return l, false, err
	}
	m, found, err := tx.Member(l.Company.ID, l.Member)
	if err != nil || !found {
		return l, false, err
	}
	valid, err := d.stillIssued(tx, l.Company, l.Issuer, func(issuer *Principal) error { return issuer.mayReset(m.Member) })
	return l, valid, err
}

// Welcome tells the holder of a link what it is for.
func (d System) Welcome(ctx context.Context, v Visitor, token string) (model.Welcome, error) {
	return checkToken(ctx, d.Desk, v, errNoLink(), func(tx *store.Tx) (model.Welcome, bool, error) {
		hash := tokenHash(token)
		i, invited, err := d.openInvitation(tx, hash, tx.PresentSectors)
		if err != nil {
			return model.Welcome{}, false, err
		}
		l, reset, err := d.resetLink(tx, hash) // looked for in every case, so that each takes the same time
		if invited {
			return model.Welcome{Company: model.WelcomeCompany{Name: i.Company.Name}, Email: i.Email, Name: i.Name, Kind: model.WelcomeInvitation}, true, err
		}
		return model.Welcome{Company: model.WelcomeCompany{Name: l.Company.Name}, Email: l.Email, Name: l.Name, Kind: model.WelcomeReset}, reset, err
	})
}

func errNoLink() error {
	return model.Errorf(model.CodeNotFound, "This link is no longer valid. Ask for a new one.")
}

// Accept is what the holder of a link sends to use it.
type Accept struct {
	Token    string
	Name     string // "": as in the link
	Password string
	Code     string // of two-factor, for a new password
}

// AcceptWelcome uses a link: the invited person joins the team, or the member gets a new password. Either is signed in.
func (d System) AcceptWelcome(ctx context.Context, v Visitor, in Accept) (NewSession, error) {
	w, err := d.Welcome(ctx, v, in.Token)
	if err != nil {
		return NewSession{}, err
	}
	if in.Name == "" {
		in.Name = w.Name
	}
	name, invalid := model.Name("body.name", in.Name, model.MaxName)
	if invalid != nil {
		return NewSession{}, invalid
	}
	if w.Kind == model.WelcomeReset {
		return d.acceptReset(ctx, v, in)
	}
	return d.acceptInvitation(ctx, v, in, store.User{Member: model.Member{ID: model.NewID(), Name: name}})
}

func (d *Desk) acceptInvitation(ctx context.Context, v Visitor, in Accept, u store.User) (NewSession, error) {
	link := tokenHash(in.Token)
	var company model.Company
	err := d.store.ReadOne(ctx, func(tx *store.Tx) error {
		i, found, err := tx.OpenInvitation(link)
		company = i.Company
		if err == nil && !found {
			err = errNoLink()
		}
		return err
	})
	if err != nil {
		return NewSession{}, err
	}
	if u.PasswordHash, err = d.hashPassword(ctx, company.ID, "body.password", in.Password); err != nil {
		return NewSession{}, err
	}
	return d.newSession(ctx, v, company.ID, u.ID, func(tx *store.Tx) error {
		tx.LockCompany(company.ID)
		if _, err := tx.LockOwners(company.ID); err != nil { // roles and rights stay as they are, as in RemoveMember
			return err
		}
		i, found, err := d.openInvitation(tx, link, tx.KeepSectors)
		if err != nil || !found {
			return errOr(err, errNoLink())
		}
		if won, err := tx.AcceptInvitation(link); err != nil || !won {
			return errOr(err, errNoLink())
		}
		if err := checkLimit(tx, company.ID, store.CountMembers, "team members", d.limits.Members); err != nil {
			return err
		}
		u.Email, u.Role, u.AccessProfile = i.Email, i.Role, i.AccessProfile
		if fresh, err := tx.InsertUser(company.ID, u); err != nil || !fresh {
			return errOr(err, errEmailTaken(u.Email))
		}
		if err := d.checkMemberships(tx, company.ID, 0, len(i.SectorIDs)); err != nil {
			return err
		}
		tx.SetMemberSectors(company.ID, u.ID, i.SectorIDs)
		return nil
	})
}

// acceptReset sets a new password and ends all other sessions. Where two-factor is on, it takes a code as well.
func (d *Desk) acceptReset(ctx context.Context, v Visitor, in Accept) (NewSession, error) {
	link := tokenHash(in.Token)
	var l store.ResetLink
	err := d.store.ReadOne(ctx, func(tx *store.Tx) (err error) {
		var found bool
		l, found, err = tx.ResetLink(link)
		if err == nil && !found {
			err = errNoLink()
		}
		return err
	})
	if err != nil {
		return NewSession{}, err
	}
	attempt := newAttemptAt(l.Email, v.IP)
	if err := d.beginSignIn(ctx, attempt); err != nil {
		return NewSession{}, err
	}
	if l.TwoFactor != nil && in.Code == "" {
		return NewSession{}, d.endSignIn(ctx, attempt, errCodeRequired())
	}
	hash, err := d.hashPassword(ctx, l.Company.ID, "body.password", in.Password)
	if err != nil {
		return NewSession{}, d.endSignIn(ctx, attempt, err)
	}
	made, err := d.newSession(ctx, v, l.Company.ID, l.Member, func(tx *store.Tx) error {
		tx.LockCompany(l.Company.ID)
		if _, err := tx.LockOwners(l.Company.ID); err != nil { // roles stay as they are, as in UpdateMember
			return err
		}
		if _, _, err := tx.Profile(l.Company.ID, l.Member); err != nil {
			return err
		}
		l, valid, err := d.resetLink(tx, link)
		if err != nil || !valid {
			return errOr(err, errNoLink())
		}
		if l.TwoFactor != nil && in.Code == "" { // switched on since
			return errCodeRequired()
		}
		if err := d.useCode(tx, l.Company.ID, l.Member, l.TwoFactor, in.Code); err != nil {
			return err
		}
		if used, err := tx.UseResetLink(link); err != nil || !used {
			return errOr(err, errNoLink())
		}
		suspendViewer(tx, &l)
		tx.SetMemberPassword(l.Company.ID, l.Member, *hash)
		tx.EndSessions(l.Company.ID, l.Member)
		attempt.succeeded(tx)
		d.forgetHolders(tx, l.Company.ID)
		return nil
	})
	if model.CodeOf(err) == model.CodeCodeRequired {
		err = d.endSignIn(ctx, attempt, err)
	}
	return made, err
}

// suspendViewer hides the private channels of a member from whoever used a link, other than those that the person who made the link sees
// as well: whoever makes a link can use it. Somebody who chooses the viewers confirms them. Keys see no private channel, and
// the operator can see everything.
func suspendViewer(tx *store.Tx, l *store.ResetLink) {
	switch by := l.Issuer; {
	case by.Key != nil:
		tx.SuspendViewer(l.Company.ID, l.Member, nil)
	case by.Member != nil && *by.Member != l.Member:
		tx.SuspendViewer(l.Company.ID, l.Member, by.Member)
	}
}
