package talk

import (
	"bytes"
	"slices"
	"time"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/people"
)

var attendanceColumns = `
	a.id, a.company, a.number, a.conversation, a.channel, a.contact, COALESCE(p.name, c.name), p.phone, ` + kernel.ChannelPrivate("a") + `,
	a.responsible, r.name, a.sector, a.opened_at, a.opened_by, a.first_response_at, a.closed_at, a.closed_by, b.name, a.close_reason`

// attendanceWidth is the number of attendanceColumns: where a statement's own columns begin.
const attendanceWidth = 19

// attendanceNames finds the names that go with an attendance a.
const attendanceNames = `
	JOIN conversations c ON c.company = a.company AND c.id = a.conversation
	LEFT JOIN contacts p ON p.company = a.company AND p.id = a.contact
	LEFT JOIN users r ON r.company = a.company AND r.id = a.responsible
	LEFT JOIN users b ON b.company = a.company AND b.id = a.closed_by`

func scanAttendance(r db.Row) Attendance {
	a := Attendance{
		ID: r.ID(0), Company: r.ID(1), Number: r.Int(2), Conversation: r.ID(3), Channel: r.ID(4),
		Contact: AttendanceContact{ID: r.NullID(5), Name: r.Text(6), Phone: r.NullText(7)},
		Private: r.Bool(8), Responsible: scanRef(r, 9), Sector: r.NullID(11), OpenedAt: r.Time(12), OpenedBy: r.Text(13),
		ClosedAt: r.NullTime(15), ClosedBy: scanRef(r, 16), CloseReason: r.NullText(18),
	}
	a.Protocol, a.Status = FormatProtocol(a.Number), AttendanceOpen
	if a.ClosedAt != nil {
		a.Status = AttendanceClosed
	}
	if answered := r.NullTime(14); answered != nil {
		a.Answered(*answered)
	}
	return a
}

// scanRef reads an id that may be NULL, and the name beside it.
func scanRef(r db.Row, i int) *kernel.Ref {
	if r.Null(i) {
		return nil
	}
	return &kernel.Ref{ID: r.ID(i), Name: r.Text(i + 1)}
}

// FindAttendance gives one attendance of the company, private ones included.
func FindAttendance(tx *kernel.Tx, company, id kernel.ID) (Attendance, bool, error) {
	var a Attendance
	found, err := tx.One(`SELECT`+attendanceColumns+` FROM attendances a`+attendanceNames+` WHERE a.company = $1 AND a.id = $2`,
		[]any{company, id}, func(r db.Row) { a = scanAttendance(r) })
	return a, found, err
}

// lastClosed returns when the conversation's last attendance was closed, or nil if there is none or it is open.
func lastClosed(tx *kernel.Tx, company, conversation kernel.ID) (closed *time.Time, err error) {
	_, err = tx.One(`
		SELECT closed_at
		FROM attendances
		WHERE company = $1 AND conversation = $2
		ORDER BY opened_at DESC, id DESC
		LIMIT 1`, []any{company, conversation}, func(r db.Row) { closed = r.NullTime(0) })
	return closed, err
}

// nextProtocol gives out the company's next protocol number, or false where attendances are switched
// off. A transaction that has one makes others wait until it ends, and a transaction that
// fails gives it back: that is how the numbers have no gaps. Private channels count apart, below zero.
func nextProtocol(tx *kernel.Tx, company kernel.ID, private bool) (number int64, enabled bool, err error) {
	series, value := "last", "last"
	if private {
		series, value = "last_private", "-last_private"
	}
	enabled, err = tx.One(`
		UPDATE protocols
		SET `+series+` = `+series+` + 1
		WHERE company = $1 AND EXISTS (SELECT 1 FROM companies WHERE id = $1 AND attendance_enabled)
		RETURNING `+value, []any{company}, func(r db.Row) { number = r.Int(0) })
	return number, enabled, err
}

