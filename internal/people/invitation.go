package people

import (
	"cmp"
	"context"
	"slices"

	"recado/internal/fold"
	"recado/internal/kernel"
)

// NewInvitation describes an invitation to create.
type NewInvitation struct {
	Email         string               `json:"email" maxLength:"254"`
	Name          string               `json:"name" minLength:"1" maxLength:"120"`
	Role          kernel.Role          `json:"role" enum:"owner,admin,manager,agent"`
	AccessProfile kernel.AccessProfile `json:"access_profile,omitempty" enum:"all,sectors,own" default:"all"`
	SectorIDs     []kernel.ID          `json:"sector_ids,omitempty" maxItems:"200"`
}

// Invitations lists the company's invitations, newest first. It skips those that were accepted or expired long ago.
func (d *People) Invitations(ctx context.Context, a *kernel.Principal) ([]Invitation, error) {
	return kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) ([]Invitation, error) {
		return kernel.Rows(tx, `
			SELECT `+invitationColumns+`
			FROM invitations i
			WHERE i.company = $1 AND COALESCE(i.accepted_at, i.expires_at) > $2
			ORDER BY i.id DESC`, []any{a.Company.ID, tx.Now.Add(-InvitationKept)}, scanInvitation)
	})
}

// Invite creates an invitation, which replaces an open one for the same address, and returns the token of its link.
func (d *People) Invite(ctx context.Context, a *kernel.Principal, in NewInvitation) (Invitation, string, error) {
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
		tx.Later(`DELETE FROM invitations WHERE company = $1 AND email_folded = $2 AND accepted_at IS NULL`,
			a.Company.ID, fold.Text(u.Email))
		const counted = "invitations, including those of the last 30 days,"
		if err := kernel.CheckLimit(tx, a.Company.ID, countInvitations, counted, d.Limit(limitInvitations)); err != nil {
			return Invitation{}, err
		}
		i := Invitation{
			ID: kernel.NewID(), Email: u.Email, Name: u.Name, Role: in.Role, AccessProfile: in.AccessProfile,
			SectorIDs: append([]kernel.ID{}, in.SectorIDs...), CreatedAt: tx.Now, ExpiresAt: tx.Now.Add(InvitationLasts),
		}
		insertInvitation(tx, a.Company.ID, i, issuer(a), hash)
		tx.Audit(a, kernel.AuditEntry{Action: "member.invited", Subject: i.subject(), Changes: i.changes()})
		return i, nil
	})
	return invitation, token, err
}

// subject returns the invitation as the subject of an audit entry.
func (i *Invitation) subject() kernel.AuditSubject {
	return kernel.NewAuditSubject("invitation", i.ID, i.Name)
}

// changes returns a new invitation for an audit entry.
func (i *Invitation) changes() []kernel.AuditChange {
	return kernel.AuditChanges(nil, i, "name", "url", "accepted_at")
}

// CancelInvitation deletes an invitation to a role that the caller may manage.
func (d *People) CancelInvitation(ctx context.Context, a *kernel.Principal, id kernel.ID) error {
	return d.Store.Write(ctx, func(tx *kernel.Tx) error {
		i, err := kernel.Find(tx, "invitation", `SELECT `+invitationColumns+` FROM invitations i WHERE i.company = $1 AND i.id = $2`,
			[]any{a.Company.ID, id}, scanInvitation)
		if err = kernel.ErrOr(err, mayManage(a, i.Role)); err != nil {
			return err
		}
		tx.Later(`DELETE FROM invitations WHERE company = $1 AND id = $2`, a.Company.ID, id)
		tx.Audit(a, kernel.AuditEntry{Action: "invitation.cancelled", Subject: i.subject()})
		return nil
	})
}

