package reports

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/people"
	"recado/internal/quantile"
	"recado/internal/talk"
)

// ReportLine is a row of the report: one day of one responsible person and sector. Member and Sector
// are kernel.MaxID where there is none.
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
	At      int64     // in milliseconds, as time.Time.UnixMilli gives them
	Figure  ReportFigure
	Seconds int64 // of an answer or a closing
}

// Line is the one that the entry counts in where days begin as in zone.
func (e *ReportEntry) Line(zone *time.Location) ReportLine {
	return ReportLine{Company: e.Company, Day: kernel.DateOf(time.UnixMilli(e.At), zone).Number(), Member: e.Member, Sector: e.Sector}
}

// ReportFigure is which figure of a line an entry counts in.
type ReportFigure byte

// The figures of a line.
const (
	ReportOpened ReportFigure = iota
	ReportAnswered
	ReportClosed
)

// addToReport counts an entry n times; a negative n takes it out again. Lines are written at the end of
// the transaction, after everything else and in one order for all, so that transactions wait for each
// other as briefly as can be and never in a circle. What cancels out is not written at all.
func addToReport(tx *kernel.Tx, e ReportEntry, n int64) {
	counted := kernel.Value[reportChanges](tx, reportKey{})
	if *counted == nil {
		*counted = make(reportChanges, 4)
		tx.BeforeCommit(func() error { return writeReport(tx, *counted) })
	}
	(*counted)[e] += n
}

// reportChanges are the changes of a transaction to the report.
type reportChanges map[ReportEntry]int64

// reportKey is the key of the reportChanges of a transaction.
type reportKey struct{}

