package reports

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"recado/internal/channels"
	"recado/internal/fold"
	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/quantile"
	"recado/internal/talk"
)

// rulePeriodTooLong rejects a period with more days than max.
var rulePeriodTooLong = kernel.NewRule("period_too_long")

// Report is the attendance report of a company. Days are in the company's time zone.
type Report struct {
	From     string         `json:"from" format:"date"`
	To       string         `json:"to" format:"date"`
	Timezone string         `json:"timezone"`
	Totals   Figures        `json:"totals"`
	Previous PreviousReport `json:"previous" doc:"The same number of days before from."`

	ByPerson  []PersonReport  `json:"by_person"`
	BySector  []SectorReport  `json:"by_sector"`
	ByChannel []ChannelReport `json:"by_channel"`
	ByLabel   []LabelReport   `json:"by_label" doc:"By the present labels of the conversations. An attendance counts for each of them."`
	ByReason  []ReasonReport  `json:"by_reason"`
	ByDay     []DayReport     `json:"by_day"`
	ByHour    ByHour          `json:"by_hour" doc:"The number of attendances opened: seven lists, from Monday to Sunday, with 24 numbers each."`

	Survey SurveyReport `json:"survey"`
	SLA    SLAReport    `json:"sla"`
}

// PreviousReport has the totals of the days before a report.
type PreviousReport struct {
	From   string  `json:"from" format:"date"`
	To     string  `json:"to" format:"date"`
	Totals Figures `json:"totals"`
}

// Figures are the numbers of one line of a report.
type Figures struct {
	Opened        int64 `json:"opened" doc:"The number of attendances opened, by the day they were opened."`
	Closed        int64 `json:"closed" doc:"The number of attendances closed, by the day they were closed."`
	FirstResponse Times `json:"first_response" doc:"First-response times, by the day of the response."`
	Resolution    Times `json:"resolution" doc:"Resolution times, by the day the attendance was closed."`
}

// Times summarizes durations. Count and average are exact; the median and the 90th percentile come from a sketch. All but the
// count are nil if the count is zero.
type Times struct {
	Count          int64    `json:"count"`
	AverageSeconds *float64 `json:"average_seconds"`
	MedianSeconds  *float64 `json:"median_seconds"`
	P90Seconds     *float64 `json:"p90_seconds"`
}

// PersonReport has the figures of one responsible member. User is nil for attendances without one.
type PersonReport struct {
	User *kernel.Ref `json:"user"`
	Figures
}

// SectorReport has the figures of one sector. Sector is nil for attendances without one.
type SectorReport struct {
	Sector *kernel.Ref `json:"sector"`
	Figures
}

// ChannelReport has the figures of one channel.
type ChannelReport struct {
	Channel kernel.Ref `json:"channel"`
	Figures
}

// LabelReport has the figures of one label.
type LabelReport struct {
	Label kernel.Ref `json:"label"`
	Figures
}

// ReasonReport has the figures of one closing reason. Reason is nil for attendances without one, including open ones.
type ReasonReport struct {
	Reason *kernel.Ref `json:"reason" doc:"The closing reason; null for attendances without one, including open ones."`
	Figures
}

// ByHour counts attendances by weekday, from Monday, and hour.
type ByHour [7][24]int64

// SurveyReport has the figures of the satisfaction survey, by the day the attendance was closed.
type SurveyReport struct {
	Sent           int64    `json:"sent" doc:"The number of surveys sent, answered or not."`
	Answered       int64    `json:"answered"`
	Skipped        int64    `json:"skipped" doc:"The number of surveys that were not sent because the 24-hour window was closed."`
	Average        *float64 `json:"average" minimum:"1" maximum:"5" doc:"The average rating; null if there is none."`
	ShareSatisfied *float64 `json:"share_satisfied" minimum:"0" maximum:"1" doc:"The share of the ratings 4 and 5; null if there is no rating."`
	ByRating       Ratings  `json:"by_rating" doc:"The number of surveys with each rating."`
}

// Ratings counts surveys by rating.
type Ratings struct {
	One   int64 `json:"1"`
	Two   int64 `json:"2"`
	Three int64 `json:"3"`
	Four  int64 `json:"4"`
	Five  int64 `json:"5"`
}

