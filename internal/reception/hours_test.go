package reception

import (
	"fmt"
	"testing"
	"time"
)

// week returns opening hours from Monday to Friday with a lunch break.
func week(zone string, exceptions ...HoursException) *Hours {
	days := []string{"mon", "tue", "wed", "thu", "fri"}
	return &Hours{Timezone: zone, Weekly: []WeeklyPeriod{
		{Days: days, From: "08:00", To: "12:00"}, {Days: days, From: "13:00", To: "18:00"},
	}, Exceptions: exceptions}
}

func every(zone string, periods ...string) *Hours {
	h := &Hours{Timezone: zone}
	for _, p := range periods {
		h.Weekly = append(h.Weekly, WeeklyPeriod{
			Days: []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}, From: p[:5], To: p[6:],
		})
	}
	return h
}

func only(date, from, to string) HoursException {
	return HoursException{Date: date, Periods: []HoursPeriod{{From: from, To: to}}}
}

func closed(date string) HoursException { return HoursException{Date: date, Closed: true} }

func TestStatus(t *testing.T) {
	const saoPaulo = "America/Sao_Paulo" // UTC-3; until 2019 with daylight saving, UTC-2
	cases := []struct {
		name   string
		hours  *Hours
		at     string
		closes string
		next   string
	}{
		{"open in the morning", week(saoPaulo), "2026-11-16T11:00:00Z", "2026-11-16T15:00:00Z", ""},
		{"open from the first moment", week(saoPaulo), "2026-11-16T11:00:00Z", "2026-11-16T15:00:00Z", ""},
		{"closed at the last moment", week(saoPaulo), "2026-11-16T15:00:00Z", "", "2026-11-16T16:00:00Z"},
		{"the weekend", week(saoPaulo), "2026-11-14T15:00:00Z", "", "2026-11-16T11:00:00Z"},
		{"a holiday on a date", week(saoPaulo, closed("2026-11-16")), "2026-11-16T12:00:00Z", "", "2026-11-17T11:00:00Z"},
		{"a holiday of every year", week(saoPaulo, closed("--12-25")), "2026-12-25T12:00:00Z", "", "2026-12-28T11:00:00Z"},
		{"a date beats the day of every year", week(saoPaulo, closed("--12-24"), only("2026-12-24", "09:00", "12:00")), "2026-12-24T12:30:00Z", "2026-12-24T15:00:00Z", ""},
		{"an exception opens a Sunday", week(saoPaulo, only("2026-11-15", "10:00", "14:00")), "2026-11-15T12:00:00Z", "", "2026-11-15T13:00:00Z"},
		{"a night over midnight is one", every(saoPaulo, "20:00-24:00", "00:00-02:00"), "2026-11-16T23:30:00Z", "2026-11-17T05:00:00Z", ""},
		{"always open", every(saoPaulo, "00:00-24:00"), "2026-11-16T23:30:00Z", "", ""},
		{"always open but for one day", func() *Hours {
			h := every(saoPaulo, "00:00-24:00")
			h.Exceptions = append(h.Exceptions, closed("2026-12-25"))
			return h
		}(), "2026-11-16T23:30:00Z", "2026-12-25T03:00:00Z", ""},
		{"never open", &Hours{Timezone: saoPaulo}, "2026-11-16T12:00:00Z", "", ""},
		{"29 February", &Hours{Timezone: saoPaulo, Exceptions: []HoursException{only("--02-29", "08:00", "12:00")}}, "2026-11-16T12:00:00Z", "", "2028-02-29T11:00:00Z"},

		{"clocks put forward: two in the morning does not exist", every("Europe/Berlin", "02:15-02:45"), "2026-03-28T12:00:00Z", "", "2026-03-30T00:15:00Z"},
		{"clocks put forward: a period begins with the new time", every("Europe/Berlin", "02:30-06:00"), "2026-03-29T00:59:59Z", "", "2026-03-29T01:00:00Z"},
		{"clocks put forward: the same times of the clock afterwards", every("Europe/Berlin", "08:00-18:00"), "2026-03-29T05:30:00Z", "", "2026-03-29T06:00:00Z"},
		{"clocks put back: an hour longer", every("Europe/Berlin", "00:00-06:00"), "2026-10-24T22:30:00Z", "2026-10-25T05:00:00Z", ""},
		{"clocks put back: open from the first half past two to the second three o'clock", every("Europe/Berlin", "02:30-03:00"), "2026-10-25T00:45:00Z", "2026-10-25T02:00:00Z", ""},
		{"clocks put forward at midnight", every(saoPaulo, "00:00-06:00"), "2018-11-04T02:59:00Z", "", "2018-11-04T03:00:00Z"},
		{"clocks put back at midnight", every(saoPaulo, "22:00-24:00"), "2019-02-17T01:30:00Z", "2019-02-17T03:00:00Z", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s, invalid := Read("body.", c.hours)
			if invalid != nil {
				t.Fatal(invalid)
			}
			at, err := time.Parse(time.RFC3339, c.at)
			if err != nil {
				t.Fatal(err)
			}
			got := s.Status(at)
			text := func(at *time.Time) string {
				if at == nil {
					return ""
				}
				return at.Format(time.RFC3339)
			}
			if text(got.ClosesAt) != c.closes || text(got.NextOpenAt) != c.next {
				t.Errorf("closes_at %q, next_open_at %q; want %q, %q", text(got.ClosesAt), text(got.NextOpenAt), c.closes, c.next)
			}
			if open := c.closes != "" || c.name == "always open"; got.Open != open {
				t.Errorf("open %t, want %t", got.Open, open)
			}
		})
	}
}

