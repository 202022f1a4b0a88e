package talk

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"recado/internal/channels"
	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/search"
)

// InboxCounts are the numbers beside the views of an inbox. They count open conversations that are not snoozed, but for
// Snoozed, and for views that ask for snoozed ones.
type InboxCounts struct {
	Mine       int64         `json:"mine" doc:"Those for which the caller is responsible."`
	Unassigned int64         `json:"unassigned" doc:"Those of the status waiting."`
	Unread     int64         `json:"unread" doc:"Those with unread messages."`
	Open       int64         `json:"open" doc:"Those of the status open."`
	Snoozed    int64         `json:"snoozed" doc:"Conversations that are snoozed, open or not."`
	Sectors    []SectorCount `json:"sectors"`
	Labels     []LabelCount  `json:"labels"`
	Views      []ViewCount   `json:"views" doc:"The saved views of the caller and the shared ones."`
}

// SectorCount counts the conversations of a sector.
type SectorCount struct {
	ID      kernel.ID `json:"id"`
	Waiting int64     `json:"waiting"`
	Unread  int64     `json:"unread" doc:"Open ones with unread messages."`
}

// LabelCount counts the conversations with a label.
type LabelCount struct {
	ID   kernel.ID `json:"id"`
	Open int64     `json:"open"`
}

// ViewCount counts what a saved view shows of the open conversations.
type ViewCount struct {
	ID    kernel.ID `json:"id"`
	Count int64     `json:"count"`
}

// InboxRow is what counting has to know of a conversation that is open or snoozed.
type InboxRow struct {
	Assignee, Sector                          *kernel.ID
	Channel                                   kernel.ID
	Kind                                      string
	Open, Attended, Unread, Archived, Snoozed bool
	LabelIDs                                  []kernel.ID
	Folded                                    string // the text that searches look at
	Private                                   bool
}

// Waiting reports whether an attendance is open and no person is responsible.
func (r *InboxRow) Waiting() bool { return r.Attended && r.Assignee == nil }

// View is a saved filter of the list of conversations.
type View struct {
	ID       kernel.ID  `json:"id"`
	Name     string     `json:"name"`
	Query    ViewQuery  `json:"query"`
	Shared   bool       `json:"shared" doc:"The whole team sees it."`
	Owner    kernel.Ref `json:"owner" doc:"The person who made it."`
	Position int64      `json:"position" doc:"The list is in this order; equal positions by name."`
}

// ViewQuery holds filters of a list of conversations as its query parameters are written. Absent ones filter nothing.
type ViewQuery struct {
	Q        string     `json:"q,omitempty" maxLength:"200"`
	Status   string     `json:"status,omitempty" enum:"open,waiting,closed"`
	Sort     string     `json:"sort,omitempty" enum:"newest,oldest_waiting"`
	Archived ViewFlag   `json:"archived,omitzero"`
	Unread   ViewFlag   `json:"unread,omitzero"`
	Snoozed  ViewFlag   `json:"snoozed,omitzero"`
	Kind     string     `json:"kind,omitempty" enum:"direct,group"`
	Assignee string     `json:"assignee,omitempty" minLength:"1" maxLength:"36" doc:"A person's UUID, \"me\" or \"none\"."`
	Channel  *kernel.ID `json:"channel,omitempty"`
	Sector   *kernel.ID `json:"sector,omitempty"`
	Label    *kernel.ID `json:"label,omitempty"`
}

// ViewFlag is true or false, as a JSON value or as the text of a query parameter. It is given back as it was written;
// an empty one is absent.
type ViewFlag string

// True reports whether the flag is set to true.
func (f ViewFlag) True() bool { return f == `true` || f == `"true"` || f == `"1"` }

// MarshalJSON writes the flag as it was read.
func (f ViewFlag) MarshalJSON() ([]byte, error) { return []byte(f), nil }

