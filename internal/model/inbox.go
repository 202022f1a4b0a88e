package model

import "errors"

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
	ID      ID    `json:"id"`
	Waiting int64 `json:"waiting"`
	Unread  int64 `json:"unread" doc:"Open ones with unread messages."`
}

// LabelCount counts the conversations with a label.
type LabelCount struct {
	ID   ID    `json:"id"`
	Open int64 `json:"open"`
}

// ViewCount counts what a saved view shows of the open conversations.
type ViewCount struct {
	ID    ID    `json:"id"`
	Count int64 `json:"count"`
}

// InboxRow is what counting has to know of a conversation that is open or snoozed.
type InboxRow struct {
	Assignee, Sector                          *ID
	Channel                                   ID
	Kind                                      string
	Open, Attended, Unread, Archived, Snoozed bool
	LabelIDs                                  []ID
	Folded                                    string // the text that searches look at
	Private                                   bool
}

// Waiting reports whether an attendance is open and no person is responsible.
func (r *InboxRow) Waiting() bool { return r.Attended && r.Assignee == nil }

// View is a saved filter of the list of conversations.
type View struct {
	ID       ID        `json:"id"`
	Name     string    `json:"name"`
	Query    ViewQuery `json:"query"`
	Shared   bool      `json:"shared" doc:"The whole team sees it."`
	Owner    Ref       `json:"owner" doc:"The person who made it."`
	Position int64     `json:"position" doc:"The list is in this order; equal positions by name."`
}

// ViewQuery holds filters of a list of conversations as its query parameters are written. Absent ones filter nothing.
type ViewQuery struct {
	Q        string   `json:"q,omitempty" maxLength:"200"`
	Status   string   `json:"status,omitempty" enum:"open,waiting,closed"`
	Sort     string   `json:"sort,omitempty" enum:"newest,oldest_waiting"`
	Archived ViewFlag `json:"archived,omitzero"`
	Unread   ViewFlag `json:"unread,omitzero"`
	Snoozed  ViewFlag `json:"snoozed,omitzero"`
	Kind     string   `json:"kind,omitempty" enum:"direct,group"`
	Assignee string   `json:"assignee,omitempty" minLength:"1" maxLength:"36" doc:"A person's UUID, \"me\" or \"none\"."`
	Channel  *ID      `json:"channel,omitempty"`
	Sector   *ID      `json:"sector,omitempty"`
	Label    *ID      `json:"label,omitempty"`
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
