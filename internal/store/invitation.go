package store

import (
	"time"

	"recado/internal/fold"
	"recado/internal/model"
)

const invitationColumns = `id, email, name, role, access_profile, sectors, created_at, expires_at, accepted_at`

func scanInvitation(r Row) model.Invitation {
	return model.Invitation{
		ID: r.ID(0), Email: r.Text(1), Name: r.Text(2), Role: model.Role(r.Text(3)), AccessProfile: model.AccessProfile(r.Text(4)),
		SectorIDs: unpackIDs(r.Bytes(5)), CreatedAt: r.Time(6), ExpiresAt: r.Time(7), AcceptedAt: r.NullTime(8),
	}
}

// Invitations lists the company's invitations, the newest first.
func (tx *Tx) Invitations(company model.ID) ([]model.Invitation, error) {
	invitations := []model.Invitation{}
	err := tx.query(`
		SELECT `+invitationColumns+`
		FROM invitations
		WHERE company = $1 AND COALESCE(accepted_at, expires_at) > $2
		ORDER BY id DESC`, []any{company, tx.Now.Add(-model.InvitationKept)}, func(r Row) error {
		invitations = append(invitations, scanInvitation(r))
		return nil
	})
	return invitations, err
}

// RemoveOpenInvitation deletes the invitation of an address that was not accepted, if there is one.
func (tx *Tx) RemoveOpenInvitation(company model.ID, email string) {
	tx.later(`DELETE FROM invitations WHERE company = $1 AND email_folded = $2 AND accepted_at IS NULL`, company, fold.Text(email))
}

// Issuer names who issued a link or an invitation. Member is nil for the operator; Key is set where an API key was used.
type Issuer struct {
	Member, Key *model.ID
}

// InsertInvitation adds an invitation.
func (tx *Tx) InsertInvitation(company model.ID, i model.Invitation, by Issuer, hash [32]byte) {
	tx.later(`
		INSERT INTO invitations (id, company, email, email_folded, name, role, access_profile, sectors, hash, created_at, expires_at, issuer, issuer_key)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
		i.ID, company, i.Email, fold.Text(i.Email), i.Name, i.Role, i.AccessProfile, packIDs(i.SectorIDs), hash[:], i.CreatedAt, i.ExpiresAt, by.Member, by.Key)
}

// Invitation gives one invitation of the company.
func (tx *Tx) Invitation(company, id model.ID) (i model.Invitation, found bool, err error) {
	found, err = tx.one(`SELECT `+invitationColumns+` FROM invitations WHERE company = $1 AND id = $2`, []any{company, id}, func(r Row) { i = scanInvitation(r) })
	return i, found, err
}

// RemoveInvitation deletes an invitation and reports whether the company had it.
func (tx *Tx) RemoveInvitation(company, id model.ID) (bool, error) {
	n, err := tx.exec(`DELETE FROM invitations WHERE company = $1 AND id = $2`, company, id)
	return n > 0, err
}

// OpenInvitation is an invitation that was not accepted and has not expired.
type OpenInvitation struct {
	model.Invitation
	Company model.Company
	Issuer  Issuer
}

// OpenInvitation finds the invitation of a link that can still be accepted.
func (tx *Tx) OpenInvitation(hash [32]byte) (i OpenInvitation, found bool, err error) {
	found, err = tx.one(`
		SELECT i.id, i.email, i.name, i.role, i.access_profile, i.sectors, i.created_at, i.expires_at, i.accepted_at, c.id, c.name, c.timezone,
			i.issuer, i.issuer_key
		FROM invitations i
		JOIN companies c ON c.id = i.company
		WHERE i.hash = $1 AND i.accepted_at IS NULL AND i.expires_at > $2`, []any{hash[:], tx.Now}, func(r Row) {
		i = OpenInvitation{scanInvitation(r), model.Company{ID: r.ID(9), Name: r.Text(10), Timezone: r.Text(11)}, Issuer{r.NullID(12), r.NullID(13)}}
	})
	return i, found, err
}

// AcceptInvitation marks an invitation as accepted, and reports false when that was done before.
func (tx *Tx) AcceptInvitation(hash [32]byte) (bool, error) {
	n, err := tx.exec(`UPDATE invitations SET accepted_at = $2 WHERE hash = $1 AND accepted_at IS NULL AND expires_at > $2`, hash[:], tx.Now)
	return n == 1, err
}

// ResetLink is a link with which a member sets a password.
type ResetLink struct {
	Company   model.Company
	Member    model.ID
	Name      string
	Email     string
	TwoFactor []byte // the sealed secret; nil: off
	Issuer    Issuer
}

// InsertResetLink adds a link in place of the member's earlier ones.
func (tx *Tx) InsertResetLink(company, member model.ID, by Issuer, hash [32]byte, expires time.Time) {
	tx.RemoveResetLinks(company, member)
	tx.later(`
		INSERT INTO reset_links (hash, company, member, expires_at, issuer, issuer_key)
		VALUES ($1, $2, $3, $4, $5, $6)`, hash[:], company, member, expires, by.Member, by.Key)
}

// ResetLink finds a link that can still be used.
func (tx *Tx) ResetLink(hash [32]byte) (l ResetLink, found bool, err error) {
	found, err = tx.one(`
		SELECT c.id, c.name, c.timezone, u.id, u.name, u.email, u.two_factor, l.issuer, l.issuer_key
		FROM reset_links l
		JOIN users u ON u.id = l.member
		JOIN companies c ON c.id = l.company
		WHERE l.hash = $1 AND l.expires_at > $2 AND u.removed_at IS NULL`, []any{hash[:], tx.Now}, func(r Row) {
		l.Company = model.Company{ID: r.ID(0), Name: r.Text(1), Timezone: r.Text(2)}
		l.Member, l.Name, l.Email, l.TwoFactor = r.ID(3), r.Text(4), r.Text(5), r.Bytes(6)
		l.Issuer = Issuer{r.NullID(7), r.NullID(8)}
	})
	return l, found, err
}

// UseResetLink removes a link, and reports false when another call was faster.
func (tx *Tx) UseResetLink(hash [32]byte) (bool, error) {
	n, err := tx.exec(`DELETE FROM reset_links WHERE hash = $1 AND expires_at > $2`, hash[:], tx.Now)
	return n == 1, err
}

// RemoveResetLinks deletes the links with which a member could set a password.
func (tx *Tx) RemoveResetLinks(company, member model.ID) {
	tx.later(`DELETE FROM reset_links WHERE company = $1 AND member = $2`, company, member)
}

// RemoveIssued deletes the links and the open invitations that a member issued, also with a key.
func (tx *Tx) RemoveIssued(company, issuer model.ID) {
	tx.later(`DELETE FROM reset_links WHERE company = $1 AND issuer = $2`, company, issuer)
	tx.later(`DELETE FROM invitations WHERE company = $1 AND issuer = $2 AND accepted_at IS NULL`, company, issuer)
}

// removeIssuedByRevoked deletes the links and the open invitations that were issued with keys that are revoked.
func (tx *Tx) removeIssuedByRevoked(company model.ID) {
	const revoked = `(SELECT k.id FROM keys k WHERE k.company = $1 AND k.revoked_at IS NOT NULL)`
	tx.later(`DELETE FROM reset_links WHERE company = $1 AND issuer_key IN `+revoked, company)
	tx.later(`DELETE FROM invitations WHERE company = $1 AND accepted_at IS NULL AND issuer_key IN `+revoked, company)
}
