package reports

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

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
		from, to, err := Days(f.From, f.To, kernel.DateOf(tx.Now, zone))
		if err != nil {
			return Report{}, err
		}
		names, err := reportNames(tx, a.Company.ID)
		if err != nil {
			return Report{}, err
		}
		sum := newReportSum(from, to)
		for _, kind := range []string{kindChannel, kindReason, kindLabel} {
			if err := f.lines(tx, a.Company.ID, kind, from, to, sum.add); err != nil {
				return Report{}, err
			}
		}
		for _, kind := range []string{kindHour, kindSurvey, kindSLA} {
			if err := f.counts(tx, a.Company.ID, kind, from, to, sum.count); err != nil {
				return Report{}, err
			}
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
	if from.Year < 1 { // there are no earlier days
		from, to = kernel.Date{Year: 1, Month: 1, Day: 1}, kernel.Date{Year: 1, Month: 1, Day: 1}
	}
	sum := newReportSum(from, to)
	err := f.lines(tx, company, kindChannel, from, to, sum.add)
	return PreviousReport{From: from.String(), To: to.String(), Totals: sum.report(nil).Totals}, err
}

// Days returns the days of a report; see AttendanceReport. first and last may be nil.
func Days(first, last *kernel.Date, today kernel.Date) (from, to kernel.Date, err error) {
	switch {
	case first != nil && last != nil:
		from, to = *first, *last
	case first != nil:
		from, to = *first, today
		if longest := from.AddDays(MaxReportDays - 1); longest.Before(to) {
			to = longest
		}
		if to.Before(from) {
			to = from // the caller's time zone may be ahead
		}
	case last != nil:
		from, to = last.AddDays(1-DefaultReportDays), *last
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

// reportSum adds up the lines of a report. There are few pairs of member and sector; they are summed by member and by sector at
// the end.
type reportSum struct {
	from, to kernel.Date
	days     []Tally // from the first day of the range on
	pairs    map[reportPair]*Tally
	byKind   map[string]map[kernel.ID]*Tally // by channel, closing reason and label
	hours    ByHour
	counts   map[string]int64 // by the key of surveys and service levels
}

type reportPair struct{ member, sector kernel.ID }

func newReportSum(from, to kernel.Date) *reportSum {
	s := &reportSum{from: from, to: to, days: make([]Tally, from.DaysUntil(to)+1), pairs: map[reportPair]*Tally{}, counts: map[string]int64{}}
	s.byKind = map[string]map[kernel.ID]*Tally{kindChannel: {}, kindReason: {}, kindLabel: {}}
	return s
}

func (s *reportSum) add(l ReportLine, c ReportCounts) error {
	id, _ := kernel.ParseID(l.Key)
	tallies := []*Tally{tallyOf(s.byKind[l.Kind], id)}
	if l.Kind == kindChannel {
		tallies = append(tallies, &s.days[s.from.DaysUntil(kernel.DateNumbered(l.Day))], tallyOf(s.pairs, reportPair{l.Member, l.Sector}))
	}
	answers, closings := make([]*quantile.Sketch, len(tallies)), make([]*quantile.Sketch, len(tallies))
	for i, t := range tallies {
		t.Opened += c.Opened
		t.Answers.Count += c.Answered
		t.Answers.Seconds += c.AnswerSeconds
		t.Closings.Count += c.Closed
		t.Closings.Seconds += c.CloseSeconds
		answers[i], closings[i] = &t.Answers.Sketch, &t.Closings.Sketch
	}
	return cmp.Or(quantile.MergeEncoded(c.AnswerSketch, answers...), quantile.MergeEncoded(c.CloseSketch, closings...))
}

// count adds a number of a kind that only counts.
func (s *reportSum) count(l ReportLine, n int64) {
	if l.Kind != kindHour {
		s.counts[l.Key] += n
		return
	}
	day := kernel.DateNumbered(l.Day)
	weekday := (int(time.Date(day.Year, day.Month, day.Day, 12, 0, 0, 0, time.UTC).Weekday()) + 6) % 7
	if hour, err := strconv.Atoi(l.Key); err == nil && hour >= 0 && hour < 24 {
		s.hours[weekday][hour] += n
	}
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
	out := Report{From: s.from.String(), To: s.to.String(), ByDay: make([]DayReport, 0, len(s.days)), ByHour: s.hours, Survey: s.survey(), SLA: s.sla()}
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
	channels, labels, reasons := s.byKind[kindChannel], s.byKind[kindLabel], s.byKind[kindReason]
	for _, ref := range reportOrder(channels, names) {
		out.ByChannel = append(out.ByChannel, ChannelReport{Channel: ref, Figures: channels[ref.ID].Figures()})
	}
	maps.DeleteFunc(labels, func(id kernel.ID, _ *Tally) bool { return names[id] == "" }) // deleted
	for _, ref := range reportOrder(labels, names) {
		out.ByLabel = append(out.ByLabel, LabelReport{Label: ref, Figures: labels[ref.ID].Figures()})
	}
	for _, t := range reasons { // what remains has no reason
		totals.subtract(t)
	}
	reasons[kernel.MaxID] = &totals
	for _, ref := range reportOrder(reasons, names) {
		out.ByReason = append(out.ByReason, ReasonReport{Reason: refOrNil(ref), Figures: reasons[ref.ID].Figures()})
	}
	return out
}

func (s *reportSum) survey() SurveyReport {
	out := SurveyReport{Sent: s.counts[countSent], Answered: s.counts[countAnswered], Skipped: s.counts[countSkipped]}
	var ratings, sum int64
	for i, n := range []*int64{&out.ByRating.One, &out.ByRating.Two, &out.ByRating.Three, &out.ByRating.Four, &out.ByRating.Five} {
		*n = s.counts[countRating(int64(i+1))]
		ratings += *n
		sum += *n * int64(i+1)
	}
	if ratings > 0 {
		out.Average = new(float64(sum) / float64(ratings))
		out.ShareSatisfied = new(float64(out.ByRating.Four+out.ByRating.Five) / float64(ratings))
	}
	return out
}

func (s *reportSum) sla() SLAReport {
	target := func(name string) TargetReport {
		return TargetReport{Met: s.counts[countTarget(name, talk.TargetMet)], Breached: s.counts[countTarget(name, talk.TargetBreached)]}
	}
	return SLAReport{First: target(targetFirst), Next: target(targetNext), Resolution: target(targetResolution)}
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

// subtract removes a tally of some of the same attendances.
func (t *Tally) subtract(other *Tally) {
	t.Opened -= other.Opened
	t.Answers.subtract(&other.Answers)
	t.Closings.subtract(&other.Closings)
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

func (s *Spans) subtract(other *Spans) {
	s.Count -= other.Count
	s.Seconds -= other.Seconds
	s.Sketch.Subtract(&other.Sketch)
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
