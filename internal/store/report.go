package store

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"recado/internal/model"
	"recado/internal/quantile"
)

// ReportLine is a row of the report: one day of one responsible person and sector. Member and Sector
// are model.MaxID where there is none.
type ReportLine struct {
	Company model.ID
	Day     int64 // model.Date.Number
	Member  model.ID
	Sector  model.ID
}

// ReportEntry is what one attendance adds to one line.
type ReportEntry struct {
	Company model.ID
	Member  model.ID // model.MaxID: none
	Sector  model.ID // model.MaxID: none
	At      int64    // in milliseconds, as time.Time.UnixMilli gives them
	Figure  ReportFigure
	Seconds int64 // of an answer or a closing
}

// Line is the one that the entry counts in where days begin as in zone.
func (e *ReportEntry) Line(zone *time.Location) ReportLine {
	return ReportLine{Company: e.Company, Day: model.DateOf(time.UnixMilli(e.At), zone).Number(), Member: e.Member, Sector: e.Sector}
}

// ReportFigure is which figure of a line an entry counts in.
type ReportFigure byte

// The figures of a line.
const (
	ReportOpened ReportFigure = iota
	ReportAnswered
	ReportClosed
)

// AddToReport counts an entry n times; a negative n takes it out again. Lines are written at the end of
// the transaction, after everything else and in one order for all, so that transactions wait for each
// other as briefly as can be and never in a circle. What cancels out is not written at all.
func (tx *Tx) AddToReport(e ReportEntry, n int64) {
	if tx.report == nil {
		tx.report = make(map[ReportEntry]int64, 4)
	}
	tx.report[e] += n
}

func (tx *Tx) writeReport() error {
	maps.DeleteFunc(tx.report, func(_ ReportEntry, n int64) bool { return n == 0 })
	if len(tx.report) == 0 {
		return nil
	}
	lines := make(map[ReportLine][]ReportEntry, len(tx.report))
	zones := map[model.ID]*time.Location{}
	for _, e := range slices.SortedFunc(maps.Keys(tx.report), func(a, b ReportEntry) int { return bytes.Compare(a.Company[:], b.Company[:]) }) {
		if zones[e.Company] == nil {
			// The zone is read only here, so that no entry of an earlier zone comes after a recount.
			tx.lockReport(e.Company, "pg_advisory_xact_lock_shared")
			zone, err := tx.Zone(e.Company)
			if err != nil {
				return err
			}
			zones[e.Company] = zone
		}
		line := e.Line(zones[e.Company])
		lines[line] = append(lines[line], e)
	}
	for _, line := range slices.SortedFunc(maps.Keys(lines), ReportLine.compare) {
		if err := tx.writeReportLine(line, lines[line]); err != nil {
			return err
		}
	}
	return nil
}

