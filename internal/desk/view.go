package desk

import (
	"context"
	"slices"
	"strings"

	"recado/internal/model"
	"recado/internal/store"
)

// ViewChange is what of a saved view is to change; nil leaves a part as it is.
type ViewChange struct {
	Name     *string
	Query    *model.ViewQuery
	Shared   *bool
	Position *int64
}

// Views lists the caller's saved views and those that are shared with the team.
func (d *Desk) Views(ctx context.Context, a *Principal) ([]model.View, error) {
	if err := a.May(VerbViews); err != nil {
		return nil, err
	}
	return readOne(ctx, d, func(tx *store.Tx) ([]model.View, error) { return viewsOf(tx, a) })
}

// viewsOf lists the views that the principal may see. A shared view never names a private channel.
func viewsOf(tx *store.Tx, a *Principal) ([]model.View, error) {
	return tx.Views(a.Company.ID, a.User.ID)
}

// CreateView saves a view. Without a position it is the last one.
func (d *Desk) CreateView(ctx context.Context, a *Principal, in ViewChange) (model.View, error) {
	if err := a.May(VerbCreateView); err != nil {
		return model.View{}, err
	}
	v := model.View{ID: model.NewID(), Owner: a.User}
	if err := in.check(a, &v); err != nil {
		return v, err
	}
	return write(ctx, d, func(tx *store.Tx) (model.View, error) {
		tx.LockCompany(a.Company.ID)
		count, last, err := tx.OwnViews(a.Company.ID, a.User.ID)
		if err != nil {
			return v, err
		}
		if count >= model.MaxViews {
			return v, model.LimitReached("saved views", model.MaxViews)
		}
		if in.Position == nil {
			v.Position = last + 1
		}
		if v.Shared {
			if err := checkLimit(tx, a.Company.ID, store.CountSharedViews, "shared views", model.MaxSharedViews); err != nil {
				return v, err
			}
		}
		if err := d.checkViewQuery(tx, a, &v); err != nil {
			return v, err
		}
		return v, tx.InsertView(a.Company.ID, &v)
	})
}

// UpdateView changes a view: its owner a view of their own, managers and above a shared one.
func (d *Desk) UpdateView(ctx context.Context, a *Principal, id model.ID, in ViewChange) (model.View, error) {
	if err := a.May(VerbUpdateView); err != nil {
		return model.View{}, err
	}
	if err := in.check(a, &model.View{}); err != nil {
		return model.View{}, err
	}
	return write(ctx, d, func(tx *store.Tx) (model.View, error) {
		v, err := editableView(tx, a, id)
		if err != nil {
			return v, err
		}
		before := v.Shared
		if err := in.check(a, &v); err != nil {
			return v, err
		}
		if v.Shared && !before {
			if err := checkLimit(tx, a.Company.ID, store.CountSharedViews, "shared views", model.MaxSharedViews); err != nil {
				return v, err
			}
		}
		if in.Query != nil || in.Shared != nil {
			if err := d.checkViewQuery(tx, a, &v); err != nil {
				return v, err
			}
		}
		return v, tx.SaveView(a.Company.ID, &v)
	})
}

// DeleteView removes a view that the principal may change.
func (d *Desk) DeleteView(ctx context.Context, a *Principal, id model.ID) error {
	if err := a.May(VerbDeleteView); err != nil {
		return err
	}
	_, err := write(ctx, d, func(tx *store.Tx) (struct{}, error) {
		_, err := editableView(tx, a, id)
		if err == nil {
			tx.DeleteView(a.Company.ID, id)
		}
		return struct{}{}, err
	})
	return err
}

// editableView gives a view that the principal may change. The view of another person that is not shared does not
// exist for them.
func editableView(tx *store.Tx, a *Principal, id model.ID) (model.View, error) {
	v, found, err := tx.LockView(a.Company.ID, id)
	if err != nil || !found || !v.Shared && v.Owner.ID != a.User.ID {
		return v, errOr(err, model.NotFound("view"))
	}
	if v.Shared {
		return v, a.need(model.RoleManager)
	}
	return v, nil
}

