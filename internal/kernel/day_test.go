package kernel

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	loc, err := LoadZone("tz", name)
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

func date(t testing.TB, s string) Date {
	t.Helper()
	d, ok := ParseDate(s)
	if !ok {
		t.Fatalf("%q is no day", s)
	}
	return d
}

func TestParseDate(t *testing.T) {
	for _, s := range []string{"2026-11-14", "2024-02-29", "2000-02-29", "0001-01-01", "9999-12-31", "2026-12-31"} {
		if d, ok := ParseDate(s); !ok || d.String() != s {
			t.Errorf("%q gives %v, %v", s, d, ok)
		}
	}
	for _, s := range []string{
		"", "2026-02-30", "2026-02-29", "1900-02-29", "2026-13-01", "2026-00-10", "2026-01-00", "2026-01-32", "2026-04-31", "0000-01-01",
		"2026-1-1", "26-01-01", "2026/01/01", "20260101", "2026-01-01 ", " 2026-01-01", "2026-01-01T00:00:00Z", "+026-01-01", "-026-01-01",
		"2026-01-0x", "2026-01--1", "２026-01-01", "2026-01-1\x00",
	} {
		if d, ok := ParseDate(s); ok {
			t.Errorf("%q was read as %v", s, d)
		}
	}
}

func TestStartOfDay(t *testing.T) {
	tests := []struct {
		name, zone, day, start string
		hours                  float64
	}{
		{"an ordinary day", "America/Sao_Paulo", "2026-11-14", "2026-11-14T00:00:00-03:00", 24},
		{"UTC", "UTC", "2026-11-14", "2026-11-14T00:00:00Z", 24},
		{"midnight skipped", "America/Sao_Paulo", "2018-11-04", "2018-11-04T01:00:00-02:00", 23},
		{"the day before it", "America/Sao_Paulo", "2018-11-03", "2018-11-03T00:00:00-03:00", 24},
		{"the last hour twice", "America/Sao_Paulo", "2019-02-16", "2019-02-16T00:00:00-02:00", 25},
		{"the day after it", "America/Sao_Paulo", "2019-02-17", "2019-02-17T00:00:00-03:00", 24},
		{"midnight twice", "America/Havana", "2025-11-02", "2025-11-02T00:00:00-04:00", 25},
		{"midnight skipped in Havana", "America/Havana", "2025-03-09", "2025-03-09T01:00:00-04:00", 23},
		{"midnight skipped in Beirut", "Asia/Beirut", "2022-03-27", "2022-03-27T01:00:00+03:00", 23},
		{"a gap in the morning", "America/New_York", "2026-03-08", "2026-03-08T00:00:00-05:00", 23},
		{"an hour twice in the morning", "America/New_York", "2026-11-01", "2026-11-01T00:00:00-04:00", 25},
		{"a change of half an hour", "Australia/Lord_Howe", "2026-04-05", "2026-04-05T00:00:00+11:00", 24.5},
		{"a day that did not happen", "Pacific/Apia", "2011-12-30", "2011-12-31T00:00:00+14:00", 0},
		{"the day before it", "Pacific/Apia", "2011-12-29", "2011-12-29T00:00:00-10:00", 24},
		{"far east", "Pacific/Kiritimati", "2026-01-01", "2026-01-01T00:00:00+14:00", 24},
		{"far west", "Etc/GMT+12", "2026-01-01", "2026-01-01T00:00:00-12:00", 24},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			loc, day := zone(t, tt.zone), date(t, tt.day)
			start := day.StartOfDay(loc)
			if got := start.Format(time.RFC3339); got != tt.start {
				t.Errorf("starts %s, want %s", got, tt.start)
			}
			if got := day.Next().StartOfDay(loc).Sub(start).Hours(); got != tt.hours {
				t.Errorf("%v hours, want %v", got, tt.hours)
			}
		})
	}
}

func TestDaysOfAZoneFollowEachOther(t *testing.T) {
	for _, name := range []string{"America/Sao_Paulo", "America/Havana", "Pacific/Apia", "Africa/Casablanca", "America/St_Johns", "Asia/Gaza", "Europe/London"} {
		loc := zone(t, name)
		last := time.Time{}
		for day := range date(t, "1990-01-01").Through(date(t, "2030-12-31")) {
			start := day.StartOfDay(loc)
			if start.Before(last) || DateOf(start, loc).Before(day) {
				t.Fatalf("%s: %v starts %v", name, day, start)
			}
			if before := DateOf(start.Add(-time.Nanosecond), loc); !before.Before(day) {
				t.Fatalf("%s: a moment before the start of %v it is %v", name, day, before)
			}
			last = start
		}
	}
}

