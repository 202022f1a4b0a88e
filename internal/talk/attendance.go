package talk

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"recado/internal/fields"
	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/people"
)

// Values of the fields of an attendance.
const (
	OpenedByCustomer = "customer"
	OpenedByTeam     = "team"

	AttendanceOpen   = "open"
	AttendanceClosed = "closed"

	// CloseReasonAutomatic is the close reason of attendances that were closed for inactivity.
	CloseReasonAutomatic = "automatic"
)

// Attendance is a support case of a conversation, with a protocol number.
type Attendance struct {
	ID                   kernel.ID         `json:"id"`
	Protocol             string            `json:"protocol" example:"ATD-000123"`
	Status               string            `json:"status" enum:"open,closed"`
	Conversation         kernel.ID         `json:"conversation"`
	Channel              kernel.ID         `json:"channel"`
	Contact              AttendanceContact `json:"contact"`
	Responsible          *kernel.Ref       `json:"responsible"`
	Sector               *kernel.ID        `json:"sector"`
	OpenedAt             time.Time         `json:"opened_at"`
	OpenedBy             string            `json:"opened_by" enum:"customer,team"`
	FirstResponseAt      *time.Time        `json:"first_response_at"`
	FirstResponseSeconds *int64            `json:"first_response_seconds"`
	ClosedAt             *time.Time        `json:"closed_at"`
	ClosedBy             *kernel.Ref       `json:"closed_by"`
	CloseReason          *string           `json:"close_reason"`
	CloseCause           *Cause            `json:"close_cause" doc:"Why the server closed the case by itself; null if it is open or a person closed it."`
	Closing              *Closing          `json:"closing" doc:"How the case was closed; null while it is open."`
	Fields               fields.Values     `json:"fields" doc:"The values of the company's custom fields, by key."`
	Survey               *Survey           `json:"survey" doc:"The satisfaction survey of the case; null if there was none."`
	SLA                  *ServiceLevel     `json:"sla" doc:"The service level of the case; null if no policy applies to it."`
	Cost                 *AttendanceCost   `json:"cost" doc:"What the messages of the case cost; null if none of them has an amount."`

	Company     kernel.ID   `json:"-"`
	Number      int64       `json:"-"`
	Private     bool        `json:"-"`
	MenuEndedAt *time.Time  `json:"-"` // nil: there was no menu, or it is still running
	LabelIDs    []kernel.ID `json:"-"` // of the conversation
}

// Subject returns the conversation of the attendance.
func (a *Attendance) Subject() kernel.Subject {
	return kernel.Subject{Kind: SubjectConversation, ID: a.Conversation}
}

// Answered sets the time of the first response.
func (a *Attendance) Answered(at time.Time) {
	seconds := max(0, int64(at.Sub(a.OpenedAt)/time.Second)) // the clock may have been set back
	a.FirstResponseAt, a.FirstResponseSeconds = &at, &seconds
}

// AttendanceContact is the customer of an attendance. For a group, only Name is set, to the name of the group.
type AttendanceContact struct {
	ID     *kernel.ID `json:"id"`
	Name   string     `json:"name"`
	Phone  *string    `json:"phone"`
	Erased bool       `json:"erased" doc:"Whether the person was erased. The name is then a placeholder in English."`
}

// Closing is how an attendance was closed.
type Closing struct {
	Reason *kernel.Ref `json:"reason" doc:"The closing reason that the person chose."`
	Note   *string     `json:"note"`
	By     string      `json:"by" enum:"person,automatic,customer" doc:"customer: the customer chose an option of a menu that closes the case."`
}

// Values of Closing.By.
const (
	ClosedByPerson    = "person"
	ClosedByAutomatic = "automatic"
	ClosedByCustomer  = "customer"
)

// Survey is the satisfaction survey of an attendance.
type Survey struct {
	Status     string     `json:"status" enum:"none,sent,answered,expired,skipped" doc:"none: it was not sent, or not yet. skipped: the 24-hour window was closed."`
	Rating     *int64     `json:"rating" minimum:"1" maximum:"5"`
	Comment    *string    `json:"comment"`
	SentAt     *time.Time `json:"sent_at"`
	AnsweredAt *time.Time `json:"answered_at"`

	Due bool       `json:"-"` // it will be sent at At
	At  *time.Time `json:"-"` // when it is sent or expires; nil: nothing is left to do
}

// Values of Survey.Status.
const (
	SurveyNone     = "none"
	SurveySent     = "sent"
	SurveyAnswered = "answered"
	SurveyExpired  = "expired"
	SurveySkipped  = "skipped"
)

// ServiceLevel is the policy of an attendance and its targets. A target that the policy does not have is nil.
type ServiceLevel struct {
	Policy     kernel.Ref `json:"policy"`
	First      *Target    `json:"first" doc:"The first response."`
	Next       *Target    `json:"next" doc:"The response to the customer's oldest unanswered message; null before the first response."`
	Resolution *Target    `json:"resolution" doc:"The closing of the case."`

	NextMet      int64 `json:"-"` // responses in time, without the present Next
	NextBreached int64 `json:"-"` // late responses, without the present Next
}

// Target is a time limit of a service level.
type Target struct {
	DueAt time.Time  `json:"due_at"`
	MetAt *time.Time `json:"met_at" doc:"The time of the response or the closing, also if it was late."`
	State string     `json:"state" enum:"pending,met,warned,breached"`

	WarnAt   time.Time `json:"-"`
	Warned   bool      `json:"-"` // there was a warning, also if the time was extended afterwards
	Breached bool      `json:"-"` // it was announced as breached, also if the time was extended afterwards
}

