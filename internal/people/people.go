// Package people has companies, their members, sectors and roles, and how people and integrations identify themselves:
// sessions, invitations, two-factor sign-in and API keys.
package people

import (
	"context"
	"time"

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
	d := &People{
		Kernel: k, passwords: NewHasher(cost), keys: newLookups[holder](k.Now), sessions: newLookups[cachedSession](k.Now),
		seen: seen{unsaved: map[use]time.Time{}, sessions: map[kernel.ID]sessionUse{}},
	}
	k.OnSignal(func(s kernel.Signal) { // from another node
		if s.Kind == SignalHolders || s.Kind == kernel.SignalMissed {
			d.forget(s.Company)
		}
	})
	return d
}

const (
	countKeys        kernel.Countable = `SELECT COUNT(*) AS total FROM keys WHERE company = $1 AND revoked_at IS NULL`
	countMembers     kernel.Countable = `SELECT COUNT(*) AS total FROM users WHERE company = $1 AND removed_at IS NULL`
	countInvitations kernel.Countable = `SELECT COUNT(*) AS total FROM invitations WHERE company = $1`
	countSectors     kernel.Countable = `SELECT COUNT(*) AS total FROM sectors WHERE company = $1 AND removed_at IS NULL`
	countMemberships kernel.Countable = `
		SELECT COUNT(*) AS total
		FROM sectors s
		JOIN sector_members m ON m.company = s.company AND m.sector = s.id
		WHERE s.company = $1 AND s.removed_at IS NULL`
)

// Limits per company.
var (
	limitKeys        = kernel.RegisterLimit("keys", 500) // not counting revoked keys
	limitMembers     = kernel.RegisterLimit("members", 1_000)
	limitInvitations = kernel.RegisterLimit("invitations", 1_000) // including accepted and expired ones
	limitSectors     = kernel.RegisterLimit("sectors", 200)
	limitMemberships = kernel.RegisterLimit("memberships", 10_000) // of members in sectors, in total
)

// SubjectBoard is the subject kind of a board. A key can be limited to some boards.
const SubjectBoard = "board"

// TeamObserver is notified of changes to companies and their members. Nil functions are not called.
type TeamObserver struct {
	// CompanyCreated runs in the transaction that creates a company.
	CompanyCreated func(tx *kernel.Tx, c kernel.Company) error
	// ZoneChanges returns the recount that a new time zone of the company requires.
	ZoneChanges func(company kernel.ID) kernel.Recount
	// HoursChanged runs after opening hours of a company were changed, or chosen for the company, a channel or a sector.
	HoursChanged func(ctx context.Context, company kernel.ID)
	// MemberRemoved runs in the transaction that removes a member.
	MemberRemoved func(tx *kernel.Tx, company, member kernel.ID) error
	// Removed runs after a member or a sector was removed.
	Removed func(ctx context.Context, company kernel.ID, by *kernel.Ref) error
}

// ObserveTeam adds an observer. Call it before the first transaction.
func (d *People) ObserveTeam(o TeamObserver) { d.observers = append(d.observers, o) }

// notifyRemoved notifies the observers that a member or a sector was removed.
func (d *People) notifyRemoved(ctx context.Context, company kernel.ID, by *kernel.Ref) error {
	for _, o := range d.observers {
		if o.Removed != nil {
			if err := o.Removed(ctx, company, by); err != nil {
				return err
			}
		}
	}
	return nil
}