// SLAReport has the figures of the service levels, by the day the attendance was opened. Targets that are pending are not counted.
type SLAReport struct {
	First      TargetReport `json:"first"`
	Next       TargetReport `json:"next" doc:"Counts each response after the first."`
	Resolution TargetReport `json:"resolution"`
}

// TargetReport counts the outcomes of a target.
type TargetReport struct {
	Met      int64 `json:"met"`
	Breached int64 `json:"breached"`
}

// DayReport has the figures of one day.
type DayReport struct {
	Date string `json:"date" format:"date"`
	Figures
}

// The report is kept up to date by the transactions that change an attendance. An attendance counts for its current responsible
// member and sector. Private attendances are in no report.

// caseCounter keeps the report up to date.
var caseCounter = talk.Observer{
	Opened: func(t *talk.LockedConversation, att *talk.Attendance) error {
		return report(t.Tx, att, 1, ReportOpened)
	},
	Answered: func(t *talk.LockedConversation, att *talk.Attendance) error {
		return report(t.Tx, att, 1, ReportAnswered)
	},
	Moved: func(t *talk.LockedConversation, before, att *talk.Attendance, _ *kernel.Ref) error {
		return reportMoved(t.Tx, before, att)
	},
	Closed: func(t *talk.LockedConversation, att *talk.Attendance, _ *kernel.Ref) error {
		return report(t.Tx, att, 1, ReportClosed)
	},
	Reopened: func(t *talk.LockedConversation, closed, _ *talk.Attendance, _ *kernel.Ref) error {
		return report(t.Tx, closed, -1, ReportClosed)
	},
}

// reportMoved moves the figures of an attendance from one responsible member and sector to another. before is the attendance at
// the last call.
func reportMoved(tx *kernel.Tx, before, after *talk.Attendance) error {
	figures := reportFigures(before)
	moved := *before
	moved.Responsible, moved.Sector = after.Responsible, after.Sector
	return cmp.Or(report(tx, before, -1, figures...), report(tx, &moved, 1, figures...))
}

// report counts an attendance n times in some figures, unless it is private. It returns nil, as observers do.
func report(tx *kernel.Tx, att *talk.Attendance, n int64, figures ...ReportFigure) error {
	for _, figure := range figures {
		if !att.Private {
			addToReport(tx, reportEntry(att, figure), n)
		}
	}
	return nil
}

// RebuildReport counts a company's attendances again and replaces its report. It is for the operator, and repairs days that are
// wrong after a change of time zone data.
func (d *Reports) RebuildReport(ctx context.Context, company kernel.ID) error {
	c, err := kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) (kernel.Company, error) { return reportedCompany(tx, company) })
	if err != nil {
		return err
	}
	r := d.recountZone(company)
	end, err := r.Begin(ctx, c.Timezone)
	if err != nil {
		return err
	}
	defer end()
	return d.Store.Write(ctx, r.Finish)
}

func reportedCompany(tx *kernel.Tx, id kernel.ID) (kernel.Company, error) {
	c, found, err := people.Company(tx, id)
	if err == nil && !found {
		err = kernel.NotFound("company")
	}
	return c, err
}

// recount counts a company's report again. It counts closed attendances on a snapshot without blocking writers, because they do
// not change any more once they cannot be reopened. It counts the others in the transaction that writes the report, which blocks the company's own changes.
type recount struct {
	Reported
	d     *Reports
	zone  string // of the days in lines
	lines map[ReportLine]*Tally
	open  map[kernel.ID]bool // attendances that are not in lines
	least int64              // the lowest number of an attendance
	last  int64              // the highest number
}

// recountZone recounts the report of a company whose time zone changes.
func (d *Reports) recountZone(company kernel.ID) kernel.Recount {
	return &recount{d: d, Reported: Reported{Company: company}}
}

// recountPrivacy recounts the report of a company with a channel that becomes private or public.
func (d *Reports) recountPrivacy(ch channels.Channel, private bool) kernel.Recount {
	r := &recount{d: d, Reported: Reported{Company: ch.Company, Shown: ch.ID}}
	if private {
		r.Shown, r.Hidden = kernel.ID{}, ch.ID
	}
	return r
}

// Begin counts the closed attendances by the days of a time zone. A company has one recount at a time.
func (r *recount) Begin(ctx context.Context, zone string) (end func(), err error) {
	end, err = r.d.recounts.Wait(ctx, r.Company)
	if err != nil {
		return nil, err
	}
	if err = r.d.Store.Read(ctx, func(tx *kernel.Tx) error { return r.count(tx, zone) }); err != nil {
		end()
		return nil, err
	}
	return end, nil
}