// Values of Target.State, from the best to the worst.
const (
	TargetMet      = "met"
	TargetPending  = "pending"
	TargetWarned   = "warned"
	TargetBreached = "breached"
)

var targetStates = []string{TargetMet, TargetPending, TargetWarned, TargetBreached}

// badness orders the states of targets: the worst is the greatest.
func badness(state string) int { return slices.Index(targetStates, state) }

// targets returns the targets that the level has.
func (s *ServiceLevel) targets() []*Target {
	return slices.DeleteFunc([]*Target{s.First, s.Next, s.Resolution}, func(t *Target) bool { return t == nil })
}

// Due returns the most urgent target that is not met, or nil: of those with the worst state, the one that is due first.
func (s *ServiceLevel) Due() (due *OpenTarget) {
	if s == nil {
		return nil
	}
	for _, t := range []struct {
		name string
		*Target
	}{{TargetFirst, s.First}, {TargetNext, s.Next}, {TargetResolution, s.Resolution}} {
		if t.Target == nil || t.MetAt != nil {
			continue
		}
		if due == nil || cmp.Or(badness(due.State)-badness(t.State), t.DueAt.Compare(due.DueAt)) < 0 {
			due = &OpenTarget{Target: t.name, DueAt: t.DueAt, State: t.State}
		}
	}
	return due
}

// state returns the worst state of the targets and of the responses that were late, or nil without a target.
func (s *ServiceLevel) state() *string {
	worst := -1
	for _, t := range s.targets() {
		worst = max(worst, badness(t.State))
	}
	if s.NextBreached > 0 {
		worst = badness(TargetBreached)
	}
	if worst < 0 {
		return nil
	}
	return new(targetStates[worst])
}

// CheckAt returns the time at which a target is next warned of or breached, or nil.
func (s *ServiceLevel) CheckAt() (next *time.Time) {
	if s == nil {
		return nil
	}
	for _, t := range s.targets() {
		at := t.DueAt
		switch {
		case t.MetAt != nil || t.State == TargetBreached:
			continue
		case t.State == TargetPending:
			at = t.WarnAt
		}
		if next == nil || at.Before(*next) {
			next = &at
		}
	}
	return next
}

// CloseInput is how a person closes an attendance.
type CloseInput struct {
	Reason   string     `json:"reason,omitempty" maxLength:"500" doc:"A text of your own."`
	ReasonID *kernel.ID `json:"reason_id,omitempty" doc:"The id of a closing reason."`
	Note     string     `json:"note,omitempty" maxLength:"1000" doc:"A note on the reason."`
}

// CheckReason returns an error if a closing reason does not exist. It may be nil.
func CheckReason(tx *kernel.Tx, a *kernel.Principal, id *kernel.ID) error {
	if id == nil {
		return nil
	}
	found, err := tx.One(`SELECT 1 FROM closing_reasons WHERE company = $1 AND id = $2 AND deleted_at IS NULL`,
		[]any{a.Company.ID, *id}, func(db.Row) {})
	if err == nil && !found {
		err = kernel.NoSuch("body.reason_id", "closing_reason")
	}
	return err
}

// CloseAttendance closes the open attendance of a conversation. All of in may be empty, unless the company's rules or the reason
// require it.
func (d *Talk) CloseAttendance(ctx context.Context, a *kernel.Principal, conversation kernel.ID, in CloseInput) (Attendance, error) {
	return kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (Attendance, error) {
		t, err := d.Lock(tx, a, conversation)
		if err != nil {
			return Attendance{}, err
		}
		if t.Attendance == nil {
			return Attendance{}, kernel.Errorf(kernel.CodeAttendanceNotOpen, "This conversation has no open attendance.")
		}
		if err := t.MayClose(a); err != nil {
			return Attendance{}, err
		}
		att, err := t.CloseBy(&a.User, in)
		if err != nil {
			return Attendance{}, err
		}
		return *att, t.Save()
	})
}

// openAttendance opens an attendance if the company has them enabled and none is open. by is OpenedByCustomer or
// OpenedByTeam. Call it late in the transaction: other openings in the company wait until the transaction ends.
func (t *LockedConversation) openAttendance(by string) error {
	if t.Attendance != nil || t.silent {
		return nil
	}
	att := &Attendance{
		ID: kernel.NewID(), Company: t.Company, Private: t.Private, Status: AttendanceOpen,
		Conversation: t.ID, Channel: t.Channel, Contact: AttendanceContact{ID: t.Contact, Name: t.Name, Phone: t.Phone},
		Sector: t.Sector, OpenedAt: t.Tx.Now, OpenedBy: by, LabelIDs: t.LabelIDs,
	}
	var err error
	if att.Responsible, err = t.holder(); err != nil {
		return err
	}
	if t.Contact != nil && t.Renamed {
		contact, found, err := findContact(t.Tx, t.Company, *t.Contact)
		if err != nil {
			return err
		}
		if found {
			att.Contact.Name = contact.Name
		}
	}
	number, enabled, err := nextProtocol(t.Tx, t.Company, t.Private)
	if err != nil || !enabled {
		return err
	}
	att.Number, att.Protocol = number, FormatProtocol(number)
	t.Attendance, t.Unanswered = &OpenAttendance{ID: att.ID, Number: number, Protocol: att.Protocol, OpenedAt: att.OpenedAt, WaitingSince: t.awaits}, true
	// The company's rules, which nextProtocol has locked, decide when the attendance is first checked for automatic closing.
	t.Tx.Later(`
		INSERT INTO attendances (id, company, number, conversation, channel, contact, private, responsible, sector, opened_at, opened_by, check_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11,
			(SELECT CASE WHEN auto_close THEN $10 + auto_close_minutes * 60000 END FROM companies WHERE id = $2))`,
		att.ID, t.Company, number, t.ID, t.Channel, t.Contact, t.Private, kernel.RefID(att.Responsible), t.Sector, att.OpenedAt, by)
	insertAttendanceMark(t.Tx, t.Company, t.ID, t.next(), RankOpened, att.ID)
	if err := t.d.tell(func(o *Observer) error { return o.Opened(t, att) }); err != nil {
		return err
	}
	return t.emitWith(EventAttendanceOpened, "attendance", att)
}

