package reception

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/people"
)

// Hours are opening hours that a company, its channels and its sectors can use.
type Hours struct {
	ID         kernel.ID        `json:"id"`
	Name       string           `json:"name"`
	Timezone   string           `json:"timezone" doc:"The IANA name of the time zone of the periods." example:"America/Sao_Paulo"`
	Weekly     []WeeklyPeriod   `json:"weekly"`
	Exceptions []HoursException `json:"exceptions"`
	CreatedAt  time.Time        `json:"created_at"`
	UpdatedAt  time.Time        `json:"updated_at"`
}

// WeeklyPeriod is a time of the day on some days of the week.
type WeeklyPeriod struct {
	Days []string `json:"days" enum:"mon,tue,wed,thu,fri,sat,sun" minItems:"1" maxItems:"7"`
	From string   `json:"from" doc:"The start of the period, as HH:MM." example:"08:00"`
	To   string   `json:"to" doc:"The end of the period, as HH:MM, later than from; 24:00 is the end of the day." example:"12:00"`
}

// HoursException replaces the weekly periods on one date, or on that date of every year.
type HoursException struct {
	Date    string        `json:"date" doc:"A date such as 2026-12-24, or --12-25 for every year. A full date takes precedence over a yearly one." example:"2026-12-24"`
	Closed  bool          `json:"closed" required:"false" doc:"Whether it is closed all day."`
	Periods []HoursPeriod `json:"periods" required:"false" doc:"The opening times on that day; empty if it is closed."`
}

// HoursPeriod is a time of the day.
type HoursPeriod struct {
	From string `json:"from" example:"08:00"`
	To   string `json:"to" example:"12:00"`
}

// HoursStatus shows whether opening hours are open at a time, and when that changes.
type HoursStatus struct {
	Open       bool       `json:"open"`
	ClosesAt   *time.Time `json:"closes_at" doc:"The next closing time; null if currently closed, or if there is none within nine years."`
	NextOpenAt *time.Time `json:"next_open_at" doc:"The next opening time; null if currently open, or if there is none within nine years."`
}

// Holiday is a public holiday of one year.
type Holiday struct {
	Date     string `json:"date" example:"2026-12-25"`
	Yearly   bool   `json:"yearly" doc:"Whether the holiday has the same date every year, so that an exception can name it in the form --12-25."`
	Optional bool   `json:"optional" doc:"Whether the day is not a national holiday by law although many businesses close."`
	Key      string `json:"key" example:"christmas"`
	Name     string `json:"name" example:"Natal"`
}

// The limits of opening hours.
const (
	MaxHours           = 100 // of a company
	MaxHoursPeriods    = 50
	MaxHoursExceptions = 400
)

const countHours kernel.Countable = `SELECT COUNT(*) FROM hours WHERE company = $1`

// HoursChange lists the fields to change; nil fields stay as they are.
type HoursChange struct {
	Name       *string           `json:"name,omitempty" minLength:"1" maxLength:"120"`
	Timezone   *string           `json:"timezone,omitempty" minLength:"1" maxLength:"64"`
	Weekly     *[]WeeklyPeriod   `json:"weekly,omitempty" maxItems:"50" doc:"Replaces all periods."`
	Exceptions *[]HoursException `json:"exceptions,omitempty" maxItems:"400" doc:"Replaces all exceptions."`
}

// AllHours returns the company's opening hours by name.
func (d *Receptionist) AllHours(ctx context.Context, a *kernel.Principal) ([]Hours, error) {
	return kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) (all []Hours, err error) {
		err = tx.Query(`SELECT `+hoursColumns+` FROM hours h WHERE h.company = $1 ORDER BY h.name, h.id`,
			[]any{a.Company.ID}, func(r db.Row) error {
				h, err := scanHours(r)
				all = append(all, h)
				return err
			})
		return all, err
	})
}

