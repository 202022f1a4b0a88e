package reports

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/talk"
	"recado/test/kerneltest"
)

// reportDesk is a desk with one company. Its tests change the report directly.
type reportDesk struct {
	*desk
	t         *testing.T
	principal *kernel.Principal
	channel   kernel.ID
	now       time.Time
}

func eachReportDesk(t *testing.T, body func(t *testing.T, d *reportDesk)) {
	kerneltest.Each(t, func(t *testing.T, open func() *kernel.Store) {
		d := &reportDesk{t: t, channel: kernel.NewID(), now: time.Date(2026, 11, 14, 15, 0, 0, 0, time.UTC)}
		d.desk = newDesk(open())
		d.principal = testCompany(t, d.desk)
		body(t, d)
	})
}

func (d *reportDesk) write(verb func(tx *kernel.Tx) error) {
	d.t.Helper()
	if err := d.Store.Write(d.t.Context(), verb); err != nil {
		d.t.Fatal(err)
	}
}

func (d *reportDesk) read(f ReportFilter) Report {
	d.t.Helper()
	r, err := d.AttendanceReport(d.t.Context(), d.principal, f)
	if err != nil {
		d.t.Fatal(err)
	}
	return r
}

// person adds a member to the team.
func (d *reportDesk) person(name string) *kernel.Ref {
	d.t.Helper()
	m, err := d.people.CreateUser(d.t.Context(), d.principal.Company.ID, people.NewUser{
		Name: name, Email: kernel.NewID().String() + "@example.com", Role: kernel.RoleAgent, AccessProfile: kernel.AccessAll,
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return &kernel.Ref{ID: m.ID, Name: m.Name}
}

// add returns a transaction's body that changes attendances from one state to another; see changed. A nil state is none.
func add(before, after *talk.Attendance) func(tx *kernel.Tx) error {
	return func(tx *kernel.Tx) error {
		if before == nil {
			changesOf(tx)[after.ID] = &caseChange{after: after}
		} else {
			changed(tx, before, after)
		}
		return nil
	}
}

// at returns an attendance that was opened at a time.
func (d *reportDesk) at(opened time.Time) *talk.Attendance {
	return &talk.Attendance{ID: kernel.NewID(), Company: d.principal.Company.ID, Channel: d.channel, OpenedAt: opened}
}

func between(from, to string) ReportFilter {
	first, _ := kernel.ParseDate(from)
	last, _ := kernel.ParseDate(to)
	return ReportFilter{From: &first, To: &last}
}

func TestReportAttribution(t *testing.T) {
	eachReportDesk(t, func(t *testing.T, d *reportDesk) {
		ana, bia := d.person("Ana"), d.person("Bia")
		sales := kernel.NewID()
		opened := time.Date(2026, 11, 10, 12, 0, 0, 0, time.UTC)

		att := d.at(opened)
		d.write(add(nil, att))
		answered := *att
		answered.FirstResponseAt = new(opened.Add(24*time.Hour + 1500*time.Millisecond))
		taken := answered
		taken.Responsible = ana
		d.write(func(tx *kernel.Tx) error {
			return cmp.Or(add(att, &answered)(tx), add(&answered, &taken)(tx))
		})
		moved := taken
		moved.Responsible, moved.Sector = bia, &sales
		d.write(add(&taken, &moved))
		closed := moved
		closed.ClosedAt = new(opened.Add(72 * time.Hour))
		d.write(add(&moved, &closed))

		hidden := d.at(opened)
		hidden.Private = true
		d.write(add(nil, hidden))

		times := func(seconds float64) Times {
			return Times{Count: 1, AverageSeconds: &seconds, MedianSeconds: &seconds, P90Seconds: &seconds}
		}
		all := Figures{Opened: 1, Closed: 1, FirstResponse: times(86401), Resolution: times(259200)}
		r := d.read(between("2026-11-09", "2026-11-14"))
		var hours ByHour
		hours[1][9] = 1 // on a Tuesday, in São Paulo
		want := Report{
			From: "2026-11-09", To: "2026-11-14", Timezone: "America/Sao_Paulo", Totals: all, Previous: PreviousReport{From: "2026-11-03", To: "2026-11-08"},
			ByPerson: []PersonReport{{User: bia, Figures: all}},
			BySector: []SectorReport{{Sector: &kernel.Ref{ID: sales}, Figures: all}}, ByChannel: []ChannelReport{{kernel.Ref{ID: d.channel}, all}},
			ByReason: []ReasonReport{{nil, all}},
			ByDay: []DayReport{
				{Date: "2026-11-09"},
				{Date: "2026-11-10", Figures: Figures{Opened: 1}},
				{Date: "2026-11-11", Figures: Figures{FirstResponse: all.FirstResponse}},
				{Date: "2026-11-12"},
				{Date: "2026-11-13", Figures: Figures{Closed: 1, Resolution: all.Resolution}},
				{Date: "2026-11-14"},
			},
		}
		want.ByHour = hours
		if diff := gocmp.Diff(want, r); diff != "" {
			t.Errorf("(-want +r):\n%s", diff)
		}

		t.Run("filters", func(t *testing.T) {
			for name, tt := range map[string]struct {
				user, sector *kernel.ID
				opened       int64
			}{
				"its person":           {&bia.ID, nil, 1},
				"its sector":           {nil, &sales, 1},
				"both":                 {&bia.ID, &sales, 1},
				"another person":       {&ana.ID, nil, 0},
				"another sector":       {nil, new(kernel.NewID()), 0},
				"the id of no person":  {&kernel.MaxID, nil, 0},
				"the id of no sector":  {nil, &kernel.MaxID, 0},
				"the id of all zeroes": {new(kernel.ID{}), nil, 0},
			} {
				f := between("2026-11-09", "2026-11-14")
				f.User, f.Sector = tt.user, tt.sector
				if r := d.read(f); r.Totals.Opened != tt.opened || len(r.ByPerson) != int(tt.opened) || len(r.ByDay) != 6 {
					t.Errorf("%s: %d opened, %d people, %d days", name, r.Totals.Opened, len(r.ByPerson), len(r.ByDay))
				}
			}
		})
	})
}

// The clocks of São Paulo went forward at midnight of 2018-11-04 and back at midnight of 2018-02-18.
func TestReportDays(t *testing.T) {
	utc := func(s string) time.Time {
		at, err := time.Parse(time.RFC3339Nano, s)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	eachReportDesk(t, func(t *testing.T, d *reportDesk) {
		for _, tt := range []struct {
			name        string
			first, last string // moments of the day
			day         string
			hours       float64
		}{
			{"a day of 24 hours", "2018-06-01T03:00:00Z", "2018-06-02T02:59:59.999Z", "2018-06-01", 24},
			{"a day of 23 hours", "2018-11-04T03:00:00Z", "2018-11-05T01:59:59.999Z", "2018-11-04", 23},
			{"a day of 25 hours", "2018-02-17T02:00:00Z", "2018-02-18T02:59:59.999Z", "2018-02-17", 25},
			{"another day of 25 hours", "2019-02-16T02:00:00Z", "2019-02-17T02:59:59.999Z", "2019-02-16", 25},
		} {
			t.Run(tt.name, func(t *testing.T) {
				first, last := utc(tt.first), utc(tt.last)
				if got := last.Add(time.Millisecond).Sub(first).Hours(); got != tt.hours {
					t.Fatalf("it has %v hours", got)
				}
				for _, at := range []time.Time{first.Add(-time.Millisecond), first, last, last.Add(time.Millisecond)} {
					att := d.at(at)
					att.FirstResponseAt, att.ClosedAt = &att.OpenedAt, &att.OpenedAt
					d.write(add(nil, att))
				}
				day, _ := kernel.ParseDate(tt.day)
				r := d.read(between(day.AddDays(-1).String(), day.Next().String()))
				for i, want := range []int64{1, 2, 1} {
					f := r.ByDay[i].Figures
					if f.Opened != want || f.Closed != want || f.FirstResponse.Count != want || f.Resolution.Count != want {
						t.Errorf("%s has %+v, want %d", r.ByDay[i].Date, f, want)
					}
				}
			})
		}
	})
}

func TestReportRange(t *testing.T) {
	date := func(s string) *kernel.Date {
		d, ok := kernel.ParseDate(s)
		if !ok && s != "" {
			t.Fatalf(`want not (!ok && s != ""); got %+v`, s)
		}
		if s == "" {
			return nil
		}
		return &d
	}
	for _, tt := range []struct{ name, from, to, wantFrom, wantTo string }{
		{"nothing is the last 30 days", "", "", "2026-10-16", "2026-11-14"},
		{"from alone ends today", "2026-11-01", "", "2026-11-01", "2026-11-14"},
		{"from long ago alone has 366 days", "2020-01-01", "", "2020-01-01", "2020-12-31"},
		{"from tomorrow alone is one day", "2026-11-15", "", "2026-11-15", "2026-11-15"},
		{"to alone has 30 days", "", "2026-03-01", "2026-01-31", "2026-03-01"},
		{"to at the beginning of all days", "", "0001-01-02", "0001-01-01", "0001-01-02"},
		{"one day", "2026-11-14", "2026-11-14", "2026-11-14", "2026-11-14"},
		{"366 days", "2025-11-14", "2026-11-14", "2025-11-14", "2026-11-14"},
		{"367 days", "2025-11-13", "2026-11-14", "", ""},
		{"the wrong way round", "2026-11-14", "2026-11-13", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			from, to, err := Days(date(tt.from), date(tt.to), *date("2026-11-14"))
			if (err != nil) != (tt.wantFrom == "") {
				t.Fatal(err)
			}
			if err == nil && (from.String() != tt.wantFrom || to.String() != tt.wantTo) {
				t.Errorf("from %v to %v", from, to)
			}
		})
	}
}

func TestReportOrder(t *testing.T) {
	eachReportDesk(t, func(t *testing.T, d *reportDesk) {
		now := time.Now()
		for name, n := range map[string]int{"Zeca": 3, "Ágata": 2, "Beto": 2} {
			person := d.person(name)
			for range n {
				att := d.at(now)
				att.Responsible = person
				d.write(add(nil, att))
			}
		}
		for range 9 {
			d.write(add(nil, d.at(now)))
		}
		var names []string
		for _, p := range d.read(ReportFilter{}).ByPerson {
			name := "none"
			if p.User != nil {
				name = p.User.Name
			}
			names = append(names, name)
		}
		if want := []string{"Zeca", "Ágata", "Beto", "none"}; !slices.Equal(names, want) {
			t.Errorf("%v, want %v", names, want)
		}
	})
}

// Concurrent transfers of attendances in all directions must neither deadlock nor lose a count.
func TestReportUnderConcurrency(t *testing.T) {
	eachReportDesk(t, func(t *testing.T, d *reportDesk) {
		people := []*kernel.Ref{nil, d.person("Ana"), d.person("Bia"), d.person("Caio")}
		opened := time.Now().Add(-time.Hour)
		const hands, rounds = 8, 25
		var group sync.WaitGroup
		for i := range hands {
			group.Go(func() {
				att := d.at(opened)
				att.FirstResponseAt = new(opened.Add(time.Duration(i+1) * time.Minute))
				verbs := []func(tx *kernel.Tx) error{add(nil, att)}
				for round := range rounds {
					before, after := *att, *att
					before.Responsible, after.Responsible = people[(i+round*i)%4], people[(i+(round+1)*i)%4]
					if round == 0 {
						before.Responsible = nil
					}
					verbs = append(verbs, add(&before, &after))
				}
				for _, verb := range verbs {
					if err := d.Store.Write(t.Context(), verb); err != nil {
						t.Error(err)
					}
				}
			})
		}
		group.Wait()
		r := d.read(ReportFilter{})
		want := fmt.Sprint(hands, hands, 60*float64(hands+1)/2)
		if got := fmt.Sprint(r.Totals.Opened, r.Totals.FirstResponse.Count, *r.Totals.FirstResponse.AverageSeconds); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		var sum int64
		for _, p := range r.ByPerson {
			sum += p.Opened
			if p.Opened != p.FirstResponse.Count {
				t.Errorf("%v opened %d and answered %d", p.User, p.Opened, p.FirstResponse.Count)
			}
		}
		if sum != hands {
			t.Errorf("the people have %d of %d", sum, hands)
		}
	})
}

// An attendance that changes during a rebuild or a change of time zone is counted once.
func TestAReportIsRebuiltWhileAttendancesChange(t *testing.T) {
	eachOffice(t, func(t *testing.T, o *office) {
		const customers = 6
		var group sync.WaitGroup
		var closed atomic.Int64
		for i := range customers {
			group.Go(func() {
				for round := range 8 {
					o.attend(t, o.nodes[i%2], i, round%2 == 0)
					closed.Add(1)
				}
			})
		}
		zones := []string{"Pacific/Kiritimati", "Pacific/Midway", "America/Sao_Paulo"}
		for i := 0; closed.Load() < customers*8/2; i++ { // so that much happens after the last rebuild, too
			if err := o.nodes[1].RebuildReport(t.Context(), o.company.ID); err != nil {
				t.Fatal(err)
			}
			if _, err := o.nodes[0].people.UpdateCompany(t.Context(), o.owner, people.CompanyChange{Timezone: &zones[i%len(zones)]}); err != nil {
				t.Fatal(err)
			}
		}
		group.Wait()
		o.reportIsRight(t, customers*8)
	})
}

func TestARecountIncludesChangesDuringTheRecount(t *testing.T) {
	eachOffice(t, func(t *testing.T, o *office) {
		d := o.nodes[0]
		var open []kernel.ID
		for i := range 4 {
			o.attend(t, d, i, false)
			open = append(open, o.opens(t, d, i))
		}
		r := &recount{Reported: Reported{Company: o.company.ID}}
		if err := d.Store.Read(t.Context(), func(tx *kernel.Tx) error { return r.count(tx, o.company.Timezone) }); err != nil {
			t.Fatal(err)
		}
		if _, err := d.talk.CloseAttendance(t.Context(), o.owner, open[0], talk.CloseInput{}); err != nil {
			t.Fatal(err)
		}
		o.answers(t, d, open[1])
		o.attend(t, d, 5, true)
		failed := errors.New("the attempt that is retried")
		for _, end := range []error{failed, nil} {
			if err := d.Store.Write(t.Context(), func(tx *kernel.Tx) error { return kernel.ErrOr(r.Finish(tx), end) }); !errors.Is(err, end) {
				t.Fatal(err)
			}
		}
		o.reportIsRight(t, 6)
	})
}

func TestARecountDoesNotBlockReportsOfOtherCompanies(t *testing.T) {
	eachOffice(t, func(t *testing.T, o *office) {
		if o.nodes[0].Store.SingleNode() {
			t.Skip("SQLite has one writer")
		}
		other := newOffice(t, o.nodes...)
		var once sync.Once // a transaction that waits for long is tried again
		err := o.nodes[0].Store.Write(t.Context(), func(tx *kernel.Tx) error {
			if err := (&recount{Reported: Reported{Company: o.company.ID}}).Finish(tx); err != nil {
				return err
			}
			once.Do(func() { other.attend(t, o.nodes[1], 1, true) })
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		other.reportIsRight(t, 1)
	})
}

func TestConcurrentReportsWaitForASlot(t *testing.T) {
	eachReportDesk(t, func(t *testing.T, d *reportDesk) {
		var all sync.WaitGroup
		for range 40 {
			all.Go(func() {
				if _, err := d.AttendanceReport(t.Context(), d.principal, ReportFilter{}); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	})
}
