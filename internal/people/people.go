// Package people has companies, their members, sectors and roles, and how people and integrations identify themselves:
// sessions, invitations, two-factor sign-in and API keys.
package people

import (
	"recado/internal/kernel"
)

// People has the verbs of the package.
type People struct {
	*kernel.Kernel
	passwords *Hasher
	keys      *lookups[holder]
	sessions  *lookups[cachedSession]
	seen      seen
	observers []TeamObserver
}

// New returns the verbs of people. The cost is that of password hashes; zero means DefaultPasswordCost.
func New(k *kernel.Kernel, cost PasswordCost) *People {
	d := &People{Kernel: k, passwords: NewHasher(cost)}
	d.keys, d.sessions = newLookups[holder](k.Now), newLookups[cachedSession](k.Now)
	k.OnSignal(d.forgetSignalled)
	return d
}

// What counts towards the limits of a company.
const (
	countKeys        kernel.Countable = `SELECT COUNT(*) FROM keys WHERE company = $1 AND revoked_at IS NULL`
	countMembers     kernel.Countable = `SELECT COUNT(*) FROM users WHERE company = $1 AND removed_at IS NULL`
	countInvitations kernel.Countable = `SELECT COUNT(*) FROM invitations WHERE company = $1`
	countSectors     kernel.Countable = `SELECT COUNT(*) FROM sectors WHERE company = $1 AND removed_at IS NULL`
	countMemberships kernel.Countable = `SELECT COUNT(*) FROM sectors s JOIN sector_members m ON m.company = s.company AND m.sector = s.id WHERE s.company = $1 AND s.removed_at IS NULL`
)

// Limits of each company.
var (
	limitKeys        = kernel.RegisterLimit("keys", 500)          // API keys that are not revoked
	limitMembers     = kernel.RegisterLimit("members", 1_000)     // of the team
	limitInvitations = kernel.RegisterLimit("invitations", 1_000) // those in the list, accepted and expired ones included
	limitSectors     = kernel.RegisterLimit("sectors", 200)
	limitMemberships = kernel.RegisterLimit("memberships", 10_000) // of members in sectors, in total
)

// SubjectBoard is the kind of subject of a board, which a key may be limited to.
const SubjectBoard = "board"
