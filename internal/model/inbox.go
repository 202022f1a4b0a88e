package model

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