// mayAnswer returns an error if the attendance is restricted and the member is neither responsible nor at least a manager.
// If nobody is responsible and the first responder takes ownership, every member may answer.
func (t *LockedConversation) mayAnswer(a *kernel.Principal) error {
	return t.restrict(a, func(rules people.AttendanceRules) bool {
		return t.Assignee == nil && rules.FirstResponderTakesOwnership
	})
}

// MayClose returns an error if the attendance is restricted and the member is neither responsible nor at least a manager.
func (t *LockedConversation) MayClose(a *kernel.Principal) error {
	return t.restrict(a, nil)
}

// restrict returns an error if the attendance is restricted, unless the member is responsible or at least a manager, or the
// exception applies.
func (t *LockedConversation) restrict(a *kernel.Principal, exception func(people.AttendanceRules) bool) error {
	if t.Attendance == nil || t.Assignee != nil && *t.Assignee == a.User.ID || a.Role.AtLeast(kernel.RoleManager) {
		return nil
	}
	rules, err := people.ListAttendanceRules(t.Tx, t.Company)
	if err != nil || rules.Mode != people.ModeRestricted || exception != nil && exception(rules) {
		return err
	}
	return kernel.Errorf(kernel.CodeAttendanceRestricted, "Only the responsible person and members with the role manager or above may answer or close this attendance.")
}

// teamWrote handles an outgoing message: it answers the open attendance, or opens one. member is nil if the message was
// written on the phone, where the author is unknown.
func (t *LockedConversation) teamWrote(member *kernel.Ref) error {
	if t.Attendance != nil || t.Kind != KindDirect {
		return t.answered(member)
	}
	t.awaits = nil
	rules, err := people.ListAttendanceRules(t.Tx, t.Company)
	if err != nil || !rules.Enabled {
		return err
	}
	if closed, err := t.justClosed(rules); err != nil || closed {
		return err
	}
	takes, err := t.takesOver(member)
	if err != nil {
		return err
	}
	if takes {
		t.Assignee = &member.ID
	}
	err = t.openAttendance(OpenedByTeam)
	switch {
	case !takes || err != nil:
	case t.Attendance == nil: // attendances have been disabled in the meantime
		t.Assignee = nil
	default:
		t.note(&AssignmentEntry{Action: ActionTookOver, User: member, By: member, Sector: t.Sector})
	}
	return err
}

// justClosed reports whether the last attendance was closed within the grace period, in which messages still belong to it.
func (t *LockedConversation) justClosed(rules people.AttendanceRules) (bool, error) {
	if rules.GraceMinutes == 0 {
		return false, nil
	}
	closed, _, err := kernel.Row(t.Tx, `
		SELECT closed_at
		FROM attendances
		WHERE company = $1 AND conversation = $2
		ORDER BY opened_at DESC, id DESC
		LIMIT 1`, []any{t.Company, t.ID}, func(r db.Row) *time.Time { return r.NullTime("closed_at") })
	return closed != nil && t.Tx.Now.Before(closed.Add(time.Duration(rules.GraceMinutes)*time.Minute)), err
}

// answered handles an outgoing message in an open attendance: it sets the first response and assigns the first responder.
// In an attendance that the team opened, a message only counts as a response after the customer has written. member is
// nil if the message was written on the phone, where the author is unknown.
func (t *LockedConversation) answered(member *kernel.Ref) error {
	t.awaits = nil
	t.EndMenu()
	if t.Attendance == nil {
		return nil
	}
	waited := t.WaitingSince() != nil
	t.SetWaiting(nil)
	if t.Assignee != nil && t.Sector != nil {
		keepDistributed(t.Tx, t.Company, t.Attendance.ID)
	}
	takes, err := t.takesOver(member)
	if err != nil || !takes && !t.Unanswered {
		return err
	}
	att, err := t.openOne()
	if err != nil {
		return err
	}
	if takes {
		if err := t.takeOver(att, member); err != nil {
			return err
		}
	}
	if !t.Unanswered || att.OpenedBy == OpenedByTeam && !waited {
		return nil
	}
	t.Unanswered = false
	att.Answered(t.Tx.Now)
	saveAttendance(t.Tx, att)
	return t.d.tell(func(o *Observer) error { return o.Answered(t, att) })
}

// takeOver makes a member who wrote responsible for the open attendance.
func (t *LockedConversation) takeOver(att *Attendance, member *kernel.Ref) error {
	t.note(&AssignmentEntry{Action: ActionTookOver, User: member, By: member, Sector: t.Sector})
	return t.move(att, member, t.Sector, member)
}

