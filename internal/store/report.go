package store

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"recado/internal/model"
)

// ReportLine is a row of the report: one day of one responsible person and sector. Member and Sector
// are model.Nobody where there is none.
type ReportLine struct {
	Company model.ID
	Day     int64 // model.Date.Number
	Member  model.ID
	Sector  model.ID
}

// ReportEntry is what one attendance adds to one line.
type ReportEntry struct {
	ReportLine
	Figure  ReportFigure
	Seconds int64 // of an answer or a closing
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
	entries := slices.SortedFunc(maps.Keys(tx.report), func(a, b ReportEntry) int { return a.compare(b.ReportLine) })
	for len(entries) > 0 {
		line := entries[0].ReportLine
		end := slices.IndexFunc(entries, func(e ReportEntry) bool { return e.ReportLine != line })
		if end < 0 {
			end = len(entries)
		}
		if err := tx.writeReportLine(line, entries[:end]); err != nil {
			return err
		}
		entries = entries[end:]
	}
	return nil
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
	var answers, closings model.Sketch
	var broken error
	_, err := tx.one(upsert+` RETURNING answer_sketch, close_sketch`, args, func(r Row) {
		broken = cmp.Or(answers.MergeEncoded(r.Bytes(0)), closings.MergeEncoded(r.Bytes(1)))
	})
	if err = cmp.Or(err, broken); err != nil {
		return err
	}
	for _, e := range entries {
		// Taking out what was never put in changes nothing. It happens when a new edition of the time zone
		// data moves a day's border; better a percentile that is off until a rebuild than a transfer refused.
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
