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

// InboxCounts are the numbers beside the views of an inbox. They count open conversations that are not snoozed, except for
// Snoozed and for views of snoozed conversations.
type InboxCounts struct {
	Mine       int64         `json:"mine" doc:"The number of conversations assigned to the caller."`
	Unassigned int64         `json:"unassigned" doc:"The number of conversations with the status waiting."`
	Unread     int64         `json:"unread" doc:"The number of conversations with unread messages."`
	Open       int64         `json:"open" doc:"The number of conversations with the status open."`
	Snoozed    int64         `json:"snoozed" doc:"The number of snoozed conversations, whether open or not."`
	Sectors    []SectorCount `json:"sectors"`
	Labels     []LabelCount  `json:"labels"`
	Views      []ViewCount   `json:"views" doc:"The caller's own and shared saved views."`
}

// SectorCount counts the conversations of a sector.
type SectorCount struct {
	ID      kernel.ID `json:"id"`
	Waiting int64     `json:"waiting"`
	Unread  int64     `json:"unread" doc:"The number of open conversations with unread messages."`
}

// LabelCount counts the conversations with a label.
type LabelCount struct {
	ID   kernel.ID `json:"id"`
	Open int64     `json:"open"`
}

// ViewCount counts the open conversations in a saved view.
type ViewCount struct {
	ID    kernel.ID `json:"id"`
	Count int64     `json:"count"`
}

// inboxRow has the parts of a conversation that counting needs.
type inboxRow struct {
	assignee, sector                                   *kernel.ID
	channel                                            kernel.ID
	kind                                               string
	open, attended, unread, archived, snoozed, private bool
	labels                                             []kernel.ID
	folded                                             string // the text that searches match
}

// isWaiting reports whether an attendance is open and no person is responsible.
func (r *inboxRow) isWaiting() bool { return r.attended && r.assignee == nil }

// View is a saved filter of the list of conversations.
type View struct {
	ID       kernel.ID  `json:"id"`
	Name     string     `json:"name"`
	Query    ViewQuery  `json:"query"`
	Shared   bool       `json:"shared" doc:"Whether the whole team sees the view."`
	Owner    kernel.Ref `json:"owner" doc:"The person who created the view."`
	Position int64      `json:"position" doc:"The position in the list. Views with the same position are sorted by name."`
}

// ViewQuery holds the filters of a list of conversations in the form of its query parameters. Absent ones filter nothing.
type ViewQuery struct {
	Q        string     `json:"q,omitempty" maxLength:"200"`
	Status   string     `json:"status,omitempty" enum:"open,waiting,closed"`
	Sort     string     `json:"sort,omitempty" enum:"newest,oldest_waiting"`
	Archived ViewFlag   `json:"archived,omitzero"`
	Unread   ViewFlag   `json:"unread,omitzero"`
	Snoozed  ViewFlag   `json:"snoozed,omitzero"`
	Kind     string     `json:"kind,omitempty" enum:"direct,group"`
	Assignee string     `json:"assignee,omitempty" minLength:"1" maxLength:"36" doc:"The UUID of a person, \"me\" or \"none\"."`
	Channel  *kernel.ID `json:"channel,omitempty"`
	Sector   *kernel.ID `json:"sector,omitempty"`
	Label    *kernel.ID `json:"label,omitempty"`
}

// ViewFlag is true or false, as a JSON boolean or as the text of a query parameter. It is returned as it was written; an empty
// one is absent.
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

// Values of ViewQuery.Assignee other than ids.
const (
	AssigneeMe   = "me"
	AssigneeNone = "none"
)

// Limits of the inbox.
const (
	MaxConversationLabels = 100
	MaxViews              = 100 // that one person owns
	MaxSharedViews        = 100 // of a company
)

// countsWait is how long a count waits for others of the company: after a restart every client requests one.
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
		counter, err := newInboxCounter(tx, a)
		if err != nil {
			return nil, err
		}
		return &counter.InboxCounts, listInboxRows(tx, a.Company.ID, a.Sight(), counter.add)
	})
}

type inboxCounter struct {
	InboxCounts
	me      kernel.ID
	sectors map[kernel.ID]int // indexes of Sectors
	labels  map[kernel.ID]int // indexes of Labels
	views   []viewFilter      // in the order of Views
}