// Hours returns one of the company's opening hours.
func (d *Receptionist) Hours(ctx context.Context, a *kernel.Principal, id kernel.ID) (Hours, error) {
	return kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) (Hours, error) { return findHours(tx, a.Company.ID, id, "") })
}

// HoursStatus returns whether opening hours are open at a time, and when that changes.
func (d *Receptionist) HoursStatus(ctx context.Context, a *kernel.Principal, id kernel.ID, at time.Time) (HoursStatus, error) {
	h, err := d.Hours(ctx, a, id)
	if err != nil {
		return HoursStatus{}, err
	}
	schedule, err := readHours(&h)
	if err != nil {
		return HoursStatus{}, err
	}
	return schedule.Status(at), nil
}

// readHours parses stored opening hours, which were validated when they were saved.
func readHours(h *Hours) (*Schedule, error) {
	schedule, invalid := Read("", h)
	if invalid != nil {
		return nil, fmt.Errorf("reception: stored opening hours %s: %w", h.ID, invalid)
	}
	return schedule, nil
}

// CreateHours creates opening hours. The default time zone is the company's.
func (d *Receptionist) CreateHours(ctx context.Context, a *kernel.Principal, in HoursChange) (Hours, error) {
	h := Hours{ID: kernel.NewID(), Timezone: a.Company.Timezone}
	if err := in.apply(&h); err != nil {
		return h, err
	}
	return kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (Hours, error) {
		h := h
		h.CreatedAt, h.UpdatedAt = tx.Now, tx.Now
		if err := kernel.CheckLimit(tx, a.Company.ID, countHours, "opening hours", MaxHours); err != nil {
			return h, err
		}
		tx.Later(`
			INSERT INTO hours (company, id, name, timezone, weekly, exceptions, created_at, updated_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`, a.Company.ID, h.ID, h.Name, h.Timezone,
			kernel.WriteList(h.Weekly), kernel.WriteList(h.Exceptions), h.CreatedAt, h.UpdatedAt)
		tx.AuditNoun(a, h.subject(), nil, h)
		return h, nil
	})
}

// UpdateHours changes opening hours.
func (d *Receptionist) UpdateHours(ctx context.Context, a *kernel.Principal, id kernel.ID, in HoursChange) (Hours, error) {
	if err := in.apply(&Hours{Name: "x", Timezone: kernel.DefaultZone}); err != nil { // validate before looking for the id
		return Hours{}, err
	}
	updated, err := kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (Hours, error) {
		h, err := findHours(tx, a.Company.ID, id, tx.ForUpdate())
		before := h
		if err = kernel.ErrOr(err, in.apply(&h)); err != nil {
			return h, err
		}
		h.UpdatedAt = tx.Now
		tx.AuditNoun(a, h.subject(), before, h)
		tx.Later(`
			UPDATE hours
			SET name = $3, timezone = $4, weekly = $5, exceptions = $6, updated_at = $7
			WHERE company = $1 AND id = $2`, a.Company.ID, h.ID, h.Name, h.Timezone,
			kernel.WriteList(h.Weekly), kernel.WriteList(h.Exceptions), h.UpdatedAt)
		people.MarkServiceLevels(tx, a.Company.ID)
		return h, nil
	})
	if err != nil {
		return updated, err
	}
	d.people.HoursChanged(ctx, a.Company.ID)
	return updated, nil
}

// subject returns the opening hours as the subject of an audit entry.
func (h *Hours) subject() kernel.AuditSubject { return kernel.NewAuditSubject("hours", h.ID, h.Name) }

