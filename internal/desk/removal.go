package desk

import (
	"context"

	"recado/internal/model"
	"recado/internal/store"
)

// FinishRemovals takes people and sectors that were removed off the conversations that still name them.
// The verb that removes one does this at once; after a crash in between, the sweep does it. company zero
// means all, by is nil for the system.
func (d System) FinishRemovals(ctx context.Context, company model.ID, by *model.Ref) error {
	const batch = 200
	for {
		orphans, err := read(ctx, d.Desk, func(tx *store.Tx) ([]store.ConversationAt, error) { return tx.Orphans(company, batch) })
		if err != nil || len(orphans) == 0 {
			return err
		}
		if err := d.changeEach(ctx, orphans, func(t *lockedConversation) error { return t.release(by) }); err != nil {
			return err
		}
	}
}

// release hands the conversation back from a person who is gone, and takes it out of a sector that is.
func (t *lockedConversation) release(by *model.Ref) error {
	holder, sector := (*model.Ref)(nil), t.Sector
	if t.Assignee != nil {
		ref, present, err := t.tx.UserRef(t.Company, *t.Assignee)
		if err != nil {
			return err
		}
		if present {
			holder = &ref
		}
	}
	if sector != nil {
		exists, err := t.tx.SectorExists(t.Company, *sector)
		if err != nil {
			return err
		}
		if !exists {
			sector = nil
		}
	}
	if same(refID(holder), t.Assignee) && same(sector, t.Sector) {
		return nil
	}
	if err := t.assign(holder, sector, by, nil); err != nil {
		return err
	}
	return t.save()
}
