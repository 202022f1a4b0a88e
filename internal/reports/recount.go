package reports

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"time"

	"recado/internal/channels"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/quantile"
	"recado/internal/talk"
)

// recount counts a company's report again. It counts closed attendances on a snapshot without blocking writers, because they do
// not change any more once they cannot be reopened and their survey has ended; only their labels can change, which it compares.
// It counts the others in the transaction that writes the report, which blocks the company's own changes.
type recount struct {
	Reported
	d      *Reports
	zone   string // of the days in lines
	lines  map[ReportLine]*lineTally
	labels labelIndex
	open   map[kernel.ID]bool // attendances that are not in lines
	least  int64              // the lowest number of an attendance
	last   int64              // the highest number
}

// lineTally collects a line. Lists of durations need less memory than sketches.
type lineTally struct {
	opened            int64
	answers, closings []int64
}

// recountZone recounts the report of a company whose time zone changes.
func (d *Reports) recountZone(company kernel.ID) kernel.Recount {
	return &recount{d: d, Reported: Reported{Company: company}}
}

// recountPrivacy recounts the report of a company with a channel that becomes private or public.
func (d *Reports) recountPrivacy(ch channels.Channel, private bool) kernel.Recount {
	r := &recount{d: d, Reported: Reported{Company: ch.Company, Shown: ch.ID}}
	if private {
		r.Shown, r.Hidden = kernel.ID{}, ch.ID
	}
	return r
}

// Begin counts the closed attendances by the days of a time zone. A company has one recount at a time.
func (r *recount) Begin(ctx context.Context, zone string) (end func(), err error) {
	end, err = r.d.recounts.Wait(ctx, r.Company)
	if err != nil {
		return nil, err
	}
	if err = r.d.Store.Read(ctx, func(tx *kernel.Tx) error { return r.count(tx, zone) }); err != nil {
		end()
		return nil, err
	}
	return end, nil
}

func (r *recount) count(tx *kernel.Tx, zone string) (err error) {
	r.zone, r.lines, r.open, r.least, r.last = zone, map[ReportLine]*lineTally{}, map[kernel.ID]bool{}, 0, 0
	loaded, invalid := kernel.LoadZone("timezone", zone)
	if invalid != nil {
		return invalid
	}
	if r.labels, err = readLabels(tx, r.Company); err != nil {
		return err
	}
	return eachReported(tx, r.Company, selectReported, r.args(), func(att *talk.Attendance) {
		r.least, r.last = min(r.least, att.Number), max(r.last, att.Number)
		if att.ClosedAt == nil || tx.Now.Sub(*att.ClosedAt) <= 2*talk.ReopenWithin || att.Survey != nil && att.Survey.At != nil {
			r.open[att.ID] = true
			return
		}
		att.LabelIDs = r.labels.of(att.Conversation)
		r.add(att, loaded, 1)
	})
}

// add counts an attendance n times: once, or -1 times if it was counted before.
func (r *recount) add(att *talk.Attendance, zone *time.Location, n int64) {
	entries(att, func(e ReportEntry, times int64) {
		line := e.Line(zone)
		t := r.lines[line]
		if t == nil {
			t = &lineTally{}
			r.lines[line] = t
		}
		switch e.Figure {
		case ReportOpened:
			t.opened += n * times
		case ReportAnswered:
			t.answers = changeList(t.answers, e.Seconds, n)
		case ReportClosed:
			t.closings = changeList(t.closings, e.Seconds, n)
		}
	})
}

func changeList(list []int64, seconds, n int64) []int64 {
	if n > 0 {
		return append(list, seconds)
	}
	if i := slices.Index(list, seconds); i >= 0 {
		list = slices.Delete(list, i, i+1)
	}
	return list
}

// Finish counts the other attendances and writes the report.
func (r *recount) Finish(tx *kernel.Tx) error {
	// Transactions that changed an attendance and have not committed wait, and then add to what this one writes.
	lockReport(tx, r.Company, "pg_advisory_xact_lock")
	c, err := reportedCompany(tx, r.Company)
	if err != nil {
		return err
	}
	if r.zone != c.Timezone { // changed by another call, or the transaction is retried
		if err := r.count(tx, c.Timezone); err != nil {
			return err
		}
	}
	r.zone = "" // a retry must count again
	zone, invalid := kernel.LoadZone("timezone", c.Timezone)
	if invalid != nil {
		return invalid
	}
	before := r.labels
	if r.labels, err = readLabels(tx, r.Company); err != nil {
		return err
	}
	err = r.eachOf(tx, "conversation", before.differences(r.labels), func(att *talk.Attendance) {
		if att.Number < r.least || att.Number > r.last || r.open[att.ID] {
			return // counted below
		}
		att.LabelIDs = before.of(att.Conversation)
		r.add(att, zone, -1)
		att.LabelIDs = r.labels.of(att.Conversation)
		r.add(att, zone, 1)
	})
	if err != nil {
		return err
	}
	err = r.unsettled(tx, func(att *talk.Attendance) {
		att.LabelIDs = r.labels.of(att.Conversation)
		r.add(att, zone, 1)
	})
	if err != nil {
		return err
	}
	tx.Later(`UPDATE companies SET report_stale = FALSE WHERE id = $1 AND report_stale`, r.Company)
	return replaceReport(tx, r.Company, r.lines)
}

// counts returns the figures of the line.
func (t *lineTally) counts() ReportCounts {
	c := ReportCounts{Opened: t.opened, Answered: int64(len(t.answers)), Closed: int64(len(t.closings))}
	var answers, closings quantile.Sketch
	for _, seconds := range t.answers {
		c.AnswerSeconds += seconds
		answers.Add(seconds, 1)
	}
	for _, seconds := range t.closings {
		c.CloseSeconds += seconds
		closings.Add(seconds, 1)
	}
	c.AnswerSketch, c.CloseSketch = answers.Encode(), closings.Encode()
	return c
}