// DeleteHours deletes opening hours that neither the company nor a channel or sector uses. Private channels that the caller may
// not see do not count, because an error would reveal them. They have no opening hours afterwards.
func (d *Receptionist) DeleteHours(ctx context.Context, a *kernel.Principal, id kernel.ID) error {
	err := d.Store.Write(ctx, func(tx *kernel.Tx) error {
		h, err := findHours(tx, a.Company.ID, id, tx.ForUpdate())
		if err != nil {
			return err
		}
		if used, err := hoursInUse(tx, a.Company.ID, id, a.Views); err != nil || used {
			return kernel.ErrOr(err, kernel.Errorf(kernel.CodeInUse,
				"The company, a channel or a sector uses these opening hours. Choose others there first."))
		}
		tx.Later(`UPDATE channels SET hours = NULL, updated_at = $3 WHERE company = $1 AND hours = $2`, a.Company.ID, id, tx.Now)
		tx.Later(`DELETE FROM hours WHERE company = $1 AND id = $2`, a.Company.ID, id)
		tx.AuditNoun(a, h.subject(), h, nil)
		people.MarkServiceLevels(tx, a.Company.ID)
		return nil
	})
	if err != nil {
		return err
	}
	d.people.HoursChanged(ctx, a.Company.ID)
	return nil
}

// apply validates a change and makes it.
func (in *HoursChange) apply(h *Hours) error {
	if err := kernel.CleanName("body.name", &in.Name); err != nil {
		return err
	}
	kernel.Set(&h.Name, in.Name)
	kernel.Set(&h.Timezone, in.Timezone)
	kernel.Set(&h.Weekly, in.Weekly)
	kernel.Set(&h.Exceptions, in.Exceptions)
	if _, invalid := Read("body.", h); invalid != nil {
		return invalid
	}
	return nil
}

// Holidays returns the public holidays of Brazil in a year; 0 means the current one.
func (d *Receptionist) Holidays(_ context.Context, a *kernel.Principal, year int) ([]Holiday, error) {
	if year == 0 {
		zone, invalid := kernel.LoadZone("timezone", a.Company.Timezone)
		if invalid != nil {
			return nil, invalid
		}
		year = d.Now().In(zone).Year()
	}
	return Brazil(year), nil
}

// horizon is the number of days that a schedule looks ahead: 29 February recurs within eight years.
const horizon = 9 * 366

// Schedule is the parsed form of opening hours. It is safe for concurrent use.
type Schedule struct {
	zone   *time.Location
	weekly [7][]span              // by time.Weekday
	dated  map[kernel.Date][]span // nil: closed
	yearly map[kernel.Date][]span // the year is 0
}

func (s *Schedule) readExceptions(field string, exceptions []HoursException) *kernel.Error {
	if len(exceptions) > MaxHoursExceptions {
		return kernel.TooMany(field, MaxHoursExceptions)
	}
	for i, e := range exceptions {
		at := fmt.Sprintf("%s[%d]", field, i)
		day, ok := readDate(e.Date)
		if !ok {
			return kernel.Malformed(at+".date", "day")
		}
		spans, invalid := readPeriods(at, &e)
		if invalid != nil {
			return invalid
		}
		days := s.dated
		if day.Year == 0 {
			days = s.yearly
		}
		if _, twice := days[day]; twice {
			return kernel.Duplicate(at+".date", "another exception has the same date")
		}
		days[day] = spans
	}
	return nil
}

func (s *Schedule) readWeekly(field string, weekly []WeeklyPeriod) *kernel.Error {
	if len(weekly) > MaxHoursPeriods {
		return kernel.TooMany(field, MaxHoursPeriods)
	}
	for i, p := range weekly {
		at := fmt.Sprintf("%s[%d]", field, i)
		period, invalid := readSpan(at, p.From, p.To)
		if invalid != nil {
			return invalid
		}
		if len(p.Days) == 0 {
			return kernel.TooFew(at+".days", 1)
		}
		for k, name := range p.Days {
			day, known := weekdays[name]
			if !known {
				return kernel.OneOf(fmt.Sprintf("%s.days[%d]", at, k), "mon", "tue", "wed", "thu", "fri", "sat", "sun")
			}
			if overlaps(s.weekly[day], period) {
				return kernel.Invalid(at, ruleOverlap, "overlaps another period on "+name, kernel.Params{"day": name})
			}
			s.weekly[day] = append(s.weekly[day], period)
		}
	}
	return nil
}

