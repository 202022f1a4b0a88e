package people

import (
	"context"
	"slices"

	"recado/internal/kernel"
)

// NewInvitation says who is invited to what.
type NewInvitation struct {
	Email         string
	Name          string
	Role          kernel.Role
	AccessProfile kernel.AccessProfile
	Sectors       []kernel.ID
}

// Invitations lists the company's invitations.
func (d *People) Invitations(ctx context.Context, a *kernel.Principal) ([]Invitation, error) {
	if err := a.May(VerbInvitations); err != nil {
		return nil, err
	}
	return kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) ([]Invitation, error) { return listInvitations(tx, a.Company.ID) })
}

// Invite makes an invitation in place of an earlier one for the same address, and gives the token of its link.
func (d *People) Invite(ctx context.Context, a *kernel.Principal, in NewInvitation) (Invitation, string, error) {
	if err := a.May(VerbInvite); err != nil {
		return Invitation{}, "", err
	}
	if err := mayGive(a, in.Role, in.AccessProfile, in.Sectors); err != nil {
		return Invitation{}, "", err
	}
	u, err := d.newUser(ctx, "body.", NewUser{Name: in.Name, Email: in.Email, Role: in.Role, AccessProfile: in.AccessProfile})
	if err != nil {
		return Invitation{}, "", err
	}
	token, hash := newToken()
	made, err := kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (Invitation, error) {
		if err := CheckSectors(tx, a, in.Sectors); err != nil {
			return Invitation{}, err
		}
		if _, taken, err := userByEmail(tx, a.Company.ID, u.Email); err != nil || taken {
			return Invitation{}, kernel.ErrOr(err, errEmailTaken(u.Email))
		}
		if err := kernel.CheckLimit(tx, a.Company.ID, countMembers, "team members", d.Limit(limitMembers)); err != nil {
			return Invitation{}, err
		}
		removeOpenInvitation(tx, a.Company.ID, u.Email)
		if err := kernel.CheckLimit(tx, a.Company.ID, countInvitations, "invitations, those of the last 30 days included,", d.Limit(limitInvitations)); err != nil {
			return Invitation{}, err
		}
		i := Invitation{
			ID: kernel.NewID(), Email: u.Email, Name: u.Name, Role: in.Role, AccessProfile: in.AccessProfile, SectorIDs: in.Sectors,
			CreatedAt: tx.Now, ExpiresAt: tx.Now.Add(InvitationLasts),
		}
		if i.SectorIDs == nil {
			i.SectorIDs = []kernel.ID{}
		}
		insertInvitation(tx, a.Company.ID, i, issuer(a), hash)
		return i, nil
	})
	return made, token, err
}

// CancelInvitation removes an invitation of a role that the caller may manage; its link stops working.
func (d *People) CancelInvitation(ctx context.Context, a *kernel.Principal, id kernel.ID) error {
	if err := a.May(VerbCancelInvitation); err != nil {
		return err
	}
	_, err := kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (struct{}, error) {
		i, found, err := invitation(tx, a.Company.ID, id)
		if err != nil || !found {
			return struct{}{}, kernel.ErrOr(err, kernel.NotFound("invitation"))
		}
		if err := mayManage(a, i.Role); err != nil {
			return struct{}{}, err
		}
		_, err = removeInvitation(tx, a.Company.ID, id)
		return struct{}{}, err
	})
	return err
}

// ResetLink makes a link with which a member sets a new password, and gives its token. The member must not see more than
// the caller.
func (d *People) ResetLink(ctx context.Context, a *kernel.Principal, member kernel.ID) (AccessLink, string, error) {
	if err := a.May(VerbResetLink); err != nil {
		return AccessLink{}, "", err
	}
	token, hash := newToken()
	link, err := kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (AccessLink, error) {
		m, found, err := lockMember(tx, a.Company.ID, member)
		if err != nil || !found {
			return AccessLink{}, kernel.ErrOr(err, kernel.NotFound("team member"))
		}
		if err := mayReset(a, m.Member); err != nil {
			return AccessLink{}, err
		}
		expires := tx.Now.Add(ResetLinkLasts)
		insertResetLink(tx, a.Company.ID, member, issuer(a), hash, expires)
		return AccessLink{ExpiresAt: expires}, nil
	})
	return link, token, err
}

// mayReset reports whether the principal may make a link with which a member sets a new password.
func mayReset(a *kernel.Principal, m Member) error {
	if err := a.May(VerbResetLink); err != nil {
		return err
	}
	if err := mayManage(a, m.Role); err != nil || m.ID == a.User.ID {
		return err
	}
	return seesAsMuch(a, m)
}