func writeReport(tx *kernel.Tx, counted reportChanges) error {
	maps.DeleteFunc(counted, func(_ ReportEntry, n int64) bool { return n == 0 })
	if len(counted) == 0 {
		return nil
	}
	lines := make(map[ReportLine][]ReportEntry, len(counted))
	zones := map[kernel.ID]*time.Location{}
	for _, e := range slices.SortedFunc(maps.Keys(counted), func(a, b ReportEntry) int { return bytes.Compare(a.Company[:], b.Company[:]) }) {
		if zones[e.Company] == nil {
			// The zone is read only here, so that no entry of an earlier zone comes after a recount.
			lockReportWith(tx, e.Company, "pg_advisory_xact_lock_shared")
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
		if err := writeReportLine(tx, line, lines[line], counted); err != nil {
			return err
		}
	}
	return nil
}

// lockReportWith takes the lock of a company's report by a function of PostgreSQL: shared to add to it, alone to replace it.
// A transaction takes it last and locks nothing but lines of reports afterwards.
func lockReportWith(tx *kernel.Tx, company kernel.ID, function string) {
	if tx.Dialect().ConcurrentWrites() {
		tx.Later(`SELECT `+function+`($1)`, int64(binary.BigEndian.Uint64(company[8:]))+2)
	}
}

func (l ReportLine) compare(other ReportLine) int {
	return cmp.Or(
		bytes.Compare(l.Company[:], other.Company[:]),
		cmp.Compare(l.Day, other.Day),
		bytes.Compare(l.Member[:], other.Member[:]),
		bytes.Compare(l.Sector[:], other.Sector[:]),
	)
}

// writeReportLine adds entries to the line's counts and sums in one statement, which also makes the row
// where there was none and keeps it locked. Only durations need a look at what was there.
func writeReportLine(tx *kernel.Tx, line ReportLine, entries []ReportEntry, counted reportChanges) error {
	var counts, sums [3]int64
	for _, e := range entries {
		n := counted[e]
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
	var broken [2]error
	_, err := tx.One(upsert+` RETURNING answer_sketch, close_sketch`, args, func(r db.Row) {
		answers, broken[0] = quantile.Decode(r.Bytes(0))
		closings, broken[1] = quantile.Decode(r.Bytes(1))
	})
	if err = cmp.Or(err, broken[0], broken[1]); err != nil {
		return err
	}
	for _, e := range entries {
		// Taking out what was never put in changes nothing. It happens when a new edition of the time zone
		// data moves a day's border; a percentile that is wrong until a rebuild is better than a transfer that is refused.
		switch e.Figure {
		case ReportAnswered:
			answers.Add(e.Seconds, counted[e])
		case ReportClosed:
			closings.Add(e.Seconds, counted[e])
		}
	}
	tx.Later(`
		UPDATE report_days
		SET answer_sketch = $5, close_sketch = $6
		WHERE company = $1 AND day = $2 AND member = $3 AND sector = $4`,
		line.Company, line.Day, line.Member, line.Sector, answers.Encode(), closings.Encode())
	return nil
}

// ReportFilter says which lines of a company are asked for. Nil means all members, all sectors.
type reportCriteria struct {
	From, To int64 // kernel.Date.Number, both included
	Member   *kernel.ID
	Sector   *kernel.ID
}

// ReportCounts are the figures of one line. The sketches are as quantile.Sketch encodes them.
type ReportCounts struct {
	Opened        int64
	Answered      int64
	AnswerSeconds int64
	AnswerSketch  []byte
	Closed        int64
	CloseSeconds  int64
	CloseSketch   []byte
}

// reportLines calls each for every line of the company in the range, in no order that matters. The
// sketches are valid during the call only.
func reportLines(tx *kernel.Tx, company kernel.ID, f reportCriteria, each func(l ReportLine, c ReportCounts) error) error {
	sql := `
		SELECT day, member, sector, opened, answered, answer_seconds, answer_sketch, closed, close_seconds, close_sketch
		FROM report_days
		WHERE company = $1 AND day >= $2 AND day <= $3`
	args := []any{company, f.From, f.To}
	if f.Member != nil {
		args = append(args, *f.Member)
		sql += ` AND member = $4`
	}
	if f.Sector != nil {
		args = append(args, *f.Sector)
		sql += ` AND sector = $` + strconv.Itoa(len(args))
	}
	var answers, closings []byte
	return tx.Query(sql, args, func(r db.Row) error {
		answers, closings = r.AppendBytes(answers[:0], 6), r.AppendBytes(closings[:0], 9)
		return each(
			ReportLine{Company: company, Day: r.Int(0), Member: r.ID(1), Sector: r.ID(2)},
			ReportCounts{r.Int(3), r.Int(4), r.Int(5), answers, r.Int(7), r.Int(8), closings})
	})
}

// reportNames gives the names of all people and sectors the company has or had.
func reportNames(tx *kernel.Tx, company kernel.ID) (map[kernel.ID]string, error) {
	names := map[kernel.ID]string{}
	note := func(r db.Row) error {
		names[r.ID(0)] = r.Text(1)
		return nil
	}
	if err := tx.Query(`SELECT id, name FROM users WHERE company = $1`, []any{company}, note); err != nil {
		return nil, err
	}
	return names, tx.Query(`SELECT id, name FROM sectors WHERE company = $1`, []any{company}, note)
}

// lockReport keeps the transactions that add to the company's report waiting until the end of this one. One that changed
// an attendance and has not committed adds to what this one writes.
func lockReport(tx *kernel.Tx, company kernel.ID) {
	lockReportWith(tx, company, "pg_advisory_xact_lock")
}

const selectReported = `
	SELECT id, number, responsible, sector, opened_at, first_response_at, closed_at
	FROM attendances
	WHERE company = $1 AND channel NOT IN (SELECT x.id FROM channels x WHERE x.company = $1 AND x.private AND x.id <> $2) AND channel <> $3`

// Reported says whose attendances a report counts: those of the channels of a company that are public. Shown is a channel
// that is about to become public, Hidden one that is about to become private; zero: none.
type Reported struct {
	Company, Shown, Hidden kernel.ID
}

func (r Reported) args(more ...any) []any {
	return append([]any{r.Company, kernel.OrFirst(r.Shown), kernel.OrFirst(r.Hidden)}, more...)
}

// reportedAttendances calls each for every attendance that a report counts, with what the report counts of it.
func reportedAttendances(tx *kernel.Tx, of Reported, each func(a *talk.Attendance)) error {
	return eachReported(tx, of.Company, selectReported, of.args(), each)
}

// unsettledAttendances does so for those that may have changed since ReportedAttendances: the ones with a number
// outside of a range, and of the others those that are open or that were. The numbers of private channels go down.
func unsettledAttendances(tx *kernel.Tx, of Reported, least, last int64, wereOpen map[kernel.ID]bool, each func(a *talk.Attendance)) error {
	company := of.Company
	if err := eachReported(tx, company, selectReported+` AND (number > $4 OR number < $5)`, of.args(last, least), each); err != nil {
		return err
	}
	closed := maps.Clone(wereOpen)
	err := eachReported(tx, company, selectReported+` AND closed_at IS NULL AND number BETWEEN $5 AND $4`, of.args(last, least),
		func(a *talk.Attendance) {
			delete(closed, a.ID)
			each(a)
		})
	if err != nil {
		return err
	}
	for ids := range slices.Chunk(slices.Collect(maps.Keys(closed)), 200) {
		s := tx.Statement()
		for _, arg := range of.args() {
			s.Arg(arg)
		}
		s.WriteString(selectReported + " AND " + s.In("id", ids))
		if err := eachReported(tx, company, s.String(), s.Args, each); err != nil {
			return err
		}
	}
	return nil
}

func eachReported(tx *kernel.Tx, company kernel.ID, sql string, args []any, each func(a *talk.Attendance)) error {
	return tx.Query(sql, args, func(r db.Row) error {
		a := talk.Attendance{
			ID: r.ID(0), Company: company, Number: r.Int(1), Sector: r.NullID(3),
			OpenedAt: r.Time(4), FirstResponseAt: r.NullTime(5), ClosedAt: r.NullTime(6),
		}
		if member := r.NullID(2); member != nil {
			a.Responsible = &kernel.Ref{ID: *member}
		}
		each(&a)
		return nil
	})
}

// replaceReport makes lines the report of the company, which is locked. It writes only what is different, and leaves that in lines.
func replaceReport(tx *kernel.Tx, company kernel.ID, lines map[ReportLine]ReportCounts) error {
	var gone []ReportLine
	err := reportLines(tx, company, reportCriteria{From: math.MinInt64, To: math.MaxInt64}, func(l ReportLine, c ReportCounts) error {
		if want, stays := lines[l]; !stays {
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
		tx.Later(`DELETE FROM report_days WHERE company = $1 AND day = $2 AND member = $3 AND sector = $4`, company, l.Day, l.Member, l.Sector)
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

// setReportLine writes a line of a company's report.
func setReportLine(tx *kernel.Tx, l ReportLine, c ReportCounts) {
	tx.Later(`
		INSERT INTO report_days (company, day, member, sector, opened, answered, answer_seconds, answer_sketch, closed, close_seconds, close_sketch)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
		ON CONFLICT (company, day, member, sector) DO UPDATE
		SET opened = excluded.opened,
			answered = excluded.answered,
			answer_seconds = excluded.answer_seconds,
			answer_sketch = excluded.answer_sketch,
			closed = excluded.closed,
			close_seconds = excluded.close_seconds,
			close_sketch = excluded.close_sketch`,
		l.Company, l.Day, l.Member, l.Sector, c.Opened, c.Answered, c.AnswerSeconds, c.AnswerSketch, c.Closed, c.CloseSeconds, c.CloseSketch)
}
