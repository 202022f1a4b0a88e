package reports

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"time"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/people"
	"recado/internal/quantile"
	"recado/internal/talk"
)

// ReportLine identifies a row of the report: one day of one responsible member and sector. Member and Sector are kernel.MaxID if
// there is none.
type ReportLine struct {
	Company kernel.ID
	Day     int64 // kernel.Date.Number
	Member  kernel.ID
	Sector  kernel.ID
}

// ReportEntry is what one attendance adds to one line.
type ReportEntry struct {
	Company kernel.ID
	Member  kernel.ID // kernel.MaxID: none
	Sector  kernel.ID // kernel.MaxID: none
	At      int64     // Unix milliseconds
	Figure  ReportFigure
	Seconds int64 // of a first response or a closing
}

// Line returns the line of the entry in a time zone.
func (e *ReportEntry) Line(zone *time.Location) ReportLine {
	day := kernel.DateOf(time.UnixMilli(e.At), zone)
	return ReportLine{Company: e.Company, Day: day.Number(), Member: e.Member, Sector: e.Sector}
}

// ReportFigure is a figure of a line.
type ReportFigure byte

// The figures of a line.
const (
	ReportOpened ReportFigure = iota
	ReportAnswered
	ReportClosed
)

// addToReport counts an entry n times; a negative n removes it. Lines are written at the end of the transaction, after
// everything else and in a fixed order, so that transactions wait for each other only briefly and without deadlocks. Entries
// that cancel out are not written.
func addToReport(tx *kernel.Tx, e ReportEntry, n int64) {
	changes := kernel.Value[reportChanges](tx, reportKey{})
	if *changes == nil {
		*changes = reportChanges{}
		tx.BeforeCommit(func() error { return writeReport(tx, *changes) })
	}
	(*changes)[e] += n
}

// reportChanges are the changes of a transaction to the report.
type reportChanges map[ReportEntry]int64

type reportKey struct{}

func writeReport(tx *kernel.Tx, changes reportChanges) error {
	maps.DeleteFunc(changes, func(_ ReportEntry, n int64) bool { return n == 0 })
	byCompany := func(a, b ReportEntry) int { return kernel.CompareIDs(a.Company, b.Company) }
	lines := map[ReportLine][]ReportEntry{}
	zones := map[kernel.ID]*time.Location{}
	for _, e := range slices.SortedFunc(maps.Keys(changes), byCompany) {
		if zones[e.Company] == nil {
			// The zone is read after the lock, so that no entry in an old zone follows a recount.
			lockReport(tx, e.Company, "pg_advisory_xact_lock_shared")
			zone, err := people.Zone(tx, e.Company)
			if err != nil {
				return err
			}
			zones[e.Company] = zone
		}
		line := e.Line(zones[e.Company])
		lines[line] = append(lines[line], e)
	}
	for _, line := range slices.SortedFunc(maps.Keys(lines), ReportLine.compare) {
		if err := writeReportLine(tx, line, lines[line], changes); err != nil {
			return err
		}
	}
	return nil
}

// lockReport locks a company's report with a function of PostgreSQL: shared to add to it, exclusive to replace it. A
// transaction takes this lock last and locks only lines of reports after it.
func lockReport(tx *kernel.Tx, company kernel.ID, function string) {
	if tx.Dialect().ConcurrentWrites() {
		tx.Later(`SELECT `+function+`($1)`, int64(binary.BigEndian.Uint64(company[8:]))+2)
	}
}

func (l ReportLine) compare(other ReportLine) int {
	return cmp.Or(
		kernel.CompareIDs(l.Company, other.Company),
		cmp.Compare(l.Day, other.Day),
		kernel.CompareIDs(l.Member, other.Member),
		kernel.CompareIDs(l.Sector, other.Sector),
	)
}