// span is a period of a day in minutes. Its end is exclusive.
type span struct{ from, to int }

// Read parses opening hours. An error names the field with a prefix such as "body.".
func Read(prefix string, h *Hours) (*Schedule, *kernel.Error) {
	zone, invalid := kernel.LoadZone(prefix+"timezone", h.Timezone)
	if invalid != nil {
		return nil, invalid
	}
	s := &Schedule{zone: zone, dated: map[kernel.Date][]span{}, yearly: map[kernel.Date][]span{}}
	if invalid := s.readWeekly(prefix+"weekly", h.Weekly); invalid != nil {
		return nil, invalid
	}
	if invalid := s.readExceptions(prefix+"exceptions", h.Exceptions); invalid != nil {
		return nil, invalid
	}
	return s, nil
}

// spansOn returns the spans of the date itself, of that date in every year, or of the day of the week.
func (s *Schedule) spansOn(d kernel.Date) []span {
	if spans, found := s.dated[d]; found {
		return spans
	}
	if spans, found := s.yearly[kernel.Date{Month: d.Month, Day: d.Day}]; found {
		return spans
	}
	return s.weekly[d.StartOfDay(time.UTC).Weekday()]
}

// stretch is a time during which the hours are open. Its end is exclusive.
type stretch struct{ from, to time.Time }

// stretches returns the open times of a date. For a time that the clocks skip it uses the moment of the change. For one that they
// show twice a period begins at the first and ends at the second.
func (s *Schedule) stretches(d kernel.Date) []stretch {
	spans := s.spansOn(d)
	out := make([]stretch, 0, len(spans))
	for _, p := range spans {
		from, _ := s.instants(d, p.from)
		_, to := s.instants(d, p.to)
		if from.Before(to) {
			out = append(out, stretch{from, to})
		}
	}
	return out
}

// instants returns the first and the last moment at which clocks show a minute of a date. If the clocks skip it, both are the
// moment of the change.
func (s *Schedule) instants(d kernel.Date, minute int) (first, last time.Time) {
	shown := time.Date(d.Year, d.Month, d.Day, 0, minute, 0, 0, time.UTC)
	early, late := shown.Add(-26*time.Hour), shown.Add(26*time.Hour)
	before, after := s.offset(early), s.offset(late)
	a, b := shown.Add(-before), shown.Add(-after)
	aShows, bShows := s.offset(a) == before, s.offset(b) == after
	switch {
	case aShows && bShows && b.Before(a):
		return b, a
	case aShows && bShows:
		return a, b
	case aShows:
		return a, a
	case bShows:
		return b, b
	}
	for late.Sub(early) > time.Second { // find the change between the two
		middle := early.Add(late.Sub(early) / 2)
		if s.offset(middle) == before {
			early = middle
		} else {
			late = middle
		}
	}
	moment := late.Truncate(time.Second)
	return moment, moment
}

func (s *Schedule) offset(at time.Time) time.Duration {
	_, seconds := at.In(s.zone).Zone()
	return time.Duration(seconds) * time.Second
}

// Open reports whether the hours are open at a time.
func (s *Schedule) Open(at time.Time) bool {
	today := kernel.DateOf(at, s.zone)
	for day := -1; day <= 1; day++ { // clocks that are set back at midnight repeat a date
		for _, open := range s.stretches(today.AddDays(day)) {
			if !at.Before(open.from) && at.Before(open.to) {
				return true
			}
		}
	}
	return false
}

// Add returns the first moment at which the hours have been open for a duration since start. It reports false if they are not
// open for that long within nine years.
func (s *Schedule) Add(start time.Time, open time.Duration) (time.Time, bool) {
	if open <= 0 || !s.everOpens() {
		return start, open <= 0
	}
	first := kernel.DateOf(start, s.zone).AddDays(-1) // clocks that are set back at midnight repeat a date
	for day := range horizon {
		today := s.stretches(first.AddDays(day))
		slices.SortFunc(today, func(a, b stretch) int { return a.from.Compare(b.from) })
		for _, o := range today { // those of two days may overlap when the clocks are set back
			if o.from.After(start) {
				start = o.from
			}
			left := o.to.Sub(start)
			if left >= open {
				return start.Add(open).UTC(), true
			}
			if left > 0 {
				start, open = o.to, open-left
			}
		}
	}
	return start, false
}