// takesOver reports whether a member becomes responsible by writing.
func (t *LockedConversation) takesOver(member *kernel.Ref) (bool, error) {
	if member == nil || t.Assignee != nil {
		return false, nil
	}
	rules, err := people.ListAttendanceRules(t.Tx, t.Company)
	if err != nil || !rules.FirstResponderTakesOwnership {
		return false, err
	}
	_, present, err := people.KeepUser(t.Tx, t.Company, member.ID)
	return present, err
}

// OpenAttendance returns the open attendance of a conversation that has one.
func (t *LockedConversation) OpenAttendance() (*Attendance, error) { return t.openOne() }

// openOne returns the open attendance of a conversation that has one.
func (t *LockedConversation) openOne() (*Attendance, error) {
	return openAttendanceOf(t.Tx, &t.Conversation)
}

func openAttendanceOf(tx *kernel.Tx, c *Conversation) (*Attendance, error) {
	att, found, err := FindAttendance(tx, c.Company, c.Attendance.ID)
	if err != nil || !found {
		return nil, kernel.ErrOr(err, fmt.Errorf("talk: attendance %s of a conversation does not exist", c.Attendance.ID))
	}
	return &att, nil
}

// CloseBy closes the open attendance of the conversation, which must have one, for a person. The observers check the input.
func (t *LockedConversation) CloseBy(by *kernel.Ref, in CloseInput) (*Attendance, error) {
	reason, invalid := reasonOf(in.Reason)
	if invalid != nil {
		return nil, invalid
	}
	note, invalid := kernel.OptionalText("body.note", in.Note, MaxClosingNote)
	if invalid != nil {
		return nil, invalid
	}
	att, err := t.openOne()
	if err != nil {
		return nil, err
	}
	if err := t.checkFields(att); err != nil {
		return nil, err
	}
	att.Closing = &Closing{Note: kernel.TextOrNil(note), By: ClosedByPerson}
	if err := t.d.tell(func(o *Observer) error { return o.Closing(t, att, in.ReasonID) }); err != nil {
		return nil, err
	}
	return att, t.close(att, by, reason)
}

// checkFields returns an error if a field that is required to close the attendance has no value.
func (t *LockedConversation) checkFields(att *Attendance) error {
	var contact func() (fields.Values, error)
	if t.Contact != nil {
		contact = func() (fields.Values, error) {
			c, _, err := findContact(t.Tx, t.Company, *t.Contact)
			return c.Fields, err
		}
	}
	return fields.CheckRequired(t.Tx, t.Company, att.Fields, contact)
}

// AttendanceChange lists what to change in an attendance.
type AttendanceChange struct {
	Fields fields.Input `json:"fields,omitempty"`
}

// UpdateAttendance changes the custom fields of an attendance, open or closed. If it is open and restricted, only the responsible
// person and managers may.
func (d *Talk) UpdateAttendance(ctx context.Context, a *kernel.Principal, id kernel.ID, in AttendanceChange) (Attendance, error) {
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (Attendance, error) {
		att, found, err := FindAttendance(tx, a.Company.ID, id)
		if err != nil || !found {
			return att, kernel.ErrOr(err, kernel.NotFound("attendance"))
		}
		c, found, err := LockConversation(tx, a.Company.ID, att.Conversation)
		if err != nil || !found || !MaySee(a, &c) {
			return att, kernel.ErrOr(err, kernel.NotFound("attendance"))
		}
		t := d.Locked(tx, c)
		if att, found, err = FindAttendance(tx, a.Company.ID, id); err != nil || !found { // now it cannot change
			return att, kernel.ErrOr(err, kernel.NotFound("attendance"))
		}
		if att.Status == AttendanceOpen {
			if err := t.MayClose(a); err != nil {
				return att, err
			}
		}
		before := att.Fields
		if att.Fields, err = fields.Write(tx, att.Company, fields.EntityAttendance, att.ID, att.Fields, in.Fields); err != nil {
			return att, err
		}
		if maps.Equal(before, att.Fields) {
			return att, nil
		}
		t.attendanceChanged = true
		return att, t.Save()
	})
}

type updateAttendanceInput struct {
	httpserver.AtID
	Body struct{ AttendanceChange } `required:"false"`
}

func (s *handlers) updateAttendance(ctx context.Context, a *kernel.Principal, in *updateAttendanceInput) (*httpserver.Reply[Attendance], error) {
	return httpserver.Body(s.verbs.UpdateAttendance(ctx, a, kernel.ID(in.ID), in.Body.AttendanceChange))
}

// CloseAttendance closes the open attendance of the conversation, which must have one, without a person.
func (t *LockedConversation) CloseAttendance(reason string) error {
	att, err := t.openOne()
	if err != nil {
		return err
	}
	att.Closing = &Closing{By: closedBy(nil, CauseOf(nil, &reason))}
	return t.close(att, nil, &reason)
}

// close closes the open attendance, whose Closing is set, and removes the responsible person of the conversation.
func (t *LockedConversation) close(att *Attendance, by *kernel.Ref, reason *string) error {
	now := t.Tx.Now
	att.Status, att.ClosedAt, att.ClosedBy, att.CloseReason, att.CloseCause = AttendanceClosed, &now, by, reason, CauseOf(by, reason)
	t.Attendance, t.Unanswered, t.Assignee = nil, false, nil
	t.EndMenu()
	saveAttendance(t.Tx, att)
	insertAttendanceMark(t.Tx, t.Company, t.ID, t.next(), RankClosed, att.ID)
	t.Tx.AfterCommit(t.d.Wakeup(people.WakeDistribute).Notify)
	if err := t.d.tell(func(o *Observer) error { return o.Closed(t, att, by) }); err != nil {
		return err
	}
	return t.emitWith(EventAttendanceClosed, "attendance", att)
}

