package kernel

import (
	"errors"
	"fmt"
	"regexp"
	"sync"
	"time"
	_ "time/tzdata"
)

var errMoment = errors.New("kernel: malformed moment")

// ParseMoment parses an RFC 3339 time, or a day YYYY-MM-DD, which means its first instant in loc. It refuses
// leap seconds, offsets beyond 23:59, hour 24, lower-case letters, a decimal comma and more than nine
// decimals. The result is in UTC.
func ParseMoment(s string, loc *time.Location) (time.Time, error) {
	if day, ok := ParseDate(s); ok {
		return day.StartOfDay(loc).UTC(), nil
	}
	if !momentShape.MatchString(s) {
		return time.Time{}, errMoment
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil || t.Year() < 1 {
		return time.Time{}, errMoment
	}
	return t.UTC(), nil
}

// Future checks that a time in a request is in the future, and returns it in UTC with milliseconds. A time with an offset
// may be in the year 10000, which RFC 3339 cannot represent.
func Future(field string, at, now time.Time) (time.Time, *Error) {
	at = at.UTC().Truncate(time.Millisecond)
	switch {
	case !at.After(now):
		return at, InPast(field)
	case at.Year() > 9999:
		return at, Malformed(field, "year")
	}
	return at, nil
}

// momentShape is stricter than time.Parse, which accepts a comma, one-digit hours and invalid offsets.
var momentShape = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$`)

// Period parses the bounds of a list: RFC 3339 times, or days in the company's time zone.
func (a *Principal) Period(from, to string) (begin, end *time.Time, err error) {
	zone, invalid := LoadZone("timezone", a.Company.Timezone)
	if invalid != nil {
		return nil, nil, fmt.Errorf("company %s: %s", a.Company.ID, invalid.Message)
	}
	for _, bound := range []struct {
		field, text string
		to          **time.Time
	}{{"query.from", from, &begin}, {"query.to", to, &end}} {
		if bound.text == "" {
			continue
		}
		at, err := ParseMoment(bound.text, zone)
		if err != nil {
			return nil, nil, Malformed(bound.field, "moment")
		}
		*bound.to = &at
	}
	if begin != nil && end != nil && begin.After(*end) {
		return nil, nil, Invalid("query.from", RuleWrongOrder, "must not be after to")
	}
	return begin, end, nil
}

// LoadZone returns the time zone with an IANA name.
func LoadZone(field, name string) (*time.Location, *Error) {
	if loc, ok := zones.Load(name); ok {
		return loc.(*time.Location), nil
	}
	if len(name) <= 64 && zoneForm.MatchString(name) && !zoneExcluded.MatchString(name) {
		if loc, err := time.LoadLocation(name); err == nil {
			zones.Store(name, loc)
			return loc, nil
		}
	}
	return nil, Invalid(field, RuleMalformed,
		"there is no time zone "+Quoted(name)+"; give an IANA name such as America/Sao_Paulo.", Params{"format": "time_zone"})
}

// zones caches time zones, because loading one is slower than most requests.
var zones sync.Map

var (
	zoneForm = regexp.MustCompile(`^[A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+)*$`)
	// zoneExcluded matches names whose meaning depends on the machine.
	zoneExcluded = regexp.MustCompile(`^(Local|localtime|posixrules|Factory|(posix|right)/.*)$`)
)
