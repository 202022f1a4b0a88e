package talk

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"recado/internal/fields"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/people"
)

var attendanceColumns = `
	a.id, a.company, a.number, a.conversation, a.channel, a.contact, COALESCE(p.name, c.name) AS contact_name, p.phone, c.kind = 'direct' AND c.contact IS NULL AS erased,
	` + kernel.ChannelPrivate("a") + ` AS private, a.responsible, r.name AS responsible_name, a.sector, a.opened_at, a.opened_by, a.first_response_at,
	a.closed_at, a.closed_by, b.name AS closed_by_name, a.close_reason, a.closing_reason, q.name AS closing_reason_name, a.closing_note,
	a.survey, a.survey_at, a.survey_sent_at, a.survey_answered_at, a.survey_rating, a.survey_comment,
	a.menu_ended_at, a.sla_policy, y.name AS sla_policy_name, a.sla, a.cost_amount, a.cost_currency, c.labels, ` + fields.Column("a")

// attendanceNames joins the tables that attendanceColumns needs besides attendances a.
const attendanceNames = `
	JOIN conversations c ON c.company = a.company AND c.id = a.conversation
	LEFT JOIN contacts p ON p.company = a.company AND p.id = a.contact
	LEFT JOIN users r ON r.company = a.company AND r.id = a.responsible
	LEFT JOIN users b ON b.company = a.company AND b.id = a.closed_by
	LEFT JOIN closing_reasons q ON q.company = a.company AND q.id = a.closing_reason
	LEFT JOIN sla_policies y ON y.company = a.company AND y.id = a.sla_policy`

func scanAttendance(r db.Row) Attendance {
	a := Attendance{
		ID: r.ID("id"), Company: r.ID("company"), Number: r.Int("number"), Conversation: r.ID("conversation"), Channel: r.ID("channel"),
		Contact: AttendanceContact{ID: r.NullID("contact"), Name: r.Text("contact_name"), Phone: r.NullText("phone"), Erased: r.Bool("erased")},
		Private: r.Bool("private"), Responsible: scanRef(r, "responsible", "responsible_name"), Sector: r.NullID("sector"),
		OpenedAt: r.Time("opened_at"), OpenedBy: r.Text("opened_by"), FirstResponseAt: r.NullTime("first_response_at"),
		ClosedAt: r.NullTime("closed_at"), ClosedBy: scanRef(r, "closed_by", "closed_by_name"), CloseReason: r.NullText("close_reason"),
		MenuEndedAt: r.NullTime("menu_ended_at"),
	}
	a.Protocol, a.Status, a.CloseCause = FormatProtocol(a.Number), AttendanceOpen, CauseOf(a.ClosedBy, a.CloseReason)
	if a.ClosedAt != nil {
		a.Status = AttendanceClosed
		a.Closing = &Closing{
			Reason: scanRef(r, "closing_reason", "closing_reason_name"), Note: r.NullText("closing_note"), By: closedBy(a.ClosedBy, a.CloseCause),
		}
	}
	ScanMeasures(r, &a)
	a.Cost = scanAttendanceCost(r)
	a.LabelIDs, a.Fields = kernel.UnpackIDs(r.Bytes("labels")), fields.Scan(r)
	if a.FirstResponseAt != nil {
		a.Answered(*a.FirstResponseAt)
	}
	return a
}

// ScanMeasures sets the survey and the service level of an attendance from their columns.
func ScanMeasures(r db.Row, a *Attendance) { a.Survey, a.SLA = scanSurvey(r), scanServiceLevel(r) }

// scanRef reads the columns of an id and a name. It returns nil if the id is NULL.
func scanRef(r db.Row, id, name string) *kernel.Ref {
	if r.Null(id) {
		return nil
	}
	return &kernel.Ref{ID: r.ID(id), Name: r.Text(name)}
}

