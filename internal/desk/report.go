package desk

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"recado/internal/fold"
	"recado/internal/model"
	"recado/internal/quantile"
	"recado/internal/store"
)

// The manager report is kept up to date by the transactions that change an attendance: each calls one of
// the four verbs below, in any order, with the attendance as it is right after its own change. All that
// is counted of an attendance stands under its present responsible person and sector. Private
// attendances are in no report.

// reportOpened counts a new attendance.
func (d *Desk) reportOpened(tx *store.Tx, att *model.Attendance) error {
	return d.report(tx, att, 1, store.ReportOpened)
}

// reportAnswered counts the first response, once att.FirstResponseAt is set.
func (d *Desk) reportAnswered(tx *store.Tx, att *model.Attendance) error {
	return d.report(tx, att, 1, store.ReportAnswered)
}

// reportMoved takes what was counted of an open attendance from one responsible person and sector to
// another. before is the attendance as the last call saw it: its first response moves too, if it has one.
func (d *Desk) reportMoved(tx *store.Tx, before, after *model.Attendance) error {
	figures := reportFigures(before)
	now := *before
	now.Responsible, now.Sector = after.Responsible, after.Sector
	if err := d.report(tx, before, -1, figures...); err != nil {
		return err
	}
	return d.report(tx, &now, 1, figures...)
}

// reportClosed counts the closing, once att.ClosedAt is set.
func (d *Desk) reportClosed(tx *store.Tx, att *model.Attendance) error {
	return d.report(tx, att, 1, store.ReportClosed)
}

func (d *Desk) report(tx *store.Tx, att *model.Attendance, n int64, figures ...store.ReportFigure) error {
	if att.Private {
		return nil
	}
	for _, figure := range figures {
		tx.AddToReport(reportEntry(att, figure), n)
	}
	return nil
}

// RebuildReport counts a company's attendances afresh and puts that in place of what its report says. It
// is for the operator, and repairs what a change of time zone data has put on the wrong day.
func (d System) RebuildReport(ctx context.Context, company model.ID) error {
	r := &recount{Reported: store.Reported{Company: company}}
	_, err := read(ctx, d.Desk, func(tx *store.Tx) (struct{}, error) {
		c, found, err := tx.Company(company)
		if err != nil || !found {
			return struct{}{}, errOr(err, model.NotFound("company"))
		}
		return struct{}{}, r.begin(tx, c.Timezone)
	})
	if err != nil {
		return err
	}
	return d.store.Write(ctx, r.finish)
}

// recount counts a company's report afresh: most of it on a snapshot, beside all writers, and the rest in the
// transaction that writes it, for which the company's own changes of attendances wait. A closed attendance does not
// change any more, so that the rest are those that are open, were open or are new.
type recount struct {
	store.Reported
	zone  string // in whose days it counts
	lines map[store.ReportLine]*model.Tally
	open  map[model.ID]bool // attendances that lines do not count
	least int64             // the lowest number of an attendance
	last  int64             // and the highest
}

// begin counts the closed attendances in the days of a time zone.
func (r *recount) begin(tx *store.Tx, zone string) error {
	r.zone, r.lines, r.open, r.least, r.last = zone, map[store.ReportLine]*model.Tally{}, map[model.ID]bool{}, 0, 0
	loaded, invalid := model.LoadZone("timezone", zone)
	if invalid != nil {
		return invalid
	}
	return tx.ReportedAttendances(r.Reported, func(att *model.Attendance) {
		r.least, r.last = min(r.least, att.Number), max(r.last, att.Number)
		if att.ClosedAt == nil {
			r.open[att.ID] = true
		} else {
			r.add(att, loaded)
		}
	})
}

func (r *recount) add(att *model.Attendance, zone *time.Location) {
	for _, figure := range reportFigures(att) {
		e := reportEntry(att, figure)
		t := tallyOf(r.lines, e.Line(zone))
		switch figure {
		case store.ReportOpened:
			t.Opened++
		case store.ReportAnswered:
			t.Answers.Add(e.Seconds)
		case store.ReportClosed:
			t.Closed++
			t.Closings.Add(e.Seconds)
		}
	}
}

