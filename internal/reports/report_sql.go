package reports

import (
	"cmp"
	"encoding/binary"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/people"
	"recado/internal/quantile"
)

// ReportLine identifies a row of the report: one day of one responsible member and sector, and a channel, a closing reason, a
// label or a counter. Member and Sector are kernel.MaxID if there is none.
type ReportLine struct {
	Company kernel.ID
	Kind    string
	Day     int64 // kernel.Date.Number
	Member  kernel.ID
	Sector  kernel.ID
	Key     string
}

// ReportEntry is what one attendance adds to one line.
type ReportEntry struct {
	Company kernel.ID
	Kind    string
	Key     string    // empty for hours
	Member  kernel.ID // kernel.MaxID: none
	Sector  kernel.ID // kernel.MaxID: none
	At      int64     // Unix milliseconds
	Figure  ReportFigure
	Seconds int64 // of a first response or a closing
}

// Line returns the line of the entry in a time zone.
func (e *ReportEntry) Line(zone *time.Location) ReportLine {
	at := time.UnixMilli(e.At)
	l := ReportLine{Company: e.Company, Kind: e.Kind, Day: kernel.DateOf(at, zone).Number(), Member: e.Member, Sector: e.Sector, Key: e.Key}
	if e.Kind == kindHour {
		l.Key = strconv.Itoa(at.In(zone).Hour())
	}
	return l
}

// ReportFigure is a figure of a line.
type ReportFigure byte

// The figures of a line.
const (
	ReportOpened ReportFigure = iota
	ReportAnswered
	ReportClosed
)