func scanSurvey(r db.Row) *Survey {
	if r.Null("survey") {
		return nil
	}
	s := &Survey{
		Status: r.Text("survey"), At: r.NullTime("survey_at"), SentAt: r.NullTime("survey_sent_at"), AnsweredAt: r.NullTime("survey_answered_at"),
		Rating: r.NullInt("survey_rating"), Comment: r.NullText("survey_comment"),
	}
	if s.Status == surveyDue {
		s.Status, s.Due = SurveyNone, true
	}
	return s
}

// surveyDue is the stored status of a survey that will be sent.
const surveyDue = "due"

// SaveSurvey stores the survey of an attendance, which may be nil. before is the attendance without the change.
func (d *Talk) SaveSurvey(tx *kernel.Tx, before, att *Attendance) error {
	s := &Survey{}
	if att.Survey != nil {
		s = att.Survey
	}
	status := kernel.TextOrNil(s.Status)
	if s.Due {
		status = new(surveyDue)
	}
	tx.Later(`
		UPDATE attendances
		SET survey = $3, survey_at = $4, survey_sent_at = $5, survey_answered_at = $6, survey_rating = $7, survey_comment = $8
		WHERE company = $1 AND id = $2`,
		att.Company, att.ID, status, s.At, s.SentAt, s.AnsweredAt, s.Rating, s.Comment)
	return d.tell(func(o *Observer) error { return o.Measured(tx, before, att) })
}

// storedTargets is the column sla of an attendance.
type storedTargets struct {
	First        *storedTarget `json:"first,omitempty"`
	Next         *storedTarget `json:"next,omitempty"`
	Resolution   *storedTarget `json:"resolution,omitempty"`
	NextMet      int64         `json:"next_met,omitzero"`
	NextBreached int64         `json:"next_breached,omitzero"`
}

type storedTarget struct {
	Due      int64  `json:"due"`
	Warn     int64  `json:"warn"`
	Met      *int64 `json:"met,omitempty"`
	State    string `json:"state"`
	Warned   bool   `json:"warned,omitzero"`
	Breached bool   `json:"breached,omitzero"`
}

func storeTarget(t *Target) *storedTarget {
	if t == nil {
		return nil
	}
	s := &storedTarget{Due: t.DueAt.UnixMilli(), Warn: t.WarnAt.UnixMilli(), State: t.State, Warned: t.Warned, Breached: t.Breached}
	if t.MetAt != nil {
		s.Met = new(t.MetAt.UnixMilli())
	}
	return s
}

func (s *storedTarget) target() *Target {
	if s == nil {
		return nil
	}
	t := &Target{
		DueAt: time.UnixMilli(s.Due).UTC(), WarnAt: time.UnixMilli(s.Warn).UTC(), State: s.State, Warned: s.Warned, Breached: s.Breached,
	}
	if s.Met != nil {
		t.MetAt = new(time.UnixMilli(*s.Met).UTC())
	}
	return t
}

func scanServiceLevel(r db.Row) *ServiceLevel {
	stored := kernel.ReadJSON[storedTargets](r, "sla")
	if stored == nil || r.Null("sla_policy") {
		return nil
	}
	return &ServiceLevel{
		Policy: kernel.Ref{ID: r.ID("sla_policy"), Name: r.Text("sla_policy_name")},
		First:  stored.First.target(), Next: stored.Next.target(), Resolution: stored.Resolution.target(),
		NextMet: stored.NextMet, NextBreached: stored.NextBreached,
	}
}

// SaveServiceLevel stores the service level of an attendance, which may be nil. before is the attendance without the change.
func (d *Talk) SaveServiceLevel(tx *kernel.Tx, before, att *Attendance) error {
	var policy *kernel.ID
	var stored *storedTargets
	var state *string
	var check *time.Time
	if s := att.SLA; s != nil {
		policy, state = &s.Policy.ID, s.state()
		if att.ClosedAt == nil {
			check = s.CheckAt()
		}
		stored = &storedTargets{storeTarget(s.First), storeTarget(s.Next), storeTarget(s.Resolution), s.NextMet, s.NextBreached}
	}
	tx.Later(`
		UPDATE attendances
		SET sla_policy = $3, sla = $4, sla_state = $5, sla_check_at = $6
		WHERE company = $1 AND id = $2`, att.Company, att.ID, policy, kernel.WriteJSON(stored), state, check)
	return d.tell(func(o *Observer) error { return o.Measured(tx, before, att) })
}

