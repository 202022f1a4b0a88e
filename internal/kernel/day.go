package kernel

import (
	"iter"
	"time"
)

// Date is a calendar day, with no time zone of its own. Dates are equal when they are ==, and the zero
// Date is no day.
type Date struct {
	Year  int
	Month time.Month
	Day   int
}

// ParseDate reads exactly YYYY-MM-DD, a day that exists, from the year 1 on.
func ParseDate(s string) (Date, bool) {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil || t.Year() < 1 {
		return Date{}, false
	}
	return Date{t.Year(), t.Month(), t.Day()}, true
}

// DateOf is the day that calendars in loc show at t.
func DateOf(t time.Time, loc *time.Location) Date {
	year, month, day := t.In(loc).Date()
	return Date{year, month, day}
}

// String gives YYYY-MM-DD.
func (d Date) String() string {
	return d.noon().Format(time.DateOnly)
}

// Number gives the digits of String as a number, 20261114, for columns that are compared and ordered.
func (d Date) Number() int64 { return int64(d.Year)*10_000 + int64(d.Month)*100 + int64(d.Day) }

// DateNumbered is the day that Number gave.
func DateNumbered(n int64) Date {
	return Date{int(n / 10_000), time.Month(n / 100 % 100), int(n % 100)}
}

// StartOfDay is the first moment at which calendars in loc show this day. Where the clocks skip midnight
// that is later than 00:00, and where they show it twice it is the first time. A day that a country
// skipped altogether starts when the following one does. So a day lasts from its start to the start of
// the next, 23 or 25 hours where the clocks change.
func (d Date) StartOfDay(loc *time.Location) time.Time {
	midnight := time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, time.UTC)
	// Walk over the spans of equal offset, from a moment that is too early anywhere. In each the day starts
	// at its midnight, or with the span if the clocks jumped over that.
	span := midnight.Add(-48 * time.Hour).In(loc)
	for {
		_, offset := span.Zone()
		start := midnight.Add(-time.Duration(offset) * time.Second).In(loc)
		if start.Before(span) {
			start = span
		}
		_, end := span.ZoneBounds()
		if end.IsZero() || start.Before(end) {
			return start
		}
		span = end
	}
}

// Next is the following day.
func (d Date) Next() Date { return d.AddDays(1) }

// AddDays counts n days on, or back.
func (d Date) AddDays(n int) Date {
	year, month, day := time.Date(d.Year, d.Month, d.Day+n, 12, 0, 0, 0, time.UTC).Date()
	return Date{year, month, day}
}

// Before reports whether d comes before other.
func (d Date) Before(other Date) bool { return d.Compare(other) < 0 }

// Compare is negative when d comes before other, positive when it comes after.
func (d Date) Compare(other Date) int { return d.noon().Compare(other.noon()) }

// DaysUntil counts the steps from d to other; it is negative when other comes first.
func (d Date) DaysUntil(other Date) int {
	return int(other.noon().Sub(d.noon()) / (24 * time.Hour))
}

// Through runs over the days from d to last, both included; over none when last comes first.
func (d Date) Through(last Date) iter.Seq[Date] {
	return func(yield func(Date) bool) {
		for day := d; !last.Before(day) && yield(day); day = day.Next() {
		}
	}
}

func (d Date) noon() time.Time {
	return time.Date(d.Year, d.Month, d.Day, 12, 0, 0, 0, time.UTC)
}