// mayGive reports whether the principal may invite somebody with this role, access profile and these sectors.
func mayGive(a *kernel.Principal, role kernel.Role, profile kernel.AccessProfile, sectors []kernel.ID) error {
	if err := a.May(VerbInvite); err != nil {
		return err
	}
	if err := mayManage(a, role); err != nil {
		return err
	}
	return mayShow(a, profile, sectors)
}

// issuer names the principal in what it issues. The operator is not named.
func issuer(a *kernel.Principal) Issuer {
	if a.Kind() == kernel.KindSystem {
		return Issuer{}
	}
	return Issuer{Member: &a.User.ID, Key: parentKey(a)}
}

// stillIssued reports whether what an issuer made may be used now: may is asked with the issuer as they are at this moment.
// What the operator made stays valid; what a removed member or an invalid key made does not.
func (d *People) stillIssued(tx *kernel.Tx, company kernel.Company, by Issuer, may func(issuer *kernel.Principal) error) (bool, error) {
	switch {
	case by.Member == nil:
		return true, nil
	case by.Key != nil:
		kh, found, err := keyHolderOf(tx, company.ID, *by.Key)
		if err != nil || !found {
			return false, err
		}
		h := d.holderOf(&kh)
		return h.refused(tx.Now) == nil && may(h.principal) == nil, nil
	}
	m, err := memberSight(tx, company.ID, *by.Member)
	return m != nil && may(MemberPrincipal(company, m)) == nil, err
}

// openInvitation finds the invitation of a link that its issuer could still make, with the sectors that there still are.
// sectors is PresentSectors or KeepSectors of the transaction.
func (d *People) openInvitation(
	tx *kernel.Tx, hash [32]byte, sectors func(company kernel.ID, ids []kernel.ID) (map[kernel.ID]bool, error),
) (OpenInvitation, bool, error) {
	i, found, err := openInvitation(tx, hash)
	if err != nil || !found {
		return i, false, err
	}
	present, err := sectors(i.Company.ID, i.SectorIDs)
	if err != nil {
		return i, false, err
	}
	i.SectorIDs = slices.DeleteFunc(i.SectorIDs, func(id kernel.ID) bool { return !present[id] })
	valid, err := d.stillIssued(tx, i.Company, i.Issuer, func(issuer *kernel.Principal) error {
		return mayGive(issuer, i.Role, i.AccessProfile, i.SectorIDs)
	})
	return i, valid, err
}

// resetLink finds a reset link that its issuer could still make for the member as they are now.
func (d *People) resetLink(tx *kernel.Tx, hash [32]byte) (ResetLink, bool, error) {
	l, found, err := resetLink(tx, hash)
	if err != nil || !found {
		return l, false, err
	}
	m, found, err := findMember(tx, l.Company.ID, l.Member)
	if err != nil || !found {
		return l, false, err
	}
	valid, err := d.stillIssued(tx, l.Company, l.Issuer, func(issuer *kernel.Principal) error { return mayReset(issuer, m.Member) })
	return l, valid, err
}

// Welcome tells the holder of a link what it is for.
func (d *People) Welcome(ctx context.Context, v kernel.Visitor, token string) (Welcome, error) {
	return checkToken(ctx, d, v, errNoLink(), func(tx *kernel.Tx) (Welcome, bool, error) {
		hash := tokenHash(token)
		i, invited, err := d.openInvitation(tx, hash, func(company kernel.ID, ids []kernel.ID) (map[kernel.ID]bool, error) {
			return presentSectors(tx, company, ids)
		})
		if err != nil {
			return Welcome{}, false, err
		}
		l, reset, err := d.resetLink(tx, hash) // looked for in every case, so that each takes the same time
		if invited {
			return Welcome{Company: WelcomeCompany{Name: i.Company.Name}, Email: i.Email, Name: i.Name, Kind: WelcomeInvitation}, true, err
		}
		return Welcome{Company: WelcomeCompany{Name: l.Company.Name}, Email: l.Email, Name: l.Name, Kind: WelcomeReset}, reset, err
	})
}

func errNoLink() error {
	return kernel.Errorf(kernel.CodeNotFound, "This link is no longer valid. Ask for a new one.")
}

// Accept is what the holder of a link sends to use it.
type Accept struct {
	Token    string
	Name     string // "": as in the link
	Password string
	Code     string // of two-factor, for a new password
}