// SetMenuEnded stores when the menu of an attendance ended.
func SetMenuEnded(tx *kernel.Tx, company, attendance kernel.ID, at time.Time) {
	tx.Later(`UPDATE attendances SET menu_ended_at = $3 WHERE company = $1 AND id = $2`, company, attendance, at)
}

// changeLabels notifies observers that the labels of a conversation's attendances change.
func (d *Talk) changeLabels(tx *kernel.Tx, company, conversation kernel.ID, before, after []kernel.ID) error {
	if slices.Equal(before, after) {
		return nil
	}
	all, err := kernel.Rows(tx, `SELECT`+attendanceColumns+` FROM attendances a`+attendanceNames+` WHERE a.company = $1 AND a.conversation = $2`,
		[]any{company, conversation}, scanAttendance)
	if err != nil {
		return err
	}
	for i := range all {
		old, att := all[i], &all[i]
		old.LabelIDs, att.LabelIDs = before, after
		if err := d.tell(func(o *Observer) error { return o.Measured(tx, &old, att) }); err != nil {
			return err
		}
	}
	return nil
}

// FindAttendance returns an attendance of the company, private or not.
func FindAttendance(tx *kernel.Tx, company, id kernel.ID) (Attendance, bool, error) {
	return kernel.Row(tx, `SELECT`+attendanceColumns+` FROM attendances a`+attendanceNames+` WHERE a.company = $1 AND a.id = $2`,
		[]any{company, id}, scanAttendance)
}

// nextProtocol returns the company's next protocol number, or false if attendances are disabled. Until the transaction ends,
// others of the company wait for their numbers; if it fails, its number is used again, so there are no gaps.
// Private channels have their own series, below zero.
func nextProtocol(tx *kernel.Tx, company kernel.ID, private bool) (number int64, enabled bool, err error) {
	series, value := "last", "last"
	if private {
		series, value = "last_private", "-last_private"
	}
	enabled, err = tx.One(`
		UPDATE protocols
		SET `+series+` = `+series+` + 1
		WHERE company = $1 AND EXISTS (SELECT 1 FROM companies WHERE id = $1 AND attendance_enabled)
		RETURNING `+value+` AS number`, []any{company}, func(r db.Row) { number = r.Int("number") })
	return number, enabled, err
}

// insertAttendanceMark records where in a conversation an attendance was opened or closed.
func insertAttendanceMark(tx *kernel.Tx, company, conversation kernel.ID, seq, kind int64, attendance kernel.ID) {
	tx.Later(`INSERT INTO attendance_marks (company, conversation, seq, kind, attendance) VALUES ($1, $2, $3, $4, $5)`,
		company, conversation, seq, kind, attendance)
}

// saveAttendance stores all columns of an attendance that can change.
func saveAttendance(tx *kernel.Tx, a *Attendance) {
	closing := a.Closing
	if closing == nil {
		closing = &Closing{}
	}
	tx.Later(`
		UPDATE attendances
		SET responsible = $3, sector = $4, first_response_at = $5, closed_at = $6, closed_by = $7, close_reason = $8,
			closing_reason = $11, closing_note = $12,
			check_at = CASE WHEN $9 THEN check_at END, sla_check_at = CASE WHEN $9 THEN sla_check_at END, distributed_at = CASE WHEN $9 AND responsible = $3 THEN distributed_at END,
			returned_from = CASE WHEN $10 THEN returned_from END
		WHERE company = $1 AND id = $2`,
		a.Company, a.ID, kernel.RefID(a.Responsible), a.Sector, a.FirstResponseAt, a.ClosedAt, kernel.RefID(a.ClosedBy), a.CloseReason, a.ClosedAt == nil, a.Responsible == nil,
		kernel.RefID(closing.Reason), closing.Note)
}

