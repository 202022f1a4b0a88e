package model

import "errors"

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
func (f ViewFlag) True() bool { return f == `true` || f == `"true"` }

// MarshalJSON writes the flag as it was read.
func (f ViewFlag) MarshalJSON() ([]byte, error) { return []byte(f), nil }

// UnmarshalJSON reads a boolean, or its text.
func (f *ViewFlag) UnmarshalJSON(value []byte) error {
	switch text := ViewFlag(value); text {
	case `true`, `false`, `"true"`, `"false"`:
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

// MaxViews is how many views one person may own, MaxSharedViews how many of a company may be shared.
const (
	MaxViews       = 100
	MaxSharedViews = 100
)