// everOpens reports whether there is a day with opening times.
func (s *Schedule) everOpens() bool {
	for _, spans := range s.weekly {
		if len(spans) > 0 {
			return true
		}
	}
	for _, days := range []map[kernel.Date][]span{s.dated, s.yearly} {
		for _, spans := range days {
			if len(spans) > 0 {
				return true
			}
		}
	}
	return false
}

// Status returns whether the hours are open at a time, and when that changes.
func (s *Schedule) Status(at time.Time) HoursStatus {
	if s.Open(at) {
		return HoursStatus{Open: true, ClosesAt: s.closesAt(at)}
	}
	return HoursStatus{NextOpenAt: s.NextOpenAt(at)}
}

// closesAt returns when hours that are open at a time close. Adjacent periods count as one.
func (s *Schedule) closesAt(at time.Time) *time.Time {
	first := kernel.DateOf(at, s.zone).AddDays(-1)
	end := at
	for day := range horizon {
		open := s.stretches(first.AddDays(day))
		slices.SortFunc(open, func(a, b stretch) int { return a.from.Compare(b.from) })
		for _, o := range open {
			switch {
			case !o.to.After(end):
			case !o.from.After(end):
				end = o.to
			default:
				return new(end.UTC())
			}
		}
		if day > 1 && len(open) == 0 {
			return new(end.UTC())
		}
	}
	return nil
}

// NextOpenAt returns the next time when the hours open, or nil if they do not within nine years.
func (s *Schedule) NextOpenAt(at time.Time) *time.Time {
	first := kernel.DateOf(at, s.zone).AddDays(-1)
	for day := range horizon {
		var next *time.Time
		for _, o := range s.stretches(first.AddDays(day)) {
			if o.from.After(at) && (next == nil || o.from.Before(*next)) && !s.Open(o.from.Add(-time.Millisecond)) {
				next = new(o.from.UTC())
			}
		}
		if next != nil {
			return next
		}
	}
	return nil
}

var weekdays = map[string]time.Weekday{
	"mon": time.Monday, "tue": time.Tuesday, "wed": time.Wednesday, "thu": time.Thursday, "fri": time.Friday, "sat": time.Saturday,
	"sun": time.Sunday,
}

// ruleOverlap rejects overlapping periods of a day. The parameter is the day, if it is known.
var ruleOverlap = kernel.NewRule("overlap")

// readPeriods parses the periods of an exception.
func readPeriods(field string, e *HoursException) ([]span, *kernel.Error) {
	switch {
	case e.Closed && len(e.Periods) > 0:
		return nil, kernel.NotTogether(field+".periods", "must be empty when closed is true", "closed")
	case !e.Closed && len(e.Periods) == 0:
		return nil, kernel.Needs(field, "must have closed: true or periods", "closed", "periods")
	case len(e.Periods) > MaxHoursPeriods:
		return nil, kernel.TooMany(field+".periods", MaxHoursPeriods)
	}
	var spans []span
	for k, p := range e.Periods {
		at := fmt.Sprintf("%s.periods[%d]", field, k)
		period, invalid := readSpan(at, p.From, p.To)
		if invalid != nil {
			return nil, invalid
		}
		if overlaps(spans, period) {
			return nil, kernel.Invalid(at, ruleOverlap, "overlaps another period of the same day")
		}
		spans = append(spans, period)
	}
	return spans, nil
}

func overlaps(spans []span, p span) bool {
	return slices.ContainsFunc(spans, func(o span) bool { return p.from < o.to && o.from < p.to })
}

