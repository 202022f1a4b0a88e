package agree

import (
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/reports"
	"recado/internal/talk"
)

// agrees fails the test if the desk and the ledger differ.
func (o *fixture) agrees(what string, want, got any) {
	o.t.Helper()
	if reflect.DeepEqual(want, got) { // much cheaper than computing a diff
		return
	}
	if diff := cmp.Diff(want, got, cmp.Comparer(sameTimes), cmpopts.EquateEmpty()); diff != "" {
		o.t.Fatalf("%s (- ledger, + desk):\n%s\nafter\n%s", what, diff, strings.Join(o.log, "\n"))
	}
}

// anonymous clears the fields that the ledger cannot predict: generated ids and the contact.
func anonymous(a *talk.Attendance) {
	if a != nil {
		a.ID, a.Company, a.Contact = kernel.ID{}, kernel.ID{}, talk.AttendanceContact{}
	}
}

// check compares everything that the API shows with the ledger.
func (o *fixture) check(chats []*chat) {
	o.t.Helper()
	o.checkLists()
	o.checkQueues()
	for _, c := range chats {
		o.checkChat(c)
	}
	o.checkReport(nil, nil)
	switch o.random.IntN(3) {
	case 0:
		o.checkReport(&pick(o, o.people).User.ID, nil)
	case 1:
		o.checkReport(nil, &pick(o, o.sectors).id)
	case 2:
		o.checkReport(&pick(o, o.people).User.ID, &pick(o, o.sectors).id)
	}
}

func (o *fixture) checkLists() {
	who, place := pick(o, o.people).User.ID, pick(o, o.sectors).id
	o.agrees("all attendances", o.list(func(*talk.Attendance) bool { return true }), o.attendances(talk.AttendanceFilter{}))
	switch o.random.IntN(4) {
	case 0:
		o.agrees("open attendances", o.list(func(a *talk.Attendance) bool { return a.ClosedAt == nil }),
			o.attendances(talk.AttendanceFilter{Status: talk.AttendanceOpen}))
	case 1:
		o.agrees("attendances of a person", o.list(func(a *talk.Attendance) bool { return a.Responsible != nil && a.Responsible.ID == who }),
			o.attendances(talk.AttendanceFilter{Responsible: who}))
	case 2:
		o.agrees("attendances of a sector", o.list(func(a *talk.Attendance) bool { return a.Sector != nil && *a.Sector == place }),
			o.attendances(talk.AttendanceFilter{Sector: place}))
	case 3:
		o.agrees("attendances without a responsible person", o.list(func(a *talk.Attendance) bool { return a.Responsible == nil }),
			o.attendances(talk.AttendanceFilter{Unassigned: true}))
	}
}

func (o *fixture) attendances(f talk.AttendanceFilter) []talk.Attendance {
	all := []talk.Attendance{}
	for f.Limit = 1 + o.random.IntN(100); ; {
		page, next, err := o.desk.Talk.Attendances(o.ctx, o.owner, f)
		o.must(err)
		for i := range page {
			anonymous(&page[i])
		}
		all = append(all, page...)
		if f.Cursor = next; next == "" {
			return all
		}
	}
}

func (o *fixture) checkQueues() {
	sectors, err := o.desk.People.Sectors(o.ctx, o.owner)
	o.must(err)
	if len(sectors) != len(o.sectors) {
		o.t.Fatalf("got %d sectors, want %d", len(sectors), len(o.sectors))
	}
	for _, s := range sectors {
		want := []people.Queue{}
		for _, channel := range o.channels[:len(o.channels)-1] {
			if q := o.queue(s.ID, channel); q.Waiting > 0 { // empty queues are omitted
				want = append(want, q)
			}
		}
		slices.SortFunc(s.Queues, func(a, b people.Queue) int {
			return slices.Index(o.channels, a.Channel) - slices.Index(o.channels, b.Channel)
		})
		o.agrees("the queues of "+s.Name, want, s.Queues)
	}
}

func (o *fixture) checkChat(c *chat) {
	if c.id.IsZero() {
		return
	}
	conversation, err := o.desk.Talk.Conversation(o.ctx, o.owner, c.id)
	o.must(err)
	var assignee *kernel.ID
	if c.assignee != nil {
		assignee = &c.assignee.ID
	}
	o.agrees("the conversation's person", assignee, conversation.Assignee)
	o.agrees("the conversation's sector", c.sector, conversation.Sector)
	current, err := o.desk.Talk.CurrentAttendance(o.ctx, o.owner, c.id)
	o.must(err)
	anonymous(current)
	o.agrees("the current attendance", c.open, current)
	history, err := o.desk.Talk.Assignments(o.ctx, o.owner, c.id)
	o.must(err)
	slices.Reverse(history)
	for i := range history {
		history[i].ID = kernel.ID{}
	}
	o.agrees("the history", c.history, history)
}

// checkReport compares the report for all days of the fixture.
func (o *fixture) checkReport(user, place *kernel.ID) {
	from, _ := kernel.ParseDate(o.began.In(o.zone).Format(time.DateOnly))
	to, _ := kernel.ParseDate(o.clock.Now().In(o.zone).Format(time.DateOnly))
	got, err := o.desk.Reports.AttendanceReport(o.ctx, o.owner, reports.ReportFilter{From: &from, To: &to, User: user, Sector: place})
	o.must(err)
	total, people, sectors, days := o.report(o.began, o.clock.Now(), user, place)
	o.agrees("the totals", total.figures(), got.Totals)
	byPerson, bySector := map[kernel.ID]reports.Figures{}, map[kernel.ID]reports.Figures{}
	for _, line := range got.ByPerson {
		byPerson[idOrMax(line.User)] = line.Figures
	}
	for _, line := range got.BySector {
		bySector[idOrMax(line.Sector)] = line.Figures
	}
	o.agrees("the people", figures(people), byPerson)
	o.agrees("the sectors", figures(sectors), bySector)
	day := from
	for _, line := range got.ByDay {
		o.agrees("a date", day.String(), line.Date)
		o.agrees("the day "+line.Date, pileOf(days, line.Date).figures(), line.Figures)
		day = day.Next()
	}
	o.agrees("the day after the last", to.Next(), day)
}

func figures(piles map[kernel.ID]*pile) map[kernel.ID]reports.Figures {
	out := map[kernel.ID]reports.Figures{}
	for id, p := range piles {
		out[id] = p.figures()
	}
	return out
}

func idOrMax(ref *kernel.Ref) kernel.ID {
	if ref == nil {
		return kernel.MaxID
	}
	return ref.ID
}

// checkRebuild rebuilds the report, which must not change it.
func (o *fixture) checkRebuild() {
	from := kernel.DateOf(o.began, o.zone)
	read := func() reports.Report {
		r, err := o.desk.Reports.AttendanceReport(o.ctx, o.owner, reports.ReportFilter{From: &from})
		o.must(err)
		return r
	}
	before := read()
	o.must(o.desk.Reports.RebuildReport(o.ctx, o.owner.Company.ID))
	if diff := cmp.Diff(before, read()); diff != "" {
		o.t.Fatalf("the report (- as kept, + as rebuilt):\n%s\nafter\n%s", diff, strings.Join(o.log, "\n"))
	}
}
