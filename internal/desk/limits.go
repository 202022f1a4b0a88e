package desk

import (
	"context"
	"errors"
	"strings"
	"time"

	"recado/internal/model"
	"recado/internal/slots"
	"recado/internal/store"
)

const (
	searchPlaces = 64              // searches of one company that may wait for its slots
	searchWait   = 2 * time.Second // before a waiting search is refused
	deepOffset   = 1_000           // rows that a list may skip without counting as a search
)

// Limits are those of each company.
func (d System) Limits() model.Limits { return d.limits }

// checkRoom refuses when the company has limit of what is counted already. No other transaction can add
// one before this one ends.
func checkRoom(tx *store.Tx, company model.ID, what store.Countable, plural string, limit int64) error {
	n, err := tx.Count(what, company)
	if err == nil && n >= limit {
		err = model.LimitReached(plural, limit)
	}
	return err
}

// checkMemberships refuses a change after which the company has more memberships in sectors than its limit, unless
// it has fewer than before. Lists of the team and of the sectors show each of them.
func (d *Desk) checkMemberships(tx *store.Tx, company model.ID, before, after int) error {
	n, err := tx.Count(store.CountMemberships, company)
	if err == nil && after > before && n+int64(after-before) > d.limits.Memberships {
		err = model.LimitReached("memberships in sectors", d.limits.Memberships)
	}
	return err
}

// searchSlot takes one of the company's slots for searches when a list is asked for a text, or for a page that lies
// behind very many rows: both read far more than they answer. The caller calls release in every case without an error.
func (d *Desk) searchSlot(ctx context.Context, a *Principal, text string, offset int) (release func(), err error) {
	if strings.TrimSpace(text) == "" && offset <= deepOffset {
		return func() {}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, searchWait)
	defer cancel()
	release, err = d.searches.Acquire(ctx, a.Company.ID)
	if errors.Is(err, slots.ErrFull) || errors.Is(err, context.DeadlineExceeded) {
		err = errBusy("searches", d.limits.Searches)
	}
	return release, err
}

// uploadSlot takes one of the company's slots for uploads.
func (d *Desk) uploadSlot(ctx context.Context, a *Principal) (release func(), err error) {
	release, err = d.uploads.Acquire(ctx, a.Company.ID)
	if errors.Is(err, slots.ErrFull) {
		err = errBusy("uploads", d.limits.Uploads)
	}
	return release, err
}

// errBusy is the refusal of one more of what, a plural, than a company may run at once.
func errBusy(what string, limit int64) error {
	refused := model.Errorf(model.CodeRateLimited, "This company has %d %s under way, as many as may run at once. Try again in a moment.", limit, what)
	refused.RetryAfter = time.Second
	return refused
}
