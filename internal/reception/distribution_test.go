package reception

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"recado/internal/kernel"
	"recado/internal/people"
)

// member returns a member who has received a case, unless turn is 0.
func member(name, presence string, open, capacity, turn int64) Member {
	m := Member{DistributionMember: DistributionMember{
		User: kernel.Ref{ID: kernel.NewID(), Name: name}, Presence: presence, OpenAttendances: open, Capacity: capacity,
	}}
	if turn > 0 {
		m.Turn = &turn
	}
	return m
}

func TestDistributionChoosesTheNextMember(t *testing.T) {
	ana, bia, caio := member("Ana", "online", 3, 10, 10), member("Bia", "online", 1, 10, 20), member("Caio", "online", 2, 10, 0)
	away, full := member("Away", "away", 0, 10, 0), member("Full", "online", 10, 10, 0)
	cases := []struct {
		name      string
		mode      string
		members   []Member
		last, not *Member
		want      string
	}{
		{"who has waited longest", people.DistributeRoundRobin, []Member{ana, bia}, nil, nil, "Ana"},
		{"who never got one", people.DistributeRoundRobin, []Member{ana, bia, caio}, nil, nil, "Caio"},
		{"the least busy", people.DistributeLeastBusy, []Member{ana, bia, caio}, nil, nil, "Bia"},
		{"equally busy: who has waited longest", people.DistributeLeastBusy, []Member{member("Eva", "online", 1, 10, 25), bia, member("Leo", "online", 1, 10, 15)}, nil, nil, "Leo"},
		{"none who is away or full", people.DistributeRoundRobin, []Member{away, full, ana}, nil, nil, "Ana"},
		{"no member at all", people.DistributeRoundRobin, []Member{away, full}, nil, nil, ""},
		{"the last one before others", people.DistributeRoundRobin, []Member{ana, bia, caio}, &bia, nil, "Bia"},
		{"the last one is full", people.DistributeRoundRobin, []Member{ana, full}, &full, nil, "Ana"},
		{"not the one who let it go back", people.DistributeRoundRobin, []Member{ana, bia}, &ana, &ana, "Bia"},
		{"only the one who let it go back", people.DistributeRoundRobin, []Member{ana}, nil, &ana, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			id := func(m *Member) *kernel.ID {
				if m == nil {
					return nil
				}
				return &m.User.ID
			}
			Order(c.mode, c.members)
			got := ""
			if m := Choose(true, c.members, id(c.last), id(c.not)); m != nil {
				got = m.User.Name
			}
			if got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestNoMemberGetsMoreThanTheirCapacityAndRoundsAreEven(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mode := rapid.SampledFrom([]string{people.DistributeRoundRobin, people.DistributeLeastBusy}).Draw(t, "mode")
		n := rapid.IntRange(1, 8).Draw(t, "members")
		members := make([]Member, n)
		for i := range members {
			members[i] = member("m", "online", 0, rapid.Int64Range(5, 20).Draw(t, "capacity"), 0)
		}
		for turn := range rapid.Int64Range(0, 5*int64(n)).Draw(t, "cases") {
			Order(mode, members)
			m := Choose(false, members, nil, nil)
			if m == nil {
				t.Fatal("no member, though all have room")
			}
			m.OpenAttendances, m.Turn = m.OpenAttendances+1, &turn
		}
		least, most := members[0].OpenAttendances, members[0].OpenAttendances
		for i := range members {
			least, most = min(least, members[i].OpenAttendances), max(most, members[i].OpenAttendances)
			if members[i].OpenAttendances > members[i].Capacity {
				t.Fatalf("%d cases with a capacity of %d", members[i].OpenAttendances, members[i].Capacity)
			}
		}
		if most-least > 1 {
			t.Fatalf("one has %d cases, another %d", most, least)
		}
	})
}

// Members come and go equally often and have capacity for all cases.
func TestMembersWhoAreOnlineEquallyOftenGetTheSameNumberOfCases(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := 2 * rapid.IntRange(1, 10).Draw(t, "half of the members")
		members := make([]Member, n)
		for i := range members {
			members[i] = member("m", "online", 0, 1_000, 0)
		}
		received, turn := map[kernel.ID]int{}, int64(0)
		for range rapid.IntRange(1, 10).Draw(t, "days") {
			order := rapid.Permutation(members).Draw(t, "shifts")
			for _, away := range [][]Member{order[:n/2], order[n/2:]} {
				shift := slices.Clone(members)
				for i := range shift {
					if slices.ContainsFunc(away, func(m Member) bool { return m.User.ID == shift[i].User.ID }) {
						shift[i].Presence = people.PresenceAway
					}
				}
				for range 3 * n / 2 {
					Order(people.DistributeRoundRobin, shift)
					m := Choose(false, shift, nil, nil)
					turn++
					at := turn
					m.Turn = &at
					received[m.User.ID]++
				}
				for _, worked := range shift {
					i := slices.IndexFunc(members, func(m Member) bool { return m.User.ID == worked.User.ID })
					members[i].Turn = worked.Turn
				}
			}
		}
		for _, m := range members {
			if got := received[m.User.ID]; got != received[members[0].User.ID] {
				t.Fatalf("one got %d cases, another %d", got, received[members[0].User.ID])
			}
		}
	})
}
