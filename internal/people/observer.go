package people

import (
	"context"

	"recado/internal/kernel"
)

// TeamObserver is notified of changes to companies and their members. Nil functions are not called.
type TeamObserver struct {
	// CompanyCreated runs in the transaction that creates a company.
	CompanyCreated func(tx *kernel.Tx, c kernel.Company) error
	// ZoneChanges returns the recount that a new time zone of the company requires.
	ZoneChanges func(company kernel.ID) kernel.Recount
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
