package desk

import (
	"context"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"recado/internal/model"
	"recado/internal/once"
	"recado/internal/store"
)

// InboxCounts counts the open conversations that the principal may see.
func (d *Desk) InboxCounts(ctx context.Context, a *Principal) (*model.InboxCounts, error) {
	if err := a.May(VerbInboxCounts); err != nil {
		return nil, err
	}
	release, err := d.counts.begin(ctx, a)
	if err != nil {
		return nil, err
	}
	defer release()
	return read(ctx, d, func(tx *store.Tx) (*model.InboxCounts, error) {
		count, err := newInboxCount(tx, a)
		if err != nil {
			return nil, err
		}
		return &count.InboxCounts, tx.InboxRows(a.Company.ID, a.sight(), count.add)
	})
}

// inboxCount adds conversations up.
type inboxCount struct {
	model.InboxCounts
	me      model.ID
	sectors map[model.ID]int // places in Sectors
	labels  map[model.ID]int // places in Labels
	views   []viewFilter     // in the order of Views
}

func newInboxCount(tx *store.Tx, a *Principal) (*inboxCount, error) {
	c := &inboxCount{me: a.User.ID, sectors: map[model.ID]int{}, labels: map[model.ID]int{}}
	c.Sectors, c.Labels, c.Views = []model.SectorCount{}, []model.LabelCount{}, []model.ViewCount{}
	sectors, err := tx.SectorIDs(a.Company.ID)
	if err != nil {
		return nil, err
	}
	for i, id := range sectors {
		c.sectors[id], c.Sectors = i, append(c.Sectors, model.SectorCount{ID: id})
	}
	labels, err := tx.Labels(a.Company.ID)
	for i, label := range labels {
		c.labels[label.ID], c.Labels = i, append(c.Labels, model.LabelCount{ID: label.ID})
	}
	if err != nil {
		return nil, err
	}
	views, err := viewsOf(tx, a)
	for i := range views {
		c.views = append(c.views, newViewFilter(a, &views[i].Query))
		c.Views = append(c.Views, model.ViewCount{ID: views[i].ID})
	}
	return c, err
}

func (c *inboxCount) add(row *model.InboxRow) {
	for i := range c.views {
		if c.views[i].shows(row) {
			c.Views[i].Count++
		}
	}
	if row.Snoozed {
		c.Snoozed++
		return
	}
	c.Open++
	if row.Assignee != nil && *row.Assignee == c.me {
		c.Mine++
	}
	if row.Waiting() {
		c.Unassigned++
	}
	if row.Unread {
		c.Unread++
	}
	c.addSector(row)
	for _, id := range row.LabelIDs {
		if i, known := c.labels[id]; known {
			c.Labels[i].Open++
		}
	}
}

func (c *inboxCount) addSector(row *model.InboxRow) {
	if row.Sector == nil || row.Private { // no queue tells of what is private
		return
	}
	i, known := c.sectors[*row.Sector]
	if known && row.Waiting() {
		c.Sectors[i].Waiting++
	}
	if known && row.Unread {
		c.Sectors[i].Unread++
	}
}

// The actions of Bulk.
const (
	BulkRead      = "read"
	BulkUnread    = "unread"
	BulkArchive   = "archive"
	BulkUnarchive = "unarchive"
	BulkClose     = "close"
	BulkTake      = "take"
	BulkTransfer  = "transfer"
	BulkLabel     = "label"
	BulkSnooze    = "snooze"
)

// BulkAction is what is done to several conversations. Fields that the action does not use are empty.
type BulkAction struct {
	Action      string
	Reason      string      // of close and transfer
	Transfer    NewTransfer // without its reason
	Add, Remove []model.ID  // labels
	Until       model.Optional[time.Time]
}

// bulkAtOnce is how many conversations one call changes at the same time.
const bulkAtOnce = 8

// Bulk does the same to several conversations, to each in a transaction of its own and with the permission of its own
// verb. It gives what went wrong with each, nil where nothing did, in the order of ids; err is for a call that is wrong
// as a whole.
func (d *Desk) Bulk(ctx context.Context, a *Principal, ids []model.ID, in BulkAction) (failures []error, err error) {
	if err := a.May(VerbBulk); err != nil {
		return nil, err
	}
	if err := d.checkBulk(ctx, a, &in); err != nil {
		return nil, err
	}
	ctx = once.Separate(ctx)
	failures = make([]error, len(ids))
	var g errgroup.Group
	g.SetLimit(bulkAtOnce)
	for i, id := range ids {
		g.Go(func() error {
			failures[i] = d.bulkOne(ctx, a, id, &in)
			return nil
		})
	}
	return failures, g.Wait()
}