// insertAttendance adds an attendance that has just been opened. When it is first looked at for
// automatic closing comes from the company's rules, read here: NextProtocol keeps them from changing.
func insertAttendance(tx *kernel.Tx, a *Attendance) {
	tx.Later(`
		INSERT INTO attendances (id, company, number, conversation, channel, contact, private, responsible, sector, opened_at, opened_by, check_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11,
			(SELECT CASE WHEN auto_close THEN $10 + auto_close_minutes * 60000 END FROM companies WHERE id = $2))`,
		a.ID, a.Company, a.Number, a.Conversation, a.Channel, a.Contact.ID, a.Private, refID(a.Responsible), a.Sector, a.OpenedAt, a.OpenedBy)
}

// insertAttendanceMark notes where in a conversation an attendance was opened or closed.
func insertAttendanceMark(tx *kernel.Tx, company, conversation kernel.ID, seq, kind int64, attendance kernel.ID) {
	tx.Later(`INSERT INTO attendance_marks (company, conversation, seq, kind, attendance) VALUES ($1, $2, $3, $4, $5)`,
		company, conversation, seq, kind, attendance)
}

// saveAttendance writes everything about an attendance that can change.
func saveAttendance(tx *kernel.Tx, a *Attendance) {
	tx.Later(`
		UPDATE attendances
		SET responsible = $3, sector = $4, first_response_at = $5, closed_at = $6, closed_by = $7, close_reason = $8,
			check_at = CASE WHEN $9 THEN check_at END, distributed_at = CASE WHEN $9 AND responsible = $3 THEN distributed_at END,
			returned_from = CASE WHEN $10 THEN returned_from END
		WHERE company = $1 AND id = $2`,
		a.Company, a.ID, refID(a.Responsible), a.Sector, a.FirstResponseAt, a.ClosedAt, refID(a.ClosedBy), a.CloseReason, a.ClosedAt == nil, a.Responsible == nil)
}

func refID(ref *kernel.Ref) *kernel.ID {
	if ref == nil {
		return nil
	}
	return &ref.ID
}

// AttendanceFilter chooses attendances. Zero values choose all.
type attendanceCriteria struct {
	Status       string
	Unassigned   bool // those without a responsible person
	Responsible  kernel.ID
	Sector       kernel.ID
	Conversation kernel.ID
	Number       int64
	From         *time.Time // opened then or later
	To           *time.Time // opened before
}

// listAttendances lists the company's attendances that sight reaches, the newest first, from behind the one
// that was opened at afterAt and has the id after (zero: from the beginning), and says whether there are
// more.
func listAttendances(tx *kernel.Tx, company kernel.ID, f attendanceCriteria, sight kernel.Sight, afterAt int64, after kernel.ID, limit int) ([]Attendance, bool, error) {
	page, more, err := attendances(tx, company, f, sight, "NOT a.private", afterAt, after, limit)
	if err != nil || len(sight.Private) == 0 {
		return page, more, err
	}
	private, also, err := attendances(tx, company, f, sight.PrivateOnly(), "a.private", afterAt, after, limit)
	page, more = Merged(page, private, compareAttendances, 0, limit, more || also)
	return page, more, err
}

// compareAttendances is the order of the list of attendances.
func compareAttendances(x, y Attendance) int {
	if d := y.OpenedAt.Compare(x.OpenedAt); d != 0 {
		return d
	}
	return slices.Compare(y.ID[:], x.ID[:])
}

