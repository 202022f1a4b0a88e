package model

import "time"

// The kinds of stage, and the one system board.
const (
	StageOpen = "open"
	StageWon  = "won"
	StageLost = "lost"

	SystemAttendances = "attendances"
)

// Board is a Kanban board.
type Board struct {
	ID        ID        `json:"id"`
	Name      string    `json:"name"`
	Archived  bool      `json:"archived"`
	System    *string   `json:"system" enum:"attendances"`
	Stages    []Stage   `json:"stages"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// Stage is one column of a board.
type Stage struct {
	ID       ID     `json:"id"`
	Name     string `json:"name"`
	Position int64  `json:"position" doc:"0 is the leftmost stage."`
	Kind     string `json:"kind" enum:"open,won,lost"`
}

// StageCount is how many cards a stage holds.
type StageCount struct {
	Stage ID    `json:"stage"`
	Cards int64 `json:"cards" doc:"Archived cards are excluded. 10,000 stands for 10,000 and more."`
}

// MaxStageCount is how far the cards of a stage are counted.
const MaxStageCount = 10_000

// Card statuses: open, in a winning stage, in a losing stage, archived.
const (
	CardOpen      = "open"
	CardCompleted = "completed"
	CardLost      = "lost"
	CardArchived  = "archived"
)

// PriorityMedium is the priority of a card for which none was chosen; the others are in the enum of Card.
const PriorityMedium = "medium"

// Card is one piece of work on a board.
type Card struct {
	ID           ID         `json:"id"`
	BoardID      ID         `json:"board_id"`
	StageID      ID         `json:"stage_id"`
	Title        string     `json:"title"`
	Description  *string    `json:"description"`
	Priority     string     `json:"priority" enum:"low,medium,high,urgent"`
	LabelIDs     []ID       `json:"label_ids"`
	DueAt        *time.Time `json:"due_at"`
	Assignee     *ID        `json:"assignee"`
	Contact      *ID        `json:"contact"`
	Conversation *ID        `json:"conversation"`
	Attendance   *ID        `json:"attendance"`
	Private      bool       `json:"private"`
	Status       string     `json:"status" enum:"open,completed,lost,archived"`
	Position     string     `json:"position" doc:"Cards of a stage stand in the bytewise order of this text."`
	Version      int64      `json:"version"`
	CreatedAt    time.Time  `json:"created_at"`
	UpdatedAt    time.Time  `json:"updated_at"`
	CompletedAt  *time.Time `json:"completed_at"`

	Company ID   `json:"-"`
	Hidden  bool `json:"-"` // of a private channel

	CreatedBy *ID `json:"-"` // nil: the system
}