// listAttendances returns the page of the attendances in sight, newest first, and whether there are more. It continues after the
// attendance that was opened at afterAt and has the id after, unless that is zero.
func listAttendances(
	tx *kernel.Tx, company kernel.ID, f *AttendanceFilter, sight kernel.Sight, afterAt int64, after kernel.ID,
) ([]Attendance, bool, error) {
	page, more, err := attendances(tx, company, f, sight, "NOT a.private", afterAt, after)
	if err != nil || len(sight.Private) == 0 {
		return page, more, err
	}
	private, morePrivate, err := attendances(tx, company, f, sight.PrivateOnly(), "a.private", afterAt, after)
	newest := func(x, y Attendance) int {
		return cmp.Or(y.OpenedAt.Compare(x.OpenedAt), kernel.CompareIDs(y.ID, x.ID))
	}
	page, more = Merged(page, private, newest, 0, f.Limit, more || morePrivate)
	return page, more, err
}

// attendances is listAttendances for either public or private attendances, as the condition says.
func attendances(
	tx *kernel.Tx, company kernel.ID, f *AttendanceFilter, sight kernel.Sight, condition string, afterAt int64, after kernel.ID,
) ([]Attendance, bool, error) {
	s := tx.Statement()
	from, err := attendancesFrom(tx, s, company, f, sight)
	if err != nil {
		return nil, false, err
	}
	// The subquery makes the planner find the page first and join the names afterwards.
	s.WriteString("SELECT" + attendanceColumns + "\n\tFROM (SELECT a.* FROM " + from + "\n\tWHERE a.company = " + s.Arg(company))
	s.And(condition)
	if condition == "a.private" {
		s.And(s.In("a.channel", sight.Private))
	} else {
		s.And(kernel.Public("a.channel", s.Arg(company)))
	}
	switch f.Status {
	case AttendanceOpen:
		s.And("a.closed_at IS NULL")
	case AttendanceClosed:
		s.And("a.closed_at IS NOT NULL")
	}
	f.conditions(s)
	f.fields.And(s, "a")
	if !after.IsZero() {
		s.And("(a.opened_at, a.id) < (" + s.Arg(afterAt) + ", " + s.Arg(after) + ")")
	}
	if !sight.All { // LIMIT 1 OFFSET 0 makes the planner look up conversations one by one
		s.And("EXISTS (SELECT 1 FROM conversations v WHERE v.company = a.company AND v.id = a.conversation AND " +
			sight.Condition(s, "v.assignee", "v.sector") + " LIMIT 1 OFFSET 0)")
	}
	s.WriteString("\n\tORDER BY a.opened_at DESC, a.id DESC")
	tx.Page(s, f.Limit, 0)
	s.WriteString(") a" + attendanceNames + "\n\tORDER BY a.opened_at DESC, a.id DESC")
	return kernel.Collect(tx, s, f.Limit, scanAttendance)
}

// conditions adds the conditions on columns of attendances.
func (f *AttendanceFilter) conditions(s *db.Statement) {
	for _, c := range []struct {
		column string
		id     kernel.ID
		none   bool
	}{
		{"a.responsible", f.Responsible, f.Unassigned},
		{"a.sector", f.Sector, f.NoSector},
		{"a.closing_reason", f.Reason, f.NoReason},
		{"a.channel", f.Channel, false},
		{"a.conversation", f.Conversation, false},
	} {
		if c.none {
			s.And(c.column + " IS NULL")
		}
		if !c.id.IsZero() {
			s.And(c.column + " = " + s.Arg(c.id))
		}
	}
	switch f.Rating { // the texts of the conditions are those of partial indexes
	case "":
	case "low":
		s.And("a.survey_rating <= 3")
	case "high":
		s.And("a.survey_rating >= 4")
	default:
		s.And("a.survey_rating = " + s.Arg(int64(f.Rating[0]-'0')))
	}
	switch f.Survey {
	case "":
	case SurveyNone:
		s.And("a.survey IN ('none', 'due')") // the text is that of a partial index
	default:
		s.And("a.survey = " + s.Arg(f.Survey))
	}
	if f.SLA != "" {
		s.And("a.sla_state = " + s.Arg(f.SLA))
	}
	if !f.Label.IsZero() {
		s.And("EXISTS (SELECT 1 FROM conversation_labels l WHERE l.company = a.company AND l.subject = a.conversation AND l.label = " + s.Arg(f.Label) + " LIMIT 1 OFFSET 0)")
	}
	if f.number != 0 {
		s.And("a.number = " + s.Arg(f.number))
	}
	if f.from != nil {
		s.And("a." + f.timeColumn() + " >= " + s.Arg(*f.from))
	}
	if f.to != nil {
		s.And("a." + f.timeColumn() + " < " + s.Arg(*f.to))
	}
	if f.to != nil && f.timeColumn() != "opened_at" { // nothing happens before the opening, so that the scan can start there
		s.And("a.opened_at < " + s.Arg(*f.to))
	}
}

