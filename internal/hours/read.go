package hours

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"recado/internal/model"
)

var weekdays = map[string]time.Weekday{
	"mon": time.Monday, "tue": time.Tuesday, "wed": time.Wednesday, "thu": time.Thursday, "fri": time.Friday, "sat": time.Saturday, "sun": time.Sunday,
}

func (s *Schedule) readWeekly(field string, weekly []model.WeeklyPeriod) *model.Error {
	if len(weekly) > model.MaxHoursPeriods {
		return model.Invalid(field, fmt.Sprintf("must have at most %d periods", model.MaxHoursPeriods))
	}
	for i, p := range weekly {
		at := fmt.Sprintf("%s[%d]", field, i)
		period, invalid := readSpan(at, p.From, p.To)
		if invalid != nil {
			return invalid
		}
		if len(p.Days) == 0 {
			return model.Invalid(at+".days", "must have at least one day")
		}
		for k, name := range p.Days {
			day, known := weekdays[name]
			if !known {
				return model.Invalid(fmt.Sprintf("%s.days[%d]", at, k), "must be one of mon, tue, wed, thu, fri, sat, sun")
			}
			if overlaps(s.weekly[day], period) {
				return model.Invalid(at, "overlaps another period on "+name)
			}
			s.weekly[day] = append(s.weekly[day], period)
		}
	}
	return nil
}

func (s *Schedule) readExceptions(field string, exceptions []model.HoursException) *model.Error {
	if len(exceptions) > model.MaxHoursExceptions {
		return model.Invalid(field, fmt.Sprintf("must have at most %d exceptions", model.MaxHoursExceptions))
	}
	for i, e := range exceptions {
		at := fmt.Sprintf("%s[%d]", field, i)
		day, ok := readDate(e.Date)
		if !ok {
			return model.Invalid(at+".date", "must be a date such as 2026-12-24, or --12-25 for every year")
		}
		spans, invalid := readPeriods(at, &e)
		if invalid != nil {
			return invalid
		}
		days := s.dated
		if day.year == 0 {
			days = s.yearly
		}
		if _, twice := days[day]; twice {
			return model.Invalid(at+".date", "another exception has the same date")
		}
		days[day] = spans
	}
	return nil
}

// readPeriods gives the spans of an exception; none where it is closed.
func readPeriods(field string, e *model.HoursException) ([]span, *model.Error) {
	switch {
	case e.Closed && len(e.Periods) > 0:
		return nil, model.Invalid(field+".periods", "must be empty when closed is true")
	case !e.Closed && len(e.Periods) == 0:
		return nil, model.Invalid(field, "must have closed: true or periods")
	case len(e.Periods) > model.MaxHoursPeriods:
		return nil, model.Invalid(field+".periods", fmt.Sprintf("must have at most %d periods", model.MaxHoursPeriods))
	}
	var spans []span
	for k, p := range e.Periods {
		at := fmt.Sprintf("%s.periods[%d]", field, k)
		period, invalid := readSpan(at, p.From, p.To)
		if invalid != nil {
			return nil, invalid
		}
		if overlaps(spans, period) {
			return nil, model.Invalid(at, "overlaps another period of the same day")
		}
		spans = append(spans, period)
	}
	return spans, nil
}

func overlaps(spans []span, p span) bool {
	return slices.ContainsFunc(spans, func(o span) bool { return p.from < o.to && o.from < p.to })
}

func readSpan(field, from, to string) (span, *model.Error) {
	const form = "must be a time such as 08:00"
	begin, ok := readClock(from)
	if !ok || begin == endOfDay {
		return span{}, model.Invalid(field+".from", form)
	}
	end, ok := readClock(to)
	if !ok {
		return span{}, model.Invalid(field+".to", form+", 24:00 at the latest")
	}
	if begin >= end {
		return span{}, model.Invalid(field+".to", "must be later than from; write a period over midnight as two")
	}
	return span{begin, end}, nil
}

// endOfDay is 24:00 in minutes.
const endOfDay = 24 * 60

// readClock reads HH:MM as minutes, up to 24:00.
func readClock(s string) (int, bool) {
	if len(s) != 5 || s[2] != ':' {
		return 0, false
	}
	hour, ok := digits(s[:2])
	minute, ok2 := digits(s[3:])
	at := hour*60 + minute
	return at, ok && ok2 && minute < 60 && at <= endOfDay
}

// readDate reads YYYY-MM-DD, or --MM-DD as a date of the year 0.
func readDate(s string) (date, bool) {
	text := s
	if len(s) == 7 && s[:2] == "--" {
		text = "2000-" + s[2:] // a leap year
	}
	at, err := time.Parse(time.DateOnly, text)
	if err != nil || len(text) != len(time.DateOnly) || at.Year() < 1 {
		return date{}, false
	}
	d := dateOf(at)
	if text != s {
		d.year = 0
	}
	return d, true
}

// digits reads a number without a sign.
func digits(s string) (int, bool) {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
	}
	n, err := strconv.Atoi(s)
	return n, err == nil
}
