package agree

import (
	"math"
	"slices"
	"time"

	"recado/internal/kernel"
	"recado/internal/reports"
)

// pile holds the individual durations behind one row of a report.
type pile struct {
	opened, closed    int64
	answers, closings []int64
}

func (p *pile) figures() reports.Figures {
	return reports.Figures{Opened: p.opened, Closed: p.closed, FirstResponse: times(p.answers), Resolution: times(p.closings)}
}

func times(seconds []int64) reports.Times {
	if len(seconds) == 0 {
		return reports.Times{}
	}
	slices.Sort(seconds)
	var sum int64
	for _, s := range seconds {
		sum += s
	}
	nearest := func(tenths int) *float64 { return new(float64(seconds[(len(seconds)*tenths+9)/10-1])) }
	return reports.Times{
		Count: int64(len(seconds)), AverageSeconds: new(float64(sum) / float64(len(seconds))),
		MedianSeconds: nearest(5), P90Seconds: nearest(9),
	}
}

// sameTimes compares figures exactly, except percentiles, which may differ by the documented error.
func sameTimes(want, got reports.Times) bool {
	return want.Count == got.Count && within(want.AverageSeconds, got.AverageSeconds, 0) &&
		within(want.MedianSeconds, got.MedianSeconds, 0.01) && within(want.P90Seconds, got.P90Seconds, 0.01)
}

func within(want, got *float64, tolerance float64) bool {
	if want == nil || got == nil {
		return want == got
	}
	return *want == *got || *want > 100 && math.Abs(*want-*got) <= tolerance**want
}

// report computes the figures for a range of days, limited to a person or sector if given.
func (l *ledger) report(from, to time.Time, user, sector *kernel.ID) (total pile, people, sectors map[kernel.ID]*pile, days map[string]*pile) {
	people, sectors, days = map[kernel.ID]*pile{}, map[kernel.ID]*pile{}, map[string]*pile{}
	first, last := from.In(l.zone).Format(time.DateOnly), to.In(l.zone).Format(time.DateOnly)
	for _, a := range l.cases {
		member, place := kernel.MaxID, kernel.MaxID
		if a.Responsible != nil {
			member = a.Responsible.ID
		}
		if a.Sector != nil {
			place = *a.Sector
		}
		if a.Private || user != nil && *user != member || sector != nil && *sector != place {
			continue
		}
		count := func(at *time.Time, note func(p *pile)) {
			if at == nil {
				return
			}
			day := at.In(l.zone).Format(time.DateOnly)
			if day < first || day > last {
				return
			}
			for _, p := range []*pile{&total, pileOf(people, member), pileOf(sectors, place), pileOf(days, day)} {
				note(p)
			}
		}
		count(&a.OpenedAt, func(p *pile) { p.opened++ })
		count(a.FirstResponseAt, func(p *pile) { p.answers = append(p.answers, seconds(a.OpenedAt, *a.FirstResponseAt)) })
		count(a.ClosedAt, func(p *pile) {
			p.closed++
			p.closings = append(p.closings, seconds(a.OpenedAt, *a.ClosedAt))
		})
	}
	return total, people, sectors, days
}

func pileOf[K comparable](piles map[K]*pile, key K) *pile {
	if piles[key] == nil {
		piles[key] = new(pile)
	}
	return piles[key]
}

func seconds(from, to time.Time) int64 { return (to.UnixMilli() - from.UnixMilli()) / 1000 }