// UnmarshalJSON reads a boolean, or its text.
func (f *ViewFlag) UnmarshalJSON(value []byte) error {
	switch text := ViewFlag(value); text {
	case `true`, `false`, `"true"`, `"false"`, `"1"`, `"0"`:
		*f = text
		return nil
	}
	return errors.New("expected true or false")
}

// Words of ViewQuery.Assignee that are no ids.
const (
	AssigneeMe   = "me"
	AssigneeNone = "none"
)

// MaxConversationLabels is how many labels a conversation may have.
const MaxConversationLabels = 100

// MaxViews is how many views one person may own, MaxSharedViews how many of a company may be shared.
const (
	MaxViews       = 100
	MaxSharedViews = 100
)

// countsWait is how long a count waits for others of the company: after a restart everybody's app asks for one.
const countsWait = 15 * time.Second

// InboxCounts counts the open conversations that the principal may see.
func (d *Talk) InboxCounts(ctx context.Context, a *kernel.Principal) (*InboxCounts, error) {
	if err := a.May(VerbInboxCounts); err != nil {
		return nil, err
	}
	release, err := d.counts.Begin(ctx, a)
	if err != nil {
		return nil, err
	}
	defer release()
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (*InboxCounts, error) {
		count, err := newInboxCount(tx, a)
		if err != nil {
			return nil, err
		}
		return &count.InboxCounts, listInboxRows(tx, a.Company.ID, a.Sight(), count.add)
	})
}

// inboxCount adds conversations up.
type inboxCount struct {
	InboxCounts
	me      kernel.ID
	sectors map[kernel.ID]int // places in Sectors
	labels  map[kernel.ID]int // places in Labels
	views   []viewFilter      // in the order of Views
}

func newInboxCount(tx *kernel.Tx, a *kernel.Principal) (*inboxCount, error) {
	c := &inboxCount{me: a.User.ID, sectors: map[kernel.ID]int{}, labels: map[kernel.ID]int{}}
	c.Sectors, c.Labels, c.Views = []SectorCount{}, []LabelCount{}, []ViewCount{}
	sectors, err := people.SectorIDs(tx, a.Company.ID)
	if err != nil {
		return nil, err
	}
	for i, id := range sectors {
		c.sectors[id], c.Sectors = i, append(c.Sectors, SectorCount{ID: id})
	}
	labels, err := listLabels(tx, a.Company.ID)
	for i, label := range labels {
		c.labels[label.ID], c.Labels = i, append(c.Labels, LabelCount{ID: label.ID})
	}
	if err != nil {
		return nil, err
	}
	views, err := viewsOf(tx, a)
	for i := range views {
		c.views = append(c.views, newViewFilter(a, &views[i].Query))
		c.Views = append(c.Views, ViewCount{ID: views[i].ID})
	}
	return c, err
}