// The hours are open until closes_at and closed until next_open_at, even when the clocks change.
func TestTheStatusDoesNotChangeBeforeTheTimeThatItShows(t *testing.T) {
	for _, zone := range []string{"America/Sao_Paulo", "Europe/Berlin", "Australia/Lord_Howe", "Asia/Kathmandu"} {
		s, invalid := Read("", every(zone, "00:00-02:30", "08:00-12:00", "13:00-24:00"))
		if invalid != nil {
			t.Fatal(invalid)
		}
		for at := time.Date(2018, 10, 1, 0, 7, 0, 0, time.UTC); at.Year() < 2019 || at.Month() < time.May; at = at.Add(53 * time.Minute) {
			is := s.Status(at)
			change := is.NextOpenAt
			if is.Open {
				change = is.ClosesAt
			}
			if change == nil || !change.After(at) {
				t.Fatalf("%s %s: %+v", zone, at, is)
			}
			if s.Open(change.Add(-time.Millisecond)) != is.Open || s.Open(*change) == is.Open {
				t.Fatalf("%s %s: open %t, and it does not change at %s", zone, at, is.Open, change)
			}
		}
	}
}

func TestInvalidHoursAreRejected(t *testing.T) {
	weekly := func(periods ...WeeklyPeriod) *Hours {
		return &Hours{Timezone: "UTC", Weekly: periods}
	}
	mon := []string{"mon"}
	many := func(n int) (out []HoursException) {
		for i := range n {
			out = append(out, closed(fmt.Sprintf("%04d-01-01", 2000+i)))
		}
		return out
	}
	cases := []struct {
		name  string
		hours *Hours
		field string // "": accepted
	}{
		{"nothing at all", weekly(), ""},
		{"periods that touch", weekly(WeeklyPeriod{Days: mon, From: "08:00", To: "12:00"}, WeeklyPeriod{Days: mon, From: "12:00", To: "24:00"}), ""},
		{"400 exceptions", &Hours{Timezone: "UTC", Exceptions: many(400)}, ""},
		{"401 exceptions", &Hours{Timezone: "UTC", Exceptions: many(401)}, "body.exceptions"},
		{"an unknown zone", &Hours{Timezone: "Mars/Olympus"}, "body.timezone"},
		{"periods that overlap", weekly(WeeklyPeriod{Days: mon, From: "08:00", To: "12:00"}, WeeklyPeriod{Days: []string{"tue", "mon"}, From: "11:59", To: "13:00"}), "body.weekly[1]"},
		{"a day twice", weekly(WeeklyPeriod{Days: []string{"mon", "mon"}, From: "08:00", To: "12:00"}), "body.weekly[0]"},
		{"no day", weekly(WeeklyPeriod{From: "08:00", To: "12:00"}), "body.weekly[0].days"},
		{"an unknown day", weekly(WeeklyPeriod{Days: []string{"seg"}, From: "08:00", To: "12:00"}), "body.weekly[0].days[0]"},
		{"from equals to", weekly(WeeklyPeriod{Days: mon, From: "08:00", To: "08:00"}), "body.weekly[0].to"},
		{"over midnight", weekly(WeeklyPeriod{Days: mon, From: "22:00", To: "02:00"}), "body.weekly[0].to"},
		{"from 24:00", weekly(WeeklyPeriod{Days: mon, From: "24:00", To: "24:00"}), "body.weekly[0].from"},
		{"24:01", weekly(WeeklyPeriod{Days: mon, From: "08:00", To: "24:01"}), "body.weekly[0].to"},
		{"no leading zero", weekly(WeeklyPeriod{Days: mon, From: "8:00", To: "12:00"}), "body.weekly[0].from"},
		{"a sign", weekly(WeeklyPeriod{Days: mon, From: "+8:00", To: "12:00"}), "body.weekly[0].from"},
		{"61 minutes", weekly(WeeklyPeriod{Days: mon, From: "08:61", To: "12:00"}), "body.weekly[0].from"},
		{"a date that does not exist", &Hours{Timezone: "UTC", Exceptions: []HoursException{closed("2026-02-29")}}, "body.exceptions[0].date"},
		{"a month that does not exist", &Hours{Timezone: "UTC", Exceptions: []HoursException{closed("--13-01")}}, "body.exceptions[0].date"},
		{"a date twice", &Hours{Timezone: "UTC", Exceptions: []HoursException{closed("--12-25"), closed("--12-25")}}, "body.exceptions[1].date"},
		{"neither closed nor periods", &Hours{Timezone: "UTC", Exceptions: []HoursException{{Date: "--12-25"}}}, "body.exceptions[0]"},
		{"closed and periods", &Hours{Timezone: "UTC", Exceptions: []HoursException{{Date: "--12-25", Closed: true, Periods: []HoursPeriod{{From: "08:00", To: "09:00"}}}}}, "body.exceptions[0].periods"},
		{"periods of an exception that overlap", &Hours{Timezone: "UTC", Exceptions: []HoursException{{Date: "--12-25", Periods: []HoursPeriod{{From: "08:00", To: "10:00"}, {From: "09:00", To: "11:00"}}}}}, "body.exceptions[0].periods[1]"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, invalid := Read("body.", c.hours)
			got := ""
			if invalid != nil {
				got = invalid.Fields[0].Field
			}
			if got != c.field {
				t.Errorf("field %q, want %q", got, c.field)
			}
		})
	}
}

func TestBrazil(t *testing.T) {
	dates := map[string]string{}
	for _, year := range []int{2024, 2026, 2027, 2038} {
		for _, h := range Brazil(year) {
			dates[fmt.Sprint(year, " ", h.Key)] = h.Date
		}
	}
	for key, want := range map[string]string{
		"2024 good_friday": "2024-03-29", "2024 carnival_tuesday": "2024-02-13", "2026 good_friday": "2026-04-03", "2026 carnival_monday": "2026-02-16",
		"2026 carnival_tuesday": "2026-02-17", "2026 corpus_christi": "2026-06-04", "2027 good_friday": "2027-03-26", "2038 good_friday": "2038-04-23",
		"2026 christmas": "2026-12-25", "2026 black_awareness": "2026-11-20",
	} {
		if dates[key] != want {
			t.Errorf("%s is on %s, want %s", key, dates[key], want)
		}
	}
	if n := len(Brazil(2023)); n != 12 {
		t.Errorf("2023 has %d days, want 12", n)
	}
}
