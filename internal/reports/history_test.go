package reports

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"recado/internal/channels"
	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/talk"
	"recado/test/kerneltest"
)

// history is a company whose cases change at random.
type history struct {
	*office
	t       *testing.T
	random  *rand.Rand
	clock   *testClock
	second  kernel.ID // a channel
	sectors []kernel.ID
	people  []kernel.ID
	labels  []kernel.ID
	reasons []kernel.ID
	policy  kernel.ID
	talks   []kernel.ID // conversations
}

type testClock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *testClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *testClock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func newHistory(t *testing.T, s *kernel.Store, seed uint64) *history {
	clock := &testClock{now: time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)}
	p := people.New(kernel.New(kernel.Options{Store: s, Now: clock.Now}), people.PasswordCost{Memory: 64, Passes: 1})
	c := channels.New(p, nil)
	tk := talk.New(c, p, nil)
	tk.Observe(talk.Observer{Closing: func(_ *talk.LockedConversation, att *talk.Attendance, reason *kernel.ID) error {
		if reason != nil {
			att.Closing.Reason = &kernel.Ref{ID: *reason}
		}
		return nil
	}})
	h := &history{office: newOffice(t, &desk{New(tk, c, p), p, c, tk}), t: t, random: rand.New(rand.NewPCG(seed, 1)), clock: clock}
	second, err := c.CreateChannel(t.Context(), h.owner, channels.NewChannel{Name: "Second", Phone: "+551130000001", Provider: channels.ProviderSandbox})
	if err != nil {
		t.Fatal(err)
	}
	h.second, h.policy = second.ID, kernel.NewID()
	for i := range 3 {
		m, err := p.CreateUser(t.Context(), h.company.ID, people.NewUser{
			Name: fmt.Sprint("Member ", i), Email: kernel.NewID().String() + "@example.com", Role: kernel.RoleAgent, AccessProfile: kernel.AccessAll,
		})
		if err != nil {
			t.Fatal(err)
		}
		sector, err := p.CreateSector(t.Context(), h.owner, people.SectorChange{Name: new(fmt.Sprint("Sector ", i)), Members: &[]kernel.ID{m.ID}})
		if err != nil {
			t.Fatal(err)
		}
		label, err := tk.CreateLabel(t.Context(), h.owner, fmt.Sprint("Label ", i), "")
		if err != nil {
			t.Fatal(err)
		}
		h.people, h.sectors, h.labels, h.reasons = append(h.people, m.ID), append(h.sectors, sector.ID), append(h.labels, label.ID), append(h.reasons, kernel.NewID())
	}
	h.write(func(tx *kernel.Tx) error {
		for i, id := range h.reasons {
			tx.Later(`INSERT INTO closing_reasons (company, id, name, folded, require_note, active, position, created_at, updated_at) VALUES ($1, $2, $3, $3, FALSE, TRUE, 0, 0, 0)`,
				h.company.ID, id, fmt.Sprint("reason ", i))
		}
		tx.Later(`INSERT INTO sla_policies (company, id, name, folded, clock, warn_percent, created_at, updated_at) VALUES ($1, $2, 'p', 'p', 'always', 80, 0, 0)`, h.company.ID, h.policy)
		return nil
	})
	return h
}

func (h *history) write(verb func(tx *kernel.Tx) error) {
	h.t.Helper()
	if err := h.nodes[0].Store.Write(h.t.Context(), verb); err != nil {
		h.t.Fatal(err)
	}
}

func pick[T any](h *history, list []T) T { return list[h.random.IntN(len(list))] }

