package reports

import (
	"slices"
	"strconv"
	"time"

	"recado/internal/kernel"
	"recado/internal/talk"
)

// The report is kept up to date by the transactions that change an attendance. What an attendance adds to the report depends only
// on the attendance and the labels of its conversation, see entries: a transaction subtracts what the attendance added before, and
// adds what it adds afterwards. An attendance counts for its current responsible member and sector. Private attendances are in no
// report.

// caseCounter keeps the report up to date. It does not matter whether other observers that change the attendance are called
// before or after it.
var caseCounter = talk.Observer{
	Opened: func(t *talk.LockedConversation, att *talk.Attendance) error {
		changesOf(t.Tx)[att.ID] = &caseChange{after: att}
		return nil
	},
	Answered: func(t *talk.LockedConversation, att *talk.Attendance) error {
		changed(t.Tx, att, att).without(func(before *talk.Attendance) { before.FirstResponseAt = nil })
		return nil
	},
	Moved: func(t *talk.LockedConversation, before, att *talk.Attendance, _ *kernel.Ref) error {
		changed(t.Tx, before, att)
		return nil
	},
	Closed: func(t *talk.LockedConversation, att *talk.Attendance, _ *kernel.Ref) error {
		changed(t.Tx, att, att).without(func(before *talk.Attendance) { before.ClosedAt, before.Closing = nil, nil })
		return nil
	},
	Reopened: func(t *talk.LockedConversation, closed, att *talk.Attendance, _ *kernel.Ref) error {
		changed(t.Tx, closed, att)
		return nil
	},
	Measured: func(tx *kernel.Tx, before, att *talk.Attendance) error {
		changed(tx, before, att)
		return nil
	},
	LabelDeleted: deleteLabelLines,
}

// caseChange is an attendance before and after a transaction. before is nil if the transaction opened it.
type caseChange struct{ before, after *talk.Attendance }

// caseChanges are the attendances that a transaction changes.
type caseChanges map[kernel.ID]*caseChange

type reportKey struct{}

func changesOf(tx *kernel.Tx) caseChanges {
	changes := kernel.Value[caseChanges](tx, reportKey{})
	if *changes == nil {
		*changes = caseChanges{}
		tx.BeforeCommit(func() error { return writeReport(tx, *changes) })
	}
	return *changes
}

// changed records that an attendance changes. If it has already changed in the transaction, before is ignored.
func changed(tx *kernel.Tx, before, after *talk.Attendance) *caseChange {
	changes := changesOf(tx)
	c := changes[after.ID]
	if c == nil {
		c = &caseChange{before: copyOf(before)}
		changes[after.ID] = c
	}
	c.after = after
	return c
}

// without changes the state before the transaction.
func (c *caseChange) without(change func(before *talk.Attendance)) {
	if c.before != nil {
		change(c.before)
	}
}

// copyOf copies an attendance with everything that entries reads, since the caller goes on to change it.
func copyOf(att *talk.Attendance) *talk.Attendance {
	c := *att
	c.LabelIDs = slices.Clone(att.LabelIDs)
	if att.Survey != nil {
		c.Survey = new(*att.Survey)
	}
	if att.SLA != nil {
		c.SLA = new(*att.SLA)
		for _, t := range []**talk.Target{&c.SLA.First, &c.SLA.Next, &c.SLA.Resolution} {
			if *t != nil {
				*t = new(**t)
			}
		}
	}
	return &c
}

// The kinds of lines.
const (
	kindChannel = "channel" // all attendances
	kindReason  = "reason"  // those that were closed with a reason
	kindLabel   = "label"
	kindHour    = "hour"
	kindSurvey  = "survey"
	kindSLA     = "sla"
)

// The keys of surveys and service levels.
const (
	countSent     = "sent"
	countAnswered = "answered"
	countSkipped  = "skipped"

	targetFirst      = "first"
	targetNext       = "next"
	targetResolution = "resolution"
)

func countRating(rating int64) string { return "rating " + strconv.FormatInt(rating, 10) }

func countTarget(target, state string) string { return target + " " + state }

// entries calls add for everything that an attendance adds to the report, and how many times. A nil attendance adds nothing.
func entries(att *talk.Attendance, add func(e ReportEntry, n int64)) {
	if att == nil || att.Private {
		return
	}
	e := ReportEntry{Company: att.Company, Member: kernel.MaxID, Sector: kernel.MaxID}
	kernel.Set(&e.Member, kernel.RefID(att.Responsible))
	kernel.Set(&e.Sector, att.Sector)
	figures := func(kind, key string) {
		e.Kind, e.Key = kind, key
		for figure, at := range [...]*time.Time{ReportOpened: &att.OpenedAt, ReportAnswered: att.FirstResponseAt, ReportClosed: att.ClosedAt} {
			if at == nil {
				continue
			}
			e.Figure, e.At, e.Seconds = ReportFigure(figure), at.UnixMilli(), 0
			if e.Figure != ReportOpened { // not negative, even if the clock was set back
				e.Seconds = max(0, int64(at.Sub(att.OpenedAt)/time.Second))
			}
			add(e, 1)
		}
	}
	figures(kindChannel, att.Channel.String())
	if att.Closing != nil && att.Closing.Reason != nil {
		figures(kindReason, att.Closing.Reason.ID.String())
	}
	for _, label := range att.LabelIDs {
		figures(kindLabel, label.String())
	}
	count := func(kind, key string, at time.Time, n int64) {
		if n != 0 {
			e.Kind, e.Key, e.Figure, e.At, e.Seconds = kind, key, ReportOpened, at.UnixMilli(), 0
			add(e, n)
		}
	}
	count(kindHour, "", att.OpenedAt, 1)
	if survey := att.Survey; survey != nil && att.ClosedAt != nil {
		when := func(is bool, key string) {
			if is {
				count(kindSurvey, key, *att.ClosedAt, 1)
			}
		}
		when(survey.SentAt != nil, countSent)
		when(survey.Status == talk.SurveySkipped, countSkipped)
		if survey.Rating != nil {
			when(true, countAnswered)
			when(true, countRating(*survey.Rating))
		}
	}
	if sla := att.SLA; sla != nil {
		for name, target := range map[string]*talk.Target{targetFirst: sla.First, targetNext: sla.Next, targetResolution: sla.Resolution} {
			if target != nil && (target.State == talk.TargetMet || target.State == talk.TargetBreached) {
				count(kindSLA, countTarget(name, target.State), att.OpenedAt, 1)
			}
		}
		count(kindSLA, countTarget(targetNext, talk.TargetMet), att.OpenedAt, sla.NextMet)
		count(kindSLA, countTarget(targetNext, talk.TargetBreached), att.OpenedAt, sla.NextBreached)
	}
}
