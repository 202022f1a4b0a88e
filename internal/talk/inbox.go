package talk

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"golang.org/x/sync/errgroup"

	"recado/internal/channels"
	"recado/internal/fold"
	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
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
	AtRisk     int64         `json:"at_risk" doc:"The number of conversations with a target of a service level that is nearly due or was missed."`
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
	sla                                                string // the state of the most urgent target, or ""
	folded                                             string // the text that searches match
}

// isWaiting reports whether an attendance is open and no person is responsible.
func (r *inboxRow) isWaiting() bool { return r.attended && r.assignee == nil }

// isAtRisk reports whether the most urgent target has a state: warned, breached or at_risk.
func (r *inboxRow) isAtRisk(state string) bool {
	atRisk := r.sla == TargetWarned || r.sla == TargetBreached
	return atRisk && (state == ListAtRisk || state == r.sla)
}

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
	Sort     string     `json:"sort,omitempty" enum:"newest,oldest_waiting,sla_due"`
	SLA      string     `json:"sla,omitempty" enum:"warned,breached,at_risk"`
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
	if row.isAtRisk(ListAtRisk) {
		c.AtRisk++
	}
	for _, id := range row.labels {
		if i, known := c.labels[id]; known {
			c.Labels[i].Open++
		}
	}
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

// BulkAction is an action on several conversations. Fields that the action does not use are empty.
type BulkAction struct {
	Action   string                     `json:"action" enum:"read,unread,archive,unarchive,close,take,transfer,label,snooze"`
	Reason   string                     `json:"reason,omitempty" maxLength:"500" doc:"The reason, for close and transfer."`
	ReasonID *kernel.ID                 `json:"reason_id,omitempty" doc:"The closing reason, for close."`
	Note     string                     `json:"note,omitempty" maxLength:"1000" doc:"A note on the closing reason, for close."`
	UserID   kernel.Optional[kernel.ID] `json:"user_id,omitempty" doc:"The new responsible person, for transfer; null returns the conversations to the queue."`
	SectorID kernel.Optional[kernel.ID] `json:"sector_id,omitempty" doc:"The new sector, for transfer; null means no sector."`
	Add      []kernel.ID                `json:"add,omitempty" maxItems:"100" doc:"The labels to add, for label. A conversation that would exceed 100 labels is not changed and gets the code limit_reached."`
	Remove   []kernel.ID                `json:"remove,omitempty" maxItems:"100" doc:"The labels to remove, for label."`
	Until    kernel.Optional[time.Time] `json:"until,omitempty" doc:"The time until which to snooze, for snooze. null ends snoozing."`
}

// Bulk applies an action to several conversations, each in a separate transaction and with the permission of the action's verb.
// It returns one error or nil per conversation, in the order of ids; err is set if the whole call is invalid.
func (d *Talk) Bulk(ctx context.Context, a *kernel.Principal, ids []kernel.ID, in BulkAction) (failures []error, err error) {
	if err := d.checkBulk(ctx, a, &in); err != nil {
		return nil, err
	}
	ctx = kernel.Separate(ctx)
	failures = make([]error, len(ids))
	var g errgroup.Group
	g.SetLimit(8)
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
	switch in.Action {
	case "transfer":
		if !in.UserID.Set && !in.SectorID.Set {
			return errNoDestination()
		}
	case "label":
		if len(in.Add) == 0 && len(in.Remove) == 0 {
			return kernel.Needs("body", "must have labels in add or remove", "add", "remove")
		}
	case "snooze":
		if !in.Until.Set {
			return kernel.Invalid("body.until", kernel.RuleRequired, "is required; send null to end snoozing")
		}
		if _, err := d.optionalFuture("body.until", in.Until.Pointer()); err != nil {
			return err
		}
	}
	return d.Store.Read(ctx, func(tx *kernel.Tx) error { return checkBulkReferences(tx, a, in) })
}