// checkBulk checks what is the same for all conversations.
func (d *Desk) checkBulk(ctx context.Context, a *Principal, in *BulkAction) error {
	if _, invalid := reasonOf(in.Reason); invalid != nil {
		return invalid
	}
	in.Transfer.Reason = in.Reason
	switch in.Action {
	case BulkTransfer:
		if !in.Transfer.User.Set && !in.Transfer.Sector.Set {
			return model.Invalid("body", "must have user_id, sector_id or both")
		}
	case BulkLabel:
		if len(in.Add) == 0 && len(in.Remove) == 0 {
			return model.Invalid("body", "must have labels in add or remove")
		}
	case BulkSnooze:
		if !in.Until.Set {
			return model.Invalid("body.until", "is required; send null to end snoozing")
		}
		if until := in.Until.Pointer(); until != nil {
			if _, invalid := model.Future("body.until", *until, d.now()); invalid != nil {
				return invalid
			}
		}
	}
	_, err := read(ctx, d, func(tx *store.Tx) (struct{}, error) { return struct{}{}, d.checkBulkNames(tx, a, in) })
	return err
}

// checkBulkNames makes sure that what the action names exists.
func (d *Desk) checkBulkNames(tx *store.Tx, a *Principal, in *BulkAction) error {
	if id := in.Transfer.User.Pointer(); id != nil {
		if _, found, err := tx.UserRef(a.Company.ID, *id); err != nil || !found {
			return errOr(err, model.Invalid("body.user_id", "there is no such team member"))
		}
	}
	if id := in.Transfer.Sector.Pointer(); id != nil {
		if found, err := tx.SectorExists(a.Company.ID, *id); err != nil || !found {
			return errOr(err, model.Invalid("body.sector_id", "there is no such sector"))
		}
	}
	for field, ids := range map[string][]model.ID{"body.add": in.Add, "body.remove": in.Remove} {
		for i, id := range ids {
			if _, found, err := tx.Label(a.Company.ID, id); err != nil || !found {
				return errOr(err, model.Invalid(indexed(field, i), "there is no such label"))
			}
		}
	}
	return nil
}

func (d *Desk) bulkOne(ctx context.Context, a *Principal, id model.ID, in *BulkAction) (err error) {
	yes, no := true, false
	switch in.Action {
	case BulkRead:
		_, err = d.MarkRead(ctx, a, id)
	case BulkUnread:
		_, err = d.MarkUnread(ctx, a, id)
	case BulkArchive:
		_, err = d.UpdateConversation(ctx, a, id, ConversationChange{Archived: &yes})
	case BulkUnarchive:
		_, err = d.UpdateConversation(ctx, a, id, ConversationChange{Archived: &no})
	case BulkClose:
		_, err = d.CloseAttendance(ctx, a, id, in.Reason)
	case BulkTake:
		_, err = d.Take(ctx, a, id)
	case BulkTransfer:
		_, err = d.Transfer(ctx, a, id, in.Transfer)
	case BulkLabel:
		err = d.relabel(ctx, a, id, in.Add, in.Remove)
	case BulkSnooze:
		_, err = d.Snooze(ctx, a, id, in.Until.Pointer())
	default:
		err = model.Invalid("body.action", "is not a known action")
	}
	return err
}

// relabel adds labels to a conversation and removes others.
func (d *Desk) relabel(ctx context.Context, a *Principal, id model.ID, add, remove []model.ID) error {
	_, err := write(ctx, d, func(tx *store.Tx) (struct{}, error) {
		t, err := d.lock(tx, a, id)
		if err != nil {
			return struct{}{}, err
		}
		gone, err := tx.MissingLabels(a.Company.ID, t.LabelIDs) // those of which DeleteLabel has yet to take some off
		if err != nil {
			return struct{}{}, err
		}
		kept := slices.DeleteFunc(slices.Clone(t.LabelIDs), func(label model.ID) bool {
			return slices.Contains(remove, label) || slices.Contains(gone, label)
		})
		for _, label := range add {
			if !slices.Contains(kept, label) {
				kept = append(kept, label)
			}
		}
		if len(kept) > max(model.MaxConversationLabels, len(t.LabelIDs)) {
			return struct{}{}, model.LimitReached("labels of a conversation", model.MaxConversationLabels)
		}
		if t.LabelIDs, err = d.labels(tx, a, kept); err != nil {
			return struct{}{}, err
		}
		return struct{}{}, t.saveIfChanged()
	})
	return err
}

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
	return read(ctx, d, func(tx *store.Tx) ([]model.View, error) { return viewsOf(tx, a) })
}

// viewsOf lists the views that the principal may see. One that names a channel that has become private since exists for
// the viewers of the channel alone.
func viewsOf(tx *store.Tx, a *Principal) ([]model.View, error) {
	views, err := tx.Views(a.Company.ID, a.User.ID)
	known := map[model.ID]bool{}
	shown := make([]model.View, 0, len(views))
	for _, v := range views {
		if id := v.Query.Channel; id != nil {
			if _, looked := known[*id]; !looked {
				ch, found, err := tx.Channel(a.Company.ID, *id)
				if err != nil {
					return nil, err
				}
				known[*id] = found && a.knows(ch)
			}
			if !known[*id] {
				continue
			}
		}
		shown = append(shown, v)
	}
	return shown, err
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
	return writeAnswer(ctx, d, func(tx *store.Tx) (model.View, error) {
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
