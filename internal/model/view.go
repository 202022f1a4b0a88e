package model

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
	Q        string `json:"q,omitempty" maxLength:"200"`
	Status   string `json:"status,omitempty" enum:"open,waiting,closed"`
	Sort     string `json:"sort,omitempty" enum:"newest,oldest_waiting"`
	Archived string `json:"archived,omitempty" enum:"true,false"`
	Unread   string `json:"unread,omitempty" enum:"true,false"`
	Snoozed  string `json:"snoozed,omitempty" enum:"true,false"`
	Kind     string `json:"kind,omitempty" enum:"direct,group"`
	Assignee string `json:"assignee,omitempty" minLength:"1" maxLength:"36" doc:"A person's UUID, \"me\" or \"none\"."`
	Channel  *ID    `json:"channel,omitempty"`
	Sector   *ID    `json:"sector,omitempty"`
	Label    *ID    `json:"label,omitempty"`
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