// closedBy returns Closing.By of an attendance that a person or a cause closed.
func closedBy(by *kernel.Ref, cause *Cause) string {
	switch {
	case by != nil:
		return ClosedByPerson
	case cause != nil && cause.Code == CauseMenuChoice:
		return ClosedByCustomer
	}
	return ClosedByAutomatic
}

// reasonOf validates a reason. It returns nil if the reason is blank.
func reasonOf(text string) (*string, *kernel.Error) {
	text, invalid := kernel.OptionalText("body.reason", text, MaxReason)
	if invalid != nil || text == "" {
		return nil, invalid
	}
	return &text, nil
}

// Values of AttendanceFilter.On.
const (
	OnOpened   = "opened"
	OnAnswered = "answered"
	OnClosed   = "closed"
)

// AttendanceFilter selects the attendances of a list. Zero values filter nothing.
type AttendanceFilter struct {
	Status       string // "", open or closed
	Unassigned   bool   // only those without a responsible person
	Responsible  kernel.ID
	NoSector     bool // only those without a sector
	Sector       kernel.ID
	Channel      kernel.ID
	Conversation kernel.ID
	Label        kernel.ID // of the conversation, at present
	NoReason     bool      // only those without a closing reason, including open ones
	Reason       kernel.ID
	Rating       string            // "", 1 to 5, low (1 to 3) or high (4 and 5)
	Survey       string            // the status of the survey, or ""
	SLA          string            // the worst state of the targets: "", met, warned or breached
	Protocol     string            // with or without the prefix and leading zeros
	On           string            // the time that From and To apply to: opened ("" too), answered or closed
	From         string            // this time or later: RFC 3339, or a day in the company's time zone
	To           string            // before this time, in the same format
	Fields       map[string]string // see fields.Query
	Limit        int
	Cursor       string

	fields   fields.Filter
	number   int64 // of Protocol
	from, to *time.Time
}

// Attendances lists the attendances that the principal may see, newest first. A page continues where the previous one
// ended, regardless of changes in between. next is "" on the last page.
func (d *Talk) Attendances(ctx context.Context, a *kernel.Principal, f AttendanceFilter) (page []Attendance, next string, err error) {
	if err := f.parse(a); err != nil {
		return nil, "", err
	}
	name := f.cursorName()
	var openedAt int64
	var after kernel.ID
	if f.Cursor != "" {
		payload, invalid := d.Cursors.Open(a.Company.ID, name, f.Cursor)
		if invalid == nil {
			openedAt, after, invalid = kernel.ReadIntID(payload)
		}
		if invalid != nil {
			return nil, "", invalid
		}
	}
	var more bool
	err = d.Store.Read(ctx, func(tx *kernel.Tx) (err error) {
		if f.fields, err = fields.NewFilter(tx, a.Company.ID, fields.EntityAttendance, f.Fields); err != nil {
			return err
		}
		page, more, err = listAttendances(tx, a.Company.ID, &f, a.Sight(), openedAt, after)
		return err
	})
	if err == nil && more {
		last := page[f.Limit-1]
		next = d.Cursors.Seal(a.Company.ID, name, kernel.IntID(last.OpenedAt.UnixMilli(), last.ID))
	}
	return page, next, err
}

// parse sets the fields for Protocol, From and To.
func (f *AttendanceFilter) parse(a *kernel.Principal) (err error) {
	if f.Protocol != "" {
		var ok bool
		if f.number, ok = ParseProtocol(f.Protocol); !ok || f.number < 0 && len(a.Views) == 0 {
			return kernel.Malformed("query.protocol", "protocol")
		}
	}
	f.from, f.to, err = a.Period(f.From, f.To)
	return err
}

// cursorName identifies the list that a cursor belongs to.
func (f AttendanceFilter) cursorName() string {
	f.Limit, f.Cursor = 0, ""
	return "attendances " + *kernel.WriteJSON(&f)
}

// Attendance returns an attendance whose conversation the principal may see.
func (d *Talk) Attendance(ctx context.Context, a *kernel.Principal, id kernel.ID) (Attendance, error) {
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (Attendance, error) {
		att, found, err := FindAttendance(tx, a.Company.ID, id)
		if err != nil || !found {
			return att, kernel.ErrOr(err, kernel.NotFound("attendance"))
		}
		c, found, err := FindConversation(tx, a.Company.ID, att.Conversation)
		if err != nil || !found || !MaySee(a, &c) {
			return att, kernel.ErrOr(err, kernel.NotFound("attendance"))
		}
		return att, nil
	})
}

// CurrentAttendance returns the open attendance of a conversation, or nil if it has none.
func (d *Talk) CurrentAttendance(ctx context.Context, a *kernel.Principal, conversation kernel.ID) (*Attendance, error) {
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (*Attendance, error) {
		c, err := visibleConversation(tx, a, conversation)
		if err != nil || c.Attendance == nil {
			return nil, err
		}
		return openAttendanceOf(tx, &c)
	})
}