// check looks at the form of a change and at the role that it takes, and applies it to a view.
func (in *ViewChange) check(a *Principal, v *model.View) error {
	if in.Name != nil {
		name, invalid := model.Name("body.name", *in.Name, model.MaxName)
		if invalid != nil {
			return invalid
		}
		v.Name = name
	}
	set(&v.Query, in.Query)
	v.Query.Q = strings.TrimSpace(v.Query.Q)
	set(&v.Shared, in.Shared)
	set(&v.Position, in.Position)
	if assignee := v.Query.Assignee; assignee != "" && assignee != model.AssigneeMe && assignee != model.AssigneeNone {
		if _, ok := model.ParseID(assignee); !ok {
			return model.Invalid("body.query.assignee", `must be "none", "me" or a UUID`)
		}
	}
	if in.Shared != nil && *in.Shared {
		return a.need(model.RoleManager)
	}
	return nil
}

// checkViewQuery refuses filters that name what does not exist for the principal, and a shared view of a private
// channel: those who are not its viewers would learn of it.
func (d *Desk) checkViewQuery(tx *store.Tx, a *Principal, v *model.View) error {
	for _, named := range []struct {
		field string
		id    *model.ID
		known func(id model.ID) (bool, error)
	}{
		{"channel", v.Query.Channel, func(id model.ID) (bool, error) {
			ch, found, err := tx.Channel(a.Company.ID, id)
			return found && a.knows(ch) && (!ch.Private || !v.Shared), err
		}},
		{"sector", v.Query.Sector, func(id model.ID) (bool, error) { return tx.KeepSector(a.Company.ID, id) }},
		{"label", v.Query.Label, func(id model.ID) (bool, error) {
			_, found, err := tx.Label(a.Company.ID, id)
			return found, err
		}},
		{"assignee", assigneeID(v.Query.Assignee), func(id model.ID) (bool, error) {
			_, found, err := tx.UserRef(a.Company.ID, id)
			return found, err
		}},
	} {
		if named.id == nil {
			continue
		}
		if found, err := named.known(*named.id); err != nil || !found {
			return errOr(err, model.Invalid("body.query."+named.field, "there is no such "+named.field))
		}
	}
	return nil
}

// assigneeID is the person whom a filter names, if any.
func assigneeID(assignee string) *model.ID {
	if id, ok := model.ParseID(assignee); ok {
		return &id
	}
	return nil
}

// viewFilter is a saved view for counting: what it shows of the conversations that are open or snoozed.
type viewFilter struct {
	*model.ViewQuery
	assignee *model.ID
	text     store.SearchText
}

func newViewFilter(a *Principal, q *model.ViewQuery) viewFilter {
	f := viewFilter{ViewQuery: q, assignee: assigneeID(q.Assignee), text: store.NewSearchText(q.Q)}
	if q.Assignee == model.AssigneeMe {
		f.assignee = &a.User.ID
	}
	return f
}

// shows reports whether the view has a row. Snoozed conversations are in views that ask for them, closed ones are not
// counted.
func (f *viewFilter) shows(row *model.InboxRow) bool {
	switch {
	case row.Snoozed != f.Snoozed.True(),
		!row.Open && (f.Status == model.ListOpen || f.Status == model.ListWaiting),
		f.Status == model.ListClosed && row.Open,
		f.Status == model.ListWaiting && !row.Waiting(),
		f.Archived != "" && row.Archived != f.Archived.True(),
		f.Unread.True() && !row.Unread,
		f.Kind != "" && row.Kind != f.Kind,
		f.Assignee == model.AssigneeNone && row.Assignee != nil,
		f.assignee != nil && !same(f.assignee, row.Assignee),
		f.Channel != nil && *f.Channel != row.Channel,
		f.Sector != nil && !same(f.Sector, row.Sector),
		f.Label != nil && !slices.Contains(row.LabelIDs, *f.Label):
		return false
	}
	return f.text.In(row.Folded)
}