// attendances is Attendances for the public ones, or for those of the private channels that sight reaches.
func attendances(tx *kernel.Tx, company kernel.ID, f attendanceCriteria, sight kernel.Sight, which string, afterAt int64, after kernel.ID, limit int) ([]Attendance, bool, error) {
	s := tx.Statement()
	from, err := attendancesFrom(tx, s, company, &f, sight)
	if err != nil {
		return nil, false, err
	}
	// The page is found first, and its names afterwards, so that no planner begins with the names.
	s.WriteString("SELECT" + attendanceColumns + "\n\tFROM (SELECT a.* FROM " + from + "\n\tWHERE a.company = " + s.Arg(company) + " AND " + which)
	if which == "a.private" {
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
	if f.Unassigned {
		s.And("a.responsible IS NULL")
	}
	equal := func(column string, id kernel.ID) {
		if !id.IsZero() {
			s.And(column + " = " + s.Arg(id))
		}
	}
	equal("a.responsible", f.Responsible)
	equal("a.sector", f.Sector)
	equal("a.conversation", f.Conversation)
	if f.Number != 0 {
		s.And("a.number = " + s.Arg(f.Number))
	}
	if f.From != nil {
		s.And("a.opened_at >= " + s.Arg(*f.From))
	}
	if f.To != nil {
		s.And("a.opened_at < " + s.Arg(*f.To))
	}
	if !after.IsZero() {
		s.And("(a.opened_at, a.id) < (" + s.Arg(afterAt) + ", " + s.Arg(after) + ")")
	}
	if !sight.All { // LIMIT 1 OFFSET 0 makes a planner look conversations up one by one
		s.And("EXISTS (SELECT 1 FROM conversations v WHERE v.company = a.company AND v.id = a.conversation AND " + sight.Condition(s, "v.assignee", "v.sector") + " LIMIT 1 OFFSET 0)")
	}
	s.WriteString("\n\tORDER BY a.opened_at DESC, a.id DESC")
	tx.Page(s, limit, 0)
	s.WriteString(") a" + attendanceNames + "\n\tORDER BY a.opened_at DESC, a.id DESC")
	return kernel.Collect(tx, s, limit, scanAttendance)
}

// attendancesFrom is where a list of attendances starts: along its order, or from the few conversations that
// come into question.
func attendancesFrom(tx *kernel.Tx, s *db.Statement, company kernel.ID, f *attendanceCriteria, sight kernel.Sight) (string, error) {
	inSight := func(s *db.Statement) string {
		mine := "SELECT id FROM conversations WHERE company = " + s.Arg(company) + " AND assignee = " + s.Arg(sight.Member)
		if len(sight.Sectors) == 0 {
			return mine
		}
		return mine + " UNION SELECT id FROM conversations WHERE company = " + s.Arg(company) + " AND " + s.In("sector", sight.Sectors)
	}
	var ids string
	switch {
	case f.Number != 0 || sight.All && f.Conversation.IsZero():
		return "attendances a", nil
	case !f.Conversation.IsZero():
		ids = "SELECT id FROM conversations WHERE company = " + s.Arg(company) + " AND id = " + s.Arg(f.Conversation)
	default:
		if len(sight.Sectors) > 0 {
			if few, err := tx.IsFew(inSight); err != nil || !few {
				return "attendances a", err
			}
		}
		ids = inSight(s)
	}
	of := s.Arg(company)
	return "(" + ids + ") ids " + tx.Dialect().Pick(
		"CROSS JOIN attendances a INDEXED BY attendances_conversation ON a.company = "+of+" AND a.conversation = ids.id",
		"CROSS JOIN LATERAL (SELECT * FROM attendances WHERE company = "+of+" AND conversation = ids.id OFFSET 0) a"), nil
}

// insertAssignment adds a line to the history of a conversation's responsible persons. seq is its place
// among all that happened in the conversation.
func insertAssignment(tx *kernel.Tx, company, conversation kernel.ID, attendance *kernel.ID, seq int64, e *AssignmentEntry) {
	tx.Later(`
		INSERT INTO assignments (company, conversation, seq, id, attendance, action, member, by_member, sector, reason, created_at, sector_from, sector_to)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
		company, conversation, seq, e.ID, attendance, e.Action, refID(e.User), refID(e.By), e.Sector, e.Reason, e.CreatedAt, e.SectorFrom, e.SectorTo)
}

// maxAssignments is how much of a conversation's history is shown.
const maxAssignments = 1000

// listAssignments gives the newest 1000 lines of the history of a conversation's responsible persons, the
// newest first.
func listAssignments(tx *kernel.Tx, company, conversation kernel.ID) ([]AssignmentEntry, error) {
	var out []AssignmentEntry
	err := tx.Query(`
		SELECT e.id, e.action, e.member, u.name, e.by_member, b.name, e.sector, e.reason, e.created_at, e.sector_from, e.sector_to
		FROM assignments e
		LEFT JOIN users u ON u.company = e.company AND u.id = e.member
		LEFT JOIN users b ON b.company = e.company AND b.id = e.by_member
		WHERE e.company = $1 AND e.conversation = $2
		ORDER BY e.seq DESC
		LIMIT $3`, []any{company, conversation, maxAssignments}, func(r db.Row) error {
		out = append(out, scanAssignment(r))
		return nil
	})
	return out, err
}

func scanAssignment(r db.Row) AssignmentEntry {
	return AssignmentEntry{
		ID: r.ID(0), Action: r.Text(1), User: scanRef(r, 2), By: scanRef(r, 4), Sector: r.NullID(6), Reason: r.NullText(7), CreatedAt: r.Time(8),
		SectorFrom: r.NullID(9), SectorTo: r.NullID(10),
	}
}

// staleSchedules gives the companies whose open attendances are to be scheduled again, because their
// rule of automatic closing has changed.
func staleSchedules(tx *kernel.Tx) ([]kernel.ID, error) {
	return tx.IDs(`SELECT id FROM companies WHERE checks_stale`)
}

// scheduleFresh says that the company's open attendances are scheduled by the rule as it is.
func scheduleFresh(tx *kernel.Tx, company kernel.ID) {
	tx.Later(`UPDATE companies SET checks_stale = FALSE WHERE id = $1`, company)
}

// scheduleChecks says of up to limit open attendances of the company when each is next looked at for
// automatic closing: the minutes of the rule after its conversation's last message, or never when there is no
// automatic closing. It goes from the newest to the oldest and starts behind the one that was opened at
// openedAt and has the id after; it gives the last one it came to, or zero when there are no more.
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
			at, id := r.Time(0), r.ID(1)
			if n++; at.Before(openedAt) || at.Equal(openedAt) && bytes.Compare(id[:], after[:]) < 0 {
				openedAt, after = at, id
			}
			return nil
		})
	if err != nil || n < limit {
		return time.Time{}, kernel.ID{}, err
	}
	return openedAt, after, nil
}

// scheduleCheck says when one attendance is next looked at; nil means never.
func scheduleCheck(tx *kernel.Tx, company, id kernel.ID, at *time.Time) {
	tx.Later(`UPDATE attendances SET check_at = $3 WHERE company = $1 AND id = $2`, company, id, at)
}

// dueChecks gives up to limit conversations whose open attendance is to be looked at by now, the longest
// due first.
func dueChecks(tx *kernel.Tx, now time.Time, limit int) ([]ConversationAt, error) {
	var due []ConversationAt
	err := tx.Query(`
		SELECT /* all companies: due work */ company, conversation
		FROM attendances
		WHERE check_at <= $1
		ORDER BY check_at
		LIMIT $2`, []any{now, limit}, func(r db.Row) error {
		due = append(due, ConversationAt{r.ID(0), r.ID(1)})
		return nil
	})
	return due, err
}

// MarkDistributed notes since when a case that was distributed, and goes back unless it is answered, can be answered. Saving the
// attendance with another responsible person, or closed, forgets it.
func MarkDistributed(tx *kernel.Tx, company, attendance kernel.ID, at time.Time) {
	tx.Later(`UPDATE attendances SET distributed_at = $3 WHERE company = $1 AND id = $2`, company, attendance, at)
}

// keepDistributed forgets that a case goes back: it was answered.
func keepDistributed(tx *kernel.Tx, company, attendance kernel.ID) {
	tx.Later(`UPDATE attendances SET distributed_at = NULL WHERE company = $1 AND id = $2 AND distributed_at IS NOT NULL`, company, attendance)
}

// markReturned notes who let a case go back to the queue.
func markReturned(tx *kernel.Tx, company, attendance, member kernel.ID) {
	tx.Later(`UPDATE attendances SET returned_from = $3 WHERE company = $1 AND id = $2`, company, attendance, member)
}

// distributedAt tells since when a distributed case can be answered, nil where it need not be answered, and how long its sector waits then.
func distributedAt(tx *kernel.Tx, company, attendance kernel.ID) (at *time.Time, minutes *int64, err error) {
	_, err = tx.One(`
		SELECT a.distributed_at, s.return_minutes
		FROM attendances a
		LEFT JOIN sectors s ON s.company = a.company AND s.id = a.sector
		WHERE a.company = $1 AND a.id = $2`, []any{company, attendance}, func(r db.Row) { at, minutes = r.NullTime(0), r.NullInt(1) })
	return at, minutes, err
}
