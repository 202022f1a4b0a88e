package model

import "time"

// The modes of a sector's distribution.
const (
	DistributeManual     = "manual"
	DistributeRoundRobin = "round_robin"
	DistributeLeastBusy  = "least_busy"
)

// Distribution says how the waiting cases of a sector get a responsible person.
type Distribution struct {
	Mode               string `json:"mode" enum:"manual,round_robin,least_busy" doc:"round_robin: the person who has waited longest for a case. least_busy: the person with the fewest open cases."`
	Capacity           int64  `json:"capacity" minimum:"1" maximum:"100" doc:"How many open cases a member may have, over all sectors; members may have a capacity of their own."`
	PreferLast         bool   `json:"prefer_last" doc:"The person who had the last case of the same conversation gets the next one, where they can."`
	ReturnAfterMinutes *int64 `json:"return_after_minutes" doc:"A case that was distributed and is not answered for so long goes back to the queue, and next to another person; null: never."`
}

// DefaultDistribution is that of a new sector.
var DefaultDistribution = Distribution{Mode: DistributeManual, Capacity: DefaultCapacity}

// The limits of distribution.
const (
	DefaultCapacity = 10
	MaxCapacity     = 100
	MaxReturnAfter  = 24 * 60 // minutes
)

// DistributionStatus says who gets the next case of a sector, and why.
type DistributionStatus struct {
	Sector          Ref                  `json:"sector"`
	Distribution    Distribution         `json:"distribution"`
	Open            bool                 `json:"open" doc:"Whether it is within the opening hours of the sector. Where it has none, those of a channel with cases in the queue count, and without any those of the company."`
	Waiting         int64                `json:"waiting" doc:"Cases in the queue."`
	OldestWaitingAt *time.Time           `json:"oldest_waiting_at"`
	Next            *Ref                 `json:"next" doc:"Who gets the next case of a customer without a case before; null: no person can."`
	Members         []DistributionMember `json:"members" doc:"In the order in which they get cases; those who get none come last."`
}

// DistributionMember is a member of a sector as distribution sees them.
type DistributionMember struct {
	User            Ref        `json:"user"`
	Presence        string     `json:"presence" enum:"online,away,offline"`
	OpenAttendances int64      `json:"open_attendances"`
	Capacity        int64      `json:"capacity" doc:"Their own, or that of the sector."`
	ReceivedAt      *time.Time `json:"received_at" doc:"When they last got a case by distribution."`
	Reason          string     `json:"reason" enum:"next,available,away,offline,full" doc:"next: gets the next case. available: comes later. away, offline: only people who are online get cases. full: has as many cases as the capacity."`
}