// ResetLink creates a link with which a member can set a new password, and returns its token. The member must not see more
// than the caller.
func (d *People) ResetLink(ctx context.Context, a *kernel.Principal, member kernel.ID) (AccessLink, string, error) {
	token, hash := newToken()
	link, err := kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (AccessLink, error) {
		m, err := findMember(tx, a.Company.ID, member, tx.ForUpdate())
		if err = kernel.ErrOr(err, mayReset(a, m.Member)); err != nil {
			return AccessLink{}, err
		}
		expires := tx.Now.Add(ResetLinkLasts)
		by := issuer(a)
		removeResetLinks(tx, a.Company.ID, member)
		tx.Later(`INSERT INTO reset_links (company, member, hash, expires_at, issuer, issuer_key) VALUES ($1, $2, $3, $4, $5, $6)`,
			a.Company.ID, member, hash[:], expires, by.Member, by.Key)
		tx.Audit(a, kernel.AuditEntry{Action: "reset_link.created", Subject: m.subject()})
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
	return cmp.Or(a.May(VerbInvite), mayManage(a, role), mayShow(a, profile, sectors))
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
		h, err := d.findHolder(tx, `s.company = $1 AND s.key_id = $2 AND s.expires_at IS NULL`, company.ID, *by.Key)
		return h != nil && h.check(tx.Now) == nil && may(h.principal) == nil, err
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
	i.SectorIDs = slices.DeleteFunc(i.SectorIDs, func(id kernel.ID) bool { return !slices.Contains(present, id) })
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
	m, err := findMember(tx, l.Company.ID, l.Member, "")
	if err != nil {
		return l, false, err
	}
	valid, err := d.issuerMay(tx, l.Company, l.Issuer, func(issuer *kernel.Principal) error { return mayReset(issuer, m.Member) })
	return l, valid, err
}

// openLink is a link that can be used.
type openLink struct {
	Welcome
	company kernel.ID
	reset   ResetLink // zero for an invitation
}

// findLink finds a link that can be used. A wrong token counts as a failure to sign in.
func (d *People) findLink(ctx context.Context, v kernel.Visitor, token string) (openLink, error) {
	return checkToken(ctx, d, v, errNoLink(), func(tx *kernel.Tx) (openLink, bool, error) {
		hash := tokenHash(token)
		i, invited, err := d.validInvitation(tx, hash, "")
		if err != nil {
			return openLink{}, false, err
		}
		l, reset, err := d.validResetLink(tx, hash) // always, so that every call takes the same time
		if invited {
			w := Welcome{WelcomeCompany{i.Company.Name}, i.Email, i.Name, WelcomeInvitation}
			return openLink{Welcome: w, company: i.Company.ID}, true, err
		}
		return openLink{Welcome{WelcomeCompany{l.Company.Name}, l.Email, l.Name, WelcomeReset}, l.Company.ID, l}, reset, err
	})
}

// Welcome returns the purpose of a link.
func (d *People) Welcome(ctx context.Context, v kernel.Visitor, token string) (Welcome, error) {
	link, err := d.findLink(ctx, v, token)
	return link.Welcome, err
}

func errNoLink() error {
	return kernel.Errorf(kernel.CodeNotFound, "This link is no longer valid. Ask for a new one.")
}

// Accept is the request of somebody who uses a link.
type Accept struct {
	Token    string `json:"token" maxLength:"200"`
	Name     string `json:"name,omitempty" maxLength:"120" doc:"Defaults to the name in the invitation."`
	Password string `json:"password" doc:"Must have 10 to 256 characters."`
	Code     string `json:"code,omitempty" maxLength:"40" doc:"Required to set a new password if two-factor sign-in is on."`
}

// AcceptWelcome uses a link: an invited person joins the team, a member gets a new password. Both are signed in.
func (d *People) AcceptWelcome(ctx context.Context, v kernel.Visitor, in Accept) (NewSession, error) {
	link, err := d.findLink(ctx, v, in.Token)
	if err != nil {
		return NewSession{}, err
	}
	name, invalid := kernel.Name("body.name", cmp.Or(in.Name, link.Name), kernel.MaxName)
	if invalid != nil {
		return NewSession{}, invalid
	}
	if link.Kind == WelcomeReset {
		return d.acceptReset(ctx, v, in, link.reset)
	}
	return d.acceptInvitation(ctx, v, in, link.company, User{Member: Member{ID: kernel.NewID(), Name: name}})
}

func (d *People) acceptInvitation(
	ctx context.Context, v kernel.Visitor, in Accept, company kernel.ID, u User,
) (session NewSession, err error) {
	link := tokenHash(in.Token)
	if u.PasswordHash, err = d.hashPassword(ctx, company, "body.password", in.Password); err != nil {
		return session, err
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
		n, err := tx.Exec(`
			UPDATE invitations
			SET accepted_at = $3
			WHERE company = $1 AND id = $2 AND accepted_at IS NULL AND expires_at > $3`, company, i.ID, tx.Now)
		if err != nil || n == 0 {
			return kernel.ErrOr(err, errNoLink())
		}
		if err := kernel.CheckLimit(tx, company, countMembers, "team members", d.Limit(limitMembers)); err != nil {
			return err
		}
		u.Email, u.Role, u.AccessProfile = i.Email, i.Role, i.AccessProfile
		if err := kernel.ErrOr(insertUser(tx, company, u), d.checkMemberships(tx, company, 0, len(i.SectorIDs))); err != nil {
			return err
		}
		setMemberSectors(tx, company, u.ID, i.SectorIDs)
		tx.Audit(nil, kernel.AuditEntry{
			Action: "member.created", Company: company, Actor: kernel.AuditUser(kernel.Ref{ID: u.ID, Name: u.Name}),
			Subject: u.subject(), Changes: i.changes(),
		})
		return nil
	})
}