// checkBulkReferences checks that the person, the sector, the closing reason and the labels of the action exist.
func checkBulkReferences(tx *kernel.Tx, a *kernel.Principal, in *BulkAction) error {
	if id := in.UserID.Pointer(); id != nil {
		if _, found, err := people.UserRef(tx, a.Company.ID, *id); err != nil || !found {
			return kernel.ErrOr(err, kernel.NoSuch("body.user_id", "team_member"))
		}
	}
	if id := in.SectorID.Pointer(); id != nil {
		if found, err := people.SectorExists(tx, a.Company.ID, *id); err != nil || !found {
			return kernel.ErrOr(err, kernel.NoSuch("body.sector_id", "sector"))
		}
	}
	if err := CheckReason(tx, a, in.ReasonID); err != nil {
		return err
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
	case "read":
		_, err = d.MarkRead(ctx, a, id)
	case "unread":
		_, err = d.MarkUnread(ctx, a, id)
	case "archive":
		_, err = d.UpdateConversation(ctx, a, id, ConversationChange{Archived: new(true)})
	case "unarchive":
		_, err = d.UpdateConversation(ctx, a, id, ConversationChange{Archived: new(false)})
	case "close":
		if err = a.May(VerbCloseAttendance); err == nil {
			_, err = d.CloseAttendance(ctx, a, id, CloseInput{Reason: in.Reason, ReasonID: in.ReasonID, Note: in.Note})
		}
	case "take":
		_, err = d.Take(ctx, a, id)
	case "transfer":
		_, err = d.Transfer(ctx, a, id, NewTransfer{User: in.UserID, Sector: in.SectorID, Reason: in.Reason})
	case "label":
		err = d.relabel(ctx, a, id, in.Add, in.Remove)
	case "snooze":
		_, err = d.Snooze(ctx, a, id, in.Until.Pointer())
	default:
		err = kernel.Invalid("body.action", kernel.RuleUnknown, "is not a known action")
	}
	return err
}

func (d *Talk) relabel(ctx context.Context, a *kernel.Principal, id kernel.ID, add, remove []kernel.ID) error {
	_, err := d.changeConversation(ctx, a, id, func(t *LockedConversation) error {
		missing, err := missingLabels(t.Tx, t.Company, t.LabelIDs) // DeleteLabel is taking them off
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
		if t.LabelIDs, err = d.KnownLabels(t.Tx, a, kept); err != nil {
			return err
		}
		return t.saveIfChanged()
	})
	return err
}

// ViewChange lists the parts of a saved view to change; nil fields stay as they are.
type ViewChange struct {
	Name     *string    `json:"name,omitempty" minLength:"1" maxLength:"120"`
	Query    *ViewQuery `json:"query,omitempty" doc:"Replaces all filters."`
	Shared   *bool      `json:"shared,omitempty"`
	Position *int64     `json:"position,omitempty" minimum:"-1000000" maximum:"1000000"`
}

// Views lists the caller's saved views and those that are shared with the team.
func (d *Talk) Views(ctx context.Context, a *kernel.Principal) ([]View, error) {
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
	v := View{ID: kernel.NewID(), Owner: a.User}
	if err := in.check(a, &v); err != nil {
		return v, err
	}
	return kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (View, error) {
		tx.LockCompany(a.Company.ID)
		var count, last int64
		_, err := tx.One(`
			SELECT COUNT(CASE WHEN owner = $2 THEN 1 END) AS own, COALESCE(MAX(position), 0) AS highest
			FROM views
			WHERE company = $1`, []any{a.Company.ID, a.User.ID}, func(r db.Row) { count, last = r.Int("own"), r.Int("highest") })
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
		saveView(tx, a.Company.ID, &v)
		auditView(tx, a, nil, &v)
		return v, nil
	})
}

// auditView records what happened to a view that the team sees, without the texts that it searches for, which may name a person.
// before is nil for a new view, after for one that is deleted.
func auditView(tx *kernel.Tx, a *kernel.Principal, before, after *View) {
	v := cmp.Or(after, before)
	if !v.Shared && (before == nil || !before.Shared) {
		return
	}
	var from, to any
	if before != nil {
		from = before
	}
	if after != nil {
		to = after
	}
	e := kernel.NewAuditEntry(kernel.NewAuditSubject("view", v.ID, v.Name), from, to, "owner")
	for i := range e.Changes {
		if e.Changes[i].Field == "query.q" {
			e.Changes[i].From, e.Changes[i].To = nil, nil
		}
	}
	kernel.Set(&e.Channel, v.Query.Channel)
	tx.AuditUpdate(a, e)
}

func checkSharedViews(tx *kernel.Tx, a *kernel.Principal) error {
	return kernel.CheckLimit(tx, a.Company.ID, countSharedViews, "shared views", MaxSharedViews)
}

// UpdateView changes a view. Shared views are changed by managers and above, others by their owner.
func (d *Talk) UpdateView(ctx context.Context, a *kernel.Principal, id kernel.ID, in ViewChange) (View, error) {
	if err := in.check(a, &View{}); err != nil {
		return View{}, err
	}
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (View, error) {
		v, err := editableView(tx, a, id)
		if err != nil {
			return v, err
		}
		before := v
		if err := in.check(a, &v); err != nil {
			return v, err
		}
		if v.Shared && !before.Shared {
			if err := checkSharedViews(tx, a); err != nil {
				return v, err
			}
		}
		if in.Query != nil || in.Shared != nil {
			if err := checkViewQuery(tx, a, &v); err != nil {
				return v, err
			}
		}
		saveView(tx, a.Company.ID, &v)
		auditView(tx, a, &before, &v)
		return v, nil
	})
}