func TestDate(t *testing.T) {
	d := date(t, "2024-02-28")
	if got := d.AddDays(2).String(); got != "2024-03-01" {
		t.Errorf("two days later is %s", got)
	}
	if got := d.AddDays(-59).String(); got != "2023-12-31" {
		t.Errorf("59 days earlier is %s", got)
	}
	if got := d.DaysUntil(date(t, "2025-02-28")); got != 366 {
		t.Errorf("%d days to the next year's", got)
	}
	if d.Next().DaysUntil(d) != -1 || !d.Before(d.Next()) || d.Before(d) || d.Compare(d) != 0 {
		t.Error("the order of days is wrong")
	}
	if got := fmt.Sprint(slices.Collect(d.Through(d.AddDays(2)))); got != "[2024-02-28 2024-02-29 2024-03-01]" {
		t.Errorf("the days are %s", got)
	}
	if got := slices.Collect(d.Through(d.AddDays(-1))); len(got) != 0 {
		t.Errorf("backwards there are %v", got)
	}
	moment := time.Date(2026, 1, 1, 2, 0, 0, 0, time.UTC)
	if got := DateOf(moment, zone(t, "America/Sao_Paulo")).String(); got != "2025-12-31" {
		t.Errorf("in São Paulo it is %s", got)
	}
}

func TestLoadZone(t *testing.T) {
	for _, name := range []string{"UTC", "America/Sao_Paulo", "America/Argentina/Buenos_Aires", "Etc/GMT+3", "America/Port-au-Prince", "Asia/Kolkata"} {
		for range 2 {
			if loc, err := LoadZone("query.tz", name); err != nil || loc.String() != name {
				t.Errorf("%q gives %v, %v", name, loc, err)
			}
		}
	}
	for _, name := range []string{
		"", "Local", "localtime", "posixrules", "Factory", "../etc/passwd", "America/../UTC", "/etc/localtime", "America", "America/", "America//Sao_Paulo",
		"right/UTC", "posix/UTC", "Mars/Olympus", "-03:00", "UTC\x00", "América/São_Paulo", "America/Sao Paulo", `America\Sao_Paulo`, "zone.tab", " UTC",
	} {
		_, err := LoadZone("query.tz", name)
		if err == nil || err.Code != CodeInvalidRequest || err.Fields[0].Field != "query.tz" {
			t.Errorf("%q gives %v", name, err)
		}
	}
}

func FuzzParseDate(f *testing.F) {
	f.Add("2024-02-29")
	f.Add("2026-02-30")
	f.Fuzz(func(t *testing.T, s string) {
		want, err := time.Parse(time.DateOnly, s)
		d, ok := ParseDate(s)
		if ok != (err == nil && want.Year() > 0) {
			t.Fatalf("%q: %v against the standard library's %v", s, ok, err)
		}
		if ok && d.String() != s {
			t.Errorf("%q became %s", s, d)
		}
	})
}

func FuzzLoadZone(f *testing.F) {
	f.Add("America/Sao_Paulo")
	f.Add("../x")
	f.Fuzz(func(t *testing.T, name string) {
		if loc, err := LoadZone("tz", name); err == nil && loc.String() != name {
			t.Errorf("%q gives %v", name, loc)
		}
	})
}

func BenchmarkStartOfDay(b *testing.B) {
	loc, day := zone(b, "America/Sao_Paulo"), date(b, "2026-11-14")
	b.ReportAllocs()
	for b.Loop() {
		day.StartOfDay(loc)
	}
}

func TestDateNumber(t *testing.T) {
	for want, text := range map[int64]string{10101: "0001-01-01", 20261114: "2026-11-14", 99991231: "9999-12-31"} {
		d, _ := ParseDate(text)
		if d.Number() != want || DateNumbered(want) != d {
			t.Errorf("%s is %d, and %d is %s", text, d.Number(), want, DateNumbered(want))
		}
	}
}