func (r *recount) count(tx *kernel.Tx, zone string) error {
	r.zone, r.lines, r.open, r.least, r.last = zone, map[ReportLine]*Tally{}, map[kernel.ID]bool{}, 0, 0
	loaded, invalid := kernel.LoadZone("timezone", zone)
	if invalid != nil {
		return invalid
	}
	return eachReported(tx, r.Company, selectReported, r.args(), func(att *talk.Attendance) {
		r.least, r.last = min(r.least, att.Number), max(r.last, att.Number)
		if att.ClosedAt == nil || tx.Now.Sub(*att.ClosedAt) <= 2*talk.ReopenWithin {
			r.open[att.ID] = true
		} else {
			r.add(att, loaded)
		}
	})
}

func (r *recount) add(att *talk.Attendance, zone *time.Location) {
	for _, figure := range reportFigures(att) {
		e := reportEntry(att, figure)
		t := tallyOf(r.lines, e.Line(zone))
		switch figure {
		case ReportOpened:
			t.Opened++
		case ReportAnswered:
			t.Answers.Add(e.Seconds)
		case ReportClosed:
			t.Closings.Add(e.Seconds)
		}
	}
}

// Finish counts the other attendances and writes the report.
func (r *recount) Finish(tx *kernel.Tx) error {
	// Transactions that changed an attendance and have not committed wait, and then add to what this one writes.
	lockReport(tx, r.Company, "pg_advisory_xact_lock")
	c, err := reportedCompany(tx, r.Company)
	if err != nil {
		return err
	}
	if r.zone != c.Timezone { // changed by another call, or the transaction is retried
		if err := r.count(tx, c.Timezone); err != nil {
			return err
		}
	}
	r.zone = "" // a retry must count again
	zone, invalid := kernel.LoadZone("timezone", c.Timezone)
	if invalid != nil {
		return invalid
	}
	if err := r.unsettled(tx, func(att *talk.Attendance) { r.add(att, zone) }); err != nil {
		return err
	}
	lines := make(map[ReportLine]ReportCounts, len(r.lines))
	for line, t := range r.lines {
		lines[line] = ReportCounts{
			Opened:   t.Opened,
			Answered: t.Answers.Count, AnswerSeconds: t.Answers.Seconds, AnswerSketch: t.Answers.Sketch.Encode(),
			Closed: t.Closings.Count, CloseSeconds: t.Closings.Seconds, CloseSketch: t.Closings.Sketch.Encode(),
		}
	}
	return replaceReport(tx, r.Company, lines)
}

// reportFigures returns the figures in which an attendance counts.
func reportFigures(att *talk.Attendance) []ReportFigure {
	figures := []ReportFigure{ReportOpened}
	if att.FirstResponseAt != nil {
		figures = append(figures, ReportAnswered)
	}
	if att.ClosedAt != nil {
		figures = append(figures, ReportClosed)
	}
	return figures
}

// reportEntry returns what an attendance adds to one figure. Durations are not negative, even if the clock was set back.
func reportEntry(att *talk.Attendance, figure ReportFigure) ReportEntry {
	at := att.OpenedAt
	switch figure {
	case ReportAnswered:
		at = *att.FirstResponseAt
	case ReportClosed:
		at = *att.ClosedAt
	}
	e := ReportEntry{
		Company: att.Company, Member: kernel.MaxID, Sector: kernel.MaxID, At: at.UnixMilli(),
		Figure: figure, Seconds: max(0, int64(at.Sub(att.OpenedAt)/time.Second)),
	}
	kernel.Set(&e.Member, kernel.RefID(att.Responsible))
	kernel.Set(&e.Sector, att.Sector)
	return e
}

// ReportFilter selects the attendances of a report. See AttendanceReport for the default days.
type ReportFilter struct {
	From, To *kernel.Date
	Sector   *kernel.ID
	User     *kernel.ID
}