// finish counts the rest and writes the report.
func (r *recount) finish(tx *store.Tx) error {
	tx.LockReport(r.Company)
	c, found, err := tx.Company(r.Company)
	if err != nil || !found {
		return errOr(err, model.NotFound("company"))
	}
	if r.zone != c.Timezone { // changed by another call meanwhile, or the database asked for a retry
		if err := r.begin(tx, c.Timezone); err != nil {
			return err
		}
	}
	r.zone = "" // lines are those of this attempt
	zone, invalid := model.LoadZone("timezone", c.Timezone)
	if invalid != nil {
		return invalid
	}
	if err := tx.UnsettledAttendances(r.Reported, r.least, r.last, r.open, func(att *model.Attendance) { r.add(att, zone) }); err != nil {
		return err
	}
	lines := make(map[store.ReportLine]store.ReportCounts, len(r.lines))
	for line, t := range r.lines {
		lines[line] = store.ReportCounts{
			Opened:   t.Opened,
			Answered: t.Answers.Count, AnswerSeconds: t.Answers.Seconds, AnswerSketch: t.Answers.Sketch.Encode(),
			Closed: t.Closed, CloseSeconds: t.Closings.Seconds, CloseSketch: t.Closings.Sketch.Encode(),
		}
	}
	return tx.ReplaceReport(r.Company, lines)
}

// reportFigures are those in which an attendance counts as it is now.
func reportFigures(att *model.Attendance) []store.ReportFigure {
	figures := []store.ReportFigure{store.ReportOpened}
	if att.FirstResponseAt != nil {
		figures = append(figures, store.ReportAnswered)
	}
	if att.ClosedAt != nil {
		figures = append(figures, store.ReportClosed)
	}
	return figures
}

// reportEntry is what an attendance adds to one figure: when, under whose name, how many whole
// seconds. A clock that was set back makes no negative durations.
func reportEntry(att *model.Attendance, figure store.ReportFigure) store.ReportEntry {
	at := att.OpenedAt
	switch figure {
	case store.ReportAnswered:
		at = *att.FirstResponseAt
	case store.ReportClosed:
		at = *att.ClosedAt
	}
	e := store.ReportEntry{
		Company: att.Company, Member: model.MaxID, Sector: model.MaxID, At: at.UnixMilli(),
		Figure: figure, Seconds: max(0, int64(at.Sub(att.OpenedAt)/time.Second)),
	}
	if att.Responsible != nil {
		e.Member = att.Responsible.ID
	}
	if att.Sector != nil {
		e.Sector = *att.Sector
	}
	return e
}

// ReportFilter says what a report is about. Absent days are chosen as AttendanceReport tells.
type ReportFilter struct {
	From, To *model.Date
	Sector   *model.ID
	User     *model.ID
}

// AttendanceReport gives the figures of a range of days, both ends included. Without any day it is the last
// 30; with from alone it ends today, or after 366 days; with to alone it has 30 days. Its cost grows with
// days, people and sectors, not with attendances. It needs the scope and no role: a key
// with reports:read reads the whole company's figures.
func (d *Desk) AttendanceReport(ctx context.Context, a *Principal, f ReportFilter) (model.Report, error) {
	if err := a.May(VerbAttendanceReport); err != nil {
		return model.Report{}, err
	}
	release, err := d.reports.begin(ctx, a)
	if err != nil {
		return model.Report{}, err
	}
	defer release()
	return read(ctx, d, func(tx *store.Tx) (model.Report, error) {
		zone, err := tx.Zone(a.Company.ID)
		if err != nil {
			return model.Report{}, err
		}
		from, to, err := f.days(model.DateOf(tx.Now, zone))
		if err != nil {
			return model.Report{}, err
		}
		sum := newReportSum(from, to)
		if !isPlaceholder(f.User) && !isPlaceholder(f.Sector) {
			lines := store.ReportFilter{From: from.Number(), To: to.Number(), Member: f.User, Sector: f.Sector}
			if err := tx.ReportLines(a.Company.ID, lines, sum.add); err != nil {
				return model.Report{}, err
			}
		}
		names, err := tx.ReportNames(a.Company.ID)
		if err != nil {
			return model.Report{}, err
		}
		report := sum.report(names)
		report.Timezone = a.Company.Timezone
		return report, nil
	})
}