// AcceptWelcome uses a link: the invited person joins the team, or the member gets a new password. Either is signed in.
func (d *People) AcceptWelcome(ctx context.Context, v kernel.Visitor, in Accept) (NewSession, error) {
	w, err := d.Welcome(ctx, v, in.Token)
	if err != nil {
		return NewSession{}, err
	}
	if in.Name == "" {
		in.Name = w.Name
	}
	name, invalid := kernel.Name("body.name", in.Name, kernel.MaxName)
	if invalid != nil {
		return NewSession{}, invalid
	}
	if w.Kind == WelcomeReset {
		return d.acceptReset(ctx, v, in)
	}
	return d.acceptInvitation(ctx, v, in, User{Member: Member{ID: kernel.NewID(), Name: name}})
}

func (d *People) acceptInvitation(ctx context.Context, v kernel.Visitor, in Accept, u User) (NewSession, error) {
	link := tokenHash(in.Token)
	var company kernel.Company
	err := d.Store.ReadOne(ctx, func(tx *kernel.Tx) error {
		i, found, err := openInvitation(tx, link)
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
	return d.newSession(ctx, v, company.ID, u.ID, func(tx *kernel.Tx) error {
		tx.LockCompany(company.ID)
		if _, err := lockOwners(tx, company.ID); err != nil { // roles and rights stay as they are, as in RemoveMember
			return err
		}
		i, found, err := d.openInvitation(tx, link, func(company kernel.ID, ids []kernel.ID) (map[kernel.ID]bool, error) {
			return keepSectors(tx, company, ids)
		})
		if err != nil || !found {
			return kernel.ErrOr(err, errNoLink())
		}
		if won, err := acceptInvitation(tx, company.ID, i.ID); err != nil || !won {
			return kernel.ErrOr(err, errNoLink())
		}
		if err := kernel.CheckLimit(tx, company.ID, countMembers, "team members", d.Limit(limitMembers)); err != nil {
			return err
		}
		u.Email, u.Role, u.AccessProfile = i.Email, i.Role, i.AccessProfile
		if fresh, err := InsertUser(tx, company.ID, u); err != nil || !fresh {
			return kernel.ErrOr(err, errEmailTaken(u.Email))
		}
		if err := d.checkMemberships(tx, company.ID, 0, len(i.SectorIDs)); err != nil {
			return err
		}
		setMemberSectors(tx, company.ID, u.ID, i.SectorIDs)
		return nil
	})
}

// acceptReset sets a new password and ends all other sessions. Where two-factor is on, it takes a code as well.
func (d *People) acceptReset(ctx context.Context, v kernel.Visitor, in Accept) (NewSession, error) {
	link := tokenHash(in.Token)
	var l ResetLink
	err := d.Store.ReadOne(ctx, func(tx *kernel.Tx) (err error) {
		var found bool
		l, found, err = resetLink(tx, link)
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
	made, err := d.newSession(ctx, v, l.Company.ID, l.Member, func(tx *kernel.Tx) error {
		tx.LockCompany(l.Company.ID)
		if _, err := lockOwners(tx, l.Company.ID); err != nil { // roles stay as they are, as in UpdateMember
			return err
		}
		if _, _, err := findProfile(tx, l.Company.ID, l.Member); err != nil {
			return err
		}
		l, valid, err := d.resetLink(tx, link)
		if err != nil || !valid {
			return kernel.ErrOr(err, errNoLink())
		}
		if l.TwoFactor != nil && in.Code == "" { // switched on since
			return errCodeRequired()
		}
		if err := d.useCode(tx, l.Company.ID, l.Member, l.TwoFactor, in.Code); err != nil {
			return err
		}
		if used, err := useResetLink(tx, l.Company.ID, l.Member, link); err != nil || !used {
			return kernel.ErrOr(err, errNoLink())
		}
		suspendViewer(tx, &l)
		setMemberPassword(tx, l.Company.ID, l.Member, *hash)
		endSessions(tx, l.Company.ID, l.Member)
		attempt.succeeded(tx)
		d.ForgetHolders(tx, l.Company.ID)
		return nil
	})
	if kernel.CodeOf(err) == kernel.CodeCodeRequired {
		err = d.endSignIn(ctx, attempt, err)
	}
	return made, err
}

// suspendViewer hides the private channels of a member from whoever used a link, other than those that the person who made the link sees
// as well: whoever makes a link can use it. Somebody who chooses the viewers confirms them. Keys see no private channel, and
// the operator can see everything.
func suspendViewer(tx *kernel.Tx, l *ResetLink) {
	switch by := l.Issuer; {
	case by.Key != nil:
		setViewerPending(tx, l.Company.ID, l.Member, nil)
	case by.Member != nil && *by.Member != l.Member:
		setViewerPending(tx, l.Company.ID, l.Member, by.Member)
	}
}