// AttendanceRules returns the company's attendance rules.
func (d *Talk) AttendanceRules(ctx context.Context, a *kernel.Principal) (people.AttendanceRules, error) {
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (people.AttendanceRules, error) {
		return people.ListAttendanceRules(tx, a.Company.ID)
	})
}

// RulesChange lists the rules to change; nil fields stay as they are.
type RulesChange struct {
	Enabled        *bool   `json:"enabled,omitempty"`
	FirstResponder *bool   `json:"first_responder_takes_ownership,omitempty"`
	Mode           *string `json:"mode,omitempty" enum:"restricted,liberal"`
	AutoClose      struct {
		Enabled      *bool  `json:"enabled,omitempty"`
		AfterMinutes *int64 `json:"after_minutes,omitempty" minimum:"1" maximum:"525600"`
	} `json:"auto_close,omitempty"`
	GraceMinutes      *int64                     `json:"grace_minutes,omitempty" minimum:"0" maximum:"120"`
	GraceForCustomers *bool                      `json:"grace_for_customers,omitempty"`
	KeepRevoked       *bool                      `json:"keep_revoked,omitempty"`
	RequireReason     *bool                      `json:"require_reason,omitempty"`
	Hours             kernel.Optional[kernel.ID] `json:"hours_id,omitempty" required:"false" doc:"null means always open."`
}

// UpdateAttendanceRules changes the company's attendance rules. They apply to open attendances too. Disabling
// attendances does not close the open ones.
func (d *Talk) UpdateAttendanceRules(ctx context.Context, a *kernel.Principal, in RulesChange) (people.AttendanceRules, error) {
	rules, err := kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (people.AttendanceRules, error) {
		rules, err := people.LockRules(tx, a.Company.ID)
		if err != nil {
			return rules, err
		}
		before := rules
		kernel.Set(&rules.Enabled, in.Enabled)
		kernel.Set(&rules.FirstResponderTakesOwnership, in.FirstResponder)
		kernel.Set(&rules.Mode, in.Mode)
		kernel.Set(&rules.AutoClose.Enabled, in.AutoClose.Enabled)
		kernel.Set(&rules.AutoClose.AfterMinutes, in.AutoClose.AfterMinutes)
		kernel.Set(&rules.GraceMinutes, in.GraceMinutes)
		kernel.Set(&rules.GraceForCustomers, in.GraceForCustomers)
		kernel.Set(&rules.KeepRevoked, in.KeepRevoked)
		kernel.Set(&rules.RequireReason, in.RequireReason)
		if in.Hours.Set {
			rules.HoursID = in.Hours.Pointer()
			if err := people.KeepHours(tx, a.Company.ID, rules.HoursID); err != nil {
				return rules, err
			}
			people.MarkServiceLevels(tx, a.Company.ID)
		}
		people.SaveAttendanceRules(tx, a.Company.ID, rules)
		tx.AuditNoun(a, kernel.AuditSubject{Type: "rules"}, before, rules)
		return rules, nil
	})
	if err != nil || !in.Hours.Set {
		return rules, err
	}
	d.people.HoursChanged(ctx, a.Company.ID)
	return rules, nil
}

// CloseIdle closes attendances that have been inactive for as long as the rules of their company say. It checks up to limit of
// those that are due and returns how many it checked. Several nodes may run it concurrently.
func (d *Talk) CloseIdle(ctx context.Context, now time.Time, limit int) (int, error) {
	stale, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]kernel.ID, error) {
		return tx.IDs(`SELECT id FROM companies WHERE checks_stale`) // their rule has changed
	})
	for _, company := range stale {
		if err == nil {
			err = d.schedule(ctx, company)
		}
	}
	if err != nil {
		return 0, err
	}
	return d.changeDue(ctx, func(t *LockedConversation) error { return t.closeIfIdle(now) }, `
		SELECT /* all companies: due work */ company, conversation AS id
		FROM attendances
		WHERE check_at <= $1
		ORDER BY check_at
		LIMIT $2`, now, limit)
}

// schedule reschedules a company's open attendances, many at a time. Each step locks the rules, so that no attendance is opened
// meanwhile. If the rules changed between two steps, it starts again.
func (d *Talk) schedule(ctx context.Context, company kernel.ID) error {
	const batch = 1000
	type progress struct {
		rule *people.AutoClose
		at   time.Time
		id   kernel.ID
	}
	var last progress
	for {
		next, err := kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (progress, error) {
			p := last
			rules, err := people.LockRules(tx, company)
			if err != nil {
				return p, err
			}
			if p.rule == nil || *p.rule != rules.AutoClose {
				p = progress{&rules.AutoClose, tx.Now.AddDate(1000, 0, 0), kernel.MaxID}
			}
			p.at, p.id, err = scheduleChecks(tx, company, *p.rule, p.at, p.id, batch)
			if p.id.IsZero() && err == nil {
				tx.Later(`UPDATE companies SET checks_stale = FALSE WHERE id = $1`, company)
			}
			return p, err
		})
		if err != nil || next.id.IsZero() {
			return err
		}
		last = next
	}
}