// days settles the range.
func (f ReportFilter) days(today model.Date) (from, to model.Date, err error) {
	switch {
	case f.From != nil && f.To != nil:
		from, to = *f.From, *f.To
	case f.From != nil:
		from, to = *f.From, today
		if last := from.AddDays(model.MaxReportDays - 1); last.Before(to) {
			to = last
		}
		if to.Before(from) {
			to = from // the caller's time zone may be ahead
		}
	case f.To != nil:
		from, to = f.To.AddDays(1-model.DefaultReportDays), *f.To
		if from.Year < 1 {
			from = model.Date{Year: 1, Month: 1, Day: 1}
		}
	default:
		from, to = today.AddDays(1-model.DefaultReportDays), today
	}
	switch {
	case to.Before(from):
		return from, to, model.Invalid("query.from", "must not be after to")
	case from.DaysUntil(to) >= model.MaxReportDays:
		return from, to, model.Invalid("query.to", "must be within 366 days, including the day of from")
	}
	return from, to, nil
}

// isPlaceholder reports whether id is the one that stands for no person and no sector in the table.
func isPlaceholder(id *model.ID) bool { return id != nil && *id == model.MaxID }

// reportSum adds up lines by day, and by person and sector together: there are few such pairs, of which
// people and sectors are made at the end.
type reportSum struct {
	from, to model.Date
	days     []model.Tally // from the first day of the range on
	pairs    map[reportPair]*model.Tally
}

type reportPair struct{ member, sector model.ID }

func newReportSum(from, to model.Date) *reportSum {
	return &reportSum{from: from, to: to, days: make([]model.Tally, from.DaysUntil(to)+1), pairs: map[reportPair]*model.Tally{}}
}

func (s *reportSum) add(l store.ReportLine, c store.ReportCounts) error {
	day := &s.days[s.from.DaysUntil(model.DateNumbered(l.Day))]
	pair := tallyOf(s.pairs, reportPair{l.Member, l.Sector})
	for _, t := range [...]*model.Tally{day, pair} {
		t.Opened += c.Opened
		t.Closed += c.Closed
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

func tallyOf[K comparable](tallies map[K]*model.Tally, key K) *model.Tally {
	t := tallies[key]
	if t == nil {
		t = new(model.Tally)
		tallies[key] = t
	}
	return t
}

func (s *reportSum) report(names map[model.ID]string) model.Report {
	out := model.Report{From: s.from.String(), To: s.to.String(), ByDay: make([]model.DayReport, 0, len(s.days))}
	var totals model.Tally
	for day := range s.from.Through(s.to) {
		t := &s.days[len(out.ByDay)]
		totals.Merge(t)
		out.ByDay = append(out.ByDay, model.DayReport{Date: day.String(), Figures: t.Figures()})
	}
	out.Totals = totals.Figures()
	people, sectors := map[model.ID]*model.Tally{}, map[model.ID]*model.Tally{}
	for pair, t := range s.pairs {
		tallyOf(people, pair.member).Merge(t)
		tallyOf(sectors, pair.sector).Merge(t)
	}
	for _, ref := range reportOrder(people, names) {
		out.ByPerson = append(out.ByPerson, model.PersonReport{User: refOrNil(ref), Figures: people[ref.ID].Figures()})
	}
	for _, ref := range reportOrder(sectors, names) {
		out.BySector = append(out.BySector, model.SectorReport{Sector: refOrNil(ref), Figures: sectors[ref.ID].Figures()})
	}
	return out
}

// reportOrder puts those who opened the most first, then goes by name; figures without a person come last. People
// without any figure are left out.
func reportOrder(tallies map[model.ID]*model.Tally, names map[model.ID]string) []model.Ref {
	maps.DeleteFunc(tallies, func(_ model.ID, t *model.Tally) bool { return t.IsZero() })
	refs := make([]model.Ref, 0, len(tallies))
	for id := range tallies {
		refs = append(refs, model.Ref{ID: id, Name: names[id]})
	}
	slices.SortFunc(refs, func(a, b model.Ref) int {
		switch {
		case a.ID == model.MaxID:
			return 1
		case b.ID == model.MaxID:
			return -1
		}
		return cmp.Or(
			cmp.Compare(tallies[b.ID].Opened, tallies[a.ID].Opened),
			strings.Compare(fold.Text(a.Name), fold.Text(b.Name)),
			strings.Compare(a.ID.String(), b.ID.String()),
		)
	})
	return refs
}

func refOrNil(ref model.Ref) *model.Ref {
	if ref.ID == model.MaxID {
		return nil
	}
	return &ref
}
