package desk

import (
	"context"
	"slices"

	"recado/internal/model"
	"recado/internal/store"
)

// PrivateChannels lists the company's private channels with their viewers, for those who choose the viewers.
func (d *Desk) PrivateChannels(ctx context.Context, a *Principal) ([]model.PrivateChannel, error) {
	if err := a.May(VerbPrivateChannels); err != nil {
		return nil, err
	}
	return readOne(ctx, d, func(tx *store.Tx) ([]model.PrivateChannel, error) { return tx.PrivateChannels(a.Company.ID) })
}

// firstViewer lets the person who makes a private channel see it.
func (d *Desk) firstViewer(tx *store.Tx, a *Principal, ch model.Channel) {
	if ch.Private && !a.User.ID.IsZero() {
		tx.SetViewers(ch.Company, ch.ID, []model.ID{a.User.ID})
		tx.AfterCommit(d.forgetHolders)
	}
}

// changePrivacy makes a channel private or public and says who sees it. Owners and admins do so for channels that
// they do not see. What it has done is taken out of change.
func (d *Desk) changePrivacy(ctx context.Context, a *Principal, id model.ID, change *ChannelChange) (model.Channel, error) {
	if a.kind != KindSession {
		return model.Channel{}, model.Invalid("body.private", "private and viewers are for people who are signed in")
	}
	if err := a.need(model.RoleAdmin); err != nil {
		return model.Channel{}, err
	}
	private, viewers := change.Private, change.Viewers
	change.Private, change.Viewers = nil, nil
	return write(ctx, d, func(tx *store.Tx) (model.Channel, error) {
		tx.LockCompany(a.Company.ID)
		ch, found, err := tx.Channel(a.Company.ID, id)
		if err != nil || !found {
			return ch, errOr(err, model.NotFound("channel"))
		}
		if private != nil && *private != ch.Private {
			done, err := tx.SetChannelPrivate(a.Company.ID, id, *private)
			if err != nil || !done {
				return ch, errOr(err, model.Invalid("body.private", "a channel that has conversations stays as it is"))
			}
			ch.Private = *private
			if viewers == nil && ch.Private {
				viewers = &[]model.ID{a.User.ID}
			} else if !ch.Private {
				tx.SetViewers(a.Company.ID, id, nil)
			}
		}
		if viewers != nil {
			if err := checkViewers(tx, a, ch, *viewers); err != nil {
				return ch, err
			}
			tx.SetViewers(a.Company.ID, id, *viewers)
		}
		tx.AfterCommit(d.forgetHolders)
		return ch, nil
	})
}

// checkViewers refuses a list that leaves nobody who sees the channel.
func checkViewers(tx *store.Tx, a *Principal, ch model.Channel, viewers []model.ID) error {
	switch {
	case !ch.Private:
		return model.Invalid("body.viewers", "only a private channel has viewers")
	case len(viewers) == 0:
		return model.Invalid("body.viewers", "must name at least one team member")
	}
	for i, id := range viewers {
		if slices.Contains(viewers[:i], id) {
			continue
		}
		_, found, err := tx.MemberPowers(a.Company.ID, id)
		if err != nil || !found {
			return errOr(err, model.Invalid(indexed("body.viewers", i), "there is no such team member"))
		}
	}
	return nil
}
