// Package hours decides when opening hours are open: weekly periods, exceptions on dates, time zones and daylight saving.
package hours

import (
	"slices"
	"time"

	"recado/internal/model"
)

// horizon is how many days a schedule looks ahead: 29 February comes again after eight years at most.
const horizon = 9 * 366

// Schedule is opening hours in a form that answers questions. Its methods may be called at the same time.
type Schedule struct {
	zone   *time.Location
	weekly [7][]span       // by time.Weekday
	dated  map[date][]span // nil: closed
	yearly map[date][]span // the year is 0
}

// span is a time of the day in minutes, without its end.
type span struct{ from, to int }

// date is a day of the calendar.
type date struct {
	year  int
	month time.Month
	day   int
}

func dateOf(t time.Time) date {
	y, m, d := t.Date()
	return date{y, m, d}
}

// plus gives the date some days later.
func (d date) plus(days int) date {
	return dateOf(time.Date(d.year, d.month, d.day+days, 12, 0, 0, 0, time.UTC))
}

func (d date) weekday() time.Weekday {
	return time.Date(d.year, d.month, d.day, 12, 0, 0, 0, time.UTC).Weekday()
}

// Read gives the schedule of opening hours. An error names the field below prefix, such as "body.".
func Read(prefix string, h *model.Hours) (*Schedule, *model.Error) {
	zone, invalid := model.LoadZone(prefix+"timezone", h.Timezone)
	if invalid != nil {
		return nil, invalid
	}
	s := &Schedule{zone: zone, dated: map[date][]span{}, yearly: map[date][]span{}}
	if invalid := s.readWeekly(prefix+"weekly", h.Weekly); invalid != nil {
		return nil, invalid
	}
	if invalid := s.readExceptions(prefix+"exceptions", h.Exceptions); invalid != nil {
		return nil, invalid
	}
	return s, nil
}

// spansOn gives the spans of a date: those of the date itself, of that day of every year, or of the day of the week.
func (s *Schedule) spansOn(d date) []span {
	if spans, found := s.dated[d]; found {
		return spans
	}
	if spans, found := s.yearly[date{0, d.month, d.day}]; found {
		return spans
	}
	return s.weekly[d.weekday()]
}

// stretch is a time during which the hours are open, without its end.
type stretch struct{ from, to time.Time }

// stretches gives the open times of a date. A time that the clocks skip is the moment at which they are put forward; of a
// time that they show twice a period begins at the first and ends at the second.
func (s *Schedule) stretches(d date) []stretch {
	spans := s.spansOn(d)
	out := make([]stretch, 0, len(spans))
	for _, p := range spans {
		from, _ := s.instants(d, p.from)
		_, to := s.instants(d, p.to)
		if from.Before(to) {
			out = append(out, stretch{from, to})
		}
	}
	return out
}

// instants gives the first and the last moment at which clocks show a minute of a date. Both are the moment at which the
// clocks are put forward where they skip it.
func (s *Schedule) instants(d date, minute int) (first, last time.Time) {
	shown := time.Date(d.year, d.month, d.day, 0, minute, 0, 0, time.UTC)
	early, late := shown.Add(-26*time.Hour), shown.Add(26*time.Hour)
	before, after := s.offset(early), s.offset(late)
	a, b := shown.Add(-before), shown.Add(-after)
	aShows, bShows := s.offset(a) == before, s.offset(b) == after
	switch {
	case aShows && bShows && b.Before(a):
		return b, a
	case aShows && bShows:
		return a, b
	case aShows:
		return a, a
	case bShows:
		return b, b
	}
	for late.Sub(early) > time.Second { // the clocks are put forward between the two
		middle := early.Add(late.Sub(early) / 2)
		if s.offset(middle) == before {
			early = middle
		} else {
			late = middle
		}
	}
	moment := late.Truncate(time.Second)
	return moment, moment
}

func (s *Schedule) offset(at time.Time) time.Duration {
	_, seconds := at.In(s.zone).Zone()
	return time.Duration(seconds) * time.Second
}

// Open reports whether the hours are open at a time.
func (s *Schedule) Open(at time.Time) bool {
	today := dateOf(at.In(s.zone))
	for day := -1; day <= 1; day++ { // clocks that are put back at midnight show a date again
		for _, open := range s.stretches(today.plus(day)) {
			if !at.Before(open.from) && at.Before(open.to) {
				return true
			}
		}
	}
	return false
}

// Status says whether the hours are open at a time, and when that changes.
func (s *Schedule) Status(at time.Time) model.HoursStatus {
	if s.Open(at) {
		return model.HoursStatus{Open: true, ClosesAt: s.closesAt(at)}
	}
	return model.HoursStatus{NextOpenAt: s.NextOpenAt(at)}
}

// closesAt is when hours that are open at a time close. Periods that touch are one.
func (s *Schedule) closesAt(at time.Time) *time.Time {
	first := dateOf(at.In(s.zone)).plus(-1)
	end := at
	for day := range horizon {
		open := s.stretches(first.plus(day))
		slices.SortFunc(open, func(a, b stretch) int { return a.from.Compare(b.from) })
		for _, o := range open {
			switch {
			case !o.to.After(end):
			case !o.from.After(end):
				end = o.to
			default:
				return moment(end)
			}
		}
		if day > 1 && len(open) == 0 {
			return moment(end)
		}
	}
	return nil
}

// NextOpenAt is the first time after at when the hours begin to be open; nil where there is none within nine years.
func (s *Schedule) NextOpenAt(at time.Time) *time.Time {
	first := dateOf(at.In(s.zone)).plus(-1)
	for day := range horizon {
		var next *time.Time
		for _, o := range s.stretches(first.plus(day)) {
			if o.from.After(at) && (next == nil || o.from.Before(*next)) && !s.Open(o.from.Add(-time.Millisecond)) {
				next = moment(o.from)
			}
		}
		if next != nil {
			return next
		}
	}
	return nil
}

func moment(at time.Time) *time.Time {
	at = at.UTC()
	return &at
}