// writeReportLine adds entries to the counts and sums of a line in one statement, which also creates the row if necessary and
// locks it. Only the sketches of durations have to be read first.
func writeReportLine(tx *kernel.Tx, line ReportLine, entries []ReportEntry, changes reportChanges) error {
	var counts, sums [3]int64
	for _, e := range entries {
		n := changes[e]
		counts[e.Figure] += n
		sums[e.Figure] += n * e.Seconds
	}
	const upsert = `
		INSERT INTO report_days (company, day, member, sector, opened, answered, answer_seconds, closed, close_seconds)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
		ON CONFLICT (company, day, member, sector) DO UPDATE
		SET opened = report_days.opened + excluded.opened,
			answered = report_days.answered + excluded.answered,
			answer_seconds = report_days.answer_seconds + excluded.answer_seconds,
			closed = report_days.closed + excluded.closed,
			close_seconds = report_days.close_seconds + excluded.close_seconds`
	args := []any{
		line.Company, line.Day, line.Member, line.Sector,
		counts[ReportOpened], counts[ReportAnswered], sums[ReportAnswered], counts[ReportClosed], sums[ReportClosed],
	}
	if !slices.ContainsFunc(entries, func(e ReportEntry) bool { return e.Figure != ReportOpened }) {
		tx.Later(upsert, args...)
		return nil
	}
	var answers, closings *quantile.Sketch
	var answersErr, closingsErr error
	_, err := tx.One(upsert+` RETURNING answer_sketch, close_sketch`, args, func(r db.Row) {
		answers, answersErr = quantile.Decode(r.Bytes("answer_sketch"))
		closings, closingsErr = quantile.Decode(r.Bytes("close_sketch"))
	})
	if err = cmp.Or(err, answersErr, closingsErr); err != nil {
		return err
	}
	for _, e := range entries {
		// Removing a duration that was never added changes nothing. It happens when new time zone data moves the border of
		// a day. A wrong percentile until the next rebuild is better than a failed transfer.
		switch e.Figure {
		case ReportAnswered:
			answers.Add(e.Seconds, changes[e])
		case ReportClosed:
			closings.Add(e.Seconds, changes[e])
		}
	}
	tx.Later(`
		UPDATE report_days
		SET answer_sketch = $5, close_sketch = $6
		WHERE company = $1 AND day = $2 AND member = $3 AND sector = $4`,
		line.Company, line.Day, line.Member, line.Sector, answers.Encode(), closings.Encode())
	return nil
}

// ReportCounts are the figures of one line. The sketches are encoded by quantile.Sketch.
type ReportCounts struct {
	Opened        int64
	Answered      int64
	AnswerSeconds int64
	AnswerSketch  []byte
	Closed        int64
	CloseSeconds  int64
	CloseSketch   []byte
}

// reportLines calls each for every line of the company from one day to another, which are numbers of days. A nil member or sector
// means all.
func reportLines(
	tx *kernel.Tx, company kernel.ID, from, to int64, member, sector *kernel.ID, each func(l ReportLine, c ReportCounts) error,
) error {
	s := tx.Statement()
	s.WriteString(`
		SELECT day, member, sector, opened, answered, answer_seconds, answer_sketch, closed, close_seconds, close_sketch
		FROM report_days
		WHERE company = ` + s.Arg(company) + ` AND day >= ` + s.Arg(from) + ` AND day <= ` + s.Arg(to))
	if member != nil {
		s.And("member = " + s.Arg(*member))
	}
	if sector != nil {
		s.And("sector = " + s.Arg(*sector))
	}
	return tx.Query(s.String(), s.Args, func(r db.Row) error {
		return each(ReportLine{Company: company, Day: r.Int("day"), Member: r.ID("member"), Sector: r.ID("sector")}, ReportCounts{
			Opened: r.Int("opened"), Answered: r.Int("answered"), AnswerSeconds: r.Int("answer_seconds"), AnswerSketch: r.Bytes("answer_sketch"),
			Closed: r.Int("closed"), CloseSeconds: r.Int("close_seconds"), CloseSketch: r.Bytes("close_sketch"),
		})
	})
}

// reportNames returns the names of all members and sectors that the company has or had.
func reportNames(tx *kernel.Tx, company kernel.ID) (map[kernel.ID]string, error) {
	names := map[kernel.ID]string{}
	return names, tx.Query(`
		SELECT id, name FROM users WHERE company = $1
		UNION ALL
		SELECT id, name FROM sectors WHERE company = $1`, []any{company}, func(r db.Row) error {
		names[r.ID("id")] = r.Text("name")
		return nil
	})
}

const selectReported = `
	SELECT id, number, responsible, sector, opened_at, first_response_at, closed_at
	FROM attendances
	WHERE company = $1 AND channel <> $3
		AND channel NOT IN (SELECT x.id FROM channels x WHERE x.company = $1 AND x.private AND x.id <> $2)`