// step does something at random. Refusals, such as closing what is closed, are part of a history.
func (h *history) step() {
	ctx, d := h.t.Context(), h.nodes[0]
	h.clock.advance(time.Duration(h.random.IntN(5*3600)) * time.Second / time.Duration(1+h.random.IntN(1000)))
	if len(h.talks) == 0 || h.random.IntN(6) == 0 {
		from, text, channel := fmt.Sprintf("+551198765%04d", h.random.IntN(12)), "oi", pick(h, []kernel.ID{h.channel, h.second})
		if m, err := d.talk.Simulate(ctx, h.owner, channel, talk.Simulation{From: &from, Text: &text}); err == nil && !slices.Contains(h.talks, m.Conversation) {
			h.talks = append(h.talks, m.Conversation)
		}
		return
	}
	conversation := pick(h, h.talks)
	switch h.random.IntN(9) {
	case 0:
		h.answers(h.t, d, conversation)
	case 1:
		to := talk.NewTransfer{Sector: kernel.Optional[kernel.ID]{Set: true, Value: pick(h, h.sectors)}}
		if h.random.IntN(2) == 0 {
			to = talk.NewTransfer{User: kernel.Optional[kernel.ID]{Set: true, Value: pick(h, h.people)}}
		}
		_, _ = d.talk.Transfer(ctx, h.person, conversation, to)
	case 2, 3:
		in := talk.CloseInput{}
		if h.random.IntN(3) > 0 {
			in.ReasonID = new(pick(h, h.reasons))
		}
		_, _ = d.talk.CloseAttendance(ctx, h.person, conversation, in)
	case 4:
		_, _ = d.talk.ReopenAttendance(ctx, h.person, conversation)
	case 5:
		labels := slices.DeleteFunc(slices.Clone(h.labels), func(kernel.ID) bool { return h.random.IntN(2) == 0 })
		_, _ = d.talk.UpdateConversation(ctx, h.person, conversation, talk.ConversationChange{LabelIDs: &labels})
	case 6:
		h.change(conversation, func(tx *kernel.Tx, before, att *talk.Attendance) error {
			if att.ClosedAt == nil {
				return nil
			}
			att.Survey = &talk.Survey{Status: pick(h, []string{talk.SurveyNone, talk.SurveySkipped, talk.SurveySent, talk.SurveyAnswered})}
			if att.Survey.Status == talk.SurveySent || att.Survey.Status == talk.SurveyAnswered {
				att.Survey.SentAt = att.ClosedAt
			}
			if att.Survey.Status == talk.SurveyAnswered {
				att.Survey.Rating = new(int64(1 + h.random.IntN(5)))
			}
			return d.talk.SaveSurvey(tx, before, att)
		})
	case 7:
		h.change(conversation, func(tx *kernel.Tx, before, att *talk.Attendance) error {
			target := func() *talk.Target {
				return &talk.Target{State: pick(h, []string{talk.TargetPending, talk.TargetMet, talk.TargetWarned, talk.TargetBreached})}
			}
			att.SLA = &talk.ServiceLevel{
				Policy: kernel.Ref{ID: h.policy}, First: target(), Resolution: target(),
				NextMet: int64(h.random.IntN(3)), NextBreached: int64(h.random.IntN(3)),
			}
			if h.random.IntN(2) == 0 {
				att.SLA.Next = target()
			}
			return d.talk.SaveServiceLevel(tx, before, att)
		})
	case 8: // several changes in one transaction
		h.write(func(tx *kernel.Tx) error {
			t, err := d.talk.Lock(tx, h.person, conversation)
			if err != nil || t.Attendance == nil {
				return err
			}
			t.LabelIDs = []kernel.ID{pick(h, h.labels)}
			if _, err := t.CloseBy(&h.person.User, talk.CloseInput{ReasonID: new(pick(h, h.reasons))}); err != nil {
				return err
			}
			return t.Save()
		})
	}
}

// change changes the last attendance of a conversation.
func (h *history) change(conversation kernel.ID, change func(tx *kernel.Tx, before, att *talk.Attendance) error) {
	all := h.all(talk.AttendanceFilter{Conversation: conversation, Limit: 1})
	if len(all) == 0 {
		return
	}
	h.write(func(tx *kernel.Tx) error {
		att, _, err := talk.FindAttendance(tx, h.company.ID, all[0].ID)
		if err != nil {
			return err
		}
		before := att
		return change(tx, &before, &att)
	})
}

func (h *history) all(f talk.AttendanceFilter) []talk.Attendance {
	h.t.Helper()
	list, _, err := h.nodes[0].talk.Attendances(h.t.Context(), h.owner, f)
	if err != nil {
		h.t.Fatal(err)
	}
	return list
}

// naive computes counts of a report from the attendances.
func naive(all []talk.Attendance, from, to kernel.Date, zone *time.Location, f ReportFilter) map[string]int64 {
	counts := map[string]int64{}
	within := func(at *time.Time) bool {
		if at == nil {
			return false
		}
		day := kernel.DateOf(*at, zone)
		return !day.Before(from) && !to.Before(day)
	}
	for _, a := range all {
		if f.User != nil && !kernel.Same(kernel.RefID(a.Responsible), f.User) || f.Sector != nil && !kernel.Same(a.Sector, f.Sector) {
			continue
		}
		sections := []string{"totals", "channel " + a.Channel.String()}
		reason := "none"
		if a.Closing != nil && a.Closing.Reason != nil {
			reason = a.Closing.Reason.ID.String()
		}
		person := "none"
		if a.Responsible != nil {
			person = a.Responsible.ID.String()
		}
		sections = append(sections, "reason "+reason, "person "+person)
		for _, label := range a.LabelIDs {
			sections = append(sections, "label "+label.String())
		}
		for _, section := range sections {
			if within(&a.OpenedAt) {
				counts[section+" opened"]++
			}
			if within(a.FirstResponseAt) {
				counts[section+" answered"]++
				counts[section+" answer seconds"] += int64(a.FirstResponseAt.Sub(a.OpenedAt) / time.Second)
			}
			if within(a.ClosedAt) {
				counts[section+" closed"]++
			}
		}
		if within(&a.OpenedAt) {
			local := a.OpenedAt.In(zone)
			counts[fmt.Sprint("hour ", (int(local.Weekday())+6)%7, " ", local.Hour())]++
		}
		if s := a.Survey; s != nil && within(a.ClosedAt) {
			if s.SentAt != nil {
				counts["survey sent"]++
			}
			if s.Status == talk.SurveySkipped {
				counts["survey skipped"]++
			}
			if s.Rating != nil {
				counts["survey answered"]++
				counts[fmt.Sprint("rating ", *s.Rating)]++
			}
		}
		if s := a.SLA; s != nil && within(&a.OpenedAt) {
			for name, target := range map[string]*talk.Target{"first": s.First, "next": s.Next, "resolution": s.Resolution} {
				if target != nil {
					counts[name+" "+target.State]++
				}
			}
			counts["next met"] += s.NextMet
			counts["next breached"] += s.NextBreached
		}
	}
	for key, n := range counts {
		for _, state := range []string{" pending", " warned"} {
			if n == 0 || len(key) > len(state) && key[len(key)-len(state):] == state {
				delete(counts, key)
			}
		}
	}
	return counts
}

