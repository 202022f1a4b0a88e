package people

import (
	"context"
	"slices"

	"recado/internal/kernel"
)

// NewInvitation describes an invitation to create.
type NewInvitation struct {
	Email         string
	Name          string
	Role          kernel.Role
	AccessProfile kernel.AccessProfile
	SectorIDs     []kernel.ID
}

// Invitations lists the company's invitations.
func (d *People) Invitations(ctx context.Context, a *kernel.Principal) ([]Invitation, error) {
	if err := a.May(VerbInvitations); err != nil {
		return nil, err
	}
	return kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) ([]Invitation, error) {
		return listInvitations(tx, a.Company.ID)
	})
}

// Invite creates an invitation, which replaces an open one for the same address, and returns the token of its link.
func (d *People) Invite(ctx context.Context, a *kernel.Principal, in NewInvitation) (Invitation, string, error) {
	if err := a.May(VerbInvite); err != nil {
		return Invitation{}, "", err
	}
	if err := mayInvite(a, in.Role, in.AccessProfile, in.SectorIDs); err != nil {
		return Invitation{}, "", err
	}
	u, err := d.newUser(ctx, "body.", NewUser{Name: in.Name, Email: in.Email, Role: in.Role, AccessProfile: in.AccessProfile})
	if err != nil {
		return Invitation{}, "", err
	}
	token, hash := newToken()
	invitation, err := kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (Invitation, error) {
		if err := CheckSectors(tx, a, in.SectorIDs); err != nil {
			return Invitation{}, err
		}
		if _, taken, err := userByEmail(tx, a.Company.ID, u.Email); err != nil || taken {
			return Invitation{}, kernel.ErrOr(err, errEmailTaken(u.Email))
		}
		if err := kernel.CheckLimit(tx, a.Company.ID, countMembers, "team members", d.Limit(limitMembers)); err != nil {
			return Invitation{}, err
		}
		removeOpenInvitation(tx, a.Company.ID, u.Email)
		const counted = "invitations, including those of the last 30 days,"
		if err := kernel.CheckLimit(tx, a.Company.ID, countInvitations, counted, d.Limit(limitInvitations)); err != nil {
			return Invitation{}, err
		}
		i := Invitation{
			ID: kernel.NewID(), Email: u.Email, Name: u.Name, Role: in.Role, AccessProfile: in.AccessProfile,
			SectorIDs: append([]kernel.ID{}, in.SectorIDs...), CreatedAt: tx.Now, ExpiresAt: tx.Now.Add(InvitationLasts),
		}
		insertInvitation(tx, a.Company.ID, i, issuer(a), hash)
		return i, nil
	})
	return invitation, token, err
}

// CancelInvitation deletes an invitation to a role that the caller may manage.
func (d *People) CancelInvitation(ctx context.Context, a *kernel.Principal, id kernel.ID) error {
	if err := a.May(VerbCancelInvitation); err != nil {
		return err
	}
	return d.Store.Write(ctx, func(tx *kernel.Tx) error {
		i, found, err := findInvitation(tx, a.Company.ID, id)
		if err != nil || !found {
			return kernel.ErrOr(err, kernel.NotFound("invitation"))
		}
		if err := mayManage(a, i.Role); err != nil {
			return err
		}
		removeInvitation(tx, a.Company.ID, id)
		return nil
	})
}