// AttendanceReport returns the figures of a range of days, including both ends. Without days it has the last 30. With only From
// it ends today, or after 366 days; with only To it has 30 days. Its cost grows with days, members and sectors, not with
// attendances. It needs the scope and no role: a key with reports:read reads the figures of the whole company.
func (d *Reports) AttendanceReport(ctx context.Context, a *kernel.Principal, f ReportFilter) (Report, error) {
	release, err := d.queries.Begin(ctx, a)
	if err != nil {
		return Report{}, err
	}
	defer release()
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (Report, error) {
		zone, err := people.Zone(tx, a.Company.ID)
		if err != nil {
			return Report{}, err
		}
		from, to, err := f.days(kernel.DateOf(tx.Now, zone))
		if err != nil {
			return Report{}, err
		}
		sum := &reportSum{from: from, to: to, days: make([]Tally, from.DaysUntil(to)+1), pairs: map[reportPair]*Tally{}}
		if !isPlaceholder(f.User) && !isPlaceholder(f.Sector) {
			if err := reportLines(tx, a.Company.ID, from.Number(), to.Number(), f.User, f.Sector, sum.add); err != nil {
				return Report{}, err
			}
		}
		names, err := reportNames(tx, a.Company.ID)
		if err != nil {
			return Report{}, err
		}
		report := sum.report(names)
		report.Timezone = a.Company.Timezone
		report.Previous, err = f.previous(tx, a.Company.ID, from, from.DaysUntil(to)+1)
		return report, err
	})
}

// previous returns the totals of a number of days before a day.
func (f ReportFilter) previous(tx *kernel.Tx, company kernel.ID, day kernel.Date, days int) (PreviousReport, error) {
	from, to := day.AddDays(-days), day.AddDays(-1)
	sum := &reportSum{from: from, to: to, days: make([]Tally, days), pairs: map[reportPair]*Tally{}}
	if !isPlaceholder(f.User) && !isPlaceholder(f.Sector) {
		if err := reportLines(tx, company, from.Number(), to.Number(), f.User, f.Sector, sum.add); err != nil {
			return PreviousReport{}, err
		}
	}
	return PreviousReport{From: from.String(), To: to.String(), Totals: sum.report(nil).Totals}, nil
}

// days returns the range.
func (f ReportFilter) days(today kernel.Date) (from, to kernel.Date, err error) {
	switch {
	case f.From != nil && f.To != nil:
		from, to = *f.From, *f.To
	case f.From != nil:
		from, to = *f.From, today
		if last := from.AddDays(MaxReportDays - 1); last.Before(to) {
			to = last
		}
		if to.Before(from) {
			to = from // the caller's time zone may be ahead
		}
	case f.To != nil:
		from, to = f.To.AddDays(1-DefaultReportDays), *f.To
		if from.Year < 1 {
			from = kernel.Date{Year: 1, Month: 1, Day: 1}
		}
	default:
		from, to = today.AddDays(1-DefaultReportDays), today
	}
	switch {
	case to.Before(from):
		return from, to, kernel.Invalid("query.from", kernel.RuleWrongOrder, "must not be after to")
	case from.DaysUntil(to) >= MaxReportDays:
		return from, to, kernel.Invalid("query.to", rulePeriodTooLong, "must be within 366 days, including the day of from",
			kernel.Params{"max": MaxReportDays})
	}
	return from, to, nil
}

// isPlaceholder reports whether id means no member or no sector in the table.
func isPlaceholder(id *kernel.ID) bool { return id != nil && *id == kernel.MaxID }

// reportSum adds up lines by day and by pairs of member and sector. There are few pairs; they are summed by member and by
// sector at the end.
type reportSum struct {
	from, to kernel.Date
	days     []Tally // from the first day of the range on
	pairs    map[reportPair]*Tally
}

type reportPair struct{ member, sector kernel.ID }

func (s *reportSum) add(l ReportLine, c ReportCounts) error {
	day := &s.days[s.from.DaysUntil(kernel.DateNumbered(l.Day))]
	pair := tallyOf(s.pairs, reportPair{l.Member, l.Sector})
	for _, t := range [...]*Tally{day, pair} {
		t.Opened += c.Opened
		t.Answers.Count += c.Answered
		t.Answers.Seconds += c.AnswerSeconds
		t.Closings.Count += c.Closed
		t.Closings.Seconds += c.CloseSeconds
	}
	return cmp.Or(
		quantile.MergeEncoded(c.AnswerSketch, &day.Answers.Sketch, &pair.Answers.Sketch),
		quantile.MergeEncoded(c.CloseSketch, &day.Closings.Sketch, &pair.Closings.Sketch),
	)
}