func (c *inboxCount) add(row *InboxRow) {
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

func (c *inboxCount) addSector(row *InboxRow) {
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
	Add, Remove []kernel.ID // labels
	Until       kernel.Optional[time.Time]
}

// bulkAtOnce is how many conversations one call changes at the same time.
const bulkAtOnce = 8

// Bulk does the same to several conversations, to each in a transaction of its own and with the permission of its own
// verb. It gives what went wrong with each, nil where nothing did, in the order of ids; err is for a call that is wrong
// as a whole.
func (d *Talk) Bulk(ctx context.Context, a *kernel.Principal, ids []kernel.ID, in BulkAction) (failures []error, err error) {
	if err := a.May(VerbBulk); err != nil {
		return nil, err
	}
	if err := d.checkBulk(ctx, a, &in); err != nil {
		return nil, err
	}
	ctx = kernel.Separate(ctx)
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
func (d *Talk) checkBulk(ctx context.Context, a *kernel.Principal, in *BulkAction) error {
	if _, invalid := reasonOf(in.Reason); invalid != nil {
		return invalid
	}
	in.Transfer.Reason = in.Reason
	switch in.Action {
	case BulkTransfer:
		if !in.Transfer.User.Set && !in.Transfer.Sector.Set {
			return kernel.Needs("body", "must have user_id, sector_id or both", "user_id", "sector_id")
		}
	case BulkLabel:
		if len(in.Add) == 0 && len(in.Remove) == 0 {
			return kernel.Needs("body", "must have labels in add or remove", "add", "remove")
		}
	case BulkSnooze:
		if !in.Until.Set {
			return kernel.Invalid("body.until", kernel.RuleRequired, "is required; send null to end snoozing")
		}
		if until := in.Until.Pointer(); until != nil {
			if _, invalid := kernel.Future("body.until", *until, d.Now()); invalid != nil {
				return invalid
			}
		}
	}
	_, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (struct{}, error) { return struct{}{}, d.checkBulkNames(tx, a, in) })
	return err
}

// checkBulkNames makes sure that what the action names exists.
func (d *Talk) checkBulkNames(tx *kernel.Tx, a *kernel.Principal, in *BulkAction) error {
	if id := in.Transfer.User.Pointer(); id != nil {
		if _, found, err := people.UserRef(tx, a.Company.ID, *id); err != nil || !found {
			return kernel.ErrOr(err, kernel.NoSuch("body.user_id", "team_member"))
		}
	}
	if id := in.Transfer.Sector.Pointer(); id != nil {
		if found, err := people.SectorExists(tx, a.Company.ID, *id); err != nil || !found {
			return kernel.ErrOr(err, kernel.NoSuch("body.sector_id", "sector"))
		}
	}
	for field, ids := range map[string][]kernel.ID{"body.add": in.Add, "body.remove": in.Remove} {
		for i, id := range ids {
			if _, found, err := findLabel(tx, a.Company.ID, id); err != nil || !found {
				return kernel.ErrOr(err, kernel.NoSuch(kernel.Indexed(field, i), "label"))
			}
		}
	}
	return nil
}

func (d *Talk) bulkOne(ctx context.Context, a *kernel.Principal, id kernel.ID, in *BulkAction) (err error) {
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
		err = kernel.Invalid("body.action", kernel.RuleUnknown, "is not a known action")
	}
	return err
}

// relabel adds labels to a conversation and removes others.
func (d *Talk) relabel(ctx context.Context, a *kernel.Principal, id kernel.ID, add, remove []kernel.ID) error {
	_, err := kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (struct{}, error) {
		t, err := d.Lock(tx, a, id)
		if err != nil {
			return struct{}{}, err
		}
		gone, err := missingLabels(tx, a.Company.ID, t.LabelIDs) // those of which DeleteLabel has yet to take some off
		if err != nil {
			return struct{}{}, err
		}
		kept := slices.DeleteFunc(slices.Clone(t.LabelIDs), func(label kernel.ID) bool {
			return slices.Contains(remove, label) || slices.Contains(gone, label)
		})
		for _, label := range add {
			if !slices.Contains(kept, label) {
				kept = append(kept, label)
			}
		}
		if len(kept) > max(MaxConversationLabels, len(t.LabelIDs)) {
			return struct{}{}, kernel.LimitReached("labels of a conversation", MaxConversationLabels)
		}
		if t.LabelIDs, err = d.KnownLabels(tx, a, kept); err != nil {
			return struct{}{}, err
		}
		return struct{}{}, t.saveIfChanged()
	})
	return err
}

// ViewChange is what of a saved view is to change; nil leaves a part as it is.
type ViewChange struct {
	Name     *string
	Query    *ViewQuery
	Shared   *bool
	Position *int64
}

// Views lists the caller's saved views and those that are shared with the team.
func (d *Talk) Views(ctx context.Context, a *kernel.Principal) ([]View, error) {
	if err := a.May(VerbViews); err != nil {
		return nil, err
	}
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]View, error) { return viewsOf(tx, a) })
}