// ResetLink creates a link with which a member can set a new password, and returns its token. The member must not see more
// than the caller.
func (d *People) ResetLink(ctx context.Context, a *kernel.Principal, member kernel.ID) (AccessLink, string, error) {
	if err := a.May(VerbResetLink); err != nil {
		return AccessLink{}, "", err
	}
	token, hash := newToken()
	link, err := kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (AccessLink, error) {
		m, err := lockMember(tx, a.Company.ID, member)
		if err != nil {
			return AccessLink{}, err
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

// mayReset returns an error if the principal may not create a reset link for a member.
func mayReset(a *kernel.Principal, m Member) error {
	err := kernel.ErrOr(a.May(VerbResetLink), mayManage(a, m.Role))
	if err != nil || m.ID == a.User.ID {
		return err
	}
	return seesAsMuch(a, m)
}

// mayInvite returns an error if the principal may not invite somebody with this role, access profile and these sectors.
func mayInvite(a *kernel.Principal, role kernel.Role, profile kernel.AccessProfile, sectors []kernel.ID) error {
	if err := kernel.ErrOr(a.May(VerbInvite), mayManage(a, role)); err != nil {
		return err
	}
	return mayShow(a, profile, sectors)
}

// issuer returns the principal as an issuer.
func issuer(a *kernel.Principal) Issuer {
	if a.Kind() == kernel.KindSystem {
		return Issuer{}
	}
	return Issuer{Member: &a.User.ID, Key: parentKey(a)}
}

// issuerMay reports whether an issuer still has a permission. The operator keeps it; a removed member or an invalid key
// loses it.
func (d *People) issuerMay(
	tx *kernel.Tx, company kernel.Company, by Issuer, may func(issuer *kernel.Principal) error,
) (bool, error) {
	switch {
	case by.Member == nil:
		return true, nil
	case by.Key != nil:
		kh, found, err := keyHolderByID(tx, company.ID, *by.Key)
		if err != nil || !found {
			return false, err
		}
		h := d.newHolder(kh)
		return h.check(tx.Now) == nil && may(h.principal) == nil, nil
	}
	sights, err := memberSights(tx, company.ID, []kernel.ID{*by.Member}, "")
	m := sights[*by.Member]
	return m != nil && may(MemberPrincipal(company, m)) == nil, err
}

// validInvitation finds the open invitation of a link whose issuer could still make it, without removed sectors. The lock
// applies to its sectors.
func (d *People) validInvitation(tx *kernel.Tx, hash [32]byte, lock string) (OpenInvitation, bool, error) {
	i, found, err := findOpenInvitation(tx, hash)
	if err != nil || !found {
		return i, false, err
	}
	present, err := presentSectors(tx, i.Company.ID, i.SectorIDs, lock)
	if err != nil {
		return i, false, err
	}
	i.SectorIDs = slices.DeleteFunc(i.SectorIDs, func(id kernel.ID) bool { return !present[id] })
	valid, err := d.issuerMay(tx, i.Company, i.Issuer, func(issuer *kernel.Principal) error {
		return mayInvite(issuer, i.Role, i.AccessProfile, i.SectorIDs)
	})
	return i, valid, err
}

// validResetLink finds a reset link whose issuer could still make it.
func (d *People) validResetLink(tx *kernel.Tx, hash [32]byte) (ResetLink, bool, error) {
	l, found, err := findResetLink(tx, hash)
	if err != nil || !found {
		return l, false, err
	}
	m, err := findMember(tx, l.Company.ID, l.Member)
	if err != nil {
		return l, false, err
	}
	valid, err := d.issuerMay(tx, l.Company, l.Issuer, func(issuer *kernel.Principal) error { return mayReset(issuer, m.Member) })
	return l, valid, err
}

// Welcome returns the purpose of a link.
func (d *People) Welcome(ctx context.Context, v kernel.Visitor, token string) (Welcome, error) {
	return checkToken(ctx, d, v, errNoLink(), func(tx *kernel.Tx) (Welcome, bool, error) {
		hash := tokenHash(token)
		i, invited, err := d.validInvitation(tx, hash, "")
		if err != nil {
			return Welcome{}, false, err
		}
		l, reset, err := d.validResetLink(tx, hash) // always, so that every call takes the same time
		if invited {
			return Welcome{Company: WelcomeCompany{Name: i.Company.Name}, Email: i.Email, Name: i.Name, Kind: WelcomeInvitation}, true, err
		}
		return Welcome{Company: WelcomeCompany{Name: l.Company.Name}, Email: l.Email, Name: l.Name, Kind: WelcomeReset}, reset, err
	})
}

func errNoLink() error {
	return kernel.Errorf(kernel.CodeNotFound, "This link is no longer valid. Ask for a new one.")
}

// Accept is the request of somebody who uses a link.
type Accept struct {
	Token    string
	Name     string // "": as in the link
	Password string
	Code     string // of two-factor, for a new password
}

// AcceptWelcome uses a link: an invited person joins the team, a member gets a new password. Both are signed in.
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
	company, err := kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) (kernel.ID, error) {
		i, found, err := findOpenInvitation(tx, link)
		if err == nil && !found {
			err = errNoLink()
		}
		return i.Company.ID, err
	})
	if err != nil {
		return NewSession{}, err
	}
	if u.PasswordHash, err = d.hashPassword(ctx, company, "body.password", in.Password); err != nil {
		return NewSession{}, err
	}
	return d.newSession(ctx, v, company, u.ID, func(tx *kernel.Tx) error {
		tx.LockCompany(company)
		if _, err := lockOwners(tx, company); err != nil { // no role changes until the end, as in RemoveMember
			return err
		}
		i, found, err := d.validInvitation(tx, link, tx.ForShare())
		if err != nil || !found {
			return kernel.ErrOr(err, errNoLink())
		}
		if accepted, err := markAccepted(tx, company, i.ID); err != nil || !accepted {
			return kernel.ErrOr(err, errNoLink())
		}
		if err := kernel.CheckLimit(tx, company, countMembers, "team members", d.Limit(limitMembers)); err != nil {
			return err
		}
		u.Email, u.Role, u.AccessProfile = i.Email, i.Role, i.AccessProfile
		if inserted, err := InsertUser(tx, company, u); err != nil || !inserted {
			return kernel.ErrOr(err, errEmailTaken(u.Email))
		}
		if err := d.checkMemberships(tx, company, 0, len(i.SectorIDs)); err != nil {
			return err
		}
		setMemberSectors(tx, company, u.ID, i.SectorIDs)
		return nil
	})
}