// DeleteView deletes a view that the principal may change.
func (d *Talk) DeleteView(ctx context.Context, a *kernel.Principal, id kernel.ID) error {
	return d.Store.Write(ctx, func(tx *kernel.Tx) error {
		v, err := editableView(tx, a, id)
		if err == nil {
			tx.Later(`DELETE FROM views WHERE company = $1 AND id = $2`, a.Company.ID, id)
			auditView(tx, a, &v, nil)
		}
		return err
	})
}

// editableView locks and returns a view that the principal may change. It does not find the unshared views of others.
func editableView(tx *kernel.Tx, a *kernel.Principal, id kernel.ID) (View, error) {
	v, found, err := kernel.Row(tx, `
		SELECT `+viewColumns+`
		FROM views v
		JOIN users u ON u.company = v.company AND u.id = v.owner
		WHERE v.company = $1 AND v.id = $2`+tx.Dialect().Lock(` FOR UPDATE OF v`), []any{a.Company.ID, id}, scanView)
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
	if err := kernel.CleanName("body.name", &in.Name); err != nil {
		return err
	}
	kernel.Set(&v.Name, in.Name)
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
	if id := v.Query.Channel; id != nil {
		ch, found, err := channels.FindChannel(tx, a.Company.ID, *id)
		if err != nil || !found || !channels.Knows(a, ch) || ch.Private && v.Shared {
			return kernel.ErrOr(err, kernel.NoSuch("body.query.channel", "channel"))
		}
	}
	if id := v.Query.Sector; id != nil {
		if found, err := people.KeepSector(tx, a.Company.ID, *id); err != nil || !found {
			return kernel.ErrOr(err, kernel.NoSuch("body.query.sector", "sector"))
		}
	}
	if id := v.Query.Label; id != nil {
		if _, found, err := findLabel(tx, a.Company.ID, *id); err != nil || !found {
			return kernel.ErrOr(err, kernel.NoSuch("body.query.label", "label"))
		}
	}
	if id := assigneeID(v.Query.Assignee); id != nil {
		if _, found, err := people.UserRef(tx, a.Company.ID, *id); err != nil || !found {
			return kernel.ErrOr(err, kernel.NoSuch("body.query.assignee", "assignee"))
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
	f := viewFilter{ViewQuery: q, assignee: assigneeID(q.Assignee), text: search.NewText(q.Q)}
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
		f.SLA != "" && !row.isAtRisk(f.SLA),
		f.Assignee == AssigneeNone && row.assignee != nil,
		f.assignee != nil && !kernel.Same(f.assignee, row.assignee),
		f.Channel != nil && *f.Channel != row.channel,
		f.Sector != nil && !kernel.Same(f.Sector, row.sector),
		f.Label != nil && !slices.Contains(row.labels, *f.Label):
		return false
	}
	return f.text.In(row.folded)
}

type bulkInput struct {
	Body struct {
		IDs []kernel.ID `json:"ids" minItems:"1" maxItems:"100" doc:"The ids of the conversations."`
		BulkAction
	}
}

type bulkResult struct {
	ID     kernel.ID    `json:"id"`
	Status int          `json:"status" doc:"The HTTP status code of the action for this conversation." example:"200"`
	Code   *kernel.Code `json:"code,omitempty" doc:"The error code, if the action failed."`
}

type bulkResults struct {
	Results []bulkResult `json:"results" doc:"The results, in the order of ids."`
}

func (s *handlers) bulkConversations(ctx context.Context, a *kernel.Principal, in *bulkInput) (*httpserver.Reply[bulkResults], error) {
	b := &in.Body
	failures, err := s.verbs.Bulk(ctx, a, b.IDs, b.BulkAction)
	if err != nil {
		return nil, err
	}
	out := bulkResults{Results: make([]bulkResult, len(failures))}
	for i, failure := range failures {
		out.Results[i] = bulkResult{ID: b.IDs[i], Status: 200}
		if failure != nil {
			status, code := httpserver.RefusalOf(ctx, failure)
			out.Results[i].Status, out.Results[i].Code = status, &code
		}
	}
	return &httpserver.Reply[bulkResults]{Body: out}, nil
}

type viewFlagSchema struct{}

func (viewFlagSchema) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{AnyOf: []*huma.Schema{{Type: huma.TypeBoolean}, {Type: huma.TypeString, Enum: []any{"true", "false", "1", "0"}}}}
}

