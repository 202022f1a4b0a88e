package model

import "time"

// Role is what a team member may manage.
type Role string

// Roles, from the most to the least powerful.
const (
	RoleOwner   Role = "owner"
	RoleAdmin   Role = "admin"
	RoleManager Role = "manager"
	RoleAgent   Role = "agent"
)

// AtLeast reports whether r is as powerful as other, or more.
func (r Role) AtLeast(other Role) bool { return r.rank() >= other.rank() }

func (r Role) rank() int {
	switch r {
	case RoleOwner:
		return 4
	case RoleAdmin:
		return 3
	case RoleManager:
		return 2
	case RoleAgent:
		return 1
	}
	return 0
}

// AccessProfile says which conversations a member, and a key that acts as that member, may see.
type AccessProfile string

// The three access profiles: everything; the member's sectors and what is assigned to them; only
// what is assigned to them.
const (
	AccessAll     AccessProfile = "all"
	AccessSectors AccessProfile = "sectors"
	AccessOwn     AccessProfile = "own"
)

// How present a team member is.
const (
	PresenceOnline  = "online"
	PresenceAway    = "away"
	PresenceOffline = "offline"
)

// Member is one person of the team.
type Member struct {
	ID            ID            `json:"id"`
	Name          string        `json:"name"`
	Email         string        `json:"email"`
	Role          Role          `json:"role" enum:"owner,admin,manager,agent"`
	AccessProfile AccessProfile `json:"access_profile" enum:"all,sectors,own"`
	Presence      string        `json:"presence" enum:"online,away,offline"`
	Sectors       []Ref         `json:"sectors"`

	OpenAttendances int64 `json:"open_attendances" doc:"Open attendances for which the person is responsible."`

	Capacity *int64 `json:"capacity" doc:"How many open attendances distribution gives the person at most, over all sectors; null: as the sector says."`
}

// Sector is a department with its people and its queues.
type Sector struct {
	ID      ID      `json:"id"`
	Name    string  `json:"name"`
	Members []Ref   `json:"members"`
	Queues  []Queue `json:"queues"`

	HoursID *ID `json:"hours_id" doc:"Its own opening hours; null: those of the channel, or of the company."`

	Distribution Distribution `json:"distribution"`
}

// Queue is, per WhatsApp number, the open attendances of a sector without a responsible person.
type Queue struct {
	Channel         ID         `json:"channel"`
	Waiting         int64      `json:"waiting"`
	OldestWaitingAt *time.Time `json:"oldest_waiting_at"`
}