// writeReport writes the changes of a transaction at its end, after everything else and in a fixed order, so that transactions
// wait for each other only briefly and without deadlocks. Entries that cancel out are not written.
func writeReport(tx *kernel.Tx, changes caseChanges) error {
	numbers := map[ReportEntry]int64{}
	for _, c := range changes {
		entries(c.before, func(e ReportEntry, n int64) { numbers[e] -= n })
		entries(c.after, func(e ReportEntry, n int64) { numbers[e] += n })
	}
	maps.DeleteFunc(numbers, func(_ ReportEntry, n int64) bool { return n == 0 })
	byCompany := func(a, b ReportEntry) int { return kernel.CompareIDs(a.Company, b.Company) }
	lines := map[ReportLine][]ReportEntry{}
	zones := map[kernel.ID]*time.Location{}
	for _, e := range slices.SortedFunc(maps.Keys(numbers), byCompany) {
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
	const batch = 8
	for some := range slices.Chunk(slices.SortedFunc(maps.Keys(lines), ReportLine.compare), batch) {
		if err := writeReportLines(tx, some, lines, numbers); err != nil {
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
		strings.Compare(l.Kind, other.Kind),
		cmp.Compare(l.Day, other.Day),
		kernel.CompareIDs(l.Member, other.Member),
		kernel.CompareIDs(l.Sector, other.Sector),
		strings.Compare(l.Key, other.Key),
	)
}

// writeReportLines adds entries to the counts and sums of lines in one statement, which also creates and locks the rows in the
// order of the lines. Only the sketches of durations have to be read first.
func writeReportLines(tx *kernel.Tx, lines []ReportLine, entries map[ReportLine][]ReportEntry, numbers map[ReportEntry]int64) error {
	s := tx.Statement()
	s.WriteString(`
		INSERT INTO report_lines (company, kind, day, member, sector, key, opened, answered, answer_seconds, closed, close_seconds)
		VALUES `)
	timed := false
	for i, l := range lines {
		var counts, sums [3]int64
		for _, e := range entries[l] {
			n := numbers[e]
			counts[e.Figure] += n
			sums[e.Figure] += n * e.Seconds
			timed = timed || e.Figure != ReportOpened
		}
		if i > 0 {
			s.WriteString(", ")
		}
		s.WriteString("(" + s.Arg(l.Company) + ", " + s.Arg(l.Kind) + ", " + s.Arg(l.Day) + ", " + s.Arg(l.Member) + ", " + s.Arg(l.Sector) + ", " +
			s.Arg(l.Key) + ", " + s.Arg(counts[ReportOpened]) + ", " + s.Arg(counts[ReportAnswered]) + ", " + s.Arg(sums[ReportAnswered]) + ", " +
			s.Arg(counts[ReportClosed]) + ", " + s.Arg(sums[ReportClosed]) + ")")
	}
	s.WriteString(`
		ON CONFLICT (company, kind, day, member, sector, key) DO UPDATE
		SET opened = report_lines.opened + excluded.opened,
			answered = report_lines.answered + excluded.answered,
			answer_seconds = report_lines.answer_seconds + excluded.answer_seconds,
			closed = report_lines.closed + excluded.closed,
			close_seconds = report_lines.close_seconds + excluded.close_seconds`)
	if !timed {
		tx.Later(s.String(), s.Args...)
		return nil
	}
	s.WriteString(" RETURNING company, kind, day, member, sector, key, answer_sketch, close_sketch")
	type sketches struct{ answers, closings *quantile.Sketch }
	stored := make(map[ReportLine]sketches, len(lines))
	err := tx.Query(s.String(), s.Args, func(r db.Row) error {
		answers, err := quantile.Decode(r.Bytes("answer_sketch"))
		closings, failed := quantile.Decode(r.Bytes("close_sketch"))
		stored[scanLine(r, r.ID("company"))] = sketches{answers, closings}
		return cmp.Or(err, failed)
	})
	if err != nil {
		return err
	}
	for _, l := range lines {
		changed, of := false, stored[l]
		for _, e := range entries[l] {
			// Removing a duration that was never added changes nothing. It happens when new time zone data moves the border of
			// a day. A wrong percentile until the next rebuild is better than a failed transfer.
			switch e.Figure {
			case ReportAnswered:
				changed = of.answers.Add(e.Seconds, numbers[e]) || changed
			case ReportClosed:
				changed = of.closings.Add(e.Seconds, numbers[e]) || changed
			}
		}
		if changed {
			tx.Later(`
				UPDATE report_lines
				SET answer_sketch = $7, close_sketch = $8
				WHERE company = $1 AND kind = $2 AND day = $3 AND member = $4 AND sector = $5 AND key = $6`,
				l.Company, l.Kind, l.Day, l.Member, l.Sector, l.Key, of.answers.Encode(), of.closings.Encode())
		}
	}
	return nil
}

func scanLine(r db.Row, company kernel.ID) ReportLine {
	return ReportLine{Company: company, Kind: r.Text("kind"), Day: r.Int("day"), Member: r.ID("member"), Sector: r.ID("sector"), Key: r.Text("key")}
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

const selectLines = `
	SELECT kind, day, member, sector, key, opened, answered, answer_seconds, answer_sketch, closed, close_seconds, close_sketch
	FROM report_lines`

func scanCounts(r db.Row) ReportCounts {
	return ReportCounts{
		Opened: r.Int("opened"), Answered: r.Int("answered"), AnswerSeconds: r.Int("answer_seconds"), AnswerSketch: r.Bytes("answer_sketch"),
		Closed: r.Int("closed"), CloseSeconds: r.Int("close_seconds"), CloseSketch: r.Bytes("close_sketch"),
	}
}

// lines calls each for every line of a kind and some days that matches the filter.
func (f ReportFilter) lines(
	tx *kernel.Tx, company kernel.ID, kind string, from, to kernel.Date, each func(l ReportLine, c ReportCounts) error,
) error {
	s := tx.Statement()
	s.WriteString(selectLines)
	if !f.where(s, company, kind, from, to) {
		return nil
	}
	return tx.Query(s.String(), s.Args, func(r db.Row) error { return each(scanLine(r, company), scanCounts(r)) })
}

// counts is lines for the kinds that only count. Lines of different members and sectors are added up.
func (f ReportFilter) counts(tx *kernel.Tx, company kernel.ID, kind string, from, to kernel.Date, each func(l ReportLine, n int64)) error {
	s := tx.Statement()
	s.WriteString("SELECT day, key, CAST(SUM(opened) AS BIGINT) AS total FROM report_lines")
	if !f.where(s, company, kind, from, to) {
		return nil
	}
	s.WriteString(" GROUP BY day, key")
	return tx.Query(s.String(), s.Args, func(r db.Row) error {
		each(ReportLine{Company: company, Kind: kind, Day: r.Int("day"), Key: r.Text("key")}, r.Int("total"))
		return nil
	})
}

// where adds the conditions of the filter. It returns false if nothing matches.
func (f ReportFilter) where(s *db.Statement, company kernel.ID, kind string, from, to kernel.Date) bool {
	s.WriteString(" WHERE company = " + s.Arg(company) + " AND kind = " + s.Arg(kind) +
		" AND day >= " + s.Arg(from.Number()) + " AND day <= " + s.Arg(to.Number()))
	if f.User != nil {
		s.And("member = " + s.Arg(*f.User))
	}
	if f.Sector != nil {
		s.And("sector = " + s.Arg(*f.Sector))
	}
	return !isPlaceholder(f.User) && !isPlaceholder(f.Sector)
}

// reportNames returns the names of all members, sectors, channels and closing reasons that the company has or had, and of its
// labels.
func reportNames(tx *kernel.Tx, company kernel.ID) (map[kernel.ID]string, error) {
	names := map[kernel.ID]string{}
	return names, tx.Query(`
		SELECT id, name FROM users WHERE company = $1
		UNION ALL
		SELECT id, name FROM sectors WHERE company = $1
		UNION ALL
		SELECT id, name FROM channels WHERE company = $1
		UNION ALL
		SELECT id, name FROM closing_reasons WHERE company = $1
		UNION ALL
		SELECT id, name FROM labels WHERE company = $1`, []any{company}, func(r db.Row) error {
		names[r.ID("id")] = r.Text("name")
		return nil
	})
}

// deleteLabelLines deletes the lines of a label that is on no conversation any more.
func deleteLabelLines(tx *kernel.Tx, company, label kernel.ID) error {
	lockReport(tx, company, "pg_advisory_xact_lock_shared")
	tx.Later(`DELETE FROM report_lines WHERE company = $1 AND kind = $2 AND key = $3`, company, kindLabel, label.String())
	return nil
}

// setReportLine replaces a line.
func setReportLine(tx *kernel.Tx, l ReportLine, c ReportCounts) {
	tx.Later(`
		INSERT INTO report_lines (company, kind, day, member, sector, key, opened, answered, answer_seconds, answer_sketch, closed, close_seconds,
			close_sketch)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
		ON CONFLICT (company, kind, day, member, sector, key) DO UPDATE
		SET opened = excluded.opened,
			answered = excluded.answered,
			answer_seconds = excluded.answer_seconds,
			answer_sketch = excluded.answer_sketch,
			closed = excluded.closed,
			close_seconds = excluded.close_seconds,
			close_sketch = excluded.close_sketch`,
		l.Company, l.Kind, l.Day, l.Member, l.Sector, l.Key, c.Opened, c.Answered, c.AnswerSeconds, c.AnswerSketch, c.Closed, c.CloseSeconds,
		c.CloseSketch)
}