type createViewInput struct {
	Body struct {
		Name     string    `json:"name" minLength:"1" maxLength:"120"`
		Query    ViewQuery `json:"query" doc:"The filters of the view, with the names and values of the query parameters of GET /conversations."`
		Shared   bool      `json:"shared,omitempty" doc:"Whether the whole team sees the view. Requires the role manager or above."`
		Position *int64    `json:"position,omitempty" minimum:"-1000000" maximum:"1000000" doc:"Defaults to the last position."`
	}
}

func (s *handlers) createView(ctx context.Context, a *kernel.Principal, in *createViewInput) (*httpserver.Reply[View], error) {
	b := &in.Body
	return httpserver.Body(s.verbs.CreateView(ctx, a, ViewChange{Name: &b.Name, Query: &b.Query, Shared: &b.Shared, Position: b.Position}))
}

type updateViewInput struct {
	httpserver.AtID
	Body struct{ ViewChange } `required:"false"`
}

func (s *handlers) updateView(ctx context.Context, a *kernel.Principal, in *updateViewInput) (*httpserver.Reply[View], error) {
	return httpserver.Body(s.verbs.UpdateView(ctx, a, kernel.ID(in.ID), in.Body.ViewChange))
}

// listInboxRows calls each for the conversations in sight that are open or snoozed, at a cost that does not grow with the number
// of other conversations. Private conversations are those of the private channels in sight.
func listInboxRows(tx *kernel.Tx, company kernel.ID, sight kernel.Sight, each func(row *inboxRow)) error {
	read := func(index, which string, sees func(s *db.Statement) string) error {
		s := tx.Statement()
		s.WriteString(`
			SELECT c.assignee, c.sector, c.channel, c.kind, c.open, c.attendance, c.unread_count, c.archived, c.snoozed_until, c.labels,
				c.folded, c.private, c.sla_state
			FROM conversations c` + index + `
			WHERE c.company = ` + s.Arg(company) + ` AND ` + which)
		s.And(sees(s))
		return tx.Query(s.String(), s.Args, func(r db.Row) error {
			row := &inboxRow{
				assignee: r.NullID("assignee"), sector: r.NullID("sector"), channel: r.ID("channel"), kind: r.Text("kind"),
				open: r.Bool("open"), attended: !r.Null("attendance"), unread: r.Int("unread_count") > 0, archived: r.Bool("archived"),
				snoozed: !r.Null("snoozed_until"), labels: kernel.UnpackIDs(r.Bytes("labels")), folded: r.Text("folded"),
				private: r.Bool("private"),
			}
			kernel.Set(&row.sla, r.NullText("sla_state"))
			each(row)
			return nil
		})
	}
	public := func(s *db.Statement) string {
		condition := kernel.Public("c.channel", "$1")
		if !sight.All {
			condition += " AND " + sight.Condition(s, "c.assignee", "c.sector")
		}
		return condition
	}
	if err := read(IndexedBy(tx, "conversations_open"), "NOT c.private AND c.open = TRUE", public); err != nil {
		return err
	}
	err := read(IndexedBy(tx, "conversations_snoozed"), "NOT c.private AND c.snoozed_until IS NOT NULL AND c.open = FALSE", public)
	if err != nil || len(sight.Private) == 0 {
		return err
	}
	return read("", "c.private AND (c.open = TRUE OR c.snoozed_until IS NOT NULL)",
		func(s *db.Statement) string { return s.In("c.channel", sight.Private) })
}

const viewColumns = `v.id, v.name, v.query, v.shared, v.position, u.id AS owner, u.name AS owner_name`

func scanView(r db.Row) View {
	v := View{ID: r.ID("id"), Name: r.Text("name"), Shared: r.Bool("shared"), Position: r.Int("position")}
	v.Owner = kernel.Ref{ID: r.ID("owner"), Name: r.Text("owner_name")}
	kernel.Set(&v.Query, kernel.ReadJSON[ViewQuery](r, "query"))
	return v
}

// listViews returns the saved views of a member and the shared ones, in their order.
func listViews(tx *kernel.Tx, company, member kernel.ID) ([]View, error) {
	return kernel.Rows(tx, `
		SELECT `+viewColumns+`
		FROM views v
		JOIN users u ON u.company = v.company AND u.id = v.owner
		WHERE v.company = $1 AND (v.owner = $2 OR v.shared)
		ORDER BY v.position, v.folded, v.id`, []any{company, member}, scanView)
}

func saveView(tx *kernel.Tx, company kernel.ID, v *View) {
	tx.Later(`
		INSERT INTO views (company, id, owner, name, folded, query, shared, position, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
		ON CONFLICT (company, id) DO UPDATE
		SET name = excluded.name, folded = excluded.folded, query = excluded.query, shared = excluded.shared, position = excluded.position`,
		company, v.ID, v.Owner.ID, v.Name, fold.Text(v.Name), kernel.WriteJSON(&v.Query), v.Shared, v.Position, tx.Now)
}