// labelIndex has the labels of a company's conversations. Conversations with the same labels share a list.
type labelIndex struct {
	sets [][]kernel.ID
	at   map[kernel.ID]int32 // the position in sets, by conversation
}

func (x *labelIndex) of(conversation kernel.ID) []kernel.ID {
	if i, found := x.at[conversation]; found {
		return x.sets[i]
	}
	return nil
}

// differences returns the conversations whose labels differ in another index.
func (x *labelIndex) differences(other labelIndex) (conversations []kernel.ID) {
	for id := range x.at {
		if !slices.Equal(x.of(id), other.of(id)) {
			conversations = append(conversations, id)
		}
	}
	for id := range other.at {
		if _, known := x.at[id]; !known {
			conversations = append(conversations, id)
		}
	}
	return conversations
}

func readLabels(tx *kernel.Tx, company kernel.ID) (labelIndex, error) {
	x := labelIndex{at: map[kernel.ID]int32{}}
	positions := map[string]int32{}
	var conversation kernel.ID
	var labels []kernel.ID
	end := func() {
		if len(labels) == 0 {
			return
		}
		packed := string(kernel.PackIDs(labels))
		i, known := positions[packed]
		if !known {
			i = int32(len(x.sets))
			x.sets, positions[packed] = append(x.sets, slices.Clone(labels)), i
		}
		x.at[conversation], labels = i, labels[:0]
	}
	err := tx.Query(`SELECT subject, label FROM conversation_labels WHERE company = $1 ORDER BY subject, label`, []any{company}, func(r db.Row) error {
		if id := r.ID("subject"); id != conversation {
			end()
			conversation = id
		}
		labels = append(labels, r.ID("label"))
		return nil
	})
	end()
	return x, err
}

const selectReported = `
	SELECT id, number, conversation, channel, responsible, sector, opened_at, first_response_at, closed_at, closing_reason,
		survey, survey_at, survey_sent_at, survey_answered_at, survey_rating, survey_comment, sla_policy, '' AS sla_policy_name, sla
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
	return r.eachOf(tx, "id", slices.Collect(maps.Keys(closed)), each)
}

// eachOf calls each for the attendances whose column has one of the values.
func (r *recount) eachOf(tx *kernel.Tx, column string, values []kernel.ID, each func(a *talk.Attendance)) error {
	for some := range slices.Chunk(values, 200) {
		s := tx.Statement()
		s.Args = r.args()
		s.WriteString(selectReported + " AND " + s.In(column, some))
		if err := eachReported(tx, r.Company, s.String(), s.Args, each); err != nil {
			return err
		}
	}
	return nil
}

// eachReported calls each for the attendances of a query, with the fields that a report needs, except the labels.
func eachReported(tx *kernel.Tx, company kernel.ID, sql string, args []any, each func(a *talk.Attendance)) error {
	return tx.Query(sql, args, func(r db.Row) error {
		a := talk.Attendance{
			ID: r.ID("id"), Company: company, Number: r.Int("number"), Conversation: r.ID("conversation"), Channel: r.ID("channel"),
			Sector: r.NullID("sector"), OpenedAt: r.Time("opened_at"), FirstResponseAt: r.NullTime("first_response_at"), ClosedAt: r.NullTime("closed_at"),
		}
		if !r.Null("responsible") {
			a.Responsible = &kernel.Ref{ID: r.ID("responsible")}
		}
		if !r.Null("closing_reason") {
			a.Closing = &talk.Closing{Reason: &kernel.Ref{ID: r.ID("closing_reason")}}
		}
		talk.ScanMeasures(r, &a)
		each(&a)
		return nil
	})
}

// replaceReport replaces the company's report, which is locked, by lines. It writes only the differences and deletes other
// lines from the map.
func replaceReport(tx *kernel.Tx, company kernel.ID, lines map[ReportLine]*lineTally) error {
	var gone []ReportLine
	err := tx.Query(selectLines+` WHERE company = $1`, []any{company}, func(r db.Row) error {
		l := scanLine(r, company)
		if want, ok := lines[l]; !ok {
			gone = append(gone, l)
		} else if want.counts().equal(scanCounts(r)) {
			delete(lines, l)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, l := range gone {
		tx.Later(`DELETE FROM report_lines WHERE company = $1 AND kind = $2 AND day = $3 AND member = $4 AND sector = $5 AND key = $6`,
			company, l.Kind, l.Day, l.Member, l.Sector, l.Key)
	}
	for l, t := range lines {
		setReportLine(tx, l, t.counts())
	}
	return nil
}

func (c ReportCounts) equal(other ReportCounts) bool {
	return c.Opened == other.Opened && c.Answered == other.Answered && c.AnswerSeconds == other.AnswerSeconds &&
		c.Closed == other.Closed && c.CloseSeconds == other.CloseSeconds &&
		bytes.Equal(c.AnswerSketch, other.AnswerSketch) && bytes.Equal(c.CloseSketch, other.CloseSketch)
}

// RebuildStale counts again the reports of companies whose figures an update of the schema has discarded.
func (d *Reports) RebuildStale(ctx context.Context) error {
	stale, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]kernel.ID, error) {
		return tx.IDs(`SELECT id FROM companies WHERE report_stale`)
	})
	for _, company := range stale {
		if err == nil {
			err = d.RebuildReport(ctx, company)
		}
	}
	return err
}