func tallyOf[K comparable](tallies map[K]*Tally, key K) *Tally {
	t := tallies[key]
	if t == nil {
		t = new(Tally)
		tallies[key] = t
	}
	return t
}

func (s *reportSum) report(names map[kernel.ID]string) Report {
	out := Report{From: s.from.String(), To: s.to.String(), ByDay: make([]DayReport, 0, len(s.days))}
	var totals Tally
	for day := range s.from.Through(s.to) {
		t := &s.days[len(out.ByDay)]
		totals.Merge(t)
		out.ByDay = append(out.ByDay, DayReport{Date: day.String(), Figures: t.Figures()})
	}
	out.Totals = totals.Figures()
	people, sectors := map[kernel.ID]*Tally{}, map[kernel.ID]*Tally{}
	for pair, t := range s.pairs {
		tallyOf(people, pair.member).Merge(t)
		tallyOf(sectors, pair.sector).Merge(t)
	}
	for _, ref := range reportOrder(people, names) {
		out.ByPerson = append(out.ByPerson, PersonReport{User: refOrNil(ref), Figures: people[ref.ID].Figures()})
	}
	for _, ref := range reportOrder(sectors, names) {
		out.BySector = append(out.BySector, SectorReport{Sector: refOrNil(ref), Figures: sectors[ref.ID].Figures()})
	}
	return out
}

// reportOrder sorts members or sectors by opened attendances, then by name. The figures without a member come last. Those without
// figures are left out.
func reportOrder(tallies map[kernel.ID]*Tally, names map[kernel.ID]string) []kernel.Ref {
	maps.DeleteFunc(tallies, func(_ kernel.ID, t *Tally) bool { return t.IsZero() })
	refs := make([]kernel.Ref, 0, len(tallies))
	for id := range tallies {
		refs = append(refs, kernel.Ref{ID: id, Name: names[id]})
	}
	slices.SortFunc(refs, func(a, b kernel.Ref) int {
		switch {
		case a.ID == kernel.MaxID:
			return 1
		case b.ID == kernel.MaxID:
			return -1
		}
		return cmp.Or(
			cmp.Compare(tallies[b.ID].Opened, tallies[a.ID].Opened),
			strings.Compare(fold.Text(a.Name), fold.Text(b.Name)),
			kernel.CompareIDs(a.ID, b.ID),
		)
	})
	return refs
}

func refOrNil(ref kernel.Ref) *kernel.Ref {
	if ref.ID == kernel.MaxID {
		return nil
	}
	return &ref
}

// Tally adds up lines of the report: of a member, a sector, a day or all.
type Tally struct {
	Opened   int64
	Answers  Spans
	Closings Spans
}

// Spans adds up durations: their exact number and sum, and a sketch of their distribution.
type Spans struct {
	Count   int64
	Seconds int64
	Sketch  quantile.Sketch
}

// Figures returns the sums as the report shows them.
func (t *Tally) Figures() Figures {
	return Figures{Opened: t.Opened, Closed: t.Closings.Count, FirstResponse: t.Answers.times(), Resolution: t.Closings.times()}
}

// IsZero reports whether nothing was counted.
func (t *Tally) IsZero() bool { return t.Opened == 0 && t.Closings.Count == 0 && t.Answers.Count == 0 }

// Merge adds another tally.
func (t *Tally) Merge(other *Tally) {
	t.Opened += other.Opened
	t.Answers.merge(&other.Answers)
	t.Closings.merge(&other.Closings)
}

// Add counts one duration.
func (s *Spans) Add(seconds int64) {
	s.Count++
	s.Seconds += seconds
	s.Sketch.Add(seconds, 1)
}

func (s *Spans) merge(other *Spans) {
	s.Count += other.Count
	s.Seconds += other.Seconds
	s.Sketch.Merge(&other.Sketch)
}

func (s *Spans) times() Times {
	if s.Count <= 0 {
		return Times{}
	}
	average := float64(s.Seconds) / float64(s.Count)
	out := Times{Count: s.Count, AverageSeconds: &average}
	if median, ok := s.Sketch.Quantile(0.5); ok {
		p90, _ := s.Sketch.Quantile(0.9)
		out.MedianSeconds, out.P90Seconds = new(float64(median)), new(float64(p90))
	}
	return out
}