func newInboxCounter(tx *kernel.Tx, a *kernel.Principal) (*inboxCounter, error) {
	c := &inboxCounter{me: a.User.ID, sectors: map[kernel.ID]int{}, labels: map[kernel.ID]int{}}
	sectors, err := people.SectorIDs(tx, a.Company.ID)
	if err != nil {
		return nil, err
	}
	for i, id := range sectors {
		c.sectors[id], c.Sectors = i, append(c.Sectors, SectorCount{ID: id})
	}
	labels, err := listLabels(tx, a.Company.ID)
	if err != nil {
		return nil, err
	}
	for i, label := range labels {
		c.labels[label.ID], c.Labels = i, append(c.Labels, LabelCount{ID: label.ID})
	}
	views, err := viewsOf(tx, a)
	for i := range views {
		c.views = append(c.views, newViewFilter(a, &views[i].Query))
		c.Views = append(c.Views, ViewCount{ID: views[i].ID})
	}
	return c, err
}

func (c *inboxCounter) add(row *inboxRow) {
	for i := range c.views {
		if c.views[i].matches(row) {
			c.Views[i].Count++
		}
	}
	if row.snoozed {
		c.Snoozed++
		return
	}
	c.Open++
	if row.assignee != nil && *row.assignee == c.me {
		c.Mine++
	}
	if row.isWaiting() {
		c.Unassigned++
	}
	if row.unread {
		c.Unread++
	}
	c.addSector(row)
	for _, id := range row.labels {
		if i, known := c.labels[id]; known {
			c.Labels[i].Open++
		}
	}
}

func (c *inboxCounter) addSector(row *inboxRow) {
	if row.sector == nil || row.private { // the counts of sectors leave out private conversations
		return
	}
	i, known := c.sectors[*row.sector]
	if known && row.isWaiting() {
		c.Sectors[i].Waiting++
	}
	if known && row.unread {
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

// BulkAction is an action on several conversations. Fields that the action does not use are empty.
type BulkAction struct {
	Action      string
	Reason      string      // for close and transfer
	Transfer    NewTransfer // without its reason
	Add, Remove []kernel.ID // labels
	Until       kernel.Optional[time.Time]
}

const bulkWorkers = 8

// Bulk applies an action to several conversations, each in a separate transaction and with the permission of the action's verb.
// It returns one error or nil per conversation, in the order of ids; err is set if the whole call is invalid.
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
	g.SetLimit(bulkWorkers)
	for i, id := range ids {
		g.Go(func() error {
			failures[i] = d.bulkOne(ctx, a, id, &in)
			return nil
		})
	}
	return failures, g.Wait()
}

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
	return d.Store.Read(ctx, func(tx *kernel.Tx) error { return checkBulkReferences(tx, a, in) })
}

// checkBulkReferences checks that the person, the sector and the labels of the action exist.
func checkBulkReferences(tx *kernel.Tx, a *kernel.Principal, in *BulkAction) error {
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
	switch in.Action {
	case BulkRead:
		_, err = d.MarkRead(ctx, a, id)
	case BulkUnread:
		_, err = d.MarkUnread(ctx, a, id)
	case BulkArchive:
		_, err = d.UpdateConversation(ctx, a, id, ConversationChange{Archived: new(true)})
	case BulkUnarchive:
		_, err = d.UpdateConversation(ctx, a, id, ConversationChange{Archived: new(false)})
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

func (d *Talk) relabel(ctx context.Context, a *kernel.Principal, id kernel.ID, add, remove []kernel.ID) error {
	return d.Store.Write(ctx, func(tx *kernel.Tx) error {
		t, err := d.Lock(tx, a, id)
		if err != nil {
			return err
		}
		missing, err := missingLabels(tx, a.Company.ID, t.LabelIDs) // DeleteLabel is taking them off
		if err != nil {
			return err
		}
		kept := slices.DeleteFunc(slices.Clone(t.LabelIDs), func(label kernel.ID) bool {
			return slices.Contains(remove, label) || slices.Contains(missing, label)
		})
		for _, label := range add {
			if !slices.Contains(kept, label) {
				kept = append(kept, label)
			}
		}
		if len(kept) > max(MaxConversationLabels, len(t.LabelIDs)) {
			return kernel.LimitReached("labels of a conversation", MaxConversationLabels)
		}
		if t.LabelIDs, err = d.KnownLabels(tx, a, kept); err != nil {
			return err
		}
		return t.saveIfChanged()
	})
}

// ViewChange lists the parts of a saved view to change; nil fields stay as they are.
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

// viewsOf returns the views that the principal may see. A view of a channel that has become private is visible only to the
// viewers of the channel.
func viewsOf(tx *kernel.Tx, a *kernel.Principal) ([]View, error) {
	views, err := listViews(tx, a.Company.ID, a.User.ID)
	visible := map[kernel.ID]bool{}
	for _, v := range views {
		id := v.Query.Channel
		if id == nil {
			continue
		}
		if _, checked := visible[*id]; !checked {
			ch, found, err := channels.FindChannel(tx, a.Company.ID, *id)
			if err != nil {
				return nil, err
			}
			visible[*id] = found && channels.Knows(a, ch)
		}
	}
	return slices.DeleteFunc(views, func(v View) bool { return v.Query.Channel != nil && !visible[*v.Query.Channel] }), err
}

// CreateView saves a view. Without a position it becomes the last one.
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
		count, last, err := countViews(tx, a.Company.ID, a.User.ID)
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
			if err := checkSharedViews(tx, a); err != nil {
				return v, err
			}
		}
		if err := checkViewQuery(tx, a, &v); err != nil {
			return v, err
		}
		return v, saveView(tx, a.Company.ID, &v)
	})
}