// timeColumn returns the column that From and To apply to.
func (f *AttendanceFilter) timeColumn() string {
	switch f.On {
	case OnAnswered:
		return "first_response_at"
	case OnClosed:
		return "closed_at"
	}
	return "opened_at"
}

// attendancesFrom returns the FROM clause of a list: the attendances of the matching conversations or of the period if those are
// few, or else all attendances in the order of the list.
func attendancesFrom(tx *kernel.Tx, s *db.Statement, company kernel.ID, f *AttendanceFilter, sight kernel.Sight) (string, error) {
	if f.number != 0 {
		return "attendances a", nil
	}
	if rare, err := f.fields.Rare(tx, company); err != nil || rare != nil {
		if err != nil {
			return "", err
		}
		ids := rare(s)
		return strings.TrimPrefix(tx.FromSubset(s.Arg(company), ids, "attendances", "a"), "FROM "), nil
	}
	for _, subset := range f.conversations(company, sight) {
		few, err := tx.IsFew(subset)
		if err != nil {
			return "", err
		}
		if few {
			ids, arg := subset(s), s.Arg(company)
			return "(" + ids + ") ids " + tx.Dialect().Pick(
				"CROSS JOIN attendances a INDEXED BY attendances_conversation ON a.company = "+arg+" AND a.conversation = ids.id",
				"CROSS JOIN LATERAL (SELECT * FROM attendances WHERE company = "+arg+" AND conversation = ids.id OFFSET 0) a"), nil
		}
	}
	if f.timeColumn() == "opened_at" || f.from == nil {
		return "attendances a", nil
	}
	within := func(s *db.Statement) string {
		ids := "SELECT id FROM attendances WHERE company = " + s.Arg(company) + " AND " + f.timeColumn() + " >= " + s.Arg(*f.from)
		if f.to != nil {
			ids += " AND " + f.timeColumn() + " < " + s.Arg(*f.to)
		}
		return ids
	}
	if few, err := tx.IsFew(within); err != nil || !few {
		return "attendances a", err
	}
	ids := within(s)
	return strings.TrimPrefix(tx.FromSubset(s.Arg(company), ids, "attendances", "a"), "FROM "), nil
}

// conversations returns subsets of the company's conversations that contain those of all attendances in the list.
func (f *AttendanceFilter) conversations(company kernel.ID, sight kernel.Sight) (subsets []db.Subset) {
	if !f.Conversation.IsZero() {
		return []db.Subset{func(s *db.Statement) string {
			return "SELECT id FROM conversations WHERE company = " + s.Arg(company) + " AND id = " + s.Arg(f.Conversation)
		}}
	}
	if !f.Label.IsZero() {
		subsets = append(subsets, func(s *db.Statement) string {
			return "SELECT subject AS id FROM conversation_labels WHERE company = " + s.Arg(company) + " AND label = " + s.Arg(f.Label)
		})
	}
	if !sight.All {
		subsets = append(subsets, func(s *db.Statement) string {
			mine := "SELECT id FROM conversations WHERE company = " + s.Arg(company) + " AND assignee = " + s.Arg(sight.Member)
			if len(sight.Sectors) == 0 {
				return mine
			}
			return mine + " UNION SELECT id FROM conversations WHERE company = " + s.Arg(company) + " AND " + s.In("sector", sight.Sectors)
		})
	}
	return subsets
}

