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
