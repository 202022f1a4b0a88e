// Package distribution decides who of a sector gets the next case. It stores nothing.
package distribution

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"recado/internal/model"
)

// Member is a person who may get cases.
type Member struct {
	User       model.Ref
	Presence   string
	Open       int64 // cases, over all sectors
	Capacity   int64
	ReceivedAt *time.Time // by distribution; nil: never
	Turn       *int64     // grows with every case that distribution gives to a member of the company; nil: never
}

// The reasons why a member gets the next case, or does not.
const (
	ReasonNext      = "next"
	ReasonAvailable = "available"
	ReasonFull      = "full"
)

// Available reports whether a member can get a case.
func (m *Member) Available() bool { return m.Presence == model.PresenceOnline && m.Open < m.Capacity }

// Reason says why a member gets no case, or that they may.
func (m *Member) Reason() string {
	switch {
	case m.Presence != model.PresenceOnline:
		return m.Presence
	case m.Open >= m.Capacity:
		return ReasonFull
	}
	return ReasonAvailable
}

// Order sorts members by who gets a case first: those who can before those who cannot, then by the mode, and among equals who
// has waited longest.
func Order(mode string, members []Member) {
	slices.SortFunc(members, func(a, b Member) int {
		if a.Available() != b.Available() {
			if a.Available() {
				return -1
			}
			return 1
		}
		if mode == model.DistributeLeastBusy && a.Open != b.Open {
			return cmp.Compare(a.Open, b.Open)
		}
		return cmp.Or(compareTurns(a.Turn, b.Turn), bytes.Compare(a.User.ID[:], b.User.ID[:]))
	})
}

// compareTurns puts never first.
func compareTurns(a, b *int64) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	}
	return cmp.Compare(*a, *b)
}

// Choose gives the member who gets a case, of members in their order: last, who had the customer's case before, where that is
// preferred and they can, else the first who can. not, who let the case go back, does not get it; both may be nil.
func Choose(preferLast bool, ordered []Member, last, not *model.ID) *Member {
	var chosen *Member
	for i := range ordered {
		m := &ordered[i]
		if !m.Available() || not != nil && m.User.ID == *not {
			continue
		}
		if preferLast && last != nil && m.User.ID == *last {
			return m
		}
		if chosen == nil {
			chosen = m
		}
	}
	return chosen
}
