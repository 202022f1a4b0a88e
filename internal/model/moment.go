package model

import (
	"errors"
	"time"
)

var errMoment = errors.New("must be a moment such as 2026-11-14T23:56:54Z, with an upper-case T and Z or an offset (in a query its + is written %2B), or a day such as 2026-11-14")

// ParseMoment reads an RFC 3339 time, or a day YYYY-MM-DD that stands for its first moment in loc. It is
// strict: a leap second, an offset beyond 23:59, hour 24, lower-case letters, a decimal comma and more
// than nine decimals are refused. The result is in UTC.
func ParseMoment(s string, loc *time.Location) (time.Time, error) {
	if day, ok := ParseDate(s); ok {
		return day.StartOfDay(loc).UTC(), nil
	}
	const dateTime = len("2006-01-02T15:04:05")
	if len(s) <= dateTime {
		return time.Time{}, errMoment
	}
	day, ok := ParseDate(s[:10])
	clock, okClock := parseClock(s[11:dateTime])
	nanos, rest, okFraction := parseFraction(s[dateTime:])
	offset, okOffset := parseOffset(rest)
	if !ok || s[10] != 'T' || !okClock || !okFraction || !okOffset {
		return time.Time{}, errMoment
	}
	return time.Date(day.Year, day.Month, day.Day, 0, 0, clock-offset, nanos, time.UTC), nil
}

// parseClock gives the seconds since midnight of hh:mm:ss.
func parseClock(s string) (int, bool) {
	hours, ok1 := decimal(s[0:2])
	minutes, ok2 := decimal(s[3:5])
	seconds, ok3 := decimal(s[6:8])
	ok := ok1 && ok2 && ok3 && s[2] == ':' && s[5] == ':' && hours < 24 && minutes < 60 && seconds < 60
	return hours*3600 + minutes*60 + seconds, ok
}

// parseFraction reads ".123" at the start of s, if it is there.
func parseFraction(s string) (nanos int, rest string, ok bool) {
	if s[0] != '.' {
		return 0, s, true
	}
	digits := 0
	for s = s[1:]; digits < len(s) && s[digits] >= '0' && s[digits] <= '9'; digits++ {
		nanos = nanos*10 + int(s[digits]-'0')
		if digits == 9 {
			return 0, "", false
		}
	}
	for range 9 - digits {
		nanos *= 10
	}
	return nanos, s[digits:], digits > 0
}

// parseOffset gives the seconds east of Greenwich of "Z" or "+hh:mm".
func parseOffset(s string) (int, bool) {
	if s == "Z" {
		return 0, true
	}
	if len(s) != len("+00:00") || s[0] != '+' && s[0] != '-' {
		return 0, false
	}
	seconds, ok := parseClock(s[1:] + ":00")
	if s[0] == '-' {
		seconds = -seconds
	}
	return seconds, ok
}

// FormatTime gives the form in which the API writes times: UTC with milliseconds, 2026-11-14T23:56:54.123Z.
// What is finer than a millisecond is cut off.
func FormatTime(t time.Time) string { return string(AppendTime(make([]byte, 0, timeLength), t)) }

// AppendTime appends what FormatTime gives.
func AppendTime(b []byte, t time.Time) []byte { return AppendMillis(b, t.UnixMilli()) }

const (
	timeForm   = "2006-01-02T15:04:05.000Z"
	timeLength = len(timeForm)

	dayMillis     = 24 * 60 * 60 * 1000
	lastMilli     = 253402300799999 // of the year 9999
	daysOf400     = 146097          // four hundred years repeat exactly
	daysTo1970    = 719468          // from 0000-03-01
	daysOfYear    = 365
	daysOf4Years  = 4*daysOfYear + 1
	daysOf100Year = 25*daysOf4Years - 1
)

// AppendMillis appends the time that lies so many milliseconds after 1970, in the same form.
func AppendMillis(b []byte, millis int64) []byte {
	if millis < 0 || millis > lastMilli {
		return time.UnixMilli(millis).UTC().AppendFormat(b, timeForm)
	}
	year, month, day := civil(int(millis / dayMillis))
	ms := int(millis % dayMillis)
	s := ms / 1000
	b = append2(append2(b, year/100), year%100)
	b = append2(append(b, '-'), month)
	b = append2(append(b, '-'), day)
	b = append2(append(b, 'T'), s/3600)
	b = append2(append(b, ':'), s/60%60)
	b = append2(append(b, ':'), s%60)
	b = append(b, '.', byte('0'+ms%1000/100))
	return append(append2(b, ms%100), 'Z')
}

// civil finds the date that lies so many days after 1970-01-01. It counts years from the first of March,
// so that a leap day comes last and months have lengths that one line through the year describes.
func civil(days int) (year, month, day int) {
	days += daysTo1970
	era, rest := days/daysOf400, days%daysOf400
	inEra := (rest - rest/(daysOf4Years-1) + rest/daysOf100Year - rest/(daysOf400-1)) / daysOfYear
	inYear := rest - (daysOfYear*inEra + inEra/4 - inEra/100)
	fromMarch := (5*inYear + 2) / 153
	day = inYear - (153*fromMarch+2)/5 + 1
	year = era*400 + inEra
	if month = fromMarch + 3; month > 12 {
		month -= 12
		year++
	}
	return year, month, day
}

func append2(b []byte, n int) []byte { return append(b, byte('0'+n/10), byte('0'+n%10)) }