// closeIfIdle closes the attendance if it has been idle for long enough, or else schedules the next check. New messages do
// not reschedule the check, so the attendance may have been active since.
func (t *LockedConversation) closeIfIdle(now time.Time) error {
	if t.Attendance == nil {
		return nil
	}
	rules, err := people.ListAttendanceRules(t.Tx, t.Company)
	if err != nil {
		return err
	}
	if !rules.AutoClose.Enabled {
		scheduleCheck(t.Tx, t.Company, t.Attendance.ID, nil)
		return nil
	}
	att, err := t.openOne()
	if err != nil {
		return err
	}
	lastActive := att.OpenedAt
	if t.LastMessage != nil && t.ActivityAt.After(lastActive) {
		lastActive = t.ActivityAt
	}
	if end := lastActive.Add(time.Duration(rules.AutoClose.AfterMinutes) * time.Minute); now.Before(end) {
		scheduleCheck(t.Tx, t.Company, att.ID, &end)
		return nil
	}
	if err := t.CloseAttendance(CloseReasonAutomatic); err != nil {
		return err
	}
	return t.Save()
}

// ReturnCase puts a distributed attendance that was not answered in time back into the queue. The time starts when the member
// got it, or when the customer wrote if that was later.
func (t *LockedConversation) ReturnCase(now time.Time) error {
	if t.Attendance == nil {
		return nil
	}
	id := t.Attendance.ID
	var at *time.Time
	var minutes *int64 // for how long the sector waits for an answer
	_, err := t.Tx.One(`
		SELECT a.distributed_at, s.return_minutes
		FROM attendances a
		LEFT JOIN sectors s ON s.company = a.company AND s.id = a.sector
		WHERE a.company = $1 AND a.id = $2`, []any{t.Company, id}, func(r db.Row) {
		at, minutes = r.NullTime("distributed_at"), r.NullInt("return_minutes")
	})
	if err != nil || at == nil {
		return err
	}
	if t.Assignee == nil || minutes == nil {
		keepDistributed(t.Tx, t.Company, id)
		return nil
	}
	since, waiting := *at, t.WaitingSince()
	switch {
	case waiting == nil:
		since = now // the customer is not waiting
	case waiting.After(since):
		since = *waiting
	}
	if now.Before(since.Add(time.Duration(*minutes) * time.Minute)) {
		MarkDistributed(t.Tx, t.Company, id, since)
		return nil
	}
	previous := *t.Assignee
	if err := t.Assign(nil, t.Sector, nil, nil); err != nil {
		return err
	}
	t.Tx.Later(`UPDATE attendances SET returned_from = $3 WHERE company = $1 AND id = $2`, t.Company, id, previous)
	return t.Save()
}

// ProtocolPrefix begins the protocol number of every attendance.
const ProtocolPrefix = "ATD-"

// FormatProtocol formats the number of an attendance as ATD-000123. Numbers of private channels are negative and look
// like ATD-P000123.
func FormatProtocol(n int64) string {
	if n < 0 {
		return fmt.Sprintf("%sP%06d", ProtocolPrefix, -n)
	}
	return fmt.Sprintf("%s%06d", ProtocolPrefix, n)
}

// ParseProtocol parses a protocol number. The prefix, in any case, and leading zeros are optional. It returns a negative number
// for a private channel, such as -123 for ATD-P000123 or p123.
func ParseProtocol(s string) (n int64, ok bool) {
	if len(s) > 64 {
		return 0, false
	}
	if p := len(ProtocolPrefix); len(s) > p && strings.EqualFold(s[:p], ProtocolPrefix) {
		s = s[p:]
	}
	if strings.HasPrefix(s, "P") || strings.HasPrefix(s, "p") {
		n, ok = kernel.Positive(s[1:])
		return -n, ok
	}
	return kernel.Positive(s)
}

// Cause is why the server changed or closed a case by itself.
type Cause struct {
	Code   string        `json:"code" example:"menu_choice"`
	Params kernel.Params `json:"params" doc:"menu_choice has path: the titles that the customer chose."`
}

var (
	causes       = map[string]string{CloseReasonAutomatic: "idle"} // codes by the text of the reason
	causesOfPath = map[string]string{}                             // codes by the prefix of the reason
)

// CauseMenuChoice is the code of what a customer chose in a menu.
const CauseMenuChoice = "menu_choice"

// RegisterCause sets the code of a reason that the server stores, and returns the reason. It is called at start-up.
func RegisterCause(reason, code string) string {
	causes[reason] = code
	return reason
}

// RegisterPathCause is RegisterCause for reasons that begin with a prefix, followed by a path.
func RegisterPathCause(prefix, code string) string {
	causesOfPath[prefix] = code
	return prefix
}

// CauseCodes lists the codes of causes.
func CauseCodes() []string {
	codes := slices.AppendSeq(slices.Collect(maps.Values(causes)), maps.Values(causesOfPath))
	slices.Sort(codes)
	return codes
}

// CauseOf returns the cause of a reason that no person gave, or nil.
func CauseOf(by *kernel.Ref, reason *string) *Cause {
	if by != nil || reason == nil {
		return nil
	}
	if code, known := causes[*reason]; known {
		return &Cause{code, kernel.Params{}}
	}
	for prefix, code := range causesOfPath {
		if path, found := strings.CutPrefix(*reason, prefix); found {
			return &Cause{code, kernel.Params{"path": path}}
		}
	}
	return nil
}