// Reported selects the attendances of a report: those of the company's public channels. Shown is a channel that is about to
// become public, Hidden one that is about to become private; zero: none.
type Reported struct {
	Company, Shown, Hidden kernel.ID
}

func (r Reported) args(more ...any) []any {
	return append([]any{r.Company, kernel.OrFirst(r.Shown), kernel.OrFirst(r.Hidden)}, more...)
}

// unsettled calls each for the attendances that may have changed since they were counted: those with a number outside the
// range, and of the others those that are open or were open. The numbers of private channels decrease.
func (r *recount) unsettled(tx *kernel.Tx, each func(a *talk.Attendance)) error {
	closed := maps.Clone(r.open)
	for _, which := range []string{` AND (number > $4 OR number < $5)`, ` AND closed_at IS NULL AND number BETWEEN $5 AND $4`} {
		err := eachReported(tx, r.Company, selectReported+which, r.args(r.last, r.least), func(a *talk.Attendance) {
			delete(closed, a.ID)
			each(a)
		})
		if err != nil {
			return err
		}
	}
	for ids := range slices.Chunk(slices.Collect(maps.Keys(closed)), 200) {
		s := tx.Statement()
		s.Args = r.args()
		s.WriteString(selectReported + " AND " + s.In("id", ids))
		if err := eachReported(tx, r.Company, s.String(), s.Args, each); err != nil {
			return err
		}
	}
	return nil
}

// eachReported calls each for the attendances of a query, with the fields that a report needs.
func eachReported(tx *kernel.Tx, company kernel.ID, sql string, args []any, each func(a *talk.Attendance)) error {
	return tx.Query(sql, args, func(r db.Row) error {
		a := talk.Attendance{
			ID: r.ID("id"), Company: company, Number: r.Int("number"), Sector: r.NullID("sector"),
			OpenedAt: r.Time("opened_at"), FirstResponseAt: r.NullTime("first_response_at"), ClosedAt: r.NullTime("closed_at"),
		}
		if !r.Null("responsible") {
			a.Responsible = &kernel.Ref{ID: r.ID("responsible")}
		}
		each(&a)
		return nil
	})
}

// replaceReport replaces the company's report, which is locked, by lines. It writes only the differences and deletes other
// lines from the map.
func replaceReport(tx *kernel.Tx, company kernel.ID, lines map[ReportLine]ReportCounts) error {
	var gone []ReportLine
	err := reportLines(tx, company, math.MinInt64, math.MaxInt64, nil, nil, func(l ReportLine, c ReportCounts) error {
		if want, ok := lines[l]; !ok {
			gone = append(gone, l)
		} else if want.equal(c) {
			delete(lines, l)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, l := range gone {
		tx.Later(`DELETE FROM report_days WHERE company = $1 AND day = $2 AND member = $3 AND sector = $4`,
			company, l.Day, l.Member, l.Sector)
	}
	for l, c := range lines {
		setReportLine(tx, l, c)
	}
	return nil
}

func (c ReportCounts) equal(other ReportCounts) bool {
	return c.Opened == other.Opened && c.Answered == other.Answered && c.AnswerSeconds == other.AnswerSeconds &&
		c.Closed == other.Closed && c.CloseSeconds == other.CloseSeconds &&
		bytes.Equal(c.AnswerSketch, other.AnswerSketch) && bytes.Equal(c.CloseSketch, other.CloseSketch)
}

func setReportLine(tx *kernel.Tx, l ReportLine, c ReportCounts) {
	tx.Later(`
		INSERT INTO report_days (company, day, member, sector, opened, answered, answer_seconds, answer_sketch, closed, close_seconds,
			close_sketch)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
		ON CONFLICT (company, day, member, sector) DO UPDATE
		SET opened = excluded.opened,
			answered = excluded.answered,
			answer_seconds = excluded.answer_seconds,
			answer_sketch = excluded.answer_sketch,
			closed = excluded.closed,
			close_seconds = excluded.close_seconds,
			close_sketch = excluded.close_sketch`,
		l.Company, l.Day, l.Member, l.Sector, c.Opened, c.Answered, c.AnswerSeconds, c.AnswerSketch, c.Closed, c.CloseSeconds,
		c.CloseSketch)
}