// acceptReset sets a new password and ends all other sessions. It requires a code if two-factor is on.
func (d *People) acceptReset(ctx context.Context, v kernel.Visitor, in Accept, l ResetLink) (NewSession, error) {
	link := tokenHash(in.Token)
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
		if _, _, err := findProfile(tx, l.Company.ID, l.Member, tx.ForUpdate()); err != nil {
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
		n, err := tx.Exec(`DELETE FROM reset_links WHERE company = $1 AND member = $2 AND hash = $3 AND expires_at > $4`,
			l.Company.ID, l.Member, link[:], tx.Now)
		if err != nil || n == 0 {
			return kernel.ErrOr(err, errNoLink())
		}
		if err := suspendViewer(tx, l); err != nil {
			return err
		}
		setMemberPassword(tx, l.Company.ID, l.Member, *hash)
		if _, err := endSessions(tx, l.Company.ID, l.Member); err != nil {
			return err
		}
		tx.Audit(nil, kernel.AuditEntry{
			Action: "password.changed", Company: l.Company.ID, Actor: kernel.AuditUser(kernel.Ref{ID: l.Member, Name: l.Name}),
			Subject: kernel.NewAuditSubject("member", l.Member, l.Name), Changes: []kernel.AuditChange{{Field: "with", To: "reset_link"}},
		})
		attempt.succeeded(tx)
		d.ForgetHolders(tx, l.Company.ID)
		return nil
	})
	switch kernel.CodeOf(err) {
	case kernel.CodeCodeRequired:
		err = d.endSignIn(ctx, attempt, err)
	case kernel.CodeCodeInvalid:
		err = d.failSignIn(ctx, attempt, "code", err, Candidate{Company: l.Company, Member: l.Member, Name: l.Name})
	}
	return session, err
}

// suspendViewer hides the private channels of a member who used a link until somebody confirms the viewers, because the issuer
// could have used the link. Channels that the issuer sees stay visible. Keys see no private channel; the operator sees all.
func suspendViewer(tx *kernel.Tx, l ResetLink) error {
	by := l.Issuer
	if by.Key != nil {
		by.Member = nil
	} else if by.Member == nil || *by.Member == l.Member {
		return nil
	}
	const hidden = `company = $1 AND member = $2 AND NOT pending AND channel NOT IN (
		SELECT o.channel
		FROM channel_viewers o
		WHERE o.company = $1 AND o.member = $3 AND NOT o.pending)`
	channels, err := kernel.Rows(tx, `
		SELECT ch.id, ch.name
		FROM channels ch
		WHERE ch.company = $1 AND ch.private AND ch.id IN (SELECT channel FROM channel_viewers WHERE `+hidden+`)
		ORDER BY ch.id`, []any{l.Company.ID, l.Member, by.Member}, scanRef)
	for _, ch := range channels {
		viewers, err := ChannelViewers(tx, l.Company.ID, ch.ID)
		if err != nil {
			return err
		}
		entry := viewerGone(ch, viewers, l.Member)
		entry.Company, entry.Actor = l.Company.ID, kernel.AuditUser(kernel.Ref{ID: l.Member, Name: l.Name})
		tx.Audit(nil, entry)
	}
	tx.Later(`UPDATE channel_viewers SET pending = TRUE WHERE `+hidden, l.Company.ID, l.Member, by.Member)
	return err
}