type listAttendancesInput struct {
	Status       string              `query:"status" enum:"open,closed"`
	Assignee     string              `query:"assignee" doc:"The UUID of the responsible person, or none for attendances without a responsible person."`
	User         string              `query:"user" doc:"The same as assignee."`
	Sector       string              `query:"sector" doc:"The UUID of the sector, or none for attendances without a sector."`
	Channel      httpserver.FilterID `query:"channel"`
	Conversation httpserver.FilterID `query:"conversation"`
	Label        httpserver.FilterID `query:"label" doc:"Returns only attendances whose conversation has this label now."`
	Reason       string              `query:"reason" doc:"The UUID of the closing reason, or none for attendances without one."`
	Rating       string              `query:"rating" enum:"1,2,3,4,5,low,high" doc:"The rating of the survey. low: 1 to 3, high: 4 and 5."`
	Survey       string              `query:"survey" enum:"none,sent,answered,expired,skipped" doc:"The status of the survey. none: the survey was not sent, or not yet; cases whose survey is null have no status."`
	SLA          string              `query:"sla" enum:"met,pending,warned,breached" doc:"The worst state of the targets of the service level."`
	Protocol     string              `query:"protocol" doc:"The protocol number, with or without the prefix and leading zeros." example:"ATD-000123"`
	On           string              `query:"on" enum:"opened,answered,closed" default:"opened" doc:"The time that from and to apply to: of the opening, the first response or the closing. The list is always sorted by the opening."`
	From         string              `query:"from" doc:"Returns only attendances opened at or after this time, or answered or closed with on: an RFC 3339 time, or YYYY-MM-DD for the start of that day in the company's time zone." example:"2026-11-01"`
	To           string              `query:"to" doc:"Returns only attendances opened before this time, or answered or closed with on, in the same format." example:"2026-12-01"`
	Limit        int                 `query:"limit" minimum:"1" maximum:"100" default:"30" doc:"The maximum number of entries."`
	Cursor       string              `query:"cursor" maxLength:"400" doc:"The next_cursor of the previous page, with the same filters."`
}

func (s *handlers) listAttendances(ctx context.Context, a *kernel.Principal, in *listAttendancesInput) (*httpserver.Reply[httpserver.CursorList[Attendance]], error) {
	f, err := in.filter()
	if err != nil {
		return nil, err
	}
	f.Fields = fields.Query(ctx)
	page, next, err := s.verbs.Attendances(ctx, a, f)
	return httpserver.CursorPage(page, next), err
}

func (in *listAttendancesInput) filter() (AttendanceFilter, error) {
	f := AttendanceFilter{
		Status: in.Status, Channel: kernel.ID(in.Channel), Conversation: kernel.ID(in.Conversation), Label: kernel.ID(in.Label),
		Rating: in.Rating, Survey: in.Survey, SLA: in.SLA, Protocol: in.Protocol, On: in.On, From: in.From, To: in.To, Limit: in.Limit, Cursor: in.Cursor,
	}
	if in.User != "" && in.Assignee != "" && in.User != in.Assignee {
		return f, kernel.NotTogether("query.user", "send either assignee or user, not both", "assignee", "user")
	}
	return f, cmp.Or(
		idOrNone("query.assignee", in.Assignee, &f.Responsible, &f.Unassigned),
		idOrNone("query.user", in.User, &f.Responsible, &f.Unassigned),
		idOrNone("query.sector", in.Sector, &f.Sector, &f.NoSector),
		idOrNone("query.reason", in.Reason, &f.Reason, &f.NoReason),
	)
}

// idOrNone parses a query parameter that is an id or the word none. It sets neither if the parameter is absent.
func idOrNone(field, text string, id *kernel.ID, none *bool) error {
	if text == "none" {
		*none = true
	} else if text != "" {
		var ok bool
		if *id, ok = httpserver.ParseFilterID(text); !ok {
			return kernel.Malformed(field, "uuid")
		}
	}
	return nil
}

func (s *handlers) currentAttendance(ctx context.Context, a *kernel.Principal, in *httpserver.AtID) (*httpserver.Reply[orNull[Attendance]], error) {
	att, err := s.verbs.CurrentAttendance(ctx, a, kernel.ID(in.ID))
	return httpserver.Body(orNull[Attendance]{att}, err)
}

func (s *handlers) listAssignments(ctx context.Context, a *kernel.Principal, in *httpserver.AtID) (*httpserver.Reply[httpserver.List[AssignmentEntry]], error) {
	return httpserver.Entries(s.verbs.Assignments(ctx, a, kernel.ID(in.ID)))
}

type closeAttendanceInput struct {
	httpserver.AtID
	Body struct{ CloseInput } `required:"false"`
}

func (s *handlers) closeAttendance(ctx context.Context, a *kernel.Principal, in *closeAttendanceInput) (*httpserver.Reply[*Attendance], error) {
	att, err := s.verbs.CloseAttendance(ctx, a, kernel.ID(in.ID), in.Body.CloseInput)
	return &httpserver.Reply[*Attendance]{Body: &att}, err
}

// orNull is a response body that may be null.
type orNull[T any] struct{ value *T }

// Schema returns the schema of T or null.
func (orNull[T]) Schema(r huma.Registry) *huma.Schema {
	return &huma.Schema{OneOf: []*huma.Schema{r.Schema(reflect.TypeFor[T](), true, ""), {Type: "null"}}}
}

// MarshalJSONTo writes the value or null.
func (o orNull[T]) MarshalJSONTo(enc *jsontext.Encoder) error {
	return json.MarshalEncode(enc, o.value)
}

type updateRulesInput struct {
	Body struct{ RulesChange } `required:"false"`
}

func (s *handlers) updateRules(ctx context.Context, a *kernel.Principal, in *updateRulesInput) (*httpserver.Reply[people.AttendanceRules], error) {
	return httpserver.Body(s.verbs.UpdateAttendanceRules(ctx, a, in.Body.RulesChange))
}