// acceptReset sets a new password and ends all other sessions. It requires a code if two-factor is on.
func (d *People) acceptReset(ctx context.Context, v kernel.Visitor, in Accept) (NewSession, error) {
	link := tokenHash(in.Token)
	l, err := kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) (ResetLink, error) {
		l, found, err := findResetLink(tx, link)
		if err == nil && !found {
			err = errNoLink()
		}
		return l, err
	})
	if err != nil {
		return NewSession{}, err
	}
	attempt := newAttempt(l.Email, v.IP)
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
	session, err := d.newSession(ctx, v, l.Company.ID, l.Member, func(tx *kernel.Tx) error {
		tx.LockCompany(l.Company.ID)
		if _, err := lockOwners(tx, l.Company.ID); err != nil { // no role changes until the end, as in UpdateMember
			return err
		}
		if _, _, err := lockProfile(tx, l.Company.ID, l.Member); err != nil {
			return err
		}
		l, valid, err := d.validResetLink(tx, link)
		if err != nil || !valid {
			return kernel.ErrOr(err, errNoLink())
		}
		if l.TwoFactor != nil && in.Code == "" { // turned on in the meantime
			return errCodeRequired()
		}
		if err := d.useCode(tx, l.Company.ID, l.Member, l.TwoFactor, in.Code); err != nil {
			return err
		}
		if used, err := useResetLink(tx, l.Company.ID, l.Member, link); err != nil || !used {
			return kernel.ErrOr(err, errNoLink())
		}
		suspendViewer(tx, l)
		setMemberPassword(tx, l.Company.ID, l.Member, *hash)
		endSessions(tx, l.Company.ID, l.Member)
		attempt.succeeded(tx)
		d.ForgetHolders(tx, l.Company.ID)
		return nil
	})
	if kernel.CodeOf(err) == kernel.CodeCodeRequired {
		err = d.endSignIn(ctx, attempt, err)
	}
	return session, err
}

// suspendViewer hides the private channels of a member who used a link until somebody confirms the viewers, because the issuer
// could have used the link. Channels that the issuer sees stay visible. Keys see no private channel; the operator sees all.
func suspendViewer(tx *kernel.Tx, l ResetLink) {
	switch by := l.Issuer; {
	case by.Key != nil:
		setViewerPending(tx, l.Company.ID, l.Member, nil)
	case by.Member != nil && *by.Member != l.Member:
		setViewerPending(tx, l.Company.ID, l.Member, by.Member)
	}
}
