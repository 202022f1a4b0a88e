package kernel

import (
	"iter"
	"time"
)

// Date is a calendar day without a time zone. Dates can be compared with ==. The zero Date is not a valid day.
type Date struct {
	Year  int
	Month time.Month
	Day   int
}

// ParseDate parses a day in the form YYYY-MM-DD, from the year 1 on.
func ParseDate(s string) (Date, bool) {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil || t.Year() < 1 {
		return Date{}, false
	}
	return Date{t.Year(), t.Month(), t.Day()}, true
}

// DateOf returns the day of t in loc.
func DateOf(t time.Time, loc *time.Location) Date {
	year, month, day := t.In(loc).Date()
	return Date{year, month, day}
}

// String returns the day in the form YYYY-MM-DD.
func (d Date) String() string { return d.noon().Format(time.DateOnly) }

// Number returns the day as a number such as 20261114, for columns that are compared and ordered.
func (d Date) Number() int64 { return int64(d.Year)*10_000 + int64(d.Month)*100 + int64(d.Day) }

// DateNumbered is the inverse of Number.
func DateNumbered(n int64) Date {
	return Date{int(n / 10_000), time.Month(n / 100 % 100), int(n % 100)}
}

// StartOfDay returns the first instant of the day in loc. It is later than 00:00 if the clocks skip midnight, and
// the first midnight if there are two. A day that a country skipped altogether starts when the next one does.
func (d Date) StartOfDay(loc *time.Location) time.Time {
	midnight := time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, time.UTC)
	// Walk over the spans with the same offset, from a time that is too early in every zone. The day starts at
	// midnight of the span, or with the span if the clocks skipped midnight.
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

// Next returns the following day.
func (d Date) Next() Date { return d.AddDays(1) }

// AddDays returns the day n days later, or earlier if n is negative.
func (d Date) AddDays(n int) Date {
	return DateOf(d.noon().AddDate(0, 0, n), time.UTC)
}

// Before reports whether d comes before other.
func (d Date) Before(other Date) bool { return d.Compare(other) < 0 }

// Compare returns a negative number if d comes before other, a positive one if it comes after, and zero if they are equal.
func (d Date) Compare(other Date) int { return d.noon().Compare(other.noon()) }

// DaysUntil returns the number of days from d to other. It is negative if other comes first.
func (d Date) DaysUntil(other Date) int {
	return int(other.noon().Sub(d.noon()) / (24 * time.Hour))
}

// Through iterates over the days from d to last, both included.
func (d Date) Through(last Date) iter.Seq[Date] {
	return func(yield func(Date) bool) {
		for day := d; !last.Before(day) && yield(day); day = day.Next() {
		}
	}
}

func (d Date) noon() time.Time {
	return time.Date(d.Year, d.Month, d.Day, 12, 0, 0, 0, time.UTC)
}
