package people

import "recado/internal/kernel"

// CodeMemberRemoved is the code of Acting for a member who has left the team.
const CodeMemberRemoved kernel.Code = "sender_removed"

// Acting returns the principal for work that a member or, if key is not nil, an API key ordered earlier. It has their present
// rights, which do not change before the end of the transaction.
func Acting(tx *kernel.Tx, company kernel.Company, member kernel.Ref, key *kernel.ID) (*kernel.Principal, error) {
	members, err := KeepMemberSights(tx, company.ID, []kernel.ID{member.ID})
	if err != nil {
		return nil, err
	}
	m := members[member.ID]
	if m == nil {
		return nil, kernel.Errorf(CodeMemberRemoved, "%s has left the team.", member.Name)
	}
	if key == nil {
		return MemberPrincipal(company, m), nil
	}
	k, _, found, err := FindKey(tx, company.ID, *key)
	if err != nil {
		return nil, err
	}
	limits, err := KeyLimits(tx, company.ID, *key)
	switch {
	case err != nil:
		return nil, err
	case !found || k.RevokedAt != nil || kernel.RevokedBy(limits):
		return nil, kernel.Errorf(kernel.CodeKeyRevoked, "The API key that was used for it was revoked.")
	case k.ExpiresAt != nil && !tx.Now.Before(*k.ExpiresAt):
		return nil, kernel.Errorf(kernel.CodeKeyExpired, "The API key that was used for it has expired.")
	}
	owner := kernel.Member{User: m.User, Role: m.Role, Profile: m.Profile, Sectors: m.Sectors}
	return kernel.KeyPrincipal(company, owner, k.Integration(), k.ActsAs, k.Rate, limits...), nil
}
