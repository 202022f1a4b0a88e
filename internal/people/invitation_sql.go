package people

import (
	"recado/internal/fold"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

const invitationColumns = `i.id, i.email, i.name, i.role, i.access_profile, i.sectors, i.created_at, i.expires_at, i.accepted_at`

func scanInvitation(r db.Row) Invitation {
	return Invitation{
		ID: r.ID("id"), Email: r.Text("email"), Name: r.Text("name"), Role: kernel.Role(r.Text("role")),
		AccessProfile: kernel.AccessProfile(r.Text("access_profile")), SectorIDs: kernel.UnpackIDs(r.Bytes("sectors")),
		CreatedAt: r.Time("created_at"), ExpiresAt: r.Time("expires_at"), AcceptedAt: r.NullTime("accepted_at"),
	}
}

// Issuer identifies who issued a link or an invitation. Member is nil for the operator. Key is set if an API key was used.
type Issuer struct {
	Member, Key *kernel.ID
}

func insertInvitation(tx *kernel.Tx, company kernel.ID, i Invitation, by Issuer, hash [32]byte) {
	tx.Later(`
		INSERT INTO invitations (id, company, email, email_folded, name, role, access_profile, sectors, hash,
			created_at, expires_at, issuer, issuer_key)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
		i.ID, company, i.Email, fold.Text(i.Email), i.Name, i.Role, i.AccessProfile, kernel.PackIDs(i.SectorIDs), hash[:],
		i.CreatedAt, i.ExpiresAt, by.Member, by.Key)
}

// OpenInvitation is an invitation that has not been accepted and has not expired.
type OpenInvitation struct {
	Invitation
	Company kernel.Company
	Issuer  Issuer
}

// findOpenInvitation finds the open invitation of a link.
func findOpenInvitation(tx *kernel.Tx, hash [32]byte) (i OpenInvitation, found bool, err error) {
	return kernel.Row(tx, `
		SELECT /* all companies: a link names none */ `+invitationColumns+`,
			c.id AS company, c.name AS company_name, c.timezone, i.issuer, i.issuer_key
		FROM invitations i
		JOIN companies c ON c.id = i.company
		WHERE i.hash = $1 AND i.accepted_at IS NULL AND i.expires_at > $2`, []any{hash[:], tx.Now}, func(r db.Row) OpenInvitation {
		return OpenInvitation{scanInvitation(r), scanCompany(r), scanIssuer(r)}
	})
}

func scanIssuer(r db.Row) Issuer { return Issuer{r.NullID("issuer"), r.NullID("issuer_key")} }

// ResetLink lets a member set a new password.
type ResetLink struct {
	Company   kernel.Company
	Member    kernel.ID
	Name      string
	Email     string
	TwoFactor []byte // sealed secret; nil: off
	Issuer    Issuer
}

// findResetLink finds a link that has not expired.
func findResetLink(tx *kernel.Tx, hash [32]byte) (l ResetLink, found bool, err error) {
	return kernel.Row(tx, `
		SELECT /* all companies: a link names none */ c.id AS company, c.name AS company_name, c.timezone,
			u.id, u.name, u.email, u.two_factor, l.issuer, l.issuer_key
		FROM reset_links l
		JOIN users u ON u.company = l.company AND u.id = l.member
		JOIN companies c ON c.id = l.company
		WHERE l.hash = $1 AND l.expires_at > $2 AND u.removed_at IS NULL`, []any{hash[:], tx.Now}, func(r db.Row) ResetLink {
		return ResetLink{scanCompany(r), r.ID("id"), r.Text("name"), r.Text("email"), r.Bytes("two_factor"), scanIssuer(r)}
	})
}

// removeResetLinks deletes the reset links of a member.
func removeResetLinks(tx *kernel.Tx, company, member kernel.ID) {
	tx.Later(`DELETE FROM reset_links WHERE company = $1 AND member = $2`, company, member)
}

// removeIssued deletes the links and open invitations that a member issued, also with a key.
func removeIssued(tx *kernel.Tx, a *kernel.Principal, issuer kernel.ID) error {
	tx.Later(`DELETE FROM reset_links WHERE company = $1 AND issuer = $2`, a.Company.ID, issuer)
	return cancelInvitations(tx, a, `issuer = $2`, issuer)
}

// cancelInvitations deletes the open invitations that fulfil a condition, whose arguments begin with $2.
func cancelInvitations(tx *kernel.Tx, a *kernel.Principal, condition string, args ...any) error {
	gone, err := kernel.Rows(tx, `
		DELETE FROM invitations
		WHERE company = $1 AND accepted_at IS NULL AND `+condition+`
		RETURNING id, name`, append([]any{a.Company.ID}, args...), scanRef)
	for _, i := range gone {
		tx.Audit(a, kernel.AuditEntry{Action: "invitation.cancelled", Subject: kernel.NewAuditSubject("invitation", i.ID, i.Name)})
	}
	return err
}