// viewsOf lists the views that the principal may see. One that names a channel that has become private since exists for
// the viewers of the channel alone.
func viewsOf(tx *kernel.Tx, a *kernel.Principal) ([]View, error) {
	views, err := listViews(tx, a.Company.ID, a.User.ID)
	known := map[kernel.ID]bool{}
	shown := make([]View, 0, len(views))
	for _, v := range views {
		if id := v.Query.Channel; id != nil {
			if _, looked := known[*id]; !looked {
				ch, found, err := channels.FindChannel(tx, a.Company.ID, *id)
				if err != nil {
					return nil, err
				}
				known[*id] = found && channels.Knows(a, ch)
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
func (d *Talk) CreateView(ctx context.Context, a *kernel.Principal, in ViewChange) (View, error) {
	if err := a.May(VerbCreateView); err != nil {
		return View{}, err
	}
	v := View{ID: kernel.NewID(), Owner: a.User}
	if err := in.check(a, &v); err != nil {
		return v, err
	}
	return kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (View, error) {
		tx.LockCompany(a.Company.ID)
		count, last, err := ownViews(tx, a.Company.ID, a.User.ID)
		if err != nil {
			return v, err
		}
		if count >= MaxViews {
			return v, kernel.LimitReached("saved views", MaxViews)
		}
		if in.Position == nil {
			v.Position = last + 1
		}
		if v.Shared {
			if err := kernel.CheckLimit(tx, a.Company.ID, countSharedViews, "shared views", MaxSharedViews); err != nil {
				return v, err
			}
		}
		if err := d.checkViewQuery(tx, a, &v); err != nil {
			return v, err
		}
		return v, insertView(tx, a.Company.ID, &v)
	})
}

// UpdateView changes a view: its owner a view of their own, managers and above a shared one.
func (d *Talk) UpdateView(ctx context.Context, a *kernel.Principal, id kernel.ID, in ViewChange) (View, error) {
	if err := a.May(VerbUpdateView); err != nil {
		return View{}, err
	}
	if err := in.check(a, &View{}); err != nil {
		return View{}, err
	}
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (View, error) {
		v, err := editableView(tx, a, id)
		if err != nil {
			return v, err
		}
		before := v.Shared
		if err := in.check(a, &v); err != nil {
			return v, err
		}
		if v.Shared && !before {
			if err := kernel.CheckLimit(tx, a.Company.ID, countSharedViews, "shared views", MaxSharedViews); err != nil {
				return v, err
			}
		}
		if in.Query != nil || in.Shared != nil {
			if err := d.checkViewQuery(tx, a, &v); err != nil {
				return v, err
			}
		}
		return v, saveView(tx, a.Company.ID, &v)
	})
}

// DeleteView removes a view that the principal may change.
func (d *Talk) DeleteView(ctx context.Context, a *kernel.Principal, id kernel.ID) error {
	if err := a.May(VerbDeleteView); err != nil {
		return err
	}
	_, err := kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (struct{}, error) {
		_, err := editableView(tx, a, id)
		if err == nil {
			deleteView(tx, a.Company.ID, id)
		}
		return struct{}{}, err
	})
	return err
}

// editableView gives a view that the principal may change. The view of another person that is not shared does not
// exist for them.
func editableView(tx *kernel.Tx, a *kernel.Principal, id kernel.ID) (View, error) {
	v, found, err := lockView(tx, a.Company.ID, id)
	if err != nil || !found || !v.Shared && v.Owner.ID != a.User.ID {
		return v, kernel.ErrOr(err, kernel.NotFound("view"))
	}
	if v.Shared {
		return v, a.Need(kernel.RoleManager)
	}
	return v, nil
}

// check looks at the form of a change and at the role that it takes, and applies it to a view.
func (in *ViewChange) check(a *kernel.Principal, v *View) error {
	if in.Name != nil {
		name, invalid := kernel.Name("body.name", *in.Name, kernel.MaxName)
		if invalid != nil {
			return invalid
		}
		v.Name = name
	}
	kernel.Set(&v.Query, in.Query)
	v.Query.Q = strings.TrimSpace(v.Query.Q)
	kernel.Set(&v.Shared, in.Shared)
	kernel.Set(&v.Position, in.Position)
	if assignee := v.Query.Assignee; assignee != "" && assignee != AssigneeMe && assignee != AssigneeNone {
		if _, ok := kernel.ParseID(assignee); !ok {
			return kernel.Malformed("body.query.assignee", "assignee")
		}
	}
	if in.Shared != nil && *in.Shared {
		return a.Need(kernel.RoleManager)
	}
	return nil
}

// checkViewQuery refuses filters that name what does not exist for the principal, and a shared view of a private
// channel: those who are not its viewers would learn of it.
func (d *Talk) checkViewQuery(tx *kernel.Tx, a *kernel.Principal, v *View) error {
	for _, named := range []struct {
		field string
		id    *kernel.ID
		known func(id kernel.ID) (bool, error)
	}{
		{"channel", v.Query.Channel, func(id kernel.ID) (bool, error) {
			ch, found, err := channels.FindChannel(tx, a.Company.ID, id)
			return found && channels.Knows(a, ch) && (!ch.Private || !v.Shared), err
		}},
		{"sector", v.Query.Sector, func(id kernel.ID) (bool, error) { return people.KeepSector(tx, a.Company.ID, id) }},
		{"label", v.Query.Label, func(id kernel.ID) (bool, error) {
			_, found, err := findLabel(tx, a.Company.ID, id)
			return found, err
		}},
		{"assignee", assigneeID(v.Query.Assignee), func(id kernel.ID) (bool, error) {
			_, found, err := people.UserRef(tx, a.Company.ID, id)
			return found, err
		}},
	} {
		if named.id == nil {
			continue
		}
		if found, err := named.known(*named.id); err != nil || !found {
			return kernel.ErrOr(err, kernel.NoSuch("body.query."+named.field, named.field))
		}
	}
	return nil
}

// assigneeID is the person whom a filter names, if any.
func assigneeID(assignee string) *kernel.ID {
	if id, ok := kernel.ParseID(assignee); ok {
		return &id
	}
	return nil
}

// viewFilter is a saved view for counting: what it shows of the conversations that are open or snoozed.
type viewFilter struct {
	*ViewQuery
	assignee *kernel.ID
	text     search.Text
}

func newViewFilter(a *kernel.Principal, q *ViewQuery) viewFilter {
	f := viewFilter{ViewQuery: q, assignee: assigneeID(q.Assignee), text: NewSearchText(q.Q)}
	if q.Assignee == AssigneeMe {
		f.assignee = &a.User.ID
	}
	return f
}

// shows reports whether the view has a row. Snoozed conversations are in views that ask for them, closed ones are not
// counted.
func (f *viewFilter) shows(row *InboxRow) bool {
	switch {
	case row.Snoozed != f.Snoozed.True(),
		!row.Open && (f.Status == ListOpen || f.Status == ListWaiting),
		f.Status == ListClosed && row.Open,
		f.Status == ListWaiting && !row.Waiting(),
		f.Archived != "" && row.Archived != f.Archived.True(),
		f.Unread.True() && !row.Unread,
		f.Kind != "" && row.Kind != f.Kind,
		f.Assignee == AssigneeNone && row.Assignee != nil,
		f.assignee != nil && !kernel.Same(f.assignee, row.Assignee),
		f.Channel != nil && *f.Channel != row.Channel,
		f.Sector != nil && !kernel.Same(f.Sector, row.Sector),
		f.Label != nil && !slices.Contains(row.LabelIDs, *f.Label):
		return false
	}
	return f.text.In(row.Folded)
}
