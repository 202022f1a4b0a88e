package reception

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestAddCountsOnlyOpeningHours(t *testing.T) {
	const saoPaulo = "America/Sao_Paulo" // UTC-3; until 2019 with daylight saving, UTC-2
	cases := []struct {
		name, start string
		hours       *Hours
		add         time.Duration
		want        string // "": never
	}{
		{"within a period", "2026-11-16T11:30:00Z", week(saoPaulo), time.Hour, "2026-11-16T12:30:00Z"},
		{"until the end of a period", "2026-11-16T11:00:00Z", week(saoPaulo), 4 * time.Hour, "2026-11-16T15:00:00Z"},
		{"over a break", "2026-11-16T14:30:00Z", week(saoPaulo), time.Hour, "2026-11-16T16:30:00Z"},
		{"from the break", "2026-11-16T15:20:00Z", week(saoPaulo), time.Hour, "2026-11-16T17:00:00Z"},
		{"over the weekend", "2026-11-13T20:30:00Z", week(saoPaulo), time.Hour, "2026-11-16T11:30:00Z"},
		{"over a holiday", "2026-12-24T20:30:00Z", week(saoPaulo, closed("--12-25")), time.Hour, "2026-12-28T11:30:00Z"},
		{"over a day with its own times", "2026-12-23T20:30:00Z", week(saoPaulo, only("2026-12-24", "09:00", "10:00")), 2 * time.Hour, "2026-12-25T11:30:00Z"},
		{"over midnight", "2026-11-16T23:30:00Z", every(saoPaulo, "20:00-24:00", "00:00-02:00"), 5 * time.Hour, "2026-11-17T04:30:00Z"},
		{"over clocks that are put forward", "2026-03-28T22:00:00Z", every("Europe/Berlin", "00:00-06:00"), 5 * time.Hour, "2026-03-29T04:00:00Z"},
		{"over clocks that are put back", "2026-10-24T22:00:00Z", every("Europe/Berlin", "00:00-06:00"), 7 * time.Hour, "2026-10-25T05:00:00Z"},
		{"over clocks that are put back at midnight", "2019-02-17T00:30:00Z", every(saoPaulo, "22:00-24:00", "00:00-01:00"), 3 * time.Hour, "2019-02-17T03:30:00Z"},
		{"nothing", "2026-11-14T15:00:00Z", week(saoPaulo), 0, "2026-11-14T15:00:00Z"},
		{"never open", "2026-11-14T15:00:00Z", &Hours{Timezone: saoPaulo}, time.Minute, ""},
		{"open once, in the past", "2026-11-14T15:00:00Z", &Hours{Timezone: saoPaulo, Exceptions: []HoursException{only("2026-11-13", "08:00", "12:00")}}, time.Minute, ""},
		{"not open for that long", "2026-11-14T15:00:00Z", &Hours{Timezone: saoPaulo, Exceptions: []HoursException{only("2026-11-16", "08:00", "12:00")}}, 5 * time.Hour, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s, invalid := Read("", c.hours)
			if invalid != nil {
				t.Fatal(invalid)
			}
			start, err := time.Parse(time.RFC3339, c.start)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if at, ok := s.Add(start, c.add); ok {
				got = at.Format(time.RFC3339)
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// Counting open minutes one by one gives the same result as Add, also when the clocks change.
func TestAddAgreesWithACountOfOpenMinutes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		zone := rapid.SampledFrom([]string{"America/Sao_Paulo", "Europe/Berlin", "Australia/Lord_Howe", "Asia/Kathmandu", "UTC"}).Draw(t, "zone")
		h := &Hours{Timezone: zone}
		clock := func(minute int) string { return fmt.Sprintf("%02d:%02d", minute/60, minute%60) }
		bounds := rapid.SliceOfNDistinct(rapid.IntRange(0, 24*4), 2, 6, rapid.ID[int]).Draw(t, "bounds") // in quarters of an hour
		slices.Sort(bounds)                                                                              // periods do not overlap
		for i := 0; i+1 < len(bounds); i += 2 {
			from, to := bounds[i]*15, bounds[i+1]*15
			days := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}), 1, 7, rapid.ID[string]).Draw(t, "days")
			h.Weekly = append(h.Weekly, WeeklyPeriod{Days: days, From: clock(from), To: clock(to)})
		}
		start := rapid.SampledFrom([]time.Time{ // around changes of the clocks, and at other times
			time.Date(2018, 11, 2, 0, 0, 0, 0, time.UTC), time.Date(2019, 2, 15, 0, 0, 0, 0, time.UTC), time.Date(2026, 3, 27, 0, 0, 0, 0, time.UTC),
			time.Date(2026, 10, 23, 0, 0, 0, 0, time.UTC), time.Date(2026, 4, 3, 0, 0, 0, 0, time.UTC), time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC),
		}).Draw(t, "start").Add(time.Duration(rapid.IntRange(0, 3*24*60).Draw(t, "offset")) * time.Minute)
		if rapid.Bool().Draw(t, "exception") {
			day := start.AddDate(0, 0, rapid.IntRange(0, 3).Draw(t, "day")).Format(time.DateOnly)
			h.Exceptions = []HoursException{closed(day)}
			if rapid.Bool().Draw(t, "opens") {
				h.Exceptions = []HoursException{only(day, "10:00", "11:15")}
			}
		}
		s, invalid := Read("", h)
		if invalid != nil {
			t.Fatal(invalid)
		}
		minutes := rapid.IntRange(1, 600).Draw(t, "minutes")
		got, ok := s.Add(start, time.Duration(minutes)*time.Minute)
		if !ok {
			t.Fatalf("no time although it opens every week")
		}
		want, left := start, minutes
		for limit := start.AddDate(0, 2, 0); left > 0 && want.Before(limit); want = want.Add(time.Minute) {
			if s.Open(want) {
				left--
			}
		}
		if left == 0 && !got.Equal(want) {
			t.Fatalf("got %s, want %s", got, want)
		}
	})
}