func checkSharedViews(tx *kernel.Tx, a *kernel.Principal) error {
	return kernel.CheckLimit(tx, a.Company.ID, countSharedViews, "shared views", MaxSharedViews)
}

// UpdateView changes a view. Shared views are changed by managers and above, others by their owner.
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
		wasShared := v.Shared
		if err := in.check(a, &v); err != nil {
			return v, err
		}
		if v.Shared && !wasShared {
			if err := checkSharedViews(tx, a); err != nil {
				return v, err
			}
		}
		if in.Query != nil || in.Shared != nil {
			if err := checkViewQuery(tx, a, &v); err != nil {
				return v, err
			}
		}
		return v, saveView(tx, a.Company.ID, &v)
	})
}

// DeleteView deletes a view that the principal may change.
func (d *Talk) DeleteView(ctx context.Context, a *kernel.Principal, id kernel.ID) error {
	if err := a.May(VerbDeleteView); err != nil {
		return err
	}
	return d.Store.Write(ctx, func(tx *kernel.Tx) error {
		_, err := editableView(tx, a, id)
		if err == nil {
			deleteView(tx, a.Company.ID, id)
		}
		return err
	})
}

// editableView returns a view that the principal may change. It does not find the unshared views of others.
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

// check validates a change, checks the role that it requires and applies it to a view.
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

// checkViewQuery checks that the principal can see what the filters of a view refer to. A shared view must not filter by a
// private channel: it would reveal the channel to members who cannot see it.
func checkViewQuery(tx *kernel.Tx, a *kernel.Principal, v *View) error {
	for _, filter := range []struct {
		field string
		id    *kernel.ID
		find  func(id kernel.ID) (bool, error)
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
		if filter.id == nil {
			continue
		}
		if found, err := filter.find(*filter.id); err != nil || !found {
			return kernel.ErrOr(err, kernel.NoSuch("body.query."+filter.field, filter.field))
		}
	}
	return nil
}

// assigneeID returns the id in a filter by assignee, if it is one.
func assigneeID(assignee string) *kernel.ID {
	if id, ok := kernel.ParseID(assignee); ok {
		return &id
	}
	return nil
}

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

// matches reports whether the view shows a conversation. A view shows either snoozed conversations or the others.
func (f *viewFilter) matches(row *inboxRow) bool {
	switch {
	case row.snoozed != f.Snoozed.True(),
		!row.open && (f.Status == ListOpen || f.Status == ListWaiting),
		f.Status == ListClosed && row.open,
		f.Status == ListWaiting && !row.isWaiting(),
		f.Archived != "" && row.archived != f.Archived.True(),
		f.Unread.True() && !row.unread,
		f.Kind != "" && row.kind != f.Kind,
		f.Assignee == AssigneeNone && row.assignee != nil,
		f.assignee != nil && !kernel.Same(f.assignee, row.assignee),
		f.Channel != nil && *f.Channel != row.channel,
		f.Sector != nil && !kernel.Same(f.Sector, row.sector),
		f.Label != nil && !slices.Contains(row.labels, *f.Label):
		return false
	}
	return f.text.In(row.folded)
}