// shown returns the counts of a report in the form of naive.
func shown(r Report) map[string]int64 {
	counts := map[string]int64{}
	set := func(key string, n int64) {
		if n != 0 {
			counts[key] = n
		}
	}
	figures := func(section string, f Figures) {
		set(section+" opened", f.Opened)
		set(section+" closed", f.Closed)
		set(section+" answered", f.FirstResponse.Count)
		if average := f.FirstResponse.AverageSeconds; average != nil {
			set(section+" answer seconds", int64(*average*float64(f.FirstResponse.Count)+0.5))
		}
	}
	id := func(ref *kernel.Ref) string {
		if ref == nil {
			return "none"
		}
		return ref.ID.String()
	}
	figures("totals", r.Totals)
	for _, x := range r.ByPerson {
		figures("person "+id(x.User), x.Figures)
	}
	for _, x := range r.ByChannel {
		figures("channel "+id(&x.Channel), x.Figures)
	}
	for _, x := range r.ByReason {
		figures("reason "+id(x.Reason), x.Figures)
	}
	for _, x := range r.ByLabel {
		figures("label "+id(&x.Label), x.Figures)
	}
	for weekday, hours := range r.ByHour {
		for hour, n := range hours {
			set(fmt.Sprint("hour ", weekday, " ", hour), n)
		}
	}
	set("survey sent", r.Survey.Sent)
	set("survey answered", r.Survey.Answered)
	set("survey skipped", r.Survey.Skipped)
	for i, n := range []int64{r.Survey.ByRating.One, r.Survey.ByRating.Two, r.Survey.ByRating.Three, r.Survey.ByRating.Four, r.Survey.ByRating.Five} {
		set(fmt.Sprint("rating ", i+1), n)
	}
	for name, t := range map[string]TargetReport{"first": r.SLA.First, "next": r.SLA.Next, "resolution": r.SLA.Resolution} {
		set(name+" met", t.Met)
		set(name+" breached", t.Breached)
	}
	return counts
}

func TestKeptFiguresEqualARecomputationOfRandomHistories(t *testing.T) {
	kerneltest.Each(t, func(t *testing.T, open func() *kernel.Store) {
		h := newHistory(t, open(), 7)
		d := h.nodes[0]
		zone, _ := time.LoadLocation("America/Sao_Paulo")
		for round := range 8 {
			for range 50 {
				h.step()
			}
			switch round {
			case 3:
				if err := d.talk.DeleteLabel(t.Context(), h.owner, h.labels[0]); err != nil {
					t.Fatal(err)
				}
				h.labels = h.labels[1:]
			case 5:
				zone, _ = time.LoadLocation("Pacific/Kiritimati")
				if _, err := d.people.UpdateCompany(t.Context(), h.owner, people.CompanyChange{Timezone: new("Pacific/Kiritimati")}); err != nil {
					t.Fatal(err)
				}
			}
			all := h.all(talk.AttendanceFilter{Limit: 100_000})
			first, last := kernel.DateOf(all[len(all)-1].OpenedAt, zone), kernel.DateOf(h.clock.Now(), zone)
			for name, f := range map[string]ReportFilter{
				"all":    {From: new(first), To: new(last)},
				"part":   {From: new(first.AddDays(2)), To: new(last.AddDays(-2))},
				"member": {From: new(first), To: new(last), User: &h.people[1]},
				"sector": {From: new(first), To: new(last), Sector: &h.sectors[1]},
			} {
				if f.To.Before(*f.From) {
					continue
				}
				kept, err := d.AttendanceReport(t.Context(), h.owner, f)
				if err != nil {
					t.Fatal(err)
				}
				if diff := gocmp.Diff(naive(all, *f.From, *f.To, zone, f), shown(kept)); diff != "" {
					t.Fatalf("round %d, %s (-recomputed +kept):\n%s", round, name, diff)
				}
				if err := d.RebuildReport(t.Context(), h.company.ID); err != nil {
					t.Fatal(err)
				}
				rebuilt, err := d.AttendanceReport(t.Context(), h.owner, f)
				if diff := gocmp.Diff(rebuilt, kept); diff != "" || err != nil {
					t.Fatalf("round %d, %s (-rebuilt +kept): %v\n%s", round, name, err, diff)
				}
			}
		}
		if all := h.all(talk.AttendanceFilter{Limit: 100_000}); len(all) < 20 {
			t.Errorf("the history has only %d attendances", len(all))
		}
	})
}