// listAssignments returns the newest 1000 entries of the assignment history of a conversation, newest first.
func listAssignments(tx *kernel.Tx, company, conversation kernel.ID) ([]AssignmentEntry, error) {
	return kernel.Rows(tx, `
		SELECT e.id, e.action, e.member, u.name AS member_name, e.by_member, b.name AS by_member_name, e.sector, e.reason, e.created_at,
			e.sector_from, e.sector_to
		FROM assignments e
		LEFT JOIN users u ON u.company = e.company AND u.id = e.member
		LEFT JOIN users b ON b.company = e.company AND b.id = e.by_member
		WHERE e.company = $1 AND e.conversation = $2
		ORDER BY e.seq DESC
		LIMIT 1000`, []any{company, conversation}, scanAssignment)
}

func scanAssignment(r db.Row) AssignmentEntry {
	e := AssignmentEntry{
		ID: r.ID("id"), Action: r.Text("action"), User: scanRef(r, "member", "member_name"),
		By: scanRef(r, "by_member", "by_member_name"), Sector: r.NullID("sector"), Reason: r.NullText("reason"), CreatedAt: r.Time("created_at"),
		SectorFrom: r.NullID("sector_from"), SectorTo: r.NullID("sector_to"),
	}
	e.Cause = CauseOf(e.By, e.Reason)
	return e
}

// scheduleChecks sets when up to limit open attendances of the company are next checked for automatic closing, or clears it
// if automatic closing is off. It proceeds from the newest to the oldest, starting after the one that was opened at openedAt
// and has the id after. It returns the last one, or zero when there are no more.
func scheduleChecks(tx *kernel.Tx, company kernel.ID, rule people.AutoClose, openedAt time.Time, after kernel.ID, limit int) (time.Time, kernel.ID, error) {
	n := 0
	err := tx.Query(`
		UPDATE attendances
		SET check_at = CASE WHEN $5 THEN $6 + (
			SELECT CASE WHEN c.last_at > attendances.opened_at THEN c.last_at ELSE attendances.opened_at END
			FROM conversations c
			WHERE c.company = $1 AND c.id = attendances.conversation) END
		WHERE company = $1 AND id IN (
			SELECT id
			FROM attendances
			WHERE company = $1 AND closed_at IS NULL AND (opened_at, id) < ($2, $3)
			ORDER BY opened_at DESC, id DESC
			LIMIT $4)
		RETURNING opened_at, id`,
		[]any{company, openedAt, after, limit, rule.Enabled, rule.AfterMinutes * 60_000}, func(r db.Row) error {
			at, id := r.Time("opened_at"), r.ID("id")
			if n++; cmp.Or(at.Compare(openedAt), kernel.CompareIDs(id, after)) < 0 {
				openedAt, after = at, id
			}
			return nil
		})
	if err != nil || n < limit {
		return time.Time{}, kernel.ID{}, err
	}
	return openedAt, after, nil
}

// scheduleCheck sets when an attendance is next checked for automatic closing; nil means never.
func scheduleCheck(tx *kernel.Tx, company, id kernel.ID, at *time.Time) {
	tx.Later(`UPDATE attendances SET check_at = $3 WHERE company = $1 AND id = $2`, company, id, at)
}

// MarkDistributed records since when a distributed attendance can be answered. It returns to the queue if it is not answered
// in time. saveAttendance clears the mark when the responsible person changes or the attendance is closed.
func MarkDistributed(tx *kernel.Tx, company, attendance kernel.ID, at time.Time) {
	tx.Later(`UPDATE attendances SET distributed_at = $3 WHERE company = $1 AND id = $2`, company, attendance, at)
}

// keepDistributed clears the mark of MarkDistributed: the attendance stays with its responsible person.
func keepDistributed(tx *kernel.Tx, company, attendance kernel.ID) {
	tx.Later(`UPDATE attendances SET distributed_at = NULL WHERE company = $1 AND id = $2 AND distributed_at IS NOT NULL`, company, attendance)
}
