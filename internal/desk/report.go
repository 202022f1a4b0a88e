package desk

import (
	"context"
	"time"

	"recado/internal/model"
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
	zone, err := d.zone(tx, att.Company)
	if err != nil {
		return err
	}
	for _, figure := range figures {
		tx.AddToReport(reportEntry(att, figure, zone), n)
	}
	return nil
}

// RebuildReport counts a company's attendances afresh and puts that in place of what its report says. It
// is for the operator, and repairs what a change of time zone data has put on the wrong day. On SQLite
// all writers wait meanwhile, on PostgreSQL those of reports.
func (d System) RebuildReport(ctx context.Context, company model.ID) error {
	return d.store.Write(ctx, func(tx *store.Tx) error {
		zone, err := d.zone(tx, company)
		if err != nil {
			return err
		}
		if err := tx.ForgetReport(company); err != nil {
			return err
		}
		lines := map[store.ReportLine]*model.Tally{}
		err = tx.ReportedAttendances(company, func(att *model.Attendance) {
			for _, figure := range reportFigures(att) {
				e := reportEntry(att, figure, zone)
				t := tallyOf(lines, e.ReportLine)
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
		})
		if err != nil {
			return err
		}
		for line, t := range lines {
			tx.InsertReportLine(line, store.ReportCounts{
				Opened:   t.Opened,
				Answered: t.Answers.Count, AnswerSeconds: t.Answers.Seconds, AnswerSketch: t.Answers.Sketch.Encode(),
				Closed: t.Closed, CloseSeconds: t.Closings.Seconds, CloseSketch: t.Closings.Sketch.Encode(),
			})
		}
		return nil
	})
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

// reportEntry is what an attendance adds to one figure: on which day, under whose name, how many whole
// seconds. A clock that was set back makes no negative durations.
func reportEntry(att *model.Attendance, figure store.ReportFigure, zone *time.Location) store.ReportEntry {
	at := att.OpenedAt
	switch figure {
	case store.ReportAnswered:
		at = *att.FirstResponseAt
	case store.ReportClosed:
		at = *att.ClosedAt
	}
	e := store.ReportEntry{
		ReportLine: store.ReportLine{Company: att.Company, Day: model.DateOf(at, zone).Number(), Member: model.Nobody, Sector: model.Nobody},
		Figure:     figure,
		Seconds:    max(0, int64(at.Sub(att.OpenedAt)/time.Second)),
	}
	if att.Responsible != nil {
		e.Member = att.Responsible.ID
	}
	if att.Sector != nil {
		e.Sector = *att.Sector
	}
	return e
}

// zone is the time zone in which the company's days begin. It never changes, so one look is enough.
func (d *Desk) zone(tx *store.Tx, company model.ID) (*time.Location, error) {
	if zone, ok := d.zones.Load(company); ok {
		return zone.(*time.Location), nil
	}
	c, found, err := tx.Company(company)
	if err != nil || !found {
		return nil, errOr(err, model.NotFound("company"))
	}
	zone, invalid := model.LoadZone("timezone", c.Timezone)
	if invalid != nil {
		return nil, invalid
	}
	d.zones.Store(company, zone)
	return zone, nil
}
