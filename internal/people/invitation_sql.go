package people

import (
	"time"

	"recado/internal/fold"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

const invitationColumns = `id, email, name, role, access_profile, sectors, created_at, expires_at, accepted_at`

func scanInvitation(r db.Row) Invitation {
	return Invitation{
		ID: r.ID(0), Email: r.Text(1), Name: r.Text(2), Role: kernel.Role(r.Text(3)), AccessProfile: kernel.AccessProfile(r.Text(4)),
		SectorIDs: kernel.UnpackIDs(r.Bytes(5)), CreatedAt: r.Time(6), ExpiresAt: r.Time(7), AcceptedAt: r.NullTime(8),
	}
}

// listInvitations lists the company's invitations, the newest first.
func listInvitations(tx *kernel.Tx, company kernel.ID) ([]Invitation, error) {
	invitations := []Invitation{}
	err := tx.Query(`
		SELECT `+invitationColumns+`
		FROM invitations
		WHERE company = $1 AND COALESCE(accepted_at, expires_at) > $2
		ORDER BY id DESC`, []any{company, tx.Now.Add(-InvitationKept)}, func(r db.Row) error {
		invitations = append(invitations, scanInvitation(r))
		return nil
	})
	return invitations, err
}

// removeOpenInvitation deletes the invitation of an address that was not accepted, if there is one.
func removeOpenInvitation(tx *kernel.Tx, company kernel.ID, email string) {
	tx.Later(`DELETE FROM invitations WHERE company = $1 AND email_folded = $2 AND accepted_at IS NULL`, company, fold.Text(email))
}

// Issuer names who issued a link or an invitation. Member is nil for the operator; Key is set where an API key was used.
type Issuer struct {
	Member, Key *kernel.ID
}

// insertInvitation adds an invitation.
func insertInvitation(tx *kernel.Tx, company kernel.ID, i Invitation, by Issuer, hash [32]byte) {
	tx.Later(`
		INSERT INTO invitations (id, company, email, email_folded, name, role, access_profile, sectors, hash, created_at, expires_at, issuer, issuer_key)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
		i.ID, company, i.Email, fold.Text(i.Email), i.Name, i.Role, i.AccessProfile, kernel.PackIDs(i.SectorIDs), hash[:], i.CreatedAt, i.ExpiresAt, by.Member, by.Key)
}

// invitation gives one invitation of the company.
func invitation(tx *kernel.Tx, company, id kernel.ID) (i Invitation, found bool, err error) {
	found, err = tx.One(`SELECT `+invitationColumns+` FROM invitations WHERE company = $1 AND id = $2`, []any{company, id}, func(r db.Row) { i = scanInvitation(r) })
	return i, found, err
}

// removeInvitation deletes an invitation and reports whether the company had it.
func removeInvitation(tx *kernel.Tx, company, id kernel.ID) (bool, error) {
	n, err := tx.Exec(`DELETE FROM invitations WHERE company = $1 AND id = $2`, company, id)
	return n > 0, err
}

// OpenInvitation is an invitation that was not accepted and has not expired.
type OpenInvitation struct {
	Invitation
	Company kernel.Company
	Issuer  Issuer
}

// openInvitation finds the invitation of a link that can still be accepted.
func openInvitation(tx *kernel.Tx, hash [32]byte) (i OpenInvitation, found bool, err error) {
	found, err = tx.One(`
		SELECT /* all companies: a link names none */ i.id, i.email, i.name, i.role, i.access_profile, i.sectors, i.created_at, i.expires_at, i.accepted_at, c.id, c.name, c.timezone,
			i.issuer, i.issuer_key
		FROM invitations i
		JOIN companies c ON c.id = i.company
		WHERE i.hash = $1 AND i.accepted_at IS NULL AND i.expires_at > $2`, []any{hash[:], tx.Now}, func(r db.Row) {
		i = OpenInvitation{scanInvitation(r), kernel.Company{ID: r.ID(9), Name: r.Text(10), Timezone: r.Text(11)}, Issuer{r.NullID(12), r.NullID(13)}}
	})
	return i, found, err
}

// acceptInvitation marks an invitation as accepted, and reports false when that was done before.
func acceptInvitation(tx *kernel.Tx, company, id kernel.ID) (bool, error) {
	n, err := tx.Exec(`UPDATE invitations SET accepted_at = $3 WHERE company = $1 AND id = $2 AND accepted_at IS NULL AND expires_at > $3`, company, id, tx.Now)
	return n == 1, err
}

// ResetLink is a link with which a member sets a password.
type ResetLink struct {
	Company   kernel.Company
	Member    kernel.ID
	Name      string
	Email     string
	TwoFactor []byte // the sealed secret; nil: off
	Issuer    Issuer
}

// insertResetLink adds a link in place of the member's earlier ones.
func insertResetLink(tx *kernel.Tx, company, member kernel.ID, by Issuer, hash [32]byte, expires time.Time) {
	removeResetLinks(tx, company, member)
	tx.Later(`
		INSERT INTO reset_links (company, member, hash, expires_at, issuer, issuer_key)
		VALUES ($1, $2, $3, $4, $5, $6)`, company, member, hash[:], expires, by.Member, by.Key)
}

// resetLink finds a link that can still be used.
func resetLink(tx *kernel.Tx, hash [32]byte) (l ResetLink, found bool, err error) {
	found, err = tx.One(`
		SELECT /* all companies: a link names none */ c.id, c.name, c.timezone, u.id, u.name, u.email, u.two_factor, l.issuer, l.issuer_key
		FROM reset_links l
		JOIN users u ON u.company = l.company AND u.id = l.member
		JOIN companies c ON c.id = l.company
		WHERE l.hash = $1 AND l.expires_at > $2 AND u.removed_at IS NULL`, []any{hash[:], tx.Now}, func(r db.Row) {
		l.Company = kernel.Company{ID: r.ID(0), Name: r.Text(1), Timezone: r.Text(2)}
		l.Member, l.Name, l.Email, l.TwoFactor = r.ID(3), r.Text(4), r.Text(5), r.Bytes(6)
		l.Issuer = Issuer{r.NullID(7), r.NullID(8)}
	})
	return l, found, err
}

// useResetLink removes a link, and reports false when another call was faster.
func useResetLink(tx *kernel.Tx, company, member kernel.ID, hash [32]byte) (bool, error) {
	n, err := tx.Exec(`DELETE FROM reset_links WHERE company = $1 AND member = $2 AND hash = $3 AND expires_at > $4`, company, member, hash[:], tx.Now)
	return n == 1, err
}

// removeResetLinks deletes the links with which a member could set a password.
func removeResetLinks(tx *kernel.Tx, company, member kernel.ID) {
	tx.Later(`DELETE FROM reset_links WHERE company = $1 AND member = $2`, company, member)
}

// removeIssued deletes the links and the open invitations that a member issued, also with a key.
func removeIssued(tx *kernel.Tx, company, issuer kernel.ID) {
	tx.Later(`DELETE FROM reset_links WHERE company = $1 AND issuer = $2`, company, issuer)
	tx.Later(`DELETE FROM invitations WHERE company = $1 AND issuer = $2 AND accepted_at IS NULL`, company, issuer)
}

// removeIssuedByRevoked deletes the links and the open invitations that were issued with keys that are revoked.
func removeIssuedByRevoked(tx *kernel.Tx, company kernel.ID) {
	const revoked = `(SELECT k.id FROM keys k WHERE k.company = $1 AND k.revoked_at IS NOT NULL)`
	tx.Later(`DELETE FROM reset_links WHERE company = $1 AND issuer_key IN `+revoked, company)
	tx.Later(`DELETE FROM invitations WHERE company = $1 AND accepted_at IS NULL AND issuer_key IN `+revoked, company)
}