// lockReport takes the lock of a company's report by a function of PostgreSQL: shared to add to it, alone to replace it.
// A transaction takes it last and locks nothing but lines of reports afterwards.
func (tx *Tx) lockReport(company model.ID, function string) {
	if tx.dialect().ConcurrentWrites() {
		tx.later(`SELECT `+function+`($1)`, int64(binary.BigEndian.Uint64(company[8:]))+2)
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
func (tx *Tx) writeReportLine(line ReportLine, entries []ReportEntry) error {
	var counts, sums [3]int64
	for _, e := range entries {
		n := tx.report[e]
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
		tx.later(upsert, args...)
		return nil
	}
	var answers, closings *quantile.Sketch
	var broken [2]error
	_, err := tx.one(upsert+` RETURNING answer_sketch, close_sketch`, args, func(r Row) {
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
			answers.Add(e.Seconds, tx.report[e])
		case ReportClosed:
			closings.Add(e.Seconds, tx.report[e])
		}
	}
	tx.later(`
		UPDATE report_days
		SET answer_sketch = $5, close_sketch = $6
		WHERE company = $1 AND day = $2 AND member = $3 AND sector = $4`,
		line.Company, line.Day, line.Member, line.Sector, answers.Encode(), closings.Encode())
	return nil
}

// ReportFilter says which lines of a company are asked for. Nil means all members, all sectors.
type ReportFilter struct {
	From, To int64 // model.Date.Number, both included
	Member   *model.ID
	Sector   *model.ID
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

// ReportLines calls each for every line of the company in the range, in no order that matters. The
// sketches are valid during the call only.
func (tx *Tx) ReportLines(company model.ID, f ReportFilter, each func(l ReportLine, c ReportCounts) error) error {
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
	return tx.query(sql, args, func(r Row) error {
		answers, closings = r.AppendBytes(answers[:0], 6), r.AppendBytes(closings[:0], 9)
		return each(
			ReportLine{Company: company, Day: r.Int(0), Member: r.ID(1), Sector: r.ID(2)},
			ReportCounts{r.Int(3), r.Int(4), r.Int(5), answers, r.Int(7), r.Int(8), closings})
	})
}

// ReportNames gives the names of all people and sectors the company has or had.
func (tx *Tx) ReportNames(company model.ID) (map[model.ID]string, error) {
	names := map[model.ID]string{}
	note := func(r Row) error {
		names[r.ID(0)] = r.Text(1)
		return nil
	}
	if err := tx.query(`SELECT id, name FROM users WHERE company = $1`, []any{company}, note); err != nil {
		return nil, err
	}
	return names, tx.query(`SELECT id, name FROM sectors WHERE company = $1`, []any{company}, note)
}

// LockReport keeps the transactions that add to the company's report waiting until the end of this one. One that changed
// an attendance and has not committed adds to what this one writes.
func (tx *Tx) LockReport(company model.ID) { tx.lockReport(company, "pg_advisory_xact_lock") }

const reportedAttendances = `
	SELECT id, number, responsible, sector, opened_at, first_response_at, closed_at
	FROM attendances
	WHERE company = $1 AND channel NOT IN (SELECT x.id FROM channels x WHERE x.company = $1 AND x.private AND x.id <> $2) AND channel <> $3`

// Reported says whose attendances a report counts: those of the channels of a company that are public. Shown is a channel
// that is about to become public, Hidden one that is about to become private; zero: none.
type Reported struct {
	Company, Shown, Hidden model.ID
}

func (r Reported) args(more ...any) []any {
	return append([]any{r.Company, orFirst(r.Shown), orFirst(r.Hidden)}, more...)
}

// ReportedAttendances calls each for every attendance that a report counts, with what the report counts of it.
func (tx *Tx) ReportedAttendances(of Reported, each func(a *model.Attendance)) error {
	return tx.reportedAttendances(of.Company, reportedAttendances, of.args(), each)
}

// UnsettledAttendances does so for those that may have changed since ReportedAttendances: the ones with a number
// outside of a range, and of the others those that are open or that were. The numbers of private channels go down.
func (tx *Tx) UnsettledAttendances(of Reported, least, last int64, wereOpen map[model.ID]bool, each func(a *model.Attendance)) error {
	company := of.Company
	if err := tx.reportedAttendances(company, reportedAttendances+` AND (number > $4 OR number < $5)`, of.args(last, least), each); err != nil {
		return err
	}
	closed := maps.Clone(wereOpen)
	err := tx.reportedAttendances(company, reportedAttendances+` AND closed_at IS NULL AND number BETWEEN $5 AND $4`, of.args(last, least),
		func(a *model.Attendance) {
			delete(closed, a.ID)
			each(a)
		})
	if err != nil {
		return err
	}
	for ids := range slices.Chunk(slices.Collect(maps.Keys(closed)), 200) {
		s := tx.statement()
		for _, arg := range of.args() {
			s.Arg(arg)
		}
		s.WriteString(reportedAttendances + " AND " + s.In("id", ids))
		if err := tx.reportedAttendances(company, s.String(), s.Args, each); err != nil {
			return err
		}
	}
	return nil
}

func (tx *Tx) reportedAttendances(company model.ID, sql string, args []any, each func(a *model.Attendance)) error {
	return tx.query(sql, args, func(r Row) error {
		a := model.Attendance{
			ID: r.ID(0), Company: company, Number: r.Int(1), Sector: r.NullID(3),
			OpenedAt: r.Time(4), FirstResponseAt: r.NullTime(5), ClosedAt: r.NullTime(6),
		}
		if member := r.NullID(2); member != nil {
			a.Responsible = &model.Ref{ID: *member}
		}
		each(&a)
		return nil
	})
}

// ReplaceReport makes lines the report of the company, which is locked. It writes only what is different, and leaves that in lines.
func (tx *Tx) ReplaceReport(company model.ID, lines map[ReportLine]ReportCounts) error {
	var gone []ReportLine
	err := tx.ReportLines(company, ReportFilter{From: math.MinInt64, To: math.MaxInt64}, func(l ReportLine, c ReportCounts) error {
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
		tx.later(`DELETE FROM report_days WHERE company = $1 AND day = $2 AND member = $3 AND sector = $4`, company, l.Day, l.Member, l.Sector)
	}
	for l, c := range lines {
		tx.SetReportLine(l, c)
	}
	return nil
}

func (c ReportCounts) equal(other ReportCounts) bool {
	return c.Opened == other.Opened && c.Answered == other.Answered && c.AnswerSeconds == other.AnswerSeconds &&
		c.Closed == other.Closed && c.CloseSeconds == other.CloseSeconds &&
		bytes.Equal(c.AnswerSketch, other.AnswerSketch) && bytes.Equal(c.CloseSketch, other.CloseSketch)
}

// SetReportLine writes a line of a company's report.
func (tx *Tx) SetReportLine(l ReportLine, c ReportCounts) {
	tx.later(`
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