func readSpan(field, from, to string) (span, *kernel.Error) {
	begin, ok := readClock(from)
	if !ok || begin == endOfDay {
		return span{}, kernel.Malformed(field+".from", "clock")
	}
	end, ok := readClock(to)
	if !ok {
		return span{}, kernel.Malformed(field+".to", "clock")
	}
	if begin >= end {
		return span{}, kernel.Invalid(field+".to", kernel.RuleWrongOrder,
			"must be later than from; write a period over midnight as two")
	}
	return span{begin, end}, nil
}

// endOfDay is 24:00 in minutes.
const endOfDay = 24 * 60

// readClock parses HH:MM as minutes, up to 24:00.
func readClock(s string) (int, bool) {
	if len(s) != 5 || s[2] != ':' {
		return 0, false
	}
	hour, ok := digits(s[:2])
	minute, ok2 := digits(s[3:])
	at := hour*60 + minute
	return at, ok && ok2 && minute < 60 && at <= endOfDay
}

// readDate parses YYYY-MM-DD, or --MM-DD as a date of the year 0.
func readDate(s string) (kernel.Date, bool) {
	monthDay, yearly := strings.CutPrefix(s, "--")
	if !yearly {
		return kernel.ParseDate(s)
	}
	d, ok := kernel.ParseDate("2000-" + monthDay) // a leap year
	d.Year = 0
	return d, ok
}

// digits parses a number that consists of digits only.
func digits(s string) (int, bool) {
	n, err := strconv.ParseUint(s, 10, 31)
	return int(n), err == nil
}

// Brazil returns the national holidays of Brazil in a year, and other days on which many businesses are closed, in the order of
// their dates.
func Brazil(year int) []Holiday {
	easter := Easter(year)
	out := []Holiday{}
	yearly := func(month time.Month, day int, key, name string) {
		out = append(out, Holiday{Date: fmt.Sprintf("%04d-%02d-%02d", year, month, day), Yearly: true, Key: key, Name: name})
	}
	movable := func(days int, optional bool, key, name string) {
		out = append(out, Holiday{Date: easter.AddDate(0, 0, days).Format(time.DateOnly), Optional: optional, Key: key, Name: name})
	}
	yearly(time.January, 1, "new_year", "Confraternização Universal")
	movable(-48, true, "carnival_monday", "Carnaval (segunda-feira)")
	movable(-47, true, "carnival_tuesday", "Carnaval (terça-feira)")
	movable(-2, false, "good_friday", "Sexta-feira Santa")
	yearly(time.April, 21, "tiradentes", "Tiradentes")
	yearly(time.May, 1, "labour_day", "Dia do Trabalho")
	movable(60, true, "corpus_christi", "Corpus Christi")
	yearly(time.September, 7, "independence", "Independência do Brasil")
	yearly(time.October, 12, "our_lady_of_aparecida", "Nossa Senhora Aparecida")
	yearly(time.November, 2, "all_souls", "Finados")
	yearly(time.November, 15, "republic", "Proclamação da República")
	if year >= 2024 {
		yearly(time.November, 20, "black_awareness", "Dia Nacional de Zumbi e da Consciência Negra")
	}
	yearly(time.December, 25, "christmas", "Natal")
	slices.SortFunc(out, func(a, b Holiday) int { return cmp.Compare(a.Date, b.Date) })
	return out
}

// Easter returns Easter Sunday of a year by the Meeus/Jones/Butcher algorithm.
func Easter(year int) time.Time {
	a, b, c := year%19, year/100, year%100
	d, e := b/4, b%4
	g := (8*b + 13) / 25
	h := (19*a + b - d - g + 15) % 30
	i, k := c/4, c%4
	l := (32 + 2*e + 2*i - h - k) % 7
	m := (a + 11*h + 22*l) / 451
	n := h + l - 7*m + 114
	return time.Date(year, time.Month(n/31), n%31+1, 0, 0, 0, 0, time.UTC)
}
